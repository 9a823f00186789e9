//! What is asked for by name instead of in words: by clients whose own model has read the request.

use super::{Conversation, Reply, untold};
use crate::agents::coordinator::Task;
use crate::agents::route::Style;
use minismith_control::arbiter::Rank;
use minismith_toolchain::workshop::registry::{Entry, Registry, RegistryError};

impl Conversation<'_> {
    /// What is heard from now on is worked on in this way; none leaves it to the request.
    pub const fn worked_on(&mut self, style: Option<Style>) {
        self.style = style;
    }

    /// Does one thing that was asked for when the body had been halted so often, as an agent has it done, with the urgency of
    /// a client. Nothing of it is remembered.
    pub fn call(&mut self, task: Task, halts: u64) -> Reply {
        self.stage.begin(halts);
        self.stage.raise(Rank::Client);
        self.begin_noting("question", &task.describe()).in_scope(|| {
            let reply = self.carry_out(vec![task]);
            self.stage.leave_floor();
            self.note_answer(&reply);
            reply
        })
    }
}

/// The tools that may be run, as a model is told of them.
pub fn told(registry: &Registry) -> Result<Vec<Entry>, RegistryError> {
    let mut tools = registry.list()?;
    tools.retain(Entry::is_callable);
    tools.iter_mut().filter(|tool| !tool.is_told()).for_each(untold::withhold);
    Ok(tools)
}
