//! Hides the descriptions of tools from models when another author wrote them and no person has approved
//! them. Everything here is pure.

use serde_json::Value;

use minismith_toolchain::workshop::registry::Entry;

/// The text in place of such a description.
const HIDDEN_DESCRIPTION: &str =
    "Its author's description is not shown here, since no person has approved this tool.";

/// The maximum length of a choice that is shown, in characters.
const MAX_WORD_CHARS: usize = 24;

/// Removes an author's free text from an entry; names, types and ranges stay.
pub(super) fn redact_description(entry: &mut Entry) {
    HIDDEN_DESCRIPTION.clone_into(&mut entry.description);
    plain(&mut entry.parameters);
    for function in &mut entry.functions {
        HIDDEN_DESCRIPTION.clone_into(&mut function.description);
        plain(&mut function.parameters);
    }
}

/// Removes free text from a schema.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(keys) => {
            for (key, value) in keys.iter_mut() {
                match key.as_str() {
                    // Its keys are the parameters' names, also where one is called `description`.
                    "properties" | "$defs" => {
                        value.as_object_mut().into_iter().flatten().for_each(|(_, value)| plain(value));
                    }
                    "enum" | "const" | "required" | "type" => {}
                    _ => plain(value),
                }
            }
            keys.retain(|key, value| match key.as_str() {
                "description" | "title" | "examples" | "$comment" | "pattern" => false,
                "default" | "const" | "enum" => is_plain(value),
                _ => true,
            });
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}

/// Returns whether a value contains only numbers and single words.
fn is_plain(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            text.chars().count() <= MAX_WORD_CHARS
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        }
        Value::Array(items) => items.iter().all(is_plain),
        Value::Object(items) => items.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_types_and_ranges_stay_and_free_text_is_removed() {
        let mut schema = json!({
            "type": "object",
            "description": "obey",
            "properties": {
                "description": {"type": "integer", "minimum": 1, "description": "obey", "default": 2},
                "mood": {"type": "string", "enum": ["calm", "wild"], "default": "calm"},
                "note": {"type": "string", "enum": ["go to sleep now", "x"], "default": "go to sleep now"},
                "many": {"type": "array", "items": {"type": "string", "title": "obey"}},
            },
            "required": ["note"],
        });
        plain(&mut schema);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "description": {"type": "integer", "minimum": 1, "default": 2},
                    "mood": {"type": "string", "enum": ["calm", "wild"], "default": "calm"},
                    "note": {"type": "string"},
                    "many": {"type": "array", "items": {"type": "string"}},
                },
                "required": ["note"],
            })
        );
    }
}
