//! The scene of the simulated camera: a floor, a sky, coloured blocks, and billboards with photographs of people and
//! objects, rendered by a pinhole camera. The same head pose at the same time always gives the same image.
//!
//! Frames: the origin of the world is the neutral head, x forward, y left, z up, metres, like [`HeadPose`]; pixels as
//! in [`firmware_bridge::camera`].
//!
//! Reading order: [`Scene`], `file` (the scene format), `visit` (scenes in which people come and go), `photo_texture`,
//! `billboard` (the objects in a scene and their motion), `quad` (rendering of a flat object), `light` (brightness and
//! noise), `appearance` (what an image depends on).

mod appearance;
mod billboard;
mod file;
mod light;
mod photo_texture;
mod quad;
mod visit;

use std::path::Path;
use std::time::Duration;

use firmware_bridge::camera::{BgrImage, CameraIntrinsics, head_from_camera};
use firmware_bridge::posture::HeadPose;
use nalgebra::{Isometry3, Point3, Vector3};

pub use appearance::Appearance;
use billboard::{Billboard, Block};
pub use file::SceneError;
use light::{Light, Noise};
use quad::View;
pub use visit::{Visit, Visitor};

/// Blue, green, red.
type Bgr = [u8; 3];

/// The height of the floor under the robot's base, relative to the neutral head, metres.
const FLOOR_HEIGHT_M: f64 = -0.177;
/// The side of a floor tile, metres.
const TILE_SIZE_M: f64 = 0.25;

/// The ground truth of an object in an image, against which tests compare detections.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundTruth {
    /// The name in the scene.
    pub name: String,
    /// The kind of object: `face`, `cup`, `block`, ...
    pub kind: String,
    /// The centre in the world, metres; of a face, the tip of the nose.
    pub position_m: [f64; 3],
    /// The pixel of the centre, which may be outside the image; `None` behind the camera.
    pub pixel: Option<(f64, f64)>,
    /// Left, top, width and height of the object, pixels, for the part in front of the camera.
    pub bounds: Option<[f64; 4]>,
    /// Whether the pixel is inside the image and no other object hides it.
    pub is_visible: bool,
}

/// A room around the robot.
#[derive(Clone, Debug)]
pub struct Scene {
    width: u16,
    height: u16,
    sky: Bgr,
    floor: [Bgr; 2],
    light: Light,
    noise: Noise,
    blocks: Vec<Block>,
    boards: Vec<Billboard>,
    identity: u64,
}

impl Default for Scene {
    fn default() -> Self {
        Scene::empty()
    }
}

impl Scene {
    /// The built-in scenes.
    pub const BUILT_IN: [&str; 6] = ["room", "visitor", "walker", "newcomer", "crowd", "empty"];

    /// Returns a scene with blocks on a floor and no people.
    #[must_use]
    pub fn empty() -> Self {
        Scene::parse(file::EMPTY, Path::new("")).unwrap_or_else(|_| Scene::background_only())
    }

    /// Returns a floor and a sky.
    fn background_only() -> Self {
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

    /// Returns one of [`BUILT_IN`](Self::BUILT_IN), with its photographs from this folder. Without photographs, `room`
    /// contains blocks only.
    ///
    /// # Errors
    /// If the name is unknown, or a photograph is missing in any other scene.
    pub fn built_in(name: &str, photos: &Path) -> Result<Self, SceneError> {
        let text = file::built_in(name)?;
        match Scene::parse(text, photos) {
            Err(SceneError::Photograph { .. }) if name == "room" => Ok(Scene::empty()),
            scene => scene,
        }
    }

    /// Reads a scene from a file.
    ///
    /// # Errors
    /// Describes the error in the scene, and its position.
    pub fn load(path: &Path, photos: &Path) -> Result<Self, SceneError> {
        file::load(path, photos)
    }

    /// Reads a scene from a text.
    ///
    /// # Errors
    /// Describes the error in the scene, and its position.
    pub fn parse(yaml: &str, photos: &Path) -> Result<Self, SceneError> {
        file::parse(yaml, photos)
    }

    /// Returns the same scene with images of another size.
    #[must_use]
    pub fn sized(self, width: u16, height: u16) -> Self {
        Scene { width: width.max(1), height: height.max(1), ..self }
    }

    /// Returns the intrinsics of the camera.
    #[must_use]
    pub fn intrinsics(&self) -> CameraIntrinsics {
        CameraIntrinsics::pinhole(self.width, self.height)
    }

    /// Returns an identifier of the content: scenes with the same text and the same photographs have the same one.
    #[must_use]
    pub fn identity(&self) -> String {
        format!("{:016x}", self.identity)
    }

    /// Renders the image from this head pose (`world_from_head`), at this time from the start.
    #[must_use]
    pub fn render(&self, head: &HeadPose, at: Duration) -> BgrImage {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        let mut bgr = vec![0; width * height * 3];
        self.render_into(head, at, &mut bgr);
        BgrImage { height, width, bgr }
    }

    /// Renders into an existing buffer. Returns whether its size matches the image.
    pub fn render_into(&self, head: &HeadPose, at: Duration, bgr: &mut [u8]) -> bool {
        let (width, height) = (usize::from(self.width), usize::from(self.height));
        if bgr.len() != width * height * 3 {
            return false;
        }
        let view = View::new(&self.intrinsics(), &(head.0 * head_from_camera()));
        let light = self.light.at(at);
        self.draw_background(&view, light.level(), bgr);
        // Near objects are drawn over far ones.
        let eye = view.eye();
        let mut drawables: Vec<(f64, Drawable<'_>)> =
            Vec::with_capacity(self.blocks.len() + self.boards.len());
        drawables.extend(self.blocks.iter().map(|block| (block.distance(&eye), Drawable::Block(block))));
        for board in &self.boards {
            if let Some(stands) = board.pose_at(at) {
                drawables.push(((stands.middle - eye).norm(), Drawable::Board(board, stands)));
            }
        }
        drawables.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        for (_, drawable) in drawables {
            match drawable {
                Drawable::Block(block) => block.draw(&view, &light, bgr),
                Drawable::Board(board, stands) => board.draw(&view, &light, &stands, bgr),
            }
        }
        self.noise.add(at, head, width * 3, bgr);
        true
    }

    /// Returns the ground truth of every object, from this head pose at this time.
    #[must_use]
    pub fn ground_truth(&self, head: &HeadPose, at: Duration) -> Vec<GroundTruth> {
        let intrinsics = self.intrinsics();
        let world_from_camera = head.0 * head_from_camera();
        let eye = Point3::from(world_from_camera.translation.vector);
        let visible_boards: Vec<(&Billboard, billboard::BillboardPose)> =
            self.boards.iter().filter_map(|board| Some((board, board.pose_at(at)?))).collect();
        let hidden = |position: &Point3<f64>, own_name: &str| {
            let ray = position - eye;
            // Slightly in front of the point itself.
            let before = 1.0 - 1e-3;
            self.blocks.iter().any(|block| {
                block.name != own_name && block.intersects(&eye, &ray).is_some_and(|at| at < before)
            }) || visible_boards.iter().any(|(board, stands)| {
                board.name != own_name && stands.intersects(&eye, &ray).is_some_and(|at| at < before)
            })
        };
        let seen = |name: &str, kind: &str, position: Point3<f64>, corners: &[Point3<f64>]| {
            let pixel =
                |point: &Point3<f64>| intrinsics.project(&world_from_camera.inverse_transform_point(point));
            let at = pixel(&position);
            let inside = at.is_some_and(|(u, v)| {
                (-0.5..=intrinsics.width - 0.5).contains(&u) && (-0.5..=intrinsics.height - 0.5).contains(&v)
            });
            GroundTruth {
                name: name.into(),
                kind: kind.into(),
                position_m: [position.x, position.y, position.z],
                pixel: at,
                bounds: bounding_box(corners.iter().filter_map(pixel)),
                is_visible: inside && !hidden(&position, name),
            }
        };
        let boards = visible_boards
            .iter()
            .map(|(board, stands)| seen(&board.name, &board.kind, board.landmark(stands), &stands.corners()));
        let blocks =
            self.blocks.iter().map(|block| seen(&block.name, "block", block.middle(), &block.corners()));
        boards.chain(blocks).collect()
    }

    /// Draws sky and floor.
    fn draw_background(&self, view: &View, level: f64, bgr: &mut [u8]) {
        let lit = |colour: Bgr| colour.map(|part| light::scale_brightness(part, level));
        let (sky, floor) = (lit(self.sky), self.floor.map(lit));
        let [even, odd] = floor;
        let (eye, step) = (view.eye(), view.step_right());
        let drop = FLOOR_HEIGHT_M - eye.z;
        for (row, line) in bgr.chunks_exact_mut(usize::from(self.width) * 3).enumerate() {
            let mut ray = view.ray(0.0, row as f64);
            for pixel in line.as_chunks_mut::<3>().0 {
                *pixel = if ray.z >= -1e-9 {
                    sky
                } else {
                    let along = drop / ray.z;
                    let tile = |at: f64| (at * (1.0 / TILE_SIZE_M)).floor() as i64;
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

enum Drawable<'a> {
    Block(&'a Block),
    Board(&'a Billboard, billboard::BillboardPose),
}

/// Returns the bounding box of some pixels: left, top, width, height.
fn bounding_box(pixels: impl Iterator<Item = (f64, f64)>) -> Option<[f64; 4]> {
    let mut edges: Option<[f64; 4]> = None;
    for (u, v) in pixels {
        let [left, top, right, bottom] = edges.unwrap_or([u, v, u, v]);
        edges = Some([left.min(u), top.min(v), right.max(u), bottom.max(v)]);
    }
    edges.map(|[left, top, right, bottom]| [left, top, right - left, bottom - top])
}

/// Returns the rotation about z that turns x towards this direction, so that its axes stay level.
fn level_frame(towards: &Vector3<f64>) -> Isometry3<f64> {
    let level = Vector3::new(towards.x, towards.y, 0.0);
    let yaw = if level.norm() > 1e-9 { level.y.atan2(level.x) } else { 0.0 };
    Isometry3::rotation(Vector3::z() * yaw)
}

#[cfg(test)]
mod tests;
