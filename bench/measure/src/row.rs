//! A row of the comparison.

use std::fmt;

use crate::DeviceUse;

/// What one prover needed for one piece of work. Shown as a line of fields between tabs, `-` for one that is not known.
#[derive(Clone, Debug)]
pub struct Row {
    /// The work; rows of the same are compared.
    pub work: String,
    /// Who did it, with its version.
    pub prover: &'static str,
    /// Wall clock of each run, at least one.
    pub seconds: Vec<f64>,
    /// CPU time of each run.
    pub cpu_seconds: Vec<f64>,
    pub device: Option<DeviceUse>,
    /// Seconds that the work takes at the device's measured ceilings.
    pub floor: Option<f64>,
    /// Whether the result is right; `None` if it was not checked.
    pub right: Option<bool>,
}

impl Row {
    /// The times alone.
    pub fn new(work: String, prover: &'static str, seconds: Vec<f64>) -> Self {
        Self { work, prover, seconds, cpu_seconds: Vec::new(), device: None, floor: None, right: None }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = sorted(self.seconds.clone());
        let cpu = (!self.cpu_seconds.is_empty()).then(|| median(&sorted(self.cpu_seconds.clone())));
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.6}"));
        let right = self.right.map_or("-", |right| if right { "yes" } else { "NO" });
        write!(
            f,
            "{}\t{}\t{:.6}\t{:.6}\t{:.6}\t{}\t{}\t{}\t{}\t{right}",
            self.work,
            self.prover,
            median(&seconds),
            seconds[0],
            seconds[seconds.len() - 1],
            shown(cpu),
            self.device.map_or("-".to_owned(), |used| used.mib.to_string()),
            shown(self.device.map(|used| used.busy)),
            shown(self.floor),
        )
    }
}

/// `values` from the least on.
pub fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

/// The median of values in order, at least one.
pub fn median(sorted: &[f64]) -> f64 {
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ten_fields() {
        let mut row = Row::new("proof 2^4".to_owned(), "one 1.0", vec![0.3, 0.1, 0.2, 0.5]);
        row.right = Some(false);
        assert_eq!(row.to_string(), "proof 2^4\tone 1.0\t0.250000\t0.100000\t0.500000\t-\t-\t-\t-\tNO");
    }
}
