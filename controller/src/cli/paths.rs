//! `minismith paths`: what was looked for, what was taken, and why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use minismith_runtime::config::Config;
use minismith_runtime::paths::{Candidate, CandidateState, Location};
use minismith_toolchain::guest::{GuestError, locate, locate_code, locate_program};
use serde_json::json;

use super::{CommandStatus, print};

/// Prints where everything is.
pub fn run(config: &Config, json: bool, all: bool) -> anyhow::Result<CommandStatus> {
    let locations = locations(config);
    if json {
        print::json(&json!({ "locations": locations }))?;
        return Ok(CommandStatus::Success);
    }
    for location in &locations {
        print::line(&line(location));
        let more = location.searched.iter().filter(|place| all || place.state != CandidateState::Taken);
        for place in more.filter(|_| all || location.searched.len() > 1) {
            print::line(&format!(
                "      {} ({}): {}",
                place.path.display(),
                place.origin,
                state(place.state)
            ));
        }
    }
    Ok(CommandStatus::Success)
}

/// Returns the locations of the configuration and of the programs.
fn locations(config: &Config) -> Vec<Location> {
    let mut locations = config.locations.clone();
    let program = locate_program();
    // What runs may be another interpreter than the configured one, in the source tree.
    if let (Ok((_, python)), Some(known)) = (
        locate(&config.tool_host.python),
        locations.iter_mut().find(|known| known.name == "Python for tools"),
    ) && known.path.as_deref() != Some(&python)
    {
        known.searched.push(Candidate {
            path: python.clone(),
            origin: "the source tree of this program or of this folder".to_owned(),
            state: CandidateState::Taken,
        });
        for place in known.searched.iter_mut().rev().skip(1).filter(|it| it.state == CandidateState::Taken) {
            place.state = CandidateState::Missing;
        }
        known.path = Some(python);
        known.exists = true;
        known.reason = "the source tree of this program or of this folder".to_owned();
    }
    locations.push(program_location("tool host", program, "beside the program, or MINISMITH_TOOL_HOST"));
    let code = locate_code(&config.tool_host.python).map(|(_, python)| python);
    locations.push(program_location(
        "Python for code",
        code,
        "beside the Python for tools, or MINISMITH_CODE_PYTHON",
    ));
    locations
}

fn program_location(name: &'static str, found: Result<PathBuf, GuestError>, reason: &str) -> Location {
    match found {
        Ok(path) => Location::given(name, None, &path, reason),
        Err(error) => Location {
            name,
            key: None,
            path: None,
            exists: false,
            reason: error.to_string(),
            searched: Vec::new(),
        },
    }
}

fn line(location: &Location) -> String {
    let path =
        location.path.as_deref().map_or_else(|| "-".to_owned(), |path: &Path| path.display().to_string());
    let mut line = format!("{:<17} {path}", location.name);
    // Writing to a string cannot fail.
    let _ = match (&location.path, location.exists) {
        (Some(_), false) if !location.reason.starts_with("not installed") => {
            write!(line, "  ({}; does not exist yet)", location.reason)
        }
        _ => write!(line, "  ({})", location.reason),
    };
    line
}

const fn state(state: CandidateState) -> &'static str {
    match state {
        CandidateState::Taken => "taken",
        CandidateState::LessPreferred => "exists, but an earlier one was taken",
        CandidateState::Missing => "missing or empty",
        CandidateState::Untrusted => "not used, because others own it or may write it or its folder",
    }
}
