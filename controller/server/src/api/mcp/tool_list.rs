//! The tools that MCP clients may call: the robot's motions, a few other actions, and the registered tools.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};

use minismith_analysis::manifest::Capability;
use minismith_assistant::agents::agent_function::{Ability, AgentScope, Callable};
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::registry::Entry;

/// The robot's motions, and whether each is idempotent.
const MOTIONS: [(Ability, bool); 13] = [
    (Ability::Look, true),
    (Ability::LookAt, true),
    (Ability::TiltHead, true),
    (Ability::TurnBody, true),
    (Ability::RaiseHead, true),
    (Ability::SetAntennas, true),
    (Ability::Center, true),
    (Ability::Nod, false),
    (Ability::ShakeHead, false),
    (Ability::WiggleAntennas, false),
    (Ability::Dance, false),
    // Both move there and back.
    (Ability::WakeUp, false),
    (Ability::GotoSleep, false),
];

/// The action of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolAction {
    /// A motion.
    Move(Ability),
    /// Reports the state.
    ReportState,
    /// Takes an image.
    TakeImage,
    /// Stops the robot at once.
    Stop,
    /// Executes a sentence.
    Say,
    /// Creates a tool.
    CreateTool,
    /// Runs a registered tool, by its name in the registry.
    Run(String),
}

/// A tool that may be called.
#[derive(Clone, Debug)]
pub(super) struct ExposedTool {
    /// Its action.
    pub(super) action: ToolAction,
    /// The minimum role for calling it.
    pub(super) min_role: Role,
    /// Its description for clients.
    pub(super) tool: Tool,
}

/// The hints of the protocol about a tool's effects.
#[derive(Clone, Copy)]
struct Hints {
    /// It is read-only.
    only_reads: bool,
    /// It is idempotent.
    is_idempotent: bool,
    /// It interacts with the world outside this machine, such as the camera's view or a model's server.
    is_open: bool,
}

const READING: Hints = Hints { only_reads: true, is_idempotent: true, is_open: false };
const ACTING: Hints = Hints { only_reads: false, is_idempotent: false, is_open: false };

impl ExposedTool {
    fn new(does: ToolAction, least: Role, tool: (&str, &str), schema: Value, hints: Hints) -> Self {
        let (name, description) = tool;
        let annotations = ToolAnnotations::with_title(title(name))
            .read_only(hints.only_reads)
            // None of them is destructive: motions can be reversed, and old versions stay.
            .destructive(false)
            .idempotent(hints.is_idempotent)
            .open_world(hints.is_open);
        let tool = Tool::new(name.to_owned(), description.to_owned(), object(schema))
            .with_title(title(name))
            .annotate(annotations);
        ExposedTool { action: does, min_role: least, tool }
    }

    /// Adds the output schema of a reply.
    fn replying(self) -> Self {
        let tool = self.tool.with_raw_output_schema(object(json!({
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "what came of it, in words"},
                "outcome": {"type": "string", "enum": ["done", "not_understood", "refused", "stopped", "failed"]},
                "steps": {
                    "type": "array",
                    "description": "motion by motion: what was requested, achieved, trimmed and refused",
                    "items": {"type": "object"},
                },
            },
            "required": ["text", "outcome", "steps"],
        })));
        ExposedTool { tool, ..self }
    }
}

/// Returns the title of a name: `Look at` for `look_at`.
fn title(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.trim().chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

fn object(schema: Value) -> Arc<Map<String, Value>> {
    Arc::new(match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    })
}

/// Returns the tools that every robot has. `thinks` is whether a language model may interpret sentences.
pub(super) fn own(thinks: bool) -> Vec<ExposedTool> {
    let none = || json!({"type": "object", "properties": {}, "additionalProperties": false});
    let mut offers: Vec<ExposedTool> = MOTIONS
        .into_iter()
        .map(|(ability, is_idempotent)| {
            let function = ability.function(AgentScope::default());
            let reported = (&*function.name, &*function.description);
            let hints = Hints { is_idempotent, ..ACTING };
            ExposedTool::new(ToolAction::Move(ability), Role::Operator, reported, function.parameters, hints)
                .replying()
        })
        .collect();
    let state = (
        "report_state",
        "Tell where head, body, antennas and each motor are, what the robot is doing, and whether anything is wrong.",
    );
    let image = ("take_picture", "Take a picture with the camera in the robot's head.");
    let stop = (
        "stop",
        "Stop all motion at once, whoever began it, and tell where the robot came to rest. It waits for nobody's turn.",
    );
    let say = (
        "say",
        "Say a sentence to the robot in plain English, such as `nod twice, then look left 20 degrees`. For what no other \
         tool does.",
    );
    let create = (
        "create_tool",
        "Make a new tool for the robot out of Python code (`code`), or have it written from a description (`request`). It \
         is read by the safety policy and rehearsed on a simulated robot, and can be called afterwards unless something \
         refuses it: then the findings say what to change. The code is one public function with type hints and a \
         docstring that describes each parameter and its range; the tool is named after it. Its first parameter is the \
         robot of the official SDK, such as:\n\
         from reachy_mini import ReachyMini\n\
         from reachy_mini.utils import create_head_pose\n\n\
         def peek(robot: ReachyMini, degrees: float = 15.0) -> str:\n    \
         \"\"\"Look to the left and back.\n\n    \
         Args:\n        \
         robot: The robot.\n        \
         degrees: How far, between 5 and 30.\n\n    \
         Returns:\n        \
         What was done.\n    \
         \"\"\"\n    \
         robot.goto_target(head=create_head_pose(yaw=degrees), duration=0.8, body_yaw=None)\n    \
         robot.goto_target(head=create_head_pose(), duration=0.8, body_yaw=None)\n    \
         return \"peeked\"",
    );
    offers.extend([
        ExposedTool::new(ToolAction::ReportState, Role::Viewer, state, none(), READING),
        ExposedTool::new(ToolAction::TakeImage, Role::Viewer, image, none(), Hints { is_open: true, ..READING }),
        ExposedTool::new(ToolAction::Stop, Role::Viewer, stop, none(), Hints { is_idempotent: true, ..ACTING })
            .replying(),
        ExposedTool::new(
            ToolAction::Say,
            Role::Operator,
            say,
            json!({
                "type": "object",
                "properties": {
                    "text": {"type": "string", "description": "the sentence"},
                    "session": {"type": "string", "description": "the conversation to go on with; a new one without it"},
                },
                "required": ["text"],
                "additionalProperties": false,
            }),
            Hints { is_open: thinks, ..ACTING },
        )
        .replying(),
        ExposedTool::new(
            ToolAction::CreateTool,
            Role::Engineer,
            create,
            json!({
                "type": "object",
                "properties": {
                    "code": {"type": "string", "description": "the Python source"},
                    "request": {"type": "string", "description": "instead of code: what the tool does, step by step"},
                    "name": {"type": "string", "description": "the tool's name, beside `request`"},
                },
                "additionalProperties": false,
            }),
            Hints { is_open: thinks, ..ACTING },
        )
        .replying(),
    ]);
    offers
}

/// Returns the registered tools that clients may see. Their names are Python identifiers, so a hyphen keeps derived names
/// distinct from each other and from the robot's own tools.
pub(super) fn of_registry(entries: Vec<Entry>, own: &[ExposedTool]) -> Vec<ExposedTool> {
    entries.into_iter().flat_map(|entry| of_tool(entry, own)).collect()
}

fn of_tool(entry: Entry, own: &[ExposedTool]) -> Vec<ExposedTool> {
    let Entry { name, description, parameters, functions, capabilities, .. } = entry;
    let moves = capabilities.contains(&Capability::Motion)
        || capabilities.contains(&Capability::Motors)
        || capabilities.contains(&Capability::Sound)
        || capabilities.contains(&Capability::Exec);
    let sees = capabilities.contains(&Capability::Camera)
        || capabilities.contains(&Capability::Tracking)
        || capabilities.contains(&Capability::Microphone);
    let hints = Hints { is_open: sees, ..if moves { ACTING } else { READING } };
    let offer = |shown: String, run: String, description: &str, parameters: Value| {
        ExposedTool::new(ToolAction::Run(run), Role::Operator, (&shown, description), parameters, hints)
            .replying()
    };
    let is_taken = own.iter().any(|offer| offer.tool.name == name);
    let shown = if is_taken { format!("tool--{name}") } else { name.clone() };
    let mut offers = vec![offer(shown, name.clone(), &description, parameters)];
    // The name of a toolkit calls its first function.
    offers.extend(functions.into_iter().skip(1).map(|function| {
        let shown = format!("{name}-{}", function.name);
        let run = format!("{name}.{}", function.name);
        offer(shown, run, &function.description, function.parameters)
    }));
    offers
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn entry(name: &str, capabilities: &[Capability]) -> Entry {
        Entry {
            name: name.into(),
            version: 1,
            versions: vec![1],
            predefined: false,
            approved: false,
            active: true,
            quarantine: None,
            description: "does it".into(),
            is_own: true,
            capabilities: capabilities.iter().copied().collect(),
            parameters: json!({"type": "object"}),
            functions: Vec::new(),
        }
    }

    #[test]
    fn names_are_valid_and_unique() {
        let own = own(false);
        let entries = vec![entry("look", &[Capability::Motion]), entry("greet", &[])];
        let offers: Vec<ExposedTool> = own.iter().cloned().chain(of_registry(entries, &own)).collect();
        let names: BTreeSet<&str> = offers.iter().map(|offer| &*offer.tool.name).collect();
        assert_eq!(names.len(), offers.len());
        assert!(names.contains("tool--look") && names.contains("greet"), "{names:?}");
        for offer in &offers {
            let name = &offer.tool.name;
            assert!(name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)));
            assert_eq!(offer.tool.input_schema["type"], "object", "{name}");
            assert!(offer.tool.description.as_ref().is_some_and(|reported| !reported.is_empty()), "{name}");
        }
    }

    #[test]
    fn hints_and_roles_match_the_actions() {
        let own = own(true);
        let entries = vec![
            entry("mover", &[Capability::Motion]),
            entry("counter", &[Capability::Files]),
            entry("watcher", &[Capability::Camera]),
        ];
        let offers = own.iter().cloned().chain(of_registry(entries, &own));
        let reported: BTreeMap<String, (Role, [bool; 4])> = offers
            .map(|offer| {
                let hints = offer.tool.annotations.unwrap();
                let hints = [
                    hints.read_only_hint.unwrap(),
                    hints.destructive_hint.unwrap(),
                    hints.idempotent_hint.unwrap(),
                    hints.open_world_hint.unwrap(),
                ];
                (offer.tool.name.into_owned(), (offer.min_role, hints))
            })
            .collect();
        for (name, least, hints) in [
            ("report_state", Role::Viewer, [true, false, true, false]),
            ("take_picture", Role::Viewer, [true, false, true, true]),
            ("stop", Role::Viewer, [false, false, true, false]),
            ("look", Role::Operator, [false, false, true, false]),
            ("nod", Role::Operator, [false, false, false, false]),
            ("say", Role::Operator, [false, false, false, true]),
            ("create_tool", Role::Engineer, [false, false, false, true]),
            ("mover", Role::Operator, [false, false, false, false]),
            ("counter", Role::Operator, [true, false, true, false]),
            ("watcher", Role::Operator, [true, false, true, true]),
        ] {
            assert_eq!(reported[name], (least, hints), "{name}");
        }
    }
}
