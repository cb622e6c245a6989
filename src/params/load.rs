//! From a file's bytes to parameters: all points decoded and checked, in parallel.

use std::mem::MaybeUninit;
use std::sync::{Mutex, PoisonError};

use rayon::iter::{ParallelBridge, ParallelIterator};

use super::decode::{decode, Point};
use super::failure::Failure;
use super::layout::{Layout, ReadAt, Section};
use super::srs::Parameters;
use crate::curve::{G1Affine, G2Affine};
use crate::error::try_with_capacity;

/// What one read takes from the file and one thread then decodes: enough that the read costs nothing beside the decoding
/// (some 5 ms on a core of an AMD EPYC), little enough that threads end together.
const CHUNK_BYTES: usize = 2 << 20;

/// Reads and checks the parameters in the `size` bytes of `file`, on the threads of the rayon pool that it is called in.
///
/// # Errors
/// That of the first thing wrong in the order of the file, however many threads read it.
pub(super) fn read<R: ReadAt + ?Sized>(file: &R, size: u64, check_subgroup: bool) -> Result<Parameters, Failure> {
    let layout = Layout::read(file, size)?;
    let reader = Reader { file, check_subgroup };
    let header = reader.header(&layout)?;

    let mut ic = room::<G1Affine>(&layout.ic)?;
    let mut h = room::<G1Affine>(&layout.h)?;
    let mut l = room::<G1Affine>(&layout.l)?;
    let mut a = room::<G1Affine>(&layout.a)?;
    let mut b_g1 = room::<G1Affine>(&layout.b_g1)?;
    let mut b_g2 = room::<G2Affine>(&layout.b_g2)?;
    reader.run(
        jobs(layout.ic, &mut ic, Target::G1)
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
    let Header { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2 } = header;
    let inputs = layout.ic.count as usize;
    Ok(Parameters { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2, inputs, h, l, a, b_g1, b_g2 })
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

/// The single points that are kept.
struct Header {
    alpha_g1: G1Affine,
    beta_g1: G1Affine,
    beta_g2: G2Affine,
    delta_g1: G1Affine,
    delta_g2: G2Affine,
}

struct Reader<'a, R: ?Sized> {
    file: &'a R,
    check_subgroup: bool,
}

impl<R: ReadAt + ?Sized> Reader<'_, R> {
    fn header(&self, layout: &Layout) -> Result<Header, Failure> {
        let alpha_g1 = self.point(&layout.alpha_g1)?;
        let beta_g1 = self.point(&layout.beta_g1)?;
        let beta_g2 = self.point(&layout.beta_g2)?;
        let _gamma_g2: G2Affine = self.point(&layout.gamma_g2)?;
        let delta_g1 = self.point(&layout.delta_g1)?;
        let delta_g2 = self.point(&layout.delta_g2)?;
        Ok(Header { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2 })
    }

    fn point<const BYTES: usize, P: Point<BYTES>>(&self, section: &Section) -> Result<P, Failure> {
        let mut bytes = [0; BYTES];
        self.fill(&mut bytes, section.offset)?;
        decode(&bytes, self.check_subgroup).map_err(|defect| defect.of(section, 0, BYTES).into())
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
        match job.target {
            Target::G1(points) => self.points(&job.section, job.first, points, buffer),
            Target::G2(points) => self.points(&job.section, job.first, points, buffer),
        }
    }

    /// Writes all of `points`, those of `section` from number `first` on, or fails.
    fn points<const BYTES: usize, P: Point<BYTES>>(
        &self,
        section: &Section,
        first: usize,
        points: &mut [MaybeUninit<P>],
        buffer: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        if buffer.capacity() == 0 {
            *buffer = allocate(CHUNK_BYTES, "a chunk of the file")?;
        }
        buffer.resize(points.len() * BYTES, 0);
        self.fill(buffer, section.offset + (first * BYTES) as u64)?;
        let mut rest = buffer.as_slice();
        for (i, point) in points.iter_mut().enumerate() {
            let Some((bytes, next)) = rest.split_first_chunk() else {
                unreachable!("the buffer has bytes for each point")
            };
            let decoded = decode(bytes, self.check_subgroup);
            point.write(decoded.map_err(|defect| defect.of(section, (first + i) as u64, BYTES))?);
            rest = next;
        }
        Ok(())
    }

    fn fill(&self, buffer: &mut [u8], offset: u64) -> Result<(), Failure> {
        self.file.read_exact_at(buffer, offset).map_err(|source| Failure::File { operation: "read", source })
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
    const SAMPLE: Sample = Sample { ic: 1, h: 65_535, l: 2, a: 3, b: 11_000 };
    const H: usize = 864 + 4 + 96 + 4;
    const B_G2: usize = H + 65_535 * 96 + 4 + 2 * 96 + 4 + 3 * 96 + 4 + 11_000 * 96 + 4;
    const PER_JOB: usize = CHUNK_BYTES / 96;

    fn read_all<R: ReadAt + ?Sized>(file: &R, size: usize) -> Result<Parameters, Failure> {
        threads::install(|| read(file, size as u64, false)).unwrap()
    }

    fn fault(bytes: &[u8]) -> ParamsFault {
        match read_all(bytes, bytes.len()) {
            Err(Failure::Fault(fault)) => fault,
            other => panic!("{:?}", other.map(|params| params.bytes())),
        }
    }

    #[test]
    fn each_point_goes_where_it_belongs() {
        let bytes = SAMPLE.bytes();
        let params = read_all(bytes.as_slice(), bytes.len()).unwrap();
        assert_eq!((params.inputs, params.h.len(), params.b_g1.len(), params.b_g2.len()), (1, 65_535, 11_000, 11_000));
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
