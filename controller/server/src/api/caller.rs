//! The caller of a request, which the gate attaches before a handler runs.

use std::net::{IpAddr, Ipv4Addr};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, StatusCode};
use axum::response::Response;

use super::auth::AppConnection;
use super::extract::ApiError;
use super::refuse;
pub(super) use crate::auth::{Caller, RequestInfo};
use minismith_runtime::journal::{Entry, Journal};
use minismith_runtime::net::server::Peer;
use minismith_runtime::role::Role;

impl Caller {
    /// Returns an error unless the caller has at least this role.
    pub(super) fn require_role(&self, least: Role) -> Result<(), ApiError> {
        self.may("this request", least).map_err(|why| ApiError::new(StatusCode::FORBIDDEN, &why))
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
pub(super) struct MessageAuthor {
    pub(super) caller: Caller,
    peer: IpAddr,
    media: MediaAccess,
    journal: Journal,
}

/// How a client can use the camera and the sound devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MediaAccess {
    /// They are on its own computer.
    Local,
    /// Over the network: it runs on another computer.
    Remote,
    /// Not at all: it is an app without the grant.
    None,
}

impl MediaAccess {
    fn of(request: &Extensions) -> Self {
        let is_here = request.get::<Peer>().is_some_and(|Peer(peer)| peer.ip().is_loopback());
        match request.get::<AppConnection>() {
            Some(app) if !app.has_media => MediaAccess::None,
            None if !is_here => MediaAccess::Remote,
            _ => MediaAccess::Local,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for MediaAccess {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(MediaAccess::of(&parts.extensions))
    }
}

impl MessageAuthor {
    /// Returns the sender that the gate attached to a request.
    pub(super) fn beside(request: &Extensions) -> Option<Self> {
        let caller = request.get::<Caller>()?.clone();
        let journal = request.get::<Journal>()?.clone();
        let Peer(peer) = request.get::<Peer>().copied()?;
        Some(MessageAuthor { caller, peer: peer.ip(), media: MediaAccess::of(request), journal })
    }

    /// Returns the sender for speech at the microphone of this machine.
    pub(super) fn from_microphone(role: Role, journal: Journal) -> Self {
        let name = "whoever speaks here".into();
        let caller = Caller { name, role, by_address: true, request: RequestInfo::default() };
        MessageAuthor { caller, peer: Ipv4Addr::LOCALHOST.into(), media: MediaAccess::Local, journal }
    }

    /// Returns how the sender can use the camera and the sound devices.
    pub(super) const fn media(&self) -> MediaAccess {
        self.media
    }

    /// Adds a message and its outcome to the journal.
    pub(super) fn note(&self, what: &str, outcome: &str) {
        let Caller { name, role, request, .. } = &self.caller;
        let entry = Entry::now("message", name, what, outcome).by(role.name(), &self.peer.to_string());
        self.journal.note(Entry { id: request.id.map(|id| id.to_string()), ..entry });
    }
}

impl<S: Send + Sync> FromRequestParts<S> for MessageAuthor {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let lost = || refuse(StatusCode::UNAUTHORIZED, "unknown caller: the request did not pass the gate");
        MessageAuthor::beside(&parts.extensions).ok_or_else(lost)
    }
}
