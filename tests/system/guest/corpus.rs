//! The good tools of the shared corpus, if it is next to the workspace, match their description.

use std::path::{Path, PathBuf};

use minismith_protocol::HostCall;
use serde_json::{Value, json};

use super::context::{Call, Played, host};

fn corpus(part: &str) -> Option<Vec<PathBuf>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus").join(part);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: the corpus is not at {}", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(files)
}

fn stem(file: &Path) -> &str {
    file.file_stem().unwrap().to_str().unwrap()
}

#[test]
fn good_tools_match_their_description() {
    let Some(files) = corpus("benign") else { return };
    let host = host();
    assert_eq!(files.len(), 12);
    for file in files {
        let name = stem(&file);
        let source = std::fs::read_to_string(&file).unwrap();
        let arguments = match name {
            "calculate_3d_distance" => json!({"x1": 1, "y1": 2.0, "z1": 2}),
            "look_at_point" => json!({"x": 0.5, "y": 0.1}),
            _ => json!({}),
        };
        let played = Call::new(&source, name).with(arguments).run(&host);
        check_good(name, &played);
    }
}

fn check_good(name: &str, played: &Played) {
    let value = played.value();
    let gotos = played.cues.iter().filter(|cue| matches!(cue, HostCall::Goto { .. })).count();
    let targets = played.cues.iter().filter(|cue| matches!(cue, HostCall::SetTarget { .. })).count();
    match name {
        "antenna_wave" => {
            // One second of 20 ms sleeps, 2 ms of cues and some clock reads.
            assert!((40..=46).contains(&value.as_u64().unwrap()), "{value}");
            assert_eq!((targets as u64, gotos), (value.as_u64().unwrap(), 1));
        }
        "async_greeter" => {
            assert_eq!(value, &json!({"status": "success", "text": "Hello, Friend!", "waves": 3}));
            assert_eq!(targets, 6);
        }
        "breathing_idle" => assert_eq!((value, gotos), (&json!("breathed for 2.0 s"), 1)),
        "calculate_3d_distance" => assert_eq!(value, &json!(3.0)),
        "count_red_pixels" => assert_eq!(value, &json!(0.5)),
        "dance_sequence" => assert_eq!((value, gotos), (&json!("danced 'groove' 1x at 100 bpm"), 5)),
        "follow_face" => {
            assert!(value.as_u64().unwrap() >= 9, "{value}");
            assert_eq!(played.cues.first(), Some(&HostCall::Track { on: true, weight: 1.0 }));
            assert!(matches!(played.cues.last(), Some(HostCall::Track { on: false, .. })));
        }
        "joint_report" => {
            assert_eq!(value["largest"], "stewart_1");
            assert_eq!(value["joints"]["left_antenna"], json!(17.189));
        }
        "look_at_point" => {
            assert_eq!(value["duration"], json!(1.0));
            assert_eq!(played.cues, [HostCall::LookAt { point: [0.5, 0.1, 0.0], duration: 1.0 }]);
        }
        "nod_yes" => assert_eq!(value, &json!("Successfully nodded 'yes' 2 times")),
        "safe_sleep" => assert_eq!(played.cues, [HostCall::Rest, HostCall::Motors { on: false, ids: None }]),
        "scan_room" => {
            let yaws: Vec<_> = value.as_array().unwrap().iter().map(|sample| sample["yaw"].clone()).collect();
            assert_eq!(yaws, [-40.0, -20.0, 0.0, 20.0, 40.0].map(Value::from));
        }
        other => panic!("{other} is new: say what it should do"),
    }
}
