//! Messages to `minismith-recorder`: one JSON document per line of its standard input.
//!
//! The first line is [`Message::Header`], the last [`Message::Footer`]. Between them the others come in any order, with
//! cycles in ascending order. A trace is a file of these lines. Without an `Footer` it is incomplete: its writer died. A
//! partial live recording is still useful; any other incomplete recording is discarded.
//!
//! Units are degrees, metres and seconds, for display in a viewer. Lists of angles follow the order of the motors in
//! [`Header`].

use serde::{Deserialize, Serialize};

use crate::old_names::files;

/// The version of this format. [`Reader`] also reads the previous one.
pub const FORMAT: u32 = 3;

/// The maximum length of a line, bytes.
pub const MAX_LINE_BYTES: usize = 4 << 20;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// The description of the recording. Always the first line.
    #[serde(rename = "header")]
    Header(Header),
    /// One control cycle.
    #[serde(rename = "cycle")]
    Cycle(Box<Cycle>),
    /// A text.
    Text(Text),
    /// The state of the motors.
    Motors(Box<Health>),
    /// The timing of the control loop.
    #[serde(rename = "control_loop")]
    LoopTiming(LoopTiming),
    /// A camera image.
    #[serde(rename = "image")]
    Image(Box<Image>),
    /// The start or end of a span: a tool's run, a sentence's plan.
    Span(Span),
    /// The end of a complete recording. Always the last line.
    #[serde(rename = "footer")]
    Footer(Footer),
}

/// The description of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`].
    pub format: u32,
    /// The recording's display name.
    pub name: String,
    /// A Markdown page about it.
    #[serde(rename = "description", default)]
    pub description: String,
    /// The time of cycle 0 in UTC (RFC 3339), if there is a calendar: a rehearsal has none.
    #[serde(rename = "start_time", default, skip_serializing_if = "Option::is_none")]
    pub start_time: Option<String>,
    /// Whether the recording is live: it ends on request, and is shown while it happens.
    #[serde(rename = "is_live", default, skip_serializing_if = "is_false")]
    pub is_live: bool,
    /// The control period, seconds.
    pub period_s: f64,
    /// The motors with their limits. All lists of angles follow this order.
    pub motors: Vec<Motor>,
    /// The geometry of the legs that carry the head; empty where they are not drawn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub legs: Vec<Leg>,
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_false(truth: &bool) -> bool {
    !*truth
}

/// One motor and its limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Its name.
    pub name: String,
    /// The part that it moves, so that a viewer groups it.
    pub part: Part,
    /// Minimum angle, degrees.
    #[serde(rename = "min_deg")]
    pub min_deg: f64,
    /// Maximum angle, degrees.
    #[serde(rename = "max_deg")]
    pub max_deg: f64,
}

/// The part that a motor moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The base, about the vertical.
    Body,
    /// The head, as one of its legs.
    Leg,
    /// The right antenna.
    RightAntenna,
    /// The left antenna.
    LeftAntenna,
}

/// A leg of the head: a crank that a motor turns, and a rod from the crank's end to the head. Units are metres. The
/// base frame is the world frame, turned by the base's motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leg {
    /// The motor's index in the list of motors.
    pub motor: usize,
    /// The position of the crank's axis, in the base frame.
    pub pivot_m: [f64; 3],
    /// The direction of the crank at angle zero, in the base frame, of length one.
    #[serde(rename = "zero_direction")]
    pub zero_direction: [f64; 3],
    /// Its direction at a quarter turn.
    #[serde(rename = "quarter_direction")]
    pub quarter_direction: [f64; 3],
    /// The crank's length.
    #[serde(rename = "crank_m")]
    pub crank_m: f64,
    /// The position of the rod's joint at the head, in the head frame.
    #[serde(rename = "ball_joint_m")]
    pub ball_joint_m: [f64; 3],
}

/// The data of one control cycle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// Its number; the robot time is this times the period.
    #[serde(rename = "cycle")]
    pub cycle: u64,
    /// The setpoint of each motor, before the envelope; empty where it is unknown.
    #[serde(rename = "setpoint_deg", default, skip_serializing_if = "Vec::is_empty")]
    pub setpoint_deg: Vec<f64>,
    /// The goal of each motor.
    pub goal_deg: Vec<f64>,
    /// The present position of each motor.
    pub present_deg: Vec<f64>,
    /// The head pose of the goals, where it can be computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goal_head: Option<Head>,
    /// The head pose of the present positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub present_head: Option<Head>,
    /// The clamps in this cycle; most cycles have none.
    #[serde(rename = "clamps", default, skip_serializing_if = "Vec::is_empty")]
    pub clamps: Vec<Clamp>,
    /// The distance of the goals to the limits of the head, which no motor has alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub margins: Option<Margins>,
}

/// `world_from_head`: x forward, y left, z up, from the base.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The position of the head's origin, metres above the base.
    #[serde(rename = "position_m")]
    pub position_m: [f64; 3],
    /// The rotation, a unit quaternion x, y, z, w.
    #[serde(rename = "orientation_xyzw")]
    pub orientation_xyzw: [f64; 4],
    /// The same as roll, pitch and yaw in the base frame, degrees.
    #[serde(rename = "rpy_deg")]
    pub rpy_deg: [f64; 3],
}

/// One clamp of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clamp {
    /// The motor's index in the list of motors.
    pub motor: usize,
    /// The amount, degrees.
    #[serde(rename = "amount_deg")]
    pub amount_deg: f64,
}

/// The distances to the limits of the head, degrees; negative beyond them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Margins {
    /// For pitch or roll, whichever is nearer.
    pub tilt_deg: f64,
    /// For the yaw relative to the base.
    pub relative_yaw_deg: f64,
}

/// The state of the motors. All lists follow the order of the motors; a motor without a response has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Health {
    /// The cycle.
    #[serde(rename = "cycle")]
    pub cycle: u64,
    /// Temperatures, degrees Celsius.
    #[serde(rename = "temperature_c")]
    pub temperature_c: Vec<Option<f64>>,
    /// Supply voltage, volts.
    #[serde(rename = "voltage_v")]
    pub voltage_v: Vec<Option<f64>>,
    /// Current, milliamperes.
    #[serde(rename = "current_ma")]
    pub current_ma: Vec<Option<f64>>,
    /// Speed, degrees per second.
    #[serde(rename = "velocity_dps")]
    pub velocity_dps: Vec<Option<f64>>,
}

/// The timing of the control loop, since the previous message of this kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopTiming {
    /// The cycle.
    #[serde(rename = "cycle")]
    pub cycle: u64,
    /// The median of the wake-up latency, microseconds.
    pub jitter_p50_us: f64,
    /// The 99th percentile.
    pub jitter_p99_us: f64,
    /// The maximum.
    #[serde(rename = "jitter_max_us")]
    pub jitter_max_us: f64,
    /// Overruns: cycles that began more than a period late, since the start.
    #[serde(rename = "overruns")]
    pub overruns: u64,
    /// Messages that were dropped and are missing in this recording, since its beginning.
    pub dropped: u64,
}

/// A camera image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// The cycle in which it was taken.
    #[serde(rename = "cycle")]
    pub cycle: u64,
    /// A JPEG file, in base 64.
    pub jpeg: String,
    /// Width, pixels.
    pub width: u32,
    /// Height, pixels.
    pub height: u32,
    /// The detections in it.
    #[serde(rename = "detections", default, skip_serializing_if = "Vec::is_empty")]
    pub detections: Vec<DetectedObject>,
}

/// One detection in an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetectedObject {
    /// The class: `person`, `cup`, ...
    pub label: String,
    /// The confidence, 0 to 1.
    pub score: f64,
    /// Left, top, right and bottom, pixels.
    #[serde(rename = "bbox_xyxy")]
    pub bbox_xyxy: [f64; 4],
}

/// The start or end of a span.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The cycle.
    #[serde(rename = "cycle")]
    pub cycle: u64,
    /// Its name: `nod v3`, `"nod twice"`.
    pub name: String,
    /// The outcome in a few words; none at the start.
    #[serde(rename = "outcome", default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// A text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The cycle; none for the whole recording.
    #[serde(rename = "cycle", default, skip_serializing_if = "Option::is_none")]
    pub cycle: Option<u64>,
    /// The source.
    #[serde(rename = "source")]
    pub source: TextSource,
    /// The text.
    #[serde(rename = "text")]
    pub text: String,
}

/// The source of a text in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// The policy, the rehearsal or the reviewer: a finding.
    Workshop,
    /// The envelope: a clamp.
    Envelope,
    /// The tool itself: printed text.
    Tool,
    /// The user: a request.
    Person,
    /// An agent, or the robot through one: an action or an answer.
    Agent,
    /// The robot: a fault, a hold, a stop.
    #[serde(rename = "robot")]
    Body,
}

/// The end of a complete recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// The number of cycles; a recorder that has read another number rejects the recording.
    #[serde(rename = "cycles")]
    pub cycles: u64,
    /// The number of dropped messages.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Reads the lines of one recording in order. The first line gives the format, and lines of the previous format are
/// converted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    is_old: bool,
    has_begun: bool,
}

impl Reader {
    /// Reads one line.
    ///
    /// # Errors
    /// When it is no valid message.
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
        let cycle = Cycle {
            cycle: 7,
            goal_deg: vec![0.1],
            present_deg: vec![0.3 - 0.1],
            clamps: vec![Clamp { motor: 0, amount_deg: 2.5 }],
            ..Cycle::default()
        };
        let text = Text { cycle: None, source: TextSource::Tool, text: "two\nlines".into() };
        for message in [
            Message::Cycle(Box::new(cycle)),
            Message::Text(text),
            Message::Footer(Footer { cycles: 1, dropped: 0 }),
        ] {
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
        let Message::Header(head) = reader.read(begin.as_bytes()).unwrap() else { panic!("it is the head") };
        assert_eq!(head.format, FORMAT);
        let end = br#"{"says":"end","beats":0}"#;
        assert_eq!(reader.read(end).unwrap(), Message::Footer(Footer { cycles: 0, dropped: 0 }));
        assert!(reader.read(br#"{"says":"end","beats":0,"more":1}"#).is_err());
        let mut reader = Reader::default();
        let begin = serde_json::to_vec(&Message::Header(head)).unwrap();
        assert!(reader.read(&begin).is_ok());
        assert!(reader.read(end).is_err());
    }
}
