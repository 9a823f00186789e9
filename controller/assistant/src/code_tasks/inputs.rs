//! Turns files into inputs: the type by name and content, and their content as the sandbox's libraries read
//! it.
//!
//! That description counts as forged: it is bounded plain data, reported as the file's and never trusted.

use minismith_protocol::{InputFile, Limits, MAX_FILE_BYTES};
use serde_json::{Map, Value, json};

use super::sandbox::{self, Failure};
use minismith_analysis::files::inspect::{NotAsNamed, inspect_for_task};
use minismith_toolchain::guest::GuestError;
use minismith_toolchain::workshop::rehearsal::GuestStarter;

/// The script that describes each file in the sandbox.
const DESCRIBE: &str = include_str!("describe.py");

/// The limits of that script.
const LIMITS: Limits = Limits { cpu_seconds: 20, turn_seconds: 30.0, wall_seconds: 40.0, ..sandbox::LIMITS };

/// The maximum number of files of one task.
pub const MAX_FILES: usize = 20;

/// The maximum size of all files together, in bytes: a script briefly holds them twice.
pub const MAX_TOTAL_BYTES: u64 = 200 << 20;

/// The maximum length of a file's description, in bytes of JSON.
const MAX_DESCRIPTION_BYTES: usize = 24 << 10;

/// The reason why a file can't be passed to a task.
#[derive(Debug, thiserror::Error)]
pub enum BadInput {
    /// The file is too long.
    #[error("{name:?} is longer than the {MAX_FILE_BYTES} bytes that a code task takes; give a part of it")]
    TooLong {
        /// The file.
        name: String,
    },
    /// The files are too many, or too long together.
    #[error("a code task takes at most {MAX_FILES} files and {MAX_TOTAL_BYTES} bytes together; give fewer")]
    TooMuch,
    /// Two files have the same name.
    #[error("two files are called {name:?}; give one of them another name")]
    Twice {
        /// Their name.
        name: String,
    },
    /// The content does not match the name.
    #[error(transparent)]
    NotAsNamed(#[from] NotAsNamed),
    /// No sandbox is available to read the file.
    #[error(transparent)]
    NoSandbox(#[from] GuestError),
}

/// Turns files into inputs by name, each with a description of its content.
///
/// # Errors
/// [`BadInput`]. A file that the sandbox can't read is still passed, and `about.unreadable` says why.
pub fn prepare(
    sandbox: &dyn GuestStarter,
    files: Vec<(String, Vec<u8>)>,
) -> Result<Vec<InputFile>, BadInput> {
    let together: u64 = files.iter().map(|(_, content)| content.len() as u64).sum();
    if files.len() > MAX_FILES || together > MAX_TOTAL_BYTES {
        return Err(BadInput::TooMuch);
    }
    let mut given: Vec<InputFile> = Vec::new();
    for (name, content) in files {
        if content.len() > MAX_FILE_BYTES {
            return Err(BadInput::TooLong { name });
        }
        if given.iter().any(|other| other.name == name) {
            return Err(BadInput::Twice { name });
        }
        let (_, about) = inspect_for_task(&name, &content)?;
        let bytes = content.len() as u64;
        let file = InputFile { parameter: "inputs".into(), name, bytes, about, content: content.into() };
        given.push(described(sandbox, file)?);
    }
    Ok(given)
}

/// Describes a file. The host's own findings take precedence.
fn described(sandbox: &dyn GuestStarter, mut file: InputFile) -> Result<InputFile, GuestError> {
    let ran = sandbox::run(sandbox, DESCRIBE, None, std::slice::from_ref(&file), LIMITS)?;
    let mut about = match ran.value {
        Ok(Value::Object(about)) if json!(about).to_string().len() <= MAX_DESCRIPTION_BYTES => about,
        Ok(Value::Object(about)) => shortened(about),
        Ok(_) => Map::new(),
        // The line is in this program's own script, so it is left out.
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

/// Removes the long values of a description that is too long.
fn shortened(about: Map<String, Value>) -> Map<String, Value> {
    about.into_iter().filter(|(_, value)| value.to_string().len() <= MAX_DESCRIPTION_BYTES / 8).collect()
}

fn unreadable(why: &str) -> Map<String, Value> {
    Map::from_iter([("unreadable".to_owned(), json!(why.chars().take(400).collect::<String>()))])
}

/// Returns the names of a file's columns, if it is a table.
#[must_use]
pub fn columns(about: &Map<String, Value>) -> Vec<String> {
    let columns = about.get("columns").and_then(Value::as_array);
    let name = |column: &Value| column.get("name").unwrap_or(column).as_str().map(str::to_owned);
    columns.into_iter().flatten().filter_map(name).collect()
}
