//! The tables.

use std::fmt;

use interlock::settings::BackendChoice;

use crate::measure::Took;
use crate::peers;

/// The loading of parameters.
pub struct Loading {
    pub log2: u32,
    pub bytes: u64,
    pub took: Took,
}

/// The proofs of one size and mix.
pub struct Row {
    pub log2: u32,
    pub mix: &'static str,
    /// The first proof with its parameters, which go to the device then.
    pub first: Option<Took>,
    /// Those after it, at least one.
    pub warm: Vec<Took>,
    pub device_mib: Option<u64>,
    /// The points of the proof that are wrong; `None` if it was not checked.
    pub wrong: Option<Vec<&'static str>>,
}

/// All that was measured.
pub struct Report {
    /// Whether the peer's machine was one like this.
    comparable: bool,
    loadings: Vec<Loading>,
    rows: Vec<Row>,
}

impl Report {
    pub fn new(backend: BackendChoice) -> Self {
        let is_like = |device: &interlock::DeviceInfo| device.name.contains("H200");
        let comparable = backend == BackendChoice::Gpu && interlock::devices().is_ok_and(|all| all.iter().any(is_like));
        Self { comparable, loadings: Vec::new(), rows: Vec::new() }
    }

    pub fn loaded(&mut self, loading: Loading) {
        self.loadings.push(loading);
    }

    pub fn proved(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// How many rows have a wrong proof.
    pub fn wrong(&self) -> usize {
        self.rows.iter().filter(|row| row.wrong.as_ref().is_some_and(|points| !points.is_empty())).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| parameters | GB | load, s | CPU s | peer, s | ratio |\n| --- | --- | --- | --- | --- | --- |")?;
        for Loading { log2, bytes, took } in &self.loadings {
            let peer = peers::loading(*log2).filter(|_| self.comparable);
            write!(f, "| 2^{log2} | {:.2} | {:.2} | {:.1} | ", *bytes as f64 / 1e9, took.seconds, took.cpu_seconds)?;
            ratio(f, took.seconds, peer, "b 35 % dense")?;
        }
        writeln!(
            f,
            "\n| size | values | right | first, s | warm: median, s | least | most | CPU s | device MiB | peer, s | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for row in &self.rows {
            let [seconds, cpu] = [|took: &Took| took.seconds, |took: &Took| took.cpu_seconds]
                .map(|of| sorted(row.warm.iter().map(of).collect()));
            let first = row.first.map_or(String::new(), |took| format!("{:.3}", took.seconds));
            let mib = row.device_mib.map_or(String::new(), |mib| mib.to_string());
            let right = match row.wrong.as_deref() {
                None => "not checked".to_owned(),
                Some([]) => "yes".to_owned(),
                Some(points) => format!("NO: {}", points.join(", ")),
            };
            let median = median(&seconds);
            write!(
                f,
                "| 2^{} | {} | {right} | {first} | {median:.4} | {:.4} | {:.4} | {:.3} | {mib} | ",
                row.log2,
                row.mix,
                seconds[0],
                seconds[seconds.len() - 1],
                self::median(&cpu),
            )?;
            let peer = peers::proof(row.log2, row.mix).filter(|_| self.comparable);
            ratio(f, median, peer.map(|peer| peer.seconds), peer.map_or("", |peer| peer.remark))?;
        }
        if self.comparable {
            writeln!(f, "\nPeer: {}. Ratio: ours to the peer's.", peers::SOURCE)?;
        }
        Ok(())
    }
}

/// The last two columns.
fn ratio(f: &mut fmt::Formatter<'_>, seconds: f64, peer: Option<f64>, remark: &str) -> fmt::Result {
    let Some(peer) = peer else { return writeln!(f, "| |") };
    let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
    writeln!(f, "{peer}{remark} | {:.2} |", seconds / peer)
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

fn median(sorted: &[f64]) -> f64 {
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}
