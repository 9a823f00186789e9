//! Understands English commands without a language model: parses a text into a plan of motions, or the
//! reason why not.
//!
//! Reading order:
//!
//! * [`primitive`]: the motions that a person can ask for;
//! * [`motion_segments`]: the movements of which they consist;
//! * [`intent`]: the possible meanings of a text;
//! * [`offline`]: the entry points, [`interpret`] and [`understand`];
//! * [`dialog_context`]: the dialog context, to which a text may refer;
//! * `normalize`: normalizes a text;
//! * `parser`, `cursor`, `grammar`, `slots` and `build`: parse it;
//! * `tools` and `arguments`: clauses about tools;
//! * [`question`]: questions about the robot;
//! * [`vision_intent`]: clauses about what the camera sees;
//! * `corrections`, `anaphora` and `modification`: corrections and references;
//! * `spoken` and `combine`: motions of several parts, references and other languages, by `minismith_commands`;
//! * `speech`: what the robot is to say aloud;
//! * `decline_reason`: the reason for declining;
//! * [`answer`]: the answers.
//!
//! [`is_stop`] is independent of the rest: callers ask it first.
//!
//! Everything here is pure and takes well under a millisecond. The grammar understands a whole sentence or
//! nothing: a text that it does not understand moves nothing. The dialog context is a value that is made
//! from the outcome of each turn.

mod aim;
mod anaphora;
pub mod answer;
mod arguments;
mod build;
mod combine;
mod corrections;
mod cursor;
mod decimal;
mod decline_reason;
mod describe;
pub mod dialog_context;
mod gesture;
mod grammar;
pub mod intent;
mod known;
mod lexicon;
mod modification;
pub mod motion_segments;
mod name;
mod normalize;
mod numbers;
pub mod offline;
mod parser;
mod phrases;
pub mod primitive;
pub mod question;
mod set_phrases;
mod slots;
mod speech;
mod spoken;
mod stop;
mod suggestions;
mod tokenize;
mod tools;
mod typo;
pub mod vision_intent;

pub use aim::Aim;
pub use combine::commanded;
pub use dialog_context::{DialogContext, PastTurn};
pub use intent::{Intent, Reach, Reason, Sight, Topic, Understanding};
pub use known::{Known, KnownTool};
pub use motion_segments::{MotionSegment, lower};
pub use name::{MAX_NAME_BYTES, tool_name};
pub use offline::{interpret, understand};
pub use primitive::{OutOfRange, Primitive};
pub use spoken::Spoken;
pub use stop::is_stop;
