//! sppark from crates.io on the work that `interlock-kit compare` does: MSMs in G1, and h from the values of a, b and c.
//!
//! `interlock-peer-sppark MSM H` prints a row for bench/compare.sh for each size of MSM up to 2^MSM terms and of h up to 2^H points. All is in
//! device memory. Every MSM is checked, h once, over 2^16 points.

mod calls;
mod check;
mod field;

use interlock_bench_measure::Row;

const PROVER: &str = "sppark 0.1.16";
/// log2 of the sizes.
const SIZES: [u32; 5] = [20, 22, 24, 26, 27];
const RUNS: usize = 9;
/// log2 of the size of h that is checked.
const CHECKED: u32 = 16;

fn main() {
    let numbers: Option<Vec<u32>> = std::env::args().skip(1).map(|word| word.parse().ok()).collect();
    let outcome = match numbers.as_deref() {
        Some([msm, h]) => all(*msm, *h),
        _ => Err("usage: interlock-peer-sppark MSM H, log2 of the largest sizes".to_owned()),
    };
    if let Err(what) = outcome {
        eprintln!("{what}");
        std::process::exit(1);
    }
}

fn all(largest_msm: u32, largest_h: u32) -> Result<(), String> {
    let tile = check::tile();
    for log2 in SIZES.into_iter().filter(|log2| *log2 <= largest_msm) {
        let msm = calls::msm(log2, &tile, RUNS)?;
        let right = Some(check::is_right(&msm));
        println!("{}", Row { right, ..Row::new(format!("G1 MSM 2^{log2}"), PROVER, msm.seconds) });
    }
    let (values, h) = calls::h(CHECKED)?;
    let right = Some(check::is_quotient(CHECKED, &values, &h));
    for log2 in SIZES.into_iter().filter(|log2| *log2 <= largest_h) {
        println!("{}", Row { right, ..Row::new(format!("h 2^{log2}"), PROVER, calls::h_times(log2, RUNS)?) });
    }
    Ok(())
}
