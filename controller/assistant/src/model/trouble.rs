//! What can go wrong with one question to one endpoint, and whether another try could help.

use std::time::Duration;

use super::answer::NoAnswer;

/// Why one question brought no reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    /// Nobody is there.
    Unreachable(String),
    /// It is busy or ill: 408, 429, 5xx.
    Busy { status: u16, reason: String, after: Option<Duration> },
    /// It does not want this.
    Refused { status: u16, reason: String },
    /// It ended before it began to answer.
    Ended(String),
    /// What came is no reply, or broke off in the middle.
    Garbled(String),
    /// The reply is one, but not what was asked for.
    Unfit(String),
    /// It took too long.
    Slow(Duration),
    /// The question is too long.
    TooLong { tokens: u64, limit: u64 },
    /// Somebody said stop.
    GivenUp,
}

impl Trouble {
    /// Whether the same question may be asked again: nothing of an answer has come, and the endpoint may recover.
    pub(super) const fn may_pass(&self) -> bool {
        matches!(self, Trouble::Unreachable(_) | Trouble::Busy { .. } | Trouble::Ended(_))
    }

    /// Whether nobody else need be asked.
    pub(super) const fn is_final(&self) -> bool {
        matches!(self, Trouble::GivenUp | Trouble::TooLong { .. })
    }

    /// Whether it is the endpoint that is ill, and not the model that talks nonsense.
    pub(super) const fn is_illness(&self) -> bool {
        !matches!(self, Trouble::Unfit(_)) && !self.is_final()
    }

    /// The same, for a person.
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
