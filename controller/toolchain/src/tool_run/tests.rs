//! Runs a scripted guest on the simulated robot, in virtual time and on the wall clock.
//!
//! Both runs must report the same result, and forged messages must neither hang the run nor falsify its record.

use firmware_bridge::clock::{MonotonicClock, VirtualClock};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopHandle, ControlLoopThread, LoopClient, LoopCommand, MotionState,
};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::motion::{Motion, MotionError};

use super::*;
use crate::guest::GuestError;
use minismith_analysis::report::digest;
use minismith_control::robot::initial_joints;

const PERIOD: Duration = Duration::from_millis(10);

/// A guest that sends its turns one after the other and is dead after the last one.
struct Script {
    turns: std::vec::IntoIter<GuestMessage>,
    heard: Vec<HostReply>,
    /// An action that runs once, before the turn of this number.
    before: Option<(usize, Box<dyn FnOnce()>)>,
}

impl Guest for Script {
    fn turn(&mut self, answer: &HostReply, _: Option<&[u8]>) -> Result<GuestMessage, GuestError> {
        self.heard.push(answer.clone());
        if let Some((_, act)) = self.before.take_if(|(position, _)| *position == self.heard.len()) {
            act();
        }
        self.turns.next().ok_or(GuestError::Died { how: "the script has ended".into() })
    }
}

fn script(cues: Vec<HostCall>) -> Script {
    let ask = |cue| GuestMessage::Asks { cue, spent: 0, printed: String::new() };
    let end =
        GuestMessage::Done { value: Value::Null, printed: String::new(), spent: 0, lines: BTreeMap::new() };
    let turns: Vec<GuestMessage> = cues.into_iter().map(ask).chain([end]).collect();
    Script { turns: turns.into_iter(), heard: Vec::new(), before: None }
}

fn job() -> Job {
    Job { module: "tool".into(), entry: "tool".into(), takes_robot: true, seed: 1, ..Job::default() }
}

fn permit() -> Permissions<'static> {
    let capabilities = BTreeSet::from([Capability::Motion, Capability::Motors, Capability::Sound]);
    Permissions { capabilities, robot_time_s: 5.0, ..Permissions::default() }
}

fn mock(trace: &MotionLog) -> LoggingRobot<MockRobot> {
    LoggingRobot::new(MockRobot::new(initial_joints(), Variation::default()), trace.clone())
}

fn staged(control: impl LoopClient + 'static) -> ExecutionContext {
    let mut context = ExecutionContext::new(Box::new(control), Scene::default());
    context.torque(Joints::all(true)).unwrap();
    context
}

/// Runs a script in virtual time and returns the record, the answers and the digest of all goals.
fn rehearse(mut guest: Script) -> (ToolRun, Vec<HostReply>, String) {
    let trace = MotionLog::with_room_for(10_000);
    let control_loop =
        ControlLoop::new(mock(&trace), VirtualClock::new(), Limits::default(), PERIOD).unwrap();
    let tool_run = execute(&mut guest, job(), &mut staged(control_loop), &permit());
    (tool_run, guest.heard, digest(&trace.take()))
}

fn on_the_wall(trace: &MotionLog) -> ControlLoopThread {
    let control_loop =
        ControlLoop::new(mock(trace), MonotonicClock::start(), Limits::default(), PERIOD).unwrap();
    ControlLoopThread::start(control_loop).unwrap()
}

fn yaw(degrees: f64) -> HostCall {
    HostCall::SetTarget { head: None, antennas: None, body_yaw: Some(degrees.to_radians()) }
}

#[test]
fn stream_without_sleep_matches_the_rehearsal_on_the_wall_clock() {
    // Twenty-five targets, one per millisecond: on each cycle the last one counts.
    let cues = || {
        let stream = (1..=25).map(|step| yaw(f64::from(step) / 10.0));
        stream
            .chain([HostCall::Motors { on: true, ids: None }, HostCall::Sleep { seconds: 0.1 }, yaw(0.0)])
            .collect()
    };
    let (rehearsed, heard, goals) = rehearse(script(cues()));
    let runs_alike = || {
        let trace = MotionLog::with_room_for(10_000);
        let thread = on_the_wall(&trace);
        let mut guest = script(cues());
        let run = execute(&mut guest, job(), &mut staged(thread.handle()), &permit());
        (guest.heard, digest(&trace.take()), run.duration, run.stalls)
            == (heard.clone(), goals.clone(), rehearsed.duration, 0)
    };
    // A busy machine may sometimes miss a cycle, but not always.
    assert!((0..20).any(|_| runs_alike()));
    assert_eq!(rehearsed.stalls, 0);
}

#[test]
fn target_of_one_part_leaves_the_way_of_another_alone() {
    let antennas = |degrees: f64| HostCall::SetTarget {
        head: None,
        antennas: Some([degrees.to_radians(); 2]),
        body_yaw: None,
    };
    let goal_after = |cues| {
        let trace = MotionLog::with_room_for(10_000);
        let control_loop =
            ControlLoop::new(mock(&trace), VirtualClock::new(), Limits::default(), PERIOD).unwrap();
        execute(&mut script(cues), job(), &mut staged(control_loop), &permit());
        trace.take().iter().map(|cycle| cycle.goal[Joint::BodyYaw].value().to_degrees()).collect::<Vec<_>>()
    };
    let wait = || HostCall::Sleep { seconds: 1.0 };
    let alone = goal_after(vec![yaw(20.0), wait()]);
    // The envelope needs longer for 20 degrees than the ramp takes, and the antennas are streamed meanwhile.
    let stream = (1..=20).flat_map(|step| [antennas(f64::from(step)), HostCall::Sleep { seconds: 0.01 }]);
    let beside = goal_after([yaw(20.0)].into_iter().chain(stream).chain([wait()]).collect());
    assert!((alone.last().unwrap() - 20.0).abs() < 0.01, "{alone:?}");
    assert!((beside.last().unwrap() - 20.0).abs() < 0.01, "{beside:?}");
}

#[test]
fn stop_between_two_calls_ends_the_tool_and_blocks_motion() {
    let thread = on_the_wall(&MotionLog::with_room_for(10));
    let mut context = staged(thread.handle());
    let mut other: ControlLoopHandle = thread.handle();
    let mut guest = script(vec![yaw(1.0), yaw(2.0), yaw(3.0)]);
    guest.before = Some((3, Box::new(move || other.send_command(LoopCommand::Stop))));
    let tool_run = execute(&mut guest, job(), &mut context, &permit());
    assert!(matches!(tool_run.outcome, Outcome::Stopped { ref limit, .. } if limit == "stop"));
    assert!(
        context.is_stopped() && context.plan(&Motion::Hold { duration: PERIOD }) == Err(MotionError::Stopped)
    );
    // Only a new request moves the robot again, and only one that arrived after the stop.
    context.begin(context.control.stop_epoch());
    assert!(context.carry_out("hold", &Motion::Hold { duration: PERIOD }).refusal.is_none());
}

#[test]
fn run_brakes_before_it_returns_when_the_tool_dies_in_motion() {
    let mut guest = script(vec![yaw(20.0), HostCall::Sleep { seconds: 0.02 }]);
    guest.turns = guest.turns.by_ref().take(2).collect::<Vec<_>>().into_iter();
    let trace = MotionLog::with_room_for(1_000);
    let control_loop =
        ControlLoop::new(mock(&trace), VirtualClock::new(), Limits::default(), PERIOD).unwrap();
    let mut context = staged(control_loop);
    let tool_run = execute(&mut guest, job(), &mut context, &permit());
    assert!(matches!(tool_run.outcome, Outcome::Stopped { ref limit, .. } if limit == "died"));
    assert_eq!(context.control.snapshot().motion_state, MotionState::Holding);
    let [.., before, last] = trace.take()[..] else { panic!("no cycles") };
    assert_eq!(before.goal, last.goal);
}

#[test]
fn forged_times_stop_the_tool_within_its_budget() {
    for cue in [HostCall::Sleep { seconds: 1e300 }, HostCall::Sleep { seconds: 5.1 }] {
        let (tool_run, ..) = rehearse(script(vec![cue]));
        assert!(matches!(tool_run.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds"));
        assert!(tool_run.duration < PERIOD, "the tool must not sleep: {:?}", tool_run.duration);
    }
    let mut guest = script(vec![HostCall::Sleep { seconds: 0.1 }]);
    let printed_turn = |spent| GuestMessage::Printed { printed: "x".into(), spent };
    guest.turns = vec![printed_turn(u64::MAX), printed_turn(1), printed_turn(1)].into_iter();
    let (tool_run, heard, _) = rehearse(guest);
    assert!(matches!(tool_run.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds"));
    assert_eq!((heard.len(), tool_run.duration), (1, Duration::from_secs(5)));
}

#[test]
fn refuses_each_hostile_motion() {
    let frame = |time| minismith_protocol::Keyframe { time, head: None, antennas: None, body_yaw: Some(0.1) };
    let goto = |duration| HostCall::Goto {
        head: None,
        antennas: None,
        body_yaw: Some(1e308),
        duration,
        method: minismith_protocol::Method::Linear,
    };
    let cues = vec![
        goto(1e-320),
        goto(1e308),
        goto(-1.0),
        HostCall::LookAt { point: [1e308; 3], duration: 1.0 },
        HostCall::LookAt { point: [0.0; 3], duration: 1.0 },
        HostCall::Play { keyframes: vec![frame(1e308)], initial_goto: 0.0 },
        HostCall::Play { keyframes: vec![frame(1.0), frame(0.5)], initial_goto: 0.0 },
        HostCall::Play { keyframes: vec![frame(0.5)], initial_goto: 1e308 },
    ];
    let count = cues.len();
    let (tool_run, heard, _) = rehearse(script(cues));
    let refused = heard.iter().filter(|answer| matches!(answer, HostReply::Refused { .. })).count();
    assert_eq!((tool_run.outcome, refused), (Outcome::Returned { value: Value::Null }, count));
}

#[test]
fn record_truncates_long_guest_messages() {
    let mut guest = script(vec![]);
    let raised = GuestMessage::Raised {
        kind: "K".repeat(900_000),
        message: "\u{e9}".repeat(400_000),
        line: None,
        printed: String::new(),
        spent: 0,
        lines: BTreeMap::new(),
    };
    let sound = GuestMessage::Asks {
        cue: HostCall::Sound { file: "f".repeat(900_000) },
        spent: 0,
        printed: String::new(),
    };
    guest.turns = vec![sound, raised].into_iter();
    let (tool_run, ..) = rehearse(guest);
    let Outcome::Raised { kind, message, .. } = tool_run.outcome else { panic!("the tool must raise") };
    assert!(kind.len() <= 100 && message.len() <= MAX_MESSAGE_BYTES && !message.is_empty());
    assert!(tool_run.notes.iter().map(String::len).sum::<usize>() < 300);
}
