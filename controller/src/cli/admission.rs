//! Checks tools from the command line, and registers those that pass.

use std::path::Path;

use minismith_analysis::manifest::Provenance;
use minismith_analysis::submission::Submission;
use minismith_runtime::config::Config;
use minismith_runtime::journal::Entry;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::responses::AddResult;
use serde_json::json;

use super::print::{self, as_data};
use super::{CommandStatus, setup};

/// Returns the actor for the journal: the user of the command line.
pub(super) const PERSON: &str = "the command line";

/// Returns the result of a check, for the journal.
pub(super) fn noted(what: &str, checked: &Checked) -> Entry {
    let context = minismith_runtime::report::serde_name(&checked.phase);
    let outcome = if checked.accepted { context } else { format!("refused by the {context}") };
    Entry::now("check", PERSON, what, &outcome)
        .with(json!({ "name": checked.name, "findings": checked.findings }))
}

pub(super) fn print_check(file: &Path, checked: &Checked, seconds: f64) {
    let context = minismith_runtime::report::serde_name(&checked.phase);
    let verdict = match (checked.accepted, checked.needs_approval) {
        (true, false) => "admitted".into(),
        (true, true) => "admitted, a person must approve it".into(),
        (false, _) => format!("refused by the {context}"),
    };
    let cases = checked.cases.len();
    print::line(&format!("{}: {verdict} ({cases} cases, {seconds:.2} s)", file.display()));
    for finding in &checked.findings {
        print::line(&format!("  {finding}"));
    }
}

/// Checks a submission, and registers it as a new version.
pub(super) fn accept(
    config: &Config,
    workshop: &Workshop,
    file: &Path,
    submission: &Submission,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let (checked, reviewed) = workshop.check(submission)?;
    setup::journal(config)?.journal().note(noted(&format!("add {}", file.display()), &checked));
    let Some(reviewed) = reviewed else {
        if json {
            print::json(&AddResult { registered: None, checked })?;
        } else {
            print_check(file, &checked, 0.0);
        }
        return Ok(CommandStatus::Failure);
    };
    let added = workshop.accept(&reviewed).map(|manifest| AddResult { registered: Some(manifest), checked });
    as_data(json, added, |added| {
        let manifest = added.registered.as_ref();
        let text = manifest.map(|manifest| format!("{} is version {} now", manifest.name, manifest.version));
        (json!(added), text.unwrap_or_default())
    })
}

pub(super) fn origin() -> Provenance {
    Provenance { author: "hand".into(), ..Provenance::default() }
}
