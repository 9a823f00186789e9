//! The media classes of the official SDK, with GStreamer: camera frames come from our socket, and sound from the devices that
//! this program leaves to others.

use std::path::{Path, PathBuf};

use minismith_tests::{TestDir, program, workspace};
use serde_json::{Value, json};

use super::server_fixture::Served;

/// Returns the Debian 13 with the SDK and GStreamer; prints a note and returns none where there is none.
fn debian13() -> Option<PathBuf> {
    let root = workspace().join(".cache/official-media");
    if root.join("installed.txt").is_file() {
        return Some(root);
    }
    println!("skipped: there is no Debian 13 with the official SDK (scripts/peers --media)");
    None
}

fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    serde_json::from_value::<Vec<f64>>(value.clone()).unwrap().try_into().unwrap()
}

/// Puts the scripts where the Debian 13 finds them.
fn give(tmp: &Path) {
    for name in ["exercise_media.py", "exercise_sound.py"] {
        std::fs::copy(workspace().join("tests/support/official").join(name), tmp.join(name)).unwrap();
    }
}

/// Runs a Python script in the Debian 13, and returns the document that it prints.
// The SDK is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn in_debian13(root: &Path, tmp: &Path, mnt: &Path, script: &[&str]) -> Value {
    let output = std::process::Command::new(workspace().join("tests/support/official/in_debian13"))
        .args([root, tmp, mnt])
        .arg("python3")
        .args(script)
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the script printed no JSON ({error}): {complaints}"))
}

#[test]
fn official_media_classes_get_frames_and_sound() {
    let Some(root) = debian13() else { return };
    let tmp = tempfile::tempdir().unwrap();
    let socket = tmp.path().join("reachymini_camera_socket");
    let served = Served::on(TestDir::configured(&format!(
        "camera: {{scene: empty}}\ncompat: {{camera_socket: {}}}\n",
        socket.display()
    )));
    let status = served.value("/api/daemon/status");
    assert_eq!((&status["no_media"], &status["camera_specs_name"]), (&json!(false), &json!("wireless")));

    give(tmp.path());
    let port = served.address.rsplit_once(':').unwrap().1;
    let found = in_debian13(&root, tmp.path(), tmp.path(), &["/tmp/exercise_media.py", port]);

    assert_eq!(found["backend"], "local", "{found}");
    assert_eq!(found["frame"], json!({ "shape": [720, 1280, 3], "type": "uint8", "camera": "wireless" }));
    let rate = found["frames_per_second"].as_f64().unwrap();
    assert!((5.0..=11.0).contains(&rate), "{rate} frames per second");
    assert_eq!(found["jpeg"], true);

    // The head turned so that the red block came to the middle of the image.
    let look = &found["look"];
    let [before, after, middle] = ["before", "after", "middle"].map(|key| numbers::<2>(&look[key]));
    let off = |at: [f64; 2]| (at[0] - middle[0]).hypot(at[1] - middle[1]);
    assert!(off(before) > 150.0 && off(after) < 20.0, "{look}");

    assert_eq!(found["recorded"]["rate"], 16_000);
    for (what, hertz) in
        [(&found["recorded"]["pitch"], 700.0), (&found["pushed"], 440.0), (&found["played"], 1_000.0)]
    {
        let [pitch, level] = numbers(what);
        assert!((pitch - hertz).abs() < 15.0 && level > 0.003, "{pitch} Hz instead of {hertz} Hz: {found}");
    }

    let [sway, after] = ["sway", "sway_after"].map(|key| found[key].as_f64().unwrap());
    assert!((0.3..15.0).contains(&sway) && after < 0.3, "the head sways by {sway} degrees, then {after}");
    let imu = &found["imu"];
    let [gravity, turn] = ["gravity", "turn"].map(|key| imu[key].as_f64().unwrap());
    // Sixty degrees in a second, faster in the middle.
    assert!((9.7..9.9).contains(&gravity) && (1.0..4.0).contains(&turn), "{imu}");

    assert_eq!(found["released"], true);
    assert_eq!(found["acquired"], json!([false, [720, 1280, 3]]));
    assert_eq!(found["two_clients"], json!([[720, 1280, 3], [720, 1280, 3]]));

    // The server goes on without its clients, and takes the socket away when it ends.
    assert!(served.value("/api/daemon/status")["backend_status"].is_object());
    assert_eq!(served.end().code, Some(0));
    assert!(!socket.exists());
}

#[test]
fn sounds_and_volume_reach_pulseaudio() {
    let Some(root) = debian13() else { return };
    let tmp = tempfile::tempdir().unwrap();
    give(tmp.path());
    let programs = program("minismith");
    let found = in_debian13(
        &root,
        tmp.path(),
        programs.parent().unwrap(),
        &["/tmp/exercise_sound.py", "/mnt/minismith"],
    );
    assert_eq!(
        (&found["volume"]["device"], &found["volume"]["platform"]),
        (&json!("default"), &json!("Linux"))
    );
    assert_eq!(
        (&found["set"]["volume"], &found["sink"], &found["after"]),
        (&json!(37), &json!(37), &json!(80)),
        "{found}"
    );
    assert_eq!(
        (&found["microphone"], &found["source"], &found["too_much"]),
        (&json!(55), &json!(55), &json!(422))
    );

    assert_eq!((&found["upload"]["status"], &found["bad_upload"]), (&json!("ok"), &json!(400)), "{found}");
    assert_eq!(found["listed"], json!({ "files": ["clip.wav"] }));
    let [pitch, level] = numbers(&found["played"]);
    assert!((pitch - 1_000.0).abs() < 15.0 && level > 0.01, "{found}");
    let [_, level] = numbers(&found["stopped"]);
    assert!(level < 0.001, "{found}");
    assert_eq!((&found["play"], &found["stop"]), (&json!(200), &json!(200)));
    assert_eq!(
        (&found["missing"], &found["outside"], &found["deleted"]),
        (&json!(404), &json!(400), &json!([200, 404]))
    );
}
