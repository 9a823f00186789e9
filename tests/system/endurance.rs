//! A dance of half an hour in virtual time and of one minute in real time, on the emulated bus at its real pace. One
//! packet in a hundred is lost and one in a hundred corrupted. No fault occurs, and no goal exceeds a limit.

use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus};
use firmware_bridge::clock::{Clock, MonotonicClock, VirtualClock};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopThread, LoopClient, LoopCommand, LoopSnapshot, MoveResult,
};
use firmware_bridge::fault::{FaultKind, FaultPolicy};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::Trajectory;
use firmware_bridge::motion_log::{LoggedCycle, LoggingRobot, MotionLog};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, Faults};
use mock_robot::firmware::{Emulator, EmulatorOptions, VirtualLine, VirtualLineOptions};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
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
    let cycles = u32::try_from(whole.as_millis() / CYCLE_PERIOD.as_millis()).unwrap();
    let pose = |cycle: u32| dance_posture(f64::from(cycle) * DT, whole.as_secs_f64());
    let setpoints = (1..=cycles).map(|cycle| joints_from_posture(&pose(cycle)).unwrap()).collect();
    Trajectory { setpoints, target: pose(cycles), adjustments: Vec::new() }
}

fn lossy_line() -> [Fault; 2] {
    [Fault::of(FaultKind::Silent).at_rate(0.01), Fault::of(FaultKind::Corrupt).at_rate(0.01)]
}

fn control_loop<C: Clock>(
    bus: MotorBus,
    clock: C,
    cycles: usize,
) -> (ControlLoop<LoggingRobot<MotorBus>, C>, MotionLog) {
    let trace = MotionLog::with_room_for(cycles + 10_000);
    let mut control_loop =
        ControlLoop::new(LoggingRobot::new(bus, trace.clone()), clock, Limits::default(), CYCLE_PERIOD)
            .unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    (control_loop, trace)
}

fn check(ended: &LoopSnapshot, cycles: &[LoggedCycle], least: usize) {
    assert_eq!((ended.move_result, &ended.fault), (Some(MoveResult::Succeeded), &None));
    let status = ended.last_fault.unwrap();
    assert_eq!(status.policy, FaultPolicy::RideThrough, "{status}");
    assert!(cycles.len() >= least, "{} of {least} beats", cycles.len());
    let limits = Limits::default();
    let mut seed = HeadPose::neutral();
    for four in cycles.windows(4) {
        let goals: Vec<&Joints> = four.iter().map(|cycle| &cycle.goal).collect();
        let [a, b, c, d] = goals.try_into().unwrap();
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            let [a, b, c, d] = [a, b, c, d].map(|goal| goal[joint].value());
            let [u, v, w] = [b - a, c - b, d - c].map(|way| way / DT);
            let [before, now] = [v - u, w - v].map(|change| change / DT);
            let jerk = (now - before) / DT;
            let inside = |value: f64, most: Radians| value.abs() <= most.value() * (1.0 + 1e-6) + 1e-6;
            assert!(inside(w, limit.max_velocity), "{joint}: {w} rad/s");
            assert!(inside(now, limit.max_acceleration), "{joint}: {now} rad/s2");
            assert!(inside(jerk, limit.max_jerk), "{joint}: {jerk} rad/s3");
            assert!(limit.min_position.value() <= d && d <= limit.max_position.value(), "{joint}: {d} rad");
        }
        let position = posture_from_joints(d, &seed).unwrap();
        let RollPitchYaw { roll, pitch, yaw } = position.head.angles();
        let aside = (yaw - position.body_yaw).wrapped();
        assert!(roll.abs() <= limits.head_roll && pitch.abs() <= limits.head_pitch);
        assert!(aside.abs() <= limits.relative_yaw, "{aside}");
        seed = position.head;
    }
}

#[test]
fn dances_half_an_hour_in_virtual_time() {
    let clock = Arc::new(VirtualClock::new());
    let start = joints_from_posture(&Posture::init()).unwrap();
    let line =
        VirtualLine::new(VirtualLineOptions { faults: Faults::default(), start, paced: true }, clock.clone());
    let far_end = line.probe();
    let bus = MotorBus::with_transport(Box::new(line), &BusOptions::default()).unwrap();
    let trajectory = dance(Duration::from_secs(30 * 60));
    let least = trajectory.setpoints.len();
    let (mut control, trace) = control_loop(bus, clock, least);
    lossy_line().into_iter().for_each(|fault| far_end.inject(fault));
    let ended = control.play(trajectory, 0);
    check(&ended, &trace.take(), least);
}

#[test]
fn dances_one_minute_in_real_time() {
    let start = joints_from_posture(&Posture::init()).unwrap();
    let options = EmulatorOptions { link: None, faults: Faults::default(), start, paced: true };
    let emulator = Emulator::start(options).unwrap();
    let bus = MotorBus::open(emulator.path(), &BusOptions::default().for_emulated_servos()).unwrap();
    let trajectory = dance(Duration::from_secs(60));
    let least = trajectory.setpoints.len();
    let (control, trace) = control_loop(bus, MonotonicClock::start(), least);
    let thread = ControlLoopThread::start(control).unwrap();
    lossy_line().into_iter().for_each(|fault| emulator.inject(fault));
    let ended = thread.handle().play(trajectory, 0);
    check(&ended, &trace.take(), least);
}
