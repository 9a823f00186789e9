//! Turns arguments into files: which parameters are files, what they accept, and how a file is read.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use minismith_protocol::{InputFile, Job};
use rustix::fs::OFlags;
use serde_json::Value;

use super::inspect::{NotAsNamed, inspect};
use super::kind::{Kind, listed};

/// Maximum size of all files of one call, in bytes: a guest holds them twice for a moment.
pub const MAX_TOTAL_BYTES: u64 = 64 << 20;

/// A file that a tool cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum BadFile {
    /// No file with this name can be read.
    #[error("can't read {}: {source}; name a file that exists and that you may read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// A folder, a device or a pipe.
    #[error("{} is not a regular file; name a regular file", .path.display())]
    NotRegular {
        /// Its path.
        path: PathBuf,
    },
    /// A file that is longer than the tool accepts.
    #[error("{name:?} is longer than the {limit} bytes that the tool takes")]
    TooLong {
        /// The file.
        name: String,
        /// The limit.
        limit: u64,
    },
    /// A type that the tool does not accept.
    #[error("{name:?} is a {kind} file; the tool takes {}", listed(.allowed.iter().map(|kind| kind.name())))]
    NotTaken {
        /// The file.
        name: String,
        /// Its type.
        kind: &'static str,
        /// The accepted types.
        allowed: Vec<Kind>,
    },
    /// A file whose content differs from its name.
    #[error(transparent)]
    NotAsNamed(#[from] NotAsNamed),
    /// The files together are too long.
    #[error("the files of one call take more than {MAX_TOTAL_BYTES} bytes together; give smaller ones")]
    TooMuch,
    /// A generated file of a rehearsal that does not exist, or that a rehearsal may not read.
    #[error("{0}")]
    NoSample(String),
}

/// The files that a parameter accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The accepted types.
    pub kinds: Vec<Kind>,
    /// The maximum size, in bytes.
    pub max_bytes: u64,
}

impl Wanted {
    /// Reads a parameter's schema; none if the parameter cannot be a file.
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

/// Returns the parameters of a schema that are files.
pub fn file_parameters(parameters: &Value) -> impl Iterator<Item = (&String, Wanted)> {
    let properties = parameters.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().filter_map(|(name, schema)| Some((name, Wanted::by(schema)?)))
}

/// A file found by its name: the name without any folder, and at most one byte more than the limit.
pub type Opened = Result<(String, Vec<u8>), BadFile>;

/// Replaces the arguments that name files by the files. `open` finds a file.
///
/// # Errors
/// [`BadFile`]: the tool receives nothing that it does not accept.
pub fn bind(mut job: Job, parameters: &Value, open: &dyn Fn(&str, u64) -> Opened) -> Result<Job, BadFile> {
    let mut together = 0;
    for (parameter, wanted) in file_parameters(parameters) {
        let Some(Value::String(named)) = job.arguments.get(parameter) else { continue };
        let (name, content) = open(named, wanted.max_bytes)?;
        let given = given(parameter, name, content, &wanted)?;
        together += given.bytes;
        if together > MAX_TOTAL_BYTES {
            return Err(BadFile::TooMuch);
        }
        job.arguments.shift_remove(parameter);
        job.files.push(given);
    }
    Ok(job)
}

/// Returns one file in the form in which a guest receives it.
///
/// # Errors
/// [`BadFile`] if the tool does not accept it.
pub fn given(parameter: &str, name: String, content: Vec<u8>, wanted: &Wanted) -> Result<InputFile, BadFile> {
    let bytes = content.len() as u64;
    if bytes > wanted.max_bytes {
        return Err(BadFile::TooLong { name, limit: wanted.max_bytes });
    }
    let (kind, about) = inspect(&name, &content)?;
    if !wanted.kinds.contains(&kind) {
        return Err(BadFile::NotTaken { name, kind: kind.name(), allowed: wanted.kinds.clone() });
    }
    Ok(InputFile { parameter: parameter.to_owned(), name, bytes, about, content: content.into() })
}

/// Reads a regular file, at most one byte more than `most`. Follows links, because the caller chose the
/// name.
///
/// # Errors
/// An I/O error if there is no file, or if it is not regular. Other kinds of file are not opened, or closed
/// at once.
pub fn read(path: &Path, most: u64) -> Opened {
    let io = |source| BadFile::Io { path: path.to_owned(), source };
    let not_regular = || BadFile::NotRegular { path: path.to_owned() };
    // Opening some devices already has an effect.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(not_regular());
    }
    // The file may have become a pipe since; with this flag the open does not wait for a writer.
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
