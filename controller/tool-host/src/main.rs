//! The program that runs Python.
fn main() {}
