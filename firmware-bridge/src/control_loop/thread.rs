//! The control loop on its own thread. Commands arrive through a ring buffer that the loop reads without waiting, and
//! each cycle publishes a snapshot. A panic in a cycle is caught here and reported as a fault.
//!
//! A stop uses a separate counter, so that neither a full ring buffer nor a waiting command can delay it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::realtime::RealtimeScheduling;
use super::timing::{CycleTimer, TimingHistograms, TimingStats};
use super::{ControlLoop, LoopClient, LoopCommand, LoopSnapshot, MotionState, MoveResult};
use crate::clock::Clock;
use crate::motion::Trajectory;
use crate::robot::{Robot, RobotError};

/// Capacity of the command queue; senders wait for a cycle when it is full.
const COMMAND_CAPACITY: usize = 64;
/// Capacity of the queue of played trajectories to be freed.
const SPENT_CAPACITY: usize = 4 * COMMAND_CAPACITY;

struct Shared {
    published: Mutex<PublishedState>,
    cycle_done: Condvar,
    /// The sending side. Never locked in a cycle.
    inbox: Mutex<Inbox>,
    /// The number of stops so far.
    stop_epoch: AtomicU64,
    /// Whether the thread should end.
    is_ending: AtomicBool,
    timing: TimingHistograms,
}

struct Inbox {
    commands: rtrb::Producer<LoopCommand>,
    /// The number of commands sent, including stops.
    sent: u64,
    spent_commands: rtrb::Consumer<Trajectory>,
}

/// The last state that the thread published.
struct PublishedState {
    snapshot: LoopSnapshot,
    /// Whether no further cycle runs.
    has_ended: bool,
    scheduling: Option<RealtimeScheduling>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, PublishedState> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes without waiting. A reader that is copying now gets the state of the next cycle.
    fn publish(&self, snapshot: &LoopSnapshot) {
        match self.published.try_lock() {
            Ok(mut last) => last.snapshot.clone_from(snapshot),
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner().snapshot.clone_from(snapshot),
            Err(TryLockError::WouldBlock) => {}
        }
        self.cycle_done.notify_all();
    }

    /// Publishes that no further cycle runs, so that no client waits for one. A waiting trajectory does not play.
    fn publish_end(&self, snapshot: &LoopSnapshot, ended: MoveResult) {
        let mut last = self.lock();
        last.snapshot.clone_from(snapshot);
        last.snapshot.move_result = Some(ended);
        last.has_ended = true;
        drop(last);
        self.cycle_done.notify_all();
    }
}

/// A control loop on its own thread. Dropping it brakes the robot to rest and ends the thread.
pub struct ControlLoopThread {
    handle: ControlLoopHandle,
    thread: Option<JoinHandle<()>>,
}

/// A handle to control a [`ControlLoopThread`]; it can be cloned.
#[derive(Clone)]
pub struct ControlLoopHandle {
    shared: Arc<Shared>,
    /// The number of applied commands once this handle's last one is applied.
    next_ticket: u64,
    period: Duration,
}

impl ControlLoopThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// [`RobotError::Broken`] if the system cannot start a thread.
    pub fn start<R: Robot + 'static, C: Clock + 'static>(
        mut control_loop: ControlLoop<R, C>,
    ) -> Result<Self, RobotError> {
        let broken = |reason: String| RobotError::Broken { reason };
        let (orders, inbox) = rtrb::RingBuffer::new(COMMAND_CAPACITY);
        let (old, spent) = rtrb::RingBuffer::new(SPENT_CAPACITY);
        let period = control_loop.period;
        let rhythm =
            TimingHistograms::new().ok_or_else(|| broken("cannot create the timing histograms".into()))?;
        control_loop.on_a_thread(old, CycleTimer::new(rhythm.clone(), period));
        let snapshot = control_loop.snapshot.clone();
        let shared = Arc::new(Shared {
            cycle_done: Condvar::new(),
            stop_epoch: AtomicU64::new(snapshot.stop_epoch),
            is_ending: AtomicBool::new(false),
            timing: rhythm,
            inbox: Mutex::new(Inbox {
                commands: orders,
                sent: snapshot.commands_taken,
                spent_commands: spent,
            }),
            published: Mutex::new(PublishedState { snapshot, has_ended: false, scheduling: None }),
        });
        let thread = std::thread::Builder::new()
            .name("control-loop".into())
            .spawn({
                let shared = shared.clone();
                move || run(control_loop, inbox, &shared)
            })
            .map_err(|error| broken(error.to_string()))?;
        Ok(ControlLoopThread {
            handle: ControlLoopHandle { shared, next_ticket: 0, period },
            thread: Some(thread),
        })
    }

    /// Returns a handle to it.
    #[must_use]
    pub fn handle(&self) -> ControlLoopHandle {
        self.handle.clone()
    }
}

impl Drop for ControlLoopThread {
    fn drop(&mut self) {
        self.handle.shared.is_ending.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn run<R: Robot, C: Clock>(
    mut control_loop: ControlLoop<R, C>,
    mut inbox: rtrb::Consumer<LoopCommand>,
    shared: &Shared,
) {
    let privilege = RealtimeScheduling::request();
    shared.lock().scheduling = Some(privilege);
    let cycles = catch_unwind(AssertUnwindSafe(|| {
        let mut is_ending = false;
        loop {
            control_loop.wait_for_deadline();
            if !is_ending && shared.is_ending.load(Ordering::Acquire) {
                is_ending = true;
                shared.stop_epoch.fetch_add(1, Ordering::AcqRel);
            }
            apply_stops(&mut control_loop, shared);
            while let Ok(order) = inbox.pop() {
                // A stop that was sent before this command is applied before it.
                apply_stops(&mut control_loop, shared);
                control_loop.apply_command(order);
            }
            let snapshot = control_loop.run_cycle();
            shared.publish(snapshot);
            let moves = matches!(snapshot.motion_state, MotionState::Stopping | MotionState::HandGuiding)
                && snapshot.fault.is_none();
            if is_ending && !moves {
                return;
            }
        }
    }));
    if let Err(panic) = cycles {
        let reason = panic
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "panic without a message".into());
        control_loop.snapshot.fault = Some(RobotError::Broken { reason });
        shared.publish_end(&control_loop.snapshot, MoveResult::Aborted);
    } else {
        shared.publish_end(&control_loop.snapshot, MoveResult::Canceled);
    }
}

fn apply_stops<R: Robot, C: Clock>(control_loop: &mut ControlLoop<R, C>, shared: &Shared) {
    while control_loop.snapshot.stop_epoch < shared.stop_epoch.load(Ordering::Acquire) {
        control_loop.apply_command(LoopCommand::Stop);
    }
}

impl ControlLoopHandle {
    /// Returns the timing statistics so far, and the scheduling of the thread.
    #[must_use]
    pub fn timing_stats(&self) -> TimingStats {
        let privilege = self.shared.lock().scheduling.clone().unwrap_or_default();
        self.shared.timing.report(self.period, privilege)
    }

    /// Resets the timing statistics.
    pub fn reset_timing(&self) {
        self.shared.timing.reset();
    }

    /// Sends a command. If the queue is full, waits until a cycle has emptied it.
    fn send(&mut self, order: LoopCommand) {
        // A stop does not wait for senders at a full queue.
        let stop = matches!(order, LoopCommand::Stop);
        if stop {
            self.shared.stop_epoch.fetch_add(1, Ordering::AcqRel);
        }
        let mut inbox = self.shared.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        while inbox.spent_commands.pop().is_ok() {}
        if !stop {
            let mut order = order;
            while let Err(rtrb::PushError::Full(back)) = inbox.commands.push(order) {
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
        self.next_ticket = inbox.sent;
    }
}

impl LoopClient for ControlLoopHandle {
    fn period(&self) -> Duration {
        self.period
    }

    fn snapshot(&self) -> LoopSnapshot {
        self.shared.lock().snapshot.clone()
    }

    fn stop_epoch(&self) -> u64 {
        self.shared.stop_epoch.load(Ordering::Acquire)
    }

    fn send_command(&mut self, order: LoopCommand) {
        self.send(order);
    }

    fn wait(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot {
        let ticket = self.next_ticket;
        self.watch(&|snapshot| snapshot.commands_taken >= ticket && done(snapshot))
    }

    fn watch(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot {
        let mut last = self.shared.lock();
        while !(last.has_ended || done(&last.snapshot)) {
            last = self.shared.cycle_done.wait(last).unwrap_or_else(PoisonError::into_inner);
        }
        last.snapshot.clone()
    }
}
