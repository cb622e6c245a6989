//! The copying of terms against a loop over them.

use blst::blst_fr;
use interlock::kit::{copy_terms, DeviceBuffer, Plain, Scalars, Terms, G1, G2};

use super::known::{poisoned, told, Known};
use crate::device::Device;
use crate::inputs::Random;

/// Compares copies of up to `most` terms, and returns how many agreed.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let mut compared = 0;
    for terms in [0, 1, 2, 31, 33, 85, 1000, 8191, 70_000] {
        if terms > most {
            continue;
        }
        for counted in [0, 1, terms / 2, (terms / 3) | 1, terms] {
            let counted = counted.min(terms);
            check_group::<G1>(device, terms, counted, random)?;
            check_group::<G2>(device, terms, counted, random)?;
            compared += 2;
        }
    }
    Ok(compared)
}

/// Of `terms` terms the first `counted` count: the numbers of the others are out of range.
fn check_group<G: Known>(device: &Device, terms: usize, counted: usize, random: &mut Random) -> Result<(), String>
where
    G::Affine: Plain,
{
    let values = terms.max(1) + 7;
    let points: Vec<G::Affine> = (0..values).map(|_| random_point::<G>(random)).collect();
    let scalars: Vec<blst_fr> =
        (0..values).map(|_| blst_fr { l: [random.word(), random.word(), random.word(), random.word()] }).collect();
    let mut numbers = || -> Vec<u32> {
        let number = |i| if i < counted { (random.word() % values as u64) as u32 } else { u32::MAX };
        (0..terms).map(number).collect()
    };
    let (positions, indices) = (numbers(), numbers());

    let what = format!("copying of {terms} terms in {}, {counted} of which count", G::NAME);
    const BEFORE: usize = 3;
    const AFTER: usize = 2;
    let run = || -> Result<_, interlock::Error> {
        let stream = &device.stream;
        let to_points = poisoned::<G::Affine>(BEFORE + terms + AFTER, stream)?;
        let to_scalars = poisoned::<blst_fr>(BEFORE + terms + AFTER, stream)?;
        let count = DeviceBuffer::from_host(&[u32::MAX, counted as u32], stream)?;
        let (points, scalars) = (DeviceBuffer::from_host(&points, stream)?, DeviceBuffer::from_host(&scalars, stream)?);
        let (positions, indices) =
            (DeviceBuffer::from_host(&positions, stream)?, DeviceBuffer::from_host(&indices, stream)?);
        let from = Terms::<G> {
            points: &points,
            positions: Some(&positions),
            scalars: &scalars,
            order: Scalars::Indexed(&indices),
            len: terms,
            count: Some((&count, 1)),
        };
        let range = BEFORE..BEFORE + terms;
        copy_terms(&to_points.range(range.clone()), &to_scalars.range(range), &from, stream)?;
        Ok((to_points.to_host(stream)?, to_scalars.to_host(stream)?))
    };
    let (found_points, found_scalars) = told(&what, run())?;

    compare(&what, &found_points, &points, &positions[..counted], [BEFORE, AFTER])?;
    compare(&what, &found_scalars, &scalars, &indices[..counted], [BEFORE, AFTER])
}

/// Whether `found` is what was there, then the values with these numbers, then zeros, and then what was there.
fn compare<T: Plain>(
    what: &str,
    found: &[T],
    values: &[T],
    numbers: &[u32],
    [before, after]: [usize; 2],
) -> Result<(), String> {
    let all = |byte| vec![byte; size_of::<T>()];
    let copied = found.len() - before - after;
    for (i, value) in found.iter().enumerate() {
        let expected = match i.checked_sub(before) {
            Some(i) if i < numbers.len() => bytes(&values[numbers[i] as usize]).to_vec(),
            Some(i) if i < copied => all(0),
            _ => all(u8::MAX),
        };
        if bytes(value) != expected {
            return Err(format!("{what}: what is at {i} of {} for {copied} is wrong", found.len()));
        }
    }
    Ok(())
}

fn bytes<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: a plain value's bytes, none of which is padding.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Any words: nothing is computed with them.
fn random_point<G: Known>(random: &mut Random) -> G::Affine {
    assert_eq!(size_of::<G::Affine>() % 8, 0);
    let mut point = G::Affine::default();
    let words = size_of::<G::Affine>() / 8;
    for i in 0..words {
        // SAFETY: one of the point's words, any of which is a value.
        unsafe { std::ptr::from_mut(&mut point).cast::<u64>().add(i).write(random.word()) };
    }
    point
}
