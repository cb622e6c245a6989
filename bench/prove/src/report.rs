//! The tables, and the rows for `bench/compare.sh`.

use std::fmt;

use interlock_bench_measure::{median, sorted, DeviceUse, Row, Took};

use crate::children::Cold;
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
            println!("{}", Row { cpu_seconds, device: together.device, right, ..row });
        }
    }
}

impl Report {
    fn write_workers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.workers.is_empty() {
            return Ok(());
        }
        let budget = std::env::var("INTERLOCK_VRAM_BUDGET").unwrap_or_else(|_| "free".to_owned());
        writeln!(
            f,
            "\n| size | values | budget | workers | circuits a call | proofs/s | s a circuit | call: median, s | worst, s | worst / median | CPU s a circuit | computing, by the trace | busy, by nvidia-smi | failures | right |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for (log2, mix, together) in &self.workers {
            let Together { workers, circuits, overlap, seconds, cpu_seconds, calls, failures, right, device, computed } =
                together;
            let in_flight = if *overlap { ", two in flight" } else { "" };
            write!(f, "| 2^{log2} | {mix} | {budget} | {workers}{in_flight} | {circuits} |")?;
            if calls.is_empty() {
                write!(f, " | | | | | |")?;
            } else {
                let (calls, proofs) = (sorted(calls.clone()), together.proofs() as f64);
                let (median, worst) = (median(&calls), calls[calls.len() - 1]);
                write!(f, " {:.2} | {:.4} | {median:.4} | {worst:.4} |", proofs / seconds, seconds / proofs)?;
                write!(f, " {:.2} | {:.3} |", worst / median, cpu_seconds / proofs)?;
            }
            let busy = device.map_or(String::new(), |used| format!("{:.0} %", used.busy * 100.0));
            let computed = computed * 100.0;
            writeln!(f, " {computed:.1} % | {busy} | {} | {} |", failures.len(), if *right { "yes" } else { "NO" })?;
        }
        Ok(())
    }
}

impl Report {
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
        self.write_workers(f)?;
        self.write_children(f)
    }
}
