//! Old field and event names of the HTTP API below `/api/v1`, each with the name that replaced it.
//!
//! [`DOCUMENTS`] lists the renamed fields of every JSON document by its route, as a tree that follows the document. Arrays
//! are transparent: the fields of an array are those of each of its elements. [`add_names`] makes a response carry both
//! names, [`read_names`] lets a request use either. A subtree that is not listed is never touched, so values that a tool
//! returned stay as they are.

use std::fmt;

use serde_json::{Map, Value};

/// A field with its names.
#[derive(Debug, PartialEq)]
pub struct Field {
    /// The name since the rename; the same as `old` where only fields inside it were renamed.
    pub new: &'static str,
    /// The name before.
    pub old: &'static str,
    /// The values that were renamed with it, each as new and old.
    pub values: &'static [(&'static str, &'static str)],
    /// The renamed fields inside it.
    pub fields: &'static [Field],
}

const fn renamed(new: &'static str, old: &'static str) -> Field {
    Field { new, old, values: &[], fields: &[] }
}

const fn renamed_with(new: &'static str, old: &'static str, fields: &'static [Field]) -> Field {
    Field { new, old, values: &[], fields }
}

const fn within(name: &'static str, fields: &'static [Field]) -> Field {
    renamed_with(name, name, fields)
}

/// What the robot does.
const MOTION_STATE: Field = Field {
    new: "motion_state",
    old: "doing",
    values: &[
        ("holding", "holding"),
        ("moving", "playing"),
        ("stopping", "braking"),
        ("torque_off", "limp"),
        ("hand_guiding", "led"),
        ("stowing", "stowing"),
    ],
    fields: &[],
};
const CYCLES: Field = renamed("cycles", "beats");
const CLAMPS: Field = renamed_with("clamps", "trims", &[CYCLES]);
const STEPS: Field = within("steps", &[CLAMPS, renamed("error", "refusal")]);
/// A rehearsal and a run have these.
const STATUS: Field = renamed("status", "ended");
const STDOUT: Field = renamed("stdout", "printed");
const DURATION: Field = renamed("duration_s", "took_s");
/// The result of a run.
const RUN: Field = renamed_with(
    "run",
    "performance",
    &[STATUS, STDOUT, DURATION, renamed("stalls", "slips"), CLAMPS, STEPS],
);
const ACCEPTED: Field = renamed("accepted", "admitted");
const PHASE: Field = renamed("phase", "stage");
/// The answer to a sentence.
const REPLY: &[Field] = &[STEPS, within("tool", &[RUN])];

/// The renamed fields of one JSON document.
#[derive(Debug, PartialEq)]
pub struct Document {
    /// The route, as in `GET /api/v1/state`; of a WebSocket that of the handshake.
    pub route: &'static str,
    /// Its renamed fields.
    pub fields: &'static [Field],
}

/// The response of `GET /health`.
pub const HEALTH: Document = Document {
    route: "GET /health",
    fields: &[
        CYCLES,
        renamed("overruns", "late_beats"),
        within("last_fault", &[renamed("message", "says"), renamed("count", "times")]),
        renamed_with(
            "control_loop",
            "pulse",
            &[
                CYCLES,
                renamed("wakeup_latency", "lateness"),
                renamed("cycle_time", "work"),
                renamed("scheduling", "privilege"),
            ],
        ),
    ],
};

/// The response of `GET /api/v1/state`.
pub const STATE: Document = Document {
    route: "GET /api/v1/state",
    fields: &[
        MOTION_STATE,
        renamed("control_mode", "control"),
        within("joints", &[renamed("freshness", "reading")]),
        CLAMPS,
        CYCLES,
    ],
};

/// The response of `GET /api/v1/limits`.
pub const LIMITS: Document = Document {
    route: "GET /api/v1/limits",
    fields: &[within(
        "joints",
        &[
            renamed("min_deg", "low_deg"),
            renamed("max_deg", "high_deg"),
            renamed("max_velocity_dps", "speed_dps"),
            renamed("max_acceleration_dps2", "acceleration_dps2"),
        ],
    )],
};

/// The response of `POST /api/v1/stop`.
pub const STOP: Document = Document { route: "POST /api/v1/stop", fields: &[MOTION_STATE, CYCLES] };

/// The text messages of `GET /api/v1/telemetry`: states, and replies to what the client sends. The replies to control
/// messages over `/api/v1/voice` are the same.
pub const TELEMETRY: Document =
    Document { route: "GET /api/v1/telemetry", fields: &[MOTION_STATE, CYCLES, renamed("reason", "why")] };

/// The response of `GET /api/v1/camera/detections`.
pub const DETECTIONS: Document = Document {
    route: "GET /api/v1/camera/detections",
    fields: &[
        renamed_with("objects", "things", &[renamed("bbox_xywh", "bounds"), renamed("position_m", "place")]),
        renamed("objects_unavailable_reason", "without"),
    ],
};

/// The response of `POST /api/v1/chat`.
pub const CHAT: Document = Document { route: "POST /api/v1/chat", fields: REPLY };

/// The response of `GET /api/v1/sessions`.
pub const SESSIONS: Document = Document {
    route: "GET /api/v1/sessions",
    fields: &[within(
        "sessions",
        &[
            renamed("created_at", "began"),
            renamed("last_used_at", "used"),
            renamed("turn_count", "turns"),
            renamed("first_message", "first"),
        ],
    )],
};

/// The response of `POST /api/v1/plans`.
pub const PLANS: Document = Document {
    route: "POST /api/v1/plans",
    fields: &[
        Field {
            new: "outcome",
            old: "follows",
            values: &[
                ("execute", "do"),
                ("stop", "stop"),
                ("ask_model", "think"),
                ("out_of_range", "refuse"),
                ("not_understood", "decline"),
            ],
            fields: &[],
        },
        renamed("message", "says"),
    ],
};

/// The result of a check.
const CHECKED: &[Field] = &[ACCEPTED, PHASE, within("cases", &[within("outcome", &[STATUS])])];

/// The response of `POST /api/v1/tools/check`.
pub const CHECK: Document = Document { route: "POST /api/v1/tools/check", fields: CHECKED };

/// The response of `POST /api/v1/tools`.
pub const ADD: Document = Document { route: "POST /api/v1/tools", fields: &[within("checked", CHECKED)] };

/// The response of `POST /api/v1/bundles`.
pub const IMPORT: Document =
    Document { route: "POST /api/v1/bundles", fields: &[within("checked", CHECKED)] };

/// The response of `POST /api/v1/tools/{name}/run`.
pub const TOOL_RUN: Document = Document { route: "POST /api/v1/tools/{name}/run", fields: &[RUN] };

/// The response of `POST /api/v1/tools/{name}/rehearse`.
pub const REHEARSE: Document =
    Document { route: "POST /api/v1/tools/{name}/rehearse", fields: &[STATUS, STDOUT, DURATION, CLAMPS] };

/// The response of `GET /api/v1/tools/search`.
pub const SEARCH: Document = Document {
    route: "GET /api/v1/tools/search",
    fields: &[
        renamed("semantic_available", "semantic"),
        renamed("unavailable_reason", "why_not"),
        within(
            "results",
            &[
                renamed("keyword_rank", "by_words"),
                renamed("semantic_rank", "by_meaning"),
                renamed("similarity", "likeness"),
            ],
        ),
    ],
};

/// The response of `GET /api/v1/lease`.
pub const LEASE_HOLDER: Document = Document {
    route: "GET /api/v1/lease",
    fields: &[renamed_with("holder", "lease", &[renamed("purpose", "for")])],
};

/// The response of `POST /api/v1/lease`.
pub const LEASE: Document = Document {
    route: "POST /api/v1/lease",
    fields: &[renamed("lease_id", "lease"), renamed("purpose", "for")],
};

/// The messages that the server sends over `GET /api/v1/lease/{id}/ws`.
pub const LEASE_SOCKET: Document = Document {
    route: "GET /api/v1/lease/{id}/ws",
    fields: &[MOTION_STATE, CYCLES, renamed("reason", "why")],
};

/// All responses with renamed fields.
pub const DOCUMENTS: &[&Document] = &[
    &HEALTH,
    &STATE,
    &LIMITS,
    &STOP,
    &TELEMETRY,
    &DETECTIONS,
    &CHAT,
    &SESSIONS,
    &PLANS,
    &CHECK,
    &ADD,
    &IMPORT,
    &TOOL_RUN,
    &REHEARSE,
    &SEARCH,
    &LEASE_HOLDER,
    &LEASE,
    &LEASE_SOCKET,
];

/// The request body of `POST /api/v1/lease`.
pub const LEASE_REQUEST: Document =
    Document { route: "POST /api/v1/lease", fields: &[renamed("purpose", "for")] };

/// All request bodies with renamed fields.
pub const REQUESTS: &[&Document] = &[&LEASE_REQUEST];

/// Renamed routes, each with its new and its old path.
pub const ROUTES: &[(&str, &str)] = &[("/api/v1/control_loop/reset_statistics", "/api/v1/pulse/measure")];

/// An event of a conversation, with its names.
#[derive(Debug, PartialEq)]
pub struct Event {
    /// The name since the rename.
    pub new: &'static str,
    /// The name before; the same where only fields were renamed.
    pub old: &'static str,
    /// Its renamed fields: of an event that has `data`, those in there.
    pub fields: &'static [Field],
}

/// The events of a streamed chat, whose fields are in `data`. A conversation by voice sends them, too.
pub const CHAT_EVENTS: &[Event] = &[
    Event { new: "step_started", old: "begun", fields: &[] },
    Event { new: "step_finished", old: "step", fields: &[STEPS] },
    Event { new: "check_progress", old: "checking", fields: &[PHASE] },
    Event { new: "check_finished", old: "checked", fields: &[ACCEPTED, PHASE] },
    Event { new: "reply", old: "reply", fields: REPLY },
];

/// The events that only a conversation by voice sends, whose fields stand beside the name.
pub const VOICE_EVENTS: &[Event] = &[
    Event { new: "partial_transcript", old: "partial", fields: &[] },
    Event {
        new: "transcript",
        old: "heard",
        fields: &[renamed("interpretation", "means"), renamed("doa_deg", "bearing_deg")],
    },
    Event { new: "ignored", old: "ignored", fields: &[renamed("reason", "why")] },
    Event { new: "stop", old: "stop", fields: &[renamed("detected_s", "known_s")] },
    Event { new: "speaking", old: "speaking", fields: &[renamed("duration_s", "lasts_s")] },
    Event { new: "interrupted", old: "cut", fields: &[] },
    Event { new: "error", old: "trouble", fields: &[] },
];

/// Which names the events of a conversation have. Their fields have both in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventNames {
    /// Those from before the rename, which clients get that ask for nothing else.
    #[default]
    Old,
    /// Those since the rename.
    New,
}

/// Adds the missing one of both names wherever a document has one of them.
pub fn add_names(fields: &[Field], value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| add_names(fields, item)),
        Value::Object(map) => {
            for field in fields {
                let is_new = map.contains_key(field.new);
                let (present, missing) = if is_new { (field.new, field.old) } else { (field.old, field.new) };
                let Some(child) = map.get_mut(present) else { continue };
                add_names(field.fields, child);
                if present == missing {
                    continue;
                }
                let child = match child.as_str() {
                    Some(text) => field.translated(text, is_new).into(),
                    None => child.clone(),
                };
                map.insert(missing.into(), child);
            }
        }
        _ => {}
    }
}

impl Field {
    /// A value in the words of the other name.
    fn translated<'a>(&'a self, text: &'a str, to_old: bool) -> &'a str {
        let pairs = self.values.iter().map(|&(new, old)| if to_old { (new, old) } else { (old, new) });
        pairs.into_iter().find_map(|(from, to)| (from == text).then_some(to)).unwrap_or(text)
    }
}

/// Replaces the new names of a document by the old ones, for an interface whose names never change.
pub fn restore_names(fields: &[Field], value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| restore_names(fields, item)),
        Value::Object(map) => {
            let renamed = std::mem::take(map).into_iter().map(|(name, mut child)| {
                let Some(field) = fields.iter().find(|field| field.new == name) else { return (name, child) };
                restore_names(field.fields, &mut child);
                if let Some(text) = child.as_str() {
                    child = field.translated(text, true).into();
                }
                (field.old.to_owned(), child)
            });
            *map = renamed.collect();
        }
        _ => {}
    }
}

/// A request that has both names of a field, with different values.
#[derive(Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The name since the rename.
    pub new: &'static str,
    /// The name before.
    pub old: &'static str,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contradiction { new, old } = self;
        write!(f, "`{new}` and `{old}` differ: they are two names of one field; send `{new}` only")
    }
}

impl std::error::Error for Contradiction {}

/// Replaces the old names of a request by the new ones.
///
/// # Errors
/// [`Contradiction`] when both names of a field are there, with different values.
pub fn read_names(fields: &[Field], request: &mut Map<String, Value>) -> Result<(), Contradiction> {
    for Field { new, old, .. } in fields {
        let Some(value) = request.shift_remove(*old) else { continue };
        if *request.entry(*new).or_insert_with(|| value.clone()) != value {
            return Err(Contradiction { new, old });
        }
    }
    Ok(())
}

/// Adds the missing names to the fields of an event, and gives the event the name that its reader understands.
pub fn name_event(value: &mut Value, names: EventNames) {
    let Some(name) = value.get("event").and_then(Value::as_str) else { return };
    // An event of a chat has `data`; one of the voice may have the same name, and has none.
    let is_chat = value.get("data").is_some();
    let events = if is_chat { CHAT_EVENTS } else { VOICE_EVENTS };
    let Some(event) = events.iter().find(|event| event.new == name || event.old == name) else { return };
    let name = match names {
        EventNames::Old => event.old,
        EventNames::New => event.new,
    };
    if let Some(position) = value.get_mut("event") {
        *position = name.into();
    }
    match value.get_mut("data") {
        Some(data) => add_names(event.fields, data),
        None => add_names(event.fields, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A document with these fields, by their new or their old names.
    fn sample(fields: &[Field], is_new: bool) -> Value {
        let mut map = Map::new();
        for field in fields {
            let value = match (field.values, field.fields) {
                ([.., (new, old)], _) => json!(if is_new { new } else { old }),
                (_, []) => json!(1),
                (_, inner) => json!([sample(inner, is_new)]),
            };
            map.insert((if is_new { field.new } else { field.old }).into(), value);
        }
        map.into()
    }

    fn has_both(fields: &[Field], value: &Value) -> bool {
        fields.iter().all(|field| {
            let (new, old) = (&value[field.new], &value[field.old]);
            let same = match new.as_str() {
                Some(text) => old == field.translated(text, true),
                None => new == old,
            };
            same && !new.is_null() && (field.fields.is_empty() || has_both(field.fields, &new[0]))
        })
    }

    #[test]
    fn adds_the_other_name_of_every_field_in_the_table() {
        let events = CHAT_EVENTS.iter().chain(VOICE_EVENTS).map(|event| (event.new, event.fields));
        for (name, fields) in DOCUMENTS.iter().map(|document| (document.route, document.fields)).chain(events)
        {
            let mut from_new = sample(fields, true);
            let mut from_old = sample(fields, false);
            add_names(fields, &mut from_new);
            add_names(fields, &mut from_old);
            assert!(has_both(fields, &from_new) && from_new == from_old, "{name}: {from_new} {from_old}");
        }
    }

    #[test]
    fn leaves_everything_alone_that_is_not_listed() {
        let mut ran = json!({ "performance": { "value": { "printed": 1, "trims": 2 }, "printed": "a" } });
        add_names(TOOL_RUN.fields, &mut ran);
        assert_eq!(ran["run"]["value"], json!({ "printed": 1, "trims": 2 }));
        assert_eq!((&ran["run"]["stdout"], &ran["performance"]["stdout"]), (&json!("a"), &json!("a")));
    }

    #[test]
    fn restores_the_old_names_and_values() {
        let mut state = sample(STATE.fields, true);
        restore_names(STATE.fields, &mut state);
        assert_eq!(state, sample(STATE.fields, false));
    }

    #[test]
    fn reads_either_name_and_rejects_two_values() {
        for document in REQUESTS {
            for field in document.fields {
                let read = |mut given: Value| {
                    let map = given.as_object_mut().unwrap();
                    read_names(document.fields, map).map(|()| map.clone())
                };
                let expected = json!({ field.new: 1 });
                assert_eq!(read(json!({ field.old: 1 })).as_ref().ok(), expected.as_object());
                assert_eq!(read(json!({ field.new: 1 })).as_ref().ok(), expected.as_object());
                assert_eq!(read(json!({ field.old: 1, field.new: 1 })).as_ref().ok(), expected.as_object());
                let error = read(json!({ field.old: 1, field.new: 2 })).unwrap_err().to_string();
                assert!(error.contains(field.old) && error.contains(field.new), "{error}");
            }
        }
    }

    #[test]
    fn names_events_as_the_client_asks() {
        let step = json!({ "event": "step", "data": { "steps": [{ "refusal": "no", "trims": [] }] } });
        let mut old = step.clone();
        name_event(&mut old, EventNames::Old);
        assert_eq!((&old["event"], &old["data"]["steps"][0]["error"]), (&json!("step"), &json!("no")));
        let mut new = step;
        name_event(&mut new, EventNames::New);
        assert_eq!(
            (&new["event"], &new["data"]["steps"][0]["refusal"]),
            (&json!("step_finished"), &json!("no"))
        );
        // An error of the chat ends a sentence; one of the voice is called `trouble` by its old name.
        let mut error = json!({ "event": "error", "data": { "detail": "no" } });
        name_event(&mut error, EventNames::Old);
        assert_eq!(error["event"], "error");
    }
}
