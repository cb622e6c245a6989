//! Raw layouts.
