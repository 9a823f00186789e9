//! Tests face and object detection on photographs with the real models, which `make models` installs.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::camera::BgrImage;
use minismith_perception::detect::{
    BoundingBox, DetectError, FACES, FaceDetector, LABELS, ObjectDetector, THINGS,
};
use minismith_perception::frame::{decode, resized};
use minismith_perception::models::{ModelError, Models, Provider, RUNTIME};

/// Returns the model folder, in which all models must be installed.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/models");
    for file in [RUNTIME, FACES.file, THINGS.file, "photographs/astronaut.png"] {
        assert!(folder.join(file).is_file(), "{file} is not installed; run `make models`");
    }
    folder
}

fn photo(name: &str) -> BgrImage {
    decode(&fs::read(folder().join("photographs").join(name)).unwrap()).unwrap()
}

fn faces() -> FaceDetector {
    FaceDetector::open(&Models::at(folder())).unwrap()
}

fn objects() -> ObjectDetector {
    ObjectDetector::open(&Models::at(folder())).unwrap()
}

#[track_caller]
fn assert_at(bounds: BoundingBox, [x, y, width, height]: [f64; 4], within: f64) {
    for (is, expected) in [(bounds.x, x), (bounds.y, y), (bounds.width, width), (bounds.height, height)] {
        assert!((is - expected).abs() <= within, "{bounds:?}");
    }
}

/// Bounding box that the official detector reports for the astronaut's face.
const ASTRONAUT: [f64; 4] = [178.2, 62.9, 89.9, 113.3];

#[test]
fn face_detector_finds_the_face_and_no_others() {
    let mut detector = faces();
    let found = detector.detect(&photo("astronaut.png")).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT, 3.0);
    assert!((face.score - 0.93).abs() < 0.02, "{}", face.score);
    // Her right eye is on the left of the image. Eyes, nose and mouth follow from top to bottom.
    let [right_eye, left_eye, nose, right_mouth, left_mouth] = face.landmarks;
    assert!(right_eye.0 < nose.0 && nose.0 < left_eye.0 && right_mouth.0 < left_mouth.0, "{face:?}");
    assert!(right_eye.1 < nose.1 && left_eye.1 < nose.1 && nose.1 < right_mouth.1, "{face:?}");
    for name in ["chelsea.png", "coffee.png"] {
        assert_eq!(detector.detect(&photo(name)).unwrap(), [], "{name}");
    }
    // Repeat the first image with the same detector: no state of the others remains.
    assert_eq!(detector.detect(&photo("astronaut.png")).unwrap(), found);
}

#[test]
fn face_detector_reports_a_shrunk_image_in_its_own_pixels() {
    let large = resized(&photo("astronaut.png"), 1_024, 1_024);
    let found = faces().with_width(Some(320)).detect(&large).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT.map(|one| 2.0 * one), 24.0);
    // No face reaches this threshold.
    assert_eq!(faces().with_threshold(0.99).detect(&large).unwrap(), []);
}

#[test]
fn face_detector_handles_sizes_that_are_no_multiple_of_the_stride() {
    let whole = photo("astronaut.png");
    // Its first 301 columns and 211 rows.
    let cut: Vec<u8> =
        whole.bgr.chunks_exact(whole.width * 3).take(211).flat_map(|row| &row[..301 * 3]).copied().collect();
    let found = faces().detect(&BgrImage::of(211, 301, cut).unwrap()).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT, 6.0);
}

#[test]
fn object_detector_finds_and_labels_objects() {
    let mut detector = objects();
    for (name, label, score, bounds) in [
        ("coffee.png", "cup", 0.59, [169.0, 15.0, 246.0, 251.0]),
        ("astronaut.png", "person", 0.61, [8.0, 8.0, 360.0, 511.0]),
        ("chelsea.png", "cat", 0.52, [0.0, 2.0, 411.0, 294.0]),
    ] {
        let found = detector.detect(&photo(name)).unwrap();
        let [object] = found.as_slice() else { panic!("{name}: {found:?}") };
        assert_eq!(object.label, label, "{name}: {found:?}");
        assert!((object.score - score).abs() < 0.03, "{name}: {found:?}");
        assert_at(object.bounds, bounds, 8.0);
    }
    assert_eq!(detector.detect(&photo("rocket.jpg")).unwrap(), []);
    // The same objects in an image of another size, in its own pixels.
    let small = resized(&photo("coffee.png"), 300, 200);
    let found = detector.with_threshold(0.4).detect(&small).unwrap();
    assert_eq!(found[0].label, "cup", "{found:?}");
    assert_at(found[0].bounds, [84.0, 8.0, 123.0, 125.0], 12.0);
}

#[test]
fn labels_match_the_model() {
    let session = Models::at(folder()).session(&THINGS).unwrap();
    let labels = session.metadata().unwrap().custom("labels").unwrap();
    assert_eq!(labels.split(',').collect::<Vec<_>>(), LABELS);
}

#[test]
fn detectors_accept_any_shape_and_reject_invalid_images() {
    let (mut faces, mut things) = (faces(), objects());
    for (width, height) in [(1, 1), (4_096, 3), (2, 4_096), (4_096, 2_160), (33, 31)] {
        let image = BgrImage { width, height, bgr: vec![90; width * height * 3] };
        assert_eq!(faces.detect(&image).unwrap(), [], "{width} {height}");
        things.detect(&image).unwrap();
    }
    // With a threshold of zero, noise yields every output of the model.
    let noise: Vec<u8> =
        (0..90 * 70 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let noise = BgrImage::of(70, 90, noise).unwrap();
    let all = faces.with_threshold(0.0).with_width(Some(0)).detect(&noise).unwrap();
    assert!(all.iter().all(|face| face.bounds.is_finite()) && all.is_sorted_by(|a, b| a.score >= b.score));
    let all = things.with_threshold(0.0).detect(&noise).unwrap();
    assert!(!all.is_empty() && all.iter().all(|object| object.bounds.is_finite()));

    let (mut faces, mut things) = (self::faces(), self::objects());
    for (width, height, bytes) in [(0, 0, 0), (5, 5, 7), (5, 5, 76), (usize::MAX, 2, 12), (0, 5, 3)] {
        let image = BgrImage { width, height, bgr: vec![0; bytes] };
        assert_eq!(faces.detect(&image), Err(DetectError::InvalidImage));
        assert_eq!(things.detect(&image), Err(DetectError::InvalidImage));
    }
}

#[test]
fn open_names_missing_and_modified_files_with_the_remedy() {
    let installed = folder();
    let folder = tempfile::tempdir().unwrap();
    let open = || FaceDetector::open(&Models::at(folder.path())).err().unwrap();
    let message = |error: &ModelError| {
        let text = error.to_string();
        assert!(text.contains("face detection") && text.contains("`make models`"), "{text}");
        text
    };
    // The model is missing.
    let error = open();
    assert!(matches!(&error, ModelError::NotInstalled { file, .. } if file == FACES.file), "{error}");
    message(&error);
    // The runtime is missing.
    let mut model = fs::read(installed.join(FACES.file)).unwrap();
    fs::write(folder.path().join(FACES.file), &model).unwrap();
    let error = open();
    assert!(matches!(&error, ModelError::NotInstalled { file, .. } if file == RUNTIME), "{error}");
    message(&error);
    // One byte of the model differs.
    std::os::unix::fs::symlink(installed.join(RUNTIME), folder.path().join(RUNTIME)).unwrap();
    assert!(FaceDetector::open(&Models::at(folder.path())).is_ok());
    let middle = model.len() / 2;
    model[middle] ^= 1;
    fs::write(folder.path().join(FACES.file), &model).unwrap();
    let error = open();
    assert!(matches!(&error, ModelError::Broken { .. }) && message(&error).contains("pinned"), "{error}");
}

#[test]
fn missing_provider_is_skipped_and_listed() {
    let names: Vec<_> = Provider::ALL.iter().map(|one| one.name().parse::<Provider>().unwrap()).collect();
    assert_eq!(names, Provider::ALL);
    let error = "abacus".parse::<Provider>().unwrap_err().to_string();
    assert!(error.contains("abacus") && error.contains("xnnpack"), "{error}");

    let models = Models::at(folder()).with_providers(Provider::ALL);
    let lacking = models.lacking().unwrap();
    // The installed runtime supports only the CPU.
    assert_eq!(lacking, &Provider::ALL[1..]);
    let found = FaceDetector::open(&models).unwrap().detect(&photo("astronaut.png")).unwrap();
    assert_eq!(found.len(), 1);
    // A library that does not exist.
    let models = models.with_runtime("/nowhere/at/all.so");
    let error = FaceDetector::open(&models).err().unwrap().to_string();
    assert!(error.contains("all.so is missing in /nowhere/at"), "{error}");
}
