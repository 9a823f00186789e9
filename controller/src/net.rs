//! The one door to the network: every listener is made here.
//!
//! Safety: nothing listens beyond loopback. There are no tokens yet, and without one nobody else may ask.

use std::net::{IpAddr, SocketAddr};

use tokio::net::TcpListener;

/// A listener that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum NoListener {
    /// The address is not this machine's own.
    #[error(
        "{host} can be reached from other machines, and there is no token to protect the robot; use --host 127.0.0.1 (reach it from elsewhere through `ssh -L`)"
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

/// Listens on a loopback address; port 0 takes any free one.
///
/// # Errors
/// [`NoListener`] says which and why.
pub async fn listen(host: IpAddr, port: u16) -> Result<TcpListener, NoListener> {
    if !host.is_loopback() {
        return Err(NoListener::NotLoopback { host });
    }
    let address = SocketAddr::new(host, port);
    TcpListener::bind(address).await.map_err(|source| NoListener::Bind { address, source })
}
