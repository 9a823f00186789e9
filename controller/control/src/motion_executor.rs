//! Executes moves for API clients, one at a time and each with an identifier, and streams of targets between them.
//!
//! Threads: one thread owns the execution context, plans and waits. Callers post to it and never wait for a cycle.
//! Safety: it has one claim. It releases control when a move is done or a stream ends, unless it should keep control. A
//! stop ends the running move, and posted moves before they are planned. Targets that arrive faster than the cycles are
//! merged, so a flood of them costs no more than a stream.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::control_loop::{ControlLoopHandle, ControlMode, LoopClient, LoopCommand};
use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Motion, MotionError, Ramps, Target};
use tokio::sync::broadcast;
use tracing::Span;
use tracing::field::Empty;
use uuid::Uuid;

use crate::arbiter::Priority;
use crate::execution::{ExecutionContext, is_able, planned};
use crate::robot::RobotRuntime;

/// Maximum pause within a stream of targets.
const STREAM_TIMEOUT: Duration = Duration::from_millis(300);

/// Capacity of the event queue of a listener. A slow listener misses the oldest events.
const EVENT_CAPACITY: usize = 256;

/// A request that takes time.
#[derive(Clone, Debug)]
pub enum MoveRequest {
    /// Motions, one after another.
    Motions(Vec<Motion>),
    /// All motors on, then the wake-up motions.
    WakeUp,
    /// The sleep motions, then all motors off, unless they should hold the head.
    GoToSleep {
        /// Whether the motors switch off.
        release: bool,
    },
}

/// A change of the motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorChange {
    /// Torque by motor. `None` leaves it unchanged.
    Torque(Joints<Option<bool>>),
    /// Control mode.
    Control(ControlMode),
    /// Whether the body follows the head's yaw.
    AutomaticBodyYaw(bool),
}

/// The status of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveStatus {
    /// It is running.
    Started,
    /// It reached its end.
    Completed,
    /// It was refused, or the robot failed.
    Failed,
    /// It was stopped.
    Cancelled,
}

/// A status change of a move.
#[derive(Clone, Debug)]
pub struct Event {
    /// Identifier of the move.
    pub id: Uuid,
    /// New status.
    pub status: MoveStatus,
    /// The reason for a failure or a stop.
    pub details: String,
}

/// The result of a move, with the reason if it did not reach its end.
pub type Finished = Result<(), String>;

type ReplySender = Box<dyn FnOnce(Finished) + Send>;

enum Job {
    Move {
        id: Uuid,
        work: MoveRequest,
        stop_epoch: u64,
        report: ReplySender,
        asked: Span,
    },
    Change {
        change: MotorChange,
        stop_epoch: u64,
        report: Box<dyn FnOnce(Result<(), MotionError>) + Send>,
    },
    KeepControl {
        report: Box<dyn FnOnce(Result<(), MotionError>) + Send>,
    },
    /// Ends the stream of targets, and releases the control unless it is kept.
    ReleaseControl,
}

#[derive(Default)]
struct Mail {
    jobs: VecDeque<Job>,
    /// The move that is running or about to run.
    moving: Option<Uuid>,
    /// Target parts that are not commanded yet, and the stop epoch when they arrived.
    target: Option<(Target, u64)>,
    automatic_body_yaw: bool,
    /// Whether to keep control between moves.
    keeps_control: bool,
    closing: bool,
}

struct Post {
    mail: Mutex<Mail>,
    posted: Condvar,
    events: broadcast::Sender<Event>,
    control_loop: ControlLoopHandle,
    /// Stops of single moves, which this executor has requested.
    own_stops: AtomicU64,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, id: Uuid, status: MoveStatus, details: &str) {
        // Without listeners there is nothing to do.
        let _heard = self.events.send(Event { id, status, details: details.into() });
    }
}

/// A target is rejected because a move is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a move is running; targets are followed again when it has ended, or stop it first")]
pub struct MoveRunning;

/// A cloneable handle to which clients post their requests.
#[derive(Clone)]
pub struct MotionExecutor {
    post: Arc<Post>,
}

/// The thread that executes moves. Dropping it brakes the running motion and ends the thread.
pub struct MotionExecutorThread {
    executor: MotionExecutor,
    thread: Option<JoinHandle<()>>,
}

impl MotionExecutorThread {
    /// Starts the thread for this robot with this priority and name.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(body: &RobotRuntime, rank: Priority, name: &str) -> std::io::Result<Self> {
        let mail = Mail { automatic_body_yaw: true, ..Mail::default() };
        let post = Arc::new(Post {
            mail: Mutex::new(mail),
            posted: Condvar::new(),
            events: broadcast::Sender::new(EVENT_CAPACITY),
            control_loop: body.handle(),
            own_stops: AtomicU64::new(0),
        });
        let context = body.execution_context_for(rank, name);
        let moving = Moving { context, post: post.clone(), stream: None, refused: None };
        let thread = std::thread::Builder::new().name("motion".into()).spawn(move || moving.run())?;
        Ok(MotionExecutorThread { executor: MotionExecutor { post }, thread: Some(thread) })
    }

    /// Returns a handle.
    #[must_use]
    pub fn executor(&self) -> MotionExecutor {
        self.executor.clone()
    }
}

impl Drop for MotionExecutorThread {
    fn drop(&mut self) {
        let mut mail = self.executor.post.lock();
        mail.closing = true;
        let is_moving = mail.moving.is_some();
        drop(mail);
        self.executor.post.posted.notify_all();
        if is_moving {
            self.executor.stop_motion();
        }
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

impl MotionExecutor {
    /// Starts a move. `report` receives its result. Listeners receive its identifier.
    ///
    /// # Errors
    /// Returns [`MoveRunning`] while another move is running. `report` is not called then.
    pub fn begin(
        &self,
        id: Uuid,
        work: MoveRequest,
        report: impl FnOnce(Finished) + Send + 'static,
    ) -> Result<(), MoveRunning> {
        let mut mail = self.post.lock();
        if mail.moving.is_some() || mail.closing {
            return Err(MoveRunning);
        }
        mail.moving = Some(id);
        mail.target = None;
        let stop_epoch = self.post.control_loop.stop_epoch();
        let asked = Span::current();
        mail.jobs.push_back(Job::Move { id, work, stop_epoch, report: Box::new(report), asked });
        drop(mail);
        self.post.posted.notify_all();
        Ok(())
    }

    /// Changes the motors after the running motion.
    pub fn change(&self, change: MotorChange, report: impl FnOnce(Result<(), MotionError>) + Send + 'static) {
        let stop_epoch = self.post.control_loop.stop_epoch();
        let mut mail = self.post.lock();
        mail.jobs.push_back(Job::Change { change, stop_epoch, report: Box::new(report) });
        drop(mail);
        self.post.posted.notify_all();
    }

    /// Acquires control and keeps it, so that no lower priority moves the robot until [`MotionExecutor::release_control`].
    pub fn keep_control(&self, report: impl FnOnce(Result<(), MotionError>) + Send + 'static) {
        self.post.lock().jobs.push_back(Job::KeepControl { report: Box::new(report) });
        self.post.posted.notify_all();
    }

    /// Brakes its motion, and releases the kept control.
    pub fn release_control(&self) {
        self.end_motion(false);
    }

    /// Brakes its motion, and keeps the control for another client of it, so that no other priority gets it meanwhile.
    pub fn pass_control(&self) {
        self.end_motion(true);
    }

    fn end_motion(&self, keeps_control: bool) {
        let mut mail = self.post.lock();
        mail.keeps_control &= keeps_control;
        mail.target = None;
        mail.jobs.push_back(Job::ReleaseControl);
        drop(mail);
        self.stop_motion();
        self.post.posted.notify_all();
    }

    /// Follows these target parts from the next cycle on, together with the parts that arrived just before.
    ///
    /// # Errors
    /// Returns [`MoveRunning`] while a move is running. The target is ignored then.
    pub fn follow(&self, target: &Target) -> Result<(), MoveRunning> {
        let mut mail = self.post.lock();
        if mail.moving.is_some() || mail.closing {
            return Err(MoveRunning);
        }
        let stop_epoch = self.post.control_loop.stop_epoch();
        let before = mail.target.filter(|(_, heard)| *heard == stop_epoch).map(|(before, _)| before);
        mail.target = Some((is_over(before.unwrap_or_default(), target), stop_epoch));
        drop(mail);
        self.post.posted.notify_all();
        Ok(())
    }

    /// Checks whether a target is reachable from the present goal.
    ///
    /// # Errors
    /// Returns a [`MotionError`] with the reason.
    pub fn check(&self, target: &Target) -> Result<(), MotionError> {
        let snapshot = self.post.control_loop.snapshot();
        is_able(&snapshot)?;
        let period = self.post.control_loop.period();
        let motion = Motion::SetTarget { target: *target, ramps: Ramps::all(period) };
        planned(&motion, &snapshot, period, self.automatic_body_yaw()).map(|_| ())
    }

    /// Returns the running move.
    #[must_use]
    pub fn moving(&self) -> Option<Uuid> {
        self.post.lock().moving
    }

    /// Stops a move, which brakes to rest. Returns whether it was the running one.
    pub fn stop(&self, id: Uuid) -> bool {
        let plays = self.moving() == Some(id);
        if plays {
            self.stop_motion();
        }
        plays
    }

    /// Brakes any motion.
    pub fn stop_motion(&self) {
        self.post.own_stops.fetch_add(1, Ordering::AcqRel);
        self.post.control_loop.clone().send_command(LoopCommand::Stop);
    }

    /// Returns how often someone has stopped the robot, apart from the ends of single moves of this executor's clients.
    #[must_use]
    pub fn stops_by_others(&self) -> u64 {
        // In this order a stop of its own is never taken for one of others.
        let epoch = self.post.control_loop.stop_epoch();
        epoch.saturating_sub(self.post.own_stops.load(Ordering::Acquire))
    }

    /// Subscribes to the events of moves.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.post.events.subscribe()
    }

    /// Returns whether the body follows the head's yaw.
    #[must_use]
    pub fn automatic_body_yaw(&self) -> bool {
        self.post.lock().automatic_body_yaw
    }

    /// Returns a handle to the control loop.
    #[must_use]
    pub fn control_loop(&self) -> ControlLoopHandle {
        self.post.control_loop.clone()
    }
}

/// Merges two targets. Parts of the later one replace those of the earlier one.
fn is_over(earlier: Target, later: &Target) -> Target {
    Target {
        head: later.head.or(earlier.head),
        body_yaw: later.body_yaw.or(earlier.body_yaw),
        antennas: later.antennas.or(earlier.antennas),
    }
}

/// A stream of targets: the time of the last one.
///
/// A stop ends the whole stream. Targets that continue it without a pause belong to what was stopped.
struct Stream {
    last: Timestamp,
    /// Stop epoch.
    stop_epoch: u64,
}

struct Moving {
    context: ExecutionContext,
    post: Arc<Post>,
    stream: Option<Stream>,
    /// The reason why the last target was not followed, or not completely.
    refused: Option<MotionError>,
}

enum Next {
    Job(Job),
    Target(Target, u64),
    StreamEnded,
    Close,
}

impl Moving {
    fn run(mut self) {
        loop {
            match self.next() {
                Next::Job(Job::Move { id, work, stop_epoch, report, asked }) => {
                    self.end_stream();
                    let span = tracing::info_span!(parent: &asked, "move", id = Empty, move_id = %id);
                    if asked.is_none() {
                        span.record("id", tracing::field::display(id));
                    }
                    span.in_scope(|| self.carry_out(id, work, stop_epoch, report));
                }
                Next::Job(Job::Change { change, stop_epoch, report }) => {
                    self.end_stream();
                    self.context.begin(stop_epoch);
                    let done = self.change(change);
                    self.release_control();
                    report(done);
                }
                Next::Job(Job::KeepControl { report }) => {
                    self.context.begin(self.post.control_loop.stop_epoch());
                    let taken = self.context.acquire_control();
                    self.post.lock().keeps_control = taken.is_ok();
                    report(taken);
                }
                Next::Job(Job::ReleaseControl) => self.end_stream(),
                Next::Target(target, stop_epoch) => self.follow(&target, stop_epoch),
                Next::StreamEnded => self.end_stream(),
                Next::Close => return,
            }
        }
    }

    fn next(&mut self) -> Next {
        let mut mail = self.post.lock();
        loop {
            if mail.closing {
                return Next::Close;
            }
            if let Some(job) = mail.jobs.pop_front() {
                return Next::Job(job);
            }
            if let Some((target, stop_epoch)) = mail.target.take() {
                return Next::Target(target, stop_epoch);
            }
            if self.stream.is_none() {
                mail = self.post.posted.wait(mail).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (woken, waited) =
                self.post.posted.wait_timeout(mail, STREAM_TIMEOUT).unwrap_or_else(PoisonError::into_inner);
            mail = woken;
            if waited.timed_out() && mail.jobs.is_empty() && mail.target.is_none() {
                return Next::StreamEnded;
            }
        }
    }

    fn end_stream(&mut self) {
        self.stream = None;
        self.release_control();
    }

    fn release_control(&mut self) {
        if !self.post.lock().keeps_control {
            self.context.release_control();
        }
    }

    fn carry_out(&mut self, id: Uuid, work: MoveRequest, stop_epoch: u64, report: ReplySender) {
        self.context.begin(stop_epoch);
        self.context.automatic_body_yaw = self.post.lock().automatic_body_yaw;
        self.post.report(id, MoveStatus::Started, "");
        let done = self.run_move(work);
        self.release_control();
        let status = match &done {
            Ok(()) => MoveStatus::Completed,
            Err(_) if self.context.is_stopped() => MoveStatus::Cancelled,
            Err(_) => MoveStatus::Failed,
        };
        // The next move may start before listeners receive the event.
        self.post.lock().moving = None;
        self.post.report(id, status, done.as_ref().err().map_or("", String::as_str));
        report(done);
    }

    fn run_move(&mut self, work: MoveRequest) -> Finished {
        match work {
            MoveRequest::Motions(motions) => self.motions(&motions),
            MoveRequest::WakeUp => {
                self.context.torque(Joints::all(true)).map_err(|refusal| refusal.to_string())?;
                self.motions(&ExecutionContext::waking())
            }
            MoveRequest::GoToSleep { release } => {
                self.motions(&ExecutionContext::resting())?;
                if release {
                    self.context.torque(Joints::all(false)).map_err(|refusal| refusal.to_string())?;
                }
                Ok(())
            }
        }
    }

    fn motions(&mut self, motions: &[Motion]) -> Finished {
        motions.iter().try_for_each(|motion| match self.context.carry_out("move", motion).refusal {
            None => Ok(()),
            Some(refusal) => Err(refusal),
        })
    }

    fn change(&mut self, change: MotorChange) -> Result<(), MotionError> {
        match change {
            MotorChange::Torque(wanted) => {
                let now = self.context.control.snapshot().state.torque;
                self.context.torque(Joints::from_fn(|joint| wanted[joint].unwrap_or(now[joint]))).map(|_| ())
            }
            MotorChange::Control(control) => self.context.set_control_mode(control),
            MotorChange::AutomaticBodyYaw(on) => {
                self.post.lock().automatic_body_yaw = on;
                Ok(())
            }
        }
    }

    fn follow(&mut self, target: &Target, stop_epoch: u64) {
        self.context.begin(stop_epoch);
        self.context.automatic_body_yaw = self.post.lock().automatic_body_yaw;
        let now = self.context.control.robot_time();
        if let Some(stream) = self.stream.as_mut().filter(|stream| stream.stop_epoch != stop_epoch) {
            stream.last = now;
            self.warn(MotionError::Stopped);
            return;
        }
        let is_first = self.stream.is_none();
        let mut followed = self.context.set_target(target, now, None, is_first).map(|_| ());
        match &followed {
            Ok(()) => self.refused = None,
            Err(refusal) => self.warn(refusal.clone()),
        }
        // A head pose that is impossible does not prevent the other parts.
        let others = Target { head: None, ..*target };
        if followed.is_err() && target.head.is_some() && others != Target::default() {
            followed = self.context.set_target(&others, now, None, is_first).map(|_| ());
        }
        if followed.is_err() {
            if is_first {
                self.release_control();
            }
            return;
        }
        self.stream = Some(Stream { last: now, stop_epoch: self.context.stop_epoch() });
        // Targets that arrive before this one is commanded are merged.
        self.context.control.wait(&|_| true);
    }

    /// Logs each reason once per stream.
    fn warn(&mut self, refusal: MotionError) {
        if self.refused.as_ref() != Some(&refusal) {
            tracing::warn!("cannot follow a client's target: {refusal}");
            self.refused = Some(refusal);
        }
    }
}
