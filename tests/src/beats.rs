//! A real stage on the mock in virtual time, and what its beats must never show.

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

/// The time of one beat.
pub const BEAT: Duration = Duration::from_millis(10);

/// A stage that is awake, and the trace of what it is told from now on.
///
/// # Panics
/// When there is no mock.
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

/// A goal beyond the limits of its joint, or a greater speed than the joint may have; the latter only where no motor was
/// let go and caught again, which begins where it stands.
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
