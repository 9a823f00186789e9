//! A dance of half an hour in virtual time and of one minute in real time, on the emulated bus at its real pace. One
//! packet in a hundred is lost and one in a hundred corrupted. No fault occurs, and no goal exceeds a limit.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus};
use firmware_bridge::clock::{Clock, VirtualClock, WallClock};
use firmware_bridge::fault::{FaultKind, Policy};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::Trajectory;
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::{Conductor, Ended, Order, Pulse, PulseThread, Snapshot};
use firmware_bridge::trace::{Beat, Trace, Traced};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, Faults};
use mock_robot::firmware::{DirectLine, DirectOptions, Emulator, EmulatorOptions};

const BEAT: Duration = Duration::from_millis(10);
const DT: f64 = 0.01;

/// Returns the dancer's posture after `seconds` of `whole`: every axis sways at its own rate, and fades in and out.
fn dance_posture(seconds: f64, whole: f64) -> Posture {
    let fade = (seconds.min(whole - seconds) / 2.0).clamp(0.0, 1.0);
    let share = fade * fade * (3.0 - 2.0 * fade);
    let sway = |hertz: f64, width: f64| width * share * (TAU * hertz * seconds).sin();
    let degrees = |angle: f64| Radians::from_degrees(angle);
    let body = degrees(sway(0.11, 40.0));
    let angles = RollPitchYaw {
        roll: degrees(sway(0.53, 12.0)),
        pitch: degrees(sway(0.71, 14.0)),
        yaw: body + degrees(sway(0.37, 25.0)),
    };
    let rest = Posture::init();
    Posture {
        head: HeadPose::new(sway(0.43, 0.008), sway(0.61, 0.008), sway(0.83, 0.007), angles),
        body_yaw: body,
        antennas: Antennas {
            right: rest.antennas.right + degrees(sway(0.9, 60.0)),
            left: rest.antennas.left + degrees(sway(1.1, 60.0)),
        },
    }
}

fn dance(whole: Duration) -> Trajectory {
    let beats = u32::try_from(whole.as_millis() / BEAT.as_millis()).unwrap();
    let pose = |beat: u32| dance_posture(f64::from(beat) * DT, whole.as_secs_f64());
    let wishes = (1..=beats).map(|beat| joints_from_posture(&pose(beat)).unwrap()).collect();
    Trajectory { wishes, target: pose(beats), adjustments: Vec::new() }
}

fn lossy_line() -> [Fault; 2] {
    [Fault::of(FaultKind::Silent).at_rate(0.01), Fault::of(FaultKind::Corrupt).at_rate(0.01)]
}

fn pulse<C: Clock>(bus: MotorBus, clock: C, beats: usize) -> (Pulse<Traced<MotorBus>, C>, Trace) {
    let trace = Trace::with_room_for(beats + 10_000);
    let mut pulse = Pulse::new(Traced::new(bus, trace.clone()), clock, Limits::default(), BEAT).unwrap();
    pulse.take(Order::Torque(Joints::all(true)));
    (pulse, trace)
}

fn check(ended: &Snapshot, beats: &[Beat], least: usize) {
    assert_eq!((ended.ended, &ended.fault), (Some(Ended::Arrived), &None));
    let status = ended.status.unwrap();
    assert_eq!(status.policy, Policy::RideThrough, "{status}");
    assert!(beats.len() >= least, "{} of {least} beats", beats.len());
    let limits = Limits::default();
    let mut seed = HeadPose::neutral();
    for four in beats.windows(4) {
        let goals: Vec<&Joints> = four.iter().map(|beat| &beat.goal).collect();
        let [a, b, c, d] = goals.try_into().unwrap();
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            let [a, b, c, d] = [a, b, c, d].map(|goal| goal[joint].value());
            let [u, v, w] = [b - a, c - b, d - c].map(|way| way / DT);
            let [before, now] = [v - u, w - v].map(|change| change / DT);
            let jerk = (now - before) / DT;
            let inside = |value: f64, most: Radians| value.abs() <= most.value() * (1.0 + 1e-6) + 1e-6;
            assert!(inside(w, limit.speed), "{joint}: {w} rad/s");
            assert!(inside(now, limit.acceleration), "{joint}: {now} rad/s2");
            assert!(inside(jerk, limit.jerk), "{joint}: {jerk} rad/s3");
            assert!(limit.low.value() <= d && d <= limit.high.value(), "{joint}: {d} rad");
        }
        let place = posture_from_joints(d, &seed).unwrap();
        let RollPitchYaw { roll, pitch, yaw } = place.head.angles();
        let aside = (yaw - place.body_yaw).wrapped();
        assert!(roll.abs() <= limits.head_roll && pitch.abs() <= limits.head_pitch);
        assert!(aside.abs() <= limits.relative_yaw, "{aside}");
        seed = place.head;
    }
}

#[test]
fn dances_half_an_hour_in_virtual_time() {
    let clock = Arc::new(VirtualClock::new());
    let start = joints_from_posture(&Posture::init()).unwrap();
    let line =
        DirectLine::new(DirectOptions { faults: Faults::default(), start, paced: true }, clock.clone());
    let far_end = line.probe();
    let bus = MotorBus::over(Box::new(line), &BusOptions::default()).unwrap();
    let trajectory = dance(Duration::from_secs(30 * 60));
    let least = trajectory.wishes.len();
    let (mut pulse, trace) = pulse(bus, clock, least);
    lossy_line().into_iter().for_each(|fault| far_end.strike(fault));
    let ended = pulse.play(trajectory, 0);
    check(&ended, &trace.take(), least);
}

#[test]
fn dances_one_minute_in_real_time() {
    let start = joints_from_posture(&Posture::init()).unwrap();
    let options = EmulatorOptions { link: None, faults: Faults::default(), start, paced: true };
    let emulator = Emulator::start(options).unwrap();
    let bus = MotorBus::open(emulator.path(), &BusOptions::default()).unwrap();
    let trajectory = dance(Duration::from_secs(60));
    let least = trajectory.wishes.len();
    let (pulse, trace) = pulse(bus, WallClock::start(), least);
    let thread = PulseThread::start(pulse).unwrap();
    lossy_line().into_iter().for_each(|fault| emulator.strike(fault));
    let ended = thread.handle().play(trajectory, 0);
    check(&ended, &trace.take(), least);
}
