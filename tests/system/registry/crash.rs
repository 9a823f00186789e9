//! A registry whose writers are killed and whose disk is full: it holds the old version or the new one, never a
//! mixture.

use std::fs;
use std::path::Path;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_tests::{CommandOutput, TestDir};
use minismith_toolchain::workshop::registry::Registry;
use rustix::process::Signal;
use serde_json::{Value, json};

use super::{add, answer, list, source};

/// The number of killed writers.
const KILLS: u32 = 100;

/// The part of the measured time that is left of it where a writer was done before it was killed.
const SHORTER: f64 = 0.9;

/// The time between two looks at what a writer has written: far below the time in which it writes.
const GLANCE: Duration = Duration::from_micros(200);

/// The seed of the random numbers.
const SEED: u64 = 20_261_122;

/// The number of writers that run to their end, to measure their duration.
const LEFT_ALONE: u32 = 3;

/// Returns a linear congruential generator (Knuth's MMIX) of numbers from 0 to 1.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

/// Lets an exact real time pass, so that the process is killed during its work.
fn pass(time: Duration) {
    let clock = MonotonicClock::start();
    clock.wait_until(clock.now() + time);
}

/// Returns the files of a tool, to restore the initial state.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read(&path).unwrap())).collect()
}

#[test]
fn killed_writer_leaves_the_old_or_the_new_version() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let folder = bench.path("tools/generated/counter");
    let first = files(&folder);
    let begin_again = || {
        fs::remove_dir_all(&folder).unwrap();
        fs::create_dir(&folder).unwrap();
        first.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
    };
    let file = bench.write("counter.py", &source("counter", 2));
    let arguments = ["tool", "add", file.to_str().unwrap(), "--json"];

    // Some undisturbed runs give the least total time and the least writing time. A machine that is busy for a moment
    // would delay all other kills too much.
    let clock = MonotonicClock::start();
    let begun_to_write = || fs::read_dir(&folder).unwrap().count() > first.len();
    let wait_until_it_writes = || {
        let limit = clock.now() + Duration::from_secs(20);
        while !begun_to_write() && clock.now() < limit {
            std::thread::park_timeout(GLANCE);
        }
    };
    let (mut whole, mut writing) = (Duration::MAX, Duration::MAX);
    for _ in 0..LEFT_ALONE {
        let began = clock.now();
        let writer = bench.start(&arguments);
        wait_until_it_writes();
        let wrote = clock.now();
        let _added = writer.end().exits(0);
        whole = whole.min(clock.now().since(began));
        writing = writing.min(clock.now().since(wrote));
        begin_again();
    }
    println!("seed {SEED}; an add takes {whole:?}, its writing and its end {writing:?}");

    let registry = Registry::open(&bench.path("tools")).unwrap();
    let (mut state, mut killed, mut new, mut pieces) = (SEED, 0, 0, 0);
    for kill in 0..KILLS {
        let left = files(&folder).len();
        let writer = bench.start(&arguments);
        let share = random(&mut state);
        // Every second writer is killed in the short time in which it writes, the others at any time.
        if kill % 2 == 0 {
            pass(whole.mul_f64(share));
        } else {
            let limit = clock.now() + whole;
            while files_or_none(&folder) == left && clock.now() < limit {
                std::thread::park_timeout(GLANCE);
            }
            pass(writing.mul_f64(share * share));
        }
        writer.signal(Signal::KILL);
        let is_killed = writer.end().code.is_none();
        killed += u32::from(is_killed);
        if !is_killed {
            // It was measured when the machine was busier.
            whole = whole.mul_f64(SHORTER);
        }

        let tools = registry.list().unwrap();
        let tool = tools.first().unwrap_or_else(|| panic!("kill {kill}: the tool is gone"));
        let loaded = registry.load("counter", None).unwrap_or_else(|error| panic!("kill {kill}: {error}"));
        assert_eq!((tools.len(), tool.version), (1, loaded.manifest().version), "kill {kill}");
        assert!(tool.versions == [1] || tool.versions == [1, 2], "kill {kill}: {:?}", tool.versions);
        // Every listed version is complete, whether called or not.
        for version in &tool.versions {
            let loaded = registry.load("counter", Some(*version)).unwrap();
            assert_eq!(loaded.checked().draft().source(), source("counter", *version), "kill {kill}");
        }
        let is_new = tool.versions.len() == 2;
        pieces += u32::from(files(&folder).len() > if is_new { first.len() + 5 } else { first.len() });
        if kill % 20 == 19 {
            assert_eq!(list(&bench).1[0]["version"], json!(tool.version));
            assert_eq!(answer(&bench, "counter"), json!(tool.version));
        }
        if is_new {
            new += 1;
            begin_again();
        }
    }
    println!(
        "{killed} of {KILLS} were killed in time; {new} times the new version was there, {pieces} times pieces"
    );
    assert!(killed >= KILLS / 2, "only {killed} were killed in time");
    let _added = bench.run(&arguments).exits(0);
    assert_eq!(answer(&bench, "counter"), 2);
    let mut left: Vec<String> = files(&folder).into_iter().map(|(name, _)| name).collect();
    left.sort();
    let parts = ["json", "md", "py", "sha256", "svg"];
    let versions = ["v1", "v2"].into_iter().flat_map(|version| parts.map(|part| format!("{version}.{part}")));
    let whole: Vec<String> = ["state.json".to_owned()].into_iter().chain(versions).collect();
    // The recording exists where the recorder is built.
    left.retain(|name| !name.ends_with(".rrd"));
    assert_eq!(left, whole);
}

/// Returns the number of files while another process writes them.
fn files_or_none(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

/// Asserts that the registry is unchanged and can be written again.
#[track_caller]
fn still_has_version_one(bench: &TestDir) {
    let tools = list(bench).1;
    assert_eq!((&tools[0]["version"], &tools[0]["versions"]), (&json!(1), &json!([1])));
    assert_eq!(answer(bench, "counter"), 1);
    let names: Vec<String> =
        files(&bench.path("tools/generated/counter")).into_iter().map(|(name, _)| name).collect();
    let others = names.iter().filter(|name| !name.ends_with(".rrd")).count();
    assert_eq!(others, 6, "{names:?}");
}

// The limit applies to the started process.
#[allow(clippy::disallowed_methods)]
#[test]
fn incomplete_write_keeps_the_old_version() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let file = bench.write("counter.py", &source("counter", 2));
    // In blocks of 512 bytes: no file at all; the code, but not the manifest.
    for blocks in ["0", "2"] {
        let plain = bench.command(&["tool", "add", file.to_str().unwrap(), "--json"]);
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"", blocks]).arg(plain.get_program());
        command.args(plain.get_args()).current_dir(plain.get_current_dir().unwrap());
        CommandOutput::from(command).is_error(&["counter", "File too large", "free some space", "unchanged"]);
        still_has_version_one(&bench);
    }
    add(&bench, "counter", 2);
    assert_eq!(answer(&bench, "counter"), 2);
}

/// Fills a file system of its own up to this many kilobytes and adds a tool there. Then it frees space and repeats
/// that.
const ON_A_FULL_DISK: &str = r#"
mount -t tmpfs -o size=2m none tools 2>/dev/null || exit 77
cp -r shelf/. tools/
head -c "$1"k /dev/zero >tools/spare
cat /dev/zero >tools/filler 2>/dev/null
rm tools/spare
"$0" tool add counter.py --json >added 2>refused
echo $? >code
"$0" tool list --json >listed
ls tools/generated/counter >left
rm tools/filler
"$0" tool add counter.py --json >added-later
"#;

// A private mount needs a process of its own.
#[allow(clippy::disallowed_methods)]
#[test]
fn full_disk_keeps_the_old_version_and_is_reported() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    fs::rename(bench.path("tools"), bench.path("shelf")).unwrap();
    fs::create_dir(bench.path("tools")).unwrap();
    bench.write("counter.py", &source("counter", 2));
    let read = |name: &str| fs::read_to_string(bench.path(name)).unwrap();
    // Room for nothing; for the code; for the hash of the manifest; for the manifest too, but not for the state.
    for kilobytes in ["0", "4", "8", "12"] {
        let plain = bench.command(&[]);
        let mut command = std::process::Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", ON_A_FULL_DISK]).arg(plain.get_program());
        command.arg(kilobytes).current_dir(plain.get_current_dir().unwrap());
        let Ok(ended) = command.output() else { return println!("skipped: there is no `unshare` here") };
        if !bench.path("listed").exists() {
            return println!("skipped: no file system can be mounted here ({ended:?})");
        }
        let refused = read("refused");
        assert_eq!(read("code").trim(), "2", "{kilobytes} kB: {refused}");
        assert!(refused.contains("No space left") && refused.contains("free some space"), "{refused}");
        let listed: Value = serde_json::from_str(&read("listed")).unwrap();
        assert_eq!(listed["tools"][0]["versions"], json!([1]), "{kilobytes} kB");
        let left = read("left");
        let left: Vec<&str> = left.split_whitespace().filter(|name| !name.ends_with(".rrd")).collect();
        assert_eq!(left, ["state.json", "v1.json", "v1.md", "v1.py", "v1.sha256", "v1.svg"]);
        let later: Value = serde_json::from_str(&read("added-later")).unwrap();
        assert_eq!(later["registered"]["version"], 2);
    }
}
