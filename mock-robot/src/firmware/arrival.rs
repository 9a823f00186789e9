//! What a probe on the cable would show: each instruction, and when it came.

use firmware_bridge::clock::Tick;

/// An instruction that was heard on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When its last byte had come.
    pub at: Tick,
    /// Whom it is for; 254 is everyone.
    pub id: u8,
    /// Which instruction of the protocol it is; 0x83 is a sync write.
    pub instruction: u8,
    /// What follows it: for most, an address first.
    pub parameters: Vec<u8>,
}
