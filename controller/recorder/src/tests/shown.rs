//! Tests the entities of a recording, their numbers of rows and their values.

use minismith_protocol::trace_format::{Cycle, Header, Message, TextSource};
use re_sdk_types::archetypes::{
    Boxes2D, EncodedImage, LineStrips3D, SeriesLines, StateChange, TextLog, Transform3D,
};

use super::recorded;
use super::support::{CYCLES, Recorded, VOICES, begin, cycle, cycles, end, live, of_every_kind, text};

fn whole(begin: Header, between: Vec<Message>) -> Vec<Message> {
    let count = between.iter().filter(|message| matches!(message, Message::Cycle(_))).count() as u64;
    [vec![Message::Header(begin)], between, vec![end(count)]].concat()
}

#[test]
fn recording_contains_all_values() {
    let mut reported = vec![text(None, TextSource::Workshop, "all is well")];
    reported.extend(cycles(0..CYCLES));
    reported.push(text(Some(700), TextSource::Envelope, "stewart_1 by 2.5 deg"));
    let found = recorded(&whole(begin(), reported));
    assert_eq!(found.blueprints, 1);
    let last = CYCLES as i64 - 1;
    let motors = ["/body/body_rotation", "/legs/stewart_1", "/antennas/left_antenna"];
    for (place, name) in motors.into_iter().enumerate() {
        let curve = found.curves(name);
        assert_eq!(curve.len() as u64, CYCLES, "{name}");
        for number in [0, 999, 1_000, CYCLES - 1] {
            let reported = cycle(number);
            let values = vec![reported.goal_deg[place], reported.present_deg[place]];
            assert_eq!(curve[number as usize], (number as i64, values), "{name}");
        }
        let limits = vec![begin().motors[place].min_deg, begin().motors[place].max_deg];
        assert_eq!(found.curves(&format!("{name}/limits")), [(0, limits.clone()), (last, limits)]);
    }
    assert_eq!(found.curves("/trims/stewart_1"), [(700, vec![2.5])]);
    assert!(!found.chunks.contains_key("/trims/body_rotation"));
    let margins = cycle(CYCLES - 1).margins.unwrap();
    let expected = (last, vec![margins.tilt_deg, margins.relative_yaw_deg]);
    assert_eq!(found.curves("/margins/head").last(), Some(&expected));
    assert_eq!(found.curves("/margins/motors")[0].1, [160.0, 46.99, 179.9]);
    // Every other cycle has no present head pose.
    let yaw = found.curves("/head/yaw");
    assert_eq!(yaw[2].1, [cycle(2).goal_deg[0]; 2]);
    assert!(yaw[3].1[0] == cycle(3).goal_deg[0] && yaw[3].1[1].is_nan());
    let placed = Transform3D::descriptor_translation().component;
    assert_eq!(found.rows("/robot/goal_head", placed), 2_500);
    assert_eq!(found.rows("/robot/head", placed), 1_250);
    assert_eq!(found.rows("/robot/body_rotation", placed), 2_500);
    assert_eq!(found.rows("/robot/body_rotation/stewart_1", placed), 2_500);
    let said = TextLog::descriptor_text().component;
    assert_eq!((found.rows("/said/workshop", said), found.rows("/said/envelope", said)), (1, 1));
    assert!(found.chunks.contains_key("/about"));
    assert!(found.chunks.contains_key("/robot/head/left_antenna/mast"));
    // Entities without data are absent.
    let none = ["/health", "/control_loop", "/camera", "/spans"];
    assert!(!found.chunks.keys().any(|path| none.iter().any(|start| path.starts_with(start))));
    // Robot time follows the cycle number.
    assert_eq!(latest(&found, "/legs/stewart_1", "stage_time"), Some(last * 10_000_000));
    assert_eq!(latest(&found, "/legs/stewart_1", "utc"), None);
}

/// Returns the latest time of a timeline.
fn latest(found: &Recorded, path: &str, timeline: &'static str) -> Option<i64> {
    let times = found.chunks[path].iter().filter_map(|chunk| chunk.timelines().get(&timeline.into()));
    times.filter_map(|times| times.times_raw().iter().copied().max()).max()
}

#[test]
fn setpoint_is_drawn_next_to_goal_and_present() {
    let desired = |number| Cycle { setpoint_deg: vec![1.0, 2.0, 3.0], ..cycle(number) };
    let reported = vec![Message::Cycle(Box::new(cycle(0))), Message::Cycle(Box::new(desired(1)))];
    let curve = recorded(&whole(begin(), reported)).curves("/legs/stewart_1");
    assert!(curve[0].1[..2] == [cycle(0).goal_deg[1], cycle(0).present_deg[1]] && curve[0].1[2].is_nan());
    assert_eq!(curve[1].1, [cycle(1).goal_deg[1], cycle(1).present_deg[1], 2.0]);
}

#[test]
fn leg_connects_motor_crank_and_head() {
    let turned = Cycle { present_deg: vec![90.0, 90.0, 0.0], ..cycle(0) };
    let found = recorded(&whole(begin(), vec![Message::Cycle(Box::new(turned))]));
    let strips = LineStrips3D::descriptor_strips().component;
    let [chunk] = &found.chunks["/robot/rods"].iter().filter(|one| !one.is_static()).collect::<Vec<_>>()[..]
    else {
        panic!("one chunk has the rods")
    };
    let batch = chunk.component_batch::<re_sdk_types::components::LineStrip3D>(strips, 0).unwrap().unwrap();
    let points: Vec<[f32; 3]> = batch[0].0.iter().map(|point| point.0).collect();
    // The body is turned left and the crank points up: its end is above the pivot, which moved from the front to the left.
    let expected = [[0.0, 0.03, 0.12], [0.02, 0.0, 0.177]];
    let off = points.iter().flatten().zip(expected.iter().flatten()).map(|(a, b)| (a - b).abs());
    assert!(points.len() == 2 && off.fold(0.0, f32::max) < 1e-6, "{points:?}");
}

#[test]
fn every_kind_of_message_is_drawn() {
    for begin in [begin(), live()] {
        let is_live = begin.is_live;
        let reported = [cycles(0..30), of_every_kind(29), cycles(30..40)].concat();
        let found = recorded(&whole(begin, reported));
        let at = |path: &str| found.curves(path).last().cloned().unwrap();
        let temperature = at("/health/temperature");
        assert!(temperature.0 == 29 && temperature.1[..2] == [40.5, 41.5] && temperature.1[2].is_nan());
        assert_eq!(at("/health/voltage"), (29, vec![5.0; 3]));
        assert_eq!(at("/health/current"), (29, vec![120.0; 3]));
        assert_eq!(at("/health/speed"), (29, vec![-3.0; 3]));
        assert_eq!(at("/control_loop/jitter"), (29, vec![10.0, 90.0, 400.0]));
        assert_eq!(
            (at("/control_loop/late"), at("/control_loop/dropped")),
            ((29, vec![3.0]), (29, vec![2.0]))
        );
        // The images are unchanged. The second one has no detections, explicitly.
        let images = EncodedImage::descriptor_blob().component;
        assert_eq!(found.rows("/camera", images), 2);
        let blob = found.chunks["/camera"][0].iter_slices::<&[u8]>(images).next().unwrap().to_vec();
        assert!(blob[0].starts_with(b"\xff\xd8\xff\xe0") && blob[0].ends_with(b"JFIF"), "{blob:?}");
        let labels = found.words("/camera/seen", Boxes2D::descriptor_labels().component);
        assert_eq!(labels, [vec!["person 0.75", "cup 0.75"], vec![]]);
        let halves = Boxes2D::descriptor_half_sizes().component;
        let boxes: Vec<_> = found.chunks["/camera/seen"]
            .iter()
            .flat_map(|chunk| chunk.iter_slices::<[f32; 2]>(halves).map(<[_]>::to_vec).collect::<Vec<_>>())
            .collect();
        assert_eq!(boxes, [vec![[40.0, 30.0], [20.0, 30.0]], vec![]]);
        let scores =
            found.chunks["/camera/seen"][0].components_identifiers().find(|one| one.contains("scores"));
        let scores =
            found.chunks["/camera/seen"][0].iter_slices::<f64>(scores.unwrap()).next().unwrap().to_vec();
        assert_eq!(scores, [0.75; 2]);
        let said = TextLog::descriptor_text().component;
        for (_, path) in VOICES {
            assert_eq!(found.words(path, said), [[path]]);
        }
        assert_eq!(found.words("/spans", said), [["nod v1 began"], ["nod v1 ended: done"]]);
        let running = found.words("/spans/running", StateChange::descriptor_state().component);
        assert_eq!(running, [["nod v1", "", "", ""], ["", "", "", ""]]);
        assert_eq!(found.curves("/legs/stewart_1").len(), 40);
        // Each curve has as many names as values, or one more where a setpoint may follow.
        let names = SeriesLines::descriptor_names().component;
        for (path, values) in [("/legs/stewart_1", 3), ("/health/speed", 3), ("/control_loop/jitter", 3)] {
            assert_eq!(found.words(path, names).concat().len(), values, "{path}");
        }
        let utc = latest(&found, "/legs/stewart_1", "utc");
        assert_eq!(utc, is_live.then_some(1_795_420_800_000_000_000 + 390_000_000));
    }
}

#[test]
fn live_trace_may_end_anywhere() {
    let reported = [vec![Message::Header(live())], cycles(0..1_234)].concat();
    let cut = super::lines(&reported) + r#"{"type":"cycle","cycle":12"#;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.rrd");
    let ended = super::record(cut.as_bytes(), &path).unwrap();
    assert!(ended.error.is_none() && ended.cycles == 1_234, "{ended:?}");
    let found = Recorded::read(&path);
    assert_eq!(found.curves("/legs/stewart_1").len(), 1_234);
    // The limits are extended every five seconds, and to the end.
    let limits: Vec<i64> = found.curves("/legs/stewart_1/limits").iter().map(|(cycle, _)| *cycle).collect();
    assert!(limits.len() >= 4 && limits[0] == 0 && limits.ends_with(&[1_233]), "{limits:?}");
    // An invalid line ends the recording, and everything before it is stored.
    let wrong = super::lines(&reported) + "{}\n" + &super::lines(&cycles(1_234..1_300));
    let ended = super::record(wrong.as_bytes(), &path).unwrap();
    assert!(ended.error.unwrap().to_string().contains("line 1236 is invalid"));
    assert_eq!(Recorded::read(&path).curves("/legs/stewart_1").len(), 1_234);
}
