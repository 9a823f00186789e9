//! The keys of `serve` and `compat`: where the server listens, and who may ask it for what.

use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

use ipnet::IpNet;

use super::choice::{NotAllowed, one_of};
use crate::role::Role;

/// The HTTP server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serve {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; zero takes any free one.
    pub port: u16,
    /// The file of tokens.
    pub tokens: PathBuf,
    /// The role of somebody on this machine who shows no token; none needs one.
    pub without_token: Option<Role>,
    /// Names of this machine by which it may be asked, besides addresses and its own name.
    pub names: Vec<HostName>,
    /// Sites whose pages may ask.
    pub origins: Vec<Origin>,
    /// Connections that may be open at once.
    pub connections: u32,
    /// Requests that one other machine may make in a second.
    pub requests_per_second: u32,
    /// Files of the certificate and its key, PEM; none is without TLS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Whether the robot is announced on the local network.
    pub announce: bool,
    /// Peers that speak the official wire without a token.
    pub trusted_peers: Vec<Peers>,
}

/// An address to listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Host(pub(super) IpAddr);

impl FromStr for Host {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        text.parse().map(Host).map_err(|_| {
            let allowed =
                "an address: 127.0.0.1 or ::1 for this machine alone, 0.0.0.0 or :: for the whole network";
            NotAllowed::new(text, allowed).meaning((text == "localhost").then_some("127.0.0.1"))
        })
    }
}

/// The role of somebody without a token, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaybeRole(pub(super) Option<Role>);

impl FromStr for MaybeRole {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let roles = Role::ALL.map(|role| (role.name(), MaybeRole(Some(role))));
        one_of(text, &[&roles[..], &[("none", MaybeRole(None))]].concat())
    }
}

/// A path, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaybePath(pub(super) Option<PathBuf>);

impl FromStr for MaybePath {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        match text {
            "none" => Ok(MaybePath(None)),
            "" => Err(NotAllowed::new(text, "a path, or none")),
            path => Ok(MaybePath(Some(path.into()))),
        }
    }
}

/// A name of this machine, in lower case and without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(pub String);

impl FromStr for HostName {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        if text.is_empty() || text.len() > 253 || !text.chars().all(well) {
            return Err(NotAllowed::new(text, "a host name such as robot.example.org, without a port"));
        }
        Ok(HostName(text.to_ascii_lowercase()))
    }
}

/// A site: scheme, host and port, as browsers tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin(pub String);

impl FromStr for Origin {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':' | '[' | ']');
        match rest {
            Some(host) if !host.is_empty() && host.chars().all(well) => Ok(Origin(text.to_ascii_lowercase())),
            _ => Err(NotAllowed::new(text, "a site such as https://dashboard.example.org, without a path")),
        }
    }
}

/// One address, or a network of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peers(pub IpNet);

impl FromStr for Peers {
    type Err = NotAllowed;

    fn from_str(text: &str) -> Result<Self, NotAllowed> {
        let net = text.parse::<IpNet>().ok().or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
        match net {
            // Everybody is nobody in particular.
            Some(net) if net.prefix_len() > 0 => Ok(Peers(net)),
            _ => Err(NotAllowed::new(
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
    fn a_role_may_be_none() {
        assert_eq!("none".parse(), Ok(MaybeRole(None)));
        assert_eq!("owner".parse(), Ok(MaybeRole(Some(Role::Owner))));
        let meant = "opperator".parse::<MaybeRole>().unwrap_err().to_string();
        assert!(meant.contains("did you mean `operator`"), "{meant}");
    }
}
