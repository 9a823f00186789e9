//! Defines [`EndpointCapabilities`], what an endpoint supports and rejects: probed once, and kept for as long as the
//! program runs.

use serde_json::{Value, json};

use super::prompt::{Form, Function, Message, Prompt};
use super::reply::Reply;

/// The known capabilities of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct EndpointCapabilities {
    /// Whether it answers with `tool_calls`; `None` before the probe.
    pub(super) calls: Option<bool>,
    /// Whether it supports `response_format`; `None` before the probe.
    pub(super) schemas: Option<bool>,
    /// Whether it takes a grammar in GBNF.
    pub(super) grammars: bool,
    /// Whether it expects the length of the answer under the newer key.
    newer_name: bool,
    /// Keys of a request that it rejects.
    left_out: Vec<&'static str>,
}

/// Keys that a request can omit without a change of its meaning.
const OPTIONAL: [&str; 4] = ["stream_options", "seed", "temperature", "tool_choice"];

const LENGTH: &str = "max_tokens";
const NEWER_LENGTH: &str = "max_completion_tokens";

impl EndpointCapabilities {
    /// Returns the capabilities of the local model's server: small models write calls as JSON, which a schema guarantees.
    pub(super) fn of_local_model() -> Self {
        EndpointCapabilities {
            calls: Some(false),
            schemas: Some(true),
            grammars: true,
            ..EndpointCapabilities::default()
        }
    }

    /// Adapts a request to the endpoint.
    pub(super) fn suit(&self, request: &mut Value) {
        let Some(keys) = request.as_object_mut() else { return };
        keys.retain(|key, _| !self.left_out.contains(&key.as_str()));
        if self.newer_name
            && let Some(length) = keys.shift_remove(LENGTH)
        {
            keys.insert(NEWER_LENGTH.into(), length);
        }
    }

    /// Learns from an error that names an unneeded key. Returns `false` if it names none.
    pub(super) fn learn(&mut self, refusal: &str) -> bool {
        if refusal.contains(LENGTH) && refusal.contains(NEWER_LENGTH) && !self.newer_name {
            self.newer_name = true;
            return true;
        }
        let named = OPTIONAL.iter().find(|key| refusal.contains(**key) && !self.left_out.contains(*key));
        self.left_out.extend(named);
        named.is_some()
    }
}

/// Returns a probe that a model can only answer by a call.
pub(super) fn call_probe() -> Prompt {
    let ready =
        Function { name: READY.into(), description: "Tells that you are ready.".into(), parameters: word() };
    probe("You call functions.", "Call the function `ready` with the word yes.", Form::Calls(vec![ready]))
}

/// Returns whether that probe was answered by a proper call.
pub(super) fn is_call(reply: &Reply) -> bool {
    reply.calls.first().is_some_and(|call| {
        call.name == READY
            && serde_json::from_str::<Value>(&call.arguments).is_ok_and(|word| word.is_object())
    })
}

/// Returns a probe whose answer must fit a schema.
pub(super) fn schema_probe() -> Prompt {
    probe("You answer in JSON.", "Are you ready?", Form::Json(word()))
}

const READY: &str = "ready";

fn word() -> Value {
    json!({
        "type": "object",
        "properties": {"word": {"type": "string", "enum": ["yes"]}},
        "required": ["word"],
        "additionalProperties": false,
    })
}

fn probe(instructions: &str, question: &str, form: Form) -> Prompt {
    Prompt {
        purpose: "probe",
        instructions: instructions.into(),
        messages: vec![Message::person(question)],
        form,
        max_tokens: 64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_names_a_key_is_learnt_once() {
        let mut habits = EndpointCapabilities::default();
        let request = json!({"model": "m", "max_tokens": 5, "temperature": 0, "seed": 1, "stream": true});
        let suited = |habits: &EndpointCapabilities| {
            let mut request = request.clone();
            habits.suit(&mut request);
            request.to_string()
        };
        assert!(habits.learn("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."));
        assert!(habits.learn("Unsupported value: 'temperature' does not support 0 with this model."));
        assert!(!habits.learn("'temperature' again"));
        assert!(!habits.learn("this model's context is 2048 tokens"));
        assert_eq!(suited(&habits), r#"{"model":"m","seed":1,"stream":true,"max_completion_tokens":5}"#);
        assert_eq!(suited(&EndpointCapabilities::default()), request.to_string());
    }
}
