//! The command line.

use std::path::PathBuf;

use interlock::settings::BackendChoice;

const USAGE: &str = "usage: interlock-bench-prove [--backend gpu|cpu] [--warm N] [--check K] [--compare] [--folder FOLDER] [--trace FILE] [--workers N] K...
  K...               sizes, as log2 of the domain
  --backend gpu|cpu  what proves (gpu)
  --warm N           proofs timed after the first (5)
  --check K          proofs are checked up to this size (24)
  --compare          prints rows for bench/compare.sh, and leaves parameters, circuits and proofs in FOLDER/K for others
  --folder FOLDER    where parameter files go, one at a time: 400 bytes times the domain's size (the system's temporary folder)
  --trace FILE       says what a trace costs, has workers prove at once, and leaves the trace of that in FILE, of the last size
  --workers N        how many of them (3)";

/// What was asked for.
pub struct Options {
    pub backend: BackendChoice,
    pub warm: usize,
    pub check_up_to: u32,
    pub compare: bool,
    pub folder: PathBuf,
    pub trace: Option<PathBuf>,
    pub workers: usize,
    pub sizes: Vec<u32>,
}

impl Options {
    /// # Errors
    /// What is wrong, and the usage.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            backend: BackendChoice::Gpu,
            warm: 5,
            check_up_to: 24,
            compare: false,
            folder: std::env::temp_dir(),
            trace: None,
            workers: 3,
            sizes: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} lacks its value\n{USAGE}"));
            match argument.as_str() {
                "--backend" => options.backend = backend(&value()?)?,
                "--warm" => options.warm = number(&value()?, 1, 1_000)?,
                "--check" => options.check_up_to = number(&value()?, 0, 31)? as u32,
                "--compare" => options.compare = true,
                "--folder" => options.folder = value()?.into(),
                "--trace" => options.trace = Some(value()?.into()),
                "--workers" => options.workers = number(&value()?, 1, 64)?,
                size => options.sizes.push(number(size, 4, 31)? as u32),
            }
        }
        if options.sizes.is_empty() {
            return Err(USAGE.to_owned());
        }
        Ok(options)
    }
}

fn backend(name: &str) -> Result<BackendChoice, String> {
    match name {
        "gpu" => Ok(BackendChoice::Gpu),
        "cpu" => Ok(BackendChoice::Cpu),
        other => Err(format!("{other:?} is no backend\n{USAGE}")),
    }
}

fn number(text: &str, least: usize, most: usize) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| format!("{text:?} is no number from {least} to {most}\n{USAGE}"))
}
