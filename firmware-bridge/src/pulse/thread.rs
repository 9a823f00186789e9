//! A pulse on a thread of its own: orders go in by a channel that the beat reads without waiting, and what each beat
//! left comes out as a snapshot. A panic under the beat is caught here, and told as a fault.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::{Conductor, Doing, Ended, Order, Pulse, Snapshot};
use crate::clock::Clock;
use crate::robot::{Robot, RobotFault};

struct Shared {
    last: Mutex<Last>,
    beaten: Condvar,
    /// The way in. Never locked on the beat.
    inbox: Mutex<Inbox>,
}

struct Inbox {
    sender: Sender<Option<Order>>,
    /// How many orders have gone this way.
    orders: u64,
    /// How many of them were halts.
    halts: u64,
}

/// What the thread has told last.
struct Last {
    snapshot: Snapshot,
    /// No beat comes after this one.
    gone: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes without waiting; a reader that is copying just now sees the next beat.
    fn publish(&self, snapshot: &Snapshot) {
        for _ in 0..1_000 {
            match self.last.try_lock() {
                Ok(mut last) => {
                    last.snapshot.clone_from(snapshot);
                    break;
                }
                Err(TryLockError::Poisoned(poisoned)) => {
                    poisoned.into_inner().snapshot.clone_from(snapshot);
                    break;
                }
                Err(TryLockError::WouldBlock) => std::hint::spin_loop(),
            }
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
    pub fn start<R: Robot + 'static, C: Clock + 'static>(pulse: Pulse<R, C>) -> Result<Self, RobotFault> {
        let (sender, inbox) = channel();
        let shared = Arc::new(Shared {
            last: Mutex::new(Last { snapshot: pulse.snapshot.clone(), gone: false }),
            beaten: Condvar::new(),
            inbox: Mutex::new(Inbox { sender, orders: pulse.snapshot.orders, halts: pulse.snapshot.halts }),
        });
        let period = pulse.period;
        let thread = std::thread::Builder::new()
            .name("pulse".into())
            .spawn({
                let shared = shared.clone();
                move || run(pulse, &inbox, &shared)
            })
            .map_err(|error| RobotFault::Broken { reason: error.to_string() })?;
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
        // A thread that has gone already takes no word; joining it is all that is left.
        let _gone = self.handle.send(None);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn run<R: Robot, C: Clock>(mut pulse: Pulse<R, C>, inbox: &Receiver<Option<Order>>, shared: &Shared) {
    let beats = catch_unwind(AssertUnwindSafe(|| {
        let mut leaving = false;
        loop {
            pulse.await_moment();
            while let Ok(order) = inbox.try_recv() {
                match order {
                    Some(order) => pulse.take(order),
                    None => {
                        leaving = true;
                        pulse.take(Order::Halt);
                    }
                }
            }
            let snapshot = pulse.beat();
            shared.publish(snapshot);
            if leaving && snapshot.doing != Doing::Braking {
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

impl PulseHandle {
    /// Sends and returns how many orders there will then have been; none when the thread has gone.
    fn send(&self, order: Option<Order>) -> Option<u64> {
        let mut inbox = self.inbox();
        let halt = matches!(order, Some(Order::Halt));
        inbox.sender.send(order).ok()?;
        inbox.orders += 1;
        inbox.halts += u64::from(halt);
        Some(inbox.orders)
    }

    fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.shared.inbox.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.inbox().halts
    }

    fn order(&mut self, order: Order) {
        // When the thread has gone, the snapshot says so.
        if let Some(ticket) = self.send(Some(order)) {
            self.ticket = ticket;
        }
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
