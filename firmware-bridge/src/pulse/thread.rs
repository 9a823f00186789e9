//! The control loop on its own thread. Commands arrive through a ring buffer that the loop reads without waiting, and
//! each cycle publishes a snapshot. A panic in a cycle is caught here and reported as a fault.
//!
//! A stop uses a separate counter, so that neither a full ring buffer nor a waiting command can delay it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::privilege::Privilege;
use super::rhythm::{Measure, Regularity, Rhythm};
use super::{Conductor, Doing, Ended, Order, Pulse, Snapshot};
use crate::clock::Clock;
use crate::motion::Trajectory;
use crate::robot::{Robot, RobotFault};

/// Capacity of the command queue; senders wait for a cycle when it is full.
const COMMAND_CAPACITY: usize = 64;
/// Capacity of the queue of played trajectories to be freed.
const SPENT_CAPACITY: usize = 4 * COMMAND_CAPACITY;

struct Shared {
    last: Mutex<Last>,
    cycle_done: Condvar,
    /// The sending side. Never locked in a cycle.
    inbox: Mutex<Inbox>,
    /// The number of stops so far.
    halts: AtomicU64,
    /// Whether the thread should end.
    is_ending: AtomicBool,
    rhythm: Rhythm,
}

struct Inbox {
    orders: rtrb::Producer<Order>,
    /// The number of commands sent, including stops.
    sent: u64,
    spent: rtrb::Consumer<Trajectory>,
}

/// The last state that the thread published.
struct Last {
    snapshot: Snapshot,
    /// Whether no further cycle runs.
    has_ended: bool,
    privilege: Option<Privilege>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes without waiting. A reader that is copying now gets the state of the next cycle.
    fn publish(&self, snapshot: &Snapshot) {
        match self.last.try_lock() {
            Ok(mut last) => last.snapshot.clone_from(snapshot),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().snapshot.clone_from(snapshot),
            Err(TryLockError::WouldBlock) => {}
        }
        self.cycle_done.notify_all();
    }

    /// Publishes that no further cycle runs, so that no client waits for one. A waiting trajectory does not play.
    fn publish_end(&self, snapshot: &Snapshot, ended: Ended) {
        let mut last = self.lock();
        last.snapshot.clone_from(snapshot);
        last.snapshot.ended = Some(ended);
        last.has_ended = true;
        drop(last);
        self.cycle_done.notify_all();
    }
}

/// A control loop on its own thread. Dropping it brakes the robot to rest and ends the thread.
pub struct PulseThread {
    handle: PulseHandle,
    thread: Option<JoinHandle<()>>,
}

/// A handle to control a [`PulseThread`]; it can be cloned.
#[derive(Clone)]
pub struct PulseHandle {
    shared: Arc<Shared>,
    /// The number of applied commands once this handle's last one is applied.
    ticket: u64,
    period: Duration,
}

impl PulseThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`RobotFault::Broken`] if the system cannot start a thread.
    pub fn start<R: Robot + 'static, C: Clock + 'static>(mut pulse: Pulse<R, C>) -> Result<Self, RobotFault> {
        let broken = |reason: String| RobotFault::Broken { reason };
        let (orders, inbox) = rtrb::RingBuffer::new(COMMAND_CAPACITY);
        let (old, spent) = rtrb::RingBuffer::new(SPENT_CAPACITY);
        let period = pulse.period;
        let rhythm = Rhythm::new().ok_or_else(|| broken("cannot create the timing histograms".into()))?;
        pulse.on_a_thread(old, Measure::new(rhythm.clone(), period));
        let snapshot = pulse.snapshot.clone();
        let shared = Arc::new(Shared {
            cycle_done: Condvar::new(),
            halts: AtomicU64::new(snapshot.halts),
            is_ending: AtomicBool::new(false),
            rhythm,
            inbox: Mutex::new(Inbox { orders, sent: snapshot.orders, spent }),
            last: Mutex::new(Last { snapshot, has_ended: false, privilege: None }),
        });
        let thread = std::thread::Builder::new()
            .name("pulse".into())
            .spawn({
                let shared = shared.clone();
                move || run(pulse, inbox, &shared)
            })
            .map_err(|error| broken(error.to_string()))?;
        Ok(PulseThread { handle: PulseHandle { shared, ticket: 0, period }, thread: Some(thread) })
    }

    /// Returns a handle to it.
    #[must_use]
    pub fn handle(&self) -> PulseHandle {
        self.handle.clone()
    }
}

impl Drop for PulseThread {
    fn drop(&mut self) {
        self.handle.shared.is_ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn run<R: Robot, C: Clock>(mut pulse: Pulse<R, C>, mut inbox: rtrb::Consumer<Order>, shared: &Shared) {
    let privilege = Privilege::ask();
    shared.lock().privilege = Some(privilege);
    let beats = catch_unwind(AssertUnwindSafe(|| {
        let mut is_ending = false;
        loop {
            pulse.await_moment();
            if !is_ending && shared.is_ending.load(Ordering::Acquire) {
                is_ending = true;
                shared.halts.fetch_add(1, Ordering::AcqRel);
            }
            apply_stops(&mut pulse, shared);
            while let Ok(order) = inbox.pop() {
                // A stop that was sent before this command is applied before it.
                apply_stops(&mut pulse, shared);
                pulse.take(order);
            }
            let snapshot = pulse.beat();
            shared.publish(snapshot);
            let moves = matches!(snapshot.doing, Doing::Braking | Doing::Led) && snapshot.fault.is_none();
            if is_ending && !moves {
                return;
            }
        }
    }));
    if let Err(panic) = beats {
        let reason = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "panic without a message".into());
        pulse.snapshot.fault = Some(RobotFault::Broken { reason });
        shared.publish_end(&pulse.snapshot, Ended::Faulted);
    } else {
        shared.publish_end(&pulse.snapshot, Ended::Halted);
    }
}

fn apply_stops<R: Robot, C: Clock>(pulse: &mut Pulse<R, C>, shared: &Shared) {
    while pulse.snapshot.halts < shared.halts.load(Ordering::Acquire) {
        pulse.take(Order::Halt);
    }
}

impl PulseHandle {
    /// Returns the timing statistics so far, and the scheduling of the thread.
    #[must_use]
    pub fn regularity(&self) -> Regularity {
        let privilege = self.shared.lock().privilege.clone().unwrap_or_default();
        self.shared.rhythm.report(self.period, privilege)
    }

    /// Resets the timing statistics.
    pub fn measure_anew(&self) {
        self.shared.rhythm.reset();
    }

    /// Sends a command. If the queue is full, waits until a cycle has emptied it.
    fn send(&mut self, order: Order) {
        // A stop does not wait for senders at a full queue.
        let halt = matches!(order, Order::Halt);
        if halt {
            self.shared.halts.fetch_add(1, Ordering::AcqRel);
        }
        let mut inbox = self.shared.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        while inbox.spent.pop().is_ok() {}
        if !halt {
            let mut order = order;
            while let Err(rtrb::PushError::Full(back)) = inbox.orders.push(order) {
                let last = self.shared.lock();
                if last.has_ended {
                    // No cycle applies it; the snapshot shows that.
                    return;
                }
                let _woken = self.shared.cycle_done.wait_timeout(last, self.period);
                order = back;
            }
        }
        inbox.sent += 1;
        self.ticket = inbox.sent;
    }
}

impl Conductor for PulseHandle {
    fn period(&self) -> Duration {
        self.period
    }

    fn snapshot(&self) -> Snapshot {
        self.shared.lock().snapshot.clone()
    }

    fn halts(&self) -> u64 {
        self.shared.halts.load(Ordering::Acquire)
    }

    fn order(&mut self, order: Order) {
        self.send(order);
    }

    fn wait(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        let ticket = self.ticket;
        self.watch(&|snapshot| snapshot.orders >= ticket && done(snapshot))
    }

    fn watch(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        let mut last = self.shared.lock();
        while !(last.has_ended || done(&last.snapshot)) {
            last = self.shared.cycle_done.wait(last).unwrap_or_else(PoisonError::into_inner);
        }
        last.snapshot.clone()
    }
}
