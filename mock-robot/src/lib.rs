//! The body that is not there.
