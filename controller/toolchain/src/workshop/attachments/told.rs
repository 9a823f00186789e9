//! Converts a rehearsal into messages for the recorder.

use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use minismith_wire::recording::{Beat, End, Message, Text, Trim, Voice};

use super::moment::Moment;
use minismith_analysis::finding::Finding;
use minismith_analysis::margins::TrimSpan;
use minismith_control::trace::words;

/// The rehearsal to convert.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Name of the recording.
    pub name: String,
    /// Text about the recording.
    pub about: String,
    /// Cycles.
    pub moments: &'a [Moment],
    /// Duration of one cycle, seconds.
    pub period_s: f64,
    /// Limits of the motors.
    pub limits: &'a Limits,
    /// Findings.
    pub findings: &'a [Finding],
    /// Time spans in which the envelope clamped the motion.
    pub trims: &'a [TrimSpan],
}

/// Returns the whole recording, message by message.
pub fn messages<'a>(subject: &'a Subject<'a>) -> impl Iterator<Item = Message> + 'a {
    let said = subject.findings.iter().map(|finding| {
        Message::Text(Text { beat: None, voice: Voice::Workshop, words: finding.to_string() })
    });
    let held = subject.trims.iter().map(|trim| {
        let words = format!(
            "{} clamped by up to {} degrees ({}; {} cycles)",
            trim.joint, trim.worst_deg, trim.cause, trim.beats
        );
        Message::Text(Text { beat: Some(subject.beat_at(trim.from_s)), voice: Voice::Envelope, words })
    });
    let beats = (0..).zip(subject.moments).map(|(number, moment)| subject.beat(number, moment));
    std::iter::once(subject.begin())
        .chain(said)
        .chain(held)
        .chain(beats)
        .chain(std::iter::once(Message::End(End { beats: subject.moments.len() as u64, dropped: 0 })))
}

impl Subject<'_> {
    fn begin(&self) -> Message {
        let period = Duration::try_from_secs_f64(self.period_s).unwrap_or_default();
        Message::Begin(words::begin(self.name.clone(), self.about.clone(), period, self.limits))
    }

    /// Returns the cycle at a robot time.
    fn beat_at(&self, seconds: f64) -> u64 {
        (seconds / self.period_s.max(1e-6)).round() as u64
    }

    fn beat(&self, number: u64, moment: &Moment) -> Message {
        // The amount of a clamp is known only for its worst cycle.
        let worst = self.trims.iter().filter(|trim| self.beat_at(trim.worst_at_s) == number);
        let trims = worst.filter_map(|trim| {
            Some(Trim { motor: Joint::from_name(&trim.joint)?.index(), by_deg: trim.worst_deg })
        });
        let list = |joints: &Joints<f64>| joints.as_array().to_vec();
        Message::Beat(Box::new(Beat {
            beat: number,
            goal_deg: list(&moment.goal),
            present_deg: list(&moment.present),
            goal_head: moment.goal_head.as_ref().map(words::head),
            present_head: moment.present_head.as_ref().map(words::head),
            trims: trims.collect(),
            margins: moment.goal_head.map(|head| words::margins(self.limits, head.angles_deg)),
            ..Beat::default()
        }))
    }
}
