//! A plan before anything starts: from the sizes of a circuit and a budget of device memory to the variant of the prover that fits and
//! is fastest, what it holds at a time, and what it sends over the bus.
//!
//! # How a budget is shared out
//! In 128 units. Scratch for MSMs takes 6 as long as a device is used, but no more than the longest want and no less than a few thousand
//! terms do. Parameters that stay in device memory take what they are long. Parameters that do not pass through memory that a device keeps
//! once it has streamed any, and that serves one worker after the other: slots, which take 7 units together, or more where these would be
//! too small, and what is left of 25 units for what is held meanwhile, that is sections of the witness, results, the buckets of the MSM over
//! h, sums that grow from part to part, and terms with full-size scalars, which are kept from part to part until there are many for an MSM.
//! Vectors of the quotient take 32·2^`domain_log2` bytes each; those that have no room in device memory are in page-locked host memory, where
//! kernels reach them over the bus. What is left is for the witness of circuits whose parameters are resident, which is sent in parts, and for
//! other workers.
//!
//! Where multiples of the points of `h` are asked for, parameters that stay keep as many as there is room for beside what is left for eight
//! vectors, and for parameters that pass. Who proves with other parameters then finds as much.
//!
//! So a budget of four vectors holds three beside all that a device keeps: the one that a worker has left while its parameters pass, and the
//! two that the next one's quotient takes.
//!
//! Beside the budget a device holds the CUDA context, 128 MiB for uploads and, for roots of unity, 24 MiB for a domain of 2^27: less for
//! smaller ones, and 640 MiB for one of 2^32.
//!
//! # The least budget
//! 5 MiB of scratch, a quarter MiB of results, and room for what 8192 variables take if they are all full-size: 1 MiB, or 15 MiB of slots
//! and parts where parameters are streamed. So 6 MiB do for circuits whose parameters are small beside that, and 22 MiB for any others,
//! if slowly.

use crate::error::Error;
#[cfg(any(test, interlock_cuda))]
use crate::error::Shortfall;
use crate::mem::granule::{granule, ALIGNMENT, LARGE, PAGE};
use crate::params::Counts;
use crate::settings;

#[cfg(feature = "kit")]
pub(crate) mod forced;
pub(crate) mod scratch;

use scratch::{
    least_bucket_bytes, most_scratch, most_sums, most_terms, most_terms_in_parts, Multiples, G1_SUM, G2_SUM,
    MOST_TERMS_AT_ONCE,
};

/// Slots through which parameters are streamed: one is worked on, some are full, one is filled. Where they would be too small for
/// [`STEP`] variables, there are fewer.
const SLOTS: usize = 5;
pub(crate) const LEAST_SLOTS: usize = 3;
/// Variables of which a part of the witness has a multiple, but for its end: `INTERLOCK_TERMS_TILE`.
pub(crate) const STEP: usize = 8192;

/// Into how many units a budget is divided, and how many of them scratch, all slots and what is held of a witness beside these take.
const UNITS: usize = 128;
const SCRATCH_UNITS: usize = 6;
const SLOT_UNITS: usize = 7;
const HELD_UNITS: usize = 18;
/// The unit from which on what serves the passing of parameters may be counted in pages, and in which steps it grows then.
const FIRST_UNIT_WITH_PAGES: usize = 26 * STEP_WITH_PAGES;
const STEP_WITH_PAGES: usize = 48 << 10;
const _: () = assert!(
    FIRST_UNIT_WITH_PAGES * (SLOT_UNITS + HELD_UNITS) < LARGE
        && STEP_WITH_PAGES * (UNITS - SCRATCH_UNITS - SLOT_UNITS - HELD_UNITS) > 2 * PAGE,
    "more is left with each step"
);
/// The least scratch, with which MSMs of [`STEP`] terms work.
const LEAST_SCRATCH: usize = 5 << 20;
/// Bytes of a slot, where the budget allows: 5 ms of the bus.
const MOST_SLOT: usize = 256 << 20;
/// Bytes of terms that are kept beside parts, where the budget allows: a million full-size variables in two places, whose MSMs take a tenth longer than
/// those of all.
const MOST_KEPT: usize = 576 << 20;
/// Bytes of the buckets of h, where the budget allows: those of 13 windows of 20 bits.
const MOST_BUCKETS: usize = 1300 << 20;
/// Blocks of threads that add up points whose scalars are 1, of a query at a time, at most; and the bytes of their sums, for three queries
/// in G1 and one in G2.
const MOST_SUM_BLOCKS: usize = 384;
const SUM_BLOCK_BYTES: usize = 128 * (3 * G1_SUM + G2_SUM);
/// How many vectors there must be room for before a worker takes three: then two workers' do, and what is left of a third's.
const VECTORS_TO_SPARE: usize = 7;
/// How many vectors there must be room for before multiples of points are kept: those of three workers or four.
const VECTORS_BEFORE_MULTIPLES: usize = 8;
/// The share of what is left that a witness takes beyond the least, so that others find room beside it.
const WITNESS_SHARE: usize = 4;

/// Bytes of an element of Fr, of a point of G1 and of one of G2.
const FR: usize = 32;
const G1: usize = 96;
const G2: usize = 192;
/// Bytes of a variable on the device if it is full-size and has a point in every query: the scalar, three lists with two numbers, its
/// class, and its bits of densities; rounded up.
const DENSE_VARIABLE: usize = FR + 3 * 8 + 1;
/// Where a query begins in page-locked host memory is a multiple of this, so that copies begin at an address that suits the bus.
pub(crate) const QUERY_ALIGNMENT: usize = 4096;
/// What rounding adds to the arrays of a part.
const ROUNDING: usize = 32 * ALIGNMENT;
/// Bytes of the points of [`STEP`] variables that have one in every query.
const DENSE_STEP_POINTS: usize = STEP * (3 * G1 + G2) + 4 * ALIGNMENT;

/// Bytes a second over the bus of an H200, copied and accessed by kernels: the first as measured.
const COPIED: f64 = 55e9;
const MAPPED: f64 = 19e9;
/// Seconds of an H200 for a circuit however small, for a point of h and the rest of the work on one constraint, and those that a part adds;
/// and the share of the time of copying parameters that no kernels hide.
///
/// These and [`MAPPED`] are fitted to proofs of circuits of PoRep's mix on an H200, driver 580.159.04, CUDA 13.0.88, as bench/NOTES.md
/// has them and the tests below: of one caller at a time, but those with vectors in host memory of three.
const PER_CIRCUIT: f64 = 1.0e-2;
const PER_CONSTRAINT: f64 = 7.2e-9;
const PER_PART: f64 = 1.6e-4;
const UNHIDDEN: f64 = 0.27;
/// Seconds of an addition in the MSM over `h`: 3.49 G a second are measured of the additions alone.
const PER_ADDITION: f64 = 3.0e-10;

/// The most circuits that are proved by one call.
pub(crate) const MOST_CIRCUITS: usize = 1 << 20;

/// The sizes of circuits that are proved by one call: those of their parameters.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// log2 of the domain's size m, which is one more than the points of the `h` query; at most 32.
    pub domain_log2: usize,
    /// Public inputs, the constant one included; less than 2^32.
    pub inputs: usize,
    /// Private variables: points of the `l` query; less than 2^32.
    pub aux: usize,
    /// Points of the `a` query: of an assignment, `inp_assignment_size` + `a_aux_popcount`.
    pub a: usize,
    /// Points of the `b` query in each of G1 and G2: of an assignment, `b_inp_popcount` + `b_aux_popcount`.
    pub b: usize,
    /// How many circuits the call proves, 1 to 1048576.
    pub circuits: usize,
}

/// Where parameters are while a device proves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residence {
    /// In device memory, from when they are loaded on.
    Resident = 0,
    /// In page-locked host memory, copied part by part during every proof.
    Streamed = 1,
}

/// How many of a circuit's vectors a, b and c are in device memory while the quotient is made.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Vectors {
    /// None: a and b, and c in b's place, are in page-locked host memory.
    None = 0,
    /// a, with b and then c in host memory.
    One = 1,
    /// a and b, and c in b's place.
    Two = 2,
    /// All.
    Three = 3,
}

impl Vectors {
    const ALL: [Self; 4] = [Self::Three, Self::Two, Self::One, Self::None];

    /// Whether the one that becomes h is in device memory.
    pub(crate) fn keeps_h(self) -> bool {
        self >= Self::One
    }

    /// How many are in device memory besides that one.
    pub(crate) fn others(self) -> usize {
        (self as usize).saturating_sub(1)
    }

    /// How many are in page-locked host memory.
    pub(crate) fn on_host(self) -> usize {
        2_usize.saturating_sub(self as usize)
    }
}

/// How a proof is made within a budget. Sizes are in bytes unless they say otherwise; what depends on the values of
/// scalars is an upper bound, for scalars none of which is 0 or 1.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Where the parameters are.
    pub parameters: Residence,
    /// Which vectors are in device memory.
    pub vectors: Vectors,
    /// What resident parameters hold, with multiples of points if INTERLOCK_H_MULTIPLES asks for them; 0 if they are streamed.
    pub parameter_bytes: usize,
    /// What scratch holds: once a device, for all calls there. It is a share of the budget, up to
    /// what large circuits are fastest with, and not what these circuits need.
    pub scratch_bytes: usize,
    /// What a slot for parameters holds, of which there are five, or three where the budget is small; 0 if parameters are
    /// resident.
    pub slot_bytes: usize,
    /// Points of the `h` query that are worked on at a time.
    pub h_part_points: usize,
    /// What a part of a circuit's witness takes at most.
    pub witness_part_bytes: usize,
    /// What is held of a circuit's witness at a time: two parts at least, so that one is sent while another is worked on.
    /// With streamed parameters the rest is for results and for what is kept from part to part: terms, sums, and the
    /// buckets of the MSM over h.
    pub witness_bytes: usize,
    /// What a device keeps for the passing of streamed parameters, whoever proves: slots, and what is held of a witness; 0
    /// if parameters are resident.
    pub pass_bytes: usize,
    /// All that is held during the MSMs over a circuit's witness: parameters, scratch, what serves the passing, and the
    /// phase's own.
    pub witness_phase_bytes: usize,
    /// All that is held while a circuit's quotient is made and during the MSM over it. With streamed parameters there is
    /// one phase, so that both numbers are the same.
    pub h_phase_bytes: usize,
    /// Page-locked host memory for vectors.
    pub host_vector_bytes: usize,
    /// Bytes of parameters copied to the device during the call, at most: circuits that find room together share a copy.
    pub copied_parameter_bytes: usize,
    /// Bytes of scalars copied to the device during the call.
    pub copied_scalar_bytes: usize,
    /// Bytes that kernels read from and write to vectors in host memory during the call.
    pub mapped_bytes: usize,
    /// How long the call takes on an H200 with its bus, by a rough model that variants are compared by. For circuits of
    /// PoRep's mix over 2^24 and 2^27 points it is within 10 % of what was measured with 32 bytes a point of the domain or more;
    /// with a quarter of that they take twice as long. With 12 % of full-size private variables they take a quarter longer.
    pub seconds: f64,
    /// Page-locked host memory for parameters that are streamed, once a device and not once a call; 0 if they are
    /// resident.
    pub host_parameter_bytes: usize,
}

impl Plan {
    /// The most device memory that is held at a time, in bytes.
    pub fn most_bytes(&self) -> usize {
        self.witness_phase_bytes.max(self.h_phase_bytes)
    }

    /// How many of the bytes of parameters are those of multiples of the points of `h`, of a plan for circuits of these sizes.
    pub fn h_multiples_bytes(&self, sizes: &Sizes) -> usize {
        self.parameter_bytes.saturating_sub(sizes.resident_bytes(self.parameters))
    }

    /// How many slots for parameters there are.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn slots(&self) -> usize {
        self.pass_bytes.saturating_sub(self.witness_bytes).checked_div(self.slot_bytes).unwrap_or(0)
    }

    /// How many blocks of threads add up points whose scalars are 1.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn sum_blocks(&self) -> usize {
        sum_blocks(self.scratch_bytes)
    }

    /// What the buckets of the MSM over h may take of so many bytes that are held of a circuit.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn bucket_bytes(&self, held: usize) -> usize {
        let spare = held.saturating_sub(least_held(self.witness_part_bytes, self.sum_blocks()) - least_bucket_bytes());
        least_bucket_bytes().max(spare / 2).max(spare.saturating_sub(MOST_KEPT))
    }
}

/// How many blocks add up points beside so much scratch: their sums take a third of it.
fn sum_blocks(scratch: usize) -> usize {
    ((scratch - LEAST_SCRATCH) / 3 / SUM_BLOCK_BYTES).clamp(1, MOST_SUM_BLOCKS)
}

/// Bytes of the sums of so many blocks.
pub(crate) const fn sum_bytes(blocks: usize) -> usize {
    blocks * SUM_BLOCK_BYTES
}

/// The least that is held of a circuit while parameters pass: two parts of its witness, results, sums, and buckets.
fn least_held(part: usize, sum_blocks: usize) -> usize {
    2 * part + results_bytes() + sum_bytes(sum_blocks) + align(least_bucket_bytes())
}

/// The fastest plan for circuits of these sizes within a budget of `budget` bytes of device memory.
///
/// # Errors
/// [`Error::Size`] for sizes that no parameters have, [`Error::Budget`] with what the smallest variant takes if that does not fit, and
/// [`Error::Setting`] if [`settings::h_multiples`] is not clear.
///
/// # Example
/// ```
/// use interlock::prove::{plan, Residence, Sizes, Vectors};
///
/// let sizes = Sizes { domain_log2: 24, inputs: 328, aux: 16_268_000, a: 16_219_000, b: 4_132_000, circuits: 1 };
/// let on_a_large_gpu = plan(&sizes, 20 << 30)?;
/// assert_eq!((on_a_large_gpu.parameters, on_a_large_gpu.vectors), (Residence::Resident, Vectors::Three));
/// let within_four_gib = plan(&sizes, 4 << 30)?;
/// assert_eq!(within_four_gib.parameters, Residence::Streamed);
/// assert!(within_four_gib.most_bytes() <= 4 << 30);
/// # Ok::<(), interlock::Error>(())
/// ```
pub fn plan(sizes: &Sizes, budget: usize) -> Result<Plan, Error> {
    sizes.check()?;
    let mut plan = sizes.fastest(budget).ok_or_else(|| Error::Budget { budget, least: sizes.least_budget() })?;
    if settings::h_multiples()? {
        sizes.add_h_multiples(&mut plan, budget);
    }
    Ok(plan)
}

/// What a device's budget is divided into for all that prove on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Division {
    unit: usize,
}

impl Division {
    /// That of a budget in bytes.
    pub(crate) fn of(budget: usize) -> Self {
        // Everything grows with the budget, and so does what is left beside memory for passing parameters that is counted in pages: two of these at most
        // are rounding. From where eight units are enough of them, they are whole pages.
        let unit = budget / UNITS;
        let step = match unit {
            unit if unit < FIRST_UNIT_WITH_PAGES => ALIGNMENT,
            unit if unit < PAGE * 2 => STEP_WITH_PAGES,
            _ => PAGE / 8,
        };
        Self { unit: unit / step * step }
    }

    /// Bytes of scratch, for all workers together.
    pub(crate) fn scratch(&self) -> usize {
        (SCRATCH_UNITS * self.unit).clamp(LEAST_SCRATCH, most_scratch().next_multiple_of(PAGE))
    }

    /// What is left beside scratch.
    fn left(&self) -> usize {
        (UNITS * self.unit).saturating_sub(self.scratch())
    }

    /// How many slots for parameters there are.
    fn slots(&self) -> usize {
        if SLOT_UNITS * self.unit / SLOTS < DENSE_STEP_POINTS {
            LEAST_SLOTS
        } else {
            SLOTS
        }
    }

    /// Bytes of a slot for parameters.
    fn slot(&self) -> usize {
        (SLOT_UNITS * self.unit / SLOTS / ALIGNMENT * ALIGNMENT).clamp(DENSE_STEP_POINTS, MOST_SLOT)
    }

    /// Bytes of what is held of a circuit while parameters pass: two parts of its witness at least, results, sums, buckets, and terms.
    fn held(&self) -> usize {
        let least = |slot| align(least_held(streamed_part(slot), sum_blocks(self.scratch())));
        let most = least(MOST_SLOT) + MOST_KEPT + MOST_BUCKETS;
        let left = ((SLOT_UNITS + HELD_UNITS) * self.unit).saturating_sub(self.slots() * self.slot());
        (left / ALIGNMENT * ALIGNMENT).clamp(least(self.slot()), most)
    }

    /// Bytes of all that serves the passing of parameters, for all workers together.
    pub(crate) fn pass(&self) -> usize {
        self.slots() * self.slot() + self.held()
    }

    /// What that takes of the budget, if parameters pass.
    pub(crate) fn passing(&self, residence: Residence) -> usize {
        match residence {
            Residence::Resident => 0,
            Residence::Streamed => rounded(self.pass()),
        }
    }
}

/// What the variables take whose points are in a slot of so many bytes: a point in `l` or `a` goes with a scalar and two numbers, and their
/// queries' other points with less.
const fn streamed_part(slot: usize) -> usize {
    slot / 16 * 7 + ROUNDING
}

/// Those of one circuit.
impl From<&Counts> for Sizes {
    fn from(counts: &Counts) -> Self {
        let domain_log2 = counts.domain_log2() as usize;
        Self { domain_log2, inputs: counts.inputs, aux: counts.l, a: counts.a, b: counts.b, circuits: 1 }
    }
}

impl Sizes {
    /// The fastest plan within a budget.
    pub(crate) fn fastest(&self, budget: usize) -> Option<Plan> {
        let division = Division::of(budget);
        let of = |residence| self.fastest_alone(residence, division);
        let plans = [Residence::Resident, Residence::Streamed].into_iter().filter_map(of);
        plans.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// The fastest plan with the parameters where `residence` says, on a device that has no others.
    pub(crate) fn fastest_alone(&self, residence: Residence, division: Division) -> Option<Plan> {
        self.fastest_with(residence, division, self.room_alone(residence, division)?)
    }

    /// What scratch, and these parameters if they are resident or what serves their passing, leave of a budget.
    pub(crate) fn room_alone(&self, residence: Residence, division: Division) -> Option<usize> {
        division.left().checked_sub(self.resident_bytes(residence) + division.passing(residence))
    }

    /// The fastest plan with the parameters where `residence` says, in `room` bytes of a budget beside scratch and parameters that are
    /// resident or what serves their passing; none if there is none that fits.
    pub(crate) fn fastest_with(&self, residence: Residence, division: Division, room: usize) -> Option<Plan> {
        Vectors::ALL.into_iter().find_map(|vectors| self.with(residence, vectors, division, room))
    }

    fn with(&self, residence: Residence, vectors: Vectors, division: Division, room: usize) -> Option<Plan> {
        #[cfg(feature = "kit")]
        if !forced::allows(residence, vectors) {
            return None;
        }
        let scratch = division.scratch();
        let vector = rounded(FR << self.domain_log2);
        if vectors == Vectors::Three
            && (residence == Residence::Streamed || room < VECTORS_TO_SPARE.checked_mul(vector)?)
        {
            return None;
        }
        let slot = if residence == Residence::Streamed { division.slot() } else { 0 };
        let h_part = self.h_part(scratch, slot, vectors);
        let h_parts = self.h_points().div_ceil(h_part.max(1));
        // The scalars of a part in order, where the vector that they are of is in host memory.
        let gathered = if vectors == Vectors::None { rounded(FR * h_part) } else { 0 };
        let on_device = vectors as usize * vector;

        let dense = self.step_bytes();
        let (part, held, witness, h) = match residence {
            Residence::Resident => {
                let all = DENSE_VARIABLE * (self.inputs + self.aux) + ROUNDING;
                let part = (room / WITNESS_SHARE / 2).min(all).max(dense);
                let h = on_device + gathered + h_results_bytes();
                let witness = 2 * part + witness_results_bytes() + sum_bytes(sum_blocks(scratch));
                (part, 2 * part, rounded(witness), rounded(h))
            }
            Residence::Streamed => {
                let h = usize::from(vectors.keeps_h()) * vector + gathered;
                let all = rounded(h) + rounded(vectors.others() * vector);
                (streamed_part(slot), division.held(), all, all)
            }
        };
        if witness.max(h) > room {
            return None;
        }
        let resident = self.resident_bytes(residence);
        let long = resident + scratch + division.passing(residence);
        let mut plan = Plan {
            parameters: residence,
            vectors,
            parameter_bytes: resident,
            scratch_bytes: scratch,
            slot_bytes: slot,
            h_part_points: h_part,
            witness_part_bytes: part,
            witness_bytes: held,
            pass_bytes: if residence == Residence::Streamed { division.pass() } else { 0 },
            witness_phase_bytes: long + witness,
            h_phase_bytes: long + h,
            host_vector_bytes: vectors.on_host() * (FR << self.domain_log2),
            copied_parameter_bytes: match residence {
                Residence::Resident => 0,
                Residence::Streamed => self.circuits * self.points_bytes(),
            },
            copied_scalar_bytes: self.circuits * self.scalar_bytes(),
            mapped_bytes: self.circuits * self.mapped_vectors(vectors) * (FR << self.domain_log2),
            seconds: 0.0,
            host_parameter_bytes: self.host_parameter_bytes(residence),
        };
        let (sent, points) = match residence {
            Residence::Resident => (part, usize::MAX),
            Residence::Streamed => (usize::MAX, slot),
        };
        plan.seconds = self.seconds(&plan, h_parts + self.parts(sent, points, scratch));
        Some(plan)
    }

    /// What parameters take of a budget.
    pub(crate) fn resident_bytes(&self, residence: Residence) -> usize {
        match residence {
            Residence::Resident => rounded(self.points_in_memory(residence)),
            Residence::Streamed => 0,
        }
    }

    /// The multiples of the points of `h` that are kept where parameters are resident and leave `room` bytes beside scratch: what workers want goes
    /// before them, and what others' parameters pass through.
    pub(crate) fn h_multiples(&self, division: Division, room: usize) -> Option<Multiples> {
        let plan = self.fastest_with(Residence::Resident, division, room)?;
        let of_one = plan.most_bytes() - plan.parameter_bytes - plan.scratch_bytes;
        let of_workers = VECTORS_BEFORE_MULTIPLES.checked_mul(rounded(FR << self.domain_log2))?;
        let spare = room.checked_sub(of_workers.max(of_one) + division.passing(Residence::Streamed))?;
        // Less what rounding may add.
        let (points, spare) = (self.h_points(), spare.saturating_sub(2 * PAGE));
        Multiples::fastest(points, plan.h_part_points, 1 + spare / (G1 * points).max(1), plan.scratch_bytes)
    }

    /// What they change of a plan.
    fn add_h_multiples(&self, plan: &mut Plan, budget: usize) {
        let division = Division::of(budget);
        let room = self.room_alone(plan.parameters, division).filter(|_| plan.parameters == Residence::Resident);
        let Some(multiples) = room.and_then(|room| self.h_multiples(division, room)) else { return };
        let tables = (multiples.tables() - 1) * G1 * self.h_points();
        let more = rounded(self.points_in_memory(Residence::Resident) + tables) - plan.parameter_bytes;
        plan.parameter_bytes += more;
        plan.witness_phase_bytes += more;
        plan.h_phase_bytes += more;
        plan.seconds -= self.circuits as f64 * multiples.saved_additions(self.h_points()) as f64 * PER_ADDITION;
    }

    /// Bytes of page-locked host memory for parameters: each query begins at a multiple of [`QUERY_ALIGNMENT`].
    fn host_parameter_bytes(&self, residence: Residence) -> usize {
        if residence == Residence::Resident {
            return 0;
        }
        let queries = [G1 * self.h_points(), G1 * self.aux, G1 * self.a, G1 * self.b, G2 * self.b];
        queries.iter().map(|bytes| bytes.next_multiple_of(QUERY_ALIGNMENT)).sum::<usize>().max(QUERY_ALIGNMENT)
    }

    /// Bytes of the block with the parameters that are resident.
    fn points_in_memory(&self, residence: Residence) -> usize {
        if residence == Residence::Streamed {
            return 0;
        }
        let g1 = [self.h_points(), self.aux, self.a, self.b].map(|points| align(G1 * points));
        g1.iter().sum::<usize>() + align(G2 * self.b)
    }

    /// Why there is no plan within `budget` bytes.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn shortfall(&self, budget: usize) -> Shortfall {
        Shortfall { asked: self.least_budget(), budget, resident: 0, largest: Division::of(budget).left() }
    }

    /// The least budget that would do.
    pub(crate) fn least_budget(&self) -> usize {
        let (mut too_little, mut enough) = (0, LEAST_SCRATCH);
        while self.fastest(enough).is_none() && enough < usize::MAX {
            (too_little, enough) = (enough, enough.saturating_mul(2));
        }
        while enough - too_little > 1 {
            let between = too_little + (enough - too_little) / 2;
            if self.fastest(between).is_some() {
                enough = between;
            } else {
                too_little = between;
            }
        }
        enough
    }

    fn check(&self) -> Result<(), Error> {
        let within = |field: &str, found: usize, [least, most]: [usize; 2], why: &str| {
            let (bound, limit) = if found < least { ("least", least) } else { ("most", most) };
            if (least..=most).contains(&found) {
                return Ok(());
            }
            Err(Error::Size { field: field.to_owned(), found, expected: format!("must be at {bound} {limit}{why}") })
        };
        const FILE: usize = u32::MAX as usize;
        within("domain_log2", self.domain_log2, [0, 32], "")?;
        within("inputs", self.inputs, [0, FILE], "")?;
        within("aux", self.aux, [0, FILE], "")?;
        let variables = self.inputs + self.aux;
        within("a", self.a, [self.inputs, variables], ": every input and some other variables have a point there")?;
        within("b", self.b, [0, variables], ": a variable has one point in each b query")?;
        within("circuits", self.circuits, [1, MOST_CIRCUITS], "")
    }

    /// Points of the `h` query.
    fn h_points(&self) -> usize {
        (1 << self.domain_log2) - 1
    }

    /// Points of `h` that are worked on at a time: parts of equal size, as few as can be.
    fn h_part(&self, scratch: usize, slot: usize, vectors: Vectors) -> usize {
        let most = if slot > 0 { most_terms_in_parts(scratch).min(slot / G1) } else { most_terms(G1_SUM, scratch) };
        let mut most = most.min(MOST_TERMS_AT_ONCE);
        if vectors == Vectors::None {
            most = most.min(scratch / FR);
        }
        let points = self.h_points();
        points.div_ceil(points.div_ceil(most.max(1)).max(1))
    }

    /// Bytes of a step's points, at most.
    fn step_points_bytes(&self) -> usize {
        let of = |variables: usize, l: usize| {
            let (step, b) = (variables.min(STEP), variables.min(STEP).min(self.b));
            (G1 * step * (l + 1)).next_multiple_of(ALIGNMENT) + b * (G1 + G2) + 4 * ALIGNMENT
        };
        of(self.inputs, 0).max(of(self.aux, 1)).next_multiple_of(ALIGNMENT)
    }

    /// Bytes of a step's scalars and lists, at most.
    fn step_bytes(&self) -> usize {
        DENSE_VARIABLE * self.inputs.max(self.aux).min(STEP) + ROUNDING
    }

    /// Into how many parts the witness is cut at most, where a part has at most `sent` bytes, its points at most `points`, and its MSMs so
    /// much scratch. A part is only ended by a step that has no more room.
    fn parts(&self, sent: usize, points: usize, scratch: usize) -> usize {
        let variables = self.inputs + self.aux;
        let steps = self.inputs.div_ceil(STEP) + self.aux.div_ceil(STEP);
        let limits = [
            (DENSE_VARIABLE * variables, sent.saturating_sub(ROUNDING), DENSE_VARIABLE * STEP),
            (self.points_bytes() - G1 * self.h_points(), points, self.step_points_bytes()),
            (variables, most_terms(G1_SUM, scratch), STEP),
            (self.b, most_terms(G2_SUM, scratch), STEP),
        ];
        let mut parts: usize = 1;
        for (all, limit, step) in limits {
            parts =
                parts.saturating_add(if all <= limit { 0 } else { all.div_ceil(limit.saturating_sub(step).max(1)) });
        }
        parts.min(steps.max(1))
    }

    fn points_bytes(&self) -> usize {
        G1 * (self.h_points() + self.aux + self.a + self.b) + G2 * self.b
    }

    /// What is sent of a circuit's scalars, with their classes, and of densities.
    fn scalar_bytes(&self) -> usize {
        let vectors = 3 << self.domain_log2;
        let variables = self.inputs + self.aux;
        FR * (vectors + variables) + (vectors + variables).div_ceil(4) + (self.inputs + 2 * self.aux).div_ceil(8)
    }

    /// How many times the length of a vector kernels read or write in host memory, following `cuda/launch/ntt.cu`.
    fn mapped_vectors(&self, vectors: Vectors) -> usize {
        // Layers before the blocks of 2^9 elements, eight at a time.
        let passes = self.domain_log2.saturating_sub(9).div_ceil(8);
        let later = passes.saturating_sub(1);
        // Each is written when it is sent; a pass reads and writes; the product and h read.
        let b = 1 + 2 * passes + 2 + 2 * later + 1;
        let c = 1 + 2 * passes + 1;
        let a = 1 + 2 * passes + 2 + 2 * passes + 2 + 2 * later + 2 + 1;
        match vectors.on_host() {
            0 => 0,
            1 => b + c,
            _ => a + b + c,
        }
    }

    fn seconds(&self, plan: &Plan, parts: usize) -> f64 {
        let m = (1_u64 << self.domain_log2) as f64;
        let waiting = if plan.vectors < Vectors::Three { FR as f64 * m / COPIED } else { 0.0 };
        let circuit = PER_CIRCUIT + PER_CONSTRAINT * m + waiting + PER_PART * parts as f64;
        let copying = UNHIDDEN * plan.copied_parameter_bytes as f64 / COPIED;
        self.circuits as f64 * circuit + copying + plan.mapped_bytes as f64 / MAPPED
    }
}

/// Bytes of the results of a part of a witness, whose queries are three in G1 and one in G2, at most: an MSM's, and the sum of ones.
fn witness_results_bytes() -> usize {
    align((most_sums() + 1) * (3 * G1_SUM + G2_SUM))
}

/// The same of a part of `h`.
fn h_results_bytes() -> usize {
    align(most_sums() * G1_SUM)
}

/// Bytes of the results of any part.
pub(crate) fn results_bytes() -> usize {
    witness_results_bytes().max(h_results_bytes())
}

fn align(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// What a block of so many bytes takes of the budget, wherever it is put and if it is empty: a granule may be lost at its beginning.
fn rounded(bytes: usize) -> usize {
    bytes.next_multiple_of(granule(bytes)) + granule(bytes)
}

#[cfg(test)]
mod tests;
