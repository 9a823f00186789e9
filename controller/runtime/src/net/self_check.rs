//! [`SelfCheck`]: whether our own server answers, asked over its own listener as a client would.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use reqwest::Client;
use tokio::runtime::{Builder, Runtime};

use super::http::innermost;

/// A client of our own server, for use on an ordinary thread.
#[derive(Debug)]
pub struct SelfCheck {
    client: Client,
    runtime: Runtime,
    url: String,
}

/// Our own server did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the HTTP server does not answer: {0}")]
pub struct NoAnswer(String);

impl SelfCheck {
    /// Prepares a client of the server that listens at `address`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`NoAnswer`], when the system provides no client.
    pub fn new(address: SocketAddr, has_tls: bool) -> Result<Self, NoAnswer> {
        let not = |error: &dyn std::fmt::Display| NoAnswer(error.to_string());
        // Fails if it is installed already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .no_proxy()
            // Each check is a connection of its own: a server that accepts none has to fail it.
            .pool_max_idle_per_host(0)
            // No certificate names this address, and the request holds no secret.
            .tls_danger_accept_invalid_certs(true)
            .build()
            .map_err(|error| not(&innermost(&error)))?;
        let runtime =
            Builder::new_current_thread().enable_io().enable_time().build().map_err(|error| not(&error))?;
        let scheme = if has_tls { "https" } else { "http" };
        Ok(SelfCheck { client, runtime, url: format!("{scheme}://{}/health", reachable(address)) })
    }

    /// Asks for the health. Every status is an answer, also that the robot has a fault or that a token is missing.
    ///
    /// # Errors
    /// [`NoAnswer`], if no status arrives within this time.
    pub fn ask(&self, within: Duration) -> Result<(), NoAnswer> {
        let request = self.client.get(&self.url).timeout(within);
        // The timer of a request needs the runtime when it is made.
        match self.runtime.block_on(async { request.send().await }) {
            Ok(_) => Ok(()),
            Err(error) if error.is_timeout() => {
                Err(NoAnswer(format!("nothing came within {} s", within.as_secs_f64())))
            }
            Err(error) => Err(NoAnswer(innermost(&error))),
        }
    }
}

/// Returns the address at which this computer reaches a listener.
const fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(host) if host.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        host => host,
    };
    SocketAddr::new(host, address.port())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;

    use super::*;

    const SOON: Duration = Duration::from_millis(300);

    #[test]
    fn any_status_is_an_answer() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let check = SelfCheck::new(listener.local_addr().unwrap(), false).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = Vec::new();
            while !request.ends_with(b"\r\n\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                request.extend(byte);
            }
            stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n").unwrap();
            stream
        });
        assert_eq!(check.ask(Duration::from_secs(5)), Ok(()));
        drop(server.join().unwrap());
    }

    #[test]
    fn a_listener_that_accepts_nothing_is_no_answer() {
        // The system completes the connection, and nobody reads the request.
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let check = SelfCheck::new(listener.local_addr().unwrap(), false).unwrap();
        let no = check.ask(SOON).unwrap_err().to_string();
        assert!(no.contains("nothing came within 0.3 s"), "{no}");
        drop(listener);
        assert!(check.ask(SOON).is_err());
    }

    #[test]
    fn a_listener_on_all_interfaces_is_asked_on_this_computer() {
        for (bound, asked) in [
            ("0.0.0.0:8000", "127.0.0.1:8000"),
            ("[::]:8000", "[::1]:8000"),
            ("192.0.2.7:80", "192.0.2.7:80"),
        ] {
            assert_eq!(reachable(bound.parse().unwrap()), asked.parse().unwrap());
        }
    }
}
