//! Converts traces to a dataset for robot learning: a folder in LeRobot's layout, version 2.1.
//!
//! Each trace becomes one episode. [`Plan::read`] validates all traces and writes nothing. [`Plan::write`] writes the whole
//! dataset to a temporary folder and then renames it. File names are numbers, so no text of a trace becomes a path.
//!
//! Angles in a dataset are radians, as in the robot's Python interface, while traces contain degrees. LeRobot prescribes no
//! unit: it normalises each column by its statistics.
//!
//! Reading order: `lines` (a trace line by line), `rows` (sampling), `album` (images), `episode` (one trace), [`plan`](Plan)
//! (all traces), `table`, `statistics`, `meta` and `card` (the files), [`film`](Film) and `frames` (videos), `write`.

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
