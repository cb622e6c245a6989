//! Compiles sppark's templates for BLS12-381, as its own build script asks for. NVCC and INTERLOCK_NVCC: see ../nvcc.sh.

use std::env;
use std::path::Path;

fn main() {
    // blst is built portable, so that it has what its C++ header calls then.
    let mut nvcc = sppark::build::ccmd();
    nvcc.define("FEATURE_BLS12_381", None).define("__BLST_PORTABLE__", None).file("cuda/peer.cu").compile("peer");
    println!("cargo::rerun-if-changed=cuda");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INTERLOCK_NVCC");
    // CUDA's runtime is beside the compiler, in `lib` in the packages of PyPI.
    if let Some(root) = env::var_os("INTERLOCK_NVCC").as_deref().map(Path::new).and_then(|nvcc| nvcc.parent()?.parent())
    {
        println!("cargo::rustc-link-search=native={}", root.join("lib").display());
    }
}
