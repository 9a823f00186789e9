//! Messages at a lower rate than the cycles: motor health, timing, and images.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::pulse::{BeatRecord, Conductor, PulseHandle};
use minismith_wire::recording::{Health, Message, Picture, Rhythm, Seen};

use crate::eyes::{Eyes, Lookout, NoSight};
use minismith_runtime::config::RecordingConfig;
use minismith_senses::detect::Bounds;
use minismith_senses::track::{Found, Kind};

/// Interval of messages about motors and timing.
const REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// Minimum interval between two searches of images for faces.
const SEARCH_INTERVAL: Duration = Duration::from_millis(500);

/// A message and its receivers.
pub struct Rare {
    message: Message,
    pub to_trace: bool,
    pub to_viewer: bool,
}

impl Rare {
    /// Returns the message with this cycle number.
    pub fn at(&self, beat: u64) -> Message {
        let mut message = self.message.clone();
        match &mut message {
            Message::Motors(health) => health.beat = beat,
            Message::Pulse(rhythm) => rhythm.beat = beat,
            Message::Picture(picture) => picture.beat = beat,
            _ => {}
        }
        message
    }
}

/// Creates the messages.
pub struct Slow {
    pulse: PulseHandle,
    lookout: Lookout,
    eyes: Eyes,
    /// Cycles per second.
    rate: f64,
    to_trace: f64,
    to_viewer: f64,
    lateness: Vec<f64>,
    positions: Option<(u64, Joints)>,
    told: u64,
    last_trace: u64,
    last_viewer: u64,
    searched: u64,
    seen: Vec<Seen>,
}

impl Slow {
    pub fn new(pulse: PulseHandle, lookout: Lookout, eyes: Eyes, kept: &RecordingConfig) -> Self {
        Slow {
            rate: pulse.period().as_secs_f64().recip(),
            pulse,
            lookout,
            eyes,
            to_trace: f64::from(kept.camera_fps),
            to_viewer: f64::from(kept.rerun.camera_fps),
            lateness: Vec::new(),
            positions: None,
            told: 0,
            last_trace: 0,
            last_viewer: 0,
            searched: 0,
            seen: Vec::new(),
        }
    }

    /// Returns the messages after this cycle.
    pub fn see(&mut self, beat: &BeatRecord, traced: bool, viewed: bool, lost: u64) -> Vec<Rare> {
        let mut rare = Vec::new();
        self.lateness.push(beat.lateness.seconds() * 1e6);
        let beats = |time: Duration| (time.as_secs_f64() * self.rate) as u64;
        let is_time = beat.beat.saturating_sub(self.told) >= beats(REPORT_INTERVAL).max(1);
        let searching = beat.beat.saturating_sub(self.searched) >= beats(SEARCH_INTERVAL);
        if is_time {
            self.told = beat.beat;
            let both = |message| Rare { message, to_trace: traced, to_viewer: viewed };
            rare.push(both(Message::Pulse(self.rhythm(beat, lost))));
            rare.extend(self.health(beat).map(|health| both(Message::Motors(Box::new(health)))));
        }
        let due = |last: u64, per_second: f64| {
            per_second > 0.0 && (beat.beat.saturating_sub(last) as f64) >= self.rate / per_second - 0.5
        };
        let to_trace = traced && due(self.last_trace, self.to_trace);
        let to_viewer = viewed && due(self.last_viewer, self.to_viewer);
        if to_trace || to_viewer {
            if to_trace {
                self.last_trace = beat.beat;
            }
            if to_viewer {
                self.last_viewer = beat.beat;
            }
            if to_viewer && searching {
                self.searched = beat.beat;
                self.seen = self.search();
            }
            // If the camera is unavailable or a model is missing, its images are left out.
            if let Ok(picture) = self.picture() {
                rare.push(Rare { message: Message::Picture(Box::new(picture)), to_trace, to_viewer });
            }
        }
        rare
    }

    fn rhythm(&mut self, beat: &BeatRecord, lost: u64) -> Rhythm {
        self.lateness.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = ((self.lateness.len() as f64 - 1.0) * share).round() as usize;
            self.lateness.get(place).copied().unwrap_or_default()
        };
        let rhythm = Rhythm {
            beat: beat.beat,
            jitter_p50_us: at(0.5),
            jitter_p99_us: at(0.99),
            jitter_worst_us: at(1.0),
            late: beat.late,
            dropped: lost,
        };
        self.lateness.clear();
        rhythm
    }

    /// Returns the health of the motors, or `None` if the robot does not report it.
    fn health(&mut self, beat: &BeatRecord) -> Option<Health> {
        let state = self.pulse.snapshot().state;
        let present = Joints::from_fn(|joint| beat.present[joint].unwrap_or_default());
        let before = self.positions.replace((beat.beat, present));
        let speeds = before.map(|(then, there)| {
            let seconds = (beat.beat.saturating_sub(then) as f64 / self.rate).max(1e-6);
            Joints::from_fn(|joint| (present[joint] - there[joint]).degrees() / seconds)
        });
        if state.health.iter().all(|(_, health)| health.is_none()) {
            return None;
        }
        let list = |of: &dyn Fn(Joint) -> Option<f64>| Joint::ALL.map(of).to_vec();
        Some(Health {
            beat: beat.beat,
            celsius: list(&|joint| Some(state.health[joint]?.celsius)),
            volts: list(&|joint| Some(state.health[joint]?.volts)),
            milliamps: list(&|joint| Some(state.health[joint]?.current.0)),
            degrees_per_s: list(&|joint| Some(speeds.as_ref()?[joint])),
        })
    }

    fn picture(&self) -> Result<Picture, NoSight> {
        let frame = self.lookout.frame()?;
        let jpeg = frame.jpeg()?;
        let picture = frame.picture()?;
        let side = |pixels| u32::try_from(pixels).unwrap_or(u32::MAX);
        let (width, height) = (side(picture.width), side(picture.height));
        Ok(Picture { beat: 0, jpeg: STANDARD.encode(jpeg), width, height, seen: self.seen.clone() })
    }

    /// Returns the faces in the latest image. The list is empty without a model.
    fn search(&mut self) -> Vec<Seen> {
        let Ok(from) = self.lookout.viewpoint() else { return Vec::new() };
        let Ok(sighting) = self.eyes.faces(&from) else { return Vec::new() };
        let seen = |found: &Found| Seen {
            label: match found.kind {
                Kind::Face => "person".into(),
                Kind::Thing(label) => label.into(),
            },
            score: found.score,
            bounds: {
                let Bounds { x, y, width, height } = found.bounds;
                [x, y, x + width, y + height]
            },
        };
        sighting.found.iter().map(seen).collect()
    }
}
