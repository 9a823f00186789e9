//! Messages at a lower rate than the cycles: motor health, timing, and images.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firmware_bridge::control_loop::{ControlLoopHandle, CycleRecord, LoopClient};
use firmware_bridge::joint::{Joint, Joints};
use minismith_protocol::trace_format::{DetectedObject, Health, Image, LoopTiming, Message};

use crate::perception::{CameraObserver, Perception, PerceptionError};
use minismith_perception::detect::BoundingBox;
use minismith_perception::track::{Detection, Kind};
use minismith_runtime::config::RecordingConfig;

/// Interval of messages about motors and timing.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Minimum interval between two searches of images for faces.
const SEARCH_INTERVAL: Duration = Duration::from_millis(500);

/// A message and its receivers.
pub struct LowRateMessage {
    message: Message,
    pub to_trace: bool,
    pub to_viewer: bool,
}

impl LowRateMessage {
    /// Returns the message with this cycle number.
    pub fn at(&self, cycle: u64) -> Message {
        let mut message = self.message.clone();
        match &mut message {
            Message::Motors(health) => health.cycle = cycle,
            Message::LoopTiming(rhythm) => rhythm.cycle = cycle,
            Message::Image(image) => image.cycle = cycle,
            _ => {}
        }
        message
    }
}

/// Creates the messages.
pub struct LowRateSampler {
    control_loop: ControlLoopHandle,
    observer: CameraObserver,
    perception: Perception,
    /// Cycles per second.
    rate: f64,
    to_trace: f64,
    to_viewer: f64,
    lateness: Vec<f64>,
    positions: Option<(u64, Joints)>,
    reported: u64,
    last_trace: u64,
    last_viewer: u64,
    searched: u64,
    seen: Vec<DetectedObject>,
}

impl LowRateSampler {
    pub fn new(
        control_loop: ControlLoopHandle,
        observer: CameraObserver,
        perception: Perception,
        stored: &RecordingConfig,
    ) -> Self {
        LowRateSampler {
            rate: control_loop.period().as_secs_f64().recip(),
            control_loop,
            observer,
            perception,
            to_trace: f64::from(stored.camera_fps),
            to_viewer: f64::from(stored.rerun.camera_fps),
            lateness: Vec::new(),
            positions: None,
            reported: 0,
            last_trace: 0,
            last_viewer: 0,
            searched: 0,
            seen: Vec::new(),
        }
    }

    /// Returns the messages after this cycle.
    pub fn sample(
        &mut self,
        cycle: &CycleRecord,
        traced: bool,
        viewed: bool,
        lost: u64,
    ) -> Vec<LowRateMessage> {
        let mut rare = Vec::new();
        self.lateness.push(cycle.wakeup_latency.seconds() * 1e6);
        let cycles = |time: Duration| (time.as_secs_f64() * self.rate) as u64;
        let is_time = cycle.cycle.saturating_sub(self.reported) >= cycles(REPORT_INTERVAL).max(1);
        let searching = cycle.cycle.saturating_sub(self.searched) >= cycles(SEARCH_INTERVAL);
        if is_time {
            self.reported = cycle.cycle;
            let both = |message| LowRateMessage { message, to_trace: traced, to_viewer: viewed };
            rare.push(both(Message::LoopTiming(self.timing(cycle, lost))));
            rare.extend(self.health(cycle).map(|health| both(Message::Motors(Box::new(health)))));
        }
        let due = |last: u64, per_second: f64| {
            per_second > 0.0 && (cycle.cycle.saturating_sub(last) as f64) >= self.rate / per_second - 0.5
        };
        let to_trace = traced && due(self.last_trace, self.to_trace);
        let to_viewer = viewed && due(self.last_viewer, self.to_viewer);
        if to_trace || to_viewer {
            if to_trace {
                self.last_trace = cycle.cycle;
            }
            if to_viewer {
                self.last_viewer = cycle.cycle;
            }
            if to_viewer && searching {
                self.searched = cycle.cycle;
                self.seen = self.search();
            }
            // If the camera is unavailable or a model is missing, its images are left out.
            if let Ok(image) = self.image() {
                rare.push(LowRateMessage { message: Message::Image(Box::new(image)), to_trace, to_viewer });
            }
        }
        rare
    }

    fn timing(&mut self, cycle: &CycleRecord, lost: u64) -> LoopTiming {
        self.lateness.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let position = ((self.lateness.len() as f64 - 1.0) * share).round() as usize;
            self.lateness.get(position).copied().unwrap_or_default()
        };
        let rhythm = LoopTiming {
            cycle: cycle.cycle,
            jitter_p50_us: at(0.5),
            jitter_p99_us: at(0.99),
            jitter_max_us: at(1.0),
            overruns: cycle.is_overrun,
            dropped: lost,
        };
        self.lateness.clear();
        rhythm
    }

    /// Returns the health of the motors, or `None` if the robot does not report it.
    fn health(&mut self, cycle: &CycleRecord) -> Option<Health> {
        let state = self.control_loop.snapshot().state;
        let present = Joints::from_fn(|joint| cycle.present[joint].unwrap_or_default());
        let before = self.positions.replace((cycle.cycle, present));
        let speeds = before.map(|(then, there)| {
            let seconds = (cycle.cycle.saturating_sub(then) as f64 / self.rate).max(1e-6);
            Joints::from_fn(|joint| (present[joint] - there[joint]).degrees() / seconds)
        });
        if state.health.iter().all(|(_, health)| health.is_none()) {
            return None;
        }
        let list = |of: &dyn Fn(Joint) -> Option<f64>| Joint::ALL.map(of).to_vec();
        Some(Health {
            cycle: cycle.cycle,
            temperature_c: list(&|joint| Some(state.health[joint]?.temperature_c)),
            voltage_v: list(&|joint| Some(state.health[joint]?.voltage_v)),
            current_ma: list(&|joint| Some(state.health[joint]?.current.0)),
            velocity_dps: list(&|joint| Some(speeds.as_ref()?[joint])),
        })
    }

    fn image(&self) -> Result<Image, PerceptionError> {
        let frame = self.observer.frame()?;
        let jpeg = frame.jpeg()?;
        let image = frame.image()?;
        let side = |pixels| u32::try_from(pixels).unwrap_or(u32::MAX);
        let (width, height) = (side(image.width), side(image.height));
        Ok(Image { cycle: 0, jpeg: STANDARD.encode(jpeg), width, height, detections: self.seen.clone() })
    }

    /// Returns the faces in the latest image. The list is empty without a model.
    fn search(&mut self) -> Vec<DetectedObject> {
        let Ok(from) = self.observer.camera_pose() else { return Vec::new() };
        let Ok(sighting) = self.perception.faces(&from) else { return Vec::new() };
        let seen = |found: &Detection| DetectedObject {
            label: match found.kind {
                Kind::Face => "person".into(),
                Kind::Object(label) => label.into(),
            },
            score: found.score,
            bbox_xyxy: {
                let BoundingBox { x, y, width, height } = found.bounds;
                [x, y, x + width, y + height]
            },
        };
        sighting.found.iter().map(seen).collect()
    }
}
