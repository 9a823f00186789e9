//! What tools hear and play: simulated in a rehearsal, and on the robot by the devices of the configuration.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use minismith_tests::TestDir;
use rustix::fs::{CWD, Mode};
use serde_json::{Value, json};
use tungstenite::Message;

use super::server_fixture::Served;

const LISTEN: &str = r#"import time

import numpy as np
from reachy_mini import ReachyMini


def listen(robot: ReachyMini, seconds: float = 1.0) -> str:
    """Hear how loud the room is, and play a tone for as long.

    Args:
        robot: The robot.
        seconds: How long, 0.5 to 2.

    Returns:
        The greatest loudness, and how much was heard.
    """
    robot.media.start_recording()
    until = time.monotonic() + seconds
    heard = []
    while time.monotonic() < until:
        sample = robot.media.get_audio_sample()
        if sample is None:
            time.sleep(0.02)
        else:
            heard.append(sample)
    robot.media.stop_recording()
    sound = np.concatenate(heard)
    rate = robot.media.get_output_audio_samplerate()
    tone = 0.5 * np.sin(2 * np.pi * 500 * np.arange(int(seconds * rate)) / rate)
    robot.media.start_playing()
    robot.media.push_audio_sample(tone.astype(np.float32))
    robot.media.stop_playing()
    channels = robot.media.get_input_channels()
    if sound.dtype != np.float32 or sound.shape[1] != channels or sound.min() < -1.0:
        raise ValueError(f"{sound.dtype} {sound.shape}")
    return f"{float(np.abs(sound).max()):.3f} {len(sound) / robot.media.get_input_audio_samplerate():.2f}"
"#;

fn checked(bench: &TestDir, name: &str, source: &str) -> Value {
    let file = bench.write(&format!("{name}.py"), source);
    bench.run(&["tool", "check", file.to_str().unwrap(), "--json"]).exits(0).json()["results"][0].clone()
}

#[test]
fn reaction_to_a_sound_is_rehearsed_with_and_without_it() {
    let bench = TestDir::new();
    for (request, shown) in [
        (
            "make a tool that listens for a clap for up to ten seconds and then turns the body left",
            "after a clap",
        ),
        ("make a tool that nods whenever somebody speaks, for ten seconds", "after a voice"),
    ] {
        let said = bench.run(&["say", request, "--json"]).exits(0).json();
        let text = said["text"].as_str().unwrap();
        assert!(text.contains(shown) && text.contains("nothing moves without"), "{text}");
    }
}

#[test]
fn recording_in_a_rehearsal_is_quiet_and_lasts_as_long_as_the_tool_listens() {
    let bench = TestDir::new();
    let source = LISTEN.replace(
        "    return f",
        "    assert np.abs(sound).max() < 0.01 and 0.8 < len(sound) / 16_000 / seconds < 1.1\n    return f",
    );
    let result = checked(&bench, "listen", &source);
    assert_eq!((&result["admitted"], &result["needs_approval"]), (&json!(true), &json!(false)), "{result}");
    let added =
        bench.run(&["tool", "add", bench.path("listen.py").to_str().unwrap(), "--json"]).exits(0).json();
    let capabilities = added
        .pointer("/registered/capabilities")
        .or_else(|| added.pointer("/results/0/registered/capabilities"));
    assert_eq!(capabilities, Some(&json!(["sound", "microphone"])), "{added}");
    // A robot that nobody gave a microphone says so.
    let ran = bench.run(&["tool", "run", "listen", "--json"]).exits(1).json();
    assert!(ran.to_string().contains("there is no microphone for tools"), "{ran}");
}

#[test]
fn sound_that_leaves_a_tool_as_data_needs_approval() {
    let bench = TestDir::new();
    let source = LISTEN
        .replace("-> str:", "-> list:")
        .replace("    return f\"", "    return sound[:, 0].tolist()\n    return f\"");
    let result = checked(&bench, "listen", &source);
    assert_eq!((&result["admitted"], &result["needs_approval"]), (&json!(true), &json!(true)), "{result}");
    assert!(result["findings"].to_string().contains("image-data"), "{result}");
}

#[test]
fn streamed_targets_are_recorded_and_any_pixel_can_be_looked_at() {
    let bench = TestDir::configured("camera: {source: scene}\n");
    let source = r#"import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def stream(robot: ReachyMini) -> str:
    """Stream targets, record them, and look at pixels inside and outside of the image.

    Args:
        robot: The robot.

    Returns:
        What was recorded.
    """
    robot.set_target(body_yaw=0.0)
    robot.start_recording()
    for step in range(5):
        robot.set_target(head=create_head_pose(yaw=step), antennas=[0.0, 0.01 * step])
        time.sleep(0.02)
    robot.set_target_body_yaw(0.02)
    records = robot.stop_recording()
    times = [record["time"] for record in records]
    if len(records) != 6 or times != sorted(times) or robot.stop_recording() is not None:
        raise ValueError(str(records))
    if len(records[4]["head"]) != 4 or records[4]["antennas"] != [0.0, 0.04] or "head" in records[5]:
        raise ValueError(str(records[4:]))
    robot.look_at_image(100, 100)
    robot.look_at_image(-50, 100_000)
    return f"{len(records)} targets, the last one {records[5]['body_yaw']}"
"#;
    let result = checked(&bench, "stream", source);
    assert_eq!(result["admitted"], json!(true), "{result}");
    let added = bench.run(&["tool", "add", bench.path("stream.py").to_str().unwrap(), "--json"]).exits(0);
    drop(added);
    let ran = bench.run(&["tool", "run", "stream", "--json"]).exits(0).json();
    assert!(ran.to_string().contains("6 targets, the last one 0.02"), "{ran}");
    assert!(
        ran["performance"]["notes"]
            .to_string()
            .contains("the head cannot look at the pixel (-50, 100000) of"),
        "{ran}"
    );
}

/// Sends a tone into a pipe as fast as it would sound, until it is told to end.
fn sing(pipe: &std::path::Path, ends: &Arc<AtomicBool>) -> std::thread::JoinHandle<()> {
    let mut pipe = OpenOptions::new().read(true).write(true).open(pipe).unwrap();
    let ends = ends.clone();
    std::thread::spawn(move || {
        let tone = |at: usize| (0.4 * f64::from(i16::MAX) * (at as f64 * 0.2).sin()) as i16;
        let block: Vec<u8> = (0..320).flat_map(|at| tone(at).to_le_bytes()).collect();
        while !ends.load(Ordering::Relaxed) {
            pipe.write_all(&block).unwrap();
            std::thread::park_timeout(Duration::from_millis(20));
        }
    })
}

#[test]
fn tool_on_a_server_hears_its_microphone_and_plays_on_its_speaker() {
    let bench = TestDir::new();
    let (heard, played) = (bench.path("heard"), bench.path("played.raw"));
    rustix::fs::mkfifoat(CWD, &heard, Mode::RUSR | Mode::WUSR).unwrap();
    let devices = format!(
        "pcm.!default {{ type file; slave.pcm {{ type null }}; file \"{}\"; infile \"{}\"; format \"raw\" }}\n",
        played.display(),
        heard.display()
    );
    let devices = bench.write("asound.conf", &devices);
    let ends = Arc::new(AtomicBool::new(false));
    let singing = sing(&heard, &ends);
    let served = Served::with(bench, &[("ALSA_CONFIG_PATH", devices.to_str().unwrap())]);
    assert_eq!(served.post("/api/v1/tools", &json!({ "code": LISTEN })).0, 201);
    let (status, ran) = served.post("/api/v1/tools/listen/run", &json!({ "args": {} }));
    let value = ran["run"]["value"].as_str().unwrap_or_else(|| panic!("{status}: {ran}")).to_owned();
    let [loudness, seconds] =
        value.split(' ').map(|number| number.parse::<f64>().unwrap()).collect::<Vec<_>>()[..]
    else {
        panic!("{value}")
    };
    // The device has no clock of its own: it may take what the pipe holds at once.
    assert!((loudness - 0.4).abs() < 0.02 && seconds > 0.5, "{value}");
    // The tone of 500 Hz has 1,000 zero crossings in a second.
    let crossings = || {
        let bytes = std::fs::read(&played).unwrap_or_default();
        let samples: Vec<i16> = bytes.as_chunks::<2>().0.iter().map(|two| i16::from_le_bytes(*two)).collect();
        let sound: Vec<i16> = samples.into_iter().filter(|sample| sample.abs() > 500).collect();
        sound.windows(2).filter(|two| (two[0] > 0) != (two[1] > 0)).count()
    };
    for _ in 0..200 {
        if crossings() >= 990 {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    assert!((990..=1_010).contains(&crossings()), "{}", crossings());
    assert_eq!(served.end().code, Some(0));
    ends.store(true, Ordering::Relaxed);
    singing.join().unwrap();
}

/// A client talks through the robot; what is invalid ends the connection with a reason.
#[test]
fn speaker_plays_what_a_client_sends() {
    let (served, played) = Served::with_speaker(TestDir::new());
    assert_eq!(served.get("/api/v1/speaker?rate=7999").0, 422);
    assert_eq!(served.get("/api/v1/speaker").0, 400, "this is no WebSocket");
    let mut socket = served.socket("/api/v1/speaker?rate=16000");
    let (status, other) = served.get("/api/v1/speaker");
    assert!(
        status == 409 && other["detail"].as_str().is_some_and(|why| why.contains("another client talks")),
        "{status}: {other}"
    );
    // A tone of 500 Hz for a second, faster than one hears it: what exceeds the queue is dropped.
    let tone: Vec<u8> = (0..16_000_u32)
        .flat_map(|at| {
            let phase = f64::from(at) * std::f64::consts::TAU / 32.0;
            ((phase.sin() * 8000.0) as i16).to_le_bytes()
        })
        .collect();
    for part in tone.chunks(1280) {
        socket.send(Message::binary(part.to_vec())).unwrap();
        std::thread::park_timeout(Duration::from_millis(20));
    }
    let loud = || {
        let bytes = std::fs::read(&played).unwrap_or_default();
        bytes.as_chunks::<2>().0.iter().filter(|pair| i16::from_le_bytes(**pair).abs() > 4000).count()
    };
    for _ in 0..200 {
        if loud() > 4000 {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    assert!(loud() > 4000, "{}", loud());
    socket.send(Message::binary(vec![0; 3])).unwrap();
    let Message::Close(Some(close)) = socket.read().unwrap() else { panic!("it is closed") };
    assert!(close.reason.contains("pairs of bytes"), "{close}");
}

/// A sound that a sentence orders is heard where there is a speaker; where there is none, the answer says so.
#[test]
fn ordered_sound_is_played_or_said_to_be_missing() {
    let bench = TestDir::new();
    let silent = bench.run(&["say", "nod, then play a sound", "--json"]).exits(1).json();
    assert_eq!(silent["outcome"], "refused", "{silent}");
    assert_eq!(
        silent["text"],
        "Done: nod once. I did not play a sound: no sound can be played here; `minismith serve` plays sounds on the \
         robot's speaker.",
        "{silent}"
    );
    let german = bench.run(&["say", "spiel einen Ton", "--json"]).exits(1).json();
    assert!(german["text"].as_str().unwrap().ends_with("hier lässt sich kein Ton abspielen."), "{german}");

    let (served, played) = Served::with_speaker(bench);
    let (status, said) = served.post("/api/v1/chat", &json!({ "text": "nod, then play a sound" }));
    assert_eq!((status, &said["outcome"]), (200, &json!("done")), "{said}");
    let is_loud = || {
        let bytes = std::fs::read(&played).unwrap_or_default();
        bytes.as_chunks::<2>().0.iter().any(|pair| i16::from_le_bytes(*pair).abs() > 1000)
    };
    for _ in 0..200 {
        if is_loud() {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(50));
    }
    assert!(is_loud(), "{said}");
}
