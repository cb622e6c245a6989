//! Valid parameter files for tests: their points are multiples of the generators.

#[cfg(test)]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(test)]
use super::Parameters;

/// The numbers of points in a file.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// In `ic`.
    pub ic: u32,
    /// In `h`.
    pub h: u32,
    /// In `l`.
    pub l: u32,
    /// In `a`.
    pub a: u32,
    /// In `b_g1`, and in `b_g2` too.
    pub b: u32,
}

/// How many different points there are of each group; a prime, so that parts of a file differ from one another.
const POINTS: usize = 251;

impl Sample {
    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let (g1, g2) = (g1_multiples(), g2_multiples());
        let mut g1 = g1.iter().cycle();
        let mut g2 = g2.iter().cycle();
        let mut file = Vec::new();
        put(&mut file, 2, &mut g1);
        put(&mut file, 2, &mut g2);
        put(&mut file, 1, &mut g1);
        put(&mut file, 1, &mut g2);
        for count in [self.ic, self.h, self.l, self.a, self.b] {
            file.extend(count.to_be_bytes());
            put(&mut file, count, &mut g1);
        }
        file.extend(self.b.to_be_bytes());
        put(&mut file, self.b, &mut g2);
        file
    }
}

#[cfg(test)]
impl Sample {
    /// The parameters in the file, which has no name any more.
    pub(crate) fn parameters(&self) -> Parameters {
        static FILES: AtomicU64 = AtomicU64::new(0);
        let name = format!("interlock-sample-{}-{}", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, self.bytes()).unwrap();
        let params = Parameters::open(&path, false);
        std::fs::remove_file(&path).unwrap();
        params.unwrap()
    }
}

fn put<'a, const BYTES: usize>(file: &mut Vec<u8>, count: u32, points: &mut impl Iterator<Item = &'a [u8; BYTES]>) {
    points.take(count as usize).for_each(|point| file.extend(point));
}

fn g1_multiples() -> Vec<[u8; 96]> {
    let mut multiple = blst::blst_p1::default();
    // SAFETY: blst reads and writes whole points; a serialised one has 96 bytes.
    unsafe {
        let generator = blst::blst_p1_generator();
        std::iter::repeat_with(|| {
            blst::blst_p1_add_or_double(&mut multiple, &multiple, generator);
            let mut bytes = [0; 96];
            blst::blst_p1_serialize(bytes.as_mut_ptr(), &multiple);
            bytes
        })
        .take(POINTS)
        .collect()
    }
}

fn g2_multiples() -> Vec<[u8; 192]> {
    let mut multiple = blst::blst_p2::default();
    // SAFETY: blst reads and writes whole points; a serialised one has 192 bytes.
    unsafe {
        let generator = blst::blst_p2_generator();
        std::iter::repeat_with(|| {
            blst::blst_p2_add_or_double(&mut multiple, &multiple, generator);
            let mut bytes = [0; 192];
            blst::blst_p2_serialize(bytes.as_mut_ptr(), &multiple);
            bytes
        })
        .take(POINTS)
        .collect()
    }
}
