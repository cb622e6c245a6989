//! Workers under other rules: what was done before, and what was tried and given up.

use std::cell::Cell;

use crate::load::{Load, Machine, Outcome};
use crate::world::Mutex;

/// The work of a partition as these designs know it.
#[derive(Clone, Copy, Debug)]
pub struct Partition {
    /// Seconds on the CPU before the device is needed.
    pub cpu: f64,
    /// Seconds on the CPU beside the kernels.
    pub cpu_beside: f64,
    /// Seconds of allocating and starting the upload.
    pub upload: f64,
    /// Seconds of allocating and uploading where the kernels' lock is held.
    pub upload_instead: f64,
    /// Seconds of kernels.
    pub kernels: f64,
    /// Bytes that are held from before the upload until the kernels have ended.
    pub bytes: usize,
}

/// One mutex around a partition, its work on the CPU included.
pub fn one_lock(partition: Partition, load: Load, seed: u64) -> Outcome {
    let machine = Machine::new(load, seed);
    let device = Mutex::new(&machine.world);
    machine.run(|| async {
        device.lock().await;
        machine.cpu.run(machine.about(partition.cpu)).await;
        machine.copy.run(partition.upload).await;
        kernels(&machine, partition).await;
        device.unlock();
    })
}

/// One mutex for allocating and uploading, which waits for the whole device so that what was freed can be had, and one
/// for kernels. Who finds no memory tries again inside the second, and makes the partition again if there is none then.
pub fn two_locks(partition: Partition, load: Load, seed: u64) -> Outcome {
    let machine = Machine::new(load, seed);
    let (memory, device) = (Mutex::new(&machine.world), Mutex::new(&machine.world));
    let vram = Vram(Cell::new(load.budget));
    machine.run(|| async {
        loop {
            machine.cpu.run(machine.about(partition.cpu)).await;
            memory.lock().await;
            synchronize(&machine).await;
            let early = vram.allocate(partition.bytes);
            if early {
                machine.copy.run(partition.upload).await;
            }
            memory.unlock();
            device.lock().await;
            let allocated = early || vram.allocate(partition.bytes);
            if allocated {
                if !early {
                    machine.copy.run(partition.upload_instead).await;
                }
                kernels(&machine, partition).await;
                vram.free(partition.bytes);
            }
            device.unlock();
            if allocated {
                break;
            }
            machine.failures.set(machine.failures.get() + 1);
        }
    })
}

async fn kernels(machine: &Machine, partition: Partition) {
    let beside = machine.cpu.enqueue(0, machine.about(partition.cpu_beside));
    machine.compute.run(machine.about(partition.kernels)).await;
    machine.world.until(beside).await;
}

async fn synchronize(machine: &Machine) {
    machine.world.until(machine.compute.idle_at()).await;
}

/// The bytes of a device that are free.
struct Vram(Cell<usize>);

impl Vram {
    fn allocate(&self, bytes: usize) -> bool {
        let rest = self.0.get().checked_sub(bytes);
        self.0.set(rest.unwrap_or(self.0.get()));
        rest.is_some()
    }

    fn free(&self, bytes: usize) {
        self.0.set(self.0.get() + bytes);
    }
}
