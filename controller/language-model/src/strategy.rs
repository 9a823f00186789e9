//! The ways to have a model call functions, and the format in which it writes calls where its endpoint
//! supports none.

use serde_json::{Map, Value, json};

use super::prompt::Function;

/// How an endpoint is asked for more than text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// By `tools` and `tool_calls`.
    Native,
    /// By a reply that the endpoint restricts to a JSON Schema.
    Schema,
    /// By a reply that the endpoint restricts to a grammar.
    Grammar,
    /// By a description of that reply, without a guarantee that the model follows it.
    Plain,
}

/// The format of a reply that calls functions or contains text, for endpoints that support no calls.
///
/// It is a list of steps, each with a function's name and arguments. One of the functions says something.
/// Small models are trained on this format.
#[derive(Clone, Copy, Debug)]
pub(super) struct StrategyPrompt<'a> {
    functions: &'a [Function],
    /// The name of the function that says something.
    say: &'static str,
}

/// The maximum number of steps in one reply. Without a limit, small models never end.
const MAX_STEPS: usize = 8;

impl<'a> StrategyPrompt<'a> {
    pub(super) fn new(functions: &'a [Function]) -> Self {
        let is_free = |name: &&str| functions.iter().all(|function| function.name != *name);
        let say = ["say", "answer", "say_to_the_person"].into_iter().find(is_free).unwrap_or("_say");
        StrategyPrompt { functions, say }
    }

    /// Returns the name of the function that says something.
    pub(super) const fn say(self) -> &'static str {
        self.say
    }

    /// Returns the JSON Schema of the reply.
    pub(super) fn schema(self) -> Value {
        let step = |name: &str, arguments: &Value| {
            json!({
                "type": "object",
                "properties": {"name": {"type": "string", "enum": [name]}, "arguments": arguments},
                "required": ["name", "arguments"],
                "additionalProperties": false,
            })
        };
        let text = json!({
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": false,
        });
        let mut steps: Vec<Value> =
            self.functions.iter().map(|function| step(&function.name, &function.parameters)).collect();
        steps.push(step(self.say, &text));
        json!({
            "type": "object",
            "properties": {"calls": {"type": "array", "items": {"anyOf": steps}, "minItems": 1, "maxItems": MAX_STEPS}},
            "required": ["calls"],
            "additionalProperties": false,
        })
    }

    /// Returns the functions and the format as instructions.
    pub(super) fn instructions(self) -> String {
        let say = self.say;
        let mut text = format!(
            "Answer with nothing but one JSON object {{\"calls\": [{{\"name\": NAME, \"arguments\": {{...}}}}, ...]}}. \
             Call as few functions as the request needs. Where none of them fits, or nothing is to be done, call `{say}` \
             alone. The functions:"
        );
        for function in self.functions {
            let parameters = function.parameters.get("properties").unwrap_or(&Value::Null);
            text.push_str(&format!(
                "\n- `{}`: {} Arguments: {parameters}",
                function.name, function.description
            ));
        }
        text.push_str(&format!(
            "\n- `{say}`: Says something to the person, in words. Arguments: {{\"text\":{{\"type\":\"string\"}}}}"
        ));
        text
    }

    /// Returns an earlier answer of the model in this format.
    pub(super) fn written(self, text: &str, calls: Vec<Value>) -> String {
        let said = (!text.is_empty()).then(|| json!({"name": self.say, "arguments": {"text": text}}));
        let steps: Vec<Value> = calls.into_iter().chain(said).collect();
        json!({"calls": steps}).to_string()
    }

    /// Returns the steps of a reply: text and calls. It also accepts two common deviations: a single call, or
    /// a bare list.
    pub(super) fn steps(self, reply: &Value) -> Option<Vec<(String, Map<String, Value>)>> {
        let steps = match reply.get("calls").or_else(|| reply.get("tool_calls")) {
            Some(Value::Array(steps)) => steps.clone(),
            _ => vec![reply.clone()],
        };
        let step = |step: &Value| {
            let step = step.get("function").filter(|function| function.is_object()).unwrap_or(step);
            let name = step.get("name")?.as_str()?.to_owned();
            let arguments = match step.get("arguments").or_else(|| step.get("parameters")) {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(arguments)) => arguments.clone(),
                Some(Value::String(text)) => serde_json::from_str(text).ok()?,
                Some(_) => return None,
            };
            Some((name, arguments))
        };
        steps.iter().map(step).collect()
    }
}
