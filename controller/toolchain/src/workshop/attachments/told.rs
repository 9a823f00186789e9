//! A rehearsal in the recorder's words.

use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use minismith_wire::recording::{Beat, End, Message, Text, Trim, Voice};

use super::moment::Moment;
use minismith_analysis::finding::Finding;
use minismith_analysis::margins::TrimSpan;
use minismith_control::trace::words;

/// What is told.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The recording's name.
    pub name: String,
    /// A page about it.
    pub about: String,
    /// The beats.
    pub moments: &'a [Moment],
    /// The time of one beat, seconds.
    pub period_s: f64,
    /// What the motors may do.
    pub limits: &'a Limits,
    /// What was found.
    pub findings: &'a [Finding],
    /// When the envelope held the robot back.
    pub trims: &'a [TrimSpan],
}

/// The whole recording, message by message.
pub fn messages<'a>(subject: &'a Subject<'a>) -> impl Iterator<Item = Message> + 'a {
    let said = subject.findings.iter().map(|finding| {
        Message::Text(Text { beat: None, voice: Voice::Workshop, words: finding.to_string() })
    });
    let held = subject.trims.iter().map(|trim| {
        let words = format!(
            "{} held back by up to {} degrees ({}; {} beats)",
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

    /// The beat at a time of the stage's clock.
    fn beat_at(&self, seconds: f64) -> u64 {
        (seconds / self.period_s.max(1e-6)).round() as u64
    }

    fn beat(&self, number: u64, moment: &Moment) -> Message {
        // By how much it was trimmed is known of the worst beat alone.
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
