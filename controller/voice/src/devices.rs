//! devices.
