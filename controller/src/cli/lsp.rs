//! `lsp`: serves an editor over standard input and output.

use std::ffi::OsString;

use minismith_language_server::{Checker, Client, Settings, serve};
use minismith_runtime::config::Config;

use super::CommandStatus;

/// Serves the editor that started this program until it disconnects.
pub fn run(config: &Config) -> anyhow::Result<CommandStatus> {
    let mut arguments: Vec<OsString> = Vec::new();
    if let Some(file) = &config.source {
        arguments.extend(["--config".into(), file.into()]);
    }
    arguments.extend(["tool", "check", "--json"].map(OsString::from));
    let client = Client::Editor(Checker { program: std::env::current_exe()?, arguments });
    let settings = Settings { limits: config.limits, client };
    Ok(CommandStatus::when(serve(settings, std::io::stdin(), std::io::stdout())?))
}
