//! Log callbacks of a Rust program that do what they should not. One test: the callback is the process's.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::time::Duration;

use interlock::logging::{self, Level};
use interlock::Srs;

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Logs, and so asks for the callback, when it is dropped with the callback that owns it.
struct LogsInDrop;

impl Drop for LogsInDrop {
    fn drop(&mut self) {
        logging::emit(Level::Info, format_args!("dropped"));
    }
}

fn open() -> Srs {
    Srs::open(Path::new(env!("CARGO_MANIFEST_DIR")).join("ffi-tests/vectors/data/tiny/params"), false).unwrap()
}

fn misbehave() {
    logging::set_level(Level::Info);

    // One that panics: what was to be logged was done all the same.
    logging::set_callback(Some(Arc::new(|_, _| {
        CALLS.fetch_add(1, Ordering::SeqCst);
        panic!("in a log callback");
    })));
    drop(open());
    assert!(CALLS.swap(0, Ordering::SeqCst) >= 1);

    // One that loads the file that it is told of.
    logging::set_callback(Some(Arc::new(|_, _| {
        if CALLS.fetch_add(1, Ordering::SeqCst) == 0 {
            drop(open());
        }
    })));
    drop(open());
    assert!(CALLS.load(Ordering::SeqCst) >= 1);

    // One whose end logs.
    let owned = LogsInDrop;
    logging::set_callback(Some(Arc::new(move |_, _| {
        let _ = &owned;
    })));
    logging::set_callback(None);
}

#[test]
fn no_callback_stops_the_library() {
    let (done, end) = channel();
    std::thread::spawn(move || {
        misbehave();
        let _ = done.send(());
    });
    end.recv_timeout(Duration::from_secs(30)).expect("it hangs, or panicked");
}
