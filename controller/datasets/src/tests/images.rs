//! Tests images: their assignment to rows, encoding and statistics.

use serde_json::json;

use super::made::{Counted, Idle, Made, Room, jpeg, mp4};
use crate::{Options, Plan, meta, mp4};

const SIZE: (u32, u32) = (32, 16);
const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];

#[test]
fn row_has_the_latest_image_until_then() {
    // Images arrive out of order: blue is late.
    let mut made = Made::new("look", 0.01);
    made.image(20, SIZE, RED).cycles(0..100).image(60, SIZE, GREEN).image(40, SIZE, BLUE).end();
    let room = Room::of(&[&mut made]);
    let mut film = Counted::default();
    let report = room.write(&mut film).unwrap();
    assert_eq!((report.videos, report.video_size), (1, Some(SIZE)));
    let [red, green, blue] = [RED, GREEN, BLUE].map(|colour| jpeg(SIZE, colour));
    for (row, image) in film.films[0].iter().enumerate() {
        let cycle = row * 100 / 30;
        let expected = if cycle < 40 {
            &red
        } else if cycle < 60 {
            &blue
        } else {
            &green
        };
        assert!(**image == **expected, "row {row}");
    }
    assert_eq!(film.films[0].len(), 30);
    let info = room.json("meta/info.json");
    assert_eq!(info["total_videos"], 1);
    let feature = &info["features"]["observation.images.head"];
    assert_eq!(feature["dtype"], "video");
    assert_eq!(feature["shape"], json!([16, 32, 3]));
    assert_eq!(feature["info"]["video.codec"], "h264");
    assert_eq!(
        room.files(),
        [
            "dataset/README.md",
            "dataset/data/chunk-000/episode_000000.parquet",
            "dataset/meta/episodes.jsonl",
            "dataset/meta/episodes_stats.jsonl",
            "dataset/meta/info.json",
            "dataset/meta/tasks.jsonl",
            "dataset/videos/chunk-000/observation.images.head/episode_000000.mp4",
        ]
    );
}

#[test]
fn image_statistics_describe_colours() {
    let mut made = Made::new("look", 0.01);
    made.image(0, (400, 300), [0, 51, 255]).cycles(0..200).image(100, (400, 300), [102, 51, 255]).end();
    let room = Room::of(&[&mut made]);
    room.write(&mut Counted::default()).unwrap();
    let stats = &room.json_lines("meta/episodes_stats.jsonl")[0]["stats"][meta::CAMERA];
    let of = |name: &str| [0, 1, 2].map(|colour| stats[name][colour][0][0].as_f64().unwrap());
    let near = |left: [f64; 3], right: [f64; 3]| {
        left.iter().zip(right).all(|(left, right)| (left - right).abs() < 0.02)
    };
    assert!(near(of("min"), [0.0, 0.2, 1.0]) && near(of("max"), [0.4, 0.2, 1.0]), "{stats}");
    assert!(near(of("mean"), [0.2, 0.2, 1.0]) && near(of("std"), [0.2, 0.0, 0.0]), "{stats}");
    assert_eq!(stats["count"], json!([60]));
}

#[test]
fn read_rejects_traces_of_which_only_some_have_images() {
    let mut with = Made::new("with", 0.01);
    with.image(0, SIZE, RED).cycles(0..100).end();
    let mut without = Made::new("without", 0.01);
    without.cycles(0..100).end();
    let room = Room::of(&[&mut with, &mut without]);
    let error = room.write(&mut Counted::default()).unwrap_err().to_string();
    assert!(
        error.ends_with("1.trace has no images, but others do; omit it, or write the dataset without images")
    );
    assert!(room.files().is_empty());

    let plan = Plan::read(&room.traces, Options { images: false, ..Options::default() }).unwrap();
    assert_eq!(plan.video_size(), None);
    let mut film = Counted::default();
    let report = plan.write(&room.dataset(), &mut film).unwrap();
    assert_eq!((report.episodes, report.videos, film.films.len()), (2, 0, 0));
}

#[test]
fn gap_between_images_is_noted() {
    let mut made = Made::new("look", 0.01);
    made.image(50, SIZE, RED).cycles(0..300).end();
    let room = Room::of(&[&mut made]);
    let report = room.plan().unwrap().report();
    // Cycles 153 to 296, in the rows 46 to 89.
    assert!(
        report.notes[0].ends_with("images are missing: 44 rows have one from more than a second away"),
        "{report:?}"
    );
}

#[test]
fn incomplete_video_fails_the_dataset() {
    let mut made = Made::new("look", 0.01);
    made.image(0, SIZE, RED).cycles(0..100).end();
    let room = Room::of(&[&mut made]);
    for (mut film, words) in [
        (Counted { fails: Some("ffmpeg is missing"), ..Counted::default() }, "ffmpeg is missing"),
        (Counted { loses: 2, ..Counted::default() }, "28 frames for 30 rows"),
    ] {
        let error = room.write(&mut film).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(room.files().is_empty());
    }
    let error = room.plan().unwrap().write(&room.dataset(), &mut Idle).unwrap_err().to_string();
    assert!(error.contains("did not take 30 images"), "{error}");

    // The trace has been replaced.
    let plan = room.plan().unwrap();
    std::fs::write(&room.traces[0], "x".repeat(1 << 16)).unwrap();
    let error = plan.write(&room.dataset(), &mut Counted::default()).unwrap_err().to_string();
    assert!(error.contains("0.trace, line 2: the file changed during reading"), "{error}");
    assert!(room.files().is_empty());
}

#[test]
fn damaged_image_is_detected() {
    let mut bytes = jpeg(SIZE, RED);
    // Its header is complete, but its pixels are missing.
    let scan = bytes.windows(2).position(|pair| pair == [0xff, 0xda]).unwrap();
    bytes.truncate(scan + 1);
    let mut made = Made::new("look", 0.01);
    made.cycles(0..100).jpeg(0, SIZE, &bytes).end();
    let room = Room::of(&[&mut made]);
    let error = room.write(&mut Counted::default()).unwrap_err().to_string();
    assert!(error.contains("0.trace, line 102: invalid JPEG"), "{error}");
    assert!(room.files().is_empty());
}

#[test]
fn count_handles_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.mp4");
    let count = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        mp4::count(&file).unwrap()
    };
    let whole = mp4(1234);
    assert_eq!(count(&whole), Some(1234));
    // A preceding box with a 64-bit length.
    let long = [&[0, 0, 0, 1][..], b"mdat", &24_u64.to_be_bytes(), &[0; 8], &whole].concat();
    assert_eq!(count(&long), Some(1234));
    for length in 0..whole.len() {
        assert_eq!(count(&whole[..length]), None, "{length}");
    }
    let endless = [&[0, 0, 0, 1][..], b"mdat", &u64::MAX.to_be_bytes(), &[0; 8]].concat();
    assert_eq!(count(&endless), None);
    assert_eq!(count(&[0; 64]), None);
}
