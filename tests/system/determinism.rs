//! The same tool sends the same command stream, bit for bit, in its rehearsal, on the mock and over the motor bus.
//!
//! On the wall clock of a busy machine, a tool may compute for longer than a cycle, or the cycle may run late. Such a
//! run counts its slips. The test prints it, repeats it, and compares only runs without slips.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use minismith_analysis::submission::Submission;
use minismith_assistant::conversation::{Conversation, ToolRunReply};
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::report::PostureReport;
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::Workshop;
use serde_json::Map;
use tempfile::TempDir;

/// How often a run with slips is repeated.
const REPEATS: usize = 5;

const GOTOS: &str = r#"
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def gotos(robot: ReachyMini) -> str:
    """Go to some places, in each of the four manners.

    Returns:
        A word.
    """
    robot.goto_target(create_head_pose(yaw=25, pitch=8), antennas=[0.8, -0.6], duration=0.6)
    robot.goto_target(create_head_pose(roll=10, z=5, mm=True), body_yaw=0.4, duration=0.35, method="cartoon")
    robot.goto_target(antennas=[-1.5, 1.5], duration=0.3, method="linear")
    robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], body_yaw=0.0, duration=0.5, method="ease_in_out")
    return "done"
"#;

const CIRCLE: &str = r#"
import math
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def circle(robot: ReachyMini) -> int:
    """Draw a circle with the nose.

    Returns:
        How many targets were set.
    """
    start = time.monotonic()
    count = 0
    while time.monotonic() - start < 1.2:
        angle = 2.0 * math.pi * (time.monotonic() - start) / 0.6
        head = create_head_pose(yaw=12 * math.sin(angle), pitch=8 * math.cos(angle) - 8)
        robot.set_target(head, antennas=[0.5 * math.sin(angle), 0.2])
        time.sleep(0.03)
        count += 1
    return count
"#;

const TASKS: &str = r#"
import asyncio
import math

from reachy_mini import ReachyMini


async def tasks(robot: ReachyMini) -> float:
    """Turn the body in one task and wave the antennas in another.

    Returns:
        The seconds that passed.
    """
    loop = asyncio.get_running_loop()
    start = loop.time()

    async def turn() -> None:
        for step in range(10):
            robot.set_target_body_yaw(0.02 * step)
            await asyncio.sleep(0.1)

    async def wave() -> None:
        for step in range(14):
            robot.set_target_antenna_joint_positions([0.4 * math.sin(0.5 * step), 0.1])
            await asyncio.sleep(0.07)

    await asyncio.gather(turn(), wave())
    return loop.time() - start
"#;

const LEAP: &str = r#"
import random

from reachy_mini import ReachyMini


def leap(robot: ReachyMini) -> float:
    """Leave for a place that chance chooses and that one target is too far for, and do not wait for the arrival.

    Returns:
        How far.
    """
    far = 1.0 + random.random()
    robot.set_target(antennas=[far, -far], body_yaw=far)
    return far
"#;

const RELEASE: &str = r#"
import time

from reachy_mini import ReachyMini


def release(robot: ReachyMini) -> str:
    """Let the motors go, hold again, and go on.

    Returns:
        A word.
    """
    robot.goto_target(antennas=[0.5, -0.5], duration=0.4)
    time.sleep(0.5)
    robot.disable_motors()
    robot.enable_motors()
    robot.goto_target(antennas=[0.0, 0.0], body_yaw=0.3, duration=0.4)
    return "done"
"#;

/// A motion of a minute.
pub const LONG: &str = r#"
from reachy_mini import ReachyMini


def long(robot: ReachyMini) -> str:
    """Turn very slowly.

    Returns:
        A word.
    """
    robot.goto_target(body_yaw=2.5, duration=60.0)
    return "done"
"#;

/// A workshop with a registry of its own.
pub struct Shop {
    pub config: Config,
    pub workshop: Workshop,
    _folder: TempDir,
}

impl Shop {
    pub fn open() -> Shop {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config.yaml");
        // Slower cycles and longer timeouts than the robot needs, since other tests share the processor.
        std::fs::write(&file, "control_loop: {rate_hz: 25}\nbus: {reply_timeout_ms: 50}\n").unwrap();
        let config = Config::load(Some(&file)).unwrap();
        let workshop =
            Workshop::open(&Config { tools: folder.path().join("tools"), ..config.clone() }).unwrap();
        Shop { config, workshop, _folder: folder }
    }

    /// Verifies a tool and registers it. Returns the digest of its rehearsal.
    pub fn verify(&self, name: &str, source: &str) -> String {
        let (checked, reviewed) = self.workshop.check(&Submission::of(name, source.as_bytes())).unwrap();
        let Some(reviewed) = reviewed else { panic!("{name}: {:?}", checked.findings) };
        let manifest = self.workshop.accept(&reviewed).unwrap();
        checked.report.map(|report| report.command_digest).unwrap_or_else(|| panic!("{manifest:?}"))
    }

    /// Runs a tool on a new robot, and repeats the run if the machine was too busy.
    fn execute(&self, name: &str, choice: &RobotChoice) -> ToolRunReply {
        for attempt in 1..=REPEATS {
            let body = RobotRuntime::open(choice, &self.config).unwrap();
            let (_, reply) = Conversation::new(&body, &self.workshop).run_tool(name, Map::new()).unwrap();
            assert!(matches!(reply.outcome, Outcome::Returned { .. }), "{name} on {choice:?}: {reply:?}");
            if reply.stalls == 0 {
                return reply;
            }
            eprintln!("{name} on {choice:?}: {} slips in attempt {attempt}", reply.stalls);
        }
        panic!("{name} on {choice:?}: {REPEATS} runs with slips; is the machine too busy?")
    }
}

/// Returns the greatest difference of two postures: degrees of an angle or millimetres of a position.
fn apart(one: &PostureReport, other: &PostureReport) -> f64 {
    let all = |view: &PostureReport| {
        let PostureReport { x_mm, y_mm, z_mm, roll_deg, pitch_deg, yaw_deg, body_yaw_deg, antennas_deg } =
            *view;
        [x_mm, y_mm, z_mm, roll_deg, pitch_deg, yaw_deg, body_yaw_deg, antennas_deg[0], antennas_deg[1]]
    };
    all(one).iter().zip(all(other)).map(|(one, other)| (one - other).abs()).fold(0.0, f64::max)
}

/// The greatest distance of mock and servos at the end of a step: degrees or millimetres.
const CLOSE: f64 = 1.0;

fn the_same_everywhere(name: &str, source: &str) {
    let shop = Shop::open();
    let rehearsed = shop.verify(name, source);
    let [mock, bus] = [RobotChoice::Mock, RobotChoice::MockBus].map(|choice| shop.execute(name, &choice));
    assert_eq!(
        (&mock.command_digest, &mock.outcome),
        (&rehearsed, &bus.outcome),
        "the mock and the rehearsal"
    );
    assert_eq!(bus.command_digest, rehearsed, "the bus and the rehearsal");
    assert!(!mock.steps.is_empty());
    assert_eq!(mock.steps.len(), bus.steps.len());
    for (mock, bus) in mock.steps.iter().zip(&bus.steps) {
        assert_eq!((&mock.kind, mock.requested), (&bus.kind, bus.requested));
        let (Some(there), Some(here)) = (mock.achieved, bus.achieved) else {
            assert_eq!((mock.requested, mock.achieved, bus.achieved), (None, None, None));
            continue;
        };
        let apart = apart(&there, &here);
        eprintln!("{name}, {}: {apart:.2} apart", mock.kind);
        assert!(apart <= CLOSE, "{} ends {apart} apart: {there:?} and {here:?}", mock.kind);
    }
}

#[test]
fn gotos_match_in_every_context() {
    the_same_everywhere("gotos", GOTOS);
}

#[test]
fn target_streams_match_in_every_context() {
    the_same_everywhere("circle", CIRCLE);
}

#[test]
fn concurrent_tasks_match_in_every_context() {
    the_same_everywhere("tasks", TASKS);
}

#[test]
fn early_exit_matches_in_every_context() {
    the_same_everywhere("leap", LEAP);
}

#[test]
fn torque_off_and_on_matches_in_every_context() {
    the_same_everywhere("release", RELEASE);
}

#[test]
fn random_numbers_repeat_in_every_run() {
    let shop = Shop::open();
    let rehearsed = shop.verify("leap", LEAP);
    let [one, two] = [(); 2].map(|()| shop.execute("leap", &RobotChoice::Mock));
    assert_eq!((&one.command_digest, &one.outcome), (&two.command_digest, &two.outcome));
    assert_eq!(one.command_digest, rehearsed);
}
