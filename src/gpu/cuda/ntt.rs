//! The quotient polynomial h, by transforms.

use super::{status::check, DeviceBuffer, DeviceSlice, Stream};
use crate::curve::Fr;
use crate::error::Error;
use crate::sys;

/// A domain of m = 2^log2 points on a device: its roots of unity and the powers that lead to the coset of 7 and back.
#[derive(Debug)]
pub struct Domain {
    log2: u32,
    memory: DeviceBuffer<[u64; 2]>,
}

impl Domain {
    /// How many pairs of words the domain of 2^`log2` points keeps: 24 MiB for 2^27.
    ///
    /// # Errors
    /// [`Error::Size`] if the scalar field has no such domain.
    pub fn length(log2: u32) -> Result<usize, Error> {
        // SAFETY: takes any number.
        match unsafe { sys::interlock_quotient_domain_bytes(log2) } {
            0 => {
                let expected = "the scalar field has roots of unity for 2^32 points at most".to_owned();
                Err(Error::Size { field: "log2 of the domain".to_owned(), found: log2 as usize, expected })
            }
            bytes => Ok(bytes / size_of::<[u64; 2]>()),
        }
    }

    /// Enqueues the making of a domain in `memory`, which has [`Domain::length`] pairs of words.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no such domain or `memory` is too short for it, and [`Error::Cuda`].
    pub fn new(log2: u32, memory: DeviceBuffer<[u64; 2]>, stream: &Stream) -> Result<Self, Error> {
        let length = Self::length(log2)?;
        if memory.len() < length {
            let expected = format!("a domain of 2^{log2} points takes {length} pairs of words");
            return Err(Error::Size { field: "memory".to_owned(), found: memory.len(), expected });
        }
        // SAFETY: the memory has the bytes of this domain, and cudaMalloc aligns to 256.
        check("interlock_quotient_domain", unsafe {
            sys::interlock_quotient_domain(memory.as_raw(), log2, stream.as_raw())
        })?;
        Ok(Self { log2, memory })
    }

    /// Enqueues the first four transforms, those of `a` and `b`, and most of the one of their product: `a` becomes what
    /// [`Domain::finish`] takes, and `b` is destroyed. Both have m elements, the evaluations over the domain.
    ///
    /// # Errors
    /// [`Error::Size`] if there are not m elements, and [`Error::Cuda`].
    pub fn product(&self, a: &mut DeviceSlice<Fr>, b: &mut DeviceSlice<Fr>, stream: &Stream) -> Result<(), Error> {
        self.check_len("a", a)?;
        self.check_len("b", b)?;
        // SAFETY: the domain is of this size, and each vector has as many elements, aligned to 16 bytes as all slices of Fr are.
        check("interlock_quotient_product", unsafe {
            let domain = self.memory.as_raw();
            sys::interlock_quotient_product(a.as_raw(), b.as_raw(), domain, self.log2, stream.as_raw())
        })
    }

    /// Enqueues the rest: `a` becomes the m coefficients of h in bit-reversed order, as integers and not in Montgomery form, and `c` is destroyed.
    /// `c` has m elements, the evaluations over the domain, and may be the memory that was `b`.
    ///
    /// # Errors
    /// [`Error::Size`] if there are not m elements, and [`Error::Cuda`].
    pub fn finish(&self, a: &mut DeviceSlice<Fr>, c: &mut DeviceSlice<Fr>, stream: &Stream) -> Result<(), Error> {
        self.check_len("a", a)?;
        self.check_len("c", c)?;
        // SAFETY: as above.
        check("interlock_quotient_finish", unsafe {
            let domain = self.memory.as_raw();
            sys::interlock_quotient_finish(a.as_raw(), c.as_raw(), domain, self.log2, stream.as_raw())
        })
    }

    fn check_len(&self, field: &str, values: &DeviceSlice<Fr>) -> Result<(), Error> {
        let m = 1 << self.log2;
        if values.len() != m {
            let expected = format!("the domain has {m} points");
            return Err(Error::Size { field: field.to_owned(), found: values.len(), expected });
        }
        Ok(())
    }
}
