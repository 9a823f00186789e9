//! Defines [`Ability`], the closed set of functions that an agent may be allowed to use.
//!
//! Each has a schema and a reader for the calls of a model. Everything here is pure.

mod read;

use serde_json::{Map, Value, json};

use super::action::Action;
use minismith_analysis::arguments::accept;
use minismith_language_model::Function;
use minismith_nlu::primitive::{
    DEFAULT_AIM_TIME, DEFAULT_DANCE_TIME, DEFAULT_HEIGHT_M, DEFAULT_SWING, DEFAULT_SWINGS, DEFAULT_TILT,
    DEFAULT_TURN, HALF_SWING_TIME, Primitive, Side, body_duration, head_duration,
};
use minismith_nlu::vision_intent;
use read::Read;

pub use minismith_runtime::agent_spec::Ability;

/// The names that a call may contain.
#[derive(Clone, Copy, Debug, Default)]
pub struct AgentScope<'a> {
    /// Agents that a task may be handed to.
    pub others: &'a [String],
    /// Tools that may be run by name.
    pub tools: &'a [String],
    /// Files and stored data that the person has named.
    pub data: &'a [String],
}

/// A function that a model can call.
pub trait Callable {
    /// Returns the description that a model gets of the function.
    #[must_use]
    fn function(self, within: AgentScope<'_>) -> Function;

    /// Reads a call of the function.
    ///
    /// # Errors
    /// One sentence for the model that names the argument and what is allowed.
    fn read(self, arguments: &Map<String, Value>, within: AgentScope<'_>) -> Result<Action, String>;
}

impl Callable for Ability {
    fn function(self, within: AgentScope<'_>) -> Function {
        let (description, parameters) = reported(self, within);
        Function { name: self.name(), description: description.into(), parameters }
    }

    fn read(self, arguments: &Map<String, Value>, within: AgentScope<'_>) -> Result<Action, String> {
        // A model that may omit an argument often sends a null instead.
        let given: Map<String, Value> = arguments
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        accept(&reported(self, within).1, &given)?;
        let read = Read(&given);
        let primitive = match self {
            Ability::Look => read.look(),
            Ability::LookAt => Primitive::LookAt {
                point: ["x", "y", "z"].map(|key| read.number(key).unwrap_or_default()),
                duration: read.seconds().unwrap_or(DEFAULT_AIM_TIME),
            },
            Ability::TiltHead => {
                let angle = read.degrees("degrees").unwrap_or(DEFAULT_TILT);
                let side = if read.is_left() { Side::Left } else { Side::Right };
                Primitive::Tilt { side, angle, duration: read.seconds().unwrap_or(head_duration(angle)) }
            }
            Ability::TurnBody => {
                let angle = read.degrees("degrees").unwrap_or(DEFAULT_TURN);
                let duration = read.seconds().unwrap_or(body_duration(angle));
                Primitive::TurnBody { angle: if read.is_left() { angle } else { -angle }, duration }
            }
            Ability::RaiseHead => Primitive::Height {
                metres: read.number("millimetres").map_or(DEFAULT_HEIGHT_M, |value| value / 1000.0),
                duration: read.seconds().unwrap_or(DEFAULT_AIM_TIME),
            },
            Ability::Nod => Primitive::Nod {
                times: read.times(1),
                angle: read.degrees("degrees").unwrap_or(DEFAULT_SWING),
                half: HALF_SWING_TIME,
            },
            Ability::ShakeHead => Primitive::Shake {
                times: read.times(DEFAULT_SWINGS),
                angle: read.degrees("degrees").unwrap_or(DEFAULT_SWING),
                half: HALF_SWING_TIME,
            },
            Ability::WiggleAntennas => {
                Primitive::WiggleAntennas { times: read.times(DEFAULT_SWINGS), half: HALF_SWING_TIME }
            }
            Ability::SetAntennas => read.antennas()?,
            Ability::Dance => Primitive::Dance { duration: read.seconds().unwrap_or(DEFAULT_DANCE_TIME) },
            Ability::Center => Primitive::Center,
            Ability::WakeUp => Primitive::Wake,
            Ability::GotoSleep => Primitive::Sleep,
            Ability::Wait => Primitive::Wait { duration: read.seconds().unwrap_or_default() },
            other => return read.other(other),
        };
        primitive.check().map_err(|range| range.to_string())?;
        Ok(Action::Move(primitive))
    }
}

fn reported(ability: Ability, AgentScope { others, tools, data }: AgentScope<'_>) -> (&'static str, Value) {
    let seconds = || number("how long the motion takes, seconds", 0.2, 30.0);
    let times = || json!({"type": "integer", "minimum": 1, "maximum": 20, "description": "how often"});
    let text = |what: &str| json!({"type": "string", "description": what});
    let side = || json!({"type": "string", "enum": ["left", "right"]});
    let thing = || json!({"type": "string", "description": "person, cup, cat, chair, ...: a class of COCO"});
    match ability {
        Ability::Look => (
            "Point the head left, right, up, down or straight ahead, and leave it there.",
            object(
                &[("direction", json!({"type": "string", "enum": ["left", "right", "up", "down", "ahead"]}))],
                &[("degrees", number("how far from straight ahead", 0.0, 60.0)), ("seconds", seconds())],
            ),
        ),
        Ability::LookAt => (
            "Point the head at a place, metres from the neutral head: x forward, y left, z up.",
            object(
                &[
                    ("x", number("forward, metres", -10.0, 10.0)),
                    ("y", number("left, metres", -10.0, 10.0)),
                    ("z", number("up, metres", -10.0, 10.0)),
                ],
                &[("seconds", seconds())],
            ),
        ),
        Ability::TiltHead => (
            "Lean the head to a side and leave it there.",
            object(&[("side", side())], &[("degrees", number("how far", 0.0, 30.0)), ("seconds", seconds())]),
        ),
        Ability::TurnBody => (
            "Turn the whole body, the head with it, to an angle from the base's front.",
            object(
                &[("side", side())],
                &[("degrees", number("how far", 0.0, 160.0)), ("seconds", seconds())],
            ),
        ),
        Ability::RaiseHead => (
            "Raise the head, or lower it with a negative number.",
            object(&[], &[("millimetres", number("above neutral", -40.0, 20.0)), ("seconds", seconds())]),
        ),
        Ability::Nod => (
            "Nod the head, as a yes.",
            object(&[], &[("times", times()), ("degrees", number("how deep", 2.0, 25.0))]),
        ),
        Ability::ShakeHead => (
            "Shake the head, as a no.",
            object(&[], &[("times", times()), ("degrees", number("how far", 2.0, 25.0))]),
        ),
        Ability::WiggleAntennas => ("Wiggle both antennas.", object(&[], &[("times", times())])),
        Ability::SetAntennas => (
            "Put the antennas at angles; zero points up, positive leans outwards.",
            object(
                &[],
                &[
                    ("right_degrees", number("the right antenna", -170.0, 170.0)),
                    ("left_degrees", number("the left antenna", -170.0, 170.0)),
                    ("seconds", seconds()),
                ],
            ),
        ),
        Ability::Dance => ("Dance on the spot.", object(&[], &[("seconds", number("how long", 2.0, 60.0))])),
        Ability::Center => ("Bring head, body and antennas back to neutral.", object(&[], &[])),
        Ability::WakeUp => ("Wake up: switch the motors on and raise the head.", object(&[], &[])),
        Ability::GotoSleep => ("Go to sleep: lay the head down.", object(&[], &[])),
        Ability::Wait => {
            ("Do nothing for a while.", object(&[("seconds", number("how long", 0.0, 300.0))], &[]))
        }
        Ability::ReportState => ("Tell where head and body are, and how the motors are.", object(&[], &[])),
        Ability::TakeImage => (
            "Take a picture with the camera and tell which people and things are seen where.",
            object(&[], &[]),
        ),
        Ability::FindObjects => {
            ("Tell how many of one kind are seen, and where.", object(&[("thing", thing())], &[]))
        }
        Ability::LookAtObject => {
            ("Look round for one of a kind and turn the head to it.", object(&[("thing", thing())], &[]))
        }
        Ability::FollowPerson => (
            "Follow a person's face with the head, until the time is over or stop is said.",
            object(&[], &[("seconds", number("how long", 1.0, vision_intent::MAX_WATCH_TIME.as_secs_f64()))]),
        ),
        Ability::WatchForNew => (
            "Look out until something new is seen, or the time is over.",
            object(&[], &[("seconds", number("how long", 1.0, vision_intent::MAX_WATCH_TIME.as_secs_f64()))]),
        ),
        Ability::AnswerFromFiles => (
            "Answer a question about files or kept data that the person named, by code: numbers, tables, plots.",
            object(
                &[
                    ("question", text("the question, with every detail")),
                    (
                        "files",
                        json!({"type": "array", "items": choice("a file or kept data", data), "maxItems": 8}),
                    ),
                ],
                &[],
            ),
        ),
        Ability::ListGeneratedTools => ("List the tools that there are.", object(&[], &[])),
        Ability::GetToolCode => {
            ("Get the Python code of a tool.", object(&[("name", choice("the tool", tools))], &[]))
        }
        Ability::ExecFunction => (
            "Run a tool by its name.",
            object(&[("name", choice("the tool", tools)), ("arguments", json!({"type": "object"}))], &[]),
        ),
        Ability::CreateFunction => (
            "Have a new Python tool written, when no tool and no other function does what is needed.",
            object(
                &[
                    ("name", text("a Python identifier, such as peek_left")),
                    ("specification", text("what it does, step by step, with angles, counts and seconds")),
                ],
                &[],
            ),
        ),
        Ability::CreateTestCases => (
            "Have test cases written for a new tool, from its specification alone.",
            object(&[("name", text("the new tool"))], &[]),
        ),
        Ability::TestFunction => (
            "Read a new tool by the rules and rehearse it on the simulated robot.",
            object(&[("name", text("the new tool"))], &[]),
        ),
        Ability::SaveFunction => (
            "Keep a new tool that has passed its tests, so that it can be run.",
            object(&[("name", text("the new tool"))], &[]),
        ),
        Ability::CreateAssistant => (
            "Create another agent, with instructions and functions that you have yourself.",
            object(
                &[
                    ("name", text("an identifier")),
                    ("purpose", text("what it is for, in one sentence")),
                    ("instructions", text("how it should work")),
                    ("functions", json!({"type": "array", "items": {"type": "string"}})),
                ],
                &[],
            ),
        ),
        Ability::HandOff => (
            "Give a task to another agent, who has functions that you do not have.",
            object(&[("agent", choice("who", others)), ("task", text("what to do, with all details"))], &[]),
        ),
        Ability::AskPerson => (
            "Ask the person one question, when the request can't be understood without the answer.",
            object(&[("question", text("the question"))], &[]),
        ),
        Ability::UpdatePlan => (
            "Note how a step of the plan went.",
            object(
                &[
                    ("step", json!({"type": "integer", "minimum": 1, "maximum": 30})),
                    ("status", json!({"type": "string", "enum": ["done", "failed", "skipped"]})),
                ],
                &[("note", text("what came of it"))],
            ),
        ),
    }
}

fn number(description: &str, least: f64, most: f64) -> Value {
    json!({"type": "number", "description": description, "minimum": least, "maximum": most})
}

/// Returns the schema of a name out of `names`. Without names any text is allowed, so that the schema has one
/// shape.
fn choice(description: &str, names: &[String]) -> Value {
    if names.is_empty() {
        json!({"type": "string", "description": description})
    } else {
        json!({"type": "string", "description": description, "enum": names})
    }
}

fn object(required: &[(&str, Value)], optional: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> =
        required.iter().chain(optional).map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    let required: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn read(name: &str, arguments: Value) -> Result<String, String> {
        let ability = Ability::named(name).unwrap();
        let arguments = arguments.as_object().cloned().unwrap();
        let (others, tools, data) = (["vision".into()], ["greet".into()], ["joints.csv".into()]);
        let within = AgentScope { others: &others, tools: &tools, data: &data };
        ability.read(&arguments, within).map(|action| action.describe())
    }

    #[test]
    fn each_function_has_a_unique_name_and_a_strict_schema() {
        let names: BTreeSet<String> = Ability::ALL.into_iter().map(Ability::name).collect();
        assert_eq!(names.len(), Ability::ALL.len());
        for ability in Ability::ALL {
            assert_eq!(Ability::named(&ability.name()), Some(ability));
            let function = ability.function(AgentScope::default());
            assert_eq!(function.parameters["additionalProperties"], false, "{}", function.name);
            assert!(!function.description.is_empty());
        }
        for (old, new) in [("go_to_sleep", "goto_sleep"), ("hand_over", "hand_off")] {
            let read: Ability = serde_json::from_value(json!(old)).unwrap();
            assert_eq!(read.name(), new);
        }
        assert!(serde_json::from_value::<Ability>(json!("sudo")).is_err());
        // The functions by which a model may extend the system.
        for name in [
            "create_function",
            "create_test_cases",
            "test_function",
            "save_function",
            "list_generated_tools",
            "get_tool_code",
            "create_assistant",
            "exec_function",
        ] {
            assert!(Ability::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn calls_are_read_with_the_defaults_and_ranges_of_commands() {
        let cases = [
            ("look", json!({"direction": "left", "degrees": 30}), "look left 30 deg"),
            ("look", json!({"direction": "ahead", "degrees": null}), "look ahead"),
            ("turn_body", json!({"side": "right", "degrees": 90}), "turn the body right 90 deg"),
            ("raise_head", json!({"millimetres": -20}), "lower the head 20 mm"),
            ("nod", json!({"times": 3}), "nod 3 times"),
            ("tilt_head", json!({"side": "left"}), "tilt the head left 15 deg"),
            ("exec_function", json!({"name": "greet", "arguments": {}}), "run greet"),
            (
                "answer_from_files",
                json!({"question": "how many rows?", "files": ["joints.csv"]}),
                "read joints.csv for: how many rows?",
            ),
        ];
        for (name, arguments, meant) in cases {
            assert_eq!(read(name, arguments).as_deref(), Ok(meant));
        }
        let refused = [
            ("look", json!({"direction": "sideways"}), "left"),
            ("look", json!({"direction": "up", "degrees": 50}), "35"),
            ("look", json!({"direction": "left", "speed": 3}), "speed"),
            ("nod", json!({"times": 2.5}), "times"),
            ("exec_function", json!({"name": "delete_all", "arguments": {}}), "greet"),
            ("answer_from_files", json!({"question": "q", "files": ["/etc/passwd"]}), "joints.csv"),
            ("set_antennas", json!({}), "right_degrees"),
            ("create_function", json!({"name": "import", "specification": "x"}), "name"),
            (
                "create_assistant",
                json!({"name": "x_agent", "purpose": "p", "instructions": "i", "functions": ["sudo"]}),
                "sudo",
            ),
        ];
        for (name, arguments, word) in refused {
            let complaint = read(name, arguments).unwrap_err();
            assert!(complaint.contains(word), "{complaint}");
        }
    }
}
