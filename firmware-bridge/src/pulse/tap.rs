//! Records of each cycle, sent to a receiver. The control loop never waits: without a receiver, the records are
//! dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Doing, Snapshot};
use crate::clock::Tick;
use crate::envelope::Trims;
use crate::joint::Joints;
use crate::units::Radians;

/// The record of one cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeatRecord {
    /// The number of the cycle, from 0; robot time is this times the period.
    pub beat: u64,
    /// Its start time on the control loop's clock, as scheduled.
    pub at: Tick,
    /// Time from the scheduled to the actual start.
    pub lateness: Tick,
    /// The state of the control loop after the cycle.
    pub doing: Doing,
    /// The number of stops applied so far.
    pub halts: u64,
    /// The setpoint of the joints.
    pub wish: Joints,
    /// The goal positions: the setpoint after the envelope.
    pub goal: Joints,
    /// The last known present positions.
    pub present: Joints<Option<Radians>>,
    /// The clamped joints.
    pub trims: Trims,
    /// Whether the robot has a fault.
    pub is_faulty: bool,
    /// Whether all motors have torque.
    pub is_driven: bool,
    /// The number of cycles so far that began more than a period late.
    pub late: u64,
}

/// The receiver of the cycle records.
#[derive(Debug)]
pub struct Tap {
    records: rtrb::Consumer<BeatRecord>,
    lost: Arc<AtomicU64>,
}

impl Tap {
    /// Returns the next waiting record.
    pub fn take(&mut self) -> Option<BeatRecord> {
        self.records.pop().ok()
    }

    /// Returns the number of records that were dropped because too many were waiting.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Returns whether no further record can arrive.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.records.is_abandoned() && self.records.is_empty()
    }
}

/// The control loop's side.
pub(super) struct Spout {
    records: rtrb::Producer<BeatRecord>,
    lost: Arc<AtomicU64>,
}

/// Creates both sides, for at most `room` waiting records.
pub(super) fn tap(room: usize) -> (Spout, Tap) {
    let (producer, consumer) = rtrb::RingBuffer::new(room);
    let lost = Arc::new(AtomicU64::new(0));
    (Spout { records: producer, lost: lost.clone() }, Tap { records: consumer, lost })
}

impl Spout {
    /// Sends the record of a cycle from its snapshot.
    pub(super) fn tell(&mut self, left: &Snapshot, wish: &Joints, trims: Trims, at: Tick, began: Tick) {
        let record = BeatRecord {
            beat: left.beats.saturating_sub(1),
            at,
            lateness: Tick::ZERO + began.since(at),
            doing: left.doing,
            halts: left.halts,
            wish: *wish,
            goal: left.commanded,
            present: left.state.readings.map(|reading| reading.known()),
            trims,
            is_faulty: left.fault.is_some(),
            is_driven: left.state.is_driven(),
            late: left.late,
        };
        if self.records.push(record).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}
