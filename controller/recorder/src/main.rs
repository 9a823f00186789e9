//! The program `minismith-recorder`: makes of what it is told on standard input a recording for the Rerun viewer.
//!
//! It is the only program that links Rerun, which takes minutes to build and may block for a minute when a viewer is
//! absent; so whoever moves motors never waits for it. The words on standard input are `minismith_wire::recording`.
//!
//! Reading order: [`orders`] (where the recording goes), [`told`] (reads and judges the lines), [`film`] (gathers what
//! happens), `motors`, `robot`, `legs`, `health`, `camera`, `texts`, `spans` (draw it on a [`sheet`]), `layout` (how a
//! viewer opens it), [`outlet`] (hands it to a [`tape`], which is a [`mod@file`] in the end, or to each [`viewer`];
//! [`serve`] is where those may come).

mod camera;
mod file;
mod film;
mod health;
mod layout;
mod legs;
mod motors;
mod orders;
mod outlet;
mod robot;
mod serve;
mod sheet;
mod spans;
mod tape;
#[cfg(test)]
mod tests;
mod texts;
mod told;
mod viewer;

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use film::Film;
use orders::{Orders, USAGE};
use outlet::{Outlet, Written};
use told::{Happened, Told, Untold};

/// Lines that are read ahead.
const AHEAD: usize = 64;

/// When nothing has come for so long, what is live is handed on as far as it goes.
const QUIET: Duration = Duration::from_millis(200);

/// Why there is no recording, or only the beginning of one.
#[derive(Debug, thiserror::Error)]
enum NoRecording {
    /// What was told is not understood.
    #[error(transparent)]
    Untold(#[from] Untold),
    /// Rerun refused.
    #[error("Rerun refused it: {0}")]
    Rerun(String),
    /// The file can't be written.
    #[error("can't write {}: {source}; choose a folder that is yours to write", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Viewers can't come.
    #[error("can't serve at {address}: {source}; stop whoever listens there or choose another port")]
    Port {
        /// Where they should.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// This machine gives no thread.
    #[error("can't start a thread: {0}; end other programs and try again")]
    Thread(std::io::Error),
}

/// How it ended.
#[derive(Debug, Default)]
struct Ended {
    beats: u64,
    written: Written,
    /// What came last was not understood, or Rerun refused it; what came before is recorded.
    trouble: Option<NoRecording>,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let orders = match Orders::from_arguments(arguments) {
        Ok(orders) => orders,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let input = BufReader::new(std::io::stdin());
    match orders.carry_out().and_then(|outlets| record(input, outlets)) {
        Ok(Ended { beats, written, trouble }) => {
            let Written { bytes, lost, dropped } = written;
            let told = serde_json::json!({ "written": bytes, "beats": beats, "dropped_for_viewer": dropped });
            // Whoever started it may not care.
            let _ = writeln!(std::io::stdout(), "{told}");
            match trouble {
                Some(error) => complain(&error),
                None => ExitCode::from(u8::from(lost)),
            }
        }
        Err(error) => complain(&error),
    }
}

fn complain(error: &NoRecording) -> ExitCode {
    eprintln!("minismith-recorder: {error}");
    ExitCode::from(2)
}

/// Makes a recording of what it reads. What is not live is written whole or not at all.
fn record(input: impl BufRead + Send + 'static, outlets: Vec<Outlet>) -> Result<Ended, NoRecording> {
    let mut told = Told::begin(input)?;
    let about = told.about().clone();
    let live = about.live;
    let mut films: Vec<Film> =
        outlets.into_iter().map(|outlet| Film::new(about.clone(), outlet)).collect::<Result<_, _>>()?;
    let (heard, lines) = sync_channel(AHEAD);
    let read = move || {
        loop {
            let next = told.next();
            let goes_on = matches!(next, Ok(Some(_)));
            if heard.send(next).is_err() || !goes_on {
                return;
            }
        }
    };
    std::thread::Builder::new().name("reader".into()).spawn(read).map_err(NoRecording::Thread)?;
    let mut ended = Ended::default();
    match watch(&mut films, &lines, live, &mut ended.beats) {
        Err(error) if !live => return Err(error),
        outcome => ended.trouble = outcome.err(),
    }
    for film in films {
        ended.written += film.finish()?;
    }
    Ok(ended)
}

/// Takes what is told, to its end; what is live is handed on also when nothing more comes.
fn watch(
    films: &mut [Film],
    lines: &Receiver<Result<Option<Happened>, Untold>>,
    live: bool,
    beats: &mut u64,
) -> Result<(), NoRecording> {
    loop {
        match lines.recv_timeout(QUIET) {
            Ok(next) => {
                let Some(happened) = next? else { return Ok(()) };
                *beats += u64::from(matches!(happened, Happened::Beat(_)));
                films.iter_mut().try_for_each(|film| film.take(&happened))?;
            }
            Err(RecvTimeoutError::Timeout) if live => {
                films.iter_mut().try_for_each(Film::hand_on)?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            // The reader says how it ended before it goes.
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
