//! `tool approve`, `rollback`, `activate`, `deactivate`, `diff`, `search`, `export` and `import`: registry management.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use minismith_runtime::bounded::read_at_most;
use minismith_runtime::config::{Config, SigningSecret};
use minismith_toolchain::workshop::bundle;
use minismith_toolchain::workshop::import::{ImportResult, Imported, ImportedTool};
use minismith_toolchain::workshop::registry::{Difference, RegistryError};
use minismith_toolchain::workshop::responses::{self, ActivationResult, ApproveResult, RolledBack};
use minismith_toolchain::workshop::{ApprovalError, Workshop};
use serde_json::{Value, json};

use super::CommandStatus;
use super::print::{self, as_data, report_answer};

#[derive(Debug, Subcommand)]
pub enum ToolAdminCommand {
    /// Approve a version: rehearse it at full speed, end its quarantine, and allow it to move real motors.
    #[command(after_help = "Examples:\n  minismith tool approve nod_yes\n  \
minismith tool approve nod_yes --version 2 --approver Ada --json")]
    Approve {
        /// Name of the tool.
        name: String,
        /// Version. Default: the active version.
        #[arg(long)]
        version: Option<u32>,
        /// Name of the approver. Default: the current user.
        #[arg(long, value_name = "NAME")]
        approver: Option<String>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Roll back to the previous version, or to an earlier one.
    #[command(after_help = "Examples:\n  minismith tool rollback nod_yes\n  \
minismith tool rollback nod_yes --to 1 --json")]
    Rollback {
        /// Name of the tool.
        name: String,
        /// Version to roll back to. Default: the previous version.
        #[arg(long, value_name = "VERSION")]
        to: Option<u32>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Disable a tool. It stays in the registry with all its versions.
    #[command(after_help = "Example:\n  minismith tool deactivate nod_yes --json")]
    Deactivate {
        /// Name of the tool.
        name: String,
        /// Name to record in the journal. Default: the current user.
        #[arg(long, value_name = "NAME")]
        by: Option<String>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Enable a disabled tool.
    #[command(after_help = "Example:\n  minismith tool activate nod_yes --json")]
    Activate {
        /// Name of the tool.
        name: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Compare the code and the manifests of two versions.
    #[command(
        after_help = "Examples:\n  minismith tool diff nod_yes          the active version with the previous one\n  \
minismith tool diff nod_yes 1        version 1 with the active one\n  minismith tool diff nod_yes 1 3 --json"
    )]
    Diff {
        /// Name of the tool.
        name: String,
        /// Older version. Default: the version before the newer one.
        from: Option<u32>,
        /// Newer version. Default: the active version.
        to: Option<u32>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Find tools for a request in plain English. The search is semantic if `make models` has installed its model.
    #[command(after_help = "Examples:\n  minismith tool search \"say hello to somebody\"\n  \
minismith tool search antennas --limit 3 --json")]
    Search {
        /// Request.
        text: String,
        /// Maximum number of results.
        #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Export tools, and the tools that they call, to one signed file.
    #[command(
        after_help = "The first export creates the signing key (`workshop.signing_key`). A receiver who trusts it adds the public key to \
`workshop.trusted_signers`.\nExample:\n  minismith tool export nod_yes wave --out moves.bundle --json"
    )]
    Export {
        /// Names of the tools.
        #[arg(required = true)]
        names: Vec<String>,
        /// File to write.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Import the tools of a bundle: check all of them here, and register them if all pass.
    #[command(
        after_help = "Tools of a signer outside `workshop.trusted_signers` need `minismith tool approve`.\n\
Example:\n  minismith tool import moves.bundle --json"
    )]
    Import {
        /// Bundle.
        file: PathBuf,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

impl ToolAdminCommand {
    /// Returns the change for the journal; none for commands that only read.
    pub(super) fn change(&self) -> Option<String> {
        Some(match self {
            ToolAdminCommand::Approve { name, version, .. } => match version {
                Some(version) => format!("approve {name} v{version}"),
                None => format!("approve {name}"),
            },
            ToolAdminCommand::Rollback { name, .. } => format!("roll back {name}"),
            ToolAdminCommand::Deactivate { name, .. } => format!("deactivate {name}"),
            ToolAdminCommand::Activate { name, .. } => format!("activate {name}"),
            ToolAdminCommand::Import { file, .. } => format!("import {}", file.display()),
            ToolAdminCommand::Diff { .. }
            | ToolAdminCommand::Search { .. }
            | ToolAdminCommand::Export { .. } => {
                return None;
            }
        })
    }
}

/// Runs one of the commands.
pub fn run(config: &Config, workshop: &Workshop, command: ToolAdminCommand) -> anyhow::Result<CommandStatus> {
    match command {
        ToolAdminCommand::Approve { name, version, approver, json } => {
            approve(workshop, &name, version, approver, json)
        }
        ToolAdminCommand::Rollback { name, to, json } => {
            as_data(json, workshop.registry().roll_back(&name, to), |(from, to)| {
                (
                    json!(RolledBack { name: name.clone(), from: *from, to: *to }),
                    format!("{name}: version {to} is called now (was {from})"),
                )
            })
        }
        ToolAdminCommand::Deactivate { name, by, json } => set_active(workshop, &name, false, by, json),
        ToolAdminCommand::Activate { name, json } => set_active(workshop, &name, true, None, json),
        ToolAdminCommand::Diff { name, from, to, json } => {
            as_data(json, workshop.registry().difference(&name, from, to), |difference| {
                (json!(difference), in_words(difference))
            })
        }
        ToolAdminCommand::Search { text, limit, json } => {
            search(workshop, &text, usize::from(limit), &config.models, json)
        }
        ToolAdminCommand::Export { names, out, json } => export(config, workshop, &names, &out, json),
        ToolAdminCommand::Import { file, json } => import(config, workshop, &file, json),
    }
}

fn approve(
    workshop: &Workshop,
    name: &str,
    version: Option<u32>,
    by: Option<String>,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let approved = match workshop.approve(name, version, &by.unwrap_or_else(user)) {
        Ok(version) => Ok(version),
        Err(ApprovalError::Rehearsal(error)) => return Err(error.into()),
        Err(ApprovalError::Registry(error @ RegistryError::Io { .. })) => return Err(error.into()),
        Err(refusal) => Err(refusal.to_string()),
    };
    report_answer(json, approved, |version| {
        (
            json!(ApproveResult { name: name.into(), approved: *version }),
            format!("{name}: version {version} is approved"),
        )
    })
}

fn set_active(
    workshop: &Workshop,
    name: &str,
    active: bool,
    by: Option<String>,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let by = by.unwrap_or_else(user);
    as_data(json, workshop.registry().set_active(name, active, &by), |changed| {
        let is = if active { "active" } else { "deactivated" };
        let word = if *changed { "now" } else { "already" };
        (
            json!(ActivationResult { name: name.into(), active, changed: *changed }),
            format!("{name} is {word} {is}"),
        )
    })
}

fn in_words(difference: &Difference) -> String {
    let Difference { name, from, to, modules, manifest } = difference;
    let value = |value: &Option<Value>| value.as_ref().map_or("nothing".into(), Value::to_string);
    let mut text = String::new();
    for module in modules {
        text.push_str(&module.diff);
    }
    for change in manifest {
        text.push_str(&format!("{}: {} -> {}\n", change.what, value(&change.from), value(&change.to)));
    }
    if text.is_empty() {
        text = format!("{name}: versions {from} and {to} say the same");
    }
    text.trim_end().to_owned()
}

fn search(
    workshop: &Workshop,
    text: &str,
    limit: usize,
    models: &Path,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let found = workshop.registry().search(text, limit, models)?;
    let found = responses::found(text, found);
    if json {
        print::json(&found)?;
        return Ok(CommandStatus::Success);
    }
    if found.results.is_empty() {
        print::line("no tool was found; say it in other words, or see `minismith tool list`");
    }
    for hit in &found.results {
        let first = hit.description.lines().next().unwrap_or_default();
        let out = if hit.callable { "" } else { " (out of use)" };
        print::line(&format!("{} v{}{out}: {first}", hit.name, hit.version));
    }
    if let Some(why_not) = &found.why_not {
        print::line(&format!("by words alone: {why_not}"));
    }
    Ok(CommandStatus::Success)
}

fn export(
    config: &Config,
    workshop: &Workshop,
    names: &[String],
    out: &Path,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let secret = SigningSecret::read_or_make(&config.workshop.signing_key)?;
    let packed = match bundle::pack(workshop.registry(), names, &secret) {
        Err(error @ RegistryError::Io { .. }) => return Err(error.into()),
        Err(refusal) => Err(refusal.to_string()),
        Ok((bytes, signer, tools)) => {
            write(out, &bytes)?;
            Ok((signer, tools))
        }
    };
    report_answer(json, packed, |(signer, tools)| {
        let tool = |(name, version): &(String, u32)| json!({ "name": name, "version": version });
        let names: Vec<String> = tools.iter().map(|(name, version)| format!("{name} v{version}")).collect();
        (
            json!({
                "file": out.display().to_string(),
                "signer": signer.to_string(),
                "tools": tools.iter().map(tool).collect::<Vec<_>>(),
            }),
            format!("{} is in {}, signed by {signer}", names.join(", "), out.display()),
        )
    })
}

/// Writes the file atomically: it is complete, or unchanged.
fn write(out: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    use anyhow::Context as _;
    let mut beside = out.as_os_str().to_owned();
    beside.push(".new");
    std::fs::write(&beside, bytes)
        .and_then(|()| std::fs::rename(&beside, out))
        .inspect_err(|_| drop(std::fs::remove_file(&beside)))
        .with_context(|| format!("cannot write {}; name another file with --out", out.display()))
}

fn import(config: &Config, workshop: &Workshop, file: &Path, json: bool) -> anyhow::Result<CommandStatus> {
    use anyhow::Context as _;
    let bytes = read_at_most(file, bundle::MAX_BUNDLE_BYTES)
        .with_context(|| format!("cannot read {}; name a file of `minismith tool export`", file.display()))?;
    let trusted = &config.workshop.trusted_signers;
    let bundle = match bundle::open(&bytes, trusted) {
        Ok(bundle) => bundle,
        Err(error) => {
            return report_answer::<()>(json, Err(error.to_string()), |()| (Value::Null, String::new()));
        }
    };
    let is_trusted = trusted.contains(&bundle.signer);
    let signer = bundle.signer.to_string();
    let Imported { result, checked } = workshop.import(&bundle)?;
    let (document, text, well) = match result {
        Err(refusal) => (
            json!({ "refusal": refusal, "signer": signer, "trusted": is_trusted, "checked": checked }),
            format!("{refusal}; nothing was imported"),
            false,
        ),
        Ok(imported) => {
            let word = if is_trusted { "a trusted signer" } else { "a signer that is not trusted here" };
            let text = format!("imported {} of {word}, {signer}", names(&imported));
            (json!(ImportResult { imported, signer, trusted: is_trusted, checked }), text, true)
        }
    };
    if json {
        print::json(&document)?;
    } else {
        print::line(&text);
    }
    Ok(CommandStatus::when(well))
}

fn names(imported: &[ImportedTool]) -> String {
    let name = |tool: &ImportedTool| {
        let approval = if tool.needs_approval { " (a person must approve it)" } else { "" };
        format!("{} v{}{approval}", tool.name, tool.version)
    };
    imported.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// Returns the name of the system's current user.
pub(super) fn user() -> String {
    let uid = rustix::process::getuid().as_raw();
    let known = read_at_most(Path::new("/etc/passwd"), 1 << 20).unwrap_or_default();
    let known = String::from_utf8_lossy(&known).into_owned();
    let name = known.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    name.unwrap_or_else(|| format!("user {uid}"))
}
