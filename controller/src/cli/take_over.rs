//! `take-over` and `give-back`: whose the robot's own computer is.

use std::path::{Path, PathBuf};

use clap::Args;
use minismith_install::take_over::{Computer, Outcome, Owner, TakeOverError};
use serde_json::json;

use super::{CommandStatus, print};

pub const EXAMPLES: &str = "Nothing of the official software is removed or rewritten.\nExamples:\n  \
minismith take-over --dry-run\n  sudo minismith take-over\n  minismith take-over --root /mnt/robot --dry-run --json";

pub const GIVE_BACK_EXAMPLES: &str = "Examples:\n  minismith give-back --dry-run\n  sudo minismith give-back\n  minismith give-back --root /mnt/robot --json";

/// Where it happens, and how it is reported.
#[derive(Debug, Args)]
struct Place {
    /// Work on the files below this folder, such as a mounted memory card, and start and stop nothing.
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Program to ask instead of systemctl; with --root, none is asked otherwise.
    #[arg(long, value_name = "FILE")]
    systemctl: Option<PathBuf>,
    /// Show what would be done, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// The options of `take-over`.
#[derive(Debug, Args)]
pub struct TakeOver {
    #[command(flatten)]
    place: Place,
    /// Take over from a version of the official software that is not 1.x.
    #[arg(long)]
    any_version: bool,
    /// Only make good what the official software has changed since. Our service does this at each start.
    #[arg(long, conflicts_with_all = ["dry_run", "any_version"])]
    check: bool,
}

/// The options of `give-back`.
#[derive(Debug, Args)]
pub struct GiveBack {
    #[command(flatten)]
    place: Place,
}

impl Place {
    fn computer(&self) -> Result<Computer, TakeOverError> {
        match self.root.as_deref().filter(|root| !is_this_computer(root)) {
            Some(root) => Computer::at(root, self.systemctl.clone()),
            None => Computer::this(self.systemctl.clone(), !self.dry_run),
        }
    }
}

fn is_this_computer(root: &Path) -> bool {
    root.canonicalize().is_ok_and(|root| root == Path::new("/"))
}

/// Runs `take-over`.
pub fn take_over(arguments: &TakeOver) -> anyhow::Result<CommandStatus> {
    let TakeOver { place, any_version, check } = arguments;
    let outcome = place.computer().and_then(|computer| match (check, place.dry_run) {
        (true, _) => computer.check(&mut quietly),
        (false, true) => computer.preview_take_over(*any_version),
        (false, false) => computer.take_over(*any_version, &mut quietly),
    });
    report(place, outcome)
}

/// Runs `give-back`.
pub fn give_back(arguments: &GiveBack) -> anyhow::Result<CommandStatus> {
    let place = &arguments.place;
    let outcome = place.computer().and_then(|computer| match place.dry_run {
        true => computer.preview_give_back(),
        false => computer.give_back(&mut quietly),
    });
    report(place, outcome)
}

fn quietly(_: &str) -> std::io::Result<()> {
    Ok(())
}

fn report(place: &Place, outcome: Result<Outcome, TakeOverError>) -> anyhow::Result<CommandStatus> {
    let outcome = match outcome {
        Err(error) if !error.is_refusal() => return Err(error.into()),
        outcome => outcome.map_err(|refusal| refusal.to_string()),
    };
    print::report_answer(place.json, outcome, |outcome| {
        let Outcome { owner, official_version, steps, notes } = outcome;
        let document = json!({
            "owner": owner,
            "official_version": official_version,
            "dry_run": place.dry_run,
            "steps": steps,
            "notes": notes,
        });
        let prefix = if place.dry_run { "would " } else { "" };
        let mut lines: Vec<String> = steps.iter().map(|step| format!("{prefix}{step}")).collect();
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        lines.push(match owner {
            Owner::Minismith => "the robot belongs to Minismith".to_owned(),
            Owner::Official => "the robot belongs to the official daemon".to_owned(),
            Owner::Nobody => "there is no official software on this computer".to_owned(),
            Owner::Undecided => {
                "both may start: repeat `minismith take-over` or `minismith give-back`".to_owned()
            }
        });
        (document, lines.join("\n"))
    })
}
