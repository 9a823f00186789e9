//! What the camera in the head sees: a floor, a sky and a few coloured blocks, drawn by a pinhole camera.
//!
//! Frames: the world stands at the neutral head, x forward, y left, z up, metres, like
//! [`HeadPose`]; the camera looks along its z with x right and y down in the picture. The same pose always gives the
//! same picture.

use firmware_bridge::posture::HeadPose;
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, Translation3, UnitQuaternion, Vector3};

/// The floor under the robot's base, seen from the neutral head.
const FLOOR: f64 = -0.177;
/// The side of a floor tile.
const TILE: f64 = 0.25;
/// Focal length in picture widths: the Arducam's fx of 550.4 at 1280 pixels.
const FOCAL_WIDTHS: f64 = 550.4 / 1280.0;

type Bgr = [u8; 3];
const SKY: Bgr = [235, 206, 170];
const FLOOR_TILES: [Bgr; 2] = [[96, 110, 120], [120, 134, 146]];

/// A coloured box at a fixed place.
#[derive(Clone, Copy, Debug)]
struct Block {
    least: Point3<f64>,
    most: Point3<f64>,
    colour: Bgr,
}

const BLOCKS: [Block; 4] = [
    // Red, straight ahead.
    Block { least: Point3::new(1.0, -0.1, FLOOR), most: Point3::new(1.2, 0.1, 0.15), colour: [40, 40, 210] },
    // Green, to the left.
    Block { least: Point3::new(0.6, 0.8, FLOOR), most: Point3::new(0.9, 1.1, 0.1), colour: [60, 180, 60] },
    // Blue, to the right.
    Block { least: Point3::new(0.6, -1.1, FLOOR), most: Point3::new(0.9, -0.8, 0.1), colour: [200, 90, 40] },
    // Yellow, behind.
    Block {
        least: Point3::new(-1.3, -0.2, FLOOR),
        most: Point3::new(-1.0, 0.2, 0.2),
        colour: [60, 210, 230],
    },
];

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

/// Where a visitor's face is: a ball before the robot, a little to the left, that looks at it.
const FACE: Point3<f64> = Point3::new(0.7, 0.12, 0.1);
/// Its radius.
const FACE_RADIUS: f64 = 0.09;
const SKIN: Bgr = [140, 170, 220];
const EYES: Bgr = [40, 40, 50];
const MOUTH: Bgr = [60, 60, 160];

/// A face in a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeenFace {
    /// From -1, the left edge, to 1, the right one.
    pub x: f64,
    /// From -1, the top, to 1, the bottom.
    pub y: f64,
    /// How far it leans to the right in the picture, radians.
    pub roll: f64,
}

/// A room that the head can look around in.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    width: u16,
    height: u16,
    visited: bool,
}

impl Default for Scene {
    /// Pictures of 320 by 240.
    fn default() -> Self {
        Scene { width: 320, height: 240, visited: false }
    }
}

impl Scene {
    /// The same room with somebody in it, whose face is before the robot.
    #[must_use]
    pub fn visited() -> Self {
        Scene { visited: true, ..Scene::default() }
    }

    /// Whether somebody is there, seen or not.
    #[must_use]
    pub const fn is_visited(&self) -> bool {
        self.visited
    }

    /// Where the visitor's face is in the picture from this head pose; none when its middle is outside.
    #[must_use]
    pub fn face(&self, head: &HeadPose) -> Option<SeenFace> {
        let camera_from_world = (head.0 * head_from_camera()).inverse();
        let place = (camera_from_world * FACE).coords;
        let (x, y) = (2.0 * FOCAL_WIDTHS * place.x / place.z, 2.0 * FOCAL_WIDTHS * place.y / place.z);
        let y = y * f64::from(self.width) / f64::from(self.height);
        let up = camera_from_world.rotation * Vector3::z();
        let seen = self.visited && place.z > 0.0 && x.abs() <= 1.0 && y.abs() <= 1.0;
        seen.then(|| SeenFace { x, y, roll: up.x.atan2(-up.y) })
    }

    /// What the camera sees from this head pose (`world_from_head`).
    #[must_use]
    pub fn render(&self, head: &HeadPose) -> Picture {
        let world_from_camera = head.0 * head_from_camera();
        let eye = Point3::from(world_from_camera.translation.vector);
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let focal = FOCAL_WIDTHS * width;
        let mut bgr = Vec::with_capacity(usize::from(self.width) * usize::from(self.height) * 3);
        for row in 0..self.height {
            for column in 0..self.width {
                let right = (f64::from(column) + 0.5 - width / 2.0) / focal;
                let down = (f64::from(row) + 0.5 - height / 2.0) / focal;
                let ray = world_from_camera.rotation * Vector3::new(right, down, 1.0);
                let face = if self.visited { face_along(&eye, &ray) } else { None };
                bgr.extend(face.unwrap_or_else(|| colour_along(&eye, &ray)));
            }
        }
        Picture { height: self.height.into(), width: self.width.into(), bgr }
    }
}

/// Where the camera sits in the head (the official URDF's camera frame).
fn head_from_camera() -> Isometry3<f64> {
    let rotation = Matrix3::new(0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0);
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    Isometry3::from_parts(Translation3::new(0.0437, 0.0, 0.0512), rotation)
}

/// The colour of the face where a ray meets it. Nothing stands before it.
fn face_along(eye: &Point3<f64>, ray: &Vector3<f64>) -> Option<Bgr> {
    let ray = ray.normalize();
    let to = FACE - eye;
    let along = to.dot(&ray);
    let beside = to.norm_squared() - along * along;
    let depth = FACE_RADIUS * FACE_RADIUS - beside;
    if along <= 0.0 || depth < 0.0 {
        return None;
    }
    let met = (eye + ray * (along - depth.sqrt()) - FACE) / FACE_RADIUS;
    let eye_at = |side: f64| (met.y - side).hypot(met.z - 0.3) < 0.15;
    Some(if eye_at(0.35) || eye_at(-0.35) {
        EYES
    } else if met.y.abs() < 0.35 && (met.z + 0.4).abs() < 0.08 {
        MOUTH
    } else {
        SKIN
    })
}

/// The colour of the first thing that a ray meets.
fn colour_along(eye: &Point3<f64>, ray: &Vector3<f64>) -> Bgr {
    let inverse = ray.map(f64::recip);
    let met = BLOCKS.iter().filter_map(|block| Some((meets(block, eye, &inverse)?, block)));
    let nearest = met.min_by(|((one, _), _), ((other, _), _)| one.total_cmp(other));
    if let Some(((_, face), block)) = nearest {
        // The three pairs of faces get three shades, so that corners show.
        let shade = [9_u16, 8, 10].get(face).copied().unwrap_or(10);
        return block.colour.map(|part| u8::try_from(u16::from(part) * shade / 10).unwrap_or(u8::MAX));
    }
    if ray.z >= 0.0 {
        return SKY;
    }
    let along = (FLOOR - eye.z) / ray.z;
    let tile = |at: f64| (at / TILE).floor() as i64;
    let odd = (tile(eye.x + along * ray.x) + tile(eye.y + along * ray.y)).rem_euclid(2) == 1;
    let [even_tile, odd_tile] = FLOOR_TILES;
    if odd { odd_tile } else { even_tile }
}

/// How far along the ray the block begins, and the axis of the face that is met. `inverse` is one over the ray.
fn meets(block: &Block, eye: &Point3<f64>, inverse: &Vector3<f64>) -> Option<(f64, usize)> {
    // Between each pair of faces the ray is from a near to a far moment; in the block, from the last near one to the
    // first far one. A ray parallel to a face gives infinities of the right sign.
    let one = (block.least - eye).component_mul(inverse);
    let other = (block.most - eye).component_mul(inverse);
    let near = one.inf(&other);
    let (enters, leaves) = (near.max(), one.sup(&other).min());
    (enters > 0.0 && enters <= leaves).then(|| (enters, near.imax()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::posture::RollPitchYaw;
    use firmware_bridge::units::Radians;

    fn seen(x: f64, yaw: f64, pitch: f64) -> Picture {
        let angles = RollPitchYaw {
            roll: Radians::ZERO,
            pitch: Radians::from_degrees(pitch),
            yaw: Radians::from_degrees(yaw),
        };
        Scene::default().render(&HeadPose::new(x, 0.0, 0.0, angles))
    }

    /// Columns in which a strongly coloured pixel (one part much larger than the other two) stands.
    fn columns(picture: &Picture, strong: usize) -> Vec<usize> {
        let is_strong = |pixel: &[u8]| {
            (0..3).all(|part| part == strong || u16::from(pixel[strong]) > 2 * u16::from(pixel[part]))
        };
        let mut columns: Vec<_> = (0..picture.width * picture.height)
            .filter(|at| is_strong(&picture.bgr[at * 3..at * 3 + 3]))
            .map(|at| at % picture.width)
            .collect();
        columns.sort_unstable();
        columns
    }

    fn centre(picture: &Picture, strong: usize) -> f64 {
        let columns = columns(picture, strong);
        assert!(!columns.is_empty(), "the block is not in the picture");
        columns.iter().sum::<usize>() as f64 / columns.len() as f64
    }

    const BLUE: usize = 0;
    const GREEN: usize = 1;
    const RED: usize = 2;

    #[test]
    fn the_red_block_stands_ahead_and_shifts_right_when_the_head_turns_left() {
        let ahead = seen(0.0, 0.0, 0.0);
        assert_eq!((ahead.height, ahead.width, ahead.bgr.len()), (240, 320, 240 * 320 * 3));
        assert!((centre(&ahead, RED) - 159.5).abs() < 1.0);
        // The block's face is 0.956 m before the camera; 20 degrees move it by f tan(20 deg) and a little more.
        let left = centre(&seen(0.0, 20.0, 0.0), RED);
        assert!((left - 159.5 - 50.0).abs() < 8.0, "{left}");
        assert!((centre(&seen(0.0, -20.0, 0.0), RED) - (319.0 - left)).abs() < 1.0);
    }

    #[test]
    fn left_is_green_and_right_is_blue() {
        assert!(centre(&seen(0.0, 45.0, 0.0), GREEN) < 320.0);
        assert!(centre(&seen(0.0, -45.0, 0.0), BLUE) < 320.0);
        assert!(columns(&seen(0.0, 45.0, 0.0), BLUE).is_empty());
    }

    #[test]
    fn a_visitor_is_where_the_picture_shows_it() {
        let at = |scene: Scene, yaw: f64, roll: f64| {
            let angles = RollPitchYaw {
                roll: Radians::from_degrees(roll),
                yaw: Radians::from_degrees(yaw),
                ..RollPitchYaw::default()
            };
            let head = HeadPose::new(0.0, 0.0, 0.0, angles);
            (scene.face(&head), scene.render(&head))
        };
        assert_eq!(at(Scene::default(), 0.0, 0.0).0, None);
        for yaw in [0.0, 10.0, 20.0] {
            let (face, picture) = at(Scene::visited(), yaw, 0.0);
            let pixels = picture.bgr.chunks(3).enumerate().filter(|(_, colour)| *colour == SKIN);
            let (mut columns, mut rows, mut count) = (0.0, 0.0, 0.0);
            for (place, _) in pixels {
                columns += (place % 320) as f64;
                rows += (place / 320) as f64;
                count += 1.0;
            }
            let face = face.unwrap();
            assert!((columns / count - 159.5 - 160.0 * face.x).abs() < 3.0, "{yaw}: {face:?}");
            assert!((rows / count - 119.5 - 120.0 * face.y).abs() < 4.0, "{yaw}: {face:?}");
        }
        let lean = |roll| at(Scene::visited(), 10.0, roll).0.unwrap().roll.to_degrees();
        assert!(lean(0.0).abs() < 1e-6);
        assert!((lean(10.0).abs() - 10.0).abs() < 1.0 && lean(10.0) * lean(-10.0) < 0.0, "{}", lean(10.0));
        assert_eq!(at(Scene::visited(), -90.0, 0.0).0, None);
    }

    #[test]
    fn the_horizon_is_in_the_middle_and_rises_when_the_head_looks_down() {
        let horizon = |pitch| {
            let picture = seen(0.0, 90.0, pitch);
            (0..picture.height).filter(|row| picture.bgr[row * picture.width * 3..][..3] == SKY).count()
        };
        assert_eq!(horizon(0.0), 120);
        // f tan(10 deg) = 24 pixels in the middle column; the first column lies a little off it.
        assert!((92..=98).contains(&horizon(10.0)), "{}", horizon(10.0));
        assert!((142..=150).contains(&horizon(-10.0)), "{}", horizon(-10.0));
    }

    #[test]
    fn a_step_forward_makes_the_block_larger_and_the_same_pose_gives_the_same_picture() {
        assert!(columns(&seen(0.03, 0.0, 0.0), RED).len() > columns(&seen(0.0, 0.0, 0.0), RED).len());
        assert_eq!(seen(0.01, 5.0, -3.0), seen(0.01, 5.0, -3.0));
    }
}
