//! Accepts viewers over the network, by default only from this machine.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use re_sdk::grpc_server::GrpcServerSink;
use re_sdk::{MemoryLimit, PlaybackBehavior, ServerOptions};

use crate::RerunExportError;

/// Bytes buffered for viewers that connect later. The oldest data is discarded first; static data stays.
const RETAINED_BYTES: u64 = 64_000_000;

/// Number of checks whether the server listens, and the timeout and pause of each.
const POLL_ATTEMPTS: usize = 50;
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Parses `ADDRESS:PORT` or `PORT`. A bare port means this machine alone.
pub fn address(text: &str) -> Option<SocketAddr> {
    let port = || text.parse().ok().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    text.parse().ok().or_else(port)
}

/// Starts a server at an address. Port 0 is any free port.
///
/// Rerun's server does not report failures, so the port is tested before and the server after the start.
///
/// # Errors
/// Returns an error when the port is not available, or the server does not listen.
pub fn listen(address: SocketAddr) -> Result<GrpcServerSink, RerunExportError> {
    let refused = |source| RerunExportError::Port { address, source };
    let address = TcpListener::bind(address).and_then(|free| free.local_addr()).map_err(refused)?;
    let options = ServerOptions {
        playback_behavior: PlaybackBehavior::OldestFirst,
        memory_limit: MemoryLimit::from_bytes(RETAINED_BYTES),
        cors_allowed_origins: Vec::new(),
    };
    let host = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let server = GrpcServerSink::new(&host, address.port(), options)
        .map_err(|error| RerunExportError::Rerun(error.to_string()))?;
    // No message is ever sent on this channel. Receiving from it only waits.
    let (_open, pause) = sync_channel::<()>(0);
    for _ in 0..POLL_ATTEMPTS {
        if TcpStream::connect_timeout(&address, POLL_INTERVAL).is_ok() {
            eprintln!("minismith-recorder: viewers can connect to {}", server.uri());
            return Ok(server);
        }
        let _ = pause.recv_timeout(POLL_INTERVAL);
    }
    Err(refused(std::io::ErrorKind::NotConnected.into()))
}
