//! Recordings are read back as the viewer reads them; what is no recording leaves nothing behind.

use std::collections::BTreeMap;
use std::path::Path;

use minismith_wire::recording::{
    Beat, Begin, End, FORMAT, Head, LONGEST_LINE, Margins, Message, Motor, Part, Text, Trim, Voice,
};
use re_log_encoding::DecoderApp;
use re_sdk::StoreKind;
use re_sdk::log::{Chunk, LogMsg};
use re_sdk_types::archetypes::{Scalars, TextLog, Transform3D};

use crate::told::Untold;
use crate::{NoRecording, record};

/// More than are handed on together, so that there are several pieces.
const BEATS: u64 = 2_500;
const PERIOD: f64 = 0.01;

fn begin() -> Begin {
    let motor = |name: &str, part, low_deg, high_deg| Motor { name: name.into(), part, low_deg, high_deg };
    Begin {
        format: FORMAT,
        name: "nod v1".into(),
        about: "# nod".into(),
        period_s: PERIOD,
        motors: vec![
            motor("body_rotation", Part::Body, -160.0, 160.0),
            motor("stewart_1", Part::Leg, -46.99, 78.98),
            motor("left_antenna", Part::LeftAntenna, -180.0, 179.9),
        ],
    }
}

fn beat(number: u64) -> Beat {
    let angle = (number as f64 * 0.01).sin() * 30.0;
    let head = Head { at_m: [0.0, 0.0, 0.177], turned: [0.0, 0.0, 0.0, 1.0], angles_deg: [1.0, 2.0, angle] };
    Beat {
        beat: number,
        goal_deg: vec![angle, angle / 3.0, -angle],
        present_deg: vec![angle - 0.5, angle / 3.0, -angle],
        goal_head: Some(head),
        // Where it can't be computed there is none.
        present_head: number.is_multiple_of(2).then_some(head),
        trims: if number == 700 { vec![Trim { motor: 1, by_deg: 2.5 }] } else { Vec::new() },
        margins: Some(Margins { tilt_deg: 38.0, relative_yaw_deg: 65.0 - angle.abs() }),
    }
}

fn whole() -> Vec<Message> {
    let text = |beat, voice, words: &str| Message::Text(Text { beat, voice, words: words.into() });
    let mut messages = vec![Message::Begin(begin()), text(None, Voice::Workshop, "all is well")];
    messages.extend((0..BEATS).map(|number| Message::Beat(Box::new(beat(number)))));
    messages.push(text(Some(700), Voice::Envelope, "stewart_1 by 2.5 deg"));
    messages.push(Message::End(End { beats: BEATS }));
    messages
}

fn lines(messages: &[Message]) -> String {
    messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// The chunks of a recording by their entity's path, and how many of its stores are arrangements.
fn read(path: &Path) -> (BTreeMap<String, Vec<Chunk>>, usize) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let (mut chunks, mut blueprints): (BTreeMap<String, Vec<Chunk>>, _) = (BTreeMap::new(), 0);
    for message in DecoderApp::decode_eager(file).unwrap() {
        match message.unwrap() {
            LogMsg::ArrowMsg(store, message) if store.kind() == StoreKind::Recording => {
                let chunk = Chunk::from_arrow_msg(&message).unwrap();
                chunks.entry(chunk.entity_path().to_string()).or_default().push(chunk);
            }
            LogMsg::BlueprintActivationCommand(_) => blueprints += 1,
            LogMsg::ArrowMsg(..) | LogMsg::SetStoreInfo(_) => {}
        }
    }
    (chunks, blueprints)
}

/// Some curves: the number of each beat and its values, in order.
fn curves(chunks: &BTreeMap<String, Vec<Chunk>>, path: &str) -> Vec<(i64, Vec<f64>)> {
    let mut points = Vec::new();
    let scalars = Scalars::descriptor_scalars().component;
    for chunk in chunks.get(path).unwrap_or_else(|| panic!("no {path}: {:?}", chunks.keys())) {
        let Some(beats) = chunk.timelines().get(&"beat".into()) else { continue };
        let values = chunk.iter_slices::<f64>(scalars).map(<[f64]>::to_vec);
        points.extend(beats.times_raw().iter().copied().zip(values));
    }
    points.sort_by_key(|(beat, _)| *beat);
    points
}

#[test]
fn a_recording_holds_what_was_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nod.rrd");
    record(lines(&whole()).as_bytes(), &path).unwrap();
    let (chunks, blueprints) = read(&path);
    assert_eq!(blueprints, 1);
    let last = BEATS as i64 - 1;
    let motors = ["/body/body_rotation", "/legs/stewart_1", "/antennas/left_antenna"];
    for (place, name) in motors.into_iter().enumerate() {
        let found = curves(&chunks, name);
        assert_eq!(found.len() as u64, BEATS, "{name}");
        for number in [0, 999, 1_000, BEATS - 1] {
            let told = beat(number);
            let values = vec![told.goal_deg[place], told.present_deg[place]];
            assert_eq!(found[number as usize], (number as i64, values), "{name}");
        }
        let limits = vec![begin().motors[place].low_deg, begin().motors[place].high_deg];
        assert_eq!(curves(&chunks, &format!("{name}/limits")), [(0, limits.clone()), (last, limits)]);
    }
    assert_eq!(curves(&chunks, "/trims/stewart_1"), [(700, vec![2.5])]);
    assert!(!chunks.contains_key("/trims/body_rotation"));
    let margins = beat(BEATS - 1).margins.unwrap();
    let expected = (last, vec![margins.tilt_deg, margins.relative_yaw_deg]);
    assert_eq!(curves(&chunks, "/margins/head").last(), Some(&expected));
    assert_eq!(curves(&chunks, "/margins/motors")[0].1, [160.0, 46.99, 179.9]);
    // The present head of every other beat is not known.
    let yaw = curves(&chunks, "/head/yaw");
    assert_eq!(yaw[2].1, [beat(2).goal_deg[0]; 2]);
    assert!(yaw[3].1[0] == beat(3).goal_deg[0] && yaw[3].1[1].is_nan());
    let rows = |path: &str, component| -> usize {
        chunks[path].iter().map(|chunk| chunk.iter_component_offsets(component).count()).sum()
    };
    let placed = Transform3D::descriptor_translation().component;
    assert_eq!(rows("/robot/goal_head", placed), 2_500);
    assert_eq!(rows("/robot/head", placed), 1_250);
    assert_eq!(rows("/robot/body", placed), 2_500);
    let said = TextLog::descriptor_text().component;
    assert_eq!((rows("/said/workshop", said), rows("/said/envelope", said)), (1, 1));
    assert!(chunks.contains_key("/about") && chunks.contains_key("/robot/head/left_antenna/mast"));
    // The stage's clock goes with the number of the beat.
    let times = chunks["/legs/stewart_1"]
        .iter()
        .filter_map(|chunk| chunk.timelines().get(&"stage_time".into()))
        .filter_map(|times| times.times_raw().last().copied());
    assert_eq!(times.max(), Some(last * 10_000_000));
}

/// Refused with these words, and nothing is left in the folder.
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
fn what_is_no_recording_leaves_nothing_behind() {
    let first = lines(&[Message::Begin(begin())]);
    refuses(b"", "without `end`");
    refuses(b"\x7fELF\n", "line 1 is not understood");
    refuses(lines(&whole()[1..]).as_bytes(), "the first line must be `begin`");
    refuses(lines(&whole()[..90]).as_bytes(), "ends after line 90 without `end`");
    refuses((first.clone() + "[1]\n").as_bytes(), "line 2 is not understood");
    refuses((first.clone() + &first).as_bytes(), "begins twice");
    refuses(&[b'x'; LONGEST_LINE + 9], "longer than");
    let after = |message: Message| first.clone() + &lines(&[message]);
    refuses(after(Message::End(End { beats: 3 })).as_bytes(), "0 beats came of 3");
    refuses((after(Message::End(End { beats: 0 })) + "{}\n").as_bytes(), "line 3 is not understood");
    let odd = Beat { goal_deg: vec![1.0], ..beat(0) };
    refuses(after(Message::Beat(Box::new(odd))).as_bytes(), "1 angles for 3 motors");
    let odd = Beat { trims: vec![Trim { motor: 3, by_deg: 1.0 }], ..beat(0) };
    refuses(after(Message::Beat(Box::new(odd))).as_bytes(), "no motor 3 of 3");
    let twice = after(Message::Beat(Box::new(beat(4)))) + &lines(&[Message::Beat(Box::new(beat(4)))]);
    refuses(twice.as_bytes(), "out of order");
    let other = Begin { format: FORMAT + 1, ..begin() };
    refuses(lines(&[Message::Begin(other)]).as_bytes(), "make recorder");
    let mut other = begin();
    other.motors[0].name = "../body".into();
    refuses(lines(&[Message::Begin(other)]).as_bytes(), "is no motor's name");
    let other = Begin { period_s: 0.0, ..begin() };
    refuses(lines(&[Message::Begin(other)]).as_bytes(), "a beat of 0 s");
}

#[test]
fn a_place_that_can_not_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let error = record(lines(&whole()).as_bytes(), &folder.path().join("none/nod.rrd")).unwrap_err();
    assert!(matches!(error, NoRecording::File { .. }), "{error}");
}
