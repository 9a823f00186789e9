//! A place where viewers may come and look on: on this machine alone, unless another address is asked for.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use re_sdk::grpc_server::GrpcServerSink;
use re_sdk::{MemoryLimit, PlaybackBehavior, ServerOptions};

use crate::NoRecording;

/// What is kept for viewers that come later; then the oldest is forgotten. What does not change is kept.
const KEPT_BYTES: u64 = 64_000_000;

/// How often the server is looked for, and how long it is waited for in between, until it listens.
const LOOKS: usize = 50;
const PAUSE: Duration = Duration::from_millis(100);

/// The address in `ADDRESS:PORT` or `PORT`; by a bare port, of this machine alone.
pub fn address(text: &str) -> Option<SocketAddr> {
    let port = || text.parse().ok().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    text.parse().ok().or_else(port)
}

/// Listens there; port 0 is any that is free. Rerun's server does not say when it can't, so the port is tried before
/// and the server after.
///
/// # Errors
/// The port is not to be had, or nobody listens there after all.
pub fn listen(address: SocketAddr) -> Result<GrpcServerSink, NoRecording> {
    let refused = |source| NoRecording::Port { address, source };
    let address = TcpListener::bind(address).and_then(|free| free.local_addr()).map_err(refused)?;
    let options = ServerOptions {
        playback_behavior: PlaybackBehavior::OldestFirst,
        memory_limit: MemoryLimit::from_bytes(KEPT_BYTES),
        cors_allowed_origins: Vec::new(),
    };
    let host = match address.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    let server = GrpcServerSink::new(&host, address.port(), options)
        .map_err(|error| NoRecording::Rerun(error.to_string()))?;
    // Nobody sends on it: to receive from it is to wait.
    let (_open, pause) = sync_channel::<()>(0);
    for _ in 0..LOOKS {
        if TcpStream::connect_timeout(&address, PAUSE).is_ok() {
            eprintln!("minismith-recorder: a viewer may look on at {}", server.uri());
            return Ok(server);
        }
        let _ = pause.recv_timeout(PAUSE);
    }
    Err(refused(std::io::ErrorKind::NotConnected.into()))
}
