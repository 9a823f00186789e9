//! Tests inputs and outputs that are rejected, and their error messages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use minismith_protocol::trace_format::{Cycle, FORMAT, Footer, MAX_LINE_BYTES, Message, Motor, Part};

use super::made::{Counted, Made, Room, begin, jpeg};
use crate::{DatasetError, Options, Plan};

fn json_line(message: &Message) -> String {
    serde_json::to_string(message).unwrap()
}

fn cycle(cycle: u64, goal_deg: &[f64], present_deg: &[f64]) -> String {
    let (goal_deg, present_deg) = (goal_deg.to_vec(), present_deg.to_vec());
    json_line(&Message::Cycle(Box::new(Cycle { cycle, goal_deg, present_deg, ..Cycle::default() })))
}

#[test]
fn invalid_line_is_reported_with_its_number() {
    let image = |bytes: &[u8], size| Made { lines: vec![], cycles: 0 }.jpeg(0, size, bytes).lines.remove(0);
    let real = jpeg((16, 16), [1, 2, 3]);
    let cases = [
        ("{\"type\":\"dance\"}".to_owned(), "unknown variant"),
        ("}".into(), "expected value"),
        (json_line(&Message::Header(begin("again", 0.01))), "a second `header`"),
        (cycle(9, &[1.0], &[1.0, 2.0]), "1 angles for 2 motors"),
        (cycle(9, &[1.0, 2.0], &[]), "0 angles for 2 motors"),
        (cycle(0, &[1.0, 2.0], &[1.0, 2.0]), "cycle 0 is out of order"),
        (cycle(u64::MAX, &[1.0, 2.0], &[1.0, 2.0]), "out of order"),
        (cycle(9, &[1.0, 1e30], &[1.0, 2.0]), "invalid angle"),
        (cycle(9, &[1.0, 2.0], &[-3601.0, 2.0]), "invalid angle"),
        (
            "{\"type\":\"cycle\",\"cycle\":9,\"goal_deg\":[1e999,1],\"present_deg\":[1,1]}".into(),
            "out of range",
        ),
        (
            json_line(&Message::Footer(Footer { cycles: 7, dropped: 0 })),
            "the footer counts 7 cycles, but there are 2",
        ),
        (format!("\"{}\"", "x".repeat(MAX_LINE_BYTES)), "longer than 4194304 bytes"),
        (image(&real, (32, 16)), "actually 16x16"),
        (image(&real, (15, 16)), "even"),
        (image(&real, (8192, 16)), "at most 4096"),
        (image(&real, (0, 16)), "even"),
        (image(b"GIF89a", (16, 16)), "invalid JPEG"),
        (image(&real, (16, 16)).replace("\"jpeg\":\"", "\"jpeg\":\"!"), "not valid base64"),
    ];
    for (line, words) in cases {
        let mut made = Made::new("bad", 0.01);
        made.cycles(0..2).lines.push(line);
        let room = Room::of(&[Made::new("good", 0.01).cycles(0..100).end(), &mut made]);
        let error = room.write(&mut Counted::default()).unwrap_err().to_string();
        assert!(error.contains("1.trace, line 4: ") && error.contains(words), "{words}: {error}");
        assert!(room.files().is_empty(), "{words}");
    }
}

#[test]
fn images_of_one_trace_must_have_one_size() {
    let mut made = Made::new("bad", 0.01);
    made.cycles(0..2).image(0, (16, 16), [0; 3]).image(1, (32, 16), [0; 3]).end();
    let error = Room::of(&[&mut made]).plan().unwrap_err().to_string();
    assert!(error.contains("line 5: image of 32x16 pixels after one of 16x16"), "{error}");
}

#[test]
fn invalid_header_is_rejected() {
    let with = |change: fn(&mut minismith_protocol::trace_format::Header)| {
        let mut begin = begin("bad", 0.01);
        change(&mut begin);
        format!("{}\n", json_line(&Message::Header(begin)))
    };
    let cases = [
        (String::new(), "the first line must be `header`"),
        ("{\"type\":\"footer\",\"cycles\":0}\n".into(), "the first line must be `header`"),
        (with(|begin| begin.format = FORMAT + 1), "record the trace again"),
        (with(|begin| begin.period_s = 0.0), "period of 0 s"),
        (with(|begin| begin.period_s = -1.0), "period of -1 s"),
        (with(|begin| begin.motors.clear()), "number of motors: 0"),
        (
            with(|begin| {
                let motor = Motor { name: "../x".into(), part: Part::Leg, min_deg: 0.0, max_deg: 0.0 };
                begin.motors.push(motor);
            }),
            "invalid motor name",
        ),
        (with(|_| {}), "has no control cycles"),
    ];
    for (text, words) in cases {
        let error = Room::new(&[text]).plan().unwrap_err().to_string();
        assert!(error.contains("0.trace") && error.contains(words), "{words}: {error}");
    }
}

#[test]
fn data_after_the_end_is_rejected() {
    let whole = Made::new("bad", 0.01).cycles(0..2).end().text();
    for more in ["{\"type\":\"footer\",\"cycles\":2}\n", "\n", "x"] {
        let error = Room::new(&[format!("{whole}{more}")]).plan().unwrap_err().to_string();
        assert!(error.contains("line 4: there is data after `footer`"), "{error}");
    }
}

#[test]
fn trace_with_too_many_rows_is_rejected() {
    let mut made = Made::new("bad", 10.0);
    made.cycle(0).cycle(1 << 50).end();
    let error = Room::of(&[&mut made]).plan().unwrap_err();
    assert!(matches!(error, DatasetError::TooLong { .. }), "{error}");
}

#[test]
fn traces_that_differ_are_rejected() {
    let one = || Made::new("one", 0.01).image(0, (16, 16), [0; 3]).cycles(0..100).end().text();
    let wide = Made::new("wide", 0.01).image(0, (32, 16), [0; 3]).cycles(0..100).end().text();
    let error = Room::new(&[one(), wide]).plan().unwrap_err().to_string();
    assert!(error.contains("32x16 pixels, those of") && error.contains("16x16"), "{error}");

    let error =
        Room::new(&[one(), one().replace("left_antenna\",\"part", "other\",\"part")]).plan().unwrap_err();
    assert!(matches!(error, DatasetError::OtherMotors { .. }), "{error}");
    assert!(matches!(Room::new(&[]).plan(), Err(DatasetError::NoTraces)));
    let missing =
        Plan::read(&[PathBuf::from("/nowhere/a.trace")], Options::default()).unwrap_err().to_string();
    assert!(missing.starts_with("cannot read /nowhere/a.trace: No such file"), "{missing}");
    for fps in [0, 241] {
        let room = Room::new(&[one()]);
        let error = Plan::read(&room.traces, Options { fps, ..Options::default() }).unwrap_err().to_string();
        assert!(error.contains("choose 1 to 240"), "{error}");
    }
}

#[test]
fn write_never_overwrites() {
    let room = Room::of(&[Made::new("good", 0.01).cycles(0..100).end()]);
    room.write(&mut Counted::default()).unwrap();
    let before = room.files();
    let error = room.write(&mut Counted::default()).unwrap_err().to_string();
    assert!(error.contains("dataset already exists"), "{error}");
    assert_eq!(room.files(), before);

    // A file or a dangling link counts as existing too.
    let room = Room::of(&[Made::new("good", 0.01).cycles(0..100).end()]);
    std::os::unix::fs::symlink("nowhere", room.dataset()).unwrap();
    assert!(matches!(room.write(&mut Counted::default()), Err(DatasetError::Exists { .. })));

    let deep = room.folder.path().join("no/such/folder/dataset");
    let error = room.plan().unwrap().write(&deep, &mut Counted::default()).unwrap_err().to_string();
    assert!(
        error.ends_with("no/such/folder is not a folder; create it first, or choose another path"),
        "{error}"
    );
}

#[test]
fn dataset_has_the_default_permissions() {
    let room = Room::of(&[Made::new("good", 0.01).cycles(0..100).end()]);
    room.write(&mut Counted::default()).unwrap();
    let plain = room.folder.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(room.dataset()), mode(plain));
}
