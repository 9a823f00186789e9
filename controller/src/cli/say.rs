//! `say` and `chat`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{BufRead, IsTerminal, Read, Write};
use std::path::Path;
use std::rc::Rc;
use std::sync::mpsc::{TrySendError, sync_channel};

use firmware_bridge::control_loop::{LoopClient, LoopCommand};
use minismith_assistant::code_tasks::CodeTasks;
use minismith_assistant::conversation::{Conversation, Reply, ToolReply, TurnOutcome, VisionModel};
use minismith_assistant::memory::Memory;
use minismith_control::robot::RobotRuntime;
use minismith_nlu::is_stop;
use minismith_runtime::config::Config;
use minismith_runtime::report::Step;
use minismith_toolchain::workshop::Workshop;

use super::{CommandStatus, OnRobot, print, setup};

/// The maximum length of an input line.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The capacity for lines while a motion runs. The reader never waits, so that it sees a stop behind them.
const MAX_LINES: usize = 1_000;

/// Runs one sentence.
pub fn say(
    config: &Config,
    text: &str,
    session: Option<&str>,
    on: &OnRobot,
) -> anyhow::Result<CommandStatus> {
    let workshop = setup::workshop(config)?;
    let memory = session.map(|_| setup::memory(config)).transpose()?;
    let body = setup::body(config, on)?;
    let tasks = CodeTasks::new(config);
    let mut conversation = begin(config, &body, &workshop, memory.as_ref(), session)?.answering_with(&tasks);
    // Only at a terminal is there a user to answer questions.
    if std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
        conversation = conversation.asking(&super::tool_admin::user(), Box::new(ask));
    }
    let mut reply = conversation.hear(text);
    keep(&mut reply)?;
    if on.json {
        print::json(&reply)?;
    } else {
        print_reply(&reply);
    }
    Ok(CommandStatus::when(reply.outcome == TurnOutcome::Done))
}

/// Asks the user at the terminal. A stop is no answer.
pub fn ask(question: &str) -> Option<String> {
    eprintln!("{}", print::harmless(question));
    prompt(false);
    let line = read_line(&mut std::io::stdin().lock()).ok().flatten();
    line.filter(|line| !is_stop(line))
}

/// Runs a chat line by line, until the end of the input.
pub fn chat(config: &Config, session: Option<&str>, on: &OnRobot) -> anyhow::Result<CommandStatus> {
    let workshop = setup::workshop(config)?;
    let memory = session.map(|_| setup::memory(config)).transpose()?;
    let body = setup::body(config, on)?;
    let (lines, inbox) = sync_channel::<(String, u64)>(MAX_LINES);
    let inbox = Rc::new(inbox);
    let answers = inbox.clone();
    // Lines typed before a question are no answer to it and run afterwards. A script writes ahead.
    let typed = Rc::new(RefCell::new(VecDeque::new()));
    let ahead = typed.clone();
    let is_typed = std::io::stdin().is_terminal();
    let ask = move |question: &str| {
        if is_typed {
            ahead.borrow_mut().extend(answers.try_iter());
        }
        eprintln!("{}", print::harmless(question));
        prompt(false);
        // A stop is no answer; it has already stopped the robot.
        answers.recv().ok().map(|(line, _)| line).filter(|line| !is_stop(line))
    };
    let tasks = CodeTasks::new(config);
    let mut conversation = begin(config, &body, &workshop, memory.as_ref(), session)?
        .answering_with(&tasks)
        .asking(&super::tool_admin::user(), Box::new(ask));
    let mut handle = body.handle();
    // The reader sees "stop" during a motion, and stops it before the conversation gets the line.
    std::thread::Builder::new().name("reader".into()).spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Ok(Some(line)) = read_line(&mut input) {
            // A line counts as older than the stop that it is, and than every later one.
            let stop_epoch = handle.stop_epoch();
            if is_stop(&line) {
                handle.send_command(LoopCommand::Stop);
            }
            match lines.try_send((line, stop_epoch)) {
                Ok(()) => {}
                Err(TrySendError::Full(_)) => {
                    eprintln!("minismith: {MAX_LINES} lines are queued, so this one is ignored");
                }
                Err(TrySendError::Disconnected(_)) => return,
            }
        }
    })?;
    prompt(on.json);
    let next = || {
        let earlier = typed.borrow_mut().pop_front();
        earlier.or_else(|| inbox.recv().ok())
    };
    while let Some((text, stop_epoch)) = next() {
        if matches!(text.to_lowercase().as_str(), "bye" | "quit" | "exit") {
            break;
        }
        let mut reply = conversation.queue_sentence(&text, stop_epoch);
        keep(&mut reply)?;
        if on.json {
            print::line(&serde_json::to_string(&reply)?);
        } else {
            print_reply(&reply);
        }
        prompt(on.json);
    }
    Ok(CommandStatus::Success)
}

pub fn begin<'a>(
    config: &Config,
    body: &'a RobotRuntime,
    workshop: &'a Workshop,
    memory: Option<&'a Memory>,
    session: Option<&str>,
) -> anyhow::Result<Conversation<'a>> {
    let mut conversation =
        Conversation::new(body, workshop).reading_from(Path::new("")).searching_with(&config.models);
    if let Some(mind) = setup::mind(config)? {
        conversation = conversation.thinking_with(mind);
    }
    conversation = conversation.shown_to(VisionModel::configured(config)?);
    if let Some(memory) = memory {
        let session = memory.session(session)?;
        conversation = conversation.remembering(memory, session.id());
    }
    Ok(conversation)
}

/// Returns the next line; none at the end of the input. The rest of a line that is too long is discarded and not taken
/// for another line.
fn read_line(input: &mut impl BufRead) -> std::io::Result<Option<String>> {
    let mut line = Vec::new();
    if input.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(Some(String::from_utf8_lossy(&line).trim().to_owned()))
}

fn prompt(json: bool) {
    if !json {
        let mut out = std::io::stderr().lock();
        let _gone = write!(out, "> ").and_then(|()| out.flush());
    }
}

/// Stores the files that a tool or script wrote.
pub fn keep(reply: &mut Reply) -> anyhow::Result<()> {
    if let Some(answer) = &mut reply.answer {
        print::keep(None, "answer", &mut answer.outputs)?;
    }
    match &mut reply.tool {
        Some(ToolReply { name, run: Some(tool_run), .. }) => print::keep(None, name, &mut tool_run.outputs),
        _ => Ok(()),
    }
}

/// Prints a reply as text: its message, then where each motion ended.
pub fn print_reply(reply: &Reply) {
    print::line(&reply.text);
    if let Some(tool) = &reply.tool {
        for finding in &tool.findings {
            print::line(&format!("  {}: {finding}", tool.name));
        }
        if let Some(tool_run) = &tool.run {
            print::outputs(&tool_run.outputs);
        }
    }
    if let Some(answer) = &reply.answer {
        print::outputs(&answer.outputs);
    }
    reply.steps.iter().for_each(print_step);
}

/// Prints the final position of a motion and its target.
pub fn print_step(step: &Step) {
    if let (Some(requested), Some(achieved)) = (&step.requested, &step.achieved) {
        print::line(&format!(
            "  {}: head yaw {} pitch {} roll {} deg (asked {} {} {}), body {} deg (asked {}), antennas {:?} deg (asked \
             {:?})",
            step.kind,
            achieved.yaw_deg,
            achieved.pitch_deg,
            achieved.roll_deg,
            requested.yaw_deg,
            requested.pitch_deg,
            requested.roll_deg,
            achieved.body_yaw_deg,
            requested.body_yaw_deg,
            achieved.antennas_deg,
            requested.antennas_deg,
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, read_line};

    #[test]
    fn the_rest_of_a_line_that_is_too_long_is_no_sentence() {
        let long = "x".repeat(usize::try_from(MAX_LINE_BYTES).unwrap());
        let text = format!("nod\n{long} look left\nstop");
        let mut input = text.as_bytes();
        assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("nod"));
        assert_eq!(read_line(&mut input).unwrap(), Some(long));
        assert_eq!(read_line(&mut input).unwrap().as_deref(), Some("stop"));
        assert_eq!(read_line(&mut input).unwrap(), None);
    }
}
