//! Converts a rehearsal into messages for the recorder.

use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use minismith_protocol::trace_format::{Clamp, Cycle, Footer, Message, Text, TextSource};

use super::sample::PoseSample;
use minismith_analysis::finding::Finding;
use minismith_analysis::margins::ClampSpan;
use minismith_control::trace::display_units;

/// The rehearsal to convert.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Name of the recording.
    pub name: String,
    /// Text about the recording.
    pub about: String,
    /// Cycles.
    pub moments: &'a [PoseSample],
    /// Duration of one cycle, seconds.
    pub period_s: f64,
    /// Limits of the motors.
    pub limits: &'a Limits,
    /// Findings.
    pub findings: &'a [Finding],
    /// Time spans in which the envelope clamped the motion.
    pub clamps: &'a [ClampSpan],
}

/// Returns the whole recording, message by message.
pub fn messages<'a>(subject: &'a Subject<'a>) -> impl Iterator<Item = Message> + 'a {
    let said = subject.findings.iter().map(|finding| {
        Message::Text(Text { cycle: None, source: TextSource::Workshop, text: finding.to_string() })
    });
    let held = subject.clamps.iter().map(|clamp| {
        let words = format!(
            "{} clamped by up to {} degrees ({}; {} cycles)",
            clamp.joint, clamp.worst_deg, clamp.cause, clamp.cycles
        );
        Message::Text(Text {
            cycle: Some(subject.cycle_at(clamp.from_s)),
            source: TextSource::Envelope,
            text: words,
        })
    });
    let cycles = (0..).zip(subject.moments).map(|(number, moment)| subject.cycle(number, moment));
    std::iter::once(subject.begin())
        .chain(said)
        .chain(held)
        .chain(cycles)
        .chain(std::iter::once(Message::Footer(Footer { cycles: subject.moments.len() as u64, dropped: 0 })))
}

impl Subject<'_> {
    fn begin(&self) -> Message {
        let period = Duration::try_from_secs_f64(self.period_s).unwrap_or_default();
        Message::Header(display_units::begin(self.name.clone(), self.about.clone(), period, self.limits))
    }

    /// Returns the cycle at a robot time.
    fn cycle_at(&self, seconds: f64) -> u64 {
        (seconds / self.period_s.max(1e-6)).round() as u64
    }

    fn cycle(&self, number: u64, moment: &PoseSample) -> Message {
        // The amount of a clamp is known only for its worst cycle.
        let worst = self.clamps.iter().filter(|clamp| self.cycle_at(clamp.worst_at_s) == number);
        let clamps = worst.filter_map(|clamp| {
            Some(Clamp { motor: Joint::from_name(&clamp.joint)?.index(), amount_deg: clamp.worst_deg })
        });
        let list = |joints: &Joints<f64>| joints.as_array().to_vec();
        Message::Cycle(Box::new(Cycle {
            cycle: number,
            goal_deg: list(&moment.goal),
            present_deg: list(&moment.present),
            goal_head: moment.goal_head.as_ref().map(display_units::head),
            present_head: moment.present_head.as_ref().map(display_units::head),
            clamps: clamps.collect(),
            margins: moment.goal_head.map(|head| display_units::margins(self.limits, head.angles_deg)),
            ..Cycle::default()
        }))
    }
}
