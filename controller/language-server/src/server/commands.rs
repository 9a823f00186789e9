//! The command that rehearses a document, and its progress.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use lsp_server::{ErrorCode, Message, Request, RequestId, Response};
use lsp_types::notification::Progress as ProgressNotification;
use lsp_types::request::{Request as _, WorkDoneProgressCreate};
use lsp_types::{
    ExecuteCommandParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue, ProgressToken,
    Uri, WorkDoneProgress, WorkDoneProgressBegin, WorkDoneProgressCreateParams, WorkDoneProgressEnd,
    WorkDoneProgressReport,
};
use serde_json::json;

use super::answers::REHEARSE;
use super::{Client, Event, Refusal, Server, read};
use crate::rehearsal::{Checked, Rehearsal, Rehearsed};
use crate::tool::path_of;
use crate::transport::Output;

/// Maximum number of rehearsals at a time. Each keeps all processors busy.
const MAX_REHEARSALS: usize = 2;

/// How often a running rehearsal is reported.
const REPORT_PERIOD: Duration = Duration::from_secs(1);

/// What a rehearsal reports.
#[derive(Debug)]
pub(super) enum Progress {
    /// It has been running for so many seconds.
    Runs(RequestId, u64),
    Ended(RequestId, Rehearsed),
}

/// A rehearsal that runs.
#[derive(Debug)]
pub(super) struct Running {
    /// The request that started it, which is answered when it ends.
    pub request: RequestId,
    pub uri: String,
    /// What the client shows its progress by.
    pub token: Option<ProgressToken>,
    /// The text that is rehearsed.
    text: String,
    cancelled: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl<W: Output> Server<W> {
    /// Starts a rehearsal.
    pub(super) fn execute(&mut self, request: Request) -> Result<(), Refusal> {
        let params: ExecuteCommandParams = read(request.params)?;
        if params.command != REHEARSE {
            return Err((ErrorCode::InvalidParams, format!("there is no command {}", params.command)));
        }
        let Client::Editor(checker) = &self.client else {
            return Err((ErrorCode::InvalidRequest, "a page cannot rehearse here".to_owned()));
        };
        let checker = checker.clone();
        let Some(uri) = params.arguments.into_iter().next() else {
            return Err((ErrorCode::InvalidParams, format!("{REHEARSE} takes the URI of a document")));
        };
        let uri: Uri = read(uri)?;
        if self.running.len() >= MAX_REHEARSALS {
            let why = format!("{MAX_REHEARSALS} rehearsals are running; wait for one of them, or cancel it");
            return Err((ErrorCode::RequestFailed, why));
        }
        let document = self.document(&uri)?;
        let tool = self.tool(document).map_err(|why| (ErrorCode::RequestFailed, why))?;
        let text = document.text.as_str().to_owned();
        let cancelled = Arc::new(AtomicBool::new(false));
        let rehearsal = Rehearsal {
            submission: tool.with_text(&text),
            folder: path_of(&uri).and_then(|path| Some(path.parent()?.to_owned())),
            checker,
            cancelled: Arc::clone(&cancelled),
        };
        let name = rehearsal.submission.name.clone();
        let (sender, id) = (self.sender.clone(), request.id.clone());
        let thread = std::thread::Builder::new().name("lsp-rehearsal".into()).spawn(move || {
            let clock = MonotonicClock::start();
            let (began, mut reported) = (clock.now(), Duration::ZERO);
            let rehearsed = rehearsal.run(&mut || {
                let runs = clock.now().since(began);
                if runs >= reported + REPORT_PERIOD {
                    reported = runs;
                    // A server that has ended needs no report.
                    let _ = sender.try_send(Event::Rehearsal(Progress::Runs(id.clone(), runs.as_secs())));
                }
            });
            let _ = sender.send(Event::Rehearsal(Progress::Ended(id, rehearsed)));
        });
        let failed = |error: io::Error| (ErrorCode::RequestFailed, format!("cannot start a thread: {error}"));
        let thread = thread.map_err(failed)?;
        let token = params.work_done_progress_params.work_done_token;
        let token = match token {
            None if self.shows_progress => self.create_progress().map_err(failed)?,
            token => token,
        };
        let uri = uri.as_str().to_owned();
        let running = Running { request: request.id, uri, token, text, cancelled, thread };
        let begin = WorkDoneProgressBegin {
            title: format!("Rehearsing {name}"),
            cancellable: Some(true),
            ..WorkDoneProgressBegin::default()
        };
        let reported = self.report(running.token.clone(), WorkDoneProgress::Begin(begin));
        self.running.push(running);
        reported.map_err(failed)
    }

    /// Asks the client for a progress bar.
    fn create_progress(&mut self) -> io::Result<Option<ProgressToken>> {
        self.requests += 1;
        let token = NumberOrString::String(format!("minismith-{}", self.requests));
        let params = serde_json::to_value(WorkDoneProgressCreateParams { token: token.clone() })?;
        let method = WorkDoneProgressCreate::METHOD.to_owned();
        self.send(Message::Request(Request { id: self.requests.into(), method, params }))?;
        Ok(Some(token))
    }

    fn report(&mut self, token: Option<ProgressToken>, progress: WorkDoneProgress) -> io::Result<()> {
        let Some(token) = token else { return Ok(()) };
        let value = ProgressParamsValue::WorkDone(progress);
        self.notify::<ProgressNotification>(ProgressParams { token, value })
    }

    /// Handles the progress of a rehearsal, and answers its request when it has ended.
    pub(super) fn progress(&mut self, progress: Progress) -> io::Result<()> {
        match progress {
            Progress::Runs(id, seconds) => {
                let running = self.running.iter().find(|running| running.request == id);
                let Some(running) = running else { return Ok(()) };
                let report = WorkDoneProgressReport {
                    message: Some(format!("{seconds} s")),
                    cancellable: Some(true),
                    percentage: None,
                };
                self.report(running.token.clone(), WorkDoneProgress::Report(report))
            }
            Progress::Ended(id, rehearsed) => {
                let at = self.running.iter().position(|running| running.request == id);
                let Some(at) = at else { return Ok(()) };
                let running = self.running.swap_remove(at);
                let end = WorkDoneProgressEnd { message: Some(summary(&rehearsed)) };
                self.report(running.token.clone(), WorkDoneProgress::End(end))?;
                self.end(running, rehearsed)
            }
        }
    }

    fn end(&mut self, running: Running, rehearsed: Rehearsed) -> io::Result<()> {
        let summary = summary(&rehearsed);
        match rehearsed {
            Rehearsed::Cancelled => self.refuse(running.request, ErrorCode::RequestCanceled, &summary),
            Rehearsed::Failed(_) => {
                self.show(MessageType::ERROR, &summary)?;
                self.refuse(running.request, ErrorCode::RequestFailed, &summary)
            }
            Rehearsed::Checked(checked) => {
                let typ = if checked.accepted { MessageType::INFO } else { MessageType::WARNING };
                self.show(typ, &summary)?;
                let module = self.documents.get(&running.uri).and_then(|it| self.tool(it).ok());
                let module = module.and_then(|tool| tool.module);
                let result = json!({
                    "name": checked.name, "admitted": checked.accepted, "stage": checked.stage,
                    "needs_approval": checked.needs_approval, "findings": checked.findings,
                });
                // Lines of an older text would be the wrong ones.
                if let Some(document) = self.documents.get_mut(&running.uri)
                    && document.text.as_str() == running.text
                {
                    document.rehearsed = checked.findings;
                    document.rehearsed.retain(|finding| finding.module == module);
                    self.check(&running.uri)?;
                }
                self.send(Message::Response(Response { id: running.request, response_result: Ok(result) }))
            }
        }
    }

    /// Cancels a rehearsal, which is answered when its process has ended.
    pub(super) fn cancel_rehearsal(&self, is_meant: impl Fn(&Running) -> bool) {
        for running in self.running.iter().filter(|running| is_meant(running)) {
            running.cancelled.store(true, Ordering::Relaxed);
        }
    }

    /// Ends every rehearsal and waits until its process and its copy are gone.
    pub(super) fn stop_rehearsals(&mut self) {
        self.cancel_rehearsal(|_| true);
        for running in self.running.drain(..) {
            // Its thread must not wait for a queue that nobody empties.
            while !running.thread.is_finished() {
                if let Ok(event) = self.events.recv_timeout(Duration::from_millis(20)) {
                    self.queue.push_back(event);
                }
            }
        }
    }
}

/// Says in one sentence how a rehearsal ended.
fn summary(rehearsed: &Rehearsed) -> String {
    match rehearsed {
        Rehearsed::Cancelled => "the rehearsal was cancelled".to_owned(),
        Rehearsed::Failed(why) => why.clone(),
        Rehearsed::Checked(checked) => {
            let Checked { name, cases, findings, stage, .. } = checked;
            match (checked.accepted, checked.needs_approval) {
                (true, false) => format!("{name} is accepted: {} calls were rehearsed", cases.len()),
                (true, true) => {
                    format!("{name} is accepted after {} rehearsed calls, and needs approval", cases.len())
                }
                (false, _) => format!("{name} is refused by its {stage}: {} findings", findings.len()),
            }
        }
    }
}
