//! The only module with network access: it opens every listener and every outgoing connection.
//!
//! Reading order: this file (listeners, and requests to our own server), [`server`] (its connections), [`Address`],
//! [`local_socket`] (programs on this computer), [`mdns`] (discovery of the robot), [`http`] (requests to other servers), [`sse`] (event streams), [`mjpeg_client`]
//! (a network camera), [`download`] (a file), [`forward`] (requests that are passed on), [`self_check`] (whether our own server answers).
//! Safety: without a token, nothing listens beyond loopback.

mod address;
pub mod download;
pub mod forward;
pub mod http;
pub mod local_socket;
pub mod loopback_client;
pub mod mdns;
pub mod mjpeg_client;
pub mod self_check;
pub mod server;
pub mod sse;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::time::Duration;

use tokio::net::TcpListener;

pub use address::{Address, Reach};

/// A listener that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// Other machines could connect, and no token exists.
    #[error(
        "{host} can be reached from other machines, and there is no token to protect the robot; make one with `minismith token add NAME --role operator`, or use --host 127.0.0.1 (and reach it from elsewhere through `ssh -L`)"
    )]
    NotLoopback {
        /// The requested address.
        host: IpAddr,
    },
    /// The port is in use, or not permitted.
    #[error(
        "cannot listen on {address}: {source}; another controller or the official daemon may run there, try --port"
    )]
    Bind {
        /// The requested address.
        address: SocketAddr,
        /// The error of the system.
        source: std::io::Error,
    },
}

/// Opens a listener; port 0 selects any free one. Addresses beyond loopback require a token.
///
/// # Errors
/// [`BindError`] contains the address and the cause.
pub async fn listen(host: IpAddr, port: u16, has_tokens: bool) -> Result<TcpListener, BindError> {
    if !(host.is_loopback() || has_tokens) {
        return Err(BindError::NotLoopback { host });
    }
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address).await.map_err(|source| BindError::Bind { address, source })
}

/// Serves at a listening socket that another process has made, such as one in a network of its own.
///
/// # Errors
/// When it is no listening socket.
pub fn adopt(socket: std::os::fd::OwnedFd) -> std::io::Result<TcpListener> {
    let listener = std::net::TcpListener::from(socket);
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener)
}

/// Returns the address of this machine in its network: that of the interface for packets to other networks. None are sent.
#[must_use]
pub fn address_in_network() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address of documentation (RFC 5737). Only the route is looked up.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// The timeout for a local server, even a busy one.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// Sends a request to our own server on this machine; `question` is a method and a path. Returns the body of the
/// response.
///
/// # Errors
/// When no server listens there, or no response arrives.
pub fn ask_here(port: u16, question: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    // HTTP/1.0: the response ends with the connection.
    write!(stream, "{question} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(1 << 20).read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    Ok(body.to_owned())
}
