//! Context of a text beyond the built-in motions.

use serde_json::Value;

use super::dialog_context::DialogContext;

/// A tool that can be run by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTool {
    /// Its name, a Python identifier.
    pub name: String,
    /// Its description, in one sentence.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What a text may refer to beyond the built-in motions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The tools in the registry.
    pub tools: &'a [KnownTool],
    /// The dialog context, in a conversation.
    pub before: Option<&'a DialogContext>,
}
