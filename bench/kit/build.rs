//! Compiles the arithmetic for the host, and for GPUs where the library was compiled with CUDA, by the same compiler.

use std::env;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(device)");
    for watched in ["build.rs", "cuda", "../d39/rooms.h", "../../cuda"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let mut host = cc::Build::new();
    host.cpp(true).cpp_link_stdlib(None).std("c++17").opt_level(2).include("../../cuda");
    // `#pragma unroll` is for the device's compiler.
    host.flag("-Wno-unknown-pragmas").flag("-fno-exceptions").flag("-fno-rtti");
    // Each operation on doubles is to be rounded by itself.
    host.flag("-ffp-contract=off");
    host.file("cuda/host.cpp").compile("interlock_kit_host");

    if interlock("CUDA") == "1" {
        println!("cargo::rustc-cfg=device");
        env::set_var("NVCC", interlock("NVCC"));
        let mut archive = cc::Build::new();
        for source in ["cuda/device.cu", "cuda/throughput.cu"] {
            archive.objects(device().file(source).compile_intermediates());
        }
        archive.compile("interlock_kit_device");
    }
}

fn device() -> cc::Build {
    let mut build = cc::Build::new();
    build.cuda(true).cudart("none").cpp_link_stdlib(None).debug(false).opt_level(3).include("../../cuda");
    build.flag("-fmad=false");
    build.flag("-std=c++17").flag("-Xcompiler=-D__NV_LEGACY_LAUNCH,-Wno-unknown-pragmas,-fno-exceptions,-fno-rtti");
    for arch in interlock("CUDA_ARCHS").split(',') {
        build.flag(format!("-gencode=arch=compute_{arch},code=sm_{arch}"));
    }
    build
}

/// What the library's build script says of its build.
fn interlock(key: &str) -> String {
    env::var(format!("DEP_INTERLOCK_{key}")).unwrap_or_default()
}
