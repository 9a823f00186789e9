//! A flat quadrilateral in perspective: computes the position on it for each pixel.

use firmware_bridge::camera::CameraIntrinsics;
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};

/// The camera of an image.
pub(super) struct View {
    world_from_camera: Isometry3<f64>,
    camera: Matrix3<f64>,
    focal: f64,
    middle: [f64; 2],
    pub width: usize,
    pub height: usize,
}

impl View {
    pub fn new(intrinsics: &CameraIntrinsics, world_from_camera: &Isometry3<f64>) -> Self {
        let [fx, fy] = intrinsics.focal_length;
        let [cx, cy] = intrinsics.principal_point;
        View {
            world_from_camera: *world_from_camera,
            camera: Matrix3::new(fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0),
            focal: fx,
            middle: intrinsics.principal_point,
            width: intrinsics.width as usize,
            height: intrinsics.height as usize,
        }
    }

    /// Returns the position of the camera.
    pub fn eye(&self) -> Point3<f64> {
        Point3::from(self.world_from_camera.translation.vector)
    }

    /// Returns the ray of a pixel in the world, with a depth of one.
    pub fn ray(&self, u: f64, v: f64) -> Vector3<f64> {
        let [cx, cy] = self.middle;
        self.world_from_camera.rotation * Vector3::new((u - cx) / self.focal, (v - cy) / self.focal, 1.0)
    }

    /// Returns the change of the ray from one pixel to the next.
    pub fn step_right(&self) -> Vector3<f64> {
        self.world_from_camera.rotation * Vector3::new(1.0 / self.focal, 0.0, 0.0)
    }

    fn in_camera_frame(&self, point: &Point3<f64>) -> Point3<f64> {
        self.world_from_camera.inverse_transform_point(point)
    }

    /// Returns the pixel of a point in front of the camera.
    fn pixel(&self, point: &Point3<f64>) -> Option<(f64, f64)> {
        let at = self.in_camera_frame(point);
        (at.z > NEAR_PLANE_M).then(|| {
            let [cx, cy] = self.middle;
            (at.x / at.z * self.focal + cx, at.y / at.z * self.focal + cy)
        })
    }
}

/// The near plane: nothing closer to the camera is drawn, metres.
const NEAR_PLANE_M: f64 = 0.02;

/// A flat quadrilateral: a corner, and the two edges that start there.
pub(super) struct Quad {
    pub corner: Point3<f64>,
    pub across: Vector3<f64>,
    pub down: Vector3<f64>,
}

impl Quad {
    pub fn corners(&self) -> [Point3<f64>; 4] {
        let Quad { corner, across, down } = self;
        [*corner, corner + across, corner + down, corner + across + down]
    }

    /// Returns the approximate height in pixels.
    pub fn pixels_high(&self, view: &View) -> Option<f64> {
        let [one, _, other, _] = self.corners();
        let ((u, v), (below_u, below_v)) = (view.pixel(&one)?, view.pixel(&other)?);
        Some((below_u - u).hypot(below_v - v))
    }

    /// Returns where a ray from this eye meets it, in lengths of the ray.
    pub fn intersects(&self, eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<f64> {
        let plane = Matrix3::from_columns(&[self.across, self.down, -ray]);
        let met = plane.try_inverse()? * (eye - self.corner);
        let inside = (0.0..=1.0).contains(&met.x) && (0.0..=1.0).contains(&met.y) && met.z > 0.0;
        inside.then_some(met.z)
    }

    /// Calls `draw` for each pixel that shows it, with the pixel's bytes and the position on it: 0 to 1 across and
    /// down.
    pub fn for_each_pixel(&self, view: &View, bgr: &mut [u8], mut draw: impl FnMut(&mut [u8; 3], f64, f64)) {
        let turn = view.world_from_camera.rotation.inverse();
        let columns = [turn * self.across, turn * self.down, view.in_camera_frame(&self.corner).coords];
        let Some(quad_from_image) = (view.camera * Matrix3::from_columns(&columns)).try_inverse() else {
            return;
        };
        let Some((left, top, right, bottom)) = self.bounds(view) else { return };
        for row in top..bottom {
            let start = quad_from_image * Vector3::new(left as f64, row as f64, 1.0);
            let (mut across, mut down, mut depth) = (start.x, start.y, start.z);
            let from = (row * view.width + left) * 3;
            let to = (row * view.width + right) * 3;
            let Some(line) = bgr.get_mut(from..to) else { return };
            for pixel in line.as_chunks_mut::<3>().0 {
                // The depth is one over the distance; it is negative behind the camera.
                if depth > 0.0 && across >= 0.0 && down >= 0.0 && across <= depth && down <= depth {
                    let scale = depth.recip();
                    draw(pixel, across * scale, down * scale);
                }
                across += quad_from_image.m11;
                down += quad_from_image.m21;
                depth += quad_from_image.m31;
            }
        }
    }

    /// Returns the columns and rows that may show it: left, top, right and bottom (exclusive). Returns the whole image
    /// if a corner is behind the camera, and `None` if all corners are.
    fn bounds(&self, view: &View) -> Option<(usize, usize, usize, usize)> {
        let corners = self.corners();
        let pixels: Vec<(f64, f64)> = corners.iter().filter_map(|corner| view.pixel(corner)).collect();
        if pixels.is_empty() {
            return None;
        }
        if pixels.len() < corners.len() {
            return Some((0, 0, view.width, view.height));
        }
        let [left, top, width, height] = super::bounding_box(pixels.into_iter())?;
        let first = |at: f64, most: usize| (at.floor().max(0.0) as usize).min(most);
        let last = |at: f64, most: usize| ((at.ceil() + 1.0).max(0.0) as usize).min(most);
        let (left, right) = (first(left, view.width), last(left + width, view.width));
        let (top, bottom) = (first(top, view.height), last(top + height, view.height));
        (left < right && top < bottom).then_some((left, top, right, bottom))
    }
}
