//! What whoever watches a conversation is told while a sentence is being worked on.

use serde::Serialize;

use super::{Conversation, Ending};
use crate::agents::Agent;
use crate::agents::coordinator::Assignment;
use crate::agents::plan::Plan;
use crate::agents::turn::Handoff;
use minismith_analysis::finding::Finding;
use minismith_runtime::outcome::Step;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::{Checked, Checking, Layer};

/// What was done of a sentence, told while the rest is still being done.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// Who did what.
    #[serde(flatten)]
    pub assignment: Assignment,
    /// What came of it, in words.
    pub text: String,
    /// How it ended.
    pub outcome: Ending,
    /// Its motions.
    pub steps: Vec<Step>,
}

/// Something new.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub enum News {
    /// What is going to be done.
    Plan {
        /// In this order.
        steps: Vec<Assignment>,
    },
    /// A step begins.
    Begun(Assignment),
    /// A model is asked.
    Thinking {
        /// For whom.
        agent: String,
    },
    /// A task goes from one agent to another.
    Handoff(Handoff),
    /// A new tool is being checked.
    Checking(Checking),
    /// A new tool was checked.
    Checked {
        /// Its name.
        tool: String,
        /// Whether it may be registered.
        admitted: bool,
        /// Whether a person confirms before it moves real motors.
        needs_approval: bool,
        /// How far it came.
        stage: Layer,
        /// What was found.
        findings: Vec<Finding>,
    },
    /// A step is done.
    Step(Box<Progress>),
}

impl From<&Checked> for News {
    fn from(checked: &Checked) -> Self {
        let Checked { name, admitted, needs_approval, stage, findings, .. } = checked;
        News::Checked {
            tool: name.clone(),
            admitted: *admitted,
            needs_approval: *needs_approval,
            stage: *stage,
            findings: findings.clone(),
        }
    }
}

impl From<&Plan> for News {
    fn from(plan: &Plan) -> Self {
        let step = |task: &String| Assignment { agent: Agent::Coordinator, task: task.clone() };
        News::Plan { steps: plan.steps.iter().map(|planned| step(&planned.task)).collect() }
    }
}

/// Hears what is new, as it happens.
pub type Watching = Box<dyn FnMut(News)>;

impl Conversation<'_> {
    /// Tells whoever watches.
    pub(super) fn announce(&mut self, news: impl Into<News>) {
        if let Some(watching) = &mut self.watching {
            watching(news.into());
        }
    }

    /// The workshop, and a way to tell whoever watches how far it is with a check.
    pub(super) fn watched_workshop(&mut self) -> (&Workshop, impl FnMut(Checking) + '_) {
        let watching = &mut self.watching;
        (self.workshop, move |checking| {
            if let Some(watching) = watching {
                watching(News::Checking(checking));
            }
        })
    }

    /// Tells whoever watches what came of one step, and notes it.
    pub(super) fn tell_progress(
        &mut self,
        assignment: Assignment,
        text: &str,
        outcome: Ending,
        steps: Option<&[Step]>,
    ) {
        let steps = steps.unwrap_or_default().to_vec();
        let progress = Progress { assignment, text: text.into(), outcome, steps };
        self.note_step(&progress);
        self.announce(News::Step(Box::new(progress)));
    }
}
