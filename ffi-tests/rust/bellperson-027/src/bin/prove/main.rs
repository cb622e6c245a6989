//! `prove [DIR]`: proves that it knows a preimage of a SHA-256 hash, through bellperson and this library, and tells how.
//!
//! Parameters are generated once and kept in DIR; without it, in a folder beside those of the build.

mod size;
mod timed;

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use bellperson::groth16::{
    create_random_proof, generate_random_parameters, prepare_verifying_key, verify_proof, SuprasealParameters,
    VerifyingKey,
};
use blstrs::Bls12;
use interlock::logging::{self, Level};
use interlock_ffi_tests::Preimage;
use rand_core::OsRng;
use sha2::{Digest, Sha256};

use size::Size;
use timed::Timed;

/// Two blocks with the padding: about 2^16 constraints, of which parameters are generated in seconds.
const PREIMAGE: &[u8; 64] = b"A proof shows that somebody knows this line, and nothing else...";

fn main() -> ExitCode {
    match account() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("prove: {error}");
            ExitCode::FAILURE
        }
    }
}

fn account() -> Result<(), Box<dyn Error>> {
    let circuit = Preimage::Sha256(PREIMAGE.to_vec());
    let size = Size::of(circuit.clone())?;
    let notes = Notes::collect();

    line("library", format_args!("interlock {}, {}", interlock::VERSION, backend()?));
    line("statement", format_args!("I know {} bytes whose SHA-256 is {:x}", PREIMAGE.len(), Sha256::digest(PREIMAGE)));
    line(
        "circuit",
        format_args!(
            "{} constraints (domain 2^{}), {} inputs, {} private variables",
            size.constraints,
            size.domain_log2(),
            size.inputs,
            size.aux
        ),
    );

    let path = parameter_file(size)?;
    if path.exists() {
        line("parameters", format_args!("from {}", path.display()));
    } else {
        let start = Instant::now();
        generate(&circuit, &path)?;
        line("parameters", format_args!("generated in {:.1?}, kept in {}", start.elapsed(), path.display()));
    }

    let start = Instant::now();
    let params = SuprasealParameters::<Bls12>::new(path.clone())?;
    line("loading", format_args!("{:.1?}, every point checked", start.elapsed()));
    notes.print();

    let synthesized = OnceLock::new();
    let start = Instant::now();
    let timed = Timed { circuit: circuit.clone(), synthesized: &synthesized };
    let proof = create_random_proof(timed, &params, &mut OsRng)?;
    let (end, middle) = (Instant::now(), *synthesized.get().ok_or("the circuit was not synthesised")?);
    line("synthesis", format_args!("{:.1?}", middle - start));
    line("proving", format_args!("{:.1?}", end - middle));
    notes.print();

    let key = prepare_verifying_key(&VerifyingKey::<Bls12>::read(File::open(&path)?)?);
    let start = Instant::now();
    let verified = verify_proof(&key, &proof, &circuit.public_inputs())?;
    line("verification", format_args!("{:.1?}", start.elapsed()));
    let mut bytes = Vec::new();
    proof.write(&mut bytes)?;
    line("proof", format_args!("{} bytes", bytes.len()));
    line("verified", format_args!("{}", if verified { "yes" } else { "no" }));
    if verified {
        Ok(())
    } else {
        Err("the verifier rejects the proof".into())
    }
}

fn line(label: &str, what: std::fmt::Arguments<'_>) {
    let colon = if label.is_empty() { "" } else { ":" };
    println!("{:<14}{what}", format!("{label}{colon}"));
}

/// What the library tells of its work, such as the phases of a proof.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Collects what is told from now on.
    fn collect() -> Self {
        let notes = Self::default();
        let collected = notes.clone();
        logging::set_level(Level::Info);
        logging::set_callback(Some(Arc::new(move |_, message| collected.lock().push(message.to_owned()))));
        notes
    }

    /// Prints what was collected since the last time.
    fn print(&self) {
        self.lock().drain(..).for_each(|note| line("", format_args!("{note}")));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What will prove.
fn backend() -> Result<String, interlock::Error> {
    if interlock::prove::current()? == "gpu" {
        let devices = interlock::devices()?;
        return Ok(format!("proving on the GPU: {}", devices[0]));
    }
    let threads = interlock::settings::cpu_threads();
    Ok(match interlock::prove::available(interlock::settings::BackendChoice::Gpu) {
        Ok(()) => format!("proving on the CPU with {threads} threads, as asked"),
        Err(why) => format!("proving on the CPU with {threads} threads ({why})"),
    })
}

/// Where parameters for a circuit of `size` are kept. The name holds the size: those of another circuit would not fit.
fn parameter_file(size: Size) -> Result<PathBuf, Box<dyn Error>> {
    let folder = match std::env::args_os().nth(1) {
        Some(folder) => PathBuf::from(folder),
        None => {
            let program = std::env::current_exe()?;
            program.ancestors().nth(2).ok_or("this program lies in no folder")?.join("prove")
        }
    };
    fs::create_dir_all(&folder)?;
    Ok(folder.join(format!("sha256-{}-{}-{}.params", size.constraints, size.inputs, size.aux)))
}

/// Generates parameters into `path`; an interrupted run leaves nothing there.
fn generate(circuit: &Preimage, path: &Path) -> Result<(), Box<dyn Error>> {
    let params = generate_random_parameters::<Bls12, _, _>(circuit.clone(), &mut OsRng)?;
    let partial = path.with_extension(format!("partial-{}", std::process::id()));
    let mut file = BufWriter::new(File::create(&partial)?);
    params.write(&mut file)?;
    file.flush()?;
    fs::rename(&partial, path)?;
    Ok(())
}
