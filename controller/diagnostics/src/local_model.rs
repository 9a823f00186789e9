//! Checks the language model on this computer: whether one is installed, and how its process would be confined.

use minismith_local_model::confinement::{test, threads};
use minismith_local_model::runtime::{REMEDY, installed};
use minismith_protocol::zygote::Mechanism;
use minismith_runtime::config::{Config, Nlu};
use minismith_toolchain::guest::locate_program;

use super::Check;

const NAME: &str = "local model";

/// The facts about the local model.
#[derive(Clone, Debug)]
pub(super) struct LocalModelFacts {
    /// The model that is used, described, or why there is none.
    pub(super) installed: Result<String, String>,
    /// The mechanisms that would confine its process, or why they were not tested. Tested only where a model is used.
    pub(super) confinement: Option<Result<Vec<Mechanism>, String>>,
}

impl LocalModelFacts {
    /// Collects the facts. Where a model is installed and asked for, it starts the tool host to test the confinement.
    pub(super) fn look(config: &Config) -> Self {
        let local = &config.local_model;
        let installed = installed(local).map_err(|no| no.to_string());
        let is_asked_for = config.nlu == Nlu::Local;
        let confinement = installed.as_ref().ok().filter(|_| is_asked_for).map(|(_, model)| {
            let memory = model.bytes.saturating_add(local.memory_headroom_bytes);
            let program = locate_program().map_err(|error| error.to_string())?;
            test(&program, memory, threads(local.threads)).map_err(|error| error.to_string())
        });
        let installed = installed.map(|(runtime, model)| {
            let licence = model.licence.as_deref().unwrap_or("licence unknown");
            let megabytes = model.bytes.div_ceil(1 << 20);
            format!("{} ({megabytes} MB, {licence}), xllamacpp {}", model.name, runtime.version)
        });
        LocalModelFacts { installed, confinement }
    }
}

/// Returns the check.
pub(super) fn judge(config: &Config, facts: &LocalModelFacts) -> Check {
    match (&facts.installed, &facts.confinement) {
        (Err(no), _) if config.nlu == Nlu::Local => {
            Check::error(NAME, no.clone(), format!("{REMEDY}, or set `nlu: grammar`"))
        }
        (Err(_), _) => Check::ok(NAME, format!("none is used, and none is needed; `{REMEDY}` installs one")),
        (Ok(model), None) => Check::ok(NAME, format!("{model}; `nlu: local` uses it")),
        (Ok(model), Some(Err(no))) => Check::error(
            NAME,
            format!("{model}; its confinement was not tested: {no}"),
            "fix that first; the process starts only when it can be confined",
        ),
        (Ok(model), Some(Ok(mechanisms))) => confined(model, mechanisms),
    }
}

fn confined(model: &str, mechanisms: &[Mechanism]) -> Check {
    use minismith_protocol::confinement::OPTIONAL_MECHANISMS;
    let text = |enforced: bool| -> Vec<String> {
        let chosen = mechanisms.iter().filter(|it| it.enforced == enforced);
        chosen.map(|it| format!("{} ({})", it.name, it.detail)).collect()
    };
    let (held, open) = (text(true), text(false));
    let detail = format!("{model}; its process is confined by {}", held.join(", "));
    let is_needed = |it: &&Mechanism| !it.enforced && !OPTIONAL_MECHANISMS.contains(&it.name.as_str());
    if let Some(missing) = mechanisms.iter().find(is_needed) {
        let what =
            format!("{model}; its process would not start: {} is missing: {}", missing.name, missing.detail);
        return Check::error(NAME, what, "use a kernel that has it, or set `nlu: grammar`");
    }
    if open.is_empty() {
        return Check::ok(NAME, detail);
    }
    Check::warning(
        NAME,
        format!("{detail}; not by {}", open.join(", ")),
        "the process still has no network and starts no other process, since the system call filter holds",
    )
}

/// Returns the facts of a computer without a local model, which needs none.
#[cfg(test)]
pub(super) fn healthy() -> LocalModelFacts {
    LocalModelFacts { installed: Err("none".into()), confinement: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CheckStatus;

    fn mechanism(name: &str, enforced: bool) -> Mechanism {
        Mechanism { name: name.into(), enforced, detail: "tested".into() }
    }

    #[test]
    fn a_model_is_missed_only_where_it_is_used() {
        let grammar = Config::built_in().unwrap();
        let local = Config { nlu: Nlu::Local, ..grammar.clone() };
        assert_eq!(judge(&grammar, &healthy()).status, CheckStatus::Ok);
        let missed = judge(&local, &healthy());
        assert!(missed.status == CheckStatus::Error && missed.remedy.unwrap().contains("make model"));
        let facts = |mechanisms: Vec<Mechanism>| LocalModelFacts {
            installed: Ok("tiny (1 MB, mit)".into()),
            confinement: Some(Ok(mechanisms)),
        };
        let whole = judge(&local, &facts(vec![mechanism("seccomp", true), mechanism("landlock", true)]));
        assert!(whole.status == CheckStatus::Ok && whole.detail.contains("landlock"), "{whole}");
        let less = judge(&local, &facts(vec![mechanism("seccomp", true), mechanism("landlock", false)]));
        assert!(less.status == CheckStatus::Warning && less.detail.contains("not by landlock"), "{less}");
        let none = judge(&local, &facts(vec![mechanism("seccomp", false)]));
        assert_eq!(none.status, CheckStatus::Error);
    }
}
