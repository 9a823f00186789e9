//! Reads the arguments of a call after they have been checked against their schema.

use std::collections::BTreeSet;
use std::time::Duration;

use firmware_bridge::units::Radians;
use minismith_perception::detect::LABELS;
use serde_json::{Map, Value};

use super::Ability;
use crate::agents::action::Action;
use crate::agents::plan::StepStatus;
use crate::agents::roster::Spec;
use minismith_nlu::primitive::{DEFAULT_LOOK, Look, Primitive, antenna_duration, head_duration};
use minismith_nlu::{Sight, tool_name, vision_intent};

/// The arguments of a call, already checked against the schema.
pub(super) struct Read<'a>(pub(super) &'a Map<String, Value>);

impl Read<'_> {
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.0.get(key).and_then(Value::as_f64)
    }

    pub(super) fn degrees(&self, key: &str) -> Option<Radians> {
        self.number(key).map(Radians::from_degrees)
    }

    pub(super) fn seconds(&self) -> Option<Duration> {
        self.number("seconds").and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
    }

    pub(super) fn times(&self, usual: u32) -> u32 {
        self.0
            .get("times")
            .and_then(Value::as_u64)
            .and_then(|times| u32::try_from(times).ok())
            .unwrap_or(usual)
    }

    fn text(&self, key: &str) -> String {
        self.0.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    }

    fn texts(&self, key: &str) -> impl Iterator<Item = &str> {
        let items = self.0.get(key).and_then(Value::as_array);
        items.into_iter().flatten().filter_map(Value::as_str)
    }

    pub(super) fn is_left(&self) -> bool {
        self.text("side") == "left"
    }

    pub(super) fn look(&self) -> Primitive {
        let direction = match self.text("direction").as_str() {
            "left" => Look::Left,
            "right" => Look::Right,
            "up" => Look::Up,
            "down" => Look::Down,
            _ => Look::Ahead,
        };
        let angle = match direction {
            Look::Ahead => Radians::ZERO,
            _ => self.degrees("degrees").unwrap_or(DEFAULT_LOOK),
        };
        Primitive::Look { direction, angle, duration: self.seconds().unwrap_or(head_duration(angle)) }
    }

    pub(super) fn antennas(&self) -> Result<Primitive, String> {
        let (right, left) = (self.degrees("right_degrees"), self.degrees("left_degrees"));
        let furthest =
            right.into_iter().chain(left).map(Radians::abs).max_by(|a, b| a.value().total_cmp(&b.value()));
        let Some(furthest) = furthest else {
            return Err("one of `right_degrees` and `left_degrees` is needed".into());
        };
        Ok(Primitive::SetAntennas {
            right,
            left,
            duration: self.seconds().unwrap_or(antenna_duration(furthest)),
        })
    }

    pub(super) fn other(&self, ability: Ability) -> Result<Action, String> {
        let name = || {
            let said = self.text("name");
            tool_name(&said).map_err(|range| range.to_string())
        };
        Ok(match ability {
            Ability::ReportState => Action::ReportState,
            Ability::TakeImage => Action::See(Sight::Scene),
            Ability::FindObjects => Action::See(Sight::Count(self.object()?)),
            Ability::LookAtObject => Action::See(Sight::LookAt(self.object()?)),
            Ability::FollowPerson => {
                Action::See(Sight::Follow(self.seconds().unwrap_or(vision_intent::FOLLOW_TIME)))
            }
            Ability::WatchForNew => {
                Action::See(Sight::Watch(self.seconds().unwrap_or(vision_intent::WATCH_TIME)))
            }
            Ability::AnswerFromFiles => Action::AnswerFromFiles {
                question: self.text("question"),
                files: self.texts("files").map(str::to_owned).collect(),
            },
            Ability::ListGeneratedTools => Action::ListTools,
            Ability::GetToolCode => Action::ToolCode { name: self.text("name") },
            Ability::ExecFunction => {
                let arguments =
                    self.0.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
                Action::RunTool { name: self.text("name"), arguments }
            }
            Ability::CreateFunction => {
                Action::CreateFunction { name: name()?, specification: self.text("specification") }
            }
            Ability::CreateTestCases => Action::CreateTestCases { name: name()? },
            Ability::TestFunction => Action::TestFunction { name: name()? },
            Ability::SaveFunction => Action::SaveFunction { name: name()? },
            Ability::CreateAssistant => Action::CreateAssistant(self.assistant(name()?)?),
            Ability::HandOff => Action::HandOff { agent: self.text("agent"), task: self.text("task") },
            Ability::AskPerson => Action::AskPerson { question: self.text("question") },
            _ => {
                let step = self.0.get("step").and_then(Value::as_u64).unwrap_or(1);
                let status = match self.text("status").as_str() {
                    "failed" => StepStatus::Failed,
                    "skipped" => StepStatus::Skipped,
                    _ => StepStatus::Done,
                };
                let step = usize::try_from(step).unwrap_or(usize::MAX);
                Action::UpdatePlan { step, status, note: self.text("note") }
            }
        })
    }

    fn object(&self) -> Result<&'static str, String> {
        let said = self.text("thing").to_lowercase();
        vision_intent::class(&said)
            .ok_or_else(|| format!("nothing here can find {said:?}; it can find: {}", LABELS.join(", ")))
    }

    fn assistant(&self, name: String) -> Result<Spec, String> {
        let mut functions = BTreeSet::new();
        for function in self.texts("functions") {
            functions.insert(
                Ability::named(function).ok_or_else(|| format!("there is no function `{function}`"))?,
            );
        }
        Ok(Spec {
            name,
            purpose: self.text("purpose"),
            instructions: self.text("instructions"),
            functions,
            creator: None,
            read: Vec::new(),
        })
    }
}
