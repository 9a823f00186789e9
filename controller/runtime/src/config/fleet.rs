//! The section `fleet`: whether `minismith serve` also makes the robot a member of a fleet, or is an operator of it.

use std::path::PathBuf;
use std::str::FromStr;

use super::choice::InvalidValue;

/// A fleet, for the program `minismith-fleet`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fleet {
    /// Name of the fleet.
    pub name: FleetName,
    /// Router or peer to connect to; without one, that of the identity, or the one on this computer.
    pub router: Option<String>,
    /// Folder of identities and of what the robot remembers.
    pub directory: PathBuf,
    /// The robot's membership, if it is a member.
    pub membership: Option<FleetMembership>,
    /// As whom the server sees and commands the fleet's robots, if it does.
    pub operator: Option<FleetOperator>,
}

/// Membership in a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetMembership {
    /// Name of the robot in the fleet.
    pub robot: FleetName,
    /// Groups that the robot belongs to.
    pub groups: Vec<FleetName>,
    /// Rate of the camera images for operators who watch them, Hz; 0 for none.
    pub camera_fps: u32,
    /// File with a token for the controller; without one, the fleet has the rights of requests without a token.
    pub token_file: Option<PathBuf>,
}

/// An operator of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetOperator {
    /// Name that commands are sent under.
    pub name: FleetName,
    /// Folder of its certificate. Without one, the fleet is on this computer and has no certificates.
    pub identity: Option<PathBuf>,
}

/// The name of a fleet, a robot or a group. `minismith-fleet` has the same rule: a name is one part of a Zenoh key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetName(pub String);

/// The longest name, bytes.
const MAX_NAME_BYTES: usize = 40;

impl FromStr for FleetName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let begins = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let well = text.len() <= MAX_NAME_BYTES
            && text.bytes().next().is_some_and(begins)
            && text.bytes().all(|byte| begins(byte) || byte == b'-' || byte == b'_')
            && text != "all";
        if well {
            Ok(FleetName(text.to_owned()))
        } else {
            let allowed =
                "1 to 40 lower-case letters, digits, `-` and `_`, a letter or digit first, and not `all`";
            Err(InvalidValue::new(text, allowed))
        }
    }
}

/// A name, or `none`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MaybeFleetName(pub(super) Option<FleetName>);

impl FromStr for MaybeFleetName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        if text == "none" { Ok(MaybeFleetName(None)) } else { text.parse().map(Some).map(MaybeFleetName) }
    }
}

/// A Zenoh endpoint, or `auto`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Router(pub(super) Option<String>);

impl FromStr for Router {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let is_endpoint = |text: &str| {
            let address =
                text.split_once('/').filter(|(protocol, _)| matches!(*protocol, "tcp" | "tls" | "quic"));
            address.is_some_and(|(_, address)| {
                address.contains(':') && !address.chars().any(|c| c.is_whitespace() || c.is_control())
            })
        };
        match text {
            "auto" => Ok(Router(None)),
            text if is_endpoint(text) => Ok(Router(Some(text.to_owned()))),
            text => Err(InvalidValue::new(text, "auto, or an endpoint such as tls/192.168.1.20:7447")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_routers_are_checked() {
        for good in ["kitchen", "r2-d2", "3_a"] {
            assert_eq!(good.parse(), Ok(FleetName(good.into())));
        }
        let long = "a".repeat(41);
        for bad in ["", "all", "Kitchen", "a/b", "-a", "a b", "*", "a*", "küche", long.as_str()] {
            assert!(bad.parse::<FleetName>().is_err(), "{bad}");
        }
        assert_eq!("none".parse(), Ok(MaybeFleetName(None)));
        assert_eq!("auto".parse(), Ok(Router(None)));
        for good in ["tls/192.168.1.20:7447", "tcp/[::1]:7447", "tls/lab.example:7447"] {
            assert_eq!(good.parse(), Ok(Router(Some(good.into()))));
        }
        for bad in ["", "192.168.1.20:7447", "--config=x", "udp/1.2.3.4:5", "tcp/host", "tcp/a:1 --config x"]
        {
            assert!(bad.parse::<Router>().is_err(), "{bad}");
        }
    }
}
