//! What bytes are, whatever their name says, and what can be said of them.

use serde_json::{Map, Value, json};

use super::excerpt::short;
use super::kind::{Kind, listed};
use super::{document, media, table, text};

/// A file that is not what its name says, or of no known type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAsNamed {
    /// Its extension says nothing.
    #[error("{name:?} is of no known type; known are files that end in .{}", listed(Kind::INPUTS.map(Kind::name)))]
    Unknown {
        /// The file.
        name: String,
    },
    /// Its content is something else.
    #[error("{name:?} is no {kind} file: {what}; give it the name that fits, or mend it")]
    Differs {
        /// The file.
        name: String,
        /// What its name says.
        kind: &'static str,
        /// What it is.
        what: String,
    },
}

/// The type of a file, and what is known of it: `type` always, `encoding` of text, then what its type has.
///
/// # Errors
/// [`NotAsNamed`]; the content counts, not the name alone.
pub fn inspect(name: &str, bytes: &[u8]) -> Result<(Kind, Map<String, Value>), NotAsNamed> {
    let named = Kind::from_name(name).ok_or_else(|| NotAsNamed::Unknown { name: short(name) })?;
    inspect_as(named, Kind::from_signature(bytes), name, bytes)
}

/// The same for a code task, which knows more types. Of those that only it knows no more than the type is told here:
/// they are read by the libraries in the cage.
///
/// # Errors
/// As [`inspect`].
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
        // A spreadsheet is an archive, and so is a packed one.
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
