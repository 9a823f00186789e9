//! `self-update`: a newer version of the program from a signed archive, and back.

use std::env;

use anyhow::Context;
use clap::Args;
use minismith_install::self_update::{Limits, Source, Updater, folder_of};
use minismith_runtime::config::Config;

use super::{CommandStatus, print};

pub const EXAMPLES: &str = "The signature lies beside the archive, with .minisig added to its name. Its signed comment is\n\
`minismith VERSION ARCHITECTURE`.\nExamples:\n  minismith self-update minismith-0.2.0-aarch64-debian13.tar.gz\n  \
minismith self-update https://example.org/minismith-0.2.0-aarch64-debian13.tar.gz --json\n  minismith self-update --roll-back";

/// The options of `self-update`.
#[derive(Debug, Args)]
pub struct SelfUpdate {
    /// Archive: a file, or an address that begins with http:// or https://.
    #[arg(value_name = "FILE|URL", required_unless_present = "roll_back")]
    source: Option<String>,
    /// Install an older version, or the same one again.
    #[arg(long)]
    allow_downgrade: bool,
    /// Go back to the version before.
    #[arg(long, conflicts_with_all = ["source", "allow_downgrade"])]
    roll_back: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Replaces the program.
pub fn run(config: &Config, arguments: &SelfUpdate) -> anyhow::Result<CommandStatus> {
    let program = env::current_exe().context("cannot tell where this program is")?;
    let updater = Updater {
        key: config.update.public_key.as_deref(),
        folder: folder_of(&program).unwrap_or(&config.update.directory).to_owned(),
        program: &program,
        version: env!("CARGO_PKG_VERSION").parse().context("this program has no version")?,
        architecture: env::consts::ARCH,
        allow_downgrade: arguments.allow_downgrade,
        limits: Limits::default(),
    };
    let mut on_step = |_: &str| Ok(());
    let updated = match &arguments.source {
        None => updater.roll_back(&mut on_step),
        Some(named) => {
            let is_url = named.starts_with("http://") || named.starts_with("https://");
            let source = if is_url { Source::Url(named.clone()) } else { Source::File(named.into()) };
            updater.update(&source, &mut on_step)
        }
    };
    let updated = match updated {
        Err(error) if !error.is_refusal() => return Err(error.into()),
        updated => updated.map_err(|refusal| refusal.to_string()),
    };
    print::report_answer(arguments.json, updated, |updated| {
        let back = match &updated.previous {
            Some(previous) => format!("`minismith self-update --roll-back` goes back to {previous}"),
            None => "there is no version before".to_owned(),
        };
        let text = format!(
            "version {} is in use: {}\n{back}; what runs now, such as the service, changes to it when it is started again",
            updated.version,
            updated.program.display()
        );
        (serde_json::json!(updated), text)
    })
}
