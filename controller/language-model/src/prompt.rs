//! Defines [`Prompt`]: what a model gets, what it may call, and the form of its answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::tokens;

/// One question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Prompt {
    /// Its use in one word (`coordinator`, `author`, ...), for records and not for the model.
    pub purpose: &'static str,
    /// Instructions from this program and its configuration only; never text from elsewhere.
    pub instructions: String,
    /// The dialog so far, oldest message first.
    pub messages: Vec<Message>,
    /// The form of the answer.
    pub form: Form,
    /// The maximum length of the answer, in tokens.
    pub max_tokens: u32,
}

/// The form of a model's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Text.
    Text,
    /// Text that fits a grammar. Only a local model is held to it; others are asked for text.
    Grammar {
        /// The grammar, in GBNF.
        gbnf: String,
        /// Which answer to the same prompt this is, from 0. The first one has the configured temperature; the others vary.
        sample: u32,
    },
    /// One JSON document that fits this JSON Schema (strict: every property required, no others).
    Json(Value),
    /// Text, or calls of these functions.
    Calls(Vec<Function>),
}

/// A function that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Function {
    /// Its name, an identifier.
    pub name: String,
    /// What it does, in a sentence or two.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// A message of the dialog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its author.
    pub role: Role,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// The author of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, or an agent that speaks for the person.
    Person,
    /// The model.
    Model,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// Data from elsewhere (a tool, the camera, a file, the network).
    ///
    /// The model gets it within a fence that the data can't close, as data and not as instructions.
    Data {
        /// Its source, in a few words.
        source: String,
        /// The data.
        text: String,
    },
    /// An image.
    Image {
        /// The image as JPEG.
        #[serde(with = "base64_bytes")]
        jpeg: Vec<u8>,
    },
    /// A call that the model made.
    Called {
        /// The model's id for this call.
        id: String,
        /// The function.
        name: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// The result of a call; data, like that from elsewhere.
    Returned {
        /// The model's id for the call.
        id: String,
        /// The function.
        name: String,
        /// The result.
        text: String,
    },
}

impl Prompt {
    /// Estimates the number of tokens.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        let form = match &self.form {
            // A grammar is no part of the text that a model gets.
            Form::Text | Form::Grammar { .. } => String::new(),
            Form::Json(schema) => schema.to_string(),
            Form::Calls(functions) => serde_json::to_string(functions).unwrap_or_default(),
        };
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let parts = parts.map(|part| match part {
            Part::Text { text } | Part::Returned { text, .. } => tokens::of_text(text),
            Part::Data { source, text } => tokens::of_text(source) + tokens::of_text(text),
            Part::Image { .. } => tokens::IMAGE,
            Part::Called { name, arguments, .. } => {
                tokens::of_text(name)
                    + arguments.values().map(|value| tokens::of_text(&value.to_string())).sum::<u64>()
            }
        });
        tokens::of_text(&self.instructions) + tokens::of_text(&form) + parts.sum::<u64>()
    }
}

impl Message {
    /// Returns a message of the person.
    #[must_use]
    pub fn person(text: impl Into<String>) -> Self {
        Message { role: Role::Person, parts: vec![Part::Text { text: text.into() }] }
    }

    /// Returns a message of the model.
    #[must_use]
    pub fn model(text: impl Into<String>) -> Self {
        Message { role: Role::Model, parts: vec![Part::Text { text: text.into() }] }
    }
}

/// Stores bytes as base64 in records.
mod base64_bytes {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(bytes))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        STANDARD.decode(String::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}
