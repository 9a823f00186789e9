//! `serve`: runs the robot and answers requests over HTTP.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use firmware_bridge::control_loop::{LoopClient, LoopCommand};
use minismith_control::robot::models_of;
use minismith_dialogue::Parts;
use minismith_dialogue::engine::Engines;
use minismith_runtime::config::Config;
use minismith_runtime::net::{self, server};
use minismith_runtime::tokens;
use minismith_server::api;
use minismith_toolchain::workshop::registry::Registry;
use tokio::signal::unix::{SignalKind, signal};

use super::service::{self, Watchdog};
use super::{CommandStatus, OnRobot, listen, print, setup};

/// The time for the robot to rest. The unit of systemd grants more (`TimeoutStopSec`).
const REST_TIMEOUT: Duration = Duration::from_secs(12);

/// The address, and whether to use the microphone.
#[derive(Debug, Args)]
pub struct Serve {
    /// The robot, and the output format.
    #[command(flatten)]
    on: OnRobot,
    /// Address to bind to. Addresses other than loopback require a token (`minismith token add`). Default: `server.host`
    /// in config.yaml.
    #[arg(long)]
    host: Option<IpAddr>,
    /// Port. 0 selects any free port. Default: `server.port` in config.yaml.
    #[arg(long)]
    port: Option<u16>,
    /// Also listen to the microphone of this computer and answer aloud (`voice` in config.yaml).
    #[arg(long)]
    microphone: bool,
}

/// Serves until interrupted, then brakes to rest and holds. After a request to terminate (`SIGTERM`), lays the head down
/// and releases torque.
pub fn serve(config: &Config, arguments: &Serve) -> anyhow::Result<CommandStatus> {
    let Serve { on, host, port, microphone } = arguments;
    // What the server reports and announces is about the robot that it opens.
    let robot = on.robot.clone().unwrap_or_else(|| config.robot.clone());
    let config = &Config { robot, ..config.clone() };
    // A missing speech model is reported before anything moves.
    let spoken = microphone.then(|| spoken(config)).transpose()?;
    service::status("starting: opening the robot");
    let body = Arc::new(setup::body(config, on).inspect_err(|error| service::status(&format!("{error:#}")))?);
    let is_terminated = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let watchdog = runtime.block_on(async {
        let host = host.unwrap_or(config.server.host);
        // An unusable token file is an error even where no token is needed.
        let tokens = tokens::list(&config.server.token_file)?;
        let listener = net::listen(host, port.unwrap_or(config.server.port), !tokens.is_empty()).await?;
        let tls = config.server.tls.as_ref();
        let tls = tls.map(|(certificate, key)| server::tls(certificate, key)).transpose()?;
        if tls.is_none() && !host.is_loopback() {
            tracing::warn!(
                "without TLS others on the way can read tokens; see `server.tls_certificate` in config.yaml"
            );
        }
        // A process that reads this line may end the server immediately.
        let interrupted = end_request()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = listener.local_addr()?;
        if on.json {
            print::line(&serde_json::json!({ "listening": address.to_string() }).to_string());
        } else {
            print::line(&format!(
                "Minismith serves {scheme}://{address} (health: {scheme}://{address}/health); Ctrl-C ends it"
            ));
        }
        let privilege = body.handle().timing_stats().scheduling;
        tracing::info!("the control loop runs under {privilege}");
        privilege.notes.iter().for_each(|note| tracing::warn!("{note}"));
        let watchdog = Watchdog::start(body.handle(), address, tls.is_some())?;
        let stopping = Watchdog::stopping(watchdog.as_ref());
        let (terminated, mut control) = (is_terminated.clone(), body.handle());
        let until = async move {
            let request = interrupted.await;
            stopping();
            if request == EndRequest::Terminate {
                terminated.store(true, Ordering::Release);
                // What moves ends now and not when the server has ended.
                control.send_command(LoopCommand::Stop);
            }
        };
        api::serve(listener, &body, config, tls, spoken, until).await?;
        anyhow::Ok(watchdog)
    })?;
    if is_terminated.load(Ordering::Acquire) {
        body.stow_and_release(REST_TIMEOUT)?;
    }
    drop(watchdog);
    Ok(CommandStatus::Success)
}

/// Opens the microphone and the speaker of this machine.
fn spoken(config: &Config) -> anyhow::Result<Parts> {
    let (source, sink) = (listen::microphone(&config.voice, "")?, listen::speaker(&config.voice)?);
    let tools = Registry::of(config)?;
    let engines = Engines::open(&config.voice, &models_of(config), true, &tools)?;
    Ok(Parts { engines, source, sink })
}

/// How this process is asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndRequest {
    /// By a person at the terminal, or by its loss.
    Interrupt,
    /// By a service manager or another program.
    Terminate,
}

/// Installs handlers for requests to end this process, and returns a function that waits for one.
///
/// # Errors
/// When the system provides no signal handler.
pub fn end_request() -> std::io::Result<impl Future<Output = EndRequest>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => EndRequest::Interrupt,
            _ = hang_up.recv() => EndRequest::Interrupt,
            _ = terminate.recv() => EndRequest::Terminate,
        }
    })
}

/// As [`end_request`], without the kind of the request.
///
/// # Errors
/// As [`end_request`].
pub fn interrupted() -> std::io::Result<impl Future<Output = ()>> {
    let request = end_request()?;
    Ok(async move {
        request.await;
    })
}
