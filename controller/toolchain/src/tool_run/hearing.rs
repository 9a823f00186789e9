//! The host calls that concern sound: recording, where a voice comes from, and playing.

use minismith_protocol::{HostReply, MAX_PLAYED_SAMPLES, RefusalKind};
use serde_json::{Value, json};

use super::{Execution, MAX_EVENTS, Next, Reply, cut};
use minismith_analysis::manifest::Capability;
use minismith_control::sound::SAMPLE_RATE;

/// Samples that follow others within this time continue their sound, seconds.
const CONTINUES_WITHIN_S: f64 = 0.05;

impl Execution<'_> {
    pub(super) fn listen(&mut self, on: bool) -> Next {
        if !self.permit.capabilities.contains(&Capability::Microphone) {
            return self.done();
        }
        match self.context.sound.record(on, self.now) {
            Ok(()) => self.done(),
            Err(no) => self.refuse(RefusalKind::Runtime, &no.to_string()),
        }
    }

    pub(super) fn heard(&mut self) -> Next {
        let samples = self.context.sound.heard(self.now);
        self.record.heard += samples.len() as u64;
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        // A second of sound has 64,000 bytes.
        let length = u32::try_from(bytes.len()).unwrap_or_default();
        Next::Answer(Reply::sound(HostReply::Heard { now: self.now.0, bytes: length }, bytes))
    }

    pub(super) fn voice_direction(&mut self) -> Next {
        let direction = self.context.sound.direction(self.now);
        let value = direction.map_or(Value::Null, |voice| json!([voice.angle, voice.is_speech]));
        Next::Answer(Reply::plain(HostReply::Value { now: self.now.0, value }))
    }

    /// Starts a sound file. A robot without a speaker does so in silence, and the run says it.
    pub(super) fn play_file(&mut self, file: &str) -> Next {
        self.note_sound();
        if let Err(no) = self.context.sound.play_file(file) {
            self.note(&format!("the sound {:?} was not played: {no}", cut(file.to_owned(), 100)));
        }
        self.done()
    }

    pub(super) fn play_samples(&mut self, samples: &[i16]) -> Next {
        if samples.len() > MAX_PLAYED_SAMPLES {
            return self.refuse(
                RefusalKind::Value,
                &format!("too many samples at once: {}, {MAX_PLAYED_SAMPLES} are allowed", samples.len()),
            );
        }
        let now = self.now.seconds();
        if now > self.playing_until_s + CONTINUES_WITHIN_S {
            self.note_sound();
        }
        self.playing_until_s = self.playing_until_s.max(now) + samples.len() as f64 / f64::from(SAMPLE_RATE);
        let samples: Vec<f32> = samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
        if let Err(no) = self.context.sound.play(&samples) {
            self.note(&format!("samples were not played: {no}"));
        }
        self.done()
    }

    fn note_sound(&mut self) {
        if self.record.sounds.len() < MAX_EVENTS {
            self.record.sounds.push(self.now.seconds());
        }
    }
}
