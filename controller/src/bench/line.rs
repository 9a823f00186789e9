//! The emulated line of both sides, with a probe that reports when goals arrive.

use std::path::Path;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::joint::Joint;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions, ReceivedInstruction};

use super::Failed;
use minismith_control::robot::initial_joints;

/// A controller that sends no goals for this long has stopped.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// Broadcast id, and the instruction that writes to several servos at once.
const BROADCAST: u8 = 0xFE;
const SYNC_WRITE: u8 = 0x83;
/// A sync write of goal positions: register 116, four bytes each.
const GOAL_POSITIONS: [u8; 4] = [116, 0, 4, 0];
/// Id and goal of one servo.
const BLOCK: usize = 5;

/// Nine emulated servos, and the packets that they receive.
pub(super) struct Line {
    emulator: Emulator,
    arrivals: Receiver<ReceivedInstruction>,
}

impl Line {
    /// Creates a new line, not yet in use.
    pub(super) fn start() -> Result<Line, Failed> {
        let options =
            EmulatorOptions { link: None, faults: Faults::default(), start: initial_joints(), paced: true };
        let emulator = Emulator::start(options).map_err(|error| Failed::at("the emulated line")(&error))?;
        let arrivals = emulator.arrivals();
        Ok(Line { emulator, arrivals })
    }

    /// Returns the serial port.
    pub(super) fn path(&self) -> &Path {
        self.emulator.path()
    }

    /// Waits until goals are sent.
    pub(super) fn wait_for_goals(&self, at_most: Duration) -> Result<(), Failed> {
        match self.next_goals(at_most) {
            Some(_) => Ok(()),
            None => Err(Failed(format!("no goals were sent within {} s", at_most.as_secs()))),
        }
    }

    /// Returns when goals arrive, for this time from now on.
    pub(super) fn watch(&self, duration: Duration) -> Result<Vec<Timestamp>, Failed> {
        // Discards earlier packets.
        self.arrivals.try_iter().for_each(drop);
        let mut moments: Vec<Timestamp> = Vec::new();
        loop {
            let moment =
                self.next_goals(STOP_TIMEOUT).ok_or_else(|| Failed("it has stopped sending goals".into()))?;
            let first = *moments.first().unwrap_or(&moment);
            moments.push(moment);
            if moment.since(first) >= duration {
                return Ok(moments);
            }
        }
    }

    /// Returns the next goal positions as in the packet.
    pub(super) fn next_positions(&self) -> Result<Vec<u8>, Failed> {
        let arrival =
            self.next_cycle(STOP_TIMEOUT).ok_or_else(|| Failed("it has stopped sending goals".into()))?;
        Ok(arrival.parameters)
    }

    /// Returns when the next goals arrive.
    fn next_goals(&self, at_most: Duration) -> Option<Timestamp> {
        self.next_cycle(at_most).map(|arrival| arrival.time)
    }

    fn next_cycle(&self, at_most: Duration) -> Option<ReceivedInstruction> {
        let clock = MonotonicClock::start();
        loop {
            let left = at_most.checked_sub(clock.now().since(Timestamp::ZERO))?;
            let arrival = self.arrivals.recv_timeout(left).ok()?;
            if is_cycle(&arrival) {
                return Some(arrival);
            }
        }
    }
}

/// Whether these are the goals of a cycle. The official loop writes legs, base and antennas one after the other, so the
/// packet with the first leg stands for all.
fn is_cycle(arrival: &ReceivedInstruction) -> bool {
    let Some((head, blocks)) = arrival.parameters.split_first_chunk() else { return false };
    arrival.id == BROADCAST
        && arrival.instruction == SYNC_WRITE
        && *head == GOAL_POSITIONS
        && blocks.chunks_exact(BLOCK).any(|block| block.first() == Some(&Joint::Stewart1.motor_id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet_with_the_first_leg_is_the_cycle() {
        let arrival = |instruction, parameters: &[u8]| ReceivedInstruction {
            time: Timestamp::ZERO,
            id: BROADCAST,
            instruction,
            parameters: parameters.to_vec(),
        };
        let goals = |ids: &[u8]| -> Vec<u8> {
            let blocks = ids.iter().flat_map(|id| [*id, 0, 8, 0, 0]);
            GOAL_POSITIONS.into_iter().chain(blocks).collect()
        };
        assert!(is_cycle(&arrival(SYNC_WRITE, &goals(&[10, 11, 12, 13, 14, 15, 16, 17, 18]))));
        assert!(is_cycle(&arrival(SYNC_WRITE, &goals(&[11, 12, 13, 14, 15, 16]))));
        assert!(!is_cycle(&arrival(SYNC_WRITE, &goals(&[10]))), "the body alone");
        assert!(!is_cycle(&arrival(SYNC_WRITE, &[64, 0, 1, 0, 11, 1])), "torque");
        assert!(!is_cycle(&arrival(0x82, &[132, 0, 4, 0, 11])), "a question");
        assert!(!is_cycle(&arrival(SYNC_WRITE, &[116])));
    }
}
