//! `model_start`: the time until the installed local model is ready. `model_memory`: what its process has resident, after
//! a long prompt and an answer that a grammar restricts.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_language_model::{Client, Form, Message, Model, ModelCallError, Prompt, Watch};
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

/// The local model, writing one text after another in a thread until this is dropped.
pub(super) struct WritingModel {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), Failed>>>,
}

impl WritingModel {
    /// Returns when the model has started.
    pub(super) fn start(config: &Config) -> Result<WritingModel, Failed> {
        let at = Failed::at("the local model");
        let config = Config { nlu: Nlu::Local, ..config.clone() };
        let tool_host = locate_program().map_err(|error| error.to_string());
        shared(&config.local_model, tool_host).warm(TIMEOUT).map_err(|error| at(&error))?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let write = move || {
            let mut client = patient(&config);
            let prompt = Prompt {
                purpose: "bench",
                instructions: "You tell long stories.".into(),
                messages: vec![Message::person("Tell a story of a small robot.")],
                form: Form::Text,
                max_tokens: 500,
            };
            let mut watch = |_: &str| if over.load(Ordering::Relaxed) { Watch::Off } else { Watch::On };
            while !over.load(Ordering::Relaxed) {
                match client.answer(&prompt, &mut watch) {
                    Ok(_) | Err(ModelCallError::GivenUp) => {}
                    Err(no) => return Err(Failed::at("the local model")(&no)),
                }
            }
            Ok(())
        };
        let thread = std::thread::Builder::new().name("writing".into()).spawn(write);
        Ok(WritingModel { is_over, thread: Some(thread.map_err(|error| at(&error))?) })
    }

    /// # Errors
    /// When it has ended.
    pub(super) fn still_writes(&self) -> Result<(), Failed> {
        match &self.thread {
            Some(thread) if !thread.is_finished() => Ok(()),
            _ => Err(Failed("the local model has ended too early".into())),
        }
    }
}

impl Drop for WritingModel {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Returns a client that waits as long as a busy machine needs.
pub(super) fn patient(config: &Config) -> Client {
    let mut language_model = config.language_model.clone();
    language_model.request_timeout = TIMEOUT;
    language_model.read_timeout = TIMEOUT;
    Client::local(&Config { language_model, ..config.clone() })
}

/// Asks for an answer after a long prompt.
fn answered(config: &Config) -> Result<(), Failed> {
    let at = Failed::at("the local model");
    let mut client = patient(config);
    let prompt = Prompt {
        purpose: "bench",
        instructions: "You move a small robot with a head, a body that turns and two antennas. ".repeat(30),
        messages: vec![Message::person("Nod twice.")],
        form: Form::Grammar { gbnf: r#"root ::= "nod(times=" [1-9] ")""#.into(), sample: 0 },
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
