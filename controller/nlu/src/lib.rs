//! Understands what people say without a language model: turns a text into a plan, or the reason why not.
//!
//! A grammar of English clauses finds questions, tools and sights; what orders a motion, in any language, is read by
//! `minismith_commands`.
//!
//! Reading order:
//!
//! * [`primitive`]: the motions that a person can ask for;
//! * [`motion_segments`]: the movements of which they consist;
//! * [`intent`]: the possible meanings of a text;
//! * [`offline`]: the entry point, [`interpret`];
//! * [`dialog_context`]: the dialog context, to which a text may refer;
//! * `motion`, `from_meaning` and `spoken`: motions, as primitives where each step is one;
//! * `normalize`: normalizes a text for the grammar;
//! * `parser`, `cursor` and `grammar`: parse it;
//! * `tools` and `arguments`: clauses about tools;
//! * [`question`]: questions about the robot;
//! * [`vision_intent`]: clauses about what the camera sees;
//! * `point`: a look at a point in space;
//! * `corrections`: what refers to a tool or a photo;
//! * `speech`: what the robot is to say aloud;
//! * `decline_reason`: the reason for declining;
//! * [`answer`]: the answers.
//!
//! [`is_stop`] is independent of the rest: callers ask it first.
//!
//! Everything here is pure and takes well under a millisecond. A whole sentence is understood or nothing: a text that is
//! not understood moves nothing. The dialog context is a value that is made
//! from the outcome of each turn.

mod aim;
pub mod answer;
mod arguments;
mod corrections;
mod cursor;
mod decimal;
mod decline_reason;
mod describe;
pub mod dialog_context;
mod from_meaning;
mod grammar;
pub mod intent;
mod known;
mod lexicon;
mod motion;
pub mod motion_segments;
mod name;
mod normalize;
mod numbers;
pub mod offline;
mod parser;
mod phrases;
mod point;
pub mod primitive;
pub mod question;
mod set_phrases;
mod speech;
mod spoken;
mod stop;
mod suggestions;
mod tokenize;
mod tools;
mod typo;
pub mod vision_intent;

pub use aim::Aim;
pub use dialog_context::{DialogContext, PastTurn};
pub use intent::{Intent, Reach, Reason, Sight, Topic, Understanding};
pub use known::{Known, KnownTool};
pub use motion::commanded;
pub use motion_segments::{MotionSegment, lower};
pub use name::{MAX_NAME_BYTES, tool_name};
pub use offline::interpret;
pub use primitive::{OutOfRange, Primitive};
pub use spoken::Spoken;
pub use stop::is_stop;
