//! Replays a trace: its setpoints pass the envelope to a simulated robot, whose motion is compared with the recorded
//! one.
//!
//! Nothing here moves a real motor.

use std::time::Duration;

use firmware_bridge::bus::MotorBus;
use firmware_bridge::clock::{Clock, VirtualClock, WallClock};
use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::motion::{PlanRules, Refusal, Trajectory};
use firmware_bridge::posture::{HeadPose, Posture};
use firmware_bridge::pulse::{Order, Pulse};
use firmware_bridge::robot::{Robot, RobotFault};
use minismith_wire::recording::{Beat, Begin};
use mock_robot::dynamics::Variation;
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorError, EmulatorOptions};
use mock_robot::robot::MockRobot;

use super::read::joints;
use super::{Taken, words};
use crate::body::{bus_options, limits_of};
use crate::recording::Recording;
use minismith_runtime::config::Config;

/// The robot on which a trace is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum On {
    /// The simulated robot in this process, in virtual time.
    Mock,
    /// The simulated robot as emulated servos on a serial line, in real time.
    MockBus,
}

/// The reason why a trace cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum NoReplay {
    /// The robot failed.
    #[error(transparent)]
    Robot(#[from] RobotFault),
    /// The emulated servos failed.
    #[error("the emulated servos could not be started: {0}")]
    Emulator(#[from] EmulatorError),
}

/// Time to settle before the first cycle counts.
const SETTLE_TIME: Duration = Duration::from_secs(1);

/// Replays a trace on a new robot in the start pose of the trace, and returns the motion of that robot.
///
/// # Errors
/// Returns [`NoReplay`] if no robot is available.
pub fn replay(taken: &Taken, on: On, config: &Config) -> Result<Taken, NoReplay> {
    let start = taken.beats.first().map(|beat| joints(&beat.goal_deg)).unwrap_or_default();
    match on {
        On::Mock => {
            let robot = MockRobot::new(start, Variation::default());
            play(taken, robot, VirtualClock::new(), config)
        }
        On::MockBus => {
            let options = EmulatorOptions { link: None, faults: Faults::default(), start, paced: true };
            let emulator = Emulator::start(options)?;
            let robot = MotorBus::open(emulator.path(), &bus_options(config))?;
            play(taken, robot, WallClock::start(), config)
        }
    }
}

/// Returns a recorded move as the trace of a robot that followed it exactly.
///
/// # Errors
/// Returns a [`Refusal`] if the move is out of reach.
pub fn planned(moved: &Recording, config: &Config) -> Result<Taken, Refusal> {
    let limits = limits_of(config);
    let period = config.rate.period();
    let rules = PlanRules { limits: &limits, period, automatic_body_yaw: false };
    let start = joints_from_posture(moved.first())?;
    let trajectory = moved.motion(1.0).plan(&start, &rules)?;
    let beat = |(beat, setpoint): (u64, &Joints)| Beat {
        beat,
        wish_deg: words::degrees(setpoint),
        goal_deg: words::degrees(setpoint),
        present_deg: words::degrees(setpoint),
        ..Beat::default()
    };
    let beats = (0..).zip(&trajectory.wishes).map(beat).collect();
    let about = words::begin(moved.description().into(), String::new(), period, &limits);
    Ok(Taken { about, beats, told: Vec::new(), is_whole: true })
}

fn play<R: Robot, C: Clock>(taken: &Taken, robot: R, clock: C, config: &Config) -> Result<Taken, NoReplay> {
    let limits = limits_of(config);
    let mut pulse = Pulse::new(robot, clock, limits, taken.period())?;
    let mut tap = pulse.tapped(8);
    pulse.take(Order::Torque(Joints::all(true)));
    let wishes: Vec<Joints> = taken.beats.iter().map(setpoint).collect();
    let settling = (SETTLE_TIME.as_secs_f64() / taken.about.period_s) as usize;
    let mut trajectory = Trajectory {
        wishes: wishes.first().map(|first| vec![*first; settling]).unwrap_or_default(),
        target: Posture::init(),
        adjustments: Vec::new(),
    };
    let end = wishes.last().copied().unwrap_or_default();
    trajectory.wishes.extend(wishes);
    trajectory.target = posture_from_joints(&end, &HeadPose::neutral()).unwrap_or_else(|_| Posture::init());
    pulse.take(Order::Play { trajectory, fresh: true, halts: 0 });
    let about = Begin {
        at: None,
        name: format!("{} again", taken.about.name),
        ..words::begin(String::new(), String::new(), taken.period(), &limits)
    };
    let mut again = Taken { about, beats: Vec::new(), told: Vec::new(), is_whole: true };
    for _ in 0..settling {
        pulse.step();
        while tap.take().is_some() {}
    }
    for old in &taken.beats {
        pulse.step();
        if let Some(record) = tap.take() {
            again.beats.push(words::beat(&record, old.beat, None));
        }
    }
    Ok(again)
}

/// Returns the setpoints of a cycle, or its goals if only they are known.
fn setpoint(beat: &Beat) -> Joints {
    joints(if beat.wish_deg.is_empty() { &beat.goal_deg } else { &beat.wish_deg })
}
