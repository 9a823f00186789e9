//! The robot's own head motion while no client moves it: it follows a face if that is switched on.
//!
//! Threads: one of its own, which waits for images. Callers only post requests. Safety: it has the lowest priority and
//! releases control after each small motion, so other clients always find control free. A stop ends the tracking, which
//! starts again only on request.

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

/// Time to wait after a missing image.
const BLIND: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Wanted {
    /// Weight of the tracking, and the stop epoch of its request. `None` switches the tracking off.
    follow: Option<(f64, u64)>,
    /// Number of requests.
    words: u64,
    /// The face in the latest image.
    seen: Option<SeenFace>,
    /// The reason why nothing can be detected.
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

/// A cloneable handle that switches the tracking on and off.
#[derive(Clone)]
pub struct Attention {
    post: Arc<Post>,
}

/// The present result of the tracking.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    /// Whether tracking is on.
    pub is_on: bool,
    /// The followed face, if it is in the latest image.
    pub face: Option<SeenFace>,
    /// The reason why nothing can be detected.
    pub trouble: Option<String>,
}

/// The thread that follows faces. Dropping it ends the thread.
pub struct AttentionThread {
    attention: Attention,
    thread: Option<JoinHandle<()>>,
}

impl AttentionThread {
    /// Starts the thread for this robot. It is idle until tracking is requested.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(body: &Body) -> std::io::Result<Self> {
        let post = Arc::new(Post { wanted: Mutex::default(), said: Condvar::new(), pulse: body.handle() });
        let stage = body.stage_for(Rank::Idle, "the robot itself");
        let attending = post.clone();
        let thread =
            std::thread::Builder::new().name("attention".into()).spawn(move || attend(&attending, stage))?;
        Ok(AttentionThread { attention: Attention { post }, thread: Some(thread) })
    }

    /// Returns a handle.
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
    /// Follows a face with this weight: 1 looks at it, 0 only observes it.
    pub fn follow(&self, weight: f64) {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 1.0 };
        let halts = self.post.pulse.halts();
        self.say(Some((weight, halts)));
    }

    /// Stops following.
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

    /// Returns the present result.
    #[must_use]
    pub fn noticed(&self) -> Noticed {
        let wanted = self.post.lock();
        Noticed { is_on: wanted.follow.is_some(), face: wanted.seen, trouble: wanted.trouble.clone() }
    }
}

/// Waits for a request and follows.
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

/// Follows until the next request.
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
                tracing::warn!("cannot follow a face: {}", trouble.as_deref().unwrap_or_default());
            }
            (wanted.seen, wanted.trouble) = (gaze.seen(), trouble);
            if stage.is_stopped() {
                (wanted.follow, wanted.seen) = (None, None);
                return;
            }
            if let Err(no) = looked {
                // A missing model does not appear soon, so it is checked rarely. A camera may come back at any time.
                let wait = if matches!(no, NoSight::Model(_)) { Duration::from_secs(10) } else { BLIND };
                let _said = post.said.wait_timeout(wanted, wait);
                continue;
            }
        }
        if weight > 0.0 {
            match gaze.aim(stage) {
                Ok(_) | Err(Refusal::Stopped) => {}
                // Another client moves the robot, or it cannot move. Tracking continues from its later position.
                Err(_) => gaze.let_go(),
            }
            stage.leave_floor();
        }
        stage.pass_until(next_picture(stage.conductor.stage_now(), stage.conductor.period()));
    }
}
