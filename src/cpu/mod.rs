//! The CPU backend: the same proofs with blst's arithmetic on rayon.
//!
//! Starting a batch takes one circuit after another to its quotient and the MSM over the `h` query, and keeps that one
//! point; finishing it does the MSMs over the witness, again circuit by circuit. So a batch needs the memory
//! of one circuit, however many it has, and every step uses all threads.

mod batch_add;
mod group;
mod msm;
mod ntt;
mod proof;
mod quotient;
#[cfg(test)]
mod random;
mod scalar;
mod terms;

use std::ffi::CStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::curve::{G1Affine, Proof};
use crate::error::Error;
use crate::logging;
use crate::params::{Parameters, Points};
use crate::prove::{check_scalars, Backend, Batch, Blinding, Evaluations, Pending, Witness};
use crate::threads;
use crate::trace;
use group::{G1, G2};
use msm::msm;
pub(crate) use proof::{Sums, Unfinished};
use quotient::Quotient;
use terms::{Part, Selection, Terms};

/// The backend that proves on the CPU's cores.
pub(crate) struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn can_prove(&self, _: &Parameters, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }

    fn load(&self, srs: &Parameters) -> Result<(), Error> {
        srs.points().map(drop)
    }

    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        let Batch { evaluations, witnesses, blindings, srs, .. } = batch;
        let points = srs.points()?;
        let h = threads::install(|| start(evaluations, &witnesses, &blindings, points))??;
        Ok(Box::new(Started { h, witnesses, blindings, srs }))
    }
}

/// The 2^`log2` coefficients of h in bit-reversed order: what the device's are compared with.
///
/// # Errors
/// Those of [`Quotient::coefficients`].
#[cfg(all(interlock_cuda, feature = "kit"))]
pub fn quotient_coefficients(log2: u32, evaluations: &Evaluations<'_>) -> Result<Vec<crate::curve::Fr>, Error> {
    threads::install(|| Quotient::new(log2)?.coefficients(evaluations))?
}

fn start(
    evaluations: &[Evaluations<'_>],
    witnesses: &[Witness<'_>],
    blindings: &[Blinding],
    points: &Points,
) -> Result<Vec<HSum>, Error> {
    for (i, ((evaluations, witness), blinding)) in evaluations.iter().zip(witnesses).zip(blindings).enumerate() {
        let _checking = trace::span(c"checking scalars");
        check_scalars(i, evaluations, witness, blinding)?;
    }
    let quotient = Quotient::new((points.h.len() + 1).trailing_zeros())?;
    evaluations
        .iter()
        .enumerate()
        .map(|(i, evaluations)| {
            let _circuit = trace::within_circuit(i);
            HSum::new(&quotient, evaluations, &points.h)
        })
        .collect()
}

/// The part of a proof that comes from a, b and c.
struct HSum {
    sum: blst::blst_p1,
    constraints: usize,
    quotient_time: Duration,
    msm_time: Duration,
}

impl HSum {
    fn new(quotient: &Quotient, evaluations: &Evaluations<'_>, query: &[G1Affine]) -> Result<Self, Error> {
        let (h, quotient_time) = timed(c"quotient", || quotient.coefficients(evaluations))?;
        // The coefficient of x^(m − 1) has no point: it is 0 for a satisfied circuit. Reversing bits leaves it at the end.
        let part = Part { scalars: &h[..h.len() - 1], selection: Selection::Reversed(quotient.log2()) };
        let (sum, msm_time) = timed(c"h MSM", || msm::<G1>(query, &Terms::new(&[part])?))?;
        Ok(Self { sum, constraints: evaluations.a.len(), quotient_time, msm_time })
    }
}

/// A batch whose quotients are done.
struct Started<'w> {
    h: Vec<HSum>,
    witnesses: Vec<Witness<'w>>,
    blindings: Vec<Blinding>,
    srs: Arc<Parameters>,
}

impl Pending for Started<'_> {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        let points = self.srs.points()?;
        let made = threads::install(|| {
            let circuits = self.h.iter().zip(&self.witnesses).zip(&self.blindings);
            circuits
                .enumerate()
                .map(|(i, ((h, witness), blinding))| {
                    let _circuit = trace::within_circuit(i);
                    prove(h, witness, blinding, &self.srs, points)
                })
                .collect::<Result<Vec<_>, Error>>()
        })??;
        // Here, not in the pool: a log callback may wait for what needs the pool's threads.
        for (((_, times), h), witness) in made.iter().zip(&self.h).zip(&self.witnesses) {
            times.log(h, witness, &self.srs);
        }
        Ok(made.into_iter().map(|(proof, _)| proof).collect())
    }
}

/// How long each of a circuit's MSMs over the witness took.
struct Times {
    l: Duration,
    a: Duration,
    b1: Duration,
    b2: Duration,
}

impl Times {
    fn log(&self, h: &HSum, witness: &Witness<'_>, srs: &Parameters) {
        logging::info!(
            "cpu: {} constraints, {} inputs, {} aux, domain 2^{}; ms: quotient {}, h {}, l {}, a {}, b_g1 {}, b_g2 {}",
            h.constraints,
            witness.inp.len(),
            witness.aux.len(),
            srs.domain_log2(),
            h.quotient_time.as_millis(),
            h.msm_time.as_millis(),
            self.l.as_millis(),
            self.a.as_millis(),
            self.b1.as_millis(),
            self.b2.as_millis(),
        );
    }
}

fn prove(
    h: &HSum,
    witness: &Witness<'_>,
    blinding: &Blinding,
    srs: &Parameters,
    points: &Points,
) -> Result<(Proof, Times), Error> {
    let inputs = |selection| Part { scalars: witness.inp, selection };
    let aux = |selection| Part { scalars: witness.aux, selection };
    let (l, l_time) = timed(c"l MSM", || msm::<G1>(&points.l, &Terms::new(&[aux(Selection::All)])?))?;
    let of_a = [inputs(Selection::All), aux(Selection::Dense(witness.a_aux_density))];
    let (a, a_time) = timed(c"a MSM", || msm::<G1>(&points.a, &Terms::new(&of_a)?))?;
    let of_b = [inputs(Selection::Dense(witness.b_inp_density)), aux(Selection::Dense(witness.b_aux_density))];
    let of_b = Terms::new(&of_b)?;
    let (b1, b1_time) = timed(c"b_g1 MSM", || msm::<G1>(&points.b_g1, &of_b))?;
    let (b2, b2_time) = timed(c"b_g2 MSM", || msm::<G2>(&points.b_g2, &of_b))?;
    let _assembling = trace::span(c"assembling");
    let mut proof = Unfinished::new(blinding, srs);
    proof.add(&Sums { h: h.sum, l, a, b1, b2 });
    Ok((proof.finish(), Times { l: l_time, a: a_time, b1: b1_time, b2: b2_time }))
}

fn timed<T>(what: &'static CStr, work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Duration), Error> {
    let _traced = trace::span(what);
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
