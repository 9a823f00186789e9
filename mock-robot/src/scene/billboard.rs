//! The objects in a scene: coloured blocks, and billboards with a photograph that can move, appear and disappear.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Isometry3, Point3, Vector3};

use super::light::{Light, brightness_table};
use super::photo_texture::{MipMap, sample};
use super::quad::{Quad, View};
use super::{Bgr, level_frame};

/// A coloured box at a fixed position.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub name: String,
    pub min: Point3<f64>,
    pub max: Point3<f64>,
    pub colour: Bgr,
}

/// The three pairs of faces have three shades, so that edges are visible.
const SHADES: [f64; 3] = [0.9, 0.8, 1.0];

impl Block {
    pub fn middle(&self) -> Point3<f64> {
        nalgebra::center(&self.min, &self.max)
    }

    pub fn corners(&self) -> [Point3<f64>; 8] {
        let (least, most) = (self.min, self.max);
        std::array::from_fn(|which| {
            let side = |bit: usize, axis: usize| if which >> bit & 1 == 1 { most[axis] } else { least[axis] };
            Point3::new(side(0, 0), side(1, 1), side(2, 2))
        })
    }

    /// Returns the distance of the nearest point.
    pub fn distance(&self, eye: &Point3<f64>) -> f64 {
        let nearest = eye.coords.sup(&self.min.coords).inf(&self.max.coords);
        (nearest - eye.coords).norm()
    }

    /// Returns where a ray enters the box, in lengths of the ray.
    pub fn intersects(&self, eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<f64> {
        // Between each pair of faces, the ray has an entry and an exit. It is inside the box from the last entry to the
        // first exit. A ray parallel to a face gives infinities of the correct sign.
        let inverse = ray.map(f64::recip);
        let one = (self.min - eye).component_mul(&inverse);
        let other = (self.max - eye).component_mul(&inverse);
        let (enters, leaves) = (one.inf(&other).max(), one.sup(&other).min());
        (enters > 0.0 && enters <= leaves).then_some(enters)
    }

    /// Draws the faces that face the eye.
    pub fn draw(&self, view: &View, light: &Light, bgr: &mut [u8]) {
        let eye = view.eye();
        let size = self.max - self.min;
        for (axis, shade) in SHADES.into_iter().enumerate() {
            let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
            let side = match (eye[axis] < self.min[axis], eye[axis] > self.max[axis]) {
                (true, _) => -1.0,
                (_, true) => 1.0,
                _ => continue,
            };
            let mut corner = self.min;
            if side > 0.0 {
                corner[axis] = self.max[axis];
            }
            let along = |axis: usize| Vector3::ith(axis, size.get(axis).copied().unwrap_or_default());
            let normal = Vector3::ith(axis, side);
            let lit = brightness_table(shade * light.on(&normal));
            let colour = self.colour.map(|part| lit.get(usize::from(part)).copied().unwrap_or(part));
            let quad = Quad { corner, across: along(one), down: along(other) };
            quad.for_each_pixel(view, bgr, |pixel, _, _| *pixel = colour);
        }
    }
}

/// A photograph on a flat board.
#[derive(Clone, Debug)]
pub(super) struct Billboard {
    pub name: String,
    pub kind: String,
    pub levels: Arc<MipMap>,
    /// The height, metres.
    pub height: f64,
    /// The yaw of its front; `None` if it always faces the robot.
    pub yaw: Option<f64>,
    pub brightness: f64,
    /// The landmark on the photograph, which counts as its centre: 0 to 1 across and down.
    pub landmark: [f64; 2],
    pub path: Path,
    /// The time interval in which it is visible, seconds.
    pub visible: Option<(f64, f64)>,
}

/// The position over time.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Times in seconds with positions, in order; never empty.
    pub stops: Vec<(f64, Point3<f64>)>,
    /// Whether the path repeats from its start.
    pub repeats: bool,
    /// Whether the object comes to rest at each stop.
    pub is_smooth: bool,
}

impl Path {
    pub fn at(&self, seconds: f64) -> Option<Point3<f64>> {
        let (first, last) = (self.stops.first()?, self.stops.last()?);
        let length = last.0 - first.0;
        let seconds = if self.repeats && length > 0.0 {
            first.0 + (seconds - first.0).rem_euclid(length)
        } else {
            seconds
        };
        if seconds <= first.0 {
            return Some(first.1);
        }
        let next = self.stops.iter().position(|(time, _)| *time > seconds);
        let Some(next) = next else { return Some(last.1) };
        let (from, to) = (self.stops.get(next.checked_sub(1)?)?, self.stops.get(next)?);
        let part = (seconds - from.0) / (to.0 - from.0);
        let part = if self.is_smooth { part * part * (3.0 - 2.0 * part) } else { part };
        Some(from.1 + (to.1 - from.1) * part)
    }
}

/// The pose of a board at a point in time.
#[derive(Clone, Debug)]
pub(super) struct BillboardPose {
    pub middle: Point3<f64>,
    /// How wide and high.
    size: (f64, f64),
    /// x points out of its front, y to its own left, z up.
    front: Isometry3<f64>,
}

impl BillboardPose {
    fn quad(&self) -> Quad {
        let (width, height) = self.size;
        // For a viewer, its y axis points to the right.
        let (right, up) = (self.front * Vector3::y(), Vector3::z());
        Quad {
            corner: self.middle - right * (width / 2.0) + up * (height / 2.0),
            across: right * width,
            down: -up * height,
        }
    }

    pub fn corners(&self) -> [Point3<f64>; 4] {
        self.quad().corners()
    }

    pub fn intersects(&self, eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<f64> {
        self.quad().intersects(eye, ray)
    }
}

impl Billboard {
    /// Returns the pose at this time, or `None` while it is not visible.
    pub fn pose_at(&self, at: Duration) -> Option<BillboardPose> {
        let seconds = at.as_secs_f64();
        if self.visible.is_some_and(|(from, to)| seconds < from || seconds >= to) {
            return None;
        }
        let middle = self.path.at(seconds)?;
        let front = match self.yaw {
            Some(yaw) => Isometry3::rotation(Vector3::z() * yaw),
            None => level_frame(&-middle.coords),
        };
        Some(BillboardPose { middle, size: (self.height * self.levels.aspect(), self.height), front })
    }

    /// Returns the position of its landmark in the world.
    pub fn landmark(&self, stands: &BillboardPose) -> Point3<f64> {
        let Quad { corner, across, down } = stands.quad();
        let [right, below] = self.landmark;
        corner + across * right + down * below
    }

    /// Draws the board; from behind it is mirrored.
    pub fn draw(&self, view: &View, light: &Light, stands: &BillboardPose, bgr: &mut [u8]) {
        let quad = stands.quad();
        let high = quad.pixels_high(view).unwrap_or(f64::MAX);
        let Some(image) = self.levels.for_height(high) else { return };
        let lit = brightness_table(self.brightness * light.on(&(stands.front * Vector3::x())));
        quad.for_each_pixel(view, bgr, |pixel, across, down| {
            *pixel =
                sample(image, across, down).map(|part| lit.get(usize::from(part)).copied().unwrap_or(part));
        });
    }
}
