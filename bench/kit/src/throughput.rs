//! How many operations a second the device does, by the blocks that each multiprocessor is given.

use std::ffi::{c_int, c_uint, c_void};

use blst::*;
use interlock::kit::{check, DeviceBuffer, Event, Plain, Stream, G1, G2};
use interlock::Error;
use rayon::prelude::*;

use crate::device::Device;
use crate::inputs::{self, Field, Random};
use crate::msm::{is_same, Known, Points};
use crate::operations::{blst_out, fr_one, One};

const BLOCK: usize = 128;
const RUNS: usize = 11;

type OnValues = unsafe extern "C" fn(*mut c_void, c_uint, c_uint, *mut c_void) -> c_int;
type OnPoints = unsafe extern "C" fn(*mut c_void, *const c_void, c_uint, c_uint, c_uint, *mut c_void) -> c_int;

/// Declares kernels, [`OnValues`] and then [`OnPoints`], each after the function that tells how many of its blocks a multiprocessor holds.
macro_rules! kernels {
    ($($most_on_values:ident $on_values:ident),*; $($most_on_points:ident $on_points:ident),*) => {
        extern "C" {
            fn kit_multiprocessors() -> c_int;
            $(
                fn $most_on_values() -> c_int;
                fn $on_values(values: *mut c_void, n: c_uint, blocks: c_uint, stream: *mut c_void) -> c_int;
            )*
            $(
                fn $most_on_points() -> c_int;
                fn $on_points(
                    sums: *mut c_void,
                    table: *const c_void,
                    points: c_uint,
                    n: c_uint,
                    blocks: c_uint,
                    stream: *mut c_void,
                ) -> c_int;
            )*
        }
    };
}

kernels! {
    kit_multiply_fp_most kit_multiply_fp,
    kit_square_fp_most kit_square_fp,
    kit_multiply_fr_most kit_multiply_fr,
    kit_multiply_by_fr_most kit_multiply_by_fr,
    kit_multiply_fp39_most kit_multiply_fp39,
    kit_square_fp39_most kit_square_fp39;
    kit_accumulate_g1_most kit_accumulate_g1,
    kit_accumulate_g1_39_most kit_accumulate_g1_39,
    kit_accumulate_g2_39_most kit_accumulate_g2_39
}

/// Times everything and prints a line for each operation.
///
/// # Errors
/// What went wrong, in words: wrong values too.
pub fn all(device: &Device) -> Result<(), String> {
    let stream = &device.stream;
    // SAFETY: these take nothing.
    let [fp, squares, fr, g1] =
        unsafe { [kit_multiply_fp_most(), kit_square_fp_most(), kit_multiply_fr_most(), kit_accumulate_g1_most()] };
    // SAFETY: nor do these.
    let [fp39, squares39, g1_39, g2_39, fr_by] = unsafe {
        [
            kit_multiply_fp39_most(),
            kit_square_fp39_most(),
            kit_accumulate_g1_39_most(),
            kit_accumulate_g2_39_most(),
            kit_multiply_by_fr_most(),
        ]
    };
    let multiplied = |x: &blst_fp, y: &blst_fp| {
        let x = blst_out!(blst_fp, blst_fp_mul(x, y));
        (x, blst_out!(blst_fp, blst_fp_mul(y, &x)))
    };
    let squared = |x: &blst_fp, y: &blst_fp| (blst_out!(blst_fp, blst_fp_sqr(x)), blst_out!(blst_fp, blst_fp_sqr(y)));
    by_blocks("Fp multiplication", fp, |blocks| on_values(stream, blocks, kit_multiply_fp, multiplied))?;
    by_blocks("Fp squaring", squares, |blocks| on_values(stream, blocks, kit_square_fp, squared))?;
    by_blocks("Fp multiplication, digits of 39 bits", fp39, |blocks| {
        on_values(stream, blocks, kit_multiply_fp39, multiplied)
    })?;
    by_blocks("Fp squaring, digits of 39 bits", squares39, |blocks| {
        on_values(stream, blocks, kit_square_fp39, squared)
    })?;
    by_blocks("Fr multiplication", fr, |blocks| {
        on_values(stream, blocks, kit_multiply_fr, |x, y| {
            let x = blst_out!(blst_fr, blst_fr_mul(x, y));
            (x, blst_out!(blst_fr, blst_fr_mul(y, &x)))
        })
    })?;
    by_blocks("Fr multiplication by a number with its quotient", fr_by, |blocks| {
        on_values(stream, blocks, kit_multiply_by_fr, |x, y| {
            let once = blst_out!(blst_fr, blst_fr_mul(x, y));
            (blst_out!(blst_fr, blst_fr_mul(&once, y)), *y)
        })
    })?;
    by_blocks("G1 mixed addition (XYZZ)", g1, |blocks| additions::<G1>(stream, blocks, 1, kit_accumulate_g1))?;
    by_blocks("G1 mixed addition (XYZZ), digits of 39 bits", g1_39, |blocks| {
        additions::<G1>(stream, blocks, 1, kit_accumulate_g1_39)
    })?;
    by_blocks("G2 mixed addition (XYZZ), digits of 39 bits, pairs of lanes", g2_39, |blocks| {
        additions::<G2>(stream, blocks, 2, kit_accumulate_g2_39)
    })
}

/// Measures with 1, 2, … up to `most` blocks a multiprocessor; `rates` takes the number of blocks in all and returns the
/// operations a second of each run.
fn by_blocks(what: &str, most: c_int, rates: impl Fn(c_uint) -> Result<Vec<f64>, String>) -> Result<(), String> {
    // SAFETY: it takes nothing.
    let processors = unsafe { kit_multiprocessors() };
    if most <= 0 || processors <= 0 {
        return Err(format!("{what}: CUDA error {}", -most.min(processors)));
    }
    let mut lines = Vec::new();
    for blocks in 1..=most {
        let mut rates = rates((processors * blocks).unsigned_abs()).map_err(|error| format!("{what}: {error}"))?;
        rates.sort_by(f64::total_cmp);
        lines.push((rates[RUNS / 2], rates[0], rates[RUNS - 1], blocks));
    }
    let by_blocks: Vec<_> = lines.iter().map(|(median, .., blocks)| format!("{blocks}: {:.2}", median / 1e9)).collect();
    if let Some((median, least, greatest, blocks)) = lines.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
        println!(
            "{what}: median {:.2} G/s, from {:.2} to {:.2} in {RUNS} runs with {blocks} blocks of {BLOCK} threads a multiprocessor",
            median / 1e9,
            least / 1e9,
            greatest / 1e9
        );
    }
    println!("    by blocks: {}", by_blocks.join(", "));
    Ok(())
}

/// `launch` on two values a thread, each turn of whose loop is two operations: `turn`.
fn on_values<F>(
    stream: &Stream,
    blocks: c_uint,
    launch: OnValues,
    turn: fn(&F, &F) -> (F, F),
) -> Result<Vec<f64>, String>
where
    F: Field + std::fmt::Debug,
    One<F>: Plain,
{
    const N: c_uint = 8000;
    let threads = blocks as usize * BLOCK;
    let input = inputs::ones::<F>(2 * threads, &mut Random(7));
    let run = || -> Result<_, Error> {
        let values = DeviceBuffer::from_host(&input, stream)?;
        let start = Event::record(stream)?;
        // SAFETY: each of the threads reads and writes two values, of which there are as many.
        check("a kernel on values", unsafe { launch(values.as_raw(), N, blocks, stream.as_raw().cast()) })?;
        let took = Event::record(stream)?.seconds_since(&start)?;
        Ok((f64::from(N) * threads as f64 / took, values.to_host(stream)?))
    };
    let (_, output) = run().map_err(|error| error.to_string())?;
    for thread in [0, 1, BLOCK - 1, threads - 1] {
        let (mut x, mut y) = (input[2 * thread].0, input[2 * thread + 1].0);
        for _ in 0..N / 2 {
            (x, y) = turn(&x, &y);
        }
        if (x, y) != (output[2 * thread].0, output[2 * thread + 1].0) {
            return Err(format!("thread {thread} has {:x?} where {x:x?} should be", output[2 * thread]));
        }
    }
    (0..RUNS).map(|_| Ok(run()?.0)).collect::<Result<_, Error>>().map_err(|error| error.to_string())
}

/// A sum of points in each `lanes` threads.
fn additions<G: Known>(stream: &Stream, blocks: c_uint, lanes: usize, launch: OnPoints) -> Result<Vec<f64>, String> {
    const N: c_uint = 2000;
    const TABLE: usize = 512;
    let n = blocks as usize * BLOCK / lanes;
    let table = Points::<G>::new(TABLE, &mut Random(8));
    let run = || -> Result<_, Error> {
        let points = DeviceBuffer::from_host(&table.points, stream)?;
        let sums = DeviceBuffer::<G::Sum>::new(n)?;
        let start = Event::record(stream)?;
        let (sums_at, points_at, stream_at) = (sums.as_raw(), points.as_raw(), stream.as_raw().cast());
        // SAFETY: the threads write one sum each, or each `lanes` of them, and read the table's points.
        check("the kernel of additions", unsafe { launch(sums_at, points_at, TABLE as c_uint, N, blocks, stream_at) })?;
        let took = Event::record(stream)?.seconds_since(&start)?;
        Ok((f64::from(N) * n as f64 / took, sums.to_host(stream)?))
    };
    let (_, sums) = run().map_err(|error| error.to_string())?;
    for i in [0, 1, BLOCK / lanes - 1, n - 1] {
        let expected = table.expected((0..N as usize).into_par_iter().map(|k| (i + 13 * k, fr_one())));
        if !is_same::<G>(&G::to_jacobian(&sums[i]), &expected) {
            return Err(format!("sum {i} is wrong"));
        }
    }
    (0..RUNS).map(|_| Ok(run()?.0)).collect::<Result<_, Error>>().map_err(|error| error.to_string())
}
