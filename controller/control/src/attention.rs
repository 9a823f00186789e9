//! What the head does by itself while nobody else moves it: it follows a face, when it was told to.
//!
//! Threads: one of its own, which waits for pictures; whoever switches it only posts. Safety: it speaks to the arbiter with the
//! least urgent voice and gives the floor back after each small motion, so that whoever wants to move finds it free. A stop
//! ends it, and it begins again only when it is told to.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::motion::Refusal;
use firmware_bridge::posture::HeadPose;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use minismith_senses::gaze::Manner;

use crate::arbiter::Rank;
use crate::body::Body;
use crate::eyes::NoSight;
use crate::gaze::{Gaze, SeenFace, next_picture};
use crate::stage::Stage;

/// How long it waits after a picture that could not be had.
const BLIND: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Wanted {
    /// With which weight it follows, and how often the body had been halted when that was said; none means not at all.
    follow: Option<(f64, u64)>,
    /// Counts what was said.
    words: u64,
    /// The face in the newest picture.
    seen: Option<SeenFace>,
    /// Why nothing can be seen.
    trouble: Option<String>,
    closing: bool,
}

struct Post {
    wanted: Mutex<Wanted>,
    said: Condvar,
    pulse: PulseHandle,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where it is switched on and off; any number may be cloned.
#[derive(Clone)]
pub struct Attention {
    post: Arc<Post>,
}

/// What it sees now.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    /// Whether it looks for faces.
    pub is_on: bool,
    /// The face that it follows, when that is in the newest picture.
    pub face: Option<SeenFace>,
    /// Why nothing can be seen.
    pub trouble: Option<String>,
}

/// The thread that follows. Dropping it ends it.
pub struct AttentionThread {
    attention: Attention,
    thread: Option<JoinHandle<()>>,
}

impl AttentionThread {
    /// Starts the thread on this body; it does nothing until it is told to.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(body: &Body) -> std::io::Result<Self> {
        let post = Arc::new(Post { wanted: Mutex::default(), said: Condvar::new(), pulse: body.handle() });
        let stage = body.stage_for(Rank::Idle, "the robot itself");
        let attending = post.clone();
        let thread =
            std::thread::Builder::new().name("attention".into()).spawn(move || attend(&attending, stage))?;
        Ok(AttentionThread { attention: Attention { post }, thread: Some(thread) })
    }

    /// A way to switch it.
    #[must_use]
    pub fn attention(&self) -> Attention {
        self.attention.clone()
    }
}

impl Drop for AttentionThread {
    fn drop(&mut self) {
        self.attention.post.lock().closing = true;
        self.attention.post.said.notify_all();
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

impl Attention {
    /// Follows a face from now on, with this weight: 1 looks at it, 0 only watches it.
    pub fn follow(&self, weight: f64) {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 1.0 };
        let halts = self.post.pulse.halts();
        self.say(Some((weight, halts)));
    }

    /// Follows nothing any more.
    pub fn end(&self) {
        self.say(None);
    }

    fn say(&self, follow: Option<(f64, u64)>) {
        let mut wanted = self.post.lock();
        wanted.follow = follow;
        wanted.words += 1;
        (wanted.seen, wanted.trouble) = (None, None);
        drop(wanted);
        self.post.said.notify_all();
    }

    /// What it sees now.
    #[must_use]
    pub fn noticed(&self) -> Noticed {
        let wanted = self.post.lock();
        Noticed { is_on: wanted.follow.is_some(), face: wanted.seen, trouble: wanted.trouble.clone() }
    }
}

/// Waits until it is told to follow, and does.
fn attend(post: &Post, mut stage: Stage) {
    loop {
        let mut wanted = post.lock();
        let (weight, halts) = loop {
            if wanted.closing {
                return;
            }
            match wanted.follow {
                Some(follow) => break follow,
                None => wanted = post.said.wait(wanted).unwrap_or_else(PoisonError::into_inner),
            }
        };
        let words = wanted.words;
        drop(wanted);
        stage.begin(halts);
        follow(post, &mut stage, weight, words);
        stage.leave_floor();
    }
}

/// Follows until something else is said.
fn follow(post: &Post, stage: &mut Stage, weight: f64, words: u64) {
    let mut gaze = Gaze::new(Manner { weight, ..Manner::default() }, HeadPose::neutral());
    loop {
        let looked = gaze.look(stage);
        let trouble = looked.as_ref().err().map(ToString::to_string);
        {
            let mut wanted = post.lock();
            if wanted.closing || wanted.words != words {
                return;
            }
            if trouble.is_some() && wanted.trouble != trouble {
                tracing::warn!("no face can be followed: {}", trouble.as_deref().unwrap_or_default());
            }
            (wanted.seen, wanted.trouble) = (gaze.seen(), trouble);
            if stage.is_stopped() {
                (wanted.follow, wanted.seen) = (None, None);
                return;
            }
            if let Err(no) = looked {
                // A model that is not installed is not looked for time and again; a camera comes back.
                let wait = if matches!(no, NoSight::Model(_)) { Duration::from_secs(10) } else { BLIND };
                let _said = post.said.wait_timeout(wanted, wait);
                continue;
            }
        }
        if weight > 0.0 {
            match gaze.aim(stage) {
                Ok(_) | Err(Refusal::Stopped) => {}
                // Somebody else moves the body, or it can't be moved: from where it is then it goes on.
                Err(_) => gaze.let_go(),
            }
            stage.leave_floor();
        }
        stage.pass_until(next_picture(stage.conductor.stage_now(), stage.conductor.period()));
    }
}
