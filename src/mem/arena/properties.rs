//! The arena beside a plain model of it: who has which unit of the addresses, and what the device still does with it.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const UNITS: usize = 96;
const MIB: usize = 1 << 20;

/// What is done to the arena. Numbers pick among what there is.
#[derive(Clone, Debug)]
enum Step {
    Take {
        units: Vec<usize>,
        term: Term,
    },
    /// Gives a live span back, used or not.
    GiveBack {
        which: usize,
        used: bool,
    },
    /// The device gets past a fence.
    Over {
        which: usize,
    },
    Limit {
        units: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let term = prop_oneof![4 => Just(Term::Short), 1 => Just(Term::Long)];
    let units = prop::collection::vec(prop_oneof![3 => 1..=UNITS / 6, 1 => 1..=UNITS / 2], 1..4);
    prop_oneof![
        6 => (units, term).prop_map(|(units, term)| Step::Take { units, term }),
        6 => (any::<usize>(), prop::bool::weighted(0.8)).prop_map(|(which, used)| Step::GiveBack { which, used }),
        3 => any::<usize>().prop_map(|which| Step::Over { which }),
        1 => (0..=UNITS + 1).prop_map(|units| Step::Limit { units }),
    ]
}

/// An arena of [`UNITS`] units of so many bytes, and the model.
struct Modelled {
    unit: usize,
    arena: Arena<u32>,
    live: Vec<Span<u32>>,
    /// The last use of each unit, if the device is not known to be past it.
    last_use: Vec<Option<u32>>,
    fences: u32,
}

impl Modelled {
    fn new(unit: usize) -> Self {
        let arena = Arena::new(UNITS * unit);
        Self { unit, arena, live: Vec::new(), last_use: vec![None; UNITS], fences: 0 }
    }

    fn units(&self, span: &Span<u32>) -> Range<usize> {
        span.offset() / self.unit..(span.offset() + span.bytes()) / self.unit
    }

    /// Which units are live. None may be so twice.
    fn taken(&self) -> BTreeSet<usize> {
        let mut taken = BTreeSet::new();
        for unit in self.live.iter().flat_map(|span| self.units(span)) {
            assert!(taken.insert(unit), "unit {unit} is live twice");
        }
        taken
    }

    fn apply(&mut self, step: Step) {
        match step {
            Step::Take { units, term } => self.take(&units, term),
            Step::GiveBack { which, used } if !self.live.is_empty() => {
                let span = self.live.swap_remove(which % self.live.len());
                self.give_back(span, used);
            }
            Step::Over { which } if self.fences > 0 => {
                let fence = which as u32 % self.fences;
                self.arena.retire(|other| *other == fence);
                self.last_use.iter_mut().filter(|last| **last == Some(fence)).for_each(|last| *last = None);
            }
            Step::Limit { units } => self.arena.set_limit(units * self.unit),
            Step::GiveBack { .. } | Step::Over { .. } => {}
        }
        assert_eq!(self.arena.used_bytes(), self.taken().len() * self.unit);
    }

    fn take(&mut self, units: &[usize], term: Term) {
        let sizes: Vec<_> = units.iter().map(|units| units * self.unit).collect();
        let before = self.taken();
        let could = self.arena.could_take(&sizes, term);
        let Some(spans) = self.arena.take(&sizes, term) else {
            assert!(!(could && before.is_empty()), "refused what fits an empty arena");
            if let (&[units], Term::Short, ALIGNMENT) = (units, term, self.unit) {
                let limit = self.arena.limit() / self.unit;
                let free: Vec<_> = (0..limit).map(|unit| !before.contains(&unit)).collect();
                let longest = free.split(|free| !free).map(<[bool]>::len).max();
                assert!(longest < Some(units) || before.len() + units > limit, "refused what fits");
            }
            return;
        };
        // Several are placed one by one, and what may happen to fit is not promised.
        assert!(could || sizes.len() > 1);
        assert!(self.arena.used_bytes() <= self.arena.limit());
        for (span, size) in spans.iter().zip(&sizes) {
            assert!(span.bytes() >= *size && span.bytes() - size < crate::mem::granule::PAGE);
            assert!(span.offset() + span.bytes() <= self.arena.limit());
            let told: BTreeSet<_> = span.fences().copied().collect();
            let needed: BTreeSet<_> = self.units(span).filter_map(|unit| self.last_use[unit]).collect();
            assert!(told.is_superset(&needed), "told of {told:?}, used until {needed:?}");
        }
        self.live.extend(spans);
    }

    fn give_back(&mut self, span: Span<u32>, used: bool) {
        let units = self.units(&span);
        let fence = used.then_some(self.fences);
        if used {
            self.last_use[units].fill(fence);
            self.fences += 1;
        }
        self.arena.give_back(span, fence);
    }

    /// With everything back and over, it is one free range again.
    fn end(mut self) {
        while let Some(span) = self.live.pop() {
            self.give_back(span, self.fences % 2 == 0);
        }
        self.arena.set_limit(usize::MAX);
        let all = self.arena.take(&[UNITS * self.unit], Term::Short).unwrap().remove(0);
        let needed: BTreeSet<_> = self.last_use.iter().flatten().copied().collect();
        assert!(all.fences().copied().collect::<BTreeSet<_>>().is_superset(&needed));
        self.arena.give_back(all, None);
        self.arena.retire(|_| true);
        assert_eq!((self.arena.used_bytes(), self.arena.long_bytes(), self.arena.high_water()), (0, 0, 0));
    }
}

fn config() -> ProptestConfig {
    let cases = if cfg!(miri) { 8 } else { 2000 };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// In units of the alignment, and of half a page: then some spans are counted in pages and some are not.
    #[test]
    fn spans_never_overlap_and_their_fences_are_told(
        steps in prop::collection::vec(step(), 1..60),
        unit in prop_oneof![Just(ALIGNMENT), Just(MIB)],
    ) {
        let mut modelled = Modelled::new(unit);
        steps.into_iter().for_each(|step| modelled.apply(step));
        modelled.end();
    }
}
