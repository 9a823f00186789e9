//! Renamed fields of the HTTP API: a served robot sends each under both names and accepts either.

use std::collections::BTreeSet;
use std::io::BufRead;

use minismith_protocol::old_names::http::{
    ADD, CHAT, CHAT_EVENTS, CHECK, DETECTIONS, DOCUMENTS, Document, Field, HEALTH, IMPORT, LEASE,
    LEASE_HOLDER, LEASE_SOCKET, LIMITS, PLANS, REHEARSE, REQUESTS, ROUTES, SEARCH, SESSIONS, STATE, STOP,
    TELEMETRY, TOOL_RUN,
};
use minismith_tests::TestDir;
use serde_json::{Value, json};
use tungstenite::Message;

use super::server_fixture::{Served, Socket};

/// A tool that moves faster than the envelope permits, so that it is clamped, and prints.
const JUMP: &str = r#"from reachy_mini import ReachyMini


def jump(robot: ReachyMini, times: int = 1) -> int:
    """Jump with the antennas.

    Args:
        robot: The robot.
        times: How often, between 1 and 3.

    Returns:
        How often.
    """
    for _ in range(times):
        robot.goto_target(antennas=[1.0, -1.0], duration=0.15)
        robot.goto_target(antennas=[0.0, 0.0], duration=0.15)
    print("jumped")
    return times
"#;

/// Fields that a healthy robot may omit. The unit tests of the table cover them.
const ABSENT: [&str; 6] = [
    "GET /health last_fault.message",
    "GET /health last_fault.count",
    "GET /api/v1/camera/detections objects.bbox_xywh",
    "GET /api/v1/camera/detections objects.position_m",
    "GET /api/v1/tools/search unavailable_reason",
    "POST /api/v1/chat steps.clamps.cycles",
];

/// The fields found so far under both names.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    fn check(&mut self, document: &Document, response: &Value) {
        self.fields(document.route, "", document.fields, response);
    }

    fn fields(&mut self, route: &str, path: &str, fields: &[Field], value: &Value) {
        if let Value::Array(items) = value {
            return items.iter().for_each(|item| self.fields(route, path, fields, item));
        }
        let Value::Object(map) = value else { return };
        for field in fields {
            let path = if path.is_empty() { field.new.to_owned() } else { format!("{path}.{}", field.new) };
            let (new, old) = (map.get(field.new), map.get(field.old));
            assert_eq!(new.is_some(), old.is_some(), "{route} {path}: one name is missing in {value}");
            let (Some(new), Some(old)) = (new, old) else { continue };
            let renamed = field.values.iter().find(|(name, _)| new == name);
            match renamed {
                Some((_, name)) => assert_eq!(old, name, "{route} {path}"),
                None => {
                    assert!(field.values.is_empty(), "{route} {path}: {new} is not in the table");
                    assert_eq!(new, old, "{route} {path}");
                }
            }
            self.fields(route, &path, field.fields, new);
            self.0.insert(format!("{route} {path}"));
        }
    }
}

fn paths(route: &str, path: &str, fields: &[Field], all: &mut BTreeSet<String>) {
    for field in fields {
        let path = if path.is_empty() { field.new.to_owned() } else { format!("{path}.{}", field.new) };
        paths(route, &path, field.fields, all);
        all.insert(format!("{route} {path}"));
    }
}

fn text(socket: &mut Socket) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

fn served() -> Served {
    let served = Served::on(TestDir::configured("memory: {file: sessions.sqlite}\n"));
    let (status, added) = served.post("/api/v1/tools", &json!({ "code": JUMP }));
    assert_eq!(status, 201, "{added}");
    served
}

#[test]
fn responses_have_both_names_of_every_renamed_field() {
    let served = served();
    let mut seen = Seen::default();
    let post = |path: &str, body: Value| {
        let (status, response) = served.post(path, &body);
        assert!(status == 200 || status == 201, "{path}: {status} {response}");
        response
    };
    seen.check(&HEALTH, &served.value("/health"));
    seen.check(&LIMITS, &served.value("/api/v1/limits"));
    seen.check(&CHECK, &post("/api/v1/tools/check", json!({ "code": JUMP })));
    seen.check(&ADD, &post("/api/v1/tools", json!({ "code": JUMP })));
    // The file is JSON text, of which each byte counts.
    let (_, bundle) = served.response("POST /api/v1/tools/jump/export", "{}");
    let (status, imported) = served.ask("POST /api/v1/bundles", std::str::from_utf8(&bundle).unwrap());
    assert_eq!(status, 201, "{imported}");
    seen.check(&IMPORT, &imported);
    seen.check(&REHEARSE, &post("/api/v1/tools/jump/rehearse", json!({})));
    let ran = post("/api/v1/tools/jump/run", json!({}));
    assert_eq!(
        (&ran["run"]["status"], &ran["run"]["stdout"]),
        (&json!("returned"), &json!("jumped\n")),
        "{ran}"
    );
    seen.check(&TOOL_RUN, &ran);
    seen.check(&CHAT, &post("/api/v1/chat", json!({ "text": "look left 20 degrees" })));
    seen.check(&CHAT, &post("/api/v1/chat", json!({ "text": "run jump", "session": "evening" })));
    seen.check(&SESSIONS, &served.value("/api/v1/sessions"));
    for text in ["nod", "stop", "look left 300 degrees", "make me a sandwich"] {
        seen.check(&PLANS, &post("/api/v1/plans", json!({ "text": text })));
    }
    seen.check(&SEARCH, &served.value("/api/v1/tools/search?text=jump"));
    seen.check(&STOP, &post("/api/v1/stop", json!({})));
    // Without models there are no detections.
    if let (200, found) = served.get("/api/v1/camera/detections") {
        seen.check(&DETECTIONS, &found);
    }

    let mut telemetry = served.socket("/api/v1/telemetry?rate=50");
    seen.check(&TELEMETRY, &text(&mut telemetry));
    telemetry.send(Message::text("hello")).unwrap();
    let refused =
        std::iter::from_fn(|| Some(text(&mut telemetry))).find(|reported| reported["type"] == "refused");
    seen.check(&TELEMETRY, &refused.unwrap());

    // A jump that the envelope clamps.
    let leap = json!({ "target_head_pose": null, "target_antennas": [2.5, -2.5], "target_body_yaw": null });
    post("/api/move/set_target", leap);
    let clamped = |state: &Value| state["clamps"].as_array().is_some_and(|clamps| !clamps.is_empty());
    seen.check(&STATE, &served.until("/api/v1/state", clamped));
    post("/api/v1/stop", json!({}));

    let lease = post("/api/v1/lease", json!({ "purpose": "test", "heartbeat_ms": 5000 }));
    seen.check(&LEASE, &lease);
    seen.check(&LEASE_HOLDER, &served.value("/api/v1/lease"));
    let mut steering = served.socket(&format!("/api/v1/lease/{}/ws", lease["lease_id"].as_str().unwrap()));
    for message in [r#"{"type": "heartbeat"}"#, "{}"] {
        steering.send(Message::text(message)).unwrap();
        seen.check(&LEASE_SOCKET, &text(&mut steering));
    }

    let mut all = BTreeSet::new();
    DOCUMENTS.iter().for_each(|document| paths(document.route, "", document.fields, &mut all));
    let missing: Vec<&String> = all
        .difference(&seen.0)
        .filter(|path| !ABSENT.contains(&path.as_str()) && !path.starts_with(DETECTIONS.route))
        .collect();
    assert!(missing.is_empty(), "no response shows {missing:#?}");
}

#[test]
fn requests_may_use_either_name() {
    let served = served();
    let release = |lease: &Value| {
        let id = lease["lease"].as_str().unwrap();
        assert_eq!(served.ask(&format!("DELETE /api/v1/lease/{id}"), "").0, 200);
    };
    let [lease] = REQUESTS else { panic!("another request was renamed: add it here") };
    for field in lease.fields {
        for body in [
            json!({ field.new: "test" }),
            json!({ field.old: "test" }),
            json!({ field.new: "test", field.old: "test" }),
        ] {
            let (status, lease) = served.post("/api/v1/lease", &body);
            assert_eq!(
                (status, &lease[field.new], &lease[field.old]),
                (201, &json!("test"), &json!("test")),
                "{body}"
            );
            release(&lease);
        }
        let (status, refused) =
            served.post("/api/v1/lease", &json!({ field.new: "one", field.old: "other" }));
        let detail = refused["detail"].as_str().unwrap();
        assert!(
            status == 400 && detail.contains(field.new) && detail.contains(field.old),
            "{status} {refused}"
        );
    }
    let (status, refused) = served.post("/api/v1/lease", &json!({ "for": 7 }));
    assert_eq!((status, &refused["detail"][0]["loc"]), (422, &json!(["body", "purpose"])), "{refused}");
    for (new, old) in ROUTES {
        let (new, old) = (served.post(new, &json!({})), served.post(old, &json!({})));
        assert!(new.0 == 200 && new == old, "{new:?} {old:?}");
    }
}

#[test]
fn events_have_the_names_that_the_client_asks_for() {
    let served = served();
    // A second robot knows no similar tool, so that it asks no question.
    let other = self::served();
    let events = |served: &Served, query: &str, text: &str| -> Vec<(String, Value)> {
        let body = json!({ "text": text, "stream": true }).to_string();
        let stream = served.begin(&format!("POST /api/v1/chat{query}"), &body);
        let lines: Vec<String> = stream.lines().map(Result::unwrap).collect();
        let names = lines.iter().filter_map(|line| line.strip_prefix("event: ").map(ToOwned::to_owned));
        let data = lines.iter().filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok());
        names.zip(data).collect()
    };
    let names = |events: &[(String, Value)]| -> Vec<String> {
        events
            .iter()
            .inspect(|(name, data)| assert_eq!(&data["event"], name))
            .map(|(name, _)| name.clone())
            .collect()
    };
    let text = "make a tool called happy_hello that nods three times, then run it";
    let old = events(&served, "", text);
    let new = events(&other, "?events=2", text);
    assert_eq!(names(&events(&served, "?events=1", "nod")), names(&events(&served, "", "nod")));
    let renamed: Vec<String> = names(&old)
        .iter()
        .map(|name| {
            CHAT_EVENTS.iter().find(|event| event.old == name).map_or(name.clone(), |event| event.new.into())
        })
        .collect();
    let without_progress = |names: Vec<String>| -> Vec<String> {
        names.into_iter().filter(|name| name != "check_progress").collect()
    };
    assert_eq!(without_progress(names(&new)), without_progress(renamed));
    let mut seen = Seen::default();
    for (name, reported) in old.iter().chain(&new) {
        let known = CHAT_EVENTS.iter().find(|event| event.old == name || event.new == name);
        if let Some(event) = known {
            seen.fields(event.new, "", event.fields, &reported["data"]);
            seen.0.insert(event.new.into());
        }
    }
    for event in CHAT_EVENTS {
        assert!(seen.0.contains(event.new), "no `{}` among {:?}", event.new, names(&old));
    }
    assert_eq!(served.post("/api/v1/chat?events=3", &json!({ "text": "nod" })).0, 422);
}

/// Adds the object schemas that a schema consists of to `found`.
fn objects<'a>(api: &'a Value, schema: &'a Value, found: &mut Vec<&'a Value>) {
    if let Some(target) = schema["$ref"].as_str() {
        return objects(api, api.pointer(target.trim_start_matches('#')).unwrap(), found);
    }
    if schema["properties"].is_object() {
        found.push(schema);
    }
    if schema["items"].is_object() {
        objects(api, &schema["items"], found);
    }
    for kind in ["allOf", "oneOf", "anyOf"] {
        schema[kind].as_array().into_iter().flatten().for_each(|part| objects(api, part, found));
    }
}

fn described(api: &Value, schema: &Value, fields: &[Field], position: &str) {
    let mut found = Vec::new();
    objects(api, schema, &mut found);
    // Free-form objects have no properties.
    if found.is_empty() {
        return;
    }
    for field in fields {
        let property =
            |name: &str| found.iter().map(|object| &object["properties"][name]).find(|it| !it.is_null());
        let position = format!("{position} {}", field.new);
        // The result of a rehearsal is free-form.
        if position == format!("{} status", REHEARSE.route) {
            continue;
        }
        let new = property(field.new).unwrap_or_else(|| panic!("{position} is not described"));
        let old = property(field.old).unwrap_or_else(|| panic!("{position}: {} is not described", field.old));
        if field.new != field.old {
            assert!(new["deprecated"].is_null() && old["deprecated"] == true, "{position}: {new} {old}");
        }
        described(api, new, field.fields, &position);
    }
}

#[test]
fn the_document_describes_both_names() {
    let served = served();
    let api = served.value("/api/v1/openapi.json");
    let mut count = 0;
    for document in DOCUMENTS {
        let (method, path) = document.route.split_once(' ').unwrap();
        let responses = &api["paths"][path][method.to_lowercase()]["responses"];
        let schemas =
            ["200", "201"].map(|status| &responses[status]["content"]["application/json"]["schema"]);
        // A WebSocket has no schema.
        if let Some(schema) = schemas.into_iter().find(|schema| !schema.is_null()) {
            described(&api, schema, document.fields, document.route);
            count += 1;
        }
    }
    assert_eq!(count, DOCUMENTS.len() - 2, "the two WebSockets are not described by schemas");
    let request =
        &api["paths"]["/api/v1/lease"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    described(&api, request, REQUESTS[0].fields, "request");
    for (_, old) in ROUTES {
        assert_eq!(api["paths"][old]["post"]["deprecated"], true);
    }
}
