//! What stands in a scene: coloured blocks, and flat boards with a photograph on them that may move, come and go.

use std::sync::Arc;
use std::time::Duration;

use nalgebra::{Isometry3, Point3, Vector3};

use super::light::{Light, table};
use super::photograph::{Levels, sample};
use super::quad::{Quad, View};
use super::{Bgr, upright};

/// A coloured box at a fixed place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub name: String,
    pub least: Point3<f64>,
    pub most: Point3<f64>,
    pub colour: Bgr,
}

/// The three pairs of faces get three shades, so that corners show.
const SHADES: [f64; 3] = [0.9, 0.8, 1.0];

impl Block {
    pub fn middle(&self) -> Point3<f64> {
        nalgebra::center(&self.least, &self.most)
    }

    pub fn corners(&self) -> [Point3<f64>; 8] {
        let (least, most) = (self.least, self.most);
        std::array::from_fn(|which| {
            let side = |bit: usize, axis: usize| if which >> bit & 1 == 1 { most[axis] } else { least[axis] };
            Point3::new(side(0, 0), side(1, 1), side(2, 2))
        })
    }

    /// How far its nearest place is.
    pub fn distance(&self, eye: &Point3<f64>) -> f64 {
        let nearest = eye.coords.sup(&self.least.coords).inf(&self.most.coords);
        (nearest - eye.coords).norm()
    }

    /// How far along a ray it begins, in lengths of the ray.
    pub fn met(&self, eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<f64> {
        // Between each pair of faces the ray is from a near to a far moment; in the block, from the last near one to the
        // first far one. A ray parallel to a face gives infinities of the right sign.
        let inverse = ray.map(f64::recip);
        let one = (self.least - eye).component_mul(&inverse);
        let other = (self.most - eye).component_mul(&inverse);
        let (enters, leaves) = (one.inf(&other).max(), one.sup(&other).min());
        (enters > 0.0 && enters <= leaves).then_some(enters)
    }

    /// Draws the faces that look at the eye.
    pub fn draw(&self, view: &View, light: &Light, bgr: &mut [u8]) {
        let eye = view.eye();
        let size = self.most - self.least;
        for (axis, shade) in SHADES.into_iter().enumerate() {
            let (one, other) = ((axis + 1) % 3, (axis + 2) % 3);
            let side = match (eye[axis] < self.least[axis], eye[axis] > self.most[axis]) {
                (true, _) => -1.0,
                (_, true) => 1.0,
                _ => continue,
            };
            let mut corner = self.least;
            if side > 0.0 {
                corner[axis] = self.most[axis];
            }
            let along = |axis: usize| Vector3::ith(axis, size.get(axis).copied().unwrap_or_default());
            let normal = Vector3::ith(axis, side);
            let lit = table(shade * light.on(&normal));
            let colour = self.colour.map(|part| lit.get(usize::from(part)).copied().unwrap_or(part));
            let quad = Quad { corner, across: along(one), down: along(other) };
            quad.each(view, bgr, |pixel, _, _| *pixel = colour);
        }
    }
}

/// A photograph on a flat board.
#[derive(Clone, Debug)]
pub(super) struct Board {
    pub name: String,
    pub kind: String,
    pub levels: Arc<Levels>,
    /// Metres.
    pub height: f64,
    /// Where it looks: none always at the robot, otherwise the yaw of its front.
    pub yaw: Option<f64>,
    pub brightness: f64,
    /// The place on it that counts as its middle: 0 to 1 across and down.
    pub landmark: [f64; 2],
    pub path: Path,
    /// From when until when it is there, seconds.
    pub shown: Option<(f64, f64)>,
}

/// Where something is when.
#[derive(Clone, Debug)]
pub(super) struct Path {
    /// Seconds and places, in order of time; never empty.
    pub stops: Vec<(f64, Point3<f64>)>,
    /// Whether it begins anew at its end.
    pub repeats: bool,
    /// Whether it comes to rest at each stop.
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

/// A board as it stands at a moment.
#[derive(Clone, Debug)]
pub(super) struct Stands {
    pub middle: Point3<f64>,
    /// How wide and high.
    size: (f64, f64),
    /// x out of its front, y to the left of who looks out of it, z up.
    front: Isometry3<f64>,
}

impl Stands {
    fn quad(&self) -> Quad {
        let (width, height) = self.size;
        // Who looks at it has its y to the right.
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

    pub fn met(&self, eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<f64> {
        self.quad().met(eye, ray)
    }
}

impl Board {
    /// How it stands at a moment; none while it is not there.
    pub fn stands(&self, at: Duration) -> Option<Stands> {
        let seconds = at.as_secs_f64();
        if self.shown.is_some_and(|(from, to)| seconds < from || seconds >= to) {
            return None;
        }
        let middle = self.path.at(seconds)?;
        let front = match self.yaw {
            Some(yaw) => Isometry3::rotation(Vector3::z() * yaw),
            None => upright(&-middle.coords),
        };
        Some(Stands { middle, size: (self.height * self.levels.aspect(), self.height), front })
    }

    /// Where its middle is that counts, in the world.
    pub fn landmark(&self, stands: &Stands) -> Point3<f64> {
        let Quad { corner, across, down } = stands.quad();
        let [right, below] = self.landmark;
        corner + across * right + down * below
    }

    /// Draws it, also from behind, where it shows mirrored.
    pub fn draw(&self, view: &View, light: &Light, stands: &Stands, bgr: &mut [u8]) {
        let quad = stands.quad();
        let high = quad.pixels_high(view).unwrap_or(f64::MAX);
        let Some(picture) = self.levels.for_height(high) else { return };
        let lit = table(self.brightness * light.on(&(stands.front * Vector3::x())));
        quad.each(view, bgr, |pixel, across, down| {
            *pixel =
                sample(picture, across, down).map(|part| lit.get(usize::from(part)).copied().unwrap_or(part));
        });
    }
}
