//! Defines the events that a client receives while a sentence is carried out.

use serde::Serialize;

use super::understood::UnderstoodPart;
use super::{Conversation, TurnOutcome};
use crate::agents::Agent;
use crate::agents::coordinator::Assignment;
use crate::agents::plan::Plan;
use crate::agents::turn::Handoff;
use minismith_analysis::finding::Finding;
use minismith_runtime::report::Step;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::{CheckPhase, CheckProgress, Checked};

/// A finished step of a sentence, sent while the rest is still running.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// The agent and its task.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// The result as text.
    pub text: String,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// Its motions.
    pub steps: Vec<Step>,
}

/// One event.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum ConversationEvent {
    /// The plan that is about to run.
    Plan {
        /// The steps, in this order.
        steps: Vec<Assignment>,
        /// The parts of the sentence, with the steps that each stands for.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        understood: Vec<UnderstoodPart>,
    },
    /// A step begins.
    Begun(Assignment),
    /// A model is asked.
    Thinking {
        /// The agent that asks.
        agent: String,
    },
    /// A task goes from one agent to another.
    Handoff(Handoff),
    /// A new tool is being checked.
    Checking(CheckProgress),
    /// The check of a new tool has ended.
    Checked {
        /// Its name.
        tool: String,
        /// Whether it may be registered.
        #[serde(rename = "admitted")]
        accepted: bool,
        /// Whether a person must confirm before it moves real motors.
        needs_approval: bool,
        /// The last layer that it reached.
        #[serde(rename = "stage")]
        phase: CheckPhase,
        /// The findings.
        findings: Vec<Finding>,
    },
    /// A step is done.
    Step(Box<Progress>),
}

impl From<&Checked> for ConversationEvent {
    fn from(checked: &Checked) -> Self {
        let Checked { name, accepted, needs_approval, phase: context, findings, .. } = checked;
        ConversationEvent::Checked {
            tool: name.clone(),
            accepted: *accepted,
            needs_approval: *needs_approval,
            phase: *context,
            findings: findings.clone(),
        }
    }
}

impl From<&Plan> for ConversationEvent {
    fn from(plan: &Plan) -> Self {
        let step = |task: &String| Assignment { agent: Agent::Coordinator, task: task.clone() };
        let steps = plan.steps.iter().map(|planned| step(&planned.task)).collect();
        ConversationEvent::Plan { steps, understood: Vec::new() }
    }
}

/// Receives events as they happen.
pub type Watching = Box<dyn FnMut(ConversationEvent)>;

impl Conversation<'_> {
    /// Sends an event to the watching client.
    pub(super) fn emit(&mut self, news: impl Into<ConversationEvent>) {
        if let Some(watching) = &mut self.watching {
            watching(news.into());
        }
    }

    /// Returns the toolchain, and a function that sends the progress of a check to the watching client.
    pub(super) fn watched_workshop(&mut self) -> (&Workshop, impl FnMut(CheckProgress) + '_) {
        let watching = &mut self.watching;
        (self.workshop, move |checking| {
            if let Some(watching) = watching {
                watching(ConversationEvent::Checking(checking));
            }
        })
    }

    /// Sends the result of one step to the watching client, and records it.
    pub(super) fn report_progress(
        &mut self,
        assignment: Assignment,
        text: &str,
        outcome: TurnOutcome,
        steps: Option<&[Step]>,
    ) {
        let steps = steps.unwrap_or_default().to_vec();
        let progress = Progress { assignment, text: text.into(), outcome, steps };
        self.note_step(&progress);
        self.emit(ConversationEvent::Step(Box::new(progress)));
    }
}
