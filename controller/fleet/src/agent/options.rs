//! What an agent is started with ([`Options`]), and why a robot cannot join ([`JoinError`]).

use std::path::PathBuf;

use crate::controller::TokenError;
use crate::identity::error::IdentityError;
use crate::keys::Name;
use crate::session::{SessionError, in_words};

/// What an agent is started with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The fleet.
    pub fleet: Name,
    /// The name of the robot.
    pub robot: Name,
    /// Its groups.
    pub groups: Vec<Name>,
    /// The controller, `host:port`.
    pub controller: String,
    /// The token for the controller.
    pub token: Option<String>,
    /// The controller's configuration file, for tools.
    pub config: Option<PathBuf>,
    /// The rate of the state, Hz.
    pub state_hz: f64,
    /// The rate of camera images, Hz.
    pub camera_hz: f64,
    /// The folder of this robot's files.
    pub folder: PathBuf,
}

/// Reports why a robot cannot join.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// Zenoh.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Its files.
    #[error(transparent)]
    Files(#[from] IdentityError),
    /// Its token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The name is taken.
    #[error(
        "there is a robot called {robot} in the fleet {fleet}; give this one another name, or end the other agent"
    )]
    NameTaken {
        /// The robot.
        robot: Name,
        /// The fleet.
        fleet: Name,
    },
    /// A declaration fails.
    #[error("cannot join the fleet: {0}")]
    Zenoh(String),
}

impl From<zenoh::Error> for JoinError {
    fn from(error: zenoh::Error) -> Self {
        JoinError::Zenoh(in_words(&error))
    }
}
