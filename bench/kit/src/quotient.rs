//! The quotient polynomial h on a GPU: against the CPU's, and how long it takes.

use blst::blst_fr;
use interlock::kit::{quotient_coefficients, DeviceBuffer, Domain, Event, Stream};
use interlock::prove::Evaluations;
use interlock::Error;
use interlock_bench_measure::ceilings::{multiplications_of_h, seconds_of_h};
use interlock_bench_measure::{sorted, Row};
use rayon::prelude::*;

use crate::device::Device;
use crate::identity;
use crate::inputs::{edges, Field, Random};
use crate::scalar::{from_integer, integer};

const RUNS: usize = 11;
/// log2 of the sizes that are timed.
const TIMED: [u32; 5] = [20, 22, 24, 26, 27];
/// What a copy on the device moves, read and written, on an H200.
const BYTES_A_SECOND: f64 = 4.3e12;

/// Constraints' evaluations.
struct Values {
    a: Vec<blst_fr>,
    b: Vec<blst_fr>,
    c: Vec<blst_fr>,
}

/// Compares h over every domain from 2 to 2^`log2` points with the CPU's and returns how many coefficients were compared.
///
/// # Errors
/// The first domain and input whose h is another, or what else went wrong.
pub fn check(device: &Device, log2: u32, seed: u64) -> Result<usize, String> {
    let mut compared = 0;
    for log2 in 1..=log2 {
        for (what, values) in inputs(log2, seed) {
            compared += compare(device, log2, what, &values)?;
        }
    }
    Ok(compared)
}

/// The same for random values over domains that reach all kernels with few blocks, for tools that make kernels very slow.
///
/// # Errors
/// As [`check`].
pub fn check_few(device: &Device, seed: u64) -> Result<usize, String> {
    // A part of a block, a block, and the least domain for which a pass exchanges elements.
    [3, 9, 12].into_iter().map(|log2| compare(device, log2, "random", &random_circuit(log2, seed))).sum()
}

fn compare(device: &Device, log2: u32, what: &str, values: &Values) -> Result<usize, String> {
    let on_device = h(log2, values, &device.stream).map_err(|error| format!("h over 2^{log2}: {error}"))?;
    let Values { a, b, c } = values;
    let on_cpu = quotient_coefficients(log2, &Evaluations { a, b, c }).map_err(|error| error.to_string())?;
    if let Some(i) = (0..on_cpu.len()).into_par_iter().find_first(|&i| integer(&on_cpu[i]) != on_device[i]) {
        let (on_device, on_cpu) = (on_device[i], integer(&on_cpu[i]));
        return Err(format!("h over 2^{log2}, {what}: coefficient {i} is {on_device:x?}, but {on_cpu:x?} on the CPU"));
    }
    Ok(on_cpu.len())
}

/// Random values that carry much, with the end of each vector zero as in a circuit.
fn random_circuit(log2: u32, seed: u64) -> Values {
    let m = 1usize << log2;
    let vector = |seed: u64| {
        let mut values = random(m, seed);
        values[m - m / 34..].fill(blst_fr::default());
        values
    };
    Values { a: vector(seed), b: vector(seed + 1), c: vector(seed + 2) }
}

/// Random values; and, over small domains, all the edges and constants.
fn inputs(log2: u32, seed: u64) -> Vec<(&'static str, Values)> {
    let m = 1usize << log2;
    let mut inputs = vec![("random", random_circuit(log2, seed))];
    if log2 <= 13 {
        let edges = edges::<blst_fr>();
        let all_edges: Vec<_> = edges.iter().cycle().take(m).copied().collect();
        inputs.push(("edges", Values { a: all_edges.clone(), b: all_edges.clone(), c: all_edges }));
        // −1, 0 and the limbs of r − 1.
        for edge in [edges[1], edges[2], edges[5]] {
            inputs.push(("a constant", Values { a: vec![edge; m], b: vec![edge; m], c: vec![edge; m] }));
        }
        let mut one = vec![blst_fr::default(); m];
        one[m - 1] = edges[0];
        inputs.push(("a single one", Values { a: one.clone(), b: one.clone(), c: random(m, seed) }));
    }
    inputs
}

/// `n` elements, the same for the same seed.
fn random(n: usize, seed: u64) -> Vec<blst_fr> {
    const CHUNK: usize = 1 << 12;
    let mut values = vec![blst_fr::default(); n];
    values.par_chunks_mut(CHUNK).enumerate().for_each(|(i, chunk)| {
        let mut source = Random(seed ^ (i as u64) << 40);
        chunk.iter_mut().for_each(|value| *value = Field::random(&mut source));
    });
    values
}

/// A domain in memory that held something else before.
fn domain(log2: u32, stream: &Stream) -> Result<Domain, Error> {
    let memory = DeviceBuffer::from_host(&vec![[u64::MAX; 2]; Domain::length(log2)?], stream)?;
    Domain::new(log2, memory, stream)
}

/// h on the device, as integers in the places of elements; c comes into the memory that was b.
fn h(log2: u32, values: &Values, stream: &Stream) -> Result<Vec<blst_fr>, Error> {
    let domain = domain(log2, stream)?;
    let mut a = DeviceBuffer::from_host(&values.a, stream)?;
    let mut b = DeviceBuffer::from_host(&values.b, stream)?;
    domain.product(&mut a, &mut b, stream)?;
    drop(b);
    let mut c = DeviceBuffer::from_host(&values.c, stream)?;
    domain.finish(&mut a, &mut c, stream)?;
    a.to_host(stream)
}

/// Times h over the domains of [`TIMED`] up to 2^`log2`, each checked first, and returns a line for each.
///
/// # Errors
/// What went wrong, in words: a wrong h too.
pub fn times(device: &Device, log2: u32, seed: u64) -> Result<Vec<String>, String> {
    let mut lines = Vec::new();
    for log2 in TIMED.into_iter().filter(|size| *size <= log2) {
        let seconds = sorted(checked(device, log2, seed)?);
        let milliseconds = |i: usize| seconds[i] * 1e3;
        let (multiplications, bytes) = (multiplications_of_h(log2), bytes(log2));
        lines.push(format!(
            "h over 2^{log2}: median {:.3} ms, from {:.3} to {:.3} in {RUNS} runs; {:.1} G multiplications a second; \
             floor {:.3} ms of multiplications, {:.3} ms of memory",
            milliseconds(RUNS / 2),
            milliseconds(0),
            milliseconds(RUNS - 1),
            multiplications / seconds[RUNS / 2] / 1e9,
            seconds_of_h(log2) * 1e3,
            bytes / BYTES_A_SECOND * 1e3
        ));
    }
    Ok(lines)
}

/// The same times as rows of `bench/compare.sh`.
///
/// # Errors
/// What went wrong, in words: a wrong h too.
pub fn rows(device: &Device, log2: u32, seed: u64) -> Result<(), String> {
    for log2 in TIMED.into_iter().filter(|size| *size <= log2) {
        let row = Row::new(format!("h 2^{log2}"), "interlock", checked(device, log2, seed)?);
        println!("{}", Row { floor: Some(seconds_of_h(log2)), right: Some(true), ..row });
    }
    Ok(())
}

/// Checks h over 2^`log2` points and returns the seconds of each run.
fn checked(device: &Device, log2: u32, seed: u64) -> Result<Vec<f64>, String> {
    let values = Values { a: random(1 << log2, seed), b: random(1 << log2, seed + 1), c: random(1 << log2, seed + 2) };
    let integers = h(log2, &values, &device.stream).map_err(|error| format!("h over 2^{log2}: {error}"))?;
    let coefficients: Vec<_> = integers.par_iter().map(from_integer).collect();
    if coefficients.par_iter().map(integer).ne(integers) {
        return Err(format!("h over 2^{log2} has coefficients that are not below the group order"));
    }
    identity::check(log2, [&values.a, &values.b, &values.c], &coefficients, seed)?;
    run(log2, &values, &device.stream).map_err(|error| format!("h over 2^{log2}: {error}"))
}

/// The seconds of each run but the first. Each works on what the last one left.
fn run(log2: u32, values: &Values, stream: &Stream) -> Result<Vec<f64>, Error> {
    let domain = domain(log2, stream)?;
    let mut a = DeviceBuffer::from_host(&values.a, stream)?;
    let mut b = DeviceBuffer::from_host(&values.b, stream)?;
    let mut c = DeviceBuffer::from_host(&values.c, stream)?;
    let mut seconds = Vec::new();
    for run in 0..=RUNS {
        let start = Event::record(stream)?;
        domain.product(&mut a, &mut b, stream)?;
        domain.finish(&mut a, &mut c, stream)?;
        let took = Event::record(stream)?.seconds_since(&start)?;
        if run > 0 {
            seconds.push(took);
        }
    }
    Ok(seconds)
}

/// What the passes read and write: with p of them before the blocks, 6p − 2 transform a vector; with the blocks go two vectors
/// each way and then two and back one, and with the product the same.
fn bytes(log2: u32) -> f64 {
    let passes = f64::from((log2 - 9).div_ceil(8));
    (64.0 * (6.0 * passes - 2.0) + 128.0 + 96.0 + 96.0) * f64::from(log2).exp2()
}
