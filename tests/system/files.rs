//! Files that a tool receives and files that it writes, from the command line to the disk, with hostile ones on both
//! sides.

use std::fs;
use std::os::unix::fs::symlink;

use minismith_analysis::files::Outputs;
use minismith_analysis::files::input::{bind, read};
use minismith_analysis::manifest::Capability;
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::initial_joints;
use minismith_protocol::{Job, Limits};
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::guest::Guest;
use minismith_toolchain::tool_run::{Outcome, Permissions, ToolRun, execute};
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;
use serde_json::{Value, json};

use crate::guest::context::host;

/// Runs a source whose `tool` takes `out`, without a policy.
fn write_with(body: &str, outputs: Option<Outputs>, capabilities: &[Capability]) -> ToolRun {
    let source = format!("def tool(out):\n    {}\n", body.replace('\n', "\n    "));
    let job = Job {
        source,
        module: "tool".into(),
        entry: "tool".into(),
        output_parameter: Some("out".into()),
        limits: Limits { turn_seconds: 2.0, ..Limits::DEFAULT },
        ..Job::default()
    };
    let permit = Permissions {
        capabilities: capabilities.iter().copied().collect(),
        robot_time_s: 120.0,
        outputs,
        ..Permissions::default()
    };
    play(job, &permit)
}

fn play(job: Job, permit: &Permissions) -> ToolRun {
    use firmware_bridge::clock::VirtualClock;
    let robot = MockRobot::new(initial_joints(), Variation::default());
    let cycle = std::time::Duration::from_millis(10);
    let limits = firmware_bridge::limits::Limits::default();
    let control_loop =
        firmware_bridge::control_loop::ControlLoop::new(robot, VirtualClock::new(), limits, cycle).unwrap();
    let mut context = ExecutionContext::new(Box::new(control_loop), Scene::default());
    let mut guest = host().fork(job.limits).unwrap();
    execute(&mut guest as &mut dyn Guest, job, &mut context, permit)
}

/// Runs a tool that writes through the permitted interface.
fn write(body: &str) -> ToolRun {
    write_with(body, Some(Outputs::default()), &[Capability::Files])
}

#[track_caller]
fn raises(tool_run: &ToolRun, kind: &str, word: &str) {
    match &tool_run.outcome {
        Outcome::Raised { kind: raised, message, .. } => {
            assert!(raised == kind && message.contains(word), "{raised}: {message}");
        }
        other => panic!("it did not raise: {other:?}"),
    }
    assert!(tool_run.outputs.is_empty());
}

#[test]
fn controller_checks_files_written_by_guests() {
    for name in ["../a.txt", "/tmp/PWNED.txt", "a/../b.txt", ".hidden.txt", "a.exe", "", "a.txt\\0.png"] {
        raises(&write(&format!("out.write('{name}', 'x')")), "ValueError", "");
    }
    raises(&write("for n in range(1000): out.write(f'{n}.txt', '')"), "RuntimeError", "16 files");
    let piece_by_piece = write("while True: out.write('a.txt', 'x' * 4_000_000)");
    raises(&piece_by_piece, "RuntimeError", "10485760 bytes");
    raises(&write_with("out.write('a.txt', '')", Some(Outputs::default()), &[]), "PermissionError", "files");
    raises(
        &write_with("out.write('a.txt', '')", None, &[Capability::Files]),
        "PermissionError",
        "does not declare",
    );
    raises(&write("out.write('a.txt', 5)"), "TypeError", "not int");

    let stored = write(
        "out.write('a.bin.txt', b'\\xff' * 3)\nout.write('e.md', '')\nreturn out.write('e.md', '\u{e9}')",
    );
    assert_eq!(stored.outcome, Outcome::Returned { value: Value::Null });
    let names: Vec<_> = stored.outputs.iter().map(|one| (one.name.as_str(), one.bytes)).collect();
    assert_eq!(names, [("a.bin.txt", 3), ("e.md", 2)]);
    // One whole chunk and a part of the next, joined again.
    let long = write("out.write('long.txt', 'abc' * 200_000)");
    assert_eq!(long.outputs[0].content.0.as_slice(), "abc".repeat(200_000).as_bytes());
    assert!(write("out.write('a.txt', 'x')\nraise ValueError").notes[0].contains("1 files are discarded"));
}

#[test]
fn forged_chunks_and_foreign_frames_are_harmless() {
    // The guest sends its own turns, and reads its channel as if it were the execution context.
    let speak = "import json, os
def frame(turn):
    text = json.dumps(turn).encode()
    os.write(3, len(text).to_bytes(4, 'little') + text)
def ask(piece):
    frame({'turn': 'asks', 'cue': {'cue': 'write', 'file': 'a.txt', 'piece': piece}, 'spent': 0, 'printed': ''})
    length = int.from_bytes(os.read(3, 4), 'little')
    return json.loads(os.read(3, length))
";
    let answers =
        write(&format!("{speak}return [ask(p)['answer'] for p in ('***', 'YQ', 'A' * 600_000, 'YQ==')]"));
    let expected = json!(["refused", "refused", "refused", "done"]);
    assert_eq!(answers.outcome, Outcome::Returned { value: expected });
    assert_eq!(answers.outputs[0].content.0.as_slice(), b"a");
    let result =
        "frame({'turn': 'result', 'shown': None, 'trouble': None, 'more': False, 'printed': '', 'spent': 0})";
    let forged = write(&format!("{speak}{result}\nos.read(3, 1)"));
    assert!(
        matches!(&forged.outcome, Outcome::Stopped { limit, .. } if limit == "forged"),
        "{:?}",
        forged.outcome
    );
    let reading = write("import os\nwhile True: os.read(3, 1)");
    assert!(matches!(&reading.outcome, Outcome::Stopped { limit, .. } if limit == "turn_seconds"));
}

#[test]
fn tool_receives_the_file_as_read() {
    let bench = TestDir::new();
    let text = bench.write("a.txt", "Stra\u{df}e\nb");
    let schema = json!({"properties": {"file": {"format": "file", "types": ["txt"], "maxBytes": 20}}});
    let source = "def tool(file):
    out = [file.name, file.text(), file.lines(), len(file), dict(file.about), repr(file)]
    for change in (lambda: setattr(file, 'name', 'x'), lambda: file.about.update(a=1), lambda: type(file)()):
        try:
            change()
            out.append('changed')
        except (AttributeError, TypeError):
            pass
    return out
";
    let job = |path: &str| Job {
        source: source.into(),
        module: "tool".into(),
        entry: "tool".into(),
        arguments: json!({ "file": path }).as_object().unwrap().clone(),
        limits: Limits::DEFAULT,
        ..Job::default()
    };
    let open = |path: &str, most| read(std::path::Path::new(path), most);
    let bound = bind(job(text.to_str().unwrap()), &schema, &open).unwrap();
    let permit = Permissions { robot_time_s: 9.0, ..Permissions::default() };
    let Outcome::Returned { value } = play(bound, &permit).outcome else { panic!("it did not return") };
    let about = json!({"type": "txt", "encoding": "utf-8", "lines": 2});
    let lines = json!(["Stra\u{df}e", "b"]);
    assert_eq!(value, json!(["a.txt", "Stra\u{df}e\nb", lines, 9, about, "InputFile(\"a.txt\", 9 bytes)"]));
    let long = bench.write("long.txt", &"x".repeat(21));
    assert!(bind(job(long.to_str().unwrap()), &schema, &open).unwrap_err().to_string().contains("20 bytes"));
}

#[test]
fn tool_reads_and_writes_files_from_the_command_line() {
    let bench = TestDir::new();
    let tool = workspace().join("tests/cases/good/reads_a_table.py");
    let added = bench.run(&["tool", "add", tool.to_str().unwrap(), "--json"]).exits(0).json();
    let manifest = &added["registered"];
    assert_eq!(manifest["capabilities"], json!(["files"]));
    let table = &manifest["parameters"]["properties"]["table"];
    assert_eq!(
        (&table["type"], &table["format"], &table["types"], &table["maxBytes"]),
        (&json!("string"), &json!("file"), &json!(["csv"]), &json!(5 << 20))
    );
    assert!(manifest["parameters"]["properties"].get("out").is_none());
    let declared = json!({"names": ["report.md", "plot.svg"], "types": ["json"], "max_bytes": 10 << 20, "max_files": 16});
    assert_eq!(manifest["outputs"], declared);
    let cases = added["checked"]["cases"].as_array().unwrap();
    let outputs = cases[0]["outputs"].as_array().unwrap();
    assert_eq!(
        (outputs.len(), &outputs[0]["name"], &outputs[0]["path"]),
        (3, &json!("report.md"), &Value::Null)
    );
    assert!(!bench.path("outputs").exists(), "a rehearsal keeps nothing");

    bench.write("data.csv", "t;x\n0;1.5\n\n1;2.5\n");
    let run = ["tool", "run", "reads_a_table", "--args", r#"{"table": "data.csv"}"#];
    let ran = bench.run(&[&run[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(ran["performance"]["value"]["mean"], 2.0);
    let report = bench.path("outputs/reads_a_table/report.md");
    let text = fs::read_to_string(&report).unwrap();
    assert!(text.starts_with("# x of data.csv\n"), "{text}");
    let listed = &ran["performance"]["outputs"][0];
    assert_eq!(
        (&listed["name"], &listed["type"], &listed["bytes"]),
        (&json!("report.md"), &json!("md"), &json!(text.len()))
    );
    assert_eq!(listed["sha256"].as_str().unwrap().len(), 64);
    assert!(fs::read_to_string(bench.path("outputs/reads_a_table/plot.svg")).unwrap().contains("<polyline"));
    let again = bench.run(&run).exits(0).out;
    assert!(again.contains("wrote outputs/reads_a_table/report-2.md"), "{again}");
    assert_eq!(fs::read_to_string(&report).unwrap(), text);
    let elsewhere = bench.run(&[&run[..], &["--out", "elsewhere"]].concat()).exits(0).out;
    assert!(elsewhere.contains("wrote elsewhere/report.md") && bench.path("elsewhere/found.json").is_file());
}

#[test]
fn only_regular_files_of_the_stated_type_are_passed() {
    let bench = TestDir::new();
    let tool = workspace().join("tests/cases/good/reads_any_file.py");
    let _added = bench.run(&["tool", "add", tool.to_str().unwrap()]).exits(0);
    fs::create_dir(bench.path("folder.txt")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bench.path("fifo.txt"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    symlink("/dev/zero", bench.path("zero.txt")).unwrap();
    symlink("/etc/passwd", bench.path("users.txt")).unwrap();
    bench.write("picture.png", "no picture");
    bench.write("long.txt", &"x".repeat((1 << 20) + 1));
    let run = |path: &str| {
        bench.run(&["tool", "run", "reads_any_file", "--json", "--args", &json!({"file": path}).to_string()])
    };
    for (path, word) in [
        ("folder.txt", "not a regular file"),
        ("fifo.txt", "not a regular file"),
        ("zero.txt", "not a regular file"),
        ("/dev/null", "not a regular file"),
        ("nowhere.txt", "can't read"),
        ("picture.png", "is not a png file"),
        ("long.txt", "longer than the 1048576 bytes"),
        ("config.yml", "can't read"),
        ("", "can't read"),
        ("sample:text.txt", "can't read"),
    ] {
        let refusal = run(path).exits(1).json()["refusal"].to_string();
        assert!(refusal.contains(word), "{path}: {refusal}");
    }
    // A user who passes a link on the command line has chosen its target and may read it.
    let users = run("users.txt").exits(0).json();
    assert_eq!(users["performance"]["value"]["type"], "txt");
    let config = run("config.yaml").exits(0).json();
    assert_eq!(config["performance"]["value"]["keys"], json!(["tool_host", "tools", "bus"]));
}

#[test]
fn test_cases_include_their_files() {
    let bench = TestDir::new();
    let source = fs::read_to_string(workspace().join("tests/cases/good/reads_a_table.py")).unwrap();
    let tool = bench.write("mine/reads_a_table.py", &source);
    bench.write("mine/samples/own.csv", "t,x\n0,7\n");
    bench.write("outside.csv", "t,x\n0,8\n");
    symlink("../outside.csv", bench.path("mine/link.csv")).unwrap();
    let declare = |path: &str| {
        let case = json!({"name": "own", "arguments": {"table": path}});
        bench.write("mine/reads_a_table.yaml", &json!({"test_cases": [case]}).to_string());
        bench.run(&["tool", "add", tool.to_str().unwrap(), "--json"])
    };
    for (path, word) in [
        ("../outside.csv", "not below the folder"),
        ("/etc/passwd", "not below the folder"),
        ("link.csv", "leads out of the folder"),
        ("nowhere.csv", "can't read"),
        ("reads_a_table.yaml", "the tool takes csv"),
    ] {
        let refused = declare(path).exits(1).json();
        let finding = &refused["checked"]["findings"][0];
        assert!(
            finding["rule"] == "test-file" && finding["reason"].as_str().unwrap().contains(word),
            "{finding}"
        );
    }
    let added = declare("samples/own.csv").exits(0).json();
    let cases = added["checked"]["cases"].as_array().unwrap();
    let own = cases.iter().find(|case| case["arguments"] == json!({"table": "sample:own.csv"})).unwrap();
    assert_eq!(own["outcome"]["value"]["mean"], 7.0);
    // The file is gone, and the tool can still be rehearsed again: the manifest contains its bytes.
    fs::remove_dir_all(bench.path("mine")).unwrap();
    let _approved = bench.run(&["tool", "approve", "reads_a_table", "--json"]).exits(0);
}
