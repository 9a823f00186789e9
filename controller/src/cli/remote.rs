//! `say --url`: a sentence for a controller that serves already, here or elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::bail;
use minismith_runtime::net::Address;
use minismith_runtime::net::http::{Http, Listen, Patience, Piece};
use minismith_runtime::net::sse::Events;
use minismith_runtime::outcome::Step;
use serde_json::{Value, json};

use super::{Done, converse, print};

/// How long a sentence may take: a tool may be made meanwhile. The server gives a sign of life every quarter of a minute.
const PATIENCE: Patience =
    Patience { whole: Duration::from_hours(2), silence: Duration::from_mins(1), bytes: 256 << 20 };

/// How long the server may take for a word.
const SHORT: Patience =
    Patience { whole: Duration::from_secs(20), silence: Duration::from_secs(20), bytes: 1 << 20 };

/// Says it there, tells what is done as it is done, and prints what came of it.
pub fn say(url: &str, text: &str, session: Option<&str>, as_json: bool) -> anyhow::Result<Done> {
    let Some(address) = Address::parse(url) else {
        bail!("{url:?} is no address of a controller; give {}", Address::ALLOWED);
    };
    let body = json!({ "text": text, "session": session, "stream": true });
    let mut heard =
        Heard { server: address.clone(), as_json, events: Events::default(), status: 0, end: None };
    let http = Http::to_our_server(address)?;
    let mut refused = Vec::new();
    let ended = http.post("api/v1/chat", body.to_string(), PATIENCE, &mut |piece| {
        match piece {
            Piece::Silence => {}
            Piece::Began(opening) => heard.status = opening.status,
            Piece::Bytes(bytes) if heard.status == 200 => heard.take(bytes),
            Piece::Bytes(bytes) => refused.extend_from_slice(bytes),
        }
        if heard.end.is_some() { Listen::Off } else { Listen::On }
    });
    match (heard.end, ended) {
        (Some(Ok(reply)), _) => tell(&reply, as_json),
        (Some(Err(why)), _) => bail!("{url} can't answer: {why}"),
        (None, Err(broken)) => {
            bail!("nothing was heard from {url}: {broken}; is `minismith serve` running there?")
        }
        (None, Ok(())) if heard.status == 200 => bail!("the answer of {url} broke off; say it again"),
        (None, Ok(())) => {
            let said: Value = serde_json::from_slice(&refused).unwrap_or_default();
            let why = said.get("detail").map_or_else(|| "without a reason".to_owned(), words);
            bail!("{url} refused with status {}: {why}", heard.status)
        }
    }
}

fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

/// What comes from the server.
struct Heard {
    server: Address,
    as_json: bool,
    events: Events,
    status: u16,
    /// The reply, or why there is none.
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
                Some("step") if !self.as_json => eprintln!("{}", print::harmless(&said("text"))),
                Some("question") => self.ask(&said("id"), &said("text")),
                Some("reply") => self.end = Some(Ok(data)),
                Some("error") => self.end = Some(Err(said("detail"))),
                _ => {}
            }
        }
    }

    /// Asks whoever sits at the terminal; without one nobody answers. The server is told on a connection of its own, while
    /// this one goes on.
    fn ask(&self, id: &str, question: &str) {
        let asks = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        let path = format!("api/v1/chat/{id}/answer");
        let server = self.server.clone();
        let question = question.to_owned();
        let answering = move || {
            let text = if asks { converse::ask(&question).unwrap_or_default() } else { String::new() };
            let Ok(http) = Http::to_our_server(server) else { return };
            // Where the server hears nothing, it takes the silence for a no.
            let _told = http.post(&path, json!({ "text": text }).to_string(), SHORT, &mut |_| Listen::On);
        };
        if let Err(error) = std::thread::Builder::new().name("answer".into()).spawn(answering) {
            tracing::warn!(%error, "nobody can be asked");
        }
    }
}

/// Prints the reply; whether all was done.
fn tell(reply: &Value, as_json: bool) -> anyhow::Result<Done> {
    if as_json {
        print::json(reply)?;
    } else {
        print::line(&reply.get("text").map(words).unwrap_or_default());
        let steps: Vec<Step> = reply
            .get("steps")
            .cloned()
            .and_then(|steps| serde_json::from_value(steps).ok())
            .unwrap_or_default();
        steps.iter().for_each(converse::tell_step);
    }
    Ok(Done::when(reply.get("outcome").is_some_and(|outcome| outcome == "done")))
}
