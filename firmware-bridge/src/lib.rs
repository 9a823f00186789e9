//! The robot core of a Reachy Mini: motions, safety limits, the control loop, and the nine servos on a serial bus.
//!
//! Reading order:
//!
//! * [`units`] and [`joint`]: angles, and the nine motors.
//! * [`posture`]: head, body and antennas.
//! * [`kinematics`]: conversion between joints and postures.
//! * [`camera`]: the camera in the head.
//! * [`clock`]: real and virtual time.
//! * [`servo`]: operating modes, errors and measurements of a motor.
//! * [`robot`]: the trait that every robot implements.
//! * [`limits`] and [`envelope`]: the limits of motion, and the only code that creates commands.
//! * [`motion`]: motion requests and their plans.
//! * [`fault`]: kinds of faults and their policies.
//! * [`control_loop`]: the control loop, which executes motions.
//! * [`motion_log`]: a log of goals and positions.
//! * [`bus`]: the servos on a serial line.

pub mod bus;
pub mod camera;
pub mod clock;
pub mod control_loop;
pub mod envelope;
pub mod fault;
pub mod joint;
pub mod kinematics;
pub mod limits;
pub mod motion;
pub mod motion_log;
pub mod posture;
pub mod robot;
pub mod servo;
pub mod units;
