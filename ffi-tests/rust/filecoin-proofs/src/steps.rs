//! What was done and how long it took.

use std::fmt;
use std::time::Instant;

use anyhow::{ensure, Context, Result};

/// The steps in the order of their first time, and the seconds of each time.
#[derive(Default)]
pub struct Steps(Vec<(&'static str, Vec<f64>)>);

impl Steps {
    /// Takes a step, timed.
    ///
    /// # Errors
    /// That of the step, with its name.
    pub fn take<T>(&mut self, name: &'static str, step: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let value = step().context(name)?;
        let seconds = start.elapsed().as_secs_f64();
        match self.0.iter_mut().find(|(taken, _)| *taken == name) {
            Some((_, times)) => times.push(seconds),
            None => self.0.push((name, vec![seconds])),
        }
        Ok(value)
    }

    /// Takes a step that has to say that a proof is right.
    ///
    /// # Errors
    /// That of the step, and that it says something else.
    pub fn verify(&mut self, name: &'static str, step: impl FnOnce() -> Result<bool>) -> Result<()> {
        let right = self.take(name, step)?;
        ensure!(right, "{name}: the proof is WRONG");
        Ok(())
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| step | s, each time |\n| --- | --- |")?;
        for (name, times) in &self.0 {
            let times: Vec<_> = times.iter().map(|seconds| format!("{seconds:.3}")).collect();
            write!(f, "\n| {name} | {} |", times.join(", "))?;
        }
        Ok(())
    }
}
