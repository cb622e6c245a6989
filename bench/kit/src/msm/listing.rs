//! The listing of queries' terms against a loop over the variables.

use interlock::kit::{terms_scratch_bytes, DeviceBuffer, Lists, Variables};

use super::known::{poisoned, told};
use crate::device::Device;
use crate::inputs::Random;

const TILE: usize = 8192;

struct Segment {
    classes: Vec<u8>,
    density: Option<Vec<bool>>,
    chunk: Option<usize>,
}

/// Compares lists of queries of up to `most` variables, and returns how many agreed.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let mut compared = 0;
    for n in
        [0, 1, 31, 32, 33, 63, 64, 65, 1000, TILE - 1, TILE, TILE + 1, 5 * TILE + 77, 40 * TILE + 3, 700 * TILE + 5]
    {
        for density in [None, Some(1), Some(2), Some(50)] {
            for chunk in [None, Some(TILE), Some(3 * TILE)] {
                if n > most {
                    continue;
                }
                let inputs = random_segment(random.word() as usize % 400, Some(2), None, random);
                check_query(device, &[inputs, random_segment(n, density, chunk, random)])?;
                compared += 1;
            }
        }
    }
    Ok(compared)
}

fn random_segment(n: usize, density: Option<u64>, chunk: Option<usize>, random: &mut Random) -> Segment {
    let skew = random.word() % 4;
    let mut class = || match skew {
        0 => 1,
        1 => 2,
        _ => (random.word() % 3) as u8,
    };
    let classes = (0..n).map(|_| class()).collect();
    let density = density.map(|of| (0..n).map(|_| random.word() % of == 0).collect());
    Segment { classes, density, chunk }
}

fn check_query(device: &Device, segments: &[Segment]) -> Result<(), String> {
    let n: usize = segments.iter().map(|segment| segment.classes.len()).sum();
    let (mut ones, mut full, mut position) = (Vec::new(), Vec::new(), 0u32);
    for segment in segments {
        let mut number = 0;
        for (i, class) in segment.classes.iter().enumerate() {
            if segment.chunk.is_some_and(|chunk| i % chunk == 0) {
                number = start_of(i / segment.chunk.unwrap_or(1));
            }
            let chosen = segment.density.as_ref().is_none_or(|density| density[i]);
            match (chosen, class) {
                (true, 1) => ones.push(position),
                (true, 2) => full.push((position, number)),
                _ => {}
            }
            position += u32::from(chosen);
            number += u32::from(*class == 2);
        }
    }

    let what = format!("listing of {n} variables");
    let run = || -> Result<_, interlock::Error> {
        let stream = &device.stream;
        let (of_ones, counts) = (DeviceBuffer::new(ones.len())?, DeviceBuffer::new(3)?);
        let (positions, indices) = (DeviceBuffer::new(full.len())?, DeviceBuffer::new(full.len())?);
        let lists = Lists { ones: &of_ones, positions: &positions, indices: &indices, counts: &counts };
        lists.clear(stream)?;
        for segment in segments {
            let len = segment.classes.len();
            let classes =
                DeviceBuffer::from_host(&packed(segment.classes.iter().map(|class| u64::from(*class)), 2), stream)?;
            let bits = |density: &Vec<bool>| packed(density.iter().map(|bit| u64::from(*bit)), 1);
            let density = segment.density.as_ref().map(|d| DeviceBuffer::from_host(&bits(d), stream)).transpose()?;
            let starts: Vec<u32> = (0..=len / segment.chunk.unwrap_or(len + 1)).map(start_of).collect();
            let starts = DeviceBuffer::from_host(&starts, stream)?;
            let chunks = segment.chunk.map(|chunk| (chunk, &*starts));
            let mut scratch = poisoned(terms_scratch_bytes(len), stream)?;
            lists.append(
                &Variables { classes: &classes, density: density.as_deref(), len, chunks },
                &mut scratch,
                stream,
            )?;
            stream.synchronize()?;
        }
        Ok((
            lists.counts.to_host(stream)?,
            lists.ones.to_host(stream)?,
            lists.positions.to_host(stream)?,
            lists.indices.to_host(stream)?,
        ))
    };
    let (counts, found_ones, positions, indices) = told(&what, run())?;
    let expected = [position, ones.len() as u32, full.len() as u32];
    if counts != expected {
        return Err(format!("{what}: the counts are {counts:?} where they should be {expected:?}"));
    }
    let found_full: Vec<(u32, u32)> = positions.into_iter().zip(indices).collect();
    if found_ones != ones || found_full != full {
        return Err(format!("{what}: the lists are wrong"));
    }
    Ok(())
}

/// Where the scalars of a chunk begin: chunks need not follow each other.
fn start_of(chunk: usize) -> u32 {
    1000 + 100_000 * chunk as u32
}

/// Values of `bits` bits in 64-bit words; what is past the end is not zero, as nothing promises that it is.
fn packed(values: impl Iterator<Item = u64>, bits: usize) -> Vec<u64> {
    let mut words = Vec::new();
    let mut filled = 64;
    for value in values {
        if filled == 64 {
            words.push(u64::MAX);
            filled = 0;
        }
        let last = words.len() - 1;
        words[last] = words[last] & !(((1 << bits) - 1) << filled) | value << filled;
        filled += bits;
    }
    words
}
