//! Converts a trace to an MCAP file, which Foxglove and other viewers read ([`write_mcap`]).
//!
//! Messages are JSON. Transforms, images and logs have the schemas of Foxglove (`foxglove.FrameTransform`,
//! `foxglove.CompressedImage`, `foxglove.Log`); joints and motors have schemas of their own, as Foxglove has none with these
//! fields. Angles are radians, lengths metres. The file is not compressed: it can be read by programs without any codec.

use std::collections::BTreeMap;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use mcap::records::MessageHeader;
use mcap::{WriteOptions, Writer};
use minismith_protocol::trace_format::{Cycle, Head, Header, Health, Image, Message, Span, Text, TextSource};
use serde_json::{Value, json};

use crate::DatasetError;
use crate::trace_reader::{Ending, Next, TraceLines};

/// The frames of the transforms: the base stands on the table, the head is what the neck carries.
const WORLD: &str = "world";
const HEAD: &str = "head";
const GOAL_HEAD: &str = "goal_head";
const CAMERA: &str = "camera";

/// `INFO` of `foxglove.Log`.
const INFO: u8 = 2;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct McapReport {
    /// Messages by topic.
    pub topics: BTreeMap<&'static str, u64>,
    /// Whether the trace was complete; otherwise it ended early.
    pub complete: bool,
}

/// The topics, in the order of their channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Topic {
    Goal,
    Present,
    Transforms,
    Motors,
    ControlLoop,
    Camera,
    Detections,
    Log,
}

impl Topic {
    const ALL: [Topic; 8] = [
        Topic::Goal,
        Topic::Present,
        Topic::Transforms,
        Topic::Motors,
        Topic::ControlLoop,
        Topic::Camera,
        Topic::Detections,
        Topic::Log,
    ];

    const fn name(self) -> &'static str {
        match self {
            Topic::Goal => "/joints/goal",
            Topic::Present => "/joints/present",
            Topic::Transforms => "/tf",
            Topic::Motors => "/motors",
            Topic::ControlLoop => "/control_loop",
            Topic::Camera => "/camera",
            Topic::Detections => "/detections",
            Topic::Log => "/log",
        }
    }

    /// Returns the name of the schema, and its properties.
    fn schema(self) -> (&'static str, Value) {
        let number = json!({ "type": "number" });
        let numbers = json!({ "type": "array", "items": number });
        let names = json!({ "type": "array", "items": { "type": "string" } });
        let text = json!({ "type": "string" });
        let vector = |parts: &[&str]| {
            let parts: serde_json::Map<String, Value> =
                parts.iter().map(|part| ((*part).to_owned(), number.clone())).collect();
            json!({ "type": "object", "properties": parts })
        };
        match self {
            Topic::Goal | Topic::Present => {
                ("minismith.JointState", json!({ "name": names, "position": numbers }))
            }
            Topic::Transforms => (
                "foxglove.FrameTransform",
                json!({
                    "parent_frame_id": text, "child_frame_id": text,
                    "translation": vector(&["x", "y", "z"]), "rotation": vector(&["x", "y", "z", "w"]),
                }),
            ),
            Topic::Motors => (
                "minismith.MotorState",
                json!({
                    "name": names, "temperature_c": numbers, "voltage_v": numbers, "current_ma": numbers,
                    "velocity": numbers,
                }),
            ),
            Topic::ControlLoop => (
                "minismith.LoopTiming",
                json!({
                    "jitter_p50_us": number, "jitter_p99_us": number, "jitter_max_us": number, "overruns": number,
                }),
            ),
            Topic::Camera => (
                "foxglove.CompressedImage",
                json!({
                    "frame_id": text, "format": text,
                    "data": { "type": "string", "contentEncoding": "base64" },
                }),
            ),
            Topic::Detections => (
                "minismith.Detections",
                json!({ "detections": { "type": "array", "items": { "type": "object" } } }),
            ),
            Topic::Log => (
                "foxglove.Log",
                json!({ "level": { "type": "integer" }, "message": text, "name": text, "file": text, "line": { "type": "integer" } }),
            ),
        }
    }
}

/// Adds the poses of the head to a cycle, which stored traces leave out: they follow from the angles of the motors.
pub type AddHeads<'a> = &'a mut dyn FnMut(&mut Cycle);

/// Converts a trace to a new MCAP file. On failure nothing remains.
///
/// # Errors
///
/// Returns an error when the file exists, when it cannot be written, or when the trace is invalid.
pub fn write_mcap(trace: &Path, to: &Path, heads: AddHeads<'_>) -> Result<McapReport, DatasetError> {
    if to.symlink_metadata().is_ok() {
        return Err(DatasetError::Exists { path: to.into() });
    }
    let around = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !around.is_dir() {
        return Err(DatasetError::NoFolder { around: around.into() });
    }
    let failed = |source| DatasetError::Output { path: to.into(), source };
    let mut file = tempfile::Builder::new().prefix(".mcap-").tempfile_in(around).map_err(failed)?;
    let (mut lines, header) = TraceLines::open(trace)?;
    let report = {
        let mut output = Output::new(BufWriter::new(file.as_file_mut()), to, &header)?;
        let complete = loop {
            match lines.next()? {
                Next::Message(Message::Cycle(mut cycle), _) => {
                    if cycle.present_head.is_none() {
                        heads(&mut cycle);
                    }
                    output.cycle(&cycle)?;
                }
                Next::Message(message, _) => output.put(message)?,
                Next::Ending(ending) => break matches!(ending, Ending::Complete { dropped: 0 }),
            }
        };
        output.finish(complete)?
    };
    file.persist_noclobber(to).map_err(|error| failed(error.error))?;
    Ok(report)
}

/// A file that is being written.
struct Output<'a, W: Write + Seek> {
    writer: Writer<W>,
    to: &'a Path,
    channels: BTreeMap<Topic, u16>,
    counts: BTreeMap<&'static str, u64>,
    names: Vec<String>,
    /// Time of cycle 0, nanoseconds since 1970; zero in virtual time.
    start_ns: u64,
    period_s: f64,
}

impl<'a, W: Write + Seek> Output<'a, W> {
    fn new(output: W, to: &'a Path, header: &Header) -> Result<Self, DatasetError> {
        let start = header.start_time.as_deref().and_then(|time| humantime::parse_rfc3339(time).ok());
        let start = start.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or(Duration::ZERO);
        let options = WriteOptions::new().compression(None).profile("").library("minismith");
        let mut writer = options.create(output).map_err(unwritable(to))?;
        let mut channels = BTreeMap::new();
        for topic in Topic::ALL {
            let (name, mut properties) = topic.schema();
            let time = json!({ "type": "object", "properties": { "sec": { "type": "integer" }, "nsec": { "type": "integer" } } });
            if let Some(properties) = properties.as_object_mut() {
                properties.insert("timestamp".into(), time);
            }
            let schema = json!({ "title": name, "type": "object", "properties": properties });
            let schema = writer
                .add_schema(name, "jsonschema", schema.to_string().as_bytes())
                .map_err(unwritable(to))?;
            let channel =
                writer.add_channel(schema, topic.name(), "json", &BTreeMap::new()).map_err(unwritable(to))?;
            channels.insert(topic, channel);
        }
        Ok(Output {
            writer,
            to,
            channels,
            counts: BTreeMap::new(),
            names: header.motors.iter().map(|motor| motor.name.clone()).collect(),
            start_ns: u64::try_from(start.as_nanos()).unwrap_or(0),
            period_s: header.period_s,
        })
    }

    fn put(&mut self, message: Message) -> Result<(), DatasetError> {
        match message {
            Message::Cycle(cycle) => self.cycle(&cycle),
            Message::Motors(health) => self.motors(&health),
            Message::LoopTiming(timing) => self.add(
                Topic::ControlLoop,
                timing.cycle,
                json!({
                    "jitter_p50_us": timing.jitter_p50_us, "jitter_p99_us": timing.jitter_p99_us,
                    "jitter_max_us": timing.jitter_max_us, "overruns": timing.overruns,
                }),
            ),
            Message::Image(image) => self.image(*image),
            Message::Text(Text { cycle, source, text }) => {
                let source = match source {
                    TextSource::Workshop => "workshop",
                    TextSource::Envelope => "envelope",
                    TextSource::Tool => "tool",
                    TextSource::Person => "person",
                    TextSource::Agent => "agent",
                    TextSource::Body => "robot",
                };
                self.log(cycle.unwrap_or(0), source, &text)
            }
            Message::Span(Span { cycle, name, outcome }) => {
                let said =
                    outcome.map_or_else(|| format!("{name} begins"), |outcome| format!("{name}: {outcome}"));
                self.log(cycle, "span", &said)
            }
            Message::Header(_) | Message::Footer(_) => Ok(()),
        }
    }

    fn cycle(&mut self, cycle: &Cycle) -> Result<(), DatasetError> {
        let radians = |degrees: &[f64]| degrees.iter().map(|angle| angle.to_radians()).collect::<Vec<_>>();
        let names = self.names.clone();
        let at = cycle.cycle;
        self.add(Topic::Goal, at, json!({ "name": names, "position": radians(&cycle.goal_deg) }))?;
        self.add(Topic::Present, at, json!({ "name": names, "position": radians(&cycle.present_deg) }))?;
        for (frame, head) in [(HEAD, &cycle.present_head), (GOAL_HEAD, &cycle.goal_head)] {
            let Some(Head { position_m: [x, y, z], orientation_xyzw: [i, j, k, w], .. }) = head else {
                continue;
            };
            let transform = json!({
                "parent_frame_id": WORLD, "child_frame_id": frame,
                "translation": { "x": x, "y": y, "z": z }, "rotation": { "x": i, "y": j, "z": k, "w": w },
            });
            self.add(Topic::Transforms, at, transform)?;
        }
        Ok(())
    }

    fn motors(&mut self, health: &Health) -> Result<(), DatasetError> {
        let velocity: Vec<Option<f64>> =
            health.velocity_dps.iter().map(|speed| speed.map(f64::to_radians)).collect();
        let state = json!({
            "name": self.names, "temperature_c": health.temperature_c, "voltage_v": health.voltage_v,
            "current_ma": health.current_ma, "velocity": velocity,
        });
        self.add(Topic::Motors, health.cycle, state)
    }

    fn image(&mut self, image: Image) -> Result<(), DatasetError> {
        let Image { cycle, jpeg, detections, .. } = image;
        if !detections.is_empty() {
            self.add(Topic::Detections, cycle, json!({ "detections": detections }))?;
        }
        self.add(Topic::Camera, cycle, json!({ "frame_id": CAMERA, "format": "jpeg", "data": jpeg }))
    }

    fn log(&mut self, cycle: u64, name: &str, text: &str) -> Result<(), DatasetError> {
        self.add(
            Topic::Log,
            cycle,
            json!({ "level": INFO, "message": text, "name": name, "file": "", "line": 0 }),
        )
    }

    fn add(&mut self, topic: Topic, cycle: u64, mut message: Value) -> Result<(), DatasetError> {
        let since = (cycle as f64 * self.period_s * 1e9).round() as u64;
        let time = self.start_ns.saturating_add(since);
        if let Some(fields) = message.as_object_mut() {
            let stamp = json!({ "sec": time / 1_000_000_000, "nsec": time % 1_000_000_000 });
            fields.insert("timestamp".into(), stamp);
        }
        let count = self.counts.entry(topic.name()).or_default();
        let header = MessageHeader {
            channel_id: self.channels.get(&topic).copied().unwrap_or_default(),
            sequence: u32::try_from(*count).unwrap_or(u32::MAX),
            log_time: time,
            publish_time: time,
        };
        *count += 1;
        let bytes = message.to_string();
        self.writer.write_to_known_channel(&header, bytes.as_bytes()).map_err(unwritable(self.to))
    }

    fn finish(mut self, complete: bool) -> Result<McapReport, DatasetError> {
        self.writer.finish().map_err(unwritable(self.to))?;
        self.writer
            .into_inner()
            .flush()
            .map_err(|source| DatasetError::Output { path: self.to.into(), source })?;
        Ok(McapReport { topics: self.counts, complete })
    }
}

fn unwritable(to: &Path) -> impl FnOnce(mcap::McapError) -> DatasetError + '_ {
    move |error| DatasetError::Output { path: to.into(), source: std::io::Error::other(error) }
}
