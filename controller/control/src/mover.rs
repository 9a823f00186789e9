//! Moves that clients of the API ask for: one at a time, each with an identifier, and streams of targets between them.
//!
//! Threads: one thread has the stage, plans and waits; everybody else posts to it and never waits for a beat.
//! Safety: it speaks to the arbiter with one voice, and gives the floor back when a move is done or a stream dries up,
//! unless it was told to keep it. A stop ends the move that plays, and what is posted before it is planned. Targets that come faster than the beat are
//! merged, so that a flood of them costs what a stream costs.

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

/// How long a stream of targets may pause before it has ended.
const DRY: Duration = Duration::from_millis(300);

/// Events that a slow listener may be behind; it misses the oldest then.
const EVENTS: usize = 256;

/// What a client asks for that takes time.
#[derive(Clone, Debug)]
pub enum Work {
    /// Motions, one after another.
    Motions(Vec<Motion>),
    /// All motors on, and the motions of waking up.
    WakeUp,
    /// The motions of going to sleep, then all motors off, unless they are to hold the head where it lies.
    GoToSleep {
        /// Whether the motors go off.
        release: bool,
    },
}

/// What is done to the motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Torque, motor by motor: none leaves it as it is.
    Torque(Joints<Option<bool>>),
    /// How they hold.
    Control(Control),
    /// Whether the body follows the head's yaw.
    AutomaticBodyYaw(bool),
}

/// What becomes of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stadium {
    /// It plays.
    Started,
    /// It has come to its end.
    Completed,
    /// It was refused, or the robot failed.
    Failed,
    /// It was stopped.
    Cancelled,
}

/// What is told of a move.
#[derive(Clone, Debug)]
pub struct Event {
    /// Which move.
    pub id: Uuid,
    /// What becomes of it.
    pub stadium: Stadium,
    /// Why, where it failed or was stopped.
    pub details: String,
}

/// How a move ended: the reason, where it did not come to its end.
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
    /// The move that plays or is about to.
    moving: Option<Uuid>,
    /// Parts of a target that are not yet on their way, and how often the body had been halted when they came.
    target: Option<(Target, u64)>,
    automatic_body_yaw: bool,
    /// Whether the floor is kept between moves.
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
        // Without listeners nobody is told.
        let _heard = self.events.send(Event { id, stadium, details: details.into() });
    }
}

/// A target that is not followed, because a move plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a move is running; targets are followed again when it has ended, or stop it first")]
pub struct MoveRunning;

/// Where clients post what they ask for; any number may be cloned.
#[derive(Clone)]
pub struct Mover {
    post: Arc<Post>,
}

/// The thread that moves. Dropping it brakes what plays and ends the thread.
pub struct MoverThread {
    mover: Mover,
    thread: Option<JoinHandle<()>>,
}

impl MoverThread {
    /// Starts the thread on this body; it speaks with this urgency and name.
    ///
    /// # Errors
    /// When the system gives no thread.
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

    /// A way to post to it.
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
    /// Begins a move; `tell` hears how it ended. Its identifier is told to those who listen, too.
    ///
    /// # Errors
    /// [`MoveRunning`] while another one plays; `tell` is not called then.
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

    /// Changes what the motors do, when what plays has ended.
    pub fn change(&self, change: Change, tell: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        let halts = self.post.pulse.halts();
        let mut mail = self.post.lock();
        mail.jobs.push_back(Job::Change { change, halts, tell: Box::new(tell) });
        drop(mail);
        self.post.posted.notify_all();
    }

    /// Takes the floor and keeps it, so that nobody less urgent moves the body until it is left.
    pub fn keep(&self, tell: impl FnOnce(Result<(), Refusal>) + Send + 'static) {
        self.post.lock().jobs.push_back(Job::Keep { tell: Box::new(tell) });
        self.post.posted.notify_all();
    }

    /// Brakes what it moves, and leaves the floor that was kept.
    pub fn leave(&self) {
        let mut mail = self.post.lock();
        mail.keeps = false;
        mail.target = None;
        mail.jobs.push_back(Job::Leave);
        drop(mail);
        self.halt();
        self.post.posted.notify_all();
    }

    /// Follows these parts of a target from the next beat on, and those that came just before them.
    ///
    /// # Errors
    /// [`MoveRunning`] while a move plays: it is not followed then.
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

    /// Whether a target can be reached from where the body is told to be.
    ///
    /// # Errors
    /// A [`Refusal`] says why not.
    pub fn check(&self, target: &Target) -> Result<(), Refusal> {
        let snapshot = self.post.pulse.snapshot();
        is_able(&snapshot)?;
        let period = self.post.pulse.period();
        let motion = Motion::SetTarget { target: *target, over: period };
        planned(&motion, &snapshot, period, self.automatic_body_yaw()).map(|_| ())
    }

    /// The move that plays.
    #[must_use]
    pub fn moving(&self) -> Option<Uuid> {
        self.post.lock().moving
    }

    /// Stops a move: it brakes to rest. Whether it was the one that plays.
    pub fn stop(&self, id: Uuid) -> bool {
        let plays = self.moving() == Some(id);
        if plays {
            self.halt();
        }
        plays
    }

    /// Brakes whatever moves.
    pub fn halt(&self) {
        self.post.pulse.clone().order(Order::Halt);
    }

    /// What becomes of moves from now on.
    #[must_use]
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.post.events.subscribe()
    }

    /// Whether the body follows the head's yaw.
    #[must_use]
    pub fn automatic_body_yaw(&self) -> bool {
        self.post.lock().automatic_body_yaw
    }

    /// The body that is moved.
    #[must_use]
    pub fn pulse(&self) -> PulseHandle {
        self.post.pulse.clone()
    }
}

/// The parts of the later target, and those of the earlier one that it leaves open.
fn over(earlier: Target, later: &Target) -> Target {
    Target {
        head: later.head.or(earlier.head),
        body_yaw: later.body_yaw.or(earlier.body_yaw),
        antennas: later.antennas.or(earlier.antennas),
    }
}

/// A stream of targets: what was asked for so far, and when last. A stop ends all of it: what comes on without a pause
/// is part of what was stopped.
struct Stream {
    aim: Target,
    last: Tick,
    /// How often the body had been halted.
    halts: u64,
}

struct Moving {
    stage: Stage,
    post: Arc<Post>,
    stream: Option<Stream>,
    /// Why the last target was not followed, or not all of it.
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
        // Before anybody hears of the end, the next move may come.
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
        // What can't be done of it keeps nothing else from being done.
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
        // What comes before this is on its way is merged.
        self.stage.conductor.wait(&|_| true);
    }

    /// Of a stream that can't be followed each reason is told once.
    fn warn(&mut self, refusal: Refusal) {
        if self.refused.as_ref() != Some(&refusal) {
            tracing::warn!("a client's target is not followed: {refusal}");
            self.refused = Some(refusal);
        }
    }
}
