//! What a shape is, and how a seed decides it.

use blst::blst_fr;

use super::density::Bits;
use super::points::Pattern;
use super::values::Mix;
use crate::inputs::Random;
use crate::operations::fr_one;
use crate::scalar::negative;

/// Parameters and batches of circuits that are proved with them.
#[derive(Clone, Debug)]
pub struct Shape {
    pub seed: u64,
    /// Of the domain's size.
    pub log2: u32,
    pub inputs: usize,
    pub aux: usize,
    pub a_aux: Bits,
    pub b_inp: Bits,
    pub b_aux: Bits,
    pub singles: Singles,
    pub patterns: Queries<Pattern>,
    /// Whether the parameters are kept in memory by the library.
    pub cache: bool,
    /// Whether the parameters stay open from one backend to the next.
    pub stays_open: bool,
    pub way: Way,
    /// Whether each batch names a device, the next one of those there are; else the library chooses.
    pub names_devices: bool,
    pub batches: Vec<Vec<Circuit>>,
}

/// Something of each query.
#[derive(Clone, Copy, Debug)]
pub struct Queries<T> {
    pub ic: T,
    pub h: T,
    pub l: T,
    pub a: T,
    pub b_g1: T,
    pub b_g2: T,
}

/// The point of the tile that each single point is: δ is the same in both groups.
#[derive(Clone, Copy, Debug)]
pub struct Singles {
    pub alpha: Pattern,
    pub beta: Pattern,
    pub beta_g2: Pattern,
    pub gamma: Pattern,
    pub delta: Pattern,
}

/// How the batches are proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// One after the other.
    InTurn,
    /// All are started, and then finished from the last to the first.
    Halves,
    /// The same, and another start of the first is given up in between.
    HalvesAndOneGivenUp,
    /// At once, each on a thread of its own.
    Threads,
}

/// One circuit.
#[derive(Clone, Copy, Debug)]
pub struct Circuit {
    /// The number of its constraints.
    pub constraints: usize,
    pub inp: Mix,
    pub aux: Mix,
    pub a: Mix,
    pub b: Mix,
    /// `None` for a∘b.
    pub c: Option<Mix>,
    pub r: Blinding,
    pub s: Blinding,
    /// How far the shape's densities are turned for this circuit: the number of bits stays.
    pub turned: usize,
    pub seed: u64,
}

/// What blinds a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blinding {
    Zero,
    One,
    MinusOne,
    Full,
}

impl Blinding {
    pub fn value(self, random: &mut Random) -> blst_fr {
        match self {
            Self::Zero => blst_fr::default(),
            Self::One => fr_one(),
            Self::MinusOne => negative(&fr_one()),
            Self::Full => Mix::Full.values(1, random)[0],
        }
    }
}

impl Shape {
    /// The shape that `seed` decides.
    pub fn new(seed: u64) -> Self {
        let random = &mut Random(seed);
        let log2 = log2(random);
        let inputs = [0, 1, 2, 63, 64, 65, 300, 1 + random.below(300)];
        let inputs = if random.below(2) == 0 { 1 } else { random.pick(&inputs) };
        let way = random.pick(&[Way::InTurn, Way::InTurn, Way::Halves, Way::HalvesAndOneGivenUp, Way::Threads]);
        let batches = match way {
            _ if log2 > 13 => 1,
            Way::InTurn => 1,
            Way::Halves | Way::HalvesAndOneGivenUp => 2,
            Way::Threads => 2 + random.below(3),
        };
        let most = if log2 > 13 { 1 } else { random.pick(&[1, 1, 2, 3, 4]) };
        Self {
            seed,
            log2,
            inputs,
            aux: aux(1 << log2, random),
            a_aux: Bits::any(random),
            b_inp: random.pick(&[Bits::All, Bits::None, Bits::Single, Bits::Share(500)]),
            b_aux: Bits::any(random),
            singles: singles(random),
            patterns: patterns(random),
            cache: random.below(2) == 0,
            stays_open: random.below(2) == 0,
            way,
            names_devices: random.below(2) == 0,
            batches: (0..batches)
                .map(|_| (0..=random.below(most)).map(|_| Circuit::any(1 << log2, random)).collect())
                .collect(),
        }
    }

    /// Two circuits like those of Filecoin's proofs, over 2^`log2` points, pending at once.
    #[cfg(any(test, device))]
    pub fn ordinary(log2: u32, seed: u64) -> Self {
        let m = 1usize << log2;
        let circuit = Circuit {
            constraints: m - m / 34,
            inp: Mix::Full,
            aux: Mix::Bits,
            a: Mix::Runs,
            b: Mix::Bits,
            c: None,
            r: Blinding::Full,
            s: Blinding::Full,
            turned: 0,
            seed,
        };
        let random = &mut Random(seed);
        Self {
            seed,
            log2,
            inputs: 20,
            aux: m - m / 33,
            a_aux: Bits::Share(997),
            b_inp: Bits::Single,
            b_aux: Bits::Share(254),
            singles: singles(random),
            patterns: patterns(random),
            cache: false,
            stays_open: true,
            way: Way::Halves,
            names_devices: false,
            batches: vec![vec![circuit]; 2],
        }
    }

    /// How many circuits all batches have.
    pub fn circuits(&self) -> usize {
        self.batches.iter().map(Vec::len).sum()
    }
}

/// Small for the most part.
fn log2(random: &mut Random) -> u32 {
    let (small, medium, large) = (random.below(10), random.below(3), random.below(2));
    match random.below(100) {
        0..4 => 0,
        4..82 => 1 + small as u32,
        82..97 => 11 + medium as u32,
        _ => 15 + large as u32,
    }
}

fn aux(m: usize, random: &mut Random) -> usize {
    let any = random.below(2 * m);
    let beside_words = 64 * (1 + random.below(70)) + random.below(3) - 1;
    random.pick(&[0, 1, 63, 64, 65, m - 1, m, m + 1, m - m / 33, any, any, any % 300, 4095, 4096, beside_words])
}

fn singles(random: &mut Random) -> Singles {
    let mut point = || Pattern::InTurn(random.below(1024));
    Singles { alpha: point(), beta: point(), beta_g2: point(), gamma: point(), delta: point() }
}

fn patterns(random: &mut Random) -> Queries<Pattern> {
    let mut pattern = || Pattern::any(random);
    Queries { ic: pattern(), h: pattern(), l: pattern(), a: pattern(), b_g1: pattern(), b_g2: pattern() }
}

impl Circuit {
    /// Any over `m` points.
    fn any(m: usize, random: &mut Random) -> Self {
        let any = 1 + random.below(m);
        let blindings = [Blinding::Zero, Blinding::One, Blinding::MinusOne];
        let mut blinding = || if random.below(4) == 0 { random.pick(&blindings) } else { Blinding::Full };
        let (r, s) = (blinding(), blinding());
        Self {
            constraints: random.pick(&[0, 1, m / 2, m / 2 + 1, m - 1, m, m, m - m / 34, any, any]).min(m),
            inp: Mix::any(random),
            aux: Mix::any(random),
            a: Mix::any(random),
            b: Mix::any(random),
            c: if random.below(2) == 0 { None } else { Some(Mix::any(random)) },
            r,
            s,
            turned: random.pick(&[0, 0, 1, 64, 12_345]),
            seed: random.word(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_hundred_seeds_give_every_kind() {
        let shapes: Vec<_> = (0..400).map(Shape::new).collect();
        let circuits: Vec<_> = shapes.iter().flat_map(|shape| shape.batches.iter().flatten()).collect();
        let count = |is: &dyn Fn(&Shape) -> bool| shapes.iter().filter(|shape| is(shape)).count();
        for (what, found) in [
            ("one point", count(&|shape| shape.log2 == 0)),
            ("large", count(&|shape| shape.log2 > 14)),
            ("no inputs", count(&|shape| shape.inputs == 0)),
            ("no private variables", count(&|shape| shape.aux == 0)),
            ("more of them than constraints", count(&|shape| shape.aux > 1 << shape.log2)),
            ("an empty a", count(&|shape| shape.a_aux == Bits::None)),
            ("an empty b", count(&|shape| shape.b_inp == Bits::None && shape.b_aux == Bits::None)),
            ("a b of inputs", count(&|shape| shape.b_inp == Bits::All && shape.b_aux == Bits::None)),
            ("opposite points", count(&|shape| matches!(shape.patterns.h, Pattern::Opposite(_)))),
            ("batches at once", count(&|shape| shape.way == Way::Threads && shape.batches.len() > 2)),
            ("four circuits", count(&|shape| shape.batches.iter().any(|batch| batch.len() == 4))),
            ("no constraints", circuits.iter().filter(|circuit| circuit.constraints == 0).count()),
            ("satisfied", circuits.iter().filter(|circuit| circuit.c.is_none()).count()),
            ("no blinding", circuits.iter().filter(|circuit| circuit.r == Blinding::Zero).count()),
        ] {
            assert!(found > 2, "{what}: {found}");
        }
        assert!(count(&|shape| shape.log2 <= 10) > 300);
    }
}
