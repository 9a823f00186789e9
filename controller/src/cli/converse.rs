//! `say` and `chat`.

use std::io::{BufRead, Read, Write};
use std::sync::mpsc::channel;

use firmware_bridge::pulse::{Conductor, Order};
use minismith::brain::is_stop;
use minismith::config::Config;
use minismith::conversation::{Conversation, Ending, Reply};

use super::{Done, OnRobot, print, shop};

/// The longest line that is read from a person.
const LONGEST_LINE: u64 = 64 << 10;

/// One sentence.
pub fn say(config: &Config, text: &str, on: &OnRobot) -> anyhow::Result<Done> {
    let workshop = shop::workshop(config)?;
    let body = shop::body(config, on)?;
    let reply = Conversation::new(&body, &workshop).hear(text);
    if on.json {
        print::json(&reply)?;
    } else {
        tell(&reply);
    }
    Ok(Done::when(reply.outcome == Ending::Done))
}

/// Line by line, until the end of the input.
pub fn chat(config: &Config, on: &OnRobot) -> anyhow::Result<Done> {
    let workshop = shop::workshop(config)?;
    let body = shop::body(config, on)?;
    let mut conversation = Conversation::new(&body, &workshop);
    let (lines, inbox) = channel();
    let (stop, mut handle) = (body.stop_flag(), body.handle());
    // The reader hears "stop" while a motion plays, and halts it before the conversation gets the line.
    std::thread::Builder::new().name("reader".into()).spawn(move || {
        let mut input = std::io::stdin().lock();
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line).trim().to_owned();
            if is_stop(&text) {
                stop.raise();
                handle.order(Order::Halt);
            }
            if lines.send(text).is_err() {
                return;
            }
        }
    })?;
    prompt(on.json);
    for text in inbox {
        if matches!(text.to_lowercase().as_str(), "bye" | "quit" | "exit") {
            break;
        }
        let reply = conversation.hear(&text);
        if on.json {
            print::line(&serde_json::to_string(&reply)?);
        } else {
            tell(&reply);
        }
        prompt(on.json);
    }
    Ok(Done::Well)
}

fn prompt(json: bool) {
    if !json {
        let mut out = std::io::stderr().lock();
        let _gone = write!(out, "> ").and_then(|()| out.flush());
    }
}

/// Prints a reply for people: the words, then where each motion ended.
fn tell(reply: &Reply) {
    print::line(&reply.text);
    if let Some(tool) = &reply.tool {
        for finding in &tool.findings {
            print::line(&format!("  {}: {finding}", tool.name));
        }
    }
    for step in &reply.steps {
        if let (Some(requested), Some(achieved)) = (&step.requested, &step.achieved) {
            print::line(&format!(
                "  {}: head yaw {} pitch {} roll {} deg (asked {} {} {}), body {} deg (asked {})",
                step.kind,
                achieved.yaw_deg,
                achieved.pitch_deg,
                achieved.roll_deg,
                requested.yaw_deg,
                requested.pitch_deg,
                requested.roll_deg,
                achieved.body_yaw_deg,
                requested.body_yaw_deg,
            ));
        }
    }
}
