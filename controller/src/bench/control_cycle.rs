//! `beat_cost`: the cost of one control cycle of a moving robot, without a line and without waiting. `beat_kept`: the
//! same, with a record of each cycle sent to a receiver.

use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, VirtualClock};
use firmware_bridge::control_loop::{ControlLoop, LoopCommand, MotionState};
use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Target, Trajectory};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;

use super::rounds::take_turns;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_control::robot::{initial_joints, limits_of};

pub(super) const NAME: &str = "beat_cost";
pub(super) const NAME_LOGGED: &str = "beat_kept";

/// The capacity for records: more than one motion has.
const LOG_CAPACITY: usize = 4096;

/// The duration of each motion: most of the time every joint is moving.
const RUN_TIME: Duration = Duration::from_secs(1);

pub(super) fn measure(context: &BenchContext<'_>) -> Row {
    (context.progress)("cycles of a moving robot, in virtual time");
    let period = context.config.rate.period();
    let ways = context.pick(20, 200);
    let medians = take_turns(context, context.pick(3, 11), &mut || nanoseconds(context, ways, false), None);
    let simulated = medians.ours.as_ref().map(|cost| period.as_secs_f64() * 1e9 / cost);
    let note = simulated.map(|speed| format!("a body moves {speed:.0} times as fast as real time")).ok();
    Row::alone(NAME, "ns", medians.ours).noting(&note.unwrap_or_default())
}

pub(super) fn measure_logged(context: &BenchContext<'_>) -> Row {
    (context.progress)("cycles that are recorded, and cycles that are not, in virtual time");
    let ways = context.pick(20, 100);
    let mut bare = || nanoseconds(context, ways, false);
    let medians =
        take_turns(context, context.pick(3, 11), &mut || nanoseconds(context, ways, true), Some(&mut bare));
    Row::alone(NAME_LOGGED, "ns", medians.ours)
        .against("the same cycle, not recorded", medians.theirs, Better::Lower)
        .noting("what recording costs the thread of the control loop; another one writes")
}

/// Returns the nanoseconds per cycle, over this many motions there and back.
fn nanoseconds(context: &BenchContext<'_>, ways: u32, is_stored: bool) -> Result<f64, Failed> {
    let at = Failed::at(NAME);
    let limits = limits_of(context.config);
    let period = context.config.rate.period();
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::new(), limits, period).map_err(|fault| at(&fault))?;
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    let mut tap = is_stored.then(|| control_loop.attach_log(LOG_CAPACITY));
    let [there, back] = [1.0, -1.0].map(posture);
    let rules = PlanRules { limits: &limits, period, automatic_body_yaw: true };
    let plan = |from: &Joints, to: &Posture| -> Result<Trajectory, Failed> {
        let (target, interpolation) = (Target::of(to), Interpolation::default());
        let motion = Motion::Goto { target, duration: RUN_TIME, interpolation };
        motion.plan(from, &rules).map_err(|refusal| at(&refusal))
    };
    let (mut nanoseconds, mut cycles) = (0.0, 0.0);
    for way in 0..ways {
        let to = if way % 2 == 0 { there } else { back };
        let trajectory = plan(&control_loop.snapshot().goal.clone(), &to)?;
        control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 });
        let before = control_loop.snapshot().cycles;
        let clock = MonotonicClock::start();
        while control_loop.step().motion_state == MotionState::Moving {}
        nanoseconds += clock.now().0 as f64;
        cycles += (control_loop.snapshot().cycles - before) as f64;
        // The receiver has a thread of its own.
        while tap.as_mut().is_some_and(|tap| tap.receive().is_some()) {}
        if tap.as_ref().is_some_and(|tap| tap.lost() > 0) {
            return Err(Failed("a record was lost".into()));
        }
    }
    Ok(nanoseconds / cycles)
}

/// Returns a motion of every joint to one side.
fn posture(side: f64) -> Posture {
    let angles = RollPitchYaw {
        roll: Radians::from_degrees(8.0 * side),
        pitch: Radians::from_degrees(10.0 * side),
        yaw: Radians::from_degrees(20.0 * side),
    };
    Posture {
        head: HeadPose::new(0.0, 0.004 * side, 0.006 * side, angles),
        body_yaw: Radians::from_degrees(15.0 * side),
        antennas: Antennas { right: Radians(side), left: Radians(-side) },
    }
}
