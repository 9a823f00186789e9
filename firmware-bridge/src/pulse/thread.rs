//! A pulse on a thread of its own: orders go in by a ring that the beat reads without waiting, and what each beat left
//! comes out as a snapshot. A panic under the beat is caught here, and told as a fault.
//!
//! A halt goes by a way of its own, a counter, so that no full ring and no waiting order keeps it back.

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

/// Orders that may wait for a beat; whoever gives more waits for the beat.
const WAITING: usize = 64;
/// Played trajectories that may wait to be freed.
const SPENT: usize = 4 * WAITING;

struct Shared {
    last: Mutex<Last>,
    beaten: Condvar,
    /// The way in. Never locked on the beat.
    inbox: Mutex<Inbox>,
    /// How many halts were ordered.
    halts: AtomicU64,
    /// Whether the thread is to end.
    leaving: AtomicBool,
    rhythm: Rhythm,
}

struct Inbox {
    orders: rtrb::Producer<Order>,
    /// How many orders were given, halts included.
    given: u64,
    spent: rtrb::Consumer<Trajectory>,
}

/// What the thread has told last.
struct Last {
    snapshot: Snapshot,
    /// No beat comes after this one.
    gone: bool,
    privilege: Option<Privilege>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes without waiting; a reader that is copying just now sees the next beat.
    fn publish(&self, snapshot: &Snapshot) {
        match self.last.try_lock() {
            Ok(mut last) => last.snapshot.clone_from(snapshot),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().snapshot.clone_from(snapshot),
            Err(TryLockError::WouldBlock) => {}
        }
        self.beaten.notify_all();
    }

    /// Tells that no beat will come any more, so that nobody waits for one. What was still to be played is not.
    fn close(&self, snapshot: &Snapshot, ended: Ended) {
        let mut last = self.lock();
        last.snapshot.clone_from(snapshot);
        last.snapshot.ended = Some(ended);
        last.gone = true;
        drop(last);
        self.beaten.notify_all();
    }
}

/// A pulse on its own thread. Dropping it brakes the robot to rest and ends the thread.
pub struct PulseThread {
    handle: PulseHandle,
    thread: Option<JoinHandle<()>>,
}

/// A way to conduct a [`PulseThread`]; any number may be cloned.
#[derive(Clone)]
pub struct PulseHandle {
    shared: Arc<Shared>,
    /// How many orders will have been taken when this handle's last one is.
    ticket: u64,
    period: Duration,
}

impl PulseThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`RobotFault::Broken`] when the system gives no thread.
    pub fn start<R: Robot + 'static, C: Clock + 'static>(mut pulse: Pulse<R, C>) -> Result<Self, RobotFault> {
        let broken = |reason: String| RobotFault::Broken { reason };
        let (orders, inbox) = rtrb::RingBuffer::new(WAITING);
        let (old, spent) = rtrb::RingBuffer::new(SPENT);
        let period = pulse.period;
        let rhythm = Rhythm::new().ok_or_else(|| broken("no histograms could be made".into()))?;
        pulse.on_a_thread(old, Measure::new(rhythm.clone(), period));
        let snapshot = pulse.snapshot.clone();
        let shared = Arc::new(Shared {
            beaten: Condvar::new(),
            halts: AtomicU64::new(snapshot.halts),
            leaving: AtomicBool::new(false),
            rhythm,
            inbox: Mutex::new(Inbox { orders, given: snapshot.orders, spent }),
            last: Mutex::new(Last { snapshot, gone: false, privilege: None }),
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

    /// A way to conduct it.
    #[must_use]
    pub fn handle(&self) -> PulseHandle {
        self.handle.clone()
    }
}

impl Drop for PulseThread {
    fn drop(&mut self) {
        self.handle.shared.leaving.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn run<R: Robot, C: Clock>(mut pulse: Pulse<R, C>, mut inbox: rtrb::Consumer<Order>, shared: &Shared) {
    let privilege = Privilege::ask();
    shared.lock().privilege = Some(privilege);
    let beats = catch_unwind(AssertUnwindSafe(|| {
        let mut leaving = false;
        loop {
            pulse.await_moment();
            if !leaving && shared.leaving.load(Ordering::Acquire) {
                leaving = true;
                shared.halts.fetch_add(1, Ordering::AcqRel);
            }
            take_halts(&mut pulse, shared);
            while let Ok(order) = inbox.pop() {
                // A halt that was ordered before this comes before it.
                take_halts(&mut pulse, shared);
                pulse.take(order);
            }
            let snapshot = pulse.beat();
            shared.publish(snapshot);
            let moves = matches!(snapshot.doing, Doing::Braking | Doing::Led) && snapshot.fault.is_none();
            if leaving && !moves {
                return;
            }
        }
    }));
    if let Err(panic) = beats {
        let reason = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without words".into());
        pulse.snapshot.fault = Some(RobotFault::Broken { reason });
        shared.close(&pulse.snapshot, Ended::Faulted);
    } else {
        shared.close(&pulse.snapshot, Ended::Halted);
    }
}

fn take_halts<R: Robot, C: Clock>(pulse: &mut Pulse<R, C>, shared: &Shared) {
    while pulse.snapshot.halts < shared.halts.load(Ordering::Acquire) {
        pulse.take(Order::Halt);
    }
}

impl PulseHandle {
    /// How regularly the pulse has beaten so far, and what the system lets it do.
    #[must_use]
    pub fn regularity(&self) -> Regularity {
        let privilege = self.shared.lock().privilege.clone().unwrap_or_default();
        self.shared.rhythm.report(self.period, privilege)
    }

    /// Measures how regularly it beats from here on.
    pub fn measure_anew(&self) {
        self.shared.rhythm.begin_anew();
    }

    /// Hands an order over; while the ring is full, once the next beat has emptied it.
    fn send(&mut self, order: Order) {
        // A halt does not wait for those who stand before a full ring.
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
                if last.gone {
                    // No beat takes it any more; the snapshot says so.
                    return;
                }
                let _woken = self.shared.beaten.wait_timeout(last, self.period);
                order = back;
            }
        }
        inbox.given += 1;
        self.ticket = inbox.given;
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
        while !(last.gone || done(&last.snapshot)) {
            last = self.shared.beaten.wait(last).unwrap_or_else(PoisonError::into_inner);
        }
        last.snapshot.clone()
    }
}
