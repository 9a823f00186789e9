//! What a tool is, and what can be determined about it without running it.
//!
//! Reading order:
//!
//! * [`submission`]: a tool as its author submits it;
//! * [`draft`]: the exact bytes of one tool;
//! * [`finding`]: findings of a reviewer;
//! * [`policy`]: checks a draft and never runs it;
//! * [`manifest`]: the manifest of a registered tool;
//! * [`arguments`]: validates values against a JSON Schema;
//! * [`report`] and [`margins`]: the measurements of a rehearsal;
//! * [`motion_trace`]: the measured motion, as expectations see it;
//! * [`files`]: files that tools read and write;
//! * [`samples`]: sample files for rehearsals;
//! * [`digest`].
//!
//! The policy checks the exact bytes that would run. Each rule has an id, a reason, advice, and examples
//! that a test checks.
//!
//! The policy is a review and not a security boundary: the boundary is the sandbox. The policy rejects
//! everything that it does not recognise as harmless.

pub mod arguments;
pub mod digest;
pub mod draft;
pub mod files;
pub mod finding;
pub mod manifest;
pub mod margins;
pub mod motion_trace;
pub mod policy;
pub mod report;
pub mod samples;
pub mod submission;
