//! Runs tasks that clients request by name instead of in words, after their own model has read the request.

use super::{Conversation, Reply, untrusted_descriptions};
use crate::agents::coordinator::Task;
use crate::agents::route::Style;
use minismith_control::arbiter::Priority;
use minismith_toolchain::workshop::registry::{Entry, Registry, RegistryError};

impl Conversation<'_> {
    /// Sets how later requests are worked on; `None` derives it from the request.
    pub const fn worked_on(&mut self, style: Option<Style>) {
        self.style = style;
    }

    /// Runs one task as an agent would, for a request made at the stop epoch `stop_epoch`. Nothing of it is stored
    /// in the session.
    pub fn call(&mut self, task: Task, stop_epoch: u64) -> Reply {
        self.context.begin(stop_epoch);
        self.context.raise_priority(Priority::Client);
        self.begin_noting("question", &task.describe()).in_scope(|| {
            let reply = self.carry_out(vec![task], Vec::new());
            self.context.release_control();
            self.note_answer(&reply);
            reply
        })
    }
}

/// Returns the tools that may be run, as a model gets them.
pub fn reported(registry: &Registry) -> Result<Vec<Entry>, RegistryError> {
    let mut tools = registry.list()?;
    tools.retain(Entry::is_callable);
    tools
        .iter_mut()
        .filter(|tool| !tool.is_description_shown())
        .for_each(untrusted_descriptions::redact_description);
    Ok(tools)
}
