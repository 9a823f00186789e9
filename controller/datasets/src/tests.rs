//! Tests datasets of synthetic traces by reading them back.

mod contents;
mod made;
mod pictures;
mod refused;
