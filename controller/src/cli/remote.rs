//! `say --url`: sends a sentence to a running controller, local or remote.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::bail;
use minismith_runtime::net::Address;
use minismith_runtime::net::http::{Chunk, Http, KeepListening, Timeouts};
use minismith_runtime::net::sse::Events;
use minismith_runtime::report::Step;
use serde_json::{Value, json};

use super::{CommandStatus, print, say};

/// The timeout for a sentence, which may include writing a tool. The server sends a keep-alive every 15 seconds.
const TIMEOUTS: Timeouts =
    Timeouts { whole: Duration::from_hours(2), silence: Duration::from_mins(1), bytes: 256 << 20 };

/// The timeout for an answer to a question.
const SHORT: Timeouts =
    Timeouts { whole: Duration::from_secs(20), silence: Duration::from_secs(20), bytes: 1 << 20 };

/// Sends the sentence, prints progress as it happens where somebody watches, and prints the result.
pub fn say(url: &str, text: &str, session: Option<&str>, as_json: bool) -> anyhow::Result<CommandStatus> {
    let Some(address) = Address::parse(url) else {
        bail!("invalid controller address {url:?}; give {}", Address::ALLOWED);
    };
    let body = json!({ "text": text, "session": session, "stream": true });
    let mut heard = Heard {
        server: address.clone(),
        shows_progress: !as_json && std::io::stderr().is_terminal(),
        shown: Vec::new(),
        events: Events::default(),
        status: 0,
        end: None,
    };
    let http = Http::to_our_server(address)?;
    let mut refused = Vec::new();
    let ended = http.post("api/v1/chat", body.to_string(), TIMEOUTS, &mut |piece| {
        match piece {
            Chunk::Silence => {}
            Chunk::Began(opening) => heard.status = opening.status,
            Chunk::Bytes(bytes) if heard.status == 200 => heard.take(bytes),
            Chunk::Bytes(bytes) => refused.extend_from_slice(bytes),
        }
        if heard.end.is_some() { KeepListening::Off } else { KeepListening::On }
    });
    match (heard.end, ended) {
        (Some(Ok(reply)), _) => print_reply(&reply, &heard.shown, as_json),
        (Some(Err(why)), _) => bail!("{url} cannot answer: {why}"),
        (None, Err(broken)) => {
            bail!("no response from {url}: {broken}; is `minismith serve` running there?")
        }
        (None, Ok(())) if heard.status == 200 => {
            bail!("the response of {url} was cut off; send the request again")
        }
        (None, Ok(())) => {
            let said: Value = serde_json::from_slice(&refused).unwrap_or_default();
            let why = said.get("detail").map_or_else(|| "without a reason".to_owned(), words);
            bail!("{url} rejected the request with status {}: {why}", heard.status)
        }
    }
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// The events from the server.
struct Heard {
    server: Address,
    shows_progress: bool,
    /// The steps that were shown when they were done.
    shown: Vec<String>,
    events: Events,
    status: u16,
    /// The reply, or its error.
    end: Option<Result<Value, String>>,
}

impl Heard {
    fn take(&mut self, bytes: &[u8]) {
        let mut events = Vec::new();
        if let Err(error) = self.events.take(bytes, &mut events) {
            self.end = Some(Err(error.to_string()));
            return;
        }
        for event in events {
            let mut event: Value = serde_json::from_str(&event).unwrap_or_default();
            let data = event.get_mut("data").map(Value::take).unwrap_or_default();
            let said = |key: &str| data.get(key).map(words).unwrap_or_default();
            match event.get("event").and_then(Value::as_str) {
                Some("step") if self.shows_progress => {
                    eprintln!("{}", print::harmless(&said("text")));
                    self.shown.push(said("text"));
                }
                Some("question") => self.ask(&said("id"), &said("text")),
                Some("reply") => self.end = Some(Ok(data)),
                Some("error") => self.end = Some(Err(said("detail"))),
                _ => {}
            }
        }
    }

    /// Asks the user at the terminal; without one there is no answer. The answer goes to the server on a connection of
    /// its own, while this one continues.
    fn ask(&self, id: &str, question: &str) {
        let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        let path = format!("api/v1/chat/{id}/answer");
        let server = self.server.clone();
        let question = question.to_owned();
        let answering = move || {
            let text = if asks { say::ask(&question).unwrap_or_default() } else { String::new() };
            let Ok(http) = Http::to_our_server(server) else { return };
            // Where the server receives nothing, it takes that as a no.
            let _reported =
                http.post(&path, json!({ "text": text }).to_string(), SHORT, &mut |_| KeepListening::On);
        };
        if let Err(error) = std::thread::Builder::new().name("answer".into()).spawn(answering) {
            tracing::warn!(%error, "cannot ask the user");
        }
    }
}

/// Prints the reply. Returns whether everything was done.
///
/// On a terminal, a text that consists of the steps shown before is not repeated.
fn print_reply(reply: &Value, shown: &[String], as_json: bool) -> anyhow::Result<CommandStatus> {
    if as_json {
        print::json(reply)?;
    } else {
        let text = reply.get("text").map(words).unwrap_or_default();
        if !std::io::stdout().is_terminal() || text != shown.join(" ") {
            print::line(&text);
        }
        let steps: Vec<Step> = reply
            .get("steps")
            .cloned()
            .and_then(|steps| serde_json::from_value(steps).ok())
            .unwrap_or_default();
        steps.iter().for_each(say::print_step);
    }
    Ok(CommandStatus::when(reply.get("outcome").is_some_and(|outcome| outcome == "done")))
}
