//! A plan: steps with what became of them, and why it was changed. Pure; kept by the session, so that it outlives a
//! restart.
//!
//! ```text
//! open -> doing -> done
//!            |---> failed   (then the plan may be revised: open steps are replaced, ended ones stay)
//!            '---> skipped
//! ```

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most steps that a plan may have.
pub const MOST_STEPS: usize = 30;
/// How often a plan may be changed before it is given up.
pub const MOST_REVISIONS: usize = 3;

/// How a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun.
    Open,
    /// Begun.
    Doing,
    /// Done.
    Done,
    /// Tried in vain.
    Failed,
    /// Left out.
    Skipped,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// What is to be done.
    pub task: String,
    /// How it is.
    pub status: StepStatus,
    /// What came of it.
    pub note: String,
}

/// Steps towards what a person asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What was asked for, in the person's words.
    pub goal: String,
    /// The steps.
    pub steps: Vec<PlanStep>,
    /// Why it was changed, each time.
    pub revisions: Vec<String>,
    /// Where text from outside came from that was read while it was made or worked on: its words may be that text's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

impl Plan {
    /// A plan of these steps; longer ones are cut.
    #[must_use]
    pub fn new(goal: &str, tasks: impl IntoIterator<Item = String>) -> Plan {
        Plan {
            goal: goal.into(),
            steps: tasks.into_iter().map(open).take(MOST_STEPS).collect(),
            ..Plan::default()
        }
    }

    /// The step that is next, and begins it. None at the end, and after a step that failed.
    pub fn begin_next(&mut self) -> Option<(usize, String)> {
        if self.steps.iter().any(|step| step.status == StepStatus::Failed) {
            return None;
        }
        let (place, step) = self
            .steps
            .iter_mut()
            .enumerate()
            .find(|(_, step)| matches!(step.status, StepStatus::Open | StepStatus::Doing))?;
        step.status = StepStatus::Doing;
        Some((place, step.task.clone()))
    }

    /// Notes how a step ended.
    pub fn note(&mut self, place: usize, status: StepStatus, note: &str) {
        if let Some(step) = self.steps.get_mut(place) {
            step.status = status;
            step.note = note.chars().take(400).collect();
        }
    }

    /// Replaces what is open or has failed; what was done stays. False when it has been changed too often.
    pub fn revise(&mut self, why: &str, tasks: impl IntoIterator<Item = String>) -> bool {
        if self.revisions.len() >= MOST_REVISIONS {
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
        self.steps.truncate(MOST_STEPS);
        true
    }

    /// Whether nothing is left to do.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.steps.iter().all(|step| matches!(step.status, StepStatus::Done | StepStatus::Skipped))
    }
}

fn open(task: String) -> PlanStep {
    PlanStep { task, status: StepStatus::Open, note: String::new() }
}

/// `1. [done] look left: reached 20 deg`, a line each.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, PlanStep { task, status, note }) in self.steps.iter().enumerate() {
            let status = minismith_runtime::outcome::word(status);
            write!(f, "{}. [{status}] {task}", place + 1)?;
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
    fn steps_are_done_in_order_and_a_failed_one_halts_the_plan_until_it_is_revised() {
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
    fn it_can_be_changed_so_often_and_not_more() {
        let mut plan = plan();
        for _ in 0..MOST_REVISIONS {
            assert!(plan.revise("again", ["nod".into()]));
        }
        let before = plan.clone();
        assert!(!plan.revise("once more", ["dance".into()]));
        assert_eq!(plan, before);
    }

    #[test]
    fn it_is_the_same_after_a_restart() {
        let mut plan = plan();
        plan.begin_next();
        let kept = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&kept).unwrap(), plan);
    }
}
