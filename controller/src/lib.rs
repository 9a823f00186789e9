//! The mind of Minismith: it understands, decides, writes and proves tools, and performs them on a body.
//!
//! Reading order: [`conversation`] (a sentence in, the truth out), [`brain`] (what a sentence means), [`agents`] (who
//! does what), [`model`] (asks a language model), [`lookup`] (what an author is shown), [`memory`] (what conversations
//! leave behind), [`author`] (writes tools), [`workshop`] (proves and keeps them), [`performance`] (lets a tool act on a
//! [`stage`]), [`guest`] (the caged processes they act from), [`body`] (opens a robot), [`outcome`] (how it is told),
//! [`files`] (what tools read and write), [`tasks`] (questions that a script answers), [`repl`] (Python line by line),
//! [`recording`] (moves that are kept in files), [`role`] (what somebody may have done), [`gate`] (who asks the
//! server), [`journal`] (what was asked and done), [`chronicle`] (keeps it, and shows it), [`logs`] (what the program says of its own work, and spans), [`trace`] (what
//! was kept of a motion), [`calibration`] (the servos' settings), [`mod@bench`] (measures all that
//! against the official packages), [`doctor`] (examines the machine).
//! Doors: [`processes`], [`net`], [`config`].

pub mod agents;
pub mod api;
pub mod arbiter;
pub mod attention;
pub mod author;
pub mod bench;
pub mod body;
pub mod brain;
pub mod calibration;
pub mod chronicle;
pub mod config;
pub mod conversation;
pub mod datasets;
pub mod doctor;
pub mod eyes;
pub mod files;
pub mod gate;
pub mod gaze;
pub mod guest;
pub mod journal;
pub mod logs;
pub mod lookup;
pub mod memory;
pub mod model;
pub mod mover;
pub mod net;
pub mod outcome;
pub mod performance;
pub mod processes;
pub mod recording;
pub mod repl;
pub mod role;
pub mod stage;
pub mod tasks;
pub mod trace;
pub mod voice;
pub mod workshop;
