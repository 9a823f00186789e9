//! The tool registry with concurrent writers, with the pieces that a crash leaves, and with damaged files.

mod bundle;
mod crash;
mod search;
mod tampering;
mod tool_lifecycle;

use minismith_tests::{CommandOutput, TestDir};
use minismith_toolchain::workshop::registry::{Registry, RegistryError};
use serde_json::{Value, json};

fn source(name: &str, answer: u32) -> String {
    format!(
        "def {name}() -> int:\n    \"\"\"Tell a number.\n\n    Returns:\n        It.\n    \"\"\"\n    return {answer}\n"
    )
}

/// Writes a file and adds it to the registry.
#[track_caller]
fn add(bench: &TestDir, name: &str, answer: u32) {
    let file = bench.write(&format!("{name}.py"), &source(name, answer));
    let _added = bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0);
}

fn list(bench: &TestDir) -> (CommandOutput, Vec<Value>) {
    let ran = bench.run(&["tool", "list", "--json"]).exits(0);
    let tools = ran.json()["tools"].as_array().unwrap().clone();
    (ran, tools)
}

/// Returns the value of the version that is called.
#[track_caller]
fn answer(bench: &TestDir, name: &str) -> Value {
    let ran = bench.run(&["tool", "run", name, "--json"]).exits(0).json();
    ran["performance"]["value"].clone()
}

#[test]
fn concurrent_processes_add_tools_without_loss() {
    let bench = TestDir::new();
    // The same tool with different code, and different tools. Each process uses a folder of its own.
    let adders: Vec<_> = (0..6)
        .map(|number| {
            let name = if number % 2 == 0 { "shared".into() } else { format!("own_{number}") };
            let file = bench.write(&format!("{number}/{name}.py"), &source(&name, number));
            bench.start(&["tool", "add", file.to_str().unwrap(), "--json"])
        })
        .collect();
    let mut versions: Vec<u64> = Vec::new();
    for (number, adder) in adders.into_iter().enumerate() {
        let registered = adder.end().exits(0).json()["registered"].clone();
        if number % 2 == 0 {
            versions.push(registered["version"].as_u64().unwrap());
        } else {
            assert_eq!(registered["version"], 1);
        }
    }
    versions.sort_unstable();
    assert_eq!(versions, [1, 2, 3]);
    let names: Vec<Value> = list(&bench).1.iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["own_1", "own_3", "own_5", "shared"]);
    let mut answers: Vec<String> = (1..=3)
        .map(|version: u32| {
            let show = ["tool", "show", "shared", "--json", "--version", &version.to_string()];
            bench.run(&show).exits(0).json()["code"].as_str().unwrap().to_owned()
        })
        .collect();
    answers.sort_unstable();
    assert_eq!(answers, [0, 2, 4].map(|number| source("shared", number)));
}

#[test]
fn concurrent_version_switches_leave_a_consistent_registry() {
    let bench = TestDir::new();
    for answer in 1..=4 {
        add(&bench, "counter", answer);
    }
    let folder = bench.path("tools");
    std::thread::scope(|scope| {
        let approver = scope.spawn(|| {
            let approve = || bench.run(&["tool", "approve", "counter", "--json"]).exits(0).json();
            (0..4).map(|_| approve()["approved"].as_u64().unwrap()).collect::<Vec<_>>()
        });
        let roller = scope.spawn(|| {
            let registry = Registry::open(&folder).unwrap();
            (0..4).map(|_| registry.roll_back("counter", None)).collect::<Vec<_>>()
        });
        let registry = Registry::open(&folder).unwrap();
        for _ in 0..50 {
            assert_eq!(registry.list().unwrap().len(), 1);
            assert!(registry.load("counter", None).is_ok());
        }
        let rolled = roller.join().unwrap();
        let steps: Vec<(u32, u32)> = rolled.iter().filter_map(|step| step.as_ref().ok().copied()).collect();
        assert_eq!(steps, [(4, 3), (3, 2), (2, 1)]);
        assert!(matches!(rolled[3], Err(RegistryError::FirstVersion { version: 1, .. })));
        // An approval belongs to the version that was called then, and none is lost.
        for version in approver.join().unwrap() {
            let version = u32::try_from(version).unwrap();
            assert!(registry.load("counter", Some(version)).unwrap().is_approved(), "{version}");
        }
    });
}

#[test]
fn crash_between_two_files_keeps_the_previous_version() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let folder = "tools/generated/counter";
    // In the order in which a version is written: temporary code, code, temporary manifest.
    bench.write(&format!("{folder}/v2.py.new"), "def coun");
    bench.write(&format!("{folder}/v2.py"), &source("counter", 2));
    bench.write(&format!("{folder}/v2.json.new"), "{\"name\": \"coun");
    bench.write(&format!("{folder}/state.json.new"), "{\"cur");
    let tools = list(&bench).1;
    assert_eq!((&tools[0]["version"], &tools[0]["versions"]), (&json!(1), &json!([1])));
    assert_eq!(answer(&bench, "counter"), 1);
    add(&bench, "counter", 3);
    assert_eq!(answer(&bench, "counter"), 3);
    let tools = list(&bench).1;
    assert_eq!((&tools[0]["version"], &tools[0]["versions"]), (&json!(2), &json!([1, 2])));

    // The manifest was written and the state was not: once with an older state, once without any.
    bench.write(&format!("{folder}/state.json"), r#"{"current": 1}"#);
    assert_eq!(answer(&bench, "counter"), 1);
    std::fs::remove_file(bench.path(&format!("{folder}/state.json"))).unwrap();
    assert_eq!(answer(&bench, "counter"), 3);
    // A folder without any version is no tool.
    bench.write("tools/generated/unborn/v1.py", &source("unborn", 1));
    assert_eq!(list(&bench).1.len(), 1);
    let unborn = bench.run(&["tool", "run", "unborn", "--json"]).exits(1).json();
    assert!(unborn["refusal"].as_str().unwrap().contains("no tool \"unborn\""), "{unborn}");
}

#[test]
fn damaged_tool_is_named_and_hides_no_other() {
    let bench = TestDir::new();
    add(&bench, "healthy", 1);
    add(&bench, "hurt", 2);
    let state = std::fs::read_to_string(bench.path("tools/generated/hurt/state.json")).unwrap();
    let manifest = std::fs::read_to_string(bench.path("tools/generated/hurt/v1.json")).unwrap();
    // As an older program left it. With the hash, each change of a manifest is named as one.
    std::fs::remove_file(bench.path("tools/generated/hurt/v1.sha256")).unwrap();
    let unknown_key = manifest.replacen('{', "{\"owner\": 1,", 1);
    let huge = " ".repeat(5 << 20);
    for (file, text, says) in [
        ("v1.json", "{\"name\": ", "EOF"),
        ("v1.json", &*unknown_key, "owner"),
        ("v1.json", &*huge, "too long"),
        ("state.json", "[]", "state.json"),
        ("state.json", r#"{"current": 1, "curent": 2}"#, "curent"),
    ] {
        bench.write(&format!("tools/generated/hurt/{file}"), text);
        let (ran, tools) = list(&bench);
        assert_eq!(tools.len(), 1, "{tools:?}");
        assert!(ran.err.contains("WARN") && ran.err.contains("hurt"), "{}", ran.err);
        let shown = bench.run(&["tool", "show", "hurt", "--json"]).exits(1).json();
        let refusal = shown["refusal"].as_str().unwrap();
        assert!([file, "cannot be read", says].iter().all(|word| refusal.contains(word)), "{refusal}");
        assert_eq!(answer(&bench, "healthy"), 1);
        bench.write("tools/generated/hurt/state.json", &state);
        bench.write("tools/generated/hurt/v1.json", &manifest);
    }
    assert_eq!(answer(&bench, "hurt"), 2);
    // A manifest of another tool's code, and a state that names a missing version.
    bench.write("tools/generated/hurt/state.json", r#"{"current": 9}"#);
    let shown = bench.run(&["tool", "show", "hurt", "--json"]).exits(1).json();
    assert!(shown["refusal"].as_str().unwrap().contains("no version 9; it has 1"), "{shown}");
}

#[test]
fn unwritable_registry_is_an_error_with_a_remedy() {
    let remedy = ["check that the tools directory exists and is writable"];
    // A file takes the place of the folder.
    let blocked = TestDir::configured("tools: {directory: file}\n");
    blocked.write("file", "");
    blocked.run(&["tool", "list", "--json"]).is_error(&[remedy[0], "file"]);
    let tool = blocked.write("counter.py", &source("counter", 1));
    blocked.run(&["tool", "add", tool.to_str().unwrap(), "--json"]).is_error(&remedy);

    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let Some(reader) = Reader::of(&bench) else { return };
    let _listed = reader.run(&["tool", "list"]).exits(0);
    let _shown = reader.run(&["tool", "show", "counter"]).exits(0);
    reader.run(&["tool", "rollback", "counter"]).is_error(&remedy);
    assert_eq!(list(&bench).1[0]["versions"], json!([1]));
}

/// A user who may read the test folder but not write to it.
struct Reader<'a> {
    bench: &'a TestDir,
    is_root: bool,
}

impl<'a> Reader<'a> {
    /// Prints a note and returns none where this machine has no such user.
    fn of(bench: &'a TestDir) -> Option<Self> {
        use std::os::unix::fs::PermissionsExt;
        let is_root = rustix::process::geteuid().is_root();
        let mut folders = vec![bench.path("")];
        while let Some(folder) = folders.pop() {
            let inside = std::fs::read_dir(&folder).unwrap().flatten();
            folders.extend(inside.map(|entry| entry.path()).filter(|path| path.is_dir()));
            let mode = if is_root { 0o755 } else { 0o555 };
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let reader = Reader { bench, is_root };
        let able = reader.run(&["--version"]).code == Some(0);
        if !able {
            println!("skipped: nobody else can run the program here");
        }
        able.then_some(reader)
    }

    // Root may write anywhere, so it becomes `nobody` first.
    #[allow(clippy::disallowed_methods)]
    fn run(&self, arguments: &[&str]) -> CommandOutput {
        let plain = self.bench.command(arguments);
        if !self.is_root {
            return CommandOutput::from(plain);
        }
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(plain.get_program());
        command.args(plain.get_args()).current_dir(plain.get_current_dir().unwrap());
        CommandOutput::from(command)
    }
}
