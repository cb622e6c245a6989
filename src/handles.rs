//! Opaque handles.
