//! The two small state machines that decide about motion, exhaustively: every sequence of operations up to a length runs on
//! the real code, and longer ones at random.
//!
//! * Arbiter: exactly one client is in control, a higher priority always gets it, and nobody waits for a client that is gone.
//! * Control loop and envelope: a stop always wins, no sequence of commands moves a motor beyond its limits, and from every
//!   state that can be reached the robot can move again.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::{
    ControlLoop, ControlMode, LoopClient, LoopCommand, LoopSnapshot, MotionState, MoveResult,
};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, MotionError, PlanRules, Target, Trajectory};
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use firmware_bridge::posture::HeadPose;
use firmware_bridge::units::Radians;
use minismith_control::arbiter::{Acquired, Arbiter, Claim, Priority};
use minismith_control::robot::initial_joints;
use minismith_tests::cycles::{CYCLE_PERIOD, beyond};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;

use super::policy::Dice;

/// Calls `run` with each sequence of numbers below `choices` that has this length.
fn for_each_sequence(choices: usize, length: u32, mut run: impl FnMut(&[usize])) -> usize {
    let count = choices.pow(length);
    let mut sequence = vec![0; length as usize];
    for number in 0..count {
        let mut rest = number;
        for place in &mut sequence {
            *place = rest % choices;
            rest /= choices;
        }
        run(&sequence);
    }
    count
}

/// Two clients of equal priority, one above them, and one that changes its own as a tool run does.
const PRIORITIES: [Priority; 3] = [Priority::Agent, Priority::Agent, Priority::Client];

/// Operations on each claim: acquire, release, drop and claim again, raise or lower.
const OPERATIONS: usize = 4;

/// What the arbiter must do, as simple as it can be said.
#[derive(Default)]
struct Model {
    holder: Option<usize>,
}

#[test]
fn arbiter_has_one_holder_and_higher_priority_wins() {
    let choices = OPERATIONS * PRIORITIES.len();
    let mut acquired = 0_u32;
    let count = for_each_sequence(choices, 5, |sequence| {
        let arbiter = Arc::new(Arbiter::default());
        let claim = |client: usize, priority| arbiter.claim(priority, &client.to_string());
        let mut priorities = PRIORITIES;
        let mut claims: Vec<Claim> = (0..priorities.len()).map(|it| claim(it, priorities[it])).collect();
        let mut model = Model::default();
        for choice in sequence {
            let (client, operation) = (choice / OPERATIONS, choice % OPERATIONS);
            match operation {
                0 => {
                    let expected = match model.holder {
                        None => Ok(Acquired::Free),
                        Some(holder) if holder == client => Ok(Acquired::Free),
                        Some(holder) if priorities[holder] < priorities[client] => Ok(Acquired::FromAnother),
                        Some(holder) => Err(holder.to_string()),
                    };
                    let result = claims[client].acquire().map_err(|busy| busy.by.to_string());
                    assert_eq!(result, expected, "{sequence:?}");
                    if result.is_ok() {
                        model.holder = Some(client);
                        acquired += 1;
                    }
                }
                1 => claims[client].release(),
                2 => claims[client] = claim(client, priorities[client]),
                _ => {
                    let other = if priorities[client] == Priority::Tool {
                        PRIORITIES[client]
                    } else {
                        Priority::Tool
                    };
                    assert_eq!(claims[client].raise(other), priorities[client]);
                    priorities[client] = other;
                }
            }
            if operation == 1 || operation == 2 {
                model.holder = model.holder.filter(|holder| *holder != client);
            }
            // Exactly the client in control knows that it is.
            let expected = model.holder.map(|holder| (priorities[holder], holder.to_string()));
            assert_eq!(arbiter.holder().map(|(priority, name)| (priority, name.to_string())), expected);
            for (client, claim) in claims.iter().enumerate() {
                assert_eq!(claim.has_control(), model.holder == Some(client), "{sequence:?}");
            }
        }
        // A lease gets control in every state, and the weakest client when all others are gone.
        assert!(arbiter.claim(Priority::Lease, "lease").acquire().is_ok(), "{sequence:?}");
        drop(claims);
        assert_eq!(arbiter.claim(Priority::Idle, "idle").acquire(), Ok(Acquired::Free), "{sequence:?}");
    });
    println!("{count} sequences, control was acquired {acquired} times");
    assert!(acquired > 100_000);
}

/// The commands of the control loop. Each is followed by some cycles.
const COMMANDS: [&str; 10] = [
    "play",
    "play back",
    "play planned before",
    "stop",
    "torque off",
    "torque on",
    "guide",
    "hold",
    "stow",
    "slower",
];

/// The cycles after a command: enough to be in the middle of what it does.
const CYCLES: usize = 6;

/// A robot comes to rest after a stop within this many cycles, 2 s.
const MAX_BRAKING_CYCLES: usize = 200;

/// A robot has been stowed or has moved within this many cycles, 12 s.
const MAX_MOTION_CYCLES: usize = 1200;

struct Rig {
    control_loop: ControlLoop<LoggingRobot<MockRobot>, VirtualClock>,
    log: MotionLog,
    /// A motion that was planned before the first command.
    old: Trajectory,
    /// Whether a motor's torque or mode was switched, so that its goal may start again from where it is.
    switched: bool,
    /// Whether a stop was the latest command that concerns motion.
    stopped: bool,
}

/// Plans a turn of the body. It is refused where the head, which keeps its direction, cannot follow.
fn plan(snapshot: &LoopSnapshot, target: Target) -> Result<Trajectory, MotionError> {
    let rules = PlanRules { limits: &snapshot.limits, period: CYCLE_PERIOD, automatic_body_yaw: false };
    let duration = Duration::from_millis(500);
    Motion::Goto { target, duration, interpolation: Interpolation::Minjerk }.plan(&snapshot.goal, &rules)
}

fn turned(degrees: f64) -> Target {
    Target { body_yaw: Some(Radians::from_degrees(degrees)), ..Target::default() }
}

impl Rig {
    fn new() -> Self {
        let log = MotionLog::with_room_for(10_000);
        let robot = LoggingRobot::new(MockRobot::new(initial_joints(), Variation::default()), log.clone());
        let mut control_loop =
            ControlLoop::new(robot, VirtualClock::new(), Limits::default(), CYCLE_PERIOD).unwrap();
        control_loop.send_command(LoopCommand::Torque(Joints::all(true)));
        control_loop.step();
        let old = plan(control_loop.snapshot(), turned(30.0)).unwrap();
        let _before = log.take();
        Rig { control_loop, log, old, switched: false, stopped: false }
    }

    fn play(&mut self, trajectory: Trajectory) {
        let stop_epoch = self.control_loop.stop_epoch();
        self.control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch });
        self.stopped = false;
    }

    fn turn(&mut self, degrees: f64) {
        if let Ok(trajectory) = plan(self.control_loop.snapshot(), turned(degrees)) {
            self.play(trajectory);
        }
    }

    fn command(&mut self, command: &str) {
        match command {
            "play" => self.turn(60.0),
            "play back" => self.turn(-60.0),
            // Requested before the first command.
            "play planned before" => {
                let is_stopped = self.control_loop.stop_epoch() > 0;
                let trajectory = self.old.clone();
                self.control_loop.apply_command(LoopCommand::Play {
                    trajectory,
                    reset_clamps: true,
                    stop_epoch: 0,
                });
                if is_stopped {
                    let result = self.control_loop.snapshot().move_result;
                    assert_eq!(result, Some(MoveResult::Canceled), "a motion of before the stop starts");
                } else {
                    self.stopped = false;
                }
            }
            "stop" => {
                self.control_loop.apply_command(LoopCommand::Stop);
                self.stopped = true;
            }
            "torque off" => self.control_loop.apply_command(LoopCommand::Torque(Joints::all(false))),
            "torque on" => self.control_loop.apply_command(LoopCommand::Torque(Joints::all(true))),
            "guide" => {
                self.control_loop.apply_command(LoopCommand::ControlMode(ControlMode::GravityCompensation))
            }
            "hold" => self.control_loop.apply_command(LoopCommand::ControlMode(ControlMode::Position)),
            "stow" => {
                self.control_loop.apply_command(LoopCommand::StowAndRelease);
                self.stopped = false;
            }
            "slower" => self.control_loop.apply_command(LoopCommand::Limits(Limits::default().scaled(0.5))),
            _ => unreachable!(),
        }
        self.switched |= ["torque off", "torque on", "guide", "hold", "stow"].contains(&command);
    }

    fn cycles(&mut self, count: usize) {
        for _ in 0..count {
            let state = self.control_loop.step().motion_state;
            assert!(!(self.stopped && state == MotionState::Moving), "it moves after a stop");
        }
    }

    /// Runs cycles until the condition holds, at most this many.
    fn until(&mut self, most: usize, what: &str, done: impl Fn(&LoopSnapshot) -> bool) {
        for _ in 0..most {
            if done(self.control_loop.step()) {
                return;
            }
        }
        panic!("not {what} after {most} cycles: {:?}", self.control_loop.snapshot().motion_state);
    }

    /// Ends a sequence: what was sent was within the limits, a stop brings the robot to rest, and it can move again.
    fn end(&mut self) {
        assert_eq!(beyond(&self.log.take(), self.switched), None);
        self.command("stop");
        let goes_on = |state| matches!(state, MotionState::Moving | MotionState::Stopping);
        self.until(MAX_BRAKING_CYCLES, "at rest", |snapshot| !goes_on(snapshot.motion_state));
        let rest = self.control_loop.snapshot().clone();
        self.cycles(3);
        let later = self.control_loop.snapshot();
        if rest.motion_state == MotionState::Holding {
            assert_eq!((later.motion_state, later.goal), (MotionState::Holding, rest.goal), "it rests");
        }
        let is_stowing = |state| state == MotionState::Stowing;
        self.until(MAX_MOTION_CYCLES, "stowed", |snapshot| !is_stowing(snapshot.motion_state));
        self.command("hold");
        self.command("torque on");
        self.until(MAX_MOTION_CYCLES, "holding", |snapshot| snapshot.motion_state == MotionState::Holding);
        let neutral = Target { head: Some(HeadPose::neutral()), ..turned(0.0) };
        self.play(plan(self.control_loop.snapshot(), neutral).unwrap());
        self.until(MAX_MOTION_CYCLES, "moved", |snapshot| snapshot.move_result.is_some());
        let result = self.control_loop.snapshot().move_result;
        assert_eq!(result, Some(MoveResult::Succeeded), "the robot moves again");
        assert_eq!(beyond(&self.log.take(), true), None);
    }
}

fn run(sequence: &[usize]) {
    let names: Vec<&str> = sequence.iter().map(|choice| COMMANDS[*choice]).collect();
    let outcome = std::panic::catch_unwind(|| {
        let mut rig = Rig::new();
        for name in &names {
            rig.command(name);
            rig.cycles(CYCLES);
        }
        rig.end();
    });
    assert!(outcome.is_ok(), "after {names:?}");
}

#[test]
fn stop_wins_and_limits_hold_after_every_short_sequence_of_commands() {
    let count: usize = (1..=3).map(|length| for_each_sequence(COMMANDS.len(), length, run)).sum();
    println!("{count} sequences");
}

#[test]
fn stop_wins_and_limits_hold_after_long_sequences_of_commands() {
    let mut dice = Dice(20_261_126);
    for _ in 0..150 {
        let sequence: Vec<usize> = (0..40).map(|_| dice.below(COMMANDS.len())).collect();
        run(&sequence);
    }
}
