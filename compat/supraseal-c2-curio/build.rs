//! Finds out whether interlock brings the CUDA runtime along, from which cuzk takes pinned memory.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(cudart_linked)");
    let cuda = std::env::var("DEP_INTERLOCK_CUDA");
    match cuda.as_deref() {
        Ok("1") => println!("cargo::rustc-cfg=cudart_linked"),
        Ok("0") => {}
        _ => panic!("interlock's build script says neither CUDA=1 nor CUDA=0: {cuda:?}"),
    }
}
