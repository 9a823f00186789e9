//! The transport under the bus: a serial port, or an emulated line in the same process.

use std::io;

use crate::clock::Timestamp;

/// A half-duplex line with servos, and the clock for its timeouts.
///
/// The clock is the line's own: real time for a serial port, virtual time for an emulated line with realistic transfer
/// times.
pub trait Transport: Send {
    /// Returns the present time on the line's clock.
    fn now(&self) -> Timestamp;

    /// Waits until this time.
    fn wait_until(&self, until: Timestamp);

    /// Discards bytes that have arrived and were not read.
    ///
    /// # Errors
    /// If the line is gone.
    fn discard(&mut self) -> io::Result<()>;

    /// Sends all of these bytes.
    ///
    /// # Errors
    /// If the line is gone or does not accept them.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Receives the next bytes, at least one. Returns 0 if the deadline passes before any arrive.
    ///
    /// # Errors
    /// If the line is gone.
    fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> io::Result<usize>;
}
