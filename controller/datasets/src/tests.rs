//! Tests datasets of synthetic traces by reading them back.

mod contents;
mod images;
mod made;
mod refused;
