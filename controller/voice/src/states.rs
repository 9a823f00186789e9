//! states.
