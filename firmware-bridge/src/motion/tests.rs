//! Interpolation, plans, adjustments and rejected motions.

use super::*;

const PERIOD: Duration = Duration::from_millis(10);

fn plan(motion: &Motion) -> Result<Trajectory, MotionError> {
    let limits = Limits::default();
    let from = joints_from_posture(&Posture::init()).unwrap();
    motion.plan(&from, &PlanRules { limits: &limits, period: PERIOD, automatic_body_yaw: true })
}

fn turned(pitch: f64, yaw: f64) -> Target {
    let angles = RollPitchYaw {
        pitch: Radians::from_degrees(pitch),
        yaw: Radians::from_degrees(yaw),
        ..Default::default()
    };
    Target { head: Some(HeadPose::new(0.0, 0.0, 0.0, angles)), ..Default::default() }
}

fn goto(target: Target) -> Motion {
    Motion::Goto { target, duration: Duration::from_millis(500), interpolation: Interpolation::Minjerk }
}

/// Samples of the official daemon's `interpolation`: start, end, the middle, and the quarter of minjerk and cartoon.
#[test]
fn interpolations_match_the_official_values() {
    for method in
        [Interpolation::Linear, Interpolation::Minjerk, Interpolation::EaseInOut, Interpolation::Cartoon]
    {
        assert!(method.progress(0.0).abs() < 1e-12, "{method:?}");
        assert!((method.progress(1.0) - 1.0).abs() < 1e-12, "{method:?}");
        assert!((method.progress(0.5) - 0.5).abs() < 1e-12, "{method:?}");
    }
    assert!((Interpolation::Minjerk.progress(0.25) - 0.103_515_625).abs() < 1e-12);
    assert!((Interpolation::EaseInOut.progress(0.25) - 0.125).abs() < 1e-12);
    assert!((Interpolation::Cartoon.progress(0.25) + 0.099_681_9).abs() < 1e-6);
}

#[test]
fn goto_ends_exactly_at_its_target() {
    let planned = plan(&goto(turned(0.0, 20.0))).unwrap();
    assert_eq!(planned.setpoints.len(), 50);
    let end = posture_from_joints(planned.setpoints.last().unwrap(), &HeadPose::neutral()).unwrap();
    assert!((end.head.angles().yaw.degrees() - 20.0).abs() < 1e-6);
    assert_eq!(end.antennas, Posture::init().antennas);
}

#[test]
fn excessive_pitch_is_adjusted_and_reported() {
    let planned = plan(&goto(turned(60.0, 0.0))).unwrap_or_else(|refusal| panic!("{refusal}"));
    let adjustment = planned.adjustments.first().unwrap();
    assert_eq!((adjustment.what, adjustment.applied), ("pitch", Radians::from_degrees(40.0)));
}

#[test]
fn body_follows_a_large_head_yaw() {
    let planned = plan(&goto(turned(0.0, 120.0))).unwrap();
    assert!((planned.target.body_yaw.degrees() - 55.0).abs() < 1e-6);
}

#[test]
fn unreachable_and_invalid_motions_are_rejected() {
    let far =
        Target { head: Some(HeadPose::new(0.0, 0.0, 0.2, RollPitchYaw::default())), ..Default::default() };
    let refusal = plan(&goto(far)).unwrap_err();
    assert!(matches!(refusal, MotionError::Unreachable(_)), "{refusal}");
    assert!(refusal.to_string().contains("stewart_"), "{refusal}");
    let nan = Target {
        antennas: Some(Antennas { right: Radians(f64::NAN), left: Radians(0.0) }),
        ..Default::default()
    };
    assert_eq!(plan(&goto(nan)), Err(MotionError::NotFinite { what: "right_antenna" }));
    assert!(matches!(duration_from_seconds(0.0), Err(MotionError::InvalidDuration { .. })));
    assert!(matches!(duration_from_seconds(f64::NAN), Err(MotionError::InvalidDuration { .. })));
    assert!(matches!(duration_from_seconds(1e9), Err(MotionError::InvalidDuration { .. })));
    let late = Keyframe { time: Duration::from_secs(2), target: Target::default() };
    let early = Keyframe { time: Duration::from_secs(1), target: Target::default() };
    assert!(matches!(plan(&Motion::Play(vec![late, early])), Err(MotionError::OutOfOrder { index: 1, .. })));
}

#[test]
fn keyframe_slightly_out_of_reach_is_adjusted_and_one_far_out_is_rejected() {
    // The head can rise by at most 24 mm.
    let up = |millimetres: f64| {
        let head = Some(HeadPose::new(0.0, 0.0, millimetres * 1e-3, RollPitchYaw::default()));
        let frame = |seconds, head| Keyframe {
            time: Duration::from_secs(seconds),
            target: Target { head, ..Target::default() },
        };
        plan(&Motion::Play(vec![frame(1, Some(HeadPose::neutral())), frame(2, head)]))
    };
    assert_eq!(up(20.0).unwrap().adjustments, []);
    let near = up(25.0).unwrap();
    let [adjustment] = near.adjustments[..] else { panic!("{:?}", near.adjustments) };
    assert!(
        adjustment.what.starts_with("stewart_") && adjustment.requested != adjustment.applied,
        "{adjustment:?}"
    );
    let height = near.target.head.0.translation.z;
    assert!(height > 0.022 && height < 0.025, "{height}");
    assert!(matches!(up(60.0), Err(MotionError::Unreachable(_))));
}

#[test]
fn keyframes_keep_their_time_at_any_rate() {
    // The body turns at 10 degrees per second.
    let frames = |rate: f64| {
        let frame = |index: i32| {
            let seconds = f64::from(index) / rate;
            let body_yaw = Some(Radians::from_degrees(10.0 * seconds));
            let target = Target { body_yaw, head: Some(HeadPose::neutral()), ..Target::default() };
            Keyframe { time: Duration::from_secs_f64(seconds), target }
        };
        (0..=rate as i32).map(frame).collect::<Vec<_>>()
    };
    for rate in [24.0, 30.0, 60.0, 100.0, 240.0] {
        let limits = Limits::default();
        let rules = PlanRules { limits: &limits, period: PERIOD, automatic_body_yaw: false };
        let from = joints_from_posture(&Posture::init()).unwrap();
        let planned = Motion::Play(frames(rate)).plan(&from, &rules).unwrap();
        assert_eq!(planned.setpoints.len(), 100, "{rate} a second");
        for (index, setpoint) in planned.setpoints.iter().enumerate() {
            let expected = 0.1 * (index + 1) as f64;
            assert!((setpoint[Joint::BodyYaw].degrees() - expected).abs() < 1e-6, "{rate}: {index}");
        }
    }
}

#[test]
fn keyframes_at_full_speed_are_eased_and_slow_ones_keep_their_time() {
    for (starts, ends) in [(false, false), (true, false), (false, true), (true, true)] {
        let easing = Easing { starts, ends };
        let (duration, total) = (2.0, 2.0 + easing.extra_time().as_secs_f64());
        let times: Vec<f64> =
            (0..=1000).map(|index| easing.time(total * f64::from(index) / 1000.0, duration)).collect();
        assert!(times[0].abs() < 1e-9 && (times[1000] - duration).abs() < 1e-9, "{easing:?}");
        let paces: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / (total / 1000.0)).collect();
        assert!(paces.iter().all(|pace| (-1e-9..1.0 + 1e-9).contains(pace)), "{easing:?}");
        assert_eq!((paces[0] < 0.01, paces[999] < 0.01), (starts, ends), "{easing:?}");
        assert!((paces[500] - 1.0).abs() < 1e-9);
    }
    assert_eq!(Easing { starts: false, ends: false }.time(0.123, 2.0), 0.123);
}
