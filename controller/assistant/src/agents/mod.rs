//! The agents. They decide; [`crate::conversation`] carries their decisions out.
//!
//! Reading order without a language model:
//!
//! * [`coordinator`] (assigns tasks)
//! * [`robot_control`] (motions)
//! * [`spoken`] (motions in several parts, and sounds)
//! * [`vision`] (images)
//! * [`code`] (new tools)
//! * [`self_report`] (answers about results and the robot's condition)
//!
//! With a language model:
//!
//! * [`roster`] (the list of agents)
//! * [`agent_function`] and [`action`] (what they may do)
//! * [`turn`] (the state machine: reason, act, observe)
//! * [`route`] and [`plan`] (long tasks)
//! * [`mod@authoring`] (how a tool is made)
//! * [`consent`] (whether the person asked for an action)
//! * [`claim_check`] (claims without a measurement)

pub mod action;
pub mod agent_function;
pub mod authoring;
pub mod claim_check;
pub mod code;
pub mod consent;
pub mod coordinator;
pub mod plan;
pub mod robot_control;
pub mod roster;
pub mod route;
pub mod self_report;
pub mod spoken;
pub mod turn;
pub mod vision;

use serde::Serialize;
use utoipa::ToSchema;

/// An agent, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Agent {
    /// Answers, and hands tasks over to the others.
    Coordinator,
    /// Moves the robot, and runs tools.
    RobotControl,
    /// Looks through the camera.
    Vision,
    /// Writes and verifies tools.
    Code,
}
