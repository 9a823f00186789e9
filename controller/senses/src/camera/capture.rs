//! Reads any camera source on a thread ([`Capture`]), stores the latest frame, and reopens a source that failed.
//!
//! All callers share the same frame. No queue holds frames that would grow old.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use firmware_bridge::camera::Lens;
use firmware_bridge::clock::{Clock, Tick, WallClock};
use firmware_bridge::posture::HeadPose;
use nalgebra::Isometry3;

use super::source::{Source, Trouble};
use super::{Camera, NoFrame};
use crate::frame::{Frame, Image, Viewpoint};

/// Returns the current head pose and its robot time, or `None` if the pose is unknown.
pub type View = Box<dyn Fn() -> Option<Viewpoint> + Send>;

/// Options for reading a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaptureOptions {
    /// Whether to use the intrinsics that a source reports. Otherwise the configured ones apply to every source.
    pub own_lens: bool,
    /// Delay from exposure to arrival in this process.
    pub latency: Duration,
    /// Age from which the latest frame no longer counts.
    pub stale_after: Duration,
    /// How long one read of the source waits. The head pose is sampled at this interval while no images arrive.
    pub wait: Duration,
    /// How long a source may stay silent before it is reopened.
    pub patience: Duration,
    /// Wait before a failed source is reopened: first and longest. It doubles from one to the other.
    pub pause: (Duration, Duration),
}

impl Default for CaptureOptions {
    fn default() -> Self {
        CaptureOptions {
            own_lens: true,
            latency: Duration::from_millis(60),
            stale_after: Duration::from_secs(2),
            wait: Duration::from_millis(50),
            patience: Duration::from_secs(5),
            pause: (Duration::from_millis(500), Duration::from_secs(5)),
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
    pub trouble: Option<Trouble>,
    /// Last error, also after recovery.
    pub last_trouble: Option<Trouble>,
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
    clock: WallClock,
}

struct State {
    status: Status,
    lens: Lens,
    newest: Option<Newest>,
    /// Whether the last image arrived while the head pose was unknown.
    has_no_pose: bool,
    /// Arrival times of the last frames, on the monotonic clock.
    arrived: VecDeque<Tick>,
    is_ending: bool,
}

struct Newest {
    frame: Arc<Frame>,
    /// Arrival, in robot time.
    arrived: Tick,
}

/// Number of frames over which the rate is measured.
const COUNTED: usize = 30;

/// Number of stored head poses: several seconds of frames.
const POSES: usize = 256;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    /// Starts reading a source.
    ///
    /// `lens` applies to images of any size, unless the source reports its own intrinsics. `view` is called on the reading
    /// thread.
    #[must_use]
    pub fn start(source: Box<dyn Source>, lens: Lens, view: View, options: CaptureOptions) -> Self {
        let status = Status {
            name: source.name(),
            format: None,
            frames: 0,
            skipped: 0,
            rate: 0.0,
            failures: 0,
            trouble: None,
            last_trouble: None,
        };
        let state = State {
            status,
            lens,
            newest: None,
            has_no_pose: false,
            arrived: VecDeque::new(),
            is_ending: false,
        };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), clock: WallClock::start() });
        let mut reader =
            Reader { source, lens, view, options, shared: shared.clone(), poses: Poses::default() };
        let spawned = thread::Builder::new().name("camera".into()).spawn(move || reader.run());
        if let Err(error) = &spawned {
            let trouble = Trouble::new(format!("cannot start a thread ({error})"), "close other programs");
            shared.state().status.trouble = Some(trouble);
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

    fn lens(&self) -> Lens {
        self.shared.state().lens
    }

    fn newest(&self, from: &Viewpoint) -> Result<Arc<Frame>, NoFrame> {
        let state = self.shared.state();
        let age = state.newest.as_ref().map(|newest| (newest, from.at.since(newest.arrived)));
        if let Some((newest, _)) = age.filter(|(_, age)| *age <= self.stale_after) {
            return Ok(newest.frame.clone());
        }
        let status = &state.status;
        let away = |reason: String, remedy: &str| NoFrame::Away {
            camera: status.name.clone(),
            reason,
            remedy: remedy.into(),
        };
        Err(match (&status.trouble, age) {
            (Some(trouble), _) => away(trouble.reason.clone(), &trouble.remedy),
            (None, _) if state.has_no_pose => NoFrame::NoPose,
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

fn rate(arrived: &VecDeque<Tick>, now: Tick, stale_after: Duration) -> f64 {
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
    lens: Lens,
    view: View,
    options: CaptureOptions,
    shared: Arc<Shared>,
    poses: Poses,
}

impl Reader {
    fn run(&mut self) {
        let mut pause = self.options.pause.0;
        while !self.is_ending() {
            let before = self.shared.state().status.frames;
            let ended = catch_unwind(AssertUnwindSafe(|| self.read()));
            self.source.close();
            let trouble = match ended {
                Ok(Ok(())) => return,
                Ok(Err(trouble)) => trouble,
                Err(_) => Trouble::new("the reading thread panicked", "report this bug with the log"),
            };
            // A source that delivered images starts again with the shortest wait.
            if self.shared.state().status.frames > before {
                pause = self.options.pause.0;
            }
            self.report(trouble);
            self.wait_before_retry(pause);
            pause = (pause * 2).min(self.options.pause.1);
        }
    }

    /// Opens the source and reads it until it fails or the capture is dropped.
    fn read(&mut self) -> Result<(), Trouble> {
        self.source.open()?;
        let mut silent = Duration::ZERO;
        while !self.is_ending() {
            let image = self.source.next(self.options.wait)?;
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
                    silent = silent.saturating_add(self.options.wait);
                    if silent >= self.options.patience {
                        return Err(silent_source(silent));
                    }
                }
            }
        }
        Ok(())
    }

    fn store(&mut self, image: Image, view: Option<Viewpoint>) {
        let from = view.and_then(|view| self.poses.at(back(view.at, self.options.latency)));
        let now = self.shared.clock.now();
        let own = self.source.lens().filter(|_| self.options.own_lens);
        let mut state = self.shared.state();
        state.lens = own.unwrap_or(self.lens);
        if state.status.trouble.take().is_some() || state.arrived.is_empty() {
            let format = self.source.format().unwrap_or_default();
            tracing::info!(camera = %self.source.name(), "the camera delivers images: {format}");
        }
        state.has_no_pose = from.is_none();
        if let (Some(view), Some(from)) = (view, from) {
            let number = state.status.frames + 1;
            let frame = Arc::new(Frame::new(number, from, state.lens, image));
            state.status.frames = number;
            state.newest = Some(Newest { frame, arrived: view.at });
        }
        state.arrived.push_back(now);
        if state.arrived.len() > COUNTED {
            state.arrived.pop_front();
        }
        state.status.name = self.source.name();
        state.status.format = self.source.format();
        state.status.skipped = self.source.skipped();
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Stores an error and logs it if there was none before. Later errors until recovery only appear in the status.
    fn report(&self, trouble: Trouble) {
        let mut state = self.shared.state();
        if state.status.trouble.is_none() {
            tracing::warn!(camera = %self.source.name(), remedy = %trouble.remedy, "no images: {}", trouble.reason);
        }
        state.status.name = self.source.name();
        state.status.format = None;
        state.status.skipped = self.source.skipped();
        state.status.failures += 1;
        state.arrived.clear();
        state.status.last_trouble = Some(trouble.clone());
        state.status.trouble = Some(trouble);
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

fn silent_source(silent: Duration) -> Trouble {
    Trouble::new(
        format!("no images for {:.1} s", silent.as_secs_f64()),
        "close other programs that use it; unplug it and plug it in again, or into a port without a hub",
    )
}

fn back(at: Tick, by: Duration) -> Tick {
    Tick(at.0.saturating_sub(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX)))
}

/// Recent head poses.
#[derive(Default)]
struct Poses(VecDeque<Viewpoint>);

impl Poses {
    fn remember(&mut self, view: Viewpoint) {
        // Between two control cycles the pose stays the same. A clock that restarted invalidates the history.
        match self.0.back() {
            Some(last) if last.at == view.at => return,
            Some(last) if last.at > view.at => self.0.clear(),
            _ => {}
        }
        self.0.push_back(view);
        if self.0.len() > POSES {
            self.0.pop_front();
        }
    }

    /// Interpolates the head pose at a time. Before the first stored pose it returns that one.
    fn at(&self, at: Tick) -> Option<Viewpoint> {
        let after = self.0.partition_point(|view| view.at < at);
        let next = self.0.get(after).or(self.0.back())?;
        let Some(before) = after.checked_sub(1).and_then(|before| self.0.get(before)) else {
            return Some(Viewpoint { at, head: next.head });
        };
        let span = next.at.since(before.at).as_secs_f64();
        let part = if span > 0.0 { (at.since(before.at).as_secs_f64() / span).min(1.0) } else { 1.0 };
        Some(Viewpoint { at, head: HeadPose(between(&before.head.0, &next.head.0, part)) })
    }
}

/// Interpolates between two poses.
fn between(one: &Isometry3<f64>, other: &Isometry3<f64>, part: f64) -> Isometry3<f64> {
    let place = one.translation.vector.lerp(&other.translation.vector, part);
    // For a rotation of 180 degrees neither direction is shorter.
    let turn = one.rotation.try_slerp(&other.rotation, part, 1e-9).unwrap_or(other.rotation);
    Isometry3::from_parts(place.into(), turn)
}

#[cfg(test)]
mod tests;
