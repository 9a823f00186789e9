//! [`Record`]: what was changed, written before each change, so that it can be undone after any interruption.
//!
//! The state folder may belong to the user of the service, who could write anything into the record. So a change names
//! no path: units and targets are checked, and paths and contents are made from them.

use serde::{Deserialize, Serialize};

use crate::image::{SERVICE, UNITS};
use crate::tree::{Entry, Tree, TreeError};
use crate::units::is_name;

/// The file of the record, below the root folder.
pub const FILE: &str = "var/lib/minismith/take-over.json";

/// The state folder.
pub const FOLDER: &str = "var/lib/minismith";

/// Name of our drop-ins. It sorts last, so that no other drop-in resets the condition in it.
const DROP_IN: &str = "zz-minismith-take-over.conf";

/// The first line of our drop-ins.
const HEADER: &str = "# Made by `minismith take-over`; `minismith give-back` removes it.\n";

/// The format that this program writes.
const FORMAT: u32 = 1;

const MAX_BYTES: u64 = 256 << 10;

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// `take-over` has begun.
    TakingOver,
    /// `take-over` is complete.
    TakenOver,
    /// `give-back` has begun.
    GivingBack,
}

/// One change of the files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Change {
    /// The folder of drop-ins for a unit was made.
    DropInFolder {
        /// The unit.
        unit: String,
    },
    /// Our drop-in for a unit was written.
    DropIn {
        /// The unit.
        unit: String,
    },
    /// The folder of links to the units that a target starts was made.
    WantsFolder {
        /// The target.
        target: String,
    },
    /// Our unit was enabled.
    Enabled {
        /// The target that starts it.
        target: String,
        /// The file that the link points at.
        points_at: String,
    },
}

/// What was changed, and what ran before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    format: u32,
    /// How far the command has come.
    pub progress: Progress,
    /// The version of the official software.
    pub official_version: Option<String>,
    /// The official units that ran before; none where no service manager was asked.
    pub were_active: Option<Vec<String>>,
    /// Whether our own service ran before.
    pub was_ours_active: bool,
    /// Whether the state folder was made for this record.
    pub made_folder: bool,
    /// The changes, in their order.
    pub changes: Vec<Change>,
}

/// A record that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "{path} is no record of a take-over: {reason}; move it away, then `minismith take-over` makes a new one"
)]
pub struct RecordError {
    path: String,
    reason: String,
}

impl Record {
    /// Starts a record.
    pub const fn new(official_version: Option<String>) -> Self {
        Record {
            format: FORMAT,
            progress: Progress::TakingOver,
            official_version,
            were_active: None,
            was_ours_active: false,
            made_folder: false,
            changes: Vec::new(),
        }
    }

    /// Reads the record; none if there is none.
    pub fn read(tree: &Tree) -> Result<Option<Self>, super::TakeOverError> {
        let Some(text) = tree.read(FILE, MAX_BYTES)? else { return Ok(None) };
        let damaged = |reason: String| RecordError { path: tree.shown(FILE).display().to_string(), reason };
        let record: Record = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if record.format != FORMAT {
            return Err(damaged(format!("format {} is unknown", record.format)).into());
        }
        let units = record.were_active.iter().flatten();
        if !(record.changes.iter().all(Change::is_valid) && units.into_iter().all(|unit| is_unit(unit))) {
            return Err(damaged("it names something that is no unit".into()).into());
        }
        Ok(Some(record))
    }

    /// Writes the record, durably.
    pub fn save(&self, tree: &Tree) -> Result<(), super::TakeOverError> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::from)?;
        Ok(tree.write(FILE, &(text + "\n"), 0o644)?)
    }
}

impl Change {
    fn is_valid(&self) -> bool {
        match self {
            Change::DropInFolder { unit } | Change::DropIn { unit } => is_unit(unit),
            Change::WantsFolder { target } | Change::Enabled { target, .. } => is_name(target, ".target"),
        }
    }

    /// Returns the path that it is about.
    pub fn path(&self) -> String {
        match self {
            Change::DropInFolder { unit } => format!("{UNITS}/{unit}.d"),
            Change::DropIn { unit } => format!("{UNITS}/{unit}.d/{DROP_IN}"),
            Change::WantsFolder { target } => format!("{UNITS}/{target}.wants"),
            Change::Enabled { target, .. } => format!("{UNITS}/{target}.wants/{SERVICE}"),
        }
    }

    /// Makes the change.
    pub fn make(&self, tree: &Tree, contents: &Contents) -> Result<(), TreeError> {
        match self {
            Change::DropInFolder { .. } | Change::WantsFolder { .. } => tree.make_folder(&self.path()),
            Change::DropIn { unit } => tree.write(&self.path(), &contents.drop_in(unit), 0o644),
            Change::Enabled { points_at, .. } => tree.link(&self.path(), points_at),
        }
    }

    /// Undoes the change, unless somebody else has changed the same since: returns why it was left then.
    pub fn undo(&self, tree: &Tree) -> Result<Option<&'static str>, TreeError> {
        let path = self.path();
        match self {
            Change::DropInFolder { .. } | Change::WantsFolder { .. } => {
                let is_folder = tree.entry(&path)? == Entry::Folder;
                Ok((is_folder && !tree.remove_empty_folder(&path)?).then_some("it is not empty"))
            }
            Change::DropIn { .. } => match is_ours(tree, &path)? {
                None => Ok(None),
                Some(true) => tree.remove(&path).map(|()| None),
                Some(false) => Ok(Some("its first line is not ours")),
            },
            Change::Enabled { points_at, .. } => match tree.entry(&path)? {
                Entry::Missing => Ok(None),
                Entry::Link(target) if target == *points_at => tree.remove(&path).map(|()| None),
                _ => Ok(Some("it no longer points where we let it point")),
            },
        }
    }
}

fn is_unit(name: &str) -> bool {
    is_name(name, ".service")
}

/// Returns whether a drop-in is ours; none if there is none.
pub fn is_ours(tree: &Tree, path: &str) -> Result<Option<bool>, TreeError> {
    match tree.entry(path)? {
        Entry::Missing => Ok(None),
        Entry::File => Ok(Some(tree.read(path, MAX_BYTES)?.is_some_and(|text| text.starts_with(HEADER)))),
        Entry::Folder | Entry::Link(_) => Ok(Some(false)),
    }
}

/// What our drop-ins contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Our program, as our unit names it.
    pub program: String,
    /// The target that starts our unit.
    pub target: String,
}

impl Contents {
    /// Returns our drop-in for a unit.
    pub fn drop_in(&self, unit: &str) -> String {
        let Contents { program, target } = self;
        if unit == SERVICE {
            // `+`: as root, whatever user the service has. `-`: a failed check does not keep the service from starting.
            return format!(
                "{HEADER}# At each start: the official daemon still does not start, whatever was reinstalled since.\n\
                 [Service]\nExecStartPre=-+{program} take-over --check\n"
            );
        }
        format!(
            "{HEADER}# The official daemon starts only while {SERVICE} is not enabled.\n\
             [Unit]\nConditionPathExists=!/{UNITS}/{target}.wants/{SERVICE}\n"
        )
    }
}
