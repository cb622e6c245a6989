//! Vectors of scalars for the tests of what classifies them.

use super::classes::CHUNK;
use crate::curve::{Fr, FR_MODULUS, FR_ONE};

/// Scalars in the ratio of zeros, ones and full-size ones, these in order.
fn mixed(len: usize, zeros: u64, ones: u64, full: u64) -> Vec<Fr> {
    let mut state = 0x9e37_79b9_7f4a_7c15 ^ len as u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut scalar = || match random() % (zeros + ones + full) {
        x if x < zeros => Fr::default(),
        x if x < zeros + ones => FR_ONE,
        _ => Fr { l: [random(), random(), random(), random() >> 2] },
    };
    (0..len).map(|_| scalar()).collect()
}

/// What differs from 0, 1 and the modulus in one limb, and is a scalar.
fn near() -> Vec<Fr> {
    let mut near = vec![Fr { l: [FR_MODULUS[0] - 1, FR_MODULUS[1], FR_MODULUS[2], FR_MODULUS[3]] }];
    for limb in 0..4 {
        for of in [Fr::default(), FR_ONE] {
            let mut x = of;
            x.l[limb] += 1;
            near.push(x);
        }
        let mut x = Fr { l: FR_MODULUS };
        x.l[limb] -= 1;
        near.push(x);
    }
    near
}

/// Vectors of many lengths and mixtures.
pub(super) fn vectors() -> Vec<Vec<Fr>> {
    let mut vectors = vec![near()];
    for len in [0, 1, 31, 32, 33, 2047, 2048, 2049, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 77] {
        for (zeros, ones, full) in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (49, 18, 33), (49, 50, 1)] {
            vectors.push(mixed(len, zeros, ones, full));
        }
    }
    let mut uneven = mixed(3 * CHUNK, 0, 0, 1);
    uneven.extend(mixed(10 * CHUNK, 1, 0, 0));
    uneven.extend(mixed(3 * CHUNK + 5, 1, 1, 1));
    vectors.push(uneven);
    vectors
}

/// Vectors with elements that are no scalars, and the index of the first.
pub(super) fn faulty() -> Vec<(Vec<Fr>, usize)> {
    let [a, b, c, d] = FR_MODULUS;
    let none = [[a, b, c, d], [a + 1, b, c, d], [0, b, c, d + 1], [u64::MAX; 4], [0, 0, c + 1, d]];
    let mut faulty = Vec::new();
    for l in none {
        for (len, at) in [(1, 0), (33, 32), (CHUNK + 1, CHUNK), (9 * CHUNK, 4 * CHUNK + 2077), (9 * CHUNK, 17)] {
            let mut scalars = mixed(len, 1, 1, 1);
            scalars[at] = Fr { l };
            scalars[at..].iter_mut().skip(1).step_by(CHUNK / 2 + 1).for_each(|x| *x = Fr { l });
            faulty.push((scalars, at));
        }
    }
    faulty
}
