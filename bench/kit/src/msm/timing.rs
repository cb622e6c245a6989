//! MSMs, sums and decoding timed with events, beside the least that the additions take.

use std::time::Instant;

use blst::blst_fr;
use interlock::kit::{
    combine, decode, fill, fill_scratch_bytes, msm, msm_scratch_bytes, reduce, Accumulators, DeviceBuffer, DeviceSlice,
    Event, Faults, Form, Group, Multiples, Run, Scalars, Shape, SumTerms, Terms, G1, G2,
};
use interlock::Error;
use interlock_bench_measure::Row;
use rayon::prelude::*;

use super::check::multiples_of;
use super::known::{is_same, scalars, told, Known, Points};
use crate::device::Device;
use crate::inputs::Random;
use crate::operations::fr_one;
use crate::scalar::negative;

/// Points with different logarithms; more are repetitions.
const TILE: usize = 1 << 20;
const RUNS: usize = 7;
/// Blocks that add up the points of a sum.
const SUM_BLOCKS: usize = 384;
/// Bytes of scratch for MSMs with multiples and of all of these, at most.
const MULTIPLES_SCRATCH: usize = 6 << 30;
const MOST_MULTIPLES: usize = 100 << 30;

/// Points on the device and here, and scalars for them.
struct Input<G: Known> {
    known: Points<G>,
    points: DeviceBuffer<G::Affine>,
    scalars: Vec<blst_fr>,
    scalars_on_device: DeviceBuffer<blst_fr>,
}

impl<G: Known> Input<G> {
    /// Points of which `different` are different, the others repetitions, and a scalar for each.
    fn new(device: &Device, different: usize, scalars: Vec<blst_fr>) -> Result<Self, String> {
        let known = Points::<G>::new(different.min(scalars.len()), &mut Random(9));
        let points: Vec<_> = (0..scalars.len()).into_par_iter().map(|i| known.points[i % different]).collect();
        let upload = || -> Result<_, Error> {
            Ok((DeviceBuffer::from_host(&points, &device.stream)?, DeviceBuffer::from_host(&scalars, &device.stream)?))
        };
        let (points, scalars_on_device) = told("upload", upload())?;
        Ok(Self { known, points, scalars, scalars_on_device })
    }

    /// Random scalars.
    fn random(device: &Device, n: usize) -> Result<Self, String> {
        Self::new(device, TILE, scalars(n, 10))
    }

    fn terms<'a>(&'a self, points: &'a DeviceSlice<G::Affine>, n: usize) -> Terms<'a, G> {
        let (form, order) = (Form::Montgomery, Scalars::InOrder);
        Terms { points, positions: None, scalars: &self.scalars_on_device, form, order, len: n, count: None }
    }

    /// Seconds of each run of the MSM of the first `n` terms, after one that is not timed; and that its result is right.
    fn msm(&self, device: &Device, n: usize, shape: Shape, runs: usize) -> Result<Vec<f64>, String> {
        self.msm_of(&self.points, device, n, shape, runs)
    }

    /// The same where the points, and multiples of them, are `points`.
    fn msm_of(
        &self,
        points: &DeviceSlice<G::Affine>,
        device: &Device,
        n: usize,
        shape: Shape,
        runs: usize,
    ) -> Result<Vec<f64>, String> {
        let stream = &device.stream;
        let run = || -> Result<_, Error> {
            let mut scratch = DeviceBuffer::new(msm_scratch_bytes::<G>(n, shape)?)?;
            let mut sums = DeviceBuffer::new(shape.sums())?;
            let terms = self.terms(points, n);
            let mut seconds = Vec::new();
            for _ in 0..=runs {
                let start = Event::record(stream)?;
                msm::<G>(&mut sums, &terms, shape, &mut scratch, stream)?;
                seconds.push(Event::record(stream)?.seconds_since(&start)?);
            }
            seconds.remove(0);
            Ok((seconds, combine::<G>(&sums.to_host(stream)?, shape)))
        };
        let (seconds, result) = told(format!("{} MSM of {n}", G::NAME), run())?;
        let scalars = &self.scalars;
        if !is_same::<G>(&result, &self.known.expected((0..n).into_par_iter().map(|i| (i, scalars[i])))) {
            return Err(format!("{} MSM of {n} in {shape:?}: the result is wrong", G::NAME));
        }
        Ok(seconds)
    }

    /// The same by the wall clock, from the call to the point on the host.
    fn calls(&self, device: &Device, n: usize, shape: Shape) -> Result<Vec<f64>, String> {
        let stream = &device.stream;
        let run = || -> Result<_, Error> {
            let mut scratch = DeviceBuffer::new(msm_scratch_bytes::<G>(n, shape)?)?;
            let mut sums = DeviceBuffer::new(shape.sums())?;
            let terms = self.terms(&self.points, n);
            let mut call = || {
                let start = Instant::now();
                msm::<G>(&mut sums, &terms, shape, &mut scratch, stream)?;
                let result = combine::<G>(&sums.to_host(stream)?, shape);
                Ok((result, start.elapsed().as_secs_f64()))
            };
            call()?;
            (0..RUNS).map(|_| call()).collect::<Result<Vec<_>, Error>>()
        };
        let calls = told(format!("{} MSM of {n}", G::NAME), run())?;
        let expected = self.known.expected((0..n).into_par_iter().map(|i| (i, self.scalars[i])));
        if calls.iter().any(|(result, _)| !is_same::<G>(result, &expected)) {
            return Err(format!("{} MSM of {n} in {shape:?}: the result is wrong", G::NAME));
        }
        Ok(calls.into_iter().map(|(_, seconds)| seconds).collect())
    }

    fn sum(&self, device: &Device, n: usize) -> Result<Vec<f64>, String> {
        let stream = &device.stream;
        // Every second of twice as many points, as ones in a query are.
        let list: Vec<u32> = (0..n as u32).map(|i| i * 2 + i % 2).collect();
        let run = || -> Result<_, Error> {
            let positions = DeviceBuffer::from_host(&list, stream)?;
            let accumulators = DeviceBuffer::new(Accumulators::<G>::sums(1, SUM_BLOCKS))?;
            let accumulators = Accumulators::<G>::new(accumulators.all(), 1, SUM_BLOCKS)?;
            let mut scratch = DeviceBuffer::new(accumulators.total_scratch())?;
            let mut sums = DeviceBuffer::new(1)?;
            let terms = SumTerms { points: &self.points, positions: Some(&positions), len: n, count: None };
            let mut seconds = Vec::new();
            for _ in 0..=RUNS {
                let start = Event::record(stream)?;
                accumulators.clear(stream)?;
                accumulators.add(std::slice::from_ref(&terms), stream)?;
                accumulators.total(&mut sums, &mut scratch, stream)?;
                seconds.push(Event::record(stream)?.seconds_since(&start)?);
            }
            seconds.remove(0);
            Ok((seconds, G::to_jacobian(&sums.to_host(stream)?[0])))
        };
        let (seconds, result) = told(format!("{} sum of {n}", G::NAME), run())?;
        if !is_same::<G>(&result, &self.known.expected(list.par_iter().map(|i| (*i as usize, fr_one())))) {
            return Err(format!("{} sum of {n}: the result is wrong", G::NAME));
        }
        Ok(seconds)
    }
}

/// Prints a line for each size of MSM up to 2^`most` terms in G1, sixteen times fewer in G2, and for a sum and for decoding.
///
/// # Errors
/// What went wrong: wrong results too.
pub fn all(device: &Device, most: u32) -> Result<(), String> {
    let input = Input::<G1>::random(device, 1 << most)?;
    for log in (10..=most).rev().step_by(2) {
        msm_line(&input, device, log)?;
    }
    sum_line(&input, device, most.min(25) - 1)?;
    drop(input);
    let input = Input::<G2>::random(device, 1 << (most - 4))?;
    for log in (10..=most - 4).rev().step_by(2) {
        msm_line(&input, device, log)?;
    }
    sum_line(&input, device, most - 5)?;
    drop(input);
    skewed_lines::<G1>(device, most - 2)?;
    skewed_lines::<G2>(device, most - 6)?;
    decoding_line::<G1>(device)?;
    decoding_line::<G2>(device)
}

/// Prints rows of `bench/compare.sh` for MSMs in G1 of 2^20 terms and more, up to 2^`most`.
///
/// # Errors
/// What went wrong: wrong results too.
pub fn compare(device: &Device, most: u32) -> Result<(), String> {
    let input = Input::<G1>::random(device, 1 << most)?;
    for log in (20..=most).step_by(2) {
        let n = 1usize << log;
        let shape = Shape::for_terms::<G1>(n);
        let row = Row::new(format!("G1 MSM 2^{log}"), "interlock", input.calls(device, n, shape)?);
        let floor = shape.windows() as f64 * n as f64 / G1::ADDITIONS;
        println!("{}", Row { floor: Some(floor), right: Some(true), ..row });
    }
    Ok(())
}

/// Prints lines for MSMs in G1 of 2^20 terms and more, up to 2^`most`, with as many multiples of points as are worth their memory, and fewer.
///
/// # Errors
/// What went wrong: wrong results too.
pub fn with_multiples(device: &Device, most: u32) -> Result<(), String> {
    for log in (20..=most).step_by(2) {
        let n = 1usize << log;
        let input = Input::<G1>::random(device, n)?;
        msm_line(&input, device, log)?;
        let mut last = None;
        for tables in [2, 4, 6, 16] {
            let Some(multiples) = Multiples::fastest(n, n, tables, MULTIPLES_SCRATCH) else { continue };
            if last == Some(multiples) || multiples.tables() * n * size_of::<<G1 as Group>::Affine>() > MOST_MULTIPLES {
                continue;
            }
            last = Some(multiples);
            let start = Instant::now();
            let points = told("multiples", multiples_of(&input.points, &multiples, device))?;
            let seconds = start.elapsed().as_secs_f64();
            let shape = told("shape", Shape::sharing(&multiples, n, n, MULTIPLES_SCRATCH))?;
            let (least, median, most) = spread(input.msm_of(&points, device, n, shape, RUNS)?);
            let ms = |seconds: f64| seconds * 1e3;
            println!(
                "G1 MSM 2^{log}, {} tables made in {seconds:.3} s: median {:.3} ms, from {:.3} to {:.3}; {shape:?}",
                multiples.tables(),
                ms(median),
                ms(least),
                ms(most)
            );
        }
    }
    Ok(())
}

fn msm_line<G: Known>(input: &Input<G>, device: &Device, log: u32) -> Result<(), String> {
    let n = 1usize << log;
    let shape = Shape::for_terms::<G>(n);
    let seconds = input.msm(device, n, shape, RUNS)?;
    let scratch = told("scratch", msm_scratch_bytes::<G>(n, shape))? >> 20;
    let additions = shape.windows() as f64 * n as f64;
    println!("{} MSM 2^{log}: {}; {shape:?}, {scratch} MiB of scratch", G::NAME, line::<G>(seconds, additions));
    Ok(())
}

/// The inputs that put everything into few buckets; they should take no longer than random ones.
fn skewed_lines<G: Known>(device: &Device, log: u32) -> Result<(), String> {
    let n = 1usize << log;
    let minus_one = negative(&fr_one());
    let same = scalars(1, 12)[0];
    let opposite = (0..n).map(|i| if i % 2 == 0 { same } else { negative(&same) }).collect();
    for (name, different, scalars) in [
        ("random", TILE, scalars(n, 10)),
        ("all scalars equal", TILE, vec![same; n]),
        ("all scalars 1", TILE, vec![fr_one(); n]),
        ("all scalars −1", TILE, vec![minus_one; n]),
        ("all points equal", 1, scalars(n, 10)),
        ("all terms equal", 1, vec![same; n]),
        ("opposite terms", 1, opposite),
    ] {
        let input = Input::<G>::new(device, different, scalars)?;
        let (least, median, most) = spread(input.msm(device, n, Shape::for_terms::<G>(n), RUNS)?);
        let ms = |seconds: f64| seconds * 1e3;
        println!(
            "{} MSM 2^{log}, {name}: median {:.3} ms, from {:.3} to {:.3}",
            G::NAME,
            ms(median),
            ms(least),
            ms(most)
        );
    }
    Ok(())
}

fn sum_line<G: Known>(input: &Input<G>, device: &Device, log: u32) -> Result<(), String> {
    let n = 1usize << log;
    println!("{} sum of 2^{log}: {}", G::NAME, line::<G>(input.sum(device, n)?, n as f64));
    Ok(())
}

fn line<G: Known>(seconds: Vec<f64>, additions: f64) -> String {
    let floor = additions / G::ADDITIONS;
    let (least, median, most) = spread(seconds);
    let ms = |seconds: f64| seconds * 1e3;
    format!(
        "median {:.3} ms, from {:.3} to {:.3}; additions alone {:.3} ms, ratio {:.2}",
        ms(median),
        ms(least),
        ms(most),
        ms(floor),
        median / floor
    )
}

fn spread(mut seconds: Vec<f64>) -> (f64, f64, f64) {
    seconds.sort_by(f64::total_cmp);
    (seconds[0], seconds[seconds.len() / 2], seconds[seconds.len() - 1])
}

fn decoding_line<G: Known>(device: &Device) -> Result<(), String> {
    let stream = &device.stream;
    let known = Points::<G>::new(1 << 14, &mut Random(11)).points;
    let encoded: Vec<u8> = known.iter().flat_map(|point| G::encode(point)).collect();
    let bytes: Vec<u8> = encoded.iter().copied().cycle().take(encoded.len() << 7).collect();
    let run = || -> Result<_, Error> {
        let bytes = DeviceBuffer::from_host(&bytes, stream)?;
        let len = bytes.len() / G::ENCODED;
        let points = DeviceBuffer::new(len)?;
        let faults = Faults::new(1, stream)?;
        let mut seconds = Vec::new();
        for _ in 0..=RUNS {
            let start = Event::record(stream)?;
            decode::<G>(&points, 0, &Run { bytes: &bytes, len, first: 0, query: 0 }, &faults, stream)?;
            seconds.push(Event::record(stream)?.seconds_since(&start)?);
        }
        seconds.remove(0);
        Ok((seconds, points.to_host(stream)?, faults.found(stream)?[0]))
    };
    let (seconds, points, fault) = told("decoding", run())?;
    if fault.is_some() || points.chunks(known.len()).any(|chunk| chunk != known) {
        return Err(format!("{} decoding: the points are wrong", G::NAME));
    }
    let rate = |seconds: f64| bytes.len() as f64 / seconds / 1e9;
    let (least, median, most) = spread(seconds);
    let (n, median, least, most) = (points.len(), rate(median), rate(most), rate(least));
    println!("{} decoding of {n}: median {median:.0} GB/s, from {least:.0} to {most:.0}", G::NAME);
    Ok(())
}

/// Times shapes for MSMs of 2^`log` terms and prints each.
///
/// # Errors
/// What went wrong: wrong results too.
pub fn sweep(device: &Device, group: &str, log: u32, bits: std::ops::RangeInclusive<u32>) -> Result<(), String> {
    match group {
        "g1" => sweep_of::<G1>(device, log, bits),
        _ => sweep_of::<G2>(device, log, bits),
    }
}

fn sweep_of<G: Known>(device: &Device, log: u32, bits: std::ops::RangeInclusive<u32>) -> Result<(), String> {
    let n = 1usize << log;
    let input = Input::<G>::random(device, n)?;
    for bits in bits {
        let windows = 255u32.div_ceil(bits);
        for groups in [1, 2, 3, 4, 6, 12] {
            let group = windows.div_ceil(groups);
            if (n * group as usize) > 1 << 28 || u64::from(group) << bits > 1 << 24 || groups > windows {
                continue;
            }
            for blocks in [132, 264, 396].into_iter().filter(|blocks| log < 24 || *blocks == 396) {
                let shape = Shape::new(bits, group, segment(bits, group, blocks));
                let (least, median, _) = spread(input.msm(device, n, shape, 3)?);
                println!("{} 2^{log}: {:.3} ms, at least {:.3}, {shape:?}", G::NAME, median * 1e3, least * 1e3);
            }
        }
    }
    Ok(())
}

/// Buckets of a segment with which so many windows, summed at a time, have so many blocks of threads.
fn segment(bits: u32, windows: u32, blocks: u32) -> u32 {
    (1u32 << (bits - 1)).div_ceil((blocks / windows).max(1) * 128)
}

/// Times MSMs in G1 of 2^`log` terms that come in parts of `part`, with windows of so many bits, as many at a time as `scratch` bytes are for, and
/// prints each.
///
/// # Errors
/// What went wrong: wrong results too.
pub fn sweep_parts(
    device: &Device,
    log: u32,
    part: usize,
    bits: std::ops::RangeInclusive<u32>,
    scratch: usize,
) -> Result<(), String> {
    let n = 1usize << log;
    let input = Input::<G1>::random(device, n)?;
    let expected = input.known.expected((0..n).into_par_iter().map(|i| (i, input.scalars[i])));
    for bits in bits {
        let windows = 255u32.div_ceil(bits);
        let segment = segment(bits, windows, 396);
        let shapes =
            (1..=windows).rev().map(|group| Shape::new(bits, windows.div_ceil(windows.div_ceil(group)), segment));
        let fits = |shape: &Shape| fill_scratch_bytes(part, *shape).is_ok_and(|bytes| bytes <= scratch);
        let Some(shape) = shapes.into_iter().find(fits) else { continue };
        let run = || input.in_parts(device, part, shape, scratch);
        let (seconds, result) = told(format!("MSM of parts of {part} in {shape:?}"), run())?;
        if !is_same::<G1>(&result, &expected) {
            return Err(format!("MSM of parts of {part} in {shape:?}: the result is wrong"));
        }
        let (least, median, _) = spread(seconds);
        println!("G1 2^{log} by {part}: {:.3} ms, at least {:.3}, {shape:?}", median * 1e3, least * 1e3);
    }
    Ok(())
}

impl Input<G1> {
    /// Seconds of some runs, after one that is not timed, and the result.
    fn in_parts(
        &self,
        device: &Device,
        part: usize,
        shape: Shape,
        scratch: usize,
    ) -> Result<(Vec<f64>, <G1 as Group>::Jacobian), Error> {
        let stream = &device.stream;
        let buckets = DeviceBuffer::new(shape.buckets())?;
        let mut scratch = DeviceBuffer::new(scratch)?;
        let mut sums = DeviceBuffer::new(shape.sums())?;
        let mut seconds = Vec::new();
        for _ in 0..4 {
            let start = Event::record(stream)?;
            buckets.clear(stream)?;
            for first in (0..self.scalars.len()).step_by(part) {
                let range = first..self.scalars.len().min(first + part);
                let (points, scalars) = (self.points.range(range.clone()), self.scalars_on_device.range(range.clone()));
                let (form, order) = (Form::Montgomery, Scalars::InOrder);
                let (points, scalars) = (&points, &scalars);
                let terms = Terms { points, positions: None, scalars, form, order, len: range.len(), count: None };
                fill(&buckets, &terms, shape, &mut scratch, stream)?;
            }
            reduce(&mut sums, &buckets, shape, &mut scratch, stream)?;
            seconds.push(Event::record(stream)?.seconds_since(&start)?);
        }
        seconds.remove(0);
        Ok((seconds, combine::<G1>(&sums.to_host(stream)?, shape)))
    }
}
