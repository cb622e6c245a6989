//! Says whether this machine can prove as it is configured, and what to do if not.
//!
//! It reads settings, parameter files and what the system says of itself, asks CUDA, and changes nothing. The exit status is 0 if
//! proofs can be made as configured, 1 if there is something to fix, 2 for arguments that are none.

mod build;
mod circuits;
mod gpus;
mod host;
mod parameters;
mod plans;
mod report;
mod settings;

use std::io::Write;
use std::process::ExitCode;

use report::Report;

const USAGE: &str = "usage: interlock-doctor [--check]
  Says what this build of interlock is, what this machine has for it, which parameter files there are (in
  FIL_PROOFS_PARAMETER_CACHE, or else /var/tmp/filecoin-proof-parameters) and how circuits would be proved, and ends
  with what to do. Exit status: 0 if proofs can be made as configured, 1 if there is something to fix.
  --check  loads each parameter file as a whole and checks every point of it: a minute or two for 50 GB on a CPU";

fn main() -> ExitCode {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [only] if only == "--check" => true,
        [only] if only == "--help" || only == "-h" => return said(USAGE, 0),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut report = Report::default();
    build::examine(&mut report);
    let complaints = settings::examine(&mut report);
    let gpus = gpus::examine(&mut report);
    let host = host::examine(&mut report);
    let found = parameters::examine(&mut report, check);
    plans::examine(&mut report, &gpus, &host, &found);
    if gpus.is_empty() {
        plans::examine_for_cpu(&mut report, &host, &found);
    }
    settings::tell(&mut report, complaints);
    said(&report.to_string(), u8::from(report.has_something_to_fix()))
}

/// Prints, also where nobody reads it.
fn said(text: &str, status: u8) -> ExitCode {
    let _ = writeln!(std::io::stdout().lock(), "{text}");
    ExitCode::from(status)
}
