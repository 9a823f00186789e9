//! An agent as the configuration describes it: its instructions, and the functions that it may call.

use std::collections::BTreeSet;

use minismith_wire::old_names::config::new_value;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// One function that a model may call. The names are words of `config.yaml` and of prompts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ability {
    /// Point the head in a direction.
    Look,
    /// Point the head at a place.
    LookAt,
    /// Lean the head to a side.
    TiltHead,
    /// Turn the body.
    TurnBody,
    /// Raise or lower the head.
    RaiseHead,
    /// Nod.
    Nod,
    /// Shake the head.
    ShakeHead,
    /// Wiggle the antennas.
    WiggleAntennas,
    /// Put the antennas at angles.
    SetAntennas,
    /// Dance.
    Dance,
    /// Back to neutral.
    Center,
    /// Wake up.
    WakeUp,
    /// Go to sleep.
    GotoSleep,
    /// Wait.
    Wait,
    /// Where the body is.
    ReportState,
    /// Look through the camera.
    TakePicture,
    /// Say how many of something are seen, and where.
    FindObjects,
    /// Turn the head to something that is seen.
    LookAtObject,
    /// Follow a person with the head.
    FollowPerson,
    /// Look out for something new.
    WatchForNew,
    /// Have a question about files or kept data answered by code.
    AnswerFromFiles,
    /// The tools of the registry.
    ListGeneratedTools,
    /// The code of one.
    GetToolCode,
    /// Run one.
    ExecFunction,
    /// Write a new tool's code.
    CreateFunction,
    /// Write its test cases.
    CreateTestCases,
    /// Prove it.
    TestFunction,
    /// Keep it.
    SaveFunction,
    /// Declare another agent.
    CreateAssistant,
    /// Give a task to another agent.
    HandOff,
    /// Ask the person.
    AskPerson,
    /// Note how a step of the plan went, or change the plan.
    UpdatePlan,
}

impl Ability {
    /// All of them.
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
        Ability::TakePicture,
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

    /// Its name in prompts and in the configuration.
    #[must_use]
    pub fn name(self) -> String {
        crate::outcome::word(&self)
    }

    /// Returns the function of this name, which may be an old one.
    #[must_use]
    pub fn named(name: &str) -> Option<Ability> {
        let name = new_value("agents.roster[].functions[]", name).unwrap_or(name);
        Ability::ALL.into_iter().find(|ability| ability.name() == name)
    }

    /// Whether it changes something outside of the conversation: the body, the shelf, the roster.
    #[must_use]
    pub const fn has_effect(self) -> bool {
        !matches!(
            self,
            Ability::ReportState
                | Ability::TakePicture
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
    /// What it is for, in one sentence; others choose by it.
    pub purpose: String,
    /// How it should work.
    pub instructions: String,
    /// What it may do.
    pub functions: BTreeSet<Ability>,
    /// Who created it; none for those of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// Where text from outside came from that its creator had read: its instructions may be that text's, and are data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}
