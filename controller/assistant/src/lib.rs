//! Turns what a person says into actions: agents, language models, memory and the conversation itself.

pub mod agents;
pub mod author;
pub mod conversation;
pub mod lookup;
pub mod memory;
pub mod model;
pub mod tasks;
