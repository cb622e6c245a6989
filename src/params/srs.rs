//! The proving parameters of one circuit: an open file, and what was made of it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

#[cfg(any(test, interlock_cuda))]
use super::attached::Attached;
use super::failure::Failure;
use super::file::{FileId, ParamsFile};
use super::layout::Layout;
use super::load::{self, Header};
use crate::curve::{G1Affine, G2Affine};
use crate::error::Error;
use crate::{settings, threads};

/// The proving parameters of a circuit: the single points, how long each query is, and the open file whose points a
/// backend has read and checked.
///
/// What proves on the CPU takes the queries from [`Parameters::points`]. What proves elsewhere keeps what it has made of
/// them with the parameters, so that it goes when they do.
#[derive(Debug)]
pub struct Parameters {
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
    /// How many points there are of each kind.
    pub counts: Counts,
    pub(super) source: Source,
    points: OnceLock<Points>,
    decoding: Mutex<()>,
    #[cfg(any(test, interlock_cuda))]
    pub(super) attached: Attached,
}

/// The lengths of the queries. (The points of `ic` and γ serve verification only; they are checked and not kept.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Public inputs, the constant one included: points of `ic`.
    pub inputs: usize,
    /// Points of the `h` query: m − 1, where m, the domain's size, is a power of two.
    pub h: usize,
    /// Points of the `l` query: one a private variable.
    pub l: usize,
    /// Points of the `a` query: one an input, and one for each private variable in the a density.
    pub a: usize,
    /// Points of the `b` query in each of G1 and G2: one for each variable in the b densities.
    pub b: usize,
}

/// The queries in memory, every coordinate and the curve equation checked.
#[derive(Debug)]
pub struct Points {
    /// The `h` query.
    pub h: Vec<G1Affine>,
    /// The `l` query.
    pub l: Vec<G1Affine>,
    /// The `a` query: all inputs, then the private variables of the a density.
    pub a: Vec<G1Affine>,
    /// The `b` query in G1: the inputs, then the private variables, of the b densities.
    pub b_g1: Vec<G1Affine>,
    /// The `b` query in G2.
    pub b_g2: Vec<G2Affine>,
}

/// Where parameters are read from.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) file: ParamsFile,
    pub(super) layout: Layout,
    /// The name that it was opened under, for errors.
    pub(super) path: PathBuf,
    /// Whether every point is checked to be of order r.
    pub(super) check_subgroup: bool,
}

impl Parameters {
    /// Opens the parameter file at `path` and reads its counts and single points; of the queries, nothing.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Params`].
    pub(crate) fn open(path: &Path, check_subgroup: bool) -> Result<Self, Error> {
        ParamsFile::open(path)
            .and_then(|file| Self::read(file, path, check_subgroup))
            .map_err(|failure| failure.at(path))
    }

    pub(super) fn read(file: ParamsFile, path: &Path, check_subgroup: bool) -> Result<Self, Failure> {
        let read = || -> Result<_, Failure> {
            let layout = Layout::read(&file.file, file.id.size)?;
            Ok((load::header(&file.file, &layout, check_subgroup)?, layout))
        };
        let read = read();
        // What looks like a fault of a file that something is writing is none.
        file.check_unchanged()?;
        let (Header { alpha_g1, beta_g1, beta_g2, delta_g1, delta_g2 }, layout) = read?;
        Ok(Self {
            alpha_g1,
            beta_g1,
            beta_g2,
            delta_g1,
            delta_g2,
            counts: Counts::of(&layout),
            source: Source { file, layout, path: path.to_owned(), check_subgroup },
            points: OnceLock::new(),
            decoding: Mutex::new(()),
            #[cfg(any(test, interlock_cuda))]
            attached: Attached::default(),
        })
    }

    /// The queries in memory, read and checked by all CPU threads when they are first asked for. Not to be called on a
    /// thread of the library's own pool, which would wait for itself.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the file, or with [`ParamsFault::Changed`] if it was written
    /// to since it was opened; [`Error::File`], [`Error::OutOfMemory`], [`Error::Threads`]. The next call tries again.
    ///
    /// [`ParamsFault::Changed`]: crate::ParamsFault::Changed
    pub fn points(&self) -> Result<&Points, Error> {
        if let Some(points) = self.points.get() {
            return Ok(points);
        }
        // Not under the lock: it may log, and a log callback may prove.
        settings::cpu_threads();
        let _decoding = self.decoding.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(points) = self.points.get() {
            return Ok(points);
        }
        let Source { file, layout, check_subgroup, .. } = &self.source;
        let points = self.unchanged(|| {
            threads::install(|| load::points(&file.file, layout, *check_subgroup)).map_err(Failure::from)?
        })?;
        Ok(self.points.get_or_init(|| points))
    }

    /// log2 of the domain's size m.
    pub fn domain_log2(&self) -> u32 {
        self.counts.domain_log2()
    }

    /// The domain's size m.
    pub fn domain_size(&self) -> usize {
        self.counts.h + 1
    }

    /// Bytes of the queries' points, in the file as in memory.
    pub fn bytes(&self) -> usize {
        self.counts.bytes()
    }

    /// Bytes of the file.
    pub(crate) fn file_bytes(&self) -> u64 {
        self.source.file.id.size
    }

    pub(super) fn id(&self) -> FileId {
        self.source.file.id
    }

    /// What `read` makes of the file, unless the file changed meanwhile.
    pub(super) fn unchanged<T>(&self, read: impl FnOnce() -> Result<T, Failure>) -> Result<T, Error> {
        let outcome = read();
        // What looks like a fault of a file that something is writing is none.
        self.source.file.check_unchanged().and(outcome).map_err(|failure| failure.at(&self.source.path))
    }
}

impl Counts {
    /// The counts of the parameter file at `path`. Its layout is checked against its size, and its single points are; of the
    /// queries' points none is read, so that this takes no time also for a file of many GB.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Params`].
    pub fn read(path: &Path) -> Result<Self, Error> {
        Parameters::open(path, false).map(|parameters| parameters.counts)
    }

    /// log2 of the domain's size.
    pub fn domain_log2(&self) -> u32 {
        (self.h + 1).trailing_zeros()
    }

    /// Bytes of the queries' points, in the file as in memory.
    pub fn bytes(&self) -> usize {
        let Self { h, l, a, b, .. } = *self;
        (h + l + a + b) * size_of::<G1Affine>() + b * size_of::<G2Affine>()
    }

    fn of(layout: &Layout) -> Self {
        let Layout { ic, h, l, a, b_g1, .. } = layout;
        let [inputs, h, l, a, b] = [ic, h, l, a, b_g1].map(|section| section.count as usize);
        Self { inputs, h, l, a, b }
    }
}
