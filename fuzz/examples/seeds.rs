//! Writes the small valid parameter files that the target `params` starts from into the directory named.
//!
//!     cargo run --example seeds -- corpus/params

use std::path::PathBuf;

#[path = "../../src/params/sample.rs"]
mod sample;

use sample::Sample;

fn main() -> std::io::Result<()> {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: seeds DIRECTORY");
        std::process::exit(2);
    };
    std::fs::create_dir_all(&directory)?;
    for (name, sample) in [
        ("least", Sample { ic: 0, h: 0, l: 0, a: 0, b: 0 }),
        ("no-b", Sample { ic: 1, h: 1, l: 0, a: 1, b: 0 }),
        ("all", Sample { ic: 2, h: 3, l: 2, a: 3, b: 2 }),
    ] {
        std::fs::write(directory.join(name), sample.bytes())?;
    }
    Ok(())
}
