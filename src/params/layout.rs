//! Where everything is in a parameter file: six counts, checked against each other and against the file's size.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::failure::Failure;
use crate::error::ParamsFault;

/// Bytes of an uncompressed point of G1: big-endian x, y.
pub(super) const G1_BYTES: usize = 96;
/// Bytes of an uncompressed point of G2: big-endian x.c1, x.c0, y.c1, y.c0.
pub(super) const G2_BYTES: usize = 192;

/// Something that can be read at any offset.
pub(super) trait ReadAt: Sync {
    /// Fills `buffer` from `offset` on, or fails.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
}

impl ReadAt for File {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }
}

/// A run of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    /// Its name in errors.
    pub(super) name: &'static str,
    /// Where its first point starts in the file.
    pub(super) offset: u64,
    /// How many points it has.
    pub(super) count: u32,
    /// Bytes of each of them.
    pub(super) point_bytes: usize,
}

/// The sections of a parameter file. They fill it: nothing is left over and nothing is missing.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// α in G1.
    pub(super) alpha_g1: Section,
    /// β in G1.
    pub(super) beta_g1: Section,
    /// β in G2.
    pub(super) beta_g2: Section,
    /// γ in G2.
    pub(super) gamma_g2: Section,
    /// δ in G1.
    pub(super) delta_g1: Section,
    /// δ in G2.
    pub(super) delta_g2: Section,
    /// One point of G1 an input.
    pub(super) ic: Section,
    /// The `h` query, in G1; one point fewer than a power of two.
    pub(super) h: Section,
    /// The `l` query, in G1.
    pub(super) l: Section,
    /// The `a` query, in G1.
    pub(super) a: Section,
    /// The `b` query in G1.
    pub(super) b_g1: Section,
    /// The `b` query in G2, as long as that in G1.
    pub(super) b_g2: Section,
}

impl Layout {
    /// The layout of a file of `size` bytes, of which only the counts are read.
    ///
    /// # Errors
    /// [`ParamsFault::Empty`], [`ParamsFault::Truncated`], [`ParamsFault::Oversized`], [`ParamsFault::Layout`], or what
    /// reading reports.
    pub(super) fn read<R: ReadAt + ?Sized>(file: &R, size: u64) -> Result<Self, Failure> {
        if size == 0 {
            return Err(ParamsFault::Empty.into());
        }
        let mut cursor = Cursor { file, size, offset: 0 };
        let alpha_g1 = cursor.points("alpha_g1", 1, G1_BYTES)?;
        let beta_g1 = cursor.points("beta_g1", 1, G1_BYTES)?;
        let beta_g2 = cursor.points("beta_g2", 1, G2_BYTES)?;
        let gamma_g2 = cursor.points("gamma_g2", 1, G2_BYTES)?;
        let delta_g1 = cursor.points("delta_g1", 1, G1_BYTES)?;
        let delta_g2 = cursor.points("delta_g2", 1, G2_BYTES)?;
        let ic = cursor.count("the count of ic")?;
        let ic = cursor.points("ic", ic, G1_BYTES)?;
        let h = cursor.count("the count of h")?;
        check_domain(h)?;
        let h = cursor.points("h", h, G1_BYTES)?;
        let l = cursor.count("the count of l")?;
        let l = cursor.points("l", l, G1_BYTES)?;
        let a = cursor.count("the count of a")?;
        check_variables("a", a, ic.count, [ic.count, l.count])?;
        let a = cursor.points("a", a, G1_BYTES)?;
        let b_g1 = cursor.count("the count of b_g1")?;
        check_variables("b_g1", b_g1, 0, [ic.count, l.count])?;
        let b_g1 = cursor.points("b_g1", b_g1, G1_BYTES)?;
        let b_g2 = cursor.count("the count of b_g2")?;
        check_b(b_g1.count, b_g2)?;
        let b_g2 = cursor.points("b_g2", b_g2, G2_BYTES)?;
        if cursor.offset != size {
            return Err(ParamsFault::Oversized { expected: cursor.offset, size }.into());
        }
        Ok(Self { alpha_g1, beta_g1, beta_g2, gamma_g2, delta_g1, delta_g2, ic, h, l, a, b_g1, b_g2 })
    }

    /// The sections that a count precedes, in the order of the file: `ic`, then the queries.
    #[cfg(any(test, interlock_cuda))]
    pub(super) fn lists(&self) -> [Section; 6] {
        [self.ic, self.h, self.l, self.a, self.b_g1, self.b_g2]
    }
}

fn check_domain(h: u32) -> Result<(), ParamsFault> {
    let m = u64::from(h) + 1;
    if m.is_power_of_two() {
        return Ok(());
    }
    Err(ParamsFault::Layout {
        what: format!("h has {h} points, which makes a domain of {m}, but a domain's size is a power of two"),
    })
}

/// A variable has a point in a query, `query`, or none; the first `least` have one.
fn check_variables(query: &str, count: u32, least: u32, [inputs, aux]: [u32; 2]) -> Result<(), ParamsFault> {
    if count >= least && u64::from(count) <= u64::from(inputs) + u64::from(aux) {
        return Ok(());
    }
    let what = if count < least { "every input has one there" } else { "a variable has one at most" };
    Err(ParamsFault::Layout {
        what: format!("{query} has {count} points for {inputs} inputs and {aux} private variables, but {what}"),
    })
}

fn check_b(b_g1: u32, b_g2: u32) -> Result<(), ParamsFault> {
    if b_g1 == b_g2 {
        return Ok(());
    }
    Err(ParamsFault::Layout {
        what: format!("b_g1 has {b_g1} points and b_g2 has {b_g2}, but both are of the same variables"),
    })
}

/// How far the layout is known. Offsets cannot overflow: six counts of 32 bits make less than 2^43 bytes.
struct Cursor<'a, R: ?Sized> {
    file: &'a R,
    size: u64,
    offset: u64,
}

impl<R: ReadAt + ?Sized> Cursor<'_, R> {
    fn count(&mut self, section: &'static str) -> Result<u32, Failure> {
        let mut bytes = [0; 4];
        let start = self.advance(section, bytes.len() as u64)?;
        self.file.read_exact_at(&mut bytes, start).map_err(|source| Failure::File { operation: "read", source })?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn points(&mut self, name: &'static str, count: u32, point_bytes: usize) -> Result<Section, Failure> {
        let offset = self.advance(name, u64::from(count) * point_bytes as u64)?;
        Ok(Section { name, offset, count, point_bytes })
    }

    /// Steps over `bytes` of `section` and returns where they start.
    fn advance(&mut self, section: &'static str, bytes: u64) -> Result<u64, ParamsFault> {
        let start = self.offset;
        let needed = start + bytes;
        if needed > self.size {
            return Err(ParamsFault::Truncated { section, needed, size: self.size });
        }
        self.offset = needed;
        Ok(start)
    }
}

#[cfg(test)]
impl ReadAt for [u8] {
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        let source = rest.and_then(|rest| rest.get(..buffer.len())).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(source);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::sample::Sample;

    const SAMPLE: Sample = Sample { ic: 2, h: 3, l: 2, a: 3, b: 2 };
    /// Where each part of `SAMPLE` ends, its counts being parts of their own.
    const ENDS: [(&str, u64); 18] = [
        ("alpha_g1", 96),
        ("beta_g1", 192),
        ("beta_g2", 384),
        ("gamma_g2", 576),
        ("delta_g1", 672),
        ("delta_g2", 864),
        ("the count of ic", 868),
        ("ic", 1060),
        ("the count of h", 1064),
        ("h", 1352),
        ("the count of l", 1356),
        ("l", 1548),
        ("the count of a", 1552),
        ("a", 1840),
        ("the count of b_g1", 1844),
        ("b_g1", 2036),
        ("the count of b_g2", 2040),
        ("b_g2", 2424),
    ];

    fn fault(bytes: &[u8], size: u64) -> ParamsFault {
        match Layout::read(bytes, size) {
            Err(Failure::Fault(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sections_follow_each_other() {
        let bytes = SAMPLE.bytes();
        let layout = Layout::read(bytes.as_slice(), 2424).unwrap();
        assert_eq!(layout.gamma_g2, Section { name: "gamma_g2", offset: 384, count: 1, point_bytes: 192 });
        assert_eq!(layout.ic, Section { name: "ic", offset: 868, count: 2, point_bytes: 96 });
        assert_eq!(layout.h, Section { name: "h", offset: 1064, count: 3, point_bytes: 96 });
        assert_eq!(layout.b_g2, Section { name: "b_g2", offset: 2040, count: 2, point_bytes: 192 });
    }

    #[test]
    fn a_file_cut_anywhere_names_the_part_that_does_not_fit() {
        let bytes = SAMPLE.bytes();
        assert_eq!(fault(&[], 0), ParamsFault::Empty);
        for size in 1..bytes.len() {
            let (section, needed) = *ENDS.iter().find(|(_, end)| size < *end as usize).unwrap();
            let size = size as u64;
            assert_eq!(fault(&bytes[..size as usize], size), ParamsFault::Truncated { section, needed, size });
        }
    }

    #[test]
    fn the_greatest_counts_do_not_overflow() {
        let mut bytes = SAMPLE.bytes();
        for (at, section, point_bytes) in [(864, "ic", 96), (1060, "h", 96), (1352, "l", 96)] {
            let saved: [u8; 4] = bytes[at..at + 4].try_into().unwrap();
            bytes[at..at + 4].fill(0xff);
            let needed = at as u64 + 4 + u64::from(u32::MAX) * point_bytes;
            assert_eq!(fault(&bytes, 2424), ParamsFault::Truncated { section, needed, size: 2424 });
            bytes[at..at + 4].copy_from_slice(&saved);
        }
    }

    #[test]
    fn domains_are_powers_of_two_from_one_on() {
        for (h, valid) in [(0, true), (1, true), (2, false), (3, true), (4, false), (254, false), (255, true)] {
            let bytes = Sample { h, ..SAMPLE }.bytes();
            assert_eq!(Layout::read(bytes.as_slice(), bytes.len() as u64).is_ok(), valid, "{h}");
        }
        assert!(check_domain(u32::MAX).is_ok());
    }
}
