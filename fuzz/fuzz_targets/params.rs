//! Any bytes as a parameter file: they are refused with an error, or every point that was read encodes to the bytes that
//! it was read from.
#![no_main]

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use interlock::curve::{G1Affine, G2Affine};
use interlock::settings::{set_backend, BackendChoice};
use interlock::{Error, Parameters, Srs};
use libfuzzer_sys::fuzz_target;

static FILE: LazyLock<PathBuf> =
    LazyLock::new(|| PathBuf::from(format!("/dev/shm/interlock-fuzz-params-{}", std::process::id())));

fuzz_target!(|bytes: &[u8]| {
    // Its decoder is the one that is tried, and its points are in memory.
    set_backend(BackendChoice::Cpu);
    write(bytes).expect("/dev/shm can be written to");
    match Srs::open(&FILE, false) {
        Ok(srs) => check(srs.parameters(), bytes),
        Err(error @ Error::Params { .. }) => assert!(error.code() > 0 && !error.to_string().is_empty()),
        Err(error) => panic!("{error}"),
    }
});

/// The file gets a time of its own, long past, so that it is neither taken for the last one nor waited for.
fn write(bytes: &[u8]) -> std::io::Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let mut file = File::create(&*FILE)?;
    file.write_all(bytes)?;
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_micros(WRITES.fetch_add(1, Ordering::Relaxed)))
}

fn check(params: &Parameters, bytes: &[u8]) {
    check_g1(&[params.alpha_g1, params.beta_g1], &bytes[..192]);
    check_g2(&[params.beta_g2], &bytes[192..384]);
    check_g1(&[params.delta_g1], &bytes[576..672]);
    check_g2(&[params.delta_g2], &bytes[672..864]);
    let (count, mut rest) = split_count(&bytes[864..]);
    assert_eq!(params.counts.inputs, count);
    let points = params.points().expect("they are in memory");
    rest = &rest[count * 96..];
    for query in [&points.h, &points.l, &points.a, &points.b_g1] {
        let (count, bytes) = split_count(rest);
        assert_eq!(query.len(), count);
        check_g1(query, &bytes[..count * 96]);
        rest = &bytes[count * 96..];
    }
    let (count, bytes) = split_count(rest);
    assert_eq!((points.b_g1.len(), points.b_g2.len()), (count, count));
    check_g2(&points.b_g2, bytes);
    assert!(params.domain_size() == 1 << params.domain_log2());
}

fn split_count(bytes: &[u8]) -> (usize, &[u8]) {
    let (count, rest) = bytes.split_first_chunk().expect("a count has four bytes");
    (u32::from_be_bytes(*count) as usize, rest)
}

fn check_g1(points: &[G1Affine], bytes: &[u8]) {
    assert_eq!(points.len() * 96, bytes.len());
    for (point, expected) in points.iter().zip(bytes.chunks(96)) {
        let mut encoded = [0; 96];
        // SAFETY: blst reads one point and writes 96 bytes.
        unsafe { blst::blst_p1_affine_serialize(encoded.as_mut_ptr(), point) };
        assert_eq!(encoded, expected);
    }
}

fn check_g2(points: &[G2Affine], bytes: &[u8]) {
    assert_eq!(points.len() * 192, bytes.len());
    for (point, expected) in points.iter().zip(bytes.chunks(192)) {
        let mut encoded = [0; 192];
        // SAFETY: blst reads one point and writes 192 bytes.
        unsafe { blst::blst_p2_affine_serialize(encoded.as_mut_ptr(), point) };
        assert_eq!(encoded, expected);
    }
}
