//! Validates the arguments of a call against the tool's JSON Schema, in the closed subset that the policy
//! writes.

use serde_json::{Map, Value};

/// Checks that `arguments` match the `parameters` schema of a tool.
///
/// # Errors
/// One sentence: the argument, its value and what is allowed.
pub fn accept(parameters: &Value, arguments: &Map<String, Value>) -> Result<(), String> {
    let none = Map::new();
    let properties = parameters.get("properties").and_then(Value::as_object).unwrap_or(&none);
    for name in arguments.keys() {
        if !properties.contains_key(name) {
            return Err(unknown(name, properties));
        }
    }
    let required = parameters.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !arguments.contains_key(name) {
            return Err(format!("the argument `{name}` is missing"));
        }
    }
    for (name, value) in arguments {
        let schema = properties.get(name).unwrap_or(&Value::Null);
        fits(schema, value).map_err(|complaint| format!("the argument `{name}` {complaint}"))?;
    }
    Ok(())
}

fn unknown(name: &str, properties: &Map<String, Value>) -> String {
    let name: String = name.chars().take(60).collect();
    let near = properties.keys().find(|known| strsim::jaro_winkler(known, &name) > 0.8);
    let known = properties.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
    match near {
        Some(near) => format!("there is no argument `{name}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("there is no argument `{name}`; it takes none"),
        None => format!("there is no argument `{name}`; it takes {known}"),
    }
}

/// Checks that a value matches a schema: types, choices, ranges, lengths, and the required and permitted
/// keys of objects.
///
/// # Errors
/// A clause that begins with "is", "has" or "lacks": what is wrong and what is allowed.
pub fn fits(schema: &Value, value: &Value) -> Result<(), String> {
    if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
        return match choices.iter().find(|choice| fits(choice, value).is_ok()) {
            Some(_) => Ok(()),
            None => Err(format!("is {}, which fits none of its types", short(value))),
        };
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let allowed = allowed.iter().map(short).collect::<Vec<_>>().join(", ");
        return Err(format!("is {}; allowed are {allowed}", short(value)));
    }
    if let Some(only) = schema.get("const")
        && only != value
    {
        return Err(format!("is {}; only {} is allowed", short(value), short(only)));
    }
    if let Some(kind) = schema.get("type").and_then(Value::as_str)
        && !is_a(kind, value)
    {
        return Err(format!("is {}; it must be of type {kind}", short(value)));
    }
    if let Some(number) = value.as_f64() {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        if bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").is_some_and(|most| number > most)
        {
            return Err(format!("is {number}; it must be {}", range(bound("minimum"), bound("maximum"))));
        }
    }
    check_length(schema, value)?;
    if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
        for (position, item) in values.iter().enumerate() {
            fits(items, item).map_err(|complaint| format!("has an item {position} that {complaint}"))?;
        }
    }
    if let (Some(inner), Some(values)) =
        (schema.get("additionalProperties").filter(|inner| inner.is_object()), value.as_object())
    {
        let named = schema.get("properties").and_then(Value::as_object);
        for (key, item) in
            values.iter().filter(|(key, _)| !named.is_some_and(|named| named.contains_key(*key)))
        {
            fits(inner, item).map_err(|complaint| format!("has a key `{key}` that {complaint}"))?;
        }
    }
    value.as_object().map_or(Ok(()), |values| check_object(schema, values))
}

/// Checks the length of a list or a text.
fn check_length(schema: &Value, value: &Value) -> Result<(), String> {
    let (length, least, most, unit) = match value {
        Value::String(text) => (text.chars().count(), "minLength", "maxLength", "characters"),
        Value::Array(items) => (items.len(), "minItems", "maxItems", "items"),
        _ => return Ok(()),
    };
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (least, most) = (bound(least), bound(most));
    if least.is_some_and(|least| (length as f64) < least) || most.is_some_and(|most| length as f64 > most) {
        return Err(format!("has {length} {unit}; it must have {}", range(least, most)));
    }
    Ok(())
}

/// Checks that an object has its required keys and that each property matches its schema.
fn check_object(schema: &Value, values: &Map<String, Value>) -> Result<(), String> {
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !values.contains_key(name) {
            return Err(format!("lacks `{name}`"));
        }
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in values {
        match properties.and_then(|properties| properties.get(name)) {
            Some(inner) => {
                fits(inner, value).map_err(|complaint| format!("has a `{name}` that {complaint}"))?
            }
            None if is_closed => {
                let name: String = name.chars().take(60).collect();
                return Err(format!("has a `{name}`, which is not allowed"));
            }
            None => {}
        }
    }
    Ok(())
}

fn is_a(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn range(least: Option<f64>, most: Option<f64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!("between {least} and {most}"),
        (Some(least), None) => format!("at least {least}"),
        (None, Some(most)) => format!("at most {most}"),
        (None, None) => "a number".into(),
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

/// Returns how `value` differs from the expected value; numbers may differ by `tolerance`.
#[must_use]
pub fn difference(expected: &Value, value: &Value, tolerance: f64) -> Option<String> {
    let differs = || Some(format!("returned {}, expected {}", short(value), short(expected)));
    match (expected, value) {
        (Value::Number(a), Value::Number(b)) => {
            let apart = (a.as_f64()? - b.as_f64()?).abs();
            if apart <= tolerance { None } else { differs() }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            a.iter().zip(b).find_map(|(a, b)| difference(a, b, tolerance))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            a.iter().find_map(|(key, a)| difference(a, b.get(key).unwrap_or(&Value::Null), tolerance))
        }
        (a, b) if a == b => None,
        _ => differs(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn complaint(arguments: Value) -> String {
        let schema = json!({"type": "object", "properties": {
            "times": {"type": "integer", "minimum": 1, "maximum": 10},
            "side": {"enum": ["left", "right"]},
            "path": {"type": "array", "items": {"type": "number"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        }, "required": ["times"], "additionalProperties": false});
        accept(&schema, arguments.as_object().unwrap()).err().unwrap_or_default()
    }

    #[test]
    fn errors_name_the_argument_that_does_not_match() {
        assert_eq!(complaint(json!({"times": 2, "side": "left", "path": [1, 2.5], "note": null})), "");
        assert!(complaint(json!({})).contains("`times` is missing"));
        assert!(complaint(json!({"times": 11})).contains("between 1 and 10"));
        assert!(complaint(json!({"times": "two"})).contains("type integer"));
        assert!(complaint(json!({"times": true})).contains("type integer"));
        assert!(complaint(json!({"time": 2})).contains("did you mean `times`"));
        assert!(complaint(json!({"times": 2, "side": "up"})).contains("\"left\", \"right\""));
        assert!(complaint(json!({"times": 2, "path": [1, "x"]})).contains("item 1"));
        assert!(complaint(json!({"times": 2, "note": 5})).contains("none of its types"));
    }

    #[test]
    fn nested_objects_are_validated() {
        let schema = json!({"type": "object", "properties": {
            "kind": {"const": "plan"},
            "steps": {"type": "array", "minItems": 1, "maxItems": 2, "items": {
                "type": "object", "properties": {"what": {"type": "string", "maxLength": 5}},
                "required": ["what"], "additionalProperties": false,
            }},
            "notes": {"type": "object", "properties": {"n": {"type": "integer"}},
                "additionalProperties": {"type": "string"}},
        }, "required": ["kind", "steps"], "additionalProperties": false});
        let complaint = |value: Value| fits(&schema, &value).err().unwrap_or_default();
        assert_eq!(
            complaint(json!({"kind": "plan", "steps": [{"what": "nod"}], "notes": {"n": 1, "a": "b"}})),
            ""
        );
        for (wrong, words) in [
            (json!([]), "type object"),
            (json!({"kind": "plan"}), "lacks `steps`"),
            (json!({"kind": "plot", "steps": [{"what": "nod"}]}), "`kind` that is \"plot\"; only \"plan\""),
            (json!({"kind": "plan", "steps": []}), "has 0 items; it must have between 1 and 2"),
            (json!({"kind": "plan", "steps": [{}]}), "`steps` that has an item 0 that lacks `what`"),
            (json!({"kind": "plan", "steps": [{"what": "wiggle"}]}), "6 characters; it must have at most 5"),
            (json!({"kind": "plan", "steps": [{"what": "nod", "x": 1}]}), "has a `x`, which is not allowed"),
            (
                json!({"kind": "plan", "steps": [{"what": "nod"}], "why": 1}),
                "has a `why`, which is not allowed",
            ),
            (json!({"kind": "plan", "steps": [{"what": "nod"}], "notes": {"n": "1"}}), "`n` that is \"1\""),
            (json!({"kind": "plan", "steps": [{"what": "nod"}], "notes": {"a": 1}}), "key `a` that is 1"),
        ] {
            assert!(complaint(wrong.clone()).contains(words), "{wrong}: {}", complaint(wrong.clone()));
        }
    }

    #[test]
    fn numbers_may_differ_by_the_tolerance_only() {
        assert_eq!(difference(&json!([1.0, {"a": 2}]), &json!([1.05, {"a": 2}]), 0.1), None);
        assert!(difference(&json!([1.0]), &json!([1.2]), 0.1).is_some());
        assert!(difference(&json!({"a": 1}), &json!({"b": 1}), 0.1).is_some());
        assert!(difference(&json!("x"), &json!("y"), 9.0).is_some());
    }
}
