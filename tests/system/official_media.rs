//! The media classes of the official SDK, with GStreamer: camera frames come from our socket, and sound from the devices that
//! this program leaves to others.

use std::path::PathBuf;

use minismith_tests::{TestDir, workspace};
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

#[test]
// The SDK is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
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

    std::fs::copy(
        workspace().join("tests/support/official/exercise_media.py"),
        tmp.path().join("exercise_media.py"),
    )
    .unwrap();
    let port = served.address.rsplit_once(':').unwrap().1;
    let output = std::process::Command::new(workspace().join("tests/support/official/in_debian13"))
        .args([root.as_os_str(), tmp.path().as_os_str()])
        .args(["python3", "/tmp/exercise_media.py", port])
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let found: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the script printed no JSON ({error}): {complaints}"));

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

    assert_eq!(found["released"], true);
    assert_eq!(found["acquired"], json!([false, [720, 1280, 3]]));
    assert_eq!(found["two_clients"], json!([[720, 1280, 3], [720, 1280, 3]]));

    // The server goes on without its clients, and takes the socket away when it ends.
    assert!(served.value("/api/daemon/status")["backend_status"].is_object());
    assert_eq!(served.end().code, Some(0));
    assert!(!socket.exists());
}
