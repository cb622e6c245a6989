use super::*;
use crate::load::Outcome;

fn simulate(text: &str) -> Outcome {
    let (load, phases) = parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>()).unwrap();
    crate::interlock::simulate(&phases, load, 1).unwrap()
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.02
}

#[test]
fn one_worker_does_one_thing_after_the_other() {
    let outcome = simulate("1 50 1 8 1/0.5/2/4+1/4");
    assert!(near(outcome.proof, 45.0) && near(outcome.busy, 3.0 / 4.5), "{outcome:?}");
}

#[test]
fn enough_workers_keep_the_device_busy() {
    let outcome = simulate("3 50 3 24 1/0.5/2/4+1/4");
    assert!(near(outcome.share, 30.0) && outcome.busy > 0.98, "{outcome:?}");
}

#[test]
fn a_cpu_that_is_slower_than_the_device_is_the_bound() {
    let outcome = simulate("4 50 1 64 4/0.5/2/4");
    assert!(near(outcome.share, 40.0) && near(outcome.busy, 0.5), "{outcome:?}");
}

#[test]
fn bytes_that_are_in_use_until_the_end_leave_nothing_to_overlap() {
    // The upload waits for the kernels before it.
    let outcome = simulate("3 50 3 8 0/1/2/8");
    assert!(near(outcome.share, 30.0) && near(outcome.busy, 2.0 / 3.0), "{outcome:?}");
}

#[test]
fn what_never_fits_is_said() {
    let (load, phases) = parse(&["1", "1", "1", "8", "0/1/2/9"].map(str::to_owned)).unwrap();
    assert!(crate::interlock::simulate(&phases, load, 1).is_none());
}

#[test]
fn nonsense_is_refused() {
    for text in ["", "1", "1 1 1 8", "0 1 1 8 0/1/2/8", "1 1 1 8 0/1/2", "1 1 1 8 -1/1/2/8", "1 1 1 x 0/1/2/8"] {
        assert!(parse(&text.split(' ').map(str::to_owned).collect::<Vec<_>>()).is_none(), "{text:?}");
    }
}
