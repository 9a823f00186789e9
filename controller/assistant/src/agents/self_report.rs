//! Answers questions about the robot itself from measurements and the results of earlier turns.

use crate::agents::Agent;
use minismith_control::execution::ExecutionContext;
use minismith_nlu::answer::{about, account};
use minismith_nlu::{DialogContext, KnownTool, Topic};
use minismith_runtime::report::Step;

/// Returns the agent that answers a question.
#[must_use]
pub const fn agent(topic: &Topic) -> Agent {
    match topic {
        Topic::Motors | Topic::Health => Agent::RobotControl,
        _ => Agent::Coordinator,
    }
}

/// Returns the answer. Results of the same turn come before those of earlier ones.
#[must_use]
pub fn describe(
    topic: &Topic,
    before: &DialogContext,
    so_far: &[Step],
    tools: &[KnownTool],
    context: &ExecutionContext,
) -> String {
    match topic {
        Topic::Happened | Topic::Whether | Topic::Last | Topic::WhyNot if !so_far.is_empty() => {
            account::steps(so_far)
        }
        Topic::Happened => account::happened(before),
        Topic::WhyNot => account::why_not(before),
        Topic::Whether => account::whether(before),
        Topic::Last => account::last(before),
        Topic::Motors => motors(context),
        Topic::Health => health(context),
        Topic::Myself => about::myself(),
        Topic::Goodbye => about::goodbye(),
        Topic::Reach(reach) => about::reach(*reach),
        Topic::Tool(name) => about::tool(name, tools),
        Topic::Ability(what) => about::ability(what),
    }
}

fn motors(context: &ExecutionContext) -> String {
    let snapshot = context.control.snapshot();
    match &snapshot.fault {
        Some(fault) => format!("Something is wrong: {fault}."),
        None if snapshot.state.is_driven() => "Yes, all my motors are on.".into(),
        None => "No, not all of my motors are on. Say \"wake up\" to drive them.".into(),
    }
}

fn health(context: &ExecutionContext) -> String {
    let snapshot = context.control.snapshot();
    match &snapshot.fault {
        Some(fault) => format!("Something is wrong: {fault}."),
        None if snapshot.state.is_driven() => "I am well: no fault, and all my motors are on.".into(),
        None => "I am well: no fault. My motors are not all on; say \"wake up\" to drive them.".into(),
    }
}
