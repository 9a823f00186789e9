//! Hostile tools run without a policy while a robot runs on the wall clock. Each tool is stopped with the named cause,
//! and the control loop stays on time.
//!
//! The first line of each file in `cases/guests` gives its required end: `# stopped: LIMIT` or `# raises: EXCEPTION`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::{ControlLoop, ControlLoopThread, LoopClient, LoopCommand, MotionState};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use minismith_analysis::manifest::Capability;
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::initial_joints;
use minismith_protocol::Job;
use minismith_tests::{python_files, workspace};
use minismith_toolchain::guest::{ToolHost, locate};
use minismith_toolchain::tool_run::{Outcome, Permissions, ToolRun, execute};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
const GUEST: minismith_protocol::Limits = minismith_protocol::Limits {
    cpu_seconds: 1,
    turn_seconds: 0.8,
    frames: 20,
    frames_per_second: 15,
    motions_per_second: 100,
    ..minismith_protocol::Limits::DEFAULT
};

fn running_loop() -> ControlLoopThread {
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let mut control_loop =
        ControlLoop::new(robot, MonotonicClock::start(), Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    ControlLoopThread::start(control_loop).unwrap()
}

fn host() -> ToolHost {
    let (program, python) = locate(&workspace().join(".venv/bin/python")).unwrap();
    ToolHost::start(&program, &python).unwrap()
}

/// Runs a tool as it is, without the policy.
fn perform_unread(host: &ToolHost, context: &mut ExecutionContext, name: &str, source: &str) -> ToolRun {
    let job = Job {
        source: source.to_owned(),
        module: name.to_owned(),
        entry: name.to_owned(),
        takes_robot: source.contains(&format!("def {name}(robot")),
        seed: 1,
        limits: GUEST,
        ..Job::default()
    };
    // A tool that uses up its processor time needs more robot time, since other tests compute as well.
    let robot_time_s = if source.starts_with("# stopped: cpu_seconds") { 60.0 } else { 2.0 };
    let capabilities = [Capability::Motion, Capability::Camera].into();
    let permit = Permissions { capabilities, robot_time_s, ..Permissions::default() };
    execute(&mut host.fork(GUEST).unwrap(), job, context, &permit)
}

/// Asserts that the tool ended as its first line requires.
#[track_caller]
fn ended_as_it_must(name: &str, source: &str, outcome: &Outcome) {
    let must = source.lines().next().unwrap().strip_prefix("# ").unwrap();
    match outcome {
        Outcome::Stopped { limit, reason } => {
            assert_eq!(format!("stopped: {limit}"), must, "{name}: {reason}");
            assert!(["tool ", "the tool"].iter().any(|begin| reason.starts_with(begin)), "{name}: {reason}");
        }
        Outcome::Raised { kind, message, .. } => {
            assert_eq!(format!("raises: {}", kind.trim_start_matches("numpy.")), must, "{name}: {message}");
        }
        Outcome::Returned { value } => panic!("{name} returned {value}"),
    }
}

#[test]
fn control_loop_stays_on_time_under_hostile_guests() {
    let (host, body) = (host(), running_loop());
    let mut handle = body.handle();
    let mut context = ExecutionContext::new(Box::new(body.handle()), Scene::default());
    let guests = python_files(&workspace().join("tests/cases/guests")).unwrap();
    assert!(guests.len() >= 20);
    let clock = MonotonicClock::start();
    for guest in guests {
        let name = guest.file_stem().unwrap().to_str().unwrap();
        let source = std::fs::read_to_string(&guest).unwrap();
        let (began, before) = (clock.now(), handle.snapshot());
        // The previous guest was stopped. This one is requested after that.
        context.begin(handle.stop_epoch());
        let tool_run = perform_unread(&host, &mut context, name, &source);
        ended_as_it_must(name, &source, &tool_run.outcome);
        assert!(tool_run.printed.len() as u64 <= GUEST.output_bytes, "{name}");

        let after = handle.wait(&|snapshot| snapshot.motion_state == MotionState::Holding);
        let elapsed = clock.now().since(began).as_secs_f64();
        let (cycles, late) = (after.cycles - before.cycles, after.overruns - before.overruns);
        println!("{name}: {cycles} cycles in {elapsed:.2} s, {late} late");
        // A guest that blocked the control loop would cost whole seconds. A few overruns are normal while other tests
        // compute.
        let due = elapsed / CYCLE_PERIOD.as_secs_f64();
        assert!(cycles as f64 >= 0.5 * due - 5.0, "{name}: {cycles} cycles instead of {due:.0}");
        assert!(late as f64 <= 0.25 * due + 5.0, "{name}: {late} of {cycles} cycles were late");
        assert_eq!((after.fault, after.state.torque), (None, Joints::all(true)), "{name}");
        assert!(!Path::new("/tmp/PWNED").exists(), "{name}");
    }
    let honest =
        "def honest(robot):\n    robot.goto_target(antennas=[0.1, -0.1], duration=0.2)\n    return 7\n";
    context.begin(handle.stop_epoch());
    let tool_run = perform_unread(&host, &mut context, "honest", honest);
    assert_eq!(tool_run.outcome, Outcome::Returned { value: 7.into() });
}
