//! What the commands print, as text and as JSON.

use std::io::Write;

use serde_json::{Value, json};

use super::request::Answer;
use super::roster::{Robot, Roster};
use super::send::{skew_ms, text_of};
use crate::keys::Name;
use crate::messages::Outcome;

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
        return document(&json!({ "fleet": fleet, "robots": robots(roster) }));
    }
    if roster.is_empty() {
        line(&format!("no robot is in the fleet {fleet}; `minismith fleet join NAME` adds one"));
    }
    for (name, robot) in roster {
        line(&format!("{name}: {}", in_words(robot)));
    }
}

/// Returns the robots as `--json` prints them.
#[must_use]
pub fn robots(roster: &Roster) -> Vec<Value> {
    let robot = |(name, robot): (&Name, &Robot)| json!({ "name": name, "present": robot.present, "clock": robot.clock, "status": robot.status });
    roster.iter().map(robot).collect()
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

/// Returns the answers of robots as `--json` prints them.
#[must_use]
pub fn answer_document(answer: &Answer) -> Value {
    let Answer { command, together, refusal, replies, clocks } = answer;
    if let Some(refusal) = refusal {
        return json!({ "command": command, "refusal": refusal, "replies": [] });
    }
    let by_name: serde_json::Map<String, Value> =
        clocks.iter().map(|(name, clock)| (name.to_string(), json!(clock))).collect();
    let mut document = json!({ "command": command, "replies": replies, "clocks": by_name });
    if *together && let Some(document) = document.as_object_mut() {
        let _absent = document.insert("skew_ms".into(), json!(skew_ms(replies, clocks)));
    }
    document
}

/// Prints the answers of robots.
pub fn answer(answer: &Answer, as_json: bool) {
    if as_json {
        return document(&answer_document(answer));
    }
    if let Some(refusal) = &answer.refusal {
        return line(refusal);
    }
    if answer.replies.is_empty() {
        line("no robot is present");
    }
    for reply in &answer.replies {
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
    if answer.together
        && let Some(skew) = skew_ms(&answer.replies, &answer.clocks)
    {
        line(&format!("began within {skew:.1} ms"));
    }
}
