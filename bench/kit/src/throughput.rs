//! How many operations a second the device does.

use std::ffi::{c_int, c_uint, c_void};

use blst::*;
use interlock::kit::{check, DeviceBuffer, Event, Plain, Stream};
use interlock::Error;

use crate::device::Device;
use crate::inputs::{self, Field, Random};
use crate::operations::{blst_out, One};

const BLOCK: usize = 128;
const RUNS: usize = 11;

extern "C" {
    fn kit_multiply_fp_blocks() -> c_int;
    fn kit_multiply_fp(values: *mut c_void, n: c_uint, blocks: c_uint, stream: *mut c_void) -> c_int;
    fn kit_square_fp_blocks() -> c_int;
    fn kit_square_fp(values: *mut c_void, n: c_uint, blocks: c_uint, stream: *mut c_void) -> c_int;
    fn kit_multiply_fr_blocks() -> c_int;
    fn kit_multiply_fr(values: *mut c_void, n: c_uint, blocks: c_uint, stream: *mut c_void) -> c_int;
    fn kit_accumulate_g1_blocks() -> c_int;
    fn kit_accumulate_g1(
        sums: *mut c_void,
        table: *const c_void,
        points: c_uint,
        n: c_uint,
        blocks: c_uint,
        stream: *mut c_void,
    ) -> c_int;
}

/// Times everything and returns a line for each.
///
/// # Errors
/// What went wrong, in words: wrong values too.
pub fn all(device: &Device) -> Result<Vec<String>, String> {
    let stream = &device.stream;
    // SAFETY: these take nothing.
    let [fp, fp_squares] = unsafe { [kit_multiply_fp_blocks(), kit_square_fp_blocks()] };
    let timings = [
        on_values("Fp multiplication", stream, fp, kit_multiply_fp, |x, y| {
            let x = blst_out!(blst_fp, blst_fp_mul(x, y));
            (x, blst_out!(blst_fp, blst_fp_mul(y, &x)))
        })?,
        on_values("Fp squaring", stream, fp_squares, kit_square_fp, |x, y| {
            (blst_out!(blst_fp, blst_fp_sqr(x)), blst_out!(blst_fp, blst_fp_sqr(y)))
        })?,
        fr_multiplications(stream)?,
        additions(stream)?,
    ];
    Ok(timings.into_iter().map(Timing::line).collect())
}

/// Times multiplications in Fr.
///
/// # Errors
/// What went wrong, in words: wrong values too.
pub fn fr_multiplications(stream: &Stream) -> Result<Timing, String> {
    // SAFETY: it takes nothing.
    let blocks = unsafe { kit_multiply_fr_blocks() };
    on_values("Fr multiplication", stream, blocks, kit_multiply_fr, |x, y| {
        let x = blst_out!(blst_fr, blst_fr_mul(x, y));
        (x, blst_out!(blst_fr, blst_fr_mul(y, &x)))
    })
}

type Launch = unsafe extern "C" fn(*mut c_void, c_uint, c_uint, *mut c_void) -> c_int;

fn on_values<F>(
    what: &'static str,
    stream: &Stream,
    blocks: c_int,
    launch: Launch,
    turn: fn(&F, &F) -> (F, F),
) -> Result<Timing, String>
where
    F: Field + std::fmt::Debug,
    One<F>: Plain,
{
    const N: c_uint = 20_000;
    let blocks = c_uint::try_from(blocks).map_err(|_| format!("{what}: CUDA error {}", -blocks))?;
    let threads = blocks as usize * BLOCK;
    let input = inputs::ones::<F>(2 * threads, &mut Random(7));
    let mut seconds = Vec::new();
    for run in 0..=RUNS {
        let timed = || -> Result<_, Error> {
            let values = DeviceBuffer::from_host(&input, stream)?;
            let start = Event::record(stream)?;
            // SAFETY: each of the threads reads and writes two values, of which there are as many.
            check(what, unsafe { launch(values.as_raw(), N, blocks, stream.as_raw().cast()) })?;
            let took = Event::record(stream)?.seconds_since(&start)?;
            Ok((took, values.to_host(stream)?))
        };
        let (took, output) = timed().map_err(|error| format!("{what}: {error}"))?;
        if run == 0 {
            verify(what, &input, &output, N, turn)?;
        } else {
            seconds.push(took);
        }
    }
    Ok(Timing::new(what, f64::from(N) * threads as f64, seconds, blocks))
}

/// Follows the chains of a few threads.
fn verify<F: Field + std::fmt::Debug>(
    what: &str,
    input: &[One<F>],
    output: &[One<F>],
    n: c_uint,
    turn: fn(&F, &F) -> (F, F),
) -> Result<(), String> {
    for thread in [0, 1, BLOCK + 5, input.len() / 2 - 1] {
        let (mut x, mut y) = (input[2 * thread].0, input[2 * thread + 1].0);
        for _ in 0..n / 2 {
            (x, y) = turn(&x, &y);
        }
        if (x, y) != (output[2 * thread].0, output[2 * thread + 1].0) {
            return Err(format!("{what}: thread {thread} has {:x?} where {x:x?} should be", output[2 * thread]));
        }
    }
    Ok(())
}

fn additions(stream: &Stream) -> Result<Timing, String> {
    const N: c_uint = 4000;
    const TABLE: usize = 512;
    let what = "G1 mixed addition (XYZZ)";
    // SAFETY: it takes nothing.
    let blocks = unsafe { kit_accumulate_g1_blocks() };
    let blocks = c_uint::try_from(blocks).map_err(|_| format!("{what}: CUDA error {}", -blocks))?;
    let threads = blocks as usize * BLOCK;
    let table: Vec<_> = inputs::distinct_g1(TABLE).into_iter().map(One).collect();
    let mut seconds = Vec::new();
    for run in 0..=RUNS {
        let timed = || -> Result<_, Error> {
            let table = DeviceBuffer::from_host(&table, stream)?;
            let sums = DeviceBuffer::<[u64; 24]>::new(threads)?;
            let start = Event::record(stream)?;
            let (sums_at, table_at, stream_at) = (sums.as_raw(), table.as_raw(), stream.as_raw().cast());
            // SAFETY: each of the threads writes one sum of four coordinates and reads the table's points.
            check("kit_accumulate", unsafe {
                kit_accumulate_g1(sums_at, table_at, TABLE as c_uint, N, blocks, stream_at)
            })?;
            let took = Event::record(stream)?.seconds_since(&start)?;
            Ok((took, sums.to_host(stream)?))
        };
        let (took, sums) = timed().map_err(|error| format!("{what}: {error}"))?;
        if run == 0 {
            for thread in [0, 1, threads - 1] {
                let mut expected = blst_p1::default();
                for k in 0..N as usize {
                    let point = &table[(thread + 13 * k) % TABLE].0;
                    // SAFETY: three points, the first of which may be the second.
                    unsafe { blst_p1_add_or_double_affine(&mut expected, &expected, point) };
                }
                if !is_same(&sums[thread], &expected) {
                    return Err(format!("{what}: the sum of thread {thread} is wrong"));
                }
            }
        } else {
            seconds.push(took);
        }
    }
    Ok(Timing::new(what, f64::from(N) * threads as f64, seconds, blocks))
}

/// Whether XYZZ coordinates are those of a point: x·1 = X·zz and y·1 = Y·zzz for its affine X, Y.
fn is_same(xyzz: &[u64; 24], point: &blst_p1) -> bool {
    let coordinate = |i: usize| {
        let mut fp = blst_fp::default();
        fp.l.copy_from_slice(&xyzz[6 * i..6 * i + 6]);
        fp
    };
    let affine = blst_out!(blst_p1_affine, blst_p1_to_affine(point));
    coordinate(0) == blst_out!(blst_fp, blst_fp_mul(&affine.x, &coordinate(2)))
        && coordinate(1) == blst_out!(blst_fp, blst_fp_mul(&affine.y, &coordinate(3)))
}

/// How long a number of operations took, run after run.
pub struct Timing {
    what: &'static str,
    operations: f64,
    /// Sorted.
    seconds: Vec<f64>,
    blocks: c_uint,
}

impl Timing {
    fn new(what: &'static str, operations: f64, mut seconds: Vec<f64>, blocks: c_uint) -> Self {
        seconds.sort_by(f64::total_cmp);
        Self { what, operations, seconds, blocks }
    }

    /// Operations a second in the median run.
    pub fn rate(&self) -> f64 {
        self.operations / self.seconds[RUNS / 2]
    }

    fn line(self) -> String {
        let rate = |run: usize| self.operations / self.seconds[run] / 1e9;
        format!(
            "{}: median {:.2} G/s, from {:.2} to {:.2} in {RUNS} runs of {:.1} ms; {} blocks of {BLOCK} threads",
            self.what,
            rate(RUNS / 2),
            rate(RUNS - 1),
            rate(0),
            self.seconds[RUNS / 2] * 1e3,
            self.blocks
        )
    }
}
