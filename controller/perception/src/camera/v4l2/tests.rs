//! Tests the V4L2 source and the examination against recorded device responses from `tests/fixtures/v4l2`.

use std::fs;
use std::sync::{Arc, Mutex};

use super::device::FourCc;
use super::recorded::{Recording, Requests, several};
use super::*;
use crate::camera::Camera;
use crate::camera::capture::{Capture, CaptureOptions};
use crate::camera::health::examine_by as examine;
use crate::camera::jpeg::tests::jpeg;
use crate::frame::{CameraPose, decode};

const WAIT: Duration = Duration::from_secs(3_600);

fn camera(file: &str, wanted: FormatRequest) -> (V4l2, Arc<Mutex<Requests>>) {
    let (open, requests) = Recording::read(file).opener();
    (V4l2::by(Some("/dev/video0".into()), wanted, nowhere(), open), requests)
}

fn nowhere() -> SysfsPaths {
    SysfsPaths { class: "/nowhere/class".into(), devices: "/nowhere/dev".into() }
}

fn small() -> FormatRequest {
    FormatRequest { width: 640, height: 480, rate: 30.0 }
}

fn refusal(file: &str) -> String {
    camera(file, small()).0.open().unwrap_err().to_string()
}

fn as_jpeg(image: Option<Image>) -> Vec<u8> {
    match image {
        Some(Image::Jpeg(bytes)) => bytes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_recording_names_its_origin() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v4l2");
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(Recording::read(&name).from.len() > 20, "{name}");
        read += 1;
    }
    assert!(read >= 13, "{read}");
}

#[test]
fn webcam_delivers_its_latest_jpeg_unchanged() {
    let (mut webcam, requests) = camera("webcam.yaml", FormatRequest::default());
    assert_eq!(webcam.format(), None);
    webcam.open().unwrap();
    assert_eq!(requests.lock().unwrap().set, Some((FourCc(*b"MJPG"), 1280, 720)));
    assert_eq!(requests.lock().unwrap().interval, Some(Interval(1, 30)));
    assert_eq!(webcam.format().unwrap(), "MJPG 1280x720 at 30 per second");
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(10));
    // Two are ready. Only the newer one counts, without its padding.
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(30));
    assert_eq!(webcam.next(WAIT).unwrap(), None);
    assert_eq!(webcam.skipped(), 0);
    webcam.close();
    webcam.close();
    assert_eq!(requests.lock().unwrap().closings, 1);
    assert!(webcam.next(WAIT).is_err());
}

#[test]
fn robot_camera_uses_the_nearest_supported_size() {
    let (mut lite, requests) = camera("reachy-lite.yaml", FormatRequest::default());
    lite.open().unwrap();
    assert_eq!(requests.lock().unwrap().set, Some((FourCc(*b"MJPG"), 1920, 1080)));
    assert_eq!(lite.format().unwrap(), "MJPG 1920x1080 at 60 per second (requested: 1280x720)");
    // Most programs cannot decode it without its tables.
    assert_eq!(decode(&as_jpeg(lite.next(WAIT).unwrap())).unwrap(), decode(&jpeg(50)).unwrap());
}

#[test]
fn choose_ranks_size_then_reached_rate_then_format() {
    let chosen = |width, height, rate| {
        let (mut webcam, requests) = camera("webcam.yaml", FormatRequest { width, height, rate });
        webcam.open().unwrap();
        let requests = requests.lock().unwrap();
        (requests.set.unwrap(), requests.interval.unwrap())
    };
    assert_eq!(chosen(640, 480, 30.0), ((FourCc(*b"MJPG"), 640, 480), Interval(1, 30)));
    assert_eq!(chosen(800, 450, 12.0), ((FourCc(*b"YUYV"), 800, 448), Interval(1, 10)));
    assert_eq!(chosen(4000, 3000, 7.0), ((FourCc(*b"MJPG"), 1280, 720), Interval(1, 5)));
}

#[test]
fn choose_avoids_a_format_that_is_far_too_slow() {
    let recording = "{device_caps: 0x04200001, formats: [\
                     {code: MJPG, sizes: [{size: [640, 480], rates: [5]}]}, \
                     {code: YUYV, sizes: [{size: [640, 480], rates: [25]}]}]}";
    let chosen = |rate| {
        let (open, requests) = serde_yaml::from_str::<Recording>(recording).unwrap().opener();
        V4l2::by(Some("/dev/video0".into()), FormatRequest { rate, ..small() }, nowhere(), open)
            .open()
            .unwrap();
        let requests = requests.lock().unwrap();
        requests.set.unwrap().0
    };
    assert_eq!((chosen(30.0), chosen(6.0)), (FourCc(*b"YUYV"), FourCc(*b"MJPG")));
}

#[test]
fn source_decodes_the_format_that_the_driver_set() {
    let (mut webcam, requests) =
        camera("webcam-yuyv.yaml", FormatRequest { width: 650, height: 485, rate: 30.0 });
    webcam.open().unwrap();
    // Sizes are aligned to the steps of the range.
    assert_eq!(requests.lock().unwrap().set, Some((FourCc(*b"YUYV"), 640, 480)));
    let Some(Image::Bgr(image)) = webcam.next(WAIT).unwrap() else { panic!("not decoded") };
    assert_eq!((image.width, image.height), (64, 48));
    assert!(image.bgr.iter().all(|shade| *shade == 130));
}

#[test]
fn damaged_images_are_skipped_and_counted() {
    let (mut webcam, _asked) = camera("webcam-faults.yaml", small());
    webcam.open().unwrap();
    // The flagged buffer after the valid one is newer but unusable.
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(40));
    assert_eq!(webcam.skipped(), 4);
}

#[test]
fn next_fails_after_too_many_damaged_images() {
    let mut recording: serde_yaml::Value = serde_yaml::from_str(
        "{device_caps: 0x04200001, formats: [{code: MJPG, sizes: [{size: [640, 480], rates: [30]}]}]}",
    )
    .unwrap();
    let broken: Vec<&str> = std::iter::repeat_n(["cut-off", "nothing"], 80).flatten().collect();
    recording["pictures"] = serde_yaml::to_value(vec![broken]).unwrap();
    let (open, _asked) = serde_yaml::from_value::<Recording>(recording).unwrap().opener();
    let mut webcam = V4l2::by(Some("/dev/video0".into()), small(), nowhere(), open);
    webcam.open().unwrap();
    let error = webcam.next(WAIT).unwrap_err();
    assert_eq!(error.reason, "the last 60 images of /dev/video0 were damaged");
    assert!(error.remedy.contains("cable"));
}

#[test]
fn source_reopens_after_replugging() {
    let (mut webcam, requests) = camera("webcam-unplugged.yaml", small());
    webcam.open().unwrap();
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(1));
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(2));
    assert_eq!(webcam.next(WAIT).unwrap_err().reason, "/dev/video0 was unplugged");
    webcam.close();
    for _ in 0..2 {
        assert_eq!(webcam.open().unwrap_err().reason, "/dev/video0 does not exist");
    }
    webcam.open().unwrap();
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(3));
    assert_eq!(requests.lock().unwrap().closings, 1);
}

#[test]
fn open_reports_cause_and_remedy_for_unusable_devices() {
    for (file, reason, remedy) in [
        ("metadata.yaml", "metadata", "other node"),
        ("unicam.yaml", "pRAA, RG10", "libcamera's V4L2 compatibility"),
        ("unicam-pipeline.yaml", "pipeline that is not configured", "libcamera's V4L2 compatibility"),
        ("codec.yaml", "converts images", "`camera.source`"),
        ("planes.yaml", "is multi-planar", "libcamera's V4L2 compatibility"),
        ("busy.yaml", "in use by another program", "fuser -v /dev/video0"),
        ("no-permission.yaml", "no permission to open", "sudo usermod -aG video $USER"),
        ("gone.yaml", "/dev/video0 does not exist", "plug the camera in"),
        ("no-bandwidth.yaml", "too little USB bandwidth", "another USB port"),
    ] {
        let error = refusal(file);
        let (before, after) = error.split_once("; ").unwrap();
        assert!(before.contains(reason) && after.contains(remedy), "{file}: {error}");
    }
}

#[test]
fn open_rejects_files_that_are_not_v4l2_devices() {
    let mut null = V4l2::new(Some("/dev/null".into()), small());
    assert_eq!(null.open().unwrap_err().reason, "/dev/null is not a camera");
    let mut gone = V4l2::new(Some("/dev/no-such-camera".into()), small());
    assert_eq!(gone.open().unwrap_err().reason, "/dev/no-such-camera does not exist");
}

#[test]
fn open_rejects_an_unsupported_format_from_the_driver() {
    for (sets, reason) in
        [("{code: H264}", "only H264"), ("{size: [8000, 6000]}", "8000x6000"), ("{size: [0, 0]}", "0x0")]
    {
        let recording = format!(
            "{{device_caps: 0x04200001, formats: [{{code: MJPG, sizes: [{{size: [640, 480], rates: [30]}}]}}], sets: {sets}}}"
        );
        let (open, requests) = serde_yaml::from_str::<Recording>(&recording).unwrap().opener();
        let error = V4l2::by(Some("/dev/video0".into()), small(), nowhere(), open).open().unwrap_err();
        assert!(error.reason.contains(reason), "{error}");
        assert_eq!(requests.lock().unwrap().closings, 1);
    }
}

/// Creates a folder like /sys/class/video4linux.
fn machine(nodes: &[(&str, &str, Option<&str>)]) -> (tempfile::TempDir, SysfsPaths) {
    let folder = tempfile::tempdir().unwrap();
    for (node, name, modalias) in nodes {
        let entry = folder.path().join("class").join(node);
        fs::create_dir_all(entry.join("device")).unwrap();
        fs::write(entry.join("name"), format!("{name}\n")).unwrap();
        if let Some(modalias) = modalias {
            fs::write(entry.join("device/modalias"), format!("{modalias}\n")).unwrap();
        }
    }
    let places = SysfsPaths { class: folder.path().join("class"), devices: folder.path().join("dev") };
    (folder, places)
}

#[test]
fn find_prefers_the_robots_camera_then_the_first_usable() {
    let laptop = (
        "video0",
        "Integrated Camera: Integrated C",
        Some("usb:v04F2pB6D9d2783dcEFdsc02dp01ic0Eisc01ip00in00"),
    );
    let metadata = ("video1", "Integrated Camera: Integrated C", None);
    let robots = ("video10", "Reachy Mini Camera", Some("usb:v38FBp1002d0100dcEFdsc02dp01ic0Eisc01ip00in00"));
    let files = [("video0", "metadata.yaml"), ("video1", "webcam.yaml"), ("video10", "reachy-lite.yaml")];
    let (_folder, places) = machine(&[laptop, metadata]);
    let found = find::first(&places, &mut several(&files)).unwrap();
    assert_eq!(found, places.devices.join("video1"));
    let mut laptops = V4l2::by(None, FormatRequest::default(), places, several(&files));
    laptops.open().unwrap();
    assert_eq!(laptops.intrinsics(), None);
    let (_folder, places) = machine(&[laptop, metadata, robots]);
    let mut auto = V4l2::by(None, FormatRequest::default(), places.clone(), several(&files));
    auto.open().unwrap();
    assert!(auto.name().starts_with("Reachy Mini Camera ("), "{}", auto.name());
    assert!(auto.format().unwrap().contains("1920x1080"));
    assert_eq!(auto.intrinsics(), Some(crate::camera::lens::Known::Lite.intrinsics(1920, 1080)));
}

#[test]
fn nodes_omit_codecs_and_image_processors() {
    let (_folder, places) = machine(&[
        ("video10", "bcm2835-codec-decode", None),
        ("video14", "bcm2835-isp-capture0", None),
        ("video9", "UVC Camera", None),
        ("v4l-subdev0", "imx708", None),
    ]);
    let names: Vec<String> = places.nodes().into_iter().map(|node| node.name).collect();
    assert_eq!(names, ["UVC Camera"]);
}

#[test]
fn find_returns_the_first_reason_when_no_camera_is_usable() {
    let (_folder, places) = machine(&[]);
    assert_eq!(find::first(&places, &mut several(&[])).unwrap_err().reason, "no camera was found");
    let (_folder, places) = machine(&[("video0", "unicam", None), ("video1", "unicam", None)]);
    let files = [("video0", "unicam.yaml"), ("video1", "metadata.yaml")];
    let error = find::first(&places, &mut several(&files)).unwrap_err();
    assert!(error.remedy.contains("libcamera"), "{error}");
}

#[test]
fn name_replaces_invalid_characters() {
    let (_folder, places) = machine(&[("video0", "x", None)]);
    fs::write(places.class.join("video0/name"), b"Cam\xffera\x1b[31m\n").unwrap();
    let name = places.nodes().remove(0).name;
    assert!(name.starts_with("Cam") && !name.contains('\u{1b}'), "{name}");
}

#[test]
fn capture_continues_after_replugging() {
    let (webcam, requests) = camera("webcam-unplugged.yaml", small());
    let head = firmware_bridge::posture::HeadPose::neutral();
    let here = CameraPose { time: firmware_bridge::clock::Timestamp::ZERO, head };
    let options = CaptureOptions {
        open_timeout: Duration::MAX,
        retry_interval: (Duration::from_millis(1), Duration::from_millis(1)),
        ..CaptureOptions::default()
    };
    let intrinsics = firmware_bridge::camera::CameraIntrinsics::pinhole(64, 48);
    let capture = Capture::start(Box::new(webcam), intrinsics, Box::new(move || Some(here)), options);
    assert!(capture.wait_until(Duration::from_secs(60), |status| status.frames == 3));
    assert_eq!(capture.latest_frame(&here).unwrap().jpeg().unwrap().as_ref(), jpeg(3).as_slice());
    assert_eq!(capture.status().failures, 3);
    drop(capture);
    let requests = requests.lock().unwrap();
    assert_eq!((requests.openings, requests.closings), (4, 2));
}

#[test]
fn examine_reports_formats_or_a_remedy_for_each_camera() {
    let (_folder, places) = machine(&[
        ("video0", "UVC Camera", None),
        ("video1", "UVC Camera", None),
        ("video2", "Another", None),
        ("video3", "unicam", None),
        ("video4", "Shut", None),
    ]);
    let mut open = several(&[
        ("video0", "webcam.yaml"),
        ("video1", "metadata.yaml"),
        ("video2", "busy.yaml"),
        ("video3", "unicam-pipeline.yaml"),
        ("video4", "no-permission.yaml"),
    ]);
    let found = examine(None, &places, &mut open);
    let [webcam, busy, unicam, shut] = &found[..] else { panic!("{found:?}") };
    assert!(webcam.ok && webcam.remedy.is_none());
    assert!(
        webcam.what.starts_with("UVC Camera (")
            && webcam.what.ends_with("MJPG up to 1280x720, YUYV up to 1280x720")
    );
    for (finding, remedy) in [(busy, "fuser"), (unicam, "libcamerify"), (shut, "usermod")] {
        assert!(!finding.ok && finding.remedy.as_ref().unwrap().contains(remedy), "{finding:?}");
    }
    // A user who names a webcam's second node gets an explanation.
    let named = examine(Some(&places.devices.join("video1")), &places, &mut open);
    assert!(named.len() == 1 && !named[0].ok && named[0].what.contains("metadata"), "{named:?}");
    let none = examine(None, &nowhere(), &mut open);
    assert!(none.len() == 1 && !none[0].ok && none[0].what == "no camera was found", "{none:?}");
}

#[test]
fn examine_runs_on_this_machine() {
    let found = crate::camera::health::examine(Some(Path::new("/dev/null")));
    assert_eq!(found[0].what, "/dev/null is not a camera");
    assert!(!crate::camera::health::examine(None).is_empty());
}

#[test]
fn next_returns_images_from_before_unplugging_first() {
    let recording = "{device_caps: 0x04200001, formats: [{code: MJPG, sizes: [{size: [640, 480], rates: [30]}]}], \
                     pictures: [[\"picture:1\", ENODEV]]}";
    let (open, _asked) = serde_yaml::from_str::<Recording>(recording).unwrap().opener();
    let mut webcam = V4l2::by(Some("/dev/video0".into()), small(), nowhere(), open);
    webcam.open().unwrap();
    assert_eq!(as_jpeg(webcam.next(WAIT).unwrap()), jpeg(1));
    assert!(webcam.next(WAIT).unwrap_err().reason.contains("unplugged"));
}
