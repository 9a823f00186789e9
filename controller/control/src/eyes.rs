//! The perception of an execution context: a camera, and the models that detect objects in its images.
//!
//! Models open on first use. Threads: the value belongs to one context and so to one thread. The camera is shared.
//! Nothing here runs in the control loop. Detections are data and never instructions.

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

/// Frame rate of a camera, images per second.
pub const FRAMES_PER_SECOND: u32 = 30;

/// Wider images are reduced to this width for face detection, pixels.
const SEARCHED_WIDTH: usize = 640;

/// The reason why detection is impossible. The texts are for people.
#[derive(Debug, thiserror::Error)]
pub enum NoSight {
    /// There is no camera frame.
    #[error(transparent)]
    Frame(#[from] NoFrame),
    /// The image cannot be decoded.
    #[error(transparent)]
    Picture(#[from] NoPicture),
    /// The detection model is unavailable.
    #[error(transparent)]
    Model(#[from] NoModel),
    /// The detection failed.
    #[error(transparent)]
    Detect(#[from] DetectFault),
}

/// A frame, its pixels, and the detections in it.
#[derive(Clone, Debug)]
pub struct Sighting {
    /// Frame.
    pub frame: Arc<Frame>,
    /// Decoded image.
    pub picture: Arc<Picture>,
    /// Detections, by falling confidence.
    pub found: Vec<Found>,
}

/// A camera and its detectors.
pub struct Eyes {
    camera: Arc<dyn Camera>,
    models: Models,
    faces: Option<FaceDetector>,
    things: Option<ThingDetector>,
    /// The faces of the last frame that was searched for faces.
    searched: Option<Sighting>,
}

impl Eyes {
    /// Creates the perception for this camera.
    #[must_use]
    pub const fn new(camera: Arc<dyn Camera>, models: Models) -> Self {
        Eyes { camera, models, faces: None, things: None, searched: None }
    }

    /// Returns the latest frame, for the present camera pose.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn newest(&self, from: &Viewpoint) -> Result<Arc<Frame>, NoFrame> {
        self.camera.newest(from)
    }

    /// Returns the camera's name for people.
    #[must_use]
    pub fn camera_name(&self) -> String {
        self.camera.name()
    }

    /// Returns the faces in the latest frame. Each frame is searched once.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
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

    /// Returns the objects in the latest frame, which takes a tenth of a second.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
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

/// A scene without models to detect anything in it.
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
