//! The queries as they stand in the file, for a backend that decodes and checks them elsewhere.

use super::decode::PointFault;
use super::failure::Failure;
use super::layout::{ReadAt, Section};
#[cfg(interlock_cuda)]
use super::layout::{G1_BYTES, G2_BYTES};
use super::load;
use super::Parameters;
use crate::error::Error;
use crate::threads;

/// A query, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    /// `h`, in G1.
    H,
    /// `l`, in G1.
    L,
    /// `a`, in G1.
    A,
    /// `b` in G1.
    BG1,
    /// `b` in G2.
    BG2,
}

impl Query {
    /// All of them, in the order of the file.
    pub(crate) const ALL: [Self; 5] = [Self::H, Self::L, Self::A, Self::BG1, Self::BG2];
}

/// The bytes of the queries: a point of G1 has 96, a point of G2 192.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoded<'a>(&'a Parameters);

impl Parameters {
    /// What `decode` makes of the queries, each point of which it checks; the rest of the file is checked here. Order r, if it
    /// is to be checked, is checked here too, by the CPU's threads. Not to be called on a thread of the library's own pool.
    ///
    /// # Errors
    /// Those of `decode`; what is wrong with the points that are checked here, which come before the queries' in the file; and
    /// [`Error::Params`] with [`ParamsFault::Changed`] if the file was written to since it was opened, whatever else there was.
    ///
    /// [`ParamsFault::Changed`]: crate::ParamsFault::Changed
    pub(crate) fn read_encoded<T>(&self, decode: impl FnOnce(Encoded<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let source = &self.source;
        self.unchanged(|| {
            let all = source.layout.lists();
            let here = if source.check_subgroup { &all[..] } else { &all[..1] };
            threads::install(|| load::check(&source.file.file, here, source.check_subgroup))??;
            Ok(decode(Encoded(self))?)
        })
    }
}

impl Encoded<'_> {
    /// How many points there are in a query.
    pub(crate) fn len(&self, query: Query) -> usize {
        self.section(query).count as usize
    }

    /// How many bytes a query has.
    #[cfg(interlock_cuda)]
    pub(crate) fn bytes(&self, query: Query) -> usize {
        let per_point = if query == Query::BG2 { G2_BYTES } else { G1_BYTES };
        self.len(query) * per_point
    }

    /// Fills `buffer` with the bytes of `query` from its byte `offset` on.
    ///
    /// # Errors
    /// [`Error::File`].
    pub(crate) fn read(&self, query: Query, offset: usize, buffer: &mut [u8]) -> Result<(), Error> {
        let source = &self.0.source;
        let read = ReadAt::read_exact_at(&source.file.file, buffer, self.section(query).offset + offset as u64);
        read.map_err(|error| Failure::File { operation: "read", source: error }.at(&source.path))
    }

    /// The error of the point `index` of `query`.
    pub(crate) fn error(&self, query: Query, index: u64, fault: PointFault) -> Error {
        Failure::from(fault.of(self.section(query), index)).at(&self.0.source.path)
    }

    fn section(&self, query: Query) -> &Section {
        let layout = &self.0.source.layout;
        match query {
            Query::H => &layout.h,
            Query::L => &layout.l,
            Query::A => &layout.a,
            Query::BG1 => &layout.b_g1,
            Query::BG2 => &layout.b_g2,
        }
    }
}
