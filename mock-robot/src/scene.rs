//! What the camera in the head sees: a floor, a sky, coloured blocks, and photographs of people and things on billboards,
//! drawn by a pinhole camera. The same head pose at the same moment always gives the same picture.
//!
//! Frames: the world stands at the neutral head, x forward, y left, z up, metres, like [`HeadPose`]; pixels as in
//! [`firmware_bridge::camera`].
//!
//! Reading order: [`Scene`], `file` (scenes as text), `photograph`, `board` (what stands in a scene and where it is when), `quad`
//! (how a flat thing is drawn), `light` (brightness and noise).

mod board;
mod file;
mod light;
mod photograph;
mod quad;

use std::path::Path;
use std::time::Duration;

use firmware_bridge::camera::{Lens, Picture, head_from_camera};
use firmware_bridge::posture::HeadPose;
use nalgebra::{Isometry3, Point3, Vector3};

use board::{Block, Board};
pub use file::NoScene;
use light::{Light, Noise};
use quad::View;

/// Blue, green, red.
type Bgr = [u8; 3];

/// The floor under the robot's base, seen from the neutral head.
const FLOOR: f64 = -0.177;
/// The side of a floor tile.
const TILE: f64 = 0.25;

/// Something in a scene, and where it is in a picture: the truth that tests hold what was seen against.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Its name in the scene.
    pub name: String,
    /// What it is: `face`, `cup`, `block`, ...
    pub kind: String,
    /// Its middle in the world, metres; of a face the tip of the nose.
    pub place: [f64; 3],
    /// The pixel of that, also outside of the picture; none behind the camera.
    pub pixel: Option<(f64, f64)>,
    /// Left, top, width and height of all of it, pixels, as far as it is before the camera.
    pub bounds: Option<[f64; 4]>,
    /// Whether the pixel is within the picture and nothing stands before it.
    pub is_visible: bool,
}

/// A room that the head can look around in.
#[derive(Clone, Debug)]
pub struct Scene {
    width: u16,
    height: u16,
    sky: Bgr,
    floor: [Bgr; 2],
    light: Light,
    noise: Noise,
    blocks: Vec<Block>,
    boards: Vec<Board>,
    identity: u64,
}

impl Default for Scene {
    fn default() -> Self {
        Scene::empty()
    }
}

impl Scene {
    /// The scenes that come with the program.
    pub const BUILT_IN: [&str; 6] = ["room", "visitor", "walker", "newcomer", "crowd", "empty"];

    /// Blocks on a floor, and nobody.
    #[must_use]
    pub fn empty() -> Self {
        Scene::parse(file::EMPTY, Path::new("")).unwrap_or_else(|_| Scene::bare())
    }

    /// A floor and a sky.
    fn bare() -> Self {
        Scene {
            width: 320,
            height: 240,
            sky: [235, 206, 170],
            floor: [[96, 110, 120], [120, 134, 146]],
            light: Light::default(),
            noise: Noise::default(),
            blocks: Vec::new(),
            boards: Vec::new(),
            identity: 0,
        }
    }

    /// One of [`BUILT_IN`](Self::BUILT_IN). The photographs lie in this folder; a room whose photographs are not installed has
    /// blocks only.
    ///
    /// # Errors
    /// For any other name, and where a scene that makes no sense without them lacks its photographs.
    pub fn built_in(name: &str, photographs: &Path) -> Result<Self, NoScene> {
        let text = file::built_in(name)?;
        match Scene::parse(text, photographs) {
            Err(NoScene::NoPhotograph { .. }) if name == "room" => Ok(Scene::empty()),
            scene => scene,
        }
    }

    /// The scene in this file.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn load(path: &Path, photographs: &Path) -> Result<Self, NoScene> {
        file::load(path, photographs)
    }

    /// The scene of this text.
    ///
    /// # Errors
    /// What is wrong with it, and where.
    pub fn parse(yaml: &str, photographs: &Path) -> Result<Self, NoScene> {
        file::parse(yaml, photographs)
    }

    /// The same in pictures of another size.
    #[must_use]
    pub fn sized(self, width: u16, height: u16) -> Self {
        Scene { width: width.max(1), height: height.max(1), ..self }
    }

    /// The lens that it is drawn by.
    #[must_use]
    pub fn lens(&self) -> Lens {
        Lens::pinhole(self.width, self.height)
    }

    /// Distinguishes what it shows from what others show: the same text and the same photographs have the same.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{:016x}", self.identity)
    }

    /// What the camera sees from this head pose (`world_from_head`), so long after the beginning.
    #[must_use]
    pub fn render(&self, head: &HeadPose, at: Duration) -> Picture {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let mut bgr = vec![0; width * height * 3];
        self.render_into(head, at, &mut bgr);
        Picture { height, width, bgr }
    }

    /// The same into bytes that are there already; whether there are as many as a picture has.
    pub fn render_into(&self, head: &HeadPose, at: Duration, bgr: &mut [u8]) -> bool {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        if bgr.len() != width * height * 3 {
            return false;
        }
        let view = View::new(&self.lens(), &(head.0 * head_from_camera()));
        let light = self.light.at(at);
        self.surroundings(&view, light.level(), bgr);
        // From far to near: what is nearer is drawn over what is farther.
        let eye = view.eye();
        let mut things: Vec<(f64, Thing<'_>)> = Vec::with_capacity(self.blocks.len() + self.boards.len());
        things.extend(self.blocks.iter().map(|block| (block.distance(&eye), Thing::Block(block))));
        for board in &self.boards {
            if let Some(stands) = board.stands(at) {
                things.push(((stands.middle - eye).norm(), Thing::Board(board, stands)));
            }
        }
        things.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        for (_, thing) in things {
            match thing {
                Thing::Block(block) => block.draw(&view, &light, bgr),
                Thing::Board(board, stands) => board.draw(&view, &light, &stands, bgr),
            }
        }
        self.noise.add(at, head, width * 3, bgr);
        true
    }

    /// Everything in it, and where it is in the picture from this head pose at this moment.
    #[must_use]
    pub fn truth(&self, head: &HeadPose, at: Duration) -> Vec<Seen> {
        let lens = self.lens();
        let world_from_camera = head.0 * head_from_camera();
        let eye = Point3::from(world_from_camera.translation.vector);
        let standing: Vec<(&Board, board::Stands)> =
            self.boards.iter().filter_map(|board| Some((board, board.stands(at)?))).collect();
        let hidden = |place: &Point3<f64>, by_itself: &str| {
            let ray = place - eye;
            // A little before the place itself.
            let before = 1.0 - 1e-3;
            self.blocks
                .iter()
                .any(|block| block.name != by_itself && block.met(&eye, &ray).is_some_and(|at| at < before))
                || standing.iter().any(|(board, stands)| {
                    board.name != by_itself && stands.met(&eye, &ray).is_some_and(|at| at < before)
                })
        };
        let seen = |name: &str, kind: &str, place: Point3<f64>, corners: &[Point3<f64>]| {
            let pixel = |point: &Point3<f64>| lens.pixel(&world_from_camera.inverse_transform_point(point));
            let at = pixel(&place);
            let inside = at.is_some_and(|(u, v)| {
                (-0.5..=lens.width - 0.5).contains(&u) && (-0.5..=lens.height - 0.5).contains(&v)
            });
            Seen {
                name: name.into(),
                kind: kind.into(),
                place: [place.x, place.y, place.z],
                pixel: at,
                bounds: around(corners.iter().filter_map(pixel)),
                is_visible: inside && !hidden(&place, name),
            }
        };
        let boards = standing
            .iter()
            .map(|(board, stands)| seen(&board.name, &board.kind, board.landmark(stands), &stands.corners()));
        let blocks =
            self.blocks.iter().map(|block| seen(&block.name, "block", block.middle(), &block.corners()));
        boards.chain(blocks).collect()
    }

    /// Sky and floor.
    fn surroundings(&self, view: &View, level: f64, bgr: &mut [u8]) {
        let lit = |colour: Bgr| colour.map(|part| light::scaled(part, level));
        let (sky, floor) = (lit(self.sky), self.floor.map(lit));
        let [even, odd] = floor;
        let (eye, step) = (view.eye(), view.step_right());
        let drop = FLOOR - eye.z;
        for (row, line) in bgr.chunks_exact_mut(usize::from(self.width) * 3).enumerate() {
            let mut ray = view.ray(0.0, row as f64);
            for pixel in line.as_chunks_mut::<3>().0 {
                *pixel = if ray.z >= -1e-9 {
                    sky
                } else {
                    let along = drop / ray.z;
                    let tile = |at: f64| (at * (1.0 / TILE)).floor() as i64;
                    if (tile(eye.x + along * ray.x) ^ tile(eye.y + along * ray.y)) & 1 == 1 {
                        odd
                    } else {
                        even
                    }
                };
                ray += step;
            }
        }
    }
}

enum Thing<'a> {
    Block(&'a Block),
    Board(&'a Board, board::Stands),
}

/// The box around some pixels.
fn around(pixels: impl Iterator<Item = (f64, f64)>) -> Option<[f64; 4]> {
    let mut edges: Option<[f64; 4]> = None;
    for (u, v) in pixels {
        let [left, top, right, bottom] = edges.unwrap_or([u, v, u, v]);
        edges = Some([left.min(u), top.min(v), right.max(u), bottom.max(v)]);
    }
    edges.map(|[left, top, right, bottom]| [left, top, right - left, bottom - top])
}

/// A frame of reference whose z is this direction and whose x is level.
fn upright(towards: &Vector3<f64>) -> Isometry3<f64> {
    let level = Vector3::new(towards.x, towards.y, 0.0);
    let yaw = if level.norm() > 1e-9 { level.y.atan2(level.x) } else { 0.0 };
    Isometry3::rotation(Vector3::z() * yaw)
}

#[cfg(test)]
mod tests;
