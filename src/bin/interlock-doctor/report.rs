//! What was found, section by section, and what is to be done about it.

use std::fmt::{self, Display};

/// The report so far.
#[derive(Debug, Default)]
pub struct Report {
    lines: Vec<String>,
    to_do: Vec<String>,
    verdict: String,
}

impl Report {
    /// Begins a section.
    pub fn section(&mut self, title: impl Display) {
        self.lines.push(title.to_string());
    }

    /// Adds a line to the section.
    pub fn line(&mut self, what: impl Display) {
        self.lines.push(format!("  {what}"));
    }

    /// Notes something that is wrong, in words that say what to do.
    pub fn fix(&mut self, what: impl Display) {
        self.to_do.push(what.to_string());
    }

    /// What there is to say if nothing is wrong.
    pub fn verdict(&mut self, what: impl Display) {
        self.verdict = what.to_string();
    }

    /// Whether something is wrong.
    pub fn has_something_to_fix(&self) -> bool {
        !self.to_do.is_empty()
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        if self.to_do.is_empty() {
            return write!(f, "all is well: {}", self.verdict);
        }
        write!(f, "to do")?;
        self.to_do.iter().enumerate().try_for_each(|(i, what)| write!(f, "\n  {}. {what}", i + 1))
    }
}

/// Bytes, for people.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match UNITS.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) => match bytes as f64 / *unit as f64 {
            few if few < 99.95 => format!("{few:.1} {name}"),
            many => format!("{many:.0} {name}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits() {
        for (size, text) in [(7, "7 bytes"), (1 << 10, "1.0 KiB"), (184 << 20, "184 MiB"), (47_340_000_000, "44.1 GiB")]
        {
            assert_eq!(bytes(size), text);
        }
    }

    #[test]
    fn a_report_ends_with_what_to_do_or_its_verdict() {
        let mut report = Report::default();
        report.section("one");
        report.line("is right");
        report.verdict("it works");
        assert_eq!(report.to_string(), "one\n  is right\nall is well: it works");
        report.fix("unplug it");
        report.fix("plug it in");
        assert_eq!(report.to_string(), "one\n  is right\nto do\n  1. unplug it\n  2. plug it in");
    }
}
