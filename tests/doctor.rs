//! What `interlock-doctor` says and its exit status, where there is no GPU to tell of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("interlock-doctor-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The parameters of a small vector, and how many bytes of them are the verifying key.
fn params() -> (Vec<u8>, usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ffi-tests/vectors/data/lg2/params");
    let params = fs::read(path).unwrap();
    let inputs = u32::from_be_bytes(params[864..868].try_into().unwrap());
    (params, 868 + 96 * inputs as usize)
}

/// What the doctor says of a folder, and its exit status. It proves on the CPU unless `settings` say otherwise.
fn doctor(folder: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_interlock-doctor"));
    command.args(arguments);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("INTERLOCK_") {
            command.env_remove(name);
        }
    }
    command.env("INTERLOCK_BACKEND", "cpu").env("FIL_PROOFS_PARAMETER_CACHE", folder).envs(settings.iter().copied());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn assert_says(said: &str, parts: &[&str]) {
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in:\n{said}");
    }
}

#[test]
fn whole_files_are_well() {
    let folder = Folder::new("whole");
    let (params, key) = params();
    folder.put("v28-small.params", &params);
    folder.put("v28-small.vk", &params[..key]);
    folder.put("parameters.json", b"{}");
    let (said, status) = doctor(&folder.0, &[], &[]);
    assert_says(
        &said,
        &[
            "interlock 0.",
            "CUDA",
            "v28-small.params: 1.9 KiB",
            "domain 2^2: whole",
            "v28-small.vk",
            "1 other files",
            "PoRep 32 GiB: parameters on the host",
            "all is well: proofs are made on the CPU",
        ],
    );
    assert_eq!(status, 0);
    let (said, status) = doctor(&folder.0, &["--check"], &[]);
    assert_says(&said, &["domain 2^2: every point checked in 0."]);
    assert_eq!(status, 0);
}

#[test]
fn each_file_that_is_not_right_is_to_be_fixed() {
    let folder = Folder::new("broken");
    let (params, key) = params();
    folder.put("cut.params", &params[..params.len() - 1]);
    folder.put("cut.vk", &params[..key - 1]);
    folder.put("foreign.params", &[b'x'; 4096]);
    folder.put("whole.params", &params);
    let mut others = params[..key].to_vec();
    others[0] ^= 1;
    folder.put("whole.vk", &others);
    let name = "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-\
                559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e.params";
    folder.put(name, &params);
    let (said, status) = doctor(&folder.0, &[], &[]);
    assert_says(
        &said,
        &[
            "cut.params: is truncated: b_g2 needs bytes up to",
            "cut.vk: is no verifying key, or not all of one",
            "foreign.params: is truncated",
            "whole.vk: is of other parameters than those beside it",
            "is not of winning PoSt 32 GiB, as its name says",
            "whole.params: 1.9 KiB, domain 2^2: whole",
            "\n  5. ",
        ],
    );
    assert!(!said.contains("\n  6. ") && !said.contains("all is well"), "{said}");
    assert_eq!(status, 1);
}

/// The header's walk reads no point of a query; loading does.
#[test]
fn a_damaged_point_is_found_by_loading() {
    let folder = Folder::new("damaged");
    let (mut params, _) = params();
    let last = params.len() - 1;
    params[last] ^= 1;
    folder.put("damaged.params", &params);
    assert_eq!(doctor(&folder.0, &[], &[]).1, 0);
    let (said, status) = doctor(&folder.0, &["--check"], &[]);
    assert_says(&said, &["damaged.params: b_g2[", "is not on the curve"]);
    assert_eq!(status, 1);
}

#[test]
fn settings_that_are_wrong_are_to_be_fixed() {
    let folder = Folder::new("settings");
    folder.put("small.params", &params().0);
    for (name, value, told) in [
        ("INTERLOCK_BACKEND", "cuda", "INTERLOCK_BACKEND is \"cuda\""),
        ("INTERLOCK_VRAM_BUDGET", "12 gigs", "INTERLOCK_VRAM_BUDGET is \"12 gigs\""),
        ("INTERLOCK_CHECK_SUBGROUP", "yes", "INTERLOCK_CHECK_SUBGROUP is \"yes\""),
        ("INTERLOCK_CPU_THREADS", "many", "INTERLOCK_CPU_THREADS is \"many\""),
        ("INTERLOCK_SRS_CACHE", "-1", "INTERLOCK_SRS_CACHE is \"-1\""),
        ("INTERLOCK_NVTX", "on", "INTERLOCK_NVTX is \"on\""),
        ("INTERLOCK_LOG", "loud", "INTERLOCK_LOG is \"loud\""),
        ("INTERLOCK_TRACE", "/nowhere/at/all.json", "INTERLOCK_TRACE names a file in /nowhere/at"),
        ("INTERLOCK_VRAM_BUGET", "8G", "INTERLOCK_VRAM_BUGET is set, which interlock does not know"),
        ("FIL_PROOFS_PARAMETER_CACHE", "/nowhere/at/all", "set FIL_PROOFS_PARAMETER_CACHE to the folder"),
    ] {
        let (said, status) = doctor(&folder.0, &[], &[(name, value)]);
        let to_do = said.split("\nto do\n").nth(1).unwrap_or_else(|| panic!("{name}: nothing to do in:\n{said}"));
        assert_says(to_do, &["  1. ", told]);
        assert!(!to_do.contains("\n  2. "), "{said}");
        assert_eq!(status, 1, "{name}");
    }
    assert_eq!(doctor(&folder.0, &[], &[("INTERLOCK_LOG", "off"), ("INTERLOCK_VRAM_BUDGET", "12G")]).1, 0);
}

#[test]
fn plans_are_for_the_budget_that_is_set() {
    let folder = Folder::new("budget");
    folder.put("small.params", &params().0);
    let (said, _) = doctor(&folder.0, &[], &[("INTERLOCK_VRAM_BUDGET", "16G")]);
    assert_says(&said, &["small.params: parameters on the device, vectors on the device"]);
    if interlock::devices().is_err() {
        assert_says(&said, &["plans within 16.0 GiB\n"]);
        let (said, _) = doctor(&folder.0, &[], &[("INTERLOCK_VRAM_BUDGET", "0")]);
        assert_says(&said, &["plans within 24 GiB, if there were a GPU\n"]);
    }
}

#[test]
fn a_budget_that_is_too_little_for_all_is_to_be_fixed() {
    let folder = Folder::new("little");
    let (said, status) = doctor(&folder.0, &[], &[("INTERLOCK_VRAM_BUDGET", "100")]);
    assert_says(
        &said,
        &["too little for any circuit: set INTERLOCK_VRAM_BUDGET to", "nothing\n", "has no parameters: fetch"],
    );
    assert_eq!(status, 1, "{said}");
}

/// Cargo gives what it runs the variables of the build script, as it does to this test.
#[test]
fn what_the_build_tells_the_program_is_no_setting() {
    let names = std::env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let told = |name: &String| {
        name.contains("INTERLOCK")
            && ["NVCC_OF", "ARCHS_OF", "PTX_OF", "NO_CUDA"].iter().any(|part| name.contains(part))
    };
    let told: Vec<_> = names.filter(told).collect();
    assert!(!told.is_empty() && told.iter().all(|name| !name.starts_with("INTERLOCK_")), "{told:?}");
}

/// A missing GPU is wrong only where one was asked for.
#[test]
fn a_gpu_that_is_asked_for_must_be_there() {
    let folder = Folder::new("gpu");
    folder.put("small.params", &params().0);
    let asked = [("INTERLOCK_BACKEND", "gpu")];
    match interlock::devices() {
        Ok(_) => assert_eq!(doctor(&folder.0, &[], &asked).1, 0),
        Err(why) => {
            let (said, status) = doctor(&folder.0, &[], &asked);
            assert_says(&said, &[&format!("to do\n  1. {why}")]);
            assert_eq!(status, 1);
            if !Path::new("/proc/driver/nvidia/gpus").exists() {
                assert_eq!(doctor(&folder.0, &[], &[("INTERLOCK_BACKEND", "auto")]).1, 0);
            }
        }
    }
}

#[test]
fn arguments_that_are_none_are_refused() {
    let output = Command::new(env!("CARGO_BIN_EXE_interlock-doctor")).arg("--fix").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("usage: interlock-doctor"));
}
