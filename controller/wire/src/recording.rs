//! The words in which a recording is told to `minismith-recorder`: one JSON document on each line of its standard input.
//!
//! The first line is [`Message::Begin`], the last [`Message::End`]; between them the others come in any order, beats by
//! rising number. A trace is a file of these lines. What has no `End` is not whole: whoever told it has died. What is
//! told while it happens is of use all the same; of anything else nothing is written.
//!
//! Degrees, metres, seconds: this is what people see in a viewer. Lists of angles follow the order of the motors'
//! names in [`Begin`].

use serde::{Deserialize, Serialize};

use crate::old_names::files;

/// The version of these words. [`Reader`] also reads the one before.
pub const FORMAT: u32 = 3;

/// The longest line that a recorder reads, bytes.
pub const LONGEST_LINE: usize = 4 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// What is recorded. Always the first line.
    #[serde(rename = "header")]
    Begin(Begin),
    /// What happened on one beat.
    #[serde(rename = "cycle")]
    Beat(Box<Beat>),
    /// Something that was said.
    Text(Text),
    /// How the motors are.
    Motors(Box<Health>),
    /// How regular the beats were.
    #[serde(rename = "control_loop")]
    Pulse(Rhythm),
    /// What the camera saw.
    #[serde(rename = "image")]
    Picture(Box<Picture>),
    /// Something that lasts began or ended: a tool's run, a sentence's plan.
    Span(Span),
    /// The whole recording was told. Always the last line.
    #[serde(rename = "footer")]
    End(End),
}

/// What is recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begin {
    /// [`FORMAT`].
    pub format: u32,
    /// The recording's name, for people.
    pub name: String,
    /// A page about it, Markdown.
    #[serde(rename = "description", default)]
    pub about: String,
    /// When beat 0 was, in UTC (RFC 3339), where there is a calendar: a rehearsal has none.
    #[serde(rename = "start_time", default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// What is recorded ends when somebody stops, and is shown while it happens.
    #[serde(rename = "is_live", default, skip_serializing_if = "is_false")]
    pub live: bool,
    /// The time of one beat, seconds.
    pub period_s: f64,
    /// The motors with their limits; all lists of angles have this order.
    pub motors: Vec<Motor>,
    /// How the legs that carry the head are built; empty where they are not to be drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<Leg>,
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_false(truth: &bool) -> bool {
    !*truth
}

/// One motor and what it may do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Its name, a plain word.
    pub name: String,
    /// What it moves, so that a viewer draws it with its like.
    pub part: Part,
    /// Least angle, degrees.
    #[serde(rename = "min_deg")]
    pub low_deg: f64,
    /// Greatest angle, degrees.
    #[serde(rename = "max_deg")]
    pub high_deg: f64,
}

/// What a motor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The whole body, about the vertical.
    Body,
    /// The head, as one of its legs.
    Leg,
    /// The right antenna.
    RightAntenna,
    /// The left antenna.
    LeftAntenna,
}

/// A leg of the head: an arm that a motor turns, and a rod from the arm's end to the head. Metres; the body's frame is the
/// world's, turned by the body's motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// The motor's place in the list of motors.
    pub motor: usize,
    /// Where the arm turns, in the body's frame.
    pub pivot_m: [f64; 3],
    /// Where the arm points at angle zero, in the body's frame, of length one.
    #[serde(rename = "zero_direction")]
    pub ahead: [f64; 3],
    /// Where it points at a quarter turn.
    #[serde(rename = "quarter_direction")]
    pub aside: [f64; 3],
    /// The arm's length.
    #[serde(rename = "crank_m")]
    pub arm_m: f64,
    /// Where the rod meets the head, in the head's frame.
    #[serde(rename = "ball_joint_m")]
    pub ball_m: [f64; 3],
}

/// What happened on one beat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beat {
    /// Its number; the stage's time is this times the period.
    #[serde(rename = "cycle")]
    pub beat: u64,
    /// Where each motor was wished to be, before the envelope; empty where that is not known.
    #[serde(rename = "setpoint_deg", default, skip_serializing_if = "Vec::is_empty")]
    pub wish_deg: Vec<f64>,
    /// Where each motor was told to be.
    pub goal_deg: Vec<f64>,
    /// Where each motor was.
    pub present_deg: Vec<f64>,
    /// The head that follows from the goals, where it can be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_head: Option<Head>,
    /// The head that follows from where the motors were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present_head: Option<Head>,
    /// What was trimmed on this beat; most beats have none.
    #[serde(rename = "clamps", default, skip_serializing_if = "Vec::is_empty")]
    pub trims: Vec<Trim>,
    /// How far the goals were from the limits of the head, which no motor has alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margins: Option<Margins>,
}

/// `world_from_head`: x forward, y left, z up, from the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Where the head's origin is, metres above the base.
    #[serde(rename = "position_m")]
    pub at_m: [f64; 3],
    /// The rotation, a unit quaternion x, y, z, w.
    #[serde(rename = "orientation_xyzw")]
    pub turned: [f64; 4],
    /// The same as roll, pitch and yaw in the body's frame, degrees.
    #[serde(rename = "rpy_deg")]
    pub angles_deg: [f64; 3],
}

/// What was trimmed of one motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trim {
    /// The motor's place in the list of motors.
    pub motor: usize,
    /// By how much, degrees.
    #[serde(rename = "amount_deg")]
    pub by_deg: f64,
}

/// The distances to the limits of the head, degrees; below zero is beyond.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Margins {
    /// Of pitch or roll, whichever is nearer.
    pub tilt_deg: f64,
    /// Of the yaw relative to the body.
    pub relative_yaw_deg: f64,
}

/// How the motors are. All lists follow the order of the motors; a motor that did not answer has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// On which beat.
    #[serde(rename = "cycle")]
    pub beat: u64,
    /// Temperatures, degrees Celsius.
    #[serde(rename = "temperature_c")]
    pub celsius: Vec<Option<f64>>,
    /// Supply, volts.
    #[serde(rename = "voltage_v")]
    pub volts: Vec<Option<f64>>,
    /// Current, milliamperes.
    #[serde(rename = "current_ma")]
    pub milliamps: Vec<Option<f64>>,
    /// Speed, degrees per second.
    #[serde(rename = "velocity_dps")]
    pub degrees_per_s: Vec<Option<f64>>,
}

/// How regular the beats were, over the time since the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rhythm {
    /// On which beat.
    #[serde(rename = "cycle")]
    pub beat: u64,
    /// How late a beat began: half of them at most so late, microseconds.
    pub jitter_p50_us: f64,
    /// 99 of a hundred at most so late.
    pub jitter_p99_us: f64,
    /// The latest.
    #[serde(rename = "jitter_max_us")]
    pub jitter_worst_us: f64,
    /// Beats that began more than a period late, since the start.
    #[serde(rename = "overruns")]
    pub late: u64,
    /// What could not be told in time and is missing in this recording, since its beginning.
    pub dropped: u64,
}

/// What the camera saw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// On which beat it was taken.
    #[serde(rename = "cycle")]
    pub beat: u64,
    /// A JPEG file, in base 64.
    pub jpeg: String,
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// What was found in it.
    #[serde(rename = "detections", default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
}

/// What a detector found in a picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seen {
    /// What it is: `person`, `cup`, ...
    pub label: String,
    /// How sure the detector is, 0 to 1.
    pub score: f64,
    /// Left, top, right and bottom, pixels.
    #[serde(rename = "bbox_xyxy")]
    pub bounds: [f64; 4],
}

/// Something that lasts began or ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// On which beat.
    #[serde(rename = "cycle")]
    pub beat: u64,
    /// What it is: `nod v3`, `"nod twice"`.
    pub name: String,
    /// How it ended, in a word or some; none when it begins.
    #[serde(rename = "outcome", default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// On which beat; none for what holds for the whole recording.
    #[serde(rename = "cycle", default, skip_serializing_if = "Option::is_none")]
    pub beat: Option<u64>,
    /// By whom.
    #[serde(rename = "source")]
    pub voice: Voice,
    /// The words.
    #[serde(rename = "text")]
    pub words: String,
}

/// Who says something in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Voice {
    /// The policy, the rehearsal or the reviewer: a finding.
    Workshop,
    /// The envelope: what it trimmed.
    Envelope,
    /// The tool itself: what it printed.
    Tool,
    /// The person: what was asked.
    Person,
    /// An agent, or the robot by way of one: what it did or answered.
    Agent,
    /// The robot's body: a fault, a hold, a stop.
    #[serde(rename = "robot")]
    Body,
}

/// The whole recording was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How many beats were told: a recorder that has read another number refuses.
    #[serde(rename = "cycles")]
    pub beats: u64,
    /// How many messages are missing because they could not be told in time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Reads the lines of one recording, in their order. Lines of the format before are converted: the first line tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    is_old: bool,
    has_begun: bool,
}

impl Reader {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is no message.
    pub fn read(&mut self, line: &[u8]) -> Result<Message, serde_json::Error> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if !is_first && !self.is_old {
            return serde_json::from_slice(line);
        }
        let message = serde_json::from_slice(line);
        if message.is_ok() {
            return message;
        }
        let mut value = serde_json::from_slice(line)?;
        if !files::trace_line(&mut value) {
            return message;
        }
        self.is_old = true;
        serde_json::from_value(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_and_survives_it() {
        let beat = Beat {
            beat: 7,
            goal_deg: vec![0.1],
            present_deg: vec![0.3 - 0.1],
            trims: vec![Trim { motor: 0, by_deg: 2.5 }],
            ..Beat::default()
        };
        let text = Text { beat: None, voice: Voice::Tool, words: "two\nlines".into() };
        for message in
            [Message::Beat(Box::new(beat)), Message::Text(text), Message::End(End { beats: 1, dropped: 0 })]
        {
            let line = serde_json::to_string(&message).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), message);
        }
    }

    #[test]
    fn what_is_unknown_is_refused() {
        for line in [
            r#"{"type":"footer"}"#,
            r#"{"type":"footer","cycles":1,"more":2}"#,
            r#"{"type":"text","source":"stranger","text":""}"#,
            r#"{"type":"frame"}"#,
            r#"{"says":"end","beats":1}"#,
        ] {
            assert!(serde_json::from_str::<Message>(line).is_err(), "{line}");
        }
    }

    #[test]
    fn only_a_recording_that_begins_in_the_old_format_is_converted() {
        let begin = r#"{"says":"begin","format":2,"name":"nod","period_s":0.01,"motors":[]}"#;
        let mut reader = Reader::default();
        let Message::Begin(head) = reader.read(begin.as_bytes()).unwrap() else { panic!("it is the head") };
        assert_eq!(head.format, FORMAT);
        let end = br#"{"says":"end","beats":0}"#;
        assert_eq!(reader.read(end).unwrap(), Message::End(End { beats: 0, dropped: 0 }));
        assert!(reader.read(br#"{"says":"end","beats":0,"more":1}"#).is_err());
        let mut reader = Reader::default();
        let begin = serde_json::to_vec(&Message::Begin(head)).unwrap();
        assert!(reader.read(&begin).is_ok());
        assert!(reader.read(end).is_err());
    }
}
