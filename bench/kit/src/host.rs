//! The arithmetic compiled for the host.

use std::ffi::{c_char, c_int, c_void, CString};

use crate::check::{Engine, Plain};

extern "C" {
    fn kit_host(name: *const c_char, out: *mut c_void, input: *const c_void, n: usize) -> c_int;
}

/// The host.
pub struct Host;

impl Engine for Host {
    fn run<In: Plain, Out: Plain + Default>(&self, name: &str, input: &[In]) -> Result<Vec<Out>, String> {
        let mut out = vec![Out::default(); input.len()];
        let c_name = CString::new(name).map_err(|error| error.to_string())?;
        // SAFETY: the operation reads and writes `input.len()` values of the types that operations.rs gives for its name.
        match unsafe { kit_host(c_name.as_ptr(), out.as_mut_ptr().cast(), input.as_ptr().cast(), input.len()) } {
            0 => Ok(out),
            _ => Err(format!("there is no operation {name}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Prime;
    use crate::operations::blst_out;
    use blst::*;

    extern "C" {
        fn kit_constants_fp(out: *mut u32);
        fn kit_constants_fr(out: *mut u32);
    }

    /// Modulus, one, R² and the modulus again as blst has them.
    fn expected<F: Prime>(raised: impl Fn(&F) -> F) -> Vec<u32> {
        let words = |limbs: Vec<u64>| limbs.into_iter().flat_map(|limb| [limb as u32, (limb >> 32) as u32]);
        [F::modulus(), F::one().limbs(), raised(&F::one()).limbs()].into_iter().flat_map(words).collect()
    }

    #[test]
    fn the_constants_are_blsts() {
        let (mut fp, mut fr) = ([0; 36], [0; 24]);
        // SAFETY: 36 and 24 words are written.
        unsafe {
            kit_constants_fp(fp.as_mut_ptr());
            kit_constants_fr(fr.as_mut_ptr());
        }
        // The Montgomery form of R mod modulus is R² mod modulus.
        assert_eq!(fp[..], expected::<blst_fp>(|one| blst_out!(blst_fp, blst_fp_from_uint64(one.l.as_ptr()))));
        assert_eq!(fr[..], expected::<blst_fr>(|one| blst_out!(blst_fr, blst_fr_from_uint64(one.l.as_ptr()))));
    }

    #[test]
    fn every_operation_agrees_with_blst() {
        let compared = crate::check::all(&Host, 20_000, 1).unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(compared > 28 * 20_000, "{compared}");
    }

    #[test]
    fn an_unknown_operation_is_an_error() {
        assert!(Host.run::<crate::operations::One<blst_fp>, crate::operations::One<blst_fp>>("fp_halve", &[]).is_err());
    }
}
