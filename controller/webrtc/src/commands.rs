//! What a message on the data channel asks for ([`Request`]).
//!
//! The messages are those of the official daemon's data channel: JSON objects with a `type`. Most are also messages of the SDK's
//! WebSocket, and the controller gets them as they are. The data channel answers more of them than that WebSocket does, so the
//! others become requests to the controller's REST API. Nothing here acts.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::uploads::{Kind, UploadStep};

/// The longest message, bytes: a chunk of an upload in the official class has 12 KiB.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The duration of a move that gives none, seconds, as in the official daemon.
const DEFAULT_DURATION_S: f64 = 0.5;

/// The highest rate of an uploaded move, and the longest way to its beginning, seconds.
const MAX_PLAY_HZ: f64 = 100.0;
const MAX_INITIAL_GOTO_S: f64 = 10.0;

/// The longest time between the beginnings of a move and its sound, milliseconds, as in the official daemon.
const MAX_SOUND_LEAD_MS: f64 = 2000.0;

/// The collection of moves that is meant where none is named, as in the official daemon.
const DEFAULT_MOVES: &str = "pollen-robotics/reachy-mini-emotions-library";

/// The path that silences the sound of peers at the controller.
pub const CLEAR_SOUND_PATH: &str = "/api/media/clear_incoming_audio";

/// A request to the controller's REST API, and the response on the channel.
#[derive(Clone, Debug, PartialEq)]
pub struct RestRequest {
    /// `GET` or `POST`.
    pub method: &'static str,
    /// The path.
    pub path: String,
    /// The JSON body.
    pub body: Option<Value>,
    /// The response on success, to which the fields are added.
    pub reply: Value,
    /// Fields of the REST response, and their names on the channel.
    pub fields: &'static [(&'static str, &'static str)],
    /// The name under which the whole REST response is added.
    pub whole: Option<&'static str>,
}

/// What a message asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Passes a message on to the SDK's WebSocket and responds at once; it moves the robot if the peer may.
    Forward {
        /// The message.
        message: Value,
        /// The response.
        reply: Value,
    },
    /// Moves, and responds at the end.
    Goto {
        /// The id of the move.
        id: Uuid,
        /// The message for the SDK's WebSocket.
        message: Value,
    },
    /// Starts a move by the REST API, and responds at its end.
    Play {
        /// The command, which the response repeats.
        command: &'static str,
        /// The path.
        path: &'static str,
    },
    /// Stops the running move.
    Stop,
    /// Responds with the state.
    State,
    /// Starts or ends the stream of poses.
    PoseStream(bool),
    /// Responds with a field of the status.
    Status {
        /// The command that the response repeats, if it does.
        command: Option<&'static str>,
        /// Where the field is in the status, as a JSON pointer.
        pointer: &'static str,
        /// Its name in the response.
        name: &'static str,
    },
    /// Asks the REST API.
    Rest(RestRequest),
    /// A step of an upload, which has no response.
    Upload(Kind, UploadStep),
    /// Plays an uploaded move, and tells its start and its end.
    PlayUpload {
        /// The id of the upload.
        id: String,
        /// Targets per second.
        frequency_hz: f64,
        /// The duration of the way to its beginning, seconds; 0 for none.
        initial_goto_s: f64,
        /// How long before the motion its sound begins, seconds; below 0 after.
        sound_lead_s: f64,
    },
    /// Ends an uploaded move that plays.
    CancelUpload(String),
    /// Plays an uploaded sound, by its id.
    PlaySound(String),
    /// Ends an uploaded sound that plays.
    CancelSound(String),
    /// Responds with this.
    Reply(Value),
    /// Needs no response.
    Nothing,
}

/// Returns what a message asks for. A message that is none of the protocol gets a response that says so.
#[must_use]
pub fn understand(text: &str) -> Request {
    if text.len() > MAX_MESSAGE_BYTES {
        return Request::Reply(
            json!({ "error": format!("message too long: at most {MAX_MESSAGE_BYTES} bytes") }),
        );
    }
    let message = match serde_json::from_str::<Map<String, Value>>(text) {
        Ok(message) => message,
        Err(error) => return Request::Reply(json!({ "error": format!("Invalid command: {error}") })),
    };
    if message.get("jsonrpc").is_some() {
        return no_rpc(&message);
    }
    match message.get("type").and_then(Value::as_str).map(str::to_owned) {
        Some(command) => named(&command, message),
        None => Request::Reply(json!({ "error": "Invalid command: it has no `type`" })),
    }
}

/// The apps of the official daemon are driven by JSON-RPC; here they are not.
fn no_rpc(message: &Map<String, Value>) -> Request {
    match message.get("id") {
        Some(id) => Request::Reply(json!({ "jsonrpc": "2.0", "id": id,
            "error": { "code": -32601, "message": "not available: this server has no JSON-RPC methods" } })),
        None => Request::Nothing,
    }
}

fn named(command: &str, message: Map<String, Value>) -> Request {
    let ok = json!({ "status": "ok", "command": command });
    match command {
        "set_target"
        | "set_head_joints"
        | "set_body_yaw"
        | "set_antennas"
        | "set_full_target"
        | "set_speech_offsets"
        | "set_automatic_body_yaw" => Request::Forward { message: Value::Object(message), reply: ok },
        "start_recording" | "append_record" | "stop_recording" => recording(command, message),
        "set_head_tracking" => {
            let reply = with(ok, "enabled", message.get("enabled").cloned().unwrap_or_default());
            Request::Forward { message: Value::Object(message), reply }
        }
        "set_torque" if message.get("ids").is_some_and(Value::is_array) => {
            Request::Forward { message: Value::Object(message), reply: ok }
        }
        "set_torque" => motors(if is_on(&message, "on") { "enabled" } else { "disabled" }, ok),
        "set_gravity_compensation" => {
            motors(if is_on(&message, "enabled") { "gravity_compensation" } else { "enabled" }, ok)
        }
        "set_motor_mode" => match message.get("mode").and_then(Value::as_str) {
            Some(mode @ ("enabled" | "disabled" | "gravity_compensation")) => {
                motors(mode, json!({ "motor_mode": mode, "status": "ok" }))
            }
            _ => invalid(command, "mode", "enabled, disabled or gravity_compensation"),
        },
        "goto_target" => goto(&message),
        "wake_up" => Request::Play { command: "wake_up", path: "/api/move/play/wake_up" },
        "goto_sleep" => Request::Play { command: "goto_sleep", path: "/api/move/play/goto_sleep" },
        "stop_move" => Request::Stop,
        "get_state" => Request::State,
        "subscribe_pose" => Request::PoseStream(true),
        "unsubscribe_pose" => Request::PoseStream(false),
        "play_sound" | "play_recorded_move" | "clear_incoming_audio" => played(command, &message, ok),
        _ if command.starts_with("get_") || command.starts_with("set_") => property(command, &message, ok),
        _ => other(command, &message),
    }
}

fn recording(command: &str, message: Map<String, Value>) -> Request {
    let mut reply = json!({ "status": "ok", "command": command });
    if command != "append_record" {
        reply = with(reply, "is_recording", (command == "start_recording").into());
    }
    Request::Forward { message: Value::Object(message), reply }
}

fn motors(mode: &str, reply: Value) -> Request {
    rest("POST", format!("/api/motors/set_mode/{mode}"), None, reply, &[])
}

fn goto(message: &Map<String, Value>) -> Request {
    let duration = message.get("duration").cloned().unwrap_or_else(|| DEFAULT_DURATION_S.into());
    if !duration.is_number() {
        return invalid("goto_target", "duration", "a number of seconds");
    }
    let id = Uuid::new_v4();
    let mut wanted = Map::new();
    for key in ["head", "antennas", "body_yaw", "method"] {
        if let Some(value) = message.get(key).filter(|value| !value.is_null()) {
            wanted.insert(key.into(), value.clone());
        }
    }
    wanted.insert("duration".into(), duration);
    Request::Goto { id, message: json!({ "type": "task", "uuid": id, "req": wanted, "timestamp": "" }) }
}

fn played(command: &str, message: &Map<String, Value>, ok: Value) -> Request {
    let text = |key| message.get(key).and_then(Value::as_str);
    match command {
        "play_sound" => match text("file") {
            Some(file) => {
                rest("POST", "/api/media/play_sound".into(), Some(json!({ "file": file })), ok, &[])
            }
            None => invalid(command, "file", "the name of a sound"),
        },
        "clear_incoming_audio" => rest("POST", CLEAR_SOUND_PATH.into(), None, ok, &[]),
        _ => match text("move_name") {
            Some(name) => {
                let moves = text("dataset_name").unwrap_or(DEFAULT_MOVES);
                let moves: Vec<String> = moves.split('/').map(escaped).collect();
                let path =
                    format!("/api/move/play/recorded-move-dataset/{}/{}", moves.join("/"), escaped(name));
                rest("POST", path, None, ok, &[])
            }
            None => invalid(command, "move_name", "the name of a move"),
        },
    }
}

/// Properties that are read and set by the REST API, or that the status contains.
fn property(command: &str, message: &Map<String, Value>, ok: Value) -> Request {
    let named = |name| json!({ "command": name });
    let volume = || message.get("volume").cloned().unwrap_or_default();
    let level = &[("volume", "volume")];
    let status = |command, pointer, name| Request::Status { command, pointer, name };
    match command {
        "get_version" => status(None, "/version", "version"),
        "get_hardware_id" => status(None, "/hardware_id", "hardware_id"),
        "get_motor_mode" => status(None, "/backend_status/motor_control_mode", "motor_mode"),
        "get_robot_name" => status(Some("get_robot_name"), "/robot_name", "name"),
        "get_tracked_face" => status(Some("get_tracked_face"), "/face_target", "face_target"),
        "set_robot_name" => {
            let body = json!({ "name": message.get("name") });
            let reply = with(ok, "name", message.get("name").cloned().unwrap_or_default());
            rest("POST", "/api/daemon/robot-name".into(), Some(body), reply, &[])
        }
        "get_imu" => Request::Rest(RestRequest {
            method: "GET",
            path: "/api/state/imu".into(),
            body: None,
            reply: named("get_imu"),
            fields: &[],
            whole: Some("imu"),
        }),
        "get_volume" => rest("GET", "/api/volume/current".into(), None, named(command), level),
        "get_microphone_volume" => {
            rest("GET", "/api/volume/microphone/current".into(), None, named(command), level)
        }
        "set_volume" => {
            rest("POST", "/api/volume/set".into(), Some(json!({ "volume": volume() })), ok, level)
        }
        "set_microphone_volume" => {
            rest("POST", "/api/volume/microphone/set".into(), Some(json!({ "volume": volume() })), ok, level)
        }
        // The first wake-up is a wizard of the official application; here it has nothing to do.
        "get_first_wake_up" => Request::Reply(with(named(command), "is_completed", true.into())),
        "set_first_wake_up" => Request::Reply(unavailable(command, "there is no first wake-up wizard")),
        "set_wobbling" => Request::Reply(unavailable(
            command,
            "the head sways with sounds that the SDK plays, not by itself",
        )),
        _ => unknown(command),
    }
}

fn other(command: &str, message: &Map<String, Value>) -> Request {
    let upload = || message.get("upload_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    match command {
        "upload_move_start" | "upload_move_chunk" | "upload_move_finish" => {
            step(Kind::Move, command, message)
        }
        "upload_audio_start" | "upload_audio_chunk" | "upload_audio_finish" => {
            step(Kind::Sound, command, message)
        }
        "play_uploaded_move" => Request::PlayUpload {
            id: upload(),
            frequency_hz: number(message, "play_frequency", MAX_PLAY_HZ).clamp(1.0, MAX_PLAY_HZ),
            initial_goto_s: number(message, "initial_goto_duration", 0.0).clamp(0.0, MAX_INITIAL_GOTO_S),
            sound_lead_s: number(message, "audio_lead_ms", 0.0).clamp(-MAX_SOUND_LEAD_MS, MAX_SOUND_LEAD_MS)
                / 1e3,
        },
        "cancel_move" => Request::CancelUpload(upload()),
        "play_uploaded_audio" => Request::PlaySound(upload()),
        "cancel_audio" => Request::CancelSound(upload()),
        "unsubscribe_logs" => Request::Nothing,
        "subscribe_logs" => Request::Reply(json!({ "type": "log_stream_error",
            "error": "not available: the journal is at /api/v1/journal" })),
        "preload_dataset" => Request::Reply(with(
            unavailable(command, "moves are played from the cache of the official library"),
            "dataset_name",
            message.get("dataset_name").cloned().unwrap_or_default(),
        )),
        "restart_daemon" => {
            Request::Reply(unavailable(command, "the server is restarted on its own computer"))
        }
        "start_update" => Request::Reply(unavailable(command, "updates are made by `minismith self-update`")),
        "delete_hf_token" => Request::Reply(unavailable(command, "there is no account")),
        "apply_audio_config" | "read_audio_parameter" => {
            Request::Reply(unavailable(command, "the microphones are configured by the system"))
        }
        _ => unknown(command),
    }
}

fn step(kind: Kind, command: &str, message: &Map<String, Value>) -> Request {
    match serde_json::from_value(Value::Object(message.clone())) {
        Ok(step) => Request::Upload(kind, step),
        Err(error) => Request::Reply(failed(command, &format!("Invalid command: {error}"))),
    }
}

fn rest(
    method: &'static str,
    path: String,
    body: Option<Value>,
    reply: Value,
    fields: &'static [(&'static str, &'static str)],
) -> Request {
    Request::Rest(RestRequest { method, path, body, reply, fields, whole: None })
}

/// Returns a number of a message, if it is one.
fn number(message: &Map<String, Value>, key: &str, otherwise: f64) -> f64 {
    message.get(key).and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(otherwise)
}

fn is_on(message: &Map<String, Value>, key: &str) -> bool {
    message.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Returns an object with one more field.
#[must_use]
pub fn with(mut object: Value, key: &str, value: Value) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
    object
}

/// Returns the response to a command that failed.
#[must_use]
pub fn failed(command: &str, reason: &str) -> Value {
    json!({ "status": "error", "command": command, "error": reason })
}

fn unavailable(command: &str, reason: &str) -> Value {
    failed(command, &format!("not available: {reason}"))
}

fn invalid(command: &str, field: &str, expected: &str) -> Request {
    Request::Reply(failed(command, &format!("Invalid command: `{field}` must be {expected}")))
}

fn unknown(command: &str) -> Request {
    let short: String = command.chars().take(60).collect();
    Request::Reply(json!({ "error": format!("Invalid command: unknown type {short:?}"), "command": short }))
}

/// Returns a text as one segment of a path.
fn escaped(text: &str) -> String {
    let mut segment = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_~".contains(&byte) || (byte == b'.' && !text.starts_with('.'))
        {
            segment.push(char::from(byte));
        } else {
            segment += &format!("%{byte:02X}");
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(text: &str) -> Value {
        match understand(text) {
            Request::Reply(value) => value,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn targets_are_passed_on_and_acknowledged() {
        let text = r#"{"type": "set_full_target", "antennas": [0.1, 0.2]}"#;
        let Request::Forward { message, reply } = understand(text) else { panic!() };
        assert_eq!(message, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(reply, json!({ "status": "ok", "command": "set_full_target" }));
    }

    #[test]
    fn a_goto_becomes_a_task_with_an_id() {
        let asked =
            understand(r#"{"type": "goto_target", "antennas": [0, 1], "head": null, "duration": 2, "x": 1}"#);
        let Request::Goto { id, message } = asked else { panic!() };
        assert_eq!(message["uuid"], json!(id));
        assert_eq!(message["req"], json!({ "antennas": [0, 1], "duration": 2 }));
        assert!(reply(r#"{"type": "goto_target", "duration": "long"}"#)["error"].is_string());
    }

    #[test]
    fn motor_modes_are_requests_that_can_be_refused() {
        for (text, path) in [
            (r#"{"type": "set_motor_mode", "mode": "disabled"}"#, "/api/motors/set_mode/disabled"),
            (r#"{"type": "set_torque", "on": true, "ids": null}"#, "/api/motors/set_mode/enabled"),
            (r#"{"type": "set_torque"}"#, "/api/motors/set_mode/disabled"),
            (
                r#"{"type": "set_gravity_compensation", "enabled": true}"#,
                "/api/motors/set_mode/gravity_compensation",
            ),
        ] {
            let Request::Rest(request) = understand(text) else { panic!("{text}") };
            assert_eq!(request.path, path);
        }
        assert!(reply(r#"{"type": "set_motor_mode", "mode": "../x"}"#)["error"].is_string());
    }

    #[test]
    fn names_are_escaped_in_paths() {
        let text = r#"{"type": "play_recorded_move", "move_name": "../x y", "dataset_name": "a/.."}"#;
        let Request::Rest(request) = understand(text) else { panic!() };
        assert_eq!(request.path, "/api/move/play/recorded-move-dataset/a/%2E%2E/%2E%2E%2Fx%20y");
    }

    #[test]
    fn nonsense_gets_an_error() {
        let long = format!(r#"{{"type": "{}"}}"#, "x".repeat(MAX_MESSAGE_BYTES));
        for text in [
            "",
            "{",
            "[]",
            "null",
            "3",
            r#"{"type": 3}"#,
            "{}",
            r#"{"type": "fly"}"#,
            r#"{"type": "set_fly"}"#,
            &long,
        ] {
            assert!(reply(text)["error"].is_string(), "{text}");
        }
        let deep = "[".repeat(10_000);
        assert!(reply(&deep)["error"].is_string());
    }

    #[test]
    fn uploads_are_read_and_bounded() {
        let step = understand(r#"{"type": "upload_move_finish", "upload_id": "u"}"#);
        assert_eq!(step, Request::Upload(Kind::Move, UploadStep::Finish { upload_id: "u".into() }));
        assert!(reply(r#"{"type": "upload_move_chunk", "upload_id": 3}"#)["error"].is_string());
        let wild = r#"{"type": "play_uploaded_move", "upload_id": "u", "play_frequency": 1e9, "initial_goto_duration": -1}"#;
        let expected = Request::PlayUpload {
            id: "u".into(),
            frequency_hz: MAX_PLAY_HZ,
            initial_goto_s: 0.0,
            sound_lead_s: 0.0,
        };
        assert_eq!(understand(wild), expected);
        let step = understand(r#"{"type": "upload_audio_finish", "upload_id": "u"}"#);
        assert_eq!(step, Request::Upload(Kind::Sound, UploadStep::Finish { upload_id: "u".into() }));
        assert_eq!(
            understand(r#"{"type": "play_uploaded_audio", "upload_id": "u"}"#),
            Request::PlaySound("u".into())
        );
    }

    #[test]
    fn unsupported_commands_say_so_in_the_official_form() {
        assert_eq!(reply(r#"{"jsonrpc": "2.0", "id": 7, "method": "apps.start"}"#)["error"]["code"], -32601);
        assert_eq!(understand(r#"{"jsonrpc": "2.0", "method": "x"}"#), Request::Nothing);
        assert_eq!(reply(r#"{"type": "start_update"}"#)["command"], "start_update");
        assert_eq!(reply(r#"{"type": "get_first_wake_up"}"#)["is_completed"], true);
    }
}
