//! Tools over HTTP: what is on the shelf, what the workshop says of new ones, and running them.
//!
//! The documents are those of `minismith tool ... --json`. What only reads the shelf is answered at once; rehearsals and
//! performances have their turn at the desk. The care of the shelf is in `shelf`.

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
use firmware_bridge::clock::{Clock, WallClock};
use firmware_bridge::motion::Refusal as NoMotion;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::desk::Desk;
use super::errand::errand;
use super::given::{Given, Refusal, Refused, Wanted, unprocessable};
use super::tools_state::{Answer, Shop, Which};
use super::{shelf, shown};
use minismith_analysis::files::Output;
use minismith_analysis::manifest::{Example, Provenance, TestCase};
use minismith_analysis::submission::{Declared, Submission};
use minismith_assistant::conversation::{Conversation, Ran};
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::preview::Motion;
use minismith_toolchain::workshop::rehearsal::NoRehearsal;
use minismith_toolchain::workshop::told::{self, Added, FileChecked, Listing, Search, Shown};

/// The most modules of a toolkit, as when it is read from a folder.
const MOST_MODULES: usize = 32;

pub(super) fn routes(desk: Desk, pulse: PulseHandle, config: &Config) -> OpenApiRouter {
    let (tools, models) = (config.tools.clone(), config.models.clone());
    OpenApiRouter::new()
        .routes(routes!(list, add))
        .routes(routes!(search))
        .routes(routes!(check))
        .routes(routes!(show))
        .routes(routes!(run))
        .merge(shelf::routes())
        .merge(shown::routes())
        .with_state(Arc::new(Shop { desk, pulse, tools, models }))
}

/// List the tools
#[utoipa::path(get, path = "/api/v1/tools", tag = "tools", operation_id = "list_tools", responses(
    (status = 200, description = "All of them, by name.", body = Listing),
    (status = 503, description = "The shelf can't be read.", body = Refusal),
))]
async fn list(State(shop): State<Arc<Shop>>, caller: Caller) -> Answer<Listing> {
    caller.must_be(Role::Viewer)?;
    shop.ask(told::list).await
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Looking {
    /// What is wanted, in plain words.
    #[param(example = "say hello to somebody")]
    text: String,
    /// At most so many.
    #[serde(default = "ten")]
    #[param(minimum = 1, maximum = 1000, default = 10)]
    limit: u16,
}

const fn ten() -> u16 {
    10
}

/// Find tools
///
/// By words, and by meaning where a model for that is installed. A tool called `search` or `check` can be listed and run, and
/// not shown, since its address is taken.
#[utoipa::path(get, path = "/api/v1/tools/search", tag = "tools", operation_id = "search_tools", params(Looking),
    responses(
        (status = 200, description = "The best first.", body = Search),
        (status = 422, description = "Something behind the `?` can't be used.", body = Refusal),
        (status = 503, description = "The shelf can't be read.", body = Refusal),
))]
async fn search(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    Wanted(Looking { text, limit }): Wanted<Looking>,
) -> Answer<Search> {
    caller.must_be(Role::Viewer)?;
    if !(1..=1000).contains(&limit) {
        return Err(unprocessable("query.limit", "limit is from 1 to 1000"));
    }
    let models = shop.models.clone();
    shop.ask(move |registry| {
        registry.search(&text, usize::from(limit), &models).map(|found| told::found(&text, found))
    })
    .await
}

/// Show a tool
///
/// Its manifest, its code, what it has done, and who stands for it.
#[utoipa::path(get, path = "/api/v1/tools/{name}", tag = "tools", operation_id = "show_tool",
    params(("name" = String, Path, description = "Its name.", example = "greet"), Which),
    responses(
        (status = 200, description = "The tool.", body = Shown),
        (status = 404, description = "There is no such tool, or no such version.", body = Refusal),
        (status = 409, description = "Its files were changed, or it no longer passes the policy.", body = Refusal),
        (status = 422, description = "Something behind the `?` can't be used.", body = Refusal),
        (status = 503, description = "The shelf can't be read.", body = Refusal),
))]
async fn show(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    Wanted(Which { version }): Wanted<Which>,
) -> Answer<Shown> {
    caller.must_be(Role::Viewer)?;
    let mut shown = shop.ask(move |registry| told::show(registry, &name, version)).await?;
    // Where this machine keeps them is nobody's business.
    for file in shown.files.values_mut() {
        *file = file.file_name().map(PathBuf::from).unwrap_or_default();
    }
    Ok(shown)
}

/// A tool that is handed in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "code": "def double(number: float = 1.0) -> float:\n    \"\"\"Double a number.\n\n    Args:\n        number: Any number, between -1000 and 1000.\n\n    Returns:\n        Twice the number.\n    \"\"\"\n    return 2.0 * number\n",
    "args": { "number": 4.5 }
}))]
struct HandedIn {
    /// Its Python source; of a toolkit, that of the main module.
    code: String,
    /// The stem of its file; a toolkit needs one. A tool of one file is named after its one public function.
    #[serde(default)]
    name: Option<String>,
    /// The other modules of a toolkit, by stem; left out for a tool of one file.
    #[serde(default)]
    modules: Option<BTreeMap<String, String>>,
    /// Calls that show its use; each must pass its rehearsal.
    #[serde(default)]
    examples: Vec<Example>,
    /// Calls with what they must do, as in a manifest.
    #[serde(default)]
    test_cases: Vec<TestCase>,
    /// Also rehearse a call with these arguments.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    args: Option<Map<String, Value>>,
    /// When it is only checked: also tell what its default call did, as `motion`.
    #[serde(default)]
    motion: bool,
}

impl HandedIn {
    fn submitted(self, caller: &Caller) -> Result<Submission, Refused> {
        let HandedIn { code, name, modules, examples, mut test_cases, args, motion: _ } = self;
        if modules.as_ref().is_some_and(|modules| modules.len() > MOST_MODULES) {
            let why = format!("more than {MOST_MODULES} modules; split it into several tools");
            return Err(unprocessable("body.modules", &why));
        }
        let Some(name) = name.or_else(|| modules.is_none().then(|| "tool".to_owned())) else {
            return Err(unprocessable("body.name", "a toolkit needs the name of its main module"));
        };
        if let Some(arguments) = args {
            test_cases.push(TestCase { name: "args".into(), arguments, ..TestCase::default() });
        }
        let bytes = |(stem, code): (String, String)| (stem, code.into_bytes());
        Ok(Submission {
            name,
            main: code.into_bytes(),
            others: modules.map(|modules| modules.into_iter().map(bytes).collect()),
            declared: Declared { examples, test_cases, folder: None },
            // Never one of this program's own authors, whatever somebody calls himself.
            origin: Provenance { author: format!("{}, by the API", caller.name), ..Provenance::default() },
        })
    }
}

/// Check a tool
///
/// Takes it through policy, rehearsal on the mock and review, and registers nothing. That a tool is refused is an answer, too:
/// see `admitted`, `stage` and `findings`.
#[utoipa::path(post, path = "/api/v1/tools/check", tag = "tools", operation_id = "check_tool", request_body = HandedIn,
    responses(
        (status = 200, description = "What was found, as one element of `minismith tool check --json`.", body = FileChecked),
        (status = 409, description = "It broke down; the log says more.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
        (status = 503, description = "No rehearsal can be held on this machine; `minismith doctor` says why.", body = Refusal),
))]
async fn check(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    Given(given): Given<HandedIn>,
) -> Answer<FileChecked> {
    caller.must_be(Role::Engineer)?;
    let is_shown = given.motion;
    let submission = given.submitted(&caller)?;
    let checked = errand(&shop.desk, None, move |clerk, _| {
        let clock = WallClock::start();
        let (checked, cached, motion) = if is_shown {
            let (checked, admissible) = clerk.workshop.check(&submission)?;
            let motion = admissible.map(|it| Motion::of(it.beats(), it.conditions().period));
            (checked, false, motion)
        } else {
            let (checked, cached) = clerk.workshop.check_or_recall(&submission)?;
            (checked, cached, None)
        };
        let seconds = (clock.now().seconds() * 1e4).round() / 1e4;
        let file = format!("{}.py", submission.name);
        Ok::<_, NoRehearsal>(FileChecked { file, checked, cached, seconds, motion, written: Vec::new() })
    });
    Ok(Json(checked.await??))
}

/// Why a tool was not added.
#[derive(Serialize, ToSchema)]
struct NotAdded {
    /// In words.
    detail: String,
    /// What policy, rehearsal and review found.
    checked: Checked,
}

/// What came of handing a tool in.
#[expect(clippy::large_enum_variant, reason = "there is one of it, for a moment")]
enum Entered {
    Added(Added),
    Refused(Checked),
}

/// Add a tool
///
/// Checks it, and keeps it as a new version if nothing refuses it. Until a person approves it, it moves at half speed.
#[utoipa::path(post, path = "/api/v1/tools", tag = "tools", operation_id = "add_tool", request_body = HandedIn, responses(
    (status = 201, description = "It is on the shelf.", body = Added,
        headers(("location" = String, description = "Where it is shown."))),
    (status = 409, description = "The name belongs to a tool that comes with the program.", body = Refusal),
    (status = 422, description = "It was refused, with the findings in `checked`; or the body can't be used.", body = Refusal),
    (status = 503, description = "No rehearsal can be held on this machine, or the shelf can't be written.", body = Refusal),
))]
async fn add(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    Given(given): Given<HandedIn>,
) -> Result<Response, Refused> {
    caller.must_be(Role::Engineer)?;
    let submission = given.submitted(&caller)?;
    let entered = errand(&shop.desk, None, move |clerk, _| {
        let (checked, admissible) = clerk.workshop.check(&submission)?;
        let Some(admissible) = admissible else { return Ok(Entered::Refused(checked)) };
        let manifest = clerk.workshop.admit(&admissible)?;
        Ok::<_, Refused>(Entered::Added(Added { registered: Some(manifest), checked }))
    });
    Ok(match entered.await?? {
        Entered::Added(added) => {
            let place = added
                .registered
                .as_ref()
                .map(|manifest| format!("/api/v1/tools/{}?version={}", manifest.name, manifest.version));
            (StatusCode::CREATED, [(LOCATION, place.unwrap_or_default())], Json(added)).into_response()
        }
        Entered::Refused(checked) => {
            let stage = minismith_runtime::outcome::word(&checked.stage);
            let found = checked.findings.first().map(ToString::to_string).unwrap_or_default();
            let detail = format!("{} was refused by the {stage}: {found}", checked.name);
            (StatusCode::UNPROCESSABLE_ENTITY, Json(NotAdded { detail, checked })).into_response()
        }
    })
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "args": {} }))]
struct Call {
    /// Its arguments, by name; those that are left out have their defaults.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
}

/// What came of a tool, with what its files hold.
fn with_contents(ran: &Ran) -> Value {
    let mut document = serde_json::to_value(ran).unwrap_or_default();
    let listed = document.pointer_mut("/performance/outputs").and_then(Value::as_array_mut);
    for (listed, Output { content, .. }) in listed.into_iter().flatten().zip(&ran.performance.outputs) {
        if let Some(listed) = listed.as_object_mut() {
            listed.insert("base64".into(), STANDARD.encode(content.0.as_slice()).into());
        }
    }
    document
}

/// Run a tool
///
/// When the robot is free for it. Whoever goes away before the end halts what was begun; a stop that is said while it waits
/// holds for it too. Files of this machine can't be given to it.
#[utoipa::path(post, path = "/api/v1/tools/{name}/run", tag = "tools", operation_id = "run_tool", request_body = Call,
    params(("name" = String, Path, description = "Its name, or `toolkit.function`.", example = "greet")),
    responses(
        (status = 200, description = "It ran; `performance.ended` is `returned`, `raised` or `stopped`.", body = Ran),
        (status = 404, description = "There is no such tool.", body = Refusal),
        (status = 409, description = "It is out of use, asks for a person's approval, or was stopped before it began.", body = Refusal),
        (status = 422, description = "Its arguments do not fit, or the body can't be used.", body = Refusal),
        (status = 503, description = "There is no cage on this machine; `minismith doctor` says why.", body = Refusal),
))]
async fn run(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    Given(Call { args }): Given<Call>,
) -> Answer<Value> {
    caller.must_be(Role::Operator)?;
    let halts = shop.pulse.halts();
    let pulse = shop.pulse.clone();
    let ran = errand(&shop.desk, Some(shop.pulse.clone()), move |clerk, _| {
        if pulse.halts() != halts {
            return Err(Refused::because(StatusCode::CONFLICT, &NoMotion::Stopped.to_string()));
        }
        let mut conversation = Conversation::new(clerk.body, clerk.workshop).begun_at(halts);
        caller.request.id.inspect(|id| conversation.known_as(id));
        let (version, performance) = conversation.run_tool(&name, args)?;
        Ok(Ran { name, version, performance })
    });
    Ok(Json(with_contents(&ran.await??)))
}
