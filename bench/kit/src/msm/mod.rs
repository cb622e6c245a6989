//! MSMs, sums, decoding and the listing of terms on a GPU: against blst, and timed.

mod check;
mod decoding;
mod known;
mod listing;
mod timing;

pub use check::{all as check, few as check_few, planned_scratch};
pub use decoding::{check as check_decoding, spoil};
pub use known::{poisoned, told};
pub use listing::check as check_listing;
pub use timing::{all as time, compare, sweep};
