//! Nine servos' firmware on a pseudo-terminal: what a serial port with the robot behind it looks like.
//!
//! Reading order: `packet` (bytes and packets of Dynamixel protocol 2.0), `table` (the registers of one servo),
//! `servo` (one servo), `bus` (nine of them on a wire), `line` (the pseudo-terminal), `emulator` (the thread between
//! wire and terminal). Everything up to `bus` is pure: bytes and a moment in, bytes out.
//!
//! What is emulated: ping, read, write, reg write, action, reboot, sync read, fast sync read and sync write; the
//! control table of the XL330 and XC330 up to register 147; the position modes, and current mode as far as a body
//! without gravity shows it (nothing moves). What is not: velocity and PWM mode (refused), bulk instructions, factory
//! reset, indirect addresses, the time that bytes take on a real wire.

mod bus;
mod emulator;
mod line;
mod packet;
mod servo;
mod table;

pub use emulator::{Emulator, EmulatorError, EmulatorOptions};
pub use servo::{ServoView, Watchdog};
