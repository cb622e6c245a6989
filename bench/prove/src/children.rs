//! A process for each proof, as Curio has them: what a new one takes before its first proof, and how much of that a process that
//! stays has behind it.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use interlock::curve::Proof;
use interlock::settings::BackendChoice;
use interlock::{prove, Srs};

use crate::circuit::{Densities, Made};
use crate::expected;
use crate::known::Logs;
use crate::options::Options;
use crate::prove_once;
use crate::work::{Sizes, POREP};

/// What a child prints once its circuit is made; it goes on when it reads a line.
const READY: &str = "ready";
/// What begins the line that a child prints at its end.
const DONE: &str = "done";

/// What a process took, in seconds, from one thing to the next.
#[derive(Clone, Copy, Debug)]
pub struct Cold {
    /// From its start by the parent to its first instruction in `main`.
    pub starting: f64,
    /// CUDA's: to find the devices, or that there are none.
    pub devices: f64,
    /// The parameters, from the page cache.
    pub loading: f64,
    /// The first proof.
    pub first: f64,
    /// The second, of the same circuit.
    pub second: f64,
    /// From its last word to its end, in which the system takes back its memory.
    pub ending: f64,
}

impl Cold {
    /// From start to end, but for the making of the circuit and the second proof: what one proof costs.
    pub fn of_one_proof(&self) -> f64 {
        self.starting + self.devices + self.loading + self.first + self.ending
    }
}

/// Has `count` processes at once prove the PoRep-shaped circuit of this size with the parameters at `params`, on the GPU that
/// `CUDA_VISIBLE_DEVICES` shows first.
///
/// # Errors
/// What one of them said.
pub fn measure(log2: u32, params: &Path, options: &Options, count: usize) -> Result<Vec<Cold>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let device = std::env::var("CUDA_VISIBLE_DEVICES").unwrap_or_default();
    let device = device.split(',').next().filter(|first| !first.is_empty()).unwrap_or("0");
    let start = || {
        let mut command = Command::new(&program);
        command.args(["--backend", if options.backend == BackendChoice::Cpu { "cpu" } else { "gpu" }]);
        command.args(["--check", &options.check_up_to.to_string(), "--child"]).arg(params).arg(log2.to_string());
        command.env("CUDA_VISIBLE_DEVICES", device).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.env(STARTED, seconds_of_the_clock().to_string());
        command.spawn().map_err(|error| error.to_string())
    };
    let mut children: Vec<Child> = (0..count).map(|_| start()).collect::<Result<_, _>>()?;
    let mut said: Vec<_> = children.iter_mut().map(|child| child.stdout.take().map(BufReader::new)).collect();
    for out in said.iter_mut().flatten() {
        line_of(out, READY)?;
    }
    for child in &mut children {
        child.stdin.take().map_or(Ok(()), |mut go| go.write_all(b"go\n")).map_err(|error| error.to_string())?;
    }
    let ends = children.iter_mut().zip(said.into_iter().flatten());
    ends.map(|(child, mut out)| {
        let line = line_of(&mut out, DONE)?;
        let last_word = Instant::now();
        let status = child.wait().map_err(|error| error.to_string())?;
        let ending = last_word.elapsed().as_secs_f64();
        let numbers: Vec<f64> = line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let &[starting, devices, loading, first, second] = numbers.as_slice() else {
            return Err(format!("a child said {line:?}"));
        };
        if !status.success() {
            return Err(format!("a child ended with {status}"));
        }
        Ok(Cold { starting, devices, loading, first, second, ending })
    })
    .collect()
}

/// What follows `begin` in the next line.
fn line_of(out: &mut impl BufRead, begin: &str) -> Result<String, String> {
    let mut line = String::new();
    out.read_line(&mut line).map_err(|error| error.to_string())?;
    line.trim_end().strip_prefix(begin).map(str::to_owned).ok_or_else(|| format!("a child failed: it said {line:?}"))
}

/// The variable with which a child is told when it was started.
const STARTED: &str = "BENCH_CHILD_STARTED";

/// What a child does: it proves a circuit twice and says what that took. With `check` it sees to it that the proof is right.
///
/// # Errors
/// What went wrong.
pub fn be_one(log2: u32, params: &Path, check: bool) -> Result<(), String> {
    let now = seconds_of_the_clock();
    let started: f64 = std::env::var(STARTED).ok().and_then(|started| started.parse().ok()).unwrap_or(now);
    let densities = Densities::new(Sizes::of(log2));
    let made = Made::new(&densities, &POREP);
    println!("{READY}");
    std::io::stdin().read_line(&mut String::new()).map_err(|error| error.to_string())?;

    let told = |error: interlock::Error| error.to_string();
    let mut times = vec![now - started];
    let mut timed = |start: Instant| times.push(start.elapsed().as_secs_f64());
    let start = Instant::now();
    prove::current().map_err(told)?;
    timed(start);
    let start = Instant::now();
    let srs = Srs::open(params, false).map_err(told)?;
    timed(start);
    let proofs: Vec<Proof> = (0..2)
        .map(|_| {
            let start = Instant::now();
            let proof = prove_once(&made, &srs)?;
            timed(start);
            Ok(proof)
        })
        .collect::<Result<_, String>>()?;
    let right = !check || proofs[0] == expected::proof(&made, &Logs::new())?;
    if proofs[0] != proofs[1] || !right {
        return Err("a proof is WRONG".to_owned());
    }
    println!("{DONE} {}", times.iter().map(f64::to_string).collect::<Vec<_>>().join(" "));
    Ok(())
}

/// The clock that processes share.
fn seconds_of_the_clock() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0.0, |since| since.as_secs_f64())
}
