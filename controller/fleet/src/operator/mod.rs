//! The operator's side ([`Operator`]): who is there, and commands to one, some or all.
//!
//! Reading order: this file, [`roster`] (who is there, and their clocks), [`request`] (what is asked for), [`send`] (commands),
//! [`watch`], [`mod@print`], [`operate`] (for another program), [`metrics`].

pub mod metrics;
pub mod operate;
pub mod print;
pub mod request;
pub mod roster;
pub mod send;
pub mod watch;

use std::time::Duration;

use zenoh::Session;

use crate::identity::Identity;
use crate::keys::{Keys, Name};
use crate::net;
use crate::session::{Link, Patience, SessionError};

/// How long after a question that reached nobody it is asked again.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// A question that ends earlier without an answer reached nobody, milliseconds.
const AT_ONCE_MS: f64 = 500.0;

/// Returns whether to ask again what was asked then and got no answer, and waits until then. A router does not always know the
/// way yet when a session is new. A robot that hangs is not asked again.
async fn asks_again(sent_ms: f64) -> bool {
    let is_at_once = net::now_ms() - sent_ms <= AT_ONCE_MS;
    if is_at_once {
        tokio::time::sleep(RETRY_DELAY).await;
    }
    is_at_once
}

/// A session of an operator.
#[derive(Debug)]
pub struct Operator {
    /// The session.
    pub session: Session,
    /// The fleet.
    pub fleet: Name,
    /// The name that commands are sent under.
    pub caller: Name,
    /// The key expressions of all robots.
    pub all: Keys,
    /// Who the operator is, in a fleet with certificates.
    pub identity: Option<Identity>,
}

impl Operator {
    /// Connects to the fleet.
    ///
    /// # Errors
    /// [`SessionError`].
    pub async fn open(link: &Link, fleet: Name, caller: Name) -> Result<Self, SessionError> {
        let session = link.open(Patience::Once).await?;
        let (all, identity) = (Keys::all(&fleet), link.identity.clone());
        Ok(Operator { session, all, fleet, caller, identity })
    }

    /// Disconnects.
    pub async fn close(self) {
        let _closed = self.session.close().await;
    }
}

/// Returns a name for the current user.
#[must_use]
pub fn user() -> Name {
    let user = std::env::var("USER").unwrap_or_default().to_lowercase();
    let fallback = || "operator".parse::<Name>();
    user.parse().or_else(|_| fallback()).unwrap_or_else(|_| unreachable!("a constant name is valid"))
}
