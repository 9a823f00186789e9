//! Courses of axes: targets, durations, parallel tracks, ramps, events and limits.

use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::HeadPose;
use proptest::prelude::*;

use super::*;
use crate::generate::score as any_score;
use crate::read::read;
use crate::score::Event;
use crate::stimuli::EventSpan;

const HEADER: &str = "from reachy_mini import ReachyMini\nfrom motion import antennas, as_long_as, body, clap, face, \
                      head, neutral, perform, play, ramp, repeat, sequence, sound, together, until, wait, when, \
                      whenever\n\n\n";

fn score(steps: &str) -> Score {
    let source = format!(
        "{HEADER}def t(robot: ReachyMini) -> str:\n    \"\"\"Moves.\"\"\"\n    return perform(robot, {steps})\n"
    );
    read(&source).unwrap_or_else(|error| panic!("{steps}: {error}"))
}

fn timeline(steps: &str) -> Timeline {
    compile(&score(steps), &Arguments::new(), &Setting::default()).unwrap()
}

fn with_events(steps: &str, events: &[(Event, f64, f64)]) -> Timeline {
    let spans =
        events.iter().map(|(event, from, to)| EventSpan { event: event.clone(), from: *from, to: *to });
    let setting = Setting { stimuli: Stimuli::new(spans.collect()), ..Setting::default() };
    compile(&score(steps), &Arguments::new(), &setting).unwrap()
}

fn starts(timeline: &Timeline, axis: Axis) -> Vec<f64> {
    timeline.pieces(axis).iter().map(|piece| (piece.start * 1000.0).round() / 1000.0).collect()
}

#[test]
fn signs_are_those_of_the_robot() {
    let end = |steps: &str| {
        let timeline = timeline(steps);
        timeline.at(timeline.seconds())
    };
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    close(end("head(left=20)").head.angles().yaw.degrees(), 20.0);
    close(end("head(right=20)").head.angles().yaw.degrees(), -20.0);
    close(end("head(down=20)").head.angles().pitch.degrees(), 20.0);
    close(end("head(up=20)").head.angles().pitch.degrees(), -20.0);
    close(end("head(tilt_right=20)").head.angles().roll.degrees(), 20.0);
    close(end("head(tilt_left=20)").head.angles().roll.degrees(), -20.0);
    close(end("head(forward_mm=10)").head.0.translation.x, 0.01);
    close(end("head(side_left_mm=10)").head.0.translation.y, 0.01);
    close(end("head(lower_mm=10)").head.0.translation.z, -0.01);
    close(end("body(left=40)").body_yaw.degrees(), 40.0);
    // The head turns with the body, and its own turn is relative to it.
    close(end("body(left=40), head(right=10)").head.angles().yaw.degrees(), 30.0);
    // By the official URDF, outward is right positive and left negative; the INIT pose leans inward.
    let antennas = end("antennas(left=30, right=50)").antennas;
    close(antennas.left.degrees(), -30.0);
    close(antennas.right.degrees(), 50.0);
    close(end("antennas(left_inward=30)").antennas.left.degrees(), 30.0);
    let (init, neutral) = (Posture::init().antennas, end("antennas()").antennas);
    assert!((init.left - neutral.left).abs().degrees() < 0.01);
    assert!((init.right - neutral.right).abs().degrees() < 0.01);
    assert_eq!(end("head(left=20, up=3), body(left=9), neutral()").head, HeadPose::neutral());
}

#[test]
fn every_target_alone_is_within_the_robots_reach() {
    for target in crate::target::Target::ALL {
        let steps = format!("{}({}={})", target.part().name(), target.word(), target.maximum());
        let timeline = timeline(&steps);
        assert!(joints_from_posture(&timeline.at(timeline.seconds())).is_ok(), "{steps}");
    }
}

#[test]
fn default_durations_follow_the_change_of_the_goals() {
    for (steps, seconds) in [
        ("head(left=60)", 2.0),
        ("head(left=60), head(right=60)", 6.0),
        ("head(left=3)", 0.4),
        ("head(left=3, lower_mm=40)", 2.0),
        ("antennas(left=80)", 1.0),
        ("antennas(left_inward=10)", 0.3),
        ("body(left=90)", 2.0),
        ("neutral()", 0.6),
        ("head(left=60, seconds=0.5), neutral()", 2.5),
        ("head(left=60, seconds=0.5), wait(2)", 2.5),
        ("repeat(3, head(left=15), head(left=0))", 3.0),
        ("together(head(left=60), sequence(wait(1), body(left=90)))", 3.0),
    ] {
        let found = timeline(steps).seconds();
        assert!((found - seconds).abs() < 1e-9, "{steps}: {found}");
    }
}

#[test]
fn speed_divides_movements_and_not_waits() {
    let source = format!(
        "{HEADER}def t(robot: ReachyMini, speed: float = 1.0) -> str:\n    \"\"\"Moves.\n\n    Args:\n        speed: \
         The tempo, between 0.5 and 2.\n    \"\"\"\n    if not 0.5 <= speed <= 2.0:\n        raise \
         ValueError(\"no\")\n    return perform(robot, head(left=60), wait(1), head(seconds=1), speed=speed)\n"
    );
    let score = read(&source).unwrap();
    let seconds = |speed: f64| {
        let arguments = Arguments::from([("speed".to_owned(), speed)]);
        compile(&score, &arguments, &Setting::default()).map(|timeline| timeline.seconds())
    };
    assert_eq!(seconds(2.0), Ok(2.5));
    assert_eq!(seconds(0.5), Ok(7.0));
    assert!(seconds(3.0).unwrap_err().to_string().contains("speed must be between 0.5 and 2"));
    let arguments = Arguments::from([("size".to_owned(), 1.0)]);
    let error = compile(&score, &arguments, &Setting::default()).unwrap_err();
    assert!(error.reason.contains("no parameter size"));
}

#[test]
fn axes_without_a_target_keep_their_goal() {
    let timeline = timeline("head(left=20), head(up=10), body(right=30)");
    let end = timeline.axes_at(timeline.seconds());
    assert_eq!((end[Axis::HeadTurn], end[Axis::HeadPitch], end[Axis::BodyTurn]), (20.0, -10.0, -30.0));
    assert_eq!(end[Axis::AntennaLeft], -10.0);
    assert_eq!(timeline.axes_at(0.0), AxisValues::neutral());
}

#[test]
fn tracks_run_at_once_and_easing_shapes_the_course() {
    let timeline = timeline(
        "together(repeat(2, head(down=15, seconds=0.5), head(down=0, seconds=0.5)), sequence(wait(0.25), \
         antennas(both=90, seconds=1, easing='linear')))",
    );
    assert_eq!(starts(&timeline, Axis::HeadPitch), [0.0, 0.5, 1.0, 1.5]);
    assert_eq!(starts(&timeline, Axis::AntennaRight), [0.25]);
    assert!((timeline.axes_at(0.75)[Axis::AntennaRight] - 40.0).abs() < 1e-9);
    assert!((timeline.axes_at(0.25)[Axis::HeadPitch] - 7.5).abs() < 1e-9);
    assert!((timeline.axes_at(0.125)[Axis::HeadPitch] - 15.0 * 0.103_515_625).abs() < 1e-9);
    assert_eq!(timeline.seconds(), 2.0);
}

#[test]
fn ramps_go_over_the_rounds_of_the_nearest_repeat() {
    let peaks = |steps: &str| -> Vec<f64> {
        timeline(steps).pieces(Axis::HeadTurn).iter().map(|piece| piece.to).filter(|to| *to > 0.0).collect()
    };
    assert_eq!(peaks("repeat(4, head(left=ramp(5, 20)), head())"), [5.0, 10.0, 15.0, 20.0]);
    assert_eq!(peaks("repeat(1, head(left=ramp(5, 20)), head())"), [5.0]);
    assert_eq!(
        peaks("repeat(2, head(left=ramp(30, 40)), repeat(2, head(left=ramp(1, 2)), head()))"),
        [30.0, 1.0, 2.0, 40.0, 1.0, 2.0]
    );
}

#[test]
fn events_run_their_steps() {
    let face = |from, to| (Event::Face, from, to);
    let wave = "antennas(both=100, seconds=0.5), antennas(seconds=0.5)";
    let when = format!("when(face(), {wave}, within=5)");
    assert_eq!(starts(&with_events(&when, &[face(2.0, 3.0)]), Axis::AntennaLeft), [2.0, 2.5]);
    assert_eq!(with_events(&when, &[face(2.0, 3.0)]).seconds(), 3.0);
    assert_eq!(with_events(&when, &[face(6.0, 9.0)]).seconds(), 5.0);
    let whenever = format!("whenever(face(), {wave}, seconds=8)");
    let waved = with_events(&whenever, &[face(1.0, 2.5), face(7.5, 9.0)]);
    assert_eq!(starts(&waved, Axis::AntennaLeft), [1.0, 1.5, 2.0, 2.5, 7.5, 8.0]);
    assert_eq!(waved.seconds(), 8.5);
    assert_eq!(with_events(&whenever, &[]).seconds(), 8.0);
    // The event counts as seen for half a second more; the movement that began is finished, the rest is dropped.
    let while_face = format!("as_long_as(face(), {wave}, wait(9), at_most=20)");
    let waved = with_events(&while_face, &[face(0.0, 0.3)]);
    assert_eq!((starts(&waved, Axis::AntennaLeft), waved.seconds()), (vec![0.0, 0.5], 1.0));
    let waved = with_events(&while_face, &[face(0.0, 4.0)]);
    assert_eq!((starts(&waved, Axis::AntennaLeft), waved.seconds()), (vec![0.0, 0.5], 4.5));
    assert_eq!(with_events(&while_face, &[face(1.0, 4.0)]).seconds(), 0.0);
    let until = format!("until(clap(), {wave}, at_most=4)");
    let waved = with_events(&until, &[(Event::Clap, 1.2, 1.3)]);
    assert_eq!((starts(&waved, Axis::AntennaLeft), waved.seconds()), (vec![0.0, 0.5, 1.0], 1.5));
    assert_eq!(with_events(&until, &[]).seconds(), 4.0);
}

#[test]
fn rounds_without_a_duration_end() {
    let silent = timeline("until(clap(), sound('a.wav'), at_most=5)");
    assert!((silent.seconds() - 5.0).abs() < 0.11);
    assert!(silent.sounds().len() < 60);
}

#[test]
fn limits_hold_for_arguments_other_than_the_defaults() {
    let source = format!(
        "{HEADER}def t(robot: ReachyMini, times: int = 1) -> str:\n    \"\"\"Moves.\n\n    Args:\n        times: How \
         often, between 1 and 50.\n    \"\"\"\n    if not 1 <= times <= 50:\n        raise ValueError(\"no\")\n    \
         return perform(robot, repeat(times, wait(5)))\n"
    );
    let score = read(&source).unwrap();
    let error =
        compile(&score, &Arguments::from([("times".to_owned(), 30.0)]), &Setting::default()).unwrap_err();
    assert!(error.reason.contains("more than 120 seconds"));
    for wrong in [1.5, 51.0, -1.0, f64::NAN, f64::INFINITY] {
        let arguments = Arguments::from([("times".to_owned(), wrong)]);
        assert!(compile(&score, &arguments, &Setting::default()).is_err(), "{wrong}");
    }
}

#[test]
fn moves_are_played_and_the_start_is_snapped_to_neutral() {
    let asleep = timeline("play('go_to_sleep')");
    let end = asleep.at(asleep.seconds());
    assert!((end.head.0.translation.z - Posture::sleep().head.0.translation.z).abs() < 1e-6);
    let mut setting = Setting::default();
    setting.start[Axis::HeadTurn] = 2.0;
    setting.start[Axis::BodyTurn] = 45.0;
    let mut raised = AxisValues::neutral();
    raised[Axis::HeadRise] = 8.0;
    let recorded = RecordedMove { period: 0.5, samples: vec![AxisValues::neutral(), raised] };
    setting.moves.insert("rise".to_owned(), recorded);
    let timeline =
        compile(&score("body(), play('rise'), play('other')"), &Arguments::new(), &setting).unwrap();
    assert_eq!(timeline.axes_at(0.0)[Axis::HeadTurn], 0.0);
    assert_eq!(timeline.axes_at(0.0)[Axis::BodyTurn], 45.0);
    assert!((timeline.axes_at(1.75)[Axis::HeadRise] - 4.0).abs() < 1e-9);
    assert_eq!((timeline.seconds(), timeline.unknown_moves()), (12.0, &["other".to_owned()][..]));
}

proptest! {
    #[test]
    fn courses_are_continuous_and_end_within_the_limits(score in any_score(), seen in 0.0..5.0_f64) {
        let spans = crate::score::EVENTS.map(|name| EventSpan {
            event: Event::from_name(name).unwrap_or(Event::Face),
            from: seen,
            to: seen + 2.0,
        });
        let setting = Setting { stimuli: Stimuli::new(spans.to_vec()), ..Setting::default() };
        let Ok(timeline) = compile(&score, &Arguments::new(), &setting) else { return Ok(()) };
        prop_assert!(timeline.seconds() <= MAX_SECONDS + 1e-6);
        for axis in Axis::ALL {
            let mut at = (0.0, axis.neutral());
            for piece in timeline.pieces(axis) {
                prop_assert!(piece.start >= at.0 - 1e-9 && piece.end > piece.start, "{:?} {:?}", axis, piece);
                prop_assert!((piece.from - at.1).abs() < 1e-9);
                at = (piece.end, piece.to);
            }
            prop_assert!(at.0 <= timeline.seconds() + 1e-9);
        }
    }
}

#[test]
fn poses_beyond_the_robots_reach_are_found() {
    assert_eq!(timeline("head(left=30, down=20), wait(1), neutral()").unreachable(), None);
    let far =
        "head(left=20), head(down=35, tilt_left=30, lower_mm=40, forward_mm=20, side_left_mm=15, left=60)";
    let at = timeline(far).unreachable().unwrap();
    assert!(at > 0.5, "{at}");
}
