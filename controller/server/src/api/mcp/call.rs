//! Executes tool calls. Calls that move the robot or change the tool registry are queued at the queue; stops, the state and
//! images are not.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firmware_bridge::control_loop::{LoopClient, LoopCommand};
use minismith_protocol::old_names::config::new_value;
use minismith_protocol::old_names::http::{STATE, restore_names};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents, Tool};
use serde_json::{Map, Value, json};

use super::super::caller::Caller;
use super::super::job::{run_cancellable, run_rehearsal};
use super::super::request_queue::{ReplyEvent, RequestQueue, Worker};
use super::super::robot::robot_state;
use super::tool_list::{ExposedTool, ToolAction, of_registry, own};
use minismith_analysis::arguments::accept;
use minismith_analysis::files::Output;
use minismith_analysis::manifest::{Provenance, ToolManifest};
use minismith_analysis::submission::Submission;
use minismith_assistant::agents::action::Action;
use minismith_assistant::agents::agent_function::{Ability, AgentScope, Callable};
use minismith_assistant::agents::coordinator::Task;
use minismith_assistant::conversation::{
    Conversation, ConversationEvent, Reply, TurnOutcome, reported, stopped,
};
use minismith_control::perception::PerceptionError;
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::{Config, Nlu};
use minismith_runtime::report::{PostureReport, serde_name};
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::registry::Registry;

/// Maximum size of a sentence or a source, bytes; the policy rejects smaller sources already.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Maximum size of an output file that is part of a result, bytes.
const MAX_FILE_BYTES: usize = 2 << 20;

/// Receives each step while the call runs.
pub(super) type Note<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// Executes calls.
#[derive(Clone)]
pub(super) struct ToolCalls {
    pub(super) queue: RequestQueue,
    pub(super) body: Arc<RobotRuntime>,
    pub(super) config: Arc<Config>,
}

impl ToolCalls {
    /// Returns all tools that may be called now.
    pub(super) async fn offers(&self) -> Vec<ExposedTool> {
        let config = self.config.clone();
        let listed = tokio::task::spawn_blocking(move || {
            Registry::of(&config).and_then(|registry| reported(&registry))
        });
        let entries = match listed.await {
            Ok(Ok(entries)) => entries,
            Ok(Err(error)) => {
                tracing::warn!(%error, "cannot list the tool registry");
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        let mut offers = own(self.config.nlu != Nlu::Grammar);
        let registered = of_registry(entries, &offers);
        offers.extend(registered);
        offers
    }

    /// Returns their descriptions for clients.
    pub(super) async fn tools(&self) -> Vec<Tool> {
        self.offers().await.into_iter().map(|offer| offer.tool).collect()
    }

    /// Executes a call. Dropping the future early stops what the call started.
    ///
    /// # Errors
    /// When there is no tool of this name. Any other failure is part of the result.
    pub(super) async fn call(
        &self,
        caller: Caller,
        name: &str,
        arguments: Map<String, Value>,
        note: Note<'_>,
    ) -> Result<CallToolResult, ErrorData> {
        let offers = self.offers().await;
        // A tool of the registry may have the old name of a motion.
        let name = if offers.iter().any(|offer| offer.tool.name == name) {
            name
        } else {
            new_value("agents.roster[].functions[]", name).unwrap_or(name)
        };
        let Some(offer) = offers.into_iter().find(|offer| offer.tool.name == name) else {
            let short: String = name.chars().take(60).collect();
            return Err(ErrorData::invalid_params(format!("Unknown tool: {short}"), None));
        };
        if let Err(why) = caller.may(name, offer.min_role) {
            return Ok(refused(why));
        }
        // Invalid arguments are a result, so that a model can correct them.
        if !matches!(offer.action, ToolAction::Run(_))
            && let Err(complaint) = accept(&Value::Object((*offer.tool.input_schema).clone()), &arguments)
        {
            return Ok(refused(format!("{name}: {complaint}")));
        }
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        Ok(match offer.action {
            ToolAction::ReportState => self.report_state(),
            ToolAction::TakeImage => self.take_image().await,
            ToolAction::Stop => self.stop().await,
            ToolAction::Say => {
                self.say(caller, text("text").unwrap_or_default(), text("session"), note).await
            }
            ToolAction::CreateTool => match (text("code"), text("request")) {
                (Some(code), None) => self.add(caller, code).await,
                (None, Some(request)) => self.author(caller, text("name"), request, note).await,
                _ => refused("give either `code` or `request`".into()),
            },
            ToolAction::Move(ability) => match read(ability, &arguments) {
                Ok(task) => self.act(caller, task).await,
                Err(complaint) => refused(format!("{name}: {complaint}")),
            },
            ToolAction::Run(tool) => self.act(caller, Task::RunTool { name: tool, arguments }).await,
        })
    }

    fn report_state(&self) -> CallToolResult {
        let control_loop = self.body.handle();
        let state = robot_state(&control_loop.snapshot(), control_loop.period());
        let mut state = serde_json::to_value(state).unwrap_or_default();
        // The names that MCP clients rely on do not change.
        restore_names(STATE.fields, &mut state);
        CallToolResult::structured(state)
    }

    async fn take_image(&self) -> CallToolResult {
        let observer = self.body.observer();
        let (name, simulated) = (observer.name(), observer.is_simulated());
        let taken = tokio::task::spawn_blocking(move || -> Result<_, PerceptionError> {
            let frame = observer.frame()?;
            let (image, jpeg) = (frame.image()?, frame.jpeg()?);
            Ok((image.width, image.height, STANDARD.encode(jpeg)))
        });
        let (width, height, jpeg) = match taken.await {
            Ok(Ok(taken)) => taken,
            Ok(Err(no)) => return failed(format!("there is no picture: {no}")),
            Err(_) => {
                return failed("there is no picture: what came of the camera broke this program's reader");
            }
        };
        let text = format!("A picture by {name}, {width} x {height} pixels.");
        let mut result =
            CallToolResult::success(vec![ContentBlock::image(jpeg, "image/jpeg"), ContentBlock::text(text)]);
        result.structured_content =
            Some(json!({ "width": width, "height": height, "format": "image/jpeg", "simulated": simulated }));
        result
    }

    /// Stops the robot at once and waits until it is at rest.
    async fn stop(&self) -> CallToolResult {
        let mut control_loop = self.body.handle();
        control_loop.send_command(LoopCommand::Stop);
        match tokio::task::spawn_blocking(move || stopped(&mut control_loop)).await {
            Ok(reply) => of_reply(&reply),
            Err(_) => failed("the stop could not be confirmed; switch the robot off"),
        }
    }

    async fn say(&self, caller: Caller, text: &str, session: Option<&str>, note: Note<'_>) -> CallToolResult {
        if text.trim().is_empty() || text.len() > MAX_TEXT_BYTES {
            return refused(format!("say something, in at most {} kB", MAX_TEXT_BYTES >> 10));
        }
        match self.submit(caller, text, session, note).await {
            Ok(reply) => of_reply(&reply),
            Err(why) => failed(&why),
        }
    }

    /// Executes a sentence, without questions to the user.
    async fn submit(
        &self,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        note: Note<'_>,
    ) -> Result<Box<Reply>, String> {
        let mut pending =
            self.queue.submit_sentence(caller, text, session, false).map_err(|full| full.to_string())?;
        loop {
            match pending.events.recv().await {
                Some(ReplyEvent::Reply(reply)) => return Ok(reply),
                Some(ReplyEvent::Error { detail }) => return Err(detail),
                Some(ReplyEvent::Event(ConversationEvent::Step(step))) => note(&step.text),
                Some(ReplyEvent::Event(_) | ReplyEvent::Question { .. }) => {}
                None => return Err("the answer was lost; say it again".into()),
            }
        }
    }

    /// Runs a job at the queue.
    async fn work<T: Send + 'static>(
        &self,
        act: impl for<'a> FnOnce(&Worker<'a>) -> T + Send + 'static,
    ) -> Result<T, String> {
        run_cancellable(&self.queue, self.body.handle(), act).await.map_err(|no| no.to_string())
    }

    /// Executes one motion or one registered tool.
    async fn act(&self, caller: Caller, task: Task) -> CallToolResult {
        let stop_epoch = self.body.handle().stop_epoch();
        let done = self.work(move |worker| {
            let mut conversation = Conversation::new(worker.body, worker.workshop);
            conversation.heard_from(&caller.name, caller.role);
            caller.request.id.inspect(|id| conversation.known_as(id));
            conversation.call(task, stop_epoch)
        });
        match done.await {
            Ok(reply) => of_reply(&reply),
            Err(why) => failed(&why),
        }
    }

    /// Verifies and registers a tool, as `minismith tool add` does.
    async fn add(&self, caller: Caller, code: &str) -> CallToolResult {
        if code.len() > MAX_TEXT_BYTES {
            return refused(format!("the code is longer than {} kB", MAX_TEXT_BYTES >> 10));
        }
        let author = format!("{} by MCP", caller.name);
        let submission =
            Submission::of("tool", code.as_bytes()).from(Provenance { author, ..Provenance::default() });
        let done = run_rehearsal(&self.queue, move |workshop, wanted| {
            let (checked, reviewed) = workshop.check(&submission).map_err(|no| no.to_string())?;
            // A client that has disconnected must not find a tool registered without its knowledge.
            let accepted = match reviewed.filter(|_| wanted.is_active()) {
                Some(reviewed) => Some(workshop.accept(&reviewed).map_err(|no| no.to_string())?),
                None => None,
            };
            Ok::<_, String>((checked, accepted))
        });
        match done.await {
            Ok(Ok((checked, accepted))) => of_check(&checked, accepted.as_ref()),
            Ok(Err(why)) => failed(&why),
            Err(no) => failed(no.to_string()),
        }
    }

    /// Has the agents write a tool, as in a conversation.
    async fn author(
        &self,
        caller: Caller,
        name: Option<&str>,
        request: &str,
        note: Note<'_>,
    ) -> CallToolResult {
        let called = name.map(|name| format!(" called {name}")).unwrap_or_default();
        let text = format!("make a tool{called} that {}", request.trim());
        match self.submit(caller, &text, None, note).await {
            Err(why) => failed(&why),
            Ok(reply) => {
                let is_made = reply.tool.as_ref().is_some_and(|tool| tool.version.is_some());
                let mut result = of_reply(&reply);
                result.is_error = Some(!is_made || reply.outcome != TurnOutcome::Done);
                result
            }
        }
    }
}

/// Returns the motion for an ability and its arguments.
fn read(ability: Ability, arguments: &Map<String, Value>) -> Result<Task, String> {
    match ability.read(arguments, AgentScope::default())? {
        Action::Move(primitive) => Ok(Task::Move(primitive)),
        other => Err(format!("this is no motion: {}", other.describe())),
    }
}

/// Converts a reply to a result: structured as `minismith say --json` prints it, and as text with the measured poses.
fn of_reply(reply: &Reply) -> CallToolResult {
    let mut words = vec![reply.text.clone()];
    for step in &reply.steps {
        if let Some(achieved) = &step.achieved {
            words.push(format!("Measured after {}: {}.", step.kind, in_words(achieved)));
        }
        words.extend(step.clamps.iter().map(|clamp| format!("Held back by the robot's limits: {clamp}.")));
    }
    let mut content = vec![ContentBlock::text(words.join("\n"))];
    let executed = reply.tool.as_ref().and_then(|tool| tool.run.as_ref());
    content.extend(executed.into_iter().flat_map(|executed| &executed.outputs).filter_map(of_file));
    let mut result = CallToolResult::success(content);
    result.is_error = Some(reply.outcome != TurnOutcome::Done);
    result.structured_content = serde_json::to_value(reply).ok();
    result
}

fn in_words(posture: &PostureReport) -> String {
    let PostureReport { x_mm, y_mm, z_mm, roll_deg, pitch_deg, yaw_deg, body_yaw_deg, antennas_deg } =
        posture;
    let [right, left] = antennas_deg;
    format!(
        "head yaw {yaw_deg}, pitch {pitch_deg}, roll {roll_deg} deg at x {x_mm}, y {y_mm}, z {z_mm} mm; body \
         {body_yaw_deg} deg; antennas {right} and {left} deg"
    )
}

/// Returns an output file, unless it is too large.
fn of_file(output: &Output) -> Option<ContentBlock> {
    let Output { name, r#type, content, .. } = output;
    let bytes = content.0.as_slice();
    if bytes.len() > MAX_FILE_BYTES {
        return None;
    }
    let mime = match r#type.as_str() {
        "png" => "image/png",
        "jpg" => "image/jpeg",
        "svg" => "image/svg+xml",
        "csv" => "text/csv",
        "json" => "application/json",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "yaml" => "application/yaml",
        "wav" => "audio/wav",
        _ => "application/octet-stream",
    };
    let blob = STANDARD.encode(bytes);
    Some(match mime {
        "image/png" | "image/jpeg" => ContentBlock::image(blob, mime),
        _ => ContentBlock::resource(ResourceContents::BlobResourceContents {
            uri: format!("minismith:/outputs/{name}"),
            mime_type: Some(mime.into()),
            blob,
            meta: None,
        }),
    })
}

/// Converts the result of a check, with a summary of the report, because a model has no use for all of it.
fn of_check(checked: &Checked, accepted: Option<&ToolManifest>) -> CallToolResult {
    let mut words = match accepted {
        Some(ToolManifest { name, version, needs_approval, .. }) => {
            let approval = if *needs_approval {
                " Before it moves real motors a person has to approve it: `minismith tool approve`."
            } else {
                ""
            };
            vec![format!("{name} is version {version} now and can be called.{approval}")]
        }
        None => vec![format!("{} was refused by the {}:", checked.name, serde_name(&checked.phase))],
    };
    words.extend(checked.findings.iter().map(ToString::to_string));
    let text = words.join("\n");
    let report = checked.report.as_ref().map(|report| {
        json!({
            "duration_s": report.duration_s,
            "cases": report.cases,
            "greatest_move_deg": report.max_displacement_deg,
            "peak_head_tilt_deg": report.peak_head_tilt_deg,
            "worst_trim_deg": report.max_clamp_deg,
            "trimmed_beats": report.clamped_cycles,
            "rests_at_end": report.rests_at_end,
            "line_coverage": report.line_coverage,
            "narrowed": report.unverified_ranges.iter().map(|one| json!({ "call": one.call, "why": one.why })).collect::<Vec<_>>(),
        })
    });
    let registered = accepted.map(|manifest| {
        json!({
            "name": manifest.name,
            "version": manifest.version,
            "description": manifest.description,
            "parameters": manifest.parameters,
            "needs_approval": manifest.needs_approval,
        })
    });
    let mut result = CallToolResult::success(vec![ContentBlock::text(text.clone())]);
    result.is_error = Some(accepted.is_none());
    result.structured_content = Some(json!({
        "text": text,
        "outcome": if accepted.is_some() { TurnOutcome::Done } else { TurnOutcome::Refused },
        "steps": [],
        "registered": registered,
        "checked": {
            "name": checked.name,
            "admitted": checked.accepted,
            "needs_approval": checked.needs_approval,
            "stage": checked.phase,
            "findings": checked.findings,
            "report": report,
        },
    }));
    result
}

/// Returns the result of a rejected call.
fn refused(why: String) -> CallToolResult {
    of_reply(&Reply::nothing(why, TurnOutcome::Refused))
}

/// Returns the result of a call that failed on the server.
fn failed(why: impl Into<String>) -> CallToolResult {
    of_reply(&Reply::nothing(why.into(), TurnOutcome::Failed))
}
