//! Understands English commands without a language model: parses a text into a plan of motions, or the
//! reason why not.
//!
//! Reading order:
//!
//! * [`primitive`]: the motions that a person can ask for;
//! * [`stroke`]: the movements of which they consist;
//! * [`intent`]: the possible meanings of a text;
//! * [`offline`]: the entry point, [`understand`];
//! * [`before`]: the dialog context, to which a text may refer;
//! * `reword`: normalizes a text;
//! * `parser`, `cursor`, `grammar`, `frame` and `build`: parse it;
//! * `tools` and `arguments`: clauses about tools;
//! * [`question`]: questions about the robot;
//! * [`sight`]: clauses about what the camera sees;
//! * `correct`, `referring` and `change`: corrections and references;
//! * `why`: the reason for declining;
//! * [`answer`]: the answers.
//!
//! [`is_stop`] is independent of the rest: callers ask it first.
//!
//! Everything here is pure and takes well under a millisecond. The grammar understands a whole sentence or
//! nothing: a text that it does not understand moves nothing. The dialog context is a value that is made
//! from the outcome of each turn.

mod aim;
pub mod answer;
mod arguments;
pub mod before;
mod build;
mod change;
mod correct;
mod cursor;
mod decimal;
mod describe;
mod fixed;
mod frame;
mod gesture;
mod grammar;
pub mod intent;
mod known;
mod lexicon;
mod name;
mod nearest;
mod numbers;
pub mod offline;
mod parser;
mod phrases;
pub mod primitive;
pub mod question;
mod referring;
mod reword;
pub mod sight;
mod stop;
pub mod stroke;
mod tokenize;
mod tools;
mod typo;
mod why;

pub use aim::Aim;
pub use before::{Before, Turn};
pub use intent::{Intent, Reach, Reason, Sight, Topic, Understanding};
pub use known::{Known, KnownTool};
pub use name::{LONGEST_NAME, tool_name};
pub use offline::understand;
pub use primitive::{OutOfRange, Primitive};
pub use stop::is_stop;
pub use stroke::{Stroke, lower};
