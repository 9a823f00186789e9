//! Generates values for a tool's parameters from their types and ranges: plain values, range ends, and random ones.

use serde_json::{Map, Value, json};

use minismith_analysis::samples;
use minismith_runtime::chance::Chance;

/// Maximum number of range ends that are tried.
const MAX_CORNERS: usize = 16;

/// Number of random calls.
const RANDOM_CALLS: usize = 3;

/// Returns values for the parameters without a default, and whether none was needed. Defaults are left to the tool
/// itself.
pub(super) fn default_arguments(schema: &Value) -> (Map<String, Value>, bool) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let parameter = schema.pointer(&format!("/properties/{name}")).unwrap_or(&Value::Null);
        arguments.insert(name.into(), plain_value(parameter));
    }
    let all_default = arguments.is_empty();
    (arguments, all_default)
}

/// Returns an unremarkable value for a schema.
#[must_use]
pub fn plain_value(schema: &Value) -> Value {
    if let Some(sample) = samples::named_for(schema).into_iter().next() {
        return sample;
    }
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let middle = match (bound("minimum"), bound("maximum")) {
        (Some(low), Some(high)) => f64::midpoint(low, high),
        (Some(low), None) => low.max(1.0),
        (None, Some(high)) => high.min(1.0),
        (None, None) => 1.0,
    };
    if let Some(first) = schema.get("enum").and_then(Value::as_array).and_then(|values| values.first()) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => json!(middle.round() as i64),
        Some("number") => {
            json!(if bound("minimum").is_none() && bound("maximum").is_none() { 0.5 } else { middle })
        }
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("string") => json!("hello"),
        _ => Value::Null,
    }
}

/// Returns calls with each parameter at the ends of its range and the others at their defaults, then with all at their
/// ends.
///
/// Each call comes with the tested parameter and a name.
pub(super) fn corners(
    schema: &Value,
    defaults: &Map<String, Value>,
) -> Vec<(String, String, Map<String, Value>)> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, parameter) in properties {
        for value in ends(parameter) {
            let mut arguments = defaults.clone();
            let call = format!("{name}={value}");
            arguments.insert(name.clone(), value);
            found.push((name.clone(), call, arguments));
        }
    }
    found.truncate(MAX_CORNERS);
    found
}

fn ends(parameter: &Value) -> Vec<Value> {
    let samples = samples::named_for(parameter);
    if !samples.is_empty() {
        return samples;
    }
    if let Some(values) = parameter.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let ends: Vec<Value> =
        ["minimum", "maximum"].into_iter().filter_map(|key| parameter.get(key).cloned()).collect();
    match parameter.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("integer" | "number") if ends.is_empty() => vec![json!(0), json!(-1)],
        Some("integer" | "number") => ends,
        Some("string") if parameter.get("format").is_none() => vec![json!("")],
        Some("array") => vec![json!([]), Value::Array(vec![item(parameter); 3])],
        _ => Vec::new(),
    }
}

fn item(parameter: &Value) -> Value {
    parameter.get("items").map_or(Value::Null, plain_value)
}

/// Returns random calls in which every parameter has a value of its type and range. The calls are the same each time.
pub(super) fn random_calls(schema: &Value, defaults: &Map<String, Value>) -> Vec<Map<String, Value>> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else { return Vec::new() };
    let mut chance = ValueGenerator(Chance(0x5eed));
    let call = |_| {
        let mut arguments = defaults.clone();
        for (name, parameter) in properties {
            arguments.extend(chance.value(parameter, 2).map(|value| (name.clone(), value)));
        }
        arguments
    };
    (0..RANDOM_CALLS).map(call).collect()
}

/// A generator of random values.
struct ValueGenerator(Chance);

impl ValueGenerator {
    fn one_of<'a>(&mut self, values: &'a [Value]) -> Option<&'a Value> {
        let length = values.len().max(1) as u64;
        values.get((self.0.next() % length) as usize)
    }

    /// Returns a value for this schema, or `None` if the schema is too vague.
    fn value(&mut self, schema: &Value, depth: u8) -> Option<Value> {
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return self.one_of(values).cloned();
        }
        if let Some(choices) = schema.get("anyOf").and_then(Value::as_array) {
            let choice = self.one_of(choices)?.clone();
            return self.value(&choice, depth);
        }
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        let (low, high) = match (bound("minimum"), bound("maximum")) {
            (Some(low), Some(high)) => (low, high),
            (Some(low), None) => (low, low + 10.0),
            (None, Some(high)) => (high - 10.0, high),
            (None, None) => (-5.0, 5.0),
        };
        let number = low + (high - low) * self.0.share();
        match schema.get("type").and_then(Value::as_str)? {
            "integer" => Some(json!(number.round().clamp(low.ceil(), high.floor()) as i64)),
            "number" => Some(json!((number * 1e3).round() / 1e3)),
            "boolean" => Some(json!(self.0.next().is_multiple_of(2))),
            "string" if schema.get("format").is_none() => {
                let long = "x".repeat(300);
                let texts = json!(["", "hello", "Grüße an alle!", "a\nb\tc", long, "{} %s \\n", "0"]);
                self.one_of(texts.as_array()?).cloned()
            }
            "array" if depth > 0 => {
                let items = schema.get("items")?;
                (0..self.0.next() % 4)
                    .map(|_| self.value(items, depth - 1))
                    .collect::<Option<_>>()
                    .map(Value::Array)
            }
            "null" => Some(Value::Null),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_analysis::arguments::accept;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "x": {"type": "number"}, "times": {"type": "integer", "minimum": 1, "maximum": 10, "default": 2},
            "side": {"enum": ["left", "right"]}, "path": {"type": "array", "items": {"type": "number"}},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "loud": {"type": "boolean"},
        }, "required": ["x"], "additionalProperties": false})
    }

    #[test]
    fn default_arguments_fills_only_parameters_without_default() {
        let (arguments, all_default) = default_arguments(&schema());
        assert!(!all_default);
        assert_eq!(Value::Object(arguments.clone()), json!({"x": 0.5}));
        let corners = corners(&schema(), &arguments);
        assert!(corners.iter().any(|(at, name, call)| {
            (at.as_str(), name.as_str(), &call["x"]) == ("times", "times=10", &json!(0.5))
        }));
        assert!(default_arguments(&json!({"properties": {}})).1);
    }

    #[test]
    fn random_calls_fit_the_schema_and_repeat() {
        let calls = random_calls(&schema(), &Map::new());
        assert_eq!(calls.len(), RANDOM_CALLS);
        for call in
            calls.iter().chain(corners(&schema(), &default_arguments(&schema()).0).iter().map(|it| &it.2))
        {
            assert_eq!(accept(&schema(), call), Ok(()), "{call:?}");
        }
        assert_eq!(calls, random_calls(&schema(), &Map::new()));
        assert!(calls.windows(2).any(|pair| pair[0] != pair[1]));
        assert!(random_calls(&json!({"properties": {}}), &Map::new()).is_empty());
    }
}
