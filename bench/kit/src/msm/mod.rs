//! MSMs, sums, decoding, and the listing and copying of terms on a GPU: against blst and the CPU, and timed.

mod check;
mod copying;
mod decoding;
mod known;
mod listing;
mod timing;

pub use check::{all as check, few as check_few, planned_scratch};
pub use copying::check as check_copying;
pub use decoding::{check as check_decoding, spoil};
pub use known::{is_same, poisoned, told, Known, Points};
pub use listing::check as check_listing;
pub use timing::{all as time, compare, sweep, sweep_parts, with_multiples as time_with_multiples};
