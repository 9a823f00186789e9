//! The agents of the user's file and the built-in ones, merged.

use super::file::AgentKeys;
use crate::agent_spec::Spec;

/// Returns the entries of `agents.roster`: the built-in agents, then those of the user's file. An entry replaces the one
/// with the same name. Every entry must be complete.
pub(super) fn roster(
    built_in: Option<&Vec<AgentKeys>>,
    own: Option<&Vec<AgentKeys>>,
) -> Result<Vec<Spec>, String> {
    let mut specs: Vec<Spec> = Vec::new();
    for (position, entry) in
        [built_in, own].into_iter().flat_map(|entries| entries.into_iter().flatten().enumerate())
    {
        let lacking = |key: &str| {
            format!(
                "agents.roster[{position}] has no `{key}`; each entry needs name, purpose, \
                                           instructions and functions"
            )
        };
        let name = entry.name.0.as_ref().ok_or_else(|| lacking("name"))?;
        let purpose = entry.purpose.0.as_ref().ok_or_else(|| lacking("purpose"))?;
        let instructions = entry.instructions.0.as_ref().ok_or_else(|| lacking("instructions"))?;
        let functions = entry.functions.0.as_ref().ok_or_else(|| lacking("functions"))?;
        specs.retain(|spec| spec.name != name.0);
        specs.push(Spec {
            name: name.0.clone(),
            purpose: purpose.0.clone(),
            instructions: instructions.0.clone(),
            functions: functions.iter().copied().collect(),
            creator: None,
            read: Vec::new(),
        });
    }
    Ok(specs)
}
