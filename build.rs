fn main() {
    println!("cargo::rustc-check-cfg=cfg(interlock_cuda)");
    // The ABI's version: it changes when a program built against an older header would no longer work.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libinterlock.so.0");
    // The threads of its pool outlive dlclose(), so its code must too.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
