//! Trace messages for tests, and a reader that reads recordings back as a viewer does.

// Each test program uses a part of it.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::Path;

use minismith_protocol::trace_format::{
    Clamp, Cycle, DetectedObject, FORMAT, Footer, Head, Header, Health, Image, Leg, LoopTiming, Margins,
    Message, Motor, Part, Span, Text, TextSource,
};
use re_log_encoding::DecoderApp;
use re_sdk::StoreKind;
use re_sdk::log::{Chunk, LogMsg};
use re_sdk_types::archetypes::Scalars;

pub const PERIOD: f64 = 0.01;

/// More cycles than one batch, so that there are several.
pub const CYCLES: u64 = 2_500;

/// A JPEG in base64, as far as the recorder checks it.
pub const JPEG: &str = "/9j/4AAQSkZJRg==";

pub fn begin() -> Header {
    let motor = |name: &str, part, low_deg, high_deg| Motor {
        name: name.into(),
        part,
        min_deg: low_deg,
        max_deg: high_deg,
    };
    Header {
        format: FORMAT,
        name: "nod v1".into(),
        description: "# nod".into(),
        start_time: None,
        is_live: false,
        period_s: PERIOD,
        motors: vec![
            motor("body_rotation", Part::Body, -160.0, 160.0),
            motor("stewart_1", Part::Leg, -46.99, 78.98),
            motor("left_antenna", Part::LeftAntenna, -180.0, 179.9),
        ],
        legs: vec![Leg {
            motor: 1,
            pivot_m: [0.03, 0.0, 0.08],
            zero_direction: [0.0, 1.0, 0.0],
            quarter_direction: [0.0, 0.0, 1.0],
            crank_m: 0.04,
            ball_joint_m: [0.02, 0.0, 0.0],
        }],
    }
}

pub fn live() -> Header {
    Header { is_live: true, start_time: Some("2026-11-23T08:00:00Z".into()), ..begin() }
}

pub fn cycle(number: u64) -> Cycle {
    let angle = (number as f64 * 0.01).sin() * 30.0;
    let head = Head {
        position_m: [0.0, 0.0, 0.177],
        orientation_xyzw: [0.0, 0.0, 0.0, 1.0],
        rpy_deg: [1.0, 2.0, angle],
    };
    Cycle {
        cycle: number,
        setpoint_deg: Vec::new(),
        goal_deg: vec![angle, angle / 3.0, -angle],
        present_deg: vec![angle - 0.5, angle / 3.0, -angle],
        goal_head: Some(head),
        // Some cycles have no head pose, as when it cannot be computed.
        present_head: number.is_multiple_of(2).then_some(head),
        clamps: if number == 700 { vec![Clamp { motor: 1, amount_deg: 2.5 }] } else { Vec::new() },
        margins: Some(Margins { tilt_deg: 38.0, relative_yaw_deg: 65.0 - angle.abs() }),
    }
}

pub fn cycles(numbers: std::ops::Range<u64>) -> Vec<Message> {
    numbers.map(|number| Message::Cycle(Box::new(cycle(number)))).collect()
}

pub fn text(cycle: Option<u64>, voice: TextSource, words: &str) -> Message {
    Message::Text(Text { cycle, source: voice, text: words.into() })
}

pub const VOICES: [(TextSource, &str); 6] = [
    (TextSource::Workshop, "/said/workshop"),
    (TextSource::Envelope, "/said/envelope"),
    (TextSource::Tool, "/said/tool"),
    (TextSource::Person, "/said/person"),
    (TextSource::Agent, "/said/agent"),
    (TextSource::Body, "/said/body"),
];

/// Returns a message of every kind, all for one cycle.
pub fn of_every_kind(cycle: u64) -> Vec<Message> {
    let seen = |label: &str, left| DetectedObject {
        label: label.into(),
        score: 0.75,
        bbox_xyxy: [left, 20.0, 90.0, 80.0],
    };
    let image = |seen| {
        Message::Image(Box::new(Image {
            cycle,
            jpeg: JPEG.into(),
            width: 640,
            height: 480,
            detections: seen,
        }))
    };
    let span = |ended: Option<&str>| {
        Message::Span(Span { cycle, name: "nod v1".into(), outcome: ended.map(str::to_owned) })
    };
    let mut messages = vec![
        Message::Motors(Box::new(Health {
            cycle,
            temperature_c: vec![Some(40.5), Some(41.5), None],
            voltage_v: vec![Some(5.0); 3],
            current_ma: vec![Some(120.0); 3],
            velocity_dps: vec![Some(-3.0); 3],
        })),
        Message::LoopTiming(LoopTiming {
            cycle,
            jitter_p50_us: 10.0,
            jitter_p99_us: 90.0,
            jitter_max_us: 400.0,
            overruns: 3,
            dropped: 2,
        }),
        image(vec![seen("person", 10.0), seen("cup", 50.0)]),
        image(Vec::new()),
        span(None),
        span(Some("done")),
    ];
    messages.extend(VOICES.map(|(voice, path)| text(Some(cycle), voice, path)));
    messages
}

pub fn end(cycles: u64) -> Message {
    Message::Footer(Footer { cycles, dropped: 0 })
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
            let Some(cycles) = chunk.timelines().get(&"beat".into()) else { continue };
            let values = chunk.iter_slices::<f64>(scalars).map(<[f64]>::to_vec);
            points.extend(cycles.times_raw().iter().copied().zip(values));
        }
        points.sort_by_key(|(cycle, _)| *cycle);
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
