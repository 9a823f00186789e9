//! From an argument to a job: which parameters are files, what they may be, and how one is read.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use minismith_wire::{FileGiven, Job};
use rustix::fs::OFlags;
use serde_json::Value;

use super::inspect::{NotAsNamed, inspect};
use super::kind::{Kind, listed};

/// What one call may be given in all, bytes: a guest holds it twice for a moment.
pub const MOST_TOGETHER: u64 = 64 << 20;

/// A file that a tool is not given.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// Nothing with this name can be read.
    #[error("can't read {}: {source}; name a file that exists and that you may read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder, a device, a pipe.
    #[error("{} is no regular file; a tool can only be given one of those", .path.display())]
    NotRegular {
        /// What it is called.
        path: PathBuf,
    },
    /// It is longer than the tool takes.
    #[error("{name:?} is longer than the {limit} bytes that the tool takes")]
    TooLong {
        /// The file.
        name: String,
        /// The limit.
        limit: u64,
    },
    /// It is of a type that the tool does not take.
    #[error("{name:?} is a {kind} file; the tool takes {}", listed(.allowed.iter().map(|kind| kind.name())))]
    NotTaken {
        /// The file.
        name: String,
        /// Its type.
        kind: &'static str,
        /// What it takes.
        allowed: Vec<Kind>,
    },
    /// It is not what its name says.
    #[error(transparent)]
    NotAsNamed(#[from] NotAsNamed),
    /// All of them are too much together.
    #[error("the files of one call take more than {MOST_TOGETHER} bytes together; give smaller ones")]
    TooMuch,
    /// A generated file of a rehearsal that does not exist, or one that may not be read there.
    #[error("{0}")]
    NoSample(String),
}

/// What a parameter takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Which types.
    pub kinds: Vec<Kind>,
    /// How long it may be.
    pub max_bytes: u64,
}

impl Wanted {
    /// What a parameter's schema says, if it is a file, or may be one.
    #[must_use]
    pub fn by(parameter: &Value) -> Option<Wanted> {
        if let Some(choices) = parameter.get("anyOf").and_then(Value::as_array) {
            return choices.iter().find_map(Wanted::by);
        }
        if parameter.get("format")?.as_str()? != "file" {
            return None;
        }
        let types = parameter.get("types")?.as_array()?.iter();
        let kinds = types.filter_map(|word| Kind::from_word(word.as_str()?)).collect();
        Some(Wanted { kinds, max_bytes: parameter.get("maxBytes")?.as_u64()? })
    }
}

/// The parameters of a schema that are files.
pub fn file_parameters(parameters: &Value) -> impl Iterator<Item = (&String, Wanted)> {
    let properties = parameters.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter_map(|(name, schema)| Some((name, Wanted::by(schema)?)))
}

/// A file that was found by its name: the name without any folder, and at most so many bytes and one of it.
pub type Opened = Result<(String, Vec<u8>), BadFile>;

/// Puts files in the places of the arguments that name them. `open` finds one.
///
/// # Errors
/// [`BadFile`]: nothing that the tool does not take is given to it.
pub fn bind(mut job: Job, parameters: &Value, open: &dyn Fn(&str, u64) -> Opened) -> Result<Job, BadFile> {
    let mut together = 0;
    for (parameter, wanted) in file_parameters(parameters) {
        let Some(Value::String(named)) = job.arguments.get(parameter) else { continue };
        let (name, content) = open(named, wanted.max_bytes)?;
        let given = given(parameter, name, content, &wanted)?;
        together += given.bytes;
        if together > MOST_TOGETHER {
            return Err(BadFile::TooMuch);
        }
        job.arguments.shift_remove(parameter);
        job.files.push(given);
    }
    Ok(job)
}

/// One file as its guest sees it.
///
/// # Errors
/// [`BadFile`], when it is not what the tool takes.
pub fn given(parameter: &str, name: String, content: Vec<u8>, wanted: &Wanted) -> Result<FileGiven, BadFile> {
    let bytes = content.len() as u64;
    if bytes > wanted.max_bytes {
        return Err(BadFile::TooLong { name, limit: wanted.max_bytes });
    }
    let (kind, about) = inspect(&name, &content)?;
    if !wanted.kinds.contains(&kind) {
        return Err(BadFile::NotTaken { name, kind: kind.name(), allowed: wanted.kinds.clone() });
    }
    Ok(FileGiven { parameter: parameter.to_owned(), name, bytes, about, content: content.into() })
}

/// Reads a regular file, at most so many bytes and one. A link to one is one: who names it chooses it.
///
/// # Errors
/// When there is none, or it is something else. Nothing that is not a regular file is opened for long.
pub fn read(path: &Path, most: u64) -> Opened {
    let io = |source| BadFile::Io { path: path.to_owned(), source };
    let not_regular = || BadFile::NotRegular { path: path.to_owned() };
    // To open some devices does something already.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(not_regular());
    }
    // Should it have become a pipe meanwhile: with this flag nobody waits for its writer.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(not_regular());
    }
    let mut content = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut content).map_err(io)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok((name, content))
}
