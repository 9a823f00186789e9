//! The checker is right: it accepts the motions that were asked for and rejects the others.

mod families;
mod motions;
mod script;
mod signals;
mod yaml;
