//! Which calls of a tool are rehearsed: its default, its own cases and examples, the corners of its parameters, other
//! starting postures, and a sweep of the body's own variation.

use mock_robot::dynamics::Variation;
use serde_json::{Map, Value, json};

use super::manifest::{Capability, Expectation, TestCase};
use super::policy::Vetted;

/// Where the body stands when a case begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The initial posture.
    Neutral,
    /// Body and head turned left.
    Turned,
    /// Head low, leaning.
    Low,
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Case {
    /// For people.
    pub name: String,
    /// Whether a failure refuses the tool. In corners that were made up, a failure is only told.
    pub must_pass: bool,
    /// Whether it repeats the first case, and so must move the same.
    pub again: bool,
    /// What the tool is called with.
    pub arguments: Map<String, Value>,
    /// What is expected of it.
    pub expect: Expectation,
    /// Where the body stands.
    pub start: Start,
    /// How the body differs from the nominal one.
    pub variation: Variation,
}

/// Corners that are rehearsed at most.
const CORNERS: usize = 16;

/// All cases of a tool; the first is its default call.
#[must_use]
pub fn cases_for(vetted: &Vetted, own: &[TestCase]) -> Vec<Case> {
    let schema = vetted.entry().parameters_schema();
    // A call that needs made-up values may well be out of the tool's range: it need not pass then.
    let (defaults, all_default) = default_arguments(&schema);
    let call = |name: String, arguments: &Map<String, Value>| Case {
        name,
        must_pass: all_default,
        again: false,
        arguments: arguments.clone(),
        expect: Expectation::Anything,
        start: Start::Neutral,
        variation: Variation::default(),
    };
    let mut cases = vec![call("default".into(), &defaults)];
    cases.push(Case { again: true, ..call("default again".into(), &defaults) });
    for TestCase { name, arguments, expect, .. } in own {
        let expect = expect.clone();
        cases.push(Case { must_pass: true, expect, ..call(format!("own: {name}"), arguments) });
    }
    for (name, arguments) in corners(&schema, &defaults) {
        cases.push(Case { must_pass: false, ..call(format!("corner: {name}"), &arguments) });
    }
    if vetted.capabilities().contains(&Capability::Motion) {
        for (name, start) in [("turned", Start::Turned), ("low", Start::Low)] {
            cases.push(Case { start, ..call(format!("start: {name}"), &defaults) });
        }
        for (name, variation) in sweep() {
            cases.push(Case { variation, ..call(format!("sweep: {name}"), &defaults) });
        }
    }
    cases
}

/// Plus and minus thirty percent of gain, friction and delay.
fn sweep() -> Vec<(String, Variation)> {
    let nominal = Variation::default();
    [0.7, 1.3]
        .into_iter()
        .flat_map(|factor| {
            [
                (format!("gain {factor}"), Variation { gain: factor, ..nominal }),
                (format!("friction {factor}"), Variation { friction: factor, ..nominal }),
                (format!("delay {factor}"), Variation { delay: factor, ..nominal }),
            ]
        })
        .collect()
}

/// Values for the parameters that have no default; defaults are left to the tool itself.
fn default_arguments(schema: &Value) -> (Map<String, Value>, bool) {
    let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut arguments = Map::new();
    for name in required.iter().filter_map(Value::as_str) {
        let parameter = schema.pointer(&format!("/properties/{name}")).unwrap_or(&Value::Null);
        arguments.insert(name.into(), plain_value(parameter));
    }
    let all_default = arguments.is_empty();
    (arguments, all_default)
}

/// An unremarkable value of a schema.
#[must_use]
pub fn plain_value(schema: &Value) -> Value {
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

/// Each parameter at the ends of its range, the others at their defaults.
fn corners(schema: &Value, defaults: &Map<String, Value>) -> Vec<(String, Map<String, Value>)> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let mut found = Vec::new();
    for (name, parameter) in properties {
        for value in ends(parameter) {
            let mut arguments = defaults.clone();
            let call = format!("{name}={value}");
            arguments.insert(name.clone(), value);
            found.push((call, arguments));
        }
    }
    found.truncate(CORNERS);
    found
}

fn ends(parameter: &Value) -> Vec<Value> {
    if let Some(values) = parameter.get("enum").and_then(Value::as_array) {
        return values.clone();
    }
    let ends: Vec<Value> =
        ["minimum", "maximum"].into_iter().filter_map(|key| parameter.get(key).cloned()).collect();
    match parameter.get("type").and_then(Value::as_str) {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("integer" | "number") if ends.is_empty() => vec![json!(0), json!(-1)],
        Some("integer" | "number") => ends,
        Some("string") => vec![json!("")],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_made_up_only_for_what_has_no_default() {
        let schema = json!({"properties": {
            "x": {"type": "number"}, "times": {"type": "integer", "minimum": 1, "maximum": 10, "default": 2},
        }, "required": ["x"]});
        let (arguments, all_default) = default_arguments(&schema);
        assert!(!all_default);
        assert_eq!(Value::Object(arguments.clone()), json!({"x": 0.5}));
        let corners = corners(&schema, &arguments);
        assert_eq!(corners.len(), 4);
        assert!(corners.iter().any(|(name, call)| name == "times=10" && call["x"] == json!(0.5)));
        assert!(default_arguments(&json!({"properties": {}})).1);
    }
}
