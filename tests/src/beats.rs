//! A real execution context on the mock in virtual time, and the limits that its cycles must respect.

use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::pulse::Pulse;
use firmware_bridge::trace::{Beat, Trace, Traced};
use minismith_control::body::initial_joints;
use minismith_control::stage::Stage;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

/// The time of one control cycle.
pub const BEAT: Duration = Duration::from_millis(10);

/// Returns an execution context with an awake robot, and the log of its commands from now on.
///
/// # Panics
/// When the mock cannot be started.
#[must_use]
pub fn staged() -> (Stage, Trace) {
    let trace = Trace::with_room_for(10_000);
    let robot = Traced::new(MockRobot::new(initial_joints(), Variation::default()), trace.clone());
    let pulse = Pulse::new(robot, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    let mut stage = Stage::new(Box::new(pulse), Scene::default());
    stage.torque(Joints::all(true)).unwrap();
    let _still = trace.take();
    (stage, trace)
}

/// Returns a goal or a speed beyond the limits of its joint. Speed counts only where no motor lost torque meanwhile,
/// since such a motor restarts from its present position.
#[must_use]
pub fn beyond(beats: &[Beat], motors_switched: bool) -> Option<String> {
    let limits = Limits::default();
    for joint in Joint::ALL {
        let limit = &limits.joints[joint];
        let goals: Vec<f64> = beats.iter().map(|beat| beat.goal[joint].value()).collect();
        let outside = |goal: &&f64| !(limit.low.value() - 1e-9..=limit.high.value() + 1e-9).contains(*goal);
        if let Some(goal) = goals.iter().find(outside) {
            return Some(format!("{joint:?} was sent to {goal}"));
        }
        let fastest = limit.speed.value() * BEAT.as_secs_f64() + 1e-9;
        let jumps = goals.iter().zip(goals.iter().skip(1)).any(|(one, next)| (next - one).abs() > fastest);
        if jumps && !motors_switched {
            return Some(format!("{joint:?} was moved faster than it may"));
        }
    }
    None
}
