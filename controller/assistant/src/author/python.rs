//! Writes strokes and a person's text as Python source.

use std::time::Duration;

use firmware_bridge::posture::HeadPose;
use firmware_bridge::units::Radians;
use minismith_protocol::Method;

use super::phrase::Phrase;
use minismith_nlu::motion_segments::MotionSegment;

/// The maximum length of a person's text in a quotation, in characters.
const MAX_QUOTE_CHARS: usize = 200;

/// The maximum length of a docstring line, in characters.
const LINE: usize = 100;

/// Returns a phrase as indented lines: its strokes, in a loop if they repeat.
pub(super) fn lines(phrase: &Phrase<'_>, indent: &str) -> String {
    let inner = if phrase.times > 1 { format!("{indent}    ") } else { indent.to_owned() };
    let strokes: String = phrase.strokes.iter().map(|stroke| format!("{inner}{}\n", call(stroke))).collect();
    if phrase.times > 1 { format!("{indent}for _ in range({}):\n{strokes}", phrase.times) } else { strokes }
}

/// Returns whether the tool's tempo changes how long a stroke takes.
pub(super) const fn is_paced(stroke: &MotionSegment) -> bool {
    matches!(stroke, MotionSegment::Goto { .. } | MotionSegment::LookAt { .. })
}

/// Returns the call that makes a stroke.
fn call(stroke: &MotionSegment) -> String {
    let (function, arguments) = match stroke {
        MotionSegment::Goto { head, body_yaw, antennas, duration, method } => {
            let head = head.map(|pose| format!("head={}", pose_of(&pose)));
            let antennas = antennas.map(|both| {
                format!("antennas=[{}, {}]", float(both.right.value()), float(both.left.value()))
            });
            let body = body_yaw.map_or_else(|| "None".to_owned(), |yaw| float(yaw.value()));
            let method = method_of(*method).map(|name| format!("method=\"{name}\""));
            let arguments =
                [head, antennas, Some(paced(*duration)), method, Some(format!("body_yaw={body}"))];
            ("robot.goto_target", arguments.into_iter().flatten().collect())
        }
        MotionSegment::LookAt { point, duration } => {
            let point = point.iter().map(|metres| float(*metres));
            ("robot.look_at_world", point.chain([paced(*duration)]).collect())
        }
        MotionSegment::Pause(duration) => ("time.sleep", vec![float(duration.as_secs_f64())]),
        MotionSegment::Wake => ("robot.wake_up", Vec::new()),
        MotionSegment::Rest => ("robot.goto_sleep", Vec::new()),
    };
    format!("{function}({})", arguments.join(", "))
}

fn paced(duration: Duration) -> String {
    format!("duration={} / speed", float(duration.as_secs_f64()))
}

/// Returns the name of an interpolation, or `None` for the default one.
const fn method_of(method: Method) -> Option<&'static str> {
    match method {
        Method::Minjerk => None,
        Method::Linear => Some("linear"),
        Method::EaseInOut => Some("ease_in_out"),
        Method::Cartoon => Some("cartoon"),
    }
}

/// Returns a pose in metres and degrees; zeros are left out.
fn pose_of(pose: &HeadPose) -> String {
    let position = pose.0.translation;
    let angles = pose.angles();
    let degrees = |angle: Radians| angle.degrees();
    let parts = [
        ("x", position.x),
        ("y", position.y),
        ("z", position.z),
        ("roll", degrees(angles.roll)),
        ("pitch", degrees(angles.pitch)),
        ("yaw", degrees(angles.yaw)),
    ];
    let said: Vec<String> = parts
        .into_iter()
        .map(|(name, value)| (name, float(value)))
        .filter(|(_, value)| value != "0.0")
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!("create_head_pose({})", said.join(", "))
}

/// Returns a Python float with at most six decimals.
fn float(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    format!("{:?}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// Returns text that can be part of a docstring: one line of printable ASCII, without quotation marks and
/// backslashes.
pub(super) fn harmless(text: &str) -> String {
    let cleaned: String = text
        .chars()
        .map(|c| match c {
            '"' | '`' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{2019}' => '\'',
            '\\' => '/',
            c if c.is_ascii_graphic() => c,
            c if c.is_whitespace() || c.is_control() => ' ',
            _ => '?',
        })
        .take(MAX_QUOTE_CHARS)
        .collect();
    cleaned.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Breaks text into indented lines.
pub(super) fn paragraph(text: &str, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < LINE => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}
