//! The decoding of parameter files' points against blst.

use blst::BLST_ERROR;
use interlock::kit::{decode, DeviceBuffer, Faults, Group, PointFault, Run, G1, G2};

use super::known::{poisoned, told, Known, Points};
use crate::device::Device;
use crate::inputs::Random;

/// Points, and the first at fault.
type Decoded<G> = (Vec<<G as Group>::Affine>, Option<(u64, PointFault)>);

/// Compares the decoding of points, good and bad, and returns how many batches agreed.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, n: usize, seed: u64) -> Result<usize, String> {
    Ok(group::<G1>(device, n, seed)? + group::<G2>(device, n, seed)?)
}

fn group<G: Known>(device: &Device, n: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let points = Points::<G>::new(n, random).points;
    let good: Vec<u8> = points.iter().flat_map(|point| G::encode(point)).collect();
    let (decoded, fault) = run::<G>(device, &good, 0)?;
    if fault.is_some() || decoded != points {
        return Err(format!("{} decoding: {n} good points came out wrong, {fault:?}", G::NAME));
    }
    let few = n.min(600);
    for round in 0..150u64 {
        let mut bytes = good[..few * G::ENCODED].to_vec();
        for _ in 0..random.word() % 4 {
            let place = (random.word() % few as u64) as usize;
            spoil(&mut bytes[place * G::ENCODED..][..G::ENCODED], random);
        }
        let faults = bytes.chunks(G::ENCODED).map(fault_of::<G>);
        let first = round << 33;
        let expected = faults.zip(first..).find_map(|(fault, i)| fault.map(|fault| (i, fault)));
        let (_, fault) = run::<G>(device, &bytes, first)?;
        if fault != expected {
            return Err(format!("{} decoding, round {round}: found {fault:?}, where it is {expected:?}", G::NAME));
        }
    }
    Ok(151)
}

fn run<G: Known>(device: &Device, bytes: &[u8], first: u64) -> Result<Decoded<G>, String> {
    let stream = &device.stream;
    let run = || -> Result<_, interlock::Error> {
        let bytes = DeviceBuffer::from_host(bytes, stream)?;
        let len = bytes.len() / G::ENCODED;
        let points = poisoned(len, stream)?;
        let faults = Faults::new(1, stream)?;
        decode::<G>(&points, 0, &Run { bytes: &bytes, len, first, query: 0 }, &faults, stream)?;
        Ok((points.to_host(stream)?, faults.found(stream)?[0]))
    };
    told("decoding", run())
}

/// Makes an encoding wrong in one of the ways there are, or leaves it right.
pub fn spoil(bytes: &mut [u8], random: &mut Random) {
    let at = (random.word() % (bytes.len() / 48) as u64) as usize * 48;
    match random.word() % 7 {
        0 => bytes[0] |= ((random.word() % 7 + 1) << 5) as u8,
        1 => {
            bytes.fill(0);
            bytes[0] = 0x40;
        }
        2 => {
            bytes.fill(0);
            bytes[0] = 0x40;
            bytes[at + 17] = 1;
        }
        3 => bytes[at..at + 48].copy_from_slice(&modulus_plus(0)),
        4 => bytes[at..at + 48].copy_from_slice(&modulus_plus(-1)),
        5 => bytes[at..at + 48].copy_from_slice(&[if at == 0 { 0x1f } else { 0xff }; 48]),
        _ => bytes[at + 40] ^= 1 << (random.word() % 8),
    }
}

/// The field's modulus and a little, big-endian.
fn modulus_plus(more: i8) -> [u8; 48] {
    let mut bytes = [0; 48];
    let one = blst::blst_fp { l: [1, 0, 0, 0, 0, 0] };
    let mut below = blst::blst_fp::default();
    // SAFETY: one element is read and written in each; the limbs of the difference 0 − 1 are those of the modulus less 1.
    unsafe { blst::blst_fp_sub(&mut below, &blst::blst_fp::default(), &one) };
    for (i, limb) in below.l.iter().rev().enumerate() {
        bytes[8 * i..8 * i + 8].copy_from_slice(&limb.to_be_bytes());
    }
    // The modulus ends in 0xab.
    bytes[47] = bytes[47].wrapping_add_signed(more + 1);
    bytes
}

/// What is wrong with an encoding: the flags by the encoding's rules, the rest by blst.
fn fault_of<G: Known>(bytes: &[u8]) -> Option<PointFault> {
    let flags = bytes[0] >> 5;
    let rest_is_zero = bytes[0] & 0x1f == 0 && bytes[1..].iter().all(|byte| *byte == 0);
    match flags {
        4.. => return Some(PointFault::Compressed),
        2 if rest_is_zero => return Some(PointFault::Infinity),
        2 | 3 => return Some(PointFault::InfinityFlag),
        1 => return Some(PointFault::Sign),
        _ => {}
    }
    match G::deserialize(bytes).1 {
        BLST_ERROR::BLST_SUCCESS | BLST_ERROR::BLST_POINT_NOT_IN_GROUP => None,
        BLST_ERROR::BLST_POINT_NOT_ON_CURVE => Some(PointFault::OffCurve),
        _ => Some(PointFault::Coordinate),
    }
}
