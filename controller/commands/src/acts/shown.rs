//! Motions that consist of several steps of their own: a circle, and the feelings.

use minismith_score::Axis;

use super::aim;
use crate::concept::Act;
use crate::meaning::{Aim, Gesture, Meaning};

pub(super) fn circle(count: u32, pace: f64) -> Meaning {
    let go = |turn: (f64, f64), pitch: (f64, f64)| Meaning::Go {
        aims: vec![aim(Axis::HeadTurn, turn.0, turn.1), aim(Axis::HeadPitch, pitch.0, pitch.1)],
        seconds: Some(0.5 * pace),
        pace: 1.0,
    };
    let round = vec![
        go((1.0, 15.0), (0.0, 0.0)),
        go((0.0, 0.0), (-1.0, 12.0)),
        go((-1.0, 15.0), (0.0, 0.0)),
        go((0.0, 0.0), (1.0, 12.0)),
    ];
    let rounds = Meaning::Repeat(count.clamp(1, 10), Box::new(Meaning::Sequence(round)));
    Meaning::Sequence(vec![
        rounds,
        Meaning::Neutral { axes: vec![Axis::HeadTurn, Axis::HeadPitch], seconds: None, pace },
    ])
}

/// Returns how a robot without a face shows a feeling.
pub(super) fn feeling(act: Act, pace: f64) -> Meaning {
    let go = |aims: Vec<Aim>| Meaning::Go { aims, seconds: None, pace };
    let antennas =
        |degrees: f64| Axis::ANTENNAS.iter().map(|axis| aim(*axis, 1.0, degrees)).collect::<Vec<Aim>>();
    let cycles = |aims: Vec<Aim>, count: u32| {
        Meaning::Gesture(Gesture {
            strokes: vec![aims],
            is_out_and_back: true,
            count,
            hold: 0.0,
            stroke: pace,
            pause: 0.0,
            trend: None,
            period: None,
            total: None,
        })
    };
    match act {
        Act::Happy => Meaning::Together(vec![
            cycles(antennas(30.0), 3),
            cycles(vec![aim(Axis::HeadPitch, 1.0, 12.0)], 2),
        ]),
        Act::Sad => go([vec![aim(Axis::HeadPitch, 1.0, 20.0)], antennas(120.0)].concat()),
        Act::Curious => go(vec![aim(Axis::HeadTilt, -1.0, 15.0)]),
        Act::Surprised => go([vec![aim(Axis::HeadRise, 1.0, 12.0)], antennas(25.0)].concat()),
        _ => {
            go([vec![aim(Axis::HeadPitch, 1.0, 15.0), aim(Axis::HeadRise, -1.0, 15.0)], antennas(90.0)]
                .concat())
        }
    }
}
