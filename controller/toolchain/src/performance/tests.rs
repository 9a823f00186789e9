//! A guest that follows a script, on the mock in virtual time and on the wall clock: both must be told the same, and
//! what is forged must neither hang nor lie.

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

const BEAT: Duration = Duration::from_millis(10);

/// Says its turns one after the other; after the last one it is dead.
struct Script {
    turns: std::vec::IntoIter<Turn>,
    heard: Vec<Answer>,
    /// Done once, before its turn of this number.
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

/// In virtual time: what came of it, and the stream of goals.
fn rehearse(mut guest: Script) -> (Performance, Vec<Answer>, String) {
    let trace = Trace::with_room_for(10_000);
    let pulse = Pulse::new(mock(&trace), VirtualClock::new(), Limits::default(), BEAT).unwrap();
    let performance = perform(&mut guest, job(), &mut staged(pulse), &permit());
    (performance, guest.heard, digest(&trace.take()))
}

fn on_the_wall(trace: &Trace) -> PulseThread {
    let pulse = Pulse::new(mock(trace), WallClock::start(), Limits::default(), BEAT).unwrap();
    PulseThread::start(pulse).unwrap()
}

fn yaw(degrees: f64) -> Cue {
    Cue::SetTarget { head: None, antennas: None, body_yaw: Some(degrees.to_radians()) }
}

#[test]
fn a_stream_without_sleep_is_the_same_on_the_wall_clock() {
    // Twenty-five targets, one a millisecond: on each beat the last one counts.
    let cues = || {
        let stream = (1..=25).map(|step| yaw(f64::from(step) / 10.0));
        stream.chain([Cue::Motors { on: true, ids: None }, Cue::Sleep { seconds: 0.1 }, yaw(0.0)]).collect()
    };
    let (rehearsed, heard, goals) = rehearse(script(cues()));
    let performed_alike = || {
        let trace = Trace::with_room_for(10_000);
        let thread = on_the_wall(&trace);
        let mut guest = script(cues());
        let performed = perform(&mut guest, job(), &mut staged(thread.handle()), &permit());
        (guest.heard, digest(&trace.take()), performed.took, performed.slips)
            == (heard.clone(), goals.clone(), rehearsed.took, 0)
    };
    // A busy machine may miss a beat now and then, but not always.
    assert!((0..20).any(|_| performed_alike()));
    assert_eq!(rehearsed.slips, 0);
}

#[test]
fn a_stop_between_two_cues_ends_the_tool_and_nothing_moves_after_it() {
    let thread = on_the_wall(&Trace::with_room_for(10));
    let mut stage = staged(thread.handle());
    let mut other: PulseHandle = thread.handle();
    let mut guest = script(vec![yaw(1.0), yaw(2.0), yaw(3.0)]);
    guest.before = Some((3, Box::new(move || other.order(Order::Halt))));
    let performance = perform(&mut guest, job(), &mut stage, &permit());
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stop"));
    assert!(stage.is_stopped() && stage.plan(&Motion::Hold { duration: BEAT }) == Err(Refusal::Stopped));
    // Only a new wish moves it again, and only one that was heard after the stop.
    stage.begin(stage.conductor.halts());
    assert!(stage.carry_out("hold", &Motion::Hold { duration: BEAT }).refusal.is_none());
}

#[test]
fn a_tool_that_dies_in_mid_air_is_braked_before_its_end_is_told() {
    let mut guest = script(vec![yaw(20.0), Cue::Sleep { seconds: 0.02 }]);
    guest.turns = guest.turns.by_ref().take(2).collect::<Vec<_>>().into_iter();
    let trace = Trace::with_room_for(1_000);
    let pulse = Pulse::new(mock(&trace), VirtualClock::new(), Limits::default(), BEAT).unwrap();
    let mut stage = staged(pulse);
    let performance = perform(&mut guest, job(), &mut stage, &permit());
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "died"));
    assert_eq!(stage.conductor.snapshot().doing, Doing::Holding);
    let [.., before, last] = trace.take()[..] else { panic!("no beats") };
    assert_eq!(before.goal, last.goal);
}

#[test]
fn forged_times_neither_hang_nor_lie() {
    for cue in [Cue::Sleep { seconds: 1e300 }, Cue::Sleep { seconds: 5.1 }] {
        let (performance, ..) = rehearse(script(vec![cue]));
        assert!(
            matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds")
        );
        assert!(performance.took < BEAT, "it did not sleep: {:?}", performance.took);
    }
    let mut guest = script(vec![Cue::Sleep { seconds: 0.1 }]);
    let word = |spent| Turn::Printed { printed: "x".into(), spent };
    guest.turns = vec![word(u64::MAX), word(1), word(1)].into_iter();
    let (performance, heard, _) = rehearse(guest);
    assert!(matches!(performance.outcome, Outcome::Stopped { ref limit, .. } if limit == "stage_seconds"));
    assert_eq!((heard.len(), performance.took), (1, Duration::from_secs(5)));
}

#[test]
fn hostile_motions_are_refused_one_by_one() {
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
fn what_a_guest_says_is_kept_only_in_part() {
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
    let Outcome::Raised { kind, message, .. } = performance.outcome else { panic!("it raised") };
    assert!(kind.len() <= 100 && message.len() <= LONGEST_MESSAGE && !message.is_empty());
    assert!(performance.notes.iter().map(String::len).sum::<usize>() < 300);
}
