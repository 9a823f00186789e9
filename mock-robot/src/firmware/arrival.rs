//! A record of the instructions on the line, as from a probe on the cable.

use firmware_bridge::clock::Timestamp;

/// An instruction that was received on the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedInstruction {
    /// The arrival time of its last byte.
    pub time: Timestamp,
    /// The addressed servo; 254 is every servo.
    pub id: u8,
    /// The instruction number of the protocol; 0x83 is a sync write.
    pub instruction: u8,
    /// The parameters; for most instructions they start with an address.
    pub parameters: Vec<u8>,
}
