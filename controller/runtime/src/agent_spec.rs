//! The configuration of an agent: its instructions, and the functions that it may call.

use std::collections::BTreeSet;

use minismith_protocol::old_names::config::new_value;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// One function that a model may call. The names are used in `config.yaml` and in prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Point the head in a direction.
    Look,
    /// Point the head at a position.
    LookAt,
    /// Tilt the head to a side.
    TiltHead,
    /// Turn the base.
    TurnBody,
    /// Raise or lower the head.
    RaiseHead,
    /// Nod.
    Nod,
    /// Shake the head.
    ShakeHead,
    /// Wiggle the antennas.
    WiggleAntennas,
    /// Set the antennas to angles.
    SetAntennas,
    /// Dance.
    Dance,
    /// Return to neutral.
    Center,
    /// Wake up.
    WakeUp,
    /// Go to sleep.
    GotoSleep,
    /// Wait.
    Wait,
    /// Report the robot's posture.
    ReportState,
    /// Describe the camera's image.
    #[serde(rename = "take_picture")]
    TakeImage,
    /// Count and locate objects.
    FindObjects,
    /// Turn the head to an object.
    LookAtObject,
    /// Follow a person with the head.
    FollowPerson,
    /// Watch for new objects.
    WatchForNew,
    /// Answer a question about files or stored data with code.
    AnswerFromFiles,
    /// List the registry's tools.
    ListGeneratedTools,
    /// Show the code of one.
    GetToolCode,
    /// Run one.
    ExecFunction,
    /// Write a new tool's code.
    CreateFunction,
    /// Write its test cases.
    CreateTestCases,
    /// Verify it.
    TestFunction,
    /// Register it.
    SaveFunction,
    /// Declare another agent.
    CreateAssistant,
    /// Give a task to another agent.
    HandOff,
    /// Ask the user.
    AskPerson,
    /// Record the result of a step of the plan, or change the plan.
    UpdatePlan,
}

impl Ability {
    /// All functions.
    pub const ALL: [Ability; 32] = [
        Ability::Look,
        Ability::LookAt,
        Ability::TiltHead,
        Ability::TurnBody,
        Ability::RaiseHead,
        Ability::Nod,
        Ability::ShakeHead,
        Ability::WiggleAntennas,
        Ability::SetAntennas,
        Ability::Dance,
        Ability::Center,
        Ability::WakeUp,
        Ability::GotoSleep,
        Ability::Wait,
        Ability::ReportState,
        Ability::TakeImage,
        Ability::FindObjects,
        Ability::LookAtObject,
        Ability::FollowPerson,
        Ability::WatchForNew,
        Ability::AnswerFromFiles,
        Ability::ListGeneratedTools,
        Ability::GetToolCode,
        Ability::ExecFunction,
        Ability::CreateFunction,
        Ability::CreateTestCases,
        Ability::TestFunction,
        Ability::SaveFunction,
        Ability::CreateAssistant,
        Ability::HandOff,
        Ability::AskPerson,
        Ability::UpdatePlan,
    ];

    /// Returns its name in prompts and in the configuration.
    #[must_use]
    pub fn name(self) -> String {
        crate::report::serde_name(&self)
    }

    /// Returns the function of this name, which may be an old one.
    #[must_use]
    pub fn named(name: &str) -> Option<Ability> {
        let name = new_value("agents.roster[].functions[]", name).unwrap_or(name);
        Ability::ALL.into_iter().find(|ability| ability.name() == name)
    }

    /// Whether it changes something outside of the conversation: the robot, the registry, the roster.
    #[must_use]
    pub const fn has_effect(self) -> bool {
        !matches!(
            self,
            Ability::ReportState
                | Ability::TakeImage
                | Ability::FindObjects
                | Ability::WatchForNew
                | Ability::AnswerFromFiles
                | Ability::ListGeneratedTools
                | Ability::GetToolCode
                | Ability::HandOff
                | Ability::AskPerson
                | Ability::UpdatePlan
                | Ability::Wait
        )
    }
}

/// Stored sessions may contain old names.
impl<'de> Deserialize<'de> for Ability {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ability::named(&name).ok_or_else(|| D::Error::custom(format!("unknown function `{name}`")))
    }
}

/// One agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// An identifier.
    pub name: String,
    /// Its purpose in one sentence; other agents choose by it.
    pub purpose: String,
    /// Its instructions.
    pub instructions: String,
    /// The functions that it may call.
    pub functions: BTreeSet<Ability>,
    /// The agent that created it; none for those of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// The source of foreign text that its creator had read. Its instructions may come from that text, and count as
    /// data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}
