//! Tests with files of all kinds, and moves of a simulated robot.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::{ControlLoop, LoopClient, LoopCommand};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, MAX_DURATION, Motion, PlanRules, Target};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use serde_json::{Value, json};

use super::*;
use crate::robot::initial_joints;

fn tilted(degrees: f64) -> Posture {
    let angles = RollPitchYaw { roll: Radians::from_degrees(degrees), ..RollPitchYaw::default() };
    let antennas = Antennas { right: Radians(-0.1), left: Radians(0.2) };
    Posture { head: HeadPose::new(0.001, 0.0, 0.002, angles), body_yaw: Radians(0.3), antennas }
}

fn file() -> Value {
    let head = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]];
    let frame = json!({ "head": head, "antennas": [0.1, -0.2], "body_yaw": 0.0, "check_collision": false });
    json!({ "description": "still", "time": [0.0, 0.02, 0.04], "set_target_data": [frame, frame, frame] })
}

#[test]
fn json_round_trip_preserves_a_move() {
    let recording =
        RecordedMove::new("a tilt".into(), [(5.0, tilted(0.0)), (5.02, tilted(1.0)), (5.5, tilted(20.0))])
            .unwrap();
    assert_eq!((recording.count(), recording.duration()), (3, Duration::from_millis(500)));
    let bytes = recording.to_json().unwrap();
    let written: Value = serde_json::from_slice(&bytes).unwrap();
    let keys: Vec<&String> = written.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["description", "time", "set_target_data"]);
    let frame = written["set_target_data"][1].as_object().unwrap();
    assert_eq!(frame.keys().collect::<Vec<_>>(), ["head", "antennas", "body_yaw", "check_collision"]);
    assert_eq!((&frame["head"][0][3], &frame["antennas"]), (&json!(0.001), &json!([-0.1, 0.2])));

    let back = RecordedMove::from_json(&bytes).unwrap();
    assert_eq!(back.description(), "a tilt");
    for (one, other) in recording.frames().zip(back.frames()) {
        assert_eq!(one.at, other.at);
        let off = one.posture.head.0.to_homogeneous() - other.posture.head.0.to_homogeneous();
        assert!(off.amax() < 1e-12 && one.posture.antennas == other.posture.antennas);
    }
}

#[test]
fn reads_a_list_of_frames_and_keeps_unset_parts() {
    let head = [[1.0, 0.0, 0.0, 0.01], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let list = json!([
        { "time": 100.5, "body_yaw": 0.0, "antennas": [0.3, -0.3] },
        { "time": 100.75, "body_yaw": 0.0, "head": head },
        { "time": 101.5, "body_yaw": 0.2 },
    ]);
    let read = RecordedMove::from_json(format!(" {list}").as_bytes()).unwrap();
    let frames: Vec<&Frame> = read.frames().collect();
    assert_eq!(frames.iter().map(|frame| frame.at.as_secs_f64()).collect::<Vec<_>>(), [0.0, 0.25, 1.0]);
    assert_eq!(frames[0].posture.head, HeadPose::neutral());
    let last = frames[2].posture;
    assert!((last.head.0.translation.x - 0.01).abs() < 1e-12);
    assert_eq!(
        (last.antennas.right, last.antennas.left, last.body_yaw),
        (Radians(0.3), Radians(-0.3), Radians(0.2))
    );
    for wrong in [
        "[]",
        r#"[{"time": 0}, {"body_yaw": 0}]"#,
        r#"[{"time": 0, "head": [1]}]"#,
        r#"[{"time": 0, "body_yaw": 99}]"#,
    ] {
        assert!(RecordedMove::from_json(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn reads_all_forms_that_the_library_reads() {
    let mut written = file();
    written["set_target_data"][0] = json!({
        "head": [1, 0, 0, 0.01, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "antennas": [0, 0], "more": "words"
    });
    // Two frames at the same time: the later one counts.
    written["time"] = json!([1.0, 1.0, 1.5]);
    written["set_target_data"][1]["body_yaw"] = json!(0.25);
    let recording = RecordedMove::from_json(written.to_string().as_bytes()).unwrap();
    assert_eq!((recording.count(), recording.duration()), (2, Duration::from_millis(500)));
    assert_eq!(recording.first().body_yaw, Radians(0.25));
    let Motion::Play(frames) = recording.motion(2.0) else { panic!() };
    assert_eq!(frames.last().unwrap().time, Duration::from_millis(250));
}

/// Checks that the changed file is rejected with these words.
#[track_caller]
fn refused(change: impl FnOnce(&mut Value), words: &[&str]) {
    let mut written = file();
    change(&mut written);
    let complaint = RecordedMove::from_json(written.to_string().as_bytes()).unwrap_err().to_string();
    assert!(words.iter().all(|word| complaint.contains(word)), "{words:?} are not in {complaint:?}");
}

#[test]
fn errors_name_the_frame() {
    refused(|file| file["set_target_data"][1]["head"][0][0] = json!(2.0), &["frame 1", "orthonormal"]);
    refused(|file| file["set_target_data"][2]["head"][3][0] = json!(1.0), &["frame 2", "last row"]);
    refused(|file| file["set_target_data"][2]["head"] = json!([1, 2, 3]), &["frame 2", "four rows of four"]);
    refused(|file| file["set_target_data"][0]["antennas"] = json!([0.0]), &["frame 0"]);
    refused(|file| file["set_target_data"][1]["antennas"][1] = json!(1e300), &["frame 1", "left antenna"]);
    refused(|file| file["set_target_data"][1]["body_yaw"] = json!(-40.0), &["frame 1", "body_yaw", "-40"]);
    refused(|file| file["set_target_data"][1]["body_yaw"] = json!(null), &["frame 1"]);
    refused(|file| file["set_target_data"][1] = json!([]), &["frame 1"]);
    refused(|file| file["time"][2] = json!(0.01), &["frame 2", "0.01 s", "sort"]);
    refused(|file| file["time"][2] = json!(700.0), &["frame 2", "700", "600 s"]);
    refused(|file| file["time"][1] = json!(-1e308), &["frame 1"]);
    refused(|file| file["time"] = json!([0.0]), &["1 times for 3 frames"]);
    refused(|file| *file = json!({ "description": "", "time": [], "set_target_data": [] }), &["no frames"]);
    refused(|file| *file = json!([1, 2]), &["not a recorded move", "set_target_data"]);
    refused(|file| drop(file.as_object_mut().unwrap().remove("time")), &["`time`"]);
    let many = vec![0.0; MAX_FRAMES + 1];
    let frame = file()["set_target_data"][0].clone();
    let frames = vec![frame; MAX_FRAMES + 1];
    refused(
        |file| *file = json!({ "description": "", "time": many, "set_target_data": frames }),
        &["65536 frames"],
    );
    for text in ["", "{", "NaN", "\u{0}", &"[".repeat(100_000), r#"{"time": [1e999]}"#, r#"{"time": [NaN]}"#]
    {
        assert!(
            matches!(RecordedMove::from_json(text.as_bytes()), Err(RecordedMoveError::InvalidFormat(_))),
            "{text:.20}"
        );
    }
    let times = [(f64::NAN, tilted(0.0)), (1.0, tilted(0.0))];
    assert!(matches!(
        RecordedMove::new(String::new(), times),
        Err(RecordedMoveError::OutOfOrder { frame: 0, .. })
    ));
    let times = [(0.0, tilted(0.0)), (f64::NAN, tilted(0.0))];
    assert!(matches!(
        RecordedMove::new(String::new(), times),
        Err(RecordedMoveError::OutOfOrder { frame: 1, .. })
    ));
}

#[test]
fn read_accepts_only_regular_files_of_bounded_size() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
    assert!(matches!(read(&pipe), Err(RecordedMoveError::NotRegularFile)));
    assert!(matches!(read(folder.path()), Err(RecordedMoveError::NotRegularFile)));
    assert!(matches!(read(Path::new("/dev/zero")), Err(RecordedMoveError::NotRegularFile)));
    assert!(matches!(read(&folder.path().join("none")), Err(RecordedMoveError::Unreadable(_))));
    let large = folder.path().join("large");
    std::fs::File::create(&large).unwrap().set_len(MAX_FILE_BYTES + 1).unwrap();
    assert!(matches!(read(&large), Err(RecordedMoveError::TooLarge)));
}

#[test]
fn new_file_writes_atomically_and_does_not_overwrite() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("move.json");
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    drop(NewFile::begin(&path, false).unwrap());
    assert_eq!(names(), 0);
    NewFile::begin(&path, false).unwrap().finish(b"one").unwrap();
    assert!(matches!(NewFile::begin(&path, false), Err(WriteError::Exists { .. })));
    NewFile::begin(&path, true).unwrap().finish(b"two").unwrap();
    assert_eq!((std::fs::read(&path).unwrap(), names()), (b"two".to_vec(), 1));
    // Another process was faster.
    let other = folder.path().join("other.json");
    let late = NewFile::begin(&other, false).unwrap();
    std::fs::write(&other, "theirs").unwrap();
    assert!(matches!(late.finish(b"ours"), Err(WriteError::Exists { .. })));
    assert_eq!((std::fs::read(&other).unwrap(), names()), (b"theirs".to_vec(), 2));
    assert!(matches!(NewFile::begin(&folder.path().join("no/such"), false), Err(WriteError::Io { .. })));
    assert!(matches!(NewFile::begin(folder.path(), true), Err(WriteError::Io { .. })));
}

const PERIOD: Duration = Duration::from_millis(10);

fn mock() -> ControlLoop<MockRobot, VirtualClock> {
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::default(), Limits::default(), PERIOD).unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    control_loop
}

fn order(control_loop: &mut ControlLoop<MockRobot, VirtualClock>, motion: &Motion) {
    let limits = Limits::default();
    let rules = PlanRules { limits: &limits, period: PERIOD, automatic_body_yaw: false };
    let trajectory = motion.plan(&control_loop.snapshot().goal, &rules).unwrap();
    control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 });
}

fn sampled(
    control_loop: &mut ControlLoop<MockRobot, VirtualClock>,
    rate: f64,
    longest: Duration,
) -> RecordedMove {
    let sampled = sample(control_loop, Sampling { rate, max_duration: longest }, &AtomicBool::new(false));
    assert_eq!(sampled.missed, 0);
    sampled.into_recording("sampled".into()).unwrap()
}

#[test]
fn sampled_move_plays_back_at_any_rate() {
    let goto = Motion::Goto {
        target: Target::of(&tilted(15.0)),
        duration: Duration::from_secs(1),
        interpolation: Interpolation::Minjerk,
    };
    for (rate, frames) in [(50.0, 76), (30.0, 46), (100.0, 151)] {
        let mut control_loop = mock();
        order(&mut control_loop, &goto);
        let recording = sampled(&mut control_loop, rate, Duration::from_millis(1_500));
        assert_eq!(recording.count(), frames, "{rate} a second");
        let last = recording.frames().last().unwrap();
        assert_eq!(last.at, Duration::from_millis(1_500));
        assert!((last.posture.head.angles().roll.degrees() - 15.0).abs() < 0.5);

        // Another robot plays it. It stays within the lag of a robot, which is 40 ms of this motion.
        let mut other = mock();
        order(&mut other, &recording.motion(1.0));
        let played = sampled(&mut other, rate, Duration::from_millis(1_500));
        for (asked, found) in recording.frames().zip(played.frames()) {
            let roll = |frame: &Frame| frame.posture.head.angles().roll.degrees();
            assert!(
                (roll(asked) - roll(found)).abs() < 2.0,
                "{:?}: {} {}",
                asked.at,
                roll(asked),
                roll(found)
            );
        }
    }
}

#[test]
fn sampling_ends_on_request_and_is_bounded() {
    let forever = Sampling { rate: 50.0, max_duration: MAX_DURATION };
    // A recording that is ended at once has a first and a last frame, and no others.
    let short = sample(&mut mock(), forever, &AtomicBool::new(true));
    assert_eq!(short.into_recording(String::new()).unwrap().count(), 2);
    let none = Sampled::default();
    assert!(matches!(none.into_recording(String::new()), Err(RecordedMoveError::Empty)));
    let long = Sampling { rate: 1_000.0, max_duration: Duration::from_secs(6_000) };
    let mut control_loop = mock();
    let sampled = sample(&mut control_loop, long, &AtomicBool::new(false));
    assert_eq!(LoopClient::snapshot(&control_loop).cycles / 100, 65);
    assert!(sampled.into_recording(String::new()).unwrap().count() > 6_000);
}
