//! Reads chat completion requests, most of whose fields do not apply to a robot. Pure.

use axum::http::StatusCode;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::super::request_queue::MAX_SENTENCE_BYTES;
use super::error::OpenAiError;
use minismith_assistant::agents::route::Style;

/// The models: the robot, and the robot with a fixed working style of its agents.
pub(super) const MODELS: [(&str, Option<Style>); 3] =
    [("minismith", None), ("minismith-react", Some(Style::React)), ("minismith-plan", Some(Style::Plan))];

/// Maximum length of a session name.
const MAX_NAME_BYTES: usize = 40;

/// A chat completion request.
#[derive(Debug)]
pub(super) struct ChatRequest {
    /// The requested model.
    pub(super) model: &'static str,
    /// The agents' working style; `None` lets the request decide.
    pub(super) style: Option<Style>,
    /// The last user message.
    pub(super) text: String,
    /// The files of the message; with files, the message is a question about them.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// The session to continue.
    pub(super) session: Option<String>,
    /// Whether to stream the response.
    pub(super) streams: bool,
    /// Whether the stream ends with the token usage.
    pub(super) reports_usage: bool,
}

/// The fields that are read; all others are ignored.
#[derive(Deserialize)]
struct Fields {
    model: String,
    messages: Vec<Message>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    #[serde(default)]
    agent_type: Option<String>,
    #[serde(default)]
    user: Option<String>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(flatten)]
    others: Map<String, Value>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Message {
    role: String,
    #[serde(default)]
    content: Value,
}

/// Returns the model of a name.
pub(super) fn model(name: &str) -> Result<(&'static str, Option<Style>), OpenAiError> {
    let found = MODELS.into_iter().find(|(known, _)| *known == name);
    found.ok_or_else(|| {
        let short: String = name.chars().take(60).collect();
        let known = MODELS.map(|(known, _)| known).join(", ");
        let why = format!("the model `{short}` does not exist; there is {known}");
        OpenAiError::asked("model", why).of_status(StatusCode::NOT_FOUND).coded("model_not_found")
    })
}

/// Reads a request; `session` is the session that its headers name.
pub(super) fn read(body: &[u8], session: Option<&str>) -> Result<ChatRequest, OpenAiError> {
    let fields: Fields = serde_json::from_slice(body).map_err(|error| {
        OpenAiError::asked("messages", format!("invalid chat completion request: {error}"))
    })?;
    let (model, style) = model(&fields.model)?;
    unanswerable(&fields.others)?;
    let style = match fields.agent_type.as_deref() {
        None => style,
        Some("auto") => None,
        Some("react") => Some(Style::React),
        Some("plan") => Some(Style::Plan),
        Some(_) => {
            return Err(OpenAiError::asked("agent_type", "unknown `agent_type`; use auto, react or plan"));
        }
    };
    let Some(last) = fields.messages.iter().rfind(|message| message.role == "user") else {
        return Err(OpenAiError::asked("messages", "no user message; send at least one"));
    };
    let (text, files) = content(&last.content)?;
    if text.trim().is_empty() || text.len() > MAX_SENTENCE_BYTES {
        return Err(OpenAiError::asked(
            "messages",
            format!(
                "the last user message is empty or too long: send 1 byte to {} kB",
                MAX_SENTENCE_BYTES >> 10
            ),
        ));
    }
    let named = fields.metadata.as_ref().and_then(|metadata| metadata.get("session")).and_then(Value::as_str);
    let session = match session.or(named) {
        Some(name) if is_name(name) => Some(name.to_owned()),
        Some(_) => {
            let why = "invalid session name; use 1 to 40 letters, digits, `-` and `_`";
            return Err(OpenAiError::asked("metadata", why));
        }
        None => fields.user.filter(|user| !user.is_empty()).map(|user| of_user(&user)),
    };
    let reports_usage = fields.stream_options.and_then(|options| options.include_usage).unwrap_or(false);
    Ok(ChatRequest {
        model,
        style,
        text,
        files,
        session,
        streams: fields.stream.unwrap_or(false),
        reports_usage,
    })
}

/// Rejects fields that a robot does not support.
fn unanswerable(fields: &Map<String, Value>) -> Result<(), OpenAiError> {
    let asks = |key: &str| match fields.get(key) {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(Value::Number(number)) => number.as_f64() != Some(1.0),
        Some(_) => true,
    };
    for (key, why) in [
        ("n", "unsupported: the robot gives one answer; omit `n`"),
        (
            "tools",
            "unsupported: the robot uses its own tools; omit `tools`, or use yours with its MCP server at /mcp",
        ),
        ("functions", "unsupported: the robot uses its own tools; omit `functions`"),
        ("logprobs", "unsupported: the robot's answers have no probabilities; omit `logprobs`"),
        ("audio", "unsupported: answers are text; omit `audio`"),
    ] {
        if asks(key) {
            return Err(OpenAiError::asked(key, why).coded("unsupported_parameter"));
        }
    }
    let form = fields.get("response_format").and_then(|form| form.get("type")).and_then(Value::as_str);
    if form.is_some_and(|form| form != "text") {
        let why = "unsupported: answers are plain text; omit `response_format`";
        return Err(OpenAiError::asked("response_format", why).coded("unsupported_parameter"));
    }
    Ok(())
}

type Files = Vec<(String, Vec<u8>)>;

/// Returns the text and the files of a message.
fn content(content: &Value) -> Result<(String, Files), OpenAiError> {
    let parts = match content {
        Value::String(text) => return Ok((text.clone(), Vec::new())),
        Value::Array(parts) => parts,
        _ => {
            return Err(OpenAiError::asked(
                "messages",
                "invalid message: `content` must be a text or a list of parts",
            ));
        }
    };
    let (mut texts, mut files) = (Vec::new(), Files::new());
    for part in parts {
        match part.get("type").and_then(Value::as_str).unwrap_or_default() {
            "text" => texts.push(part.get("text").and_then(Value::as_str).unwrap_or_default()),
            "file" => files.push(file(part.get("file").unwrap_or(&Value::Null))?),
            "image_url" => {
                let why = "unsupported: the robot does not read images; send text or files";
                return Err(OpenAiError::asked("messages", why).coded("unsupported_content"));
            }
            other => {
                let short: String = other.chars().take(40).collect();
                let why = format!("unsupported message part {short:?}; send `text` or `file`");
                return Err(OpenAiError::asked("messages", why).coded("unsupported_content"));
            }
        }
    }
    Ok((texts.join("\n"), files))
}

fn file(file: &Value) -> Result<(String, Vec<u8>), OpenAiError> {
    let text = |key: &str| file.get(key).and_then(Value::as_str);
    let Some(name) = text("filename") else {
        return Err(OpenAiError::asked("messages", "a file has no `filename`; send one, such as data.csv"));
    };
    let Some(data) = text("file_data") else {
        return Err(OpenAiError::asked(
            "messages",
            "a file has no `file_data`; send its content in base64, because the server stores no files",
        ));
    };
    // A data URL, or the base64 content of one.
    let data = match data.strip_prefix("data:") {
        Some(url) => url.split_once(";base64,").map(|(_, data)| data),
        None => Some(data),
    };
    let bytes = data.and_then(|data| STANDARD.decode(data).ok());
    let why = || format!("the content of {name:?} is not base64; encode it");
    bytes.map(|bytes| (name.to_owned(), bytes)).ok_or_else(|| OpenAiError::asked("messages", why()))
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Returns the session of a user, whose name may be any text, such as an address or an id.
fn of_user(user: &str) -> String {
    if is_name(user) {
        return user.to_owned();
    }
    let hash = Sha256::digest(user.as_bytes());
    let short: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("user-{short}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asked(more: Value) -> Result<ChatRequest, OpenAiError> {
        let mut request = json!({"model": "minismith", "messages": [{"role": "user", "content": "nod"}]});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        read(request.to_string().as_bytes(), None)
    }

    #[test]
    fn reads_only_the_last_user_message() {
        let messages = json!([
            {"role": "system", "content": "You are a pirate."},
            {"role": "user", "content": "dance"},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": [{"type": "text", "text": "nod"}, {"type": "text", "text": "twice"}]},
        ]);
        let asked =
            asked(json!({"messages": messages, "temperature": 0.2, "tools": [], "n": 1, "logprobs": null}));
        let asked = asked.unwrap();
        assert_eq!((&*asked.text, asked.files.len(), asked.streams), ("nod\ntwice", 0, false));
        assert_eq!((asked.session, asked.style), (None, None));
    }

    #[test]
    fn session_comes_from_header_metadata_or_user() {
        let session = |more: Value| asked(more).map(|asked| asked.session);
        assert_eq!(session(json!({"user": "anna"})), Ok(Some("anna".into())));
        let hashed = session(json!({"user": "anna@example.org"})).unwrap().unwrap();
        assert!(is_name(&hashed) && hashed.starts_with("user-"), "{hashed}");
        let both = json!({"user": "anna", "metadata": {"session": "evening"}});
        assert_eq!(session(both), Ok(Some("evening".into())));
        assert!(session(json!({"metadata": {"session": "no name"}})).is_err());
        let body =
            br#"{"model": "minismith", "user": "anna", "messages": [{"role": "user", "content": "nod"}]}"#;
        assert_eq!(read(body, Some("morning")).unwrap().session.as_deref(), Some("morning"));
    }

    #[test]
    fn style_comes_from_the_model_or_the_agent_type() {
        let style = |more: Value| asked(more).map(|asked| asked.style);
        assert_eq!(style(json!({"model": "minismith-plan"})), Ok(Some(Style::Plan)));
        assert_eq!(style(json!({"agent_type": "react"})), Ok(Some(Style::React)));
        assert_eq!(style(json!({"model": "minismith-plan", "agent_type": "auto"})), Ok(None));
        assert!(style(json!({"agent_type": "swarm"})).is_err());
    }

    #[test]
    fn reads_files_as_data() {
        let file = |data: &str| {
            let file = json!({"type": "file", "file": {"filename": "a.csv", "file_data": data}});
            asked(json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "how many rows?"}, file]}]}))
                .map(|asked| asked.files)
        };
        let expected = Ok(vec![("a.csv".to_owned(), b"a,b\n".to_vec())]);
        assert_eq!(file("data:text/csv;base64,YSxiCg=="), expected);
        assert_eq!(file("YSxiCg=="), expected);
        assert!(file("data:text/csv,a").is_err() && file("?").is_err());
    }

    #[test]
    fn rejects_unsupported_parameters() {
        let image = json!([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]);
        for (more, param, status) in [
            (json!({"model": "gpt-9"}), "model", 404),
            (json!({"n": 2}), "n", 400),
            (json!({"tools": [{"type": "function"}]}), "tools", 400),
            (json!({"response_format": {"type": "json_object"}}), "response_format", 400),
            (json!({"messages": []}), "messages", 400),
            (json!({"messages": [{"role": "user", "content": " "}]}), "messages", 400),
            (json!({"messages": [{"role": "user", "content": image}]}), "messages", 400),
            (json!({"messages": "nod"}), "messages", 400),
        ] {
            let wrong = asked(more.clone()).unwrap_err();
            assert_eq!(wrong.status, status, "{more}");
            assert_eq!(wrong.document()["error"]["param"], param, "{more}");
        }
    }
}
