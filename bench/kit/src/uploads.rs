//! Uploads through the ring of pinned slots: what is on the device afterwards, what they call of CUDA, and what they cost.

use std::time::Instant;

use blst::blst_fr;
use interlock::kit::{
    counts, list, terms_scratch_bytes, Classes, ClassesOnDevice, DeviceBuffer, DeviceGuard, Domain, Event, Lists,
    QueryVariables, Ring, Stream, Timeline, Upload, Uploads, Variables, CHUNK,
};
use interlock_bench_measure::{median, sorted, timed, Took};
use rayon::prelude::*;

use crate::device::Device;
use crate::inputs::{self, Random};
use crate::msm::{poisoned, told};
use crate::operations::fr_one;
use crate::warm::is_allowed;

/// A thousandth of zeros and of ones among the scalars; the others are full-size.
type Mix = (u64, u64);
const MIXES: [(&str, Mix); 6] = [
    ("a", (491, 181)),
    ("b", (494, 495)),
    ("c", (799, 29)),
    ("aux", (513, 471)),
    ("12 %", (440, 440)),
    ("full-size", (0, 0)),
];
const WORKERS: u64 = 6;

/// Sends vectors of up to `most` scalars, from one thread and from several at once, and returns how many came over as they were.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let ring = told("the ring", Ring::new(Timeline::new(0).into()))?;
    let uploads = ring.uploads();
    let lengths = [0, 1, 31, 32, 33, 2047, 2048, 2049, 8191, 8192, 8193, 100_000, most];
    let vectors = |seed: u64| {
        let lengths = lengths.into_iter().filter(move |len| *len <= most);
        lengths.flat_map(move |len| MIXES.into_iter().map(move |(_, mix)| vector(len, mix, seed ^ len as u64)))
    };
    let mut compared = 0;
    for scalars in vectors(seed) {
        check_scalars(&uploads, &device.stream, &scalars)?;
        check_classes(&uploads, &device.stream, &scalars)?;
        compared += 2;
    }
    check_large(&uploads, &device.stream, seed)?;
    check_refusal(&uploads, &device.stream, seed)?;
    check_warm(&uploads, most, seed)?;
    let at_once = std::thread::scope(|scope| {
        let worker = |number: u64| {
            let (ring, vectors, ordinal) = (&ring, &vectors, device.ordinal);
            scope.spawn(move || {
                let _current = told("the device", DeviceGuard::set(ordinal))?;
                let (uploads, stream) = (ring.uploads(), told("a stream", Stream::new())?);
                vectors(seed ^ number << 32)
                    .try_fold(0, |done, scalars| check_scalars(&uploads, &stream, &scalars).map(|()| done + 1))
            })
        };
        let workers: Vec<_> = (1..=WORKERS).map(worker).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().map_err(|_| "a worker panicked".to_owned())?)
            .sum::<Result<usize, String>>()
    })?;
    Ok(compared + at_once)
}

fn vector(len: usize, (zeros, ones): Mix, seed: u64) -> Vec<blst_fr> {
    let chunk = |number: usize| {
        let mut random = Random(seed ^ (number as u64) << 20);
        let mut scalar = || match random.word() % 1000 {
            x if x < zeros => blst_fr::default(),
            x if x < zeros + ones => fr_one(),
            _ => inputs::random(&mut random),
        };
        (0..CHUNK.min(len - number * CHUNK)).map(|_| scalar()).collect::<Vec<_>>()
    };
    (0..len.div_ceil(CHUNK)).into_par_iter().flat_map_iter(chunk).collect()
}

fn check_scalars(uploads: &Uploads<'_>, stream: &Stream, scalars: &[blst_fr]) -> Result<(), String> {
    let what = format!("{} scalars", scalars.len());
    let sent = || {
        let to = poisoned(scalars.len() + scalars.len() / 30 + 1, stream)?;
        let told = uploads.send_scalars(scalars, &to)?;
        uploads.expansions().synchronize()?;
        Ok((told, to.to_host(stream)?))
    };
    let (told_of, found): (_, Vec<blst_fr>) = told(&what, sent())?;
    if let Err(index) = told_of {
        return Err(format!("{what}: number {index} was refused"));
    }
    let (values, zeros) = found.split_at(scalars.len());
    match values.iter().zip(scalars).position(|(found, sent)| found != sent) {
        Some(index) => Err(format!("{what}: number {index} is wrong")),
        None if zeros.iter().any(|x| *x != blst_fr::default()) => Err(format!("{what}: no zeros after them")),
        None => Ok(()),
    }
}

/// Sends classes, lists the terms of all variables, and looks each up.
fn check_classes(uploads: &Uploads<'_>, stream: &Stream, scalars: &[blst_fr]) -> Result<(), String> {
    const FIRST: usize = 5;
    let what = format!("classes of {} scalars", scalars.len());
    let all = told(&what, Classes::of(scalars))?.map_err(|index| format!("{what}: number {index} was refused"))?;
    let classes = all.of_range(&(0..scalars.len()));
    let sent = || {
        let (words, starts) = (poisoned(classes.words_len(), stream)?, poisoned(classes.chunks_len(), stream)?);
        let all: DeviceBuffer<blst_fr> = poisoned(FIRST + classes.full_len(), stream)?;
        let full = all.range(FIRST..all.len());
        let (numbers, mut all_of_it) = (classes.starts(FIRST), Vec::new());
        ClassesOnDevice { words: &words, starts: &starts, full: &full }.list(&classes, &numbers, &mut all_of_it)?;
        uploads.upload(&all_of_it)?;
        uploads.copies().synchronize()?;
        let (ones, counts) = (DeviceBuffer::new(scalars.len())?, DeviceBuffer::new(3)?);
        let (positions, indices) = (DeviceBuffer::new(classes.full_len())?, DeviceBuffer::new(classes.full_len())?);
        let lists = Lists { ones: &ones, positions: &positions, indices: &indices, counts: &counts };
        let private = Variables { classes: &words, density: None, len: scalars.len(), chunks: Some((CHUNK, &starts)) };
        let query = [QueryVariables { lists: &lists, inputs: None, private }];
        let mut scratch = poisoned(terms_scratch_bytes(&query), stream)?;
        list(&query, &mut scratch, stream)?;
        let listed_ones = counts.to_host(stream)?[1] as usize;
        let ones = ones.range(0..listed_ones.min(ones.len())).to_host(stream)?;
        let listed = (ones, positions.to_host(stream)?, indices.to_host(stream)?);
        Ok((listed, all.to_host(stream)?))
    };
    let ((ones, positions, indices), full) = told(&what, sent())?;
    let mut found = vec![blst_fr::default(); scalars.len()];
    ones.iter().for_each(|position| found[*position as usize] = fr_one());
    positions.iter().zip(&indices).for_each(|(at, index)| found[*at as usize] = full[*index as usize]);
    match found.iter().zip(scalars).position(|(found, sent)| found != sent) {
        Some(index) => Err(format!("{what}: number {index} is wrong")),
        None => Ok(()),
    }
}

/// A warm upload neither makes nor frees anything.
fn check_warm(uploads: &Uploads<'_>, len: usize, seed: u64) -> Result<(), String> {
    let scalars = vector(len, MIXES[0].1, seed);
    let room = told("room", DeviceBuffer::new(len))?;
    let before = counts();
    let _ = told("sending", uploads.send_scalars(&scalars, &room))?;
    told("waiting", uploads.expansions().synchronize())?;
    match counts().into_iter().find(|(name, calls)| *calls != before[name] && !is_allowed(name)) {
        Some((name, calls)) => Err(format!("a warm upload called {name} {} times", calls - before[name])),
        None => Ok(()),
    }
}

/// Slices of many lengths, more than the ring holds at once, to places side by side and apart.
fn check_large(uploads: &Uploads<'_>, stream: &Stream, seed: u64) -> Result<(), String> {
    let random = &mut Random(seed);
    let parts: Vec<Vec<u64>> = [1, 0, 300_000, 7, 20_000_000, 32_768, 5_000_001]
        .iter()
        .map(|len| (0..*len).map(|_| random.word()).collect())
        .collect();
    let sent = || {
        let rooms: Vec<DeviceBuffer<u64>> =
            parts.iter().map(|part| poisoned(part.len() + 3, stream)).collect::<Result<_, _>>()?;
        let parts: Vec<_> =
            parts.iter().zip(&rooms).map(|(part, room)| Upload::new(part, room)).collect::<Result<_, _>>()?;
        uploads.upload(&parts)?;
        uploads.copies().synchronize()?;
        rooms.iter().map(|room| room.to_host(stream)).collect::<Result<Vec<_>, _>>()
    };
    for (part, found) in parts.iter().zip(told("slices", sent())?) {
        if found[..part.len()] != part[..] || found[part.len()..].iter().any(|word| *word != u64::MAX) {
            return Err(format!("a slice of {} words is wrong", part.len()));
        }
    }
    Ok(())
}

/// After a vector with what is no scalar, the ring serves as before.
fn check_refusal(uploads: &Uploads<'_>, stream: &Stream, seed: u64) -> Result<(), String> {
    let good = vector(3_000_000, MIXES[0].1, seed);
    let room = told("room", DeviceBuffer::new(good.len()))?;
    for at in [0, 2049, 2_999_999] {
        let mut bad = good.clone();
        bad[at].l = [u64::MAX; 4];
        let refused = told("a bad vector", uploads.send_scalars(&bad, &room))?;
        if refused != Err(at) {
            return Err(format!("number {at} is no scalar, and the answer was {refused:?}"));
        }
        drop(told("a slot", uploads.take())?);
    }
    told("waiting", uploads.expansions().synchronize())?;
    check_scalars(uploads, stream, &good)
}

/// Has the uploads of two workers wait for kernels of one stream, and looks at whether those of two others, and kernels of another stream, pass
/// them by: with as many streams as the library has on a device, made in the same order. Returns how long that took, in milliseconds.
///
/// # Errors
/// That they did not, or CUDA's.
pub fn check_apart(device: &Device, seed: u64) -> Result<f64, String> {
    const LOG2: u32 = 20;
    /// Slots that a worker may have on their way.
    const SHARE: usize = 3;
    /// The library's streams that are made before those of uploads, and after.
    const STREAMS: [usize; 2] = [8, 3];
    let streams = |count| told("streams", (0..count).map(|_| Stream::new()).collect::<Result<Vec<_>, _>>());
    let before = streams(STREAMS[0])?;
    let ring = told("the ring", Ring::new(Timeline::new(0).into()))?;
    let _after = streams(STREAMS[1])?;
    let [compute, busy, ..] = before.as_slice() else { unreachable!("there are more") };

    let scalars = vector(1 << LOG2, MIXES[0].1, seed);
    let (mut many, mut few) = (told("kernels", Kernels::new(24, busy))?, told("kernels", Kernels::new(12, compute))?);
    let rooms: Vec<DeviceBuffer<blst_fr>> = told("rooms", (0..4).map(|_| DeviceBuffer::new(1 << LOG2)).collect())?;
    let mut run = || -> Result<[f64; 3], interlock::Error> {
        let (waiting, others) = ([ring.uploads(), ring.uploads()], [ring.uploads(), ring.uploads()]);
        let start = Instant::now();
        let until = many.enqueue(30, busy)?;
        for (uploads, room) in waiting.iter().zip(&rooms) {
            uploads.wait_for(&until)?;
            for first in 0..SHARE {
                let _ = uploads.send_scalars(&scalars[first..=first], &room.range(first..first + 1))?;
            }
        }
        few.enqueue(1, compute)?.synchronize()?;
        let kernels = start.elapsed();
        for (uploads, room) in others.iter().zip(&rooms[2..]) {
            let _ = uploads.send_scalars(&scalars, room)?;
            uploads.expansions().synchronize()?;
        }
        let sent = start.elapsed();
        until.synchronize()?;
        let all = start.elapsed();
        waiting.iter().try_for_each(|uploads| uploads.expansions().synchronize())?;
        Ok([kernels, sent, all].map(|time| time.as_secs_f64() * 1e3))
    };
    // The first time kernels are loaded, which waits for all that is under way. Then each pair of streams is among those that wait.
    told("uploads", run())?;
    let mut most = 0.0_f64;
    for _ in 0..2 {
        let [kernels, sent, all] = told("uploads", run())?;
        if sent > all / 2.0 {
            return Err(format!("kernels that should not wait ended after {kernels:.1} ms, uploads after {sent:.1}, and what others waited for after {all:.1}"));
        }
        most = most.max(sent);
    }
    for room in &rooms[2..] {
        if told("scalars", room.to_host(&device.stream))? != scalars {
            return Err("scalars are wrong".to_owned());
        }
    }
    Ok(most)
}

/// Kernels that keep a device busy.
struct Kernels {
    domain: Domain,
    vectors: [DeviceBuffer<blst_fr>; 2],
}

impl Kernels {
    /// Over 2^`log2` elements.
    fn new(log2: u32, stream: &Stream) -> Result<Self, interlock::Error> {
        let domain = Domain::new(log2, DeviceBuffer::new(Domain::length(log2)?)?, stream)?;
        let vectors = [DeviceBuffer::new(1 << log2)?, DeviceBuffer::new(1 << log2)?];
        vectors.iter().try_for_each(|vector| vector.clear(stream))?;
        Ok(Self { domain, vectors })
    }

    /// Enqueues them a few times, fewer than makes the host wait, and returns when they are over.
    fn enqueue(&mut self, times: usize, stream: &Stream) -> Result<Event, interlock::Error> {
        let [a, b] = &mut self.vectors;
        (0..times).try_for_each(|_| self.domain.product(a, b, stream))?;
        Event::record(stream)
    }
}

/// Times the sending of 2^log scalars, until the device has them, and the making of their classes.
///
/// # Errors
/// CUDA's.
pub fn time(_device: &Device, log: u32, seed: u64) -> Result<(), String> {
    let ring = told("the ring", Ring::new(Timeline::new(0).into()))?;
    let (uploads, room) = (ring.uploads(), told("room", DeviceBuffer::new(1 << log))?);
    for (name, mix) in MIXES {
        let scalars = vector(1 << log, mix, seed);
        let send = || {
            let _ = uploads.send_scalars(&scalars, &room)?;
            uploads.expansions().synchronize()
        };
        time_of(&format!("{name} of 2^{log}"), scalars.len(), send)?;
        time_of(&format!("classes of {name}"), scalars.len(), || Classes::of(&scalars).map(drop))?;
    }
    Ok(())
}

/// Times what is done with so many scalars, after it was done once.
fn time_of(what: &str, scalars: usize, work: impl Fn() -> Result<(), interlock::Error>) -> Result<(), String> {
    const RUNS: usize = 20;
    told(what, work())?;
    let runs = (0..RUNS).map(|_| {
        let (done, took) = timed(&work);
        told(what, done).map(|()| took)
    });
    let runs: Vec<Took> = runs.collect::<Result<_, _>>()?;
    let times = sorted(runs.iter().map(|took| took.seconds * 1e3).collect());
    let (median, least, most) = (median(&times), times[0], times[RUNS - 1]);
    let cpu = runs.iter().map(|took| took.cpu_seconds * 1e3).sum::<f64>() / RUNS as f64;
    let rate = (scalars * size_of::<blst_fr>()) as f64 / 1e6 / median;
    println!("{what}: {median:.2} ms ({least:.2} – {most:.2}), {rate:.1} GB/s of scalars, {cpu:.1} ms of CPU");
    Ok(())
}
