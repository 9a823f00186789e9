//! Determines the type of a file from its bytes, whatever its name is, and returns its properties.

use serde_json::{Map, Value, json};

use super::excerpt::short;
use super::kind::{Kind, listed};
use super::{document, media, table, text};

/// A file whose content differs from its name, or a file of an unknown type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAsNamed {
    /// An unknown extension.
    #[error("{name:?} has no known type; use a file that ends in .{}", listed(Kind::INPUTS.map(Kind::name)))]
    Unknown {
        /// The file.
        name: String,
    },
    /// The content is of another type.
    #[error("{name:?} is not a {kind} file: {what}; rename it to match, or fix it")]
    Differs {
        /// The file.
        name: String,
        /// The type that its name says.
        kind: &'static str,
        /// The type of its content.
        what: String,
    },
}

/// Returns the type of a file and its properties: `type` always, `encoding` for text, then those of its
/// type.
///
/// # Errors
/// [`NotAsNamed`] if the content does not match the name.
pub fn inspect(name: &str, bytes: &[u8]) -> Result<(Kind, Map<String, Value>), NotAsNamed> {
    let named = Kind::from_name(name).ok_or_else(|| NotAsNamed::Unknown { name: short(name) })?;
    inspect_as(named, Kind::from_signature(bytes), name, bytes)
}

/// Returns the same for a code task, which knows more types. For the additional ones it returns the type
/// only: libraries in the sandbox read those files.
///
/// # Errors
/// The same as [`inspect`].
pub fn inspect_for_task(name: &str, bytes: &[u8]) -> Result<(Kind, Map<String, Value>), NotAsNamed> {
    let named = Kind::of_task(name).ok_or_else(|| NotAsNamed::Unknown { name: short(name) })?;
    inspect_as(named, Kind::from_task_signature(bytes), name, bytes)
}

fn inspect_as(
    named: Kind,
    signed: Option<Kind>,
    name: &str,
    bytes: &[u8],
) -> Result<(Kind, Map<String, Value>), NotAsNamed> {
    let differs =
        |what: String| NotAsNamed::Differs { name: short(name), kind: named.name(), what: short(&what) };
    let mut about = Map::from_iter([("type".to_owned(), json!(named.name()))]);
    if !named.is_text() {
        // A spreadsheet is an archive, and so is a compressed one.
        let fits = signed == Some(named)
            || matches!((named, signed), (Kind::Xlsx, Some(Kind::Zip)) | (Kind::Tar, Some(Kind::Gz)));
        if !fits {
            return Err(differs(match signed {
                Some(other) => format!("its content is {}", other.name()),
                None => "its content does not begin as one does".into(),
            }));
        }
        let broken = || differs("its header is broken".into());
        about.extend(match named {
            Kind::Png => media::png(bytes).ok_or_else(broken)?,
            Kind::Jpg => media::jpg(bytes).ok_or_else(broken)?,
            Kind::Wav => media::wav(bytes).ok_or_else(broken)?,
            Kind::Npy => media::npy(bytes).map_err(differs)?,
            _ => Map::new(),
        });
        return Ok((named, about));
    }
    if let Some(other) = signed {
        return Err(differs(format!("its content is {}", other.name())));
    }
    let (encoding, text) = text::read(bytes).ok_or_else(|| differs("its content is not text".into()))?;
    about.insert("encoding".into(), json!(encoding.name()));
    about.extend(match named {
        Kind::Csv => table::about(&text).map_err(differs)?,
        Kind::Json => document::json(&text).map_err(differs)?,
        Kind::Yaml => document::yaml(&text).map_err(differs)?,
        Kind::Svg if !text.contains("<svg") => return Err(differs("there is no <svg> in it".into())),
        _ => Map::from_iter([("lines".to_owned(), json!(text.lines().count()))]),
    });
    Ok((named, about))
}
