//! The camera that clients of the official SDK see.
//!
//! The SDK knows a camera by a name from a list of its own, with one size of images and one model of the lens each, and it fails
//! on images of another size. Frames for it are therefore shown as the camera `generic` of that list would take them, whatever
//! camera is in the head: 1280 by 720 pixels without distortion. What a client computes from a pixel, such as where to look, is
//! then right for every camera.

use firmware_bridge::camera::{CameraIntrinsics, Distortion};
use serde_json::{Value, json};

/// The camera's name in the official list (official `media/camera_constants.py`, `GenericWebcamSpecs`).
pub const NAME: &str = "generic";

/// Frames per second, as in the official daemon (official `media/media_server.py`, `IPC_FPS`).
pub const FRAMES_PER_SECOND: u32 = 10;

/// Rate of the images that the official list names with the camera; more would not help, less is allowed.
const NAMED_RATE: u32 = 30;

/// Returns the camera's model.
#[must_use]
pub const fn intrinsics() -> CameraIntrinsics {
    CameraIntrinsics {
        width: 1280.0,
        height: 720.0,
        focal_length: [640.0, 640.0],
        principal_point: [640.0, 360.0],
        distortion: Distortion([0.0; 12]),
    }
}

/// Returns the camera in the format of the official `/api/camera/specs`.
#[must_use]
pub fn specs() -> Value {
    let CameraIntrinsics { width, height, focal_length: [fx, fy], principal_point: [cx, cy], .. } =
        intrinsics();
    let (width, height) = (width as u32, height as u32);
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
        "D": [0.0, 0.0, 0.0, 0.0, 0.0],
    })
}
