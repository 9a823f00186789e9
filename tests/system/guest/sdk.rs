//! `reachy_mini` as tools import it: the official names, arguments, defaults, errors and numbers.

use minismith_protocol::{GuestMessage, HostCall, Limits, Method};
use serde_json::{Value, json};

use super::context::{Call, Played, host, shared_host};

const HEAD: &str = "
import asyncio
import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose
from reachy_mini.utils.interpolation import InterpolationTechnique, minimum_jerk, time_trajectory
from reachy_mini.motion.move import Move
";

/// Runs the body of a function with a robot.
fn play(body: &str) -> Played {
    let body = body.trim().replace('\n', "\n    ");
    Call::new(&format!("{HEAD}\ndef tool(robot: ReachyMini):\n    {body}\n"), "tool").run(shared_host())
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        value => vec![value.as_f64().unwrap()],
    }
}

fn near(value: &Value, expected: &[f64]) {
    let got = numbers(value);
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!((got - expected).abs() < 1e-12, "{got} is not {expected}");
    }
}

/// The package `reachy-mini` 1.13.0 printed the expected numbers.
#[test]
#[rustfmt::skip]
fn poses_and_paths_match_the_official_sdk() {
    let played = play(
        "return [
            create_head_pose(x=5, y=-3, z=12, roll=10, pitch=-20, yaw=35, mm=True),
            create_head_pose(x=.01, roll=.3, pitch=.2, yaw=-1.1, degrees=False),
            robot.look_at_world(0.5, 0.1, -0.12, perform_movement=False),
            robot.look_at_world(-0.4, 0.3, 0.2, perform_movement=False),
            robot.look_at_world(-1, 0, 0, perform_movement=False),
            [(minimum_jerk(np.array([0., 1.]), np.array([2., -1.]), 1.5, starting_velocity=np.array([.3, 0.]),
                final_acceleration=np.array([0., .7])))(t) for t in (0., .4, 1.2, 1.5, 2.)],
            [[time_trajectory(t, m) for t in (0., .2, .5, .9, 1.)] for m in InterpolationTechnique],
        ]",
    );
    let [mm, radians, ahead, behind, straight_behind, jerk, shares] = played.value().as_array().unwrap().as_slice()
    else { panic!() };
    near(mm, &[0.7697511313200572, -0.6135129235613115, -0.17630963800865876, 0.005, 0.5389855446957562,
        0.772641905825864, -0.33543862027321114, -0.003, 0.3420201433256687, 0.16317591116653482, 0.9254165783983234,
        0.012, 0.0, 0.0, 0.0, 1.0]);
    near(radians, &[0.44455439844762584, 0.8780339023780974, -0.17727902610167726, 0.01, -0.8734425475223383,
        0.38101342753905754, -0.3031944659993439, 0.0, -0.19866933079506122, 0.28962947762551555, 0.9362933635841992,
        0.0, 0.0, 0.0, 0.0, 1.0]);
    near(ahead, &[0.9545044354015156, -0.19090088708030317, 0.22908106449636378, 0.0, 0.19090088708030317,
        0.9813542768038999, 0.02237486783532018, 0.0, -0.22908106449636378, 0.02237486783532018, 0.9731501585976158,
        0.0, 0.0, 0.0, 0.0, 1.0]);
    near(behind, &[-0.7427813527082072, -0.5570860145311554, -0.3713906763541036, 0.0, 0.5570860145311554,
        -0.20654093649029726, -0.804360624326865, 0.0, 0.3713906763541036, -0.804360624326865, 0.46375958378209003,
        0.0, 0.0, 0.0, 0.0, 1.0]);
    near(straight_behind, &[-1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    near(jerk, &[0.0, 1.0, 0.3289212839506175, 0.7642935308641978, 1.8939519999999996, -0.8680319999999919, 2.0, -1.0,
        2.0, -1.0]);
    near(shares, &[0.0, 0.2, 0.5, 0.9, 1.0, 0.0, 0.05792, 0.5, 0.99144, 1.0, 0.0, 0.08, 0.5, 0.98, 1.0,
        0.0, -0.092555656, 0.5, 1.037518552, 1.0]);
    assert_eq!(played.cues, []);
}

#[test]
fn defaults_match_the_official_sdk() {
    let played = play(
        "robot.goto_target(antennas=np.array([0.1, -0.2]))
robot.goto_target(np.eye(4), body_yaw=None, method=InterpolationTechnique.CARTOON, duration=2)
robot.goto_target(body_yaw=0.3, method='ease_in_out')
robot.set_target(body_yaw=np.float32(0.5))
robot.set_target_antenna_joint_positions((1, 2))
robot.look_at_world(1, 0, 0, duration=0)
with ReachyMini(media_backend='no_media', timeout=3) as mini:
    mini.disable_motors(ids=['left_antenna'])
    mini.start_head_tracking()
ReachyMini('my_robot', automatic_body_yaw=False)
robot.enable_gravity_compensation()
robot.wake_up()
return [robot.imu, repr(robot.get_tracked_face()), robot.get_present_antenna_joint_positions(),
    robot.get_current_head_pose().shape, robot.media.get_frame().flags.writeable]",
    );
    assert_eq!(
        played.value(),
        &json!([null, "FaceTarget(detected=True, x=0.25, y=-0.5, roll=None)", [-0.2, 0.3], [4, 4], false])
    );
    let neutral = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let goto = |head, antennas, body_yaw, duration, method| HostCall::Goto {
        head,
        antennas,
        body_yaw,
        duration,
        method,
    };
    let set = |head, antennas, body_yaw| HostCall::SetTarget { head, antennas, body_yaw };
    let expected = [
        goto(None, Some([0.1, -0.2]), Some(0.0), 0.5, Method::Minjerk),
        goto(Some(neutral), None, None, 2.0, Method::Cartoon),
        goto(None, None, Some(0.3), 0.5, Method::EaseInOut),
        set(None, None, Some(0.5)),
        set(None, Some([1.0, 2.0]), None),
        set(Some(neutral), None, None),
        HostCall::Motors { on: false, ids: Some(vec!["left_antenna".into()]) },
        HostCall::Track { on: true, weight: 1.0 },
        HostCall::AutomaticBodyYaw { on: false },
        HostCall::Gravity { on: true },
        HostCall::Wake,
        HostCall::Face,
        HostCall::State,
        HostCall::State,
        HostCall::Frame { slot: Some(0) },
    ];
    assert_eq!(played.cues, expected);
}

#[test]
fn wrong_arguments_raise_and_move_nothing() {
    let played = play(
        "def attempt(function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as error:
        return f'{type(error).__name__}: {error}'

return [
    attempt(robot.goto_target, body_yaw=None),
    attempt(robot.goto_target, np.eye(4), duration=0),
    attempt(robot.goto_target, np.eye(3)),
    attempt(robot.goto_target, [1, 2, 3]),
    attempt(robot.goto_target, antennas=[1, 2, 3]),
    attempt(robot.goto_target, antennas=[float('nan'), 0]),
    attempt(robot.goto_target, 'up'),
    attempt(robot.goto_target, np.eye(4), method='warp'),
    attempt(robot.goto_target, np.eye(4), body_yaw='left'),
    attempt(robot.goto_target, np.eye(4), duration=float('inf')),
    attempt(robot.set_target),
    attempt(robot.set_target, body_yaw=1e400),
    attempt(robot.set_target_head_pose, None),
    attempt(robot.set_target_head_pose, np.eye(3)),
    attempt(robot.look_at_world, 1, 0, 0, duration=-1),
    attempt(robot.look_at_image, 3, 4),
    attempt(robot.start_head_tracking, 2),
    attempt(robot.media.play_sound, 'wake_up.wav'),
    attempt(getattr, robot, 'fly'),
]",
    );
    let wrong: Vec<&str> =
        played.value().as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    let expected = [
        "ValueError: At least one of head",
        "ValueError: Duration must be positive and non-zero",
        "ValueError: Head pose must be a 4x4 matrix, got shape (3, 3).",
        "ValueError: Head pose must be a 4x4 matrix, got shape (3,).",
        "ValueError: Antennas must be a list or 1D np array with two elements.",
        "ValueError: Antennas must be finite",
        "ValueError: Head pose must be numbers, got str",
        "ValueError: Unknown interpolation method: \"warp\"",
        "ValueError: body_yaw must be a float.",
        "ValueError: Duration must be finite",
        "ValueError: At least one of head",
        "ValueError: body_yaw must be finite",
        "ValueError: Pose must be provided as a 4x4 matrix.",
        "AssertionError: Head pose should be a 4x4 matrix, got (3, 3).",
        "ValueError: Duration can't be negative.",
        "ValueError: the pixel",
        "ValueError: weight must be between 0 and 1",
        "RuntimeError: no loudspeaker",
        "AttributeError: 'reachy_mini.ReachyMini' object has no attribute 'fly'",
    ];
    assert_eq!(wrong.len(), expected.len());
    for (wrong, expected) in wrong.iter().zip(expected) {
        assert!(wrong.starts_with(expected), "{wrong:?} does not begin with {expected:?}");
    }
    // Only what the execution context itself rejects reached it.
    assert_eq!(
        played.cues,
        [HostCall::Ray { u: 3.0, v: 4.0 }, HostCall::Sound { file: "wake_up.wav".into() }]
    );
}

#[test]
fn move_is_sampled_into_keyframes() {
    let played = play(
        "class Sway(Move):
    @property
    def duration(self):
        return 20.0
    def evaluate(self, t):
        return create_head_pose(roll=t), np.array([t, -t]), None
robot.play_move(Sway(), initial_goto_duration=1.5)
class Short(Sway):
    duration = 0.055
    sound_path = '/somewhere/chime.wav'
try:
    robot.play_move(Short(), play_frequency=50)
except RuntimeError:
    asyncio.run(robot.async_play_move(Short(), play_frequency=50, sound=False))",
    );
    assert_eq!(played.value(), &Value::Null);
    let [
        HostCall::Play { keyframes: first, initial_goto },
        HostCall::Play { keyframes: second, initial_goto: seam },
        rest @ ..,
    ] = played.cues.as_slice()
    else {
        panic!("{:?}", played.cues)
    };
    assert_eq!((*initial_goto, *seam, first.len() + second.len()), (1.5, 0.0, 2000));
    assert_eq!(first[100].antennas, Some([1.0, -1.0]));
    assert_eq!((second[0].time, second[0].antennas), (0.0, Some([15.0, -15.0])));
    assert!((second[499].time - 4.99).abs() < 1e-9);
    let [HostCall::Sound { file }, HostCall::Play { keyframes, .. }] = rest else { panic!("{rest:?}") };
    assert_eq!(file, "chime.wav");
    let times: Vec<f64> = keyframes.iter().map(|keyframe| keyframe.time).collect();
    assert_eq!(times, [0.0, 0.02, 0.04, 0.045]);
}

#[test]
fn results_are_plain_data_or_an_error_with_its_location() {
    let source = "
import enum, dataclasses
import numpy as np

class Mood(enum.Enum):
    GOOD = 'good'

@dataclasses.dataclass
class Step:
    angle: float
    mood: Mood

def plain():
    return {'step': Step(1.5, Mood.GOOD), 'pair': (1, True), 7: np.arange(3), 'big': 2**63, 'flag': np.bool_(True),
        'none': None, 'text': 'hé\\n', 'deep': [[[]]], 'single': np.float32(0.5)}

def results():
    return {'a': [1, object()]}

def nan():
    return [0.0, {'b': float('nan')}]

def deep():
    value = []
    for _ in range(200):
        value = [value]
    return value

def long():
    return 'x' * (2 << 20)

def many():
    return np.zeros((1000, 1000))

def huge():
    return 2**64

def missing(angle: float):
    return angle

def raising():
    def inner():
        raise KeyError('antenna')
    inner()

async def leaving():
    raise SystemExit(3)
";
    let host = host();
    let plain = Call::new(source, "plain").run(&host);
    let expected = json!({"step": {"angle": 1.5, "mood": "good"}, "pair": [1, true], "7": [0, 1, 2],
        "big": 9_223_372_036_854_775_808_u64, "flag": true, "none": null, "text": "hé\n", "deep": [[[]]], "single": 0.5});
    assert_eq!(plain.value(), &expected);
    for (entry, kind, says) in [
        ("results", "TypeError", "the result[\"a\"][1] is a object, which is not plain data"),
        ("nan", "ValueError", "the result[1][\"b\"] is not a finite number"),
        ("deep", "ValueError", "nested more than 32 deep"),
        ("long", "ValueError", "1048576 allowed; return less"),
        ("many", "ValueError", "more than 100000 values"),
        ("huge", "ValueError", "more than 64 bits"),
        ("missing", "TypeError", "missing 1 required positional argument"),
        ("raising", "KeyError", "'antenna'"),
        ("leaving", "SystemExit", "3"),
        ("absent", "AttributeError", "absent"),
    ] {
        let played = Call::new(source, entry).run(&host);
        let (raised, message) = played.raised();
        assert!(raised == kind && message.contains(says), "{entry}: {raised}: {message}");
    }
    let Ok(GuestMessage::Raised { line, .. }) = Call::new(source, "raising").run(&host).end else { panic!() };
    let expected = source.lines().position(|line| line.contains("raise KeyError")).unwrap() + 1;
    assert_eq!(line, u32::try_from(expected).ok());
}

#[test]
fn printed_text_arrives_with_the_turns() {
    let played =
        play("print('one', 2)\nrobot.set_target(body_yaw=0)\nprint('x' * 40_000)\nprint('é' * 3, end='')");
    assert_eq!(played.printed, format!("one 2\n{}\néé\u{e9}", "x".repeat(40_000)));
    let limits = Limits { output_bytes: 1000, ..Limits::default() };
    let flood =
        Call::new("def flood():\n    while True:\n        print('x' * 100)\n", "flood").within(limits);
    // Printed text arrives in chunks.
    assert_eq!(
        flood.run(shared_host()).fault().to_string(),
        "the tool printed 16384 bytes, its budget is 1000; print less, or return a summary"
    );
}

#[test]
fn facts_match_the_parser() {
    let source = "
import os.path, json as j
from . import near
from ..far.away import thing as other
from typing import *
@decorate(1)
class Shape(Base, metaclass=Meta):
    field: 'Hidden.text' = call_a().method_b(key=f'{deep.er(1)!r:{width}}')
async def run(first, /, *rest, second: Note = default, **options):
    global counter
    with opened(x) as (a, b.c):
        match value:
            case Point(x=0, y=[*tail, {'k': v, **more}]) as whole:
                del items[i.j]
            case _:
                pass
    try:
        [q async for q in stream.read()]
    except Bad as error:
        lambda z: (w := z)
def tool():
    return 1
";
    let facts = Call::new(source, "tool").run(shared_host()).facts.unwrap();
    let list = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(list(&facts.imports), "..far.away.thing .near json os.path typing.*");
    assert_eq!(list(&facts.attributes), "c er j method_b read x y");
    assert_eq!(list(&facts.calls), "call_a decorate deep.er opened stream.read");
    assert_eq!(
        list(&facts.names),
        "* Bad Base Meta Note Point Shape a b call_a counter decorate deep default error field first i items j key \
         metaclass more near opened options os other q rest run second stream tail tool v value w whole width x z"
    );
    let broken = Call::new("# coding: latin-1\ndef tool(:\n", "tool").run(shared_host());
    assert!(broken.facts.unwrap_err().starts_with("SyntaxError"), "a complaint");
}
