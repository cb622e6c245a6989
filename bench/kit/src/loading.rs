//! Whole parameter files loaded by the GPU backend, good and bad, against the CPU backend.

use std::fs;
use std::path::{Path, PathBuf};

use interlock::kit::{points_on_device, points_when_streamed, spoilt_cases, Sample, TO_SPOIL};
use interlock::settings::{set_backend, BackendChoice};
use interlock::{Points, Srs};

use crate::inputs::Random;
use crate::msm::spoil;

/// `h`, `l` and the `b` query in G2 have more bytes than a piece that is read at a time; together they have more pieces, where they are not
/// to stay on the device, than there are places for these.
const LARGE: Sample = Sample { ic: 5, h: (1 << 19) - 1, l: 200_000, a: 7, b: 100_000 };

/// Compares what both backends say of each kind of bad file, and of `n` large ones with up to three bad points; and the points of a good
/// one. Returns how many files agreed.
///
/// # Errors
/// What differs.
pub fn check(n: usize, seed: u64) -> Result<usize, String> {
    let file = File::new();
    let cases = spoilt_cases();
    for case in &cases {
        let mut bytes = TO_SPOIL.bytes();
        (case.spoil)(&mut bytes);
        file.refused(&bytes, case.name)?;
    }
    let good = LARGE.bytes();
    file.accepted(&good)?;
    let random = &mut Random(seed);
    for round in 0..n {
        let mut bytes = good.clone();
        for _ in 0..1 + random.word() % 3 {
            spoil_one(&mut bytes, random);
        }
        file.refused(&bytes, &format!("round {round}"))?;
    }
    Ok(cases.len() + 1 + n)
}

/// Where the points of `ic` and of the queries start in a large file, how many there are, and how many bytes each has.
fn lists() -> [(usize, usize, usize); 6] {
    let counts = [LARGE.ic, LARGE.h, LARGE.l, LARGE.a, LARGE.b, LARGE.b];
    let mut start = 864;
    std::array::from_fn(|list| {
        let (count, point_bytes) = (counts[list] as usize, if list == 5 { 192 } else { 96 });
        start += 4 + count * point_bytes;
        (start - count * point_bytes, count, point_bytes)
    })
}

/// Spoils a point of one of the queries or of `ic`.
fn spoil_one(file: &mut [u8], random: &mut Random) {
    let (start, count, point_bytes) = lists()[(random.word() % 6) as usize];
    let index = (random.word() % count as u64) as usize;
    let point = &mut file[start + index * point_bytes..][..point_bytes];
    let before = point.to_vec();
    while point == before {
        spoil(point, random);
    }
}

/// A file that goes when it is dropped.
struct File(PathBuf);

impl File {
    fn new() -> Self {
        Self(std::env::temp_dir().join(format!("interlock-kit-{}.params", std::process::id())))
    }

    fn refused(&self, bytes: &[u8], name: &str) -> Result<(), String> {
        self.write(bytes)?;
        let [cpu, gpu] = [BackendChoice::Cpu, BackendChoice::Gpu].map(|backend| match open(&self.0, backend) {
            Ok(_) => "no fault".to_owned(),
            Err(error) => error,
        });
        let streamed = points_when_streamed(&self.0).map_or_else(|error| error.to_string(), |_| "no fault".to_owned());
        if cpu == gpu && cpu == streamed && cpu != "no fault" {
            return Ok(());
        }
        Err(format!("{name}: the CPU's loader finds {cpu}, the GPU's {gpu}, and {streamed} where they are streamed"))
    }

    fn accepted(&self, bytes: &[u8]) -> Result<(), String> {
        self.write(bytes)?;
        let gpu = open(&self.0, BackendChoice::Gpu)?;
        let expected = gpu.parameters().points().map_err(|error| error.to_string())?;
        let on_device = points_on_device(gpu.parameters()).map_err(|error| error.to_string())?;
        if !are_equal(&on_device, expected) {
            return Err("the points of a good file are not the CPU's".to_owned());
        }
        let streamed = points_when_streamed(&self.0).map_err(|error| error.to_string())?;
        if !are_equal(&streamed, expected) {
            return Err("the points of a good file are not the CPU's where they are streamed".to_owned());
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> Result<(), String> {
        fs::write(&self.0, bytes).map_err(|error| format!("{} cannot be written: {error}", self.0.display()))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn are_equal(some: &Points, others: &Points) -> bool {
    let Points { h, l, a, b_g1, b_g2 } = some;
    (h, l, a, b_g1, b_g2) == (&others.h, &others.l, &others.a, &others.b_g1, &others.b_g2)
}

fn open(path: &Path, backend: BackendChoice) -> Result<Srs, String> {
    set_backend(backend);
    Srs::open(path, false).map_err(|error| error.to_string())
}
