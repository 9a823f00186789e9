//! The known types of files.

use std::path::Path;

/// A type of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A table of text cells.
    Csv,
    /// A JSON document.
    Json,
    /// A YAML document.
    Yaml,
    /// Plain text.
    Txt,
    /// Text in Markdown.
    Md,
    /// An image.
    Png,
    /// An image.
    Jpg,
    /// A sound.
    Wav,
    /// A numpy array.
    Npy,
    /// A drawing; tools can only write it.
    Svg,
    /// A spreadsheet; like all that follow, only for code tasks.
    Xlsx,
    /// An XML document.
    Xml,
    /// A PDF document.
    Pdf,
    /// A columnar table.
    Parquet,
    /// A container of arrays.
    Hdf5,
    /// An image.
    Gif,
    /// An image.
    Bmp,
    /// An image.
    Tiff,
    /// An image.
    Webp,
    /// An archive.
    Zip,
    /// An archive, compressed or not.
    Tar,
    /// One compressed file.
    Gz,
}

use Kind::{
    Bmp, Csv, Gif, Gz, Hdf5, Jpg, Json, Md, Npy, Parquet, Pdf, Png, Svg, Tar, Tiff, Txt, Wav, Webp, Xlsx,
    Xml, Yaml, Zip,
};

impl Kind {
    /// Types that a tool may receive.
    pub const INPUTS: [Kind; 9] = [Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy];

    /// Types that a tool may write.
    pub const OUTPUTS: [Kind; 10] = [Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy, Svg];

    /// Types that a code task may receive.
    pub const TASK_INPUTS: [Kind; 22] = [
        Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy, Svg, Xlsx, Xml, Pdf, Parquet, Hdf5, Gif, Bmp, Tiff,
        Webp, Zip, Tar, Gz,
    ];

    /// Types that a code task may write.
    pub const TASK_OUTPUTS: [Kind; 18] =
        [Csv, Json, Yaml, Txt, Md, Png, Jpg, Wav, Npy, Svg, Xlsx, Xml, Pdf, Parquet, Gif, Bmp, Tiff, Webp];

    /// Returns its name: the usual extension.
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
            Xlsx => "xlsx",
            Xml => "xml",
            Pdf => "pdf",
            Parquet => "parquet",
            Hdf5 => "hdf5",
            Gif => "gif",
            Bmp => "bmp",
            Tiff => "tiff",
            Webp => "webp",
            Zip => "zip",
            Tar => "tar",
            Gz => "gz",
        }
    }

    /// Finds a type by its name or another usual word for it, in any case.
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

    /// Finds a type by the extension of a file's name. Code tasks know more types than tools.
    #[must_use]
    pub fn of_task(name: &str) -> Option<Kind> {
        let name = name.to_ascii_lowercase();
        let (stem, word) = name.rsplit_once('.')?;
        match word {
            "tsv" => Some(Csv),
            "xlsm" => Some(Xlsx),
            "log" => Some(Txt),
            "h5" | "hdf" | "he5" => Some(Hdf5),
            "tif" => Some(Tiff),
            "tgz" | "tbz2" | "txz" => Some(Tar),
            "gz" | "bz2" | "xz" if stem.ends_with(".tar") => Some(Tar),
            _ => Kind::from_word(word)
                .or_else(|| Kind::TASK_INPUTS.into_iter().find(|kind| kind.name() == word)),
        }
    }

    /// Finds one of the types that only code tasks know by the first bytes of a file. A spreadsheet is an
    /// archive, so only its name tells them apart.
    #[must_use]
    pub fn from_task_signature(bytes: &[u8]) -> Option<Kind> {
        match bytes {
            [b'P', b'K', 3 | 5, 4 | 6, ..] => Some(Zip),
            [b'%', b'P', b'D', b'F', b'-', ..] => Some(Pdf),
            [b'P', b'A', b'R', b'1', ..] => Some(Parquet),
            [0x89, b'H', b'D', b'F', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Hdf5),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Gif),
            [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Some(Bmp),
            [b'I', b'I', 42, 0, ..] | [b'M', b'M', 0, 42, ..] => Some(Tiff),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Webp),
            [0x1f, 0x8b, ..] => Some(Gz),
            [b'B', b'Z', b'h', _, b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
            | [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Tar),
            _ if bytes.get(257..262) == Some(b"ustar") => Some(Tar),
            _ => Kind::from_signature(bytes),
        }
    }

    /// Finds a type by the extension of a file's name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Kind> {
        Path::new(name).extension().and_then(|extension| Kind::from_word(extension.to_str()?))
    }

    /// Returns whether it is text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Csv | Json | Yaml | Txt | Md | Svg | Xml)
    }

    /// Finds a binary type by the first bytes of a file.
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

/// Lists names of types for people, such as `csv, json or txt`.
#[must_use]
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    match names.pop() {
        Some(last) if !names.is_empty() => format!("{} or {last}", names.join(", ")),
        last => last.unwrap_or_default().to_owned(),
    }
}
