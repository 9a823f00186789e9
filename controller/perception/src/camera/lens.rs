//! Intrinsics of the cameras that ship with the robot, from the official `media/camera_constants.py` ([`Known`]).

use firmware_bridge::camera::{CameraIntrinsics, Distortion};

/// A camera model that ships with the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// Camera of the Lite. The Wireless has the same lens.
    Lite,
    /// Earlier camera by Arducam.
    Arducam,
}

/// Zoom factor of some image sizes of the Lite's camera relative to its full sensor.
const ZOOM_BY_SIZE: [((u32, u32), f64); 3] =
    [((1920, 1080), 1.115), ((3264, 2448), 1.115), ((3840, 2160), 1.109)];

impl Known {
    /// Identifies a camera by USB vendor and product, as the kernel writes them in `modalias`.
    #[must_use]
    pub fn of(modalias: &str) -> Option<Self> {
        match modalias.get(..14)? {
            "usb:v38FBp1002" | "usb:v1BCFp28C4" => Some(Known::Lite),
            "usb:v0C45p636D" => Some(Known::Arducam),
            _ => None,
        }
    }

    /// Returns the intrinsics for an image size in pixels. As in the official `media/camera_utils.py`, each axis scales
    /// separately, also for other aspect ratios.
    #[must_use]
    pub fn intrinsics(self, width: u32, height: u32) -> CameraIntrinsics {
        let (measured, zoom) = match self {
            Known::Lite => {
                let zoom = ZOOM_BY_SIZE.iter().find(|(size, _)| *size == (width, height));
                (lite(), zoom.map_or(1.0, |(_, zoom)| *zoom))
            }
            Known::Arducam => (arducam(), 1.0),
        };
        let side = |pixels: u32| usize::try_from(pixels).unwrap_or(usize::MAX);
        let mut intrinsics = measured.scaled(side(width), side(height));
        intrinsics.focal_length = intrinsics.focal_length.map(|focal| focal * zoom);
        intrinsics
    }
}

fn lite() -> CameraIntrinsics {
    CameraIntrinsics {
        width: 3840.0,
        height: 2592.0,
        focal_length: [2001.8076426486707, 2003.0778885944105],
        principal_point: [1905.876059826701, 1328.3239717935594],
        distortion: Distortion([
            -1.4652320301298614,
            0.6542714131667414,
            0.012147809271745049,
            -0.002677286460143648,
            0.3035939941825349,
            -1.4300809080461876,
            0.570024082887235,
            0.3567299243352951,
            0.003057363348400015,
            0.0003357614008682464,
            -0.009897126394310923,
            -0.002050919484589521,
        ]),
    }
}

fn arducam() -> CameraIntrinsics {
    CameraIntrinsics {
        width: 1280.0,
        height: 720.0,
        focal_length: [550.3564, 549.1653],
        principal_point: [638.0112, 364.589],
        distortion: Distortion([
            -0.0694, 0.1565, -0.0004, 0.0003, -0.0983, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_identifies_cameras_by_usb_id() {
        assert_eq!(Known::of("usb:v38FBp1002d0100dcEFdsc02dp01ic0Eisc01ip00in00"), Some(Known::Lite));
        assert_eq!(Known::of("usb:v0C45p636Dd0100"), Some(Known::Arducam));
        assert_eq!(Known::of("usb:v04F2pB6D9d2783"), None);
        assert_eq!(Known::of(""), None);
    }

    #[test]
    fn intrinsics_scales_to_the_image_size() {
        // Calculated by hand: 2001.81 / 3840 * 1920 * 1.115 and 2003.08 / 2592 * 1080 * 1.115.
        let intrinsics = Known::Lite.intrinsics(1920, 1080);
        assert!(
            (intrinsics.focal_length[0] - 1116.01).abs() < 0.01
                && (intrinsics.focal_length[1] - 930.60).abs() < 0.01,
            "{intrinsics:?}"
        );
        assert_eq!(Known::Lite.intrinsics(3840, 2592), lite());
        assert_eq!(Known::Arducam.intrinsics(1280, 720), arducam());
        // Where the distortion model is valid, a pixel has a direction.
        for intrinsics in [intrinsics, lite(), arducam()] {
            let ray =
                intrinsics.unproject(intrinsics.principal_point[0], intrinsics.principal_point[1]).unwrap();
            assert!((ray.z - 1.0).abs() < 1e-3);
            assert!(intrinsics.unproject(intrinsics.width * 0.7, intrinsics.height * 0.3).is_some());
        }
    }
}
