//! The body that is not there: nine joints that move as the real ones do, in process and behind a serial line.
//!
//! Reading order: `motor` (what each motor is), [`dynamics`] (how one joint moves), `gravity` (what the head weighs on
//! the legs), `body` (nine joints on one supply), [`robot`] (the body as a [`Robot`](firmware_bridge::robot::Robot), for
//! rehearsal), [`firmware`] (the same body as servos on a line), [`faults`] (what may be wrong with those), [`scene`]
//! (what the camera sees).

mod body;
pub mod dynamics;
pub mod faults;
pub mod firmware;
mod gravity;
mod motor;
pub mod robot;
pub mod scene;
mod schedule;

/// Which mock this is: what a rehearsal proved rests on it.
pub const MODEL: &str = concat!("mock-robot ", env!("CARGO_PKG_VERSION"), ", body 3");
