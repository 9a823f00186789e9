//! The caller of a request, which the gate attaches before a handler runs.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, StatusCode};
use axum::response::Response;

use super::given::Refused;
use super::refuse;
pub(super) use crate::gate::{Asked, Caller};
use minismith_runtime::journal::{Entry, Journal};
use minismith_runtime::net::server::Peer;
use minismith_runtime::role::Role;

impl Caller {
    /// Returns an error unless the caller has at least this role.
    pub(super) fn must_be(&self, least: Role) -> Result<(), Refused> {
        self.may("this request", least).map_err(|why| Refused::because(StatusCode::FORBIDDEN, &why))
    }

    /// Returns an error message unless the caller has at least this role.
    pub(super) fn may(&self, what: &str, least: Role) -> Result<(), String> {
        if self.role >= least {
            return Ok(());
        }
        Err(format!("{what} needs the role {least}; {} has the role {}", self.name, self.role))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        // A request that bypassed the gate is rejected.
        let missing =
            || refuse(StatusCode::UNAUTHORIZED, "unknown caller: the request did not pass the gate");
        parts.extensions.get::<Caller>().cloned().ok_or_else(missing)
    }
}

/// The sender of WebSocket messages, and the journal for them.
pub(super) struct Speaker {
    pub(super) caller: Caller,
    peer: IpAddr,
    journal: Journal,
}

impl Speaker {
    /// Returns the sender that the gate attached to a request.
    pub(super) fn beside(request: &Extensions) -> Option<Self> {
        let caller = request.get::<Caller>()?.clone();
        let journal = request.get::<Journal>()?.clone();
        let Peer(peer) = request.get::<Peer>().copied()?;
        Some(Speaker { caller, peer: peer.ip(), journal })
    }

    /// Returns the sender for speech at the microphone of this machine.
    pub(super) fn aloud(role: Role, journal: Journal) -> Self {
        let name = "whoever speaks here".into();
        let caller = Caller { name, role, by_address: true, request: Asked::default() };
        Speaker { caller, peer: Ipv4Addr::LOCALHOST.into(), journal }
    }

    /// Adds a message and its outcome to the journal.
    pub(super) fn note(&self, what: &str, outcome: &str) {
        let Caller { name, role, request, .. } = &self.caller;
        let entry = Entry::now("message", name, what, outcome).by(role.name(), &self.peer.to_string());
        self.journal.note(Entry { id: request.id.map(|id| id.to_string()), ..entry });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Speaker {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let lost = || refuse(StatusCode::UNAUTHORIZED, "unknown caller: the request did not pass the gate");
        Speaker::beside(&parts.extensions).ok_or_else(lost)
    }
}
