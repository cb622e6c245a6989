//! One circuit's input, in the layout of the C ABI's `Assignment`.

use std::mem::offset_of;

use interlock::raw::RawAssignment;

use super::error::{expect_len, expect_size};

/// One circuit's input: pointers into memory that stays the caller's, and how many elements each points to.
///
/// `Scalar` is a 32-byte Montgomery residue such as `blstrs::Scalar`. Densities are bit vectors of 64-bit words, bit 0
/// first; bits past the length are ignored. Everything must stay alive until the proof is made.
#[repr(C)]
pub struct Assignment<Scalar> {
    /// Which private variables have a point in the `a` query: `a_aux_bit_len` bits.
    pub a_aux_density: *const usize,
    /// Number of private variables.
    pub a_aux_bit_len: usize,
    /// How many bits of `a_aux_density` are set.
    pub a_aux_popcount: usize,

    /// Which inputs have a point in the `b` queries: `b_inp_bit_len` bits.
    pub b_inp_density: *const usize,
    /// Number of inputs.
    pub b_inp_bit_len: usize,
    /// How many bits of `b_inp_density` are set.
    pub b_inp_popcount: usize,

    /// Which private variables have a point in the `b` queries: `b_aux_bit_len` bits.
    pub b_aux_density: *const usize,
    /// Number of private variables.
    pub b_aux_bit_len: usize,
    /// How many bits of `b_aux_density` are set.
    pub b_aux_popcount: usize,

    /// The a side of each constraint, evaluated: `abc_size` scalars.
    pub a: *const Scalar,
    /// The b side.
    pub b: *const Scalar,
    /// The c side.
    pub c: *const Scalar,
    /// Number of constraints.
    pub abc_size: usize,

    /// The inputs, the constant one first: `inp_assignment_size` scalars.
    pub inp_assignment_data: *const Scalar,
    /// Number of inputs.
    pub inp_assignment_size: usize,

    /// The private variables: `aux_assignment_size` scalars.
    pub aux_assignment_data: *const Scalar,
    /// Number of private variables.
    pub aux_assignment_size: usize,
}

/// A pointer to one is handed on as a pointer to the other.
const _: () = {
    type Ours = Assignment<interlock::curve::Fr>;
    assert!(size_of::<Ours>() == size_of::<RawAssignment>() && align_of::<Ours>() == align_of::<RawAssignment>());
    assert!(offset_of!(Ours, a_aux_density) == offset_of!(RawAssignment, a_aux_density));
    assert!(offset_of!(Ours, a_aux_bit_len) == offset_of!(RawAssignment, a_aux_bit_len));
    assert!(offset_of!(Ours, a_aux_popcount) == offset_of!(RawAssignment, a_aux_popcount));
    assert!(offset_of!(Ours, b_inp_density) == offset_of!(RawAssignment, b_inp_density));
    assert!(offset_of!(Ours, b_inp_bit_len) == offset_of!(RawAssignment, b_inp_bit_len));
    assert!(offset_of!(Ours, b_inp_popcount) == offset_of!(RawAssignment, b_inp_popcount));
    assert!(offset_of!(Ours, b_aux_density) == offset_of!(RawAssignment, b_aux_density));
    assert!(offset_of!(Ours, b_aux_bit_len) == offset_of!(RawAssignment, b_aux_bit_len));
    assert!(offset_of!(Ours, b_aux_popcount) == offset_of!(RawAssignment, b_aux_popcount));
    assert!(offset_of!(Ours, a) == offset_of!(RawAssignment, a));
    assert!(offset_of!(Ours, b) == offset_of!(RawAssignment, b));
    assert!(offset_of!(Ours, c) == offset_of!(RawAssignment, c));
    assert!(offset_of!(Ours, abc_size) == offset_of!(RawAssignment, abc_size));
    assert!(offset_of!(Ours, inp_assignment_data) == offset_of!(RawAssignment, inp_assignment_data));
    assert!(offset_of!(Ours, inp_assignment_size) == offset_of!(RawAssignment, inp_assignment_size));
    assert!(offset_of!(Ours, aux_assignment_data) == offset_of!(RawAssignment, aux_assignment_data));
    assert!(offset_of!(Ours, aux_assignment_size) == offset_of!(RawAssignment, aux_assignment_size));
};

/// Circuits that share their sizes and densities, as the arguments of `generate_groth16_proof` describe them.
pub(crate) struct SameShape<'a, S, D> {
    pub(crate) num_circuits: usize,
    pub(crate) ntt_a_scalars: &'a [*const S],
    pub(crate) ntt_b_scalars: &'a [*const S],
    pub(crate) ntt_c_scalars: &'a [*const S],
    pub(crate) ntt_scalars_actual_size: usize,
    pub(crate) input_assignments: &'a [*const S],
    pub(crate) aux_assignments: &'a [*const S],
    pub(crate) input_assignments_size: usize,
    pub(crate) aux_assignments_size: usize,
    pub(crate) a_aux_density_bv: &'a [D],
    pub(crate) b_g1_input_density_bv: &'a [D],
    pub(crate) b_g1_aux_density_bv: &'a [D],
    pub(crate) a_aux_total_density: usize,
    pub(crate) b_g1_input_total_density: usize,
    pub(crate) b_g1_aux_total_density: usize,
}

impl<S, D> SameShape<'_, S, D> {
    /// One [`Assignment`] a circuit.
    ///
    /// # Errors
    /// [`interlock::Error::Size`] if a slice is not one element a circuit, or a density is too short for its bits.
    pub(crate) fn assignments(&self) -> Result<Vec<Assignment<S>>, interlock::Error> {
        for (field, slice) in [
            ("ntt_a_scalars", self.ntt_a_scalars),
            ("ntt_b_scalars", self.ntt_b_scalars),
            ("ntt_c_scalars", self.ntt_c_scalars),
            ("input_assignments", self.input_assignments),
            ("aux_assignments", self.aux_assignments),
        ] {
            expect_len(field, slice.len(), self.num_circuits)?;
        }
        expect_density("a_aux_density_bv", self.a_aux_density_bv, self.aux_assignments_size)?;
        expect_density("b_g1_input_density_bv", self.b_g1_input_density_bv, self.input_assignments_size)?;
        expect_density("b_g1_aux_density_bv", self.b_g1_aux_density_bv, self.aux_assignments_size)?;
        Ok((0..self.num_circuits).map(|i| self.assignment(i)).collect())
    }

    fn assignment(&self, circuit: usize) -> Assignment<S> {
        Assignment {
            a_aux_density: self.a_aux_density_bv.as_ptr().cast(),
            a_aux_bit_len: self.aux_assignments_size,
            a_aux_popcount: self.a_aux_total_density,
            b_inp_density: self.b_g1_input_density_bv.as_ptr().cast(),
            b_inp_bit_len: self.input_assignments_size,
            b_inp_popcount: self.b_g1_input_total_density,
            b_aux_density: self.b_g1_aux_density_bv.as_ptr().cast(),
            b_aux_bit_len: self.aux_assignments_size,
            b_aux_popcount: self.b_g1_aux_total_density,
            a: self.ntt_a_scalars[circuit],
            b: self.ntt_b_scalars[circuit],
            c: self.ntt_c_scalars[circuit],
            abc_size: self.ntt_scalars_actual_size,
            inp_assignment_data: self.input_assignments[circuit],
            inp_assignment_size: self.input_assignments_size,
            aux_assignment_data: self.aux_assignments[circuit],
            aux_assignment_size: self.aux_assignments_size,
        }
    }
}

fn expect_density<D>(field: &str, words: &[D], bits: usize) -> Result<(), interlock::Error> {
    expect_size::<D>("a word of a density", size_of::<u64>())?;
    let needed = bits.div_ceil(64);
    if words.len() < needed {
        return Err(interlock::Error::Size {
            field: format!("{field}.len()"),
            found: words.len(),
            expected: format!("{bits} bits take {needed} words of 64"),
        });
    }
    Ok(())
}
