//! Random circuit shapes: the proofs of two backends, against each other and, for small ones, against logarithms.

mod circuit;
mod density;
mod expected;
mod folder;
mod plan;
mod points;
mod proving;
mod values;
mod variants;

use std::path::PathBuf;
use std::thread;

use interlock::curve::Proof;
use interlock::prove::available;
#[cfg(device)]
use interlock::prove::Sizes;
use interlock::settings::{set_backend, BackendChoice};
use interlock::Srs;

use crate::inputs::Random;
use circuit::{Densities, Made};
use folder::Folder;
#[cfg(device)]
use plan::Circuit;
use plan::Shape;
#[cfg(device)]
pub use plan::Way;
use points::Tile;
use proving::{proofs, Proofs};

pub use variants::{budgets, check as check_variants};

/// Domains up to this size are checked by [`expected::proof`] too.
const CHECKED: u32 = 8;
/// After so many wrong shapes, the others say no more.
const ENOUGH: usize = 5;

/// Proves `count` shapes, those of the seeds from `seed` on, by the first backend and by the second, and prints each. A shape has a
/// file of parameters; some are proved by the first backend while others are.
///
/// # Errors
/// How many are wrong. Each has been printed in full by then.
pub fn check(count: usize, seed: u64, backends: [BackendChoice; 2]) -> Result<String, String> {
    for backend in backends {
        available(backend).map_err(|error| error.to_string())?;
    }
    println!("{count} shapes of seed {seed}; `shapes 1 SEED` repeats one");
    let (tile, folder) = (Tile::new(), Folder::new("shapes")?);
    let mut company = Random(!seed);
    let (mut done, mut wrong, mut made, mut checked) = (0, Vec::new(), 0, 0);
    while done < count && wrong.len() < ENOUGH {
        let together = if company.below(4) == 0 { 2 + company.below(3) } else { 1 };
        let seeds = (done..count.min(done + together)).map(|i| seed.wrapping_add(i as u64));
        let subjects =
            seeds.map(|seed| Subject::new(Shape::new(seed), &tile, &folder)).collect::<Result<Vec<_>, _>>()?;
        done += subjects.len();
        for subject in &subjects {
            println!("{}", subject.summary());
            made += subject.shape.circuits();
            checked += if subject.is_checked() { subject.shape.circuits() } else { 0 };
        }
        for (subject, outcome) in subjects.iter().zip(compare(&subjects, backends, &tile)) {
            if let Err(what) = outcome {
                println!("WRONG: {what}; {:?}", subject.shape);
                wrong.push(subject.shape.seed);
            }
            folder.remove(&subject.params)?;
        }
    }
    match wrong[..] {
        [] => Ok(format!("{made} proofs of {done} shapes agree; {checked} of them are what logarithms say")),
        _ => Err(format!("of {done} shapes, those of these seeds are wrong: {wrong:?}")),
    }
}

/// Ordinary circuits over domains of several sizes, with their parameters loaded.
#[cfg(device)]
pub struct Ordinary(Vec<(Subject, Srs)>);

#[cfg(device)]
impl Ordinary {
    /// Circuits over the domains of 2^k points for each k of `sizes`, with files under a name of `name` meanwhile.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn new(name: &str, sizes: &[u32]) -> Result<Self, String> {
        let (tile, folder) = (Tile::new(), Folder::new(name)?);
        let one = |log2: &u32| -> Result<_, String> {
            let subject = Subject::new(Shape::ordinary(*log2, u64::from(*log2)), &tile, &folder)?;
            let srs = subject.open()?;
            Ok((subject, srs))
        };
        sizes.iter().map(one).collect::<Result<_, _>>().map(Self)
    }

    /// The proofs of all, one after the other.
    ///
    /// # Errors
    /// What went wrong, in words.
    pub fn prove(&self) -> Result<Vec<Proof>, String> {
        let mut all = Vec::new();
        for (subject, srs) in &self.0 {
            all.extend(subject.prove(srs)?.concat());
        }
        Ok(all)
    }
}

/// Batches of ordinary circuits with parameters that are in a file meanwhile.
#[cfg(device)]
pub struct Batches {
    subject: Subject,
    tile: Tile,
    _folder: Folder,
}

#[cfg(device)]
impl Batches {
    /// Batches of so many circuits over 2^`log2` points that are proved in `way`; `name` is part of the file's.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub fn new(name: &str, log2: u32, way: Way, circuits: &[usize]) -> Result<Self, String> {
        let (tile, folder) = (Tile::new(), Folder::new(name)?);
        let ordinary = Shape::ordinary(log2, u64::from(log2));
        let circuit = |number: usize| Circuit { seed: number as u64, ..ordinary.batches[0][0] };
        let batches =
            circuits.iter().enumerate().map(|(b, n)| (0..*n).map(|c| circuit(100 * b + c)).collect()).collect();
        let subject = Subject::new(Shape { way, batches, ..ordinary }, &tile, &folder)?;
        Ok(Self { subject, tile, _folder: folder })
    }

    /// The sizes of a circuit.
    pub fn sizes(&self) -> Sizes {
        let (shape, made) = (&self.subject.shape, &self.subject.batches[0][0]);
        let witness = made.witness();
        Sizes {
            domain_log2: shape.log2 as usize,
            inputs: shape.inputs,
            aux: shape.aux,
            a: shape.inputs + witness.a_aux_density.count_ones(),
            b: witness.b_inp_density.count_ones() + witness.b_aux_density.count_ones(),
            circuits: 1,
        }
    }

    /// Loads the parameters.
    ///
    /// # Errors
    /// The library's, in words.
    pub fn open(&self) -> Result<Srs, String> {
        self.subject.open()
    }

    /// The proofs of all circuits.
    ///
    /// # Errors
    /// The library's, in words.
    pub fn prove(&self, srs: &Srs) -> Result<Vec<Proof>, String> {
        self.subject.prove(srs).map(|batches| batches.concat())
    }

    /// What these proofs must be, in time that is quadratic in the domain's size.
    pub fn expected(&self) -> Vec<Proof> {
        let Self { subject, tile, .. } = self;
        subject.batches.iter().flatten().map(|made| expected::proof(&subject.shape, made, tile)).collect()
    }
}

/// A shape that is ready to be proved.
struct Subject {
    shape: Shape,
    params: PathBuf,
    batches: Vec<Vec<Made>>,
}

impl Subject {
    fn new(shape: Shape, tile: &Tile, folder: &Folder) -> Result<Self, String> {
        let densities = Densities::new(&shape);
        let file = tile.file(&shape, &densities.counts(&shape));
        let params = folder.write(&format!("{}.params", shape.seed), &file)?;
        let make = |circuits: &Vec<_>| circuits.iter().map(|circuit| Made::new(&shape, circuit, &densities)).collect();
        let batches = shape.batches.iter().map(make).collect();
        Ok(Self { shape, params, batches })
    }

    fn open(&self) -> Result<Srs, String> {
        Srs::open(&self.params, self.shape.cache).map_err(|error| error.to_string())
    }

    fn prove(&self, srs: &Srs) -> Result<Proofs, String> {
        proofs(&self.batches, &self.shape, srs)
    }

    fn is_checked(&self) -> bool {
        self.shape.log2 <= CHECKED
    }

    /// In one line.
    fn summary(&self) -> String {
        let Shape { seed, log2, aux, way, .. } = &self.shape;
        let circuits: Vec<_> = self.shape.batches.iter().map(|batch| batch.len().to_string()).collect();
        format!("{seed}: 2^{log2}, {aux} aux, {} circuits, {way:?}", circuits.join("+"))
    }
}

/// Whether the backends agree on each subject. The first one proves them all at once, the second one after the other.
fn compare(subjects: &[Subject], [first, second]: [BackendChoice; 2], tile: &Tile) -> Vec<Result<(), String>> {
    set_backend(first);
    let by_first: Vec<_> = thread::scope(|scope| {
        let prove = |subject: &'_ Subject| -> Result<_, String> {
            let srs = subject.open()?;
            let proofs = subject.prove(&srs)?;
            Ok((proofs, subject.shape.stays_open.then_some(srs)))
        };
        let threads: Vec<_> = subjects.iter().map(|subject| scope.spawn(move || prove(subject))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".to_owned()))).collect()
    });
    set_backend(second);
    let judge = |(subject, by_first): (&Subject, Result<(Proofs, Option<Srs>), String>)| {
        let (by_first, _open) = by_first.map_err(|error| format!("{first:?}: {error}"))?;
        let srs = subject.open().map_err(|error| format!("{second:?}: {error}"))?;
        let by_second = subject.prove(&srs).map_err(|error| format!("{second:?}: {error}"))?;
        srs.evict();
        for (b, (batch, (one, other))) in subject.batches.iter().zip(by_first.iter().zip(&by_second)).enumerate() {
            if [one.len(), other.len()] != [batch.len(); 2] {
                return Err(format!("batch {b} of {}: {} and {} proofs", batch.len(), one.len(), other.len()));
            }
            for (c, (made, (one, other))) in batch.iter().zip(one.iter().zip(other)).enumerate() {
                let at = |what: String| format!("batch {b}, circuit {c}: {what}");
                same(one, other).map_err(|points| at(format!("{points} differ between {first:?} and {second:?}")))?;
                if subject.is_checked() {
                    let expected = expected::proof(&subject.shape, made, tile);
                    same(one, &expected).map_err(|points| at(format!("{points} of both are wrong")))?;
                }
            }
        }
        Ok(())
    };
    subjects.iter().zip(by_first).map(judge).collect()
}

/// That two proofs are the same limbs, or which points differ.
fn same(one: &Proof, other: &Proof) -> Result<(), String> {
    let [one, other] = [one, other].map(|proof| {
        let (a, b, c) = (proof.a, proof.b, proof.c);
        let b = [b.x.fp[0], b.x.fp[1], b.y.fp[0], b.y.fp[1]].map(|part| part.l);
        ([a.x.l, a.y.l], b, [c.x.l, c.y.l])
    });
    let points = [("A", one.0 == other.0), ("B", one.1 == other.1), ("C", one.2 == other.2)];
    let different: Vec<_> = points.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect();
    if different.is_empty() {
        return Ok(());
    }
    Err(different.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::fr_one;
    use crate::scalar::add;

    #[test]
    fn the_cpus_proofs_are_what_logarithms_say() {
        let said = check(40, 1, [BackendChoice::Cpu; 2]).unwrap();
        assert!(said.starts_with(char::is_numeric) && !said.contains("; 0 of them"), "{said}");
    }

    #[test]
    fn a_shape_follows_from_its_seed() {
        let (tile, folder) = (Tile::new(), Folder::new("seeds").unwrap());
        for seed in 0..20 {
            let [one, other] = [(); 2].map(|()| Subject::new(Shape::new(seed), &tile, &folder).unwrap());
            assert_eq!(format!("{:?}", one.shape), format!("{:?}", other.shape));
            for (one, other) in one.batches.iter().flatten().zip(other.batches.iter().flatten()) {
                assert_eq!((&one.a, &one.c, &one.aux, &one.b_aux), (&other.a, &other.c, &other.aux, &other.b_aux));
            }
        }
    }

    #[test]
    fn another_witness_makes_another_proof() {
        let (tile, folder) = (Tile::new(), Folder::new("witness").unwrap());
        let mut subject = Subject::new(Shape::ordinary(6, 3), &tile, &folder).unwrap();
        let right = expected::proof(&subject.shape, &subject.batches[0][0], &tile);
        let made = &mut subject.batches[0][0];
        let both = (0..made.aux.len()).find(|i| (made.a_aux[0] & made.b_aux[0]) >> i & 1 == 1).unwrap();
        made.aux[both] = add(&made.aux[both], &fr_one());
        assert_eq!(same(&expected::proof(&subject.shape, made, &tile), &right).unwrap_err(), "A, B, C");
        set_backend(BackendChoice::Cpu);
        let srs = subject.open().unwrap();
        assert_eq!(same(&subject.prove(&srs).unwrap()[0][0], &right).unwrap_err(), "A, B, C");
    }
}
