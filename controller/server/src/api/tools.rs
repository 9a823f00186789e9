//! Tools over HTTP: listing, searching, checking, adding and running them.
//!
//! The documents are those of `minismith tool ... --json`, in which renamed fields also have their new names. Requests that
//! only read the registry run at once; rehearsals and runs are queued at the queue. `tool_admin` manages registered tools.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use firmware_bridge::motion::MotionError as NoMotion;
use minismith_protocol::old_names::http::{self, add_names};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody, QueryParams, unprocessable};
use super::job::{run_cancellable, run_rehearsal};
use super::names::both;
use super::request_queue::RequestQueue;
use super::tools_state::{Answer, Shop, Which};
use super::{bundles, tool_admin, tool_preview};
use minismith_analysis::files::Output;
use minismith_analysis::manifest::{Example, Provenance, TestCase};
use minismith_analysis::submission::{Declared, Expects, Submission};
use minismith_assistant::conversation::{Conversation, RunResult};
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::preview::Motion;
use minismith_toolchain::workshop::rehearsal::RehearsalError;
use minismith_toolchain::workshop::responses::{self, AddResult, FileChecked, Search, ToolDetails, ToolList};
use minismith_toolchain::workshop::review::Reviewed;

/// Maximum number of modules of a toolkit, as for one that is read from a folder.
const MAX_MODULES: usize = 32;

/// Maximum number of expectations. One about a parameter is measured in a call of its own.
const MAX_EXPECTS: usize = 50;

pub(super) fn routes(queue: RequestQueue, control_loop: ControlLoopHandle, config: &Config) -> OpenApiRouter {
    let config = Arc::new(config.clone());
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(search))
        .routes(routes!(check))
        .routes(routes!(show))
        .routes(routes!(run))
        .merge(tool_admin::routes())
        .merge(bundles::routes())
        .merge(tool_preview::routes())
        .with_state(Arc::new(Shop { queue, control_loop, config }))
}

/// List the tools
#[utoipa::path(get, path = "/api/v1/tools", tag = "tools", operation_id = "list_tools", responses(
    (status = 200, description = "All tools, by name.", body = ToolList),
    (status = 503, description = "The tool registry can't be read.", body = ErrorBody),
))]
async fn list(State(shop): State<Arc<Shop>>, caller: Caller) -> Answer<ToolList> {
    caller.require_role(Role::Viewer)?;
    shop.ask(responses::list).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Looking {
    /// What the tool should do, in plain English.
    #[param(example = "say hello to somebody")]
    text: String,
    /// Maximum number of results.
    #[serde(default = "ten")]
    #[param(minimum = 1, maximum = 1000, default = 10)]
    limit: u16,
}

const fn ten() -> u16 {
    10
}

/// Search tools
///
/// By keywords, and by meaning if an embedding model is installed. A tool called `search` or `check` can be listed and run, but
/// not shown, because its path is taken.
#[utoipa::path(get, path = "/api/v1/tools/search", tag = "tools", operation_id = "search_tools", params(Looking),
    responses(
        (status = 200, description = "The results, best first.", body = Search),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be read.", body = ErrorBody),
))]
async fn search(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    QueryParams(Looking { text, limit }): QueryParams<Looking>,
) -> Answer<Value> {
    caller.require_role(Role::Viewer)?;
    if !(1..=1000).contains(&limit) {
        return Err(unprocessable("query.limit", "`limit` is out of range: use 1 to 1000"));
    }
    let models = shop.config.models.clone();
    let search = move |registry: &minismith_toolchain::workshop::registry::Registry| {
        registry.search(&text, usize::from(limit), &models).map(|found| responses::found(&text, found))
    };
    Ok(both(&http::SEARCH, &shop.ask(search).await?.0))
}

/// Show a tool
///
/// Returns its manifest, code, usage and approval.
#[utoipa::path(get, path = "/api/v1/tools/{name}", tag = "tools", operation_id = "show_tool",
    params(("name" = String, Path, description = "The tool's name.", example = "greet"), Which),
    responses(
        (status = 200, description = "The tool.", body = ToolDetails),
        (status = 404, description = "The tool or its version is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's files were modified, or it no longer passes the policy.", body = ErrorBody),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be read.", body = ErrorBody),
))]
async fn show(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    QueryParams(Which { version }): QueryParams<Which>,
) -> Answer<ToolDetails> {
    caller.require_role(Role::Viewer)?;
    let mut shown = shop.ask(move |registry| responses::show(registry, &name, version)).await?;
    // Clients get file names, not paths on this machine.
    for file in shown.files.values_mut() {
        *file = file.file_name().map(PathBuf::from).unwrap_or_default();
    }
    Ok(shown)
}

/// A submitted tool.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "code": "def double(number: float = 1.0) -> float:\n    \"\"\"Double a number.\n\n    Args:\n        number: Any number, between -1000 and 1000.\n\n    Returns:\n        Twice the number.\n    \"\"\"\n    return 2.0 * number\n",
    "args": { "number": 4.5 }
}))]
struct HandedIn {
    /// The Python source; for a toolkit, that of the main module.
    code: String,
    /// The stem of its file; required for a toolkit. A tool of one file is named after its only public function.
    #[serde(default)]
    name: Option<String>,
    /// The other modules of a toolkit, by stem; omitted for a tool of one file.
    #[serde(default)]
    modules: Option<BTreeMap<String, String>>,
    /// Example calls; each must pass its rehearsal.
    #[serde(default)]
    examples: Vec<Example>,
    /// Calls with expected results, as in a manifest.
    #[serde(default)]
    test_cases: Vec<TestCase>,
    /// What the motion of the default call must do, as `expects` of a tool's declarations.
    #[serde(default)]
    #[schema(value_type = Vec<Object>)]
    expects: Expects,
    /// Also rehearse a call with these arguments.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    args: Option<Map<String, Value>>,
    /// For checks: also return the motion of the default call, as `motion`.
    #[serde(default)]
    motion: bool,
}

impl HandedIn {
    fn submitted(self, caller: &Caller) -> Result<Submission, ApiError> {
        let HandedIn { code, name, modules, examples, mut test_cases, expects, args, motion: _ } = self;
        if modules.as_ref().is_some_and(|modules| modules.len() > MAX_MODULES) {
            let why =
                format!("too many modules: {MAX_MODULES} allowed; split the toolkit into several tools");
            return Err(unprocessable("body.modules", &why));
        }
        if expects.0.len() > MAX_EXPECTS {
            let why = format!("too many expectations: {} given, {MAX_EXPECTS} allowed", expects.0.len());
            return Err(unprocessable("body.expects", &why));
        }
        let Some(name) = name.or_else(|| modules.is_none().then(|| "tool".to_owned())) else {
            return Err(unprocessable(
                "body.name",
                "a toolkit requires the name of its main module; send `name`",
            ));
        };
        if let Some(arguments) = args {
            test_cases.push(TestCase { name: "args".into(), arguments, ..TestCase::default() });
        }
        let bytes = |(stem, code): (String, String)| (stem, code.into_bytes());
        Ok(Submission {
            name,
            main: code.into_bytes(),
            others: modules.map(|modules| modules.into_iter().map(bytes).collect()),
            declared: Declared { examples, test_cases, expects, ..Declared::default() },
            // Never one of this program's own authors, whatever the client's name is.
            origin: Provenance { author: format!("{}, by the API", caller.name), ..Provenance::default() },
        })
    }
}

/// Check a tool
///
/// Runs policy, rehearsal on the simulated robot and review, and registers nothing. A rejected tool is a regular response: see
/// `accepted`, `phase` and `findings`.
#[utoipa::path(post, path = "/api/v1/tools/check", tag = "tools", operation_id = "check_tool", request_body = HandedIn,
    responses(
        (status = 200, description = "The result, as one element of `minismith tool check --json`.", body = FileChecked),
        (status = 409, description = "The check failed because of an internal error; see the log.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
        (status = 503, description = "This machine can't run rehearsals; `minismith doctor` says why.", body = ErrorBody),
))]
async fn check(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    JsonBody(given): JsonBody<HandedIn>,
) -> Answer<Value> {
    caller.require_role(Role::Engineer)?;
    let is_shown = given.motion;
    let submission = given.submitted(&caller)?;
    let checked = run_rehearsal(&shop.queue, move |workshop, _| {
        let clock = MonotonicClock::start();
        let (checked, cached, motion) = if is_shown {
            let (checked, reviewed) = workshop.check(&submission)?;
            let period = workshop.conditions(false).period;
            let cycles = reviewed.as_ref().map_or(&checked.rejected_motion[..], Reviewed::cycles);
            let motion = (!cycles.is_empty()).then(|| Motion::of(cycles, period));
            (checked, false, motion)
        } else {
            let (checked, cached) = workshop.check_cached(&submission)?;
            (checked, cached, None)
        };
        let seconds = (clock.now().seconds() * 1e4).round() / 1e4;
        let file = format!("{}.py", submission.name);
        Ok::<_, RehearsalError>(FileChecked {
            file,
            checked,
            is_cached: cached,
            seconds,
            motion,
            written: Vec::new(),
        })
    });
    Ok(both(&http::CHECK, &checked.await??))
}

/// The reason why a tool was not added.
#[derive(Serialize, ToSchema)]
struct NotAdded {
    /// The reason, as a sentence.
    detail: String,
    /// The results of policy, rehearsal and review.
    checked: Checked,
}

/// The result of submitting a tool.
#[expect(clippy::large_enum_variant, reason = "there is one short-lived value of it")]
enum Entered {
    Added(AddResult),
    Refused(Checked),
}

/// Add a tool
///
/// Checks the tool and registers it as a new version if it is accepted. It runs at half speed until a person approves it.
#[utoipa::path(post, path = "/api/v1/tools", tag = "tools", operation_id = "add_tool", request_body = HandedIn, responses(
    (status = 201, description = "The tool was registered.", body = AddResult,
        headers(("location" = String, description = "The address of the new version."))),
    (status = 409, description = "The name belongs to a predefined tool.", body = ErrorBody),
    (status = 422, description = "The tool was rejected, with the findings in `checked`, or the request body is invalid.", body = ErrorBody),
    (status = 503, description = "This machine can't run rehearsals, or the tool registry can't be written.", body = ErrorBody),
))]
async fn add(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    JsonBody(given): JsonBody<HandedIn>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Engineer)?;
    let submission = given.submitted(&caller)?;
    let entered = run_rehearsal(&shop.queue, move |workshop, _| {
        let (checked, reviewed) = workshop.check(&submission)?;
        let Some(reviewed) = reviewed else { return Ok(Entered::Refused(checked)) };
        let manifest = workshop.accept(&reviewed)?;
        Ok::<_, ApiError>(Entered::Added(AddResult { registered: Some(manifest), checked }))
    });
    Ok(match entered.await?? {
        Entered::Added(added) => {
            let position = added
                .registered
                .as_ref()
                .map(|manifest| format!("/api/v1/tools/{}?version={}", manifest.name, manifest.version));
            (StatusCode::CREATED, [(LOCATION, position.unwrap_or_default())], both(&http::ADD, &added))
                .into_response()
        }
        Entered::Refused(checked) => {
            let context = minismith_runtime::report::serde_name(&checked.phase);
            let found = checked.findings.first().map(ToString::to_string).unwrap_or_default();
            let detail = format!("{} was rejected by the {context}: {found}", checked.name);
            (StatusCode::UNPROCESSABLE_ENTITY, both(&http::ADD, &NotAdded { detail, checked }))
                .into_response()
        }
    })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "args": {} }))]
struct Call {
    /// The arguments by name; omitted ones have their defaults.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
}

/// Returns the result of a run together with the content of its output files.
fn with_contents(ran: &RunResult) -> Value {
    let mut document = serde_json::to_value(ran).unwrap_or_default();
    let listed = document.pointer_mut("/performance/outputs").and_then(Value::as_array_mut);
    for (listed, Output { content, .. }) in listed.into_iter().flatten().zip(&ran.tool_run.outputs) {
        if let Some(listed) = listed.as_object_mut() {
            listed.insert("base64".into(), STANDARD.encode(content.0.as_slice()).into());
        }
    }
    add_names(http::TOOL_RUN.fields, &mut document);
    document
}

/// Run a tool
///
/// Runs are queued, one at a time. A client that disconnects early stops its run; a stop also cancels queued runs. The arguments
/// can't name files on the server.
#[utoipa::path(post, path = "/api/v1/tools/{name}/run", tag = "tools", operation_id = "run_tool", request_body = Call,
    params(("name" = String, Path, description = "The tool's name, or `toolkit.function`.", example = "greet")),
    responses(
        (status = 200, description = "The tool ran; `run.status` is `returned`, `raised` or `stopped`.", body = RunResult),
        (status = 404, description = "The tool is unknown.", body = ErrorBody),
        (status = 409, description = "The tool is disabled, needs approval, or was stopped before it started.", body = ErrorBody),
        (status = 422, description = "The arguments or the request body are invalid.", body = ErrorBody),
        (status = 503, description = "This machine can't run the sandbox; `minismith doctor` says why.", body = ErrorBody),
))]
async fn run(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    JsonBody(Call { args }): JsonBody<Call>,
) -> Answer<Value> {
    caller.require_role(Role::Operator)?;
    let stop_epoch = shop.control_loop.stop_epoch();
    let control_loop = shop.control_loop.clone();
    let ran = run_cancellable(&shop.queue, shop.control_loop.clone(), move |worker| {
        if control_loop.stop_epoch() != stop_epoch {
            return Err(ApiError::new(StatusCode::CONFLICT, &NoMotion::Stopped.to_string()));
        }
        let mut conversation = Conversation::new(worker.body, worker.workshop).begun_at(stop_epoch);
        caller.request.id.inspect(|id| conversation.known_as(id));
        let (version, tool_run) = conversation.run_tool(&name, args)?;
        Ok(RunResult { name, version, tool_run })
    });
    Ok(Json(with_contents(&ran.await??)))
}
