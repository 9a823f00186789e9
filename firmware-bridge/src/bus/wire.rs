//! The bytes under the bus: a serial port, or an emulated line in the same process.

use std::io;

use crate::clock::Tick;

/// A half-duplex line with servos on it, and the clock by which its answers are awaited.
///
/// The clock is the line's own: real time for a serial port, virtual time for an emulated line whose bytes take the
/// time that they would take on a wire.
pub trait Wire: Send {
    /// The present moment on the line's clock.
    fn now(&self) -> Tick;

    /// Lets time pass until then.
    fn wait_until(&self, until: Tick);

    /// Throws away what has arrived and was not read.
    ///
    /// # Errors
    /// When the line is gone.
    fn discard(&mut self) -> io::Result<()>;

    /// Sends all of these bytes.
    ///
    /// # Errors
    /// When the line is gone or does not take them.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Receives what arrives next, at least one byte; 0 when the deadline passes before anything does.
    ///
    /// # Errors
    /// When the line is gone.
    fn receive(&mut self, into: &mut [u8], deadline: Tick) -> io::Result<usize>;
}
