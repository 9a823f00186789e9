//! The eye in the head: where it sits, how its lens draws the world, and what a picture is.
//!
//! Frames: the camera looks along its z, with x to the right and y down in the picture, metres. Pixels: `u` counts columns
//! from the left, `v` rows from the top, and the middle of the first pixel is at (0, 0), as in OpenCV.

use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// A picture, row by row from the top, three bytes (blue, green, red) a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Rows.
    pub height: usize,
    /// Pixels in a row.
    pub width: usize,
    /// `height * width * 3` bytes.
    pub bgr: Vec<u8>,
}

impl Picture {
    /// A picture of these bytes; none when they are too few or too many, or there is nothing to see.
    #[must_use]
    pub fn of(height: usize, width: usize, bgr: Vec<u8>) -> Option<Self> {
        let bytes = height.checked_mul(width)?.checked_mul(3)?;
        (bytes > 0 && bgr.len() == bytes).then_some(Picture { height, width, bgr })
    }

    /// A pixel: blue, green, red; none outside.
    #[must_use]
    pub fn pixel(&self, row: usize, column: usize) -> Option<[u8; 3]> {
        if column >= self.width {
            return None;
        }
        let at = (row * self.width + column) * 3;
        self.bgr.get(at..at + 3)?.try_into().ok()
    }
}

/// Where the camera sits in the head: `head_from_camera`, from the official package's `vision/look_at.py`.
#[must_use]
pub fn head_from_camera() -> Isometry3<f64> {
    let rotation = Matrix3::new(0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Isometry3::from_parts(Translation3::new(0.0437, 0.0, 0.0512), rotation)
}

/// How a lens bends straight lines: the coefficients of OpenCV's model, in its order k1, k2, p1, p2, k3, k4, k5, k6, s1, s2,
/// s3, s4. A lens without distortion has none but zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distortion(pub [f64; 12]);

impl Distortion {
    /// Of 0, 4, 5, 8 or 12 coefficients in OpenCV's order; none of any other number.
    #[must_use]
    pub fn of(coefficients: &[f64]) -> Option<Self> {
        let fits = matches!(coefficients.len(), 0 | 4 | 5 | 8 | 12);
        if !fits || coefficients.iter().any(|one| !one.is_finite()) {
            return None;
        }
        let mut all = [0.0; 12];
        for (place, one) in all.iter_mut().zip(coefficients) {
            *place = *one;
        }
        Some(Distortion(all))
    }

    /// Where a straight ray (x / z, y / z) is seen.
    #[must_use]
    pub fn bend(&self, x: f64, y: f64) -> (f64, f64) {
        let [_, _, p1, p2, _, _, _, _, s1, s2, s3, s4] = self.0;
        let square = x * x + y * y;
        let radial = self.radial(square);
        let (dx, dy) =
            (2.0 * p1 * x * y + p2 * (square + 2.0 * x * x), p1 * (square + 2.0 * y * y) + 2.0 * p2 * x * y);
        (x * radial + dx + square * (s1 + s2 * square), y * radial + dy + square * (s3 + s4 * square))
    }

    fn radial(&self, square: f64) -> f64 {
        let [k1, k2, _, _, k3, k4, k5, k6, ..] = self.0;
        let under = 1.0 + square * (k4 + square * (k5 + square * k6));
        (1.0 + square * (k1 + square * (k2 + square * k3))) / under
    }

    /// The straight ray of what is seen at (x, y): the inverse of [`bend`](Self::bend), by Newton's method; none where the
    /// model does not hold, far outside of what the lens was measured for.
    #[must_use]
    pub fn straighten(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        if self.0 == [0.0; 12] {
            return Some((x, y));
        }
        const STEP: f64 = 1e-6;
        let (mut at_x, mut at_y) = (x, y);
        for _ in 0..50 {
            let (seen_x, seen_y) = self.bend(at_x, at_y);
            let (off_x, off_y) = (x - seen_x, y - seen_y);
            if off_x.hypot(off_y) < 1e-12 {
                return Some((at_x, at_y));
            }
            let (right_x, right_y) = self.bend(at_x + STEP, at_y);
            let (down_x, down_y) = self.bend(at_x, at_y + STEP);
            let (xx, yx) = ((right_x - seen_x) / STEP, (right_y - seen_y) / STEP);
            let (xy, yy) = ((down_x - seen_x) / STEP, (down_y - seen_y) / STEP);
            let turn = xx * yy - xy * yx;
            // Where this is not positive, the lens would show things mirrored.
            if !turn.is_finite() || turn <= 0.01 {
                return None;
            }
            let (by_x, by_y) = ((yy * off_x - xy * off_y) / turn, (xx * off_y - yx * off_x) / turn);
            // A whole step may lead beyond where the model holds; half of it, or less, comes nearer.
            let mut part = 1.0;
            while part > 1e-3 {
                let (next_x, next_y) = self.bend(at_x + part * by_x, at_y + part * by_y);
                if (x - next_x).hypot(y - next_y) < off_x.hypot(off_y) {
                    break;
                }
                part /= 2.0;
            }
            at_x += part * by_x;
            at_y += part * by_y;
        }
        let (seen_x, seen_y) = self.bend(at_x, at_y);
        ((x - seen_x).hypot(y - seen_y) < 1e-6).then_some((at_x, at_y))
    }
}

/// A lens before pictures of one size: a pinhole and its distortion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lens {
    /// Pixels in a row of its pictures.
    pub width: f64,
    /// Rows of its pictures.
    pub height: f64,
    /// Focal lengths, pixels: across and down.
    pub focal: [f64; 2],
    /// Where the camera's axis meets the picture, pixels.
    pub middle: [f64; 2],
    /// How it bends straight lines.
    pub distortion: Distortion,
}

impl Lens {
    /// A lens without distortion whose axis meets the middle of its pictures: the mock's. Its focal length is that of the
    /// Wireless's Arducam, 550.4 pixels at a width of 1280 (official `media/camera_constants.py`).
    #[must_use]
    pub fn pinhole(width: u16, height: u16) -> Self {
        let (width, height) = (f64::from(width), f64::from(height));
        let focal = 550.4 / 1280.0 * width;
        Lens {
            width,
            height,
            focal: [focal, focal],
            middle: [(width - 1.0) / 2.0, (height - 1.0) / 2.0],
            distortion: Distortion::default(),
        }
    }

    /// The same lens before pictures of another size that show the same.
    #[must_use]
    pub fn scaled(&self, width: usize, height: usize) -> Self {
        let across = width as f64 / self.width;
        let down = height as f64 / self.height;
        // The middle of a pixel is where counting begins, so its edge is half a pixel off.
        let [u, v] = self.middle;
        Lens {
            width: width as f64,
            height: height as f64,
            focal: [self.focal[0] * across, self.focal[1] * down],
            middle: [(u + 0.5) * across - 0.5, (v + 0.5) * down - 0.5],
            distortion: self.distortion,
        }
    }

    /// The direction in which a pixel lies, in the camera's frame, of length one; none where the lens's model does not hold.
    #[must_use]
    pub fn ray(&self, u: f64, v: f64) -> Option<Vector3<f64>> {
        let (x, y) = ((u - self.middle[0]) / self.focal[0], (v - self.middle[1]) / self.focal[1]);
        let (x, y) = self.distortion.straighten(x, y)?;
        let ray = Vector3::new(x, y, 1.0).normalize();
        ray.iter().all(|part| part.is_finite()).then_some(ray)
    }

    /// The pixel where a point of the camera's frame is seen, also outside of the picture; none behind the camera.
    #[must_use]
    pub fn pixel(&self, point: &Point3<f64>) -> Option<(f64, f64)> {
        if point.z <= 1e-9 {
            return None;
        }
        let (x, y) = self.distortion.bend(point.x / point.z, point.y / point.z);
        Some((x * self.focal[0] + self.middle[0], y * self.focal[1] + self.middle[1]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Arducam's, from the official `media/camera_constants.py`.
    fn arducam() -> Lens {
        Lens {
            width: 1280.0,
            height: 720.0,
            focal: [550.4, 549.2],
            middle: [638.0, 364.6],
            distortion: Distortion::of(&[-0.0694, 0.1565, -0.0004, 0.0003, -0.0983]).unwrap(),
        }
    }

    #[test]
    fn a_pixel_and_its_ray_are_each_others_inverse_in_any_size() {
        for lens in [arducam(), arducam().scaled(320, 180), Lens::pinhole(320, 240)] {
            for (across, down) in [(0.5, 0.5), (0.1, 0.2), (0.9, 0.85), (0.1, 0.8)] {
                let (u, v) = (across * (lens.width - 1.0), down * (lens.height - 1.0));
                let ray = lens.ray(u, v).unwrap();
                let (again_u, again_v) = lens.pixel(&Point3::from(ray * 2.5)).unwrap();
                assert!(
                    (again_u - u).abs() < 1e-6 && (again_v - v).abs() < 1e-6,
                    "{u} {v}: {again_u} {again_v}"
                );
            }
        }
    }

    #[test]
    fn where_the_lens_shows_nothing_there_is_no_ray() {
        // This lens's model reaches no further than 1.117 focal lengths from its middle; the corner is 1.33 away.
        assert_eq!(arducam().ray(0.0, 719.0), None);
    }

    #[test]
    fn the_same_place_is_in_the_same_direction_at_any_size() {
        let (large, small) = (arducam(), arducam().scaled(640, 360));
        // The corner between four large pixels is the middle of a small one.
        let (one, other) = (large.ray(100.5, 60.5).unwrap(), small.ray(50.0, 30.0).unwrap());
        assert!((one - other).norm() < 1e-12, "{one} {other}");
    }

    #[test]
    fn what_is_no_picture_or_no_lens_is_none() {
        assert!(Picture::of(2, 3, vec![0; 18]).is_some());
        assert!(Picture::of(2, 3, vec![0; 17]).is_none());
        assert!(Picture::of(0, 3, Vec::new()).is_none());
        assert!(Picture::of(usize::MAX, 3, Vec::new()).is_none());
        assert!(Distortion::of(&[0.1; 6]).is_none());
        assert!(Distortion::of(&[f64::NAN; 4]).is_none());
        assert!(Lens::pinhole(320, 240).pixel(&Point3::new(0.0, 0.0, -1.0)).is_none());
        assert_eq!(Picture::of(1, 2, vec![1, 2, 3, 4, 5, 6]).unwrap().pixel(0, 1), Some([4, 5, 6]));
        assert_eq!(Picture::of(1, 2, vec![1, 2, 3, 4, 5, 6]).unwrap().pixel(0, 2), None);
    }

    #[test]
    fn the_camera_looks_ahead_from_over_the_heads_middle() {
        let ahead = head_from_camera() * Vector3::z();
        assert!((ahead - Vector3::x()).norm() < 1e-12);
        assert!((head_from_camera() * Vector3::x() + Vector3::y()).norm() < 1e-12);
        assert!((head_from_camera() * Vector3::y() + Vector3::z()).norm() < 1e-12);
    }
}
