//! The program `minismith-recorder`: converts a trace on standard input to a recording for the Rerun viewer.
//!
//! It is the only program that links Rerun, which takes minutes to build and may block for a minute without a viewer. In a
//! separate process it never delays motor control. The format of standard input is `minismith_protocol::trace_format`.
//!
//! Reading order: [`args`] (arguments), [`input`] (reads and validates the trace), [`writer`] (converts its events), `motors`,
//! `robot`, `stewart_platform`, `health`, `camera`, `texts`, `spans` (draw them on a [`stream`]), `blueprint` (the viewer's layout), [`sink`]
//! (sends the recording to a [`file_sink`], which writes a [`mod@file`], or to each [`viewer`]), [`serve`] (accepts viewers).

mod args;
mod blueprint;
mod camera;
mod file;
mod file_sink;
mod health;
mod input;
mod motors;
mod robot;
mod serve;
mod sink;
mod spans;
mod stewart_platform;
mod stream;
#[cfg(test)]
mod tests;
mod texts;
mod viewer;
mod writer;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use args::{Args, USAGE};
use input::{TraceEvent, TraceReadError, TraceReader};
use sink::{Sink, Written};
use writer::RecordingWriter;

/// Number of messages read ahead.
const QUEUE_CAPACITY: usize = 64;

/// Time without input after which a live batch is sent.
const QUIET_INTERVAL: Duration = Duration::from_millis(200);

/// Reports why there is no recording, or an incomplete one.
#[derive(Debug, thiserror::Error)]
enum RerunExportError {
    /// The input is invalid.
    #[error(transparent)]
    Trace(#[from] TraceReadError),
    /// Rerun reports an error.
    #[error("Rerun failed: {0}")]
    Rerun(String),
    /// The file cannot be written.
    #[error("cannot write {}: {source}; choose a folder with write permission", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error from the system.
        source: std::io::Error,
    },
    /// The server for viewers cannot start.
    #[error(
        "cannot serve at {address}: {source}; stop the program that listens there or choose another port"
    )]
    Port {
        /// Its address.
        address: SocketAddr,
        /// Error from the system.
        source: std::io::Error,
    },
    /// The system cannot start a thread.
    #[error("cannot start a thread: {0}; close other programs and try again")]
    Thread(std::io::Error),
}

/// Result of a recording.
#[derive(Debug, Default)]
struct Ended {
    cycles: u64,
    written: Written,
    /// Error that ended the recording. Everything before it is recorded.
    error: Option<RerunExportError>,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let orders = match Args::from_arguments(arguments) {
        Ok(orders) => orders,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let input = BufReader::new(std::io::stdin());
    match orders.run().and_then(|outlets| record(input, outlets)) {
        Ok(Ended { cycles, written, error: trouble }) => {
            let Written { bytes, is_lost: lost, dropped } = written;
            let reported =
                serde_json::json!({ "written": bytes, "beats": cycles, "dropped_for_viewer": dropped });
            // The output is optional for the caller.
            let _ = writeln!(std::io::stdout(), "{reported}");
            match trouble {
                Some(error) => complain(&error),
                None => ExitCode::from(u8::from(lost)),
            }
        }
        Err(error) => complain(&error),
    }
}

fn complain(error: &RerunExportError) -> ExitCode {
    eprintln!("minismith-recorder: {error}");
    ExitCode::from(2)
}

/// Records the input. A recording that is not live is written completely or not at all.
fn record(input: impl BufRead + Send + 'static, outlets: Vec<Sink>) -> Result<Ended, RerunExportError> {
    let mut reported = TraceReader::begin(input)?;
    let about = reported.header().clone();
    let live = about.is_live;
    let mut films: Vec<RecordingWriter> = outlets
        .into_iter()
        .map(|outlet| RecordingWriter::new(about.clone(), outlet))
        .collect::<Result<_, _>>()?;
    let (heard, lines) = sync_channel(QUEUE_CAPACITY);
    let read = move || {
        loop {
            let next = reported.next();
            let goes_on = matches!(next, Ok(Some(_)));
            if heard.send(next).is_err() || !goes_on {
                return;
            }
        }
    };
    std::thread::Builder::new().name("reader".into()).spawn(read).map_err(RerunExportError::Thread)?;
    let mut ended = Ended::default();
    match watch(&mut films, &lines, live, &mut ended.cycles) {
        Err(error) if !live => return Err(error),
        outcome => ended.error = outcome.err(),
    }
    for film in films {
        ended.written += film.finish()?;
    }
    Ok(ended)
}

/// Processes the input to its end. A live batch is also sent when the input pauses.
fn watch(
    films: &mut [RecordingWriter],
    lines: &Receiver<Result<Option<TraceEvent>, TraceReadError>>,
    live: bool,
    cycles: &mut u64,
) -> Result<(), RerunExportError> {
    loop {
        match lines.recv_timeout(QUIET_INTERVAL) {
            Ok(next) => {
                let Some(happened) = next? else { return Ok(()) };
                *cycles += u64::from(matches!(happened, TraceEvent::Cycle(_)));
                films.iter_mut().try_for_each(|film| film.take(&happened))?;
            }
            Err(RecvTimeoutError::Timeout) if live => {
                films.iter_mut().try_for_each(RecordingWriter::hand_on)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The reader reports its end before it exits.
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
