//! The command line: parses, sets up, calls one command, and turns its result into an exit code.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 refused or failed as data, 2 usage or
//! environment error.

mod cli;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = cli::Cli::parse();
    let filter = tracing_subscriber::EnvFilter::try_from_env("MINISMITH_LOG")
        // A client that goes away or asks for what is not there is no error of this program.
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn,rmcp::service=off"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
    match cli::run(cli) {
        Ok(done) => done.into(),
        Err(error) => {
            eprintln!("minismith: {error:#}");
            ExitCode::from(2)
        }
    }
}
