//! Files for rehearsals: small samples of each type with edge cases, and the files of a tool's own test
//! cases. The latter travel inside the tool's declarations, so every later rehearsal has the same bytes.
//!
//! In an argument of a case, `sample:numbers.csv` names a generated file, and `sample:mine.csv;base64,...`
//! contains the bytes of its own file.

use std::path::{Component, Path};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::files::Kind;
use crate::files::input::{BadFile, Opened, Wanted, file_parameters, given, read};
use crate::finding::{Finding, Verdict};
use crate::manifest::TestCase;
use crate::policy::PolicyChecked;

/// Prefix of a sample's name.
const PREFIX: &str = "sample:";

/// Separator between a sample's name and its bytes.
const SEPARATOR: &str = ";base64,";

/// Maximum number of samples that are tried for one parameter.
const MAX_SAMPLES: usize = 12;

/// Maximum size of a file of a test case, in bytes: the tool's manifest contains it.
const MAX_OWN_BYTES: u64 = 256 << 10;

/// Maximum size of all files of a tool's test cases together, in bytes.
const MAX_OWN_BYTES_IN_ALL: usize = 1 << 20;

/// Returns the samples for a parameter's schema, as arguments: an ordinary one first. None if the parameter
/// is not a file.
#[must_use]
pub fn named_for(parameter: &Value) -> Vec<Value> {
    samples_for(parameter).into_iter().map(|(name, ..)| json!(format!("{PREFIX}{name}"))).collect()
}

/// Returns the samples for a parameter's schema: name, bytes and known properties. None if the parameter is
/// not a file.
#[must_use]
pub fn samples_for(parameter: &Value) -> Vec<(String, Vec<u8>, Map<String, Value>)> {
    let Some(wanted) = Wanted::by(parameter) else { return Vec::new() };
    let mut names: Vec<&str> = wanted.kinds.iter().filter_map(|kind| names(*kind).first()).copied().collect();
    names.extend(wanted.kinds.iter().flat_map(|kind| names_after_first(*kind)));
    let sample = |name: &str| {
        let given = given("", name.to_owned(), make(name, wanted.max_bytes)?, &wanted).ok()?;
        Some((given.name, given.content.0.to_vec(), given.about))
    };
    names.into_iter().filter_map(sample).take(MAX_SAMPLES).collect()
}

fn names_after_first(kind: Kind) -> &'static [&'static str] {
    names(kind).get(1..).unwrap_or_default()
}

/// Returns the names of the samples of a type: an ordinary one, then its edge cases.
const fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Csv => &["numbers.csv", "empty.csv", "header.csv", "accents.csv", "largest.csv"],
        Kind::Json => &["object.json", "empty.json", "accents.json", "largest.json"],
        Kind::Yaml => &["object.yaml", "empty.yaml", "accents.yaml"],
        Kind::Txt => &["text.txt", "empty.txt", "accents.txt", "largest.txt"],
        Kind::Md => &["text.md", "empty.md"],
        Kind::Png => &["picture.png", "pixel.png"],
        Kind::Jpg => &["picture.jpg"],
        Kind::Wav => &["tone.wav", "empty.wav"],
        Kind::Npy => &["array.npy", "empty.npy", "largest.npy"],
        _ => &[],
    }
}

/// Returns the bytes of a sample, for a parameter that accepts at most `most` bytes.
fn make(name: &str, most: u64) -> Option<Vec<u8>> {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let filled = |first: &str, line: &str, last: &str| {
        let count = most.saturating_sub(first.len() + last.len()) / line.len();
        [first, &line.repeat(count), last].concat().into_bytes()
    };
    Some(match name {
        "numbers.csv" => b"t,x,y\n0,1.5,2\n1,2.5,4\n\n2,3.5,8\n".to_vec(),
        "header.csv" => b"t,x,y\n".to_vec(),
        "accents.csv" => "t,x,Stra\u{df}e\n0,1.5,\u{4f60}\u{597d}\n1,2.5,\"a, \u{e9}\"\n".into(),
        "largest.csv" => filled("t,x,y\n", "0.001000,1.50000000000,2.0000000\n", ""),
        "object.json" => br#"{"t": [0, 1, 2], "x": [1.5, 2.5, 3.5], "name": "sample"}"#.to_vec(),
        "empty.json" => b"{}".to_vec(),
        "accents.json" => "{\"t\": [0], \"x\": [1.5], \"name\": \"Stra\u{df}e \u{4f60}\"}".into(),
        "largest.json" => filled("{\"x\": [", "1.25, ", "0]}"),
        "object.yaml" => b"t: [0, 1, 2]\nx: [1.5, 2.5, 3.5]\nname: sample\n".to_vec(),
        "accents.yaml" => "name: Stra\u{df}e \u{4f60}\n".into(),
        "text.txt" | "text.md" => b"# Sample\n\nA first line.\n1.5\n2.5\nA last line.\n".to_vec(),
        "accents.txt" => "Stra\u{df}e, \u{e9}t\u{e9}, \u{4f60}\u{597d}\n".into(),
        "largest.txt" => filled("", "A line of an ordinary length, and some.\n", ""),
        "empty.csv" | "empty.txt" | "empty.md" | "empty.yaml" => Vec::new(),
        "picture.png" => png(4, 3),
        "pixel.png" => png(1, 1),
        "picture.jpg" => jpg(),
        "tone.wav" => wav(800),
        "empty.wav" => wav(0),
        "array.npy" => npy(&[1.5, 2.5, 3.5]),
        "empty.npy" => npy(&[]),
        "largest.npy" => npy(&vec![1.5; most.saturating_sub(128) / 8]),
        _ => return None,
    })
}

/// Makes an image of red and green stripes, 8 bits a channel, uncompressed.
fn png(width: u8, height: u8) -> Vec<u8> {
    let row = (0..width).flat_map(|x| if x % 2 == 0 { [255, 0, 0] } else { [0, 255, 0] });
    let data: Vec<u8> = (0..height).flat_map(|_| std::iter::once(0).chain(row.clone())).collect();
    let length = u16::try_from(data.len()).unwrap_or(0);
    let mut packed = vec![0x78, 0x01, 0x01];
    packed.extend(length.to_le_bytes());
    packed.extend((!length).to_le_bytes());
    packed.extend(&data);
    let (low, high) = data.iter().fold((1_u32, 0_u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65521;
        (low, (high + low) % 65521)
    });
    packed.extend((high << 16 | low).to_be_bytes());
    let header = [0, 0, 0, width, 0, 0, 0, height, 8, 2, 0, 0, 0];
    let mut image = b"\x89PNG\r\n\x1a\n".to_vec();
    for (kind, data) in [(b"IHDR", &header[..]), (b"IDAT", &packed), (b"IEND", &[])] {
        image.extend(u32::try_from(data.len()).unwrap_or(0).to_be_bytes());
        let chunk = [&kind[..], data].concat();
        image.extend(&chunk);
        let sum = chunk.iter().fold(u32::MAX, |sum, byte| {
            (0..8)
                .fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & (sum & 1).wrapping_neg()))
        });
        image.extend((!sum).to_be_bytes());
    }
    image
}

/// Makes a grey image of 4 by 3 pixels: one block, with all coefficients zero.
fn jpg() -> Vec<u8> {
    let mut image = vec![0xff, 0xd8, 0xff, 0xdb, 0, 67, 0];
    image.extend([1; 64]);
    image.extend([0xff, 0xc0, 0, 11, 8, 0, 3, 0, 4, 1, 1, 0x11, 0]);
    // One code of one bit each: no difference, and the end of the block.
    for table in [0x00, 0x10] {
        image.extend([0xff, 0xc4, 0, 20, table, 1]);
        image.extend([0; 15]);
        image.push(0);
    }
    image.extend([0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x3f, 0xff, 0xd9]);
    image
}

/// Makes a tone of 400 Hz, one channel, 16 bits, 8000 samples per second.
fn wav(values: u32) -> Vec<u8> {
    let mut sound = b"RIFF".to_vec();
    sound.extend((36 + 2 * values).to_le_bytes());
    sound.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    sound.extend(8000_u32.to_le_bytes());
    sound.extend(16000_u32.to_le_bytes());
    sound.extend(b"\x02\0\x10\0data");
    sound.extend((2 * values).to_le_bytes());
    let wave = |value| (f64::from(value) * std::f64::consts::TAU / 20.0).sin() * 8000.0;
    sound.extend((0..values).flat_map(|value| (wave(value) as i16).to_le_bytes()));
    sound
}

/// Makes an array of 64-bit floats in one row.
fn npy(values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let mut array = b"\x93NUMPY\x01\0\x76\0".to_vec();
    array.extend(format!("{header:117}\n").bytes());
    array.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    array
}

/// Finds the file of a rehearsal's argument.
///
/// # Errors
/// [`BadFile`] if there is no such sample: a rehearsal reads nothing from the disk.
pub fn open(named: &str, most: u64) -> Opened {
    let none = |name: &str| BadFile::NoSample(format!("there is no sample {:?}", cut(name)));
    let sample = named.strip_prefix(PREFIX).ok_or_else(|| none(named))?;
    match sample.split_once(SEPARATOR) {
        Some((name, bytes)) => Ok((name.to_owned(), STANDARD.decode(bytes).map_err(|_| none(name))?)),
        None => Ok((sample.to_owned(), make(sample, most).ok_or_else(|| none(sample))?)),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Returns whether a call has a file of the maximum size that its tool accepts.
#[must_use]
pub fn has_largest(arguments: &Map<String, Value>) -> bool {
    arguments.values().any(|value| value.as_str().is_some_and(|text| text.starts_with("sample:largest.")))
}

/// Returns a call's arguments for people, without the bytes of samples.
#[must_use]
pub fn shown(arguments: &Map<String, Value>) -> Map<String, Value> {
    let short = |value: &Value| match value.as_str().filter(|text| text.starts_with(PREFIX)) {
        Some(sample) => json!(sample.split(SEPARATOR).next()),
        None => value.clone(),
    };
    arguments.iter().map(|(name, value)| (name.clone(), short(value))).collect()
}

/// Returns a tool's test cases with the bytes of the files that they name. A name is a path below the
/// folder of the declarations.
///
/// # Errors
/// A rejecting finding if a file cannot be read, is not of an accepted type, or is too long to store.
pub fn embed(
    vetted: &PolicyChecked,
    tests: &[TestCase],
    folder: Option<&Path>,
) -> Result<Vec<TestCase>, Finding> {
    let schema = vetted.entry().parameters_schema();
    let mut tests = tests.to_vec();
    let mut together = 0;
    for test in &mut tests {
        for (parameter, wanted) in file_parameters(&schema) {
            let Some(Value::String(named)) = test.arguments.get(parameter) else { continue };
            let stored = with_bytes(parameter, named, &wanted, folder).map_err(|why| Finding {
                rule: "test-file".into(),
                module: None,
                line: 1,
                verdict: Verdict::Reject,
                reason: format!("test case {:?}, argument `{parameter}`: {why}", test.name),
                hint: "name a small file next to the declarations, such as samples/table.csv".into(),
            })?;
            together += stored.len();
            if together > MAX_OWN_BYTES_IN_ALL {
                return Err(Finding {
                    rule: "test-file".into(),
                    module: None,
                    line: 1,
                    verdict: Verdict::Reject,
                    reason: "the files of the test cases are too long together".into(),
                    hint: format!("keep them below {MAX_OWN_BYTES_IN_ALL} bytes"),
                });
            }
            test.arguments.insert(parameter.clone(), json!(stored));
        }
    }
    Ok(tests)
}

fn with_bytes(
    parameter: &str,
    named: &str,
    wanted: &Wanted,
    folder: Option<&Path>,
) -> Result<String, BadFile> {
    let no = |why: &str| BadFile::NoSample(format!("{:?} {why}", cut(named)));
    if named.starts_with(PREFIX) {
        let (name, content) = open(named, wanted.max_bytes)?;
        return given(parameter, name, content, wanted).map(|_| named.to_owned());
    }
    let plain = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    if !Path::new(named).components().all(plain) {
        return Err(no("is not below the folder of the declarations"));
    }
    let folder = folder.ok_or_else(|| no("can't be found: this tool was not read from a folder"))?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let path = folder.join(named);
    let inside = |path: &Path, folder: &Path| -> std::io::Result<bool> {
        Ok(path.canonicalize()?.starts_with(folder.canonicalize()?))
    };
    // A link may lead out of the folder.
    if !inside(&path, folder).map_err(|source| BadFile::Io { path: path.clone(), source })? {
        return Err(no("leads out of the folder of the declarations"));
    }
    let (name, content) = read(&path, wanted.max_bytes.min(MAX_OWN_BYTES))?;
    let stored = format!("{PREFIX}{name}{SEPARATOR}{}", STANDARD.encode(&content));
    given(
        parameter,
        name,
        content,
        &Wanted { max_bytes: wanted.max_bytes.min(MAX_OWN_BYTES), ..wanted.clone() },
    )?;
    Ok(stored)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(types: &[&str], most: u64) -> Value {
        json!({"type": "string", "format": "file", "types": types, "maxBytes": most})
    }

    #[test]
    fn samples_have_the_type_that_their_name_says() {
        for kind in Kind::INPUTS {
            let samples = samples_for(&schema(&[kind.name()], 100_000));
            assert_eq!(samples.len(), names(kind).len(), "{kind:?}");
            for (name, bytes, about) in samples {
                assert_eq!(about["type"], kind.name(), "{name}");
                assert!(!name.starts_with("largest") || bytes.len() > 99_900, "{name}: {}", bytes.len());
                assert_eq!(open(&format!("sample:{name}"), 100_000).unwrap(), (name, bytes));
            }
        }
        let all = samples_for(&schema(&Kind::INPUTS.map(Kind::name), 1 << 20));
        assert_eq!((all.len(), all[0].0.as_str()), (MAX_SAMPLES, "numbers.csv"));
        assert!(samples_for(&json!({"type": "string"})).is_empty());
        let optional = json!({"anyOf": [schema(&["png"], 1000), {"type": "null"}]});
        assert_eq!(named_for(&optional), [json!("sample:picture.png"), json!("sample:pixel.png")]);
    }

    #[test]
    fn rehearsals_read_nothing_from_the_disk() {
        for named in ["/etc/passwd", "sample:/etc/passwd", "sample:x.csv;base64,***", ""] {
            assert!(open(named, 1000).is_err(), "{named}");
        }
        let arguments = json!({"table": "sample:mine.csv;base64,YQ==", "column": "a;base64,b"});
        let expected = json!({"table": "sample:mine.csv", "column": "a;base64,b"});
        assert_eq!(Value::Object(shown(arguments.as_object().unwrap())), expected);
        assert_eq!(open("sample:mine.csv;base64,YQ==", 9).unwrap(), ("mine.csv".into(), b"a".to_vec()));
    }
}
