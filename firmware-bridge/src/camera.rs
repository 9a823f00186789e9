//! The camera in the head: its position, its projection model and the type of an image.
//!
//! Frames: the camera looks along its z axis, with x to the right and y down in the image, in metres. Pixels: `u`
//! counts columns from the left and `v` rows from the top. The centre of the first pixel is (0, 0), as in OpenCV.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// An image, stored row by row from the top, with three bytes (blue, green, red) per pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BgrImage {
    /// Number of rows.
    pub height: usize,
    /// Pixels per row.
    pub width: usize,
    /// `height * width * 3` bytes.
    pub bgr: Vec<u8>,
}

impl BgrImage {
    /// Returns an image of these bytes, or `None` if the size is zero or does not match the number of bytes.
    #[must_use]
    pub fn of(height: usize, width: usize, bgr: Vec<u8>) -> Option<Self> {
        let bytes = height.checked_mul(width)?.checked_mul(3)?;
        (bytes > 0 && bgr.len() == bytes).then_some(BgrImage { height, width, bgr })
    }

    /// Returns a pixel as blue, green, red, or `None` outside the image.
    #[must_use]
    pub fn pixel(&self, row: usize, column: usize) -> Option<[u8; 3]> {
        if column >= self.width {
            return None;
        }
        let at = (row * self.width + column) * 3;
        self.bgr.get(at..at + 3)?.try_into().ok()
    }
}

/// Returns the pose of the camera in the head, `head_from_camera`, from the official package's `vision/look_at.py`.
#[must_use]
pub fn head_from_camera() -> Isometry3<f64> {
    let rotation = Matrix3::new(0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Isometry3::from_parts(Translation3::new(0.0437, 0.0, 0.0512), rotation)
}

/// Lens distortion: the coefficients of OpenCV's model, in its order k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4. A
/// lens without distortion has zeros only.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distortion(pub [f64; 12]);

impl Distortion {
    /// Returns a distortion with 0, 4, 5, 8 or 12 coefficients in OpenCV's order, or `None` for any other number of
    /// them.
    #[must_use]
    pub fn of(coefficients: &[f64]) -> Option<Self> {
        let fits = matches!(coefficients.len(), 0 | 4 | 5 | 8 | 12);
        if !fits || coefficients.iter().any(|one| !one.is_finite()) {
            return None;
        }
        let mut all = [0.0; 12];
        for (position, one) in all.iter_mut().zip(coefficients) {
            *position = *one;
        }
        Some(Distortion(all))
    }

    /// Distorts an ideal image point (x / z, y / z).
    #[must_use]
    pub fn distort(&self, x: f64, y: f64) -> (f64, f64) {
        let [_, _, p1, p2, _, _, _, _, s1, s2, s3, s4] = self.0;
        let radius_squared = x * x + y * y;
        let radial = self.radial(radius_squared);
        let (dx, dy) = (
            2.0 * p1 * x * y + p2 * (radius_squared + 2.0 * x * x),
            p1 * (radius_squared + 2.0 * y * y) + 2.0 * p2 * x * y,
        );
        (
            x * radial + dx + radius_squared * (s1 + s2 * radius_squared),
            y * radial + dy + radius_squared * (s3 + s4 * radius_squared),
        )
    }

    fn radial(&self, radius_squared: f64) -> f64 {
        let [k1, k2, _, _, k3, k4, k5, k6, ..] = self.0;
        let denominator = 1.0 + radius_squared * (k4 + radius_squared * (k5 + radius_squared * k6));
        (1.0 + radius_squared * (k1 + radius_squared * (k2 + radius_squared * k3))) / denominator
    }

    /// Removes the distortion from the image point (x, y): the inverse of [`distort`](Self::distort), by Newton's method.
    /// Returns `None` where the model is not valid, far outside the calibrated area.
    #[must_use]
    pub fn undistort(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        if self.0 == [0.0; 12] {
            return Some((x, y));
        }
        const DIFFERENCE_STEP: f64 = 1e-6;
        let (mut at_x, mut at_y) = (x, y);
        for _ in 0..50 {
            let (seen_x, seen_y) = self.distort(at_x, at_y);
            let (off_x, off_y) = (x - seen_x, y - seen_y);
            if off_x.hypot(off_y) < 1e-12 {
                return Some((at_x, at_y));
            }
            let (right_x, right_y) = self.distort(at_x + DIFFERENCE_STEP, at_y);
            let (down_x, down_y) = self.distort(at_x, at_y + DIFFERENCE_STEP);
            let (xx, yx) = ((right_x - seen_x) / DIFFERENCE_STEP, (right_y - seen_y) / DIFFERENCE_STEP);
            let (xy, yy) = ((down_x - seen_x) / DIFFERENCE_STEP, (down_y - seen_y) / DIFFERENCE_STEP);
            let determinant = xx * yy - xy * yx;
            // Where the determinant is not positive, the model would mirror the image.
            if !determinant.is_finite() || determinant <= 0.01 {
                return None;
            }
            let (by_x, by_y) =
                ((yy * off_x - xy * off_y) / determinant, (xx * off_y - yx * off_x) / determinant);
            // A full step may leave the area where the model is valid; half of it, or less, gets closer.
            let mut step_scale = 1.0;
            while step_scale > 1e-3 {
                let (next_x, next_y) = self.distort(at_x + step_scale * by_x, at_y + step_scale * by_y);
                if (x - next_x).hypot(y - next_y) < off_x.hypot(off_y) {
                    break;
                }
                step_scale /= 2.0;
            }
            at_x += step_scale * by_x;
            at_y += step_scale * by_y;
        }
        let (seen_x, seen_y) = self.distort(at_x, at_y);
        ((x - seen_x).hypot(y - seen_y) < 1e-6).then_some((at_x, at_y))
    }
}

/// Camera intrinsics for images of one size: a pinhole model with distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraIntrinsics {
    /// Width of the images, pixels.
    pub width: f64,
    /// Height of the images, pixels.
    pub height: f64,
    /// Focal lengths, horizontal and vertical, pixels.
    pub focal_length: [f64; 2],
    /// The principal point, pixels.
    pub principal_point: [f64; 2],
    /// The lens distortion.
    pub distortion: Distortion,
}

impl CameraIntrinsics {
    /// Returns a camera without distortion whose principal point is the centre of the image, as in the mock. Its focal
    /// length is that of the Wireless's Arducam: 550.4 pixels at a width of 1280 (official
    /// `media/camera_constants.py`).
    #[must_use]
    pub fn pinhole(width: u16, height: u16) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let focal = 550.4 / 1280.0 * width;
        CameraIntrinsics {
            width,
            height,
            focal_length: [focal, focal],
            principal_point: [(width - 1.0) / 2.0, (height - 1.0) / 2.0],
            distortion: Distortion::default(),
        }
    }

    /// Returns the intrinsics of the same camera for images of another size with the same content.
    #[must_use]
    pub fn scaled(&self, width: usize, height: usize) -> Self {
        let across = width as f64 / self.width;
        let down = height as f64 / self.height;
        // Coordinates count from the centre of a pixel, so the edge of a pixel is half a pixel away.
        let [u, v] = self.principal_point;
        CameraIntrinsics {
            width: width as f64,
            height: height as f64,
            focal_length: [self.focal_length[0] * across, self.focal_length[1] * down],
            principal_point: [(u + 0.5) * across - 0.5, (v + 0.5) * down - 0.5],
            distortion: self.distortion,
        }
    }

    /// Returns the unit vector towards a pixel, in the camera's frame, or `None` where the lens model is not valid.
    #[must_use]
    pub fn unproject(&self, u: f64, v: f64) -> Option<Vector3<f64>> {
        let (x, y) = (
            (u - self.principal_point[0]) / self.focal_length[0],
            (v - self.principal_point[1]) / self.focal_length[1],
        );
        let (x, y) = self.distortion.undistort(x, y)?;
        let ray = Vector3::new(x, y, 1.0).normalize();
        ray.iter().all(|component| component.is_finite()).then_some(ray)
    }

    /// Returns the pixel of a point in the camera's frame, which may be outside the image, or `None` behind the camera.
    #[must_use]
    pub fn project(&self, point: &Point3<f64>) -> Option<(f64, f64)> {
        if point.z <= 1e-9 {
            return None;
        }
        let (x, y) = self.distortion.distort(point.x / point.z, point.y / point.z);
        Some((
            x * self.focal_length[0] + self.principal_point[0],
            y * self.focal_length[1] + self.principal_point[1],
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Intrinsics of the Arducam, from the official `media/camera_constants.py`.
    fn arducam() -> CameraIntrinsics {
        CameraIntrinsics {
            width: 1280.0,
            height: 720.0,
            focal_length: [550.4, 549.2],
            principal_point: [638.0, 364.6],
            distortion: Distortion::of(&[-0.0694, 0.1565, -0.0004, 0.0003, -0.0983]).unwrap(),
        }
    }

    #[test]
    fn pixel_and_ray_round_trip_at_any_size() {
        for intrinsics in [arducam(), arducam().scaled(320, 180), CameraIntrinsics::pinhole(320, 240)] {
            for (across, down) in [(0.5, 0.5), (0.1, 0.2), (0.9, 0.85), (0.1, 0.8)] {
                let (u, v) = (across * (intrinsics.width - 1.0), down * (intrinsics.height - 1.0));
                let ray = intrinsics.unproject(u, v).unwrap();
                let (again_u, again_v) = intrinsics.project(&Point3::from(ray * 2.5)).unwrap();
                assert!(
                    (again_u - u).abs() < 1e-6 && (again_v - v).abs() < 1e-6,
                    "{u} {v}: {again_u} {again_v}"
                );
            }
        }
    }

    #[test]
    fn ray_is_none_outside_the_intrinsics_model() {
        // This lens model is valid up to 1.117 focal lengths from the centre; the corner is 1.33 away.
        assert_eq!(arducam().unproject(0.0, 719.0), None);
    }

    #[test]
    fn scaled_intrinsics_give_the_same_ray() {
        let (large, small) = (arducam(), arducam().scaled(640, 360));
        // The corner between four large pixels is the centre of one small pixel.
        let (one, other) = (large.unproject(100.5, 60.5).unwrap(), small.unproject(50.0, 30.0).unwrap());
        assert!((one - other).norm() < 1e-12, "{one} {other}");
    }

    #[test]
    fn invalid_images_and_distortions_are_rejected() {
        assert!(BgrImage::of(2, 3, vec![0; 18]).is_some());
        assert!(BgrImage::of(2, 3, vec![0; 17]).is_none());
        assert!(BgrImage::of(0, 3, Vec::new()).is_none());
        assert!(BgrImage::of(usize::MAX, 3, Vec::new()).is_none());
        assert!(Distortion::of(&[0.1; 6]).is_none());
        assert!(Distortion::of(&[f64::NAN; 4]).is_none());
        assert!(CameraIntrinsics::pinhole(320, 240).project(&Point3::new(0.0, 0.0, -1.0)).is_none());
        assert_eq!(BgrImage::of(1, 2, vec![1, 2, 3, 4, 5, 6]).unwrap().pixel(0, 1), Some([4, 5, 6]));
        assert_eq!(BgrImage::of(1, 2, vec![1, 2, 3, 4, 5, 6]).unwrap().pixel(0, 2), None);
    }

    #[test]
    fn camera_faces_the_heads_x_axis() {
        let ahead = head_from_camera() * Vector3::z();
        assert!((ahead - Vector3::x()).norm() < 1e-12);
        assert!((head_from_camera() * Vector3::x() + Vector3::y()).norm() < 1e-12);
        assert!((head_from_camera() * Vector3::y() + Vector3::z()).norm() < 1e-12);
    }
}
