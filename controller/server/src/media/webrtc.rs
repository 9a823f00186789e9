//! The program `minismith-webrtc` beside the server ([`WebRtcProgram`]): camera and commands for browsers.
//!
//! It is a client like any other: it shows the server the token of each peer and names the peer's address. It ends when its
//! standard input does, so it never outlives the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_runtime::config::{Server, WebRtc};
use minismith_runtime::subprocess::{self, Program};
use minismith_runtime::tokens;

const PROGRAM: &str = "minismith-webrtc";

/// The time that the program has to end its sessions.
const END_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The running program. Dropping it ends it.
pub struct WebRtcProgram {
    child: Child,
    /// Its standard input.
    input: Option<UnixStream>,
}

impl WebRtcProgram {
    /// Starts the program for a server that listens here, if the configuration says so and the program is there. Without it,
    /// the server does the rest.
    #[must_use]
    pub fn start(server: &Server, listening: SocketAddr) -> Option<Self> {
        let address = server.webrtc.address(listening)?;
        let program = match (locate(), server.webrtc) {
            (Some(program), _) => program,
            (None, WebRtc::Auto) => return None,
            (None, _) => {
                tracing::warn!(
                    "no WebRTC (`compat.webrtc`): there is no {PROGRAM} beside this program; build it with `make webrtc`"
                );
                return None;
            }
        };
        match begin(server, listening, address, program) {
            Ok(program) => {
                tracing::info!("browsers get camera and commands by WebRTC through http://{address}");
                Some(program)
            }
            Err(reason) => {
                tracing::warn!("no WebRTC at {address} (`compat.webrtc`): {reason}");
                None
            }
        }
    }
}

fn begin(
    server: &Server,
    listening: SocketAddr,
    address: SocketAddr,
    path: PathBuf,
) -> Result<WebRtcProgram, String> {
    if server.tls.is_some() {
        return Err(
            "the server has TLS, which the program does not speak; start it without, or without WebRTC"
                .into(),
        );
    }
    let has_tokens = tokens::list(&server.token_file).is_ok_and(|tokens| !tokens.is_empty());
    if !address.ip().is_loopback() && !has_tokens {
        return Err("other machines could connect, and there is no token; make one with `minismith token add NAME --role operator`".into());
    }
    let (ours, theirs) = UnixStream::pair().map_err(|error| error.to_string())?;
    let arguments = [
        "--controller".to_owned(),
        format!("http://{}", reached_at(listening)),
        "--listen".to_owned(),
        address.to_string(),
        "--with-parent".to_owned(),
    ];
    let program = Program {
        path,
        arguments: arguments.into_iter().map(Into::into).collect(),
        environment: Vec::new(),
        input: theirs.into(),
    };
    let child = subprocess::start(program).map_err(|error| format!("cannot start {PROGRAM}: {error}"))?;
    Ok(WebRtcProgram { child, input: Some(ours) })
}

/// Returns the address at which this computer reaches a server that listens here.
fn reached_at(listening: SocketAddr) -> SocketAddr {
    let host = match listening.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(host) if host.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        host => host,
    };
    SocketAddr::new(host, listening.port())
}

/// Returns the path of the program: next to this one, or in the folder above, for tests.
fn locate() -> Option<PathBuf> {
    let executable = std::env::current_exe().ok()?;
    let beside = executable.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM));
    beside.into_iter().find(|position| position.is_file())
}

impl Drop for WebRtcProgram {
    fn drop(&mut self) {
        drop(self.input.take());
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
