//! The camera that clients of the official SDK see.
//!
//! The SDK knows a camera by a name from a list of its own, with one default size of images and one model of the lens each, and
//! it fails on images of another size. Frames for it are therefore shown as the camera `wireless` of that list takes them,
//! whatever camera is in the head: 1280 by 720 pixels through the lens of the robot. What a client computes from a pixel, such
//! as where to look, is then right for every camera. The images of the robot's own camera in this size pass unchanged.

use firmware_bridge::camera::CameraIntrinsics;
use minismith_perception::camera::lens::Known;
use serde_json::{Value, json};

/// The camera's name in the official list (official `media/camera_constants.py`, `ReachyMiniWirelessCamSpecs`).
pub const NAME: &str = "wireless";

/// Frames per second, as in the official daemon (official `media/media_server.py`, `IPC_FPS`).
pub const FRAMES_PER_SECOND: u32 = 10;

/// Width and height of the images, pixels: the default of that camera.
const SIZE: (u32, u32) = (1280, 720);

/// The size at which the official intrinsics were measured; the SDK scales them to the size of the images.
const MEASURED_SIZE: (u32, u32) = (3840, 2592);

/// Rate that the official list names with the size.
const NAMED_RATE: u32 = 30;

/// Returns the camera's model for the size of the images.
#[must_use]
pub fn intrinsics() -> CameraIntrinsics {
    Known::Lite.intrinsics(SIZE.0, SIZE.1)
}

/// Returns the camera in the format of the official `/api/camera/specs`.
#[must_use]
pub fn specs() -> Value {
    let measured = Known::Lite.intrinsics(MEASURED_SIZE.0, MEASURED_SIZE.1);
    let ([fx, fy], [cx, cy]) = (measured.focal_length, measured.principal_point);
    let (width, height) = SIZE;
    let resolution = json!({
        "name": format!("R{width}x{height}at{NAMED_RATE}fps"),
        "width": width,
        "height": height,
        "fps": NAMED_RATE,
        "crop_factor": 1.0,
    });
    json!({
        "name": NAME,
        "available_resolutions": [resolution],
        "default_resolution": resolution,
        "K": [[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]],
        "D": measured.distortion.0,
    })
}
