//! `tool add --predefined`: makes a tool that comes with the program from its source in `tools/sources`.

use std::path::Path;

use anyhow::{Context, bail};
use minismith_analysis::manifest::Provenance;
use minismith_analysis::submission::Submission;
use minismith_runtime::config::Config;
use minismith_toolchain::workshop::{ApprovalError, Workshop};

use super::admission::print_check;
use super::{CommandStatus, print};

/// The author of the tools that come with the program, who also approves them.
const AUTHOR: &str = "predefined";

/// Checks a source and registers it, unless the registered tool is up to date.
pub fn add(config: &Config, workshop: &Workshop, file: &Path) -> anyhow::Result<CommandStatus> {
    let sources = config.tools.join("sources");
    let path = file.canonicalize().with_context(|| format!("can't read {}", file.display()))?;
    if sources.canonicalize().ok().as_deref() != path.parent() {
        bail!(
            "{} is not in {}; predefined tools are made of the sources there",
            file.display(),
            sources.display()
        );
    }
    let origin = Provenance { author: AUTHOR.into(), ..Provenance::default() };
    let submission = Submission::read(file)?.from(origin);
    if workshop.is_predefined_current(&submission) {
        print::line(&format!("{} is up to date", submission.name));
        return Ok(CommandStatus::Success);
    }
    let (checked, reviewed) = workshop.check(&submission)?;
    let Some(reviewed) = reviewed else {
        print_check(file, &checked, 0.0);
        return Ok(CommandStatus::Failure);
    };
    match workshop.accept_predefined(&reviewed, AUTHOR) {
        Ok(manifest) => {
            print::line(&format!("{} is version {} now", manifest.name, manifest.version));
            Ok(CommandStatus::Success)
        }
        Err(refusal @ ApprovalError::Refused { .. }) => {
            print::line(&refusal.to_string());
            Ok(CommandStatus::Failure)
        }
        Err(error) => Err(error.into()),
    }
}
