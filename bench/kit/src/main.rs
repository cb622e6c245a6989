//! Checks the field and curve arithmetic of interlock's kernels against blst, on the host and on a GPU, and times it.

mod check;
#[cfg(device)]
mod device;
#[cfg(device)]
mod faults;
mod host;
#[cfg(device)]
mod identity;
mod inputs;
#[cfg(device)]
mod loading;
#[cfg(device)]
mod msm;
mod operations;
#[cfg(device)]
mod quotient;
mod scalar;
mod shapes;
#[cfg(device)]
mod throughput;
#[cfg(device)]
mod traced;
#[cfg(device)]
mod uploads;
#[cfg(device)]
mod warm;

use std::time::SystemTime;

use check::Plain;
use interlock::prove::{Residence, Vectors};
use interlock::settings::BackendChoice;
use operations::{One, Pair, Points};

// SAFETY: integers without padding: the sizes are multiples of the alignment.
unsafe impl<T: Copy> Plain for One<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Plain for Pair<T> {}
// SAFETY: as above.
unsafe impl<A: Copy, F: Copy> Plain for Points<A, F> {}

const USAGE: &str =
    "usage: interlock-kit devices | host N | device N | throughput | quotient K | quotient-few |
                     quotient-times K | msm N | msm-few | msm-time LOG | msm-multiples LOG |
                     msm-sweep GROUP LOG FROM TO | load N | shapes [N] [SEED [VARIANT]] | variants N SEED PROCESSES | budgets PARAMS |
                     uploads N | uploads-apart | uploads-time LOG | warm | faults [N] |
                     traced [FILE] |
                     compare LOG K
  devices      lists the GPUs
  host N       compares N results of every operation on the host with blst's
  device N     the same on the first GPU
  throughput   times multiplications and additions on the first GPU
  quotient K   compares the polynomial h over domains of 2 to 2^K points on the first GPU with the CPU's
  quotient-few the same for three small domains, for compute-sanitizer
  quotient-times K   times it over large domains of up to 2^K points
  msm N        compares MSMs, sums, decoding, and lists and copies of terms of up to N with blst's and the CPU's on the first GPU
  msm-few      the same for a few MSMs, sums and copies, for compute-sanitizer
  msm-time LOG times MSMs of up to 2^LOG terms (from 12 on), sums and decoding
  msm-multiples LOG
               times those in G1 of up to 2^LOG terms whose points have multiples
  msm-sweep GROUP LOG FROM TO
               times MSMs of 2^LOG terms in g1 or g2 in many shapes, with windows of FROM to TO bits
  msm-sweep-parts LOG PART FROM TO SCRATCH
               times MSMs in G1 of 2^LOG terms that come PART at a time, with windows of FROM to TO bits and so many bytes of scratch
  load N       compares what the GPU's loader says of bad parameter files, N of them large, with what the CPU's says, and the
               points of a good one
  shapes [N] [SEED [VARIANT]]
               compares the proofs of N (200) random circuit shapes on a GPU with the CPU's, from a seed of now if none is given;
               VARIANT is `resident` or `streamed`, where parameters are, and how many of the vectors are in device memory
  uploads N    sends vectors of up to N scalars to the first GPU, from one thread and from several, and compares what it has then
  uploads-apart
               checks that uploads of two workers on the first GPU, and kernels, do not wait for uploads of two others that wait for kernels
  uploads-time LOG
               times the sending of 2^LOG scalars, and the making of their classes
  variants N SEED PROCESSES
               the same under the least budget of device memory of each variant of the prover that a shape has, in processes of their own,
               so many at once
  budgets PARAMS
               prints these budgets for the circuit of a parameter file
  warm         lists what a proof calls of CUDA on a GPU that has proved before, and fails if that takes or frees anything
  faults [N]   has each call of CUDA fail in turn, N (all) in each kind of work, and looks at what comes of it
  traced [FILE]
               checks the trace of proofs on a GPU, of one worker and of several, and leaves it in FILE
  compare LOG K
               prints rows of bench/compare.sh for MSMs of up to 2^LOG terms and h over up to 2^K points";

const SEED: u64 = 20_240_229;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["devices"] => devices(),
        ["host", n] => {
            number(n).and_then(|n| check::all(&host::Host, n, SEED)).map(|n| println!("host: {n} results are blst's"))
        }
        #[cfg(device)]
        ["device", n] => number(n).and_then(on_device),
        #[cfg(device)]
        ["throughput"] => device::Device::first().and_then(|device| throughput::all(&device)),
        #[cfg(device)]
        ["quotient-few"] => device::Device::first()
            .and_then(|device| quotient::check_few(&device, SEED))
            .map(|n| println!("device: {n} coefficients of h are the CPU's")),
        #[cfg(device)]
        ["quotient", log2] => domain(log2).and_then(|log2| {
            let compared = quotient::check(&device::Device::first()?, log2, SEED)?;
            println!("device: {compared} coefficients of h are the CPU's");
            Ok(())
        }),
        #[cfg(device)]
        ["quotient-times", log2] => domain(log2)
            .and_then(|log2| quotient::times(&device::Device::first()?, log2, SEED))
            .map(|lines| lines.iter().for_each(|line| println!("{line}"))),
        #[cfg(device)]
        ["msm", n] => number(n).and_then(check_msm),
        #[cfg(device)]
        ["msm-few"] => device::Device::first()
            .and_then(|device| Ok((msm::check_few(&device, SEED)?, msm::check_copying(&device, 90, SEED)?)))
            .map(|(n, copies)| println!("MSMs and sums: {n} results are blst's; {copies} copies of terms are right")),
        #[cfg(device)]
        ["msm-time", log] => {
            number(log).and_then(|log| msm::time(&device::Device::first()?, (log as u32).clamp(12, 30)))
        }
        #[cfg(device)]
        ["msm-multiples", log] => {
            number(log).and_then(|log| msm::time_with_multiples(&device::Device::first()?, (log as u32).clamp(20, 28)))
        }
        #[cfg(device)]
        ["msm-sweep", group, log, from, to] => number(log).and_then(|log| {
            let bits = number(from)? as u32..=number(to)? as u32;
            msm::sweep(&device::Device::first()?, group, log as u32, bits)
        }),
        #[cfg(device)]
        ["msm-sweep-parts", log, part, from, to, scratch] => number(log).and_then(|log| {
            let bits = number(from)? as u32..=number(to)? as u32;
            let (part, scratch) = (number(part)?.max(1), number(scratch)?);
            msm::sweep_parts(&device::Device::first()?, log as u32, part, bits, scratch)
        }),
        #[cfg(device)]
        ["load", n] => number(n)
            .and_then(|n| loading::check(n, SEED))
            .map(|n| println!("loading: {n} files are to the GPU what they are to the CPU")),
        #[cfg(device)]
        ["traced"] => traced::check(None).map(|said| println!("traced: {said}")),
        #[cfg(device)]
        ["traced", file] => traced::check(Some(file.as_ref())).map(|said| println!("traced: {said}")),
        #[cfg(device)]
        ["uploads", n] => number(n)
            .and_then(|n| uploads::check(&device::Device::first()?, n, SEED))
            .map(|n| println!("uploads: {n} are on the device as they were sent")),
        #[cfg(device)]
        ["uploads-apart"] => {
            device::Device::first().and_then(|device| uploads::check_apart(&device, SEED)).map(|took| {
                println!(
                    "uploads of two workers, and kernels, passed uploads of two others that waited, in {took:.1} ms"
                )
            })
        }
        #[cfg(device)]
        ["uploads-time", log] => {
            number(log).and_then(|log| uploads::time(&device::Device::first()?, (log as u32).clamp(1, 30), SEED))
        }
        #[cfg(device)]
        ["warm"] => warm::check().map(|said| println!("warm: {said}")),
        #[cfg(device)]
        ["faults"] => faults::check(usize::MAX),
        #[cfg(device)]
        ["faults", most] => number(most).and_then(|most| faults::check(most.max(1))),
        // Parts of that, in processes of their own.
        #[cfg(device)]
        ["faults-first", status] => number(status).and_then(|status| faults::first(status as i32)),
        #[cfg(device)]
        ["faults-in-a-row"] => faults::in_a_row(),
        #[cfg(device)]
        ["faults-resident", most] => number(most).and_then(faults::resident),
        #[cfg(device)]
        ["faults-streamed", most] => number(most).and_then(faults::streamed),
        #[cfg(device)]
        ["faults-lost", "none"] => faults::calls_of_a_proof(),
        #[cfg(device)]
        ["faults-lost", call] => number(call).and_then(faults::lose),
        ["shapes", n, seed, residence, vectors] => number(n).and_then(|n| {
            let seed = number(seed)? as u64;
            let (residence, vectors) = variant(residence, vectors)?;
            interlock::kit::force(residence, vectors);
            check_shapes(n, seed)
        }),
        ["budgets", params] => shapes::budgets(params.as_ref()).map(|said| println!("{said}")),
        ["variants", n, seed, processes] => number(n)
            .and_then(|n| shapes::check_variants(n, number(seed)? as u64, number(processes)?.clamp(1, 64)))
            .map(|said| println!("variants: {said}")),
        ["shapes"] => check_shapes(200, seed_of_now()),
        ["shapes", n] => number(n).and_then(|n| check_shapes(n, seed_of_now())),
        ["shapes", n, seed] => number(n).and_then(|n| check_shapes(n, number(seed)? as u64)),
        #[cfg(device)]
        ["compare", log, log2] => number(log).and_then(|log| {
            let device = device::Device::first()?;
            msm::compare(&device, (log as u32).clamp(20, 30))?;
            quotient::rows(&device, domain(log2)?, SEED)
        }),
        _ => Err(USAGE.to_owned()),
    };
    if let Err(what) = outcome {
        eprintln!("{what}");
        std::process::exit(1);
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text:?} is no number\n{USAGE}"))
}

#[cfg(device)]
fn check_msm(n: usize) -> Result<(), String> {
    let device = device::Device::first()?;
    println!("decoding: {} batches are blst's", msm::check_decoding(&device, n.clamp(1, 100_000), SEED)?);
    println!("listing: {} queries are as counted", msm::check_listing(&device, 20 * n, SEED)?);
    println!("copying: {} lists of terms are as they were", msm::check_copying(&device, n, SEED)?);
    println!("scratch: {} plans suffice", msm::planned_scratch()?);
    println!("MSMs: {} results are blst's", msm::check(&device, n, SEED)?);
    Ok(())
}

#[cfg(device)]
fn domain(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|log2| *log2 <= 32).ok_or_else(|| format!("{text:?} is no size of a domain\n{USAGE}"))
}

fn check_shapes(count: usize, seed: u64) -> Result<(), String> {
    shapes::check(count, seed, [BackendChoice::Gpu, BackendChoice::Cpu]).map(|said| println!("shapes: {said}"))
}

fn variant(residence: &str, vectors: &str) -> Result<(Residence, Vectors), String> {
    let residence = match residence {
        "resident" => Residence::Resident,
        "streamed" => Residence::Streamed,
        other => return Err(format!("{other:?} is neither resident nor streamed\n{USAGE}")),
    };
    let all = [Vectors::None, Vectors::One, Vectors::Two, Vectors::Three];
    let vectors = all.get(number(vectors)?).ok_or_else(|| format!("there are no {vectors} vectors\n{USAGE}"))?;
    Ok((residence, *vectors))
}

/// Another each second, with room for the seeds that follow it.
fn seed_of_now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    1_000 * since.map_or(0, |since| since.as_secs())
}

fn devices() -> Result<(), String> {
    for (i, device) in interlock::devices().map_err(|error| error.to_string())?.iter().enumerate() {
        let (major, minor) = device.compute_capability;
        let gib = device.memory as f64 / f64::from(1 << 30);
        println!(
            "{i}: {}, {gib:.1} GiB, compute capability {major}.{minor}, supported: {}",
            device.name, device.supported
        );
    }
    Ok(())
}

#[cfg(device)]
fn on_device(n: usize) -> Result<(), String> {
    let device = device::Device::first()?;
    let compared = check::all(&device, n, SEED)? + device::pointwise(&device, n, SEED)?;
    drop(device);
    println!("device: {compared} results are blst's");
    for (name, calls) in interlock::kit::counts().into_iter().filter(|(_, calls)| *calls > 0) {
        println!("  {name}: {calls} calls");
    }
    Ok(())
}
