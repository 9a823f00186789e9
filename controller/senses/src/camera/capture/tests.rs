//! A source that does what a test says, when it says it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};

use firmware_bridge::clock::VirtualClock;
use nalgebra::{Translation3, UnitQuaternion, Vector3};

use super::*;
use crate::camera::files::Files;
use crate::camera::jpeg::tests::jpeg;

/// What happens at a source next.
enum Happens {
    Picture(u8),
    Unplugged,
    Bug,
}

struct Scripted {
    happens: Receiver<Happens>,
    /// How many openings fail from now on.
    refuses: Arc<AtomicUsize>,
    gone: Arc<AtomicUsize>,
    is_open: bool,
}

impl Source for Scripted {
    fn name(&self) -> String {
        "scripted".into()
    }

    fn format(&self) -> Option<String> {
        self.is_open.then(|| "MJPG 64x48".into())
    }

    fn lens(&self) -> Option<Lens> {
        self.is_open.then(|| Lens::pinhole(640, 480))
    }

    fn open(&mut self) -> Result<(), Trouble> {
        assert!(!self.is_open, "it was opened twice");
        let refuses = |left: usize| left.checked_sub(1);
        if self.refuses.fetch_update(Ordering::SeqCst, Ordering::SeqCst, refuses).is_ok() {
            return Err(Trouble::new("there is no scripted", "plug it in"));
        }
        self.is_open = true;
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, Trouble> {
        match self.happens.recv_timeout(wait) {
            Ok(Happens::Picture(shade)) => Ok(Some(Image::Jpeg(jpeg(shade)))),
            Ok(Happens::Unplugged) => Err(Trouble::new("it was unplugged", "plug it in")),
            Ok(Happens::Bug) => panic!("a bug of this source"),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Trouble::new("the test has ended", "nothing")),
        }
    }

    fn close(&mut self) {
        self.is_open = false;
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.gone.fetch_add(1, Ordering::SeqCst);
    }
}

/// A capture and what is around it.
struct Stage {
    capture: Capture,
    happens: Sender<Happens>,
    view: Arc<Mutex<Option<Viewpoint>>>,
    refuses: Arc<AtomicUsize>,
    gone: Arc<AtomicUsize>,
}

/// Longer than any test may take; nothing here waits for it to pass.
const LIMIT: Duration = Duration::from_secs(60);

fn options() -> CaptureOptions {
    CaptureOptions {
        latency: Duration::ZERO,
        patience: Duration::MAX,
        pause: (Duration::from_millis(1), Duration::from_millis(1)),
        ..CaptureOptions::default()
    }
}

fn stage(options: CaptureOptions) -> Stage {
    let (happens, receiver) = channel();
    let (refuses, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let source = Scripted { happens: receiver, refuses: refuses.clone(), gone: gone.clone(), is_open: false };
    let view = Arc::new(Mutex::new(Some(looking(0, 0.0))));
    let seen = view.clone();
    let capture = Capture::start(
        Box::new(source),
        Lens::pinhole(64, 48),
        Box::new(move || *seen.lock().unwrap()),
        options,
    );
    Stage { capture, happens, view, refuses, gone }
}

/// The head turned by so many radians, after so many milliseconds.
fn looking(milliseconds: u64, yaw: f64) -> Viewpoint {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
    let head = HeadPose(Isometry3::from_parts(Translation3::new(yaw, 0.0, 0.0), turn));
    Viewpoint { at: Tick(milliseconds * 1_000_000), head }
}

impl Stage {
    /// A picture is taken and has come.
    fn picture(&self, shade: u8) {
        let before = self.capture.status().frames;
        self.happens.send(Happens::Picture(shade)).unwrap();
        assert!(self.capture.wait_until(LIMIT, |status| status.frames > before));
    }

    fn look(&self, milliseconds: u64) -> Result<Arc<Frame>, NoFrame> {
        self.capture.newest(&looking(milliseconds, 0.0))
    }

    fn look_from(&self, view: Option<Viewpoint>) {
        *self.view.lock().unwrap() = view;
    }
}

#[test]
fn a_slow_looker_gets_the_newest_and_two_at_once_get_the_same() {
    let stage = stage(options());
    let before = stage.look(0).unwrap_err().to_string();
    assert!(before.contains("has not given one yet"), "{before}");
    for shade in 1..=5 {
        stage.picture(shade);
    }
    let (one, other) = (stage.look(0).unwrap(), stage.look(1).unwrap());
    assert!(Arc::ptr_eq(&one, &other));
    assert_eq!((one.number, one.jpeg().unwrap().as_ref()), (5, jpeg(5).as_slice()));
    // Nobody asked for pixels, so nothing was decoded.
    assert!(!one.is_decoded());
    one.picture().unwrap();
    assert!(other.is_decoded());
    let status = stage.capture.status();
    assert_eq!((status.name.as_str(), status.frames, status.failures), ("scripted", 5, 0));
    assert_eq!(status.format.as_deref(), Some("MJPG 64x48"));
}

#[test]
fn a_source_that_knows_its_lens_is_believed_unless_a_person_says_otherwise() {
    for (own_lens, width) in [(true, 640.0), (false, 64.0)] {
        let stage = stage(CaptureOptions { own_lens, ..options() });
        assert_eq!(stage.capture.lens().width, 64.0);
        stage.picture(1);
        assert_eq!(stage.capture.lens().width, width);
    }
}

#[test]
fn a_frame_is_from_where_the_head_was_when_it_was_taken() {
    let stage = stage(CaptureOptions { latency: Duration::from_millis(75), ..options() });
    stage.look_from(Some(looking(1_000, 0.2)));
    stage.picture(1);
    // Before all that is known, it is where the head was first seen.
    let first = stage.look(1_000).unwrap();
    assert_eq!(first.from.at, Tick(925_000_000));
    stage.look_from(Some(looking(1_100, 0.6)));
    stage.picture(2);
    let second = stage.look(1_100).unwrap();
    assert_eq!(second.from.at, Tick(1_025_000_000));
    let head = second.from.head.0;
    assert!((head.rotation.euler_angles().2 - 0.3).abs() < 1e-9, "{head}");
    assert!((head.translation.x - 0.3).abs() < 1e-9, "{head}");
}

#[test]
fn poses_are_bounded_and_a_clock_that_begins_anew_has_no_past() {
    let mut poses = Poses::default();
    assert!(poses.at(Tick(5)).is_none());
    for milliseconds in 0..1_000 {
        poses.remember(looking(milliseconds, 0.001 * milliseconds as f64));
    }
    assert_eq!(poses.0.len(), POSES);
    let yaw = |poses: &Poses, nanos: u64| poses.at(Tick(nanos)).unwrap().head.0.rotation.euler_angles().2;
    assert!((yaw(&poses, 900_500_000) - 0.9005).abs() < 1e-9);
    assert!((yaw(&poses, 5_000_000_000) - 0.999).abs() < 1e-9);
    poses.remember(looking(10, 1.0));
    assert_eq!(poses.0.len(), 1);
    // Half a turn has no shorter way.
    poses.remember(looking(20, 1.0 + std::f64::consts::PI));
    assert!(poses.at(Tick(15_000_000)).is_some());
}

#[test]
fn one_that_is_unplugged_is_told_when_its_last_frame_is_old_and_comes_back() {
    let stage = stage(options());
    stage.picture(1);
    stage.refuses.store(3, Ordering::SeqCst);
    stage.happens.send(Happens::Unplugged).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures >= 4));
    // What is young is still true.
    assert_eq!(stage.look(1_999).unwrap().number, 1);
    let status = stage.capture.status();
    let trouble = Trouble::new("there is no scripted", "plug it in");
    assert_eq!((status.trouble, status.format), (Some(trouble.clone()), None));
    let told = stage.look(2_001).unwrap_err();
    assert_eq!(told.to_string(), "scripted gives no pictures: there is no scripted; plug it in");
    stage.look_from(Some(looking(3_000, 0.0)));
    stage.picture(2);
    assert_eq!(stage.look(3_000).unwrap().number, 2);
    let status = stage.capture.status();
    assert_eq!((status.trouble, status.last_trouble, status.failures), (None, Some(trouble), 4));
}

#[test]
fn a_silent_source_is_told_of_and_opened_again() {
    let quiet = stage(options());
    quiet.picture(1);
    let told = quiet.look(2_100).unwrap_err().to_string();
    assert!(told.contains("silent for 2.1 s"), "{told}");
    let impatient =
        stage(CaptureOptions { wait: Duration::from_millis(1), patience: Duration::ZERO, ..options() });
    assert!(impatient.capture.wait_until(LIMIT, |status| status.failures >= 2));
    let trouble = impatient.capture.status().last_trouble.unwrap();
    assert!(trouble.reason.contains("silent"), "{trouble}");
}

#[test]
fn without_the_heads_pose_a_picture_says_nothing() {
    let stage = stage(options());
    stage.picture(1);
    stage.look_from(None);
    stage.happens.send(Happens::Picture(2)).unwrap();
    // The next one is only read after it.
    stage.happens.send(Happens::Unplugged).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures == 1));
    assert_eq!(stage.look(1_000).unwrap().number, 1);
    stage.happens.send(Happens::Picture(3)).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.trouble.is_none()));
    assert_eq!(stage.look(9_000).unwrap_err(), NoFrame::NoPose);
}

#[test]
fn a_bug_of_a_source_ends_neither_the_thread_nor_the_camera() {
    let stage = stage(options());
    stage.happens.send(Happens::Bug).unwrap();
    assert!(stage.capture.wait_until(LIMIT, |status| status.failures == 1));
    stage.picture(7);
    assert_eq!(stage.look(0).unwrap().number, 1);
    assert!(stage.capture.status().last_trouble.unwrap().remedy.contains("report"));
}

#[test]
fn it_ends_when_it_is_dropped_while_it_reads_and_while_it_rests() {
    let reading = stage(options());
    reading.picture(1);
    drop(reading.capture);
    assert_eq!(reading.gone.load(Ordering::SeqCst), 1);
    let day = Duration::from_secs(86_400);
    let resting = stage(CaptureOptions { pause: (day, day), ..options() });
    resting.happens.send(Happens::Unplugged).unwrap();
    assert!(resting.capture.wait_until(LIMIT, |status| status.failures == 1));
    drop(resting.capture);
    assert_eq!(resting.gone.load(Ordering::SeqCst), 1);
}

#[test]
fn the_rate_is_that_of_the_last_frames_and_none_when_they_are_old() {
    let came: VecDeque<Tick> = (0..30).map(|at| Tick(at * 40_000_000)).collect();
    let after = Duration::from_secs(2);
    assert!((rate(&came, Tick(1_200_000_000), after) - 25.0).abs() < 1e-9);
    assert_eq!(rate(&came, Tick(4_000_000_000), after), 0.0);
    assert_eq!(rate(&VecDeque::new(), Tick(1), after), 0.0);
    assert_eq!(rate(&VecDeque::from([Tick(1)]), Tick(1), after), 0.0);
}

#[test]
fn files_are_a_camera() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("one.jpg"), jpeg(9)).unwrap();
    let files = Files::new(folder.path().into(), 30.0, Arc::new(VirtualClock::new()));
    let view: View = Box::new(|| Some(looking(0, 0.0)));
    let camera = Capture::start(Box::new(files), Lens::pinhole(64, 48), view, options());
    assert!(camera.wait_until(LIMIT, |status| status.frames >= 3));
    assert_eq!(camera.newest(&looking(0, 0.0)).unwrap().jpeg().unwrap().as_ref(), jpeg(9).as_slice());
}
