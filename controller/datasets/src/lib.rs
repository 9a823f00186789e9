//! Turns traces of what the robot did into a dataset for robot learning: a folder that LeRobot reads, version 2.1 of its
//! layout.
//!
//! Each trace becomes one episode. [`Plan::read`] judges all traces and writes nothing; [`Plan::write`] writes the whole
//! dataset beside its place and then gives it its name. Names of files are numbers: nothing that a trace says becomes a
//! path.
//!
//! Angles in a dataset are radians, as the robot's own Python interface has them; traces tell degrees. LeRobot fixes no
//! unit: it brings each column to a common scale by its statistics.

mod album;
mod card;
mod episode;
mod film;
mod frames;
mod lines;
mod meta;
mod no_dataset;
mod plan;
mod rows;
mod statistics;
mod table;
#[cfg(test)]
mod tests;
mod write;

pub use film::{Encoded, Film, Reel};
pub use no_dataset::NoDataset;
pub use plan::{Options, Plan, Report};
