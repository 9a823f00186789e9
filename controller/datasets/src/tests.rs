//! Datasets of made traces, read back.

mod contents;
mod made;
mod pictures;
mod refused;
