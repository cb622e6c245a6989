fn main() {
    println!("cargo::rustc-check-cfg=cfg(interlock_cuda)");
}
