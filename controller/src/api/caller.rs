//! Who asks. The gate finds it out before a handler is called, and puts it beside the request.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;

use super::given::Refused;
use crate::role::Role;

/// Whoever asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Caller {
    /// Under which name it is written down: that of the token, or where the request came from.
    pub name: Arc<str>,
    /// What it may have done.
    pub role: Role,
}

impl Caller {
    /// Refuses whoever has a lesser role.
    pub(super) fn must_be(&self, least: Role) -> Result<(), Refused> {
        if self.role >= least {
            return Ok(());
        }
        let why = format!("this needs the role {least}; {} has the role {}", self.name, self.role);
        Err(Refused::because(StatusCode::FORBIDDEN, &why))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refused> {
        // Whoever did not come by the gate does not get further.
        let missing = || Refused::because(StatusCode::UNAUTHORIZED, "nobody knows who asks");
        parts.extensions.get::<Caller>().cloned().ok_or_else(missing)
    }
}
