//! What each beat did, handed over to somebody who keeps it. The beat never waits: where nobody takes records away,
//! they are counted and lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Doing, Snapshot};
use crate::clock::Tick;
use crate::envelope::Trims;
use crate::joint::Joints;
use crate::units::Radians;

/// What one beat did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeatRecord {
    /// Its number, from 0; stage time is this times the period.
    pub beat: u64,
    /// Its moment on the pulse's clock.
    pub at: Tick,
    /// How long after that moment it began.
    pub lateness: Tick,
    /// What the pulse does after it.
    pub doing: Doing,
    /// Halts taken so far.
    pub halts: u64,
    /// Where the joints were wished to be.
    pub wish: Joints,
    /// The goal positions: the wish behind the envelope.
    pub goal: Joints,
    /// The present positions as far as they were ever read.
    pub present: Joints<Option<Radians>>,
    /// What the envelope took off the wish.
    pub trims: Trims,
    /// Whether something is wrong with the body.
    pub is_faulty: bool,
    /// Whether all motors are driven.
    pub is_driven: bool,
    /// Beats so far that began more than a period late.
    pub late: u64,
}

/// Where the records of the beats come out.
#[derive(Debug)]
pub struct Tap {
    records: rtrb::Consumer<BeatRecord>,
    lost: Arc<AtomicU64>,
}

impl Tap {
    /// The next record that waits.
    pub fn take(&mut self) -> Option<BeatRecord> {
        self.records.pop().ok()
    }

    /// Records that were lost so far, because too many waited.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether no beat can come any more.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.records.is_abandoned() && self.records.is_empty()
    }
}

/// The beat's side.
pub(super) struct Spout {
    records: rtrb::Producer<BeatRecord>,
    lost: Arc<AtomicU64>,
}

/// Both sides, with room for so many records.
pub(super) fn tap(room: usize) -> (Spout, Tap) {
    let (producer, consumer) = rtrb::RingBuffer::new(room);
    let lost = Arc::new(AtomicU64::new(0));
    (Spout { records: producer, lost: lost.clone() }, Tap { records: consumer, lost })
}

impl Spout {
    /// Hands over what the beat left in its snapshot.
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
