//! Ends a process that hangs.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Long beside any step.
const PATIENCE: Duration = Duration::from_secs(60);

static STEP: Mutex<Option<(Instant, String)>> = Mutex::new(None);

/// Says what is done now. If nothing else is said for a minute, the process says what it hung at and ends with status 3.
pub fn step(what: String) {
    let mut step = STEP.lock().unwrap_or_else(PoisonError::into_inner);
    if step.replace((Instant::now(), what)).is_none() {
        thread::spawn(watch);
    }
}

fn watch() {
    loop {
        thread::sleep(Duration::from_millis(500));
        if let Some((since, what)) = &*STEP.lock().unwrap_or_else(PoisonError::into_inner) {
            if since.elapsed() > PATIENCE {
                println!("HANGS: {what}");
                std::process::exit(3);
            }
        }
    }
}
