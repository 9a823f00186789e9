//! The connection to Zenoh ([`Link`]): which endpoints, with which certificates, and what is switched off.
//!
//! Nothing is found by multicast and nothing is connected to that was not named. Without an identity, only endpoints on this
//! computer are permitted.

use std::net::IpAddr;

use serde_json::{Value, json};
use zenoh::Session;

use crate::identity::Identity;

/// The router that is used if none is named and there is no identity.
pub const LOCAL_ROUTER: &str = "tcp/127.0.0.1:7447";

/// How long a silent connection stays open, milliseconds. Presence ends with it.
const LEASE_MS: u64 = 2000;

/// The largest message that is received, bytes: a bundle of tools.
const MAX_MESSAGE_BYTES: usize = 17 << 20;

/// The most connections of a router or listener.
const MAX_SESSIONS: usize = 2000;

/// Reports a connection that is not possible.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The endpoint is on another computer, and there are no certificates.
    #[error(
        "{0} is on the network, and this computer has no identity in the fleet, so anyone could move the robot; `minismith fleet \
         enrol --code CODE` gets one, or use an endpoint on this computer such as {LOCAL_ROUTER}"
    )]
    NoIdentity(String),
    /// The endpoint is without TLS, although there are certificates.
    #[error("{0} has no TLS, which a fleet with identities requires; use tls/HOST:PORT")]
    NoTls(String),
    /// Not an endpoint.
    #[error("invalid endpoint {0:?}; use tcp/127.0.0.1:PORT on this computer, or tls/HOST:PORT")]
    Endpoint(String),
    /// Zenoh rejects the configuration, or nobody listens there.
    #[error(
        "cannot connect to {endpoint}: {cause}; start the router with `minismith fleet router`, or name another with --router"
    )]
    Zenoh {
        /// Where to.
        endpoint: String,
        /// Zenoh's own words.
        cause: String,
    },
}

/// Returns the words of an error of Zenoh without the places in Zenoh's sources, which help no user.
pub fn in_words(error: &zenoh::Error) -> String {
    let text = error.to_string();
    let is_place = |word: &str| {
        let place = word.trim_end_matches('.').rsplit_once(':');
        place.is_some_and(|(file, line)| file.ends_with(".rs") && line.parse::<u32>().is_ok())
    };
    let mut words: Vec<&str> = Vec::new();
    for word in text.split(' ') {
        if is_place(word) && words.last() == Some(&"at") {
            words.pop();
        } else {
            words.push(word);
        }
    }
    words.join(" ").trim_end_matches('.').to_owned()
}

/// How a program waits for its router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// It fails if the router cannot be reached.
    Once,
    /// It connects when the router is there.
    Retry,
}

/// Where to connect and listen.
#[derive(Clone, Debug)]
pub struct Link {
    /// The routers or peers to connect to.
    pub connect: Vec<String>,
    /// Where to listen as a peer or router.
    pub listen: Vec<String>,
    /// The certificates, if the computer is enrolled.
    pub identity: Option<Identity>,
}

impl Link {
    /// Returns the link for these options. Without any, it is the router of the identity, or the one on this computer.
    ///
    /// # Errors
    /// [`SessionError`] if an endpoint is not permitted.
    pub fn new(
        router: Option<&str>,
        listen: &[String],
        identity: Option<Identity>,
    ) -> Result<Self, SessionError> {
        let named = router.map(str::to_owned);
        let usual = || identity.as_ref().map_or_else(|| LOCAL_ROUTER.to_owned(), |it| it.router.clone());
        let connect = match named {
            Some(router) => vec![router],
            None if listen.is_empty() => vec![usual()],
            None => Vec::new(),
        };
        for endpoint in connect.iter().chain(listen) {
            check(endpoint, identity.is_some())?;
        }
        Ok(Link { connect, listen: listen.to_vec(), identity })
    }

    /// Returns the first endpoint, for messages.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        self.connect.first().or(self.listen.first()).map_or("nowhere", String::as_str)
    }

    /// Opens the session.
    ///
    /// # Errors
    /// [`SessionError::Zenoh`].
    pub async fn open(&self, patience: Patience) -> Result<Session, SessionError> {
        let mode = if self.listen.is_empty() { "client" } else { "peer" };
        self.open_as(mode, patience, None).await
    }

    /// Opens a router with this access control.
    ///
    /// # Errors
    /// [`SessionError::Zenoh`].
    pub async fn open_router(&self, access_control: Option<Value>) -> Result<Session, SessionError> {
        self.open_as("router", Patience::Retry, access_control).await
    }

    async fn open_as(
        &self,
        mode: &str,
        patience: Patience,
        access_control: Option<Value>,
    ) -> Result<Session, SessionError> {
        let failed = |cause: String| SessionError::Zenoh { endpoint: self.endpoint().to_owned(), cause };
        let config = self.config(mode, patience, access_control).to_string();
        let config = zenoh::Config::from_json5(&config).map_err(|error| failed(in_words(&error)))?;
        zenoh::open(config).await.map_err(|error| failed(in_words(&error)))
    }

    /// Returns Zenoh's configuration.
    fn config(&self, mode: &str, patience: Patience, access_control: Option<Value>) -> Value {
        let retries = patience == Patience::Retry;
        let mut config = json!({
            "mode": mode,
            "connect": {
                "endpoints": self.connect,
                "timeout_ms": if retries { -1 } else { 3000 },
                "exit_on_failure": !retries,
                "retry": { "period_init_ms": 200, "period_max_ms": 1000, "period_increase_factor": 2 },
            },
            "listen": { "endpoints": self.listen },
            "scouting": { "multicast": { "enabled": false }, "gossip": { "enabled": false } },
            "transport": {
                "unicast": { "max_sessions": MAX_SESSIONS },
                "link": {
                    "protocols": ["tcp", "tls"],
                    "tx": { "lease": LEASE_MS, "keep_alive": 4 },
                    "rx": { "max_message_size": MAX_MESSAGE_BYTES },
                },
            },
        });
        let link = config.pointer_mut("/transport/link").and_then(Value::as_object_mut);
        if let (Some(identity), Some(link)) = (&self.identity, link) {
            link.insert("tls".into(), identity.tls());
            link.insert("protocols".into(), json!(["tls"]));
        }
        if let (Some(access_control), Some(config)) = (access_control, config.as_object_mut()) {
            config.insert("access_control".into(), access_control);
        }
        config
    }

    /// Returns the configuration of a router as text, for `zenohd`.
    #[must_use]
    pub fn router_config(&self, access_control: Option<Value>) -> String {
        let config = self.config("router", Patience::Retry, access_control);
        serde_json::to_string_pretty(&config).unwrap_or_default() + "\n"
    }
}

/// Checks that an endpoint is permitted.
fn check(endpoint: &str, has_identity: bool) -> Result<(), SessionError> {
    let (protocol, address) =
        endpoint.split_once('/').ok_or_else(|| SessionError::Endpoint(endpoint.to_owned()))?;
    let (host, port) = address.rsplit_once(':').ok_or_else(|| SessionError::Endpoint(endpoint.to_owned()))?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte);
    let well = port.parse::<u16>().is_ok() && !host.is_empty() && host.bytes().all(is_plain);
    match protocol {
        _ if !well => Err(SessionError::Endpoint(endpoint.to_owned())),
        "tls" if has_identity => Ok(()),
        "tcp" if has_identity => Err(SessionError::NoTls(endpoint.to_owned())),
        "tcp" if is_local(host) => Ok(()),
        "tcp" | "tls" => Err(SessionError::NoIdentity(endpoint.to_owned())),
        _ => Err(SessionError::Endpoint(endpoint.to_owned())),
    }
}

/// Returns whether a host is this computer. Names are not resolved: a name may mean another computer later.
fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_an_identity_only_this_computer_is_reached() {
        for endpoint in ["tcp/127.0.0.1:7447", "tcp/localhost:1", "tcp/[::1]:7447"] {
            assert!(Link::new(Some(endpoint), &[], None).is_ok(), "{endpoint}");
        }
        for endpoint in [
            "tcp/0.0.0.0:7447",
            "tcp/192.168.1.2:7447",
            "tcp/[::]:7447",
            "tls/127.0.0.1:7447",
            "tcp/robot.local:1",
        ] {
            let refused = Link::new(None, &[endpoint.to_owned()], None).unwrap_err();
            assert!(matches!(refused, SessionError::NoIdentity(_)), "{endpoint}: {refused}");
        }
        for endpoint in [
            "",
            "tcp",
            "tcp/",
            "tcp/localhost",
            "udp/127.0.0.1:1",
            "quic/127.0.0.1:1",
            "tcp/127.0.0.1:1#iface=eth0",
            "tcp/127.0.0.1:99999",
        ] {
            assert!(Link::new(Some(endpoint), &[], None).is_err(), "{endpoint}");
        }
    }

    #[test]
    fn nothing_is_found_by_itself() {
        let link = Link::new(None, &[], None).unwrap();
        let config = link.config("client", Patience::Once, None);
        assert_eq!(config["scouting"]["multicast"]["enabled"], false);
        assert_eq!(config["scouting"]["gossip"]["enabled"], false);
        assert_eq!(config["connect"]["endpoints"], json!([LOCAL_ROUTER]));
        assert_eq!(config["listen"]["endpoints"], json!([]));
        zenoh::Config::from_json5(&config.to_string()).unwrap();
        let listening = Link::new(None, &["tcp/127.0.0.1:0".into()], None).unwrap();
        assert!(listening.connect.is_empty());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn errors_name_no_places_in_sources() {
        let link = Link::new(Some("tcp/127.0.0.1:1"), &[], None).unwrap();
        let error = link.open(Patience::Once).await.unwrap_err().to_string();
        assert!(error.contains("tcp/127.0.0.1:1") && !error.contains(".rs"), "{error}");
    }
}
