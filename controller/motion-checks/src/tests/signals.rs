//! Traces that cannot be judged are rejected without a panic, and a signal is read as it was moved.

use std::collections::BTreeMap;

use super::script::trace;
use super::yaml::cases;
use crate::axis::{Axis, Direction};
use crate::cases::Outcome;
use crate::judge::{RunKey, judge, runs};
use crate::signal::Signal;
use crate::trace::{Sample, Trace, TraceError};

#[test]
fn the_signs_are_the_official_ones() {
    let sample = Sample {
        head_pitch_deg: 10.0,
        head_roll_deg: 20.0,
        head_yaw_deg: -170.0,
        body_yaw_deg: 150.0,
        left_antenna_deg: 40.0,
        right_antenna_deg: 40.0,
        ..Sample::default()
    };
    assert_eq!(sample.deviation(Axis::HeadPitch), -10.0, "positive pitch looks down");
    assert_eq!(sample.deviation(Axis::HeadTilt), -20.0, "positive roll leans to the right");
    assert_eq!(sample.deviation(Axis::HeadTurn), 40.0, "relative to the body, over the seam at 180 degrees");
    assert_eq!(sample.deviation(Axis::AntennaLeft), -30.0, "larger is inward");
    assert_eq!(sample.deviation(Axis::AntennaRight), 50.0, "larger is outward");
    for axis in Axis::ALL {
        assert_eq!(Sample::neutral().deviation(axis), 0.0, "{axis}");
    }
}

#[test]
fn a_head_that_is_turned_over_the_seam_turns_on() {
    let signal = Signal::of(&trace("body left 160 in 3; turn left 50 in 1"), Axis::HeadFacing);
    assert!((signal.last() - 210.0).abs() < 2.0, "{}", signal.last());
    assert_eq!(signal.swings_toward(Direction::Right, 5.0).len(), 0);
}

#[test]
fn times_of_a_swing() {
    let signal =
        Signal::of(&trace("wait 1; tilt left 20 in 0.5; wait 2; tilt 0 in 0.5; wait 1"), Axis::HeadTilt);
    let swings = signal.swings(5.0);
    assert_eq!(swings.len(), 1);
    let swing = swings[0];
    assert!((swing.size - 20.0).abs() < 1.0, "{swing:?}");
    assert!((1.0..1.3).contains(&swing.onset_s), "{swing:?}");
    assert!((1.3..1.8).contains(&swing.reached_s), "{swing:?}");
    assert!((3.5..3.9).contains(&swing.departed_s), "{swing:?}");
    assert!((3.8..4.3).contains(&swing.back_s.expect("it comes back")), "{swing:?}");
    assert!(swing.is_back_at_neutral);
    assert_eq!(signal.moving().len(), 2);
    let rest = Signal::of(&trace("wait 5"), Axis::HeadTilt);
    assert!(rest.moving().is_empty() && rest.swings(2.0).is_empty(), "noise is no motion");
}

#[test]
fn traces_that_cannot_be_judged_fail_all_checks() {
    let good = trace("wait 1");
    assert_eq!(good.validate(), Ok(()));
    let mut not_finite = good.clone();
    not_finite.samples[3].head_yaw_deg = f64::NAN;
    assert_eq!(not_finite.validate(), Err(TraceError::NotFinite));
    let no_period = Trace { period_s: 0.0, ..good.clone() };
    assert_eq!(no_period.validate(), Err(TraceError::Period(0.0)));
    let empty = Trace { samples: Vec::new(), ..good };
    assert_eq!(empty.validate(), Err(TraceError::Samples(0)));
    for bad in [not_finite, no_period, empty, Trace::default()] {
        for case in cases().iter().filter(|case| case.outcome == Outcome::Made) {
            let traces: BTreeMap<RunKey, Trace> =
                runs(case).into_iter().map(|run| (run.key, bad.clone())).collect();
            assert!(!judge(case, &traces).is_right(), "{}", case.id);
            assert!(!judge(case, &BTreeMap::new()).is_right(), "{}", case.id);
        }
    }
}

#[test]
fn a_trace_is_stored_and_read_unchanged() {
    let trace = trace("sound; tilt left 10 in 0.3; say hi");
    let text = serde_json::to_string(&trace).expect("a trace is written");
    let read: Trace = serde_json::from_str(&text).expect("a trace is read");
    assert_eq!(read.events, trace.events);
    assert_eq!(read.samples.len(), trace.samples.len());
}
