//! The offline brain: English commands into plans of motion, without a network, a model or a guess.
//!
//! Reading order: [`primitive`] (what can be asked for), [`stroke`] (what it is made of), [`offline`] (what a text
//! means), `grammar`, `cursor`, `frame` and `build` (how it is read), `tools` and `arguments` (the clauses about tools), [`answer`] (what is said back).
//! [`is_stop`] stands apart: it is asked before anything else. Everything here is pure.

pub mod answer;
mod arguments;
mod build;
mod cursor;
mod describe;
mod frame;
mod grammar;
mod lexicon;
mod name;
mod nearest;
mod numbers;
pub mod offline;
mod phrases;
pub mod primitive;
mod stop;
pub mod stroke;
mod tokenize;
mod tools;

pub use name::tool_name;
pub use offline::{Intent, Known, KnownTool, Reason, Understanding, understand};
pub use primitive::{OutOfRange, Primitive};
pub use stop::is_stop;
pub use stroke::{Aim, Stroke, lower};
