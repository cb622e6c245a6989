//! One point: from the bytes of a parameter file to affine coordinates in Montgomery form.

use blst::BLST_ERROR;

use super::layout::{Section, G1_BYTES, G2_BYTES};
use crate::curve::{G1Affine, G2Affine};
use crate::error::ParamsFault;

const COMPRESSED: u8 = 0x80;
const INFINITY: u8 = 0x40;
const SIGN: u8 = 0x20;

/// What is wrong with the bytes of one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointFault {
    /// The flag of compressed points is set.
    Compressed,
    /// It is the point at infinity.
    Infinity,
    /// The flag of infinity is set, and other bits are too.
    InfinityFlag,
    /// The sign's flag is set.
    Sign,
    /// A coordinate is not below the field's modulus.
    Coordinate,
    /// The coordinates do not satisfy the curve's equation.
    OffCurve,
    /// The point is on the curve and not of order r.
    NotInSubgroup,
}

impl PointFault {
    /// The fault of point `index` of `section`.
    pub(super) fn of(self, section: &Section, index: u64) -> ParamsFault {
        let offset = section.offset + index * section.point_bytes as u64;
        let section = section.name;
        let what = match self {
            Self::OffCurve => return ParamsFault::OffCurve { section, index, offset },
            Self::Infinity => return ParamsFault::Infinity { section, index, offset },
            Self::NotInSubgroup => return ParamsFault::NotInSubgroup { section, index, offset },
            Self::Compressed => "the flag of a compressed point is set, but parameter files hold uncompressed ones",
            Self::InfinityFlag => "the flag of the point at infinity is set, but other bits are too",
            Self::Sign => "the sign flag is set, which only compressed points have",
            Self::Coordinate => "a coordinate is not below the field's modulus",
        };
        ParamsFault::NonCanonical { section, index, offset, what }
    }
}

/// A kind of point that takes `BYTES` bytes in a parameter file.
pub(super) trait Point<const BYTES: usize>: Copy + Default + Send {
    /// blst's decoding: coordinates below the modulus, and the curve equation.
    fn deserialize(bytes: &[u8; BYTES]) -> (Self, BLST_ERROR);

    /// Whether the point is of order r.
    fn in_subgroup(&self) -> bool;
}

impl Point<G1_BYTES> for G1Affine {
    fn deserialize(bytes: &[u8; G1_BYTES]) -> (Self, BLST_ERROR) {
        let mut point = Self::default();
        // SAFETY: blst reads 96 bytes, which the array has, and writes one point.
        let status = unsafe { blst::blst_p1_deserialize(&mut point, bytes.as_ptr()) };
        (point, status)
    }

    fn in_subgroup(&self) -> bool {
        // SAFETY: blst reads one point.
        unsafe { blst::blst_p1_affine_in_g1(self) }
    }
}

impl Point<G2_BYTES> for G2Affine {
    fn deserialize(bytes: &[u8; G2_BYTES]) -> (Self, BLST_ERROR) {
        let mut point = Self::default();
        // SAFETY: blst reads 192 bytes, which the array has, and writes one point.
        let status = unsafe { blst::blst_p2_deserialize(&mut point, bytes.as_ptr()) };
        (point, status)
    }

    fn in_subgroup(&self) -> bool {
        // SAFETY: blst reads one point.
        unsafe { blst::blst_p2_affine_in_g2(self) }
    }
}

/// The point in `bytes`. That it is of order r is checked if `check_subgroup` says so.
pub(super) fn decode<const BYTES: usize, P: Point<BYTES>>(
    bytes: &[u8; BYTES],
    check_subgroup: bool,
) -> Result<P, PointFault> {
    check_flags(bytes)?;
    match P::deserialize(bytes) {
        // blst says "not in group" of the points with x = 0 and asks nothing more of any other.
        (point, BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP) => {
            if check_subgroup && !point.in_subgroup() {
                return Err(PointFault::NotInSubgroup);
            }
            Ok(point)
        }
        (_, BLST_ERROR::BLST_POINT_NOT_ON_CURVE) => Err(PointFault::OffCurve),
        (_, _) => Err(PointFault::Coordinate),
    }
}

fn check_flags(bytes: &[u8]) -> Result<(), PointFault> {
    let (flags, rest) = (bytes[0] & (COMPRESSED | INFINITY | SIGN), bytes[0] & !(COMPRESSED | INFINITY | SIGN));
    if flags & COMPRESSED != 0 {
        return Err(PointFault::Compressed);
    }
    if flags == INFINITY && rest == 0 && bytes[1..].iter().all(|byte| *byte == 0) {
        return Err(PointFault::Infinity);
    }
    if flags & INFINITY != 0 {
        return Err(PointFault::InfinityFlag);
    }
    if flags & SIGN != 0 {
        return Err(PointFault::Sign);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::sample::Sample;

    /// The field's modulus, big-endian.
    const P: [u8; 48] = [
        0x1a, 0x01, 0x11, 0xea, 0x39, 0x7f, 0xe6, 0x9a, 0x4b, 0x1b, 0xa7, 0xb6, 0x43, 0x4b, 0xac, 0xd7, 0x64, 0x77,
        0x4b, 0x84, 0xf3, 0x85, 0x12, 0xbf, 0x67, 0x30, 0xd2, 0xa0, 0xf6, 0xb0, 0xf6, 0x24, 0x1e, 0xab, 0xff, 0xfe,
        0xb1, 0x53, 0xff, 0xff, 0xb9, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xaa, 0xab,
    ];

    fn valid<const BYTES: usize>(at: usize) -> [u8; BYTES] {
        let bytes = Sample { ic: 0, h: 0, l: 0, a: 0, b: 0 }.bytes();
        bytes[at..at + BYTES].try_into().unwrap()
    }

    fn g1() -> [u8; 96] {
        valid(0)
    }

    fn g2() -> [u8; 192] {
        valid(192)
    }

    fn fault<const BYTES: usize, P: Point<BYTES> + std::fmt::Debug>(bytes: [u8; BYTES]) -> PointFault {
        decode::<BYTES, P>(&bytes, false).unwrap_err()
    }

    #[test]
    fn the_generators_come_out_in_montgomery_form() {
        // SAFETY: both are constants of blst.
        let (first, second) = unsafe { (*blst::blst_p1_affine_generator(), *blst::blst_p2_affine_generator()) };
        assert_eq!(decode(&g1(), true), Ok(first));
        assert_eq!(decode(&g2(), true), Ok(second));
    }

    #[test]
    fn no_coordinate_reaches_the_modulus() {
        let greatest_with_no_flag = [&[0x1f][..], &[0xff; 47]].concat();
        for value in [P.as_slice(), &greatest_with_no_flag] {
            for at in [0, 48] {
                let mut bytes = g1();
                bytes[at..at + 48].copy_from_slice(value);
                assert_eq!(fault::<96, G1Affine>(bytes), PointFault::Coordinate);
            }
            for at in [0, 48, 96, 144] {
                let mut bytes = g2();
                bytes[at..at + 48].copy_from_slice(value);
                assert_eq!(fault::<192, G2Affine>(bytes), PointFault::Coordinate);
            }
        }
        // p − 1 is a coordinate, though of no point here.
        let mut bytes = g1();
        bytes[..48].copy_from_slice(&P);
        bytes[47] -= 1;
        assert_eq!(fault::<96, G1Affine>(bytes), PointFault::OffCurve);
    }

    #[test]
    fn no_flag_is_let_through() {
        for flags in 1..8u8 {
            let (mut first, mut second) = (g1(), g2());
            first[0] |= flags << 5;
            second[0] |= flags << 5;
            let expected = match flags {
                4.. => PointFault::Compressed,
                2.. => PointFault::InfinityFlag,
                _ => PointFault::Sign,
            };
            assert_eq!(fault::<96, G1Affine>(first), expected, "{flags}");
            assert_eq!(fault::<192, G2Affine>(second), expected, "{flags}");
        }
    }

    #[test]
    fn infinity_is_no_point_of_a_file() {
        let mut bytes = [0; 192];
        assert_eq!(fault::<192, G2Affine>(bytes), PointFault::OffCurve);
        bytes[0] = INFINITY;
        assert_eq!(fault::<192, G2Affine>(bytes), PointFault::Infinity);
        bytes[191] = 1;
        assert_eq!(fault::<192, G2Affine>(bytes), PointFault::InfinityFlag);
    }

    #[test]
    fn the_last_bit_of_each_coordinate_matters() {
        for at in [47, 95] {
            let mut bytes = g1();
            bytes[at] ^= 1;
            assert_eq!(fault::<96, G1Affine>(bytes), PointFault::OffCurve);
        }
        for at in [47, 95, 143, 191] {
            let mut bytes = g2();
            bytes[at] ^= 1;
            assert_eq!(fault::<192, G2Affine>(bytes), PointFault::OffCurve);
        }
    }

    #[test]
    fn the_order_is_checked_if_asked_for() {
        // (0, 2) is on y² = x³ + 4 and of order 3; the other has the least x whose point is not of order r.
        let mut small = [0; 96];
        small[95] = 2;
        for bytes in [small, outside_g1()] {
            assert!(decode::<96, G1Affine>(&bytes, false).is_ok());
            assert_eq!(decode::<96, G1Affine>(&bytes, true), Err(PointFault::NotInSubgroup));
        }
        let bytes = outside_g2();
        assert!(decode::<192, G2Affine>(&bytes, false).is_ok());
        assert_eq!(decode::<192, G2Affine>(&bytes, true), Err(PointFault::NotInSubgroup));
    }

    fn outside_g1() -> [u8; 96] {
        let (mut point, mut bytes) = (G1Affine::default(), [0; 96]);
        for x in 1.. {
            let mut compressed = [0; 48];
            (compressed[0], compressed[47]) = (COMPRESSED, x);
            // SAFETY: blst reads 48 bytes, reads and writes a point, and writes 96 bytes.
            unsafe {
                let status = blst::blst_p1_uncompress(&mut point, compressed.as_ptr());
                if status == BLST_ERROR::BLST_SUCCESS && !blst::blst_p1_affine_in_g1(&point) {
                    blst::blst_p1_affine_serialize(bytes.as_mut_ptr(), &point);
                    break;
                }
            }
        }
        bytes
    }

    fn outside_g2() -> [u8; 192] {
        let (mut point, mut bytes) = (G2Affine::default(), [0; 192]);
        for x in 1.. {
            let mut compressed = [0; 96];
            (compressed[0], compressed[95]) = (COMPRESSED, x);
            // SAFETY: blst reads 96 bytes, reads and writes a point, and writes 192 bytes.
            unsafe {
                let status = blst::blst_p2_uncompress(&mut point, compressed.as_ptr());
                if status == BLST_ERROR::BLST_SUCCESS && !blst::blst_p2_affine_in_g2(&point) {
                    blst::blst_p2_affine_serialize(bytes.as_mut_ptr(), &point);
                    break;
                }
            }
        }
        bytes
    }
}
