//! Which calls of a tool are rehearsed, on which bodies and in which rooms.
//!
//! Its default call, twice; its author's test cases and examples; values made up from its parameters' types and
//! ranges; other starting postures; a body that is weaker, stiffer, slower, noisy, or has one slow servo; a room with a
//! face in it.

mod arguments;

use firmware_bridge::joint::{Joint, Joints};
use mock_robot::dynamics::Variation;
use serde_json::{Map, Value};

use self::arguments::{corners, default_arguments, made_up};
use minismith_analysis::manifest::{Capability, Expectation, ExpectedMotion, TestCase};
use minismith_analysis::policy::Vetted;
use minismith_analysis::policy::signature::Entry;
use minismith_analysis::submission::Declared;

pub use self::arguments::plain_value;

/// Where the body stands when a case begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Start {
    /// The initial posture.
    Neutral,
    /// Body and head turned left.
    Turned,
    /// Head low, leaning.
    Low,
    /// Where a performance once began.
    At(Joints),
}

/// What the camera sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Blocks on a floor, and nobody.
    Empty,
    /// Somebody before the robot.
    Visited,
}

/// The body of a case, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// Where it stands.
    pub start: Start,
    /// How it differs from the nominal one.
    pub variation: Variation,
    /// The one servo that is much slower than the others.
    pub slow: Option<Joint>,
    /// Whether what it senses is noisy.
    pub noise: bool,
    /// What it sees.
    pub room: Room,
}

impl Default for Circumstances {
    fn default() -> Self {
        Circumstances {
            start: Start::Neutral,
            variation: Variation::default(),
            slow: None,
            noise: false,
            room: Room::Empty,
        }
    }
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Case {
    /// For people.
    pub name: String,
    /// Which function of a toolkit; none means the tool itself.
    pub function: Option<String>,
    /// Whether a failure refuses the tool. In calls that were made up, a failure is only told.
    pub must_pass: bool,
    /// Whether it repeats the first case, and so must move the same.
    pub again: bool,
    /// The parameter whose end of the range this call tries.
    pub corner: Option<String>,
    /// What the tool is called with.
    pub arguments: Map<String, Value>,
    /// What is expected of it.
    pub expect: Expectation,
    /// How the robot must have moved.
    pub motion: Option<ExpectedMotion>,
    /// On which body, and where.
    pub on: Circumstances,
    /// Seeds every source of chance in the tool.
    pub seed: u64,
}

/// Seeds chance in rehearsal and in performance, so that both move alike.
pub const SEED: u64 = minismith_wire::USUAL_SEED;

/// Another seed, for tools that use chance.
const OTHER_SEED: u64 = 0x7365_6564;

/// All cases of a tool; the first is its default call.
#[must_use]
pub fn cases_for(vetted: &Vetted, declared: &Declared) -> Vec<Case> {
    let is_toolkit = vetted.draft().others().is_some();
    let mut cases = Vec::new();
    for entry in vetted.entries() {
        let function = is_toolkit.then(|| entry.name.clone());
        cases.extend(cases_of(vetted, entry, function.as_deref()));
    }
    cases.extend(declared.test_cases.iter().map(own));
    for (place, example) in declared.examples.iter().enumerate() {
        cases.push(own(&TestCase {
            name: format!("example {}", place + 1),
            function: example.function.clone(),
            arguments: example.arguments.clone(),
            ..TestCase::default()
        }));
    }
    cases
}

/// What an author declares must pass.
fn own(test: &TestCase) -> Case {
    let TestCase { name, function, arguments, expect, motion } = test.clone();
    let name = format!("own: {name}");
    Case { function, must_pass: true, expect, motion, ..call(name, arguments) }
}

fn call(name: String, arguments: Map<String, Value>) -> Case {
    Case {
        name,
        function: None,
        must_pass: false,
        again: false,
        corner: None,
        arguments,
        expect: Expectation::Anything,
        motion: None,
        on: Circumstances::default(),
        seed: SEED,
    }
}

fn cases_of(vetted: &Vetted, entry: &Entry, function: Option<&str>) -> Vec<Case> {
    let schema = entry.parameters_schema();
    // A call that needs made-up values may well be out of the tool's range: it need not pass then.
    let (defaults, all_default) = default_arguments(&schema);
    let named = |name: &str| match function {
        Some(function) => format!("{function}: {name}"),
        None => name.to_owned(),
    };
    let case = |name: &str, arguments: &Map<String, Value>| Case {
        function: function.map(ToOwned::to_owned),
        ..call(named(name), arguments.clone())
    };
    let default = |name: &str| Case { must_pass: all_default, ..case(name, &defaults) };
    // Two runs of the first function must be the same; of the others one is enough to see that they work.
    let mut cases = vec![default("default")];
    if vetted.entry() == entry {
        cases.push(Case { again: true, ..default("default again") });
    }
    if uses_chance(vetted) {
        cases.push(Case { seed: OTHER_SEED, ..default("another seed") });
    }
    for (parameter, name, arguments) in corners(&schema, &defaults) {
        cases.push(Case { corner: Some(parameter), ..case(&format!("corner: {name}"), &arguments) });
    }
    for (place, arguments) in made_up(&schema, &defaults).into_iter().enumerate() {
        cases.push(case(&format!("made up {}", place + 1), &arguments));
    }
    let on = |(name, on): (String, Circumstances)| Case { on, ..default(&name) };
    cases.extend(circumstances(vetted).into_iter().map(on));
    cases
}

fn uses_chance(vetted: &Vetted) -> bool {
    let mut facts = vetted.facts().values();
    facts.any(|facts| {
        facts.imports.iter().any(|module| module.contains("random")) || facts.attributes.contains("random")
    })
}

/// The bodies and rooms that the default call is tried on, besides the usual ones: those that can make a difference.
fn circumstances(vetted: &Vetted) -> Vec<(String, Circumstances)> {
    let has = |capability| vetted.capabilities().contains(&capability);
    let usual = Circumstances::default();
    let mut found = Vec::new();
    if has(Capability::Motion) {
        for (name, start) in [("turned", Start::Turned), ("low", Start::Low)] {
            found.push((format!("start: {name}"), Circumstances { start, ..usual }));
        }
        for (name, variation) in sweep() {
            found.push((format!("sweep: {name}"), Circumstances { variation, ..usual }));
        }
        for joint in [Joint::Stewart2, Joint::RightAntenna] {
            let slow = Some(joint);
            found.push((format!("fault: slow {}", joint.name()), Circumstances { slow, ..usual }));
        }
        found.push(("noise".into(), Circumstances { noise: true, ..usual }));
    }
    if has(Capability::Tracking) || has(Capability::Camera) {
        found.push(("scene: a face".into(), Circumstances { room: Room::Visited, ..usual }));
    }
    found
}

/// Plus and minus thirty percent of gain, friction and delay.
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
