//! The body that is not there: nine joints that move as the real ones do, in process and behind a serial line.
//!
//! Reading order: `motor` (what each motor is), [`dynamics`] (how one joint moves), [`robot`] (nine of them as a
//! [`Robot`](firmware_bridge::robot::Robot), for rehearsal), [`firmware`] (the same nine as servos on a
//! pseudo-terminal), [`faults`] (what may be wrong with those), [`scene`] (what the camera sees).

pub mod dynamics;
pub mod faults;
pub mod firmware;
mod motor;
pub mod robot;
pub mod scene;

/// Which mock this is: what a rehearsal proved rests on it.
pub const MODEL: &str = concat!("mock-robot ", env!("CARGO_PKG_VERSION"));
