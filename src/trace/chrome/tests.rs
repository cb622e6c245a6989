use super::json::Json;
use super::*;
use crate::trace::ring::Ring;

fn written(records: &[Record], lost: u64) -> Json {
    let mut bytes = Vec::new();
    let origin = Origin { process: 42, zero: Moment(1_000_000), lost };
    write(&mut bytes, &mut records.to_vec(), &origin).unwrap();
    Json::parse(std::str::from_utf8(&bytes).unwrap())
}

fn span(what: &'static CStr, track: Track, worker: u32, begin: u64, end: u64, about: About) -> Record {
    let place = Place { worker, call: 9, circuit: (worker == 1).then_some(3) };
    Record::Span { what, track, place, begin: Moment(begin), end: Moment(end), about }
}

fn spans(trace: &Json) -> Vec<&Json> {
    trace.get("traceEvents").list().iter().filter(|event| event.get("ph").text() == "X").collect()
}

/// The name that a process, or a thread of it, was given.
fn name<'a>(trace: &'a Json, pid: &Json, tid: Option<&Json>) -> &'a str {
    let kind = if tid.is_some() { "thread_name" } else { "process_name" };
    let is_it = |event: &&Json| event.get("name").text() == kind && event.get("pid") == pid && event.find("tid") == tid;
    trace.get("traceEvents").list().iter().find(is_it).unwrap().get("args").get("name").text()
}

#[test]
fn nothing_is_a_trace_too() {
    let trace = written(&[], 0);
    assert_eq!(spans(&trace).len(), 0);
    assert_eq!(name(&trace, &Json::Number(1.0), None), "interlock, process 42");
}

#[test]
fn spans_have_places_times_and_sizes() {
    let compute = Track::Device { ordinal: 2, stream: Stream::Compute };
    let batch = About::Batch { circuits: 10, domain_log2: 27, constraints: 1 << 40, inputs: 328, aux: 5 };
    let trace = written(
        &[
            span(c"inner", Track::Worker, 1, 1_500_000, 1_500_007, About::Nothing),
            span(c"outer", Track::Worker, 1, 1_500_000, 2_000_123, batch),
            span(c"kernels", compute, 0, 1_001_000, 1_002_000, About::Bytes(77)),
        ],
        5,
    );
    assert_eq!(trace.get("otherData").get("lost").number(), 5.0);
    let spans = spans(&trace);
    let of = |i: usize, member: &str| spans[i].get(member).clone();
    assert_eq!(
        [of(0, "name"), of(1, "name"), of(2, "name")].map(|name| name.text().to_owned()),
        ["kernels", "outer", "inner"]
    );
    assert_eq!((of(0, "ts").number(), of(0, "dur").number()), (1.0, 1.0));
    assert_eq!((of(1, "ts").number(), of(1, "dur").number()), (500.0, 500.123));
    assert_eq!(of(2, "dur").number(), 0.007);
    assert_eq!(name(&trace, &of(0, "pid"), None), "GPU 2");
    assert_eq!(name(&trace, &of(0, "pid"), Some(&of(0, "tid"))), "compute");
    assert_eq!(name(&trace, &of(1, "pid"), Some(&of(1, "tid"))), "worker 1");
    assert_eq!(of(0, "args").get("bytes").number(), 77.0);
    assert!(of(0, "args").find("circuit").is_none());
    let sizes = ["call", "circuit", "circuits", "domain_log2", "constraints", "inputs", "aux"];
    assert_eq!(
        sizes.map(|size| of(1, "args").get(size).number()),
        [9.0, 3.0, 10.0, 27.0, (1u64 << 40) as f64, 328.0, 5.0]
    );
}

#[test]
fn what_a_stream_does_never_overlaps() {
    let of = |ordinal, begin, end| {
        span(c"kernels", Track::Device { ordinal, stream: Stream::Copies(0) }, 0, begin, end, About::Nothing)
    };
    let trace = written(&[of(0, 1_000_000, 1_010_000), of(1, 1_001_000, 1_002_000), of(0, 1_009_000, 1_020_000)], 0);
    let times = |i: usize| {
        let all = spans(&trace);
        (all[i].get("ts").number(), all[i].get("dur").number())
    };
    assert_eq!([times(0), times(1), times(2)], [(0.0, 10.0), (1.0, 1.0), (10.0, 10.0)]);
}

#[test]
fn streams_have_rows_and_names_of_their_own() {
    let streams = [
        Stream::Compute,
        Stream::Aside,
        Stream::Quotients,
        Stream::PassingH,
        Stream::PassingWitness,
        Stream::Copies(0),
        Stream::Expansions(0),
        Stream::Copies(1),
    ];
    let of = |stream| span(c"x", Track::Device { ordinal: 0, stream }, 0, 1_000_000, 1_000_001, About::Nothing);
    let trace = written(&streams.map(of), 0);
    let names: Vec<_> = (1..=8).map(|row| name(&trace, &Json::Number(2.0), Some(&Json::Number(row.into())))).collect();
    assert_eq!(
        names,
        [
            "compute",
            "compute, beside",
            "compute, quotients",
            "parameters passing, h",
            "parameters passing, witness",
            "uploads 1",
            "expansion of uploads 1",
            "uploads 2"
        ]
    );
}

#[test]
fn what_is_held_is_a_counter() {
    let held = Record::Held { device: 1, at: Moment(3_000_000), by_proofs: 12, by_parameters: 34 };
    let trace = written(&[held], 0);
    let counters: Vec<_> =
        trace.get("traceEvents").list().iter().filter(|event| event.get("ph").text() == "C").collect();
    assert_eq!(counters.len(), 1);
    assert_eq!(counters[0].get("ts").number(), 2000.0);
    assert_eq!(counters[0].get("args").get("proofs").number(), 12.0);
    assert_eq!(name(&trace, counters[0].get("pid"), None), "GPU 1");
}

#[test]
fn the_oldest_records_go_first() {
    let mut ring = Ring::new(Moment(10)).unwrap();
    let of = |begin| span(c"x", Track::Worker, 0, begin, begin, About::Nothing);
    ring.push(of(9));
    for i in 0..crate::trace::ring::CAPACITY as u64 + 3 {
        ring.push(of(10 + i));
    }
    let records = ring.to_vec().unwrap();
    assert_eq!((records.len(), ring.lost), (crate::trace::ring::CAPACITY, 3));
    assert_eq!(records[0].begin(), Moment(13));
}
