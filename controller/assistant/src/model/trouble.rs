//! Defines [`Trouble`], the errors of one request to one endpoint, and which of them a retry could solve.

use std::time::Duration;

use super::answer::NoAnswer;

/// The reason why a request brought no reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
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
    /// The reply took too long.
    Slow(Duration),
    /// The request is too long.
    TooLong { tokens: u64, limit: u64 },
    /// A person said stop.
    GivenUp,
}

impl Trouble {
    /// Returns whether the same request may be retried: no part of an answer has come, and the endpoint may
    /// recover.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(self, Trouble::Unreachable(_) | Trouble::Busy { .. } | Trouble::Ended(_))
    }

    /// Returns whether no other endpoint needs to be asked.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self, Trouble::GivenUp | Trouble::TooLong { .. })
    }

    /// Returns whether the endpoint has failed, in contrast to a useless answer of its model.
    pub(super) const fn is_illness(&self) -> bool {
        !matches!(self, Trouble::Unfit(_)) && !self.is_final()
    }

    /// Converts the error to the one for a person.
    pub(super) fn of(self, endpoint: &str) -> NoAnswer {
        let endpoint = endpoint.to_owned();
        match self {
            Trouble::Unreachable(reason) => NoAnswer::Unreachable { endpoint, reason },
            Trouble::Busy { status, reason, .. } | Trouble::Refused { status, reason } => {
                NoAnswer::Refused { endpoint, status, reason }
            }
            Trouble::Ended(reason) | Trouble::Garbled(reason) | Trouble::Unfit(reason) => {
                NoAnswer::Unusable { endpoint, reason }
            }
            Trouble::Slow(limit) => NoAnswer::Slow { endpoint, limit },
            Trouble::TooLong { tokens, limit } => NoAnswer::TooLong { tokens, limit },
            Trouble::GivenUp => NoAnswer::GivenUp,
        }
    }
}
