//! Turns what a person says into actions: agents, memory and the conversation itself.
//!
//! Reading order:
//!
//! * [`conversation`] (one turn: text in, reply out)
//! * [`agents`] (assign and decide; they never act)
//! * [`author`] (writes tools without a model)
//! * [`second_reader`] (has a model on this computer read a sentence that the grammar does not)
//! * [`retrieval`] (selects pages for an author)
//! * [`memory`] (sessions in one SQLite file)
//! * [`code_tasks`] (questions about files that a script answers)
//!
//! # Agents
//!
//! `agents` decides and `conversation` acts. [`agents::turn`] is a state machine for one request. It does no I/O: events
//! go in, one effect comes out. [`agents::authoring`] is a similar machine that makes one tool. It specifies, writes,
//! writes test cases from the specification alone, checks, repairs, reviews and registers.
//!
//! Agents are data: instructions and a subset of a closed set of functions. An agent that is created in conversation
//! never has a function that its creator lacks.
//!
//! # Untrusted text
//!
//! Text from outside is data. Prompts fence it with a mark made from the data itself (`minismith_language_model::shown`). After such text,
//! an action with an effect must be named in the person's own words or confirmed ([`agents::consent`]).
//!
//! A tool's description reaches a model only when the tool comes with the program, was written by it, or was approved by
//! a person. A claim without a measurement gets a correction next to it ([`agents::claim_check`]). A file is opened only when
//! the person's own words name it.

pub mod agents;
pub mod author;
pub mod code_tasks;
pub mod conversation;
pub mod memory;
pub mod retrieval;
pub mod second_reader;
