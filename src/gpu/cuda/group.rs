//! G1 and G2 as the kernels have them.

use std::ffi::c_void;

use super::Plain;
use crate::curve::{call, G1Affine, G2Affine};
use crate::sys;

/// A group of points: the types on both sides, the launchers, and the few operations of the CPU that finish a sum.
pub trait Group: 'static {
    /// A point in affine coordinates, in the layout of the C ABI.
    type Affine: Plain;
    /// A sum as kernels leave it: X, Y, ZZ, ZZZ for the point (X/ZZ, Y/ZZZ), infinity where ZZ is 0.
    type Sum: Plain;
    /// A point in Jacobian coordinates; the default is infinity.
    type Jacobian: Copy + Default + PartialEq + std::fmt::Debug;
    /// Bytes of a point in a parameter file.
    const ENCODED: usize;

    /// The same point in Jacobian coordinates.
    fn to_jacobian(sum: &Self::Sum) -> Self::Jacobian;
    /// p + q, whatever they are.
    fn add(p: &Self::Jacobian, q: &Self::Jacobian) -> Self::Jacobian;
    /// 2p.
    fn double(p: &Self::Jacobian) -> Self::Jacobian;

    /// The launcher's bytes of scratch for an MSM of `n` terms.
    fn msm_scratch_bytes(n: usize, shape: sys::interlock_msm_shape, bytes: &mut usize) -> sys::Status;
    /// The launcher of an MSM.
    ///
    /// # Safety
    /// As `launchers.h` documents it.
    unsafe fn msm(
        scratch: *mut c_void,
        sums: *mut c_void,
        terms: &sys::interlock_msm_terms,
        shape: sys::interlock_msm_shape,
        stream: sys::Stream,
    ) -> sys::Status;
    /// The launcher that copies terms.
    ///
    /// # Safety
    /// As `launchers.h` documents it.
    unsafe fn copy_terms(copies: &[sys::interlock_copied_terms], stream: sys::Stream) -> sys::Status;
    /// The launcher that adds points to accumulators.
    ///
    /// # Safety
    /// As `launchers.h` documents it.
    unsafe fn sum(
        accumulators: *mut c_void,
        blocks: u32,
        terms: &[sys::interlock_sum_terms],
        stream: sys::Stream,
    ) -> sys::Status;
    /// The launcher that sums up accumulators.
    ///
    /// # Safety
    /// As `launchers.h` documents it.
    unsafe fn total(
        scratch: *mut c_void,
        sums: *mut c_void,
        accumulators: *const c_void,
        blocks: u32,
        queries: u32,
        stream: sys::Stream,
    ) -> sys::Status;
    /// The launcher that decodes.
    ///
    /// # Safety
    /// As `launchers.h` documents it.
    unsafe fn decode(
        points: *mut c_void,
        bytes: *const c_void,
        n: usize,
        first: u64,
        fault: *mut u64,
        stream: sys::Stream,
    ) -> sys::Status;
}

/// The group of G1.
#[derive(Debug)]
pub struct G1;
/// The group of G2.
#[derive(Debug)]
pub struct G2;

macro_rules! group {
    ($group:ty, $affine:ty, $jacobian:ident, $words:literal, $field:ident, $mul:ident, $sqr:ident, $add:ident, $double:ident,
     $msm_scratch:ident, $msm:ident, $copy_terms:ident, $sum:ident, $total:ident, $decode:ident) => {
        impl Group for $group {
            type Affine = $affine;
            type Sum = [u64; $words];
            type Jacobian = blst::$jacobian;
            const ENCODED: usize = size_of::<$affine>();

            fn to_jacobian(sum: &[u64; $words]) -> blst::$jacobian {
                // SAFETY: four coordinates of as many words, whose alignment is no greater.
                let [x, y, zz, zzz]: [blst::$field; 4] = unsafe { std::mem::transmute_copy(sum) };
                if zz == Default::default() {
                    return Default::default();
                }
                // With Z = ZZZ: x = X/ZZ = X·ZZ²/ZZZ² and y = Y/ZZZ = Y·ZZZ²/ZZZ³, as ZZ³ = ZZZ².
                let (zz2, zzz2): (blst::$field, blst::$field) = (call!($sqr, &zz), call!($sqr, &zzz));
                blst::$jacobian { x: call!($mul, &x, &zz2), y: call!($mul, &y, &zzz2), z: zzz }
            }
            fn add(p: &blst::$jacobian, q: &blst::$jacobian) -> blst::$jacobian {
                call!($add, p, q)
            }
            fn double(p: &blst::$jacobian) -> blst::$jacobian {
                call!($double, p)
            }

            fn msm_scratch_bytes(n: usize, shape: sys::interlock_msm_shape, bytes: &mut usize) -> sys::Status {
                // SAFETY: one number is written.
                unsafe { sys::$msm_scratch(n, shape, bytes) }
            }
            unsafe fn msm(
                scratch: *mut c_void,
                sums: *mut c_void,
                terms: &sys::interlock_msm_terms,
                shape: sys::interlock_msm_shape,
                stream: sys::Stream,
            ) -> sys::Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { sys::$msm(scratch, sums, terms, shape, stream) }
            }
            unsafe fn copy_terms(copies: &[sys::interlock_copied_terms], stream: sys::Stream) -> sys::Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { sys::$copy_terms(copies.as_ptr(), copies.len(), stream) }
            }
            unsafe fn sum(
                accumulators: *mut c_void,
                blocks: u32,
                terms: &[sys::interlock_sum_terms],
                stream: sys::Stream,
            ) -> sys::Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { sys::$sum(accumulators, blocks, terms.as_ptr(), terms.len() as u32, stream) }
            }
            unsafe fn total(
                scratch: *mut c_void,
                sums: *mut c_void,
                accumulators: *const c_void,
                blocks: u32,
                queries: u32,
                stream: sys::Stream,
            ) -> sys::Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { sys::$total(scratch, sums, accumulators, blocks, queries, stream) }
            }
            unsafe fn decode(
                points: *mut c_void,
                bytes: *const c_void,
                n: usize,
                first: u64,
                fault: *mut u64,
                stream: sys::Stream,
            ) -> sys::Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { sys::$decode(points, bytes, n, first, fault, stream) }
            }
        }
    };
}

group!(
    G1,
    G1Affine,
    blst_p1,
    24,
    blst_fp,
    blst_fp_mul,
    blst_fp_sqr,
    blst_p1_add_or_double,
    blst_p1_double,
    interlock_msm_g1_scratch_bytes,
    interlock_msm_g1,
    interlock_copy_terms_g1,
    interlock_sum_g1,
    interlock_total_g1,
    interlock_decode_g1
);
group!(
    G2,
    G2Affine,
    blst_p2,
    48,
    blst_fp2,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_p2_add_or_double,
    blst_p2_double,
    interlock_msm_g2_scratch_bytes,
    interlock_msm_g2,
    interlock_copy_terms_g2,
    interlock_sum_g2,
    interlock_total_g2,
    interlock_decode_g2
);
