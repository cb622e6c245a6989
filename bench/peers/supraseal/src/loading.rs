//! Loading parameters to the end: `SRS::try_new` returns while a thread of its own goes on reading the points.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use supraseal_c2::SRS;

const PATIENCE: Duration = Duration::from_secs(40);

/// Loads the file at `path`, lets it go again, and so waits until it is read.
///
/// # Errors
/// What supraseal-c2 says.
pub fn load_and_drop(path: &Path) -> Result<(), String> {
    open(path).map(drop)
}

/// Loads the file at `path` and waits until it is read; not as the first call of a process, which starts threads of CUDA's too.
///
/// # Errors
/// What supraseal-c2 says.
pub fn load(path: &Path) -> Result<SRS, String> {
    let before = threads()?;
    let srs = open(path)?;
    let reader: BTreeSet<_> = threads()?.difference(&before).cloned().collect();
    wait_for_one_of(&reader)?;
    Ok(srs)
}

/// Waits until one of `threads` is over, if there are any.
fn wait_for_one_of(waited_for: &BTreeSet<OsString>) -> Result<(), String> {
    let start = Instant::now();
    while waited_for.is_subset(&threads()?) && !waited_for.is_empty() {
        if start.elapsed() > PATIENCE {
            return Err(format!("no thread of {waited_for:?} has ended after {PATIENCE:?}"));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

fn open(path: &Path) -> Result<SRS, String> {
    SRS::try_new(path.to_owned(), false).map_err(|error| error.to_string())
}

/// The threads of this process.
fn threads() -> Result<BTreeSet<OsString>, String> {
    let told = |error: std::io::Error| format!("/proc/self/task: {error}");
    let entries = std::fs::read_dir("/proc/self/task").map_err(told)?;
    entries.map(|entry| entry.map(|entry| entry.file_name()).map_err(told)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_ends_is_noticed() {
        let before = threads().unwrap();
        let thread = std::thread::spawn(|| std::thread::sleep(Duration::from_millis(50)));
        let started: BTreeSet<_> = threads().unwrap().difference(&before).cloned().collect();
        assert!(!started.is_empty());
        wait_for_one_of(&started).unwrap();
        assert!(thread.is_finished());
        wait_for_one_of(&BTreeSet::new()).unwrap();
    }
}
