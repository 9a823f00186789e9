//! Understands English commands without a model: text into a plan of motions, or the reason why not.
//!
//! Reading order: [`primitive`] (what can be asked for), [`stroke`] (the movements that it is made of), [`intent`] (what a text can
//! mean), [`offline`] (the entry point, [`understand`]), [`before`] (what a text may refer back to), `reword` (the same text in fewer
//! words), `parser`, `cursor`, `grammar`, `frame` and `build` (how it is read), `tools` and `arguments` (clauses about tools),
//! [`question`] (about the robot), [`sight`] (about what the camera sees), `correct`, `referring` and `change` (corrections and
//! references), `why` (the reason for declining), [`answer`] (what is said back). [`is_stop`] stands apart: callers ask it first.
//!
//! Everything here is pure and takes well under a millisecond. The grammar reads a whole sentence or nothing of it: what it does not
//! understand moves nothing. What a conversation refers back to is a value made from outcomes after each turn.

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
