//! Where CUDA's compiler is, and for which architectures to compile.
//!
//! What is known of the machine comes in through [`Machine`], so that every rule here is tested without CUDA.

use std::path::{Path, PathBuf};

/// The oldest CUDA whose compiler is accepted.
pub const OLDEST: (u32, u32) = (12, 0);

/// What to install, for those who lack nvcc.
pub const INSTALL: &str = "install the CUDA Toolkit 12 or 13 from NVIDIA or your distribution and put nvcc on PATH; or, without root, \
     `pip install nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-cccl` in one 13.x version; \
     or run scripts/cuda-toolkit.sh in a checkout of interlock";

/// The architectures compiled by default, where nvcc has them: Turing to Blackwell.
const DEFAULT_ARCHS: [u32; 7] = [75, 80, 86, 89, 90, 100, 120];

/// What the search asks of the machine.
pub trait Machine {
    /// An environment variable; unset and empty are the same.
    fn var(&self, name: &str) -> Option<String>;
    /// Whether there is a file at `path`.
    fn is_file(&self, path: &Path) -> bool;
    /// The names in a folder, none if there is no such folder.
    fn list(&self, folder: &Path) -> Vec<String>;
    /// The folders where python3, the active virtual environment's if there is one, looks for packages.
    fn python_path(&self) -> Vec<PathBuf>;
}

/// What a search for nvcc comes to.
#[derive(Debug, PartialEq, Eq)]
pub enum Search {
    /// It is there.
    Found(PathBuf),
    /// `INTERLOCK_NVCC` is `none`: the caller wants no CUDA.
    Declined,
    /// It is nowhere; the places, in the order searched.
    Missing(Vec<String>),
    /// `INTERLOCK_NVCC` names something that is no file.
    Wrong(String),
}

/// Looks for nvcc: `INTERLOCK_NVCC`, `CUDA_HOME`, `CUDA_PATH`, `PATH`, Python's packages, then `tree/.tools/cuda`.
pub fn find_nvcc(machine: &dyn Machine, tree: &Path) -> Search {
    if let Some(value) = machine.var("INTERLOCK_NVCC") {
        return match value.as_str() {
            "none" => Search::Declined,
            path if machine.is_file(Path::new(path)) => Search::Found(path.into()),
            path => Search::Wrong(path.into()),
        };
    }
    let mut looked = vec!["INTERLOCK_NVCC (not set)".to_owned()];
    for name in ["CUDA_HOME", "CUDA_PATH"] {
        let Some(home) = machine.var(name) else {
            looked.push(format!("{name} (not set)"));
            continue;
        };
        let nvcc = Path::new(&home).join("bin/nvcc");
        if machine.is_file(&nvcc) {
            return Search::Found(nvcc);
        }
        looked.push(format!("{name} ({home} has no bin/nvcc)"));
    }
    let path = machine.var("PATH").unwrap_or_default();
    if let Some(nvcc) = std::env::split_paths(&path).map(|dir| dir.join("nvcc")).find(|nvcc| machine.is_file(nvcc)) {
        return Search::Found(nvcc);
    }
    looked.push("PATH".to_owned());
    for packages in machine.python_path() {
        if let Some(nvcc) = in_python_packages(machine, &packages) {
            return Search::Found(nvcc);
        }
    }
    looked.push("python3's packages".to_owned());
    if let Some(nvcc) = in_python_packages(machine, &tree.join(".tools/cuda")) {
        return Search::Found(nvcc);
    }
    looked.push(".tools/cuda".to_owned());
    Search::Missing(looked)
}

/// NVIDIA's packages from CUDA 13 on share `nvidia/cu<major>`; the newest that has nvcc.
fn in_python_packages(machine: &dyn Machine, packages: &Path) -> Option<PathBuf> {
    let root = packages.join("nvidia");
    let mut majors: Vec<u32> =
        machine.list(&root).iter().filter_map(|name| name.strip_prefix("cu")?.parse().ok()).collect();
    majors.sort_unstable_by(|a, b| b.cmp(a));
    majors.into_iter().map(|major| root.join(format!("cu{major}/bin/nvcc"))).find(|nvcc| machine.is_file(nvcc))
}

/// The folder with `libcudart_static.a` of the toolkit whose nvcc this is, `cpu` being Rust's name of the architecture.
///
/// `nvcc` should have its links resolved: a distribution's `/usr/bin/nvcc` points into the toolkit.
pub fn cudart_dir(machine: &dyn Machine, nvcc: &Path, cpu: &str) -> Option<PathBuf> {
    let root = nvcc.parent()?.parent()?;
    let targets = match cpu {
        "aarch64" => ["targets/sbsa-linux/lib", "targets/aarch64-linux/lib"],
        _ => ["targets/x86_64-linux/lib", "targets/x86_64-linux-gnu/lib"],
    };
    let near = ["lib64", "lib"].into_iter().chain(targets).map(|lib| root.join(lib));
    let system = [format!("/usr/lib/{cpu}-linux-gnu"), "/usr/lib64".into(), "/usr/lib".into()];
    near.chain(system.into_iter().map(PathBuf::from)).find(|dir| machine.is_file(&dir.join("libcudart_static.a")))
}

/// The release in what `nvcc --version` prints: `release 13.0, V13.0.88` is (13, 0).
pub fn parse_release(version: &str) -> Option<(u32, u32)> {
    let rest = version.split("release ").nth(1)?;
    let number = rest.split([',', ' ', '\n']).next()?;
    let (major, minor) = number.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A GPU architecture as nvcc names it: 90, or 90a for the code that only that very architecture runs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Arch {
    number: u32,
    suffix: String,
}

impl Arch {
    fn parse(name: &str) -> Option<Self> {
        let digits = name.len() - name.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, suffix) = name.split_at(digits);
        matches!(suffix, "" | "a" | "f").then_some(())?;
        Some(Self { number: number.parse().ok()?, suffix: suffix.to_owned() })
    }
}

impl std::fmt::Display for Arch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", self.number, self.suffix)
    }
}

/// What `nvcc --list-gpu-code` prints: one `sm_90` a line.
pub fn parse_supported(list: &str) -> Vec<Arch> {
    list.split_whitespace().filter_map(|word| Arch::parse(word.strip_prefix("sm_")?)).collect()
}

/// The architectures to compile for, in ascending order: `asked` (the value of `INTERLOCK_CUDA_ARCHS`), else the default ones
/// that this nvcc has.
///
/// # Errors
/// What is wrong with `asked`, in words for the user.
pub fn choose_archs(asked: Option<&str>, supported: &[Arch]) -> Result<Vec<Arch>, String> {
    let has = |arch: &Arch| supported.iter().any(|s| s.number == arch.number);
    let Some(asked) = asked else {
        let plain = |number| Arch { number, suffix: String::new() };
        let archs: Vec<Arch> = DEFAULT_ARCHS.into_iter().map(plain).filter(has).collect();
        return if archs.is_empty() {
            Err("this nvcc has none of the default architectures".into())
        } else {
            Ok(archs)
        };
    };
    let mut archs = Vec::new();
    for name in asked.split(',').map(str::trim) {
        let arch = Arch::parse(name).ok_or_else(|| {
            format!("INTERLOCK_CUDA_ARCHS is {asked:?}, but must be a comma-separated list such as 80,86,90")
        })?;
        if !has(&arch) {
            return Err(format!("INTERLOCK_CUDA_ARCHS asks for {name}, but this nvcc has only {}", join(supported)));
        }
        archs.push(arch);
    }
    archs.sort();
    archs.dedup();
    Ok(archs)
}

/// The architecture whose PTX goes in too, for GPUs newer than any of `archs`: the highest without a suffix.
pub fn ptx_arch(archs: &[Arch]) -> Option<&Arch> {
    archs.iter().filter(|arch| arch.suffix.is_empty()).max()
}

/// nvcc's options that compile for `archs`.
pub fn gencode(archs: &[Arch]) -> Vec<String> {
    let code = |arch: &Arch| format!("-gencode=arch=compute_{arch},code=sm_{arch}");
    let ptx = |arch: &Arch| format!("-gencode=arch=compute_{arch},code=compute_{arch}");
    archs.iter().map(code).chain(ptx_arch(archs).map(ptx)).collect()
}

/// `80,86,90`.
pub fn join(archs: &[Arch]) -> String {
    archs.iter().map(Arch::to_string).collect::<Vec<_>>().join(",")
}

/// What nvcc said about a host compiler that it refuses: the versions that it takes.
pub fn refused_host_compiler(stderr: &str) -> Option<&str> {
    let line = stderr.lines().find(|line| line.contains("unsupported") && line.contains("version!"))?;
    let said = line.split("version!").nth(1)?;
    Some(said.split("The nvcc flag").next()?.trim_matches([' ', '!', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashMap};

    #[derive(Default)]
    struct Fake {
        vars: HashMap<&'static str, &'static str>,
        files: BTreeSet<&'static str>,
        python: Vec<&'static str>,
    }

    impl Fake {
        fn with(vars: &[(&'static str, &'static str)], files: &[&'static str]) -> Self {
            Self {
                vars: vars.iter().copied().collect(),
                files: files.iter().copied().collect(),
                python: vec!["/venv/sp"],
            }
        }

        fn find(&self) -> Search {
            find_nvcc(self, Path::new("/tree"))
        }
    }

    impl Machine for Fake {
        fn var(&self, name: &str) -> Option<String> {
            self.vars.get(name).map(|v| v.to_string())
        }
        fn is_file(&self, path: &Path) -> bool {
            self.files.contains(path.to_str().unwrap())
        }
        fn list(&self, folder: &Path) -> Vec<String> {
            let inside =
                |file: &&str| Path::new(file).strip_prefix(folder).ok()?.iter().next()?.to_str().map(String::from);
            self.files.iter().filter_map(inside).collect()
        }
        fn python_path(&self) -> Vec<PathBuf> {
            self.python.iter().map(PathBuf::from).collect()
        }
    }

    fn found(path: &str) -> Search {
        Search::Found(path.into())
    }

    const EVERYWHERE: [&str; 6] = [
        "/mine/nvcc",
        "/home/bin/nvcc",
        "/path/bin/nvcc",
        "/p2/nvcc",
        "/venv/sp/nvidia/cu13/bin/nvcc",
        "/tree/.tools/cuda/nvidia/cu13/bin/nvcc",
    ];

    #[test]
    fn the_order_is_the_documented_one() {
        let vars =
            [("INTERLOCK_NVCC", "/mine/nvcc"), ("CUDA_HOME", "/home"), ("CUDA_PATH", "/path"), ("PATH", "/p1:/p2")];
        for (i, expected) in EVERYWHERE.iter().enumerate() {
            let machine = Fake::with(&vars[vars.len().min(i)..], &EVERYWHERE[i..]);
            assert_eq!(machine.find(), found(expected));
        }
    }

    #[test]
    fn an_explicit_nvcc_is_taken_or_refused() {
        let ask = |value| Fake::with(&[("INTERLOCK_NVCC", value), ("CUDA_HOME", "/home")], &EVERYWHERE).find();
        assert_eq!(ask("/nowhere/nvcc"), Search::Wrong("/nowhere/nvcc".into()));
        assert_eq!(ask("none"), Search::Declined);
    }

    #[test]
    fn a_home_without_nvcc_is_passed_over_and_named() {
        assert_eq!(Fake::with(&[("CUDA_HOME", "/gone"), ("PATH", "/p2")], &EVERYWHERE).find(), found("/p2/nvcc"));
        let Search::Missing(looked) = Fake::with(&[("CUDA_HOME", "/gone")], &[]).find() else { panic!() };
        assert_eq!(
            looked,
            [
                "INTERLOCK_NVCC (not set)",
                "CUDA_HOME (/gone has no bin/nvcc)",
                "CUDA_PATH (not set)",
                "PATH",
                "python3's packages",
                ".tools/cuda"
            ]
        );
    }

    #[test]
    fn the_newest_package_with_nvcc_wins() {
        let files = [
            "/venv/sp/nvidia/cu12/bin/nvcc",
            "/venv/sp/nvidia/cu13/bin/nvcc",
            "/venv/sp/nvidia/cu14/include/x.h",
            "/venv/sp/nvidia/cublas/y",
        ];
        assert_eq!(Fake::with(&[], &files).find(), found("/venv/sp/nvidia/cu13/bin/nvcc"));
    }

    #[test]
    fn cudart_is_found_in_every_layout() {
        let dir = |files: &[&'static str], cpu| cudart_dir(&Fake::with(&[], files), Path::new("/c/bin/nvcc"), cpu);
        assert_eq!(dir(&["/c/lib64/libcudart_static.a"], "x86_64"), Some("/c/lib64".into()));
        assert_eq!(dir(&["/c/lib/libcudart_static.a"], "x86_64"), Some("/c/lib".into()));
        let targets = "/c/targets/x86_64-linux/lib/libcudart_static.a";
        assert_eq!(dir(&[targets], "x86_64"), Some("/c/targets/x86_64-linux/lib".into()));
        assert_eq!(dir(&[targets], "aarch64"), None);
        let debian = "/usr/lib/x86_64-linux-gnu/libcudart_static.a";
        assert_eq!(dir(&[debian], "x86_64"), Some("/usr/lib/x86_64-linux-gnu".into()));
        assert_eq!(dir(&["/c/lib64/libcudart.so"], "x86_64"), None);
    }

    #[test]
    fn the_release_is_read() {
        let said = "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n";
        assert_eq!(parse_release(said), Some((13, 0)));
        assert_eq!(parse_release("Cuda compilation tools, release 12.10, V12.10.1"), Some((12, 10)));
        assert_eq!(parse_release("gcc (Debian) 12.2.0"), None);
    }

    #[test]
    fn architectures_are_chosen() {
        let supported = parse_supported("sm_75\nsm_80\nsm_86\nsm_87\nsm_89\nsm_90\n");
        let chosen = |asked| choose_archs(asked, &supported).map(|archs| join(&archs));
        assert_eq!(chosen(None).unwrap(), "75,80,86,89,90");
        assert_eq!(chosen(Some("90a, 80,90,80")).unwrap(), "80,90,90a");
        assert!(chosen(Some("70")).unwrap_err().contains("asks for 70, but this nvcc has only 75,80,86,87,89,90"));
        for bad in ["", "sm_80", "80;86", "80,", "8.6", "90x", "99999999999"] {
            assert!(chosen(Some(bad)).unwrap_err().contains("such as 80,86,90"), "{bad}");
        }
        assert!(choose_archs(None, &parse_supported("sm_35 sm_37")).is_err());
    }

    #[test]
    fn ptx_is_the_highest_without_a_suffix() {
        let archs = choose_archs(Some("80,90a,90"), &parse_supported("sm_80 sm_90")).unwrap();
        assert_eq!(
            gencode(&archs),
            [
                "-gencode=arch=compute_80,code=sm_80",
                "-gencode=arch=compute_90,code=sm_90",
                "-gencode=arch=compute_90a,code=sm_90a",
                "-gencode=arch=compute_90,code=compute_90"
            ]
        );
    }

    #[test]
    fn a_refused_host_compiler_is_understood() {
        let gcc = "/x/crt/host_config.h:136:2: error: #error -- unsupported GNU version! gcc versions later than 15 are not \
                   supported! The nvcc flag '-allow-unsupported-compiler' can be used to override this version check; however";
        assert_eq!(refused_host_compiler(gcc), Some("gcc versions later than 15 are not supported"));
        let clang = "#error -- unsupported clang version! clang version must be less than 21 and greater than 3.2 . The nvcc flag";
        assert_eq!(refused_host_compiler(clang), Some("clang version must be less than 21 and greater than 3.2"));
        assert_eq!(refused_host_compiler("error: expected ';'"), None);
    }
}
