//! One device at work: what it keeps between proofs, and a proof on it.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use super::classes::{Classes, CHUNK};
use super::msm::{self, Scalars, Shape, SumTerms, Terms};
use super::resident::Resident;
use super::staging::{ClassesOnDevice, Ring};
use super::{DeviceBuffer, Domain, Event, Group, Lists, Stream, Variables, G1, G2};
use crate::cpu::{assemble, Sums};
use crate::curve::{Fr, Proof};
use crate::error::Error;
use crate::logging;
use crate::params::Parameters;
use crate::prove::{check_blinding, Blinding, Evaluations, Witness};

/// What a device keeps between proofs. The device must be current whenever it is used.
pub(super) struct Engine {
    compute: Stream,
    ring: Ring,
    scratch: DeviceBuffer<u8>,
    vectors: Option<Vectors>,
    resident: Option<(Weak<Parameters>, Arc<Resident>)>,
    /// What the work that is enqueued needs: giving device memory back waits for all of it.
    held: Vec<Box<dyn Send>>,
}

/// A domain, and room for a, b and c over it.
#[derive(Debug)]
struct Vectors {
    log2: u32,
    domain: Domain,
    a: DeviceBuffer<Fr>,
    b: DeviceBuffer<Fr>,
    c: DeviceBuffer<Fr>,
}

/// One circuit's input.
#[derive(Clone, Copy)]
pub(super) struct Circuit<'a> {
    /// Its place in the batch.
    pub(super) number: usize,
    pub(super) evaluations: &'a Evaluations<'a>,
    pub(super) witness: &'a Witness<'a>,
    pub(super) blinding: &'a Blinding,
}

/// A proof, and what it took.
pub(super) struct Proved {
    pub(super) proof: Proof,
    constraints: usize,
    enqueued: Duration,
    in_all: Duration,
}

impl Proved {
    /// Logs what it took: not while the engine is locked, for a log callback may prove.
    pub(super) fn log(&self, srs: &Parameters) {
        logging::info!(
            "gpu: {} constraints, {} inputs, {} aux, domain 2^{}; ms: {} until all was enqueued, {} in all",
            self.constraints,
            srs.inputs,
            srs.l.len(),
            srs.domain_log2(),
            self.enqueued.as_millis(),
            self.in_all.as_millis(),
        );
    }
}

/// A result that is on its way: the sums that an MSM leaves, and the sum of the points that are multiplied by 1.
struct Summed<G: Group> {
    full: Option<(DeviceBuffer<G::Sum>, Shape)>,
    ones: Option<DeviceBuffer<G::Sum>>,
}

impl Engine {
    /// An engine for the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new() -> Result<Self, Error> {
        Ok(Self {
            compute: Stream::new()?,
            ring: Ring::new()?,
            scratch: DeviceBuffer::new(0)?,
            vectors: None,
            resident: None,
            held: Vec::new(),
        })
    }

    /// Proves one circuit, whose sizes agree with `srs`.
    ///
    /// # Errors
    /// [`Error::NonCanonicalScalar`], [`Error::Cuda`], [`Error::OutOfMemory`].
    pub(super) fn prove(&mut self, circuit: Circuit<'_>, srs: &Arc<Parameters>) -> Result<Proved, Error> {
        let start = Instant::now();
        check_blinding(circuit.number, circuit.blinding)?;
        let resident = self.resident(srs)?;
        let h = self.h(circuit, srs, &resident)?;
        let (l, a, b1, b2) = self.witness_sums(circuit, &resident)?;
        let enqueued = start.elapsed();
        let sums = Sums {
            h: self.collect(h)?,
            l: self.collect(l)?,
            a: self.collect(a)?,
            b1: self.collect(b1)?,
            b2: self.collect(b2)?,
        };
        self.held.clear();
        let proof = assemble(&sums, circuit.blinding, srs);
        Ok(Proved { proof, constraints: circuit.evaluations.a.len(), enqueued, in_all: start.elapsed() })
    }

    fn resident(&mut self, srs: &Arc<Parameters>) -> Result<Arc<Resident>, Error> {
        if let Some((of, resident)) = &self.resident {
            if std::ptr::eq(of.as_ptr(), Arc::as_ptr(srs)) {
                return Ok(resident.clone());
            }
        }
        // The memory of the last ones goes first: two may not fit.
        self.resident = None;
        let resident = Arc::new(Resident::new(srs, &self.ring)?);
        self.resident = Some((Arc::downgrade(srs), resident.clone()));
        Ok(resident)
    }

    /// Enqueues h and the MSM over its query.
    fn h(&mut self, circuit: Circuit<'_>, srs: &Parameters, resident: &Resident) -> Result<Summed<G1>, Error> {
        if srs.h.is_empty() {
            return Ok(Summed { full: None, ones: None });
        }
        let log2 = srs.domain_log2();
        let mut vectors = match self.vectors.take() {
            Some(vectors) if vectors.log2 == log2 => vectors,
            other => {
                drop(other);
                Vectors::new(log2, &self.compute)?
            }
        };
        let Evaluations { a, b, c } = circuit.evaluations;
        self.load(circuit, "a", &vectors.a, a)?;
        self.load(circuit, "b", &vectors.b, b)?;
        vectors.domain.product(&mut vectors.a, &mut vectors.b, &self.compute)?;
        self.load(circuit, "c", &vectors.c, c)?;
        vectors.domain.finish(&mut vectors.a, &mut vectors.c, &self.compute)?;
        let terms = Terms {
            points: &resident.h,
            positions: None,
            scalars: &vectors.a,
            order: Scalars::Reversed(log2),
            len: srs.h.len(),
            count: None,
        };
        let full = self.msm::<G1>(&terms)?;
        self.vectors = Some(vectors);
        Ok(Summed { full: Some(full), ones: None })
    }

    /// Enqueues the writing of evaluations, and of the zeros after them, to a vector.
    fn load(&mut self, circuit: Circuit<'_>, name: &str, to: &DeviceBuffer<Fr>, values: &[Fr]) -> Result<(), Error> {
        // The last proof's work with the vector is over: its results were waited for.
        self.ring.send_scalars(values, to)?.map_err(|i| not_canonical(circuit, name, i))?;
        self.compute.wait_for(&Event::record(self.ring.expansions())?)
    }

    /// Enqueues the MSMs over the witness.
    #[allow(clippy::type_complexity)]
    fn witness_sums(
        &mut self,
        circuit: Circuit<'_>,
        resident: &Resident,
    ) -> Result<(Summed<G1>, Summed<G1>, Summed<G1>, Summed<G2>), Error> {
        let Witness { inp, aux, a_aux_density, b_inp_density, b_aux_density } = *circuit.witness;
        let inp = Classes::of(inp)?.map_err(|i| not_canonical(circuit, "inp_assignment_data", i))?;
        let aux = Classes::of(aux)?.map_err(|i| not_canonical(circuit, "aux_assignment_data", i))?;
        let scalars = DeviceBuffer::new(inp.full_len() + aux.full_len())?;
        let inp_vars = self.variables(&inp, 0, circuit.witness.inp.len(), &scalars)?;
        let aux_vars = self.variables(&aux, inp.full_len(), circuit.witness.aux.len(), &scalars)?;
        let densities = [a_aux_density, b_inp_density, b_aux_density];
        let [a_aux, b_inp, b_aux] = densities.map(|density| self.ring.uploaded(density.raw_words()));
        let (a_aux, b_inp, b_aux) = (a_aux?, b_inp?, b_aux?);
        self.compute.wait_for(&Event::record(self.ring.copies())?)?;

        let of_l = self.terms(&[(&aux_vars, None)])?;
        let of_a = self.terms(&[(&inp_vars, None), (&aux_vars, Some(&a_aux))])?;
        let of_b = self.terms(&[(&inp_vars, Some(&b_inp)), (&aux_vars, Some(&b_aux))])?;
        let l = self.query::<G1>(&resident.l, &of_l, &scalars)?;
        let a = self.query::<G1>(&resident.a, &of_a, &scalars)?;
        let b1 = self.query::<G1>(&resident.b_g1, &of_b, &scalars)?;
        let b2 = self.query::<G2>(&resident.b_g2, &of_b, &scalars)?;
        self.held.push(Box::new((scalars, inp_vars, aux_vars, [a_aux, b_inp, b_aux], [of_l, of_a, of_b])));
        Ok((l, a, b1, b2))
    }

    /// Variables of these classes; their full-size scalars go to `scalars`, from number `first` on.
    fn variables(
        &self,
        classes: &Classes,
        first: usize,
        len: usize,
        scalars: &DeviceBuffer<Fr>,
    ) -> Result<DeviceVariables, Error> {
        let words = DeviceBuffer::new(classes.words_len())?;
        let starts = DeviceBuffer::new(classes.chunks_len())?;
        let full = scalars.range(first..first + classes.full_len());
        self.ring.send_classes(classes, first, &ClassesOnDevice { words: &words, starts: &starts, full: &full })?;
        Ok(DeviceVariables { words, starts, len, ones: classes.ones(), full: classes.full_len() })
    }

    /// Enqueues the listing of a query's terms.
    fn terms(&mut self, parts: &[(&DeviceVariables, Option<&DeviceBuffer<u64>>)]) -> Result<Listed, Error> {
        let ones = parts.iter().map(|(variables, _)| variables.ones).sum();
        let full = parts.iter().map(|(variables, _)| variables.full).sum();
        let mut lists = Lists::new(ones, full, &self.compute)?;
        for (variables, density) in parts {
            if variables.len == 0 {
                continue;
            }
            self.need_scratch(super::terms_scratch_bytes(variables.len))?;
            lists.append(&variables.of_query(*density), &mut self.scratch, &self.compute)?;
        }
        Ok(Listed { lists, ones, full })
    }

    /// Enqueues the MSM and the sum of ones over a query.
    fn query<G: Group>(
        &mut self,
        points: &DeviceBuffer<G::Affine>,
        listed: &Listed,
        scalars: &DeviceBuffer<Fr>,
    ) -> Result<Summed<G>, Error> {
        let mut result = Summed { full: None, ones: None };
        let lists = &listed.lists;
        if points.is_empty() {
            return Ok(result);
        }
        if listed.full > 0 {
            result.full = Some(self.msm::<G>(&Terms {
                points,
                positions: Some(&lists.positions),
                scalars,
                order: Scalars::Indexed(&lists.indices),
                len: listed.full,
                count: Some((&lists.counts, 2)),
            })?);
        }
        if listed.ones > 0 {
            let mut sum = DeviceBuffer::new(1)?;
            self.need_scratch(msm::sum_scratch_bytes::<G>())?;
            let terms = SumTerms::<G> {
                points,
                positions: Some(&lists.ones),
                len: listed.ones,
                count: Some((&lists.counts, 1)),
            };
            msm::sum::<G>(&mut sum, &terms, &mut self.scratch, &self.compute)?;
            result.ones = Some(sum);
        }
        Ok(result)
    }

    fn msm<G: Group>(&mut self, terms: &Terms<'_, G>) -> Result<(DeviceBuffer<G::Sum>, Shape), Error> {
        let shape = Shape::for_terms(terms.len);
        self.need_scratch(msm::msm_scratch_bytes::<G>(terms.len, shape)?)?;
        let mut sums = DeviceBuffer::new(shape.sums())?;
        msm::msm::<G>(&mut sums, terms, shape, &mut self.scratch, &self.compute)?;
        Ok((sums, shape))
    }

    /// Makes the scratch at least so large. It serves the compute stream only, whose work is in order.
    fn need_scratch(&mut self, bytes: usize) -> Result<(), Error> {
        if self.scratch.len() < bytes {
            // Freeing waits for the work that uses it.
            self.scratch = DeviceBuffer::new(0)?;
            self.scratch = DeviceBuffer::new(bytes)?;
        }
        Ok(())
    }

    /// Waits for a result.
    fn collect<G: Group>(&self, result: Summed<G>) -> Result<G::Jacobian, Error> {
        let mut total = G::Jacobian::default();
        if let Some((sums, shape)) = &result.full {
            total = msm::combine::<G>(&sums.to_host(&self.compute)?, *shape);
        }
        if let Some(ones) = &result.ones {
            for sum in ones.to_host(&self.compute)? {
                total = G::add(&total, &G::to_jacobian(&sum));
            }
        }
        Ok(total)
    }
}

/// Variables on the device.
struct DeviceVariables {
    words: DeviceBuffer<u64>,
    starts: DeviceBuffer<u32>,
    len: usize,
    ones: usize,
    full: usize,
}

impl DeviceVariables {
    fn of_query<'a>(&'a self, density: Option<&'a DeviceBuffer<u64>>) -> Variables<'a> {
        Variables { classes: &self.words, density, len: self.len, chunks: Some((CHUNK, &self.starts)) }
    }
}

/// The terms of a query, and how many there can be.
struct Listed {
    lists: Lists,
    ones: usize,
    full: usize,
}

impl Vectors {
    fn new(log2: u32, stream: &Stream) -> Result<Self, Error> {
        let m = 1 << log2;
        Ok(Self {
            log2,
            domain: Domain::new(log2, DeviceBuffer::new(Domain::length(log2)?)?, stream)?,
            a: DeviceBuffer::new(m)?,
            b: DeviceBuffer::new(m)?,
            c: DeviceBuffer::new(m)?,
        })
    }
}

fn not_canonical(circuit: Circuit<'_>, vector: &str, index: usize) -> Error {
    Error::NonCanonicalScalar { vector: format!("provers[{}].{vector}", circuit.number), index }
}
