//! The four agents. Each decides; what they decide is carried out by [`crate::conversation`].
//!
//! Reading order: [`coordinator`] (who does what), [`robot_control`] (motions), [`vision`] (pictures), [`code`] (new
//! tools).

pub mod code;
pub mod coordinator;
pub mod robot_control;
pub mod vision;

use serde::Serialize;

/// An agent, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// Answers, and hands over to the others.
    Coordinator,
    /// Moves the body, and runs tools.
    RobotControl,
    /// Looks.
    Vision,
    /// Writes and proves tools.
    Code,
}
