//! Tests [`Capture`] with a source that a test controls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use firmware_bridge::clock::VirtualClock;
use nalgebra::{Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::camera::files::Files;
use crate::camera::jpeg::tests::jpeg;

/// Next event at the source.
enum SourceEvent {
    Image(u8),
    Unplugged,
    Bug,
}

struct Scripted {
    events: Receiver<SourceEvent>,
    /// Number of opening attempts that fail from now on.
    failing_opens: Arc<AtomicUsize>,
    drops: Arc<AtomicUsize>,
    is_open: bool,
}

impl Source for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn format(&self) -> Option<String> {
        self.is_open.then(|| "MJPG 64x48".into())
    }

    fn intrinsics(&self) -> Option<CameraIntrinsics> {
        self.is_open.then(|| CameraIntrinsics::pinhole(640, 480))
    }

    fn open(&mut self) -> Result<(), SourceError> {
        assert!(!self.is_open, "the source was opened twice");
        let failing_opens = |left: usize| left.checked_sub(1);
        if self.failing_opens.fetch_update(Ordering::SeqCst, Ordering::SeqCst, failing_opens).is_ok() {
            return Err(SourceError::new("scripted is not connected", "plug it in"));
        }
        self.is_open = true;
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, SourceError> {
        match self.events.recv_timeout(wait) {
            Ok(SourceEvent::Image(shade)) => Ok(Some(Image::Jpeg(jpeg(shade)))),
            Ok(SourceEvent::Unplugged) => Err(SourceError::new("scripted was unplugged", "plug it in")),
            Ok(SourceEvent::Bug) => panic!("a bug in this source"),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(SourceError::new("the test ended", "nothing")),
        }
    }

    fn close(&mut self) {
        self.is_open = false;
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// A capture with its source and its head pose.
struct Fixture {
    capture: Capture,
    events: Sender<SourceEvent>,
    view: Arc<Mutex<Option<CameraPose>>>,
    failing_opens: Arc<AtomicUsize>,
    drops: Arc<AtomicUsize>,
}

/// Longer than any test takes. No test waits for it to pass.
const LIMIT: Duration = Duration::from_secs(60);

fn options() -> CaptureOptions {
    CaptureOptions {
        latency: Duration::ZERO,
        open_timeout: Duration::MAX,
        retry_interval: (Duration::from_millis(1), Duration::from_millis(1)),
        ..CaptureOptions::default()
    }
}

fn context(options: CaptureOptions) -> Fixture {
    let (events, receiver) = channel();
    let (failing_opens, drops) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let source = Scripted {
        events: receiver,
        failing_opens: failing_opens.clone(),
        drops: drops.clone(),
        is_open: false,
    };
    let view = Arc::new(Mutex::new(Some(looking(0, 0.0))));
    let seen = view.clone();
    let capture = Capture::start(
        Box::new(source),
        CameraIntrinsics::pinhole(64, 48),
        Box::new(move || *seen.lock().unwrap()),
        options,
    );
    Fixture { capture, events, view, failing_opens, drops }
}

/// Returns a head pose with this yaw in radians at this time in milliseconds.
fn looking(milliseconds: u64, yaw: f64) -> CameraPose {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
    let head = HeadPose(Isometry3::from_parts(Translation3::new(yaw, 0.0, 0.0), turn));
    CameraPose { time: Timestamp(milliseconds * 1_000_000), head }
}

impl Fixture {
    /// Delivers one image and waits until it has arrived.
    fn image(&self, shade: u8) {
        let before = self.capture.status().frames;
        self.events.send(SourceEvent::Image(shade)).unwrap();
        assert!(self.capture.wait_until(LIMIT, |status| status.frames > before));
    }

    fn look(&self, milliseconds: u64) -> Result<Arc<Frame>, CameraError> {
        self.capture.latest_frame(&looking(milliseconds, 0.0))
    }

    fn look_from(&self, view: Option<CameraPose>) {
        *self.view.lock().unwrap() = view;
    }
}

#[test]
fn newest_returns_the_latest_frame_to_all_callers() {
    let stage = context(options());
    let before = stage.look(0).unwrap_err().to_string();
    assert!(before.contains("no image has arrived yet"), "{before}");
    for shade in 1..=5 {
        stage.image(shade);
    }
    let (one, other) = (stage.look(0).unwrap(), stage.look(1).unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!((one.seq, one.jpeg().unwrap().as_ref()), (5, jpeg(5).as_slice()));
    // No caller asked for pixels, so nothing was decoded.
    assert!(!one.is_decoded());
    one.image().unwrap();
    assert!(other.is_decoded());
    let status = stage.capture.status();
    assert_eq!((status.name.as_str(), status.frames, status.failures), ("scripted", 5, 0));
    assert_eq!(status.format.as_deref(), Some("MJPG 64x48"));
}

#[test]
fn capture_uses_the_sources_intrinsics_unless_disabled() {
    for (own_intrinsics, width) in [(true, 640.0), (false, 64.0)] {
        let stage = context(CaptureOptions { intrinsics: own_intrinsics, ..options() });
        assert_eq!(stage.capture.intrinsics().width, 64.0);
        stage.image(1);
        assert_eq!(stage.capture.intrinsics().width, width);
    }
}

#[test]
fn frames_carry_the_head_pose_at_exposure() {
    let stage = context(CaptureOptions { latency: Duration::from_millis(75), ..options() });
    stage.look_from(Some(looking(1_000, 0.2)));
    stage.image(1);
    // Times before the first known pose use that pose.
    let first = stage.look(1_000).unwrap();
    assert_eq!(first.from.time, Timestamp(925_000_000));
    stage.look_from(Some(looking(1_100, 0.6)));
    stage.image(2);
    let second = stage.look(1_100).unwrap();
    assert_eq!(second.from.time, Timestamp(1_025_000_000));
    let head = second.from.head.0;
    assert!((head.rotation.euler_angles().2 - 0.3).abs() < 1e-9, "{head}");
    assert!((head.translation.x - 0.3).abs() < 1e-9, "{head}");
}

#[test]
fn poses_are_bounded_and_cleared_when_the_clock_restarts() {
    let mut poses = Poses::default();
    assert!(poses.at(Timestamp(5)).is_none());
    for milliseconds in 0..1_000 {
        poses.remember(looking(milliseconds, 0.001 * milliseconds as f64));
    }
    assert_eq!(poses.0.len(), POSE_CAPACITY);
    let yaw =
        |poses: &Poses, nanos: u64| poses.at(Timestamp(nanos)).unwrap().head.0.rotation.euler_angles().2;
    assert!((yaw(&poses, 900_500_000) - 0.9005).abs() < 1e-9);
    assert!((yaw(&poses, 5_000_000_000) - 0.999).abs() < 1e-9);
    poses.remember(looking(10, 1.0));
    assert_eq!(poses.0.len(), 1);
    // A rotation of 180 degrees has no shorter direction.
    poses.remember(looking(20, 1.0 + std::f64::consts::PI));
    assert!(poses.at(Timestamp(15_000_000)).is_some());
}

#[test]
fn unplugged_source_is_reported_once_its_last_frame_is_stale_and_recovers() {
    let stage = context(options());
    stage.image(1);
    stage.failing_opens.store(3, Ordering::SeqCst);
    stage.events.send(SourceEvent::Unplugged).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures >= 4));
    // A young frame is still valid.
    assert_eq!(stage.look(1_999).unwrap().seq, 1);
    let status = stage.capture.status();
    let trouble = SourceError::new("scripted is not connected", "plug it in");
    assert_eq!((status.error, status.format), (Some(trouble.clone()), None));
    let error = stage.look(2_001).unwrap_err();
    assert_eq!(error.to_string(), "scripted delivers no images: scripted is not connected; plug it in");
    stage.look_from(Some(looking(3_000, 0.0)));
    stage.image(2);
    assert_eq!(stage.look(3_000).unwrap().seq, 2);
    let status = stage.capture.status();
    assert_eq!((status.error, status.last_error, status.failures), (None, Some(trouble), 4));
}

#[test]
fn silent_source_is_reported_and_reopened() {
    let quiet = context(options());
    quiet.image(1);
    let error = quiet.look(2_100).unwrap_err().to_string();
    assert!(error.contains("no images for 2.1 s"), "{error}");
    let impatient = context(CaptureOptions {
        frame_timeout: Duration::from_millis(1),
        open_timeout: Duration::ZERO,
        ..options()
    });
    assert!(impatient.capture.wait_until(LIMIT, |status| status.failures >= 2));
    let trouble = impatient.capture.status().last_error.unwrap();
    assert!(trouble.reason.contains("no images"), "{trouble}");
}

#[test]
fn newest_fails_while_the_head_pose_is_unknown() {
    let stage = context(options());
    stage.image(1);
    stage.look_from(None);
    stage.events.send(SourceEvent::Image(2)).unwrap();
    // The source sends this event only after the image was read.
    stage.events.send(SourceEvent::Unplugged).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures == 1));
    assert_eq!(stage.look(1_000).unwrap().seq, 1);
    stage.events.send(SourceEvent::Image(3)).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.error.is_none()));
    assert_eq!(stage.look(9_000).unwrap_err(), CameraError::PoseUnknown);
}

#[test]
fn capture_survives_a_panic_in_the_source() {
    let stage = context(options());
    stage.events.send(SourceEvent::Bug).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures == 1));
    stage.image(7);
    assert_eq!(stage.look(0).unwrap().seq, 1);
    assert!(stage.capture.status().last_error.unwrap().remedy.contains("report"));
}

#[test]
fn thread_ends_on_drop_while_reading_and_while_waiting() {
    let reading = context(options());
    reading.image(1);
    drop(reading.capture);
    assert_eq!(reading.drops.load(Ordering::SeqCst), 1);
    let day = Duration::from_secs(86_400);
    let resting = context(CaptureOptions { retry_interval: (day, day), ..options() });
    resting.events.send(SourceEvent::Unplugged).unwrap();
    assert!(resting.capture.wait_until(LIMIT, |status| status.failures == 1));
    drop(resting.capture);
    assert_eq!(resting.drops.load(Ordering::SeqCst), 1);
}

#[test]
fn rate_covers_the_last_frames_and_is_zero_when_they_are_stale() {
    let arrived: VecDeque<Timestamp> = (0..30).map(|at| Timestamp(at * 40_000_000)).collect();
    let after = Duration::from_secs(2);
    assert!((rate(&arrived, Timestamp(1_200_000_000), after) - 25.0).abs() < 1e-9);
    assert_eq!(rate(&arrived, Timestamp(4_000_000_000), after), 0.0);
    assert_eq!(rate(&VecDeque::new(), Timestamp(1), after), 0.0);
    assert_eq!(rate(&VecDeque::from([Timestamp(1)]), Timestamp(1), after), 0.0);
}

#[test]
fn capture_reads_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.jpg"), jpeg(9)).unwrap();
    let files = Files::new(folder.path().into(), 30.0, Arc::new(VirtualClock::new()));
    let view: View = Box::new(|| Some(looking(0, 0.0)));
    let camera = Capture::start(Box::new(files), CameraIntrinsics::pinhole(64, 48), view, options());
    assert!(camera.wait_until(LIMIT, |status| status.frames >= 3));
    assert_eq!(camera.latest_frame(&looking(0, 0.0)).unwrap().jpeg().unwrap().as_ref(), jpeg(9).as_slice());
}
