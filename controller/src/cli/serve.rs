//! `serve`: keeps the body alive and answers health and state over HTTP.

use std::net::IpAddr;
use std::sync::Arc;

use minismith::api;
use minismith::config::Config;
use minismith::gate::tokens;
use minismith::net::{self, server};
use tokio::signal::unix::{SignalKind, signal};

use super::{Done, OnRobot, print, shop};

/// Serves until interrupted, then brakes to rest.
pub fn serve(config: &Config, on: &OnRobot, host: Option<IpAddr>, port: Option<u16>) -> anyhow::Result<Done> {
    let body = Arc::new(shop::body(config, on)?);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let host = host.unwrap_or(config.serve.host);
        // A file of tokens that can't be used is an error also where none is needed.
        let tokens = tokens::list(&config.serve.tokens)?;
        let listener = net::listen(host, port.unwrap_or(config.serve.port), !tokens.is_empty()).await?;
        let tls = config.serve.tls.as_ref();
        let tls = tls.map(|(certificate, key)| server::tls(certificate, key)).transpose()?;
        if tls.is_none() && !host.is_loopback() {
            tracing::warn!("without TLS others on the way can read tokens; see `certificate` in config.yaml");
        }
        // Whoever reads that it listens may end it at once.
        let interrupted = interrupted()?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let address = listener.local_addr()?;
        if on.json {
            print::line(&serde_json::json!({ "listening": address.to_string() }).to_string());
        } else {
            print::line(&format!(
                "Minismith serves {scheme}://{address} (health: {scheme}://{address}/health); Ctrl-C ends it"
            ));
        }
        let privilege = body.handle().regularity().privilege;
        tracing::info!("the pulse beats under {privilege}");
        privilege.notes.iter().for_each(|note| tracing::warn!("{note}"));
        api::serve(listener, &body, config, tls, interrupted).await?;
        anyhow::Ok(())
    })?;
    Ok(Done::Well)
}

/// From now on listens for whoever asks this process to end; what it returns waits for that.
///
/// # Errors
/// When the system gives no signal handler.
pub fn interrupted() -> std::io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}
