//! The four agents. Each decides; what they decide is carried out by [`crate::conversation`].
//!
//! Reading order: [`coordinator`] (who does what), [`robot_control`] (motions), [`vision`] (pictures), [`code`] (new
//! tools), [`account`] (what happened, and how the robot is). With a language model: [`roster`] (who there is), [`ability`]
//! and [`action`] (what they may do), [`turn`] (the machine of reason, act, observe), [`route`] and [`plan`] (long
//! tasks), [`mod@commission`] (how a tool is made), [`consent`] (whose wish an action is),
//! [`claims`] (what was said and never measured).

pub mod ability;
pub mod account;
pub mod action;
pub mod claims;
pub mod code;
pub mod commission;
pub mod consent;
pub mod coordinator;
pub mod plan;
pub mod robot_control;
pub mod roster;
pub mod route;
pub mod turn;
pub mod vision;

use serde::Serialize;
use utoipa::ToSchema;

/// An agent, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
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
