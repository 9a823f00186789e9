//! What a tool is, and what can be known of it without running it.
//!
//! Reading order: [`submission`] (what is handed in), [`draft`] (the exact bytes of one tool), [`finding`] (what a reader may say
//! about it), [`policy`] (reads a draft and never runs it), [`manifest`] (what is written beside a registered tool), [`arguments`]
//! (values against a JSON Schema), [`report`] and [`margins`] (what a rehearsal measures), [`files`] (what tools read and write),
//! [`samples`] (sample files for rehearsals), [`digest`].
//!
//! The policy judges the exact bytes that would run. Each rule has an id, a reason, advice and examples that a test holds it to. The
//! policy is a reviewer and not a wall: the wall is the sandbox. What it does not recognise as harmless, it rejects.

pub mod arguments;
pub mod digest;
pub mod draft;
pub mod files;
pub mod finding;
pub mod manifest;
pub mod margins;
pub mod policy;
pub mod report;
pub mod samples;
pub mod submission;
