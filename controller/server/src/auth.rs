//! Authentication: the caller of a request, and its role.
//!
//! A request with a token has the token's name and role. Without a token, a request from this machine, by a name of this
//! machine, has the role `server.anonymous_role`. A peer in `compat.trusted_peers` may use the official API as an operator. All
//! other requests are rejected. An unknown token is always rejected, so that a mistake is noticed.
//!
//! Reading order: [`minismith_runtime::tokens`] (the token file), this file (caller, Host header and origin), [`routes`] (minimum roles),
//! [`minismith_runtime::rate_limiter`] (rate limits).
//!
//! Threads: any; nothing here blocks except reading the token file after it has changed.

pub mod routes;

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use ipnet::IpNet;
use tracing::Span;
use uuid::Uuid;

use minismith_runtime::config::Server;
use minismith_runtime::role::Role;
use minismith_runtime::tokens::TokenBook;

/// The caller of a request. Two are equal if they have the same name and rights, whatever they request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The name in the journal: that of the token or of the origin of the request.
    pub name: Arc<str>,
    /// Its role.
    pub role: Role,
    /// Whether only its address identifies it. Such a caller never disables torque.
    pub by_address: bool,
    /// The request.
    pub request: RequestInfo,
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.role, self.by_address) == (&other.name, other.role, other.by_address)
    }
}

/// A request, as in the journal and in spans. The default stands for no request.
#[derive(Clone, Debug)]
pub struct RequestInfo {
    /// The id.
    pub id: Option<Uuid>,
    /// The span that handles it.
    pub span: Span,
}

impl Default for RequestInfo {
    fn default() -> Self {
        RequestInfo { id: None, span: Span::none() }
    }
}

/// The origin and the headers of a request.
#[derive(Clone, Copy, Debug)]
pub struct AccessRequest<'a> {
    /// The peer address of the connection.
    pub peer: IpAddr,
    /// The `Host` header, with its port.
    pub host: &'a str,
    /// The `Origin` header of a browser.
    pub origin: Option<&'a str>,
    /// The token.
    pub token: Option<&'a str>,
    /// Whether a proxy forwarded it.
    pub forwarded: bool,
    /// The peer that a program of ours on this computer sends it for, if it says so.
    pub relayed_for: Option<IpAddr>,
    /// The path.
    pub path: &'a str,
}

impl AccessRequest<'_> {
    /// Returns the peer whose rights the request has: that of the connection, or the one that a program on this computer
    /// names. What came through a proxy may name anyone, and is not asked.
    #[must_use]
    pub fn acting_peer(&self) -> IpAddr {
        let peer = self.peer.to_canonical();
        match self.relayed_for {
            Some(other) if peer.is_loopback() && !self.forwarded => other.to_canonical(),
            _ => peer,
        }
    }
}

/// The reason why a request is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// The Host header is not a name of this machine.
    #[error(
        "wrong Host header: it names another machine; use an address or this machine's name, or put the name into `server: {{allowed_hosts: [...]}}` in config.yaml"
    )]
    Host,
    /// The request is from a page of another site.
    #[error(
        "origin not allowed: the page is from another site; put it into `server: {{allowed_origins: [...]}}` in config.yaml if they should"
    )]
    Origin,
    /// The request needs a token and has none.
    #[error(
        "no token: this request needs one; send `Authorization: Bearer TOKEN`; `minismith token add NAME --role ROLE` makes one"
    )]
    NoToken,
    /// The token is unknown.
    #[error("unknown token: it was removed or never existed; `minismith token list` shows the known ones")]
    BadToken,
}

/// The authentication of one server.
#[derive(Debug)]
pub struct AccessControl {
    book: TokenBook,
    without_token: Option<Role>,
    trusted: Vec<IpNet>,
    names: Vec<String>,
    origins: Vec<String>,
    /// The ports of pages of apps on this computer.
    app_ports: Mutex<BTreeSet<u16>>,
}

impl AccessControl {
    /// Returns the gate for a configuration; `own` is the name of this machine.
    #[must_use]
    pub fn new(server: &Server, own: &str) -> Self {
        let own = own.to_ascii_lowercase();
        let mut names: Vec<String> = server.allowed_hosts.iter().map(|name| name.0.clone()).collect();
        if !own.is_empty() {
            names.extend([format!("{own}.local"), own]);
        }
        AccessControl {
            book: TokenBook::at(&server.token_file),
            without_token: server.anonymous_role,
            trusted: server.trusted_peers.iter().map(|peers| peers.0).collect(),
            names,
            origins: server.allowed_origins.iter().map(|origin| origin.0.clone()).collect(),
            app_ports: Mutex::default(),
        }
    }

    /// Rejects from now on the pages that this computer serves at a port: a page of an app must not have more rights than the app.
    pub fn distrust_pages_at(&self, port: u16) {
        self.app_ports.lock().unwrap_or_else(PoisonError::into_inner).insert(port);
    }

    fn is_page_of_app(&self, site: &str) -> bool {
        let port = site.rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        port.is_some_and(|port| self.app_ports.lock().unwrap_or_else(PoisonError::into_inner).contains(&port))
    }

    /// Returns whether a page may send requests to the server by this host name.
    #[must_use]
    pub fn is_welcome(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let site = origin.split_once("://").map(|(_, site)| site);
        self.origins.contains(&origin)
            || site.is_some_and(|site| {
                site == host.to_ascii_lowercase() || (is_local(name_of(site)) && !self.is_page_of_app(site))
            })
    }

    /// Returns the caller of a request.
    ///
    /// # Errors
    /// [`Denied`] is the reason for rejecting it.
    pub fn accept(&self, knock: &AccessRequest<'_>) -> Result<Caller, Denied> {
        let name = name_of(knock.host).to_ascii_lowercase();
        let is_address = name.parse::<IpAddr>().is_ok();
        if !(is_local(&name) || is_address || self.names.contains(&name)) {
            return Err(Denied::Host);
        }
        if knock.origin.is_some_and(|origin| !self.is_welcome(origin, knock.host)) {
            return Err(Denied::Origin);
        }
        let peer = knock.acting_peer();
        let relayed = peer != knock.peer.to_canonical();
        let here = peer.is_loopback() && is_local(&name) && !knock.forwarded;
        if let Some(token) = knock.token {
            return match self.book.find(token) {
                Some((name, role)) => {
                    Ok(Caller { name, role, by_address: false, request: RequestInfo::default() })
                }
                // Some clients always send a token; it is ignored while there are none.
                None if here && self.without_token.is_some() && self.book.is_empty() => self.here(),
                None => Err(Denied::BadToken),
            };
        }
        if here && self.without_token.is_some() {
            return self.here();
        }
        let by_address = |name: String, role| {
            let name = name.into();
            Caller { name, role, by_address: true, request: RequestInfo::default() }
        };
        // A program on this computer may name any peer, so the name gives no more than this computer has anyway.
        let most = if relayed { self.without_token } else { Some(Role::Owner) };
        let trusted = !knock.forwarded && self.trusted.iter().any(|net| net.contains(&peer));
        if let (true, Some(most)) = (trusted && routes::is_for_trusted(knock.path), most) {
            return Ok(by_address(format!("trusted peer {peer}"), Role::Operator.min(most)));
        }
        // The dashboard itself is public; its requests need authentication.
        if routes::is_page(knock.path) {
            return Ok(by_address(format!("anonymous at {peer}"), Role::Viewer));
        }
        Err(Denied::NoToken)
    }

    fn here(&self) -> Result<Caller, Denied> {
        let role = self.without_token.ok_or(Denied::NoToken)?;
        Ok(Caller { name: "this machine".into(), role, by_address: false, request: RequestInfo::default() })
    }
}

/// Returns the name in a `Host` header without its port.
fn name_of(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn is_local(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use minismith_runtime::tokens;

    use super::*;
    use minismith_runtime::config::Config;

    fn gate(change: impl FnOnce(&mut Server)) -> (tempfile::TempDir, AccessControl) {
        let folder = tempfile::tempdir().unwrap();
        let mut server = Config::built_in().unwrap().server;
        server.token_file = folder.path().join("tokens.json");
        change(&mut server);
        let gate = AccessControl::new(&server, "Robot7");
        (folder, gate)
    }

    fn knock<'a>(peer: &str, host: &'a str) -> AccessRequest<'a> {
        let peer = peer.parse().unwrap();
        AccessRequest {
            peer,
            host,
            origin: None,
            token: None,
            forwarded: false,
            relayed_for: None,
            path: "/api/v1/state",
        }
    }

    #[test]
    fn accepts_only_names_of_this_machine() {
        let (_folder, gate) =
            gate(|server| server.allowed_hosts = vec!["robot.example.org".parse().unwrap()]);
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.3.2.1", "[::1]:8000", "[::1]"] {
            assert_eq!(gate.accept(&knock("127.0.0.1", host)).unwrap().role, Role::Owner, "{host}");
        }
        for host in ["robot7", "robot7.local:8000", "robot.example.org", "192.168.1.5:8000"] {
            // The name is right, but it is not a local one: a token is needed.
            assert_eq!(gate.accept(&knock("127.0.0.1", host)), Err(Denied::NoToken), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "robot7.evil.example"]
        {
            assert_eq!(gate.accept(&knock("127.0.0.1", host)), Err(Denied::Host), "{host}");
        }
    }

    #[test]
    fn rejects_pages_of_other_sites() {
        let (_folder, gate) =
            gate(|server| server.allowed_origins = vec!["https://desk.example".parse().unwrap()]);
        let from =
            |origin| gate.accept(&AccessRequest { origin: Some(origin), ..knock("::1", "[::1]:8000") });
        for origin in ["http://localhost:5173", "http://[::1]:8000", "https://desk.example"] {
            assert!(from(origin).is_ok(), "{origin}");
        }
        for origin in ["https://evil.example", "null", "", "http://desk.example", "https://desk.example.evil"]
        {
            assert_eq!(from(origin), Err(Denied::Origin), "{origin}");
        }
    }

    #[test]
    fn pages_of_apps_are_rejected_on_every_local_name() {
        let (_folder, gate) =
            gate(|server| server.allowed_origins = vec!["http://localhost:9000".parse().unwrap()]);
        [8042, 9000].into_iter().for_each(|port| gate.distrust_pages_at(port));
        let from = |origin, host| {
            gate.accept(&AccessRequest { origin: Some(origin), ..knock("127.0.0.1", host) }).is_ok()
        };
        for origin in ["http://localhost:8042", "http://127.0.0.1:8042", "http://[::1]:8042"] {
            assert!(!from(origin, "localhost:8000"), "{origin}");
        }
        // With its own app it talks, other local pages stay as they were, and a person may allow one.
        assert!(from("http://localhost:8042", "localhost:8042"));
        assert!(
            from("http://localhost:5173", "localhost:8000")
                && from("http://localhost:9000", "localhost:8000")
        );
    }

    #[test]
    fn serves_the_page_to_every_client() {
        let (_folder, gate) = gate(|_| {});
        let page = AccessRequest { path: "/", ..knock("203.0.113.9", "robot7.local:8000") };
        assert_eq!(gate.accept(&page).unwrap().role, Role::Viewer);
        assert_eq!(
            gate.accept(&AccessRequest { path: "/assets/../api/v1/state", ..page }).unwrap().role,
            Role::Viewer
        );
        assert_eq!(gate.accept(&AccessRequest { path: "/api/v1/state", ..page }), Err(Denied::NoToken));
        assert_eq!(gate.accept(&AccessRequest { token: Some("minismith_x"), ..page }), Err(Denied::BadToken));
        assert_eq!(gate.accept(&AccessRequest { host: "evil.example", ..page }), Err(Denied::Host));
    }

    #[test]
    fn tokens_and_addresses_determine_the_role() {
        let (folder, gate) = gate(|server| server.trusted_peers = vec!["192.168.1.0/28".parse().unwrap()]);
        let path = folder.path().join("tokens.json");
        // While there are no tokens, a made-up one from this machine is ignored.
        let made_up = AccessRequest { token: Some("sk-none"), ..knock("127.0.0.1", "localhost") };
        assert_eq!(gate.accept(&made_up).unwrap().role, Role::Owner);
        let secret = tokens::add(&path, "desk", Role::Engineer).unwrap();
        assert_eq!(gate.accept(&made_up), Err(Denied::BadToken));
        let far = knock("203.0.113.9", "robot7.local:8000");
        let with = AccessRequest { token: Some(&secret), ..far };
        let caller = Caller {
            name: "desk".into(),
            role: Role::Engineer,
            by_address: false,
            request: RequestInfo::default(),
        };
        assert_eq!(gate.accept(&with), Ok(caller));
        assert_eq!(gate.accept(&far), Err(Denied::NoToken));
        assert_eq!(gate.accept(&AccessRequest { token: Some("minismith_x"), ..far }), Err(Denied::BadToken));

        let near = knock("192.168.1.5", "robot7.local:8000");
        assert_eq!(gate.accept(&near), Err(Denied::NoToken));
        let official = AccessRequest { path: "/api/state/full", ..near };
        let caller = gate.accept(&official).unwrap();
        assert_eq!((caller.role, caller.by_address), (Role::Operator, true));
        let sound = AccessRequest { path: "/api/v1/microphone", ..near };
        assert_eq!(gate.accept(&sound).unwrap().role, Role::Operator);
        let mapped = AccessRequest { peer: "::ffff:192.168.1.5".parse().unwrap(), ..official };
        assert!(gate.accept(&mapped).is_ok());
        assert_eq!(gate.accept(&AccessRequest { forwarded: true, ..official }), Err(Denied::NoToken));
        let passed_on = AccessRequest { forwarded: true, ..knock("127.0.0.1", "localhost") };
        assert_eq!(gate.accept(&passed_on), Err(Denied::NoToken));

        tokens::remove(&path, "desk").unwrap();
        assert_eq!(gate.accept(&with), Err(Denied::BadToken));
    }

    #[test]
    fn a_relayed_request_has_the_rights_of_its_peer() {
        let (folder, gate) = gate(|server| server.trusted_peers = vec!["192.168.1.0/28".parse().unwrap()]);
        let relayed = |peer: &str| AccessRequest {
            relayed_for: Some(peer.parse().unwrap()),
            ..knock("127.0.0.1", "localhost:8443")
        };
        assert_eq!(gate.accept(&relayed("127.0.0.1")).unwrap().role, Role::Owner);
        assert_eq!(gate.accept(&relayed("203.0.113.9")), Err(Denied::NoToken));
        let made_up = AccessRequest { token: Some("sk-none"), ..relayed("203.0.113.9") };
        assert_eq!(gate.accept(&made_up), Err(Denied::BadToken));
        let official = AccessRequest { path: "/ws/sdk", ..relayed("192.168.1.5") };
        assert_eq!(gate.accept(&official).unwrap().role, Role::Operator);
        assert_eq!(gate.accept(&relayed("192.168.1.5")), Err(Denied::NoToken));
        // A client elsewhere, or behind a proxy, cannot name another peer.
        let far = AccessRequest { peer: "203.0.113.9".parse().unwrap(), ..official };
        assert_eq!(gate.accept(&far), Err(Denied::NoToken));
        let near = AccessRequest { peer: "203.0.113.9".parse().unwrap(), ..relayed("127.0.0.1") };
        assert_eq!(gate.accept(&near), Err(Denied::NoToken));
        assert_eq!(gate.accept(&AccessRequest { forwarded: true, ..official }), Err(Denied::NoToken));
        let secret = tokens::add(&folder.path().join("tokens.json"), "desk", Role::Viewer).unwrap();
        let with = AccessRequest { token: Some(&secret), ..relayed("203.0.113.9") };
        assert_eq!(gate.accept(&with).unwrap().role, Role::Viewer);
    }

    #[test]
    fn naming_a_trusted_peer_gives_no_more_than_this_computer_has() {
        for (least, expected) in [
            (None, Err(Denied::NoToken)),
            (Some(Role::Viewer), Ok(Role::Viewer)),
            (Some(Role::Owner), Ok(Role::Operator)),
        ] {
            let (_folder, gate) = gate(|server| {
                server.trusted_peers = vec!["192.168.1.5/32".parse().unwrap()];
                server.anonymous_role = least;
            });
            let official = AccessRequest {
                relayed_for: Some("192.168.1.5".parse().unwrap()),
                path: "/api/move/goto",
                ..knock("127.0.0.1", "localhost")
            };
            assert_eq!(gate.accept(&official).map(|caller| caller.role), expected);
        }
    }
}
