//! The settings, read as the library reads them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use interlock::{logging, prove, settings, Error};

use crate::report::Report;

/// What the library reads when it runs.
const KNOWN: [&str; 9] = [
    "INTERLOCK_BACKEND",
    "INTERLOCK_VRAM_BUDGET",
    "INTERLOCK_TRACE",
    "INTERLOCK_NVTX",
    "INTERLOCK_CPU_THREADS",
    "INTERLOCK_SRS_CACHE",
    "INTERLOCK_CHECK_SUBGROUP",
    "INTERLOCK_H_MULTIPLES",
    "INTERLOCK_LOG",
];
/// What its build script reads.
const OF_THE_BUILD: [&str; 2] = ["INTERLOCK_NVCC", "INTERLOCK_CUDA_ARCHS"];

/// What the library logs while the settings are read, and later.
pub type Complaints = Arc<Mutex<Vec<String>>>;

/// Reads them all, and from now on keeps what the library complains of.
pub fn examine(report: &mut Report) -> Complaints {
    let complaints = Complaints::default();
    let kept = complaints.clone();
    logging::set_callback(Some(Arc::new(move |_, message| {
        kept.lock().unwrap_or_else(PoisonError::into_inner).push(message.to_owned());
    })));
    // Complains of INTERLOCK_LOG. What it is set to matters no more: warnings are to be seen here.
    logging::level();
    logging::set_level(logging::Level::Warn);
    settings::cpu_threads();
    settings::srs_cache_capacity();
    settings::nvtx();
    report.section("settings");
    let set: Vec<_> = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value))).collect();
    let mut ours: Vec<_> = set.iter().filter(|(name, _)| name.starts_with("INTERLOCK_")).collect();
    ours.sort();
    if ours.is_empty() {
        report.line("none of interlock's is set");
    }
    for (name, value) in ours {
        report.line(format_args!("{name}={}", value.to_string_lossy()));
        if !KNOWN.contains(&name.as_str()) && !OF_THE_BUILD.contains(&name.as_str()) {
            report.fix(format_args!("{name} is set, which interlock does not know: unset it, or correct its name"));
        }
    }
    let read = [
        settings::backend().err(),
        settings::vram_budget().err(),
        settings::check_subgroup().err(),
        settings::h_multiples().err(),
    ];
    for error in read.into_iter().flatten() {
        report.fix(error);
    }
    if let Some(what) = settings::trace_file().and_then(|file| wrong_with_trace(&file)) {
        report.fix(what);
    }
    complaints
}

fn wrong_with_trace(file: &Path) -> Option<String> {
    let folder = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    (!folder.is_dir())
        .then(|| format!("INTERLOCK_TRACE names a file in {}, which is no folder: make it", folder.display()))
}

/// Adds what was complained of, and what proves now.
pub fn tell(report: &mut Report, complaints: Complaints) {
    let backend = prove::current();
    logging::set_callback(None);
    for complaint in complaints.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        // Why it proves on the CPU is told with the GPUs.
        if !complaint.starts_with("proving on the CPU") {
            report.fix(complaint);
        }
    }
    match backend {
        Ok("gpu") => report.verdict("proofs are made on the GPU"),
        Ok(_) => report.verdict("proofs are made on the CPU, which takes hours for sectors of 32 GiB"),
        // Told where they were read.
        Err(Error::Setting { .. }) => {}
        Err(error) => report.fix(error),
    }
}
