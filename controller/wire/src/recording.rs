//! The words in which a recording is told to `minismith-recorder`: one JSON document on each line of its standard input.
//!
//! The first line is [`Message::Begin`], the last [`Message::End`]; between them the others come in any order, beats by
//! rising number. What has no `End` is no recording: whoever tells it has died, and nothing is written.
//!
//! Degrees, metres, seconds: this is what people see in a viewer. Lists of angles follow the order of the motors'
//! names in [`Begin`].

use serde::{Deserialize, Serialize};

/// The version of these words. A recorder refuses any other.
pub const FORMAT: u32 = 1;

/// The longest line that a recorder reads, bytes.
pub const LONGEST_LINE: usize = 1 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "says", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// What is recorded. Always the first line.
    Begin(Begin),
    /// What happened on one beat.
    Beat(Box<Beat>),
    /// Something that was said.
    Text(Text),
    /// The whole recording was told. Always the last line.
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
    #[serde(default)]
    pub about: String,
    /// The time of one beat, seconds.
    pub period_s: f64,
    /// The motors with their limits; all lists of angles have this order.
    pub motors: Vec<Motor>,
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
    pub low_deg: f64,
    /// Greatest angle, degrees.
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

/// What happened on one beat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beat {
    /// Its number; the stage's time is this times the period.
    pub beat: u64,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
    pub at_m: [f64; 3],
    /// The rotation, a unit quaternion x, y, z, w.
    pub turned: [f64; 4],
    /// The same as roll, pitch and yaw in the body's frame, degrees.
    pub angles_deg: [f64; 3],
}

/// What was trimmed of one motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trim {
    /// The motor's place in the list of motors.
    pub motor: usize,
    /// By how much, degrees.
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

/// Something that was said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// On which beat; none for what holds for the whole recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beat: Option<u64>,
    /// By whom.
    pub voice: Voice,
    /// The words.
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
}

/// The whole recording was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// How many beats were told: a recorder that has read another number refuses.
    pub beats: u64,
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
        for message in [Message::Beat(Box::new(beat)), Message::Text(text), Message::End(End { beats: 1 })] {
            let line = serde_json::to_string(&message).unwrap();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(serde_json::from_str::<Message>(&line).unwrap(), message);
        }
    }

    #[test]
    fn what_is_unknown_is_refused() {
        for line in [
            r#"{"says":"end"}"#,
            r#"{"says":"end","beats":1,"more":2}"#,
            r#"{"says":"text","voice":"stranger","words":""}"#,
            r#"{"says":"frame"}"#,
        ] {
            assert!(serde_json::from_str::<Message>(line).is_err(), "{line}");
        }
    }
}
