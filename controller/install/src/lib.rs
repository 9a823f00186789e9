//! How this program and the official software share the robot's own computer, and how it is replaced by a newer one.
//!
//! Reading order: [`self_update`] (newer versions of the program), [`take_over`] (who owns the robot), `tree` (files below a root folder), `units` (unit files of systemd),
//! `image` (what the official image has), [`systemctl`] (the service manager).
//!
//! Safety: every change is written down before it is made, every file is replaced as a whole, and nothing is removed
//! that this crate did not make.

pub mod self_update;
pub mod systemctl;
pub mod take_over;

mod image;
mod tree;
mod units;
