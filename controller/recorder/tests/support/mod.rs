//! Trace messages for tests, and a reader that reads recordings back as a viewer does.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use minismith_wire::recording::{
    Beat, Begin, End, FORMAT, Head, Health, Leg, Margins, Message, Motor, Part, Picture, Rhythm, Seen, Span,
    Text, Trim, Voice,
};
use re_log_encoding::DecoderApp;
use re_sdk::StoreKind;
use re_sdk::log::{Chunk, LogMsg};
use re_sdk_types::archetypes::Scalars;

pub const PERIOD: f64 = 0.01;

/// More cycles than one batch, so that there are several.
pub const BEATS: u64 = 2_500;

/// A JPEG in base64, as far as the recorder checks it.
pub const JPEG: &str = "/9j/4AAQSkZJRg==";

pub fn begin() -> Begin {
    let motor = |name: &str, part, low_deg, high_deg| Motor { name: name.into(), part, low_deg, high_deg };
    Begin {
        format: FORMAT,
        name: "nod v1".into(),
        about: "# nod".into(),
        at: None,
        live: false,
        period_s: PERIOD,
        motors: vec![
            motor("body_rotation", Part::Body, -160.0, 160.0),
            motor("stewart_1", Part::Leg, -46.99, 78.98),
            motor("left_antenna", Part::LeftAntenna, -180.0, 179.9),
        ],
        legs: vec![Leg {
            motor: 1,
            pivot_m: [0.03, 0.0, 0.08],
            ahead: [0.0, 1.0, 0.0],
            aside: [0.0, 0.0, 1.0],
            arm_m: 0.04,
            ball_m: [0.02, 0.0, 0.0],
        }],
    }
}

pub fn live() -> Begin {
    Begin { live: true, at: Some("2026-11-23T08:00:00Z".into()), ..begin() }
}

pub fn beat(number: u64) -> Beat {
    let angle = (number as f64 * 0.01).sin() * 30.0;
    let head = Head { at_m: [0.0, 0.0, 0.177], turned: [0.0, 0.0, 0.0, 1.0], angles_deg: [1.0, 2.0, angle] };
    Beat {
        beat: number,
        wish_deg: Vec::new(),
        goal_deg: vec![angle, angle / 3.0, -angle],
        present_deg: vec![angle - 0.5, angle / 3.0, -angle],
        goal_head: Some(head),
        // Some cycles have no head pose, as when it cannot be computed.
        present_head: number.is_multiple_of(2).then_some(head),
        trims: if number == 700 { vec![Trim { motor: 1, by_deg: 2.5 }] } else { Vec::new() },
        margins: Some(Margins { tilt_deg: 38.0, relative_yaw_deg: 65.0 - angle.abs() }),
    }
}

pub fn beats(numbers: std::ops::Range<u64>) -> Vec<Message> {
    numbers.map(|number| Message::Beat(Box::new(beat(number)))).collect()
}

pub fn text(beat: Option<u64>, voice: Voice, words: &str) -> Message {
    Message::Text(Text { beat, voice, words: words.into() })
}

pub const VOICES: [(Voice, &str); 6] = [
    (Voice::Workshop, "/said/workshop"),
    (Voice::Envelope, "/said/envelope"),
    (Voice::Tool, "/said/tool"),
    (Voice::Person, "/said/person"),
    (Voice::Agent, "/said/agent"),
    (Voice::Body, "/said/body"),
];

/// Returns a message of every kind, all for one cycle.
pub fn of_every_kind(beat: u64) -> Vec<Message> {
    let seen =
        |label: &str, left| Seen { label: label.into(), score: 0.75, bounds: [left, 20.0, 90.0, 80.0] };
    let picture =
        |seen| Message::Picture(Box::new(Picture { beat, jpeg: JPEG.into(), width: 640, height: 480, seen }));
    let span = |ended: Option<&str>| {
        Message::Span(Span { beat, name: "nod v1".into(), ended: ended.map(str::to_owned) })
    };
    let mut messages = vec![
        Message::Motors(Box::new(Health {
            beat,
            celsius: vec![Some(40.5), Some(41.5), None],
            volts: vec![Some(5.0); 3],
            milliamps: vec![Some(120.0); 3],
            degrees_per_s: vec![Some(-3.0); 3],
        })),
        Message::Pulse(Rhythm {
            beat,
            jitter_p50_us: 10.0,
            jitter_p99_us: 90.0,
            jitter_worst_us: 400.0,
            late: 3,
            dropped: 2,
        }),
        picture(vec![seen("person", 10.0), seen("cup", 50.0)]),
        picture(Vec::new()),
        span(None),
        span(Some("done")),
    ];
    messages.extend(VOICES.map(|(voice, path)| text(Some(beat), voice, path)));
    messages
}

pub fn end(beats: u64) -> Message {
    Message::End(End { beats, dropped: 0 })
}

pub fn lines(messages: &[Message]) -> String {
    messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// The chunks of a recording by entity path.
#[derive(Default)]
pub struct Recorded {
    pub chunks: BTreeMap<String, Vec<Chunk>>,
    /// Number of blueprints.
    pub blueprints: usize,
}

impl Recorded {
    pub fn take(&mut self, message: LogMsg) {
        match message {
            LogMsg::ArrowMsg(store, message) if store.kind() == StoreKind::Recording => {
                let chunk = Chunk::from_arrow_msg(&message).unwrap();
                self.chunks.entry(chunk.entity_path().to_string()).or_default().push(chunk);
            }
            LogMsg::BlueprintActivationCommand(_) => self.blueprints += 1,
            LogMsg::ArrowMsg(..) | LogMsg::SetStoreInfo(_) => {}
        }
    }

    /// Reads a file as far as possible.
    pub fn read(path: &Path) -> Self {
        let mut recorded = Recorded::default();
        let Ok(file) = std::fs::File::open(path) else { return recorded };
        let Ok(messages) = DecoderApp::decode_eager(std::io::BufReader::new(file)) else { return recorded };
        for message in messages.map_while(Result::ok) {
            recorded.take(message);
        }
        recorded
    }

    /// Returns the values of curves by cycle number, in order.
    pub fn curves(&self, path: &str) -> Vec<(i64, Vec<f64>)> {
        let mut points = Vec::new();
        let scalars = Scalars::descriptor_scalars().component;
        for chunk in self.chunks.get(path).into_iter().flatten() {
            let Some(beats) = chunk.timelines().get(&"beat".into()) else { continue };
            let values = chunk.iter_slices::<f64>(scalars).map(<[f64]>::to_vec);
            points.extend(beats.times_raw().iter().copied().zip(values));
        }
        points.sort_by_key(|(beat, _)| *beat);
        points
    }

    /// Returns the texts of a log, text or state, row by row.
    pub fn words(&self, path: &str, component: re_sdk::ComponentIdentifier) -> Vec<Vec<String>> {
        let chunks = self.chunks.get(path).into_iter().flatten();
        let rows = |chunk: &Chunk| -> Vec<Vec<String>> {
            chunk
                .iter_slices::<String>(component)
                .map(|row| row.iter().map(|word| word.to_string()).collect())
                .collect()
        };
        chunks.flat_map(rows).collect()
    }

    /// Returns how many rows have this component.
    pub fn rows(&self, path: &str, component: re_sdk::ComponentIdentifier) -> usize {
        let chunks = self.chunks.get(path).into_iter().flatten();
        chunks.map(|chunk| chunk.iter_component_offsets(component).count()).sum()
    }
}
