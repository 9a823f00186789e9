//! Converts traces to a dataset for robot learning: a folder in LeRobot's layout, version 2.1.
//!
//! Each trace becomes one episode. [`Plan::read`] validates all traces and writes nothing. [`Plan::write`] writes the whole
//! dataset to a temporary folder and then renames it. File names are numbers, so no text of a trace becomes a path.
//!
//! Angles in a dataset are radians, as in the robot's Python interface, while traces contain degrees. LeRobot prescribes no
//! unit: it normalises each column by its statistics.
//!
//! Reading order: `trace_reader` (a trace line by line), `rows` (sampling), `frame_index` (images), `episode` (one trace), [`plan`](Plan)
//! (all traces), `table`, `statistics`, `meta` and `card` (the files), [`video`](VideoEncoder) and `mp4` (videos), `write`.
//! `mcap_file` converts one trace for viewers.

mod card;
mod episode;
mod error;
mod frame_index;
mod mcap_file;
mod meta;
mod mp4;
mod plan;
mod rows;
mod statistics;
mod table;
#[cfg(test)]
mod tests;
mod trace_reader;
mod video;
mod write;

pub use error::DatasetError;
pub use mcap_file::{McapReport, write_mcap};
pub use plan::{Options, Plan, Report};
pub use video::{EncodedVideo, FrameSequence, VideoEncoder};
