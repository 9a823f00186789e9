//! `completions` and `man-pages`: the command line for shells and for `man`, made of the same definitions as `--help`.

use std::path::Path;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CommandStatus};

const NAME: &str = "minismith";

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> anyhow::Result<CommandStatus> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), NAME, &mut text);
    super::print::text(&String::from_utf8(text)?);
    Ok(CommandStatus::Success)
}

/// Writes `minismith.1` and a page for each command, such as `minismith-tool-check.1`.
pub fn man_pages(folder: &Path) -> anyhow::Result<CommandStatus> {
    // Pages of the command that only prints the help of others would say nothing.
    let command = Cli::command().disable_help_subcommand(true);
    clap_mangen::generate_to(command, folder).with_context(|| {
        format!("cannot write manual pages to {}; create that folder first", folder.display())
    })?;
    Ok(CommandStatus::Success)
}
