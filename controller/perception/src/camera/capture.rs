//! Reads any camera source on a thread ([`Capture`]), stores the latest frame, and reopens a source that failed.
//!
//! All callers share the same frame. No queue holds frames that would grow old.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use firmware_bridge::camera::CameraIntrinsics;
use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::posture::HeadPose;
use nalgebra::Isometry3;

use super::source::{Source, SourceError};
use super::{Camera, CameraError};
use crate::frame::{CameraPose, Frame, Image};

/// Returns the current head pose and its robot time, or `None` if the pose is unknown.
pub type View = Box<dyn Fn() -> Option<CameraPose> + Send>;

/// Options for reading a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaptureOptions {
    /// Whether to use the intrinsics that a source reports. Otherwise the configured ones apply to every source.
    pub intrinsics: bool,
    /// Delay from exposure to arrival in this process.
    pub latency: Duration,
    /// Age from which the latest frame no longer counts.
    pub stale_after: Duration,
    /// How long one read of the source waits. The head pose is sampled at this interval while no images arrive.
    pub frame_timeout: Duration,
    /// How long a source may stay silent before it is reopened.
    pub open_timeout: Duration,
    /// Wait before a failed source is reopened: first and longest. It doubles from one to the other.
    pub retry_interval: (Duration, Duration),
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions {
            intrinsics: true,
            latency: Duration::from_millis(60),
            stale_after: Duration::from_secs(2),
            frame_timeout: Duration::from_millis(50),
            open_timeout: Duration::from_secs(5),
            retry_interval: (Duration::from_millis(500), Duration::from_secs(5)),
        }
    }
}

/// State of a camera, for users and metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Display name.
    pub name: String,
    /// Format chosen from those that the camera offers, or `None` while it is closed.
    pub format: Option<String>,
    /// Frames since the start.
    pub frames: u64,
    /// Damaged images that were skipped.
    pub skipped: u64,
    /// Frame rate in Hz over the last frames, or zero when none arrive.
    pub rate: f64,
    /// How often it failed or could not be opened.
    pub failures: u64,
    /// Current error.
    pub error: Option<SourceError>,
    /// Last error, also after recovery.
    pub last_error: Option<SourceError>,
}

/// Camera that reads a source on its own thread. Dropping it ends the thread.
pub struct Capture {
    stale_after: Duration,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Signals each change of the state.
    changed: Condvar,
    clock: MonotonicClock,
}

struct State {
    status: Status,
    intrinsics: CameraIntrinsics,
    latest: Option<LatestFrame>,
    /// Whether the last image arrived while the head pose was unknown.
    has_no_pose: bool,
    /// Arrival times of the last frames, on the monotonic clock.
    arrived: VecDeque<Timestamp>,
    is_ending: bool,
}

struct LatestFrame {
    frame: Arc<Frame>,
    /// Arrival, in robot time.
    arrived: Timestamp,
}

/// Number of frames over which the rate is measured.
const RATE_WINDOW: usize = 30;

/// Number of stored head poses: several seconds of frames.
const POSE_CAPACITY: usize = 256;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    /// Starts reading a source.
    ///
    /// `intrinsics` applies to images of any size, unless the source reports its own intrinsics. `view` is called on the reading
    /// thread.
    #[must_use]
    pub fn start(
        source: Box<dyn Source>,
        intrinsics: CameraIntrinsics,
        view: View,
        options: CaptureOptions,
    ) -> Self {
        let status = Status {
            name: source.name(),
            format: None,
            frames: 0,
            skipped: 0,
            rate: 0.0,
            failures: 0,
            error: None,
            last_error: None,
        };
        let state = State {
            status,
            intrinsics,
            latest: None,
            has_no_pose: false,
            arrived: VecDeque::new(),
            is_ending: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            clock: MonotonicClock::start(),
        });
        let mut reader =
            Reader { source, intrinsics, view, options, shared: shared.clone(), poses: Poses::default() };
        let spawned = thread::Builder::new().name("camera".into()).spawn(move || reader.run());
        if let Err(error) = &spawned {
            let trouble =
                SourceError::new(format!("cannot start a thread ({error})"), "close other programs");
            shared.state().status.error = Some(trouble);
        }
        Capture { stale_after: options.stale_after, shared, thread: spawned.ok() }
    }

    /// Returns the current state.
    #[must_use]
    pub fn status(&self) -> Status {
        let state = self.shared.state();
        let mut status = state.status.clone();
        status.rate = rate(&state.arrived, self.shared.clock.now(), self.stale_after);
        status
    }

    /// Waits until `is_so` holds for the state, for at most `limit`, and returns whether it holds.
    pub fn wait_until(&self, limit: Duration, is_so: impl Fn(&Status) -> bool) -> bool {
        let state = self.shared.state();
        let waited = self.shared.changed.wait_timeout_while(state, limit, |state| !is_so(&state.status));
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        is_so(&state.status)
    }
}

impl Camera for Capture {
    fn name(&self) -> String {
        self.shared.state().status.name.clone()
    }

    fn intrinsics(&self) -> CameraIntrinsics {
        self.shared.state().intrinsics
    }

    fn latest_frame(&self, from: &CameraPose) -> Result<Arc<Frame>, CameraError> {
        let state = self.shared.state();
        let age = state.latest.as_ref().map(|newest| (newest, from.time.since(newest.arrived)));
        if let Some((newest, _)) = age.filter(|(_, age)| *age <= self.stale_after) {
            return Ok(newest.frame.clone());
        }
        let status = &state.status;
        let away = |reason: String, remedy: &str| CameraError::Unavailable {
            camera: status.name.clone(),
            reason,
            remedy: remedy.into(),
        };
        Err(match (&status.error, age) {
            (Some(error), _) => away(error.reason.clone(), &error.remedy),
            (None, _) if state.has_no_pose => CameraError::PoseUnknown,
            (None, Some((_, age))) => away(
                format!("no images for {:.1} s", age.as_secs_f64()),
                "it is reopened automatically; if that does not help, unplug it and plug it in again",
            ),
            (None, None) => away("no image has arrived yet".into(), "wait a moment and try again"),
        })
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.shared.state().is_ending = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic is already in the log.
            let _ended = thread.join();
        }
    }
}

fn rate(arrived: &VecDeque<Timestamp>, now: Timestamp, stale_after: Duration) -> f64 {
    let (Some(first), Some(last)) = (arrived.front(), arrived.back()) else { return 0.0 };
    let lasted = last.since(*first).as_secs_f64();
    if now.since(*last) > stale_after || lasted <= 0.0 {
        return 0.0;
    }
    (arrived.len() - 1) as f64 / lasted
}

/// State of the reading thread.
struct Reader {
    source: Box<dyn Source>,
    intrinsics: CameraIntrinsics,
    view: View,
    options: CaptureOptions,
    shared: Arc<Shared>,
    poses: Poses,
}

impl Reader {
    fn run(&mut self) {
        let mut pause = self.options.retry_interval.0;
        while !self.is_ending() {
            let before = self.shared.state().status.frames;
            let ended = catch_unwind(AssertUnwindSafe(|| self.read()));
            self.source.close();
            let error = match ended {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(_) => SourceError::new("the reading thread panicked", "report this bug with the log"),
            };
            // A source that delivered images starts again with the shortest wait.
            if self.shared.state().status.frames > before {
                pause = self.options.retry_interval.0;
            }
            self.report(error);
            self.wait_before_retry(pause);
            pause = (pause * 2).min(self.options.retry_interval.1);
        }
    }

    /// Opens the source and reads it until it fails or the capture is dropped.
    fn read(&mut self) -> Result<(), SourceError> {
        self.source.open()?;
        let mut silent = Duration::ZERO;
        while !self.is_ending() {
            let image = self.source.next(self.options.frame_timeout)?;
            let view = (self.view)();
            if let Some(view) = view {
                self.poses.remember(view);
            }
            match image {
                Some(image) => {
                    silent = Duration::ZERO;
                    self.store(image, view);
                }
                None => {
                    silent = silent.saturating_add(self.options.frame_timeout);
                    if silent >= self.options.open_timeout {
                        return Err(silent_source(silent));
                    }
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, image: Image, view: Option<CameraPose>) {
        let from = view.and_then(|view| self.poses.at(back(view.time, self.options.latency)));
        let now = self.shared.clock.now();
        let own = self.source.intrinsics().filter(|_| self.options.intrinsics);
        let mut state = self.shared.state();
        state.intrinsics = own.unwrap_or(self.intrinsics);
        if state.status.error.take().is_some() || state.arrived.is_empty() {
            let format = self.source.format().unwrap_or_default();
            tracing::info!(camera = %self.source.name(), "the camera delivers images: {format}");
        }
        state.has_no_pose = from.is_none();
        if let (Some(view), Some(from)) = (view, from) {
            let number = state.status.frames + 1;
            let frame = Arc::new(Frame::new(number, from, state.intrinsics, image));
            state.status.frames = number;
            state.latest = Some(LatestFrame { frame, arrived: view.time });
        }
        state.arrived.push_back(now);
        if state.arrived.len() > RATE_WINDOW {
            state.arrived.pop_front();
        }
        state.status.name = self.source.name();
        state.status.format = self.source.format();
        state.status.skipped = self.source.skipped();
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Stores an error and logs it if there was none before. Later errors until recovery only appear in the status.
    fn report(&self, error: SourceError) {
        let mut state = self.shared.state();
        if state.status.error.is_none() {
            tracing::warn!(camera = %self.source.name(), remedy = %error.remedy, "no images: {}", error.reason);
        }
        state.status.name = self.source.name();
        state.status.format = None;
        state.status.skipped = self.source.skipped();
        state.status.failures += 1;
        state.arrived.clear();
        state.status.last_error = Some(error.clone());
        state.status.error = Some(error);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits for the next attempt to open the source, or for the end.
    fn wait_before_retry(&self, pause: Duration) {
        let state = self.shared.state();
        let rested = self.shared.changed.wait_timeout_while(state, pause, |state| !state.is_ending);
        drop(rested.unwrap_or_else(PoisonError::into_inner));
    }

    fn is_ending(&self) -> bool {
        self.shared.state().is_ending
    }
}

fn silent_source(silent: Duration) -> SourceError {
    SourceError::new(
        format!("no images for {:.1} s", silent.as_secs_f64()),
        "close other programs that use it; unplug it and plug it in again, or into a port without a hub",
    )
}

fn back(at: Timestamp, by: Duration) -> Timestamp {
    Timestamp(at.0.saturating_sub(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX)))
}

/// Recent head poses.
#[derive(Default)]
struct Poses(VecDeque<CameraPose>);

impl Poses {
    fn remember(&mut self, view: CameraPose) {
        // Between two control cycles the pose stays the same. A clock that restarted invalidates the history.
        match self.0.back() {
            Some(last) if last.time == view.time => return,
            Some(last) if last.time > view.time => self.0.clear(),
            _ => {}
        }
        self.0.push_back(view);
        if self.0.len() > POSE_CAPACITY {
            self.0.pop_front();
        }
    }

    /// Interpolates the head pose at a time. Before the first stored pose it returns that one.
    fn at(&self, at: Timestamp) -> Option<CameraPose> {
        let after = self.0.partition_point(|view| view.time < at);
        let next = self.0.get(after).or(self.0.back())?;
        let Some(before) = after.checked_sub(1).and_then(|before| self.0.get(before)) else {
            return Some(CameraPose { time: at, head: next.head });
        };
        let span = next.time.since(before.time).as_secs_f64();
        let part = if span > 0.0 { (at.since(before.time).as_secs_f64() / span).min(1.0) } else { 1.0 };
        Some(CameraPose { time: at, head: HeadPose(between(&before.head.0, &next.head.0, part)) })
    }
}

/// Interpolates between two poses.
fn between(one: &Isometry3<f64>, other: &Isometry3<f64>, part: f64) -> Isometry3<f64> {
    let position = one.translation.vector.lerp(&other.translation.vector, part);
    // For a rotation of 180 degrees neither direction is shorter.
    let turn = one.rotation.try_slerp(&other.rotation, part, 1e-9).unwrap_or(other.rotation);
    Isometry3::from_parts(position.into(), turn)
}

#[cfg(test)]
mod tests;
