//! Parameter files on disk: what loads, what does not and what is said of it, and what is shared.

use std::fs::{self, File};
use std::os::unix::fs::{symlink, FileExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use super::decode::{decode, Point};
use super::encoded::{Encoded, Query};
use super::file::ParamsFile;
use super::sample::Sample;
use super::spoilt::{cases, H, L, SMALL};
use super::Parameters;
use crate::curve::{G1Affine, G2Affine};
use crate::error::{Error, ParamsFault};
use crate::Srs;

/// A directory that goes with its test.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("interlock-params-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file that seems an hour old, at another time than any before it.
    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        age(&path);
        path
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn age(path: &Path) {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let written =
        SystemTime::now() - Duration::from_secs(3600) + Duration::from_micros(WRITES.fetch_add(1, Ordering::Relaxed));
    File::options().write(true).open(path).unwrap().set_modified(written).unwrap();
}

/// The kept points of `params` as they stand in a file, section by section, with where each section starts.
fn encoded(params: &Parameters) -> Vec<(usize, Vec<u8>)> {
    let ic_end = 868 + params.counts.inputs * 96;
    let points = params.points().unwrap();
    let mut sections = vec![
        (0, g1_bytes(&[params.alpha_g1, params.beta_g1])),
        (192, g2_bytes(&[params.beta_g2])),
        (576, g1_bytes(&[params.delta_g1])),
        (672, g2_bytes(&[params.delta_g2])),
    ];
    let mut at = ic_end + 4;
    for query in [&points.h, &points.l, &points.a, &points.b_g1] {
        sections.push((at, g1_bytes(query)));
        at += query.len() * 96 + 4;
    }
    sections.push((at, g2_bytes(&points.b_g2)));
    sections
}

fn g1_bytes(points: &[G1Affine]) -> Vec<u8> {
    let mut bytes = vec![0; points.len() * 96];
    for (point, bytes) in points.iter().zip(bytes.chunks_mut(96)) {
        // SAFETY: blst reads one point and writes 96 bytes.
        unsafe { blst::blst_p1_affine_serialize(bytes.as_mut_ptr(), point) };
    }
    bytes
}

fn g2_bytes(points: &[G2Affine]) -> Vec<u8> {
    let mut bytes = vec![0; points.len() * 192];
    for (point, bytes) in points.iter().zip(bytes.chunks_mut(192)) {
        // SAFETY: blst reads one point and writes 192 bytes.
        unsafe { blst::blst_p2_affine_serialize(bytes.as_mut_ptr(), point) };
    }
    bytes
}

fn assert_holds(params: &Parameters, file: &[u8]) {
    let mut end = 0;
    for (at, section) in encoded(params) {
        end = at + section.len();
        assert!(section == file[at..end], "the section at byte {at} differs");
    }
    assert_eq!(end, file.len());
}

#[test]
fn what_was_written_is_what_is_read() {
    let dir = Dir::new();
    let shapes = [
        SMALL,
        Sample { ic: 1, h: 0, l: 0, a: 1, b: 0 },
        Sample { ic: 0, h: 0, l: 0, a: 0, b: 0 },
        Sample { ic: 328, h: 1023, l: 1000, a: 1300, b: 254 },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let bytes = shape.bytes();
        let srs = Srs::open(dir.write(&i.to_string(), &bytes), false).unwrap();
        let params = srs.parameters();
        assert_holds(params, &bytes);
        assert_eq!((params.counts.inputs, params.domain_size()), (shape.ic as usize, shape.h as usize + 1));
    }
}

#[test]
fn the_vectors_load() {
    for vector in interlock_vectors::all() {
        let srs = Srs::open(&vector.params, false).unwrap_or_else(|e| panic!("{e}"));
        assert_holds(srs.parameters(), &fs::read(&vector.params).unwrap());
    }
}

#[test]
fn a_spoilt_file_is_refused_with_its_fault() {
    let dir = Dir::new();
    for case in cases() {
        let mut bytes = SMALL.bytes();
        (case.spoil)(&mut bytes);
        let path = dir.write("params", &bytes);
        let error = Srs::open(&path, true).expect_err(case.name);
        let text = error.to_string();
        assert!(text.contains(case.text) && text.contains(&*path.to_string_lossy()), "{}: {text}", case.name);
        assert_eq!(error.code(), case.code, "{}", case.name);
        let elsewhere = decoded_elsewhere(&path).expect_err(case.name);
        assert_eq!(elsewhere.to_string(), text, "{}", case.name);
        let Error::Params { path: named, fault } = error else { panic!("{}: {error:?}", case.name) };
        assert_eq!((named, fault), (path, case.fault), "{}", case.name);
    }
}

/// Has the queries of a file decoded as a backend does that has no points in memory.
fn decoded_elsewhere(path: &Path) -> Result<(), Error> {
    Parameters::open(path, false)?.read_encoded(|encoded| {
        Query::ALL.into_iter().try_for_each(|query| match query {
            Query::BG2 => decode_all::<192, G2Affine>(encoded, query),
            _ => decode_all::<96, G1Affine>(encoded, query),
        })
    })
}

fn decode_all<const BYTES: usize, P: Point<BYTES>>(encoded: Encoded<'_>, query: Query) -> Result<(), Error> {
    (0..encoded.len(query)).try_for_each(|i| {
        let mut bytes = [0; BYTES];
        encoded.read(query, i * BYTES, &mut bytes)?;
        decode::<BYTES, P>(&bytes, false).map(drop).map_err(|fault| encoded.error(query, i as u64, fault))
    })
}

#[test]
fn order_r_is_checked_before_a_backend_decodes() {
    let dir = Dir::new();
    let mut bytes = SMALL.bytes();
    // (0, 2) is on the curve and of order 3.
    bytes[L + 4..L + 100].fill(0);
    bytes[L + 99] = 2;
    let path = dir.write("params", &bytes);
    assert!(decoded_elsewhere(&path).is_ok());
    let checked = Parameters::open(&path, true).unwrap();
    let error = checked.read_encoded(|_| Ok(())).unwrap_err();
    let fault = ParamsFault::NotInSubgroup { section: "l", index: 0, offset: 1356 };
    assert!(matches!(&error, Error::Params { fault: found, .. } if *found == fault), "{error}");
    assert_eq!(checked.points().unwrap_err().to_string(), error.to_string());
}

#[test]
fn points_are_decoded_when_they_are_asked_for_and_once() {
    let dir = Dir::new();
    let mut bytes = SMALL.bytes();
    bytes[H + 99] ^= 1;
    let path = dir.write("params", &bytes);
    let params = Parameters::open(&path, false).unwrap();
    assert!(matches!(params.points(), Err(Error::Params { fault: ParamsFault::OffCurve { .. }, .. })));

    let path = dir.write("params", &SMALL.bytes());
    let params = Parameters::open(&path, false).unwrap();
    let all = thread::scope(|scope| {
        let callers = [(); 4].map(|()| scope.spawn(|| params.points().unwrap()));
        callers.map(|caller| caller.join().unwrap())
    });
    assert!(all.iter().all(|points| std::ptr::eq(*points, all[0])));
    // To read it again would be an error.
    fs::write(&path, []).unwrap();
    assert!(params.points().is_ok());
}

#[test]
fn a_file_that_another_took_the_place_of_is_still_read() {
    let dir = Dir::new();
    let bytes = SMALL.bytes();
    let path = dir.write("params", &bytes);
    let params = Parameters::open(&path, false).unwrap();
    fs::rename(dir.write("new", &Sample { h: 7, ..SMALL }.bytes()), &path).unwrap();
    assert_holds(&params, &bytes);
    fs::remove_file(&path).unwrap();
    assert!(params.read_encoded(|_| Ok(())).is_ok());
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let dir = Dir::new();
    let mut bytes = SMALL.bytes();
    while bytes.pop().is_some() {
        let error = Srs::open(dir.write("params", &bytes), false).unwrap_err();
        let fault = matches!(error, Error::Params { fault: ParamsFault::Truncated { .. } | ParamsFault::Empty, .. });
        assert!(fault, "{} bytes: {error}", bytes.len());
    }
}

#[test]
fn each_fault_has_its_code() {
    let (section, index, offset) = ("h", 0, 0);
    let faults = [
        ParamsFault::NotAFile { what: "a directory" },
        ParamsFault::NotAFile { what: "a socket" },
        ParamsFault::Empty,
        ParamsFault::Truncated { section, needed: 2, size: 1 },
        ParamsFault::Oversized { expected: 1, size: 2 },
        ParamsFault::Layout { what: String::new() },
        ParamsFault::NonCanonical { section, index, offset, what: "" },
        ParamsFault::OffCurve { section, index, offset },
        ParamsFault::Infinity { section, index, offset },
        ParamsFault::NotInSubgroup { section, index, offset },
        ParamsFault::Changed,
    ];
    let codes = faults.map(|fault| Error::Params { path: PathBuf::new(), fault }.code());
    for (i, code) in codes.iter().enumerate() {
        assert!(*code > 0 && !codes[..i].contains(code), "{i}: {code}");
    }
}

/// What opening `path` reports, in another thread so that a call that blocks is a failure and not a hang.
fn error_within_seconds(path: &Path, before: fn()) -> Error {
    let (sender, receiver) = mpsc::channel();
    let path = path.to_owned();
    thread::spawn(move || {
        before();
        sender.send(Srs::open(&path, false))
    });
    receiver.recv_timeout(Duration::from_secs(20)).expect("opening blocks").unwrap_err()
}

#[test]
fn what_is_no_regular_file_is_refused_without_waiting() {
    let dir = Dir::new();
    let pipe = dir.path("pipe");
    let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: `name` is a C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let socket = dir.path("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    for (path, text, code) in [
        (dir.0.as_path(), "is a directory, not a regular file", libc::EISDIR),
        (&pipe, "is a named pipe", libc::ENOTSUP),
        (&socket, "is a socket", libc::ENOTSUP),
        (Path::new("/dev/null"), "is a character device", libc::ENOTSUP),
    ] {
        let error = error_within_seconds(path, || ());
        assert!(error.to_string().contains(text), "{error}");
        assert_eq!(error.code(), code);
    }
}

#[test]
fn what_cannot_be_opened_says_why() {
    let dir = Dir::new();
    let file = dir.write("params", &SMALL.bytes());
    symlink(dir.path("loop"), dir.path("loop")).unwrap();
    symlink("nowhere", dir.path("dangling")).unwrap();
    for (path, code) in [
        (dir.path("missing"), libc::ENOENT),
        (dir.path("dangling"), libc::ENOENT),
        (PathBuf::new(), libc::ENOENT),
        (file.join("below"), libc::ENOTDIR),
        (dir.path("loop"), libc::ELOOP),
        (dir.path(&"n".repeat(300)), libc::ENAMETOOLONG),
    ] {
        let error = Srs::open(&path, true).unwrap_err();
        assert!(error.to_string().starts_with(&format!("cannot open parameter file {}: ", path.display())), "{error}");
        assert_eq!(error.code(), code);
    }
}

#[test]
fn a_file_that_may_not_be_read_says_so() {
    let dir = Dir::new();
    let path = dir.write("params", &SMALL.bytes());
    fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read anything, so the thread that opens gives that up first. This changes that thread alone.
    // SAFETY: no memory is involved.
    let error = error_within_seconds(&path, || unsafe {
        libc::setfsuid(65_534);
    });
    assert!(error.to_string().contains("Permission denied"), "{error}");
    assert_eq!(error.code(), libc::EACCES);
}

#[test]
fn counts_that_no_memory_could_hold_are_an_error_and_no_abort() {
    let dir = Dir::new();
    let mut bytes = SMALL.bytes();
    bytes[H..H + 4].fill(0xff);
    let path = dir.write("params", &bytes[..H + 4]);
    let file = File::options().write(true).open(&path).unwrap();
    // A file of 412 GB that takes no room on the disk: zeros where its points are, and counts of zero but for the inputs' points in a.
    let l = (H + 4) as u64 + 0xffff_ffff * 96;
    file.set_len(l + 16 + 2 * 96).unwrap();
    file.write_all_at(&2_u32.to_be_bytes(), l + 4).unwrap();
    age(&path);
    let error = Srs::open(&path, false).unwrap_err();
    let refused = match &error {
        Error::OutOfMemory { what: "h", bytes } => *bytes == 0xffff_ffff * 96,
        Error::Params { fault: ParamsFault::OffCurve { section: "h", index: 0, .. }, .. } => true,
        _ => false,
    };
    assert!(refused, "{error}");
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let dir = Dir::new();
    let changes: [fn(&Path); 4] = [
        |path| fs::write(path, SMALL.bytes()).unwrap(),
        |path| fs::write(path, &SMALL.bytes()[..2000]).unwrap(),
        |path| fs::write(path, []).unwrap(),
        |path| fs::write(path, [SMALL.bytes(), vec![0]].concat()).unwrap(),
    ];
    for change in changes {
        let path = dir.path("params");
        // Not aged: the change comes as soon after the write as it can.
        fs::write(&path, SMALL.bytes()).unwrap();
        let file = ParamsFile::open(&path).unwrap();
        change(&path);
        assert_changed(Parameters::read(file, &path, false).unwrap_err().at(&path));

        fs::write(&path, SMALL.bytes()).unwrap();
        let params = Parameters::open(&path, false).unwrap();
        change(&path);
        assert_changed(params.points().unwrap_err());
        let bad_point = Error::Params { path: path.clone(), fault: ParamsFault::Empty };
        assert_changed(params.read_encoded(|_| -> Result<(), _> { Err(bad_point) }).unwrap_err());
    }
}

fn assert_changed(error: Error) {
    assert!(matches!(error, Error::Params { fault: ParamsFault::Changed, .. }), "{error}");
    assert!(error.to_string().contains("changed while it was being read"));
    assert_eq!(error.code(), libc::ESTALE);
}

#[test]
fn one_file_is_one_copy_under_all_its_names() {
    let dir = Dir::new();
    let path = dir.write("params", &SMALL.bytes());
    symlink(&path, dir.path("symlink")).unwrap();
    fs::hard_link(&path, dir.path("hardlink")).unwrap();
    fs::create_dir(dir.path("sub")).unwrap();
    let names = ["params", "symlink", "hardlink", "sub/../params"].map(|name| dir.path(name));
    let start = Barrier::new(2 * names.len());
    let loaded: Vec<Srs> = thread::scope(|scope| {
        let racing = names.iter().chain(&names).map(|name| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                Srs::open(name, false).unwrap()
            })
        });
        racing.collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(loaded.iter().all(|srs| Arc::ptr_eq(srs.parameters(), loaded[0].parameters())));

    let copy = dir.write("copy", &SMALL.bytes());
    assert!(!Arc::ptr_eq(Srs::open(&copy, false).unwrap().parameters(), loaded[0].parameters()));
}

#[test]
fn a_file_that_was_replaced_or_rewritten_is_loaded_anew() {
    let dir = Dir::new();
    let path = dir.path("params");
    fs::write(&path, SMALL.bytes()).unwrap();
    let old = Srs::open(&path, true).unwrap();

    // As many bytes, as soon as can be, in the same file; then in another.
    let mut bytes = SMALL.bytes();
    bytes.copy_within(0..96, 96);
    fs::write(&path, &bytes).unwrap();
    let rewritten = Srs::open(&path, true).unwrap();
    assert_eq!(rewritten.parameters().beta_g1, old.parameters().alpha_g1);

    let new = dir.write("new", &Sample { h: 7, ..SMALL }.bytes());
    fs::rename(&new, &path).unwrap();
    let replaced = Srs::open(&path, false).unwrap();
    assert_eq!((old.parameters().counts.h, replaced.parameters().counts.h), (3, 7));
    rewritten.evict();
}

#[test]
fn a_cached_file_stays_until_it_is_evicted_and_then_while_it_is_used() {
    let dir = Dir::new();
    let path = dir.write("params", &SMALL.bytes());
    let kept = Arc::downgrade(Srs::open(&path, true).unwrap().parameters());
    assert!(kept.upgrade().is_some());

    let again = Srs::open(&path, false).unwrap();
    assert!(Arc::ptr_eq(again.parameters(), &kept.upgrade().unwrap()));
    again.evict();
    let in_use = again.parameters().clone();
    drop(again);
    assert_eq!(in_use.counts.h, 3);
    drop(in_use);
    assert!(kept.upgrade().is_none());
}

#[test]
fn a_bad_file_that_is_mended_loads() {
    let dir = Dir::new();
    let path = dir.write("params", &SMALL.bytes()[..1000]);
    assert!(Srs::open(&path, true).is_err());
    assert!(Srs::open(&path, true).is_err());
    dir.write("params", &SMALL.bytes());
    assert!(Srs::open(&path, false).is_ok());
}
