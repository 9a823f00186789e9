//! ear.
