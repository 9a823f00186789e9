//! Motions as data: the language of motion is read, written, compiled and simulated here, and what a motion did is
//! measured.
//!
//! Nothing in this crate runs a tool or moves a robot. Reading order:
//!
//! * [`axis`]: the nine axes, their directions and signs.
//! * [`target`] and [`score`]: a tool as data, with the words that name its targets.
//! * [`check`]: the rules that every score keeps.
//! * [`read()`] and [`write()`]: the Python source of a score; reading what was written gives the same score.
//! * [`mod@compile`] and [`timeline`]: the course of each axis for one call.
//! * [`mod@simulate`]: what the robot would roughly do, to rank candidates.
//! * [`Score::describe`]: a score as one sentence.
//! * [`trace`]: what the robot did in one call.
//! * [`expects`]: what a motion must do, measured on a trace.
//! * [`plan`]: what the envelope would make of a call, for people who edit it.
//! * [`mod@fit`]: a recorded motion as steps.
//! * `trial`: [`Score::measure_simulated`], what a score does of it in simulation.

pub mod axis;
pub mod check;
pub mod compile;
mod describe;
pub mod expects;
pub mod fit;
#[cfg(test)]
mod generate;
pub mod plan;
mod read;
pub mod score;
pub mod simulate;
pub mod stimuli;
pub mod target;
mod text;
pub mod timeline;
pub mod trace;
mod trial;
mod write;

pub use axis::{Axis, AxisValues, Direction};
pub use check::ScoreError;
pub use compile::{Arguments, RecordedMove, Setting, compile, validate};
pub use expects::{Expect, Expects, Measured, measure, summary};
pub use fit::{FitError, Fitted, fit};
pub use plan::Plan;
pub use read::{ReadError, read, read_steps};
pub use score::{Event, Kind, Move, Number, Parameter, Reaction, Score, Step};
pub use simulate::simulate;
pub use stimuli::{EventSpan, Stimuli};
pub use target::{Part, Target};
pub use text::capitalized;
pub use timeline::{Piece, StepRun, Timeline};
pub use trace::MotionTrace;
pub use write::write;
