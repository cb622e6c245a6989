//! A sector of 2 KiB through filecoin-proofs: sealed, proved to be sealed, proved to be stored, given new content and proved to
//! have it. Every proof is verified by filecoin-proofs. Prints what each step took.
//!
//! Parameters are those of `paramcache`, in the folder that `FIL_PROOFS_PARAMETER_CACHE` names.

mod sector;
mod steps;

use std::path::Path;

use anyhow::{bail, Result};

use sector::Sector;
use steps::Steps;

const USAGE: &str = "usage: life-cycle FOLDER ROUNDS [replication | winning | window | update]...
  seals a sector in FOLDER, which is made, and makes proofs of these kinds (all), ROUNDS times each: the first has the
  parameters to load";
const KINDS: [&str; 4] = ["replication", "winning", "window", "update"];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, rounds, kinds @ ..] = arguments.as_slice() else { bail!(USAGE) };
    let (folder, rounds): (&Path, usize) = (folder.as_ref(), rounds.parse()?);
    let kinds: Vec<&str> = match kinds {
        [] => KINDS.into(),
        some => some.iter().map(String::as_str).collect(),
    };
    let mut steps = Steps::default();
    let sector = Sector::seal(folder, &mut steps)?;
    for round in 0..rounds {
        for kind in &kinds {
            match *kind {
                "replication" => sector.prove_replication(&mut steps)?,
                "winning" => sector.prove_winning(&mut steps)?,
                "window" => sector.prove_window(&mut steps)?,
                "update" => sector.prove_update(&folder.join(format!("update-{round}")), &mut steps)?,
                _ => bail!(USAGE),
            }
        }
    }
    println!("{steps}");
    Ok(())
}
