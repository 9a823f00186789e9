//! The files that a tool writes: its declaration, the pieces that it sends, and the folder in which they
//! are stored.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minismith_protocol::{Content, MAX_CHUNK_BYTES, RefusalKind};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::inspect::inspect_for_task;
use super::kind::{Kind, listed};
use crate::digest::hex_sha256;

/// Maximum length of a file's name, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// Maximum number of photos that one run keeps, and their maximum size together, in bytes.
const MAX_PHOTOS: usize = 50;
const MAX_PHOTO_BYTES: u64 = 32 << 20;

/// Number of names that are tried for one file before saving fails.
const MAX_TRIES: u32 = 10_000;

/// The files that a tool declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Outputs {
    /// Files, by name.
    pub names: Vec<String>,
    /// Types of files that may have any name.
    pub types: Vec<String>,
    /// Maximum size of all files, in bytes.
    pub max_bytes: u64,
    /// Maximum number of files.
    pub max_files: u32,
}

impl Default for Outputs {
    fn default() -> Self {
        let types = Kind::OUTPUTS.map(|kind| kind.name().to_owned()).to_vec();
        Outputs {
            names: Vec::new(),
            types,
            max_bytes: Outputs::DEFAULT_MAX_BYTES,
            max_files: Outputs::MAX_FILES,
        }
    }
}

impl Outputs {
    /// Default and maximum size of all files, in bytes.
    pub const DEFAULT_MAX_BYTES: u64 = 10 << 20;

    /// Default and maximum number of files.
    pub const MAX_FILES: u32 = 16;

    /// Returns the files that a code task may write: more types, and more of each.
    #[must_use]
    pub fn of_task() -> Self {
        let types = Kind::TASK_OUTPUTS.map(|kind| kind.name().to_owned()).to_vec();
        Outputs { names: Vec::new(), types, max_bytes: Outputs::TASK_BYTES, max_files: Outputs::MAX_FILES }
    }

    /// Maximum size of all files that a code task may write, in bytes.
    pub const TASK_BYTES: u64 = 50 << 20;

    /// Returns whether the tool declares this file.
    fn declares(&self, name: &str, kind: Kind) -> bool {
        self.names.iter().any(|known| known == name) || self.types.iter().any(|known| known == kind.name())
    }

    fn description(&self) -> String {
        listed(self.names.iter().map(String::as_str).chain(self.types.iter().map(String::as_str)))
    }
}

/// A file that a tool wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its type.
    pub r#type: String,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The SHA-256 of its bytes, in lower-case hexadecimal.
    pub sha256: String,
    /// Whether it is a photo that the controller kept for the tool. The tool itself did not have its bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_photo: bool,
    /// Where it is stored, if it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub path: Option<PathBuf>,
    /// Its content.
    #[serde(skip)]
    pub content: Content,
}

impl Output {
    /// Returns the file without its content.
    #[must_use]
    pub fn listed(&self) -> Output {
        Output { content: Content::default(), ..self.clone() }
    }
}

/// Returns the type of a file by its name: plain, of one known type, and not hidden.
fn kind_of(name: &str) -> Result<Kind, String> {
    let plain = |c: char| c.is_alphanumeric() || " _-.()".contains(c);
    let well = name.chars().count() <= MAX_NAME_LENGTH
        && name.chars().all(plain)
        && name.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let short: String = name.chars().take(MAX_NAME_LENGTH).collect();
    if !well {
        return Err(format!(
            "{short:?} is not a plain file name; use letters, digits, _, - and one extension"
        ));
    }
    Kind::of_task(name).ok_or_else(|| {
        format!("{short:?} has no known type; end it in .{}", listed(Kind::OUTPUTS.map(Kind::name)))
    })
}

/// Collects the files that one run writes.
#[derive(Debug)]
pub struct Collector {
    declared: Option<Outputs>,
    files: Vec<(String, Kind, Vec<u8>)>,
    bytes: u64,
    photos: Vec<Vec<u8>>,
    photo_bytes: u64,
}

impl Collector {
    /// Creates a collector for a tool that declares these files, or none.
    pub const fn new(declared: Option<Outputs>) -> Self {
        Collector { declared, files: Vec::new(), bytes: 0, photos: Vec::new(), photo_bytes: 0 }
    }

    /// Adds a piece of a file.
    pub fn write(&mut self, name: &str, piece: &str) -> Result<(), (RefusalKind, String)> {
        let no = |kind, why: String| Err((kind, why));
        let Some(declared) = &self.declared else {
            return no(RefusalKind::Permission, "this tool does not declare any files".into());
        };
        let kind = kind_of(name).map_err(|why| (RefusalKind::Value, why))?;
        if !declared.declares(name, kind) {
            let description = declared.description();
            return no(
                RefusalKind::Permission,
                format!("this tool declares that it writes {description}, not {name}"),
            );
        }
        let decoded = (piece.len() <= MAX_CHUNK_BYTES).then(|| STANDARD.decode(piece).ok()).flatten();
        let Some(decoded) = decoded else {
            return no(RefusalKind::Value, "a piece of a file is not base64, or too long".into());
        };
        let bytes = self.bytes.saturating_add(decoded.len() as u64);
        if bytes > declared.max_bytes {
            let most = declared.max_bytes;
            return no(RefusalKind::Runtime, format!("the files take more than {most} bytes; write less"));
        }
        let count = self.files.len();
        match self.files.iter_mut().find(|(known, ..)| known == name) {
            Some((.., content)) => content.extend(decoded),
            None if count >= declared.max_files as usize => {
                let most = declared.max_files;
                return no(RefusalKind::Runtime, format!("more than {most} files are too many; write fewer"));
            }
            None => self.files.push((name.to_owned(), kind, decoded)),
        }
        self.bytes = bytes;
        Ok(())
    }

    /// Adds a photo in the format JPEG. Photos need no declaration, and have a limit of their own.
    ///
    /// # Errors
    /// A sentence if the run has too many photos, or they are too large.
    pub fn keep_photo(&mut self, jpeg: &[u8]) -> Result<(), String> {
        if self.photos.len() >= MAX_PHOTOS {
            return Err(format!("one run keeps at most {MAX_PHOTOS} photos"));
        }
        let bytes = self.photo_bytes.saturating_add(jpeg.len() as u64);
        if bytes > MAX_PHOTO_BYTES {
            return Err(format!("the photos of one run take at most {MAX_PHOTO_BYTES} bytes"));
        }
        self.photo_bytes = bytes;
        self.photos.push(jpeg.to_vec());
        Ok(())
    }

    /// Returns the files and notes about them. The files of a tool that did not return are discarded,
    /// because they may be incomplete; its photos are not.
    pub fn finish(self, returned: bool) -> (Vec<Output>, Vec<String>) {
        let photos = photo_outputs(self.photos);
        if !returned {
            let count = self.files.len();
            let note =
                (count > 0).then(|| format!("{count} files are discarded, because the tool did not return"));
            return (photos, note.into_iter().collect());
        }
        let mut notes = Vec::new();
        let output = |(name, kind, content): (String, Kind, Vec<u8>)| {
            notes.extend(inspect_for_task(&name, &content).err().map(|differs| differs.to_string()));
            Output {
                r#type: kind.name().to_owned(),
                bytes: content.len() as u64,
                sha256: hex_sha256(&content),
                is_photo: false,
                path: None,
                content: content.into(),
                name,
            }
        };
        let outputs = self.files.into_iter().map(output).chain(photos).collect();
        (outputs, notes)
    }
}

/// Names the photos of a run in their order.
fn photo_outputs(photos: Vec<Vec<u8>>) -> Vec<Output> {
    let output = |(number, jpeg): (usize, Vec<u8>)| Output {
        name: format!("photo-{number}.jpg"),
        r#type: Kind::Jpg.name().to_owned(),
        bytes: jpeg.len() as u64,
        sha256: hex_sha256(&jpeg),
        is_photo: true,
        path: None,
        content: jpeg.into(),
    };
    (1..).zip(photos).map(output).collect()
}

/// Saves those files in a folder that are not stored yet. The folder is created if necessary. Existing files
/// stay as they are: a new file gets a number.
///
/// # Errors
/// An I/O error if the folder cannot be created or written.
pub fn save(folder: &Path, outputs: &mut [Output]) -> std::io::Result<()> {
    if outputs.iter().any(|output| output.path.is_none()) {
        fs::create_dir_all(folder)?;
    }
    for output in outputs.iter_mut().filter(|output| output.path.is_none()) {
        let (stem, extension) = output.name.rsplit_once('.').unwrap_or((&output.name, ""));
        let mut number = 1;
        let (path, mut file) = loop {
            let name = match number {
                1 => output.name.clone(),
                more => format!("{stem}-{more}.{extension}"),
            };
            let path = folder.join(name);
            // This neither follows a link nor opens an existing file.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_TRIES => number += 1,
                opened => break (path, opened?),
            }
        };
        file.write_all(&output.content.0)?;
        output.path = Some(path);
    }
    Ok(())
}
