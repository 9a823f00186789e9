//! Compares the motion of the written tools with the strokes of the direct command, and corrects them.

use std::time::Duration;

use firmware_bridge::motion::Interpolation;
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::units::Radians;
use minismith_nlu::primitive::{Look, Side};
use minismith_nlu::{Aim, Intent, Known, MotionSegment, Primitive, Understanding, interpret, lower};
use minismith_score::{Arguments, Axis, AxisValues, Score, Setting, Timeline, compile, read, write};
use proptest::prelude::*;

use super::from_primitives::{score_of, without_quantities};
use super::*;

/// The largest deviation of a goal of the tool from one of the direct command, in degrees and millimetres: numbers of the
/// source are rounded.
const GOAL_TOLERANCE: f64 = 0.005;
/// The largest deviation of the duration, seconds.
const TIME_TOLERANCE: f64 = 0.01;
/// The largest deviation on the way between two goals, in degrees and millimetres: the robot turns the head about one
/// axis, and a score changes each axis by itself. Both send the same goals. The largest turn (from 60 degrees left to 60
/// right, tilted by 30) deviates by 8.7.
const WAY_TOLERANCE: f64 = 9.0;

/// The course of the direct command: the posture at a time.
struct Direct {
    /// The end of each stroke with the posture there.
    strokes: Vec<(f64, Posture)>,
}

impl Direct {
    fn of(body: &[Primitive]) -> Self {
        let (mut time, mut at) = (0.0, Posture::init());
        let mut strokes = vec![(0.0, at)];
        for segment in lower(body, Aim::neutral()) {
            // Durations are written to a tenth of a millisecond.
            time += (segment.duration().as_secs_f64() * 1e4).round() / 1e4;
            match segment {
                MotionSegment::Goto { head, body_yaw, antennas, .. } => {
                    at = Posture {
                        head: head.unwrap_or(at.head),
                        body_yaw: body_yaw.unwrap_or(at.body_yaw),
                        antennas: antennas.unwrap_or(at.antennas),
                    };
                }
                MotionSegment::LookAt { point, .. } => {
                    at.head = HeadPose::looking_at(point).unwrap();
                    at.body_yaw = Radians::ZERO;
                }
                MotionSegment::Pause(_) => {}
                MotionSegment::Wake => at = Posture::init(),
                MotionSegment::Rest => at = Posture::sleep(),
            }
            strokes.push((time, at));
        }
        Direct { strokes }
    }

    /// The posture on the way from one stroke's end to the next, at a share of its duration.
    fn between(from: &Posture, to: &Posture, share: f64) -> Posture {
        let done = Interpolation::Minjerk.progress(share);
        let blend = |from: Radians, to: Radians| from + (to - from) * done;
        Posture {
            head: HeadPose(from.head.0.lerp_slerp(&to.head.0, done)),
            body_yaw: blend(from.body_yaw, to.body_yaw),
            antennas: firmware_bridge::posture::Antennas {
                right: blend(from.antennas.right, to.antennas.right),
                left: blend(from.antennas.left, to.antennas.left),
            },
        }
    }
}

fn largest(one: &Posture, other: &Posture) -> f64 {
    let (one, other) = (AxisValues::from_posture(one), AxisValues::from_posture(other));
    let one = one.unwrapped_after(&other);
    Axis::ALL.into_iter().map(|axis| (one[axis] - other[axis]).abs()).fold(0.0, f64::max)
}

fn course(score: &Score) -> Timeline {
    compile(score, &Arguments::new(), &Setting::default())
        .unwrap_or_else(|why| panic!("{why}\n{}", write(score)))
}

/// Checks that a tool moves as the direct command does.
fn moves_like_the_command(body: &[Primitive]) {
    let score = score_of("tool", body).unwrap_or_else(|why| panic!("{body:?}: {why}"));
    let source = write(&score);
    assert!(source.is_ascii() && source.len() < 8192, "{source}");
    assert_eq!(read(&source).as_ref(), Ok(&score), "{source}");
    let (direct, tool) = (Direct::of(body), course(&score));
    let seconds: f64 =
        lower(body, Aim::neutral()).iter().map(|segment| segment.duration().as_secs_f64()).sum();
    assert!((seconds - tool.seconds()).abs() < TIME_TOLERANCE, "{body:?}\n{source}");
    for (time, posture) in &direct.strokes {
        let far = largest(&tool.at(*time), posture);
        assert!(far < GOAL_TOLERANCE, "{far} at {time} s: {body:?}\n{source}");
    }
    for pair in direct.strokes.windows(2) {
        let [(start, from), (end, to)] = pair else { panic!() };
        // Moves that have a course of their own, and those that turn the body: there the head goes the short way in the
        // world, and in a score beside the body.
        let is_played = *end - *start > 2.99 || *from == Posture::sleep();
        if is_played || from.body_yaw != to.body_yaw || from == to {
            continue;
        }
        for share in [0.25, 0.5, 0.75] {
            let there = tool.at(start + (end - start) * share);
            let far = largest(&there, &Direct::between(from, to, share));
            assert!(far < WAY_TOLERANCE, "{far} after {start} s: {body:?}\n{source}");
        }
    }
}

fn duration() -> impl Strategy<Value = Duration> {
    (200_u64..3000).prop_map(Duration::from_millis)
}

fn degrees(low: f64, high: f64) -> impl Strategy<Value = Radians> {
    (low..=high).prop_map(Radians::from_degrees)
}

fn primitive() -> impl Strategy<Value = Primitive> {
    let sideways = prop::sample::select(vec![Look::Left, Look::Right]);
    let upwards = prop::sample::select(vec![Look::Up, Look::Down, Look::Ahead]);
    let side = prop::sample::select(vec![Side::Left, Side::Right]);
    let half = || (200_u64..900).prop_map(Duration::from_millis);
    let antenna = || prop::option::of(degrees(-140.0, 140.0));
    prop_oneof![
        (sideways, degrees(0.0, 60.0), duration()).prop_map(|(direction, angle, duration)| Primitive::Look {
            direction,
            angle,
            duration
        }),
        (upwards, degrees(0.0, 35.0), duration()).prop_map(|(direction, angle, duration)| Primitive::Look {
            direction,
            angle,
            duration
        }),
        (-0.3..0.3_f64, -0.2..0.2_f64, duration())
            .prop_map(|(y, z, duration)| Primitive::LookAt { point: [0.5, y, z], duration }),
        (side, degrees(0.0, 30.0), duration()).prop_map(|(side, angle, duration)| Primitive::Tilt {
            side,
            angle,
            duration
        }),
        (degrees(-160.0, 160.0), duration())
            .prop_map(|(angle, duration)| Primitive::TurnBody { angle, duration }),
        (-0.04..0.02_f64, duration()).prop_map(|(metres, duration)| Primitive::Height { metres, duration }),
        (1_u32..5, degrees(2.0, 25.0), half()).prop_map(|(times, angle, half)| Primitive::Nod {
            times,
            angle,
            half
        }),
        (1_u32..5, degrees(2.0, 25.0), half()).prop_map(|(times, angle, half)| Primitive::Shake {
            times,
            angle,
            half
        }),
        (1_u32..5, half()).prop_map(|(times, half)| Primitive::WiggleAntennas { times, half }),
        (antenna(), antenna(), duration()).prop_map(|(right, left, duration)| Primitive::SetAntennas {
            right,
            left,
            duration
        }),
        (2_u64..9).prop_map(|seconds| Primitive::Dance { duration: Duration::from_secs(seconds) }),
        Just(Primitive::Center),
        Just(Primitive::Wake),
        Just(Primitive::Sleep),
        duration().prop_map(|duration| Primitive::Wait { duration }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tools_move_like_the_direct_command(body in prop::collection::vec(primitive(), 1..7)) {
        moves_like_the_command(&body);
    }

    #[test]
    fn every_round_moves_alike(body in prop::collection::vec(primitive(), 1..5)) {
        let score = score_of("tool", &body).unwrap();
        prop_assume!(score.parameters[0].high >= 2.0);
        let twice = Arguments::from([("times".to_owned(), 2.0)]);
        let twice = compile(&score, &twice, &Setting::default()).unwrap();
        let once = course(&score);
        let seconds = once.seconds();
        prop_assert!((twice.seconds() - 2.0 * seconds).abs() < TIME_TOLERANCE);
        // The second round begins elsewhere, and passes the same goals from the first stroke on that sets them.
        let mut set: Vec<Axis> = Vec::new();
        for (segment, (time, _)) in lower(&body, Aim::neutral()).iter().zip(&Direct::of(&body).strokes[1..]) {
            match segment {
                MotionSegment::Goto { head, body_yaw, antennas, .. } => {
                    set.extend(head.iter().flat_map(|_| Axis::HEAD));
                    set.extend(antennas.iter().flat_map(|_| Axis::ANTENNAS));
                    set.extend(body_yaw.iter().map(|_| Axis::BodyTurn));
                }
                MotionSegment::LookAt { .. } => {
                    set.extend(Axis::HEAD);
                    set.push(Axis::BodyTurn);
                }
                MotionSegment::Pause(_) => {}
                MotionSegment::Wake | MotionSegment::Rest => set.extend(Axis::ALL),
            }
            let (first, second) = (once.axes_at(*time), twice.axes_at(seconds + time));
            for axis in &set {
                let far = (first[*axis] - second[*axis]).abs();
                prop_assert!(far < GOAL_TOLERANCE, "{axis:?} {far} at {time} s: {body:?}\n{}", write(&score));
            }
        }
    }
}

const HALF: Duration = Duration::from_millis(400);
const ANGLE: Radians = Radians::from_degrees(15.0);

#[test]
fn a_short_tool_reads_like_one_that_a_person_wrote() {
    let nods = Primitive::Nod { times: 3, angle: ANGLE, half: HALF };
    let written = compose("agree", &[nods]).unwrap();
    let expected = r#"from reachy_mini import ReachyMini
from motion import head, perform, repeat


def agree(robot: ReachyMini, times: int = 1, speed: float = 1.0) -> str:
    """Nod 3 times.

    Args:
        times: How often all of it is done, between 1 and 10.
        speed: The tempo, between 0.5 and 2.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 2.0:
        raise ValueError("speed must be between 0.5 and 2")
    return perform(
        robot,
        repeat(times, repeat(3, head(down=15, seconds=0.4), head(down=0, seconds=0.4))),
        speed=speed,
    )
"#;
    assert_eq!(written.source, expected);
    assert_eq!((written.plan, &*written.purpose), (vec!["nod 3 times".to_owned()], "Nod 3 times."));
}

/// Returns the steps that a request becomes, on one line.
fn steps(request: &str) -> String {
    let source = write(&grammar_score(request));
    let (_, steps) =
        source.split_once("repeat(\n            times,").or(source.split_once("repeat(times,")).unwrap();
    let (steps, _) = steps.rsplit_once("speed=speed").unwrap();
    let steps = steps.split_whitespace().collect::<Vec<_>>().join(" ");
    let steps = steps.trim_end_matches([',', ' ']).strip_suffix(')').unwrap();
    steps.trim_end_matches([',', ' ']).to_owned()
}

fn grammar_score(request: &str) -> Score {
    let Understanding::Plan(plan) = interpret(request, &Known::default()) else { panic!("{request}") };
    let [Intent::MakeTool { name, body, .. }] = plan.as_slice() else { panic!("{plan:?}") };
    score_of(name, body).unwrap()
}

#[test]
fn steps_name_what_changes() {
    for (request, expected) in [
        (
            "make a tool that looks left, looks right, looks left and looks right",
            "repeat(2, head(left=20, seconds=0.8), head(right=20, seconds=0.8))",
        ),
        (
            "make a tool that wiggles the antennas and turns right 40 degrees",
            "repeat(2, antennas(both_inward=30, seconds=0.4), antennas(both=10, seconds=0.4)), \
             antennas(seconds=0.4), body(right=40, seconds=1)",
        ),
        ("make a tool that looks ahead", "head(seconds=0.8)"),
        (
            "make a tool that wakes up, waits 3 seconds and goes to sleep",
            "play(\"wake_up\"), wait(3), play(\"go_to_sleep\")",
        ),
    ] {
        assert_eq!(steps(request), expected, "{request}");
    }
}

#[test]
fn what_the_language_cannot_express_is_named() {
    let far = Primitive::SetAntennas {
        right: Some(Radians::from_degrees(170.0)),
        left: None,
        duration: Duration::from_secs(2),
    };
    let wiggle = Primitive::WiggleAntennas { times: 1, half: HALF };
    let why = compose("tool", &[far, wiggle]).unwrap_err();
    assert!(why.to_string().contains("an antenna leans at most 170 degrees outward"), "{why}");
}

#[test]
fn a_name_or_a_request_cannot_break_out_of_the_docstring() {
    // The source has nothing of the request but its name, which is an identifier.
    let written = compose("x\"\"\"", &[Primitive::Center]);
    assert!(written.unwrap_err().to_string().contains("no name"));
}

#[test]
fn long_sequences_fit_a_rehearsal_and_a_summary() {
    let dance = Primitive::Dance { duration: Duration::from_secs(25) };
    let score = score_of("long_dance", &[dance]).unwrap();
    assert_eq!(score.parameters[0].high, 2.0);
    let many: Vec<Primitive> = (0..10)
        .map(|at| Primitive::Look {
            direction: if at % 2 == 0 { Look::Left } else { Look::Up },
            angle: Radians::from_degrees(f64::from(at) + 1.234),
            duration: Duration::from_millis(1234),
        })
        .collect();
    assert_eq!(score_of("many", &many).unwrap().summary, "Do 10 moves in a row.");
}

#[test]
fn corrections_change_the_tools_of_the_grammar() {
    let seconds = |tool: &Authored| course(&read(&tool.source).unwrap()).seconds();
    let corrected = |request: &str, change: &str| {
        let before = authored(&grammar_score(request));
        let written = changed("it", &before.source, request, change).unwrap();
        let after = written.tool.unwrap_or_else(|why| panic!("{change}: {why}"));
        (seconds(&before), seconds(&after), after)
    };
    let nods = "build a tool that nods three times";
    let (before, after, tool) = corrected(nods, "a bit faster please");
    assert!(after < 0.9 * before, "{before} {after}\n{}", tool.source);
    let (before, after, _) = corrected(nods, "slower");
    assert!(after > 1.15 * before);
    let (before, after, tool) = corrected(nods, "only twice");
    assert!((after - before * 2.0 / 3.0).abs() < 0.01 && tool.purpose == "Nod.", "{}", tool.source);
    let (before, after, _) = corrected(nods, "do all of it twice");
    assert!((after - before * 2.0).abs() < 0.01);
    let (_, _, tool) = corrected(nods, "bigger");
    assert!(tool.source.contains("down=22.5"), "{}", tool.source);
    let (before, after, tool) = corrected(nods, "and then bow");
    assert!(after > before + 1.0 && tool.purpose == "Nod, then bows.", "{} {}", tool.purpose, tool.source);
    let wiggle = "make a tool that wiggles the antennas";
    let (_, _, tool) = corrected(wiggle, "bigger");
    assert!(tool.source.contains("both_inward=40") && tool.source.contains("both=20"), "{}", tool.source);
    let (_, _, tool) = corrected(wiggle, "just the right one");
    assert!(tool.source.contains("right_inward=30") && !tool.source.contains("both"), "{}", tool.source);
    let (_, _, tool) = corrected("make a tool that looks left and nods", "the other way round");
    assert!(tool.source.contains("head(right=20") && !tool.source.contains("left="), "{}", tool.source);
}

/// As versions until 0.1 wrote it.
const OLD: &str = r#"from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def agree(robot: ReachyMini, times: int = 1, speed: float = 1.0) -> str:
    """Nod 3 times."""
    for _ in range(times):
        for _ in range(3):
            robot.goto_target(head=create_head_pose(pitch=15.0), duration=0.4 / speed, body_yaw=None)
            robot.goto_target(head=create_head_pose(), duration=0.4 / speed, body_yaw=None)
    return f"Sent {times} x (nod 3 times) at speed {speed:g}."
"#;

#[test]
fn a_tool_of_an_older_version_is_corrected_from_its_request() {
    let request = "make a tool called agree that nods three times";
    let written = changed("agree", OLD, request, "a bit faster").unwrap();
    let score = read(&written.tool.unwrap().source).unwrap();
    assert!(course(&score).seconds() < 0.9 * 2.4, "{}", write(&score));
}

#[test]
fn summaries_lose_their_quantities() {
    for (before, after) in [
        ("Nod 3 times.", "Nod."),
        ("Look left 20 deg, then nod twice.", "Look left, then nod."),
        ("Nod once by 20 deg at 0.2 s each way, then wait 2 s.", "Nod, then wait."),
        ("Turn the body left 90 deg in 2.5 s, then dance for 8 s.", "Turn the body left, then dance."),
        ("Waves, then bows.", "Waves, then bows."),
    ] {
        assert_eq!(without_quantities(before), after);
    }
}

/// The reader of commands serves what the composer misreads, and only then.
#[test]
fn second_reading_serves_what_shows_more_of_the_request() {
    for (request, call) in [
        ("make a tool that nods twice while it tilts its head to the right", "together("),
        ("make a tool that tilts its head to the right before it nods twice", "head(tilt_right="),
    ] {
        let contract = minismith_contract::Contract::from_request(request);
        let first = composed(request);
        let tool = read_again(first.clone(), request, &contract);
        assert_ne!(tool, first, "{request}");
        assert!(tool.not_understood.is_empty(), "{request}");
        let source = tool.tool.unwrap().source;
        assert!(source.contains(call), "{request}: {source}");
    }
    for request in ["make a tool that nods twice", "make a tool that frobs its gizmo"] {
        let contract = minismith_contract::Contract::from_request(request);
        assert_eq!(read_again(composed(request), request, &contract), composed(request), "{request}");
    }
}
