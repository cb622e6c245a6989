//! Which functions of CUDA a proof calls on a device that has proved the same before.

use interlock::kit::counts;
use interlock::settings::{set_backend, BackendChoice};

use crate::shapes;

/// What a warm proof may call beside launchers: it enqueues, waits for what it enqueued, and asks what costs nothing. All else takes
/// memory or gives it back, makes or ends what should stay, or stops a device that others use.
pub const ALLOWED: [&str; 14] = [
    "cudaEventQuery",
    "cudaEventRecord",
    "cudaEventSynchronize",
    "cudaGetDevice",
    "cudaGetErrorString",
    "cudaGetLastError",
    "cudaLaunchHostFunc",
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
    "cudaPointerGetAttributes",
    "cudaSetDevice",
    "cudaStreamQuery",
    "cudaStreamSynchronize",
    "cudaStreamWaitEvent",
];

/// Proves circuits over small and larger domains in turn on a GPU until it is warm, and once more.
///
/// # Errors
/// What the last proofs called and should not have, or what went wrong.
pub fn check() -> Result<String, String> {
    set_backend(BackendChoice::Gpu);
    let ordinary = shapes::Ordinary::new("warm", &[6, 14])?;
    let first = ordinary.prove()?;
    let mut again = ordinary.prove()?;
    let before = counts();
    again.extend(ordinary.prove()?);
    let called: Vec<_> = counts()
        .into_iter()
        .map(|(name, calls)| (name, calls - before[name]))
        .filter(|(_, calls)| *calls > 0)
        .collect();
    if again.chunks(first.len()).any(|proofs| proofs != first) {
        return Err("proofs of one circuit differ".to_owned());
    }
    let list = |calls: Vec<&(&str, u64)>| {
        calls.iter().map(|(name, calls)| format!("  {name}: {calls} calls")).collect::<Vec<_>>().join("\n")
    };
    let (fine, others): (Vec<_>, Vec<_>) = called.iter().partition(|(name, _)| is_allowed(name));
    if others.is_empty() {
        return Ok(format!("{} warm proofs called\n{}", first.len(), list(fine)));
    }
    Err(format!("{} warm proofs called what they should not:\n{}", first.len(), list(others)))
}

/// Whether what is warm may call this function.
pub fn is_allowed(name: &str) -> bool {
    ALLOWED.contains(&name) || name.starts_with("interlock_") && name != "interlock_driver_entry_point"
}
