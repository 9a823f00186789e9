//! Chooses the calls of a tool to rehearse, and the simulated robot and scene of each.
//!
//! The cases are:
//!
//! - the default call, twice
//! - the author's test cases and examples
//! - values generated from the parameters' types and ranges
//! - other start poses
//! - a robot that is weaker, stiffer, slower or noisy, or has one slow servo
//! - a face that comes into view, and each other event that the tool's expectations are about

mod arguments;

use firmware_bridge::joint::{Joint, Joints};
use mock_robot::dynamics::Variation;
use serde_json::{Map, Value, json};

use self::arguments::{corners, default_arguments, random_calls};
use super::stimuli::{Stimulus, not_simulated};
use minismith_analysis::manifest::{Capability, Expectation, ExpectedMotion, TestCase};
use minismith_analysis::policy::PolicyChecked;
use minismith_analysis::policy::signature::Entry;
use minismith_analysis::submission::Declared;
use minismith_perception::models::Models;
use minismith_score::Event;

pub use self::arguments::plain_value;

/// Start pose of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The initial posture.
    Neutral,
    /// Body and head turned left.
    Turned,
    /// Head low and tilted.
    Low,
    /// Start pose of an earlier run.
    At(Joints),
}

/// The simulated robot of a case, and its start pose.
#[derive(Clone, Debug)]
pub struct CaseSetup {
    /// Start pose.
    pub start: Start,
    /// Deviation from the nominal robot.
    pub variation: Variation,
    /// A servo that is much slower than the others, if any.
    pub slow: Option<Joint>,
    /// Whether position readings are noisy.
    pub noise: bool,
    /// What happens around the robot.
    pub stimuli: Vec<Stimulus>,
}

impl Default for CaseSetup {
    fn default() -> Self {
        CaseSetup {
            start: Start::Neutral,
            variation: Variation::default(),
            slow: None,
            noise: false,
            stimuli: Vec::new(),
        }
    }
}

/// A call on which expectations about the motion are measured.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasuredCall {
    /// The default call, in which nothing happens around the robot.
    Default,
    /// The default call but for one parameter.
    Parameter(String, f64),
    /// The default call, in which an event happens: the first stimulus.
    Event(Event),
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Case {
    /// Name for people.
    pub name: String,
    /// Function of a toolkit. `None` means the tool itself.
    pub function: Option<String>,
    /// Whether a failure refuses the tool. A failure of a generated call is only reported.
    pub is_required: bool,
    /// Whether it repeats the first case, and so must move the same.
    pub is_repeat: bool,
    /// Parameter that this call sets to an end of its range.
    pub corner: Option<String>,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Expected result.
    pub expect: Expectation,
    /// Expected motion.
    pub motion: Option<ExpectedMotion>,
    /// What is measured of its motion for the expectations of the tool, if anything.
    pub measured_for: Option<MeasuredCall>,
    /// The simulated robot and its start pose.
    pub on: CaseSetup,
    /// Seed of all random numbers in the tool.
    pub seed: u64,
}

/// Seed of random numbers in rehearsals and real runs, so that both move alike.
pub const SEED: u64 = minismith_protocol::DEFAULT_SEED;

/// Another seed, for tools that use random numbers.
const OTHER_SEED: u64 = 0x7365_6564;

/// Returns all cases of a tool. The first is its default call. `models` detect faces and objects.
#[must_use]
pub fn cases_for(vetted: &PolicyChecked, declared: &Declared, models: &Models) -> Vec<Case> {
    let is_toolkit = vetted.draft().others().is_some();
    let mut cases = Vec::new();
    for entry in vetted.entries() {
        let function = is_toolkit.then(|| entry.name.clone());
        cases.extend(cases_of(vetted, entry, function.as_deref()));
    }
    cases.extend(declared.test_cases.iter().map(own));
    for (position, example) in declared.examples.iter().enumerate() {
        cases.push(own(&TestCase {
            name: format!("example {}", position + 1),
            function: example.function.clone(),
            arguments: example.arguments.clone(),
            ..TestCase::default()
        }));
    }
    if let Some(first) = cases.first_mut().filter(|_| !declared.expects.0.is_empty()) {
        first.measured_for = Some(MeasuredCall::Default);
    }
    let calls = measured_calls(vetted, declared, models);
    // The same call is not made twice.
    let sees_face = |case: &Case| case.on.stimuli.iter().any(|one| one.event == Event::Face);
    if calls.iter().any(sees_face) {
        cases.retain(|case| case.function.is_some() || !sees_face(case));
    }
    cases.extend(calls);
    cases
}

/// Returns the further calls that the expectations about the motion need, as far as the simulation can make them.
fn measured_calls(vetted: &PolicyChecked, declared: &Declared, models: &Models) -> Vec<Case> {
    let schema = vetted.entry().parameters_schema();
    let (defaults, all_default) = default_arguments(&schema);
    let calls = declared.expects.parameter_calls().into_iter().take(MAX_MEASURED_CALLS);
    let parameters = calls.filter_map(|(name, value)| {
        let is_integer = schema.pointer(&format!("/properties/{name}/type"))? == "integer";
        let mut arguments = defaults.clone();
        arguments.insert(name.clone(), if is_integer { json!(value.round() as i64) } else { json!(value) });
        let measured_for = Some(MeasuredCall::Parameter(name.clone(), value));
        Some(Case { is_required: true, measured_for, ..call(format!("expected: {name}={value}"), arguments) })
    });
    let possible =
        declared.expects.events().into_iter().filter(|event| not_simulated(event, models).is_none());
    let events = possible.take(MAX_MEASURED_CALLS).map(|event| Case {
        is_required: all_default,
        on: CaseSetup {
            stimuli: vec![Stimulus::beginning_at(event.clone(), EARLIEST_EVENT_S)],
            ..CaseSetup::default()
        },
        measured_for: Some(MeasuredCall::Event(event.clone())),
        ..call(format!("expected: {}", event.describe()), defaults.clone())
    });
    parameters.chain(events).collect()
}

/// When an event happens at the earliest, seconds: a tool that looks only at its start does not notice it.
pub const EARLIEST_EVENT_S: f64 = 1.0;

/// Maximum number of further calls for expectations about parameters, and about events.
const MAX_MEASURED_CALLS: usize = 8;

/// Returns a required case for an author's test case.
fn own(test: &TestCase) -> Case {
    let TestCase { name, function, arguments, expect, motion } = test.clone();
    let name = format!("own: {name}");
    Case { function, is_required: true, expect, motion, ..call(name, arguments) }
}

fn call(name: String, arguments: Map<String, Value>) -> Case {
    Case {
        name,
        function: None,
        is_required: false,
        is_repeat: false,
        corner: None,
        arguments,
        expect: Expectation::Anything,
        motion: None,
        measured_for: None,
        on: CaseSetup::default(),
        seed: SEED,
    }
}

fn cases_of(vetted: &PolicyChecked, entry: &Entry, function: Option<&str>) -> Vec<Case> {
    let schema = entry.parameters_schema();
    // A call with generated values may be out of the tool's range, so it is not required to pass.
    let (defaults, all_default) = default_arguments(&schema);
    let named = |name: &str| match function {
        Some(function) => format!("{function}: {name}"),
        None => name.to_owned(),
    };
    let case = |name: &str, arguments: &Map<String, Value>| Case {
        function: function.map(ToOwned::to_owned),
        ..call(named(name), arguments.clone())
    };
    let default = |name: &str| Case { is_required: all_default, ..case(name, &defaults) };
    // Two runs of the first function must be the same. For each other function, one run is enough to see that it works.
    let mut cases = vec![default("default")];
    if vetted.entry() == entry {
        cases.push(Case { is_repeat: true, ..default("default again") });
    }
    if uses_randomness(vetted) {
        cases.push(Case { seed: OTHER_SEED, ..default("another seed") });
    }
    for (parameter, name, arguments) in corners(&schema, &defaults) {
        cases.push(Case { corner: Some(parameter), ..case(&format!("corner: {name}"), &arguments) });
    }
    for (position, arguments) in random_calls(&schema, &defaults).into_iter().enumerate() {
        cases.push(case(&format!("made up {}", position + 1), &arguments));
    }
    let on = |(name, on): (String, CaseSetup)| Case { on, ..default(&name) };
    cases.extend(case_setups(vetted).into_iter().map(on));
    cases
}

fn uses_randomness(vetted: &PolicyChecked) -> bool {
    let mut facts = vetted.facts().values();
    facts.any(|facts| {
        facts.imports.iter().any(|module| module.contains("random")) || facts.attributes.contains("random")
    })
}

/// Returns the deviations and scenes for the default call that can make a difference.
fn case_setups(vetted: &PolicyChecked) -> Vec<(String, CaseSetup)> {
    let has = |capability| vetted.capabilities().contains(&capability);
    let mut found = Vec::new();
    if has(Capability::Motion) {
        for (name, start) in [("turned", Start::Turned), ("low", Start::Low)] {
            found.push((format!("start: {name}"), CaseSetup { start, ..CaseSetup::default() }));
        }
        for (name, variation) in sweep() {
            found.push((format!("sweep: {name}"), CaseSetup { variation, ..CaseSetup::default() }));
        }
        for joint in [Joint::Stewart2, Joint::RightAntenna] {
            let slow = Some(joint);
            found.push((format!("fault: slow {}", joint.name()), CaseSetup { slow, ..CaseSetup::default() }));
        }
        found.push(("noise".into(), CaseSetup { noise: true, ..CaseSetup::default() }));
    }
    if has(Capability::Tracking) || has(Capability::Camera) {
        let stimuli = vec![Stimulus::beginning_at(Event::Face, 0.0)];
        found.push(("scene: a face".into(), CaseSetup { stimuli, ..CaseSetup::default() }));
    }
    found
}

/// Returns variations of gain, friction and delay by plus and minus thirty percent.
fn sweep() -> Vec<(String, Variation)> {
    let nominal = Variation::default();
    [0.7, 1.3]
        .into_iter()
        .flat_map(|factor| {
            [
                (format!("gain {factor}"), Variation { gain: factor, ..nominal }),
                (format!("friction {factor}"), Variation { friction: factor, ..nominal }),
                (format!("delay {factor}"), Variation { delay: factor, ..nominal }),
            ]
        })
        .collect()
}
