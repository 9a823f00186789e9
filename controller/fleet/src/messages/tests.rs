use serde_json::json;

use super::*;

fn say(text: &str) -> Value {
    json!({ "id": Uuid::nil(), "epoch": Uuid::nil(), "issued_ms": 1.0, "expires_ms": 2.0, "do": { "type": "say", "text": text } })
}

fn read(command: &Value) -> Result<Command, String> {
    Command::read(command.to_string().as_bytes())
}

#[test]
fn commands_are_read() {
    let command = read(&say("nod")).unwrap();
    assert_eq!(command.operation, Operation::Say { text: "nod".into() });
    let written = serde_json::to_value(&command).unwrap();
    assert_eq!(written, say("nod"));
    let mut stop = say("x");
    stop["do"] = json!({ "type": "stop" });
    stop.as_object_mut().unwrap().remove("epoch");
    assert_eq!(read(&stop).unwrap().operation, Operation::Stop {});
}

#[test]
fn other_messages_are_refused() {
    for text in ["", "[]", "{}", "null", "\u{0}", "{\"id\":1}", &"[".repeat(5000)] {
        assert!(Command::read(text.as_bytes()).unwrap_err().contains("not a command"), "{text:?}");
    }
    assert!(Command::read(&[0xff; 20]).is_err());
    assert!(Command::read(&vec![b' '; MAX_COMMAND_BYTES + 1]).unwrap_err().contains("too long"));
    let with = |key: &str, value: Value| {
        let mut command = say("nod");
        command[key] = value;
        command
    };
    for bad in [
        with("extra", json!(1)),
        with("do", json!({ "type": "say" })),
        with("do", json!({ "type": "torque", "text": "x" })),
        with("do", json!({ "type": "stop", "text": "x" })),
        with("do", json!({ "type": "say", "text": " " })),
        with("do", json!({ "type": "say", "text": "x".repeat(MAX_TEXT_BYTES + 1) })),
        with("do", json!({ "type": "share", "tool": "../wave" })),
        with("do", json!({ "type": "get", "tool": "wave", "from": "a/b" })),
        with("do", json!({ "type": "withdraw", "tool": "wave", "code_sha256": ["x"] })),
        with("do", json!({ "type": "revoke", "member": "*" })),
        with("issued_ms", json!("now")),
        with("expires_ms", json!(null)),
        with("id", json!("7")),
    ] {
        assert!(read(&bad).is_err(), "{bad}");
    }
}

/// The page of shapes names exactly the fields that are sent.
#[test]
fn the_asyncapi_document_has_the_fields_of_the_messages() {
    let document: Value = serde_yaml::from_str(include_str!("../../../../docs/fleet.asyncapi.yaml")).unwrap();
    let robot: Name = "kitchen".parse().unwrap();
    let reply = Reply {
        id: Some(Uuid::nil()),
        robot: robot.clone(),
        outcome: Outcome::Refused,
        refusal: Some(Refusal::Stale),
        reason: Some("x".into()),
        epoch: Uuid::nil(),
        received_ms: 1.0,
        started_ms: Some(1.0),
        time_ms: 1.0,
        result: Some(json!({})),
    };
    let status = Status {
        robot: robot.clone(),
        epoch: Uuid::nil(),
        time_ms: 1.0,
        groups: Vec::new(),
        controller: true,
        motion_state: None,
        fault: None,
        temperature_c: None,
        voltage_v: None,
        stopped: None,
        commands: Vec::new(),
        state_hz: 10.0,
        tools: Vec::new(),
        version: "1".into(),
    };
    let event = Event {
        robot,
        number: 1,
        time_ms: 1.0,
        event: "stopped".into(),
        caller: Some("anna".into()),
        message: "x".into(),
    };
    let mut command = say("x");
    command["start_ms"] = json!(1.0);
    for (name, message) in
        [("reply", json!(reply)), ("status", json!(status)), ("event", json!(event)), ("command", command)]
    {
        let described = &document["components"]["messages"][name]["payload"]["properties"];
        let names = |value: &Value| {
            value.as_object().unwrap().keys().cloned().collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(names(described), names(&message), "{name}");
    }
    let refusals = &document["components"]["messages"]["reply"]["payload"]["properties"]["refusal"]["enum"];
    for refusal in refusals.as_array().unwrap() {
        serde_json::from_value::<Refusal>(refusal.clone()).unwrap();
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_of_a_peer_are_fatal(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
        let _refused = Command::read(&bytes);
    }

    #[test]
    fn a_changed_command_is_read_or_refused(at in 0_usize..200, byte in proptest::num::u8::ANY) {
        let mut bytes = say("nod").to_string().into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(command) = Command::read(&bytes) {
            let again = serde_json::to_vec(&command).unwrap();
            assert_eq!(Command::read(&again), Ok(command));
        }
    }
}
