//! The server: receives messages, keeps the documents, and answers.

mod answers;
mod commands;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, BufReader, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Notification as _,
    PublishDiagnostics, ShowMessage, WorkDoneProgressCancel,
};
use lsp_types::request::{Initialize, Request as _, Shutdown};
use lsp_types::{
    CancelParams, Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, InitializeParams, MessageType, NumberOrString, PublishDiagnosticsParams,
    ShowMessageParams, Uri, WorkDoneProgressCancelParams,
};
use minismith_analysis::finding::{Finding, Located};
use minismith_runtime::config::Limits;
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::commands::{Progress, Running};
use crate::catalog::Catalog;
use crate::diagnostics::{diagnostic, unreadable};
use crate::rehearsal::Checker;
use crate::text::{Text, boundary};
use crate::tool::{Tool, path_of, toolkit_of};
use crate::transport::{self, Frame, Framed, Output, Passed};

/// How long a document must rest before it is checked.
const DEBOUNCE: Duration = Duration::from_millis(150);

/// Maximum number of open documents of an editor, and of a page.
const MAX_DOCUMENTS: usize = 200;
const MAX_DOCUMENTS_OF_PAGE: usize = 4;

/// What is kept of a document, in bytes. The policy rejects far shorter ones.
const MAX_KEPT_BYTES: usize = 1 << 20;

/// Stack size of the thread that answers, in bytes: as much as the policy has for the trees of the same texts.
const STACK_BYTES: usize = 32 << 20;

/// Maximum number of messages that wait to be read. A client that sends more has to wait.
const QUEUE: usize = 256;

/// What the server needs to know of the program.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The limits of motion, which are shown as ranges.
    pub limits: Limits,
    /// Where the client is.
    pub client: Client,
}

/// Where the client is, which decides what it may have.
#[derive(Clone, Debug)]
pub enum Client {
    /// An editor on this computer: it may name files, and its tools are rehearsed by this program.
    Editor(Checker),
    /// A page, which may be on another computer: no file is read for it, and it rehearses by other means.
    Page,
}

/// What the thread that answers receives.
#[derive(Debug)]
enum Event {
    Frame(Frame),
    /// The client no longer wants the answer to this request.
    Cancelled(RequestId),
    Rehearsal(Progress),
}

/// Serves one client until it disconnects, and returns whether it said goodbye.
///
/// # Errors
/// The output cannot be written.
pub fn serve(
    settings: Settings,
    input: impl Read + Send + 'static,
    output: impl Write + Send,
) -> io::Result<bool> {
    let mut input = BufReader::new(input);
    answer(settings, move || transport::read(&mut input), Framed(output))
}

/// Serves one client whose messages come and go one by one, until there are no more, and returns whether it said goodbye.
///
/// # Errors
/// A message cannot be passed on.
pub fn serve_messages(
    settings: Settings,
    mut messages: impl Iterator<Item = String> + Send + 'static,
    output: impl FnMut(String) -> io::Result<()> + Send,
) -> io::Result<bool> {
    let read = move || messages.next().map_or(Frame::End, |text| transport::unframed(&text));
    answer(settings, read, Passed(output))
}

fn answer(
    settings: Settings,
    mut read: impl FnMut() -> Frame + Send + 'static,
    output: impl Output + Send,
) -> io::Result<bool> {
    let (sender, events) = sync_channel(QUEUE);
    let frames = sender.clone();
    std::thread::Builder::new().name("lsp-input".into()).spawn(move || {
        loop {
            let frame = read();
            let is_end = matches!(frame, Frame::End);
            if frames.send(Event::Frame(frame)).is_err() || is_end {
                return;
            }
        }
    })?;
    std::thread::scope(|scope| {
        let answering = std::thread::Builder::new().name("lsp".into()).stack_size(STACK_BYTES);
        let answering = answering.spawn_scoped(scope, move || {
            let mut server = Server {
                catalog: Catalog::new(settings.limits),
                client: settings.client,
                output,
                events,
                sender,
                queue: VecDeque::new(),
                clock: MonotonicClock::start(),
                phase: Phase::Created,
                documents: BTreeMap::new(),
                running: Vec::new(),
                requests: 0,
                shows_progress: false,
            };
            let ended = server.run();
            server.stop_rehearsals();
            ended
        })?;
        answering.join().unwrap_or_else(|_| Err(io::Error::other("the language server failed")))
    })
}

/// The phases of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Before `initialize`.
    Created,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// An open document.
#[derive(Debug)]
struct Document {
    uri: Uri,
    version: i32,
    text: Text,
    /// When it is to be checked.
    due: Option<Timestamp>,
    /// What a rehearsal of this very text found.
    rehearsed: Vec<Finding>,
}

struct Server<W> {
    catalog: Catalog,
    client: Client,
    output: W,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
    queue: VecDeque<Event>,
    clock: MonotonicClock,
    phase: Phase,
    documents: BTreeMap<String, Document>,
    running: Vec<Running>,
    /// The number of requests that this server has made.
    requests: i32,
    /// Whether the client shows progress that the server reports on its own.
    shows_progress: bool,
}

/// Why a request has no result.
type Refusal = (ErrorCode, String);

impl<W: Output> Server<W> {
    fn run(&mut self) -> io::Result<bool> {
        loop {
            match self.next() {
                Some(Event::Frame(Frame::End)) => return Ok(false),
                Some(Event::Frame(Frame::Message(Message::Notification(it))))
                    if it.method == Exit::METHOD =>
                {
                    return Ok(self.phase == Phase::ShutDown);
                }
                Some(Event::Frame(frame)) => self.receive(frame)?,
                Some(Event::Cancelled(id)) => self.refuse(id, ErrorCode::RequestCanceled, "cancelled")?,
                Some(Event::Rehearsal(progress)) => self.progress(progress)?,
                None => self.check_due()?,
            }
        }
    }

    /// Returns the next event; none when a document is due.
    fn next(&mut self) -> Option<Event> {
        loop {
            // What has arrived already is known before the next message is answered, so that it can be cancelled.
            while let Ok(event) = self.events.try_recv() {
                self.take_in(event);
            }
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            let due = self.documents.values().filter_map(|document| document.due).min();
            let received = match due {
                None => self.events.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => self.events.recv_timeout(due.since(self.clock.now())),
            };
            match received {
                Ok(event) => self.take_in(event),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => return Some(Event::Frame(Frame::End)),
            }
        }
    }

    /// Queues an event. The cancellation of a request that is still queued takes its place.
    fn take_in(&mut self, event: Event) {
        if let Event::Frame(Frame::Message(Message::Notification(it))) = &event
            && it.method == Cancel::METHOD
            && let Ok(CancelParams { id }) = serde_json::from_value(it.params.clone())
        {
            let id = request_id(id);
            let queued = self.queue.iter().position(
                |event| matches!(event, Event::Frame(Frame::Message(Message::Request(it))) if it.id == id),
            );
            match queued {
                Some(at) => {
                    if let Some(event) = self.queue.get_mut(at) {
                        *event = Event::Cancelled(id);
                    }
                }
                None => self.cancel_rehearsal(|running| running.request == id),
            }
            return;
        }
        self.queue.push_back(event);
    }

    fn receive(&mut self, frame: Frame) -> io::Result<()> {
        match frame {
            Frame::Message(Message::Request(request)) => self.request(request),
            Frame::Message(Message::Notification(notification)) => self.notification(notification),
            // The client's answer to the request for a progress bar. Without one, the reports lead nowhere.
            Frame::Message(Message::Response(_)) => Ok(()),
            Frame::Invalid(code, why) => {
                tracing::warn!("{why}");
                transport::write_error(&mut self.output, code, &why)
            }
            Frame::TooLong(length) => self.show(
                MessageType::ERROR,
                &format!("a message of {length} bytes was skipped: it is too long"),
            ),
            Frame::End => Ok(()),
        }
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let method = request.method.clone();
        let answer = match (self.phase, method.as_str()) {
            (Phase::Created, Initialize::METHOD) => self.initialize(request),
            (Phase::Created, _) => {
                Err((ErrorCode::ServerNotInitialized, "send `initialize` first".to_owned()))
            }
            (Phase::ShutDown, _) => Err((ErrorCode::InvalidRequest, "the server was shut down".to_owned())),
            (Phase::Running, Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                self.stop_rehearsals();
                Ok(serde_json::Value::Null)
            }
            (Phase::Running, Initialize::METHOD) => {
                Err((ErrorCode::InvalidRequest, "the server was initialised before".to_owned()))
            }
            (Phase::Running, lsp_types::request::ExecuteCommand::METHOD) => {
                match self.execute(request) {
                    // It is answered when the rehearsal ends.
                    Ok(()) => return Ok(()),
                    Err(refusal) => Err(refusal),
                }
            }
            (Phase::Running, _) => self.guarded(|| self.answer(request)).and_then(|answer| answer),
        };
        match answer {
            Ok(result) => self.send(Message::Response(Response { id, response_result: Ok(result) })),
            Err((code, why)) => {
                tracing::debug!("{method}: {why}");
                self.refuse(id, code, &why)
            }
        }
    }

    fn refuse(&mut self, id: RequestId, code: ErrorCode, why: &str) -> io::Result<()> {
        self.send(Message::Response(Response::new_err(id, code as i32, why.to_owned())))
    }

    fn initialize(&mut self, request: Request) -> Result<serde_json::Value, Refusal> {
        let params: InitializeParams = read(request.params)?;
        let window = params.capabilities.window.unwrap_or_default();
        self.shows_progress = window.work_done_progress.unwrap_or_default();
        self.phase = Phase::Running;
        to_json(answers::abilities(&self.client))
    }

    fn notification(&mut self, notification: Notification) -> io::Result<()> {
        if self.phase != Phase::Running {
            return Ok(());
        }
        let Notification { method, params } = notification;
        let done = match method.as_str() {
            DidOpenTextDocument::METHOD => read(params).map(|params| self.open(params)),
            DidChangeTextDocument::METHOD => read(params).map(|params| self.change(params)),
            DidCloseTextDocument::METHOD => read(params).map(|params| self.close(params)),
            WorkDoneProgressCancel::METHOD => read(params).map(|params: WorkDoneProgressCancelParams| {
                self.cancel_rehearsal(|running| running.token.as_ref() == Some(&params.token));
                Ok(())
            }),
            _ => Ok(Ok(())),
        };
        done.unwrap_or_else(|(_, why)| {
            tracing::warn!("{method}: {why}");
            Ok(())
        })
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) -> io::Result<()> {
        let document = params.text_document;
        let key = document.uri.as_str().to_owned();
        let max = match self.client {
            Client::Editor(_) => MAX_DOCUMENTS,
            Client::Page => MAX_DOCUMENTS_OF_PAGE,
        };
        if self.documents.len() >= max && !self.documents.contains_key(&key) {
            return self.show(MessageType::ERROR, &format!("more than {max} documents are open"));
        }
        if matches!(self.client, Client::Page) && path_of(&document.uri).is_some() {
            return self.show(MessageType::ERROR, "a page cannot open files of this computer");
        }
        let opened = Document {
            uri: document.uri,
            version: document.version,
            text: bounded(document.text),
            due: Some(self.clock.now()),
            rehearsed: Vec::new(),
        };
        self.documents.insert(key, opened);
        Ok(())
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) -> io::Result<()> {
        let due = self.clock.now() + DEBOUNCE;
        let uri = params.text_document.uri;
        let Some(document) = self.documents.get_mut(uri.as_str()) else { return Ok(()) };
        // The server asks for whole texts; the last one counts.
        if let Some(change) = params.content_changes.into_iter().rfind(|change| change.range.is_none()) {
            document.text = bounded(change.text);
            document.version = params.text_document.version;
            document.rehearsed.clear();
            document.due = Some(due);
            self.check_neighbours(&uri, due);
        }
        Ok(())
    }

    /// Lets the other modules of a toolkit be checked too, since they may import what has changed.
    fn check_neighbours(&mut self, uri: &Uri, due: Timestamp) {
        let Some(folder) = path_of(uri).as_deref().and_then(toolkit_of) else { return };
        for other in self.documents.values_mut() {
            if path_of(&other.uri).is_some_and(|path| path.parent() == Some(&*folder)) {
                other.due = Some(due);
            }
        }
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) -> io::Result<()> {
        let uri = params.text_document.uri;
        self.cancel_rehearsal(|running| running.uri == uri.as_str());
        match self.documents.remove(uri.as_str()) {
            Some(_) => self.publish(uri, None, Vec::new()),
            None => Ok(()),
        }
    }

    /// Checks the documents that have rested long enough.
    fn check_due(&mut self) -> io::Result<()> {
        let now = self.clock.now();
        let is_due = |document: &&Document| document.due.is_some_and(|due| due <= now);
        let due: Vec<String> =
            self.documents.values().filter(is_due).map(|document| document.uri.as_str().to_owned()).collect();
        due.iter().try_for_each(|uri| self.check(uri))
    }

    fn check(&mut self, uri: &str) -> io::Result<()> {
        let Some(document) = self.documents.get(uri) else { return Ok(()) };
        let diagnostics = self.guarded(|| self.diagnose(document));
        let diagnostics = diagnostics.unwrap_or_else(|(_, why)| vec![unreadable(why)]);
        let (uri, version) = (document.uri.clone(), document.version);
        if let Some(document) = self.documents.get_mut(uri.as_str()) {
            document.due = None;
        }
        self.publish(uri, Some(version), diagnostics)
    }

    fn diagnose(&self, document: &Document) -> Vec<Diagnostic> {
        let tool = match self.tool(document) {
            Ok(tool) => tool,
            Err(message) => return vec![unreadable(message)],
        };
        let mut found = tool.findings(document.text.as_str());
        for finding in &document.rehearsed {
            if !found.iter().any(|located| located.finding == *finding) {
                found.push(Located::from(finding.clone()));
            }
        }
        found.iter().map(|located| diagnostic(&document.text, located)).collect()
    }

    /// Contains a failure of this program, or of the parser, on an unforeseen text. Nothing is changed meanwhile.
    fn guarded<T>(&self, answer: impl FnOnce() -> T) -> Result<T, Refusal> {
        let failed = |_| (ErrorCode::InternalError, "the language server failed on this text".to_owned());
        catch_unwind(AssertUnwindSafe(answer)).map_err(failed)
    }

    /// Returns the tool that a document belongs to.
    fn tool(&self, document: &Document) -> Result<Tool, String> {
        let open = self.documents.values();
        let open = open.filter_map(|other| Some((path_of(&other.uri)?, other.text.as_str()))).collect();
        Tool::of(&document.uri, &open).map_err(|error| error.to_string())
    }

    fn publish(&mut self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) -> io::Result<()> {
        self.notify::<PublishDiagnostics>(PublishDiagnosticsParams { uri, diagnostics, version })
    }

    fn show(&mut self, typ: MessageType, message: &str) -> io::Result<()> {
        self.notify::<ShowMessage>(ShowMessageParams { typ, message: message.to_owned() })
    }

    fn notify<N: lsp_types::notification::Notification>(&mut self, params: N::Params) -> io::Result<()>
    where
        N::Params: Serialize,
    {
        let params = serde_json::to_value(params)?;
        self.send(Message::Notification(Notification { method: N::METHOD.to_owned(), params }))
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        transport::write(&mut self.output, &message)
    }
}

fn bounded(mut text: String) -> Text {
    text.truncate(boundary(&text, MAX_KEPT_BYTES));
    Text::new(text)
}

fn request_id(id: NumberOrString) -> RequestId {
    match id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    }
}

fn read<T: DeserializeOwned>(params: serde_json::Value) -> Result<T, Refusal> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn to_json(value: impl Serialize) -> Result<serde_json::Value, Refusal> {
    serde_json::to_value(value).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}
