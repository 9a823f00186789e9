//! Every old name of the command line, and the new name that it stands for.

use clap::{CommandFactory, FromArgMatches};
use minismith_protocol::old_names::command_line::{COMMANDS, FLAGS, MOTOR_MODES, RECORD_MODES};

use super::with_old_names;
use crate::cli::Cli;

/// The parsed command line, without the name of the program.
fn parsed(words: &[&str]) -> String {
    let words = std::iter::once("minismith").chain(words.iter().copied());
    let matches = with_old_names(Cli::command()).try_get_matches_from(words).unwrap();
    format!("{:?}", Cli::from_arg_matches(&matches).unwrap())
}

fn error(words: &[&str]) -> String {
    let words = std::iter::once("minismith").chain(words.iter().copied());
    with_old_names(Cli::command()).try_get_matches_from(words).unwrap_err().to_string()
}

/// A valid command line for each command with an old flag, and the value of that flag.
fn usage(command: &str, flag: &str) -> (&'static [&'static str], Option<&'static str>) {
    match (command, flag) {
        ("move", "over") => (&["--joint", "stewart_1", "--to", "1deg"], Some("2s")),
        ("scan", "all-bauds") => (&["/dev/ttyACM0"], None),
        ("motors", "hold") => (&[], Some("2s")),
        ("motors", "control") => (&[], Some("300mA")),
        ("record", _) => (&["a.json"], Some("nod twice")),
        ("replay", "against") => (&["a.jsonl"], Some("b.jsonl")),
        ("tool from-recording", "of") => (&["a.json", "--name", "a"], Some("present")),
        ("tool from-recording", "describe") => (&["a.json", "--name", "a"], Some("a wave")),
        ("dataset convert-move", "of") => (&["a.json", "--to", "b.json"], Some("present")),
        ("dataset convert-move", "describe") => (&["a.json", "--to", "b.json"], Some("a wave")),
        ("journal tail" | "journal export", _) => (&[], Some("Ada")),
        ("listen", "text") | ("serve", "listen") => (&[], None),
        ("listen", _) => (&[], Some("a.wav")),
        ("tool show", "doc") => (&["a"], None),
        ("tool approve", "by") => (&["a"], Some("Ada")),
        _ => panic!("no command line for `{command} --{flag}`"),
    }
}

#[test]
fn each_old_flag_is_parsed_as_the_new_one() {
    let plain = Cli::command();
    for (command, old, new) in FLAGS {
        let (arguments, value) = usage(command, old);
        let with = |flag: &str| {
            let flag = format!("--{flag}");
            let words: Vec<&str> = command
                .split(' ')
                .chain(arguments.iter().copied())
                .chain([flag.as_str()])
                .chain(value)
                .collect();
            parsed(&words)
        };
        assert_eq!(with(old), with(new), "{command} --{old}");
        let words: Vec<&str> = command.split(' ').chain(arguments.iter().copied()).collect();
        assert_ne!(with(new), parsed(&words), "{command} --{new} has no effect");
        // Hidden: the help shows only the new name.
        let inner = command.split(' ').fold(&plain, |at, name| at.find_subcommand(name).unwrap());
        let help = inner.clone().render_long_help().to_string();
        assert!(
            help.contains(&format!("--{new}")) && !help.contains(&format!("--{old} ")),
            "{command}: {help}"
        );
    }
}

#[test]
fn each_old_command_is_parsed_as_the_new_one() {
    for (old, new) in COMMANDS {
        let with = |command: &str| {
            parsed(&command.split(' ').chain(["a.json", "--to", "b.json"]).collect::<Vec<_>>())
        };
        assert_eq!(with(old), with(new));
    }
}

#[test]
fn old_modes_are_values_of_the_new_flags() {
    for (old, mode) in RECORD_MODES {
        let flag = format!("--{old}");
        assert_eq!(parsed(&["record", "a.json", &flag]), parsed(&["record", "a.json", "--mode", mode]));
        assert!(error(&["record", "a.json", &flag, "--mode", mode]).contains("cannot be used with"));
        for (other, _) in RECORD_MODES.iter().filter(|(other, _)| other != old) {
            assert!(
                error(&["record", "a.json", &flag, &format!("--{other}")]).contains("cannot be used with")
            );
        }
    }
    assert_eq!(parsed(&["record", "a.json"]), parsed(&["record", "a.json", "--mode", "position"]));
    for (old, mode) in MOTOR_MODES {
        assert_eq!(parsed(&["motors", "--control", old]), parsed(&["motors", "--mode", mode]));
    }
    assert!(error(&["motors", "--mode", "limp"]).contains("gravity-compensation"));
}
