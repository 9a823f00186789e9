//! Reads what people say as motions, in several languages.
//!
//! The words of a language are data: a file in `lexicon/` says which phrase means which concept. The grammar is the same
//! for all languages. Words become concepts, concepts become clauses, and clauses become one [`Meaning`], from which a
//! motion is built for the posture in which the robot is. What is not understood moves nothing, and is named.
//!
//! Reading order: [`concept`], [`keys`], [`words`], `phrases`, [`lexicon`], [`tagger`], `order_words`, `rewrite`, `sound`, [`refusal`], `clause`, `limits`, `splitter`, `acts`, [`meaning`],
//! `prepare`, `compose`, `again`, `correct`, `refer`, `neutral`, `arrange`, [`reader`], `title`, `remarks`, `texts`, [`tale`], [`build`].

mod acts;
mod again;
mod arrange;
pub mod build;
mod clause;
mod compose;
pub mod concept;
mod correct;
pub mod describe;
mod described;
mod everyday;
pub mod keys;
pub mod lexicon;
mod limits;
mod lost;
pub mod meaning;
mod misheard;
mod neutral;
mod order_words;
mod others;
pub mod past;
mod phrases;
mod prepare;
pub mod reader;
mod refer;
pub mod refusal;
mod remarks;
mod rewrite;
mod sound;
mod splitter;
pub mod tagger;
pub mod tale;
#[cfg(test)]
mod tests;
mod texts;
mod title;
pub mod words;

pub use build::{steps, timeline};
pub use clause::Phrase;
pub use described::described;
pub use everyday::{asked_sight, called_tool, comes_before, courtesy, leads_to_order, tells_order};
pub use lexicon::{Courtesy, Speech};
pub use meaning::Meaning;
pub use past::{Earlier, Past};
pub use reader::{Reading, is_saying, is_stop, language_of, names_act, orders_a_part, refers, speech};
pub use refusal::Refusal;
pub use tale::{Told, told};
pub use texts::read;
