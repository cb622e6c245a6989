//! Test vectors: parameters, circuits and the proofs that they must give.
//!
//! A folder each in `INTERLOCK_VECTORS`, with `params`, `inputs.bin` and `proofs.bin`. `inputs.bin` is `C2VEC001`, the
//! number of circuits, then for each circuit nine sizes, three densities and seven vectors of scalars, all of them
//! little-endian 64-bit words. `proofs.bin` holds 192 compressed bytes a circuit.

use std::fs;
use std::path::{Path, PathBuf};

use interlock::curve::{Fr, Proof};
use supraseal_c2::{Assignment, SRS};

/// A vector.
pub struct Vector {
    /// The folder's name.
    pub name: String,
    /// The parameter file.
    pub params: PathBuf,
    /// What is proved.
    pub circuits: Vec<Circuit>,
    /// The proofs, compressed.
    pub proofs: Vec<[u8; 192]>,
}

/// One circuit's input.
#[derive(Clone)]
pub struct Circuit {
    pub a_aux_density: Vec<usize>,
    pub a_aux_popcount: usize,
    pub b_inp_density: Vec<usize>,
    pub b_inp_popcount: usize,
    pub b_aux_density: Vec<usize>,
    pub b_aux_popcount: usize,
    pub a: Vec<Fr>,
    pub b: Vec<Fr>,
    pub c: Vec<Fr>,
    pub inp: Vec<Fr>,
    pub aux: Vec<Fr>,
    pub r: Fr,
    pub s: Fr,
}

impl Vector {
    /// Every vector in `INTERLOCK_VECTORS`, in the order of their names.
    pub fn all() -> Vec<Self> {
        let folder = folder();
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut folders: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).filter(|p| p.is_dir()).collect();
        folders.sort();
        assert!(!folders.is_empty(), "{} holds no vectors", folder.display());
        folders.iter().map(|folder| Self::read(folder)).collect()
    }

    /// The vector called `name`.
    pub fn named(name: &str) -> Self {
        Self::read(&folder().join(name))
    }

    /// Its parameters, loaded.
    pub fn srs(&self) -> SRS {
        SRS::try_new(self.params.clone(), false).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// r, one a circuit.
    pub fn r_s(&self) -> Vec<Fr> {
        self.circuits.iter().map(|circuit| circuit.r).collect()
    }

    /// s, one a circuit.
    pub fn s_s(&self) -> Vec<Fr> {
        self.circuits.iter().map(|circuit| circuit.s).collect()
    }

    /// Room for its proofs.
    pub fn room(&self) -> Vec<Proof> {
        vec![Proof::default(); self.circuits.len()]
    }

    /// Whether its circuits share sizes and densities, as `generate_groth16_proof` needs.
    pub fn is_of_one_shape(&self) -> bool {
        self.circuits.windows(2).all(|pair| {
            pair[0].a_aux_density == pair[1].a_aux_density
                && pair[0].b_inp_density == pair[1].b_inp_density
                && pair[0].b_aux_density == pair[1].b_aux_density
                && pair[0].a.len() == pair[1].a.len()
        })
    }

    /// Fails unless `proofs` are the right ones.
    pub fn check(&self, proofs: &[Proof]) {
        let made: Vec<_> = proofs.iter().map(Proof::to_compressed).collect();
        assert!(made == self.proofs, "{}: wrong proofs", self.name);
    }

    fn read(folder: &Path) -> Self {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let file = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let inputs = file("inputs.bin");
        let mut words = Words(inputs.strip_prefix(b"C2VEC001").expect("the magic of inputs.bin"));
        let circuits: Vec<_> = (0..words.next()).map(|_| Circuit::read(&mut words)).collect();
        assert!(words.0.is_empty(), "{name}: {} bytes too many", words.0.len());
        let proofs: Vec<[u8; 192]> = file("proofs.bin").chunks(192).map(|p| p.try_into().expect("192 bytes")).collect();
        assert_eq!(circuits.len(), proofs.len(), "{name}");
        Self { name, params: folder.join("params"), circuits, proofs }
    }
}

impl Circuit {
    /// Pointers to it.
    pub fn assignment(&self) -> Assignment<Fr> {
        Assignment {
            a_aux_density: self.a_aux_density.as_ptr(),
            a_aux_bit_len: self.aux.len(),
            a_aux_popcount: self.a_aux_popcount,
            b_inp_density: self.b_inp_density.as_ptr(),
            b_inp_bit_len: self.inp.len(),
            b_inp_popcount: self.b_inp_popcount,
            b_aux_density: self.b_aux_density.as_ptr(),
            b_aux_bit_len: self.aux.len(),
            b_aux_popcount: self.b_aux_popcount,
            a: self.a.as_ptr(),
            b: self.b.as_ptr(),
            c: self.c.as_ptr(),
            abc_size: self.a.len(),
            inp_assignment_data: self.inp.as_ptr(),
            inp_assignment_size: self.inp.len(),
            aux_assignment_data: self.aux.as_ptr(),
            aux_assignment_size: self.aux.len(),
        }
    }

    fn read(words: &mut Words<'_>) -> Self {
        let [a_aux_bits, a_aux_popcount, b_inp_bits, b_inp_popcount, b_aux_bits, b_aux_popcount, abc, inp, aux] =
            [(); 9].map(|()| words.next());
        Self {
            a_aux_density: words.density(a_aux_bits),
            a_aux_popcount,
            b_inp_density: words.density(b_inp_bits),
            b_inp_popcount,
            b_aux_density: words.density(b_aux_bits),
            b_aux_popcount,
            a: words.scalars(abc),
            b: words.scalars(abc),
            c: words.scalars(abc),
            inp: words.scalars(inp),
            aux: words.scalars(aux),
            r: words.scalar(),
            s: words.scalar(),
        }
    }
}

fn folder() -> PathBuf {
    std::env::var_os("INTERLOCK_VECTORS")
        .expect("INTERLOCK_VECTORS is not set: it names the folder of test vectors")
        .into()
}

/// Little-endian 64-bit words.
struct Words<'a>(&'a [u8]);

impl Words<'_> {
    fn next(&mut self) -> usize {
        let (word, rest) = self.0.split_first_chunk().expect("inputs.bin is too short");
        self.0 = rest;
        u64::from_le_bytes(*word) as usize
    }

    fn density(&mut self, bits: usize) -> Vec<usize> {
        (0..bits.div_ceil(64)).map(|_| self.next()).collect()
    }

    fn scalar(&mut self) -> Fr {
        Fr { l: [(); 4].map(|()| self.next() as u64) }
    }

    fn scalars(&mut self, count: usize) -> Vec<Fr> {
        (0..count).map(|_| self.scalar()).collect()
    }
}
