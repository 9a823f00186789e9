//! Faces and things in photographs, with the real models; `make models` installs them.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use firmware_bridge::camera::Picture;
use minismith_senses::detect::{Bounds, DetectFault, FACES, FaceDetector, LABELS, THINGS, ThingDetector};
use minismith_senses::frame::{decode, resized};
use minismith_senses::models::{Models, NoModel, Provider, RUNTIME};

/// The folder of models, all of which have to be there.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.cache/models");
    for file in [RUNTIME, FACES.file, THINGS.file, "photographs/astronaut.png"] {
        assert!(folder.join(file).is_file(), "{file} is not installed; run `make models`");
    }
    folder
}

fn photograph(name: &str) -> Picture {
    decode(&fs::read(folder().join("photographs").join(name)).unwrap()).unwrap()
}

fn faces() -> FaceDetector {
    FaceDetector::open(&Models::at(folder())).unwrap()
}

fn things() -> ThingDetector {
    ThingDetector::open(&Models::at(folder())).unwrap()
}

#[track_caller]
fn assert_at(bounds: Bounds, [x, y, width, height]: [f64; 4], within: f64) {
    for (is, meant) in [(bounds.x, x), (bounds.y, y), (bounds.width, width), (bounds.height, height)] {
        assert!((is - meant).abs() <= within, "{bounds:?}");
    }
}

/// Where the official detector finds the astronaut's face.
const ASTRONAUT: [f64; 4] = [178.2, 62.9, 89.9, 113.3];

#[test]
fn a_face_is_found_where_it_is_and_none_where_there_is_none() {
    let mut detector = faces();
    let found = detector.detect(&photograph("astronaut.png")).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT, 3.0);
    assert!((face.score - 0.93).abs() < 0.02, "{}", face.score);
    // Her right eye is to the left in the picture; eyes, nose and mouth lie below each other.
    let [right_eye, left_eye, nose, right_mouth, left_mouth] = face.landmarks;
    assert!(right_eye.0 < nose.0 && nose.0 < left_eye.0 && right_mouth.0 < left_mouth.0, "{face:?}");
    assert!(right_eye.1 < nose.1 && left_eye.1 < nose.1 && nose.1 < right_mouth.1, "{face:?}");
    for name in ["chelsea.png", "coffee.png"] {
        assert_eq!(detector.detect(&photograph(name)).unwrap(), [], "{name}");
    }
    // The same detector on the first picture again: nothing of the others has stayed.
    assert_eq!(detector.detect(&photograph("astronaut.png")).unwrap(), found);
}

#[test]
fn a_shrunk_picture_has_its_faces_in_its_own_pixels() {
    let large = resized(&photograph("astronaut.png"), 1_024, 1_024);
    let found = faces().with_width(Some(320)).detect(&large).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT.map(|one| 2.0 * one), 24.0);
    // A threshold that nothing reaches.
    assert_eq!(faces().with_threshold(0.99).detect(&large).unwrap(), []);
}

#[test]
fn a_face_at_the_edge_of_a_picture_that_fits_no_multiple_is_found() {
    let whole = photograph("astronaut.png");
    // 301 columns and 211 rows of it.
    let cut: Vec<u8> =
        whole.bgr.chunks_exact(whole.width * 3).take(211).flat_map(|row| &row[..301 * 3]).copied().collect();
    let found = faces().detect(&Picture::of(211, 301, cut).unwrap()).unwrap();
    let [face] = found.as_slice() else { panic!("{found:?}") };
    assert_at(face.bounds, ASTRONAUT, 6.0);
}

#[test]
fn things_are_found_and_named() {
    let mut detector = things();
    for (name, label, score, bounds) in [
        ("coffee.png", "cup", 0.59, [169.0, 15.0, 246.0, 251.0]),
        ("astronaut.png", "person", 0.61, [8.0, 8.0, 360.0, 511.0]),
        ("chelsea.png", "cat", 0.52, [0.0, 2.0, 411.0, 294.0]),
    ] {
        let found = detector.detect(&photograph(name)).unwrap();
        let [thing] = found.as_slice() else { panic!("{name}: {found:?}") };
        assert_eq!(thing.label, label, "{name}: {found:?}");
        assert!((thing.score - score).abs() < 0.03, "{name}: {found:?}");
        assert_at(thing.bounds, bounds, 8.0);
    }
    assert_eq!(detector.detect(&photograph("rocket.jpg")).unwrap(), []);
    // The same things in a picture of another size, in its own pixels.
    let small = resized(&photograph("coffee.png"), 300, 200);
    let found = detector.with_threshold(0.4).detect(&small).unwrap();
    assert_eq!(found[0].label, "cup", "{found:?}");
    assert_at(found[0].bounds, [84.0, 8.0, 123.0, 125.0], 12.0);
}

#[test]
fn the_model_has_the_labels_that_are_told() {
    let session = Models::at(folder()).session(&THINGS).unwrap();
    let labels = session.metadata().unwrap().custom("labels").unwrap();
    assert_eq!(labels.split(',').collect::<Vec<_>>(), LABELS);
}

#[test]
fn a_picture_of_any_shape_is_looked_at_and_what_is_none_is_refused() {
    let (mut faces, mut things) = (faces(), things());
    for (width, height) in [(1, 1), (4_096, 3), (2, 4_096), (4_096, 2_160), (33, 31)] {
        let picture = Picture { width, height, bgr: vec![90; width * height * 3] };
        assert_eq!(faces.detect(&picture).unwrap(), [], "{width} {height}");
        things.detect(&picture).unwrap();
    }
    // Noise, in which a threshold of nothing finds whatever the model says.
    let noise: Vec<u8> =
        (0..90 * 70 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let noise = Picture::of(70, 90, noise).unwrap();
    let all = faces.with_threshold(0.0).with_width(Some(0)).detect(&noise).unwrap();
    assert!(all.iter().all(|face| face.bounds.is_finite()) && all.is_sorted_by(|a, b| a.score >= b.score));
    let all = things.with_threshold(0.0).detect(&noise).unwrap();
    assert!(!all.is_empty() && all.iter().all(|thing| thing.bounds.is_finite()));

    let (mut faces, mut things) = (self::faces(), self::things());
    for (width, height, bytes) in [(0, 0, 0), (5, 5, 7), (5, 5, 76), (usize::MAX, 2, 12), (0, 5, 3)] {
        let picture = Picture { width, height, bgr: vec![0; bytes] };
        assert_eq!(faces.detect(&picture), Err(DetectFault::NoPicture));
        assert_eq!(things.detect(&picture), Err(DetectFault::NoPicture));
    }
}

#[test]
fn what_is_not_installed_or_not_what_was_pinned_is_named_with_the_remedy() {
    let installed = folder();
    let folder = tempfile::tempdir().unwrap();
    let open = || FaceDetector::open(&Models::at(folder.path())).err().unwrap();
    let told = |error: &NoModel| {
        let text = error.to_string();
        assert!(text.contains("finding faces") && text.contains("`make models`"), "{text}");
        text
    };
    // The model is missing.
    let error = open();
    assert!(matches!(&error, NoModel::Missing { file, .. } if file == FACES.file), "{error}");
    told(&error);
    // The runtime is.
    let mut model = fs::read(installed.join(FACES.file)).unwrap();
    fs::write(folder.path().join(FACES.file), &model).unwrap();
    let error = open();
    assert!(matches!(&error, NoModel::Missing { file, .. } if file == RUNTIME), "{error}");
    told(&error);
    // The model has a byte of another value.
    std::os::unix::fs::symlink(installed.join(RUNTIME), folder.path().join(RUNTIME)).unwrap();
    assert!(FaceDetector::open(&Models::at(folder.path())).is_ok());
    let middle = model.len() / 2;
    model[middle] ^= 1;
    fs::write(folder.path().join(FACES.file), &model).unwrap();
    let error = open();
    assert!(matches!(&error, NoModel::Broken { .. }) && told(&error).contains("pinned"), "{error}");
}

#[test]
fn a_provider_that_the_runtime_lacks_is_left_out_and_told() {
    let names: Vec<_> = Provider::ALL.iter().map(|one| one.name().parse::<Provider>().unwrap()).collect();
    assert_eq!(names, Provider::ALL);
    let error = "abacus".parse::<Provider>().unwrap_err().to_string();
    assert!(error.contains("abacus") && error.contains("xnnpack"), "{error}");

    let models = Models::at(folder()).preferring(Provider::ALL);
    let lacking = models.lacking().unwrap();
    // The runtime that is installed has the processor alone.
    assert_eq!(lacking, &Provider::ALL[1..]);
    let found = FaceDetector::open(&models).unwrap().detect(&photograph("astronaut.png")).unwrap();
    assert_eq!(found.len(), 1);
    // Another library, which is none.
    let models = models.with_runtime("/nowhere/at/all.so");
    let error = FaceDetector::open(&models).err().unwrap().to_string();
    assert!(error.contains("all.so is missing in /nowhere/at"), "{error}");
}
