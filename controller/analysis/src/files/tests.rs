//! Tests of file inspection and of outputs; arbitrary bytes must do no harm.

use serde_json::{Map, Value, json};

use super::inspect::{NotAsNamed, inspect};
use super::kind::Kind;
use super::output::{Collector, Output, Outputs, save};
use crate::samples::samples_for;

#[track_caller]
fn about(name: &str, bytes: &[u8]) -> Map<String, Value> {
    inspect(name, bytes).unwrap().1
}

#[track_caller]
fn assert_rejected(name: &str, bytes: &[u8], word: &str) {
    let error = inspect(name, bytes).unwrap_err();
    assert!(error.to_string().contains(word), "{error}");
}

/// Returns a sample of every type that a tool may read.
fn samples() -> Vec<(String, Vec<u8>)> {
    let all = |kind: Kind| json!({"format": "file", "types": [kind.name()], "maxBytes": 2000});
    let named = |(name, bytes, _): (String, Vec<u8>, _)| (name, bytes);
    Kind::INPUTS.into_iter().flat_map(|kind| samples_for(&all(kind))).map(named).collect()
}

#[test]
fn tables_report_columns_and_rows_as_python_counts_them() {
    let table = about("a.CSV", b"t;x, y;z\n1;2;3\n\n4;5\n\"6\n7\";8;9\n");
    assert_eq!((&table["columns"], &table["column_count"]), (&json!(["t", "x, y", "z"]), &json!(3)));
    assert_eq!(
        (&table["rows"], &table["uneven_rows"], &table["delimiter"]),
        (&json!(3), &json!(1), &json!(";"))
    );
    assert_eq!(about("a.csv", b"one\n1\n")["delimiter"], ",");
    assert_eq!(about("a.csv", b"")["column_count"], 0);
    let wide = "x,".repeat(10_000);
    let wide = about("a.csv", wide.as_bytes());
    assert_eq!((wide["columns"].as_array().unwrap().len(), &wide["column_count"]), (100, &json!(10_001)));
    let long = "x".repeat(100_000);
    assert_eq!(about("a.csv", long.as_bytes())["columns"][0].as_str().unwrap().len(), 200);
}

#[test]
fn text_is_read_in_four_encodings() {
    let encoding = |bytes: &[u8]| about("a.txt", bytes)["encoding"].clone();
    assert_eq!(encoding("\u{e9}".as_bytes()), "utf-8");
    assert_eq!(encoding(b"\xef\xbb\xbfa"), "utf-8-sig");
    assert_eq!((encoding(b"\xff\xfea\0"), encoding(b"\xfe\xff\0a")), (json!("utf-16"), json!("utf-16")));
    assert_eq!(encoding(b"5 \x80"), "cp1252");
    assert_eq!(about("a.csv", b"Stra\xdfe,\x80\n")["columns"], json!(["Stra\u{df}e", "\u{20ac}"]));
    for bytes in [&b"a\0b"[..], b"\x01", b"\xff\xfea", b"\xff\xfe\0\xd8", b"\x81\x8d"] {
        assert_rejected("a.txt", bytes, "not text");
    }
}

#[test]
fn documents_report_their_top_level() {
    assert_eq!(about("a.json", br#"{"b": 1, "a": [{}]}"#)["keys"], json!(["b", "a"]));
    assert_eq!(about("a.json", b"[1, 2]")["length"], 2);
    assert_eq!(
        (about("a.json", b"1.5")["holds"].clone(), about("a.yml", b"")["holds"].clone()),
        (json!("value"), json!("value"))
    );
    assert_eq!(about("a.yaml", b"1: x\ntrue: y\nz:\n")["keys"], json!(["1", "true", "z"]));
    assert_rejected("a.json", b"{\"a\": 1", "not a json file");
    assert_rejected("a.json", b"", "not a json file");
    assert_rejected("a.json", b"1e999", "out of range");
    assert_rejected("a.yaml", b"{a: [}", "not a yaml file");
    assert_rejected("a.yaml", &b" ".repeat((1 << 20) + 1), "JSON");
    // A document of maximum depth, and aliases that expand to ten times ten names.
    let _either = inspect("a.json", &b"[".repeat(1 << 20));
    let _either = inspect("a.yaml", &b"[".repeat(1 << 10));
    let mut bomb = "a0: &a0 [x]\n".to_owned();
    for level in 1..20 {
        let names = format!("*a{},", level - 1).repeat(10);
        bomb += &format!("a{level}: &a{level} [{names}]\n");
    }
    let _either = inspect("a.yaml", bomb.as_bytes());
}

#[test]
fn images_sounds_and_arrays_report_their_sizes() {
    for (name, bytes) in samples() {
        let expected = match name.as_str() {
            "picture.png" | "picture.jpg" => json!({"width": 4, "height": 3}),
            "tone.wav" => json!({"channels": 1, "rate": 8000, "bits": 16, "seconds": 0.1}),
            "array.npy" => json!({"dtype": "<f8", "shape": [3]}),
            _ => continue,
        };
        let mut found = about(&name, &bytes);
        found.shift_remove("type");
        assert_eq!(Value::Object(found), expected, "{name}");
    }
    let objects = b"\x93NUMPY\x01\0\x76\0{'descr': '|O', 'fortran_order': False, 'shape': (1,), }";
    assert_rejected("a.npy", &[&objects[..], &[b' '; 200]].concat(), "plain");
}

#[test]
fn content_decides_the_type_and_not_the_name() {
    for (name, bytes) in samples() {
        let (kind, _) = inspect(&name, &bytes).unwrap();
        for other in Kind::INPUTS {
            let renamed = format!("a.{}", other.name());
            if kind.is_text() && other.is_text() || kind == other {
                continue;
            }
            assert_rejected(&renamed, &bytes, "rename it to match");
        }
    }
    assert_rejected("a.exe", b"", "no known type");
    assert_rejected("passwd", b"", "no known type");
    assert!(matches!(inspect(&"x".repeat(9999), b""), Err(NotAsNamed::Unknown { name }) if name.len() < 300));
    assert_rejected("a.txt", b"\x89PNG\r\n\x1a\n", "content is png");
}

#[test]
fn arbitrary_bytes_do_not_panic() {
    for (name, bytes) in samples() {
        for length in 0..bytes.len().min(200) {
            let _either = inspect(&name, &bytes[..length]);
        }
        for position in 0..bytes.len().min(200) {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut forged = bytes.clone();
                forged[position] = value;
                let _either = inspect(&name, &forged);
            }
        }
    }
    // A chunk with the maximum length, and a data chunk without any format.
    let forged = [&b"RIFF\xff\xff\xff\xffWAVE"[..], b"LIST\xff\xff\xff\xff"].concat();
    assert_rejected("a.wav", &forged, "header is broken");
    assert_rejected("a.wav", b"RIFF\0\0\0\0WAVEdata\0\0\0\0", "header is broken");
    assert_rejected("a.npy", b"\x93NUMPY\x02\0\xff\xff\xff\xff", "header is too long");
    let huge = b"\x93NUMPY\x01\0\x7a\0{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }";
    assert_rejected("a.npy", &[&huge[..], &[b' '; 200]].concat(), "not as long");
}

fn piece(bytes: &[u8]) -> String {
    use base64::Engine;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn outputs_have_plain_names_and_bounds() {
    let mut collector = Collector::new(Some(Outputs { max_bytes: 10, max_files: 2, ..Outputs::default() }));
    for name in [
        "",
        ".",
        "..",
        "../a.txt",
        "/tmp/a.txt",
        "a/b.txt",
        "a\\b.txt",
        ".a.txt",
        "-a.txt",
        "a",
        "a.exe",
        "a.txt\0",
        "a\n.txt",
        "a.txt/",
        "\u{202e}a.txt",
    ] {
        let refusal = collector.write(name, "").unwrap_err().1;
        assert!(refusal.contains("plain file name") || refusal.contains("known type"), "{name:?}: {refusal}");
    }
    assert!(collector.write(&format!("{}.txt", "a".repeat(100)), "").is_err());
    for forged in ["*", "YQ", "YQ==YQ==", "Y Q=", &"A".repeat((512 << 10) + 4)] {
        assert!(collector.write("a.txt", forged).unwrap_err().1.contains("not base64"));
    }
    collector.write("a.txt", &piece(b"12345")).unwrap();
    assert!(collector.write("b.txt", &piece(b"123456")).unwrap_err().1.contains("10 bytes"));
    collector.write("a.txt", &piece(b"678")).unwrap();
    collector.write("c.png", "").unwrap();
    assert!(collector.write("d.txt", "").unwrap_err().1.contains("more than 2 files"));
    let (outputs, notes) = collector.finish(true);
    let listed: Vec<_> = outputs.iter().map(|output| (output.name.as_str(), output.bytes)).collect();
    assert_eq!(listed, [("a.txt", 8), ("c.png", 0)]);
    assert_eq!((outputs[0].content.0.as_slice(), notes.len()), (&b"12345678"[..], 1));
    assert!(notes[0].contains("not a png file"));
}

#[test]
fn only_declared_files_of_returning_tools_are_written() {
    let declared =
        Outputs { names: vec!["report.md".into()], types: vec!["svg".into()], ..Outputs::default() };
    let mut collector = Collector::new(Some(declared));
    for name in ["report.md", "any.svg"] {
        collector.write(name, "").unwrap();
    }
    assert!(collector.write("other.md", "").unwrap_err().1.contains("report.md or svg, not other.md"));
    let (stored, notes) = collector.finish(false);
    assert!(stored.is_empty() && notes[0].contains("2 files are discarded"));
    assert!(Collector::new(None).write("a.txt", "").is_err());
}

#[test]
fn existing_files_are_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let out = folder.path().join("deep/out");
    let output = |text: &str| Output {
        name: "a.b.txt".into(),
        r#type: "txt".into(),
        bytes: 1,
        sha256: String::new(),
        is_photo: false,
        path: None,
        content: text.as_bytes().to_vec().into(),
    };
    save(&out, &mut [output("1")]).unwrap();
    std::os::unix::fs::symlink(&secret, out.join("a.b-2.txt")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("nowhere"), out.join("a.b-3.txt")).unwrap();
    let mut outputs = [output("4"), output("5")];
    save(&out, &mut outputs).unwrap();
    let names = outputs.map(|output| output.path.unwrap().file_name().unwrap().to_owned());
    assert_eq!(names, ["a.b-4.txt", "a.b-5.txt"]);
    assert_eq!(std::fs::read_to_string(out.join("a.b.txt")).unwrap(), "1");
    assert_eq!(std::fs::read_to_string(out.join("a.b-4.txt")).unwrap(), "4");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(!folder.path().join("nowhere").exists());
    save(&folder.path().join("none"), &mut []).unwrap();
    assert!(!folder.path().join("none").exists());
}

#[test]
fn photos_need_no_declaration_and_have_a_limit() {
    let mut collector = Collector::new(None);
    for _ in 0..50 {
        collector.keep_photo(&[0xff, 0xd8, 0xff, 0xd9]).unwrap();
    }
    assert!(collector.keep_photo(&[0xff]).unwrap_err().contains("at most 50"));
    // A tool that fails loses its files, but what it photographed did happen.
    let (outputs, notes) = collector.finish(false);
    assert!(notes.is_empty());
    assert_eq!(outputs.len(), 50);
    assert!(outputs[1].is_photo && outputs[1].name == "photo-2.jpg" && outputs[1].bytes == 4);

    let mut collector = Collector::new(None);
    let large = vec![0; 20 << 20];
    collector.keep_photo(&large).unwrap();
    assert!(collector.keep_photo(&large).unwrap_err().contains("bytes"));
    assert_eq!(collector.finish(true).0.len(), 1);
}
