//! Checks tools from the command line, and registers those that pass.

use std::path::Path;

use minismith_analysis::manifest::Provenance;
use minismith_analysis::submission::Submission;
use minismith_runtime::config::Config;
use minismith_runtime::journal::Entry;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::told::Added;
use serde_json::json;

use super::print::{self, as_data};
use super::{Done, shop};

/// Returns the actor for the journal: the user of the command line.
pub(super) const PERSON: &str = "the command line";

/// Returns the result of a check, for the journal.
pub(super) fn noted(what: &str, checked: &Checked) -> Entry {
    let stage = minismith_runtime::outcome::word(&checked.stage);
    let outcome = if checked.admitted { stage } else { format!("refused by the {stage}") };
    Entry::now("check", PERSON, what, &outcome)
        .with(json!({ "name": checked.name, "findings": checked.findings }))
}

pub(super) fn tell(file: &Path, checked: &Checked, seconds: f64) {
    let stage = minismith_runtime::outcome::word(&checked.stage);
    let verdict = match (checked.admitted, checked.needs_approval) {
        (true, false) => "admitted".into(),
        (true, true) => "admitted, a person must approve it".into(),
        (false, _) => format!("refused by the {stage}"),
    };
    let cases = checked.cases.len();
    print::line(&format!("{}: {verdict} ({cases} cases, {seconds:.2} s)", file.display()));
    for finding in &checked.findings {
        print::line(&format!("  {finding}"));
    }
}

/// Checks a submission, and registers it as a new version.
pub(super) fn admit(
    config: &Config,
    workshop: &Workshop,
    file: &Path,
    submission: &Submission,
    json: bool,
) -> anyhow::Result<Done> {
    let (checked, admissible) = workshop.check(submission)?;
    shop::journal(config)?.journal().note(noted(&format!("add {}", file.display()), &checked));
    let Some(admissible) = admissible else {
        if json {
            print::json(&Added { registered: None, checked })?;
        } else {
            tell(file, &checked, 0.0);
        }
        return Ok(Done::Badly);
    };
    let added = workshop.admit(&admissible).map(|manifest| Added { registered: Some(manifest), checked });
    as_data(json, added, |added| {
        let manifest = added.registered.as_ref();
        let text = manifest.map(|manifest| format!("{} is version {} now", manifest.name, manifest.version));
        (json!(added), text.unwrap_or_default())
    })
}

pub(super) fn origin() -> Provenance {
    Provenance { author: "hand".into(), ..Provenance::default() }
}
