//! Work in which each call of CUDA fails in turn.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::thread;

use interlock::curve::Proof;
use interlock::kit::{counts, device_memory_used, fail_after, failure_is_due};

use super::watchdog::step;

/// Work that gives proofs.
pub struct Work<'w> {
    pub name: &'static str,
    pub run: &'w (dyn Fn() -> Result<Vec<Proof>, String> + Sync),
    /// What it must give.
    pub right: &'w [Proof],
    /// How many threads do it at once.
    pub threads: usize,
    /// How many calls fail, one after the other: the second one is often made because the first one failed.
    pub in_a_row: u32,
}

/// What came of the failures.
#[derive(Debug, Default)]
pub struct Tally {
    /// Failures, of a call or of some in a row.
    failed: usize,
    /// Those that made the work an error, in one thread at least.
    errors: usize,
    /// What should not have been.
    wrong: Vec<String>,
}

/// After so many wrong outcomes, the others say no more.
const ENOUGH: usize = 5;
/// How often a call fails again if something seems lost: pools also grow by chance.
const AGAIN: usize = 4;
/// Proofs that must be right after a failure.
const AFTERWARDS: usize = 3;

/// Functions that take something, and those that give it back.
const TAKING: [(&str, &str); 7] = [
    ("cudaMalloc", "cudaFree"),
    ("cudaHostAlloc", "cudaFreeHost"),
    ("cudaHostRegister", "cudaHostUnregister"),
    ("cudaEventCreateWithFlags", "cudaEventDestroy"),
    ("cudaStreamCreateWithFlags", "cudaStreamDestroy"),
    ("cuMemCreate", "cuMemRelease"),
    ("cuMemAddressReserve", "cuMemAddressFree"),
];

impl Work<'_> {
    /// Has each call fail with `status` in turn, or `most` of them, at even distances. The work has been done before.
    ///
    /// # Errors
    /// That the device's memory cannot be asked for.
    pub fn fail_each(&self, status: i32, most: usize) -> Result<Tally, String> {
        let mut tally = Tally::default();
        self.afterwards(&mut tally, "before any failure")?;
        let before = calls();
        self.afterwards(&mut tally, "before any failure")?;
        let calls = (calls() - before) as usize / AFTERWARDS;
        let distance = (calls * self.threads).div_ceil(most).max(1);
        let mut suspicious = Vec::new();
        // With each status other calls, if not all fail.
        let mut number = status.unsigned_abs() as usize % distance;
        while tally.wrong.len() < ENOUGH && self.fail(number, status, &mut tally)? {
            if self.afterwards(&mut tally, &self.at(number, status))? > 0 {
                suspicious.push(number);
            }
            number += distance;
        }
        for number in suspicious {
            let mut again = 0;
            while again < AGAIN && self.fail(number, status, &mut tally)? {
                if self.afterwards(&mut tally, &self.at(number, status))? == 0 {
                    break;
                }
                again += 1;
            }
            if again == AGAIN {
                let at = self.at(number, status);
                tally.wrong.push(format!("{at}: each time the proofs after take something anew"));
            }
        }
        Ok(tally)
    }

    /// As [`Work::fail_each`] for work that has not been done yet, until it succeeds; nothing else is done in between.
    pub fn fail_until_done(&self, status: i32) -> Tally {
        let mut tally = Tally::default();
        for number in 0.. {
            step(self.at(number, status));
            fail_after(number as i64, self.in_a_row, status);
            let outcomes = self.outcomes();
            let came = !failure_is_due();
            fail_after(-1, 0, 0);
            tally.failed += usize::from(came);
            match &outcomes[..] {
                [Ok(proofs)] if proofs == self.right && !came => break,
                [Ok(proofs)] if proofs == self.right => {}
                [Err(_)] if came => tally.errors += 1,
                _ => {
                    tally.wrong.extend(outcomes.iter().map(|outcome| self.told(number, status, outcome)));
                    break;
                }
            }
        }
        tally
    }

    /// Says what came of failures with `status`.
    ///
    /// # Errors
    /// That something should not have been; it has been printed.
    pub fn judged(&self, status: i32, tally: Tally) -> Result<(), String> {
        let what = match self.in_a_row {
            1 => format!("{}, status {status}", self.name),
            many => format!("{}, {many} calls in a row, status {status}", self.name),
        };
        println!("faults: {what}: {}", tally.said());
        tally.wrong.iter().for_each(|what| println!("WRONG: {what}"));
        if tally.wrong.is_empty() {
            return Ok(());
        }
        Err(format!("{what}: {} outcomes are wrong", tally.wrong.len()))
    }

    /// Has one call fail, and says whether there was one of this number.
    fn fail(&self, number: usize, status: i32, tally: &mut Tally) -> Result<bool, String> {
        step(self.at(number, status));
        let used = memory_used()?;
        fail_after(number as i64, self.in_a_row, status);
        let outcomes = self.outcomes();
        let came = !failure_is_due();
        fail_after(-1, 0, 0);
        tally.failed += usize::from(came);
        tally.errors += usize::from(came && outcomes.iter().any(Result::is_err));
        for outcome in &outcomes {
            match outcome {
                Ok(proofs) if proofs == self.right => {}
                Err(what) if came && what != PANIC => {}
                _ => tally.wrong.push(self.told(number, status, outcome)),
            }
        }
        let after = memory_used()?;
        if after != used {
            tally.wrong.push(format!("{}: {used} bytes in use before, {after} after", self.at(number, status)));
        }
        Ok(came)
    }

    /// Does the work a few times, which must succeed, and returns how much it took and did not give back.
    fn afterwards(&self, tally: &mut Tally, when: &str) -> Result<i64, String> {
        let before = taken();
        for _ in 0..AFTERWARDS {
            match outcome(self.run) {
                Ok(proofs) if proofs == self.right => {}
                Ok(_) => tally.wrong.push(format!("{when}: a later proof is wrong")),
                Err(what) => tally.wrong.push(format!("{when}: a later proof fails: {what}")),
            }
        }
        Ok(taken() - before)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        if self.threads == 1 {
            return vec![outcome(self.run)];
        }
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(|| outcome(self.run))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(PANIC.to_owned()))).collect()
        })
    }

    fn at(&self, number: usize, status: i32) -> String {
        match self.in_a_row {
            1 => format!("{}, call {number} failing with {status}", self.name),
            many => format!("{}, {many} calls from {number} on failing with {status}", self.name),
        }
    }

    fn told(&self, number: usize, status: i32, outcome: &Outcome) -> String {
        let at = self.at(number, status);
        match outcome {
            Ok(_) => format!("{at}: WRONG proofs"),
            Err(what) => format!("{at}: {what}"),
        }
    }
}

impl Tally {
    /// In a line.
    fn said(&self) -> String {
        let Self { failed, errors, wrong } = self;
        format!("{failed} failures, {errors} made an error, {} went wrong", wrong.len())
    }
}

type Outcome = Result<Vec<Proof>, String>;

const PANIC: &str = "a panic";

fn outcome(run: &dyn Fn() -> Outcome) -> Outcome {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err(PANIC.to_owned()))
}

fn memory_used() -> Result<usize, String> {
    device_memory_used().map_err(|error| error.to_string())
}

/// How many calls were made until now that can be made to fail.
pub fn calls() -> u64 {
    let counts = counts();
    counts.values().sum::<u64>() - counts["cudaGetLastError"]
}

/// How many more things were taken than given back until now.
fn taken() -> i64 {
    let counts = counts();
    let of = |name| counts[name] as i64;
    TAKING.iter().map(|(take, give)| of(*take) - of(*give)).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use interlock::kit::{DeviceBuffer, Stream};
    use interlock::Error;

    use super::*;

    /// Failures are ordered for all threads.
    static ALONE: Mutex<()> = Mutex::new(());

    #[test]
    fn as_many_calls_fail_in_a_row_as_are_asked_for() {
        const STATUS: i32 = 46;
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let fails = || Stream::new().is_err_and(|error| error.code() == -STATUS);
        fail_after(1, 2, STATUS);
        assert!(failure_is_due());
        assert_eq!([fails(), fails(), fails(), fails()], [false, true, true, false]);
        assert!(!failure_is_due());
        fail_after(0, 1, STATUS);
        fail_after(-1, 0, 0);
        assert!(!failure_is_due() && !fails());
    }

    #[test]
    fn a_device_is_full_only_where_its_memory_is_taken() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let failing = |work: fn() -> Result<(), Error>| {
            fail_after(0, 1, 2);
            work().unwrap_err()
        };
        let taking = failing(|| DeviceBuffer::<u8>::new(1).map(drop));
        assert!(matches!(taking, Error::DeviceFull { call: "cudaMalloc", .. }) && taking.code() == -2, "{taking}");
        let other = failing(|| Stream::new().map(drop));
        assert!(matches!(other, Error::Cuda { code: 2, .. }), "{other}");
    }
}
