//! What a text may refer to beyond the built-in motions.

use serde_json::Value;

use super::before::Before;

/// A tool that can be run by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTool {
    /// Its name, a Python identifier.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What the brain may refer to beyond its own motions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The tools in the registry.
    pub tools: &'a [KnownTool],
    /// What was said and done before, in a conversation.
    pub before: Option<&'a Before>,
}
