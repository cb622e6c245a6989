//! The command line.

use std::path::PathBuf;

use interlock::settings::BackendChoice;

const USAGE: &str = "usage: interlock-bench-prove [--backend gpu|cpu] [--warm N] [--check K] [--compare] [--folder FOLDER] [--keep] [--trace FILE [--cost]]
                             [--workers W,W... [--calls N] [--circuits C] [--overlap] [--parameters P]] [--children N,N...] K...
       interlock-bench-prove --least K...
  K...               sizes, as log2 of the domain
  --backend gpu|cpu  what proves (gpu)
  --warm N           proofs timed after the first (5)
  --check K          proofs are checked up to this size (27)
  --compare          prints rows for bench/compare.sh, and leaves parameters, circuits and proofs in FOLDER/K for others
  --folder FOLDER    where parameter files go, one at a time: 400 bytes times the domain's size (the system's temporary folder)
  --keep             leaves parameters in FOLDER/K, and takes them from there where they are
  --workers W,W...   has so many threads prove the PoRep mix at once, and after them so many; without --compare nothing else is timed
  --calls N          calls of so many threads that are timed, at least, and two of each, after one of each (8)
  --circuits C       circuits of a call (1)
  --overlap          each has two calls in flight: one is started before the last is finished
  --parameters P     they prove with so many parameter files by turns, which have the same content (1)
  --children N,N...  then has so many new processes at once prove the PoRep mix, on the first GPU, and after them so many: what each takes
                     to start, to load the parameters and for its first proof. Give each a share of the memory with INTERLOCK_VRAM_BUDGET
  --trace FILE       sets INTERLOCK_TRACE to FILE, which has the trace of the last workers in the end, or that of --cost without workers
  --least            prints the least budget of device memory, in bytes, that a circuit of each size can be proved within
  --cost             says what a trace costs: proofs with and without one in turn";

/// What was asked for.
pub struct Options {
    pub backend: BackendChoice,
    pub warm: usize,
    pub check_up_to: u32,
    pub compare: bool,
    pub folder: PathBuf,
    pub keep: bool,
    pub workers: Vec<usize>,
    pub calls: usize,
    pub circuits: usize,
    pub overlap: bool,
    pub parameters: usize,
    pub trace: Option<PathBuf>,
    pub cost: bool,
    pub least: bool,
    pub children: Vec<usize>,
    /// The parameters, if this process is one of `--children`.
    pub child: Option<PathBuf>,
    pub sizes: Vec<u32>,
}

impl Options {
    /// # Errors
    /// What is wrong, and the usage.
    pub fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            backend: BackendChoice::Gpu,
            warm: 5,
            check_up_to: 27,
            compare: false,
            folder: std::env::temp_dir(),
            keep: false,
            workers: Vec::new(),
            calls: 8,
            circuits: 1,
            overlap: false,
            parameters: 1,
            trace: None,
            cost: false,
            least: false,
            children: Vec::new(),
            child: None,
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
                "--keep" => options.keep = true,
                "--workers" => {
                    let each = |count| number(count, 1, 64);
                    options.workers = value()?.split(',').map(each).collect::<Result<_, _>>()?;
                }
                "--calls" => options.calls = number(&value()?, 1, 10_000)?,
                "--children" => {
                    let each = |count| number(count, 1, 64);
                    options.children = value()?.split(',').map(each).collect::<Result<_, _>>()?;
                }
                "--child" => options.child = Some(value()?.into()),
                "--circuits" => options.circuits = number(&value()?, 1, 100)?,
                "--overlap" => options.overlap = true,
                "--parameters" => options.parameters = number(&value()?, 1, 16)?,
                "--trace" => options.trace = Some(value()?.into()),
                "--cost" => options.cost = true,
                "--least" => options.least = true,
                size => options.sizes.push(number(size, 4, 31)? as u32),
            }
        }
        if options.sizes.is_empty() || options.cost && options.trace.is_none() {
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
