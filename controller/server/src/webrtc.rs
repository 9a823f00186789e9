//! The program `minismith-webrtc` beside the server: camera and commands for browsers.
//!
//! It shows the server the token of each peer and names the peer's address.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;

use minismith_runtime::child_program::{ChildProgram, reached_at};
use minismith_runtime::config::{Server, WebRtc};
use minismith_runtime::net::address_in_network;
use minismith_runtime::{subprocess, tokens};

const PROGRAM: &str = "minismith-webrtc";

/// Starts the program for a server that listens here, if the configuration says so and the program is there. Without it,
/// the server does the rest.
#[must_use]
pub fn start(server: &Server, listening: SocketAddr) -> Option<ChildProgram> {
    let address = server.webrtc.address(listening)?;
    let program = match (subprocess::find_beside(PROGRAM).ok().flatten(), server.webrtc) {
        (Some(program), _) => program,
        (None, WebRtc::Auto) => return None,
        (None, _) => {
            tracing::warn!(
                "no WebRTC (`compat.webrtc`): there is no {PROGRAM} beside this program; build it with `make webrtc`"
            );
            return None;
        }
    };
    match begin(server, listening, address, &program) {
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

/// Returns the port at which the program serves browsers, if [`start`] would find it for this server.
#[must_use]
pub fn port(server: &Server, listening: SocketAddr) -> Option<u16> {
    let address = server.webrtc.address(listening)?;
    let is_there = server.tls.is_none() && subprocess::find_beside(PROGRAM).ok().flatten().is_some();
    is_there.then(|| address.port())
}

/// Returns the address at which the official SDK on other computers finds the program; it always asks at port 8443.
#[must_use]
pub fn sdk_address(server: &Server, listening: SocketAddr) -> Option<IpAddr> {
    let at = server.webrtc.address(listening)?;
    let is_found = port(server, listening) == Some(8443) && !at.ip().is_loopback();
    if at.ip().is_unspecified() { address_in_network() } else { Some(at.ip()) }.filter(|_| is_found)
}

fn begin(
    server: &Server,
    listening: SocketAddr,
    address: SocketAddr,
    path: &Path,
) -> Result<ChildProgram, String> {
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
    let arguments = vec![
        "--controller".to_owned(),
        format!("http://{}", reached_at(listening)),
        "--listen".to_owned(),
        address.to_string(),
        "--with-parent".to_owned(),
    ];
    ChildProgram::start(path, arguments, Vec::new())
        .map_err(|error| format!("cannot start {PROGRAM}: {error}"))
}
