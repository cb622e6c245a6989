//! The tables, and the rows for `bench/compare.sh`.

use std::fmt;

use interlock::trace::Busy;
use interlock_bench_measure::{median, sorted, DeviceUse, Row, Took};

use crate::children::Cold;
use crate::traced::Cost;
use crate::workers::Together;

/// Who proves.
const PROVER: &str = "interlock";

/// The loading of parameters.
pub struct Loading {
    pub log2: u32,
    pub bytes: u64,
    pub took: Took,
    /// Seconds at the measured ceilings.
    pub floor: f64,
}

/// The proofs of one size and mix.
pub struct Proofs {
    pub log2: u32,
    pub mix: &'static str,
    /// The first proof with its parameters, which go to the device then.
    pub first: Option<Took>,
    /// Those after it, at least one.
    pub warm: Vec<Took>,
    pub device: Option<DeviceUse>,
    /// The points of the proof that are wrong; `None` if it was not checked.
    pub wrong: Option<Vec<&'static str>>,
    /// Seconds at the measured ceilings.
    pub floor: f64,
}

/// All that was measured.
#[derive(Default)]
pub struct Report {
    pub loadings: Vec<Loading>,
    pub proofs: Vec<Proofs>,
    /// The size and the mix of proofs with and without a trace.
    pub traced: Vec<(u32, &'static str, Cost)>,
    /// The size and the mix that workers proved, and what they took.
    pub workers: Vec<(u32, &'static str, Together)>,
    /// The size that processes proved which were started at once, and what each took.
    pub children: Vec<(u32, Vec<Cold>)>,
}

impl Report {
    /// How many proofs are wrong, of workers at most one for each number of them.
    pub fn wrong(&self) -> usize {
        let alone = self.proofs.iter().filter(|proofs| proofs.wrong.as_ref().is_some_and(|points| !points.is_empty()));
        alone.count() + self.workers.iter().filter(|(.., together)| !together.right).count()
    }

    /// What the first call of workers said that failed.
    pub fn failures(&self) -> Option<&String> {
        self.workers.iter().find_map(|(.., together)| together.failures.first())
    }

    /// Prints all as rows.
    pub fn print_rows(&self) {
        for Loading { log2, took, floor, .. } in &self.loadings {
            let row = Row::new(format!("loading 2^{log2}"), PROVER, vec![took.seconds]);
            println!("{}", Row { cpu_seconds: vec![took.cpu_seconds], floor: Some(*floor), ..row });
        }
        for Proofs { log2, mix, first, warm, device, wrong, floor } in &self.proofs {
            let row = |what: &str, took: &[Took]| Row {
                cpu_seconds: took.iter().map(|took| took.cpu_seconds).collect(),
                right: wrong.as_ref().map(Vec::is_empty),
                ..Row::new(format!("{what} 2^{log2}, {mix}"), PROVER, took.iter().map(|took| took.seconds).collect())
            };
            if let Some(first) = first {
                println!("{}", row("first proof", &[*first]));
            }
            println!("{}", Row { device: *device, floor: Some(*floor), ..row("proof", warm) });
        }
        for (log2, mix, together) in self.workers.iter().filter(|(.., together)| !together.calls.is_empty()) {
            let (calls, right) = (together.calls.clone(), Some(together.right));
            let of = |what: &str, seconds| {
                Row::new(format!("{what} of {} workers 2^{log2}, {mix}", together.workers), PROVER, seconds)
            };
            println!("{}", Row { right, ..of("a call", calls) });
            let cpu_seconds = vec![together.cpu_seconds / together.proofs() as f64];
            let row = of("a circuit", vec![together.seconds / together.proofs() as f64]);
            println!("{}", Row { cpu_seconds, device: together.used.first().copied(), right, ..row });
        }
    }
}

/// Above the lines of [`line_of`].
pub const WORKERS: &str = "\
| size | values | budget | GPUs | workers | circuits a call | calls | s a circuit | call: median, s | worst, s | worst / median | CPU s a circuit | computing, by the trace | busy, by nvidia-smi | failures | right |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

/// A line of a table of workers. Shares are of one device after the other.
pub fn line_of(log2: u32, mix: &str, together: &Together) -> String {
    let Together { workers, parameters, circuits, overlap, calls, failures, right, used, computed, .. } = together;
    let budget = std::env::var("INTERLOCK_VRAM_BUDGET").unwrap_or_else(|_| "free".to_owned());
    let in_flight = if *overlap { ", two in flight" } else { "" };
    let of_several = if *parameters > 1 { format!(", with {parameters} parameter files") } else { String::new() };
    let gpus = computed.len();
    let mut line = format!(
        "| 2^{log2} | {mix} | {budget} | {gpus} | {workers}{in_flight}{of_several} | {circuits} | {} |",
        calls.len()
    );
    if calls.is_empty() {
        line += " | | | | |";
    } else {
        let (calls, proofs) = (sorted(calls.clone()), together.proofs() as f64);
        let (median, worst) = (median(&calls), calls[calls.len() - 1]);
        let [wall, cpu] = [together.seconds, together.cpu_seconds].map(|seconds| seconds / proofs);
        line += &format!(" {wall:.4} | {median:.4} | {worst:.4} | {:.2} | {cpu:.3} |", worst / median);
    }
    let percent = |share: f64| share * 100.0;
    let span = |busy: &Busy| format!("{:.1} – {:.1} %", percent(busy.at_least), percent(busy.at_most));
    let computed: Vec<_> = computed.iter().map(span).collect();
    let used: Vec<_> = used.iter().map(|used| format!("{:.0} %", percent(used.busy))).collect();
    let right = if *right { "yes" } else { "NO" };
    line + &format!(" {} | {} | {} | {right} |", computed.join("; "), used.join("; "), failures.len())
}

impl Report {
    fn write_proofs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.proofs.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n| size | values | right | first, s | warm: median, s | least | most | floor, s | CPU s | device MiB | busy |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for Proofs { log2, mix, first, warm, device, wrong, floor } in &self.proofs {
            let [seconds, cpu] = [|took: &Took| took.seconds, |took: &Took| took.cpu_seconds]
                .map(|of| sorted(warm.iter().map(of).collect()));
            let first = first.map_or(String::new(), |took| format!("{:.3}", took.seconds));
            let (mib, busy) = device
                .map_or_else(Default::default, |used| (used.mib.to_string(), format!("{:.0} %", used.busy * 100.0)));
            let right = match wrong.as_deref() {
                None => "not checked".to_owned(),
                Some([]) => "yes".to_owned(),
                Some(points) => format!("NO: {}", points.join(", ")),
            };
            writeln!(
                f,
                "| 2^{log2} | {mix} | {right} | {first} | {:.4} | {:.4} | {:.4} | {floor:.4} | {:.3} | {mib} | {busy} |",
                median(&seconds),
                seconds[0],
                seconds[seconds.len() - 1],
                median(&cpu),
            )?;
        }
        Ok(())
    }

    fn write_traced(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.traced.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n| size | values | proofs each | without a trace: median, s | least – most | with one: median, s | least – most | medians | means | CPU s |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for (log2, mix, cost) in &self.traced {
            writeln!(f, "| 2^{log2} | {mix} | {cost} |")?;
        }
        Ok(())
    }

    fn write_children(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.children.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n| size | new processes at once | starting, s | devices, s | loading, s | first proof, s | ending, s | all of one proof, s | second proof, s |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for (log2, took) in &self.children {
            write!(f, "| 2^{log2} | {} |", took.len())?;
            let columns: [fn(&Cold) -> f64; 7] = [
                |cold| cold.starting,
                |cold| cold.devices,
                |cold| cold.loading,
                |cold| cold.first,
                |cold| cold.ending,
                Cold::of_one_proof,
                |cold| cold.second,
            ];
            for of in columns {
                write!(f, " {:.4} |", median(&sorted(took.iter().map(of).collect())))?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| parameters | GB | load, s | CPU s |\n| --- | --- | --- | --- |")?;
        for Loading { log2, bytes, took, .. } in &self.loadings {
            writeln!(f, "| 2^{log2} | {:.2} | {:.2} | {:.1} |", *bytes as f64 / 1e9, took.seconds, took.cpu_seconds)?;
        }
        self.write_proofs(f)?;
        self.write_traced(f)?;
        self.write_children(f)
    }
}
