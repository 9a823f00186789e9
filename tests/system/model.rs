//! The language model client against misbehaving servers on a real socket. The user reads what happened, and nothing
//! grows or hangs.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use firmware_bridge::clock::VirtualClock;
use minismith_language_model::{
    Client, Completion, Form, Function, Message, Model, ModelAnswer, ModelCallError, Prompt, Watch,
};
use minismith_runtime::config::{Config, Endpoint, LanguageModel};
use minismith_runtime::net::Address;
use serde_json::{Value, json};

/// Handles one request on the connection of this number.
pub(super) type Behaviour = Box<dyn FnMut(&mut TcpStream) + Send>;

/// A server that handles its connections one after another, each by its handler, and then stops.
pub(super) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    finished: Receiver<()>,
}

impl Server {
    pub(super) fn start(behaviours: Vec<Behaviour>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (stored, (done, finished)) = (Arc::clone(&requests), channel());
        thread::spawn(move || {
            for mut behaviour in behaviours {
                let Ok((mut stream, _)) = listener.accept() else { break };
                let Some(request) = request(&mut stream) else { continue };
                stored.lock().unwrap().push(request);
                behaviour(&mut stream);
            }
            drop(listener);
            let _ = done.send(());
        });
        Server { port, requests, finished }
    }

    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        let url = Address::parse(&format!("http://127.0.0.1:{}/v1", self.port)).unwrap();
        Endpoint { url, model: "small".into(), key: None }
    }
}

/// Returns the head and the body of one request.
fn request(stream: &mut TcpStream) -> Option<String> {
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let (mut bytes, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length:")
                    .map(|length| length.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&piece[..read]),
        }
    }
}

/// Waits until the client disconnects.
fn wait_for_the_end(stream: &mut TcpStream) {
    let mut piece = [0; 64];
    while matches!(stream.read(&mut piece), Ok(read) if read > 0) {}
}

/// Writes everything while the client is connected.
fn write(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).and_then(|()| stream.flush()).is_ok()
}

fn head(status: &str, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\n{more}\r\n")
}

const STREAM: &str = "Content-Type: text/event-stream\r\n";
const JSON: &str = "Content-Type: application/json\r\n";

fn plain(status: &'static str, more: &'static str, body: impl Into<Vec<u8>>) -> Behaviour {
    let body = body.into();
    Box::new(move |stream| {
        let _gone = write(stream, head(status, more).as_bytes()) && write(stream, &body);
    })
}

fn delta(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}))
}

fn ending(reason: &str) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}))
}

fn streamed(text: &str) -> String {
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    let (one, two) = text.split_at(half);
    let usage = json!({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 3}});
    [
        delta(&json!({"role": "assistant", "content": one})),
        delta(&json!({"content": two})),
        ending("stop"),
        format!("data: {usage}\n\ndata: [DONE]\n\n"),
    ]
    .concat()
}

pub(super) fn says(text: &str) -> Behaviour {
    plain("200 OK", STREAM, streamed(text))
}

pub(super) fn config(endpoints: Vec<Endpoint>) -> LanguageModel {
    LanguageModel {
        endpoints,
        request_timeout: Duration::from_secs(30),
        read_timeout: Duration::from_secs(20),
        ..Config::built_in().unwrap().language_model
    }
}

pub(super) fn client(config: &LanguageModel) -> Client {
    Client::with_clock(config, Arc::new(VirtualClock::new())).unwrap()
}

fn prompt(form: Form) -> Prompt {
    Prompt {
        purpose: "test",
        instructions: "Be brief.".into(),
        messages: vec![Message::person("Hello")],
        form,
        max_tokens: 64,
    }
}

fn ask(config: &LanguageModel, form: Form) -> Result<ModelAnswer, ModelCallError> {
    client(config).answer(&prompt(form), &mut |_| Watch::On)
}

fn nod() -> Form {
    let parameters = json!({"type": "object", "properties": {"times": {"type": "integer"}}});
    Form::Calls(vec![Function { name: "nod".into(), description: "Nods.".into(), parameters }])
}

fn ready() -> Behaviour {
    call(&["{}"], "ready")
}

/// Returns one tool call whose arguments arrive in chunks.
fn call(pieces: &[&str], name: &str) -> Behaviour {
    let first = json!({"tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": name, "arguments": ""}}]});
    let mut stream = delta(&first);
    for piece in pieces {
        stream += &delta(&json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}));
    }
    plain("200 OK", STREAM, stream + &ending("tool_calls") + "data: [DONE]\n\n")
}

#[test]
fn streamed_reply_is_delivered_as_it_arrives() {
    let server = Server::start(vec![says("Größe \u{1f916}!")]);
    let mut heard = Vec::new();
    let answer = client(&config(vec![server.endpoint()]))
        .answer(&prompt(Form::Text), &mut |text| {
            heard.extend(Some(text.to_owned()).filter(|text| !text.is_empty()));
            Watch::On
        })
        .unwrap();
    assert_eq!(answer.completion, Completion::Text("Größe \u{1f916}!".into()));
    assert_eq!((answer.tokens.prompt, answer.tokens.answer), (5, 3));
    assert_eq!(heard, ["Größ", "e \u{1f916}!"]);
    let requests = server.requests();
    assert!(requests[0].starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{requests:?}");
    assert!(!requests[0].to_lowercase().contains("authorization"), "{requests:?}");
    let body: Value = serde_json::from_str(requests[0].split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!((&body["model"], &body["stream"]), (&json!("small"), &json!(true)));
}

#[test]
fn reply_is_parsed_when_bytes_arrive_one_by_one() {
    let whole = streamed("Größe \u{1f916}!").replace('\n', "\r\n");
    let server = Server::start(vec![Box::new(move |stream| {
        stream.set_nodelay(true).unwrap();
        write(
            stream,
            head(
                "200 OK",
                "Content-Type: Text/Event-Stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n",
            )
            .as_bytes(),
        );
        for byte in whole.as_bytes() {
            if !write(stream, &[b"1\r\n".as_slice(), &[*byte], b"\r\n"].concat()) {
                return;
            }
        }
        write(stream, b"0\r\n\r\n");
    })]);
    let answer = ask(&config(vec![server.endpoint()]), Form::Text).unwrap();
    assert_eq!(answer.completion, Completion::Text("Größe \u{1f916}!".into()));
}

#[test]
fn unstreamed_reply_is_accepted() {
    let body = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}});
    let server = Server::start(vec![plain("200 OK", JSON, body.to_string())]);
    assert_eq!(
        ask(&config(vec![server.endpoint()]), Form::Text).unwrap().completion,
        Completion::Text("Hi".into())
    );
}

#[test]
fn tool_calls_arrive_natively_or_by_schema() {
    let server = Server::start(vec![ready(), call(&["{\"ti", "mes\": 2}"], "nod")]);
    let Completion::Calls { calls, .. } = ask(&config(vec![server.endpoint()]), nod()).unwrap().completion
    else {
        panic!()
    };
    assert_eq!((calls[0].name.as_str(), &calls[0].arguments["times"]), ("nod", &json!(2)));

    // Small coder models answer `tools` like this: JSON in the text, with doubled braces.
    let bare = "{{\"name\": \"ready\", \"arguments\": {}}}";
    let spoken = json!({"calls": [{"name": "nod", "arguments": {"times": 3}}]}).to_string();
    let server = Server::start(vec![says(bare), says("{\"word\": \"yes\"}"), says(&spoken)]);
    let Completion::Calls { calls, .. } = ask(&config(vec![server.endpoint()]), nod()).unwrap().completion
    else {
        panic!()
    };
    assert_eq!(calls[0].arguments["times"], 3);
    assert!(server.requests()[2].contains("response_format") && !server.requests()[2].contains("\"tools\""));
}

#[test]
fn invalid_schema_reply_is_corrected_once() {
    let form =
        || Form::Json(json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}));
    let ready = || says("{\"word\": \"yes\"}");
    let server = Server::start(vec![ready(), says("{\"n\": \"two\"}"), says("{\"n\": 2}")]);
    assert_eq!(
        ask(&config(vec![server.endpoint()]), form()).unwrap().completion,
        Completion::Json(json!({"n": 2}))
    );
    assert!(server.requests()[2].contains("it must be of type integer"), "{:?}", server.requests()[2]);

    let server = Server::start(vec![ready(), says("{\"n\": \"two\"}"), says("{\"n\": \"two\"}")]);
    let error = ask(&config(vec![server.endpoint()]), form()).unwrap_err();
    assert!(
        matches!(&error, ModelCallError::Unusable { reason, .. } if reason.contains("type integer")),
        "{error}"
    );
}

/// Returns the error for a server with these behaviours.
#[track_caller]
fn complaint(behaviours: Vec<Behaviour>, form: Form) -> String {
    let server = Server::start(behaviours);
    let error = ask(&config(vec![server.endpoint()]), form).unwrap_err().to_string();
    assert!(error.contains(&format!("http://127.0.0.1:{}/v1 (small)", server.port)), "{error}");
    error
}

#[test]
fn unreachable_endpoint_is_reported_with_a_remedy() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let url = Address::parse(&format!("http://127.0.0.1:{port}/v1")).unwrap();
    let nobody = Endpoint { url, model: "small".into(), key: None };
    let error = ask(&config(vec![nobody.clone()]), Form::Text).unwrap_err().to_string();
    assert!(error.contains("can't be reached: Connection refused"), "{error}");
    assert!(error.contains("nlu: grammar"), "{error}");
    // The next endpoint answers, and the user is informed.
    let server = Server::start(vec![says("Hi")]);
    let mut client = client(&config(vec![nobody, server.endpoint()]));
    let answer = client.answer(&prompt(Form::Text), &mut |_| Watch::On).unwrap();
    assert_eq!(answer.from, format!("http://127.0.0.1:{}/v1 (small)", server.port));
    assert_eq!(client.notices().len(), 2);
}

#[test]
fn garbage_reply_is_an_error() {
    let said = complaint(vec![plain("200 OK", STREAM, b"data: \xff\xfe\x00\n\n".to_vec())], Form::Text);
    assert!(said.contains("no usable answer") && said.contains("not UTF-8"), "{said}");
    let said = complaint(vec![plain("200 OK", STREAM, "data: {\"hello\": 1}\n\n")], Form::Text);
    assert!(said.contains("not the JSON of a language model's reply"), "{said}");
    let said = complaint(vec![plain("200 OK", "Content-Type: text/html\r\n", "<html>")], Form::Text);
    assert!(said.contains("of the type text/html") && said.contains("/v1"), "{said}");
    // No valid HTTP, each time.
    let garbage = || -> Behaviour {
        Box::new(|stream| {
            write(stream, &[0xff; 512]);
        })
    };
    let said = complaint(vec![garbage(), garbage(), garbage()], Form::Text);
    assert!(said.contains("connection was lost"), "{said}");
}

#[test]
fn truncated_stream_is_an_error_and_an_empty_one_is_retried() {
    let half = delta(&json!({"content": "Hel"}));
    let said = complaint(vec![plain("200 OK", STREAM, half)], Form::Text);
    assert!(said.contains("ended in the middle"), "{said}");
    let chunked = "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n";
    let said = complaint(vec![plain("200 OK", chunked, "ff\r\ndata: {\"choices\"")], Form::Text);
    assert!(said.contains("connection was lost") || said.contains("can't be reached"), "{said}");
    let server = Server::start(vec![plain("200 OK", STREAM, ""), says("Hi")]);
    assert_eq!(
        ask(&config(vec![server.endpoint()]), Form::Text).unwrap().completion,
        Completion::Text("Hi".into())
    );
    // A stream that contains the finish reason is complete.
    let stream = delta(&json!({"content": "Hi"})) + &ending("stop");
    let server = Server::start(vec![plain("200 OK", STREAM, stream)]);
    assert_eq!(
        ask(&config(vec![server.endpoint()]), Form::Text).unwrap().completion,
        Completion::Text("Hi".into())
    );
}

#[test]
fn busy_server_is_retried_and_a_rejection_reported() {
    let busy =
        plain("429 Too Many Requests", "Retry-After: 3\r\n", "{\"error\": {\"message\": \"slow down\"}}");
    let server = Server::start(vec![busy, plain("503 Busy", "", "loading"), says("Hi")]);
    assert_eq!(
        ask(&config(vec![server.endpoint()]), Form::Text).unwrap().completion,
        Completion::Text("Hi".into())
    );
    assert_eq!(server.requests().len(), 3);

    let ill = || plain("500 Oh", JSON, "{\"error\": {\"message\": \"out of\\u001b[31m memory\"}}");
    let said = complaint(vec![ill(), ill(), ill()], Form::Text);
    assert!(said.contains("(500): out of [31m memory"), "{said}");
    let said = complaint(vec![plain("404 Not Found", "", "<h1>no</h1>")], Form::Text);
    assert!(said.contains("(404)") && said.contains("`model`"), "{said}");
}

#[test]
fn endless_replies_are_cut_off() {
    // Text without end, far beyond the requested tokens.
    let endless = |piece: String| -> Behaviour {
        Box::new(move |stream| {
            let open = write(stream, head("200 OK", STREAM).as_bytes());
            while open && write(stream, piece.as_bytes()) {}
        })
    };
    let said = complaint(vec![endless(delta(&json!({"content": "and so on ".repeat(10)})))], Form::Text);
    assert!(said.contains("is too long"), "{said}");
    let said = complaint(vec![endless(": still there\n\n".repeat(1000))], Form::Text);
    assert!(said.contains("longer than 8388608 bytes"), "{said}");
    // A line of 100 MB is not read to its end.
    let line: Behaviour = Box::new(|stream| {
        let mebibyte = vec![b'x'; 1 << 20];
        write(stream, head("200 OK", STREAM).as_bytes());
        let written = (0..100).take_while(|_| write(stream, &mebibyte)).count();
        assert!(written < 100, "somebody read 100 MB");
    });
    let server = Server::start(vec![line]);
    let error = ask(&config(vec![server.endpoint()]), Form::Text).unwrap_err().to_string();
    assert!(error.contains("a line of the stream is longer"), "{error}");
    assert!(server.finished.recv_timeout(Duration::from_secs(60)).is_ok(), "the server was read to the end");
    // Tool calls without end.
    let calls = (0..).map(|index| {
        delta(&json!({"tool_calls": [{"index": index, "id": format!("c{index}"), "function": {"name": "nod", "arguments": "{}"}}]}))
    });
    let mut calls = calls.take(100_000);
    let endless: Behaviour = Box::new(move |stream| {
        let open = write(stream, head("200 OK", STREAM).as_bytes());
        while open && calls.next().is_some_and(|call| write(stream, call.as_bytes())) {}
    });
    let said = complaint(vec![ready(), endless], nod());
    assert!(said.contains("more than 16 calls"), "{said}");
    // An error body without end.
    let ill: Behaviour = Box::new(|stream| {
        let open = write(stream, head("400 Bad", "").as_bytes());
        while open && write(stream, &[b'e'; 4096]) {}
    });
    let said = complaint(vec![ill], Form::Text);
    assert!(said.contains("(400): eee") && said.len() < 600, "{said}");
}

#[test]
fn silent_and_slow_replies_time_out() {
    let silent = || -> Behaviour { Box::new(wait_for_the_end) };
    let server = Server::start(vec![silent()]);
    let short = LanguageModel { read_timeout: Duration::from_millis(200), ..config(vec![server.endpoint()]) };
    let error = ask(&short, Form::Text).unwrap_err();
    assert_eq!(
        error,
        ModelCallError::Slow {
            endpoint: format!("http://127.0.0.1:{}/v1 (small)", server.port),
            limit: short.read_timeout
        }
    );
    assert!(server.finished.recv_timeout(Duration::from_secs(60)).is_ok(), "the connection was not given up");
    // The response began and then stalled.
    let begun: Behaviour = Box::new(|stream| {
        write(stream, (head("200 OK", STREAM) + &delta(&json!({"content": "Hel"}))).as_bytes());
        wait_for_the_end(stream);
    });
    let server = Server::start(vec![begun]);
    let short = LanguageModel { endpoints: vec![server.endpoint()], ..short };
    assert!(matches!(ask(&short, Form::Text), Err(ModelCallError::Slow { .. })));
    // A response that never pauses and never ends.
    let chatty: Behaviour = Box::new(|stream| {
        let open = write(stream, head("200 OK", STREAM).as_bytes());
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let waited = |stream: &mut TcpStream| match stream.read(&mut [0; 8]) {
            Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
            Ok(_) => false,
        };
        while open && waited(stream) && write(stream, b": still there\n\n") {}
    });
    let server = Server::start(vec![chatty]);
    let short = LanguageModel {
        endpoints: vec![server.endpoint()],
        request_timeout: Duration::from_millis(500),
        ..config(vec![])
    };
    let error = ask(&short, Form::Text).unwrap_err();
    assert!(matches!(error, ModelCallError::Slow { limit, .. } if limit == short.request_timeout), "{error}");
}

#[test]
fn stop_cancels_a_silent_request() {
    let server = Server::start(vec![Box::new(wait_for_the_end)]);
    let mut looks = 0;
    let answer = client(&config(vec![server.endpoint()])).answer(&prompt(Form::Text), &mut |_| {
        looks += 1;
        if looks < 4 { Watch::On } else { Watch::Off }
    });
    // The timeouts are 20 and 30 seconds: only the stop can have ended this.
    assert_eq!((answer, looks), (Err(ModelCallError::GivenUp), 4));
    assert!(server.finished.recv_timeout(Duration::from_secs(60)).is_ok(), "the connection was not given up");
}

/// Returns a configuration with a key, as a user writes it. Every test process has the environment variable.
fn with_key(port: u16) -> LanguageModel {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("config.yaml");
    let url = format!("http://127.0.0.1:{port}/v1");
    std::fs::write(
        &path,
        format!("nlu: llm\nlanguage_model:\n  endpoints: [{{url: '{url}', model: small, key_env: PATH}}]\n"),
    )
    .unwrap();
    Config::load(Some(&path)).unwrap().language_model
}

#[test]
fn api_key_is_sent_only_to_its_endpoint_and_never_shown() {
    let key = std::env::var("PATH").unwrap();
    let thief = Server::start(vec![says("stolen")]);
    let elsewhere =
        format!("Location: http://127.0.0.1:{}/v1/chat/completions\r\nContent-Length: 0\r\n", thief.port);
    let away: Behaviour = Box::new(move |stream| {
        write(stream, head("307 Temporary Redirect", &elsewhere).as_bytes());
    });
    let server = Server::start(vec![away]);
    let error = ask(&with_key(server.port), Form::Text).unwrap_err().to_string();
    assert!(error.contains("(307)") && error.contains("redirects are not followed"), "{error}");
    assert_eq!(thief.requests(), Vec::<String>::new());
    assert!(server.requests()[0].contains(&format!("Bearer {key}")), "the key was not sent at all");
    // A server that repeats the key in its error.
    let refusal = json!({"error": {"message": format!("{key} is wrong")}}).to_string();
    let server = Server::start(vec![plain("401 Unauthorized", JSON, refusal)]);
    let error = ask(&with_key(server.port), Form::Text).unwrap_err().to_string();
    assert!(error.contains("(401): (key) is wrong") && !error.contains(&key), "{error}");
}
