//! Reads a reply in the requested form, and says what is wrong with one in another form.

use serde_json::{Map, Value};

use super::answer::{Call, Completion};
use super::json_extract;
use super::prompt::{Form, Function, Part, Prompt};
use super::reply::{MAX_CALLS, RawCall, Reply};
use super::strategy::{Strategy, StrategyPrompt};
use minismith_analysis::arguments::fits;

/// The reason why a reply can't be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UnusableReply {
    /// The reason as a clause for the model and a person.
    pub(super) reason: String,
    /// Whether the model can correct it.
    pub(super) can_be_fixed: bool,
}

impl UnusableReply {
    fn fixable(reason: impl Into<String>) -> Self {
        UnusableReply { reason: reason.into(), can_be_fixed: true }
    }

    fn unfixable(reason: impl Into<String>) -> Self {
        UnusableReply { reason: reason.into(), can_be_fixed: false }
    }
}

/// Returns the content of the reply, in the form of the prompt.
pub(super) fn read(reply: &Reply, prompt: &Prompt, strategy: Strategy) -> Result<Completion, UnusableReply> {
    let was_cut = reply.finish.as_deref() == Some("length");
    let text = answer_text(&reply.text);
    if reply.finish.as_deref() == Some("content_filter") {
        return Err(UnusableReply::unfixable("the endpoint's filter withheld it"));
    }
    let read = match (&prompt.form, strategy) {
        (Form::Text | Form::Grammar { .. }, _) if text.is_empty() => {
            Err(UnusableReply::fixable("it is empty"))
        }
        // A text that was cut off is no sentence of the grammar.
        (Form::Grammar { .. }, Strategy::Grammar) if was_cut => {
            Err(UnusableReply::unfixable("it does not end as the grammar says"))
        }
        (Form::Text | Form::Grammar { .. }, _) => Ok(Completion::Text(text.to_owned())),
        (Form::Json(schema), _) => document(text, schema).map(Completion::Json),
        (Form::Calls(functions), Strategy::Native) => native(reply, text, functions, prompt),
        (Form::Calls(functions), _) => spoken(text, functions, prompt, strategy),
    };
    read.map_err(|unfit| match was_cut {
        // A repeated answer would be as long.
        true => {
            UnusableReply::unfixable(format!("it is longer than the tokens it was given; {}", unfit.reason))
        }
        false => unfit,
    })
}

/// Returns the answer without what a model thought before it.
fn answer_text(text: &str) -> &str {
    let clamped = text.trim();
    match clamped.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        Some((_, answer)) => answer.trim(),
        None => clamped,
    }
}

fn document(text: &str, schema: &Value) -> Result<Value, UnusableReply> {
    let document =
        json_extract::object(text).ok_or_else(|| UnusableReply::fixable("it holds no whole JSON object"))?;
    match fits(schema, &document) {
        Ok(()) => Ok(document),
        Err(complaint) => Err(UnusableReply::fixable(format!("the object {complaint}"))),
    }
}

fn native(
    reply: &Reply,
    text: &str,
    functions: &[Function],
    prompt: &Prompt,
) -> Result<Completion, UnusableReply> {
    let mut calls = Vec::new();
    for RawCall { id, name, arguments } in &reply.calls {
        let arguments = match arguments.trim() {
            "" => Map::new(),
            arguments => serde_json::from_str(arguments).map_err(|_| {
                UnusableReply::fixable(format!("the arguments of `{}` are no JSON object", short(name)))
            })?,
        };
        calls.push((id.clone(), name.clone(), arguments));
    }
    said(text.to_owned(), calls, functions, prompt)
}

fn spoken(
    text: &str,
    functions: &[Function],
    prompt: &Prompt,
    strategy: Strategy,
) -> Result<Completion, UnusableReply> {
    let spoken = StrategyPrompt::new(functions);
    let Some(reply) = json_extract::object(text) else {
        return match strategy {
            // The form was only described, and a sentence is an answer too.
            Strategy::Plain if !text.is_empty() && !text.contains("\"name\"") => {
                Ok(Completion::Text(text.to_owned()))
            }
            _ => Err(UnusableReply::fixable("it holds no whole JSON object")),
        };
    };
    let steps = spoken.steps(&reply).ok_or_else(|| {
        UnusableReply::fixable("it has not the form {\"calls\": [{\"name\": ..., \"arguments\": {...}}]}")
    })?;
    let (mut texts, mut calls) = (Vec::new(), Vec::new());
    for (name, arguments) in steps {
        match arguments.get("text").and_then(Value::as_str) {
            Some(text) if name == spoken.say() => texts.push(text.trim().to_owned()),
            None if name == spoken.say() => {
                return Err(UnusableReply::fixable(format!("`{name}` needs its `text`")));
            }
            _ => calls.push((String::new(), name, arguments)),
        }
    }
    said(texts.join("\n"), calls, functions, prompt)
}

/// Returns calls of offered functions, each with a unique id.
fn said(
    text: String,
    raw: Vec<(String, String, Map<String, Value>)>,
    functions: &[Function],
    prompt: &Prompt,
) -> Result<Completion, UnusableReply> {
    if raw.len() > MAX_CALLS {
        return Err(UnusableReply::unfixable(format!("it makes more than {MAX_CALLS} calls at once")));
    }
    let made = |part: &&Part| matches!(part, Part::Called { .. });
    let before = prompt.messages.iter().flat_map(|message| &message.parts).filter(made).count();
    let mut calls: Vec<Call> = Vec::new();
    for (id, name, arguments) in raw {
        if functions.iter().all(|function| function.name != name) {
            let offered: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
            return Err(UnusableReply::fixable(format!(
                "it calls `{}`, and the functions are {}",
                short(&name),
                offered.join(", ")
            )));
        }
        let is_taken = id.is_empty() || calls.iter().any(|call| call.id == id);
        let id = if is_taken { format!("call_{}", before + calls.len() + 1) } else { id };
        calls.push(Call { id, name, arguments });
    }
    match (calls.is_empty(), text.is_empty()) {
        (true, true) => Err(UnusableReply::fixable("it is empty")),
        (true, false) => Ok(Completion::Text(text)),
        (false, _) => Ok(Completion::Calls { text, calls }),
    }
}

fn short(name: &str) -> String {
    super::fence::shown(name).chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests;
