//! The rules of the build script, which stand with their tests in `build/toolkit.rs`.

#[allow(dead_code)]
#[path = "../build/toolkit.rs"]
mod toolkit;
