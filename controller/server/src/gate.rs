//! The gate: who asks the server for something, and what he may have done.
//!
//! Somebody who shows a token is who the token says. Without one, whoever asks on this machine, by a name of this machine,
//! has the role of `serve.without_token`; a peer of `compat.trusted_peers` may speak the official wire as an operator, and
//! nobody else gets in. A token that is not known is refused everywhere, so that a mistake shows.
//!
//! Reading order: [`minismith_runtime::tokens`] (the file of tokens), this file (who asks, by which name and from which page), [`routes`]
//! (what needs which role), [`rate`] (how often).
//! Threads: any; nothing here waits but for the file of tokens, when it has changed.

pub mod rate;
pub mod routes;

use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;
use tracing::Span;
use uuid::Uuid;

use minismith_runtime::config::Serve;
use minismith_runtime::role::Role;
use minismith_runtime::tokens::TokenBook;

/// Whoever asks. Two are the same when the same is theirs to have done, whatever they ask for.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Under which name it is written down: that of the token, or where the request came from.
    pub name: Arc<str>,
    /// What it may have done.
    pub role: Role,
    /// Whether where it is alone speaks for it: its address, or that it is near. Motors are never released for such a one.
    pub by_address: bool,
    /// By which request.
    pub request: Asked,
}

impl PartialEq for Caller {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, self.role, self.by_address) == (&other.name, other.role, other.by_address)
    }
}

/// A request, as the journal and spans know it. One by which nothing came is nobody's.
#[derive(Clone, Debug)]
pub struct Asked {
    /// Its id.
    pub id: Option<Uuid>,
    /// The span in which it is answered.
    pub span: Span,
}

impl Default for Asked {
    fn default() -> Self {
        Asked { id: None, span: Span::none() }
    }
}

/// Where a request came from, and what it says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Knock<'a> {
    /// The address at the other end of the connection.
    pub peer: IpAddr,
    /// The name by which it asks, with its port.
    pub host: &'a str,
    /// The page in whose name a browser asks.
    pub origin: Option<&'a str>,
    /// The token that it shows.
    pub token: Option<&'a str>,
    /// Whether it was passed on by another server.
    pub forwarded: bool,
    /// The path.
    pub path: &'a str,
}

/// Somebody who does not get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// It asks by a name that is not this machine's.
    #[error(
        "the Host header names another machine; use an address or this machine's name, or put the name into `serve: {{names: [...]}}` in config.yaml"
    )]
    Host,
    /// It asks for a page of another site.
    #[error(
        "pages of this site may not ask; put it into `serve: {{origins: [...]}}` in config.yaml if they should"
    )]
    Origin,
    /// It shows no token, and needs one.
    #[error(
        "a token is needed: send `Authorization: Bearer TOKEN`; `minismith token add NAME --role ROLE` makes one"
    )]
    NoToken,
    /// It shows a token that is not known.
    #[error("this token is not known; `minismith token list` names those that are")]
    BadToken,
}

/// The gate of one server.
#[derive(Debug)]
pub struct Gate {
    book: TokenBook,
    without_token: Option<Role>,
    trusted: Vec<IpNet>,
    names: Vec<String>,
    origins: Vec<String>,
}

impl Gate {
    /// The gate that the configuration describes; `own` is this machine's name.
    #[must_use]
    pub fn new(serve: &Serve, own: &str) -> Self {
        let own = own.to_ascii_lowercase();
        let mut names: Vec<String> = serve.names.iter().map(|name| name.0.clone()).collect();
        if !own.is_empty() {
            names.extend([format!("{own}.local"), own]);
        }
        Gate {
            book: TokenBook::at(&serve.tokens),
            without_token: serve.without_token,
            trusted: serve.trusted_peers.iter().map(|peers| peers.0).collect(),
            names,
            origins: serve.origins.iter().map(|origin| origin.0.clone()).collect(),
        }
    }

    /// Whether this page may ask a server that is asked by this name.
    #[must_use]
    pub fn is_welcome(&self, origin: &str, host: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let site = origin.split_once("://").map(|(_, site)| site);
        self.origins.contains(&origin)
            || site.is_some_and(|site| site == host.to_ascii_lowercase() || is_local(name_of(site)))
    }

    /// Who asks.
    ///
    /// # Errors
    /// [`Denied`] says why it does not get in.
    pub fn admit(&self, knock: &Knock<'_>) -> Result<Caller, Denied> {
        let name = name_of(knock.host).to_ascii_lowercase();
        let is_address = name.parse::<IpAddr>().is_ok();
        if !(is_local(&name) || is_address || self.names.contains(&name)) {
            return Err(Denied::Host);
        }
        if knock.origin.is_some_and(|origin| !self.is_welcome(origin, knock.host)) {
            return Err(Denied::Origin);
        }
        let peer = knock.peer.to_canonical();
        let here = peer.is_loopback() && is_local(&name) && !knock.forwarded;
        if let Some(token) = knock.token {
            return match self.book.find(token) {
                Some((name, role)) => Ok(Caller { name, role, by_address: false, request: Asked::default() }),
                // Clients that must send some token may do so where nobody has one.
                None if here && self.without_token.is_some() && self.book.is_empty() => self.here(),
                None => Err(Denied::BadToken),
            };
        }
        if here && self.without_token.is_some() {
            return self.here();
        }
        let trusted = !knock.forwarded && self.trusted.iter().any(|net| net.contains(&peer));
        if trusted && routes::is_official(knock.path) {
            return Ok(Caller {
                name: format!("trusted peer {peer}").into(),
                role: Role::Operator,
                by_address: true,
                request: Asked::default(),
            });
        }
        // The page itself is nobody's secret; whoever gets it has still to say who he is.
        if routes::is_page(knock.path) {
            return Ok(Caller {
                name: format!("somebody at {peer}").into(),
                role: Role::Viewer,
                by_address: true,
                request: Asked::default(),
            });
        }
        Err(Denied::NoToken)
    }

    fn here(&self) -> Result<Caller, Denied> {
        let role = self.without_token.ok_or(Denied::NoToken)?;
        Ok(Caller { name: "this machine".into(), role, by_address: false, request: Asked::default() })
    }
}

/// The name in a `Host` header, without its port.
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

    fn gate(change: impl FnOnce(&mut Serve)) -> (tempfile::TempDir, Gate) {
        let folder = tempfile::tempdir().unwrap();
        let mut serve = Config::built_in().unwrap().serve;
        serve.tokens = folder.path().join("tokens.json");
        change(&mut serve);
        let gate = Gate::new(&serve, "Robot7");
        (folder, gate)
    }

    fn knock<'a>(peer: &str, host: &'a str) -> Knock<'a> {
        let peer = peer.parse().unwrap();
        Knock { peer, host, origin: None, token: None, forwarded: false, path: "/api/v1/state" }
    }

    #[test]
    fn only_names_of_this_machine_are_heard() {
        let (_folder, gate) = gate(|serve| serve.names = vec!["robot.example.org".parse().unwrap()]);
        for host in ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "127.3.2.1", "[::1]:8000", "[::1]"] {
            assert_eq!(gate.admit(&knock("127.0.0.1", host)).unwrap().role, Role::Owner, "{host}");
        }
        for host in ["robot7", "robot7.local:8000", "robot.example.org", "192.168.1.5:8000"] {
            // The name is right, and then a token is needed: it is not asked for as this machine.
            assert_eq!(gate.admit(&knock("127.0.0.1", host)), Err(Denied::NoToken), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "robot7.evil.example"]
        {
            assert_eq!(gate.admit(&knock("127.0.0.1", host)), Err(Denied::Host), "{host}");
        }
    }

    #[test]
    fn pages_of_other_sites_are_refused() {
        let (_folder, gate) = gate(|serve| serve.origins = vec!["https://desk.example".parse().unwrap()]);
        let from = |origin| gate.admit(&Knock { origin: Some(origin), ..knock("::1", "[::1]:8000") });
        for origin in ["http://localhost:5173", "http://[::1]:8000", "https://desk.example"] {
            assert!(from(origin).is_ok(), "{origin}");
        }
        for origin in ["https://evil.example", "null", "", "http://desk.example", "https://desk.example.evil"]
        {
            assert_eq!(from(origin), Err(Denied::Origin), "{origin}");
        }
    }

    #[test]
    fn the_page_is_given_to_everybody_who_asks_by_a_name_of_this_machine() {
        let (_folder, gate) = gate(|_| {});
        let page = Knock { path: "/", ..knock("203.0.113.9", "robot7.local:8000") };
        assert_eq!(gate.admit(&page).unwrap().role, Role::Viewer);
        assert_eq!(
            gate.admit(&Knock { path: "/assets/../api/v1/state", ..page }).unwrap().role,
            Role::Viewer
        );
        assert_eq!(gate.admit(&Knock { path: "/api/v1/state", ..page }), Err(Denied::NoToken));
        assert_eq!(gate.admit(&Knock { token: Some("minismith_x"), ..page }), Err(Denied::BadToken));
        assert_eq!(gate.admit(&Knock { host: "evil.example", ..page }), Err(Denied::Host));
    }

    #[test]
    fn tokens_addresses_and_this_machine_each_give_their_role() {
        let (folder, gate) = gate(|serve| serve.trusted_peers = vec!["192.168.1.0/28".parse().unwrap()]);
        let path = folder.path().join("tokens.json");
        // As long as there is no token, some client's made-up one is no mistake on this machine.
        let made_up = Knock { token: Some("sk-none"), ..knock("127.0.0.1", "localhost") };
        assert_eq!(gate.admit(&made_up).unwrap().role, Role::Owner);
        let secret = tokens::add(&path, "desk", Role::Engineer).unwrap();
        assert_eq!(gate.admit(&made_up), Err(Denied::BadToken));
        let far = knock("203.0.113.9", "robot7.local:8000");
        let with = Knock { token: Some(&secret), ..far };
        let caller = Caller {
            name: "desk".into(),
            role: Role::Engineer,
            by_address: false,
            request: Asked::default(),
        };
        assert_eq!(gate.admit(&with), Ok(caller));
        assert_eq!(gate.admit(&far), Err(Denied::NoToken));
        assert_eq!(gate.admit(&Knock { token: Some("minismith_x"), ..far }), Err(Denied::BadToken));

        let near = knock("192.168.1.5", "robot7.local:8000");
        assert_eq!(gate.admit(&near), Err(Denied::NoToken));
        let official = Knock { path: "/api/state/full", ..near };
        let caller = gate.admit(&official).unwrap();
        assert_eq!((caller.role, caller.by_address), (Role::Operator, true));
        let mapped = Knock { peer: "::ffff:192.168.1.5".parse().unwrap(), ..official };
        assert!(gate.admit(&mapped).is_ok());
        assert_eq!(gate.admit(&Knock { forwarded: true, ..official }), Err(Denied::NoToken));
        let passed_on = Knock { forwarded: true, ..knock("127.0.0.1", "localhost") };
        assert_eq!(gate.admit(&passed_on), Err(Denied::NoToken));

        tokens::remove(&path, "desk").unwrap();
        assert_eq!(gate.admit(&with), Err(Denied::BadToken));
    }
}
