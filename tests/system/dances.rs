//! The twenty dances of the official robot, through planner, envelope and control loop at the default limits.

// A helper of a test may panic.
#![allow(clippy::expect_used)]

use std::path::Path;
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::{
    ClampLog, ControlLoop, LoopClient, LoopCommand, MotionState, MoveResult,
};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{head_and_singularity_margin, joints_from_posture};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Keyframe, Motion, PlanRules, Target};
use firmware_bridge::posture::{Antennas, HeadPose, Posture};
use firmware_bridge::units::Radians;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use serde::Deserialize;

use super::official_motor::peers_python;

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
const DT: f64 = 0.01;

/// Dances whose targets jump or change their speed abruptly. The robot cannot follow them exactly.
const STEPS: [&str; 8] = [
    "headbanger_combo",
    "sharp_side_tilt",
    "side_peekaboo",
    "yeah_nod",
    "neck_recoil",
    "chicken_peck",
    "grid_snap",
    "jackson_square",
];

/// One sample of a move: time, head matrix by rows, right and left antenna, body yaw.
#[derive(Deserialize)]
struct Dance {
    #[serde(rename = "move")]
    name: String,
    frames: Vec<(f64, [f64; 16], [f64; 2], f64)>,
}

#[allow(clippy::disallowed_methods)] // The dances are Python code and need a process of their own.
fn dances(python: &Path) -> Vec<Dance> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("support/official/dances.py");
    let output = std::process::Command::new(python).arg(script).output().expect("the interpreter starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the script failed ({}): {errors}", output.status);
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("a dance")).collect()
}

impl Dance {
    fn keyframes(&self) -> Vec<Keyframe> {
        let frame = |(time, head, [right, left], body): &(f64, [f64; 16], [f64; 2], f64)| Keyframe {
            time: Duration::from_secs_f64(*time),
            target: Target {
                head: Some(HeadPose::from_row_major(head).expect("a pose")),
                body_yaw: Some(Radians(*body)),
                antennas: Some(Antennas { right: Radians(*right), left: Radians(*left) }),
            },
        };
        self.frames.iter().map(frame).collect()
    }
}

/// The result of one dance: the goals from its start, and the cycles in which something was clamped.
struct Danced {
    goals: Vec<Joints>,
    setpoints: Vec<Joints>,
    clamped: Vec<u64>,
    log: ClampLog,
}

fn dance(dance: &Dance, limits: &Limits) -> Danced {
    let start = joints_from_posture(&Posture::init()).expect("a posture");
    let robot = MockRobot::new(start, Variation::default());
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::new(), *limits, CYCLE_PERIOD).expect("a pulse");
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    control_loop.step();
    let rules = PlanRules { limits, period: CYCLE_PERIOD, automatic_body_yaw: true };
    let plan = |motion: &Motion, from: &Joints| {
        motion.plan(from, &rules).unwrap_or_else(|refusal| panic!("{}: {refusal}", dance.name))
    };
    let keyframes = dance.keyframes();
    let there = Motion::Goto {
        target: keyframes[0].target,
        duration: Duration::from_secs(2),
        interpolation: Interpolation::Minjerk,
    };
    let trajectory = plan(&there, &control_loop.snapshot().goal);
    let arrived = control_loop.play(trajectory, 0);
    assert_eq!(
        (arrived.move_result, arrived.clamps),
        (Some(MoveResult::Succeeded), ClampLog::default()),
        "{}",
        dance.name
    );

    // One cycle at rest ends the last deceleration.
    control_loop.step();
    let from = arrived.goal;
    let trajectory = plan(&Motion::Play(keyframes), &from);
    let mut danced =
        Danced { goals: vec![from], setpoints: vec![from], clamped: Vec::new(), log: ClampLog::default() };
    danced.setpoints.extend(&trajectory.setpoints);
    danced.setpoints.extend([trajectory.setpoints[trajectory.setpoints.len() - 1]; 3]);
    control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 });
    let mut counted = 0;
    while control_loop.step().motion_state == MotionState::Moving {
        let snapshot = control_loop.snapshot();
        danced.goals.push(snapshot.goal);
        let count = cycles_clamped(&snapshot.clamps);
        if count > counted {
            danced.clamped.push(danced.goals.len() as u64 - 2);
        }
        counted = count;
    }
    assert_eq!(control_loop.snapshot().move_result, Some(MoveResult::Succeeded), "{}", dance.name);
    for _ in 0..5 {
        danced.goals.push(control_loop.step().goal);
    }
    danced.log = control_loop.snapshot().clamps;
    danced
}

fn cycles_clamped(log: &ClampLog) -> u64 {
    log.0.iter().filter_map(|(_, count)| *count).map(|count| u64::from(count.cycles)).sum()
}

/// Asserts that the goals move within the limits, computed from the goals alone.
fn moves_within(goals: &[Joints], limits: &Limits) -> Result<(), String> {
    let (mut last_speed, mut last_change) = (Joints::all(0.0), Joints::all(0.0));
    for (cycle, pair) in goals.windows(2).enumerate() {
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            let speed = (pair[1][joint] - pair[0][joint]).value() / DT;
            let change = (speed - last_speed[joint]) / DT;
            let jerk = (change - last_change[joint]) / DT;
            (last_speed[joint], last_change[joint]) = (speed, change);
            for (what, value, most) in [
                ("rad/s", speed, limit.max_velocity.value() + 1e-9),
                ("rad/s2", change, limit.max_acceleration.value() + 1e-6),
                ("rad/s3", jerk, limit.max_jerk.value() + 1e-3),
            ] {
                if value.abs() > most {
                    return Err(format!("beat {cycle}: {joint} {value:.1} {what}, at most {most:.1}"));
                }
            }
            if pair[1][joint] < limit.min_position || pair[1][joint] > limit.max_position {
                return Err(format!("beat {cycle}: {joint} at {}", pair[1][joint]));
            }
        }
    }
    Ok(())
}

/// Asserts that the head stays within its limits, with each pose computed again from the goals.
fn head_within(goals: &[Joints], limits: &Limits) -> Result<(), String> {
    for (cycle, goal) in goals.iter().enumerate() {
        let (head, singularity_margin) = head_and_singularity_margin(&goal.stewart(), &HeadPose::neutral())
            .map_err(|lost| format!("beat {cycle}: {lost}"))?;
        let angles = head.angles();
        let inside = |angle: Radians, most: Radians| angle.abs().value() <= most.value() + 1e-5;
        if !inside(angles.pitch, limits.head_pitch)
            || !inside(angles.roll, limits.head_roll)
            || !inside(angles.yaw, limits.relative_yaw)
            || singularity_margin < limits.min_singularity_margin - 1e-5
        {
            return Err(format!("beat {cycle}: {angles:?}, steadiness {singularity_margin}"));
        }
    }
    Ok(())
}

fn check(judge: impl Fn(&Dance, &Danced, &Limits)) {
    let Some(python) = peers_python() else { return };
    let limits = Limits::default();
    let dances = dances(&python);
    assert_eq!(dances.len(), 20);
    for each in &dances {
        let danced = dance(each, &limits);
        assert_eq!(moves_within(&danced.goals, &limits), Ok(()), "{}", each.name);
        assert_eq!(head_within(&danced.goals, &limits), Ok(()), "{}", each.name);
        judge(each, &danced, &limits);
    }
}

/// Asserts that each clamp contains its time and amount.
fn clamps_are_reported(danced: &Danced) {
    for (joint, count) in danced.log.0.iter() {
        let Some(count) = count else { continue };
        assert!(count.worst.value() > 0.0 && count.first_cycle <= count.worst_cycle, "{joint}: {count:?}");
        assert!(danced.clamped.contains(&count.first_cycle), "{joint}: {count:?}");
        assert!(danced.clamped.contains(&count.worst_cycle), "{joint}: {count:?}");
        let position = usize::try_from(count.worst_cycle).expect("a place") + 1;
        let last = danced.setpoints.len() - 1;
        let off = (danced.setpoints[position.min(last)][joint] - danced.goals[position][joint]).abs();
        assert!((off - count.worst).abs().value() < 1e-12, "{joint}: {count:?}, {off:?}");
    }
}

#[test]
fn continuous_dances_are_followed_exactly_and_stepped_ones_smoothed() {
    check(|dance, danced, limits| {
        let steps = STEPS.contains(&dance.name.as_str());
        assert_eq!(moves_within(&danced.setpoints, limits).is_err(), steps, "{}", dance.name);
        assert_eq!(!danced.clamped.is_empty(), steps, "{}: {:?}", dance.name, danced.log);
        if !steps {
            assert_eq!(danced.goals[..danced.setpoints.len()], danced.setpoints, "{}", dance.name);
        }
        clamps_are_reported(danced);
    });
}
