//! Detections in photographs, compared with the official face detector and with Python's ONNX Runtime on the same
//! images.

use std::path::Path;

use firmware_bridge::camera::BgrImage;
use minismith_perception::detect::{BoundingBox, FaceDetector, LABELS, ObjectDetector};
use minismith_perception::frame::decode;
use minismith_perception::models::Models;
use minismith_tests::workspace;
use serde::Deserialize;

use super::official_motor::peers_python;

const THRESHOLD: f64 = 0.3;

/// The output of `support/official/detect.py`.
#[derive(Deserialize)]
struct Seen {
    faces: Vec<[f64; 10]>,
    #[serde(rename = "things")]
    objects: Vec<[f64; 6]>,
}

#[allow(clippy::disallowed_methods)] // The reference is Python code and needs a process of its own.
fn seen(python: &Path, models: &Path, image: &BgrImage) -> Seen {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &image.bgr).unwrap();
    let output = std::process::Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("support/official/detect.py"))
        .args([models, file.path()])
        .args([image.width.to_string(), image.height.to_string(), THRESHOLD.to_string()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the upper left part of a photograph.
fn cut(name: &str, width: usize, height: usize) -> BgrImage {
    let models = workspace().join(".cache/models");
    let file = models.join("photographs").join(name);
    let bytes = std::fs::read(&file).unwrap_or_else(|_| panic!("there is no {name}; run `make models`"));
    let whole = decode(&bytes).unwrap();
    let rows = whole.bgr.chunks_exact(whole.width * 3).take(height);
    BgrImage::of(height, width, rows.flat_map(|row| &row[..width * 3]).copied().collect()).unwrap()
}

fn are_close(one: &[f64], other: &[f64]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| (one - other).abs() < 1e-3)
}

fn corners(bounds: BoundingBox) -> [f64; 4] {
    [bounds.x, bounds.y, bounds.x + bounds.width, bounds.y + bounds.height]
}

#[test]
fn detectors_match_the_reference() {
    let Some(python) = peers_python() else { return };
    let folder = workspace().join(".cache/models");
    let models = Models::at(&folder);
    let mut faces = FaceDetector::open(&models).unwrap().with_threshold(THRESHOLD);
    let mut objects = ObjectDetector::open(&models).unwrap().with_threshold(THRESHOLD);
    let (mut all_faces, mut all_objects) = (0, 0);
    for (name, width, height) in [
        ("astronaut.png", 512, 512),
        ("astronaut.png", 301, 211),
        ("coffee.png", 512, 400),
        ("chelsea.png", 451, 300),
    ] {
        let image = cut(name, width, height);
        let meant = seen(&python, &folder, &image);

        let found = faces.detect(&image).unwrap();
        assert_eq!(found.len(), meant.faces.len(), "{name}: {found:?}");
        for (face, meant) in found.iter().zip(&meant.faces) {
            let BoundingBox { x, y, width, height } = face.bounds;
            let [right, left, nose, ..] = face.landmarks;
            let face = [x, y, width, height, right.0, right.1, left.0, left.1, nose.0, nose.1];
            assert!(are_close(&face, meant), "{name}: {face:?}, but {meant:?}");
        }
        all_faces += found.len();

        // An image of another size would be resized first, which this test does not compare.
        if width.max(height) != 512 {
            continue;
        }
        // Each object is one that the reference reports. Every further detection of the reference is a duplicate of one
        // of them.
        let found = objects.detect(&image).unwrap();
        let is = |meant: &[f64; 6], bounds: BoundingBox, label: &str, score: f64| {
            are_close(&meant[..4], &corners(bounds))
                && LABELS[meant[5] as usize] == label
                && (meant[4] - score).abs() < 1e-3
        };
        for object in &found {
            let known =
                meant.objects.iter().any(|meant| is(meant, object.bounds, object.label, object.score));
            assert!(known, "{name}: {object:?} is none of {:?}", meant.objects);
        }
        for meant in meant.objects.iter().filter(|meant| meant[4] >= THRESHOLD) {
            let [x, y, right, below, ..] = *meant;
            let bounds = BoundingBox { x, y, width: right - x, height: below - y };
            let covered =
                found.iter().any(|object| object.score > meant[4] - 1e-3 && object.bounds.iou(&bounds) > 0.5);
            assert!(covered, "{name}: {meant:?} is not among {found:?}");
        }
        all_objects += found.len();
    }
    // At least one image had detections to compare.
    assert!(all_faces >= 2 && all_objects >= 2, "{all_faces} {all_objects}");
}
