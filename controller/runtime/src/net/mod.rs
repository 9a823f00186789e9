//! The one door to the network: every listener is made here, and every question to a server.
//!
//! Reading order: this file (listeners, and questions to our own server), [`server`] (connections to them), [`Address`],
//! [`announce`] (where the robot is found), [`http`] (questions to others), [`sse`] (answers that come as events),
//! [`pictures`] (a camera on the network).
//! Safety: nothing listens beyond loopback where there is no token that could be asked for.

mod address;
pub mod announce;
pub mod here;
pub mod http;
pub mod pictures;
pub mod server;
pub mod sse;

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use tokio::net::TcpListener;

pub use address::{Address, Reach};

/// A listener that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum NoListener {
    /// Others could ask, and nobody has a token.
    #[error(
        "{host} can be reached from other machines, and there is no token to protect the robot; make one with `minismith token add NAME --role operator`, or use --host 127.0.0.1 (and reach it from elsewhere through `ssh -L`)"
    )]
    NotLoopback {
        /// What was asked for.
        host: IpAddr,
    },
    /// The port is taken, or not allowed.
    #[error(
        "can't listen on {address}: {source}; another controller or the official daemon may run there, try --port"
    )]
    Bind {
        /// What was asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Listens; port 0 takes any free one. Beyond this machine only where tokens protect the robot.
///
/// # Errors
/// [`NoListener`] says which and why.
pub async fn listen(host: IpAddr, port: u16, has_tokens: bool) -> Result<TcpListener, NoListener> {
    if !(host.is_loopback() || has_tokens) {
        return Err(NoListener::NotLoopback { host });
    }
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address).await.map_err(|source| NoListener::Bind { address, source })
}

/// How long a server on this machine may take to answer, busy as it may be.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// Asks a server of our own on this machine; `question` is a method and a path. Returns the body of the answer.
///
/// # Errors
/// When nobody listens there, or the answer does not come.
pub fn ask_here(port: u16, question: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(LONGEST_ANSWER))?;
    // HTTP/1.0: the answer ends with the connection.
    write!(stream, "{question} HTTP/1.0\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(1 << 20).read_to_string(&mut answer)?;
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    Ok(body.to_owned())
}
