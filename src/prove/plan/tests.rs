use proptest::prelude::*;

use super::scratch::{InParts, Windows};
use super::*;
use crate::mem::arena::{Arena, Term};

const GIB: usize = 1 << 30;

/// The 32 GiB PoRep's circuit, or one of the same mix over 2^`log2` points.
fn porep(log2: usize) -> Sizes {
    let m = 1 << log2;
    let aux = m - m / 33;
    Sizes { domain_log2: log2, inputs: 328, aux, a: 328 + aux / 1000 * 997, b: 1 + aux / 1000 * 254, circuits: 1 }
}

fn sizes() -> impl Strategy<Value = Sizes> {
    (0_usize..=28, 0_usize..=1 << 12, 0.0_f64..1.5, 0.0_f64..=1.0, 0.0_f64..=1.0, 1_usize..4).prop_map(
        |(domain_log2, inputs, aux, a, b, circuits)| {
            let aux = (aux * (1_u64 << domain_log2) as f64) as usize;
            let share = |share: f64, variables: usize| (share * variables as f64) as usize;
            let (a, b) = (inputs + share(a, aux), share(b, inputs + aux));
            Sizes { domain_log2, inputs, aux, a, b, circuits }
        },
    )
}

/// From a MiB to a TiB, as many of each order of magnitude.
fn budgets() -> impl Strategy<Value = usize> {
    (20.0_f64..40.0).prop_map(|log| log.exp2() as usize)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_more_is_held_than_the_budget(sizes in sizes(), budget in budgets()) {
        if let Ok(plan) = plan(&sizes, budget) {
            prop_assert!(plan.most_bytes() <= budget, "{plan:?}");
            let held = plan.scratch_bytes + plan.parameter_bytes + plan.slots() * plan.slot_bytes + plan.witness_bytes;
            prop_assert!(held <= plan.witness_phase_bytes, "{plan:?}");
            let vectors = plan.vectors as usize * (FR << sizes.domain_log2);
            prop_assert!(plan.scratch_bytes + plan.parameter_bytes + vectors <= plan.h_phase_bytes, "{plan:?}");
        }
    }

    /// They take what the budget leaves, and nothing where parameters are streamed.
    #[test]
    fn multiples_stay_within_the_budget(sizes in sizes(), budget in budgets()) {
        if let Ok(plan) = plan(&sizes, budget) {
            let mut with = plan;
            sizes.add_h_multiples(&mut with, budget);
            prop_assert!(with.most_bytes() <= budget, "{with:?}");
            prop_assert!(plan.parameters == Residence::Resident || with == plan, "{with:?}");
            let more = with.parameter_bytes - plan.parameter_bytes;
            prop_assert_eq!([with.witness_phase_bytes, with.h_phase_bytes], [plan.witness_phase_bytes + more, plan.h_phase_bytes + more]);
            prop_assert!(if more > 0 { with.seconds < plan.seconds } else { with == plan }, "{with:?} {plan:?}");
            prop_assert!(with.seconds > 0.0, "{with:?}");
        }
    }

    /// Every window has a table and a set of buckets, and the scratch that was given does.
    #[test]
    fn multiples_serve_all_windows(points in 0_usize..1 << 28, most in 1_usize..40, scratch in 22_u32..34) {
        let scratch = 1 << scratch;
        if let Some(multiples) = Multiples::fastest(points, points, most, scratch) {
            prop_assert!((2..=most).contains(&multiples.tables()), "{multiples:?}");
            let windows = multiples.windows_within(points, scratch).expect("it was asked for");
            prop_assert!(windows.sets < windows.count && windows.sets as usize * multiples.tables() >= windows.count as usize);
            prop_assert!(windows.bits * windows.count >= 255 && windows.scratch(points, G1_SUM) <= scratch);
            prop_assert_eq!(multiples.doublings(), windows.bits * windows.sets);
            prop_assert!(20 * multiples.saved_additions(points) > points);
        }
    }

    /// Blocks have places for what the phases lease, beside scratch and parameters.
    #[test]
    fn phases_find_room_in_the_arena(sizes in sizes(), budget in budgets()) {
        if let Ok(plan) = plan(&sizes, budget) {
            let mut arena = Arena::<u32>::new(budget);
            let long = [plan.scratch_bytes, plan.pass_bytes + sizes.points_in_memory(plan.parameters)];
            let kept = long.map(|bytes| arena.take(&[bytes], Term::Long).expect("nothing else is there"));
            let vector = FR << sizes.domain_log2;
            let ordered = if plan.vectors.keeps_h() { 0 } else { align(FR * plan.h_part_points) };
            let h = usize::from(plan.vectors.keeps_h()) * vector + ordered + h_results_bytes();
            let witness = plan.witness_bytes + witness_results_bytes() + sum_bytes(plan.sum_blocks());
            let (witness, others) = (witness, plan.vectors.others() * vector);
            let phases = match plan.parameters {
                Residence::Resident => vec![vec![witness], vec![h, others]],
                Residence::Streamed => vec![vec![h - h_results_bytes(), others]],
            };
            for leases in phases {
                prop_assert!(arena.could_take(&leases, Term::Short), "{leases:?} {plan:?}");
            }
            drop(kept);
        }
    }

    #[test]
    fn more_memory_is_never_slower(sizes in sizes(), budget in budgets(), more in 0.0_f64..1.0) {
        let larger = budget + (budget as f64 * more.powi(8)) as usize;
        match (plan(&sizes, budget), plan(&sizes, larger)) {
            (Ok(small), Ok(large)) => prop_assert!(large.seconds <= small.seconds, "{small:?}\n{large:?}"),
            (Ok(small), Err(error)) => prop_assert!(false, "{small:?}, but with {larger} {error}"),
            (Err(_), _) => {}
        }
    }

    #[test]
    fn what_is_lacking_is_told(sizes in sizes(), budget in budgets()) {
        if let Err(error) = plan(&sizes, budget) {
            let Error::Budget { budget: told, least } = error else { panic!("{error}") };
            prop_assert!(least > budget && told == budget, "{error}");
            prop_assert!(plan(&sizes, least).is_ok() && plan(&sizes, least - 1).is_err(), "{error}");
            let shortfall = sizes.shortfall(budget);
            prop_assert!(shortfall.asked == least && shortfall.budget == budget, "{shortfall:?}");
        }
    }

    /// A part of h and one of the witness fit scratch and slots, whatever there is in them.
    #[test]
    fn parts_fit(sizes in sizes(), budget in budgets()) {
        if let Ok(plan) = plan(&sizes, budget) {
            if plan.parameters == Residence::Resident {
                prop_assert!(Windows::within(plan.h_part_points, G1_SUM, plan.scratch_bytes).is_some(), "{plan:?}");
            }
            prop_assert!(most_terms(G2_SUM, plan.scratch_bytes) >= STEP, "{plan:?}");
            prop_assert!(plan.witness_part_bytes >= sizes.step_bytes(), "{plan:?}");
            prop_assert!(plan.witness_bytes >= 2 * plan.witness_part_bytes, "{plan:?}");
            if plan.parameters == Residence::Streamed {
                prop_assert!(plan.h_part_points * G1 <= plan.slot_bytes, "{plan:?}");
                let buckets = plan.bucket_bytes(plan.witness_bytes);
                let all = (1 << sizes.domain_log2) - 1;
                let in_parts = InParts::fastest(all, plan.h_part_points, buckets, plan.scratch_bytes);
                prop_assert!(in_parts.is_some_and(|in_parts| in_parts.bucket_bytes <= buckets), "{plan:?}");
                let sums = in_parts.map(|InParts { windows, .. }| windows.count * windows.sums_per_window());
                prop_assert!(sums.is_some_and(|sums| sums as usize <= most_sums()), "{in_parts:?} {plan:?}");
                let held = 2 * plan.witness_part_bytes + results_bytes() + sum_bytes(plan.sum_blocks()) + align(buckets);
                prop_assert!(held <= plan.witness_bytes + ALIGNMENT, "{plan:?}");
                prop_assert!(sizes.step_points_bytes() <= plan.slot_bytes, "{plan:?}");
            }
        }
    }

    #[test]
    fn up_to_the_most_terms_all_fit(sum in prop_oneof![Just(G1_SUM), Just(G2_SUM)], limit in budgets(), share in 0.0_f64..=1.0) {
        let most = most_terms(sum, limit);
        let terms = (share * most as f64) as usize;
        prop_assert!(Windows::within(terms, sum, limit).is_some());
        let yielding = Windows::yielding(terms, sum, limit);
        prop_assert!(yielding.is_some_and(|windows| windows.scratch(terms, sum) <= limit), "{yielding:?}");
        prop_assert!(Windows::within(most, sum, limit).is_some() || most == 0);
        prop_assert!(most == 1 << 30 || Windows::within(most + 1, sum, limit).is_none());
    }
}

/// Where a part of the budget is counted in pages from a little more on, this must not be more than there is more.
#[test]
fn a_little_more_memory_is_never_slower() {
    for log2 in [18, 20, 21, 22] {
        let (sizes, mut budget, mut last) = (porep(log2), 1 << 24, f64::INFINITY);
        while budget < GIB {
            budget += budget / 1024;
            match plan(&sizes, budget) {
                Ok(plan) => {
                    assert!(plan.seconds <= last, "2^{log2} within {budget}: {plan:?}, with less in {last} s");
                    last = plan.seconds;
                }
                Err(error) => assert!(last == f64::INFINITY, "2^{log2}: {error}"),
            }
        }
        assert!(last < 1.0, "{last}");
    }
}

#[test]
fn groups_of_windows_fit_scratch() {
    for scratch in (5..400).map(|mib| mib << 20) {
        let part = scratch::most_terms_in_parts(scratch);
        assert!(part > STEP, "{part} terms in {scratch} bytes");
        for part in [1, part / 2, part] {
            let in_parts = InParts::fastest(1 << 24, part, 100 << 20, scratch).unwrap();
            let Windows { bits, count, group, .. } = in_parts.windows;
            assert!((1..=count).contains(&group) && count == 255_u32.div_ceil(bits), "{in_parts:?}");
            assert!(in_parts.bucket_bytes <= 100 << 20, "{in_parts:?}");
        }
    }
    assert_eq!(InParts::fastest(1 << 24, 250_000, 100 << 20, 96 << 20).unwrap().windows.bits, 16);
    assert!(InParts::fastest(1 << 24, 250_000, least_bucket_bytes() - 1, 96 << 20).is_none());
}

#[test]
fn small_cards_prove_the_largest_circuit() {
    let at = |budget| plan(&porep(27), budget).unwrap();
    assert_eq!((at(4 * GIB).parameters, at(4 * GIB).vectors), (Residence::Streamed, Vectors::None));
    assert_eq!((at(8 * GIB).parameters, at(8 * GIB).vectors), (Residence::Streamed, Vectors::One));
    assert_eq!((at(15 * GIB).parameters, at(15 * GIB).vectors), (Residence::Streamed, Vectors::Two));
    assert_eq!(at(4 * GIB).host_vector_bytes, 8 * GIB);
    let file = at(4 * GIB).copied_parameter_bytes;
    assert!((file..file + 5 * QUERY_ALIGNMENT).contains(&at(4 * GIB).host_parameter_bytes));
    assert_eq!(at(132 * GIB).host_parameter_bytes, 0);
    assert_eq!((at(132 * GIB).parameters, at(132 * GIB).vectors), (Residence::Resident, Vectors::Three));
}

#[test]
fn budgets_shrink_with_circuits() {
    for log2 in 20..=27 {
        let budget = (4 * GIB) >> (27 - log2);
        assert!(plan(&porep(log2), budget).is_ok(), "2^{log2} in {budget}");
    }
    for log2 in 0..=32 {
        let m = 1 << log2.min(31);
        let dense = Sizes { domain_log2: log2, inputs: m, aux: m, a: 2 * m, b: 2 * m, circuits: 1 };
        assert!(plan(&dense, 22 << 20).is_ok(), "2^{log2}");
    }
}

#[test]
fn every_variant_is_chosen_somewhere() {
    let mut chosen = Vec::new();
    for budget in (1..2000).map(|i| i * (32 << 20)) {
        let Ok(plan) = plan(&porep(27), budget) else { continue };
        if chosen.last() != Some(&(plan.parameters, plan.vectors)) {
            chosen.push((plan.parameters, plan.vectors));
        }
    }
    let streamed = [Vectors::None, Vectors::One, Vectors::Two].map(|vectors| (Residence::Streamed, vectors));
    assert_eq!(chosen[..3], streamed);
    assert!(chosen.contains(&(Residence::Resident, Vectors::Two)), "{chosen:?}");
}

#[test]
fn the_least_circuits_need_little() {
    let tiny = Sizes { domain_log2: 2, inputs: 2, aux: 3, a: 4, b: 2, circuits: 1 };
    assert!(plan(&tiny, 6 << 20).is_ok());
    let Err(Error::Budget { least, .. }) = plan(&tiny, LEAST_SCRATCH) else { panic!("nothing is left beside scratch") };
    assert!(least < 6 << 20, "{least}");
    let empty = Sizes { domain_log2: 0, inputs: 0, aux: 0, a: 0, b: 0, circuits: 1 };
    assert!(plan(&empty, 6 << 20).is_ok());
    assert!(plan(&empty, 0).is_err());
}

#[test]
fn parameters_have_sizes_of_one_circuit() {
    let sizes = Sizes::from(&Counts { inputs: 2, h: 7, l: 5, a: 6, b: 3 });
    assert_eq!(sizes, Sizes { domain_log2: 3, inputs: 2, aux: 5, a: 6, b: 3, circuits: 1 });
}

#[test]
fn sizes_that_no_parameters_have_are_refused() {
    let right = porep(10);
    for (wrong, text) in [
        (Sizes { domain_log2: 33, ..right }, "domain_log2 is 33, but must be at most 32"),
        (Sizes { inputs: 1 << 32, ..right }, "inputs is 4294967296, but must be at most 4294967295"),
        (Sizes { aux: 1 << 32, ..right }, "aux is 4294967296, but must be at most 4294967295"),
        (
            Sizes { a: 327, ..right },
            "a is 327, but must be at least 328: every input and some other variables have a point there",
        ),
        (
            Sizes { a: 1322, ..right },
            "a is 1322, but must be at most 1321: every input and some other variables have a point there",
        ),
        (Sizes { b: 1322, ..right }, "b is 1322, but must be at most 1321: a variable has one point in each b query"),
        (Sizes { circuits: 0, ..right }, "circuits is 0, but must be at least 1"),
        (Sizes { circuits: 1048577, ..right }, "circuits is 1048577, but must be at most 1048576"),
    ] {
        assert_eq!(plan(&wrong, 8 * GIB).unwrap_err().to_string(), text);
    }
    for wrong in [
        Sizes { domain_log2: usize::MAX, ..right },
        Sizes { inputs: usize::MAX, ..right },
        Sizes { aux: usize::MAX, ..right },
        Sizes { a: usize::MAX, ..right },
        Sizes { b: usize::MAX, ..right },
    ] {
        assert!(matches!(plan(&wrong, 8 * GIB), Err(Error::Size { .. })), "{wrong:?}");
    }
    let most = u32::MAX as usize;
    let largest = Sizes { domain_log2: 32, inputs: most, aux: most, a: 2 * most, b: 2 * most, circuits: 1 << 20 };
    assert!(plan(&largest, 1 << 50).unwrap().most_bytes() <= 1 << 50);
    assert!(plan(&largest, usize::MAX).is_ok());
    assert!(matches!(plan(&largest, 1 << 20), Err(Error::Budget { .. })));
}

/// What the kit's runs of 2^22 are to reach.
#[test]
fn budgets_of_the_kit_reach_each_number_of_vectors() {
    for (mib, vectors) in [(128, Vectors::None), (300, Vectors::One), (500, Vectors::Two)] {
        let plan = plan(&porep(22), mib << 20).unwrap();
        assert_eq!((plan.parameters, plan.vectors), (Residence::Streamed, vectors), "{mib}");
    }
}

/// With a budget of four vectors, as a 16 GiB card has for 2^27: while the parameters of a worker pass, with nothing left but h, the next
/// one's quotient is made.
#[test]
fn a_quotient_is_made_while_parameters_pass() {
    for log2 in 20..=27 {
        let vector = FR << log2;
        let plan = plan(&porep(log2), 4 * vector).unwrap();
        assert_eq!((plan.parameters, plan.vectors), (Residence::Streamed, Vectors::Two), "2^{log2}");
        let mut arena = Arena::<u32>::new(4 * vector);
        let long = [plan.scratch_bytes, plan.pass_bytes];
        let _long = arena.take(&long, Term::Long).expect("nothing else is there");
        let mut passing = None;
        for worker in 0..9 {
            let leases = arena.take(&[vector, vector], Term::Short);
            let mut leases = leases.unwrap_or_else(|| panic!("2^{log2}: worker {worker} waits for the one before"));
            arena.give_back(leases.pop().unwrap(), Some(worker));
            let before = passing.replace(leases.pop().unwrap());
            before.map(|before| arena.give_back(before, Some(worker)));
        }
    }
}

/// What an H200 took for a circuit: of one caller, and of three within 1 GiB and 512 MiB.
#[test]
fn seconds_are_those_that_were_measured() {
    for (log2, budget, measured) in [
        (24, 132 * GIB, 0.131),
        (27, 132 * GIB, 0.974),
        (24, 2 * GIB, 0.198),
        (27, 16 * GIB, 1.337),
        (24, GIB, 0.717),
        (24, GIB / 2, 1.509),
    ] {
        let found = plan(&porep(log2), budget).unwrap().seconds;
        assert!((found / measured - 1.0).abs() < 0.1, "2^{log2} within {budget}: {found} s, measured {measured}");
    }
}

/// With one table there is nothing to gain, with all that windows want 13 % of the additions of 2^24 points.
#[test]
fn multiples_are_as_many_as_there_is_room_for() {
    let fastest = |most| Multiples::fastest(1 << 24, 1 << 24, most, 3 * GIB);
    assert_eq!([fastest(0), fastest(1)], [None; 2]);
    let (few, all) = (fastest(6).unwrap(), fastest(100).unwrap());
    assert_eq!((few.tables(), all.tables(), all.doublings()), (6, 12, 22));
    assert!(all.saved_additions(1 << 24) > few.saved_additions(1 << 24));
    assert_eq!(Multiples::fastest(1000, 1000, 100, 3 * GIB), None);
    // Points are numbered with 31 bits.
    assert!(Multiples::fastest(1 << 28, 1 << 27, 100, 8 * GIB).is_none_or(|multiples| multiples.tables() <= 8));

    let sizes = porep(24);
    let tables = |budget: usize| {
        let plan = sizes.fastest(budget).unwrap();
        let mut with = plan;
        sizes.add_h_multiples(&mut with, budget);
        (with.parameter_bytes - plan.parameter_bytes) / (96 * ((1 << 24) - 1))
    };
    // What three workers want comes first.
    assert_eq!([4, 16, 20, 64].map(|gib| tables(gib * GIB)), [0, 0, 3, 11]);
}

/// With the most scratch that a device has, MSMs are in groups as if there were no end of it.
#[test]
fn the_most_scratch_is_enough_for_the_longest_msms() {
    let most = scratch::most_scratch();
    assert!((4 * GIB..8 * GIB).contains(&most), "{most}");
    for terms in (1..=27).flat_map(|log2| [(1 << log2) - 1, 1 << log2, (1 << log2) / 7 * 5, (1 << log2) / 11 * 9]) {
        let suiting = Windows::suiting(terms, G1_SUM);
        assert_eq!(Windows::within(terms, G1_SUM, most), Some(suiting), "{terms}");
    }
    assert!(Windows::within(1 << 26, G1_SUM, most / 2) != Windows::within(1 << 26, G1_SUM, most));
}
