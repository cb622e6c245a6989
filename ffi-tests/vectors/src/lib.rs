//! Test vectors: inputs of the prover and the proofs that they must give. The format is described in README.md.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use blst::blst_fr as Fr;

const MAGIC: &[u8; 8] = b"C2VEC001";

/// A density as the prover's callers pass it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Density {
    /// The bits, bit 0 of word 0 first: `bit_len.div_ceil(64)` words.
    pub words: Vec<u64>,
    /// Number of bits.
    pub bit_len: usize,
    /// What the caller says of the number of bits set.
    pub popcount: usize,
}

/// One circuit's input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Circuit {
    pub a_aux: Density,
    pub b_inp: Density,
    pub b_aux: Density,
    pub a: Vec<Fr>,
    pub b: Vec<Fr>,
    pub c: Vec<Fr>,
    pub inp: Vec<Fr>,
    pub aux: Vec<Fr>,
    pub r: Fr,
    pub s: Fr,
}

/// A folder of the vectors.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The folder's name.
    pub name: String,
    /// Its parameter file.
    pub params: PathBuf,
    /// Its circuits.
    pub circuits: Vec<Circuit>,
    /// The right proofs, compressed, one a circuit.
    pub proofs: Vec<[u8; 192]>,
}

/// The folder that holds the vectors: `INTERLOCK_VECTORS`, else the ones beside this crate.
pub fn folder() -> PathBuf {
    std::env::var_os("INTERLOCK_VECTORS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("data"), PathBuf::from)
}

/// All vectors of [`folder`], by name.
///
/// # Panics
/// If there are none, or one cannot be read: a test must not pass because its data is missing.
pub fn all() -> Vec<Vector> {
    let folder = folder();
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("no vectors at {}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no vectors at {}", folder.display());
    paths.iter().map(|p| read(p).unwrap_or_else(|e| panic!("vector {}: {e}", p.display()))).collect()
}

/// The vector called `name` of [`folder`].
///
/// # Panics
/// If it cannot be read.
pub fn one(name: &str) -> Vector {
    let path = folder().join(name);
    read(&path).unwrap_or_else(|e| panic!("vector {}: {e}", path.display()))
}

/// Reads the vector in `folder`.
pub fn read(folder: &Path) -> io::Result<Vector> {
    let inputs = std::fs::read(folder.join("inputs.bin"))?;
    let circuits = read_inputs(&mut inputs.as_slice())?;
    let proofs = std::fs::read(folder.join("proofs.bin"))?;
    if proofs.len() != circuits.len() * 192 {
        return Err(malformed("proofs.bin does not hold one proof a circuit"));
    }
    Ok(Vector {
        name: folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        params: folder.join("params"),
        circuits,
        proofs: proofs.chunks_exact(192).map(|p| p.try_into().unwrap()).collect(),
    })
}

/// Reads an `inputs.bin`.
pub fn read_inputs(from: &mut impl Read) -> io::Result<Vec<Circuit>> {
    let mut magic = [0; 8];
    from.read_exact(&mut magic)?;
    if &magic != MAGIC {
        return Err(malformed("inputs.bin does not start with C2VEC001"));
    }
    let count = number(from)?;
    (0..count).map(|_| read_circuit(from)).collect()
}

fn read_circuit(from: &mut impl Read) -> io::Result<Circuit> {
    let mut sizes = [0usize; 9];
    for size in &mut sizes {
        *size = number(from)?;
    }
    let [a_bits, a_ones, bi_bits, bi_ones, ba_bits, ba_ones, abc, inp, aux] = sizes;
    Ok(Circuit {
        a_aux: density(from, a_bits, a_ones)?,
        b_inp: density(from, bi_bits, bi_ones)?,
        b_aux: density(from, ba_bits, ba_ones)?,
        a: scalars(from, abc)?,
        b: scalars(from, abc)?,
        c: scalars(from, abc)?,
        inp: scalars(from, inp)?,
        aux: scalars(from, aux)?,
        r: scalar(from)?,
        s: scalar(from)?,
    })
}

/// Writes an `inputs.bin`.
pub fn write_inputs(to: &mut impl Write, circuits: &[Circuit]) -> io::Result<()> {
    to.write_all(MAGIC)?;
    put(to, circuits.len())?;
    for c in circuits {
        let densities = [&c.a_aux, &c.b_inp, &c.b_aux];
        for d in densities {
            put(to, d.bit_len)?;
            put(to, d.popcount)?;
        }
        for size in [c.a.len(), c.inp.len(), c.aux.len()] {
            put(to, size)?;
        }
        for word in densities.iter().flat_map(|d| &d.words) {
            to.write_all(&word.to_le_bytes())?;
        }
        for x in [&c.a, &c.b, &c.c, &c.inp, &c.aux].into_iter().flatten().chain([&c.r, &c.s]) {
            for limb in x.l {
                to.write_all(&limb.to_le_bytes())?;
            }
        }
    }
    Ok(())
}

fn density(from: &mut impl Read, bit_len: usize, popcount: usize) -> io::Result<Density> {
    let words = (0..bit_len.div_ceil(64)).map(|_| word(from)).collect::<io::Result<_>>()?;
    Ok(Density { words, bit_len, popcount })
}

fn scalars(from: &mut impl Read, len: usize) -> io::Result<Vec<Fr>> {
    (0..len).map(|_| scalar(from)).collect()
}

fn scalar(from: &mut impl Read) -> io::Result<Fr> {
    let mut x = Fr::default();
    for limb in &mut x.l {
        *limb = word(from)?;
    }
    Ok(x)
}

fn word(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn number(from: &mut impl Read) -> io::Result<usize> {
    usize::try_from(word(from)?).map_err(|_| malformed("a size that does not fit"))
}

fn put(to: &mut impl Write, number: usize) -> io::Result<()> {
    to.write_all(&(number as u64).to_le_bytes())
}

fn malformed(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_written_is_what_was_read() {
        let vector = super::one("mimc322x3");
        let mut bytes = Vec::new();
        super::write_inputs(&mut bytes, &vector.circuits).unwrap();
        assert_eq!(bytes, std::fs::read(vector.params.with_file_name("inputs.bin")).unwrap());
        assert_eq!(super::read_inputs(&mut bytes.as_slice()).unwrap(), vector.circuits);
    }
}
