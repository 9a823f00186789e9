//! Nine servos' firmware on a line: a serial port with the robot behind it, or a line in the same process.
//!
//! Reading order: `packet` (bytes and packets of Dynamixel protocol 2.0), `table` (the registers of one servo),
//! `servo` (one servo), `answer` (what comes back, and when), `trouble` (what is wrong at this moment), `bus` (nine
//! servos on a wire), `line` (the pseudo-terminal), `emulator` (the thread between wire and terminal), `direct` (the wire
//! in virtual time). Everything up to `bus` is pure: bytes and a moment in, bytes out.
//!
//! What is emulated: ping, read, write, reg write, action, reboot, sync read, fast sync read and sync write; the
//! control table of the XL330 and XC330 up to register 147; the modes of current, position, extended position and
//! current-based position; the gains of the position loop; the time that bytes take on a real wire. What is not:
//! velocity and PWM mode (refused), profiles of velocity and acceleration (kept only), bulk instructions, factory
//! reset, indirect addresses, bytes that collide.

mod answer;
mod arrival;
mod bus;
mod direct;
mod emulator;
mod line;
mod packet;
mod servo;
mod table;
mod trouble;

pub use arrival::Arrival;
pub use direct::{DirectLine, DirectOptions, DirectProbe};
pub use emulator::{Emulator, EmulatorError, EmulatorOptions};
pub use servo::{ServoView, Watchdog};
