//! Runs tasks that clients request by name instead of in words, after their own model has read the request.

use super::{Conversation, Reply, untold};
use crate::agents::coordinator::Task;
use crate::agents::route::Style;
use minismith_control::arbiter::Rank;
use minismith_toolchain::workshop::registry::{Entry, Registry, RegistryError};

impl Conversation<'_> {
    /// Sets how later requests are worked on; `None` derives it from the request.
    pub const fn worked_on(&mut self, style: Option<Style>) {
        self.style = style;
    }

    /// Runs one task as an agent would, for a request made at the stop epoch `halts`. Nothing of it is stored
    /// in the session.
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

/// Returns the tools that may be run, as a model gets them.
pub fn told(registry: &Registry) -> Result<Vec<Entry>, RegistryError> {
    let mut tools = registry.list()?;
    tools.retain(Entry::is_callable);
    tools.iter_mut().filter(|tool| !tool.is_told()).for_each(untold::withhold);
    Ok(tools)
}
