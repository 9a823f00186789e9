//! The command that rehearses a document.

use std::fs;

use minismith_tests::TestDir;
use minismith_tests::cases::{ExpectedOutcome, cases};
use minismith_tests::workspace;
use serde_json::{Value, json};

use super::client::Client;
use super::{GOOD, uri};

fn rehearse(uri: &str, token: &str) -> Value {
    json!({ "command": "minismith.rehearse", "arguments": [uri], "workDoneToken": token })
}

/// Returns the kinds of the progress that was reported for a token.
fn kinds(client: &Client, token: &str) -> Vec<String> {
    let reports =
        client.received.iter().filter(|it| it["method"] == "$/progress" && it["params"]["token"] == token);
    reports.map(|it| it["params"]["value"]["kind"].as_str().unwrap().to_owned()).collect()
}

fn temporary(bench: &TestDir) -> usize {
    fs::read_dir(bench.path("temporary")).unwrap().count()
}

#[test]
fn lsp_rehearses_the_text_of_the_editor() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    // The file says something else; its declarations count.
    bench.write("glance.py", "nonsense\n");
    bench.write("glance.yaml", "test_cases:\n  - {name: far, arguments: {degrees: 45.0}}\n");
    client.open(&uri, GOOD);
    let lens = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let command = &lens["result"][0]["command"];
    assert_eq!(lens["result"][0]["range"]["start"]["line"], 4, "{lens}");
    assert_eq!((&command["command"], &command["arguments"]), (&json!("minismith.rehearse"), &json!([uri])));

    let answer = client.request("workspace/executeCommand", rehearse(&uri, "t1"));
    let result = &answer["result"];
    assert_eq!((&result["name"], &result["admitted"]), (&json!("glance"), &json!(true)), "{answer}");
    let progress = kinds(&client, "t1");
    assert_eq!((progress.first().unwrap().as_str(), progress.last().unwrap().as_str()), ("begin", "end"));
    let message = client.next("window/showMessage");
    assert!(message["params"]["message"].as_str().unwrap().contains("glance is accepted"), "{message}");
    assert_eq!(temporary(&bench), 0);
    assert_eq!(client.end().0, Some(0));
    assert_eq!(fs::read_to_string(bench.path("glance.py")).unwrap(), "nonsense\n");
}

#[test]
fn lsp_shows_what_a_rehearsal_finds_at_its_line() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    let text = GOOD.replace("    return", "    print([1, 2][int(degrees)])\n    return");
    assert_eq!(client.open(&uri, &text), Vec::<Value>::new());
    let answer = client.request("workspace/executeCommand", rehearse(&uri, "t1"));
    assert_eq!(
        (&answer["result"]["admitted"], &answer["result"]["stage"]),
        (&json!(false), &json!("rehearsal"))
    );
    let shown = client.diagnostics(&uri, 1);
    let error = shown.iter().find(|it| it["severity"] == 1).unwrap_or_else(|| panic!("{shown:#?}\n{answer}"));
    assert_eq!(error["range"]["start"]["line"], 11, "{shown:#?}");
    assert!(error["message"].as_str().unwrap().contains("IndexError"), "{shown:#?}");
    // They are about that text alone.
    client.change(&uri, 2, &format!("{text}# more\n"));
    assert_eq!(client.diagnostics(&uri, 2), Vec::<Value>::new());
}

#[test]
fn lsp_rehearsals_say_what_the_cases_expect() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let all = cases(&workspace().join("tests/cases/bad")).unwrap();
    let refused: Vec<_> =
        all.into_iter().filter(|case| case.must == ExpectedOutcome::Rehearsal).take(3).collect();
    assert_eq!(refused.len(), 3);
    for case in refused {
        let uri = uri(&bench, &case.name);
        client.open(&uri, &String::from_utf8(case.bytes).unwrap());
        let answer = client.request("workspace/executeCommand", rehearse(&uri, &case.name));
        assert_eq!(answer["result"]["stage"], "rehearsal", "{}: {answer}", case.name);
        let shown = client.diagnostics(&uri, 1);
        assert!(shown.iter().any(|it| it["severity"] == 1), "{}: {shown:#?}", case.name);
    }
}

#[test]
fn lsp_rehearses_with_the_files_that_declarations_name() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let text = r#"from minismith import InputFile


def count_rows(table: InputFile) -> int:
    """Count the rows of a table.

    Args:
        table: A csv file.
    """
    return len(table.rows())
"#;
    let declared = "test_cases:\n  - name: two\n    arguments: {table: samples/two.csv}\n    expect: {returns: {value: 2}}\n";
    bench.write("count_rows.yaml", declared);
    bench.write("samples/two.csv", "x\n1\n2\n");
    let uri = uri(&bench, "count_rows");
    client.open(&uri, text);
    let answer = client.request("workspace/executeCommand", rehearse(&uri, "t1"));
    assert_eq!(answer["result"]["admitted"], true, "{answer}");
    bench.write("samples/two.csv", "x\n1\n");
    let answer = client.request("workspace/executeCommand", rehearse(&uri, "t2"));
    assert_eq!(answer["result"]["admitted"], false, "{answer}");
    // A name that is no name is refused like any other.
    client.open("a:", text);
    let answer = client.request("workspace/executeCommand", rehearse("a:", "t3"));
    assert_eq!(answer["result"]["stage"], "policy", "{answer}");
    assert_eq!(temporary(&bench), 0);
}

/// A tool whose rehearsal computes for long.
fn slow() -> String {
    GOOD.replace(
        "    return",
        "    for i in range(900_000):\n        degrees += sum(range(3_000)) * 0.0\n    return",
    )
}

#[test]
fn lsp_rehearsals_can_be_cancelled() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let [first, second] = ["glance", "peek"].map(|name| uri(&bench, name));
    client.open(&first, &slow());
    client.open(&second, &slow().replace("glance", "peek"));
    let one = client.ask("workspace/executeCommand", rehearse(&first, "one"));
    let two = client.ask("workspace/executeCommand", rehearse(&second, "two"));
    // Requests are answered meanwhile, and a third rehearsal is refused.
    let busy = client.request("workspace/executeCommand", rehearse(&second, "three"));
    assert_eq!(busy["error"]["code"], -32_803, "{busy}");
    client.find(|it| it["params"]["token"] == "one" && it["params"]["value"]["kind"] == "report");
    client.notify("$/cancelRequest", json!({ "id": one }));
    client.notify("window/workDoneProgress/cancel", json!({ "token": "two" }));
    for id in [one, two] {
        assert_eq!(client.answer(&id)["error"]["code"], -32_800);
    }
    assert_eq!(kinds(&client, "one").last().unwrap(), "end");
    assert_eq!(temporary(&bench), 0);
    // The end of the connection ends a rehearsal too, with its copy.
    client.ask("workspace/executeCommand", rehearse(&first, "four"));
    client.find(|it| it["params"]["token"] == "four" && it["params"]["value"]["kind"] == "report");
    assert_eq!(temporary(&bench), 1);
    assert_eq!(client.wait().0, Some(1));
    assert_eq!(temporary(&bench), 0);
}

#[test]
fn lsp_says_why_no_rehearsal_can_run() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    client.open(&uri, GOOD);
    bench.write("glance.yaml", "nonsense: 1\n");
    let answer = client.request("workspace/executeCommand", rehearse(&uri, "t1"));
    assert_eq!(answer["error"]["code"], -32_803, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("glance.yaml"), "{answer}");
}

#[test]
fn lsp_asks_for_progress_where_the_client_shows_it() {
    let bench = TestDir::new();
    let mut client = Client::start(&bench);
    let abilities = json!({ "window": { "workDoneProgress": true } });
    client.request("initialize", json!({ "capabilities": abilities }));
    let uri = uri(&bench, "glance");
    client.open(&uri, GOOD.replace("-> str", "").as_str());
    let params = json!({ "command": "minismith.rehearse", "arguments": [uri] });
    let id = client.ask("workspace/executeCommand", params);
    let asked = client.next("window/workDoneProgress/create");
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null }));
    assert_eq!(client.answer(&id)["result"]["stage"], "policy");
    let token = asked["params"]["token"].as_str().unwrap();
    let kinds = kinds(&client, token);
    assert_eq!((kinds.first().unwrap().as_str(), kinds.last().unwrap().as_str()), ("begin", "end"));
}
