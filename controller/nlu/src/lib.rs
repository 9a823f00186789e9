//! The offline brain: English commands into plans of motion, without a network, a model or a guess.
//!
//! Reading order: [`primitive`] (what can be asked for), [`stroke`] (what it is made of), [`offline`] (what a text
//! means), [`before`] (what it may refer back to), `reword` (the same in fewer words), `grammar`, `cursor`, `frame` and
//! `build` (how it is read), `tools` and `arguments` (the clauses about tools), [`question`] (those about the robot), [`sight`] (those about what it sees),
//! `correct`, `referring` and `change` (what changes or repeats an earlier motion), `why` (what is declined, and for what reason),
//! [`answer`] (what is said back). [`is_stop`] stands apart: it is asked before anything else. Everything here is pure.

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
