//! Which variables have a point in a query.

use crate::inputs::Random;

/// How the bits of a density lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    All,
    None,
    /// As many in a thousand.
    Share(usize),
    /// One only.
    Single,
    /// All but one.
    AllButOne,
    /// Ones and zeros in turn, so many of each.
    Runs(usize),
}

impl Bits {
    /// Any.
    pub fn any(random: &mut Random) -> Self {
        use Bits::*;
        let share = Share(random.below(1001));
        random.pick(&[All, None, share, share, Share(254), Share(997), Share(16), Single, AllButOne, Runs(1), Runs(64)])
    }

    /// `n` bits.
    pub fn bits(self, n: usize, random: &mut Random) -> Vec<bool> {
        let only = random.below(n.max(1));
        let bit = |i: usize| match self {
            Self::All => true,
            Self::None => false,
            Self::Share(share) => random.below(1000) < share,
            Self::Single => i == only,
            Self::AllButOne => i != only,
            Self::Runs(len) => i / len % 2 == 0,
        };
        (0..n).map(bit).collect()
    }
}

/// The bits in words as a caller passes them, with garbage past the end.
pub fn packed(bits: &[bool], random: &mut Random) -> Vec<u64> {
    let word = |bits: &[bool]| {
        let garbage = if bits.len() < 64 { random.word() << bits.len() } else { 0 };
        bits.iter().enumerate().fold(garbage, |word, (i, bit)| word | u64::from(*bit) << i)
    };
    bits.chunks(64).map(word).collect()
}
