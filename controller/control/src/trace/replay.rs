//! Replays a trace: its setpoints pass the envelope to a simulated robot, whose motion is compared with the recorded
//! one.
//!
//! Nothing here moves a real motor.

use std::time::Duration;

use firmware_bridge::bus::MotorBus;
use firmware_bridge::clock::{Clock, MonotonicClock, VirtualClock};
use firmware_bridge::control_loop::{ControlLoop, LoopCommand};
use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::motion::{MotionError, PlanRules, Trajectory};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::robot::{Robot, RobotError};
use minismith_protocol::trace_format::{Cycle, Header};
use mock_robot::dynamics::Variation;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorError, EmulatorOptions};
use mock_robot::robot::MockRobot;

use super::read::joints;
use super::{RecordedTrace, display_units};
use crate::recorded_move::RecordedMove;
use crate::robot::{bus_options, limits_of};
use minismith_runtime::config::Config;

/// The robot on which a trace is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayTarget {
    /// The simulated robot in this process, in virtual time.
    Mock,
    /// The simulated robot as emulated servos on a serial line, in real time.
    MockBus,
}

/// The reason why a trace cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The robot failed.
    #[error(transparent)]
    Robot(#[from] RobotError),
    /// The emulated servos failed.
    #[error("the emulated servos could not be started: {0}")]
    Emulator(#[from] EmulatorError),
}

/// Time to settle before the first cycle counts.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// Replays a trace on a new robot in the start pose of the trace, and returns the motion of that robot.
///
/// # Errors
/// Returns [`ReplayError`] if no robot is available.
pub fn replay(
    taken: &RecordedTrace,
    on: ReplayTarget,
    config: &Config,
) -> Result<RecordedTrace, ReplayError> {
    let start = taken.cycles.first().map(|cycle| joints(&cycle.goal_deg)).unwrap_or_default();
    match on {
        ReplayTarget::Mock => {
            let robot = MockRobot::new(start, Variation::default());
            play(taken, robot, VirtualClock::new(), config)
        }
        ReplayTarget::MockBus => {
            let options = EmulatorOptions { link: None, faults: Faults::default(), start, paced: true };
            let emulator = Emulator::start(options)?;
            let robot = MotorBus::open(emulator.path(), &bus_options(config).for_emulated_servos())?;
            play(taken, robot, MonotonicClock::start(), config)
        }
    }
}

/// Returns a recorded move as the trace of a robot that followed it exactly.
///
/// # Errors
/// Returns a [`MotionError`] if the move is out of reach.
pub fn planned(moved: &RecordedMove, config: &Config) -> Result<RecordedTrace, MotionError> {
    let limits = limits_of(config);
    let period = config.rate.period();
    let rules = PlanRules { limits: &limits, period, automatic_body_yaw: false };
    let start = joints_from_posture(moved.first())?;
    let trajectory = moved.motion(1.0).plan(&start, &rules)?;
    let cycle = |(cycle, setpoint): (u64, &Joints)| Cycle {
        cycle,
        setpoint_deg: display_units::degrees(setpoint),
        goal_deg: display_units::degrees(setpoint),
        present_deg: display_units::degrees(setpoint),
        ..Cycle::default()
    };
    let cycles = (0..).zip(&trajectory.setpoints).map(cycle).collect();
    let about = display_units::begin(moved.description().into(), String::new(), period, &limits);
    Ok(RecordedTrace { description: about, cycles, texts: Vec::new(), is_whole: true })
}

fn play<R: Robot, C: Clock>(
    taken: &RecordedTrace,
    robot: R,
    clock: C,
    config: &Config,
) -> Result<RecordedTrace, ReplayError> {
    let limits = limits_of(config);
    let mut control_loop = ControlLoop::new(robot, clock, limits, taken.period())?;
    let mut tap = control_loop.attach_log(8);
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    let setpoints: Vec<Joints> = taken.cycles.iter().map(setpoint).collect();
    let settling = (SETTLE_TIME.as_secs_f64() / taken.description.period_s) as usize;
    let mut trajectory = Trajectory {
        setpoints: setpoints.first().map(|first| vec![*first; settling]).unwrap_or_default(),
        target: Posture::init(),
        adjustments: Vec::new(),
    };
    let end = setpoints.last().copied().unwrap_or_default();
    trajectory.setpoints.extend(setpoints);
    trajectory.target = posture_from_joints(&end, &HeadPose::neutral()).unwrap_or_else(|_| Posture::init());
    control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 });
    let about = Header {
        start_time: None,
        name: format!("{} again", taken.description.name),
        ..display_units::begin(String::new(), String::new(), taken.period(), &limits)
    };
    let mut again =
        RecordedTrace { description: about, cycles: Vec::new(), texts: Vec::new(), is_whole: true };
    for _ in 0..settling {
        control_loop.step();
        while tap.receive().is_some() {}
    }
    for old in &taken.cycles {
        control_loop.step();
        if let Some(record) = tap.receive() {
            again.cycles.push(display_units::cycle(&record, old.cycle, None));
        }
    }
    Ok(again)
}

/// Returns the setpoints of a cycle, or its goals if only they are known.
fn setpoint(cycle: &Cycle) -> Joints {
    joints(if cycle.setpoint_deg.is_empty() { &cycle.goal_deg } else { &cycle.setpoint_deg })
}
