//! A program beside this one that runs while the server does ([`ChildProgram`]): WebRTC, the fleet.
//!
//! Each is a client of the server like any other. It ends when its standard input does, so it never outlives the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;
use std::time::Duration;

use crate::subprocess::{self, Program};
use firmware_bridge::clock::{Clock, MonotonicClock};

/// The time that a program has to end by itself.
const END_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The running program. Dropping it ends it.
pub struct ChildProgram {
    child: Child,
    /// Its standard input.
    input: Option<UnixStream>,
}

impl ChildProgram {
    /// Starts a program with these arguments and this whole environment.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start(
        path: &Path,
        arguments: Vec<String>,
        environment: Vec<(&'static str, String)>,
    ) -> std::io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let child = subprocess::start(program(path, arguments, environment, theirs))?;
        Ok(ChildProgram { child, input: Some(ours) })
    }

    /// The same, for a program that is spoken with: also returns the socket that is its standard input and output.
    ///
    /// # Errors
    /// If the program cannot be started.
    pub fn start_connected(
        path: &Path,
        arguments: Vec<String>,
        environment: Vec<(&'static str, String)>,
    ) -> std::io::Result<(Self, UnixStream)> {
        let (ours, theirs) = UnixStream::pair()?;
        let (socket, output) = (ours.try_clone()?, theirs.try_clone()?);
        let program = program(path, arguments, environment, theirs);
        let child = subprocess::start_with_output(program, output.into())?;
        Ok((ChildProgram { child, input: Some(ours) }, socket))
    }
}

fn program(
    path: &Path,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
    input: UnixStream,
) -> Program {
    let arguments = arguments.into_iter().map(Into::into).collect();
    Program { path: path.to_owned(), arguments, environment, input: input.into() }
}

impl Drop for ChildProgram {
    fn drop(&mut self) {
        if let Some(input) = self.input.take() {
            // It ends the input also where the socket is still open elsewhere.
            let _closed = input.shutdown(Shutdown::Both);
        }
        let clock = MonotonicClock::start();
        let until = clock.now() + END_TIMEOUT;
        while clock.now() < until {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            clock.sleep_until(clock.now() + POLL_INTERVAL);
        }
        // It may have ended meanwhile.
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

/// Returns the address at which this computer reaches a server that listens here.
#[must_use]
pub fn reached_at(listening: SocketAddr) -> SocketAddr {
    let host = match listening.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    SocketAddr::new(host, listening.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_reached_on_this_computer() {
        for (listening, reached) in [
            ("0.0.0.0:8000", "127.0.0.1:8000"),
            ("[::]:8000", "[::1]:8000"),
            ("127.0.0.1:8000", "127.0.0.1:8000"),
            ("192.0.2.7:1", "192.0.2.7:1"),
        ] {
            assert_eq!(reached_at(listening.parse().unwrap()).to_string(), reached);
        }
    }
}
