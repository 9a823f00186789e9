//! Old spellings of names that are still read, each with the name that replaced it.

pub mod files;
