//! `model_start`: the time until the installed local model is ready. `model_memory`: what its process has resident, after
//! a long prompt and an answer that a grammar restricts.

use std::fs;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_assistant::model::{Client, Form, Message, Model, Prompt, Watch};
use minismith_local_model::runtime::installed;
use minismith_local_model::server::shared;
use minismith_runtime::config::{Config, Nlu};
use minismith_toolchain::guest::locate_program;

use super::row::Row;
use super::{BenchContext, Failed};

pub(super) const NAMES: [&str; 2] = ["model_start", "model_memory"];

/// How long the model may take to start, and to answer.
const TIMEOUT: Duration = Duration::from_secs(300);

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    let model = match installed(&context.config.local_model) {
        Ok((_, model)) => model,
        Err(no) => {
            (context.progress)(&format!("{} are skipped: {no}", NAMES.join(" and ")));
            return Vec::new();
        }
    };
    (context.progress)("the local model: its start, and its memory");
    let file_mb = to_mb(model.bytes);
    let note = format!("{}, a file of {file_mb:.0} MB", model.name);
    let [start, memory] = NAMES;
    let (seconds, resident) = match started(context) {
        Ok((seconds, resident)) => (Ok(seconds), resident),
        Err(failed) => (Err(failed.clone()), Err(failed)),
    };
    let beyond =
        resident.as_ref().ok().map(|resident| format!("{:.0} MB beyond the file", resident - file_mb));
    vec![
        Row::alone(start, "s", seconds).noting(&note),
        Row::alone(memory, "MB", resident).noting(&note).noting(&beyond.unwrap_or_default()),
    ]
}

fn to_mb(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

/// Returns the seconds of the start and the resident megabytes.
fn started(context: &BenchContext<'_>) -> Result<(f64, Result<f64, Failed>), Failed> {
    let at = Failed::at("the local model");
    let config = Config { nlu: Nlu::Local, ..context.config.clone() };
    let tool_host = locate_program().map_err(|error| error.to_string());
    let server = shared(&config.local_model, tool_host);
    server.stop();
    let clock = MonotonicClock::start();
    server.warm(TIMEOUT).map_err(|error| at(&error))?;
    let seconds = clock.now().seconds();
    let resident = answered(&config).and_then(|()| {
        let id = server.process_id().ok_or_else(|| at(&"it ended"))?;
        peak(id).map_err(|error| at(&error))
    });
    server.stop();
    Ok((seconds, resident))
}

/// Asks for an answer after a long prompt.
fn answered(config: &Config) -> Result<(), Failed> {
    let at = Failed::at("the local model");
    let mut language_model = config.language_model.clone();
    language_model.request_timeout = TIMEOUT;
    language_model.read_timeout = TIMEOUT;
    let mut client = Client::local(&Config { language_model, ..config.clone() });
    let prompt = Prompt {
        purpose: "bench",
        instructions: "You move a small robot with a head, a body that turns and two antennas. ".repeat(30),
        messages: vec![Message::person("Nod twice.")],
        form: Form::Grammar(r#"root ::= "nod(times=" [1-9] ")""#.into()),
        max_tokens: 32,
    };
    client.answer(&prompt, &mut |_| Watch::On).map(|_| ()).map_err(|error| at(&error))
}

/// Returns the largest resident size of a process so far, megabytes.
fn peak(id: u32) -> std::io::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let row = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = row.and_then(|row| row.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kilobytes
        .map(|kilobytes| to_mb(kilobytes << 10))
        .ok_or_else(|| std::io::Error::other("/proc names no resident size"))
}
