//! What becomes no dataset, and what is said about it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use minismith_wire::recording::{Beat, End, FORMAT, LONGEST_LINE, Message, Motor, Part};

use super::made::{Counted, Made, Room, begin, jpeg};
use crate::{NoDataset, Options, Plan};

fn told(message: &Message) -> String {
    serde_json::to_string(message).unwrap()
}

fn beat(beat: u64, goal_deg: &[f64], present_deg: &[f64]) -> String {
    let (goal_deg, present_deg) = (goal_deg.to_vec(), present_deg.to_vec());
    told(&Message::Beat(Box::new(Beat { beat, goal_deg, present_deg, ..Beat::default() })))
}

#[test]
fn a_line_that_can_not_be_right_is_named() {
    let picture = |bytes: &[u8], size| Made { lines: vec![], beats: 0 }.jpeg(0, size, bytes).lines.remove(0);
    let real = jpeg((16, 16), [1, 2, 3]);
    let cases = [
        ("{\"type\":\"dance\"}".to_owned(), "unknown variant"),
        ("}".into(), "expected value"),
        (told(&Message::Begin(begin("again", 0.01))), "begins twice"),
        (beat(9, &[1.0], &[1.0, 2.0]), "1 angles for 2 motors"),
        (beat(9, &[1.0, 2.0], &[]), "0 angles for 2 motors"),
        (beat(0, &[1.0, 2.0], &[1.0, 2.0]), "beat 0 comes out of order"),
        (beat(u64::MAX, &[1.0, 2.0], &[1.0, 2.0]), "out of order"),
        (beat(9, &[1.0, 1e30], &[1.0, 2.0]), "no motor's angle"),
        (beat(9, &[1.0, 2.0], &[-3601.0, 2.0]), "no motor's angle"),
        (
            "{\"type\":\"cycle\",\"cycle\":9,\"goal_deg\":[1e999,1],\"present_deg\":[1,1]}".into(),
            "out of range",
        ),
        (told(&Message::End(End { beats: 7, dropped: 0 })), "2 beats came of 7"),
        (format!("\"{}\"", "x".repeat(LONGEST_LINE)), "longer than 4194304 bytes"),
        (picture(&real, (32, 16)), "really 16x16"),
        (picture(&real, (15, 16)), "even"),
        (picture(&real, (8192, 16)), "at most 4096"),
        (picture(&real, (0, 16)), "even"),
        (picture(b"GIF89a", (16, 16)), "no JPEG"),
        (picture(&real, (16, 16)).replace("\"jpeg\":\"", "\"jpeg\":\"!"), "not in base 64"),
    ];
    for (line, words) in cases {
        let mut made = Made::new("bad", 0.01);
        made.beats(0..2).lines.push(line);
        let room = Room::of(&[Made::new("good", 0.01).beats(0..100).end(), &mut made]);
        let error = room.write(&mut Counted::default()).unwrap_err().to_string();
        assert!(error.contains("1.trace, line 4: ") && error.contains(words), "{words}: {error}");
        assert!(room.files().is_empty(), "{words}");
    }
}

#[test]
fn pictures_of_one_trace_have_one_size() {
    let mut made = Made::new("bad", 0.01);
    made.beats(0..2).picture(0, (16, 16), [0; 3]).picture(1, (32, 16), [0; 3]).end();
    let error = Room::of(&[&mut made]).plan().unwrap_err().to_string();
    assert!(error.contains("line 5: a picture of 32x16 pixels after one of 16x16"), "{error}");
}

#[test]
fn a_beginning_is_judged() {
    let with = |change: fn(&mut minismith_wire::recording::Begin)| {
        let mut begin = begin("bad", 0.01);
        change(&mut begin);
        format!("{}\n", told(&Message::Begin(begin)))
    };
    let cases = [
        (String::new(), "begins with `header`"),
        ("{\"type\":\"footer\",\"cycles\":0}\n".into(), "begins with `header`"),
        (with(|begin| begin.format = FORMAT + 1), "record it anew"),
        (with(|begin| begin.period_s = 0.0), "a beat of 0 s"),
        (with(|begin| begin.period_s = -1.0), "a beat of -1 s"),
        (with(|begin| begin.motors.clear()), "0 motors"),
        (
            with(|begin| {
                let motor = Motor { name: "../x".into(), part: Part::Leg, low_deg: 0.0, high_deg: 0.0 };
                begin.motors.push(motor);
            }),
            "no motor's name",
        ),
        (with(|_| {}), "tells of no beat"),
    ];
    for (text, words) in cases {
        let error = Room::new(&[text]).plan().unwrap_err().to_string();
        assert!(error.contains("0.trace") && error.contains(words), "{words}: {error}");
    }
}

#[test]
fn nothing_follows_the_end() {
    let whole = Made::new("bad", 0.01).beats(0..2).end().text();
    for more in ["{\"type\":\"footer\",\"cycles\":2}\n", "\n", "x"] {
        let error = Room::new(&[format!("{whole}{more}")]).plan().unwrap_err().to_string();
        assert!(error.contains("line 4: it goes on after `footer`"), "{error}");
    }
}

#[test]
fn a_trace_far_too_long_is_refused() {
    let mut made = Made::new("bad", 10.0);
    made.beat(0).beat(1 << 50).end();
    let error = Room::of(&[&mut made]).plan().unwrap_err();
    assert!(matches!(error, NoDataset::TooLong { .. }), "{error}");
}

#[test]
fn what_differs_is_refused() {
    let one = || Made::new("one", 0.01).picture(0, (16, 16), [0; 3]).beats(0..100).end().text();
    let wide = Made::new("wide", 0.01).picture(0, (32, 16), [0; 3]).beats(0..100).end().text();
    let error = Room::new(&[one(), wide]).plan().unwrap_err().to_string();
    assert!(error.contains("32x16 pixels, those of") && error.contains("16x16"), "{error}");

    let error =
        Room::new(&[one(), one().replace("left_antenna\",\"part", "other\",\"part")]).plan().unwrap_err();
    assert!(matches!(error, NoDataset::OtherMotors { .. }), "{error}");
    assert!(matches!(Room::new(&[]).plan(), Err(NoDataset::NoTraces)));
    let missing =
        Plan::read(&[PathBuf::from("/nowhere/a.trace")], Options::default()).unwrap_err().to_string();
    assert!(missing.starts_with("can't read /nowhere/a.trace: No such file"), "{missing}");
    for fps in [0, 241] {
        let room = Room::new(&[one()]);
        let error = Plan::read(&room.traces, Options { fps, ..Options::default() }).unwrap_err().to_string();
        assert!(error.contains("choose 1 to 240"), "{error}");
    }
}

#[test]
fn nothing_is_overwritten() {
    let room = Room::of(&[Made::new("good", 0.01).beats(0..100).end()]);
    room.write(&mut Counted::default()).unwrap();
    let before = room.files();
    let error = room.write(&mut Counted::default()).unwrap_err().to_string();
    assert!(error.contains("dataset is there already"), "{error}");
    assert_eq!(room.files(), before);

    // A file or a link that leads nowhere is something too.
    let room = Room::of(&[Made::new("good", 0.01).beats(0..100).end()]);
    std::os::unix::fs::symlink("nowhere", room.dataset()).unwrap();
    assert!(matches!(room.write(&mut Counted::default()), Err(NoDataset::Exists { .. })));

    let deep = room.folder.path().join("no/such/folder/dataset");
    let error = room.plan().unwrap().write(&deep, &mut Counted::default()).unwrap_err().to_string();
    assert!(
        error.ends_with("no/such/folder is no folder: make it first, or name a place in another one"),
        "{error}"
    );
}

#[test]
fn the_dataset_is_as_readable_as_any_folder() {
    let room = Room::of(&[Made::new("good", 0.01).beats(0..100).end()]);
    room.write(&mut Counted::default()).unwrap();
    let plain = room.folder.path().join("plain");
    fs::create_dir(&plain).unwrap();
    let mode = |place: PathBuf| fs::metadata(place).unwrap().permissions().mode();
    assert_eq!(mode(room.dataset()), mode(plain));
}
