//! What calls take, and the rows that `bench/compare.sh` puts side by side.

pub mod ceilings;
mod device;
mod row;
mod took;

pub use device::{device_use, watched, DeviceUse};
pub use row::{median, sorted, Row};
pub use took::{timed, Took};
