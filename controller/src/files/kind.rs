//! The types of files that are known.

use std::path::Path;

/// A type of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table of texts.
    Csv,
    /// A JSON document.
    Json,
    /// A YAML document.
    Yaml,
    /// Plain text.
    Txt,
    /// Text in Markdown.
    Md,
    /// A picture.
    Png,
    /// A picture.
    Jpg,
    /// A sound.
    Wav,
    /// A numpy array.
    Npy,
    /// A drawing; written only.
    Svg,
}

use Kind::{Csv, Jpg, Json, Md, Npy, Png, Svg, Txt, Wav, Yaml};

impl Kind {
    /// What a tool may be given.
    pub const INPUTS: [Kind; 9] = [Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy];

    /// What a tool may write.
    pub const OUTPUTS: [Kind; 10] = [Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy, Svg];

    /// Its name: the usual extension.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Csv => "csv",
            Json => "json",
            Yaml => "yaml",
            Txt => "txt",
            Md => "md",
            Png => "png",
            Jpg => "jpg",
            Wav => "wav",
            Npy => "npy",
            Svg => "svg",
        }
    }

    /// By its name, or another usual word for it, in letters of any case.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Kind> {
        let word = word.to_ascii_lowercase();
        match word.as_str() {
            "yml" => Some(Yaml),
            "jpeg" => Some(Jpg),
            "markdown" => Some(Md),
            _ => Kind::OUTPUTS.into_iter().find(|kind| kind.name() == word),
        }
    }

    /// By the extension of a file's name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        Path::new(name).extension().and_then(|extension| Kind::from_word(extension.to_str()?))
    }

    /// Whether it is text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Csv | Json | Yaml | Txt | Md | Svg)
    }

    /// What bytes are that begin as no text does.
    #[must_use]
    pub fn from_signature(bytes: &[u8]) -> Option<Kind> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Png),
            [0xff, 0xd8, 0xff, ..] => Some(Jpg),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some(Wav),
            [0x93, b'N', b'U', b'M', b'P', b'Y', ..] => Some(Npy),
            _ => None,
        }
    }
}

/// Names of types, for people: `csv, json or txt`.
#[must_use]
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        last => last.unwrap_or_default().to_owned(),
    }
}
