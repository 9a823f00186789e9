//! What a stage sees with: a camera, and the models that find things in its pictures, opened when they are first needed.
//!
//! Threads: eyes belong to one stage and so to one thread; the camera behind them is shared by all. Nothing here runs on the
//! beat. What is seen is data and never an instruction.

mod lookout;
mod open;
mod scene;

use std::sync::Arc;

use firmware_bridge::camera::Picture;
use minismith_senses::camera::{Camera, NoFrame};
use minismith_senses::detect::DetectFault;
use minismith_senses::detect::{FaceDetector, ThingDetector};
use minismith_senses::frame::{Frame, NoPicture, Viewpoint};
use minismith_senses::models::{Models, NoModel};
use minismith_senses::track::Found;
use mock_robot::scene::Scene;

pub use lookout::Lookout;
pub use open::{camera_of, photographs, scene_camera};
pub use scene::{SceneCamera, picture_at};

/// How often a camera takes a picture, per second.
pub const FRAMES_PER_SECOND: u32 = 30;

/// Wider pictures are shrunk to this before they are searched for faces.
const SEARCHED_WIDTH: usize = 640;

/// Why nothing can be said of what is before the robot. The texts are for a person.
#[derive(Debug, thiserror::Error)]
pub enum NoSight {
    /// There is no picture.
    #[error(transparent)]
    Frame(#[from] NoFrame),
    /// The picture is none.
    #[error(transparent)]
    Picture(#[from] NoPicture),
    /// What would find things in it is not there.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// It failed.
    #[error(transparent)]
    Detect(#[from] DetectFault),
}

/// A frame, its pixels, and what was found in it.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// The frame.
    pub frame: Arc<Frame>,
    /// Its pixels.
    pub picture: Arc<Picture>,
    /// What was found, the surest first.
    pub found: Vec<Found>,
}

/// A camera and what is made of its pictures.
pub struct Eyes {
    camera: Arc<dyn Camera>,
    models: Models,
    faces: Option<FaceDetector>,
    things: Option<ThingDetector>,
    /// The faces of the last frame that was searched for them.
    searched: Option<Sighting>,
}

impl Eyes {
    /// Eyes behind this camera.
    #[must_use]
    pub const fn new(camera: Arc<dyn Camera>, models: Models) -> Self {
        Eyes { camera, models, faces: None, things: None, searched: None }
    }

    /// The newest frame, for whoever stands here now.
    ///
    /// # Errors
    /// Why there is none.
    pub fn newest(&self, from: &Viewpoint) -> Result<Arc<Frame>, NoFrame> {
        self.camera.newest(from)
    }

    /// The camera's name, for people.
    #[must_use]
    pub fn camera_name(&self) -> String {
        self.camera.name()
    }

    /// The faces in the newest frame. One frame is searched once.
    ///
    /// # Errors
    /// Why nothing can be said.
    pub fn faces(&mut self, from: &Viewpoint) -> Result<Sighting, NoSight> {
        let frame = self.newest(from)?;
        if let Some(known) = self.searched.as_ref().filter(|known| Arc::ptr_eq(&known.frame, &frame)) {
            return Ok(known.clone());
        }
        let detector = match &mut self.faces {
            Some(detector) => detector,
            none => none.insert(FaceDetector::open(&self.models)?.with_width(Some(SEARCHED_WIDTH))),
        };
        let picture = frame.picture()?;
        let faces = detector.detect(&picture)?;
        let found = faces.iter().filter_map(|face| Found::face(&frame, &picture, face)).collect();
        let sighting = Sighting { frame, picture, found };
        self.searched = Some(sighting.clone());
        Ok(sighting)
    }

    /// The things in the newest frame; takes a tenth of a second.
    ///
    /// # Errors
    /// Why nothing can be said.
    pub fn things(&mut self, from: &Viewpoint) -> Result<Sighting, NoSight> {
        let frame = self.newest(from)?;
        let detector = match &mut self.things {
            Some(detector) => detector,
            none => none.insert(ThingDetector::open(&self.models)?),
        };
        let picture = frame.picture()?;
        let things = detector.detect(&picture)?;
        let found = things.iter().filter_map(|thing| Found::thing(&frame, &picture, thing)).collect();
        Ok(Sighting { frame, picture, found })
    }
}

/// A room without models that would find anything in it.
impl From<Arc<Scene>> for Eyes {
    fn from(scene: Arc<Scene>) -> Self {
        Eyes::new(Arc::new(SceneCamera::new(scene)), Models::at(""))
    }
}

impl From<Scene> for Eyes {
    fn from(scene: Scene) -> Self {
        Eyes::from(Arc::new(scene))
    }
}
