//! Tries a program: its version, its tool host, and whether it serves the simulated robot on a free port.
//!
//! It runs in an empty folder that is also its home, so it neither reads nor writes anything of the user.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use minismith_runtime::net;
use minismith_runtime::subprocess::{self, Ending, Watched, watch};
use semver::Version;
use serde_json::Value;

/// Beside the program: what runs tools. It needs a Python of its own, which may be missing here.
const TOOL_HOST: &str = "minismith-tool-host";

/// Starts a program unless the process that asked for it has ended already, before the kernel was told to end it, too.
const UNLESS_LEFT_ALONE: &str = r#"[ "$PPID" = "$1" ] || exit 1; shift; exec "$@""#;

/// Tries a program in an empty folder, within this time for each of three questions.
pub fn try_out(program: &Path, version: &Version, home: &Path, within: Duration) -> Result<(), String> {
    let environment: [(&str, OsString); 5] = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("LANG", "C.UTF-8".into()),
        ("HOME", home.into()),
        ("TMPDIR", home.into()),
        ("MINISMITH_LOG", "off".into()),
    ];
    // With this helper of Debian's base system, the kernel ends the new program if this one is killed.
    let helper = subprocess::find("setpriv");
    let own_id = std::process::id().to_string();
    let run = |path: &Path, arguments: &[&str], on_line: &mut dyn FnMut(&str) -> ControlFlow<()>| {
        let named = path.to_str().ok_or("its path is no text")?;
        let with_helper =
            ["--pdeathsig", "KILL", "--", "sh", "-c", UNLESS_LEFT_ALONE, "sh", own_id.as_str(), named];
        let (path, before) = match &helper {
            Some(helper) => (helper.as_path(), with_helper.as_slice()),
            None => (path, [].as_slice()),
        };
        let arguments = [before, arguments].concat();
        let program = Watched { path, arguments: &arguments, environment: &environment, folder: home };
        watch(program, within, on_line).map_err(|error| format!("it does not start: {error}"))
    };
    let mut said = String::new();
    let ended = run(program, &["--version"], &mut |line| {
        line.clone_into(&mut said);
        ControlFlow::Break(())
    })?;
    if ended == Ending::TimedOut || said != format!("minismith {version}") {
        let said: String = said.chars().take(60).collect();
        return Err(format!("it should say that it is minismith {version}, and says `{said}`"));
    }
    let tool_host = program.with_file_name(TOOL_HOST);
    if tool_host.is_file() {
        match run(&tool_host, &["--version"], &mut |_| ControlFlow::Continue(()))? {
            Ending::Exited(status) if status.success() => {}
            _ => {
                return Err(format!(
                    "its {TOOL_HOST} does not start; take the archive for this release of Debian, or install the shared \
                     library of its Python"
                ));
            }
        }
    }
    let mut answer = Err("it does not serve the simulated robot in time".to_owned());
    let serve = ["serve", "--robot", "mock", "--host", "127.0.0.1", "--port", "0", "--json"];
    let ended = run(program, &serve, &mut |line| {
        let document: Value = serde_json::from_str(line).unwrap_or_default();
        let Some(address) = document.get("listening").and_then(Value::as_str) else {
            return ControlFlow::Continue(());
        };
        answer = health(address, version);
        ControlFlow::Break(())
    })?;
    match (ended, answer) {
        (Ending::Exited(status), Err(_)) => Err(format!("it does not serve, and ends with {status}")),
        (_, answer) => answer,
    }
}

/// Asks a server for its health.
fn health(address: &str, version: &Version) -> Result<(), String> {
    let address: SocketAddr = address.parse().map_err(|_| format!("it serves at `{address}`"))?;
    if !address.ip().is_loopback() {
        return Err(format!("it serves at {address} and not on this computer alone"));
    }
    let body = net::ask_here(address.port(), "GET /health").map_err(|error| format!("no answer: {error}"))?;
    let health: Value = serde_json::from_str(&body).map_err(|_| "its health is no JSON".to_owned())?;
    let of = |key: &str| health.get(key).and_then(Value::as_str).unwrap_or("nothing").to_owned();
    if of("status") != "ok" || of("version") != version.to_string() {
        return Err(format!("it reports status {} and version {}", of("status"), of("version")));
    }
    Ok(())
}
