//! Executes moves for API clients, one at a time and each with an identifier, and streams of targets between them.
//!
//! Threads: one thread owns the execution context, plans and waits. Callers post to it and never wait for a cycle.
//! Safety: it has one claim. It releases control when a move is done or a stream ends, unless it should keep control. A
//! stop ends the running move, and posted moves before they are planned. Targets that arrive faster than the cycles are
//! merged, so a flood of them costs no more than a stream.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Motion, Refusal, Target};
use firmware_bridge::pulse::{Conductor, Control, Order, PulseHandle};
use tokio::sync::broadcast;
use tracing::Span;
use tracing::field::Empty;
use uuid::Uuid;

use crate::arbiter::Rank;
use crate::body::Body;
use crate::stage::{Stage, is_able, planned, ramp};

/// Maximum pause within a stream of targets.
const DRY: Duration = Duration::from_millis(300);

/// Capacity of the event queue of a listener. A slow listener misses the oldest events.
const EVENTS: usize = 256;

/// A request that takes time.
#[derive(Clone, Debug)]
pub enum Work {
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
pub enum Change {
    /// Torque by motor. `None` leaves it unchanged.
    Torque(Joints<Option<bool>>),
    /// Control mode.
    Control(Control),
    /// Whether the body follows the head's yaw.
    AutomaticBodyYaw(bool),
}

/// The status of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stadium {
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
    pub stadium: Stadium,
    /// The reason for a failure or a stop.
    pub details: String,
}

/// The result of a move, with the reason if it did not reach its end.
pub type Done = Result<(), String>;

type Tell = Box<dyn FnOnce(Done) + Send>;

enum Job {
    Move { id: Uuid, work: Work, halts: u64, tell: Tell, asked: Span },
    Change { change: Change, halts: u64, tell: Box<dyn FnOnce(Result<(), Refusal>) + Send> },
    Keep { tell: Box<dyn FnOnce(Result<(), Refusal>) + Send> },
    Leave,
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
    keeps: bool,
    closing: bool,
}

struct Post {
    mail: Mutex<Mail>,
    posted: Condvar,
    events: broadcast::Sender<Event>,
    pulse: PulseHandle,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, id: Uuid, stadium: Stadium, details: &str) {
        // Without listeners there is nothing to do.
        let _heard = self.events.send(Event { id, stadium, details: details.into() });
    }
}

/// A target is rejected because a move is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a move is running; targets are followed again when it has ended, or stop it first")]
pub struct MoveRunning;

/// A cloneable handle to which clients post their requests.
#[derive(Clone)]
pub struct Mover {
    post: Arc<Post>,
}

/// The thread that executes moves. Dropping it brakes the running motion and ends the thread.
pub struct MoverThread {
    mover: Mover,
    thread: Option<JoinHandle<()>>,
}

impl MoverThread {
    /// Starts the thread for this robot with this priority and name.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(body: &Body, rank: Rank, name: &str) -> std::io::Result<Self> {
        let mail = Mail { automatic_body_yaw: true, ..Mail::default() };
        let post = Arc::new(Post {
            mail: Mutex::new(mail),
            posted: Condvar::new(),
            events: broadcast::Sender::new(EVENTS),
            pulse: body.handle(),
        });
        let stage = body.stage_for(rank, name);
        let moving = Moving { stage, post: post.clone(), stream: None, refused: None };
        let thread = std::thread::Builder::new().name("mover".into()).spawn(move || moving.run())?;
        Ok(MoverThread { mover: Mover { post }, thread: Some(thread) })
    }

    /// Returns a handle.
    #[must_use]
    pub fn mover(&self) -> Mover {
        self.mover.clone()
    }
}

impl Drop for MoverThread {
    fn drop(&mut self) {
        let mut mail = self.mover.post.lock();
        mail.closing = true;
        let is_moving = mail.moving.is_some();
        drop(mail);
        self.mover.post.posted.notify_all();
        if is_moving {
            self.mover.halt();
        }
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

impl Mover {
    /// Starts a move. `tell` receives its result. Listeners receive its identifier.
    ///
    /// # Errors
    /// Returns [`MoveRunning`] while another move is running. `tell` is not called then.
    pub fn begin(
        &self,
        id: Uuid,
        work: Work,
        tell: impl FnOnce(Done) + Send + 'static,
    ) -> Result<(), MoveRunning> {
        let mut mail = self.post.lock();
        if mail.moving.is_some() || mail.closing {
            return Err(MoveRunning);
        }
        mail.moving = Some(id);
        mail.target = None;
        let halts = self.post.pulse.halts();
        let asked = Span::current();
        mail.jobs.push_back(Job::Move { id, work, halts, tell: Box::new(tell), asked });
        drop(mail);
        self.post.posted.notify_all();
        Ok(())
    }

    /// Changes the motors after the running motion.
    pub fn change(&self, change: Change, tell: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let halts = self.post.pulse.halts();
        let mut mail = self.post.lock();
        mail.jobs.push_back(Job::Change { change, halts, tell: Box::new(tell) });
        drop(mail);
        self.post.posted.notify_all();
    }

    /// Acquires control and keeps it, so that no lower priority moves the robot until [`Mover::leave`].
    pub fn keep(&self, tell: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        self.post.lock().jobs.push_back(Job::Keep { tell: Box::new(tell) });
        self.post.posted.notify_all();
    }

    /// Brakes its motion, and releases the kept control.
    pub fn leave(&self) {
        let mut mail = self.post.lock();
        mail.keeps = false;
        mail.target = None;
        mail.jobs.push_back(Job::Leave);
        drop(mail);
        self.halt();
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
        let halts = self.post.pulse.halts();
        let before = mail.target.filter(|(_, heard)| *heard == halts).map(|(before, _)| before);
        mail.target = Some((over(before.unwrap_or_default(), target), halts));
        drop(mail);
        self.post.posted.notify_all();
        Ok(())
    }

    /// Checks whether a target is reachable from the present goal.
    ///
    /// # Errors
    /// Returns a [`Refusal`] with the reason.
    pub fn check(&self, target: &Target) -> Result<(), Refusal> {
        let snapshot = self.post.pulse.snapshot();
        is_able(&snapshot)?;
        let period = self.post.pulse.period();
        let motion = Motion::SetTarget { target: *target, over: period };
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
            self.halt();
        }
        plays
    }

    /// Brakes any motion.
    pub fn halt(&self) {
        self.post.pulse.clone().order(Order::Halt);
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
    pub fn pulse(&self) -> PulseHandle {
        self.post.pulse.clone()
    }
}

/// Merges two targets. Parts of the later one replace those of the earlier one.
fn over(earlier: Target, later: &Target) -> Target {
    Target {
        head: later.head.or(earlier.head),
        body_yaw: later.body_yaw.or(earlier.body_yaw),
        antennas: later.antennas.or(earlier.antennas),
    }
}

/// A stream of targets: the requested target so far, and the time of the last one.
///
/// A stop ends the whole stream. Targets that continue it without a pause belong to what was stopped.
struct Stream {
    aim: Target,
    last: Tick,
    /// Stop epoch.
    halts: u64,
}

struct Moving {
    stage: Stage,
    post: Arc<Post>,
    stream: Option<Stream>,
    /// The reason why the last target was not followed, or not completely.
    refused: Option<Refusal>,
}

enum Next {
    Job(Job),
    Target(Target, u64),
    Dry,
    Close,
}

impl Moving {
    fn run(mut self) {
        loop {
            match self.next() {
                Next::Job(Job::Move { id, work, halts, tell, asked }) => {
                    self.end_stream();
                    let span = tracing::info_span!(parent: &asked, "move", id = Empty, move_id = %id);
                    if asked.is_none() {
                        span.record("id", tracing::field::display(id));
                    }
                    span.in_scope(|| self.carry_out(id, work, halts, tell));
                }
                Next::Job(Job::Change { change, halts, tell }) => {
                    self.end_stream();
                    self.stage.begin(halts);
                    let done = self.change(change);
                    self.leave_floor();
                    tell(done);
                }
                Next::Job(Job::Keep { tell }) => {
                    self.stage.begin(self.post.pulse.halts());
                    let taken = self.stage.take_floor();
                    self.post.lock().keeps = taken.is_ok();
                    tell(taken);
                }
                Next::Job(Job::Leave) => self.end_stream(),
                Next::Target(target, halts) => self.follow(&target, halts),
                Next::Dry => self.end_stream(),
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
            if let Some((target, halts)) = mail.target.take() {
                return Next::Target(target, halts);
            }
            if self.stream.is_none() {
                mail = self.post.posted.wait(mail).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let (woken, waited) =
                self.post.posted.wait_timeout(mail, DRY).unwrap_or_else(PoisonError::into_inner);
            mail = woken;
            if waited.timed_out() && mail.jobs.is_empty() && mail.target.is_none() {
                return Next::Dry;
            }
        }
    }

    fn end_stream(&mut self) {
        self.stream = None;
        self.leave_floor();
    }

    fn leave_floor(&mut self) {
        if !self.post.lock().keeps {
            self.stage.leave_floor();
        }
    }

    fn carry_out(&mut self, id: Uuid, work: Work, halts: u64, tell: Tell) {
        self.stage.begin(halts);
        self.stage.automatic_body_yaw = self.post.lock().automatic_body_yaw;
        self.post.tell(id, Stadium::Started, "");
        let done = self.work(work);
        self.leave_floor();
        let stadium = match &done {
            Ok(()) => Stadium::Completed,
            Err(_) if self.stage.is_stopped() => Stadium::Cancelled,
            Err(_) => Stadium::Failed,
        };
        // The next move may start before listeners receive the event.
        self.post.lock().moving = None;
        self.post.tell(id, stadium, done.as_ref().err().map_or("", String::as_str));
        tell(done);
    }

    fn work(&mut self, work: Work) -> Done {
        match work {
            Work::Motions(motions) => self.motions(&motions),
            Work::WakeUp => {
                self.stage.torque(Joints::all(true)).map_err(|refusal| refusal.to_string())?;
                self.motions(&Stage::waking())
            }
            Work::GoToSleep { release } => {
                self.motions(&Stage::resting())?;
                if release {
                    self.stage.torque(Joints::all(false)).map_err(|refusal| refusal.to_string())?;
                }
                Ok(())
            }
        }
    }

    fn motions(&mut self, motions: &[Motion]) -> Done {
        motions.iter().try_for_each(|motion| match self.stage.carry_out("move", motion).refusal {
            None => Ok(()),
            Some(refusal) => Err(refusal),
        })
    }

    fn change(&mut self, change: Change) -> Result<(), Refusal> {
        match change {
            Change::Torque(wanted) => {
                let now = self.stage.conductor.snapshot().state.torque;
                self.stage.torque(Joints::from_fn(|joint| wanted[joint].unwrap_or(now[joint]))).map(|_| ())
            }
            Change::Control(control) => self.stage.control(control),
            Change::AutomaticBodyYaw(on) => {
                self.post.lock().automatic_body_yaw = on;
                Ok(())
            }
        }
    }

    fn follow(&mut self, target: &Target, halts: u64) {
        self.stage.begin(halts);
        self.stage.automatic_body_yaw = self.post.lock().automatic_body_yaw;
        let now = self.stage.conductor.stage_now();
        if let Some(stream) = self.stream.as_mut().filter(|stream| stream.halts != halts) {
            stream.last = now;
            self.warn(Refusal::Stopped);
            return;
        }
        let gap = self.stream.as_ref().map(|stream| now.since(stream.last));
        let ramp = ramp(gap, self.stage.conductor.period());
        let earlier = self.stream.as_ref().map(|stream| stream.aim).unwrap_or_default();
        let aim = over(earlier, target);
        let planned = self.stage.plan(&Motion::SetTarget { target: aim, over: ramp });
        // A part that is impossible does not prevent the others.
        let (aim, planned, refused) = match planned {
            Err(refusal) if target.head.is_some() => {
                let aim = Target { head: earlier.head, ..aim };
                (aim, self.stage.plan(&Motion::SetTarget { target: aim, over: ramp }), Some(refusal))
            }
            Err(refusal) => (earlier, Err(refusal.clone()), Some(refusal)),
            planned => (aim, planned, None),
        };
        match refused {
            Some(refusal) => self.warn(refusal),
            None => self.refused = None,
        }
        let Ok(trajectory) = planned else {
            if self.stream.is_none() {
                self.leave_floor();
            }
            return;
        };
        self.stage.follow(trajectory, self.stream.is_none());
        self.stream = Some(Stream { aim, last: now, halts: self.stage.halts() });
        // Targets that arrive before this one is commanded are merged.
        self.stage.conductor.wait(&|_| true);
    }

    /// Logs each reason once per stream.
    fn warn(&mut self, refusal: Refusal) {
        if self.refused.as_ref() != Some(&refusal) {
            tracing::warn!("cannot follow a client's target: {refusal}");
            self.refused = Some(refusal);
        }
    }
}
