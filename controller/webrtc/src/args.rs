//! Command-line arguments ([`Args`]).

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;

/// Examples in the help text.
const EXAMPLES: &str = "\
Examples:
  minismith-webrtc                              Serve browsers on this computer, at port 8443
  minismith-webrtc --listen 0.0.0.0:8443        Serve the local network; peers need a token of `minismith token add`
  minismith-webrtc --controller http://127.0.0.1:8001 --listen 127.0.0.1:0

In a page, with the official browser class:
  const robot = new ReachyMini({ signalingUrl: 'http://127.0.0.1:8443' });
  await robot.connect(TOKEN);

Exit codes: 0 when it was asked to end, 2 when it cannot start or its arguments are wrong.";

/// Serves the robot's camera, its sound and its commands by WebRTC, to browsers and to the official SDKs.
#[derive(Debug, Parser)]
#[command(name = "minismith-webrtc", version, after_help = EXAMPLES)]
pub struct Args {
    /// The controller: the address that `minismith serve` prints
    #[arg(long, value_name = "URL", default_value = "http://127.0.0.1:8000")]
    pub controller: ControllerAddress,
    /// Where to listen for signalling; port 0 is any free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8443")]
    pub listen: SocketAddr,
    /// A file with a token for the camera. Without it, the camera is read with the token of a peer
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Write log lines as JSON
    #[arg(long)]
    pub json: bool,
    /// End when standard input ends, as for a program that another one starts
    #[arg(long)]
    pub with_parent: bool,
}

/// The address of the controller, `host:port`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerAddress(pub String);

/// Reports an address that is none of a controller.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Not an HTTP address.
    #[error("it must look like http://127.0.0.1:8000")]
    NotHttp,
}

impl FromStr for ControllerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let site = text.strip_prefix("http://").ok_or(AddressError::NotHttp)?.trim_end_matches('/');
        let (host, port) = site.rsplit_once(':').ok_or(AddressError::NotHttp)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
        if host.is_empty() || !host.bytes().all(is_plain) || port.parse::<u16>().is_err() {
            return Err(AddressError::NotHttp);
        }
        Ok(ControllerAddress(site.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_controllers_are_http() {
        for (text, site) in [
            ("http://127.0.0.1:8000", "127.0.0.1:8000"),
            ("http://localhost:80/", "localhost:80"),
            ("http://[::1]:8000", "[::1]:8000"),
        ] {
            assert_eq!(text.parse(), Ok(ControllerAddress(site.into())), "{text}");
        }
        for text in
            ["", "127.0.0.1:8000", "https://localhost:8000", "http://localhost", "http://a b:1", "http://:1"]
        {
            assert_eq!(text.parse::<ControllerAddress>(), Err(AddressError::NotHttp), "{text}");
        }
    }

    #[test]
    fn arguments_have_defaults() {
        let args = Args::try_parse_from(["minismith-webrtc"]).unwrap();
        assert_eq!(args.listen, ([127, 0, 0, 1], 8443).into());
        assert_eq!(args.controller.0, "127.0.0.1:8000");
        assert!(Args::try_parse_from(["minismith-webrtc", "--listen", "here"]).is_err());
    }
}
