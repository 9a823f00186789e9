//! From files to inputs: the type by name and content, and what is in each, read by the libraries in the cage. What comes
//! from there is presumed forged: plain data of a bounded length, and told as the file's, never believed.

use minismith_wire::{FileGiven, Limits, MAX_FILE};
use serde_json::{Map, Value, json};

use super::cage::{self, Failure};
use minismith_analysis::files::inspect::{NotAsNamed, inspect_for_task};
use minismith_toolchain::guest::GuestFault;
use minismith_toolchain::workshop::rehearsal::Cage;

/// What is asked of each file in the cage.
const DESCRIBE: &str = include_str!("describe.py");

/// What that may use.
const LIMITS: Limits = Limits { cpu_seconds: 20, turn_seconds: 30.0, wall_seconds: 40.0, ..cage::LIMITS };

/// Files of one task.
pub const MOST_FILES: usize = 20;

/// Bytes of all of them together: a script holds them twice for a moment.
pub const MOST_TOGETHER: u64 = 200 << 20;

/// Bytes of JSON that are kept of what a file is said to hold.
const LONGEST_ABOUT: usize = 24 << 10;

/// A file that a task is not given.
#[derive(Debug, thiserror::Error)]
pub enum BadInput {
    /// It is longer than a task takes.
    #[error("{name:?} is longer than the {MAX_FILE} bytes that a code task takes; give a part of it")]
    TooLong {
        /// The file.
        name: String,
    },
    /// There are too many, or too much in all.
    #[error("a code task takes at most {MOST_FILES} files and {MOST_TOGETHER} bytes together; give fewer")]
    TooMuch,
    /// Two have the same name.
    #[error("two files are called {name:?}; give one of them another name")]
    Twice {
        /// Their name.
        name: String,
    },
    /// It is not what its name says.
    #[error(transparent)]
    NotAsNamed(#[from] NotAsNamed),
    /// There is no cage to read it in.
    #[error(transparent)]
    NoCage(#[from] GuestFault),
}

/// Makes inputs of files by name, each told with what is in it.
///
/// # Errors
/// [`BadInput`]; what can't be read in the cage is still given, and `about.unreadable` says why.
pub fn prepare(cage: &dyn Cage, files: Vec<(String, Vec<u8>)>) -> Result<Vec<FileGiven>, BadInput> {
    let together: u64 = files.iter().map(|(_, content)| content.len() as u64).sum();
    if files.len() > MOST_FILES || together > MOST_TOGETHER {
        return Err(BadInput::TooMuch);
    }
    let mut given: Vec<FileGiven> = Vec::new();
    for (name, content) in files {
        if content.len() > MAX_FILE {
            return Err(BadInput::TooLong { name });
        }
        if given.iter().any(|other| other.name == name) {
            return Err(BadInput::Twice { name });
        }
        let (_, about) = inspect_for_task(&name, &content)?;
        let bytes = content.len() as u64;
        let file = FileGiven { parameter: "inputs".into(), name, bytes, about, content: content.into() };
        given.push(described(cage, file)?);
    }
    Ok(given)
}

/// What the host has found out itself has the last word.
fn described(cage: &dyn Cage, mut file: FileGiven) -> Result<FileGiven, GuestFault> {
    let ran = cage::run(cage, DESCRIBE, None, std::slice::from_ref(&file), LIMITS)?;
    let mut about = match ran.value {
        Ok(Value::Object(about)) if json!(about).to_string().len() <= LONGEST_ABOUT => about,
        Ok(Value::Object(about)) => shortened(about),
        Ok(_) => Map::new(),
        // Where it was raised is a line of this program's own.
        Err(Failure::Raised { kind, message, .. }) => unreadable(&format!("{kind}: {message}")),
        Err(stopped) => unreadable(&stopped.to_string()),
    };
    for (name, value) in std::mem::take(&mut file.about) {
        // Only the libraries know a column's type.
        if !(name == "columns" && about.contains_key("columns")) {
            about.insert(name, value);
        }
    }
    file.about = about;
    Ok(file)
}

/// Of what is too long only what is short is kept.
fn shortened(about: Map<String, Value>) -> Map<String, Value> {
    about.into_iter().filter(|(_, value)| value.to_string().len() <= LONGEST_ABOUT / 8).collect()
}

fn unreadable(why: &str) -> Map<String, Value> {
    Map::from_iter([("unreadable".to_owned(), json!(why.chars().take(400).collect::<String>()))])
}

/// The names of a file's columns, where it is a table.
#[must_use]
pub fn columns(about: &Map<String, Value>) -> Vec<String> {
    let columns = about.get("columns").and_then(Value::as_array);
    let name = |column: &Value| column.get("name").unwrap_or(column).as_str().map(str::to_owned);
    columns.into_iter().flatten().filter_map(name).collect()
}
