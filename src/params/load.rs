//! From a file's bytes to parameters: all points decoded and checked, in parallel.

use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};

use super::decode::{decode, Point};
use super::failure::Failure;
use super::layout::{Layout, ReadAt, Section, G1_BYTES};
use super::srs::Points;
use crate::curve::{G1Affine, G2Affine};
use crate::error::try_with_capacity;

/// What one read takes from the file and one thread then decodes: enough that the read costs nothing beside the decoding
/// (some 5 ms on a core of an AMD EPYC), little enough that threads end together.
const CHUNK_BYTES: usize = 2 << 20;

/// Reads and checks the single points.
///
/// # Errors
/// That of the first one with something wrong.
pub(super) fn header<R: ReadAt + ?Sized>(file: &R, layout: &Layout, check_subgroup: bool) -> Result<Header, Failure> {
    let reader = Reader { file, check_subgroup };
    let alpha_g1 = reader.point(&layout.alpha_g1)?;
    let beta_g1 = reader.point(&layout.beta_g1)?;
    let beta_g2 = reader.point(&layout.beta_g2)?;
    let _gamma_g2: G2Affine = reader.point(&layout.gamma_g2)?;
    let delta_g1 = reader.point(&layout.delta_g1)?;
    let delta_g2 = reader.point(&layout.delta_g2)?;
    Ok(Header { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2 })
}

/// Reads and checks `ic` and the queries, on the threads of the rayon pool that it is called in.
///
/// # Errors
/// That of the first thing wrong in the order of the file, however many threads read it.
pub(super) fn points<R: ReadAt + ?Sized>(file: &R, layout: &Layout, check_subgroup: bool) -> Result<Points, Failure> {
    let mut h = room::<G1Affine>(&layout.h)?;
    let mut l = room::<G1Affine>(&layout.l)?;
    let mut a = room::<G1Affine>(&layout.a)?;
    let mut b_g1 = room::<G1Affine>(&layout.b_g1)?;
    let mut b_g2 = room::<G2Affine>(&layout.b_g2)?;
    Reader { file, check_subgroup }.run(
        checks(layout.ic)
            .chain(jobs(layout.h, &mut h, Target::G1))
            .chain(jobs(layout.l, &mut l, Target::G1))
            .chain(jobs(layout.a, &mut a, Target::G1))
            .chain(jobs(layout.b_g1, &mut b_g1, Target::G1))
            .chain(jobs(layout.b_g2, &mut b_g2, Target::G2)),
    )?;
    // SAFETY: `run` succeeded, so each job wrote each point of its part, and the jobs of a section cover as many points
    // as it has, from the first on, in a vector with room for them.
    unsafe {
        h.set_len(layout.h.count as usize);
        l.set_len(layout.l.count as usize);
        a.set_len(layout.a.count as usize);
        b_g1.set_len(layout.b_g1.count as usize);
        b_g2.set_len(layout.b_g2.count as usize);
    }
    Ok(Points { h, l, a, b_g1, b_g2 })
}

/// Reads and checks `sections` and keeps nothing, on the threads of the rayon pool that it is called in.
///
/// # Errors
/// As [`points`].
#[cfg(any(test, interlock_cuda))]
pub(super) fn check<R: ReadAt + ?Sized>(file: &R, sections: &[Section], check_subgroup: bool) -> Result<(), Failure> {
    Reader { file, check_subgroup }.run(sections.iter().copied().flat_map(checks))
}

/// An empty vector with room for the points of `section`.
fn room<T>(section: &Section) -> Result<Vec<T>, Failure> {
    allocate(section.count as usize, section.name)
}

fn allocate<T>(len: usize, what: &'static str) -> Result<Vec<T>, Failure> {
    try_with_capacity(len, what).map_err(|_| Failure::OutOfMemory { what, bytes: len.saturating_mul(size_of::<T>()) })
}

/// A part of a section, and where its points go.
struct Job<'a> {
    section: Section,
    first: usize,
    target: Target<'a>,
}

enum Target<'a> {
    G1(&'a mut [MaybeUninit<G1Affine>]),
    G2(&'a mut [MaybeUninit<G2Affine>]),
    /// Nowhere: so many points are only checked.
    Nowhere(usize),
}

/// The jobs that fill `points`, which has room for `section`, in the order of the file.
fn jobs<'a, T: 'a>(
    section: Section,
    points: &'a mut Vec<T>,
    target: fn(&'a mut [MaybeUninit<T>]) -> Target<'a>,
) -> impl Iterator<Item = Job<'a>> {
    let per_job = CHUNK_BYTES / size_of::<T>();
    points.spare_capacity_mut()[..section.count as usize].chunks_mut(per_job).enumerate().map(move |(i, part)| Job {
        section,
        first: i * per_job,
        target: target(part),
    })
}

/// The jobs that check `section`, in the order of the file.
fn checks<'a>(section: Section) -> impl Iterator<Item = Job<'a>> {
    let (per_job, count) = (CHUNK_BYTES / section.point_bytes, section.count as usize);
    let job = move |first| Job { section, first, target: Target::Nowhere(per_job.min(count - first)) };
    (0..count).step_by(per_job).map(job)
}

/// The single points that are kept.
pub(super) struct Header {
    pub(super) alpha_g1: G1Affine,
    pub(super) beta_g1: G1Affine,
    pub(super) beta_g2: G2Affine,
    pub(super) delta_g1: G1Affine,
    pub(super) delta_g2: G2Affine,
}

struct Reader<'a, R: ?Sized> {
    file: &'a R,
    check_subgroup: bool,
}

impl<R: ReadAt + ?Sized> Reader<'_, R> {
    fn point<const BYTES: usize, P: Point<BYTES>>(&self, section: &Section) -> Result<P, Failure> {
        let mut bytes = [0; BYTES];
        self.fill(&mut bytes, section.offset)?;
        decode(&bytes, self.check_subgroup).map_err(|fault| fault.of(section, 0).into())
    }

    /// Runs `jobs`, which are in the order of the file and are begun in it. After a failure no later job is begun; all
    /// earlier ones have been and end, so the first failure is known whatever the threads do.
    fn run<'a>(&self, jobs: impl Iterator<Item = Job<'a>> + Send) -> Result<(), Failure> {
        let first_failure: Mutex<Option<(usize, Failure)>> = Mutex::new(None);
        let lock = || first_failure.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.enumerate().par_bridge().for_each_init(Vec::new, |buffer, (number, job)| {
            if lock().as_ref().is_some_and(|(failed, _)| *failed < number) {
                return;
            }
            if let Err(failure) = self.job(job, buffer) {
                let mut first = lock();
                if first.as_ref().is_none_or(|(failed, _)| number < *failed) {
                    *first = Some((number, failure));
                }
            }
        });
        let failure = first_failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), |(_, failure)| Err(failure))
    }

    fn job(&self, job: Job<'_>, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        let Job { section, first, target } = job;
        match target {
            Target::G1(points) => self.points(&section, first, points.len(), put(points), buffer),
            Target::G2(points) => self.points(&section, first, points.len(), put(points), buffer),
            Target::Nowhere(n) if section.point_bytes == G1_BYTES => {
                self.points(&section, first, n, |_, _: G1Affine| (), buffer)
            }
            Target::Nowhere(n) => self.points(&section, first, n, |_, _: G2Affine| (), buffer),
        }
    }

    /// Hands each of `n` points of `section` from number `first` on to `put`, with its number from 0 on, or fails.
    fn points<const BYTES: usize, P: Point<BYTES>>(
        &self,
        section: &Section,
        first: usize,
        n: usize,
        mut put: impl FnMut(usize, P),
        buffer: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        if buffer.capacity() == 0 {
            *buffer = allocate(CHUNK_BYTES, "a chunk of the file")?;
        }
        buffer.resize(n * BYTES, 0);
        self.fill(buffer, section.offset + (first * BYTES) as u64)?;
        let mut rest = buffer.as_slice();
        for i in 0..n {
            let Some((bytes, next)) = rest.split_first_chunk() else {
                unreachable!("the buffer has bytes for each point")
            };
            let decoded = decode(bytes, self.check_subgroup);
            put(i, decoded.map_err(|fault| fault.of(section, (first + i) as u64))?);
            rest = next;
        }
        Ok(())
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<(), Failure> {
        self.file.read_exact_at(buffer, offset).map_err(|source| Failure::File { operation: "read", source })
    }
}

/// What writes a point to its place.
fn put<P>(points: &mut [MaybeUninit<P>]) -> impl FnMut(usize, P) + use<'_, P> {
    |i, point| {
        points[i].write(point);
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::error::ParamsFault;
    use crate::params::sample::Sample;
    use crate::threads;

    /// `h` has three parts of `CHUNK_BYTES`, the `b` query in G2 two.
    const SAMPLE: Sample = Sample { ic: 1, h: 65_535, l: 11_000, a: 3, b: 11_000 };
    const H: usize = 864 + 4 + 96 + 4;
    const B_G2: usize = H + 65_535 * 96 + 4 + 11_000 * 96 + 4 + 3 * 96 + 4 + 11_000 * 96 + 4;
    const PER_JOB: usize = CHUNK_BYTES / 96;

    fn read_all<R: ReadAt + ?Sized>(file: &R, size: usize) -> Result<Points, Failure> {
        let layout = Layout::read(file, size as u64)?;
        threads::install(|| points(file, &layout, false)).unwrap()
    }

    /// What is wrong with `bytes`, whether the points are kept or not.
    fn fault(bytes: &[u8]) -> ParamsFault {
        let layout = Layout::read(bytes, bytes.len() as u64).unwrap();
        let checked = threads::install(|| check(bytes, &layout.lists(), false)).unwrap();
        match (read_all(bytes, bytes.len()), checked) {
            (Err(Failure::Fault(fault)), Err(Failure::Fault(same))) if fault == same => fault,
            other => panic!("{:?}", (other.0.map(|points| points.h.len()), other.1)),
        }
    }

    #[test]
    fn each_point_goes_where_it_belongs() {
        let bytes = SAMPLE.bytes();
        let params = read_all(bytes.as_slice(), bytes.len()).unwrap();
        assert_eq!((params.h.len(), params.b_g1.len(), params.b_g2.len()), (65_535, 11_000, 11_000));
        for (i, point) in params.h.iter().enumerate() {
            let encoded = bytes[H + i * 96..][..96].try_into().unwrap();
            assert_eq!(Ok(*point), decode(encoded, true), "{i}");
        }
        for (i, point) in params.b_g2.iter().enumerate() {
            let encoded = bytes[B_G2 + i * 192..][..192].try_into().unwrap();
            assert_eq!(Ok(*point), decode(encoded, true), "{i}");
        }
    }

    #[test]
    fn the_first_bad_point_is_reported_whatever_the_threads_do() {
        let mut bytes = SAMPLE.bytes();
        // The later ones are the first of their parts, and so found sooner than the last of the first part.
        let indices = [PER_JOB - 1, PER_JOB, 2 * PER_JOB, 3 * PER_JOB - 1];
        for index in indices {
            bytes[H + index * 96 + 95] ^= 1;
        }
        bytes[B_G2] |= 0x80;
        for index in indices {
            let offset = (H + index * 96) as u64;
            for _ in 0..5 {
                assert_eq!(fault(&bytes), ParamsFault::OffCurve { section: "h", index: index as u64, offset });
            }
            bytes[H + index * 96 + 95] ^= 1;
        }
        assert!(matches!(fault(&bytes), ParamsFault::NonCanonical { section: "b_g2", index: 0, .. }));
    }

    /// A file on a disk that fails from some offset on.
    struct Failing<'a> {
        bytes: &'a [u8],
        from: usize,
    }

    impl ReadAt for Failing<'_> {
        fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
            if buffer.len() > 4 && offset as usize + buffer.len() > self.from {
                return Err(io::Error::from_raw_os_error(libc::EIO));
            }
            self.bytes.read_exact_at(buffer, offset)
        }
    }

    #[test]
    fn a_failed_read_has_its_place_in_the_order() {
        let mut bytes = SAMPLE.bytes();
        let from = H + 2 * PER_JOB * 96;
        let outcome = read_all(&Failing { bytes: &bytes, from }, bytes.len());
        let Err(Failure::File { operation: "read", source }) = outcome else { panic!() };
        assert_eq!(source.raw_os_error(), Some(libc::EIO));

        bytes[H + PER_JOB * 96 + 95] ^= 1;
        let outcome = read_all(&Failing { bytes: &bytes, from }, bytes.len());
        assert!(matches!(outcome, Err(Failure::Fault(ParamsFault::OffCurve { section: "h", .. }))));
    }
}
