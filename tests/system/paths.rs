//! The two programs alone in an empty folder: where they find everything, what works at once, and `minismith setup`.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use minismith_tests::{CommandOutput, predefined_tools, program, workspace};
use serde_json::Value;
use tempfile::TempDir;

/// The folder of a user who has only the two programs, and nothing else.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Home { folder: tempfile::tempdir().unwrap() };
        for folder in ["bin", "work"] {
            fs::create_dir(home.at(folder)).unwrap();
        }
        for name in ["minismith", "minismith-tool-host"] {
            let place = home.at("bin").join(name);
            fs::hard_link(program(name), &place)
                .or_else(|_| fs::copy(program(name), &place).map(drop))
                .unwrap();
        }
        home
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of the program's data.
    fn data(&self, name: &str) -> PathBuf {
        self.at(".local/share/minismith").join(name)
    }

    // Whole-system tests start the real program.
    #[allow(clippy::disallowed_methods)]
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.at("bin/minismith"));
        command.args(arguments).current_dir(self.at("work")).stdin(Stdio::null()).env_clear();
        command.env("HOME", self.folder.path()).env("LANG", "C.UTF-8");
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(self.command(arguments))
    }

    /// Runs the program with the Python of the workspace, as the environment names it.
    fn run_with_python(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.command(arguments);
        command.env("MINISMITH_PYTHON", python());
        CommandOutput::from(command)
    }

    /// Runs `setup` with these arguments and returns its document.
    fn setup(&self, code: i32, arguments: &[&str]) -> Value {
        let python = python();
        let all = [&["setup", "--json", "--base-python", python.to_str().unwrap()], arguments].concat();
        self.run(&all).exits(code).json()
    }
}

fn python() -> PathBuf {
    workspace().join(".venv/bin/python")
}

fn location<'a>(document: &'a Value, name: &str) -> &'a Value {
    let locations = document["locations"].as_array().unwrap();
    locations.iter().find(|location| location["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn two_programs_keep_everything_in_the_home() {
    let home = Home::new();
    let paths = home.run(&["paths", "--json"]).exits(0).json();
    for (name, path) in [
        ("tools", home.data("tools")),
        ("models", home.data("models")),
        ("Python for tools", home.data("python/bin/python")),
        ("local model", home.data("local-model")),
        ("sessions", home.data("sessions.sqlite")),
        ("journal", home.data("journal.jsonl")),
        ("traces", home.data("traces")),
        ("log", home.data("log.jsonl")),
        ("photographs", home.data("photos")),
        ("tokens", home.at(".config/minismith/tokens.json")),
        ("signing key", home.at(".config/minismith/signing.key")),
        ("tool host", home.at("bin/minismith-tool-host")),
    ] {
        assert_eq!(location(&paths, name)["path"], path.to_str().unwrap(), "{name}");
    }
    assert_eq!(location(&paths, "predefined tools")["reason"], "built into the program");
    assert_eq!(location(&paths, "configuration")["path"], Value::Null);
    let looked = location(&paths, "configuration")["searched"].as_array().unwrap();
    assert_eq!(looked[0]["path"], home.at("work/config.yaml").to_str().unwrap());
    assert_eq!(location(&paths, "models")["exists"], false);

    let text = home.run(&["paths", "--all"]).exits(0).out;
    assert!(text.contains("/etc/minismith/config.yaml (of the system): missing"), "{text}");
    // A look changes nothing.
    assert!(!home.at(".config").exists() && !home.data("tools").exists());
}

#[test]
fn a_service_keeps_everything_where_systemd_says() {
    let home = Home::new();
    fs::create_dir(home.at("conf")).unwrap();
    fs::write(home.at("conf/config.yaml"), "server: {port: 0}\n").unwrap();
    let mut command = home.command(&["paths", "--json"]);
    command.env_remove("HOME");
    command.env("STATE_DIRECTORY", home.at("state")).env("CONFIGURATION_DIRECTORY", home.at("conf"));
    let paths = CommandOutput::from(command).exits(0).json();
    assert_eq!(location(&paths, "configuration")["path"], home.at("conf/config.yaml").to_str().unwrap());
    assert_eq!(location(&paths, "tools")["path"], home.at("state/tools").to_str().unwrap());
    assert_eq!(location(&paths, "tokens")["path"], home.at("state/tokens.json").to_str().unwrap());
    assert_eq!(location(&paths, "journal")["reason"], "STATE_DIRECTORY");
}

#[test]
fn the_source_tree_keeps_everything_below_it() {
    let home = Home::new();
    let mut command = home.command(&["paths", "--json"]);
    command.current_dir(workspace());
    let paths = CommandOutput::from(command).exits(0).json();
    for (name, path) in [
        ("configuration", "config.yaml"),
        ("tools", "tools"),
        ("predefined tools", "tools/predefined"),
        ("models", ".cache/models"),
        ("Python for tools", ".venv/bin/python"),
        ("local model", ".cache/model"),
    ] {
        let found = location(&paths, name)["path"].as_str().unwrap();
        assert_eq!(workspace().join(found), workspace().join(path), "{name}");
    }
}

#[test]
fn two_programs_move_make_a_tool_and_run_predefined_ones() {
    let home = Home::new();
    let moved = home.run(&["say", "nod twice"]).exits(0);
    assert!(moved.out.starts_with("Done: nod twice."), "{}", moved.out);

    // What needs Python says what to do.
    let without = home.run(&["tool", "run", "greet"]);
    assert_ne!(without.code, Some(0));
    assert!(format!("{}{}", without.out, without.err).contains("`minismith setup`"), "{without:?}");

    let made = home.run_with_python(&["say", "make a tool called bob that nods three times"]).exits(0);
    assert!(made.out.contains("bob, version 1"), "{}", made.out);
    assert!(home.data("tools/generated/bob/v1.py").is_file());
    let ran = home.run_with_python(&["say", "run bob"]).exits(0);
    assert!(ran.out.contains("I ran bob"), "{}", ran.out);
    let ran = home.run_with_python(&["say", "greet"]).exits(0);
    assert!(ran.out.contains("I ran greet"), "{}", ran.out);

    let tools = home.run(&["tool", "list", "--json"]).exits(0).json();
    let tools = tools["tools"].as_array().unwrap();
    let predefined = tools.iter().filter(|tool| tool["predefined"] == true).count();
    assert_eq!((predefined, tools.len()), (predefined_tools().len(), predefined + 1));
    let doctor = home.run_with_python(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let files = checks.iter().find(|check| check["name"] == "files").unwrap()["detail"].as_str().unwrap();
    assert!(files.contains("predefined tools: built into the program"), "{files}");
    assert!(files.contains("(MINISMITH_PYTHON)"), "{files}");
}

#[test]
fn a_person_changes_the_state_of_a_predefined_tool_and_not_its_files() {
    let home = Home::new();
    home.run(&["tool", "deactivate", "greet"]).exits(0).out.clear();
    let copies: Vec<_> =
        fs::read_dir(home.data("tools/.built-in")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(copies.len(), 1, "{copies:?}");
    let shipped = workspace().join("tools/predefined/greet/state.json");
    assert_eq!(fs::read(copies[0].join("greet/state.json")).unwrap(), fs::read(shipped).unwrap());
    let ran = home.run_with_python(&["tool", "run", "greet"]);
    assert!(ran.code != Some(0) && format!("{}{}", ran.out, ran.err).contains("deactivated"), "{ran:?}");
    assert!(home.run(&["tool", "activate", "greet"]).exits(0).out.contains("active"));
    assert!(home.run_with_python(&["tool", "run", "greet"]).exits(0).out.contains("greeted"));
    // Its name stays its own.
    fs::write(home.at("work/greet.py"), "def greet() -> int:\n    \"\"\"Greet.\"\"\"\n    return 1\n")
        .unwrap();
    let added = home.run_with_python(&["tool", "add", "greet.py"]);
    assert!(format!("{}{}", added.out, added.err).contains("comes with the program"), "{added:?}");
}

#[test]
fn a_configuration_that_others_may_write_is_not_read() {
    let home = Home::new();
    fs::write(home.at("work/config.yaml"), "robot: /dev/nowhere\n").unwrap();
    fs::set_permissions(home.at("work"), fs::Permissions::from_mode(0o777)).unwrap();
    let said = home.run(&["say", "nod"]).exits(0);
    assert!(said.err.contains("work/config.yaml is not read, because another user"), "{}", said.err);
    assert!(!home.at("work/tools").exists());
    let named = home.run(&["say", "nod", "--config", "config.yaml"]);
    assert!(named.code != Some(0) && named.err.contains("/dev/nowhere"), "{named:?}");
    fs::set_permissions(home.at("work"), fs::Permissions::from_mode(0o755)).unwrap();
    assert!(home.run(&["say", "nod"]).err.contains("/dev/nowhere"));
}

#[test]
fn a_home_that_is_missing_or_cannot_be_written_is_an_error_with_a_remedy() {
    let home = Home::new();
    let mut homeless = home.command(&["say", "nod"]);
    homeless.env_remove("HOME");
    CommandOutput::from(homeless).is_error(&["HOME is not set", "XDG_DATA_HOME", "--config"]);
    let mut blocked = home.command(&["say", "nod"]);
    blocked.env("HOME", "/dev/null");
    CommandOutput::from(blocked).is_error(&["/dev/null/.local", "writable", "`minismith paths`"]);
}

/// A package with one file, and a table and requirements that pin it.
struct Package {
    folder: PathBuf,
}

const CONTENT: &str = "what the model knows\n";

impl Package {
    // A wheel is an archive, which Python writes.
    #[allow(clippy::disallowed_methods)]
    fn new(home: &Home) -> Self {
        const WRITE: &str = "
import hashlib, sys, zipfile
path, content = sys.argv[1:]
info = 'toy_model-1.0.dist-info/'
with zipfile.ZipFile(path, 'w') as wheel:
    wheel.writestr('toy_model/data.bin', content)
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: toy-model\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'RECORD', 'toy_model/data.bin,,\\n')
print(hashlib.sha256(content.encode()).hexdigest(), hashlib.sha256(open(path, 'rb').read()).hexdigest())
";
        let folder = home.at("packages");
        fs::create_dir(&folder).unwrap();
        let wheel = folder.join("toy_model-1.0-py3-none-any.whl");
        let written = Command::new(python()).args(["-c", WRITE]).arg(&wheel).arg(CONTENT).output().unwrap();
        let hashes = String::from_utf8(written.stdout).unwrap();
        let (file, wheel) = hashes.trim().split_once(' ').unwrap();
        for (name, hash) in [("right", file), ("wrong", &"0".repeat(64))] {
            let row = format!("toy/data.bin any {hash} toy-model==1.0 toy_model/data.bin copy 1MB MIT\n");
            fs::write(home.at(&format!("{name}.table")), format!("# A table.\n{row}")).unwrap();
        }
        for (name, hash) in [("right", wheel), ("wrong", &"0".repeat(64))] {
            let line = format!("toy-model==1.0 --hash=sha256:{hash}\n");
            fs::write(home.at(&format!("{name}.txt")), line).unwrap();
        }
        Package { folder }
    }

    /// Serves the folder over HTTP until the test ends, and returns the address.
    fn served(&self) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let folder = self.folder.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                answer(stream, &folder);
            }
        });
        address
    }
}

/// Answers one request: a page with links, or a file.
fn answer(mut stream: std::net::TcpStream, folder: &Path) {
    let mut asked = Vec::new();
    let mut part = [0; 4096];
    while !asked.windows(4).any(|four| four == b"\r\n\r\n") {
        match stream.read(&mut part) {
            Ok(length) if length > 0 => asked.extend_from_slice(&part[..length]),
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&asked).into_owned();
    let name = text.split(' ').nth(1).unwrap_or_default().trim_start_matches('/').to_owned();
    let (kind, body) = if name.is_empty() {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let links: String = names.map(|name| format!("<a href=\"{name}\">{name}</a>\n")).collect();
        ("text/html", format!("<!DOCTYPE html><html><body>{links}</body></html>").into_bytes())
    } else {
        ("application/octet-stream", fs::read(folder.join(name)).unwrap_or_default())
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    // The client may have gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

/// Returns the names of all files below a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path.file_name().unwrap().to_str().unwrap().to_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn models_are_installed_only_with_their_hash() {
    let home = Home::new();
    let package = Package::new(&home);
    let address = package.served();
    let table = |name: &str| home.at(&format!("{name}.table")).display().to_string();
    let setup = |code: i32, name: &str, from: &str| {
        home.setup(code, &["--models", "--table", &table(name), "--from", from])
    };

    let missing = home.setup(1, &["--models", "--table", &table("right"), "--check"]);
    assert_eq!(missing["items"][0]["status"], "missing");
    for from in [address.as_str(), package.folder.to_str().unwrap()] {
        let refused = setup(1, "wrong", from);
        assert_eq!((&refused["complete"], &refused["items"][0]["status"]), (&false.into(), &"failed".into()));
        let reason = refused["items"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("another toy/data.bin than was pinned"), "{reason}");
        assert_eq!(files(&home.data("models")), [".lock"]);
    }

    // The right one, also after a run that was interrupted in the middle of a file.
    fs::create_dir_all(home.data("models/toy")).unwrap();
    fs::write(home.data("models/toy/data.bin.new"), "what the").unwrap();
    let installed = setup(0, "right", &address);
    assert_eq!(installed["items"][0]["status"], "installed");
    let place = home.data("models/toy/data.bin");
    assert_eq!(installed["items"][0]["path"], place.to_str().unwrap());
    assert_eq!(fs::read_to_string(&place).unwrap(), CONTENT);
    assert_eq!(files(&home.data("models")), [".lock", "data.bin"]);

    // Again: nothing is fetched. A damaged file is replaced, and a refused one leaves what was there.
    let nowhere = home.at("nothing");
    fs::create_dir(&nowhere).unwrap();
    let again = setup(0, "right", nowhere.to_str().unwrap());
    assert_eq!(again["items"][0]["status"], "present");
    setup(1, "wrong", &address);
    assert_eq!(fs::read_to_string(&place).unwrap(), CONTENT);
    fs::write(&place, "broken").unwrap();
    let offline = setup(1, "right", nowhere.to_str().unwrap());
    let reason = offline["items"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("toy-model==1.0 cannot be fetched") && reason.contains("nothing holds it"),
        "{reason}"
    );
    assert_eq!(setup(0, "right", &address)["items"][0]["status"], "installed");
    assert_eq!(fs::read_to_string(&place).unwrap(), CONTENT);
}

#[test]
fn python_packages_are_installed_only_with_their_hash() {
    let home = Home::new();
    let package = Package::new(&home);
    let from = package.folder.to_str().unwrap();
    let setup = |code: i32, name: &str| {
        let requirements = home.at(&format!("{name}.txt")).display().to_string();
        home.setup(code, &["--python", "--requirements", &requirements, "--from", from])
    };
    let refused = setup(1, "wrong");
    let reason = refused["items"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("toy-model==1.0 cannot be installed: its hash is not the one that is pinned"),
        "{reason}"
    );
    assert!(!home.data("python").exists() && !home.data("python.new").exists());

    let installed = setup(0, "right");
    let place = home.data("python/bin/python");
    assert_eq!(installed["items"][0]["path"], place.to_str().unwrap());
    assert_eq!(installed["items"][0]["status"], "installed");
    assert!(place.exists() && files(&home.data("python/lib")).contains(&"data.bin".to_owned()));
    let paths = home.run(&["paths", "--json"]).exits(0).json();
    assert_eq!(location(&paths, "Python for tools")["exists"], true);

    assert_eq!(setup(0, "right")["items"][0]["status"], "present");
    // One that is refused leaves the environment that works.
    setup(1, "wrong");
    assert!(files(&home.data("python/lib")).contains(&"data.bin".to_owned()));
}

#[test]
fn setup_says_what_is_wrong_with_its_arguments() {
    let home = Home::new();
    home.run(&["setup", "--from", "nowhere"]).is_error(&["--from nowhere: there is no such folder"]);
    home.run(&["setup", "--from", "ftp://host/"]).is_error(&["`ftp` is not a kind of address", "https"]);
    home.run(&["setup", "--table", "none.txt"]).is_error(&["cannot read none.txt"]);
    home.run(&["setup", "--python", "--base-python", "/bin/false"]).is_error(&["/bin/false", "3.11"]);
    let mut named = home.command(&["setup", "--python"]);
    named.env("MINISMITH_PYTHON", "/usr/bin/python3");
    CommandOutput::from(named).is_error(&["MINISMITH_PYTHON", "virtual environment"]);
    let check = home.run(&["setup", "--check"]).exits(1).out;
    assert!(check.contains("missing    numpy==2") && check.contains("hibari.onnx"), "{check}");
    assert!(check.contains("`minismith setup` installs what is missing"), "{check}");
}
