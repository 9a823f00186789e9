//! A plan: steps with their results, and why it was changed. It is pure. The session stores it, so that it outlives a
//! restart.
//!
//! ```text
//! open -> doing -> done
//!            |---> failed   (then the plan may be revised: open steps are replaced, ended ones stay)
//!            '---> skipped
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

/// The maximum number of steps of a plan.
pub const MAX_STEPS: usize = 30;
/// How often a plan may be changed before it is given up.
pub const MAX_REVISIONS: usize = 3;

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Open,
    /// Begun.
    Doing,
    /// Done.
    Done,
    /// Tried without success.
    Failed,
    /// Left out.
    Skipped,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The task of the step.
    pub task: String,
    /// Its status.
    pub status: StepStatus,
    /// Its result.
    pub note: String,
}

/// Steps towards a person's goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The request, in the person's words.
    pub goal: String,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// The reason for each change.
    pub revisions: Vec<String>,
    /// The sources of outside text that was read while the plan was made or worked on. Such text may have
    /// shaped the plan's words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

impl Plan {
    /// Returns a plan of these steps; a longer list is cut.
    #[must_use]
    pub fn new(goal: &str, tasks: impl IntoIterator<Item = String>) -> Plan {
        Plan {
            goal: goal.into(),
            steps: tasks.into_iter().map(open).take(MAX_STEPS).collect(),
            ..Plan::default()
        }
    }

    /// Begins the next step and returns it. Returns `None` at the end, and after a step that failed.
    pub fn begin_next(&mut self) -> Option<(usize, String)> {
        if self.steps.iter().any(|step| step.status == StepStatus::Failed) {
            return None;
        }
        let (position, step) = self
            .steps
            .iter_mut()
            .enumerate()
            .find(|(_, step)| matches!(step.status, StepStatus::Open | StepStatus::Doing))?;
        step.status = StepStatus::Doing;
        Some((position, step.task.clone()))
    }

    /// Records how a step ended.
    pub fn note(&mut self, position: usize, status: StepStatus, note: &str) {
        if let Some(step) = self.steps.get_mut(position) {
            step.status = status;
            step.note = note.chars().take(400).collect();
        }
    }

    /// Replaces open and failed steps; finished ones stay. Returns `false` when the plan has been changed too
    /// often.
    pub fn revise(&mut self, why: &str, tasks: impl IntoIterator<Item = String>) -> bool {
        if self.revisions.len() >= MAX_REVISIONS {
            return false;
        }
        self.revisions.push(why.chars().take(400).collect());
        for step in &mut self.steps {
            if step.status == StepStatus::Failed {
                step.status = StepStatus::Skipped;
            }
        }
        self.steps.retain(|step| matches!(step.status, StepStatus::Done | StepStatus::Skipped));
        self.steps.extend(tasks.into_iter().map(open));
        self.steps.truncate(MAX_STEPS);
        true
    }

    /// Returns whether nothing is left to do.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.status, StepStatus::Done | StepStatus::Skipped))
    }
}

fn open(task: String) -> PlanStep {
    PlanStep { task, status: StepStatus::Open, note: String::new() }
}

/// Writes one line for each step, such as `1. [done] look left: reached 20 deg`.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, PlanStep { task, status, note }) in self.steps.iter().enumerate() {
            let status = minismith_runtime::report::serde_name(status);
            write!(f, "{}. [{status}] {task}", position + 1)?;
            if !note.is_empty() {
                write!(f, ": {note}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        Plan::new("look about", ["look left", "look right", "nod"].map(String::from))
    }

    #[test]
    fn steps_run_in_order_and_a_failed_step_blocks_the_plan_until_it_is_revised() {
        let mut plan = plan();
        assert_eq!(plan.begin_next(), Some((0, "look left".into())));
        // A restart in the middle of a step begins it again.
        assert_eq!(plan.begin_next(), Some((0, "look left".into())));
        plan.note(0, StepStatus::Done, "20 deg");
        assert_eq!(plan.begin_next(), Some((1, "look right".into())));
        plan.note(1, StepStatus::Failed, "out of range");
        assert_eq!(plan.begin_next(), None);
        assert!(!plan.is_over());
        assert!(plan.revise("too far", ["look right a little".into()]));
        assert_eq!(plan.begin_next(), Some((2, "look right a little".into())));
        plan.note(2, StepStatus::Done, "");
        assert!(plan.is_over());
        assert_eq!(
            plan.to_string(),
            "1. [done] look left: 20 deg\n2. [skipped] look right: out of range\n3. [done] look right a little\n"
        );
    }

    #[test]
    fn revisions_are_limited() {
        let mut plan = plan();
        for _ in 0..MAX_REVISIONS {
            assert!(plan.revise("again", ["nod".into()]));
        }
        let before = plan.clone();
        assert!(!plan.revise("once more", ["dance".into()]));
        assert_eq!(plan, before);
    }

    #[test]
    fn a_plan_survives_serialization() {
        let mut plan = plan();
        plan.begin_next();
        let stored = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&stored).unwrap(), plan);
    }
}
