//! The robot's own head motion while no client moves it: it follows a face if that is switched on.
//!
//! Threads: one of its own, which waits for images. Callers only post requests. Safety: it has the lowest priority and
//! releases control after each small motion, so other clients always find control free. A stop ends the tracking, which
//! starts again only on request.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use firmware_bridge::motion::MotionError;
use firmware_bridge::posture::HeadPose;
use minismith_perception::gaze::FollowOptions;

use crate::arbiter::Priority;
use crate::execution::ExecutionContext;
use crate::gaze::{Gaze, SeenFace, next_image};
use crate::perception::PerceptionError;
use crate::robot::RobotRuntime;

/// Time to wait after a missing image.
const NO_IMAGE_TIMEOUT: Duration = Duration::from_millis(500);

#[derive(Default)]
struct TrackingRequest {
    /// Weight of the tracking, and the stop epoch of its request. `None` switches the tracking off.
    follow: Option<(f64, u64)>,
    /// Number of requests.
    messages: u64,
    /// The face in the latest image.
    seen: Option<SeenFace>,
    /// The reason why nothing can be detected.
    error: Option<String>,
    closing: bool,
}

struct Post {
    wanted: Mutex<TrackingRequest>,
    said: Condvar,
    control_loop: ControlLoopHandle,
}

impl Post {
    fn lock(&self) -> MutexGuard<'_, TrackingRequest> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A cloneable handle that switches the tracking on and off.
#[derive(Clone)]
pub struct HeadTracking {
    post: Arc<Post>,
}

/// The present result of the tracking.
#[derive(Clone, Debug, Default)]
pub struct TrackingStatus {
    /// Whether tracking is on.
    pub is_on: bool,
    /// The followed face, if it is in the latest image.
    pub face: Option<SeenFace>,
    /// The reason why nothing can be detected.
    pub error: Option<String>,
}

/// The thread that follows faces. Dropping it ends the thread.
pub struct HeadTrackingThread {
    head_tracking: HeadTracking,
    thread: Option<JoinHandle<()>>,
}

impl HeadTrackingThread {
    /// Starts the thread for this robot. It is idle until tracking is requested.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(body: &RobotRuntime) -> std::io::Result<Self> {
        let post =
            Arc::new(Post { wanted: Mutex::default(), said: Condvar::new(), control_loop: body.handle() });
        let context = body.execution_context_for(Priority::Idle, "the robot itself");
        let attending = post.clone();
        let thread = std::thread::Builder::new()
            .name("attention".into())
            .spawn(move || attend(&attending, context))?;
        Ok(HeadTrackingThread { head_tracking: HeadTracking { post }, thread: Some(thread) })
    }

    /// Returns a handle.
    #[must_use]
    pub fn head_tracking(&self) -> HeadTracking {
        self.head_tracking.clone()
    }
}

impl Drop for HeadTrackingThread {
    fn drop(&mut self) {
        self.head_tracking.post.lock().closing = true;
        self.head_tracking.post.said.notify_all();
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

impl HeadTracking {
    /// Follows a face with this weight: 1 looks at it, 0 only observes it.
    pub fn follow(&self, weight: f64) {
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 1.0 };
        let stop_epoch = self.post.control_loop.stop_epoch();
        self.send(Some((weight, stop_epoch)));
    }

    /// Stops following.
    pub fn end(&self) {
        self.send(None);
    }

    fn send(&self, follow: Option<(f64, u64)>) {
        let mut wanted = self.post.lock();
        wanted.follow = follow;
        wanted.messages += 1;
        (wanted.seen, wanted.error) = (None, None);
        drop(wanted);
        self.post.said.notify_all();
    }

    /// Returns the present result.
    #[must_use]
    pub fn status(&self) -> TrackingStatus {
        let wanted = self.post.lock();
        TrackingStatus { is_on: wanted.follow.is_some(), face: wanted.seen, error: wanted.error.clone() }
    }
}

/// Waits for a request and follows.
fn attend(post: &Post, mut context: ExecutionContext) {
    loop {
        let mut wanted = post.lock();
        let (weight, stop_epoch) = loop {
            if wanted.closing {
                return;
            }
            match wanted.follow {
                Some(follow) => break follow,
                None => wanted = post.said.wait(wanted).unwrap_or_else(PoisonError::into_inner),
            }
        };
        let words = wanted.messages;
        drop(wanted);
        context.begin(stop_epoch);
        follow(post, &mut context, weight, words);
        context.release_control();
    }
}

/// Follows until the next request.
fn follow(post: &Post, context: &mut ExecutionContext, weight: f64, words: u64) {
    let mut gaze = Gaze::new(FollowOptions { weight, ..FollowOptions::default() }, HeadPose::neutral());
    loop {
        let looked = gaze.look(context);
        let error = looked.as_ref().err().map(ToString::to_string);
        {
            let mut wanted = post.lock();
            if wanted.closing || wanted.messages != words {
                return;
            }
            if error.is_some() && wanted.error != error {
                tracing::warn!("cannot follow a face: {}", error.as_deref().unwrap_or_default());
            }
            (wanted.seen, wanted.error) = (gaze.seen(), error);
            if context.is_stopped() {
                (wanted.follow, wanted.seen) = (None, None);
                return;
            }
            if let Err(no) = looked {
                // A missing model does not appear soon, so it is checked rarely. A camera may come back at any time.
                let wait = if matches!(no, PerceptionError::Model(_)) {
                    Duration::from_secs(10)
                } else {
                    NO_IMAGE_TIMEOUT
                };
                let _said = post.said.wait_timeout(wanted, wait);
                continue;
            }
        }
        if weight > 0.0 {
            match gaze.aim(context) {
                Ok(_) | Err(MotionError::Stopped) => {}
                // Another client moves the robot, or it cannot move. Tracking continues from its later position.
                Err(_) => gaze.let_go(),
            }
            context.release_control();
        }
        context.advance_to(next_image(context.control.robot_time(), context.control.period()));
    }
}
