//! Simulated robot: nine joints that move like the real ones, in process or behind a serial line, with a camera scene.
//!
//! Reading order:
//!
//! * `motor`: the model of each motor.
//! * [`dynamics`]: the motion of one joint.
//! * `gravity`: the load of the head on the legs.
//! * `body`: nine joints on one supply.
//! * [`robot`]: the simulation as a [`Robot`](firmware_bridge::robot::Robot), for rehearsals.
//! * [`firmware`]: the simulation as servos on a line.
//! * [`faults`]: the faults of these servos, with a schedule in `schedule`.
//! * [`scene`]: the images of the camera.

mod body;
pub mod dynamics;
pub mod faults;
pub mod firmware;
mod gravity;
mod motor;
pub mod robot;
pub mod scene;
mod schedule;

/// The version of the simulation, on which the results of rehearsals depend.
pub const MODEL: &str = concat!("mock-robot ", env!("CARGO_PKG_VERSION"), ", body 3");
