//! The sections `server` and `compat`: the address to bind to, access and limits.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;

use super::choice::{InvalidValue, one_of};
use crate::role::Role;

/// The HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The address to bind to.
    pub host: IpAddr,
    /// The port; zero selects any free port.
    pub port: u16,
    /// The token file.
    pub token_file: PathBuf,
    /// The role of requests from this computer that carry no token; without one, they need a token.
    pub anonymous_role: Option<Role>,
    /// Additional host names of this server.
    pub allowed_hosts: Vec<HostName>,
    /// Additional origins whose pages may call this server.
    pub allowed_origins: Vec<Origin>,
    /// Maximum number of open connections.
    pub max_connections: u32,
    /// Average number of requests per second that one remote client may send.
    pub rate_limit_per_s: u32,
    /// How long an MCP session may be idle.
    pub mcp_idle_timeout: Duration,
    /// Files of the TLS certificate and its private key, PEM; without them, plain HTTP.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether the robot is announced on the local network by mDNS.
    pub mdns: bool,
    /// Clients that may use the official API without a token.
    pub trusted_peers: Vec<Peers>,
    /// Where programs on this computer get camera frames, as from the official daemon.
    pub camera_socket: CameraSocket,
    /// Where browsers get camera and commands by WebRTC, as from the official daemon.
    pub webrtc: WebRtc,
}

/// The port of the official daemon.
const OFFICIAL_PORT: u16 = 8000;

/// Where the official daemon serves camera frames to programs on the same computer (official `daemon/utils.py`).
const OFFICIAL_CAMERA_SOCKET: &str = "/tmp/reachymini_camera_socket";

/// The local socket for camera frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameraSocket {
    /// The path of the official daemon, if the server listens at the port of the official daemon.
    Auto,
    /// None.
    None,
    /// At this path.
    Path(PathBuf),
}

impl CameraSocket {
    /// Returns the path for a server that listens at this port, if it is to serve frames. A service has a folder for it, as its
    /// `/tmp` is its own.
    #[must_use]
    pub fn path(&self, port: u16, service: Option<&Path>) -> Option<PathBuf> {
        let usual = || service.map_or_else(|| OFFICIAL_CAMERA_SOCKET.into(), |folder| folder.join("camera"));
        match self {
            CameraSocket::Auto => (port == OFFICIAL_PORT).then(usual),
            CameraSocket::None => None,
            CameraSocket::Path(path) => Some(path.clone()),
        }
    }
}

/// The port of the official daemon's signalling.
const OFFICIAL_SIGNALLING_PORT: u16 = 8443;

/// Where the program for WebRTC listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebRtc {
    /// At the port of the official daemon, if the server listens at the port of the official daemon and the program is there.
    Auto,
    /// Nowhere.
    Off,
    /// At this address; without the program, the server says so and does the rest.
    At(SocketAddr),
}

impl WebRtc {
    /// Returns the address for a server that listens here.
    #[must_use]
    pub fn address(&self, server: SocketAddr) -> Option<SocketAddr> {
        match self {
            WebRtc::Auto => (server.port() == OFFICIAL_PORT)
                .then(|| SocketAddr::new(server.ip(), OFFICIAL_SIGNALLING_PORT)),
            WebRtc::Off => None,
            WebRtc::At(address) => Some(*address),
        }
    }
}

impl FromStr for WebRtc {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(WebRtc::Auto),
            "off" => Ok(WebRtc::Off),
            address => address.parse().map(WebRtc::At).map_err(|_| {
                InvalidValue::new(text, "auto, off, or an address with a port, such as 127.0.0.1:8443")
            }),
        }
    }
}

/// Apps that were made for the official daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apps {
    /// The folder of the installed apps.
    pub directory: PathBuf,
    /// The folder with the packages of the official SDK; without one, it is looked for, and otherwise installed.
    pub sdk: Option<PathBuf>,
    /// The largest address space of an app, bytes.
    pub memory_bytes: u64,
}

/// A path, or `auto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AutoPath(pub(super) Option<PathBuf>);

impl FromStr for AutoPath {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(AutoPath(None)),
            "" => Err(InvalidValue::new(text, "a path, or auto")),
            path => Ok(AutoPath(Some(path.into()))),
        }
    }
}

impl FromStr for CameraSocket {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(CameraSocket::Auto),
            "none" => Ok(CameraSocket::None),
            path if path.starts_with('/') => Ok(CameraSocket::Path(path.into())),
            _ => Err(InvalidValue::new(text, "auto, none, or a path that starts with /")),
        }
    }
}

/// An address to bind to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Host(pub(super) IpAddr);

impl FromStr for Host {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.parse().map(Host).map_err(|_| {
            let allowed =
                "an address: 127.0.0.1 or ::1 for this computer only, 0.0.0.0 or :: for all network interfaces";
            InvalidValue::new(text, allowed).meaning((text == "localhost").then_some("127.0.0.1"))
        })
    }
}

/// The role of requests without a token, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaybeRole(pub(super) Option<Role>);

impl FromStr for MaybeRole {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let roles = Role::ALL.map(|role| (role.name(), MaybeRole(Some(role))));
        one_of(text, &[&roles[..], &[("none", MaybeRole(None))]].concat())
    }
}

/// A path, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaybePath(pub(super) Option<PathBuf>);

impl FromStr for MaybePath {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "none" => Ok(MaybePath(None)),
            "" => Err(InvalidValue::new(text, "a path, or none")),
            path => Ok(MaybePath(Some(path.into()))),
        }
    }
}

/// A host name in lower case, without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(pub String);

impl FromStr for HostName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        if text.is_empty() || text.len() > 253 || !text.chars().all(well) {
            return Err(InvalidValue::new(text, "a host name such as robot.example.org, without a port"));
        }
        Ok(HostName(text.to_ascii_lowercase()))
    }
}

/// An origin: scheme, host and port, as browsers send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(pub String);

impl FromStr for Origin {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '[' | ']');
        match rest {
            Some(host) if !host.is_empty() && host.chars().all(well) => Ok(Origin(text.to_ascii_lowercase())),
            _ => Err(InvalidValue::new(text, "a site such as https://dashboard.example.org, without a path")),
        }
    }
}

/// One address or a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peers(pub IpNet);

impl FromStr for Peers {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let net = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        match net {
            // A network of all addresses would disable authentication.
            Some(net) if net.prefix_len() > 0 => Ok(Peers(net)),
            _ => Err(InvalidValue::new(
                text,
                "an address such as 192.168.1.20, or a network such as 192.168.1.0/28",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sites_and_peers_are_read_strictly() {
        assert_eq!("Robot.Local".parse(), Ok(HostName("robot.local".into())));
        for bad in ["", "robot:8000", "a b", "https://x"] {
            assert!(bad.parse::<HostName>().is_err(), "{bad}");
        }
        assert_eq!("https://Desk.example:8443".parse(), Ok(Origin("https://desk.example:8443".into())));
        for bad in ["desk.example", "https://", "https://desk.example/page", "ftp://desk", "*", "null"] {
            assert!(bad.parse::<Origin>().is_err(), "{bad}");
        }
        assert_eq!("192.168.1.20".parse(), Ok(Peers("192.168.1.20/32".parse().unwrap())));
        assert!("fd00::/8".parse::<Peers>().is_ok());
        for bad in ["0.0.0.0/0", "::/0", "here", "192.168.1", "*"] {
            assert!(bad.parse::<Peers>().is_err(), "{bad}");
        }
    }

    #[test]
    fn camera_frames_are_served_where_official_clients_look_for_them() {
        let path = |text: &str, port| text.parse::<CameraSocket>().unwrap().path(port, None);
        let service = CameraSocket::Auto.path(8000, Some(Path::new("/run/minismith")));
        assert_eq!(service, Some("/run/minismith/camera".into()));
        assert_eq!(path("auto", 8000), Some(OFFICIAL_CAMERA_SOCKET.into()));
        assert_eq!([path("auto", 8001), path("none", 8000)], [None, None]);
        assert_eq!(path("/run/camera", 1), Some("/run/camera".into()));
        assert!("camera".parse::<CameraSocket>().is_err());
    }

    #[test]
    fn webrtc_is_served_where_official_clients_look_for_it() {
        let served = |text: &str, server: &str| {
            let at = text.parse::<WebRtc>().unwrap().address(server.parse().unwrap());
            at.map(|address| address.to_string())
        };
        assert_eq!(served("auto", "0.0.0.0:8000").as_deref(), Some("0.0.0.0:8443"));
        assert_eq!(served("auto", "[::1]:8000").as_deref(), Some("[::1]:8443"));
        assert_eq!([served("auto", "127.0.0.1:8001"), served("off", "127.0.0.1:8000")], [None, None]);
        assert_eq!(served("127.0.0.1:9", "127.0.0.1:8001").as_deref(), Some("127.0.0.1:9"));
        for bad in ["", "on", "8443", "127.0.0.1", "localhost:8443"] {
            assert!(bad.parse::<WebRtc>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_role_may_be_none() {
        assert_eq!("none".parse(), Ok(MaybeRole(None)));
        assert_eq!("owner".parse(), Ok(MaybeRole(Some(Role::Owner))));
        let meant = "opperator".parse::<MaybeRole>().unwrap_err().to_string();
        assert!(meant.contains("did you mean `operator`"), "{meant}");
    }
}
