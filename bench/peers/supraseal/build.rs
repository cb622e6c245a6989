//! Tells the linker where CUDA's runtime is: beside the compiler that built supraseal-c2, in `lib` in the packages of PyPI.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=INTERLOCK_NVCC");
    if let Some(root) = env::var_os("INTERLOCK_NVCC").as_deref().map(Path::new).and_then(|nvcc| nvcc.parent()?.parent())
    {
        println!("cargo::rustc-link-search=native={}", root.join("lib").display());
    }
}
