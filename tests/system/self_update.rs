//! `minismith self-update` with the real program as the new one, and killed in the middle.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use minisign::KeyPair;
use minismith_tests::{TestDir, program};
use rustix::process::Signal;
use serde_json::json;
use tar::{Builder, Header};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A user's folder with a key in its configuration, and the secret key.
struct UpdateTest {
    bench: TestDir,
    keys: KeyPair,
}

impl UpdateTest {
    fn new() -> Self {
        let keys = KeyPair::generate_unencrypted_keypair().unwrap();
        let bench = TestDir::configured(&format!("update: {{public_key: {}}}\n", keys.pk.to_base64()));
        UpdateTest { bench, keys }
    }

    /// Publishes an archive whose program is the real one, started by a line of the shell.
    fn release(&self, name: &str) -> String {
        let real = program("minismith");
        let script = format!("#!/bin/sh\n# {name}\nexec {} \"$@\"\n", real.display());
        let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        let mut header = Header::new_ustar();
        header.set_size(script.len() as u64);
        header.set_mode(0o755);
        archive.append_data(&mut header, "minismith-release/minismith", script.as_bytes()).unwrap();
        let archive = archive.into_inner().unwrap().finish().unwrap();
        let comment = format!("minismith {VERSION} {}", std::env::consts::ARCH);
        let signed =
            minisign::sign(Some(&self.keys.pk), &self.keys.sk, Cursor::new(&archive), Some(&comment), None);
        let path = self.bench.path(name);
        fs::write(&path, archive).unwrap();
        fs::write(self.bench.path(&format!("{name}.minisig")), signed.unwrap().into_string()).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn folder(&self) -> PathBuf {
        self.bench.path(".share/minismith/program")
    }

    /// Which archive the program in use comes from.
    fn in_use(&self) -> Option<String> {
        let text = fs::read_to_string(self.folder().join("current/minismith")).ok()?;
        text.lines().nth(1).map(|line| line.trim_start_matches("# ").to_owned())
    }
}

/// Returns the processes that name a folder in their command line or work in it.
fn processes_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).into_owned();
        // A process that is ending has no memory any more, but still has a folder for a moment.
        if command.is_empty() {
            continue;
        }
        let works_in = fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder));
        if works_in || command.contains(folder.to_str().unwrap()) {
            found.push(command);
        }
    }
    found
}

#[test]
fn the_real_program_passes_its_own_trial_and_touches_nothing_else() {
    let test = UpdateTest::new();
    let (first, second) = (test.release("first.tar.gz"), test.release("second.tar.gz"));
    let refused = test.bench.run(&["self-update", &first, "--json"]).exits(1).json();
    assert!(refused["refusal"].as_str().unwrap().contains("installed already"), "{refused}");
    let before: Vec<_> = fs::read_dir(test.bench.path(".share/minismith")).unwrap().flatten().collect();
    let updated = test.bench.run(&["self-update", &first, "--allow-downgrade", "--json"]).exits(0).json();
    assert_eq!((&updated["version"], &updated["previous"]), (&json!(VERSION), &json!(null)));
    let updated = test.bench.run(&["self-update", &second, "--allow-downgrade", "--json"]).exits(0).json();
    assert_eq!(
        (updated["previous"].as_str(), test.in_use().as_deref()),
        (Some(VERSION), Some("second.tar.gz"))
    );
    let _back = test.bench.run(&["self-update", "--roll-back"]).exits(0);
    assert_eq!(test.in_use().as_deref(), Some("first.tar.gz"));
    let after: Vec<_> = fs::read_dir(test.bench.path(".share/minismith")).unwrap().flatten().collect();
    let names = |entries: &[fs::DirEntry]| {
        let mut names: Vec<_> = entries.iter().map(fs::DirEntry::file_name).collect();
        names.sort();
        names
    };
    assert_eq!(names(&after), names(&before));
    test.bench.run(&["self-update"]).is_error(&["FILE|URL"]);
    test.bench.run(&["self-update", "missing.tar.gz"]).is_error(&["cannot read the update"]);
}

#[test]
// The times are those of a person with a finger on the power switch.
#[allow(clippy::disallowed_methods)]
fn killed_at_any_time_a_whole_version_is_in_use_and_nothing_runs_on() {
    let test = UpdateTest::new();
    let (first, second) = (test.release("first.tar.gz"), test.release("second.tar.gz"));
    let _first = test.bench.run(&["self-update", &first, "--allow-downgrade"]).exits(0);
    let mut seen = Vec::new();
    for tenths in 0..16 {
        let other = if tenths % 2 == 0 { &second } else { &first };
        let running = test.bench.start(&["self-update", other, "--allow-downgrade"]);
        sleep(Duration::from_millis(150 * tenths));
        running.signal(Signal::KILL);
        drop(running);
        let used = test.in_use();
        assert!(matches!(used.as_deref(), Some("first.tar.gz" | "second.tar.gz")), "{used:?}");
        seen.push(used);
        // What the update has started last ends by itself; a busy machine takes its time for that.
        let mut left = processes_in(&test.folder());
        for _ in 0..100 {
            if left.is_empty() {
                break;
            }
            sleep(Duration::from_millis(200));
            left = processes_in(&test.folder());
        }
        assert!(left.is_empty(), "{left:?}");
    }
    // The next command goes on, whatever was left.
    for other in [&first, &second] {
        let ended = test.bench.run(&["self-update", other, "--allow-downgrade"]);
        assert!(ended.code == Some(0) || ended.out.contains("installed already"), "{ended:?}");
    }
    assert_eq!(test.in_use().as_deref(), Some("second.tar.gz"));
    assert!(!test.folder().join("staging").exists());
    seen.dedup();
    println!("the version changed {} times", seen.len() - 1);
}
