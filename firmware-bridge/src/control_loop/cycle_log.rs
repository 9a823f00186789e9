//! Records of each cycle, sent to a receiver. The control loop never waits: without a receiver, the records are
//! dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{LoopSnapshot, MotionState};
use crate::clock::Timestamp;
use crate::envelope::Clamps;
use crate::joint::Joints;
use crate::units::Radians;

/// The record of one cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CycleRecord {
    /// The number of the cycle, from 0; robot time is this times the period.
    pub cycle: u64,
    /// Its start time on the control loop's clock, as scheduled.
    pub time: Timestamp,
    /// Time from the scheduled to the actual start.
    pub wakeup_latency: Timestamp,
    /// The state of the control loop after the cycle.
    pub motion_state: MotionState,
    /// The number of stops applied so far.
    pub stop_epoch: u64,
    /// The setpoint of the joints.
    pub setpoint: Joints,
    /// The goal positions: the setpoint after the envelope.
    pub goal: Joints,
    /// The last known present positions.
    pub present: Joints<Option<Radians>>,
    /// The clamped joints.
    pub clamps: Clamps,
    /// Whether the robot has a fault.
    pub is_faulty: bool,
    /// Whether all motors have torque.
    pub is_driven: bool,
    /// The number of cycles so far that began more than a period late.
    pub is_overrun: u64,
}

/// The receiver of the cycle records.
#[derive(Debug)]
pub struct CycleReceiver {
    records: rtrb::Consumer<CycleRecord>,
    lost: Arc<AtomicU64>,
}

impl CycleReceiver {
    /// Returns the next waiting record.
    pub fn receive(&mut self) -> Option<CycleRecord> {
        self.records.pop().ok()
    }

    /// Returns the next waiting record if it is of an earlier cycle than this one.
    pub fn receive_before(&mut self, cycle: u64) -> Option<CycleRecord> {
        self.records.peek().is_ok_and(|next| next.cycle < cycle).then(|| self.receive()).flatten()
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
pub(super) struct CycleSender {
    records: rtrb::Producer<CycleRecord>,
    lost: Arc<AtomicU64>,
}

/// Creates both sides, for at most `room` waiting records.
pub(super) fn cycle_channel(room: usize) -> (CycleSender, CycleReceiver) {
    let (producer, consumer) = rtrb::RingBuffer::new(room);
    let lost = Arc::new(AtomicU64::new(0));
    (CycleSender { records: producer, lost: lost.clone() }, CycleReceiver { records: consumer, lost })
}

impl CycleSender {
    /// Sends the record of a cycle from its snapshot.
    pub(super) fn send(
        &mut self,
        left: &LoopSnapshot,
        setpoint: &Joints,
        clamps: Clamps,
        at: Timestamp,
        began: Timestamp,
    ) {
        let record = CycleRecord {
            cycle: left.cycles.saturating_sub(1),
            time: at,
            wakeup_latency: Timestamp::ZERO + began.since(at),
            motion_state: left.motion_state,
            stop_epoch: left.stop_epoch,
            setpoint: *setpoint,
            goal: left.goal,
            present: left.state.readings.map(|reading| reading.known()),
            clamps,
            is_faulty: left.fault.is_some(),
            is_driven: left.state.is_driven(),
            is_overrun: left.overruns,
        };
        if self.records.push(record).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }
}
