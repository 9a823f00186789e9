//! `page_bytes`, `page_first_paint` and `page_live`: the bytes that a browser fetches for the dashboard, the time to
//! its first paint, and the time until it shows the live robot. The baseline is the API page of most servers.
//!
//! A Chromium opens both in turn, each time with an empty profile (`controller/dashboard/e2e/load-times.mjs`).

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::clock::MonotonicClock;
use serde_json::Value;

use super::baseline::environment;
use super::official_api::{Contender, Server};
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_runtime::subprocess::{self, Program};

const PEER: &str = "Swagger UI 5 at /docs of the same server";

pub(super) const NAMES: [&str; 3] = ["page_bytes", "page_first_paint", "page_live"];

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("the dashboard in a browser");
    let seen = figures(context);
    let number = |path: &str| {
        let seen = seen.as_ref().map_err(Clone::clone)?;
        let number = seen.pointer(path).and_then(Value::as_f64);
        number.ok_or_else(|| Failed(format!("the browser told no {path}")))
    };
    let [bytes, paint, live] = NAMES;
    let against = |name, unit, ours, theirs| {
        Row::alone(name, unit, number(ours)).against(PEER, number(theirs).ok(), Better::Lower)
    };
    vec![
        against(bytes, "bytes", "/page/bytes", "/docs/bytes")
            .noting("fetched until the first view is there, as packed"),
        against(paint, "ms", "/page/first_paint_ms", "/docs/first_paint_ms"),
        Row::alone(live, "ms", number("/page/live_ms"))
            .noting("from the first request until the page shows the robot as live, on this machine"),
    ]
}

fn figures(context: &BenchContext<'_>) -> Result<Value, Failed> {
    let at = Failed::at("the browser");
    let root = workspace()?;
    let clock = MonotonicClock::start();
    let (server, _) = Server::start(context, Contender::Ours, &clock)?;
    let folder = tempfile::tempdir().map_err(|error| at(&error))?;
    let reported = folder.path().join("figures.json");
    let mut environment = environment();
    environment.push(("MINISMITH_URL", format!("http://127.0.0.1:{}", server.port())));
    environment.push(("MINISMITH_ROUNDS", context.pick(2, 7).to_string()));
    environment.extend(std::env::var("MINISMITH_CHROMIUM").ok().map(|path| ("MINISMITH_CHROMIUM", path)));
    let script = root.join("controller/dashboard/e2e/load-times.mjs");
    let mut browser = subprocess::start(Program {
        path: node(&root)?,
        arguments: [script.into_os_string(), reported.clone().into_os_string()].into(),
        environment,
        input: fs::File::open("/dev/null").map_err(|error| at(&error))?.into(),
    })
    .map_err(|error| at(&error))?;
    let ended = browser.wait().map_err(|error| at(&error))?;
    if !ended.success() {
        return Err(Failed("the browser failed; what it said stands above".into()));
    }
    let text = fs::read_to_string(&reported).map_err(|error| at(&error))?;
    serde_json::from_str(&text).map_err(|error| at(&error))
}

/// Returns the folder with the dashboard's packages, in this folder or one above.
fn workspace() -> Result<PathBuf, Failed> {
    let here = std::env::current_dir().unwrap_or_default();
    let has_it = |folder: &&Path| folder.join("controller/dashboard/node_modules/playwright-core").is_dir();
    let found = here.ancestors().find(has_it).map(Path::to_owned);
    found.ok_or_else(|| Failed("the dashboard's packages are not here: `make dashboard` brings them".into()))
}

/// Returns the Node in that folder if there is one, otherwise the system's.
fn node(root: &Path) -> Result<PathBuf, Failed> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = root.join(".cache/node/programs/node");
    let mut places =
        std::iter::once(own).chain(std::env::split_paths(&path).map(|folder| folder.join("node")));
    places.find(|place| place.is_file()).ok_or_else(|| Failed("there is no Node".into()))
}
