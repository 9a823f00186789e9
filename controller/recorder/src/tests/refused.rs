//! Tests that invalid input is rejected with a reason and leaves no file.

use minismith_wire::recording::{
    Beat, Begin, FORMAT, Health, LONGEST_LINE, Leg, Message, Picture, Seen, Trim,
};

use super::record;
use super::support::{JPEG, beat, beats, begin, end, lines, text};
use crate::NoRecording;
use crate::told::Untold;

/// Asserts that the error contains these words and no file remains.
#[track_caller]
fn refuses(input: &[u8], words: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = record(input, &folder.path().join("no.rrd")).unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    assert!(matches!(
        error,
        NoRecording::Untold(Untold::NotUnderstood { .. } | Untold::Format { .. } | Untold::Cut { .. })
    ));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn invalid_input_leaves_no_file() {
    let whole = [vec![Message::Begin(begin())], beats(0..100), vec![end(100)]].concat();
    let first = lines(&whole[..1]);
    refuses(b"", "without `footer`");
    refuses(b"\x7fELF\n", "line 1 is not understood");
    refuses(lines(&whole[1..]).as_bytes(), "the first line must be `header`");
    refuses(lines(&whole[..90]).as_bytes(), "ends after line 90 without `footer`");
    refuses((first.clone() + "[1]\n").as_bytes(), "line 2 is not understood");
    refuses((first.clone() + &first).as_bytes(), "begins twice");
    refuses(&[b'x'; LONGEST_LINE + 9], "longer than");
    let after = |message: Message| first.clone() + &lines(&[message]);
    refuses(after(end(3)).as_bytes(), "0 beats came of 3");
    refuses((after(end(0)) + "{}\n").as_bytes(), "line 3 is not understood");
    let odd = Beat { goal_deg: vec![1.0], ..beat(0) };
    refuses(after(Message::Beat(Box::new(odd))).as_bytes(), "1 angles for 3 motors");
    let odd = Beat { wish_deg: vec![1.0], ..beat(0) };
    refuses(after(Message::Beat(Box::new(odd))).as_bytes(), "1 wishes for 3 motors");
    let odd = Beat { trims: vec![Trim { motor: 3, by_deg: 1.0 }], ..beat(0) };
    refuses(after(Message::Beat(Box::new(odd))).as_bytes(), "no motor 3 of 3");
    let twice = after(Message::Beat(Box::new(beat(4)))) + &lines(&[Message::Beat(Box::new(beat(4)))]);
    refuses(twice.as_bytes(), "out of order");
    let odd = Health { celsius: vec![None; 2], ..Health::default() };
    refuses(after(Message::Motors(Box::new(odd))).as_bytes(), "2 values for 3 motors");
    refuses(after(text(Some(u64::MAX), super::support::VOICES[0].0, "")).as_bytes(), "there is no beat");
}

#[test]
fn invalid_header_is_rejected() {
    let refuses = |begin: Begin, words: &str| refuses(lines(&[Message::Begin(begin)]).as_bytes(), words);
    refuses(Begin { format: FORMAT + 1, ..begin() }, "make recorder");
    let mut odd = begin();
    odd.motors[0].name = "../body".into();
    refuses(odd, "is no motor's name");
    refuses(Begin { period_s: 0.0, ..begin() }, "a beat of 0 s");
    refuses(Begin { at: Some("yesterday".into()), ..begin() }, "is no time");
    refuses(Begin { legs: vec![Leg { motor: 3, ..begin().legs[0] }], ..begin() }, "a leg has motor 3 of 3");
}

#[test]
fn invalid_image_is_rejected() {
    let seen = Seen { label: "cup".into(), score: 0.5, bounds: [0.0, 0.0, 1e300, 1.0] };
    let picture = Picture { beat: 0, jpeg: JPEG.into(), width: 640, height: 480, seen: vec![seen] };
    let refuses = |picture: Picture, words: &str| {
        let told = [Message::Begin(begin()), Message::Picture(Box::new(picture))];
        refuses(lines(&told).as_bytes(), words);
    };
    refuses(Picture { jpeg: "?".into(), ..picture.clone() }, "not valid base64");
    refuses(Picture { jpeg: "bm8gSlBFRw==".into(), ..picture.clone() }, "not a JPEG");
    refuses(Picture { width: 0, ..picture.clone() }, "invalid image size: 0 by 480 pixels");
    refuses(picture, "not finite");
}

#[test]
fn unwritable_path_is_reported() {
    let whole = lines(&[vec![Message::Begin(begin())], beats(0..3), vec![end(3)]].concat());
    let folder = tempfile::tempdir().unwrap();
    let error = record(whole.as_bytes(), &folder.path().join("none/nod.rrd")).unwrap_err();
    assert!(matches!(error, NoRecording::File { .. }), "{error}");
}
