//! Turns what a person says into actions: agents, language models, memory and the conversation itself.
//!
//! Reading order: [`conversation`] (one turn: text in, reply out), [`agents`] (who does what; decides and never acts), [`author`]
//! (writes tools without a model), [`model`] (asks a language model), [`lookup`] (what an author is shown), [`memory`] (sessions in one
//! SQLite file), [`tasks`] (questions about files that a script answers).
//!
//! # Agents
//!
//! `agents` decides and `conversation` acts. [`agents::turn`] is one request as a state machine without input or output: events go in,
//! one effect comes out. [`agents::commission`] is the making of one tool, likewise: specify, write, test cases from the specification
//! alone, check, repair, review, register. Agents are data: instructions and a set of functions out of a closed one. One that is
//! created in conversation never has more functions than its creator.
//!
//! # Untrusted text
//!
//! Text from outside is data. Prompts fence it with a mark made from the data itself ([`model::fence`]). After such text, an action
//! with an effect needs to be named in the person's own words or confirmed ([`agents::consent`]). A tool's description reaches a model
//! only when the tool comes with the program, was written by it, or was approved by a person. What an answer claims and nothing
//! measured is listed beside it ([`agents::claims`]). A file is opened only when the person's own words name it.
//!
//! # Models
//!
//! An endpoint is tried once for how it calls functions: natively, by a reply held to a schema, or by text. What failed is retried,
//! passed on to the next endpoint and reported. A cassette answers only the exact requests that were recorded.

pub mod agents;
pub mod author;
pub mod conversation;
pub mod lookup;
pub mod memory;
pub mod model;
pub mod tasks;
