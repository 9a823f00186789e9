//! Tests the contents of a dataset.

use minismith_protocol::trace_format::{Footer, Message, TextSource};
use parquet::record::RowAccessor;
use serde_json::json;

use super::made::{Counted, Made, Room, list};
use crate::Options;
use crate::rows::Sampler;

fn is_near(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-6
}

#[test]
fn row_contains_the_latest_cycle_until_then() {
    let room = Room::of(&[Made::new("nod", 0.01).cycles(7..207).end()]);
    let report = room.write(&mut Counted::default()).unwrap();
    // Cycles 7 to 206 at 100 Hz: the last row is at 59/30 s, which is cycle 7 + 196.
    assert_eq!((report.frames, report.notes), (60, vec![]));
    assert!(is_near(report.seconds, 2.0));
    let rows = room.rows(0);
    assert_eq!(rows.len(), 60);
    for (number, row) in rows.iter().enumerate() {
        let cycle = (7 + number * 100 / 30) as f64;
        assert_eq!(list(row, 0), [cycle.to_radians() as f32, (-cycle).to_radians() as f32], "row {number}");
        assert_eq!(list(row, 1), [cycle - 10.0, -cycle - 10.0].map(|angle| angle.to_radians() as f32));
        assert_eq!(row.get_float(2).unwrap(), number as f32 / 30.0);
    }
}

#[test]
fn slow_cycles_repeat_and_missing_ones_are_reported() {
    let room = Room::of(&[Made::new("slow", 0.1).cycles(0..11).end()]);
    let report = room.write(&mut Counted::default()).unwrap();
    assert_eq!((report.frames, report.notes.len()), (33, 0));

    // A hundred cycles are missing. Of the 30 rows there, all but the first repeat a cycle.
    let room = Room::of(&[Made::new("gap", 0.01).cycles(0..100).cycles(200..300).end()]);
    let report = room.write(&mut Counted::default()).unwrap();
    assert_eq!(report.frames, 90);
    assert!(
        report.notes[0].ends_with("0.trace: control cycles are missing: 29 rows repeat the previous one"),
        "{report:?}"
    );
}

#[test]
fn cycles_and_rows_of_the_same_rate_match_exactly() {
    for (period, fps) in [(0.01, 100), (0.02, 50), (1.0 / 30.0, 30), (0.01, 50), (0.005, 10)] {
        let mut made = Made::new("even", period);
        let each = (1.0 / (period * f64::from(fps))).round() as u64;
        made.cycles(0..each * 1000).end();
        let room = Room::of(&[&mut made]);
        let plan = crate::Plan::read(&room.traces, Options { fps, ..Options::default() }).unwrap();
        let rows = &plan.episodes[0].rows;
        assert_eq!((rows.count, rows.stale), (1000, 0), "{period} {fps}");
        for row in 0..1000 {
            let goal = (row as u64 * each % 1000) as f64;
            assert_eq!(rows.action[row * 2], goal.to_radians() as f32, "{period} {fps} {row}");
        }
    }
}

#[test]
fn episodes_are_concatenated_with_tasks_and_indices() {
    let mut one = Made::new("nod v3", 0.01);
    one.says(TextSource::Agent, "I nod")
        .says(TextSource::Person, "  ")
        .says(TextSource::Person, "nod\n twice ")
        .cycles(0..100);
    one.says(TextSource::Person, "stop").end();
    let mut two = Made::new("wave v1", 0.01);
    two.cycles(0..50).end();
    let mut three = Made::new("nod v4", 0.01);
    three.says(TextSource::Person, "nod twice").cycles(0..10).end();
    let room = Room::of(&[&mut one, &mut two, &mut three]);
    let report = room.write(&mut Counted::default()).unwrap();
    assert_eq!((report.episodes, report.frames, report.videos), (3, 30 + 15 + 3, 0));
    assert_eq!(report.tasks, ["nod twice", "wave v1"]);

    let whole = |row: &parquet::record::Row| [3, 4, 5, 6].map(|column| row.get_long(column).unwrap());
    assert_eq!(whole(&room.rows(0)[29]), [29, 0, 29, 0]);
    assert_eq!(whole(&room.rows(1)[0]), [0, 1, 30, 1]);
    assert_eq!(whole(&room.rows(2)[2]), [2, 2, 47, 0]);
    let episodes = room.json_lines("meta/episodes.jsonl");
    assert_eq!(episodes[1], json!({ "episode_index": 1, "tasks": ["wave v1"], "length": 15 }));
    let tasks = room.json_lines("meta/tasks.jsonl");
    assert_eq!(tasks[0], json!({ "task_index": 0, "task": "nod twice" }));
    assert_eq!((episodes.len(), tasks.len()), (3, 2));
    let info = room.json("meta/info.json");
    assert_eq!(info["total_frames"], 48);
    assert_eq!(info["splits"], json!({ "train": "0:3" }));
    assert_eq!(info["video_path"], json!(null));
    let features: Vec<&String> = info["features"].as_object().unwrap().keys().collect();
    let schema =
        ["action", "observation.state", "timestamp", "frame_index", "episode_index", "index", "task_index"];
    assert_eq!(features, schema.each_ref());
    let columns: Vec<String> = room.rows(0)[0].get_column_iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(columns, schema);
    assert_eq!(
        info["features"]["action"],
        json!({ "dtype": "float32", "shape": [2], "names": ["yaw_body", "left_antenna"] })
    );
}

#[test]
fn same_traces_give_an_identical_dataset() {
    let made = || Made::new("nod", 0.01).cycles(0..100).image(3, (16, 16), [9, 9, 9]).end().text();
    let rooms = [Room::new(&[made()]), Room::new(&[made()])];
    rooms.iter().for_each(|room| drop(room.write(&mut Counted::default()).unwrap()));
    let files = rooms[0].files();
    assert_eq!(files, rooms[1].files());
    for file in files {
        let bytes = rooms.each_ref().map(|room| std::fs::read(room.folder.path().join(&file)).unwrap());
        assert!(bytes[0] == bytes[1], "{file}");
    }
}

#[test]
fn statistics_are_those_of_the_population() {
    // Rows of the cycles 0, 3, 6 and 10, whose goals are as many degrees.
    let room = Room::of(&[Made::new("nod", 0.01).cycles(0..11).end()]);
    room.write(&mut Counted::default()).unwrap();
    let stats = &room.json_lines("meta/episodes_stats.jsonl")[0];
    assert_eq!(stats["episode_index"], 0);
    let action = &stats["stats"]["action"];
    let of = |name: &str, motor: usize| action[name][motor].as_f64().unwrap().to_degrees();
    let goals = [0.0, 3.0, 6.0, 10.0];
    let mean = goals.iter().sum::<f64>() / 4.0;
    let std = (goals.iter().map(|goal| (goal - mean).powi(2)).sum::<f64>() / 4.0).sqrt();
    assert!(is_near(of("min", 0), 0.0) && is_near(of("max", 0), 10.0), "{action}");
    assert!((of("mean", 0) - mean).abs() < 1e-5 && (of("mean", 1) + mean).abs() < 1e-5, "{action}");
    assert!((of("std", 0) - std).abs() < 1e-5 && (of("std", 1) - std).abs() < 1e-5, "{action}");
    assert_eq!(action["count"], json!([4]));
    let frames = &stats["stats"]["frame_index"];
    assert_eq!(
        frames,
        &json!({ "min": [0], "max": [3], "mean": [1.5], "std": [1.25_f64.sqrt()], "count": [4] })
    );
    assert_eq!(stats["stats"].as_object().unwrap().len(), 7);
}

#[test]
fn truncated_trace_is_used_up_to_its_last_complete_line() {
    let cut = Made::new("cut", 0.01).cycles(0..100).text();
    let half = format!("{cut}{{\"type\":\"cycle\",\"cycle\":100,\"goal_d");
    let whole = Made::new("lossy", 0.01)
        .cycles(0..100)
        .report(&Message::Footer(Footer { cycles: 100, dropped: 5 }))
        .text();
    let room = Room::new(&[cut, half, whole]);
    let report = room.write(&mut Counted::default()).unwrap();
    assert_eq!(report.frames, 90);
    for (note, words) in report.notes.iter().zip([
        "0.trace: the trace is truncated",
        "1.trace: the trace is truncated",
        "2.trace: 5 messages",
    ]) {
        assert!(note.contains(words), "{note}");
    }
    assert_eq!(report.notes.len(), 3);
}

#[test]
fn card_names_the_unit_and_contains_no_trace_text() {
    let mut made = Made::new("<b>bold</b>", 0.01);
    made.says(TextSource::Person, "# a title").cycles(0..100).end();
    let room = Room::of(&[&mut made]);
    room.write(&mut Counted::default()).unwrap();
    let card = std::fs::read_to_string(room.dataset().join("README.md")).unwrap();
    assert!(card.contains("radians") && card.contains("`yaw_body`, `left_antenna`"), "{card}");
    assert!(!card.contains("bold") && !card.contains("title") && !card.contains("camera"), "{card}");
}

#[test]
fn long_episode_is_noted_and_endless_one_rejected() {
    let room = Room::of(&[Made::new("long", 0.5).cycles(0..2100).end()]);
    assert!(room.plan().unwrap().report().notes[0].contains("tolerance_s=0.001"));

    let mut sampler = Sampler::new(0.01, 30);
    sampler.take(&minismith_protocol::trace_format::Cycle::default()).unwrap();
    let last = minismith_protocol::trace_format::Cycle { cycle: 1 << 62, ..Default::default() };
    assert!(sampler.take(&last).is_err());
}
