//! Builds the request for an endpoint: a prompt as the JSON body of a chat completion.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::fence::{RULE, fence, shown, shown_in};
use super::prompt::{Form, Function, Message, Part, Prompt, Role};
use super::strategy::{Strategy, StrategyPrompt};

/// The maximum length of a function's description, in characters.
const MAX_DESCRIPTION_LEN: usize = 600;

/// The least temperature of further answers to one prompt.
const SAMPLE_TEMPERATURE: f64 = 0.7;

/// The settings of an endpoint's model, from the configuration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RequestOptions {
    pub(super) model: String,
    pub(super) answer_tokens: u32,
    pub(super) temperature: f64,
    pub(super) seed: u32,
}

/// Builds the request for a prompt.
pub(super) fn request(prompt: &Prompt, strategy: Strategy, manner: &RequestOptions) -> Value {
    let mut instructions = format!("{}\n\n{RULE}", shown(prompt.instructions.trim_end()));
    let mut more = Map::new();
    let functions: Vec<Function> = match &prompt.form {
        Form::Calls(functions) => functions.iter().map(sanitize).collect(),
        _ => Vec::new(),
    };
    match (&prompt.form, strategy) {
        (Form::Grammar { gbnf, sample }, strategy) => {
            if strategy == Strategy::Grammar {
                more.insert("grammar".into(), gbnf.as_str().into());
            }
            if *sample > 0 {
                more.insert("temperature".into(), manner.temperature.max(SAMPLE_TEMPERATURE).into());
                more.insert("seed".into(), manner.seed.wrapping_add(*sample).into());
            }
        }
        (Form::Text, _) => {}
        (Form::Json(schema), _) => {
            instructions.push_str(&format!(
                "\n\nAnswer with nothing but one JSON object that fits this JSON Schema:\n{schema}"
            ));
            if strategy != Strategy::Plain {
                more.insert("response_format".into(), response_format(schema));
            }
        }
        (Form::Calls(_), Strategy::Native) => {
            let tools = functions.iter().map(|function| json!({"type": "function", "function": function}));
            more.insert("tools".into(), tools.collect());
            more.insert("tool_choice".into(), "auto".into());
        }
        (Form::Calls(_), _) => {
            let spoken = StrategyPrompt::new(&functions);
            instructions.push_str(&format!("\n\n{}", spoken.instructions()));
            if strategy == Strategy::Schema {
                more.insert("response_format".into(), response_format(&spoken.schema()));
            }
        }
    }
    let mut body = json!({
        "model": manner.model,
        "messages": messages(instructions, prompt, &functions, strategy),
        "max_tokens": prompt.max_tokens.min(manner.answer_tokens),
        "temperature": manner.temperature,
        "seed": manner.seed,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if let Some(body) = body.as_object_mut() {
        body.extend(more);
    }
    body
}

fn response_format(schema: &Value) -> Value {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "strict": true, "schema": schema}})
}

/// Adds the model's answer and why it can't be used, so that the model can correct it.
pub(super) fn add_complaint(request: &mut Value, said: &str, complaint: &str) {
    let said: String = shown(said).chars().take(4000).collect();
    let complaint = format!("That answer can't be used: {complaint}. Answer again, and put that right.");
    if let Some(messages) = request.get_mut("messages").and_then(Value::as_array_mut) {
        if !said.is_empty() {
            messages.push(json!({"role": "assistant", "content": said}));
        }
        messages.push(json!({"role": "user", "content": complaint}));
    }
}

/// Shortens and escapes a function's description, since it may come from the author of a tool.
fn sanitize(function: &Function) -> Function {
    Function {
        name: function.name.clone(),
        description: shown(&function.description)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(MAX_DESCRIPTION_LEN)
            .collect(),
        parameters: shown_in(&function.parameters),
    }
}

fn messages(instructions: String, prompt: &Prompt, functions: &[Function], strategy: Strategy) -> Vec<Value> {
    let is_native = strategy == Strategy::Native && matches!(prompt.form, Form::Calls(_));
    let mut talk = Talk {
        spoken: StrategyPrompt::new(functions),
        answered: if is_native { answered(&prompt.messages) } else { BTreeSet::new() },
        writes_calls: matches!(prompt.form, Form::Calls(_)) && !is_native,
        said: vec![json!({"role": "system", "content": instructions})],
        turn: Turn::default(),
    };
    for (position, message) in prompt.messages.iter().enumerate() {
        talk.add(position, message);
    }
    talk.end_turn();
    talk.said
}

/// Returns the calls that have a result right after them, by message and id. Only those may be sent as calls:
/// endpoints reject a call without a result, and a result without a call.
fn answered(messages: &[Message]) -> BTreeSet<(usize, &str)> {
    let mut answered = BTreeSet::new();
    for (position, message) in messages.iter().enumerate() {
        for part in &message.parts {
            let Part::Called { id: called, .. } = part else { continue };
            for (later, message) in messages.iter().enumerate().skip(position + 1) {
                let returned = |part: &Part| matches!(part, Part::Returned { id, .. } if id == called);
                if message.parts.iter().any(returned) {
                    answered.insert((position, called.as_str()));
                    answered.insert((later, called.as_str()));
                    break;
                }
                if !message.parts.iter().all(|part| matches!(part, Part::Returned { .. })) {
                    break;
                }
            }
        }
    }
    answered
}

/// The consecutive messages of one side.
#[derive(Default)]
struct Turn {
    role: Option<Role>,
    texts: Vec<String>,
    images: Vec<Value>,
    /// Calls in the endpoint's format.
    calls: Vec<Value>,
    /// Calls as the model writes them in its text.
    written: Vec<Value>,
}

/// The dialog in the endpoint's format: sides alternate, and calls are in place.
struct Talk<'a> {
    spoken: StrategyPrompt<'a>,
    /// The calls that are sent as calls, with their results.
    answered: BTreeSet<(usize, &'a str)>,
    /// Whether the model writes its calls in its text.
    writes_calls: bool,
    said: Vec<Value>,
    turn: Turn,
}

impl<'a> Talk<'a> {
    fn add(&mut self, position: usize, message: &'a Message) {
        // Results of calls must follow them before any other message.
        let (returned, others): (Vec<&Part>, Vec<&Part>) =
            message.parts.iter().partition(|part| matches!(part, Part::Returned { .. }));
        for part in returned.into_iter().chain(others) {
            let role = match part {
                Part::Called { .. } => Role::Model,
                Part::Data { .. } | Part::Image { .. } | Part::Returned { .. } => Role::Person,
                Part::Text { .. } => message.role,
            };
            if self.turn.role != Some(role) {
                self.end_turn();
                self.turn.role = Some(role);
            }
            self.add_part(position, part);
        }
    }

    fn add_part(&mut self, position: usize, part: &'a Part) {
        match part {
            Part::Text { text } => self.turn.texts.push(shown(text)),
            Part::Data { source, text } => self.turn.texts.push(fence(source, text)),
            Part::Image { jpeg } => self.turn.images.push(json!({
                "type": "image_url",
                "image_url": {"url": format!("data:image/jpeg;base64,{}", STANDARD.encode(jpeg))},
            })),
            Part::Called { id, name, arguments } if self.answered.contains(&(position, id.as_str())) => {
                self.turn.calls.push(json!({
                    "id": id,
                    "type": "function",
                    "function": {"name": name, "arguments": shown_in(&arguments.clone().into()).to_string()},
                }));
            }
            Part::Called { name, arguments, .. } => {
                self.turn
                    .written
                    .push(json!({"name": name, "arguments": shown_in(&arguments.clone().into())}));
            }
            Part::Returned { id, name, text } if self.answered.contains(&(position, id.as_str())) => {
                let content = fence(&format!("the function {name}"), text);
                self.end_turn();
                self.said.push(json!({"role": "tool", "tool_call_id": id, "content": content}));
                self.turn.role = Some(Role::Person);
            }
            Part::Returned { name, text, .. } => {
                self.turn.texts.push(fence(&format!("the function {name}"), text));
            }
        }
    }

    fn end_turn(&mut self) {
        let turn = std::mem::take(&mut self.turn);
        let text = turn.texts.join("\n\n");
        match turn.role {
            None => {}
            Some(Role::Person) if turn.images.is_empty() && text.is_empty() => {}
            Some(Role::Person) if turn.images.is_empty() => {
                self.said.push(json!({"role": "user", "content": text}));
            }
            Some(Role::Person) => {
                let mut content = turn.images;
                content.push(json!({"type": "text", "text": text}));
                self.said.push(json!({"role": "user", "content": content}));
            }
            Some(Role::Model) if self.writes_calls => {
                let content = self.spoken.written(&text, turn.written);
                self.said.push(json!({"role": "assistant", "content": content}));
            }
            Some(Role::Model) => {
                let reported = turn.written.iter().map(|call| format!("(I called {call})"));
                let lines: Vec<String> =
                    Some(text).filter(|text| !text.is_empty()).into_iter().chain(reported).collect();
                let content = lines.join("\n");
                self.said.push(match turn.calls.is_empty() {
                    true => json!({"role": "assistant", "content": content}),
                    false => json!({"role": "assistant", "content": content, "tool_calls": turn.calls}),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests;
