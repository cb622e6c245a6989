use std::thread;

use super::ring::{Record, Track};
use super::*;

/// The names of what was recorded of a worker's call.
fn of(call: &Call) -> Vec<&'static str> {
    let Some(this) = within(call) else { return Vec::new() };
    let records = ring().as_ref().map(|ring| ring.to_vec().unwrap()).unwrap_or_default();
    let name = |record: &Record| match record {
        Record::Span { what, track: Track::Worker, place, .. } if *place == this => Some(what.to_str().unwrap()),
        _ => None,
    };
    records.iter().filter_map(name).collect()
}

fn within(call: &Call) -> Option<call::Place> {
    let _within = call.enter();
    here()
}

/// What is recorded is the whole process's: one test goes through its states.
#[test]
fn spans_are_recorded_from_start_to_stop() {
    if std::env::var_os("INTERLOCK_TRACE").is_none() {
        assert!(!is_on());
        assert!(matches!(write(Path::new("/nowhere")), Err(Error::NoTrace)));
        let off = Call::begin();
        let _within = off.enter();
        drop(span(c"before"));
        assert_eq!(here(), None);
    }

    start().unwrap();
    let call = Call::begin();
    {
        let _within = call.enter();
        let _outer = span(c"outer");
        drop(span(c"inner"));
        crate::threads::install(|| drop(span(c"in the pool"))).unwrap();
    }
    drop(span(c"outside"));
    thread::scope(|scope| {
        scope.spawn(|| {
            let _within = call.enter();
            drop(span(c"elsewhere"));
        });
    });
    assert_eq!(of(&call), ["inner", "in the pool", "outer", "elsewhere"]);

    let another = Call::begin();
    assert_ne!(within(&another).unwrap(), within(&call).unwrap());
    let path = std::env::temp_dir().join(format!("interlock-traced-{}.json", std::process::id()));
    write(&path).unwrap();
    let read = chrome::json::Json::parse(&std::fs::read_to_string(&path).unwrap());
    std::fs::remove_file(&path).unwrap();
    assert!(read.get("traceEvents").list().iter().any(|event| event.get("name").text() == "in the pool"));
    let refused = write(Path::new("/nowhere/trace.json")).unwrap_err();
    assert_eq!(refused.code(), libc::ENOENT);
    assert!(refused.to_string().contains("/nowhere/trace.json"), "{refused}");

    stop();
    {
        let _within = call.enter();
        drop(span(c"after"));
    }
    assert_eq!(of(&call).len(), 4);
    let straddling = {
        start().unwrap();
        let _within = call.enter();
        span(c"straddling")
    };
    start().unwrap();
    drop(straddling);
    assert_eq!(of(&call), [""; 0]);
    stop();
}
