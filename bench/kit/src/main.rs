//! Checks the field and curve arithmetic of interlock's kernels against blst, on the host and on a GPU, and times it.

mod check;
#[cfg(device)]
mod device;
mod host;
mod inputs;
mod operations;
#[cfg(device)]
mod throughput;

use check::Plain;
use operations::{One, Pair, Points};

// SAFETY: integers without padding: the sizes are multiples of the alignment.
unsafe impl<T: Copy> Plain for One<T> {}
// SAFETY: as above.
unsafe impl<T: Copy> Plain for Pair<T> {}
// SAFETY: as above.
unsafe impl<A: Copy, F: Copy> Plain for Points<A, F> {}

const USAGE: &str = "usage: interlock-kit devices | host N | device N | throughput
  devices      lists the GPUs
  host N       compares N results of every operation on the host with blst's
  device N     the same on the first GPU
  throughput   times multiplications and additions on the first GPU";

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
