//! The language server behind the editor of the dashboard, asked without a browser.

use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};
use tungstenite::Message;

use super::server_fixture::{Served, Socket, served};

const PATH: &str = "/api/v1/language-server";

/// A tool with one mistake.
const MISSPELT: &str = r#"from reachy_mini import ReachyMini


def peek(robot: ReachyMini) -> str:
    """Look around.

    Args:
        robot: The robot.
    """
    robot.goto_traget(antennas=[0.1, -0.1], duration=0.5)
    return "done"
"#;

/// An editor of the page.
struct Editor {
    socket: Socket,
    requests: u64,
}

impl Editor {
    fn open(served: &Served) -> Self {
        let mut editor = Editor { socket: served.socket(PATH), requests: 0 };
        let answer = editor.request("initialize", json!({ "capabilities": {} }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "minismith", "{answer}");
        assert_eq!(answer["result"]["capabilities"].get("executeCommandProvider"), None, "{answer}");
        editor.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        editor
    }

    fn send(&mut self, message: &Value) {
        self.socket.send(Message::text(message.to_string())).unwrap();
    }

    /// Returns the next message that satisfies a condition.
    fn find(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                if wanted(&message) {
                    return message;
                }
            }
        }
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.find(|message| message["id"] == id)
    }

    fn open_document(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        let params = json!({ "textDocument": document });
        self.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    }
}

fn is_diagnostics(message: &Value) -> bool {
    message["method"] == "textDocument/publishDiagnostics"
}

#[test]
fn language_server_finds_fixes_and_completes_over_a_websocket() {
    let served = served();
    let mut editor = Editor::open(&served);
    let uri = "minismith:tool.py";
    editor.open_document(uri, MISSPELT);
    let shown = editor.find(is_diagnostics);
    let found = &shown["params"]["diagnostics"];
    assert!(found[0]["message"].as_str().unwrap().contains("goto_traget"), "{shown}");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let context = json!({ "diagnostics": [], "only": ["quickfix"] });
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
    let actions = editor.request("textDocument/codeAction", params);
    let edits = &actions["result"][0]["edit"]["changes"][uri];
    assert_eq!(edits[0]["newText"], "goto_target", "{actions}");
    let line = MISSPELT.lines().position(|line| line.contains("goto_traget")).unwrap();
    let position = json!({ "line": line, "character": "    robot.".len() });
    let params = json!({ "textDocument": { "uri": uri }, "position": position });
    let offered = editor.request("textDocument/completion", params);
    let items = offered["result"]["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item["label"] == "goto_target"), "{offered}");
}

#[test]
fn language_server_of_a_page_reads_no_files_and_runs_nothing() {
    let served = served();
    let mut editor = Editor::open(&served);
    let file = format!("file://{}", workspace().join("tools/predefined/greet/v1.py").display());
    editor.open_document(&file, "def x() -> int:\n    return 1\n");
    let told = editor.find(|message| message["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("cannot open files"), "{told}");
    for method in ["textDocument/hover", "textDocument/completion"] {
        let position = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": { "uri": file }, "position": position });
        assert_eq!(editor.request(method, params)["error"]["code"], -32_602, "{method}");
    }
    editor.open_document("minismith:tool.py", MISSPELT);
    editor.find(is_diagnostics);
    let params = json!({ "command": "minismith.rehearse", "arguments": ["minismith:tool.py"] });
    assert_eq!(editor.request("workspace/executeCommand", params)["error"]["code"], -32_600);
    for number in 0..9 {
        editor.open_document(&format!("minismith:tool{number}.py"), MISSPELT);
    }
    let told = editor.find(|message| message["method"] == "window/showMessage");
    assert!(told["params"]["message"].as_str().unwrap().contains("documents are open"), "{told}");
}

#[test]
fn editors_are_bounded_and_for_engineers() {
    let bench = TestDir::configured("server: {anonymous_role: operator}\n");
    assert_eq!(Served::on(bench).get(PATH).0, 403);
    let served = served();
    let mut open: Vec<Editor> = (0..4).map(|_| Editor::open(&served)).collect();
    let (status, answer) = served.get(PATH);
    assert_eq!(status, 409, "{answer}");
    assert!(answer["detail"].as_str().unwrap().contains("4 allowed"), "{answer}");
    // A message that no editor sends ends the connection, and its place is free again.
    let mut greedy = open.pop().unwrap();
    let message = Message::text("x".repeat(1 << 20));
    let _ = greedy.socket.send(message);
    while greedy.socket.read().is_ok() {}
    assert!((0..2000).any(|_| served.get(PATH).0 != 409));
    Editor::open(&served);
}
