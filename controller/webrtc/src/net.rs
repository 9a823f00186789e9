//! The only file that opens sockets and reads the clock: the listener for signalling, the sockets of a session, and the
//! connections to the controller.
//!
//! The clock is that of sockets: the WebRTC library wants to be told the time with each packet. Nothing here moves a motor.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// A listener for signalling.
pub type Listener = TcpListener;

/// A connection, to a peer or to the controller.
pub type Stream = TcpStream;

/// The time that a peer may leave data unacknowledged, milliseconds.
const MAX_UNACKNOWLEDGED_MS: u32 = 30_000;

/// The most addresses of this computer that are offered to a peer.
const MAX_ADDRESSES: usize = 8;

/// Reports a socket that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The port for signalling is in use, or not permitted.
    #[error(
        "cannot listen on {address}: {source}; stop the program that listens there, or choose another port with --listen"
    )]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The addresses of this computer cannot be listed, or no socket can be opened at them.
    #[error("cannot open a socket for media: {0}")]
    Media(std::io::Error),
}

/// Returns the current time of the monotonic clock.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "the WebRTC library has no clock of its own")]
pub fn now() -> Instant {
    Instant::now()
}

/// Returns the calendar time, for logs.
#[must_use]
pub fn system_time() -> SystemTime {
    SystemTime::now()
}

/// Opens the listener for signalling.
///
/// # Errors
/// [`SocketError::Listen`] names the address.
pub async fn listen(address: SocketAddr) -> Result<Listener, SocketError> {
    TcpListener::bind(address).await.map_err(|source| SocketError::Listen { address, source })
}

/// Prepares a connection of a peer: without delay, and ended by the system when the peer does not acknowledge what is sent.
/// Otherwise a peer that has vanished would hold its place for a quarter of an hour.
///
/// # Errors
/// Errors of the system; the connection works all the same.
pub fn prepare(stream: &Stream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    Ok(rustix::net::sockopt::set_tcp_user_timeout(stream, MAX_UNACKNOWLEDGED_MS)?)
}

/// Connects to the controller, at `host:port`.
///
/// # Errors
/// Errors of the system.
pub async fn connect(address: &str) -> std::io::Result<Stream> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// A socket of a session, and the address that a peer reaches it at.
#[derive(Clone, Debug)]
pub struct MediaSocket {
    /// The socket.
    pub socket: Arc<UdpSocket>,
    /// Its address.
    pub address: SocketAddr,
}

/// Opens a socket at each address of this computer, at a free port. An address that disappears meanwhile is skipped.
///
/// # Errors
/// [`SocketError::Media`] if there is none.
pub async fn media_sockets() -> Result<Vec<MediaSocket>, SocketError> {
    let interfaces = if_addrs::get_if_addrs().map_err(SocketError::Media)?;
    let mut sockets = Vec::new();
    let mut failure = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
    for host in interfaces.iter().map(if_addrs::Interface::ip).filter(is_reachable) {
        if sockets.len() == MAX_ADDRESSES {
            break;
        }
        match UdpSocket::bind((host, 0)).await.and_then(|socket| Ok((socket.local_addr()?, socket))) {
            Ok((address, socket)) => sockets.push(MediaSocket { socket: Arc::new(socket), address }),
            Err(error) => failure = error,
        }
    }
    if sockets.is_empty() { Err(SocketError::Media(failure)) } else { Ok(sockets) }
}

/// Whether a peer can reach an address without naming an interface.
fn is_reachable(host: &IpAddr) -> bool {
    match host {
        IpAddr::V4(host) => !host.is_link_local(),
        IpAddr::V6(host) => !host.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_addresses_are_not_offered() {
        for host in ["127.0.0.1", "192.0.2.7", "::1", "2001:db8::1"] {
            assert!(is_reachable(&host.parse().unwrap()), "{host}");
        }
        for host in ["169.254.1.1", "fe80::1"] {
            assert!(!is_reachable(&host.parse().unwrap()), "{host}");
        }
    }
}
