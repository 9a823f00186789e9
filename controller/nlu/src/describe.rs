//! Describes motions in plain words: "look left 20 deg", "nod twice". Default values are omitted.

use std::time::Duration;

use firmware_bridge::units::Radians;

use super::decimal::plain;
use super::primitive::{
    CENTER, DEFAULT_AIM_TIME, DEFAULT_SWING, HALF_SWING_TIME, Look, Primitive, Side, antenna_duration,
    body_duration, head_duration,
};

impl Primitive {
    /// Formats the motion in plain words: `look left 20 deg`.
    #[must_use]
    pub fn describe(&self) -> String {
        match *self {
            Primitive::Look { direction: Look::Ahead, duration, .. } => {
                format!("look ahead{}", timed(duration, head_duration(Radians::ZERO)))
            }
            Primitive::Look { direction, angle, duration } => {
                let to = match direction {
                    Look::Left => "left",
                    Look::Right => "right",
                    Look::Up => "up",
                    Look::Down => "down",
                    Look::Ahead => "ahead",
                };
                format!("look {to} {}{}", degrees(angle), timed(duration, head_duration(angle)))
            }
            Primitive::LookAt { point: [x, y, z], duration } => {
                format!(
                    "look at ({}, {}, {}) m{}",
                    plain(x),
                    plain(y),
                    plain(z),
                    timed(duration, DEFAULT_AIM_TIME)
                )
            }
            Primitive::Tilt { side, angle, duration } => {
                let timed = timed(duration, head_duration(angle));
                format!("tilt the head {} {}{timed}", side.word(), degrees(angle))
            }
            Primitive::TurnBody { angle, duration } => {
                let timed = timed(duration, body_duration(angle));
                match angle.value() {
                    0.0 => format!("turn the body ahead{timed}"),
                    value if value > 0.0 => format!("turn the body left {}{timed}", degrees(angle)),
                    _ => format!("turn the body right {}{timed}", degrees(angle.abs())),
                }
            }
            Primitive::Height { metres, duration } => {
                let verb = if metres < 0.0 { "lower" } else { "raise" };
                format!(
                    "{verb} the head {} mm{}",
                    plain(metres.abs() * 1000.0),
                    timed(duration, DEFAULT_AIM_TIME)
                )
            }
            Primitive::Nod { times, angle, half } => format!("nod {}{}", count(times), swing(angle, half)),
            Primitive::Shake { times, angle, half } => {
                format!("shake the head {}{}", count(times), swing(angle, half))
            }
            Primitive::WiggleAntennas { times, half } => {
                format!("wiggle the antennas {}{}", count(times), swing(DEFAULT_SWING, half))
            }
            Primitive::SetAntennas { right, left, duration } => {
                let usual = right.into_iter().chain(left).map(antenna_duration).max().unwrap_or_default();
                let timed = timed(duration, usual);
                match (right, left) {
                    (Some(right), Some(left)) if right == left => {
                        format!("put both antennas {}{timed}", leaning(right))
                    }
                    (Some(right), Some(left)) => {
                        let (right, left) = (leaning(right), leaning(left));
                        format!("put the right antenna {right} and the left antenna {left}{timed}")
                    }
                    (Some(right), None) => format!("put the right antenna {}{timed}", leaning(right)),
                    (None, Some(left)) => format!("put the left antenna {}{timed}", leaning(left)),
                    (None, None) => "leave the antennas".to_owned(),
                }
            }
            Primitive::Dance { duration } => format!("dance for {}", seconds(duration)),
            Primitive::Center => "return to the centre".to_owned(),
            Primitive::Return { to, duration } => {
                let there = to.describe().unwrap_or_else(|| "neutral".to_owned());
                format!("go back to where I was ({there}){}", timed(duration, CENTER))
            }
            Primitive::Wake => "wake up".to_owned(),
            Primitive::Sleep => "go to sleep".to_owned(),
            Primitive::Wait { duration } => format!("wait {}", seconds(duration)),
        }
    }
}

impl Side {
    const fn word(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

fn degrees(angle: Radians) -> String {
    format!("{} deg", plain(angle.degrees()))
}

fn seconds(duration: Duration) -> String {
    format!("{} s", plain(duration.as_secs_f64()))
}

fn timed(duration: Duration, usual: Duration) -> String {
    if duration == usual { String::new() } else { format!(" in {}", seconds(duration)) }
}

fn count(times: u32) -> String {
    match times {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        times => format!("{times} times"),
    }
}

fn swing(angle: Radians, half: Duration) -> String {
    let by = if angle == DEFAULT_SWING { String::new() } else { format!(" by {}", degrees(angle)) };
    let pace =
        if half == HALF_SWING_TIME { String::new() } else { format!(" at {} each way", seconds(half)) };
    by + &pace
}

fn leaning(angle: Radians) -> String {
    match angle.value() {
        0.0 => "straight up".to_owned(),
        value if value > 0.0 => format!("{} outwards", degrees(angle)),
        _ => format!("{} inwards", degrees(angle.abs())),
    }
}
