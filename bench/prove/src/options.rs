//! The command line.

use std::path::PathBuf;

use interlock::settings::BackendChoice;

const USAGE: &str = "usage: interlock-bench-prove [--backend gpu|cpu] [--warm N] [--check K] [--compare] [--folder FOLDER] [--keep] [--trace FILE]
                             [--workers W,W... [--rounds N] [--circuits C] [--overlap]] [--children N,N...] K...
  K...               sizes, as log2 of the domain
  --backend gpu|cpu  what proves (gpu)
  --warm N           proofs timed after the first (5)
  --check K          proofs are checked up to this size (24)
  --compare          prints rows for bench/compare.sh, and leaves parameters, circuits and proofs in FOLDER/K for others
  --folder FOLDER    where parameter files go, one at a time: 400 bytes times the domain's size (the system's temporary folder)
  --keep             leaves parameters in FOLDER/K, and takes them from there where they are
  --workers W,W...   then has so many threads prove the PoRep mix at once, and after them so many; without --compare no other mix is proved
  --rounds N         calls that each of them makes after its first (4)
  --circuits C       circuits of a call (1)
  --overlap          each has two calls in flight: one is started before the last is finished
  --children N,N...  then has so many new processes at once prove the PoRep mix, on the first GPU, and after them so many: what each takes
                     to start, to load the parameters and for its first proof. Give each a share of the memory with INTERLOCK_VRAM_BUDGET
  --trace FILE       says what a trace costs, has as many workers prove at once as are named last (3), and leaves the trace of that in
                     FILE, of the last size";

/// What was asked for.
pub struct Options {
    pub backend: BackendChoice,
    pub warm: usize,
    pub check_up_to: u32,
    pub compare: bool,
    pub folder: PathBuf,
    pub keep: bool,
    pub workers: Vec<usize>,
    pub rounds: usize,
    pub circuits: usize,
    pub overlap: bool,
    pub trace: Option<PathBuf>,
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
            check_up_to: 24,
            compare: false,
            folder: std::env::temp_dir(),
            keep: false,
            workers: Vec::new(),
            rounds: 4,
            circuits: 1,
            overlap: false,
            trace: None,
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
                "--children" => {
                    let each = |count| number(count, 1, 64);
                    options.children = value()?.split(',').map(each).collect::<Result<_, _>>()?;
                }
                "--child" => options.child = Some(value()?.into()),
                "--rounds" => options.rounds = number(&value()?, 1, 1_000)?,
                "--circuits" => options.circuits = number(&value()?, 1, 100)?,
                "--overlap" => options.overlap = true,
                "--trace" => options.trace = Some(value()?.into()),
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
