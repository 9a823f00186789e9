//! A real execution context on the mock in virtual time, and the limits that its cycles must respect.

use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::ControlLoop;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion_log::{LoggedCycle, LoggingRobot, MotionLog};
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::initial_joints;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

/// The time of one control cycle.
pub const CYCLE_PERIOD: Duration = Duration::from_millis(10);

/// Returns an execution context with an awake robot, and the log of its commands from now on.
///
/// # Panics
/// When the mock cannot be started.
#[must_use]
pub fn in_context() -> (ExecutionContext, MotionLog) {
    let trace = MotionLog::with_room_for(10_000);
    let robot = LoggingRobot::new(MockRobot::new(initial_joints(), Variation::default()), trace.clone());
    let control_loop = ControlLoop::new(robot, VirtualClock::new(), Limits::default(), CYCLE_PERIOD).unwrap();
    let mut context = ExecutionContext::new(Box::new(control_loop), Scene::default());
    context.torque(Joints::all(true)).unwrap();
    let _still = trace.take();
    (context, trace)
}

/// Returns a goal or a speed beyond the limits of its joint. Speed counts only where no motor lost torque meanwhile,
/// since such a motor restarts from its present position.
#[must_use]
pub fn beyond(cycles: &[LoggedCycle], motors_switched: bool) -> Option<String> {
    let limits = Limits::default();
    for joint in Joint::ALL {
        let limit = &limits.joints[joint];
        let goals: Vec<f64> = cycles.iter().map(|cycle| cycle.goal[joint].value()).collect();
        let outside = |goal: &&f64| {
            !(limit.min_position.value() - 1e-9..=limit.max_position.value() + 1e-9).contains(*goal)
        };
        if let Some(goal) = goals.iter().find(outside) {
            return Some(format!("{joint:?} was sent to {goal}"));
        }
        let fastest = limit.max_velocity.value() * CYCLE_PERIOD.as_secs_f64() + 1e-9;
        let jumps = goals.iter().zip(goals.iter().skip(1)).any(|(one, next)| (next - one).abs() > fastest);
        if jumps && !motors_switched {
            return Some(format!("{joint:?} was moved faster than it may"));
        }
    }
    None
}
