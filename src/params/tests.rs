//! Parameter files on disk: what loads, what does not and what is said of it, and what is shared.

use std::fs::{self, File};
use std::os::unix::fs::{symlink, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc, Barrier};
use std::thread;
use std::time::{Duration, SystemTime};

use super::file::ParamsFile;
use super::sample::Sample;
use super::{Parameters, Srs};
use crate::curve::{G1Affine, G2Affine};
use crate::error::{Error, ParamsFault};

const SMALL: Sample = Sample { ic: 2, h: 3, l: 2, a: 3, b: 2 };
// Where its counts are; the points follow, four bytes on.
const IC: usize = 864;
const H: usize = 1060;
const L: usize = 1352;
const B_G1: usize = 1840;
const B_G2: usize = 2036;

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
    let ic_end = 868 + params.inputs * 96;
    let mut sections = vec![
        (0, g1_bytes(&[params.alpha_g1, params.beta_g1])),
        (192, g2_bytes(&[params.beta_g2])),
        (576, g1_bytes(&[params.delta_g1])),
        (672, g2_bytes(&[params.delta_g2])),
    ];
    let mut at = ic_end + 4;
    for query in [&params.h, &params.l, &params.a, &params.b_g1] {
        sections.push((at, g1_bytes(query)));
        at += query.len() * 96 + 4;
    }
    sections.push((at, g2_bytes(&params.b_g2)));
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
        let srs = Srs::open(&dir.write(&i.to_string(), &bytes), false).unwrap();
        let params = srs.parameters();
        assert_holds(params, &bytes);
        assert_eq!((params.inputs, params.domain_size()), (shape.ic as usize, shape.h as usize + 1));
    }
}

#[test]
fn the_vectors_load() {
    for vector in interlock_vectors::all() {
        let srs = Srs::open(&vector.params, false).unwrap_or_else(|e| panic!("{e}"));
        assert_holds(srs.parameters(), &fs::read(&vector.params).unwrap());
    }
}

/// One way to spoil a file, and what is said of it.
struct Case {
    name: &'static str,
    spoil: fn(&mut Vec<u8>),
    fault: ParamsFault,
    text: &'static str,
    code: i32,
}

fn non_canonical(section: &'static str, index: u64, offset: u64, what: &'static str) -> ParamsFault {
    ParamsFault::NonCanonical { section, index, offset, what }
}

fn cases() -> Vec<Case> {
    let size = 2424;
    vec![
        Case {
            name: "empty",
            spoil: |file| file.clear(),
            fault: ParamsFault::Empty,
            text: "is empty",
            code: libc::ENODATA,
        },
        Case {
            name: "a byte short",
            spoil: |file| file.truncate(2423),
            fault: ParamsFault::Truncated { section: "b_g2", needed: size, size: size - 1 },
            text: "b_g2 needs bytes up to 2424, the file has 2423",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "a byte too long",
            spoil: |file| file.push(0),
            fault: ParamsFault::Oversized { expected: size, size: size + 1 },
            text: "has 2425 bytes, but its content ends at 2424",
            code: libc::EFBIG,
        },
        Case {
            name: "a huge count",
            spoil: |file| file[L..L + 4].fill(0xff),
            fault: ParamsFault::Truncated { section: "l", needed: 1356 + 0xffff_ffff * 96, size },
            text: "l needs bytes up to 412316861676, the file has 2424",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "little-endian counts",
            spoil: |file| file[IC..IC + 4].reverse(),
            fault: ParamsFault::Truncated { section: "ic", needed: 868 + 0x0200_0000 * 96, size },
            text: "ic needs bytes up to",
            code: libc::EOVERFLOW,
        },
        Case {
            name: "a domain of 3",
            spoil: |file| file[H + 3] = 2,
            fault: ParamsFault::Layout {
                what: "h has 2 points, which makes a domain of 3, but a domain's size is a power of two".to_owned(),
            },
            text: "impossible layout: h has 2 points",
            code: libc::EBADMSG,
        },
        Case {
            name: "unequal b queries",
            spoil: |file| file[B_G2 + 3] = 3,
            fault: ParamsFault::Layout {
                what: "b_g1 has 2 points and b_g2 has 3, but both are of the same variables".to_owned(),
            },
            text: "b_g1 has 2 points and b_g2 has 3",
            code: libc::EBADMSG,
        },
        Case {
            name: "a coordinate of all ones",
            spoil: |file| file[H + 4 + 96 + 48..H + 4 + 192].fill(0xff),
            fault: non_canonical("h", 1, 1160, "a coordinate is not below the field's modulus"),
            text: "h[1] at byte 1160: a coordinate is not below",
            code: libc::EILSEQ,
        },
        Case {
            name: "the compressed flag",
            spoil: |file| file[B_G2 + 4 + 192] |= 0x80,
            fault: non_canonical(
                "b_g2",
                1,
                2232,
                "the flag of a compressed point is set, but parameter files hold uncompressed ones",
            ),
            text: "b_g2[1] at byte 2232: the flag of a compressed point",
            code: libc::EILSEQ,
        },
        Case {
            name: "the sign flag",
            spoil: |file| file[0] |= 0x20,
            fault: non_canonical("alpha_g1", 0, 0, "the sign flag is set, which only compressed points have"),
            text: "alpha_g1[0] at byte 0: the sign flag",
            code: libc::EILSEQ,
        },
        Case {
            name: "the infinity flag on a point",
            spoil: |file| file[672] |= 0x40,
            fault: non_canonical(
                "delta_g2",
                0,
                672,
                "the flag of the point at infinity is set, but other bits are too",
            ),
            text: "delta_g2[0] at byte 672: the flag of the point at infinity",
            code: libc::EILSEQ,
        },
        Case {
            name: "infinity",
            spoil: |file| {
                file[B_G1 + 4..B_G1 + 100].fill(0);
                file[B_G1 + 4] = 0x40;
            },
            fault: ParamsFault::Infinity { section: "b_g1", index: 0, offset: 1844 },
            text: "b_g1[0] at byte 1844 is the point at infinity",
            code: libc::ERANGE,
        },
        Case {
            name: "a hole",
            spoil: |file| file[L + 4..L + 100].fill(0),
            fault: ParamsFault::OffCurve { section: "l", index: 0, offset: 1356 },
            text: "l[0] at byte 1356 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "gamma, which is not kept",
            spoil: |file| file[575] ^= 1,
            fault: ParamsFault::OffCurve { section: "gamma_g2", index: 0, offset: 384 },
            text: "gamma_g2[0] at byte 384 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "ic, which is not kept",
            spoil: |file| file[IC + 4 + 191] ^= 1,
            fault: ParamsFault::OffCurve { section: "ic", index: 1, offset: 964 },
            text: "ic[1] at byte 964 is not on the curve",
            code: libc::EDOM,
        },
        Case {
            name: "two bad points",
            spoil: |file| {
                file[2423] ^= 1;
                file[H + 4 + 95] ^= 1;
            },
            fault: ParamsFault::OffCurve { section: "h", index: 0, offset: 1064 },
            text: "h[0] at byte 1064 is not on the curve",
            code: libc::EDOM,
        },
    ]
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
        let Error::Params { path: named, fault } = error else { panic!("{}: {error:?}", case.name) };
        assert_eq!((named, fault), (path, case.fault), "{}", case.name);
    }
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let dir = Dir::new();
    let mut bytes = SMALL.bytes();
    while bytes.pop().is_some() {
        let error = Srs::open(&dir.write("params", &bytes), false).unwrap_err();
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
    // A file of 412 GB that takes no room on the disk: zeros where its points are, and four counts of zero.
    file.set_len((H + 4) as u64 + 0xffff_ffff * 96 + 16).unwrap();
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
        let error = super::load(&file, false).unwrap_err().at(&path);
        assert!(matches!(error, Error::Params { fault: ParamsFault::Changed, .. }), "{error}");
        assert!(error.to_string().contains("changed while it was being read"));
        assert_eq!(error.code(), libc::ESTALE);
    }
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
    assert_eq!((old.parameters().h.len(), replaced.parameters().h.len()), (3, 7));
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
    assert_eq!(in_use.h.len(), 3);
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
