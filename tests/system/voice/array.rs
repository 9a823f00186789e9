//! Requests to the robot's microphone array and their responses, compared with the official package.

#![allow(clippy::disallowed_methods, reason = "the official package is a program of its own")]

use std::process::Command;

use minismith_tests::workspace;
use minismith_voice::devices::mic_array::{Answer, COMMAND, LENGTH, PART, read};
use serde_json::Value;

/// Reads direction and speech with the official package from devices that respond like this. Returns what it sent and
/// what it read.
const SCRIPT: &str = r#"
import array, json, sys
from reachy_mini.media.audio_control_utils import ReSpeaker

class Device:
    def __init__(self, answer):
        self.answer = answer
    def ctrl_transfer(self, *sent):
        self.sent = sent
        return array.array("B", self.answer)

told = []
for answer in json.loads(sys.argv[1]):
    device = Device(answer)
    told.append({"read": ReSpeaker(device).read("DOA_VALUE_RADIANS"), "sent": device.sent})
print(json.dumps(told))
"#;

#[test]
fn microphone_array_directions_match_the_official_package() {
    let python = workspace().join(".cache/official/bin/python");
    if !python.exists() {
        println!("skipped: `make official` installs the official package");
        return;
    }
    let answers: Vec<Vec<u8>> = [(0.0_f32, 1.0_f32), (1.2, 0.0), (std::f32::consts::PI, 1.0)]
        .iter()
        .map(|(angle, speech)| [&[0][..], &angle.to_le_bytes(), &speech.to_le_bytes()].concat())
        .collect();
    let output = Command::new(python)
        .args(["-c", SCRIPT, &serde_json::to_string(&answers).unwrap()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reported: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    for (answer, reported) in answers.iter().zip(&reported) {
        // Device to host, vendor type, recipient device.
        let sent: Vec<usize> =
            (0..5).map(|position| reported["sent"][position].as_u64().unwrap() as usize).collect();
        assert_eq!(sent, [0xc0, 0, usize::from(COMMAND), usize::from(PART), LENGTH]);
        let Answer::Direction(arrival) = read(answer) else { panic!("{answer:?}") };
        // The official angle starts at the left. Ours is zero ahead and grows to the left.
        let angle = reported["read"][0].as_f64().unwrap();
        assert!((f64::from(arrival.yaw) - (std::f64::consts::FRAC_PI_2 - angle)).abs() < 1e-6, "{arrival:?}");
        assert_eq!(arrival.is_speech, reported["read"][1].as_f64().unwrap() != 0.0);
    }
}

#[test]
fn invalid_microphone_array_responses_are_ignored() {
    let of = |angle: f32, speech: f32| [&[0][..], &angle.to_le_bytes(), &speech.to_le_bytes()].concat();
    assert_eq!(read(&[64, 0, 0, 0, 0, 0, 0, 0, 0]), Answer::Retry);
    for wrong in [of(f32::NAN, 1.0), of(7.0, 1.0), of(1.0, f32::INFINITY), vec![], vec![0], vec![3; 9]] {
        assert_eq!(read(&wrong), Answer::Wrong, "{wrong:?}");
    }
}
