//! `ik` and `fk`: one call between a posture and its joints, over the same list of postures.

use std::hint::black_box;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use serde_json::{Value, json};

use super::baseline::{MEASURE, Script};
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::{BenchContext, Failed};

pub(super) const NAMES: [&str; 2] = ["ik", "fk"];
const PEER: &str = "reachy_mini 1.13.0 AnalyticalKinematics";

/// The number of postures: long enough that no branch predictor or cache learns the list.
const POSTURES: usize = 2_000;
/// The range of the head along and about each axis: most such poses can be reached.
const REACH_METRES: f64 = 0.015;
const REACH_DEGREES: f64 = 25.0;
/// The solutions of both sides agree within this, radians.
const ANGLE_TOLERANCE_RAD: f64 = 1e-6;
/// A pose counts as found within this, on both sides: the official solution settles at about 1e-5 rad from the pose.
const CLOSE_METRES: f64 = 1e-5;
const CLOSE_RADIANS: f64 = 1e-4;

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("kinematics: both ways, over the same postures");
    let postures = postures();
    let joints: Vec<Joints> =
        postures.iter().filter_map(|posture| joints_from_posture(posture).ok()).collect();
    let peer = context.baselines.packages.as_ref().map(|python| Peer::start(python, &postures, &joints));
    let (mut peer, note) = match peer {
        Some(Ok(peer)) => {
            let note = peer.note();
            (Some(peer), note)
        }
        Some(Err(failed)) => {
            (context.progress)(&format!("the official side failed: {failed}"));
            (None, String::new())
        }
        None => (None, String::new()),
    };
    let rounds = context.pick(5, 25);
    let found = peer.as_ref().map_or(joints.len(), |peer| peer.found);

    let mut our_ik = || Ok(our_ik(&postures));
    let mut their_ik = peer.as_mut().map(|peer| || peer.round("ik", postures.len()));
    let ik = take_turns(context, rounds, &mut our_ik, their_ik.as_mut().map(|side| side as _));
    let mut our_fk = || our_fk(&postures, &joints);
    let mut their_fk = peer.as_mut().map(|peer| || peer.round("fk", found));
    let fk = take_turns(context, rounds, &mut our_fk, their_fk.as_mut().map(|side| side as _));

    let ik = Row::alone("ik", "us", ik.ours).against(PEER, ik.theirs, Better::Lower);
    let fk = Row::alone("fk", "us", fk.ours).against(PEER, fk.theirs, Better::Lower).noting(&note);
    vec![ik, fk]
}

/// Returns the microseconds per call, over all postures.
fn our_ik(postures: &[Posture]) -> f64 {
    let clock = MonotonicClock::start();
    for posture in postures {
        let _ = black_box(joints_from_posture(black_box(posture)));
    }
    per_call(clock.now().seconds(), postures.len())
}

/// Returns the microseconds per call from neutral, over all joints. Each result is compared with the original pose.
fn our_fk(postures: &[Posture], joints: &[Joints]) -> Result<f64, Failed> {
    let neutral = HeadPose::neutral();
    let mut found = Vec::with_capacity(joints.len());
    let clock = MonotonicClock::start();
    for angles in joints {
        found.push(posture_from_joints(black_box(angles), &neutral));
    }
    let seconds = clock.now().seconds();
    for (posture, found) in postures.iter().zip(found) {
        let between = found.map_err(|error| Failed::at("fk")(&error))?.head.0.inv_mul(&posture.head.0);
        if between.translation.vector.norm() > CLOSE_METRES || between.rotation.angle() > CLOSE_RADIANS {
            return Err(Failed(format!("fk: a solution is off from {posture:?}")));
        }
    }
    Ok(per_call(seconds, joints.len()))
}

fn per_call(seconds: f64, calls: usize) -> f64 {
    seconds * 1e6 / calls.max(1) as f64
}

/// Returns random reachable postures; the same on every run.
fn postures() -> Vec<Posture> {
    let mut dice = Dice(1);
    let mut postures = Vec::with_capacity(POSTURES);
    while postures.len() < POSTURES {
        let [x, y, z] = [(); 3].map(|()| dice.within(REACH_METRES));
        let [roll, pitch, yaw] = [(); 3].map(|()| Radians::from_degrees(dice.within(REACH_DEGREES)));
        let head = HeadPose::new(x, y, z, RollPitchYaw { roll, pitch, yaw });
        let posture = Posture { head, body_yaw: Radians::ZERO, antennas: Antennas::default() };
        let reached = joints_from_posture(&posture);
        // Forward and back, so that forward kinematics has a solution to find.
        if reached.is_ok_and(|joints| posture_from_joints(&joints, &HeadPose::neutral()).is_ok()) {
            postures.push(posture);
        }
    }
    postures
}

/// SplitMix64: random enough for poses.
struct Dice(u64);

impl Dice {
    /// Returns a number uniform in `-reach..reach`.
    fn within(&mut self, reach: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * reach
    }
}

/// The official kinematics, with the postures loaded.
struct Peer {
    script: Script,
    /// The number of postures for which its forward kinematics converges.
    found: usize,
    /// The number of postures that it received.
    given: usize,
    /// Its average number of calls per solution.
    calls: f64,
}

impl Peer {
    /// Starts it, and checks that both sides compute the same.
    fn start(python: &std::path::Path, postures: &[Posture], joints: &[Joints]) -> Result<Peer, Failed> {
        let mut script = Script::start(python, "the official kinematics", MEASURE, &["kinematics".into()])?;
        let poses: Vec<_> = postures.iter().map(|posture| posture.head.to_row_major()).collect();
        let body_yaws: Vec<_> = postures.iter().map(|posture| posture.body_yaw).collect();
        let answer = script.ask(&json!({ "poses": poses, "body_yaws": body_yaws }).to_string())?;
        let read = |key: &str| answer.get(key).cloned().unwrap_or(Value::Null);
        let at = Failed::at("the official kinematics");
        let theirs: Vec<[f64; 7]> = serde_json::from_value(read("joints")).map_err(|error| at(&error))?;
        let calls: Vec<u32> = serde_json::from_value(read("calls")).map_err(|error| at(&error))?;
        let agrees = |(ours, theirs): (&Joints, &[f64; 7])| {
            let seven = Joint::ALL.iter().take(7).map(|joint| ours[*joint].value());
            seven.zip(theirs).all(|(ours, theirs)| (ours - theirs).abs() < ANGLE_TOLERANCE_RAD)
        };
        if theirs.len() != joints.len() || !joints.iter().zip(&theirs).all(agrees) {
            return Err(Failed("the official kinematics finds other joints than ours".into()));
        }
        let needed: Vec<u32> = calls.into_iter().filter(|calls| *calls > 0).collect();
        let average = f64::from(needed.iter().sum::<u32>()) / needed.len().max(1) as f64;
        Ok(Peer { script, found: needed.len(), given: postures.len(), calls: average })
    }

    /// Returns the microseconds per solution.
    fn round(&mut self, which: &str, answers: usize) -> Result<f64, Failed> {
        Ok(per_call(self.script.number(which, "seconds")?, answers))
    }

    fn note(&self) -> String {
        format!(
            "from the neutral pose to within 1e-5 m and 1e-4 rad; the peer takes {:.1} calls on average and finds {} of {} poses",
            self.calls, self.found, self.given
        )
    }
}
