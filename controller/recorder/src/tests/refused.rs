//! Tests that invalid input is rejected with a reason and leaves no file.

use minismith_protocol::trace_format::{
    Clamp, Cycle, DetectedObject, FORMAT, Header, Health, Image, Leg, MAX_LINE_BYTES, Message,
};

use super::record;
use super::support::{JPEG, begin, cycle, cycles, end, lines, text};
use crate::RerunExportError;
use crate::input::TraceReadError;

/// Asserts that the error contains these words and no file remains.
#[track_caller]
fn refuses(input: &[u8], words: &str) {
    let folder = tempfile::tempdir().unwrap();
    let error = record(input, &folder.path().join("no.rrd")).unwrap_err();
    assert!(error.to_string().contains(words), "{error}");
    assert!(matches!(
        error,
        RerunExportError::Trace(
            TraceReadError::Unreadable { .. }
                | TraceReadError::Format { .. }
                | TraceReadError::Truncated { .. }
        )
    ));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn invalid_input_leaves_no_file() {
    let whole = [vec![Message::Header(begin())], cycles(0..100), vec![end(100)]].concat();
    let first = lines(&whole[..1]);
    refuses(b"", "without `footer`");
    refuses(b"\x7fELF\n", "line 1 is invalid");
    refuses(lines(&whole[1..]).as_bytes(), "the first line must be `header`");
    refuses(lines(&whole[..90]).as_bytes(), "ends after line 90 without `footer`");
    refuses((first.clone() + "[1]\n").as_bytes(), "line 2 is invalid");
    refuses((first.clone() + &first).as_bytes(), "a second `header`");
    refuses(&[b'x'; MAX_LINE_BYTES + 9], "longer than");
    let after = |message: Message| first.clone() + &lines(&[message]);
    refuses(after(end(3)).as_bytes(), "the footer counts 3 cycles, but there are 0");
    refuses((after(end(0)) + "{}\n").as_bytes(), "line 3 is invalid");
    let odd = Cycle { goal_deg: vec![1.0], ..cycle(0) };
    refuses(after(Message::Cycle(Box::new(odd))).as_bytes(), "1 angles for 3 motors");
    let odd = Cycle { setpoint_deg: vec![1.0], ..cycle(0) };
    refuses(after(Message::Cycle(Box::new(odd))).as_bytes(), "1 setpoints for 3 motors");
    let odd = Cycle { clamps: vec![Clamp { motor: 3, amount_deg: 1.0 }], ..cycle(0) };
    refuses(after(Message::Cycle(Box::new(odd))).as_bytes(), "no motor 3 of 3");
    let twice = after(Message::Cycle(Box::new(cycle(4)))) + &lines(&[Message::Cycle(Box::new(cycle(4)))]);
    refuses(twice.as_bytes(), "out of order");
    let odd = Health { temperature_c: vec![None; 2], ..Health::default() };
    refuses(after(Message::Motors(Box::new(odd))).as_bytes(), "2 values for 3 motors");
    refuses(after(text(Some(u64::MAX), super::support::VOICES[0].0, "")).as_bytes(), "is out of range");
}

#[test]
fn invalid_header_is_rejected() {
    let refuses = |begin: Header, words: &str| refuses(lines(&[Message::Header(begin)]).as_bytes(), words);
    refuses(Header { format: FORMAT + 1, ..begin() }, "make recorder");
    let mut odd = begin();
    odd.motors[0].name = "../body".into();
    refuses(odd, "invalid motor name");
    refuses(Header { period_s: 0.0, ..begin() }, "invalid cycle period of 0 s");
    refuses(Header { start_time: Some("yesterday".into()), ..begin() }, "invalid time");
    refuses(
        Header { legs: vec![Leg { motor: 3, ..begin().legs[0] }], ..begin() },
        "a leg refers to motor 3 of 3",
    );
}

#[test]
fn invalid_image_is_rejected() {
    let seen = DetectedObject { label: "cup".into(), score: 0.5, bbox_xyxy: [0.0, 0.0, 1e300, 1.0] };
    let image = Image { cycle: 0, jpeg: JPEG.into(), width: 640, height: 480, detections: vec![seen] };
    let refuses = |image: Image, words: &str| {
        let reported = [Message::Header(begin()), Message::Image(Box::new(image))];
        refuses(lines(&reported).as_bytes(), words);
    };
    refuses(Image { jpeg: "?".into(), ..image.clone() }, "not valid base64");
    refuses(Image { jpeg: "bm8gSlBFRw==".into(), ..image.clone() }, "not a JPEG");
    refuses(Image { width: 0, ..image.clone() }, "invalid image size: 0 by 480 pixels");
    refuses(image, "not finite");
}

#[test]
fn unwritable_path_is_reported() {
    let whole = lines(&[vec![Message::Header(begin())], cycles(0..3), vec![end(3)]].concat());
    let folder = tempfile::tempdir().unwrap();
    let error = record(whole.as_bytes(), &folder.path().join("none/nod.rrd")).unwrap_err();
    assert!(matches!(error, RerunExportError::File { .. }), "{error}");
}
