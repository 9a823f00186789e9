//! The language server for tools: what `minismith tool check` says of a file, while a person types it.
//!
//! Reading order:
//!
//! * [`serve`], [`serve_messages`] and `server`: the messages, and what answers them;
//! * `transport`: messages and their frames, bounded;
//! * `text`, `tool` and `diagnostics`: a document, its tool, and the findings at their places;
//! * `signature` and `catalog`: what a tool can call;
//! * `context`, `completion` and `hover`: what stands at the cursor;
//! * `fixes`: quick fixes, each tried by the policy before it is offered;
//! * `rehearsal`: the whole check in a process of its own.
//!
//! The client is not trusted. Nothing that it sends is run in this process, and nothing is written but the copy of a tool that
//! the person wants to rehearse, in a temporary folder. A page, which may be on another computer, has neither files nor
//! rehearsals here. Standard output belongs to the protocol.
//!
//! One thread reads, one answers, and each rehearsal has one that waits for its process.

mod catalog;
mod completion;
mod context;
mod diagnostics;
mod fixes;
mod hover;
mod imports;
mod rehearsal;
mod server;
mod signature;
mod text;
mod tool;
mod transport;

pub use rehearsal::Checker;
pub use server::{Client, Settings, serve, serve_messages};
