//! Defines [`Reply`], what an endpoint sends, whole or in pieces. Only its size is checked here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::Tokens;

/// The maximum number of calls in one reply.
pub(super) const MAX_CALLS: usize = 16;

/// The maximum length of a field assembled from pieces, in bytes.
const MAX_FIELD_BYTES: usize = 4 << 20;

/// The reply of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reply {
    /// The model's text.
    #[serde(default)]
    pub(super) text: String,
    /// The calls it made, if the endpoint supports calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) calls: Vec<RawCall>,
    /// The tokens it used, if the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<Tokens>,
    /// The endpoint's reason for the end; `None` if it never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) finish: Option<String>,
}

/// A call as it was sent: the arguments are text that should be JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawCall {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

/// The reason why the received data is not a reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReplyError {
    #[error("it is not the JSON of a language model's reply")]
    NotJson,
    #[error("it makes more than {MAX_CALLS} calls at once")]
    TooManyCalls,
    #[error("it is too long")]
    TooLong,
    #[error("the server reported an error: {0}")]
    Error(String),
}

impl Reply {
    /// Returns whether any part of an answer has come.
    pub(super) const fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.calls.is_empty()
    }

    /// Takes a whole reply, or the next piece of a streamed one; returns the text that it adds.
    pub(super) fn take(&mut self, json: &str) -> Result<String, ReplyError> {
        let piece: Value = serde_json::from_str(json).map_err(|_| ReplyError::NotJson)?;
        if let Some(error) = piece.get("error").filter(|error| !error.is_null()) {
            return Err(ReplyError::Error(message(error)));
        }
        if !piece.is_object() {
            return Err(ReplyError::NotJson);
        }
        self.take_usage(piece.get("usage"));
        // The last piece of a stream may contain the token counts alone.
        let Some(choice) = piece.get("choices").and_then(|choices| choices.get(0)) else {
            let is_known = ["choices", "usage", "id", "object"].iter().any(|key| piece.get(key).is_some());
            return if is_known { Ok(String::new()) } else { Err(ReplyError::NotJson) };
        };
        if let Some(finish) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(finish.chars().take(40).collect());
        }
        let Some(said) = choice.get("delta").or_else(|| choice.get("message")) else {
            return Ok(String::new());
        };
        let mut text = text_of(said.get("content"));
        if text.is_empty() {
            text = text_of(said.get("refusal"));
        }
        append(&mut self.text, &text)?;
        for (position, call) in
            said.get("tool_calls").and_then(Value::as_array).into_iter().flatten().enumerate()
        {
            self.take_call(position, call)?;
        }
        Ok(text)
    }

    fn take_usage(&mut self, usage: Option<&Value>) {
        let count = |key| usage?.get(key)?.as_u64();
        if let (Some(prompt), Some(answer)) = (count("prompt_tokens"), count("completion_tokens")) {
            self.tokens = Some(Tokens { prompt, answer });
        }
    }

    /// Takes one call, or a piece of one. Its index identifies it or, where a server sends none, its id.
    fn take_call(&mut self, position: usize, call: &Value) -> Result<(), ReplyError> {
        let of = |key: &str| call.get("function").and_then(|function| function.get(key));
        let id = call.get("id").and_then(Value::as_str).unwrap_or_default();
        let index = call
            .get("index")
            .and_then(Value::as_u64)
            .map(|index| usize::try_from(index).unwrap_or(usize::MAX));
        let index = index.unwrap_or_else(|| match self.calls.last() {
            Some(last) if position == 0 && (id.is_empty() || last.id == id) => self.calls.len() - 1,
            _ => self.calls.len(),
        });
        if index >= MAX_CALLS {
            return Err(ReplyError::TooManyCalls);
        }
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, RawCall::default);
        }
        let Some(whole) = self.calls.get_mut(index) else { return Ok(()) };
        if whole.id.is_empty() {
            whole.id = id.chars().take(100).collect();
        }
        if whole.name.is_empty() {
            whole.name = of("name").and_then(Value::as_str).unwrap_or_default().chars().take(200).collect();
        }
        match of("arguments") {
            Some(Value::String(piece)) => append(&mut whole.arguments, piece),
            // Some servers send them as the document itself.
            Some(arguments @ Value::Object(_)) => append(&mut whole.arguments, &arguments.to_string()),
            _ => Ok(()),
        }
    }
}

fn append(whole: &mut String, piece: &str) -> Result<(), ReplyError> {
    if whole.len() + piece.len() > MAX_FIELD_BYTES {
        return Err(ReplyError::TooLong);
    }
    whole.push_str(piece);
    Ok(())
}

/// Returns a text, or the text among parts.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// Returns the message of an endpoint's error; the format differs from server to server.
pub(super) fn message(error: &Value) -> String {
    let inner = error.get("error").unwrap_or(error);
    let text = inner.get("message").or_else(|| inner.get("detail")).unwrap_or(inner);
    let text = text.as_str().map_or_else(|| text.to_string(), str::to_owned);
    let mut short: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .filter(|c| !super::fence::is_hidden(*c))
        .take(300)
        .collect();
    if text.chars().nth(300).is_some() {
        short.push_str("...");
    }
    short.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn heard(pieces: &[Value]) -> Result<Reply, ReplyError> {
        let mut reply = Reply::default();
        for piece in pieces {
            reply.take(&piece.to_string())?;
        }
        Ok(reply)
    }

    fn delta(delta: &Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
    }

    #[test]
    fn text_is_assembled_and_usage_is_read() {
        let reply = heard(&[
            delta(&json!({"role": "assistant", "content": null})),
            delta(&json!({"content": "Hel"})),
            delta(&json!({"content": "lo", "reasoning_content": "hm"})),
            json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
            json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
        ])
        .unwrap();
        assert_eq!(reply.text, "Hello");
        assert_eq!(reply.finish.as_deref(), Some("stop"));
        assert_eq!(reply.tokens, Some(Tokens { prompt: 7, answer: 2 }));
        let whole = heard(&[json!({"choices": [{"message": {"content": [{"type": "text", "text": "Hi"}]},
            "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})]);
        assert_eq!(whole.unwrap().text, "Hi");
    }

    #[test]
    fn calls_are_assembled_by_index_or_by_id() {
        let piece = |index: Value, id: &str, name: &str, arguments: &str| {
            let mut call = json!({"function": {"name": name, "arguments": arguments}});
            if !index.is_null() {
                call["index"] = index;
            }
            if !id.is_empty() {
                call["id"] = id.into();
            }
            delta(&json!({"tool_calls": [call]}))
        };
        for index in [[json!(0), json!(1)], [Value::Null, Value::Null]] {
            let reply = heard(&[
                piece(index[0].clone(), "a", "nod", "{\"ti"),
                piece(index[0].clone(), "", "", "mes\": 2}"),
                piece(index[1].clone(), "b", "look", "{}"),
            ])
            .unwrap();
            let call = |id: &str, name: &str, arguments: &str| RawCall {
                id: id.into(),
                name: name.into(),
                arguments: arguments.into(),
            };
            assert_eq!(reply.calls, [call("a", "nod", "{\"times\": 2}"), call("b", "look", "{}")]);
        }
        let endless: Vec<Value> = (0..40).map(|index| piece(json!(index), "x", "nod", "{}")).collect();
        assert_eq!(heard(&endless), Err(ReplyError::TooManyCalls));
        assert_eq!(heard(&[piece(json!(u64::MAX), "x", "nod", "{}")]), Err(ReplyError::TooManyCalls));
    }

    #[test]
    fn errors_and_garbage_are_distinguished() {
        let error = heard(&[json!({"error": {"message": "out\nof\u{202e} memory", "code": 500}})]);
        assert_eq!(error, Err(ReplyError::Error("out of memory".into())));
        for garbage in [json!([]), json!("hello"), json!({}), json!({"hello": 1})] {
            assert_eq!(heard(&[garbage]), Err(ReplyError::NotJson));
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(Reply::default().take(&deep), Err(ReplyError::NotJson));
        assert_eq!(message(&json!("x".repeat(400))).chars().count(), 303);
    }
}
