//! A circuit as `interlock-bench-prove --compare` writes it, with the proof that it has there.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use supraseal_c2::Assignment;

/// A scalar: 4 words in Montgomery form.
pub type Fr = [u64; 4];
/// The points A, B and C: 48 words in Montgomery form.
pub type Proof = [u64; 48];

pub struct Circuit {
    a_aux: Vec<usize>,
    b_inp: Vec<usize>,
    b_aux: Vec<usize>,
    inp: Vec<Fr>,
    aux: Vec<Fr>,
    a: Vec<Fr>,
    b: Vec<Fr>,
    c: Vec<Fr>,
    pub r: Fr,
    pub s: Fr,
    /// Its proof by interlock.
    pub proof: Proof,
}

impl Circuit {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it is shorter than it says.
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(path)?);
        let [constraints, inputs, aux] = scalars::<3>(&mut file, 1)?[0].map(|n| n as usize);
        let mut density = |len: usize| -> io::Result<Vec<usize>> {
            Ok(scalars::<1>(&mut file, len.div_ceil(64))?.iter().map(|[word]| *word as usize).collect())
        };
        let (a_aux, b_inp, b_aux) = (density(aux)?, density(inputs)?, density(aux)?);
        let mut values = |n: usize| scalars::<4>(&mut file, n);
        let (inp, aux) = (values(inputs)?, values(aux)?);
        let (a, b, c) = (values(constraints)?, values(constraints)?, values(constraints)?);
        let (r, s) = (values(1)?[0], values(1)?[0]);
        let proof = scalars::<48>(&mut file, 1)?[0];
        Ok(Self { a_aux, b_inp, b_aux, inp, aux, a, b, c, r, s, proof })
    }

    /// What bellperson hands over for it.
    pub fn assignment(&self) -> Assignment<Fr> {
        let ones = |words: &[usize]| words.iter().map(|word| word.count_ones() as usize).sum();
        Assignment {
            a_aux_density: self.a_aux.as_ptr(),
            a_aux_bit_len: self.aux.len(),
            a_aux_popcount: ones(&self.a_aux),
            b_inp_density: self.b_inp.as_ptr(),
            b_inp_bit_len: self.inp.len(),
            b_inp_popcount: ones(&self.b_inp),
            b_aux_density: self.b_aux.as_ptr(),
            b_aux_bit_len: self.aux.len(),
            b_aux_popcount: ones(&self.b_aux),
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
}

/// `n` values of `N` words each.
fn scalars<const N: usize>(file: &mut impl Read, n: usize) -> io::Result<Vec<[u64; N]>> {
    let mut values = vec![[0; N]; n];
    let mut bytes = [0; 8];
    for word in values.iter_mut().flatten() {
        file.read_exact(&mut bytes)?;
        *word = u64::from_le_bytes(bytes);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_where_they_should() {
        // 65 private variables, so two words of density.
        let mut words: Vec<u64> = vec![2, 1, 65, 3, 1, 1, 7, 0];
        words.extend((0..4 * (1 + 65 + 3 * 2 + 2) + 48).map(|i| i + 100));
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = std::env::temp_dir().join(format!("interlock-peer-test-{}.circuit", std::process::id()));
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(Circuit::read(&path).is_err());
        std::fs::write(&path, &bytes).unwrap();
        let circuit = Circuit::read(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let assignment = circuit.assignment();
        assert_eq!((assignment.a_aux_popcount, assignment.b_inp_popcount, assignment.b_aux_popcount), (3, 1, 3));
        assert_eq!((circuit.inp[0][0], circuit.aux[0][0], circuit.a[0][0]), (100, 104, 364));
        assert_eq!((circuit.r[0], circuit.s[3], circuit.proof[47]), (388, 395, 443));
    }
}
