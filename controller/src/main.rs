//! The command line: parses, sets up, calls one command, and turns its result into an exit code.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 refused or failed as data, 2 usage or
//! environment error.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run(cli::parse()) {
        Ok(done) => done.into(),
        Err(error) => {
            eprintln!("minismith: {error:#}");
            ExitCode::from(2)
        }
    }
}
