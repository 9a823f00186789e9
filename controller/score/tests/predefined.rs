//! The sources of the predefined tools: each reads and writes back the same, stays comfortable for the robot in every
//! call, and holds its expectations in simulation. Their registration rehearses them on the simulated robot.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::{JointLimits, Limits};
use minismith_score::{
    Arguments, Axis, Event, EventSpan, Expects, Score, Setting, Step, Stimuli, Timeline, compile, read, write,
};

/// The tools that are ordinary Python: their motion depends on what they see or compute, or they don't move.
const PLAIN: [&str; 6] =
    ["greet", "look_around", "metronome_nod", "photograph_view", "report_posture", "search_for_object"];
/// The longest default call, seconds.
const DEFAULT_SECONDS: f64 = 20.0;
/// The longest call, seconds: 120 s minus a margin for servos that lag.
const LONGEST_SECONDS: f64 = 100.0;
/// Comfortable speeds of a default call in degrees per second.
const HEAD_SPEED: f64 = 90.0;
const ANTENNA_SPEED: f64 = 300.0;
const BODY_SPEED: f64 = 62.0;
/// The time between compared goals, seconds.
const STEP_SECONDS: f64 = 0.01;

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/sources");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|is| is == "py")).collect();
    files.sort();
    files
}

fn name(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn is_plain(file: &Path) -> bool {
    PLAIN.contains(&name(file).as_str())
}

fn score(file: &Path) -> Score {
    let source = fs::read_to_string(file).unwrap();
    read(&source).unwrap_or_else(|error| panic!("{}: {error}", name(file)))
}

fn expects(file: &Path) -> Expects {
    let text = fs::read_to_string(file.with_extension("yaml")).unwrap();
    let declared: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let expects: Expects = serde_json::from_value(declared["expects"].clone())
        .unwrap_or_else(|error| panic!("{}: {error}", name(file)));
    expects.check().unwrap_or_else(|error| panic!("{}: {error}", name(file)));
    expects
}

fn motions() -> Vec<(PathBuf, Score)> {
    let files = sources().into_iter().filter(|file| !is_plain(file));
    files.map(|file| (file.clone(), score(&file))).collect()
}

/// Returns the default call, those with one parameter at an end of its range, and those with all at an end.
fn calls(score: &Score) -> Vec<Arguments> {
    let ends = |is_high: &dyn Fn(usize) -> bool| -> Arguments {
        let value = |(index, parameter): (usize, &minismith_score::Parameter)| {
            (parameter.name.clone(), if is_high(index) { parameter.high } else { parameter.low })
        };
        score.parameters.iter().enumerate().map(value).collect()
    };
    let mut calls = vec![Arguments::new()];
    for parameter in &score.parameters {
        calls.extend(
            [parameter.low, parameter.high].map(|value| Arguments::from([(parameter.name.clone(), value)])),
        );
    }
    calls.extend((0..1_usize << score.parameters.len()).map(|mask| ends(&|index| mask >> index & 1 == 1)));
    calls
}

fn events_of(steps: &[Step], found: &mut Vec<Event>) {
    for step in steps {
        found.extend(step.reaction().map(|(_, reaction)| reaction.event.clone()));
        events_of(step.inner(), found);
    }
}

fn span(event: &Event, from: f64, to: f64) -> EventSpan {
    EventSpan { event: event.clone(), from, to }
}

/// Returns schedules: nothing happens, an event always holds, and it comes twice.
fn schedules(score: &Score) -> Vec<Stimuli> {
    let mut events = Vec::new();
    events_of(&score.steps, &mut events);
    let mut schedules = vec![Stimuli::default()];
    for event in &events {
        schedules.push(Stimuli::new(vec![span(event, 0.0, 200.0)]));
        schedules.push(Stimuli::new(vec![span(event, 3.0, 6.0), span(event, 9.0, 9.4)]));
    }
    schedules
}

fn course(score: &Score, call: &Arguments, stimuli: Stimuli) -> Timeline {
    let setting = Setting { stimuli, ..Setting::default() };
    compile(score, call, &setting).unwrap_or_else(|error| panic!("{} {call:?}: {error}", score.name))
}

/// Returns the largest speed of each leg in turn, of the head's angles, the antennas and the body, in degrees per second,
/// and checks that the legs reach every pose with two degrees to spare.
fn peak_speeds(timeline: &Timeline, limits: &Limits, call: &str) -> [f64; 4] {
    let mut peaks = [0.0_f64; 4];
    let mut before = None;
    for index in 0..=(timeline.seconds() / STEP_SECONDS) as usize + 1 {
        let axes = timeline.axes_at(index as f64 * STEP_SECONDS);
        let joints =
            joints_from_posture(&axes.to_posture()).unwrap_or_else(|error| panic!("{call}: {error}"));
        let legs = Joint::STEWART.map(|leg| joints[leg].degrees());
        for (leg, angle) in Joint::STEWART.into_iter().zip(legs) {
            let JointLimits { min_position, max_position, .. } = limits.joints[leg];
            let range = min_position.degrees() + 2.0..=max_position.degrees() - 2.0;
            assert!(range.contains(&angle), "{call}: {leg:?} at {angle} degrees");
        }
        if let Some((legs_before, axes_before)) = before.replace((legs, axes)) {
            let speed = |axis: Axis| ((axes[axis] - axes_before[axis]) / STEP_SECONDS).abs();
            let largest = |axes: &[Axis]| axes.iter().map(|axis| speed(*axis)).fold(0.0, f64::max);
            let legs = legs.iter().zip(legs_before).map(|(now, then)| ((now - then) / STEP_SECONDS).abs());
            let found = [
                legs.fold(0.0, f64::max),
                largest(&[Axis::HeadTurn, Axis::HeadPitch, Axis::HeadTilt]),
                largest(&Axis::ANTENNAS),
                speed(Axis::BodyTurn),
            ];
            peaks = std::array::from_fn(|index| peaks[index].max(found[index]));
        }
    }
    peaks
}

#[test]
fn sources_are_as_the_writer_writes_them() {
    let files = sources();
    assert!(files.len() >= 72, "{} sources", files.len());
    for file in &files {
        assert!(expects(file).0.len() + usize::from(is_plain(file)) * 2 >= 3, "{}: expectations", name(file));
    }
    for (file, score) in motions() {
        assert_eq!(write(&score), fs::read_to_string(&file).unwrap(), "{}", file.display());
        assert_eq!(score.name, name(&file));
        assert!(score.summary.ends_with('.') && !score.summary.trim_end_matches('.').contains(". "));
    }
}

#[test]
fn no_call_is_long_or_hasty() {
    // Tools that no person has approved move at half of the limits.
    let limits = Limits::default().scaled(0.5);
    let most = |joint: Joint| 0.95 * limits.joints[joint].max_velocity.degrees();
    for (_, score) in motions() {
        for call in calls(&score) {
            for stimuli in schedules(&score) {
                let timeline = course(&score, &call, stimuli);
                let text = format!("{} {call:?}", score.name);
                assert!(timeline.seconds() <= LONGEST_SECONDS, "{text}: {} s", timeline.seconds());
                let [legs, head, antennas, body] = peak_speeds(&timeline, &limits, &text);
                assert!(legs <= most(Joint::Stewart1), "{text}: legs at {legs} degrees per second");
                assert!(antennas <= most(Joint::LeftAntenna), "{text}: antennas at {antennas}");
                assert!(body <= most(Joint::BodyYaw), "{text}: body at {body}");
                if call.is_empty() {
                    assert!(timeline.seconds() <= DEFAULT_SECONDS + 0.5, "{text}: {} s", timeline.seconds());
                    assert!(head <= HEAD_SPEED, "{text}: head at {head} degrees per second");
                    assert!(antennas <= ANTENNA_SPEED && body <= BODY_SPEED, "{text}: {antennas}, {body}");
                }
            }
        }
    }
}

#[test]
fn expectations_hold_in_simulation() {
    for (file, score) in motions() {
        let expects = expects(&file);
        // An event that holds from the start, as the face does in a rehearsal, and one that comes and goes.
        for spans in [vec![(0.0, 60.0)], vec![(2.0, 7.0), (9.0, 9.5)]] {
            for measured in score.measure_simulated_during(&expects, |_| spans.clone()).unwrap() {
                assert!(measured.held, "{}: {measured}", score.name);
            }
        }
    }
}
