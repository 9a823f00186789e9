//! What the commands print, as text and as JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::roster::{Clock, Robot, Roster};
use super::send::{skew_ms, text_of};
use crate::keys::Name;
use crate::messages::{Outcome, Reply};

/// Prints a line. The output is optional for the caller.
pub fn line(text: &str) {
    let _written = writeln!(std::io::stdout(), "{text}");
}

/// Prints a JSON document.
pub fn document(document: &Value) {
    line(&document.to_string());
}

/// Prints the robots.
pub fn roster(fleet: &Name, roster: &Roster, as_json: bool) {
    if as_json {
        let robots: Vec<Value> = roster
            .iter()
            .map(|(name, robot)| {
                json!({ "name": name, "present": robot.present, "clock": robot.clock, "status": robot.status })
            })
            .collect();
        return document(&json!({ "fleet": fleet, "robots": robots }));
    }
    if roster.is_empty() {
        line(&format!("no robot is in the fleet {fleet}; `minismith fleet join NAME` adds one"));
    }
    for (name, robot) in roster {
        line(&format!("{name}: {}", in_words(robot)));
    }
}

fn in_words(robot: &Robot) -> String {
    let (Some(status), Some(clock)) = (&robot.status, &robot.clock) else {
        return "connected, and does not respond".into();
    };
    let state = match (&status.fault, &status.motion_state) {
        _ if !status.controller => "its controller does not respond",
        (Some(fault), _) => fault.as_str(),
        (None, Some(state)) => state.as_str(),
        (None, None) => "state unknown",
    };
    let mut text = format!("{state}, clock {:+.1} ms", clock.offset_ms);
    if let Some(temperature) = status.temperature_c {
        text += &format!(", {temperature:.0} °C");
    }
    if !status.groups.is_empty() {
        let groups: Vec<&str> = status.groups.iter().map(Name::as_str).collect();
        text += &format!(", groups {}", groups.join(" "));
    }
    if let Some(stopped) = &status.stopped {
        text += &format!(", stopped by {}", stopped.caller);
    }
    for tool in &status.tools {
        let word = if tool.is_withdrawn {
            "withdrawn"
        } else if tool.is_shared {
            "shared"
        } else {
            "imported"
        };
        text += &format!(", {} ({word})", tool.name);
    }
    text
}

/// Prints the answers of robots; returns whether all have done it.
pub fn replies(
    command: &str,
    replies: &[Reply],
    clocks: &[(Name, Clock)],
    together: bool,
    as_json: bool,
) -> bool {
    let skew = together.then(|| skew_ms(replies, clocks)).flatten();
    if as_json {
        let clocks: serde_json::Map<String, Value> =
            clocks.iter().map(|(name, clock)| (name.to_string(), json!(clock))).collect();
        let printed = if together {
            json!({ "command": command, "replies": replies, "clocks": clocks, "skew_ms": skew })
        } else {
            json!({ "command": command, "replies": replies, "clocks": clocks })
        };
        document(&printed);
    } else {
        if replies.is_empty() {
            line("no robot is present");
        }
        for reply in replies {
            let outcome = match reply.outcome {
                Outcome::Done => "done",
                Outcome::Refused => "refused",
                Outcome::Failed => "failed",
                Outcome::Absent => "absent",
            };
            let text = text_of(reply);
            let more = if text.is_empty() { String::new() } else { format!(": {text}") };
            line(&format!("{}: {outcome}{more}", reply.robot));
        }
        if let Some(skew) = skew {
            line(&format!("began within {skew:.1} ms"));
        }
    }
    !replies.is_empty() && replies.iter().all(|reply| reply.outcome == Outcome::Done)
}
