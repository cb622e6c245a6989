//! Compiles `cuda/launch/*.cu` where there is a CUDA compiler; without one the library proves on the CPU only.

#[path = "build/toolkit.rs"]
mod toolkit;

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use toolkit::{Arch, Machine, Search};

/// What stops the build, a line each.
type Fault = Vec<String>;

/// What this build will be.
enum Plan {
    /// With the kernels, compiled by this nvcc.
    Cuda(PathBuf),
    /// Without.
    CpuOnly {
        /// Why, as said at run time to those who ask for a GPU.
        why: String,
        /// Where it should be said now, what to do about it.
        remedy: Option<String>,
    },
}

fn main() {
    println!("cargo::rustc-check-cfg=cfg(interlock_cuda, interlock_cuda_declined, interlock_shuttle)");
    for watched in ["build.rs", "build", "cuda"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    if let Err(fault) = plan().and_then(carry_out) {
        for line in fault {
            println!("cargo::error={line}");
        }
        std::process::exit(1);
    }
}

fn plan() -> Result<Plan, Fault> {
    let (host, target) = (cargo_var("HOST"), cargo_var("TARGET"));
    if host != target || !target.ends_with("-linux-gnu") {
        let why =
            format!("CUDA is compiled only for and on Linux with glibc, and this build is for {target} on {host}");
        return Ok(Plan::CpuOnly { why, remedy: None });
    }
    Ok(match toolkit::find_nvcc(&ThisMachine, Path::new(&cargo_var("CARGO_MANIFEST_DIR"))) {
        Search::Found(nvcc) => Plan::Cuda(nvcc),
        Search::Declined => {
            println!("cargo::rustc-cfg=interlock_cuda_declined");
            Plan::CpuOnly { why: "INTERLOCK_NVCC was `none` when it was built".into(), remedy: None }
        }
        Search::Missing(looked) => Plan::CpuOnly {
            why: "no CUDA compiler (nvcc) was found when it was built".into(),
            remedy: Some(format!("looked at {}. To build for GPUs, {}", looked.join(", "), toolkit::INSTALL)),
        },
        Search::Wrong(path) => {
            return Err(vec![format!(
                "INTERLOCK_NVCC is {path}, which is no file: set it to the path of nvcc, or to `none` for a build without CUDA"
            )])
        }
    })
}

fn carry_out(plan: Plan) -> Result<(), Fault> {
    match plan {
        Plan::Cuda(nvcc) => build_with_cuda(&nvcc),
        Plan::CpuOnly { why, remedy } if env::var_os("CARGO_FEATURE_CUDA").is_some() => {
            let mut fault = vec![format!("the feature `cuda` of interlock needs CUDA's compiler, but {why}")];
            fault.extend(remedy);
            Err(fault)
        }
        Plan::CpuOnly { why, remedy } => {
            if let Some(remedy) = remedy {
                println!(
                    "cargo::warning=this build of interlock proves on the CPU only: {why}; {remedy}. \
                     INTERLOCK_NVCC=none says that this is wanted"
                );
            }
            println!("cargo::rustc-env=NO_CUDA_IN_INTERLOCK={why}");
            println!("cargo::metadata=cuda=0");
            Ok(())
        }
    }
}

fn build_with_cuda(nvcc: &Path) -> Result<(), Fault> {
    println!("cargo::rerun-if-changed={}", nvcc.display());
    for read_by_the_compilers in ["CXX", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
        println!("cargo::rerun-if-env-changed={read_by_the_compilers}");
    }
    let (major, minor) = release(nvcc)?;
    let archs = archs(nvcc)?;
    let real = nvcc.canonicalize().unwrap_or_else(|_| nvcc.to_owned());
    let cudart = toolkit::cudart_dir(&ThisMachine, &real, &cargo_var("CARGO_CFG_TARGET_ARCH")).ok_or_else(|| {
        vec![format!(
            "{} has no libcudart_static.a in lib64, lib or targets/*/lib beside its bin: install the runtime of the same CUDA \
             (the package nvidia-cuda-runtime on PyPI)",
            nvcc.display()
        )]
    })?;
    try_compiler(nvcc, &archs[0])?;
    compile(nvcc, &archs)?;

    println!("cargo::rustc-link-search=native={}", cudart.display());
    println!("cargo::rustc-link-lib=static=cudart_static");
    for lib in ["dl", "rt", "pthread"] {
        println!("cargo::rustc-link-lib={lib}");
    }
    println!("cargo::rustc-cfg=interlock_cuda");
    // `cargo run` gives these to programs, too: names that look like no settings.
    println!("cargo::rustc-env=NVCC_OF_INTERLOCK={major}.{minor}");
    println!("cargo::rustc-env=ARCHS_OF_INTERLOCK={}", toolkit::join(&archs));
    println!("cargo::rustc-env=PTX_OF_INTERLOCK={}", toolkit::ptx_arch(&archs).map_or(String::new(), Arch::to_string));
    println!("cargo::metadata=cuda=1");
    println!("cargo::metadata=cuda_version={major}.{minor}");
    println!("cargo::metadata=cuda_archs={}", toolkit::join(&archs));
    println!("cargo::metadata=nvcc={}", nvcc.display());
    println!("cargo::metadata=cudart_dir={}", cudart.display());
    Ok(())
}

fn release(nvcc: &Path) -> Result<(u32, u32), Fault> {
    let said = run(Command::new(nvcc).arg("--version"))?;
    let version = String::from_utf8_lossy(&said.stdout).into_owned();
    let release = toolkit::parse_release(&version)
        .ok_or_else(|| vec![format!("{} does not say its release: is it nvcc?", nvcc.display())])?;
    if release < toolkit::OLDEST {
        let (major, minor) = release;
        let (oldest, _) = toolkit::OLDEST;
        return Err(vec![format!(
            "{} is of CUDA {major}.{minor}, and interlock needs {oldest} or later",
            nvcc.display()
        )]);
    }
    Ok(release)
}

fn archs(nvcc: &Path) -> Result<Vec<Arch>, Fault> {
    let said = run(Command::new(nvcc).arg("--list-gpu-code"))?;
    let supported = toolkit::parse_supported(&String::from_utf8_lossy(&said.stdout));
    toolkit::choose_archs(ThisMachine.var("INTERLOCK_CUDA_ARCHS").as_deref(), &supported).map_err(|what| vec![what])
}

/// Compiles an empty kernel, so that a toolkit or host compiler that cannot work is told in our words and not in hundreds of lines.
fn try_compiler(nvcc: &Path, arch: &Arch) -> Result<(), Fault> {
    let out = PathBuf::from(cargo_var("OUT_DIR"));
    let source = out.join("probe.cu");
    std::fs::write(&source, "__global__ void probe() {}\n")
        .map_err(|error| vec![format!("cannot write {}: {error}", source.display())])?;
    let mut command = Command::new(nvcc);
    command.arg(format!("-arch=sm_{arch}")).arg("-c").arg(&source).arg("-o").arg(out.join("probe.o"));
    command.arg(format!("-ccbin={}", host_compiler().display()));
    let output = run_any(&mut command)?;
    if output.status.success() {
        return Ok(());
    }
    let stderr = String::from_utf8_lossy(&output.stderr);
    if let Some(limit) = toolkit::refused_host_compiler(&stderr) {
        return Err(vec![format!(
            "{} refuses the host compiler {}: {limit}. Install one that it takes and name it in NVCC_CCBIN (NVCC_CCBIN=g++-14, say)",
            nvcc.display(),
            host_compiler().display()
        )]);
    }
    let mut fault = vec![format!(
        "{} cannot compile an empty kernel with the host compiler {} (NVCC_CCBIN chooses another; INTERLOCK_NVCC=none builds \
         without CUDA). It said:",
        nvcc.display(),
        host_compiler().display()
    )];
    fault.extend(stderr.lines().take(20).map(str::to_owned));
    Err(fault)
}

/// The C++ compiler that nvcc uses for the host's part: `NVCC_CCBIN`, else the one Cargo builds use.
fn host_compiler() -> PathBuf {
    ThisMachine
        .var("NVCC_CCBIN")
        .map(PathBuf::from)
        .or_else(|| {
            cc::Build::new().cpp(true).cargo_metadata(false).try_get_compiler().ok().map(|tool| tool.path().to_owned())
        })
        .unwrap_or_else(|| "c++".into())
}

/// Compiles the launchers with nvcc itself: with `debug` cc compiles device code with -G, unoptimised, and of several files it
/// makes relocatable device code, which ours need not be.
fn compile(nvcc: &Path, archs: &[Arch]) -> Result<(), Fault> {
    let out = PathBuf::from(cargo_var("OUT_DIR"));
    let mut launchers = ThisMachine.list(Path::new("cuda/launch"));
    launchers.retain(|name| name.ends_with(".cu"));
    launchers.sort();
    let mut archive = cc::Build::new();
    for launcher in launchers {
        let object = out.join(&launcher).with_extension("o");
        let mut command = Command::new(nvcc);
        command
            // Each operation on doubles is to be rounded by itself: cuda/ff/d39.md.
            .args(["-c", "-O3", "-fmad=false", "-std=c++17", "-Icuda", HOST_OPTIONS, without_unique_symbols()])
            .args(toolkit::gencode(archs));
        command.arg(format!("-ccbin={}", host_compiler().display()));
        command.arg(format!("--threads={}", env::var("NUM_JOBS").unwrap_or_else(|_| "1".into())));
        command.arg(Path::new("cuda/launch").join(launcher)).arg("-o").arg(&object);
        run(&mut command)?;
        archive.object(object);
    }
    archive.compile("interlock_cuda");
    Ok(())
}

/// GCC makes what CUB keeps in statics unique in the whole process, by a kind of symbol that cannot be made local to a library
/// again. Other compilers have no such kind and do not know the option.
fn without_unique_symbols() -> &'static str {
    let said = run_any(Command::new(host_compiler()).arg("--version")).map(|output| output.stdout).unwrap_or_default();
    if String::from_utf8_lossy(&said).contains("Free Software Foundation") {
        "-Xcompiler=-fno-gnu-unique"
    } else {
        "-Xcompiler=-fPIC"
    }
}

/// __NV_LEGACY_LAUNCH: launches otherwise keep the kernel's handle in a static of a function, whose guard is in libstdc++, which
/// would have to be linked. -fno-threadsafe-statics: CUB has such statics too; msm_entries.cu sees to it that one thread makes them.
const HOST_OPTIONS: &str =
    "-Xcompiler=-fPIC,-fvisibility=hidden,-fno-exceptions,-fno-rtti,-fno-threadsafe-statics,-ffunction-sections,-fdata-sections,\
     -Wno-unknown-pragmas,-D__NV_LEGACY_LAUNCH";

fn run(command: &mut Command) -> Result<Output, Fault> {
    println!("{command:?}");
    let output = run_any(command)?;
    if output.status.success() {
        return Ok(output);
    }
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut fault = vec![format!("{command:?} failed ({}). It said:", output.status)];
    fault.extend(stderr.lines().take(40).map(str::to_owned));
    Err(fault)
}

fn run_any(command: &mut Command) -> Result<Output, Fault> {
    command.output().map_err(|error| vec![format!("cannot run {command:?}: {error}")])
}

fn cargo_var(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name} for build scripts"))
}

/// This machine. What is read from the environment is what Cargo must watch.
struct ThisMachine;

impl Machine for ThisMachine {
    fn var(&self, name: &str) -> Option<String> {
        println!("cargo::rerun-if-env-changed={name}");
        env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn list(&self, folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    }

    fn python_path(&self) -> Vec<PathBuf> {
        let python = self.var("VIRTUAL_ENV").map_or("python3".into(), |venv| Path::new(&venv).join("bin/python3"));
        let Ok(output) = Command::new(python).args(["-c", "import sys; print('\\n'.join(sys.path))"]).output() else {
            return Vec::new();
        };
        String::from_utf8_lossy(&output.stdout).lines().filter(|line| !line.is_empty()).map(PathBuf::from).collect()
    }
}
