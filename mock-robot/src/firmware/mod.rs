//! The firmware of nine servos on a line: a serial port with the robot behind it, or a line in the same process.
//!
//! Reading order:
//!
//! * `packet`: bytes and packets of Dynamixel protocol 2.0.
//! * `table`: the registers of one servo.
//! * `servo`: one servo.
//! * `answer`: status packets and their timing.
//! * `fault_state`: the current faults.
//! * `bus`: nine servos on a line.
//! * `line`: the pseudo-terminal.
//! * `emulator`: the thread between bus and terminal.
//! * `virtual_line`: the line in virtual time.
//!
//! Everything up to `bus` is pure: bytes with their time in, bytes out.
//!
//! Emulated features:
//!
//! * ping, read, write, reg write, action, reboot, sync read, fast sync read and sync write;
//! * the control table of the XL330 and XC330 up to register 147;
//! * current, position, extended position and current-based position mode;
//! * the gains of the position loop;
//! * the transfer time of bytes on a real line.
//!
//! Not emulated: velocity and PWM mode (rejected), profiles of velocity and acceleration (stored only), bulk
//! instructions, factory reset, indirect addresses, colliding bytes.

mod answer;
mod arrival;
mod bus;
mod emulator;
mod fault_state;
mod line;
mod packet;
mod servo;
mod table;
mod virtual_line;

pub use arrival::ReceivedInstruction;
pub use emulator::{Emulator, EmulatorError, EmulatorOptions};
pub use servo::{ServoView, Watchdog};
pub use virtual_line::{LineProbe, VirtualLine, VirtualLineOptions};
