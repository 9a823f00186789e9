//! The sections `camera` and `vision`: image source, intrinsics, execution providers and vision models.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use firmware_bridge::camera::{CameraIntrinsics, Distortion};
use minismith_perception::models::{Provider, UnknownProvider};

use super::choice::{InvalidValue, nearest, one_of, quoted};
use super::{ConfigError, Endpoint};

/// The image source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CameraSource {
    /// The scene for a simulated robot, the first camera of this computer for a real one.
    Auto,
    /// No camera.
    None,
    /// The scene, also for a real robot.
    Scene,
    /// A camera of this computer.
    Device(PathBuf),
    /// Images from a file or a folder.
    Files(PathBuf),
    /// An MJPEG stream over HTTP.
    Stream(String),
}

impl FromStr for CameraSource {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(CameraSource::Auto),
            "none" => Ok(CameraSource::None),
            "scene" => Ok(CameraSource::Scene),
            url if url.starts_with("http://") || url.starts_with("https://") => {
                Ok(CameraSource::Stream(url.to_owned()))
            }
            device if device.starts_with("/dev/") => Ok(CameraSource::Device(PathBuf::from(device))),
            path if path.contains('/') || path.contains('.') => Ok(CameraSource::Files(PathBuf::from(path))),
            other => {
                let meant = nearest(other, ["auto", "none", "scene"]).map(str::to_owned);
                let meant = meant.or_else(|| other.starts_with("video").then(|| format!("/dev/{other}")));
                Err(InvalidValue::new(
                    other,
                    "auto, none, scene, a device such as /dev/video0, a file or folder of pictures such as \
                     ./pictures, or the address of an MJPEG stream such as http://camera.local:8080/stream",
                )
                .meaning(meant))
            }
        }
    }
}

/// Camera intrinsics by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IntrinsicsName {
    Auto,
    Wireless,
    Lite,
    Pinhole,
}

impl FromStr for IntrinsicsName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let names = [
            ("auto", IntrinsicsName::Auto),
            ("wireless", IntrinsicsName::Wireless),
            ("lite", IntrinsicsName::Lite),
            ("pinhole", IntrinsicsName::Pinhole),
        ];
        one_of(text, &names)
    }
}

/// One number of a calibration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CalibrationFile(pub(super) f64);

impl FromStr for CalibrationFile {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text.parse::<f64>() {
            Ok(value) if value.abs() < 1e6 => Ok(CalibrationFile(value)),
            _ => Err(InvalidValue::new(text, "a number")),
        }
    }
}

/// An ONNX Runtime execution provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProviderName(pub(super) Provider);

impl FromStr for ProviderName {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let names = || Provider::ALL.map(Provider::name);
        text.parse().map(ProviderName).map_err(|_: UnknownProvider| {
            InvalidValue::new(text, names().join(", ")).meaning(nearest(text, names()))
        })
    }
}

/// The scene in front of a simulated camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SceneChoice {
    /// A built-in scene.
    BuiltIn(String),
    /// A scene file.
    File(PathBuf),
}

impl FromStr for SceneChoice {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        let known = mock_robot::scene::Scene::BUILT_IN;
        if known.contains(&text) {
            return Ok(SceneChoice::BuiltIn(text.to_owned()));
        }
        if text.contains('/') || Path::new(text).extension().is_some() {
            return Ok(SceneChoice::File(PathBuf::from(text)));
        }
        let allowed = format!("{}, or the path of a scene file such as ./kitchen.yaml", known.join(", "));
        Err(InvalidValue::new(&quoted(text), allowed).meaning(nearest(text, known.iter().copied())))
    }
}

/// The camera in the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// The image source.
    pub source: CameraSource,
    /// The scene in front of a simulated camera.
    pub scene: SceneChoice,
    /// The requested image size of a camera of this computer, pixels: width, height.
    pub size: (u32, u32),
    /// The requested frame rate, Hz.
    pub fps: u32,
    /// Delay from exposure to arrival of a frame.
    pub latency: Duration,
    /// The intrinsics, for the image size of the calibration.
    pub intrinsics: CameraIntrinsics,
    /// Whether a camera with a known name has its own intrinsics instead.
    pub auto_intrinsics: bool,
    /// The folder for photographs.
    pub photo_directory: PathBuf,
}

/// Object detection and vision models.
#[derive(Clone, Debug, PartialEq)]
pub struct Vision {
    /// ONNX Runtime execution providers, in order of preference.
    pub execution_providers: Vec<Provider>,
    /// Time without a use after which a detector is dropped from memory.
    pub idle_timeout: Duration,
    /// Vision language models; empty if no image may be uploaded.
    pub endpoints: Vec<Endpoint>,
    /// Width of uploaded images, pixels.
    pub upload_width_px: u32,
    /// Maximum number of uploaded images per hour.
    pub max_uploads_per_hour: u32,
}

/// Returns the intrinsics of this name, or those of the calibration if there is one.
pub(super) fn intrinsics(
    name: IntrinsicsName,
    measured: &[CalibrationFile],
    file: &str,
) -> Result<CameraIntrinsics, ConfigError> {
    if measured.is_empty() {
        return Ok(match name {
            // Both from the official `media/camera_constants.py`.
            IntrinsicsName::Auto | IntrinsicsName::Wireless => CameraIntrinsics {
                width: 1280.0,
                height: 720.0,
                focal_length: [550.3564, 549.1653],
                principal_point: [638.0112, 364.589],
                distortion: Distortion::of(&[-0.0694, 0.1565, -0.0004, 0.0003, -0.0983]).unwrap_or_default(),
            },
            IntrinsicsName::Lite => lite(),
            IntrinsicsName::Pinhole => CameraIntrinsics::pinhole(1280, 720),
        });
    }
    let wrong = |problem: &str| ConfigError::Whole {
        file: file.to_owned(),
        problem: format!(
            "camera.calibration {problem}; it is [width, height, fx, fy, cx, cy] of the pictures that it was measured \
             with, pixels, and then 0, 4, 5, 8 or 12 coefficients of distortion in OpenCV's order"
        ),
    };
    let numbers: Vec<f64> = measured.iter().map(|one| one.0).collect();
    let Some(([width, height, fx, fy, cx, cy], distortion)) = numbers.split_first_chunk::<6>() else {
        return Err(wrong("has fewer than six numbers"));
    };
    let sides = [*width, *height, *fx, *fy];
    if sides.iter().any(|side| *side < 16.0) || *cx > *width || *cy > *height || *cx < 0.0 || *cy < 0.0 {
        return Err(wrong(
            "is that of no camera: sides and focal lengths are 16 or more, and the middle is in the picture",
        ));
    }
    let distortion = Distortion::of(distortion)
        .ok_or_else(|| wrong(&format!("has {} coefficients of distortion", distortion.len())))?;
    Ok(CameraIntrinsics {
        width: *width,
        height: *height,
        focal_length: [*fx, *fy],
        principal_point: [*cx, *cy],
        distortion,
    })
}

/// The Lite's stream of 1920 by 1080, as the official package reckons it (`media/camera_constants.py`, `scale_intrinsics`):
/// measured on the whole sensor of 3840 by 2592, each side scaled by itself, and enlarged by a factor of 1.115.
fn lite() -> CameraIntrinsics {
    let (across, down) = (1920.0 / 3840.0, 1080.0 / 2592.0);
    CameraIntrinsics {
        width: 1920.0,
        height: 1080.0,
        focal_length: [2_001.807_642_648_670_7 * across * 1.115, 2_003.077_888_594_410_5 * down * 1.115],
        principal_point: [1_905.876_059_826_701 * across, 1_328.323_971_793_559_4 * down],
        distortion: Distortion([
            -1.465_232_030_129_861_8,
            0.654_271_413_166_741_4,
            0.012_147_809_271_745_049,
            -0.002_677_286_460_143_648,
            0.303_593_994_182_534_9,
            -1.430_080_908_046_187_6,
            0.570_024_082_887_235,
            0.356_729_924_335_295_1,
            0.003_057_363_348_400_015,
            0.000_335_761_400_868_246_4,
            -0.009_897_126_394_310_923,
            -0.002_050_919_484_589_521,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn read(camera: &str) -> Result<Camera, String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("robot.yaml");
        std::fs::write(&file, format!("camera: {{{camera}}}")).unwrap();
        Config::load(Some(&file)).map(|config| config.camera).map_err(|error| error.to_string())
    }

    #[test]
    fn a_camera_is_what_its_words_say() {
        let cases = [
            ("auto", CameraSource::Auto),
            ("none", CameraSource::None),
            ("scene", CameraSource::Scene),
            ("/dev/video2", CameraSource::Device("/dev/video2".into())),
            ("/pictures/", CameraSource::Files("/pictures/".into())),
            ("http://cam.local/stream?x=1", CameraSource::Stream("http://cam.local/stream?x=1".into())),
        ];
        for (source, meant) in cases {
            assert_eq!(read(&format!("source: '{source}'")).unwrap().source, meant);
        }
        assert!(read("source: video0").unwrap_err().contains("did you mean `/dev/video0`?"));
        assert!(read("scene: rooms").unwrap_err().contains("did you mean `room`?"));
        assert!(read("intrinsics: fisheye").unwrap_err().contains("auto, wireless, lite, pinhole"));
    }

    #[test]
    fn a_calibration_goes_before_a_name_and_has_to_be_one() {
        assert!(read("").unwrap().auto_intrinsics && !read("intrinsics: lite").unwrap().auto_intrinsics);
        let own = read("calibration: [640, 480, 500, 501, 320, 240, 0.1, 0, 0, 0, -0.1]").unwrap();
        assert_eq!(
            (own.intrinsics.width, own.intrinsics.focal_length, own.auto_intrinsics),
            (640.0, [500.0, 501.0], false)
        );
        assert_eq!(own.intrinsics.distortion.0[4], -0.1);
        for (numbers, word) in [
            ("1, 2, 3", "fewer than six"),
            ("640, 480, 0, 500, 320, 240", "no camera"),
            ("640, 480, 500, 500, 900, 240", "no camera"),
            ("640, 480, 500, 500, 320, 240, 1, 2, 3", "3 coefficients"),
        ] {
            let no = read(&format!("calibration: [{numbers}]")).unwrap_err();
            assert!(no.contains(word) && no.contains("OpenCV"), "{no}");
        }
        assert!(read("calibration: [a]").unwrap_err().contains("a number"));
    }
}
