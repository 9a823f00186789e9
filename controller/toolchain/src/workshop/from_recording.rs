//! Turns a recorded move into a tool. Frames that straight lines can replace are dropped.
//!
//! The others become the source of a tool that follows them. It is checked like any other.

use minismith_control::recorded_move::RecordedMove;
use minismith_score::fit::farthest;

/// The numbers of a frame: head x, y, z (mm), roll, pitch, yaw (deg), body yaw, right and left antenna (deg).
type Row = [f64; 9];

/// Finest tolerance of a straight line between two frames, mm and degrees.
const MIN_TOLERANCE: f64 = 0.1;

/// Maximum number of frames of a tool, some 60 bytes each.
const MAX_FRAMES: usize = 600;

/// Maximum length of a person's text in a tool, characters.
const MAX_ABOUT_LENGTH: usize = 200;

/// The source of a tool, and its deviation from the recording.
#[derive(Clone, Debug, PartialEq)]
pub struct GeneratedTool {
    /// Python source.
    pub source: String,
    /// Number of frames in the tool.
    pub frames: usize,
    /// Maximum deviation from the recording between the frames, mm and degrees.
    pub tolerance: f64,
    /// Duration at normal speed, seconds, without the way to the start.
    pub seconds: f64,
}

/// An invalid name for a tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid tool name; use small letters, digits and underscores, and a letter first, such as wave_hello"
)]
pub struct NameError(pub String);

/// Generates a tool of this name from a recorded move. The recording's description becomes the tool's.
///
/// # Errors
/// Returns [`NameError`] for an invalid name.
pub fn generate_tool(recording: &RecordedMove, name: &str, about: &str) -> Result<GeneratedTool, NameError> {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letters);
    if !is_name || name.len() > 60 {
        return Err(NameError(name.into()));
    }
    let (times, rows) = rows(recording);
    let mut tolerance = MIN_TOLERANCE;
    let mut stored = thin(&times, &rows, tolerance);
    while stored.len() > MAX_FRAMES {
        tolerance *= 1.5;
        stored = thin(&times, &rows, tolerance);
    }
    let mut frames = String::new();
    for position in &stored {
        if let (Some(time), Some(row)) = (times.get(*position), rows.get(*position)) {
            frames.push_str(&format!("    ({time:.3}"));
            // This turns minus zero into zero.
            let rounded = row.iter().map(|number| (number * 100.0).round() / 100.0 + 0.0);
            rounded.for_each(|number| frames.push_str(&format!(", {number:.2}")));
            frames.push_str("),\n");
        }
    }
    let seconds = recording.duration().as_secs_f64();
    let said = if about.is_empty() { recording.description() } else { about };
    let source = SOURCE
        .replace("{name}", name)
        .replace("{about}", &sentence(said))
        .replace("{frames}", &frames)
        .replace("{seconds}", &format!("{seconds:.2}"));
    Ok(GeneratedTool { source, frames: stored.len(), tolerance, seconds })
}

/// Cleans a recording's own text for a docstring: one line of plain characters that ends as a sentence.
fn sentence(words: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || " ,.;:'()-+/%".contains(c) { c } else { ' ' };
    let line: String = words.chars().take(MAX_ABOUT_LENGTH).map(plain).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(['.', ' ']);
    let mut letters = line.chars();
    match letters.next() {
        None => "Do again what was recorded.".into(),
        Some(first) => format!("Do again what was recorded: {}{}.", first, letters.as_str()),
    }
}

/// Returns all frames with their times. Angles are unwrapped, so that they do not jump by a turn.
fn rows(recording: &RecordedMove) -> (Vec<f64>, Vec<Row>) {
    let mut rows: Vec<Row> = Vec::with_capacity(recording.count());
    let mut times = Vec::with_capacity(recording.count());
    for frame in recording.frames() {
        let posture = &frame.posture;
        let (at, angles) = (posture.head.0.translation, posture.head.angles());
        let head = [angles.roll, angles.pitch, angles.yaw].map(|angle| angle.degrees());
        let rest = [posture.body_yaw, posture.antennas.right, posture.antennas.left];
        let [body, right, left] = rest.map(|angle| angle.degrees());
        let [roll, pitch, yaw] = match rows.last() {
            None => head,
            Some([_, _, _, roll, pitch, yaw, ..]) => {
                let near = |angle: f64, last: &f64| angle - ((angle - last) / 360.0).round() * 360.0;
                let [r, p, y] = head;
                [near(r, roll), near(p, pitch), near(y, yaw)]
            }
        };
        times.push(frame.at.as_secs_f64());
        rows.push([at.x * 1e3, at.y * 1e3, at.z * 1e3, roll, pitch, yaw, body, right, left]);
    }
    (times, rows)
}

/// Returns the indices of the frames that are needed to stay within this tolerance with straight lines.
///
/// From each frame it takes the farthest one that is still within the tolerance, found by doubling and bisection.
fn thin(times: &[f64], rows: &[Row], tolerance: f64) -> Vec<usize> {
    let last = rows.len().saturating_sub(1);
    let mut stored = vec![0];
    let mut from = 0;
    while from < last {
        let reach = farthest(from, last, |to| is_straight(times, rows, from, to, tolerance));
        // The next frame is straight, as there is none between.
        from = reach.max(from + 1);
        stored.push(from);
    }
    stored
}

fn is_straight(times: &[f64], rows: &[Row], from: usize, to: usize, tolerance: f64) -> bool {
    let ends = (times.get(from), rows.get(from), times.get(to), rows.get(to));
    let (Some(t0), Some(first), Some(t1), Some(last)) = ends else { return false };
    let between = times.iter().zip(rows).take(to).skip(from + 1);
    let mut near = between.map(|(time, row)| {
        let share = (time - t0) / (t1 - t0).max(1e-9);
        let line = first.iter().zip(last).map(|(first, last)| first + (last - first) * share);
        line.zip(row).all(|(line, number)| (line - number).abs() <= tolerance)
    });
    near.all(|near| near)
}

/// The tool's template. It goes to the start of the move, then sends a target every 20 ms.
const SOURCE: &str = r#"import time

import numpy as np
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

# Each frame: time (s); head x, y, z (mm), roll, pitch, yaw (deg); body yaw, right antenna, left antenna (deg).
FRAMES = (
{frames})

# Between two targets, seconds.
STEP = 0.02


def {name}(robot: ReachyMini, speed: float = 1.0) -> str:
    """{about}

    It takes {seconds} s at its own speed, and the way to its beginning.

    Args:
        robot: The robot.
        speed: How many times as fast as it was recorded, between 0.25 and 1.

    Returns:
        What was done.

    Raises:
        ValueError: If speed is out of range.
    """
    if not 0.25 <= speed <= 1.0:
        raise ValueError("speed must be between 0.25 and 1")
    frames = np.array(FRAMES)
    times = frames[:, 0] / speed
    seconds = float(times[-1])
    steps = max(1, round(seconds / STEP))
    for step in range(steps + 1):
        now = seconds * step / steps
        x, y, z, roll, pitch, yaw, body, right, left = [float(np.interp(now, times, frames[:, k])) for k in range(1, 10)]
        head = create_head_pose(x=x, y=y, z=z, roll=roll, pitch=pitch, yaw=yaw, mm=True, degrees=True)
        antennas = [float(np.deg2rad(right)), float(np.deg2rad(left))]
        body_yaw = float(np.deg2rad(body))
        if step == 0:
            robot.goto_target(head=head, antennas=antennas, body_yaw=body_yaw, duration=1.0)
        else:
            robot.set_target(head=head, antennas=antennas, body_yaw=body_yaw)
            time.sleep(STEP)
    return f"moved for {seconds:.1f} s in {len(FRAMES)} frames"
"#;

#[cfg(test)]
mod tests {
    use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
    use firmware_bridge::units::Radians;

    use super::*;

    fn nod() -> RecordedMove {
        let frame = |number: u32| {
            let time = f64::from(number) * 0.01;
            let pitch = Radians::from_degrees(15.0 * (time * 3.0).sin());
            let angles = RollPitchYaw { pitch, ..RollPitchYaw::default() };
            let antennas = Antennas { right: Radians(-0.1), left: Radians(0.1 + 0.2 * time) };
            (time, Posture { head: HeadPose::new(0.0, 0.0, 0.005, angles), body_yaw: Radians(0.0), antennas })
        };
        RecordedMove::new("nod \"slowly\"\n\"\"\"; import os #".into(), (0..500).map(frame)).unwrap()
    }

    #[test]
    fn thin_stays_within_the_tolerance() {
        let recording = nod();
        let (times, rows) = rows(&recording);
        for tolerance in [0.1, 1.0] {
            let stored = thin(&times, &rows, tolerance);
            assert_eq!((stored[0], *stored.last().unwrap()), (0, 499));
            assert!(stored.len() < 120 && stored.is_sorted(), "{}", stored.len());
            for pair in stored.windows(2) {
                assert!(is_straight(&times, &rows, pair[0], pair[1], tolerance));
            }
        }
        assert!(thin(&times, &rows, 1.0).len() < thin(&times, &rows, 0.1).len());
    }

    #[test]
    fn retell_escapes_the_description() {
        let retold = generate_tool(&nod(), "slow_nod", "").unwrap();
        assert_eq!(retold.source.matches("\"\"\"").count(), 2);
        assert!(
            retold.source.contains("Do again what was recorded: nod slowly ; import os.\n"),
            "{}",
            retold.source
        );
        assert!(retold.source.contains("def slow_nod("));
        for name in ["", "Nod", "1nod", "nod(x)", "a b", "_nod"] {
            assert_eq!(generate_tool(&nod(), name, ""), Err(NameError(name.into())));
        }
    }

    #[test]
    fn retell_reports_the_coarser_tolerance_of_a_long_move() {
        let frame = |number: u32| {
            let time = f64::from(number) * 0.01;
            let wild = Radians::from_degrees(f64::from(number * number % 41));
            (time, Posture { antennas: Antennas { right: wild, left: wild }, ..Posture::init() })
        };
        let wild = RecordedMove::new(String::new(), (0..3000).map(frame)).unwrap();
        let retold = generate_tool(&wild, "wild", "").unwrap();
        assert!(retold.frames <= MAX_FRAMES && retold.tolerance > MIN_TOLERANCE, "{}", retold.frames);
        assert!(retold.source.len() < 60_000);
    }
}
