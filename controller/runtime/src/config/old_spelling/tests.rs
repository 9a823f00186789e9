//! The last file in old spelling, each old key by itself, and both spellings at once.

use minismith_protocol::old_names::config::{KEYS, VALUES};

use super::OldSpelling;
use crate::config::tests::{check, refused};
use crate::config::{BUILT_IN, Config};

/// The configuration file of the last version with old spellings only.
const OLD: &str = include_str!("../../../../../tests/fixtures/old/config.yaml");

#[test]
fn old_file_gives_the_built_in_configuration() {
    let old = check(OLD).unwrap();
    let new = check(BUILT_IN).unwrap();
    assert_eq!(new.old_spellings, []);
    assert_eq!(Config { old_spellings: Vec::new(), ..old.clone() }, new);
    let reported: Vec<&str> = old.old_spellings.iter().map(|it| it.old.as_str()).collect();
    for (key, _) in KEYS {
        assert!(reported.iter().any(|old| old == key || old.starts_with(&format!("{key}: "))), "{key}");
    }
    for (_, value, _) in VALUES.iter().filter(|(.., value, _)| OLD.contains(value) && *value != "openai") {
        assert!(reported.iter().any(|old| old == value || old.ends_with(&format!(": {value}"))), "{value}");
    }
    for OldSpelling { line, old, .. } in &old.old_spellings {
        let last = old.rsplit(['.', ' ']).next().unwrap();
        let there = OLD.lines().nth(line - 1).unwrap();
        assert!(there.contains(last), "{old} is not on line {line}: {there}");
    }
}

#[test]
fn each_old_key_alone_is_read_as_the_new_one() {
    for (old, new) in KEYS {
        let document: serde_yaml::Value = serde_yaml::from_str(BUILT_IN).unwrap();
        let value = new.split('.').fold(&document, |at, key| &at[key]);
        let value = serde_json::to_string(&serde_json::to_value(value).unwrap()).unwrap();
        let nested =
            |path: &str| path.rsplit('.').fold(value.clone(), |inner, key| format!("{{{key}: {inner}}}"));
        let (from_old, from_new) = (check(&nested(old)).unwrap(), check(&nested(new)).unwrap());
        let [note] = from_old.old_spellings.as_slice() else { panic!("{old}: {:?}", from_old.old_spellings) };
        assert!(note.old.starts_with(old) && note.new.starts_with(new), "{note}");
        assert_eq!(Config { old_spellings: Vec::new(), ..from_old }, from_new, "{old}");
    }
}

#[test]
fn old_spellings_are_reported_with_their_lines() {
    let notes = |text: &str| -> Vec<String> {
        check(text).unwrap().old_spellings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        notes("robot: mock\npulse:\n  # Hz\n  rate_hz: 50\n"),
        ["robot.yaml:4: `pulse.rate_hz` is now `control_loop.rate_hz`; rename it"]
    );
    assert_eq!(
        notes("brain: offline\nvoice: {call: first, volume: 0.5, \"sway\": 1}"),
        [
            "robot.yaml:1: `brain: offline` is now `nlu: grammar`; rename it",
            "robot.yaml:2: `voice.call: first` is now `voice.wake_word_mode: once`; rename it",
            "robot.yaml:2: `voice.sway` is now `voice.head_wobble`; rename it",
        ]
    );
    // A new section with an old key, an old section with a key that kept its name, and text of more than one byte.
    assert_eq!(
        notes("# \u{fc}\u{2713}\nserver: {names: [a.b]}"),
        ["robot.yaml:2: `server.names` is now `server.allowed_hosts`; rename it"]
    );
    let config = check("serve:\r\n  host: '::1'\r\n  'key': none\r\n").unwrap();
    assert!(config.server.host.is_ipv6());
    assert_eq!(config.old_spellings.iter().map(|it| it.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(check("\u{feff}pulse: {rate_hz: 50}").unwrap().rate.value(), 50.0);
    let agent = "agents: {roster: [{name: a, purpose: p, instructions: i, functions: [nod, find_things, hand_over]}]}";
    assert_eq!(
        notes(agent),
        [
            "robot.yaml:1: `find_things` is now `find_objects`; rename it",
            "robot.yaml:1: `hand_over` is now `hand_off`; rename it",
        ]
    );
    assert_eq!(notes("limits: {body_rotation: &m {speed: 3, max_jerk_rad_s3: 900}, antennas: *m}").len(), 2);
}

#[test]
fn both_spellings_of_a_key_are_an_error() {
    for (text, message) in [
        (
            "voice:\n  sway: 0.5\n  head_wobble: 0.5",
            "robot.yaml:3: voice.head_wobble: is the same key as `voice.sway` on line 2; keep `voice.head_wobble`",
        ),
        (
            "nlu: grammar\nbrain: offline",
            "robot.yaml:2: brain: is the same key as `nlu` on line 1; keep `nlu`",
        ),
        (
            "serve: {port: 1}\nrobot: mock\nserver: {host: '::1'}",
            "robot.yaml:3: server: is the same key as `serve` on line 1; keep `server`",
        ),
    ] {
        refused(text, message);
    }
}

#[test]
fn errors_after_old_spellings_name_the_right_line() {
    refused(
        "pulse:\n  rate_hz: 50\nlimits:\n  head:\n    pitch_deg: 100\n",
        "robot.yaml:5: limits.head.max_pitch_deg: `100` is not allowed; allowed: a number from 1 to 90 (degrees)",
    );
    refused(
        "pulse: 100",
        "robot.yaml:1: control_loop: there is integer `100` here; allowed: a mapping of keys",
    );
}
