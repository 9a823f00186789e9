//! Runs a scripted guest on the simulated robot, in virtual time and on the wall clock.
//!
//! Both runs must report the same result, and forged messages must neither hang the run nor falsify its record.

use firmware_bridge::clock::{VirtualClock, WallClock};
use firmware_bridge::limits::Limits;
use firmware_bridge::pulse::{Conductor, Doing, Order, Pulse, PulseHandle, PulseThread};
use firmware_bridge::trace::{Trace, Traced};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Motion, Refusal};

use super::*;
use crate::guest::GuestFault;
use minismith_analysis::report::digest;
use minismith_control::body::initial_joints;

const PERIOD: Duration = Duration::from_millis(10);

/// A guest that sends its turns one after the other and is dead after the last one.
struct Script {
    turns: std::vec::IntoIter<Turn>,
    heard: Vec<Answer>,
    /// An action that runs once, before the turn of this number.
    before: Option<(usize, Box<dyn FnOnce()>)>,
}

impl Guest for Script {
    fn turn(&mut self, answer: &Answer, _: Option<&[u8]>) -> Result<Turn, GuestFault> {
        self.heard.push(answer.clone());
        if let Some((_, act)) = self.before.take_if(|(place, _)| *place == self.heard.len()) {
            act();
        }
        self.turns.next().ok_or(GuestFault::Died { how: "the script has ended".into() })
    }
}

fn script(cues: Vec<Cue>) -> Script {
    let ask = |cue| Turn::Asks { cue, spent: 0, printed: String::new() };
    let end = Turn::Done { value: Value::Null, printed: String::new(), spent: 0, lines: BTreeMap::new() };
    let turns: Vec<Turn> = cues.into_iter().map(ask).chain([end]).collect();
    Script { turns: turns.into_iter(), heard: Vec::new(), before: None }
}

fn job() -> Job {
    Job { module: "tool".into(), entry: "tool".into(), takes_robot: true, seed: 1, ..Job::default() }
}

fn permit() -> Permit<'static> {
    let capabilities = BTreeSet::from([Capability::Motion, Capability::Motors, Capability::Sound]);
    Permit { capabilities, stage_seconds: 5.0, ..Permit::default() }
}

fn mock(trace: &Trace) -> Traced<MockRobot> {
    Traced::new(MockRobot::new(initial_joints(), Variation::default()), trace.clone())
}

fn staged(conductor: impl Conductor + 'static) -> Stage {
    let mut stage = Stage::new(Box::new(conductor), Scene::default());
    stage.torque(Joints::all(true)).unwrap();
    stage
}

/// Runs a script in virtual time and returns the record, the answers and the digest of all goals.
fn rehearse(mut guest: Script) -> (Performance, Vec<Answer>, String) {
    let trace = Trace::with_room_for(10_000);
    let pulse = Pulse::new(mock(&trace), VirtualClock::new(), Limits::default(), PERIOD).unwrap();
    let performance = perform(&mut guest, job(), &mut staged(pulse), &permit());
    (performance, guest.heard, digest(&trace.take()))
}

fn on_the_wall(trace: &Trace) -> PulseThread {
    let pulse = Pulse::new(mock(trace), WallClock::start(), Limits::default(), PERIOD).unwrap();
    PulseThread::start(pulse).unwrap()
}

fn yaw(degrees: f64) -> Cue {
    Cue::SetTarget { head: None, antennas: None, body_yaw: Some(degrees.to_radians()) }
}

#[test]
fn stream_without_sleep_matches_the_rehearsal_on_the_wall_clock() {
    // Twenty-five targets, one per millisecond: on each cycle the last one counts.
    let cues = || {
        let stream = (1..=25).map(|step| yaw(f64::from(step) / 10.0));
        stream.chain([Cue::Motors { on: true, ids: None }, Cue::Sleep { seconds: 0.1 }, yaw(0.0)]).collect()
    };
    let (rehearsed, heard, goals) = rehearse(script(cues()));
    let runs_alike = || {
        let trace = Trace::with_room_for(10_000);
        let thread = on_the_wall(&trace);
        let mut guest = script(cues());
        let run = perform(&mut guest, job(), &mut staged(thread.handle()), &permit());
        (guest.heard, digest(&trace.take()), run.took, run.slips)
            == (heard.clone(), goals.clone(), rehearsed.took, 0)
    };
    // A busy machine may sometimes miss a cycle, but not always.
    assert!((0..20).any(|_| runs_alike()));
    assert_eq!(rehearsed.slips, 0);
}

#[test]
fn stop_between_two_calls_ends_the_tool_and_blocks_motion() {
    let thread = on_the_wall(&Trace::with_room_for(10));
    let mut stage = staged(thread.handle());
    let mut other: PulseHandle = thread.handle();
    let mut guest = script(vec![yaw(1.0), yaw(2.0), yaw(3.0)]);
    guest.before = Some((3, Box::new(move || other.order(Order::Halt))));
    let performance = perform(&mut guest, job(), &mut stage, &permit());
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stop"));
    assert!(stage.is_stopped() && stage.plan(&Motion::Hold { duration: PERIOD }) == Err(Refusal::Stopped));
    // Only a new request moves the robot again, and only one that arrived after the stop.
    stage.begin(stage.conductor.halts());
    assert!(stage.carry_out("hold", &Motion::Hold { duration: PERIOD }).refusal.is_none());
}

#[test]
fn run_brakes_before_it_returns_when_the_tool_dies_in_motion() {
    let mut guest = script(vec![yaw(20.0), Cue::Sleep { seconds: 0.02 }]);
    guest.turns = guest.turns.by_ref().take(2).collect::<Vec<_>>().into_iter();
    let trace = Trace::with_room_for(1_000);
    let pulse = Pulse::new(mock(&trace), VirtualClock::new(), Limits::default(), PERIOD).unwrap();
    let mut stage = staged(pulse);
    let performance = perform(&mut guest, job(), &mut stage, &permit());
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "died"));
    assert_eq!(stage.conductor.snapshot().doing, Doing::Holding);
    let [.., before, last] = trace.take()[..] else { panic!("no cycles") };
    assert_eq!(before.goal, last.goal);
}

#[test]
fn forged_times_stop_the_tool_within_its_budget() {
    for cue in [Cue::Sleep { seconds: 1e300 }, Cue::Sleep { seconds: 5.1 }] {
        let (performance, ..) = rehearse(script(vec![cue]));
        assert!(
            matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds")
        );
        assert!(performance.took < PERIOD, "the tool must not sleep: {:?}", performance.took);
    }
    let mut guest = script(vec![Cue::Sleep { seconds: 0.1 }]);
    let printed_turn = |spent| Turn::Printed { printed: "x".into(), spent };
    guest.turns = vec![printed_turn(u64::MAX), printed_turn(1), printed_turn(1)].into_iter();
    let (performance, heard, _) = rehearse(guest);
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds"));
    assert_eq!((heard.len(), performance.took), (1, Duration::from_secs(5)));
}

#[test]
fn refuses_each_hostile_motion() {
    let frame = |time| minismith_wire::Keyframe { time, head: None, antennas: None, body_yaw: Some(0.1) };
    let goto = |duration| Cue::Goto {
        head: None,
        antennas: None,
        body_yaw: Some(1e308),
        duration,
        method: minismith_wire::Method::Linear,
    };
    let cues = vec![
        goto(1e-320),
        goto(1e308),
        goto(-1.0),
        Cue::LookAt { point: [1e308; 3], duration: 1.0 },
        Cue::LookAt { point: [0.0; 3], duration: 1.0 },
        Cue::Play { keyframes: vec![frame(1e308)], initial_goto: 0.0 },
        Cue::Play { keyframes: vec![frame(1.0), frame(0.5)], initial_goto: 0.0 },
        Cue::Play { keyframes: vec![frame(0.5)], initial_goto: 1e308 },
    ];
    let count = cues.len();
    let (performance, heard, _) = rehearse(script(cues));
    let refused = heard.iter().filter(|answer| matches!(answer, Answer::Refused { .. })).count();
    assert_eq!((performance.outcome, refused), (Outcome::Returned { value: Value::Null }, count));
}

#[test]
fn record_truncates_long_guest_messages() {
    let mut guest = script(vec![]);
    let raised = Turn::Raised {
        kind: "K".repeat(900_000),
        message: "\u{e9}".repeat(400_000),
        line: None,
        printed: String::new(),
        spent: 0,
        lines: BTreeMap::new(),
    };
    let sound =
        Turn::Asks { cue: Cue::Sound { file: "f".repeat(900_000) }, spent: 0, printed: String::new() };
    guest.turns = vec![sound, raised].into_iter();
    let (performance, ..) = rehearse(guest);
    let Outcome::Raised { kind, message, .. } = performance.outcome else { panic!("the tool must raise") };
    assert!(kind.len() <= 100 && message.len() <= MAX_MESSAGE_BYTES && !message.is_empty());
    assert!(performance.notes.iter().map(String::len).sum::<usize>() < 300);
}
