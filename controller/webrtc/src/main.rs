//! The program `minismith-webrtc`: the robot's camera, its sound and its commands by WebRTC, for browsers and the official SDKs.
//!
//! It is a client of the controller and holds no right of its own: each peer acts with its own token, and the controller decides
//! about every request. It is a program of its own, so that what reads packets of strangers is not what moves motors, and so
//! that its end moves nothing.
//!
//! ```text
//! browser --HTTP or WebSocket--> signalling --> session --/ws/sdk, REST--> controller
//!    ^---------video, sound, data channel--------^  ^--camera stream, sound--'
//! ```
//!
//! Safety: nothing here moves a motor. Everything from outside is bounded: messages, descriptions, sessions, peers, rates.
//!
//! Reading order: [`args`], [`signalling`] (who connects), [`session`] (one peer), [`transport`] (its connection),
//! [`commands`] (what its messages ask for), [`robot_link`] and [`robot_state`] (the robot for it), [`uploads`], [`playback`] and [`uploaded_sounds`] (moves and sounds that it uploads), [`video`], [`mjpeg`] and
//! [`encoder`] (the camera), [`microphone`], [`speaker`] and [`opus`] (sound), [`controller`] (requests to it), [`net`] (sockets), [`crypto`], [`logs`].

mod args;
mod commands;
mod controller;
mod crypto;
mod encoder;
mod logs;
mod microphone;
mod mjpeg;
mod net;
mod opus;
mod playback;
mod robot_link;
mod robot_state;
mod session;
mod signalling;
mod speaker;
mod transport;
mod uploaded_sounds;
mod uploads;
mod video;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use serde_json::json;
use tokio::io::AsyncReadExt;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use args::Args;
use controller::{Controller, ControllerError};
use net::{Listener, SocketError};
use signalling::hub::Hub;
use signalling::{http, server};

/// The time between two attempts to reach a controller that is starting.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);

/// Attempts to reach the controller at the start: half a minute.
const MAX_ATTEMPTS: u32 = 60;

/// Reports why nothing is served.
#[derive(Debug, thiserror::Error)]
enum WebRtcError {
    /// The port cannot be opened.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The controller cannot be served.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// The file with the token cannot be read.
    #[error("cannot read the token in {}: {source}; write one with `minismith token add NAME --role viewer`", .path.display())]
    Token {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The system gives no threads or signals.
    #[error("cannot start: {0}")]
    System(#[from] std::io::Error),
}

fn main() -> ExitCode {
    let args = Args::parse();
    logs::start(args.json);
    let as_json = args.json;
    let ended = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(WebRtcError::System)
        .and_then(|runtime| {
            let ended = runtime.block_on(run(args));
            // A blocking thread must not delay the end.
            runtime.shutdown_timeout(Duration::from_millis(500));
            ended
        });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if as_json {
                tracing::error!("{error}");
            } else {
                eprintln!("minismith-webrtc: {error}");
            }
            ExitCode::from(2)
        }
    }
}

async fn run(args: Args) -> Result<(), WebRtcError> {
    let token = match args.token_file {
        Some(path) => {
            Some(std::fs::read_to_string(&path).map_err(|source| WebRtcError::Token { path, source })?)
        }
        None => None,
    };
    let controller = Controller::new(&args.controller.0, token.as_deref().map(str::trim));
    let ended = ended(args.with_parent)?;
    tokio::pin!(ended);
    let listener = net::listen(args.listen).await?;
    tokio::select! {
        checked = reach(&controller) => checked?,
        () = &mut ended => return Ok(()),
    }
    announce(&listener, &args.controller.0, args.json)?;
    let routes = http::routes(Hub::new(controller));
    tokio::select! {
        () = server::serve(listener, routes) => {}
        () = &mut ended => {}
    }
    Ok(())
}

/// Waits for the controller, and checks that it is one that distinguishes peers.
async fn reach(controller: &Controller) -> Result<(), ControllerError> {
    for _ in 1..MAX_ATTEMPTS {
        match controller.check().await {
            Err(ControllerError::Unreachable { .. }) => sleep(RETRY_INTERVAL).await,
            checked => return checked,
        }
    }
    controller.check().await
}

/// Prints where it serves.
fn announce(listener: &Listener, controller: &str, as_json: bool) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let line = if as_json {
        json!({ "listening": address.to_string(), "controller": controller }).to_string()
    } else {
        format!(
            "minismith-webrtc serves http://{address} for the controller at http://{controller}; Ctrl-C ends it"
        )
    };
    // The output is optional for the caller.
    let _written = writeln!(std::io::stdout(), "{line}");
    Ok(())
}

/// Returns a future that waits for a signal to end, or for the end of standard input if it belongs to the program that
/// started this one.
fn ended(with_parent: bool) -> std::io::Result<impl Future<Output = ()>> {
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        let parent = async {
            let mut byte = [0];
            while with_parent && !matches!(tokio::io::stdin().read(&mut byte).await, Ok(0) | Err(_)) {}
            if !with_parent {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
            () = parent => {}
        }
    })
}
