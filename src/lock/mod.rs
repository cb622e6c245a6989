//! The opaque `gpu_locks` handle: whose place in a device's queues a call takes.

/// What a `gpu_locks` handle stands for. Callers that pass none share one of the library's own.
#[derive(Debug, Default)]
pub struct Locks(());
