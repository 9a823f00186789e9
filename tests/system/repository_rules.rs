//! Rules of the repository, checked on the sources: permitted imports, one file per dangerous API, and a line limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use minismith_tests::workspace;

/// Each package and the other packages that it may import.
const TABLE: [(&str, &[&str]); 32] = [
    ("firmware-bridge", &[]),
    ("mock-robot", &["firmware-bridge"]),
    ("minismith-protocol", &[]),
    ("minismith-tool-host", &["minismith-protocol"]),
    ("minismith-recorder", &["minismith-protocol"]),
    ("minismith-webrtc", &[]),
    ("minismith-fleet", &[]),
    ("minismith-datasets", &["minismith-protocol"]),
    ("minismith-perception", &["firmware-bridge"]),
    ("minismith-score", &["firmware-bridge"]),
    ("minismith-motion-checks", &[]),
    ("minismith-commands", &["minismith-score"]),
    ("minismith-contract", &["minismith-score"]),
    // Only its tests import `minismith-contract`.
    ("minismith-composer", &["minismith-contract", "minismith-score"]),
    ("minismith-voice", &["firmware-bridge", "minismith-perception"]),
    ("minismith-runtime", &["firmware-bridge", "minismith-perception", "minismith-protocol", "mock-robot"]),
    (
        "minismith-nlu",
        &[
            "firmware-bridge",
            "minismith-commands",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-score",
        ],
    ),
    ("minismith-local-model", &["firmware-bridge", "minismith-protocol", "minismith-runtime"]),
    ("minismith-apps", &["firmware-bridge", "minismith-protocol", "minismith-runtime"]),
    (
        "minismith-control",
        &["firmware-bridge", "minismith-perception", "minismith-protocol", "minismith-runtime", "mock-robot"],
    ),
    (
        "minismith-analysis",
        &["firmware-bridge", "minismith-protocol", "minismith-runtime", "minismith-score"],
    ),
    (
        "minismith-toolchain",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-control",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-score",
            "mock-robot",
        ],
    ),
    (
        "minismith-language-model",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-local-model",
            "minismith-runtime",
            "minismith-toolchain",
        ],
    ),
    (
        "minismith-assistant",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-commands",
            "minismith-composer",
            "minismith-contract",
            "minismith-control",
            "minismith-language-model",
            "minismith-nlu",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-score",
            "minismith-toolchain",
        ],
    ),
    ("minismith-install", &["minismith-runtime"]),
    (
        "minismith-diagnostics",
        &[
            "firmware-bridge",
            "minismith-control",
            "minismith-install",
            "minismith-local-model",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-toolchain",
            "minismith-voice",
            "mock-robot",
        ],
    ),
    ("minismith-language-server", &["firmware-bridge", "minismith-analysis", "minismith-runtime"]),
    (
        "minismith-media",
        &[
            "firmware-bridge",
            "minismith-control",
            "minismith-perception",
            "minismith-runtime",
            "minismith-voice",
        ],
    ),
    (
        "minismith-dialogue",
        &[
            "firmware-bridge",
            "minismith-assistant",
            "minismith-control",
            "minismith-nlu",
            "minismith-perception",
            "minismith-runtime",
            "minismith-toolchain",
            "minismith-voice",
        ],
    ),
    (
        "minismith-server",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-apps",
            "minismith-assistant",
            "minismith-control",
            "minismith-diagnostics",
            "minismith-dialogue",
            "minismith-language-model",
            "minismith-language-server",
            "minismith-media",
            "minismith-nlu",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-score",
            "minismith-toolchain",
            "minismith-voice",
        ],
    ),
    (
        "minismith",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-apps",
            "minismith-assistant",
            "minismith-contract",
            "minismith-control",
            "minismith-datasets",
            "minismith-diagnostics",
            "minismith-dialogue",
            "minismith-install",
            "minismith-language-model",
            "minismith-language-server",
            "minismith-local-model",
            "minismith-motion-checks",
            "minismith-nlu",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-server",
            "minismith-toolchain",
            "minismith-voice",
            "mock-robot",
        ],
    ),
    (
        "minismith-tests",
        &[
            "firmware-bridge",
            "minismith-analysis",
            "minismith-assistant",
            "minismith-commands",
            "minismith-control",
            "minismith-dialogue",
            "minismith-language-model",
            "minismith-local-model",
            "minismith-nlu",
            "minismith-perception",
            "minismith-protocol",
            "minismith-runtime",
            "minismith-score",
            "minismith-server",
            "minismith-toolchain",
            "minismith-voice",
            "mock-robot",
        ],
    ),
];

/// Expressions that reach a dangerous API, and the files that may use them. These tests may use all of them.
const DOORS: &[(&[&str], &[&str])] = &[
    (&["serialport", "TTYPort"], &["firmware-bridge/src/bus/", "mock-robot/tests/"]),
    (&["rustypot::"], &["firmware-bridge/src/bus/", "mock-robot/tests/"]),
    (&["openpt"], &["mock-robot/src/firmware/line.rs"]),
    // Tests of the recorder start the recorder itself. Voice tests start the speech synthesizer. The program for fleets is one
    // of its own, and starts `minismith` in one file, to export and import tools.
    (
        &["process::Command", "Command::new", "posix_spawn", "libc::exec"],
        &[
            "controller/runtime/src/subprocess.rs",
            "controller/recorder/tests/",
            "controller/voice/tests/",
            "controller/fleet/src/programs.rs",
            "controller/fleet/tests/",
        ],
    ),
    (&["libc::fork"], &["controller/tool-host/src/process.rs"]),
    // The sandbox's self-test tries to connect, and must fail. The recorder checks whether its own server listens. The
    // programs for WebRTC and for fleets are their own, and open their sockets in one file each. Tests of updates serve archives.
    (
        &["TcpListener::bind", "UdpSocket", "TcpStream", "UnixListener"],
        &[
            "controller/runtime/src/net/",
            "controller/tool-host/src/sandbox/attempts.rs",
            "controller/recorder/src/serve.rs",
            "controller/recorder/tests/",
            "controller/webrtc/src/net.rs",
            "controller/fleet/src/net.rs",
            "controller/fleet/tests/",
            "controller/install/tests/",
        ],
    ),
    (
        &["TcpListener"],
        &[
            "controller/runtime/src/net/",
            "controller/server/src/api.rs",
            "controller/webrtc/src/net.rs",
            "controller/fleet/tests/",
            "controller/recorder/src/serve.rs",
            "controller/recorder/tests/",
            "controller/install/tests/",
        ],
    ),
    // The benchmark starts a third-party viewer.
    (&["grpc"], &["controller/recorder/", "controller/src/bench/recording_cost.rs"]),
    (&["opentelemetry", "prost::"], &["controller/runtime/src/logs/"]),
    (&["reqwest::", "rustls::"], &["controller/runtime/src/net/"]),
    // The build of the language server reads the signatures that Python gets.
    (&["pyo3", "Python::attach"], &["controller/tool-host/", "controller/language-server/build.rs"]),
    (&["re_sdk", "rerun::"], &["controller/recorder/"]),
    // Certificates of a fleet are made in one folder.
    (&["zenoh::"], &["controller/fleet/"]),
    (&["opus_pure::"], &["controller/webrtc/src/opus.rs"]),
    (&["rcgen::"], &["controller/fleet/src/identity/", "controller/fleet/tests/security.rs"]),
    // Microphones and speakers.
    (&["cpal::", "nusb::"], &["controller/voice/src/devices.rs", "controller/voice/src/devices/"]),
    (
        &["Instant::now", "SystemTime::now", "time::clock_gettime", "thread::sleep", "clock_nanosleep_"],
        // The library for WebRTC has no clock, and wants to be told the time. Messages of a fleet have a time. Nothing moves by
        // these.
        &[
            "firmware-bridge/src/clock.rs",
            "controller/webrtc/src/net.rs",
            "controller/fleet/src/net.rs",
            "controller/fleet/tests/",
        ],
    ),
    (&["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"], UNSAFE),
    (
        &["allow(unsafe_code", "expect(unsafe_code"],
        &["controller/tool-host/src/main.rs", "mock-robot/tests/allocation.rs"],
    ),
];

/// The only files with `unsafe` code. They fork, start the interpreter, expose the memory of a guest's window as
/// arrays, or count allocations in a test.
const UNSAFE: &[&str] = &[
    "controller/tool-host/src/process.rs",
    "controller/tool-host/src/interpreter.rs",
    "controller/tool-host/src/shared_frames.rs",
    "mock-robot/tests/allocation.rs",
];

pub const MEMBERS: [&str; 32] = [
    "firmware-bridge",
    "mock-robot",
    "controller/protocol",
    "controller/tool-host",
    "controller/recorder",
    "controller/webrtc",
    "controller/fleet",
    "controller/datasets",
    "controller/perception",
    "controller/score",
    "controller/motion-checks",
    "controller/commands",
    "controller/contract",
    "controller/composer",
    "controller/voice",
    "controller/runtime",
    "controller/nlu",
    "controller/apps",
    "controller/local-model",
    "controller/control",
    "controller/analysis",
    "controller/toolchain",
    "controller/language-model",
    "controller/assistant",
    "controller/diagnostics",
    "controller/install",
    "controller/language-server",
    "controller/media",
    "controller/dialogue",
    "controller/server",
    "controller",
    "tests",
];

const MAX_FILE_LINES: usize = 600;

/// Of sources and tests of one crate, but for the tests of the whole system.
const MAX_CRATE_LINES: usize = 15_000;

/// Folders of build output, installed packages and downloads.
const SKIPPED_FOLDERS: [&str; 9] = [
    "target",
    ".git",
    ".venv",
    ".venv-code",
    ".cache",
    "__pycache__",
    "node_modules",
    "dist",
    "generated-types",
];

/// Returns all files below a folder of the workspace, without build output, installed packages and downloads.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name();
        if entry.file_type().unwrap().is_dir() {
            if !SKIPPED_FOLDERS.iter().any(|skipped| name == *skipped) {
                found.extend(files(&entry.path()));
            }
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

/// Returns the path and the text of each Rust source in the workspace.
pub fn sources() -> Vec<(String, String)> {
    let root = workspace();
    let rust = files(&root).into_iter().filter(|file| file.extension().is_some_and(|end| end == "rs"));
    let read = |file: PathBuf| {
        let position = file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        (position, fs::read_to_string(&file).unwrap())
    };
    let sources: Vec<_> = rust.map(read).collect();
    assert!(sources.len() > 100, "only {} sources were found", sources.len());
    sources
}

/// Returns a line without its `//` comment: the rules do not apply to comments.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or_default()
}

/// Returns the packages that a manifest names as dependencies of any kind.
pub fn dependencies(manifest: &str) -> (String, BTreeSet<String>) {
    let (mut section, mut name, mut found) = (String::new(), String::new(), BTreeSet::new());
    for line in manifest.lines() {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').to_owned();
            // `[dependencies.name]` is a section of its own.
            found.extend(section.split_once("dependencies.").map(|(_, name)| name.to_owned()));
        } else if let Some((key, value)) = line.split_once('=') {
            let key = key.trim();
            if section == "package" && key == "name" {
                name = value.trim().trim_matches('"').to_owned();
            } else if section.ends_with("dependencies") {
                found.insert(key.trim_end_matches(".workspace").to_owned());
            }
        }
    }
    (name, found)
}

#[test]
fn packages_import_only_permitted_packages() {
    let table: BTreeMap<&str, &[&str]> = TABLE.into();
    let root = fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let listed = root.split_once("members = [").unwrap().1.split(']').next().unwrap();
    let members: BTreeSet<&str> = listed.split('"').skip(1).step_by(2).collect();
    assert_eq!(members, MEMBERS.into(), "a new package needs a line in the table");
    for member in MEMBERS {
        let manifest = fs::read_to_string(workspace().join(member).join("Cargo.toml")).unwrap();
        let (name, all) = dependencies(&manifest);
        assert!(!all.is_empty(), "{member}: no dependencies were read");
        let ours: BTreeSet<&str> =
            all.iter().map(String::as_str).filter(|one| table.contains_key(one)).collect();
        let allowed: BTreeSet<&str> = table[name.as_str()].iter().copied().collect();
        assert!(ours.is_subset(&allowed), "{name} imports {ours:?}, allowed are {allowed:?}");
    }
}

#[test]
fn each_dangerous_api_is_used_in_one_file() {
    let sources = sources();
    for (words, places) in DOORS {
        let mut used: BTreeSet<&str> = BTreeSet::new();
        for (file, text) in sources.iter().filter(|(file, _)| !file.starts_with("tests/")) {
            let door = places.iter().find(|position| file.starts_with(**position));
            for (number, line) in text.lines().enumerate() {
                let Some(word) = words.iter().find(|word| code(line).contains(**word)) else { continue };
                assert!(door.is_some(), "{file}:{} uses `{word}`; its door is {places:?}", number + 1);
                used.extend(door);
            }
        }
        assert_eq!(used.len(), places.len(), "{words:?} are used in {used:?} alone: shorten the list");
    }
}

#[test]
fn files_stay_within_the_line_limit() {
    for (file, text) in sources() {
        let lines = text.lines().count();
        assert!(
            lines <= MAX_FILE_LINES,
            "{file} has {lines} lines, at most {MAX_FILE_LINES} are allowed: split it"
        );
    }
}

#[test]
fn crates_stay_within_the_line_limit() {
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (file, text) in sources() {
        let owners = MEMBERS.iter().filter(|member| Path::new(&file).starts_with(member));
        // `controller` holds the folders of others.
        let Some(owner) = owners.max_by_key(|member| member.len()).filter(|member| **member != "tests")
        else {
            continue;
        };
        *lines.entry(owner).or_default() += text.lines().count();
    }
    assert_eq!(lines.len(), MEMBERS.len() - 1, "{lines:?}");
    for (member, lines) in lines {
        assert!(
            lines <= MAX_CRATE_LINES,
            "{member} has {lines} lines, at most {MAX_CRATE_LINES} are allowed: split it"
        );
    }
}

#[test]
fn every_module_opens_with_a_doc_sentence() {
    for (file, text) in sources() {
        let is_test = file.starts_with("tests/") || file.contains("/tests");
        assert!(is_test || text.starts_with("//! "), "{file} does not open with a sentence of purpose");
    }
}

#[test]
fn sources_contain_no_local_paths() {
    // The strings are assembled here, so that this file does not contain them itself.
    let folders = ["home", "Users", "root", "work"].map(|name| format!("/{name}/"));
    for file in files(&workspace()) {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for (number, line) in text.lines().enumerate() {
            // Ada is the example user of the configuration's own tests.
            let line = line.replace(&format!("{}ada", folders[0]), "");
            let named = folders.iter().find(|folder| line.contains(*folder));
            assert!(
                named.is_none(),
                "{}:{} names a folder of some machine: {line}",
                file.display(),
                number + 1
            );
        }
    }
}
