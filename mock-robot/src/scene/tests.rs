use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use proptest::prelude::*;

use super::*;

const NOW: Duration = Duration::ZERO;

fn head(x: f64, yaw: f64, pitch: f64) -> HeadPose {
    let angles = RollPitchYaw {
        roll: Radians::ZERO,
        pitch: Radians::from_degrees(pitch),
        yaw: Radians::from_degrees(yaw),
    };
    HeadPose::new(x, 0.0, 0.0, angles)
}

fn seen(x: f64, yaw: f64, pitch: f64) -> BgrImage {
    Scene::default().render(&head(x, yaw, pitch), NOW)
}

/// Returns the folder of the photographs that `make models` installs.
fn photos() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.cache/models/photographs");
    assert!(
        folder.join("astronaut.png").is_file(),
        "{} has no photographs; run `make models`",
        folder.display()
    );
    folder
}

/// Returns the columns of strongly coloured pixels (one component much larger than the other two).
fn columns(image: &BgrImage, strong: usize) -> Vec<usize> {
    let is_strong = |pixel: &[u8]| {
        (0..3).all(|part| part == strong || u16::from(pixel[strong]) > 2 * u16::from(pixel[part]))
    };
    let mut columns: Vec<_> = (0..image.width * image.height)
        .filter(|at| is_strong(&image.bgr[at * 3..at * 3 + 3]))
        .map(|at| at % image.width)
        .collect();
    columns.sort_unstable();
    columns
}

fn centre(image: &BgrImage, strong: usize) -> f64 {
    let columns = columns(image, strong);
    assert!(!columns.is_empty(), "the block is not in the image");
    columns.iter().sum::<usize>() as f64 / columns.len() as f64
}

const BLUE: usize = 0;
const GREEN: usize = 1;
const RED: usize = 2;

#[test]
fn red_block_shifts_right_when_the_head_turns_left() {
    let ahead = seen(0.0, 0.0, 0.0);
    assert_eq!((ahead.height, ahead.width, ahead.bgr.len()), (240, 320, 240 * 320 * 3));
    assert!((centre(&ahead, RED) - 159.5).abs() < 1.0);
    // The block's face is 0.956 m in front of the camera; 20 degrees move it by f tan(20 deg) and a little more.
    let left = centre(&seen(0.0, 20.0, 0.0), RED);
    assert!((left - 159.5 - 50.0).abs() < 8.0, "{left}");
    assert!((centre(&seen(0.0, -20.0, 0.0), RED) - (319.0 - left)).abs() < 1.0);
}

#[test]
fn green_block_is_left_and_blue_block_is_right() {
    assert!(centre(&seen(0.0, 45.0, 0.0), GREEN) < 320.0);
    assert!(centre(&seen(0.0, -45.0, 0.0), BLUE) < 320.0);
    assert!(columns(&seen(0.0, 45.0, 0.0), BLUE).is_empty());
}

#[test]
fn horizon_is_centred_and_rises_when_the_head_looks_down() {
    let sky = Scene::default().sky;
    let horizon = |pitch| {
        let image = seen(0.0, 90.0, pitch);
        (0..image.height).filter(|row| image.bgr[row * image.width * 3..][..3] == sky).count()
    };
    assert_eq!(horizon(0.0), 120);
    // f tan(10 deg) = 24 pixels in the middle column; the first column is slightly off it.
    assert!((92..=98).contains(&horizon(10.0)), "{}", horizon(10.0));
    assert!((142..=150).contains(&horizon(-10.0)), "{}", horizon(-10.0));
}

#[test]
fn moving_forward_enlarges_the_block() {
    assert!(columns(&seen(0.03, 0.0, 0.0), RED).len() > columns(&seen(0.0, 0.0, 0.0), RED).len());
}

#[test]
fn ground_truth_matches_the_image() {
    let truth = |head: &HeadPose| {
        let all = Scene::default().ground_truth(head, NOW);
        all.into_iter().find(|seen| seen.name == "red block").unwrap()
    };
    for (x, yaw, pitch) in [(0.0, 0.0, 0.0), (0.01, 15.0, -5.0), (-0.01, -25.0, 8.0)] {
        let red = truth(&head(x, yaw, pitch));
        let columns = columns(&seen(x, yaw, pitch), RED);
        let [left, _, width, _] = red.bounds.unwrap();
        // The first and the last pixel whose centre is on the block.
        assert!((columns[0] as f64 - left.ceil()).abs() <= 0.5, "{} {left}", columns[0]);
        let last = *columns.last().unwrap() as f64;
        assert!((last - (left + width).floor()).abs() <= 0.5, "{last} {}", left + width);
        assert!(red.is_visible);
    }
    assert!(!truth(&head(0.0, 120.0, 0.0)).is_visible);
    // The yellow block is behind the robot: it is not visible to a head that looks ahead.
    let all = Scene::default().ground_truth(&head(0.0, 0.0, 0.0), NOW);
    let yellow = all.iter().find(|seen| seen.name == "yellow block").unwrap();
    assert_eq!((yellow.pixel, yellow.is_visible), (None, false));
}

/// Returns a scene with one board: a plain red photograph of 40 by 20 pixels, one quarter of it green.
fn one_board(more: &str) -> (tempfile::TempDir, Scene) {
    let folder = tempfile::tempdir().unwrap();
    let mut image = image::RgbImage::from_pixel(40, 20, image::Rgb([220, 10, 10]));
    for column in 0..20 {
        for row in 0..10 {
            image.put_pixel(column, row, image::Rgb([10, 220, 10]));
        }
    }
    image.save(folder.path().join("red.png")).unwrap();
    let yaml = format!("billboards:\n  - {{name: board, kind: cup, image: red.png, height: 0.2, {more}}}\n");
    let scene = Scene::parse(&yaml, folder.path()).unwrap();
    (folder, scene)
}

#[test]
fn photo_is_upright_and_faces_the_robot() {
    let (_folder, scene) = one_board("position: [0.8, 0.1, 0.05]");
    let image = scene.render(&head(0.0, 0.0, 0.0), NOW);
    let (green, red) = (centre(&image, GREEN), centre(&image, RED));
    assert!(green < red, "left and right are swapped: {green} {red}");
    let truth = scene.ground_truth(&head(0.0, 0.0, 0.0), NOW).remove(0);
    let [left, top, width, height] = truth.bounds.unwrap();
    let (u, v) = truth.pixel.unwrap();
    // The board faces the robot, not exactly the camera, which is above the centre of the head.
    assert!((left + width / 2.0 - u).abs() < 2.0 && (top + height / 2.0 - v).abs() < 2.0);
    assert!((width / height - 2.0).abs() < 0.05, "{width} {height}");
    let (u, v) = (u.round() as usize, v.round() as usize);
    assert_eq!(image.pixel(v - 4, u - 8).unwrap().map(|part| part > 128), [false, true, false]);
    assert_eq!(image.pixel(v + 4, u + 8).unwrap().map(|part| part > 128), [false, false, true]);
    // Mirrored, the green quarter is on the right.
    let (_folder, mirrored) = one_board("position: [0.8, 0.1, 0.05], mirrored: true");
    let image = mirrored.render(&head(0.0, 0.0, 0.0), NOW);
    assert!(centre(&image, GREEN) > centre(&image, RED));
}

#[test]
fn boards_follow_their_paths_and_visible_intervals() {
    let more =
        "path: [{t: 1, position: [0.8, -0.2, 0.0]}, {t: 3, position: [0.8, 0.2, 0.0]}], shown: [0, 10]";
    let (_folder, scene) = one_board(more);
    let position = |seconds: f64| {
        let truth = scene.ground_truth(&head(0.0, 0.0, 0.0), Duration::from_secs_f64(seconds));
        truth.first().map(|seen| seen.position_m[1])
    };
    for (seconds, meant) in [(0.0, -0.2), (1.5, -0.1), (2.0, 0.0), (5.0, 0.2)] {
        assert!((position(seconds).unwrap() - meant).abs() < 1e-9, "{seconds}");
    }
    assert_eq!(position(10.0), None);
    assert!(columns(&scene.render(&head(0.0, 0.0, 0.0), Duration::from_secs(11)), RED).is_empty());
    let (_folder, around) =
        one_board("path: [{t: 0, position: [0.8, -0.2, 0]}, {t: 2, position: [0.8, 0.2, 0]}], repeat: true");
    let y = around.ground_truth(&head(0.0, 0.0, 0.0), Duration::from_secs_f64(4.5))[0].position_m[1];
    assert!((y + 0.1).abs() < 1e-9, "{y}");
}

#[test]
fn object_behind_a_block_is_hidden() {
    let (folder, _) = one_board("position: [1.0, 0, 0]");
    let yaml = "blocks: [{name: wall, min: [0.5, -0.5, -0.3], max: [0.6, 0.5, 0.5], colour: [1, 2, 3]}]\n\
        billboards: [{name: board, kind: cup, image: red.png, height: 0.2, position: [1.0, 0, 0.05]}]";
    let scene = Scene::parse(yaml, folder.path()).unwrap();
    assert!(!scene.ground_truth(&head(0.0, 0.0, 0.0), NOW)[0].is_visible);
    assert!(columns(&scene.render(&head(0.0, 0.0, 0.0), NOW), RED).is_empty());
}

#[test]
fn noise_has_its_deviation_and_is_reproducible() {
    let noisy = Scene::parse("noise: 6\nseed: 3", Path::new("")).unwrap();
    let plain = Scene::parse("", Path::new("")).unwrap();
    let pose = head(0.0, 0.0, -30.0);
    let (one, other) = (noisy.render(&pose, NOW), plain.render(&pose, NOW));
    let off: Vec<f64> =
        one.bgr.iter().zip(&other.bgr).map(|(one, other)| f64::from(*one) - f64::from(*other)).collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let deviation = (off.iter().map(|off| (off - mean).powi(2)).sum::<f64>() / off.len() as f64).sqrt();
    assert!(mean.abs() < 0.3 && (deviation - 6.0).abs() < 0.4, "{mean} {deviation}");
    assert_eq!(one, noisy.render(&pose, NOW));
    assert_ne!(one, noisy.render(&pose, Duration::from_millis(33)));
}

#[test]
fn light_and_flicker_change_the_brightness() {
    let brightness = |yaml: &str, at: Duration| {
        let image = Scene::parse(yaml, Path::new("")).unwrap().render(&head(0.0, 0.0, 0.0), at);
        image.bgr.iter().map(|part| f64::from(*part)).sum::<f64>()
    };
    let dark = brightness("light: {ambient: 0.4}", NOW);
    assert!(dark < 0.5 * brightness("", NOW));
    let flicker = "light: {ambient: 0.5, flicker: 0.5, flicker_hz: 1}";
    assert!(brightness(flicker, Duration::from_millis(250)) > 1.3 * brightness(flicker, NOW));
}

#[test]
fn built_in_scenes_load_and_differ() {
    let folder = photos();
    let mut known = std::collections::BTreeSet::new();
    for name in Scene::BUILT_IN {
        let scene = Scene::built_in(name, &folder).unwrap();
        assert!(known.insert(scene.identity()), "{name}");
        assert_eq!(scene.identity(), Scene::built_in(name, &folder).unwrap().identity());
    }
    let nowhere = Path::new("/nowhere");
    assert_eq!(Scene::built_in("room", nowhere).unwrap().identity(), Scene::empty().identity());
    let no = Scene::built_in("visitor", nowhere).unwrap_err();
    assert!(no.to_string().contains("make models"), "{no}");
    assert!(Scene::built_in("kitchen", &folder).unwrap_err().to_string().contains("walker"));
    assert_eq!(Scene::empty().blocks.len(), 4);
}

#[test]
fn invalid_scene_is_rejected_with_its_cause() {
    let cases = [
        ("colour: 3", "unknown field `colour`"),
        ("size: [4, 4]", "16 to 4096"),
        ("size: 7", "size"),
        ("noise: .nan", "noise"),
        ("light: {ambient: -1}", "light.ambient"),
        ("blocks: [{name: b, min: [1, 1, 1], max: [0, 2, 2], colour: [1, 2, 3]}]", "`max`"),
        ("blocks: [{name: b, min: [1e300, 1, 1], max: [0, 2, 2], colour: [1, 2, 3]}]", "min"),
        (
            "billboards: [{name: b, kind: k, image: ../../etc/passwd, height: 1, position: [1, 0, 0]}]",
            "without a folder",
        ),
        ("billboards: [{name: b, kind: k, image: none.png, height: 1, position: [1, 0, 0]}]", "make models"),
        ("billboards: [{name: b, kind: k, image: x.png, height: 1}]", "either `position` or a `path`"),
        (
            "billboards: [{name: b, kind: k, image: x.png, height: 1, path: [{t: 1, position: [1, 0, 0]}, {t: 1, position: [1, 0, 0]}]}]",
            "not in order",
        ),
    ];
    for (yaml, word) in cases {
        let no = Scene::parse(yaml, Path::new("/nowhere")).unwrap_err().to_string();
        assert!(no.contains(word), "{yaml}: {no}");
    }
    let many: String = (0..70)
        .map(|n| format!("  - {{name: b{n}, min: [1,1,1], max: [2,2,2], colour: [1,2,3]}}\n"))
        .collect();
    assert!(
        Scene::parse(&format!("blocks:\n{many}"), Path::new(""))
            .unwrap_err()
            .to_string()
            .contains("more than 64")
    );
    assert!(
        Scene::load(Path::new("/nowhere.yaml"), Path::new(""))
            .unwrap_err()
            .to_string()
            .contains("/nowhere.yaml")
    );
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.png"), b"not a picture").unwrap();
    let yaml = "billboards: [{name: b, kind: k, image: x.png, height: 1, position: [1, 0, 0]}]";
    assert!(matches!(Scene::parse(yaml, folder.path()), Err(SceneError::Photograph { .. })));
}

proptest! {
    #[test]
    fn any_pose_at_any_time_has_an_image_and_a_ground_truth(
        x in -0.1..0.1_f64, y in -0.1..0.1_f64, z in -0.15..0.1_f64,
        roll in -3.2..3.2_f64, pitch in -3.2..3.2_f64, yaw in -3.2..3.2_f64,
        milliseconds in 0_u64..100_000,
    ) {
        let angles = RollPitchYaw { roll: Radians(roll), pitch: Radians(pitch), yaw: Radians(yaw) };
        let scene = Scene::built_in("walker", &photos()).unwrap().sized(48, 36);
        let (pose, at) = (HeadPose::new(x, y, z, angles), Duration::from_millis(milliseconds));
        prop_assert_eq!(scene.render(&pose, at).bgr.len(), 48 * 36 * 3);
        prop_assert_eq!(scene.ground_truth(&pose, at).len(), 5);
        prop_assert!(!scene.render_into(&pose, at, &mut [0; 7]));
    }
}

/// Prints the frame rate of the scenes; a test must not depend on it.
#[test]
fn scenes_report_their_frame_rate() {
    let clock = MonotonicClock::start();
    for name in Scene::BUILT_IN {
        let scene = Scene::built_in(name, &photos()).unwrap();
        let mut bgr = vec![0; 320 * 240 * 3];
        let begun = clock.now();
        let mut frames = 0_u32;
        while frames < 20 || (clock.now().since(begun) < Duration::from_millis(200)) {
            let yaw = f64::from(frames % 60) - 30.0;
            assert!(scene.render_into(
                &head(0.0, yaw, 0.0),
                Duration::from_millis(u64::from(frames) * 33),
                &mut bgr
            ));
            frames += 1;
        }
        let rate = f64::from(frames) / clock.now().since(begun).as_secs_f64();
        println!("{name}: {rate:.0} frames a second");
    }
}

#[test]
fn keys_are_read_by_their_old_names() {
    let (folder, _) = one_board("position: [1.0, 0, 0]");
    let scene = |yaml: &str| Scene::parse(yaml, folder.path()).unwrap();
    let new = scene(
        "blocks: [{name: wall, min: [0.5, -0.5, -0.3], max: [0.6, 0.5, 0.5], colour: [1, 2, 3]}]\n\
         billboards: [{name: board, kind: cup, image: red.png, height: 0.2, path: [{t: 0, position: [1.0, 0, 0.05]}]}]",
    );
    let old = scene(
        "blocks: [{name: wall, least: [0.5, -0.5, -0.3], most: [0.6, 0.5, 0.5], colour: [1, 2, 3]}]\n\
         billboards: [{name: board, kind: cup, photograph: red.png, height: 0.2, path: [{t: 0, at: [1.0, 0, 0.05]}]}]",
    );
    let seen = |scene: &Scene| scene.render(&HeadPose::neutral(), Duration::ZERO).bgr;
    assert_eq!(seen(&old), seen(&new));
}

fn visit(visitor: Visitor, from_s: f64, to_s: f64) -> Visit {
    Visit { visitor, position_m: [0.8, 0.1, 0.1], from_s, to_s }
}

#[test]
fn visitors_come_and_go_at_their_times() {
    let visits = [visit(Visitor::Face, 3.0, 7.0), visit(Visitor::Cat, 10.0, 1e9)];
    let scene = Scene::visited(&visits, &photos()).unwrap();
    let kinds = |seconds: f64| -> Vec<String> {
        let truth = scene.ground_truth(&head(0.0, 0.0, 0.0), Duration::from_secs_f64(seconds));
        truth.into_iter().map(|one| one.kind).filter(|kind| kind != "block").collect()
    };
    let nobody: [&str; 0] = [];
    assert_eq!(kinds(2.99), nobody);
    assert_eq!(kinds(3.0), ["face"]);
    assert_eq!(kinds(6.99), ["face"]);
    assert_eq!(kinds(7.0), nobody);
    assert_eq!(kinds(1000.0), ["cat"]);
    for visitor in [Visitor::Face, Visitor::Cat] {
        let scene = Scene::visited(&[visit(visitor, 0.0, 1.0)], &photos()).unwrap();
        assert_ne!(scene.render(&head(0.0, 0.0, 0.0), NOW), seen(0.0, 0.0, 0.0), "{visitor:?}");
    }
    assert_eq!(Scene::visited(&[], Path::new("/nowhere")).unwrap().identity(), Scene::empty().identity());
    assert!(Scene::visited(&visits, Path::new("/nowhere")).is_err());
    let wrong = Visit { position_m: [f64::NAN, 0.0, 0.0], ..visit(Visitor::Face, 0.0, 1.0) };
    assert!(Scene::visited(&[wrong], &photos()).is_err());
}

#[test]
fn images_with_equal_appearances_are_equal() {
    let visits = [visit(Visitor::Face, 3.0, 7.0)];
    let scene = Scene::visited(&visits, &photos()).unwrap();
    let poses = [head(0.0, 0.0, 0.0), head(0.0, 10.0, 0.0), head(0.01, 10.0, 0.0)];
    let mut images: Vec<(Appearance, BgrImage)> = Vec::new();
    for pose in &poses {
        for seconds in [0.0, 1.0, 3.0, 5.0, 7.5] {
            let at = Duration::from_secs_f64(seconds);
            images.push((scene.appearance(pose, at).unwrap(), scene.render(pose, at)));
        }
    }
    for (one, image) in &images {
        for (other, other_image) in &images {
            assert_eq!(one == other, image == other_image);
        }
    }
    // Another size, and a camera whose images are never equal.
    let small = scene.clone().sized(64, 48);
    assert_ne!(small.appearance(&poses[0], NOW), scene.appearance(&poses[0], NOW));
    let noisy = Scene::built_in("visitor", &photos()).unwrap();
    assert_eq!(noisy.appearance(&poses[0], NOW), None);
    // A light that flickers, and an object that moves.
    let flicker = Scene::parse("light: {flicker: 0.5, flicker_hz: 1}", Path::new("")).unwrap();
    assert_ne!(flicker.appearance(&poses[0], NOW), flicker.appearance(&poses[0], Duration::from_millis(250)));
}
