//! The program `minismith-fleet`: several robots, seen and commanded from one place, over Eclipse Zenoh.
//!
//! It is a client of each robot's controller and holds no right of its own there: its token decides. It is a program of its own,
//! so that what reads messages of other computers is not what moves motors, and so that its end moves nothing. Zenoh finds,
//! routes, retries and encrypts; this program says what the keys mean and which commands may act.
//!
//! ```text
//! operator --query--> Zenoh (router) --> agent --HTTP--> controller of one robot
//!        <--state, status, events, presence--'
//! ```
//!
//! Safety: nothing here moves a motor. Every message of a peer is bounded and checked before it acts, and acts once.
//!
//! Reading order: [`args`], [`keys`], [`messages`], [`session`] (Zenoh), [`identity`] (certificates and roles), [`agent`] (one
//! robot), [`operator`], [`commands`], [`members`] (router, enrolment), [`controller`] (requests to it), [`programs`], [`error`], [`net`], [`logs`].

mod agent;
mod args;
mod commands;
mod controller;
mod error;
mod identity;
mod keys;
mod logs;
mod members;
mod messages;
mod net;
mod operator;
mod programs;
mod session;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use args::{Args, FleetCommand};

fn main() -> ExitCode {
    let args = Args::parse();
    logs::start(matches!(args.command, FleetCommand::Router { .. }));
    let is_for_a_program = matches!(args.command, FleetCommand::Operate);
    let ended = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(error::FleetError::System)
        .and_then(|runtime| {
            let ended = runtime.block_on(commands::run(args));
            // A blocking thread must not delay the end.
            runtime.shutdown_timeout(Duration::from_millis(500));
            ended
        });
    match ended {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            if is_for_a_program {
                operator::print::document(
                    &serde_json::json!({ "kind": "error", "error": error.to_string() }),
                );
            }
            eprintln!("minismith fleet: {error}");
            ExitCode::from(2)
        }
    }
}
