//! The program `minismith-recorder`: writes what it is told on standard input into a recording for the Rerun viewer.
//!
//! It is the only program that links Rerun, which takes minutes to build and may block for a minute when a viewer is
//! absent; so whoever moves motors never waits for it. The words on standard input are `minismith_wire::recording`.
//!
//! Reading order: [`told`] (reads and judges the lines), [`film`] (takes beats and texts, and gives the recording),
//! `motors`, `robot`, `texts`, `layout` (what a viewer shows of them), [`mod@file`] (writes it, whole or not at all).

mod file;
mod film;
mod layout;
mod motors;
mod robot;
#[cfg(test)]
mod tests;
mod texts;
mod told;

use std::ffi::OsString;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use film::Film;
use told::{Told, Untold};

const USAGE: &str = "usage: minismith-recorder --to FILE.rrd\n\
writes what it is told on standard input, one JSON document on each line, into a recording for the Rerun viewer";

/// Why there is no recording.
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
}

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match arguments.as_slice() {
        [flag] if flag == "--help" => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        [flag, path] if flag == "--to" => match record(std::io::stdin().lock(), Path::new(path)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("minismith-recorder: {error}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// Reads a whole recording and writes it; nothing is written of one that is not whole.
fn record(input: impl BufRead, path: &Path) -> Result<(), NoRecording> {
    let mut told = Told::begin(input)?;
    let mut film = Film::new(told.about().clone())?;
    while let Some(happened) = told.next()? {
        film.take(happened)?;
    }
    let bytes = film.finish()?;
    file::write(path, &bytes).map_err(|source| NoRecording::File { path: path.to_owned(), source })
}
