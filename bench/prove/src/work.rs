//! What is proved: the sizes of a PoRep-shaped circuit, and which share of its values are 0, 1 or full-size.

/// The sizes of a circuit for a domain of 2^`log2` points, in the proportions of the 32 GiB PoRep circuit: 130,278,869 constraints, 328
/// inputs and 130,169,893 private variables over 2^27 points.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    pub log2: u32,
    pub constraints: usize,
    pub inputs: usize,
    pub aux: usize,
}

impl Sizes {
    pub fn of(log2: u32) -> Self {
        let m = 1usize << log2;
        Self { log2, constraints: m - m / 34, inputs: 328.min(m / 8).max(1), aux: m - m / 33 }
    }

    pub fn domain(&self) -> usize {
        1 << self.log2
    }
}

/// Share of the private variables that occur in the `a` query.
pub const A_DENSITY: f64 = 0.997;
/// Share of the private variables that occur in the `b` queries; of the inputs, one does.
pub const B_DENSITY: f64 = 0.254;

/// Shares of values; the rest are zeros.
#[derive(Clone, Copy, Debug)]
pub struct Shares {
    pub ones: f64,
    pub full: f64,
}

/// A mix of values. c is the product of a and b.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    pub name: &'static str,
    /// Of the private variables that occur in B.
    pub aux_in_b: Shares,
    /// Of those that do not.
    pub aux_outside_b: Shares,
    pub a: Shares,
    pub b: Shares,
}

const A: Shares = Shares { ones: 0.181, full: 0.328 };
const B: Shares = Shares { ones: 0.495, full: 0.012 };

/// As counted in the real PoRep circuit of a 2 KiB sector, which has the gadgets of the large ones.
pub const POREP: Mix = Mix {
    name: "PoRep",
    aux_in_b: Shares { ones: 0.474, full: 0.046 },
    aux_outside_b: Shares { ones: 0.470, full: 0.006 },
    a: A,
    b: B,
};

/// Circuits with more hashing in the field are denser: here 12 % of the private variables are full-size.
pub const TWELVE: Mix = Mix {
    name: "12 % full-size",
    aux_in_b: Shares { ones: 0.42, full: 0.12 },
    aux_outside_b: Shares { ones: 0.42, full: 0.12 },
    a: A,
    b: B,
};
