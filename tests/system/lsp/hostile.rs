//! A client that does not keep to the protocol.

use std::fs;

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::client::{Client, framed};
use super::{GOOD, uri};
use crate::policy::Dice;

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[test]
fn lsp_answers_invalid_messages_and_goes_on() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    for (body, expected) in [
        ("{", -32_700),
        ("\u{0}\u{1}", -32_700),
        ("[]", -32_600),
        ("17", -32_600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"shutdown"}]"#, -32_600),
    ] {
        client.write(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = client.find(|message| message["id"] == Value::Null && message.get("error").is_some());
        assert_eq!(code(&answer), expected, "{body}: {answer}");
    }
    client.write(b"Content-Length: 3\r\n\r\n\xff\xfe\xfd");
    assert_eq!(code(&client.find(|message| message.get("error").is_some())), -32_700);
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    client.write(format!("Content-Length: {}\r\n\r\n{nested}", nested.len()).as_bytes());
    assert_eq!(code(&client.find(|message| message.get("error").is_some())), -32_700);

    assert_eq!(code(&client.request("textDocument/unheardOf", json!({}))), -32_601);
    assert_eq!(code(&client.request("initialize", json!({ "capabilities": {} }))), -32_600);
    client.notify("$/unheardOf", json!({ "a": 1 }));
    client.notify("textDocument/didOpen", json!({ "textDocument": 7 }));
    client.notify("textDocument/didChange", json!(null));
    client.notify("$/cancelRequest", json!({ "id": [1] }));
    client.notify("$/cancelRequest", json!({ "id": 99 }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 5, "result": null }));
    client.send(&json!({ "jsonrpc": "2.0", "id": "made up", "error": { "code": -32_800, "message": "" } }));
    let unopened = json!({ "uri": "file:///nowhere.py" });
    let place = json!({ "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 });
    for method in ["completion", "hover", "signatureHelp", "codeAction", "codeLens"] {
        let method = format!("textDocument/{method}");
        assert_eq!(code(&client.request(&method, json!({}))), -32_602, "{method}");
        let params = json!({
            "textDocument": unopened, "position": place, "range": { "start": place, "end": place },
            "context": { "diagnostics": [] },
        });
        assert_eq!(code(&client.request(&method, params)), -32_602, "{method}");
    }
    for (command, arguments) in [
        ("minismith.unheardOf", json!([])),
        ("minismith.rehearse", json!([])),
        ("minismith.rehearse", json!([7])),
        ("minismith.rehearse", json!(["file:///nowhere.py"])),
        ("minismith.rehearse", json!(["\u{0}:"])),
    ] {
        let params = json!({ "command": command, "arguments": arguments });
        assert_eq!(
            code(&client.request("workspace/executeCommand", params)),
            -32_602,
            "{command} {arguments}"
        );
    }
    // Documents that are no files, and places outside of them.
    for odd in ["untitled:Untitled-1", "file:///%FF/%00/a.py", "a:b", "file:///.py"] {
        client.open(odd, GOOD);
        for method in ["completion", "hover", "signatureHelp"] {
            let params = json!({ "textDocument": { "uri": odd }, "position": place });
            let answer = client.request(&format!("textDocument/{method}"), params);
            assert!(answer.get("error").is_none(), "{odd}: {answer}");
        }
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_answers_on_mutilated_texts() {
    const PIECES: &str = "( ) [ { \" ''' \n \r \t from_motion_import robot. = \\ \u{1f916} \u{e9} # head( :";
    let pieces: Vec<&str> = PIECES.split(' ').collect();
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let mut dice = Dice(20_261_126);
    let uri = uri(&bench, "glance");
    for (name, text) in super::texts().into_iter().step_by(3) {
        let mut characters: Vec<char> = text.chars().collect();
        for _ in 0..4 {
            let at = dice.below(characters.len() + 1);
            let end = (at + dice.below(9)).min(characters.len());
            if dice.below(2) == 0 {
                characters.splice(at..at, pieces[dice.below(pieces.len())].chars());
            } else {
                characters.drain(at..end);
            }
        }
        let text: String = characters.into_iter().collect();
        client.open(&uri, &text);
        for method in ["completion", "hover", "signatureHelp", "codeLens"] {
            let (line, character) = (dice.below(text.lines().count() + 1), dice.below(60));
            let params = json!({
                "textDocument": { "uri": uri }, "position": { "line": line, "character": character },
            });
            let answer = client.request(&format!("textDocument/{method}"), params);
            assert!(
                answer.get("error").is_none(),
                "{name}, {method} at {line}:{character}: {answer}\n{text}"
            );
        }
        client.actions(&uri);
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_skips_a_message_that_is_too_long() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    client.open(&uri(&bench, "glance"), &"#".repeat(15 << 20));
    let document = json!({ "uri": uri(&bench, "huge"), "languageId": "python", "version": 1, "text": "#".repeat(20 << 20) });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    let shown = client.next("window/showMessage");
    assert!(shown["params"]["message"].as_str().unwrap().contains("too long"), "{shown}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_wants_to_be_initialised_first() {
    let bench = TestDir::new();
    let mut client = Client::start(&bench);
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32_002);
    assert_eq!(code(&client.request("shutdown", Value::Null)), -32_002);
    client.notify("textDocument/didOpen", json!({}));
    assert_eq!(code(&client.request("initialize", json!("everything"))), -32_602);
    let answer = client.request("initialize", json!({ "capabilities": {} }));
    assert_eq!(answer["result"]["capabilities"]["positionEncoding"], "utf-16");
    assert_eq!(client.request("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(code(&client.request("textDocument/hover", json!({}))), -32_600);
    assert_eq!(code(&client.request("shutdown", Value::Null)), -32_600);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait().0, Some(0));
}

#[test]
fn lsp_exit_code_tells_whether_the_client_said_goodbye() {
    let bench = TestDir::new();
    let mut client = Client::start(&bench);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait().0, Some(1), "exit before everything");
    let mut client = Client::initialised(&bench);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait().0, Some(1), "exit before shutdown");
    assert_eq!(Client::initialised(&bench).wait().0, Some(1), "the end of the input");
    assert_eq!(Client::start(&bench).wait().0, Some(1), "the end of the input at once");
    let mut client = Client::initialised(&bench);
    client.request("shutdown", Value::Null);
    assert_eq!(client.wait().0, Some(1), "the end of the input after shutdown");
    for garbage in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"Content-Length: -1\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Content-Length: 18446744073709551615\r\n\r\n{}",
        b"\xff\xff\xff\n",
        b"Content-Length: 40\r\n\r\n{",
        b"\r\n\r\n",
    ] {
        let mut client = Client::initialised(&bench);
        client.write(garbage);
        assert_eq!(client.wait().0, Some(1), "{:?}", String::from_utf8_lossy(garbage));
    }
    let mut client = Client::initialised(&bench);
    client.write(&vec![b'x'; 1 << 20]);
    assert_eq!(client.wait().0, Some(1), "a header without end");
}

#[test]
fn lsp_does_not_answer_requests_that_are_cancelled_in_time() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    client.open(&uri, GOOD);
    let hover = |id: i64| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover",
            "params": { "textDocument": { "uri": uri }, "position": { "line": 11, "character": 30 } } })
    };
    let mut bytes = Vec::new();
    let cancel = json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1_999 } });
    for message in (1_000..2_000).map(hover).chain([cancel]) {
        bytes.extend(framed(&message));
    }
    client.write(&bytes);
    for id in 1_000..1_999 {
        assert!(client.answer(&json!(id)).get("error").is_none());
    }
    // Either it was cancelled in time, or it was answered already: it has one answer in any case.
    let last = client.answer(&json!(1_999));
    assert!(code(&last) == -32_800 || last.get("result").is_some(), "{last}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_writes_nothing_and_needs_little() {
    let bench = TestDir::new();
    let listed = || {
        let mut names: Vec<_> =
            fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let mut client = Client::initialised(&bench);
    let before = listed();
    let started = processor_seconds(client.id());
    for number in 0..20 {
        client.open(&uri(&bench, &format!("glance_{number}")), GOOD);
    }
    client.actions(&uri(&bench, "glance_1"));
    let status = fs::read_to_string(format!("/proc/{}/status", client.id())).unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kilobytes: u64 = resident.trim().trim_end_matches(" kB").parse().unwrap();
    println!("started in {started} s of the processor, {kilobytes} kB");
    assert!(started < 0.5, "{started} s of the processor");
    assert!(kilobytes < 100_000, "{kilobytes} kB");
    let (code, complaints) = client.end();
    assert_eq!((code, complaints.as_str(), listed()), (Some(0), "", before));
}

/// Returns the processor time of a process so far.
fn processor_seconds(id: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|ticks| ticks.parse::<f64>().unwrap()).sum();
    ticks / 100.0
}
