//! Records a conversation: each sentence, step, tool and answer in the journal under one id, and the dialog
//! next to the motion in a trace.

use minismith_protocol::trace_format::TextSource;
use serde_json::{Map, Value, json};
use tracing::Span;
use tracing::field::Empty;
use uuid::Uuid;

use super::{Conversation, Progress, Reply, ToolRunReply, TurnOutcome};
use crate::agents::coordinator::Assignment;
use minismith_control::run_recorder::TraceScope;
use minismith_control::trace::display_units;
use minismith_runtime::journal::Entry;
use minismith_runtime::report::{round_for_display, serde_name};
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::registry::RegisteredTool;

/// The maximum length of a text in an entry, in bytes.
const MAX_TEXT_BYTES: usize = 2_000;

/// The latest request, while it is carried out.
pub(super) struct ActiveRequest {
    id: String,
    doing: TraceScope,
}

/// A tool that is running.
pub(super) struct ActiveToolRun {
    what: String,
    doing: TraceScope,
    /// All values that a rerun on the simulated robot needs.
    run: Value,
}

/// Returns the span of one step.
pub(super) fn step(assignment: &Assignment) -> Span {
    tracing::info_span!("step", agent = serde_name(&assignment.agent), outcome = Empty)
}

/// Runs one step in its own span.
pub(super) fn in_step(
    assignment: &Assignment,
    act: impl FnOnce() -> (String, TurnOutcome),
) -> (String, TurnOutcome) {
    let span = step(assignment);
    let done = span.in_scope(act);
    span.record("outcome", serde_name(&done.1));
    done
}

impl Conversation<'_> {
    /// Sets the journal id of the next request; otherwise it gets a new one.
    pub fn known_as(&mut self, id: &Uuid) {
        self.next_id = Some(id.to_string());
    }

    /// Carries out a sentence that was said at this stop epoch
    /// ([`firmware_bridge::control_loop::LoopClient::stop_epoch`]). A stop between then and its turn cancels it too.
    pub fn queue_sentence(&mut self, text: &str, stop_epoch: u64) -> Reply {
        self.begin_noting("utterance", text).in_scope(|| {
            let reply = self.listen(text, stop_epoch);
            self.note_answer(&reply);
            reply
        })
    }

    /// Begins an entry for a request, and returns the span in which to carry it out.
    pub(super) fn begin_noting(&mut self, kind: &str, text: &str) -> Span {
        let recorder = self.body.recorder();
        let text = cut(text);
        let doing = recorder.begin(text);
        if kind == "utterance" {
            recorder.say(TextSource::Person, text);
        }
        let id = self.next_id.take().unwrap_or_else(|| Uuid::new_v4().to_string());
        let detail = json!({ "trace": doing.file() });
        let entry = Entry::now(kind, &self.person, text, "heard").by(self.role.name(), "").with(detail);
        recorder.note(self.of(&id, entry));
        let span = tracing::info_span!("utterance", id = id.as_str(), kind, outcome = Empty);
        self.heard = Some(ActiveRequest { id, doing });
        span
    }

    /// Records the answer.
    pub(super) fn note_answer(&mut self, reply: &Reply) {
        let Some(ActiveRequest { id, doing }) = self.heard.take() else { return };
        let recorder = self.body.recorder();
        let outcome = serde_name(&reply.outcome);
        Span::current().record("outcome", outcome.as_str());
        recorder.say(TextSource::Agent, cut(&reply.text));
        let detail = json!({
            "outcome": outcome,
            "steps": reply.steps.len(),
            "tool": reply.tool.as_ref().map(|tool| json!({ "name": tool.name, "version": tool.version })),
            "findings": reply.tool.as_ref().map(|tool| &tool.findings),
            "spent": reply.spent,
            "read": reply.read,
        });
        let entry = Entry::now("answer", "minismith", cut(&reply.text), &outcome).with(detail);
        recorder.note(self.of(&id, entry));
        doing.end(&outcome);
    }

    /// Records one finished step.
    pub(super) fn note_step(&self, progress: &Progress) {
        let Progress { assignment, text, outcome, steps } = progress;
        let recorder = self.body.recorder();
        let agent = serde_name(&assignment.agent);
        let detail = json!({ "text": cut(text), "steps": steps });
        let entry = Entry::now("step", &agent, cut(&assignment.task), &serde_name(outcome)).with(detail);
        recorder.note(self.of_heard(entry));
    }

    /// Runs `act` for a tool in its own span. Outside of a sentence it gets its own id too.
    pub(super) fn in_run<T>(&mut self, name: &str, act: impl FnOnce(&mut Self) -> T) -> T {
        // Name and attributes by the OpenTelemetry conventions for generative AI.
        let span = tracing::info_span!(
            "execute_tool",
            otel.name = format!("execute_tool {name}"),
            id = Empty,
            gen_ai.operation.name = "execute_tool",
            gen_ai.tool.name = name,
            outcome = Empty
        );
        if self.heard.is_some() {
            return span.in_scope(|| act(self));
        }
        let id = self.next_id.get_or_insert_with(|| Uuid::new_v4().to_string());
        span.record("id", id.as_str());
        let done = span.in_scope(|| act(self));
        self.next_id = None;
        done
    }

    /// Begins the record of a tool's run.
    pub(super) fn begin_run(
        &self,
        name: &str,
        accepted: &RegisteredTool,
        arguments: &Map<String, Value>,
    ) -> ActiveToolRun {
        let recorder = self.body.recorder();
        let manifest = accepted.manifest();
        let what = format!("{name} v{}", manifest.version);
        let doing = recorder.begin(&what);
        let start = self.context.control.snapshot().goal;
        let run = json!({
            "tool": name,
            "version": manifest.version,
            "sha256": manifest.code_sha256,
            "arguments": arguments,
            "approved": accepted.is_approved(),
            "real": self.body.is_real(),
            "start_deg": display_units::degrees(&start),
            "trace": doing.file(),
        });
        let entry = Entry::now("tool", &self.person, &what, "began").by(self.role.name(), "");
        recorder.note(self.of_heard(entry.with(run.clone())));
        ActiveToolRun { what, doing, run }
    }

    /// Records how a tool's run ended.
    pub(super) fn end_run(&self, running: ActiveToolRun, reply: &ToolRunReply) {
        let ActiveToolRun { what, doing, mut run } = running;
        let recorder = self.body.recorder();
        let (how, ended) = match &reply.outcome {
            Outcome::Returned { .. } => ("returned", "returned".to_owned()),
            Outcome::Raised { kind, message, .. } => ("raised", format!("raised {kind}: {}", cut(message))),
            Outcome::Stopped { limit, reason } => ("stopped", format!("stopped by {limit}: {}", cut(reason))),
        };
        Span::current().record("outcome", how);
        for line in reply.printed.lines().take(200) {
            recorder.say(TextSource::Tool, cut(line));
        }
        if let Value::Object(run) = &mut run {
            run.insert("outcome".into(), json!(reply.outcome));
            run.insert("command_digest".into(), json!(reply.command_digest));
            run.insert("took_s".into(), json!(reply.duration_s));
            run.insert("slips".into(), json!(reply.stalls));
            run.insert("trims".into(), json!(reply.clamps));
            run.insert("notes".into(), json!(reply.notes));
        }
        recorder.note(self.of_heard(Entry::now("tool", &self.person, &what, &ended).with(run)));
        doing.end(&ended);
    }

    fn of_heard(&self, entry: Entry) -> Entry {
        match self.heard.as_ref().map(|heard| &heard.id).or(self.next_id.as_ref()) {
            Some(id) => self.of(id, entry),
            None => entry,
        }
    }

    fn of(&self, id: &str, entry: Entry) -> Entry {
        entry.of(id, round_for_display(self.context.control.robot_time().seconds()))
    }
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or(text)
}
