//! Old commands and flags as hidden aliases, from [`minismith_protocol::old_names::command_line`].

use clap::{Arg, ArgAction, Command};
use minismith_protocol::old_names::command_line::{COMMANDS, FLAGS, RECORD_MODES};

/// Adds the old names of commands and flags to the command line.
pub(super) fn with_old_names(mut command: Command) -> Command {
    for (path, old, new) in FLAGS {
        command = change(command, path, |command| {
            let id = command
                .get_arguments()
                .find(|flag| flag.get_long() == Some(new))
                .map(|flag| flag.get_id().clone());
            match id {
                Some(id) => command.mut_arg(&id, |flag| flag.alias(*old)),
                None => command,
            }
        });
    }
    for (old, new) in COMMANDS {
        let (_, name) = old.rsplit_once(' ').unwrap_or(("", old));
        command = change(command, new, |command| command.alias(name));
    }
    change(command, "record", with_old_modes)
}

/// Changes the command with this path, such as `tool show`.
fn change(command: Command, path: &str, apply: impl FnOnce(Command) -> Command) -> Command {
    match path.split_once(' ') {
        Some((first, rest)) => command.mut_subcommand(first, |command| change(command, rest, apply)),
        None => command.mut_subcommand(path, apply),
    }
}

/// Flags of their own for what are values of `--mode` now.
fn with_old_modes(record: Command) -> Command {
    let flag = |(old, _): &(&'static str, &'static str)| {
        let others = RECORD_MODES.iter().map(|(other, _)| *other).filter(|other| other != old);
        Arg::new(*old)
            .long(*old)
            .hide(true)
            .action(ArgAction::SetTrue)
            .conflicts_with_all(others.chain(["mode"]))
    };
    record.args(RECORD_MODES.iter().map(flag)).mut_arg("mode", |mode| {
        mode.default_value_ifs(RECORD_MODES.iter().map(|(old, new)| (*old, "true", Some(*new))))
    })
}

#[cfg(test)]
mod tests;
