//! Parameter files with something wrong in them, for tests.

use super::sample::Sample;
use crate::error::ParamsFault;

/// The file that is spoilt.
pub const SMALL: Sample = Sample { ic: 2, h: 3, l: 2, a: 3, b: 2 };
// Where its counts are; the points follow, four bytes on.
const IC: usize = 864;
pub(super) const H: usize = 1060;
pub(super) const L: usize = 1352;
const A: usize = 1548;
const B_G1: usize = 1840;
const B_G2: usize = 2036;

/// One way to spoil a file, and what is said of it.
#[derive(Debug)]
pub struct Case {
    /// In words.
    pub name: &'static str,
    /// Spoils the file of [`SMALL`].
    pub spoil: fn(&mut Vec<u8>),
    /// What is found.
    pub fault: ParamsFault,
    /// A part of the error's text.
    pub text: &'static str,
    /// The error's code.
    pub code: i32,
}

fn non_canonical(section: &'static str, index: u64, offset: u64, what: &'static str) -> ParamsFault {
    ParamsFault::NonCanonical { section, index, offset, what }
}

/// One case for each thing that can be wrong with a file.
pub fn cases() -> Vec<Case> {
    let size = 2424;
    vec![
        Case {
            name: "empty",
            spoil: |file| file.clear(),
            fault: ParamsFault::Empty,
            text: "is empty",
            code: libc::ENODATA,
        },
        Case {
            name: "a byte short",
            spoil: |file| file.truncate(2423),
            fault: ParamsFault::Truncated { section: "b_g2", needed: size, size: size - 1 },
            text: "b_g2 needs bytes up to 2424, the file has 2423",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "a byte too long",
            spoil: |file| file.push(0),
            fault: ParamsFault::Oversized { expected: size, size: size + 1 },
            text: "has 2425 bytes, but its content ends at 2424",
            code: libc::EFBIG,
        },
        Case {
            name: "a huge count",
            spoil: |file| file[L..L + 4].fill(0xff),
            fault: ParamsFault::Truncated { section: "l", needed: 1356 + 0xffff_ffff * 96, size },
            text: "l needs bytes up to 412316861676, the file has 2424",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "little-endian counts",
            spoil: |file| file[IC..IC + 4].reverse(),
            fault: ParamsFault::Truncated { section: "ic", needed: 868 + 0x0200_0000 * 96, size },
            text: "ic needs bytes up to",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "a domain of 3",
            spoil: |file| file[H + 3] = 2,
            fault: ParamsFault::Layout {
                what: "h has 2 points, which makes a domain of 3, but a domain's size is a power of two".to_owned(),
            },
            text: "impossible layout: h has 2 points",
            code: libc::EBADMSG,
        },
        Case {
            name: "fewer points in a than inputs",
            spoil: |file| file[A + 3] = 1,
            fault: ParamsFault::Layout {
                what: "a has 1 points for 2 inputs and 2 private variables, but every input has one there".to_owned(),
            },
            text: "a has 1 points for 2 inputs",
            code: libc::EBADMSG,
        },
        Case {
            name: "more points in b than variables",
            spoil: |file| file[B_G1 + 3] = 5,
            fault: ParamsFault::Layout {
                what: "b_g1 has 5 points for 2 inputs and 2 private variables, but a variable has one at most"
                    .to_owned(),
            },
            text: "b_g1 has 5 points for",
            code: libc::EBADMSG,
        },
        Case {
            name: "unequal b queries",
            spoil: |file| file[B_G2 + 3] = 3,
            fault: ParamsFault::Layout {
                what: "b_g1 has 2 points and b_g2 has 3, but both are of the same variables".to_owned(),
            },
            text: "b_g1 has 2 points and b_g2 has 3",
            code: libc::EBADMSG,
        },
        Case {
            name: "a coordinate of all ones",
            spoil: |file| file[H + 4 + 96 + 48..H + 4 + 192].fill(0xff),
            fault: non_canonical("h", 1, 1160, "a coordinate is not below the field's modulus"),
            text: "h[1] at byte 1160: a coordinate is not below",
            code: libc::EILSEQ,
        },
        Case {
            name: "the compressed flag",
            spoil: |file| file[B_G2 + 4 + 192] |= 0x80,
            fault: non_canonical(
                "b_g2",
                1,
                2232,
                "the flag of a compressed point is set, but parameter files hold uncompressed ones",
            ),
            text: "b_g2[1] at byte 2232: the flag of a compressed point",
            code: libc::EILSEQ,
        },
        Case {
            name: "the sign flag",
            spoil: |file| file[0] |= 0x20,
            fault: non_canonical("alpha_g1", 0, 0, "the sign flag is set, which only compressed points have"),
            text: "alpha_g1[0] at byte 0: the sign flag",
            code: libc::EILSEQ,
        },
        Case {
            name: "the infinity flag on a point",
            spoil: |file| file[672] |= 0x40,
            fault: non_canonical(
                "delta_g2",
                0,
                672,
                "the flag of the point at infinity is set, but other bits are too",
            ),
            text: "delta_g2[0] at byte 672: the flag of the point at infinity",
            code: libc::EILSEQ,
        },
        Case {
            name: "infinity",
            spoil: |file| {
                file[B_G1 + 4..B_G1 + 100].fill(0);
                file[B_G1 + 4] = 0x40;
            },
            fault: ParamsFault::Infinity { section: "b_g1", index: 0, offset: 1844 },
            text: "b_g1[0] at byte 1844 is the point at infinity",
            code: libc::ERANGE,
        },
        Case {
            name: "a hole",
            spoil: |file| file[L + 4..L + 100].fill(0),
            fault: ParamsFault::OffCurve { section: "l", index: 0, offset: 1356 },
            text: "l[0] at byte 1356 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "gamma, which is not kept",
            spoil: |file| file[575] ^= 1,
            fault: ParamsFault::OffCurve { section: "gamma_g2", index: 0, offset: 384 },
            text: "gamma_g2[0] at byte 384 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "ic, which is not kept",
            spoil: |file| file[IC + 4 + 191] ^= 1,
            fault: ParamsFault::OffCurve { section: "ic", index: 1, offset: 964 },
            text: "ic[1] at byte 964 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "two bad points",
            spoil: |file| {
                file[2423] ^= 1;
                file[H + 4 + 95] ^= 1;
            },
            fault: ParamsFault::OffCurve { section: "h", index: 0, offset: 1064 },
            text: "h[0] at byte 1064 is not on the curve",
            code: libc::EDOM,
        },
    ]
}
