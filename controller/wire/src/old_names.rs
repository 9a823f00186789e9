//! Old spellings of names that are still read or served, each with the name that replaced it.

pub mod http;
