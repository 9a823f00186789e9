//! A camera of any source: a thread that reads it, keeps the newest frame and opens it again when it fails. All who look see
//! the same frame; nothing waits in a queue and ages.

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

/// Where the head is now, and when that is on the robot's clock; none when it can't be told.
pub type View = Box<dyn Fn() -> Option<Viewpoint> + Send>;

/// How a source is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CaptureOptions {
    /// A source that knows its lens is believed; otherwise the given one holds for every source.
    pub own_lens: bool,
    /// From the moment when a picture is taken to its arrival here.
    pub latency: Duration,
    /// An older frame is none.
    pub stale_after: Duration,
    /// How long one look at the source waits; also how often the head's pose is looked at when no pictures come.
    pub wait: Duration,
    /// A source that says nothing for so long is opened again.
    pub patience: Duration,
    /// Before a source that failed is opened again: the first time, and at most. It doubles in between.
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

/// How a camera does, for people and metrics.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// What was chosen of what it can do; none while it is closed.
    pub format: Option<String>,
    /// Frames since the beginning.
    pub frames: u64,
    /// Pictures that came broken.
    pub skipped: u64,
    /// Frames a second, of the last of them; zero when none comes.
    pub rate: f64,
    /// How often it failed or could not be opened.
    pub failures: u64,
    /// What is wrong with it now.
    pub trouble: Option<Trouble>,
    /// What was wrong with it last, also when it is well again.
    pub last_trouble: Option<Trouble>,
}

/// The camera of a source. Its thread ends when it is dropped.
pub struct Capture {
    stale_after: Duration,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    /// Something of the state is new.
    changed: Condvar,
    clock: WallClock,
}

struct State {
    status: Status,
    lens: Lens,
    newest: Option<Newest>,
    /// The last picture came while the head's pose was not known.
    has_no_pose: bool,
    /// When the last frames came, on the machine's clock.
    came: VecDeque<Tick>,
    has_to_end: bool,
}

struct Newest {
    frame: Arc<Frame>,
    /// When it came, on the robot's clock.
    came: Tick,
}

/// So many frames are counted for the rate.
const COUNTED: usize = 30;

/// So many poses are remembered: several seconds of frames.
const POSES: usize = 256;

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Capture {
    /// Starts to read a source. `lens` is for any size of its pictures, where the source does not know its own; `view` is asked on the thread that reads.
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
            came: VecDeque::new(),
            has_to_end: false,
        };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), clock: WallClock::start() });
        let mut reader =
            Reader { source, lens, view, options, shared: shared.clone(), poses: Poses::default() };
        let begun = thread::Builder::new().name("camera".into()).spawn(move || reader.run());
        if let Err(error) = &begun {
            let trouble = Trouble::new(format!("no thread can be started ({error})"), "end other programs");
            shared.state().status.trouble = Some(trouble);
        }
        Capture { stale_after: options.stale_after, shared, thread: begun.ok() }
    }

    /// How it does.
    #[must_use]
    pub fn status(&self) -> Status {
        let state = self.shared.state();
        let mut status = state.status.clone();
        status.rate = rate(&state.came, self.shared.clock.now(), self.stale_after);
        status
    }

    /// Waits until `is_so` of its state, at most for `limit`; whether it is so then.
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
        let age = state.newest.as_ref().map(|newest| (newest, from.at.since(newest.came)));
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
                format!("it is silent for {:.1} s", age.as_secs_f64()),
                "it is opened again by itself; if that does not help, plug it out and in again",
            ),
            (None, None) => away("it has not given one yet".into(), "wait a moment and look again"),
        })
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.shared.state().has_to_end = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // What it panics with was told when it did.
            let _ended = thread.join();
        }
    }
}

fn rate(came: &VecDeque<Tick>, now: Tick, stale_after: Duration) -> f64 {
    let (Some(first), Some(last)) = (came.front(), came.back()) else { return 0.0 };
    let lasted = last.since(*first).as_secs_f64();
    if now.since(*last) > stale_after || lasted <= 0.0 {
        return 0.0;
    }
    (came.len() - 1) as f64 / lasted
}

/// What the thread has.
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
        while !self.has_to_end() {
            let before = self.shared.state().status.frames;
            let ended = catch_unwind(AssertUnwindSafe(|| self.read()));
            self.source.close();
            let trouble = match ended {
                Ok(Ok(())) => return,
                Ok(Err(trouble)) => trouble,
                Err(_) => {
                    Trouble::new("its reader failed", "report this as a fault of minismith, with the log")
                }
            };
            // Whoever gave pictures has a new start.
            if self.shared.state().status.frames > before {
                pause = self.options.pause.0;
            }
            self.tell(trouble);
            self.rest(pause);
            pause = (pause * 2).min(self.options.pause.1);
        }
    }

    /// Opens the source and reads it until it fails or has to end.
    fn read(&mut self) -> Result<(), Trouble> {
        self.source.open()?;
        let mut silent = Duration::ZERO;
        while !self.has_to_end() {
            let image = self.source.next(self.options.wait)?;
            let view = (self.view)();
            if let Some(view) = view {
                self.poses.remember(view);
            }
            match image {
                Some(image) => {
                    silent = Duration::ZERO;
                    self.keep(image, view);
                }
                None => {
                    silent = silent.saturating_add(self.options.wait);
                    if silent >= self.options.patience {
                        return Err(too_slow(silent));
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, image: Image, view: Option<Viewpoint>) {
        let from = view.and_then(|view| self.poses.at(back(view.at, self.options.latency)));
        let now = self.shared.clock.now();
        let own = self.source.lens().filter(|_| self.options.own_lens);
        let mut state = self.shared.state();
        state.lens = own.unwrap_or(self.lens);
        if state.status.trouble.take().is_some() || state.came.is_empty() {
            let format = self.source.format().unwrap_or_default();
            tracing::info!(camera = %self.source.name(), "the camera gives pictures: {format}");
        }
        state.has_no_pose = from.is_none();
        if let (Some(view), Some(from)) = (view, from) {
            let number = state.status.frames + 1;
            let frame = Arc::new(Frame::new(number, from, state.lens, image));
            state.status.frames = number;
            state.newest = Some(Newest { frame, came: view.at });
        }
        state.came.push_back(now);
        if state.came.len() > COUNTED {
            state.came.pop_front();
        }
        state.status.name = self.source.name();
        state.status.format = self.source.format();
        state.status.skipped = self.source.skipped();
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Keeps a trouble, and tells of it if there was none before: what follows until it is well again is shown by its status.
    fn tell(&self, trouble: Trouble) {
        let mut state = self.shared.state();
        if state.status.trouble.is_none() {
            tracing::warn!(camera = %self.source.name(), remedy = %trouble.remedy, "no pictures: {}", trouble.reason);
        }
        state.status.name = self.source.name();
        state.status.format = None;
        state.status.skipped = self.source.skipped();
        state.status.failures += 1;
        state.came.clear();
        state.status.last_trouble = Some(trouble.clone());
        state.status.trouble = Some(trouble);
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Rests until the source is tried again, or the end.
    fn rest(&self, pause: Duration) {
        let state = self.shared.state();
        let rested = self.shared.changed.wait_timeout_while(state, pause, |state| !state.has_to_end);
        drop(rested.unwrap_or_else(PoisonError::into_inner));
    }

    fn has_to_end(&self) -> bool {
        self.shared.state().has_to_end
    }
}

fn too_slow(silent: Duration) -> Trouble {
    Trouble::new(
        format!("it is silent for {:.1} s", silent.as_secs_f64()),
        "see that nothing else uses it; plug it out and in again, or into a port without a hub",
    )
}

fn back(at: Tick, by: Duration) -> Tick {
    Tick(at.0.saturating_sub(u64::try_from(by.as_nanos()).unwrap_or(u64::MAX)))
}

/// Where the head was lately.
#[derive(Default)]
struct Poses(VecDeque<Viewpoint>);

impl Poses {
    fn remember(&mut self, view: Viewpoint) {
        // Between two beats it is the same; a clock that began anew has no past.
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

    /// Where the head was then: between the poses before and after it. Before all of them it was where it was first seen.
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

/// A part of the way from one pose to another.
fn between(one: &Isometry3<f64>, other: &Isometry3<f64>, part: f64) -> Isometry3<f64> {
    let place = one.translation.vector.lerp(&other.translation.vector, part);
    // Half a turn apart, no way is the shorter one.
    let turn = one.rotation.try_slerp(&other.rotation, part, 1e-9).unwrap_or(other.rotation);
    Isometry3::from_parts(place.into(), turn)
}

#[cfg(test)]
mod tests;
