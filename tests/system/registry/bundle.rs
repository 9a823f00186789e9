//! Tools that move from one registry to another in a signed bundle, and invalid bundles.

use std::os::unix::fs::PermissionsExt;

use minismith_tests::{CommandOutput, TestDir};
use serde_json::{Value, json};

use super::super::server_fixture::Served;
use super::{add, answer, list};

const BUS: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

/// Returns a test folder with a signing key of its own.
fn bench(more: &str) -> TestDir {
    TestDir::configured(&format!("workshop: {{signing_key: keys/signing.key{more}}}\n"))
}

#[track_caller]
fn export(bench: &TestDir, names: &[&str]) -> (Vec<u8>, Value) {
    let ran = bench.run(&[&["tool", "export", "--out", "a.bundle", "--json"], names].concat()).exits(0);
    (std::fs::read(bench.path("a.bundle")).unwrap(), ran.json())
}

fn import(bench: &TestDir, bytes: &[u8]) -> CommandOutput {
    std::fs::write(bench.path("b.bundle"), bytes).unwrap();
    bench.run(&["tool", "import", "b.bundle", "--json"])
}

#[test]
fn bundle_is_verified_locally_and_a_foreign_one_needs_approval() {
    let sender = bench("");
    add(&sender, "counter", 1);
    add(&sender, "counter", 2);
    add(&sender, "other", 3);
    let (bytes, reported) = export(&sender, &["counter", "other"]);
    let signer = reported["signer"].as_str().unwrap();
    let packed = json!([{"name": "counter", "version": 2}, {"name": "other", "version": 1}]);
    assert_eq!(reported, json!({"file": "a.bundle", "signer": signer, "tools": packed}));
    let key = std::fs::metadata(sender.path("keys/signing.key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    // The secret is only in its file, and the key stays the same.
    let secret = std::fs::read_to_string(sender.path("keys/signing.key")).unwrap();
    assert!(!String::from_utf8_lossy(&bytes).contains(secret.trim()));
    assert_eq!(export(&sender, &["other"]).1["signer"], *signer);

    let stranger = bench("");
    let imported = import(&stranger, &bytes).exits(0).json();
    assert_eq!((&imported["signer"], &imported["trusted"]), (&json!(signer), &json!(false)));
    let stored = &imported["imported"];
    assert_eq!(stored[0], json!({"name": "counter", "version": 1, "needs_approval": true}));
    assert_eq!(imported["checked"][0]["needs_approval"], true);
    let shown = stranger.run(&["tool", "show", "counter", "--json"]).exits(0).json();
    assert_eq!(shown["manifest"]["provenance"]["signer"], json!({"key": signer, "trusted": false}));
    // On real motors it waits for approval. Here the mock's serial line counts as real.
    let mut mock = stranger.start(&["mock"]);
    let line = mock.line().unwrap();
    let on_the_line = ["tool", "run", "counter", "--robot", &line, "--json"];
    let refused = stranger.run(&on_the_line).exits(1).json();
    assert!(refused["refusal"].as_str().unwrap().contains("approval"), "{refused}");
    let _approved = stranger.run(&["tool", "approve", "counter"]).exits(0);
    assert_eq!(stranger.run(&on_the_line).exits(0).json()["performance"]["value"], 2);
    // A second import is the same version.
    assert_eq!(import(&stranger, &bytes).exits(0).json()["imported"], *stored);

    let friend = bench(&format!(", trusted_signers: [{signer}]"));
    let imported = import(&friend, &bytes).exits(0).json();
    assert_eq!(
        (&imported["trusted"], &imported["imported"][0]["needs_approval"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(answer(&friend, "counter"), 2);
    // An own bundle counts as foreign unless the configuration says otherwise. But this code is registered here
    // already.
    assert_eq!(import(&sender, &bytes).exits(0).json()["imported"][0]["needs_approval"], false);
}

#[test]
fn altered_or_invalid_bundle_changes_nothing() {
    let sender = bench("");
    add(&sender, "counter", 1);
    let (bytes, _) = export(&sender, &["counter"]);
    let text = String::from_utf8(bytes.clone()).unwrap();
    let receiver = bench("");
    for (changed, says) in [
        (text.replace("return 1", "return 2"), "changed after it was signed"),
        (text.replacen("\"format\": 2", "\"format\": 7", 1), "format 7"),
        (format!("{text} "), "changed after it was signed"),
        (text[..text.len() / 2].to_owned(), "not a bundle"),
        ("{}".into(), "not a bundle"),
        ("[".repeat(1 << 20), "not a bundle"),
        (String::new(), "not a bundle"),
    ] {
        assert_ne!(changed, text);
        let refused = import(&receiver, changed.as_bytes()).exits(1).json();
        assert!(refused["refusal"].as_str().unwrap().contains(says), "{says}: {refused}");
    }
    import(&receiver, &vec![b' '; 17 << 20]).is_error(&["b.bundle", "too long"]);
    receiver.run(&["tool", "import", "nowhere", "--json"]).is_error(&["nowhere", "tool export"]);
    assert!(list(&receiver).1.is_empty());
    let unknown = sender.run(&["tool", "export", "nobody", "--out", "c.bundle", "--json"]).exits(1).json();
    assert!(unknown["refusal"].as_str().unwrap().contains("no tool \"nobody\""), "{unknown}");
    assert!(!sender.path("c.bundle").exists());
    sender
        .run(&["tool", "export", "counter", "--out", "no/such/folder"])
        .is_error(&["no/such/folder", "--out"]);
    // A key that other users can read is not used.
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(sender.path("keys/signing.key"), open).unwrap();
    sender.run(&["tool", "export", "counter", "--out", "d.bundle"]).is_error(&["chmod 600"]);
}

#[test]
fn one_rejected_tool_rejects_the_whole_bundle() {
    let sender = bench("");
    add(&sender, "counter", 1);
    let printing = "def printing() -> int:\n    \"\"\"Print.\n\n    Returns:\n        One.\n    \"\"\"\n    print(\"x\" * 5000)\n    return 1\n";
    let file = sender.write("printing.py", printing);
    let _added = sender.run(&["tool", "add", file.to_str().unwrap()]).exits(0);
    let (bytes, _) = export(&sender, &["counter", "printing"]);
    // This configuration permits less printed text. The verification elsewhere does not count.
    let strict = bench(", budget: {max_output_kb: 1}");
    let refused = import(&strict, &bytes).exits(1).json();
    assert!(refused["refusal"].as_str().unwrap().contains("printing was refused"), "{refused}");
    assert_eq!(refused["checked"][1]["stage"], "rehearsal");
    assert!(list(&strict).1.is_empty());
    let text = strict.run(&["tool", "import", "b.bundle"]).exits(1).out;
    assert!(text.contains("nothing was imported"), "{text}");
    // The name of a predefined tool is taken.
    let home = bench("");
    home.write("tools/predefined/counter/notes", "");
    let refused = import(&home, &bytes).exits(1).json();
    assert!(refused["refusal"].as_str().unwrap().contains("comes with the program"), "{refused}");
    assert!(list(&home).1.is_empty());
}

#[test]
fn called_tool_is_imported_unless_the_receiver_has_it() {
    let [sender, receiver] = ["", ""].map(bench);
    sender.add_predefined("greet");
    receiver.add_predefined("greet");
    let calling = "from minismith import exec_function\n\n\ndef caller() -> str:\n    \"\"\"Greet.\n\n    Returns:\n        \
                   What was done.\n    \"\"\"\n    return str(exec_function(\"greet\"))\n";
    let file = sender.write("caller.py", calling);
    let _added = sender.run(&["tool", "add", file.to_str().unwrap()]).exits(0);
    let (bytes, reported) = export(&sender, &["caller"]);
    let names = |tools: &Value| -> Vec<String> {
        tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&reported["tools"]), ["greet", "caller"]);
    let imported = import(&receiver, &bytes).exits(0).json();
    assert_eq!(names(&imported["imported"]), ["caller"]);
    let imported = import(&bench(""), &bytes).exits(0).json();
    assert_eq!(names(&imported["imported"]), ["greet", "caller"]);
}

#[test]
fn bundle_travels_over_http_as_the_file_of_the_command_line() {
    let key = format!("workshop: {{signing_key: keys/signing.key}}\n{BUS}");
    let here = Served::on(TestDir::configured(&key));
    add(&here.bench, "counter", 1);
    let calling = "from minismith import exec_function\n\n\ndef caller() -> int:\n    \"\"\"Count.\n\n    Returns:\n        \
                   What the counter says.\n    \"\"\"\n    return exec_function(\"counter\")\n";
    let (status, added) = here.post("/api/v1/tools", &json!({ "code": calling }));
    assert_eq!(status, 201, "{added}");

    let (head, bytes) = here.response("POST /api/v1/tools/caller/export", "{}");
    assert!(head.starts_with("http/1.1 200") && head.contains("filename=\"caller.bundle\""), "{head}");
    // The command line writes the same bytes, since the key is the same.
    assert_eq!(String::from_utf8(bytes.clone()), String::from_utf8(export(&here.bench, &["caller"]).0));

    let there = Served::on(TestDir::configured(BUS));
    let post = |body: &[u8]| {
        let text = String::from_utf8(body.to_vec()).unwrap();
        there.ask("POST /api/v1/bundles", &text)
    };
    let changed = String::from_utf8(bytes.clone()).unwrap().replace("Count.", "Steal");
    let (status, refused) = post(changed.as_bytes());
    assert_eq!(
        (status, &refused["signer"], &refused["checked"]),
        (422, &json!(null), &json!([])),
        "{refused}"
    );
    assert!(refused["detail"].as_str().unwrap().contains("changed after"), "{refused}");
    assert!(list(&there.bench).1.is_empty());

    let (status, imported) = post(&bytes);
    assert_eq!((status, &imported["trusted"]), (201, &json!(false)), "{imported}");
    let names = ["counter", "caller"].map(|name| json!({"name": name, "version": 1, "needs_approval": true}));
    assert_eq!(imported["imported"], json!(names));
    assert_eq!(imported["checked"][1]["accepted"], true);
    // A tool of the same name that was made there stays.
    let other = Served::on(TestDir::configured(BUS));
    add(&other.bench, "counter", 7);
    let (status, refused) = other.ask("POST /api/v1/bundles", std::str::from_utf8(&bytes).unwrap());
    assert_eq!((status, refused["signer"].as_str().map(str::len)), (422, Some(64)), "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("another author"), "{refused}");
    assert_eq!(answer(&other.bench, "counter"), 7);
    assert_eq!(here.post("/api/v1/tools/nobody/export", &json!({})).0, 404);
    assert_eq!(here.post("/api/v1/tools/..%2F..%2Fkeys/export", &json!({})).0, 404);
}
