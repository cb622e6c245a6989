//! The parameter files: which there are, and whether they are whole.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::Instant;

use interlock::prove::Sizes;
use interlock::{Counts, Srs};

use crate::circuits::{self, Circuit};
use crate::report::{bytes, Report};

/// Where filecoin-proofs keeps parameters if it is told nothing else.
const DEFAULT_FOLDER: &str = "/var/tmp/filecoin-proof-parameters";
/// What to do where there are none.
const FETCH: &str = "fetch what this machine is to prove, such as by `lotus fetch-params 32GiB`";
/// Names the folder.
const VARIABLE: &str = "FIL_PROOFS_PARAMETER_CACHE";
/// Bytes of a verifying key before the points of its inputs, of which 4 are their count; and of each of these points.
const VK_HEAD: u64 = 868;
const VK_POINT: u64 = 96;

/// Parameters that are whole.
#[derive(Debug)]
pub struct Found {
    /// What it is called in the report: the circuit's name, or else the file's.
    pub name: String,
    /// The circuit, if it is a known one.
    pub circuit: Option<&'static Circuit>,
    /// How many points there are.
    pub counts: Counts,
}

/// Tells of each file in the folder; with `check` loads each. Returns the parameters that are whole.
pub fn examine(report: &mut Report, check: bool) -> Vec<Found> {
    let set = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty());
    let folder = set.as_ref().map_or(PathBuf::from(DEFAULT_FOLDER), PathBuf::from);
    report.section(format_args!("parameters in {}", folder.display()));
    let mut names = match names_in(&folder) {
        Ok(names) => names,
        Err(error) => {
            report.line(match error.kind() {
                io::ErrorKind::NotFound => "there is no such folder".to_owned(),
                _ => error.to_string(),
            });
            report.fix(format_args!(
                "{}: {error}; set {VARIABLE} to the folder of the parameters, or {FETCH}",
                folder.display()
            ));
            return Vec::new();
        }
    };
    names.sort();
    let of_kind = |suffix: &'static str| names.iter().filter_map(move |name| Some((name, name.strip_suffix(suffix)?)));
    let params: Vec<_> =
        of_kind(".params").filter_map(|(name, stem)| tell_params(report, &folder, name, stem, check)).collect();
    for (name, stem) in of_kind(".vk") {
        tell_key(report, &folder, name, stem);
    }
    let others = names.iter().filter(|name| !name.ends_with(".params") && !name.ends_with(".vk")).count();
    match (names.len(), others) {
        (0, _) => report.line("nothing"),
        (_, 0) => {}
        (_, others) => report.line(format_args!("{others} other files, which are not interlock's concern")),
    }
    if !names.iter().any(|name| name.ends_with(".params")) {
        report.fix(format_args!("{}: has no parameters: {FETCH}, or set {VARIABLE}", folder.display()));
    }
    params
}

fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn tell_params(report: &mut Report, folder: &Path, name: &str, stem: &str, check: bool) -> Option<Found> {
    let (path, circuit) = (folder.join(name), circuits::of_file(stem));
    let called = circuit.map_or(name.to_owned(), |circuit| circuit.name.to_owned());
    let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    let read = Counts::read(&path).and_then(|counts| {
        let start = Instant::now();
        let loaded = check.then(|| Srs::open(&path, false)).transpose()?;
        Ok((counts, loaded.map(|_| start.elapsed().as_secs_f64())))
    });
    match read {
        Ok((counts, took)) => {
            let checked = took.map_or("whole".into(), |took| format!("every point checked in {took:.1} s"));
            report.line(format_args!("{called}: {}, domain 2^{}: {checked}", bytes(size), counts.domain_log2()));
            if circuit.is_some_and(|circuit| circuit.sizes != Sizes::from(&counts)) {
                report.fix(format_args!(
                    "parameter file {}: is not of {called}, as its name says; fetch it again",
                    path.display()
                ));
            }
            Some(Found { name: called, circuit, counts })
        }
        Err(error) => {
            report.line(format_args!("{called}: {}: NOT RIGHT", bytes(size)));
            report.fix(error);
            None
        }
    }
}

/// A verifying key is what its parameters begin with.
fn tell_key(report: &mut Report, folder: &Path, name: &str, stem: &str) {
    let called = circuits::of_file(stem).map_or(name.to_owned(), |circuit| format!("{}, verifying key", circuit.name));
    let path = folder.join(name);
    let wrong = match key_bytes(&path) {
        Err(error) => Some(error.to_string()),
        Ok(None) => Some("is no verifying key, or not all of one".to_owned()),
        Ok(Some(key)) => {
            let mut begin = vec![0; key.len()];
            let params = File::open(folder.join(format!("{stem}.params")));
            let is_read = params.is_ok_and(|params| params.read_exact_at(&mut begin, 0).is_ok());
            (is_read && begin != key).then(|| "is of other parameters than those beside it".to_owned())
        }
    };
    let size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
    report.line(format_args!("{called}: {}: {}", bytes(size), if wrong.is_some() { "NOT RIGHT" } else { "whole" }));
    if let Some(wrong) = wrong {
        report.fix(format_args!("verifying key {}: {wrong}; fetch or generate it again", path.display()));
    }
}

/// The bytes of the verifying key at `path`, if it is as long as it says.
fn key_bytes(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut count = [0; 4];
    if size < VK_HEAD || file.read_exact_at(&mut count, VK_HEAD - 4).is_err() {
        return Ok(None);
    }
    if size != VK_HEAD + VK_POINT * u64::from(u32::from_be_bytes(count)) {
        return Ok(None);
    }
    fs::read(path).map(Some)
}
