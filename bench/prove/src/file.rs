//! Writing the parameters as a file, in parallel.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use interlock::curve::Fr;
use rayon::prelude::*;

use crate::known::{log, Counts, Group, Logs, G1, G2};

/// Points that a task makes and writes at a time: 1.5 MiB of G1.
const TASK: usize = 1 << 14;

/// The size of a file with so many points.
pub fn bytes(counts: &Counts) -> u64 {
    let Counts { ic, h, l, a, b } = *counts;
    let (g1, g2) = (3 + ic + h + l + a + b, 3 + b);
    (g1 * G1::BYTES + g2 * G2::BYTES + 6 * size_of::<u32>()) as u64
}

/// Writes parameters with the logarithms `logs` at `path`, where nothing is before all is written, and returns the file's size.
pub fn write(path: &Path, logs: &Logs, counts: &Counts) -> io::Result<u64> {
    let unfinished = path.with_extension("unfinished");
    let mut writer = Writer { file: File::create(&unfinished)?, offset: 0 };
    writer.points::<G1>(&logs.alpha, 1)?;
    writer.points::<G1>(&logs.beta, 1)?;
    writer.points::<G2>(&logs.beta, 1)?;
    writer.points::<G2>(&logs.gamma, 1)?;
    writer.points::<G1>(&logs.delta, 1)?;
    writer.points::<G2>(&logs.delta, 1)?;
    writer.query::<G1>(&logs.ic, counts.ic)?;
    writer.query::<G1>(&logs.h, counts.h)?;
    writer.query::<G1>(&logs.l, counts.l)?;
    writer.query::<G1>(&logs.a, counts.a)?;
    writer.query::<G1>(&logs.b, counts.b)?;
    writer.query::<G2>(&logs.b, counts.b)?;
    std::fs::rename(unfinished, path)?;
    Ok(writer.offset)
}

struct Writer {
    file: File,
    offset: u64,
}

impl Writer {
    fn query<G: Group>(&mut self, first: &Fr, count: usize) -> io::Result<()> {
        let number = u32::try_from(count).map_err(|_| io::Error::other("more points than a file can hold"))?;
        self.file.write_all_at(&number.to_be_bytes(), self.offset)?;
        self.offset += 4;
        self.points::<G>(first, count)
    }

    fn points<G: Group>(&mut self, first: &Fr, count: usize) -> io::Result<()> {
        (0..count.div_ceil(TASK)).into_par_iter().try_for_each(|task| {
            let start = task * TASK;
            let mut bytes = vec![0; TASK.min(count - start) * G::BYTES];
            G::encode_doublings(&log(first, start), &mut bytes);
            self.file.write_all_at(&bytes, self.offset + (start * G::BYTES) as u64)
        })?;
        self.offset += (count * G::BYTES) as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_bytes_that_are_foretold() {
        let path = std::env::temp_dir().join(format!("interlock-bench-file-{}", std::process::id()));
        let counts = Counts { ic: 1, h: 7, l: 5, a: 6, b: 3 };
        let written = write(&path, &Logs::new(), &counts).unwrap();
        assert_eq!((written, path.metadata().unwrap().len()), (bytes(&counts), bytes(&counts)));
        std::fs::remove_file(&path).unwrap();
    }
}
