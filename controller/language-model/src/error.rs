//! Defines [`EndpointError`], the errors of one request to one endpoint, and which of them a retry could solve.

use std::time::Duration;

use super::answer::ModelCallError;

/// The reason why a request brought no reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum EndpointError {
    /// The connection failed.
    Unreachable(String),
    /// The endpoint is busy or has failed: 408, 429, 5xx.
    Busy { status: u16, reason: String, after: Option<Duration> },
    /// The endpoint rejects the request.
    Refused { status: u16, reason: String },
    /// The endpoint closed the connection before it began to answer.
    Ended(String),
    /// The data is not a reply, or ended in the middle.
    Garbled(String),
    /// The reply is valid, but not what was requested.
    Unfit(String),
    /// The local model does not run, or has ended. `may_pass` says whether it may with the next try.
    Local { reason: String, may_pass: bool },
    /// The reply took too long.
    Slow(Duration),
    /// The request is too long.
    TooLong { tokens: u64, limit: u64 },
    /// A person said stop.
    GivenUp,
}

impl EndpointError {
    /// Returns whether the same request may be retried: no part of an answer has come, and the endpoint may
    /// recover.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(
            self,
            EndpointError::Unreachable(_)
                | EndpointError::Busy { .. }
                | EndpointError::Ended(_)
                | EndpointError::Local { may_pass: true, .. }
        )
    }

    /// Returns whether no other endpoint needs to be asked.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self, EndpointError::GivenUp | EndpointError::TooLong { .. })
    }

    /// Returns whether the endpoint has failed, in contrast to a useless answer of its model.
    pub(super) const fn is_illness(&self) -> bool {
        !matches!(self, EndpointError::Unfit(_)) && !self.is_final()
    }

    /// Converts the error to the one for a person.
    pub(super) fn of(self, endpoint: &str) -> ModelCallError {
        let endpoint = endpoint.to_owned();
        match self {
            EndpointError::Unreachable(reason) => ModelCallError::Unreachable { endpoint, reason },
            EndpointError::Busy { status, reason, .. } | EndpointError::Refused { status, reason } => {
                ModelCallError::Refused { endpoint, status, reason }
            }
            EndpointError::Ended(reason) | EndpointError::Garbled(reason) | EndpointError::Unfit(reason) => {
                ModelCallError::Unusable { endpoint, reason }
            }
            EndpointError::Local { reason, .. } => ModelCallError::Local { reason },
            EndpointError::Slow(limit) => ModelCallError::Slow { endpoint, limit },
            EndpointError::TooLong { tokens, limit } => ModelCallError::TooLong { tokens, limit },
            EndpointError::GivenUp => ModelCallError::GivenUp,
        }
    }
}
