//! `detect_faces` and `detect_things`: the same model on the same image on both sides. `scene_frames`: frames per
//! second that the mock's camera renders.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::camera::BgrImage;
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_perception::detect::{FaceDetector, ObjectDetector};
use minismith_perception::models::Models;
use mock_robot::scene::Scene;
use serde_json::json;

use super::baseline::Script;
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_control::perception::photos;
use minismith_control::robot::models_of;

pub(super) const NAMES: [&str; 3] = ["detect_faces", "detect_things", "scene_frames"];
const FACES_PEER: &str = "reachy_mini 1.13.0 FaceDetector, Python onnxruntime";
const OBJECTS_PEER: &str = "Python onnxruntime";
const MEASURE: &str = include_str!("../../../tests/support/official/measure_sight.py");

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("sight: the same picture on both sides, and how fast the mock draws");
    let models = models_of(context.config);
    let scene = match Scene::built_in("crowd", &photos(models.folder())) {
        Ok(scene) => Arc::new(scene),
        Err(no) => {
            (context.progress)(&format!("there is nothing to look at: {no}"));
            return NAMES.map(|name| Row::alone(name, "ms", Err(Failed(no.to_string())))).into();
        }
    };
    let image = scene.render(&HeadPose::neutral(), Duration::ZERO);
    let mut peer = context.baselines.packages.as_ref().and_then(|python| {
        start(python, &models, &image)
            .inspect_err(|failed| (context.progress)(&format!("the peer failed: {failed}")))
            .ok()
    });
    let mut rows = Vec::new();
    for (name, which, peer_name, times) in
        [("detect_faces", "faces", FACES_PEER, 100_u32), ("detect_things", "things", OBJECTS_PEER, 10)]
    {
        let times = if context.quick { times.div_ceil(10) } else { times };
        let mut ours = || ours(which, &models, &image, times);
        let mut theirs = peer.as_mut().map(|peer| {
            move || Ok(peer.number(&format!("{which} {times}"), "seconds")? * 1e3 / f64::from(times))
        });
        let medians =
            take_turns(context, context.pick(2, 9), &mut ours, theirs.as_mut().map(|side| side as _));
        rows.push(
            Row::alone(name, "ms", medians.ours)
                .against(peer_name, medians.theirs, Better::Lower)
                .noting("a picture of 320 by 240 with two faces, one thread"),
        );
    }
    let frames = context.pick(50, 1_000);
    let mut drawn = || Ok(drawn(&scene, frames));
    let medians = take_turns(context, context.pick(1, 7), &mut drawn, None);
    rows.push(
        Row::alone("scene_frames", "1/s", medians.ours)
            .noting("320 by 240, two photographs, on one processor"),
    );
    rows
}

/// Returns the milliseconds per image.
fn ours(which: &str, models: &Models, image: &BgrImage, times: u32) -> Result<f64, Failed> {
    let at = Failed::at("our detector");
    let per = |clock: &MonotonicClock| clock.now().seconds() * 1e3 / f64::from(times);
    if which == "faces" {
        let mut detector = FaceDetector::open(models).map_err(|error| at(&error))?;
        detector.detect(image).map_err(|error| at(&error))?;
        let clock = MonotonicClock::start();
        for _ in 0..times {
            black_box(detector.detect(black_box(image)).map_err(|error| at(&error))?);
        }
        return Ok(per(&clock));
    }
    let mut detector = ObjectDetector::open(models).map_err(|error| at(&error))?;
    detector.detect(image).map_err(|error| at(&error))?;
    let clock = MonotonicClock::start();
    for _ in 0..times {
        black_box(detector.detect(black_box(image)).map_err(|error| at(&error))?);
    }
    Ok(per(&clock))
}

/// Returns the frames per second.
fn drawn(scene: &Scene, frames: u32) -> f64 {
    let size = scene.intrinsics();
    let mut bgr = vec![0; size.width as usize * size.height as usize * 3];
    let clock = MonotonicClock::start();
    for frame in 0..frames {
        let yaw = Radians::from_degrees(f64::from(frame % 40) - 20.0);
        let head = HeadPose::new(0.0, 0.0, 0.0, RollPitchYaw { yaw, ..RollPitchYaw::default() });
        scene.render_into(&head, Duration::from_millis(u64::from(frame)), &mut bgr);
        black_box(&bgr);
    }
    f64::from(frames) / clock.now().seconds()
}

fn start(python: &Path, models: &Models, image: &BgrImage) -> Result<Script, Failed> {
    let at = Failed::at("the peer");
    let file = tempfile::NamedTempFile::new().map_err(|error| at(&error))?;
    std::fs::write(file.path(), &image.bgr).map_err(|error| at(&error))?;
    let folder = models.folder().as_os_str().to_owned();
    let mut script = Script::start(python, "the official face detector", MEASURE, &[folder])?;
    let order = json!({ "file": file.path(), "width": image.width, "height": image.height });
    // The peer reads the file before it answers.
    script.ask(&order.to_string())?;
    Ok(script)
}
