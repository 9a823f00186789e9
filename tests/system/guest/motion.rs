//! The module `motion` in a real guest: what its steps send, when, and with which errors.

use minismith_protocol::{GuestMessage, HostCall, Method};
use serde_json::json;

use super::context::{Call, Played, shared_host};

const HEAD: &str = "
import time
import numpy as np
from motion import *
from reachy_mini import ReachyMini

class Face:
    def __init__(self, detected): self.detected = detected

class Media:
    def play_sound(self, name): pass

class Robot:
    '''A robot that is always where it was told to be. It counts calls, and notices what `world` says at each time.'''
    def __init__(self, world=lambda t: {}):
        self.sent, self.head, self.world, self.began, self.media = [], np.eye(4), world, time.monotonic(), Media()
    def at(self): return round(time.monotonic() - self.began, 1)
    def get_current_head_pose(self):
        pose = self.head.copy()
        pose[2, 3] += self.world(self.at()).get('lifted', 0)
        return pose
    def get_current_joint_positions(self): return [0.0] * 7, [-0.1745, 0.1745]
    def goto_target(self, head=None, antennas=None, duration=0, method=None, body_yaw=None):
        self.sent.append(('goto', self.at()))
        self.head = self.head if head is None else head
        time.sleep(duration)
    def set_target(self, head=None, antennas=None, body_yaw=None):
        self.sent.append(('set', self.at()))
        self.head = self.head if head is None else head
    def start_head_tracking(self, weight): self.weight = weight
    def stop_head_tracking(self): self.weight = None
    def get_tracked_face(self, wait): return Face(self.world(self.at()).get('face', False))
    @property
    def imu(self):
        accelerometer = self.world(self.at()).get('accelerometer')
        return None if accelerometer is None else {'accelerometer': accelerometer}
    def first(self): return self.sent[0][1] if self.sent else None
    def last(self): return self.sent[-1][1] if self.sent else None
";

/// Runs the body of a function with a robot.
fn play(body: &str) -> Played {
    let body = body.trim().replace('\n', "\n    ");
    Call::new(&format!("{HEAD}\ndef tool(robot: ReachyMini):\n    {body}\n"), "tool").run(shared_host())
}

/// A goal that was sent.
fn goals(played: &Played) -> Vec<&HostCall> {
    let is_goal = |cue: &&HostCall| matches!(cue, HostCall::Goto { .. } | HostCall::SetTarget { .. });
    played.cues.iter().filter(is_goal).collect()
}

fn assert_near(found: Option<f64>, degrees: f64) {
    let found = found.unwrap().to_degrees();
    assert!((found - degrees).abs() < 1e-9, "{found} is not {degrees}");
}

#[test]
fn steps_of_one_part_are_gotos_with_the_signs_of_the_sdk() {
    let played = play(
        "return perform(robot, neutral(), head(left=20, down=10, tilt_right=5, forward_mm=8), body(right=90, seconds=3),
            antennas(left=30, right_inward=40, easing='cartoon'), speed=2)",
    );
    assert_eq!(played.value(), "moved the head twice and the body twice and the antennas twice in 2.4 s");
    let goals = goals(&played);
    let [neutral, head, body, antennas] = goals.as_slice() else { panic!("{goals:?}") };
    let HostCall::Goto { head: Some(pose), body_yaw: Some(0.0), antennas: Some([right, left]), .. } = neutral
    else {
        panic!("{neutral:?}")
    };
    assert!(
        pose.iter().zip([1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0.]).all(|(a, b)| (a - b).abs() < 1e-12)
    );
    assert_near(Some(*right), -10.0);
    assert_near(Some(*left), 10.0);
    let HostCall::Goto {
        head: Some(pose),
        antennas: None,
        body_yaw: None,
        duration,
        method: Method::Minjerk,
    } = head
    else {
        panic!("{head:?}")
    };
    // Yaw to the left is positive, pitch down is positive, and roll to the right is positive.
    assert_near(Some(pose[4].atan2(pose[0])), 20.0);
    assert_near(Some((-pose[8]).asin()), 10.0);
    assert_near(Some(pose[9].atan2(pose[10])), 5.0);
    assert!((pose[3] - 0.008).abs() < 1e-12 && (duration - 0.333_333).abs() < 1e-9, "{pose:?} {duration}");
    // The body takes the head with it: its turn adds up, and ahead is to the right now.
    let HostCall::Goto { head: Some(pose), antennas: None, body_yaw, duration: 1.5, .. } = body else {
        panic!("{body:?}")
    };
    assert_near(*body_yaw, -90.0);
    assert_near(Some(pose[4].atan2(pose[0])), -70.0);
    assert!(pose[3].abs() < 1e-12 && (pose[7] + 0.008).abs() < 1e-12, "{pose:?}");
    let HostCall::Goto {
        head: None,
        antennas: Some([right, left]),
        body_yaw: None,
        method: Method::Cartoon,
        ..
    } = antennas
    else {
        panic!("{antennas:?}")
    };
    // Outwards is positive for the right motor and negative for the left one.
    assert_near(Some(*right), -40.0);
    assert_near(Some(*left), -30.0);
}

#[test]
fn it_begins_from_the_measured_posture() {
    // The body stands at 5.7 degrees, the head 10 mm ahead, the left antenna at 17 degrees, the right one near neutral.
    let played = play("return perform(robot, antennas(right=60), head(up=20))");
    let goals = goals(&played);
    let [HostCall::Goto { antennas: Some([_, left]), .. }, HostCall::Goto { head: Some(head), .. }] =
        goals.as_slice()
    else {
        panic!("{goals:?}")
    };
    // 1 mm to the side, as seen from the turned body, counts as neutral.
    assert!((left - 0.3).abs() < 1e-9 && (head[3] - 0.0099).abs() < 1e-4, "{left} {head:?}");
    assert!(head[4].abs() < 1e-9, "the head keeps its direction in the world");
}

#[test]
fn tracks_that_share_start_and_end_are_one_goto_and_others_a_stream() {
    let played = play(
        "return perform(robot, neutral(), together(head(left=30), antennas(both=100, seconds=1)),
            together(head(left=0, seconds=0.4), antennas(both=10, seconds=0.5)))",
    );
    let goals = goals(&played);
    assert!(matches!(goals[1], HostCall::Goto { head: Some(_), antennas: Some(_), duration: 1.0, .. }));
    let stream: Vec<_> = goals[2..]
        .iter()
        .map(|goal| match goal {
            HostCall::SetTarget { head, antennas: Some([_, left]), body_yaw: None } => {
                (head.map(|head| head[4].atan2(head[0]).to_degrees()), -left.to_degrees())
            }
            other => panic!("{other:?}"),
        })
        .collect();
    // 20 samples while both move, 5 while the antennas go on alone.
    assert_eq!(stream.len(), 25);
    for (k, (turn, left)) in (1..).zip(stream) {
        let t = f64::from(k) * 0.02;
        let eased = |share: f64| share.powi(3) * (10.0 - 15.0 * share + 6.0 * share * share);
        assert!((left - (100.0 - 90.0 * eased(t / 0.5))).abs() < 1e-6, "{t}: {left}");
        assert_eq!(turn.is_some(), k <= 20);
        if let Some(turn) = turn {
            assert!((turn - 30.0 * (1.0 - eased(t / 0.4))).abs() < 1e-6, "{t}: {turn}");
        }
    }
}

#[test]
fn host_keeps_each_photo() {
    let played = play("return perform(ReachyMini(), photo(), wait(0.5), repeat(2, photo()))");
    let photos = played.cues.iter().filter(|cue| matches!(cue, HostCall::Photo)).count();
    assert_eq!((photos, played.value()), (3, &json!("took a photo 3 times in 0.5 s")));
}

#[test]
fn ramps_go_over_the_rounds_of_the_nearest_repeat() {
    let played = play(
        "return perform(robot, neutral(), repeat(3, repeat(2, head(left=ramp(10, 30))), head(right=ramp(6, 2))))",
    );
    let turns: Vec<f64> = goals(&played)[1..]
        .iter()
        .map(|goal| match goal {
            HostCall::Goto { head: Some(head), .. } => head[4].atan2(head[0]).to_degrees().round(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(turns, [10., 30., -6., 10., 30., -4., 10., 30., -2.]);
    let once = play("return perform(robot, neutral(), repeat(1, head(left=ramp(12, 30))))");
    assert!(
        matches!(goals(&once)[1], HostCall::Goto { head: Some(head), .. } if (head[4].asin().to_degrees() - 12.0).abs() < 1e-9)
    );
}

#[test]
fn mistakes_are_refused_before_anything_moves() {
    for (body, kind, words) in [
        ("perform(robot, head(left=61))", "ValueError", "between 0 and 60"),
        ("perform(robot, head(left=True))", "TypeError", "a number"),
        ("perform(robot, head(left=float('nan')))", "ValueError", "between 0 and 60"),
        ("perform(robot, head(left=1, right=2))", "ValueError", "left and right"),
        ("perform(robot, antennas(both=1, left=2))", "ValueError", "alone"),
        ("perform(robot, body(left=3, easing='wild'))", "ValueError", "easing"),
        ("perform(robot, repeat(0, neutral()))", "ValueError", "between 1 and 50"),
        ("perform(robot, repeat(2.0, neutral()))", "TypeError", "whole number"),
        ("perform(robot, repeat(2))", "ValueError", "at least one step"),
        ("perform(robot, [neutral()])", "TypeError", "steps"),
        ("perform(robot, when(neutral(), neutral()))", "TypeError", "event"),
        (
            "perform(robot, together(head(left=1), sequence(wait(1), head(right=1))))",
            "ValueError",
            "head_turn",
        ),
        ("perform(robot, neutral(), head(down=ramp(1, 2)))", "ValueError", "outside of repeat"),
        ("perform(robot, neutral(), wait(60), wait(60))", "ValueError", "more than 120 s"),
        (
            "perform(robot, until(tilted(), wait(1), at_most=90), when(tilted(), wait(5), within=30))",
            "ValueError",
            "120 s",
        ),
        (
            "perform(robot, neutral(), repeat(50, repeat(50, repeat(50, wait(0)))))",
            "ValueError",
            "more than 5000",
        ),
        ("perform(robot, neutral(), when(voice(), neutral()))", "NotImplementedError", "microphone array"),
        ("perform(robot, neutral(), when(clap(), neutral()))", "RuntimeError", "no microphone"),
        ("perform(robot, neutral(), speed=0)", "ValueError", "speed"),
        ("perform(robot, play('../etc/passwd'))", "ValueError", "letters"),
    ] {
        let played = play(&format!("return {body}"));
        let (name, message) = played.raised();
        assert!(name == kind && message.contains(words), "{body}: {name}: {message}");
        assert!(goals(&played).is_empty(), "{body}: {:?}", played.cues);
    }
}

#[test]
fn error_has_the_line_of_the_tool() {
    let source = "from motion import head, neutral, perform\n\n\ndef tool(robot):\n    return perform(\n        robot,\n        \
                  neutral(),\n        head(left=90),\n    )\n";
    let played = Call::new(source, "tool").run(shared_host());
    assert!(matches!(played.end, Ok(GuestMessage::Raised { line: Some(8), .. })), "{:?}", played.end);
    // The context refuses sounds while the steps run.
    let source = "from motion import perform, sound\n\n\ndef tool(robot):\n    return perform(robot, sound('a.wav'))\n";
    let played = Call::new(source, "tool").run(shared_host());
    assert!(matches!(&played.end, Ok(GuestMessage::Raised { line: Some(5), .. })), "{:?}", played.end);
}

#[test]
fn events_start_end_and_repeat_steps() {
    let played = play(
        "
def seen(*times):
    return Robot(lambda t: {'face': any(first <= t <= last for first, last in times)})

results = {}
def run(name, robot, *steps):
    text = perform(robot, *steps)
    results[name] = [robot.first(), robot.last(), sum(kind == 'goto' for kind, _ in robot.sent), robot.at(), text]

bow = (head(down=20, seconds=0.5), head(down=0, seconds=0.5))
run('when', seen((2, 3)), when(face(), *bow, within=5))
run('never', seen(), when(face(), *bow, within=1.5))
run('otherwise', seen((2, 3)), when(face(), *bow, otherwise(head(left=9)), within=5))
run('otherwise never', seen(), when(face(), *bow, otherwise(head(left=9)), within=1.5))
for wrong in (lambda: otherwise(), lambda: sequence(otherwise(head())), lambda: when(face(), otherwise(head()), head())):
    try:
        wrong()
        raise AssertionError
    except ValueError:
        pass
run('whenever', seen((1, 1.5), (4, 4.2)), whenever(face(), *bow, seconds=6))
run('until', seen((2.2, 9)), until(face(), *bow, at_most=8))
run('until the end', seen(), until(face(), *bow, at_most=2.2))
run('already', seen((0, 9)), until(face(), *bow))
run('as long as', seen((0, 1.2)), as_long_as(face(), *bow, at_most=9), head(left=5))
run('a wait ends', seen((0.9, 9)), until(face(), wait(30), at_most=50))
run('beside', seen((1, 1)), together(repeat(2, antennas(both=60, seconds=1), antennas(seconds=1)), when(face(), *bow, within=3)))
return results",
    );
    let results = played.value();
    let close = |name: &str, at: usize, expected: f64| {
        let found = results[name][at].as_f64().unwrap_or_else(|| panic!("{name}: {results}"));
        assert!((found - expected).abs() < 0.16, "{name}: {found} is not {expected}: {results}");
    };
    close("when", 0, 2.0);
    assert_eq!((&results["when"][2], &results["never"][0]), (&json!(2), &json!(null)), "{results}");
    close("never", 3, 1.5);
    close("otherwise", 0, 2.0);
    close("otherwise never", 0, 1.5);
    let moves = |name: &str| results[name][2].clone();
    assert_eq!((moves("otherwise"), moves("otherwise never")), (json!(2), json!(1)), "{results}");
    close("whenever", 0, 1.0);
    // Twice: at 1.0, and at 4.0; the face at 1.5 is gone when the first bow ends.
    assert_eq!(results["whenever"][2], json!(4), "{results}");
    close("whenever", 3, 6.0);
    // The bow in progress is not cut: the move that began at 2.0 goes on to 2.5.
    close("until", 1, 2.5);
    close("until the end", 1, 2.5);
    assert_eq!(results["already"][0], json!(null), "{results}");
    // It holds for half a second after it was last seen, at 1.2, and the move in progress is finished.
    close("as long as", 3, 2.0 + 0.4);
    close("a wait ends", 3, 0.9);
    close("beside", 3, 4.0);
    assert!(results["beside"][4].as_str().unwrap().contains("noticed a face once"), "{results}");
}

#[test]
fn touch_and_tilt_are_measured_against_the_robot_at_rest() {
    let played = play(
        "
results = []
steps = [head(left=30), when(touch(), head(right=10), within=4)]
for world in (
    lambda t: {},
    # Somebody lifts the head by 8 mm, by 5 mm, and only while it moves.
    lambda t: {'lifted': 0.008 if t > 3 else 0},
    lambda t: {'lifted': 0.005 if t > 3 else 0},
    lambda t: {'lifted': 0.008 if t < 1.2 else 0},
):
    robot = Robot(world)
    perform(robot, *steps)
    results.append(robot.last())
for world in (
    lambda t: {},
    lambda t: {'accelerometer': [0.1, 0, 9.8]},
    lambda t: {'accelerometer': [0.1, 0, 9.8] if t < 3 else [4, 0, 9]},
):
    robot = Robot(world)
    perform(robot, head(left=30), when(tilted(), head(right=10), within=4))
    results.append(robot.last())
return results",
    );
    let last: Vec<f64> = played.value().as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect();
    let [none, touched, slight, while_moving, no_imu, level, tilted] = last[..] else { panic!("{last:?}") };
    assert_eq!([none, slight, while_moving, no_imu, level], [0.0; 5], "{last:?}");
    assert!((3.0..3.4).contains(&touched) && (3.0..3.4).contains(&tilted), "{last:?}");
}
