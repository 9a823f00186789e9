//! The language model on this computer: which ones are installed, and the process that serves one.
//!
//! Reading order: [`gguf`] (what a model file says about itself), [`store`] (the installed models), [`runtime`] (the
//! library that computes, and whether it is installed), [`confinement`] (what the process may do), `process` (one running
//! process), `prompt_cache` (evaluated prompts on disk) and [`server`] (starts, supervises and ends the process).
//!
//! # The runtime
//!
//! llama.cpp evaluates the models, in a process of its own, from the Python wheel `xllamacpp` (MIT), which `make model`
//! installs. The process serves OpenAI's chat completions at a Unix socket in a private folder. `server.py` starts it.
//!
//! The alternative was the crate `llama-cpp-2`, which compiles llama.cpp into a program. The wheel was chosen because:
//!
//! * It needs no compiler. It is one download of 34 MB for x86-64 (33 MB for aarch64) that is installed in seconds; the
//!   build from source takes CMake, a C++ compiler and 10 to 25 minutes on two cores, and much longer on a Raspberry Pi.
//! * It holds the server: parallel HTTP, streaming, cancellation, GBNF grammars and JSON Schemas, and evaluated prompts
//!   that are saved and restored. With the crate, all of that would be ours to write and to keep up to date.
//! * A model that crashes or runs out of memory ends a process, and not the controller, either way; a separate process
//!   can be confined and has an idle priority of its own.
//!
//! Measured on one core of a shared x86-64 machine with AVX2 (an AMD EPYC), with a context of 4096 tokens:
//!
//! | model (Q4_K_M) | file | start | resident at most | prompt | answer |
//! | --- | --- | --- | --- | --- | --- |
//! | Qwen2.5-Coder-0.5B | 469 MB | 0.8 s | 603 MB | 71 tokens/s | 27 tokens/s |
//! | Qwen2.5-Coder-1.5B | 1066 MB | 1.0 s | 1248 MB | 36 tokens/s | 13 tokens/s |
//!
//! The wheel is compiled for x86-64 with AVX2 and for plain ARMv8. Repacked weights are switched off: they make answers of
//! the 1.5B model a quarter faster (16 tokens/s), and take 600 MB more, which the robot's computer does not have. The
//! cached keys and values have eight bits, which halves them. Threads wait for each other without spinning: with spinning
//! threads on shared cores, generation falls to a tenth.

pub mod confinement;
pub mod gguf;
mod process;
mod prompt_cache;
pub mod runtime;
pub mod server;
pub mod store;

pub use server::{ModelServer, ServerError};
pub use store::{InstalledModel, ModelStore, StoreError};
