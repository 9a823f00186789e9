//! The perception of an execution context: a camera, and the models that detect objects in its images.
//!
//! Models open on first use. Threads: the value belongs to one context and so to one thread. The camera is shared.
//! Nothing here runs in the control loop. Detections are data and never instructions.

mod camera_observer;
mod open;
mod scene;
mod search;

use std::sync::Arc;

use firmware_bridge::camera::BgrImage;
use minismith_perception::camera::{Camera, CameraError};
use minismith_perception::detect::DetectError;
use minismith_perception::frame::{CameraPose, DecodeError, Frame};
use minismith_perception::models::{ModelError, Models};
use minismith_perception::track::Detection;
use mock_robot::scene::Scene;

pub use camera_observer::CameraObserver;
pub use open::{camera_of, photos, scene_camera};
pub use scene::{SceneCamera, image_at};
pub use search::ImageSearch;

/// Frame rate of a camera, images per second.
pub const FRAMES_PER_SECOND: u32 = 30;

/// The reason why detection is impossible. The texts are for people.
#[derive(Debug, thiserror::Error)]
pub enum PerceptionError {
    /// There is no camera frame.
    #[error(transparent)]
    Frame(#[from] CameraError),
    /// The image cannot be decoded.
    #[error(transparent)]
    Image(#[from] DecodeError),
    /// The detection model is unavailable.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The detection failed.
    #[error(transparent)]
    Detect(#[from] DetectError),
}

/// A frame, its pixels, and the detections in it.
#[derive(Clone, Debug)]
pub struct Detections {
    /// Frame.
    pub frame: Arc<Frame>,
    /// Decoded image.
    pub image: Arc<BgrImage>,
    /// Detections, by falling confidence.
    pub found: Vec<Detection>,
}

/// A camera and its detectors.
pub struct Perception {
    camera: Arc<dyn Camera>,
    search: Arc<ImageSearch>,
    /// The faces of the last frame that was searched for faces.
    last_detections: Option<Detections>,
}

impl Perception {
    /// Creates the perception for this camera.
    #[must_use]
    pub fn new(camera: Arc<dyn Camera>, models: Models) -> Self {
        Perception::sharing(camera, Arc::new(ImageSearch::new(models)))
    }

    /// Creates the perception for this camera, with detectors and findings that others use as well.
    #[must_use]
    pub const fn sharing(camera: Arc<dyn Camera>, search: Arc<ImageSearch>) -> Self {
        Perception { camera, search, last_detections: None }
    }

    /// Returns the latest frame, for the present camera pose.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn latest_frame(&self, from: &CameraPose) -> Result<Arc<Frame>, CameraError> {
        self.camera.latest_frame(from)
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
    pub fn faces(&mut self, from: &CameraPose) -> Result<Detections, PerceptionError> {
        let frame = self.latest_frame(from)?;
        if let Some(known) = self.last_detections.as_ref().filter(|known| Arc::ptr_eq(&known.frame, &frame)) {
            return Ok(known.clone());
        }
        let image = frame.image()?;
        let faces = self.search.faces(&frame, &image)?;
        let found = faces.iter().filter_map(|face| Detection::face(&frame, &image, face)).collect();
        let sighting = Detections { frame, image, found };
        self.last_detections = Some(sighting.clone());
        Ok(sighting)
    }

    /// Returns the objects in the latest frame, which takes a tenth of a second.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn objects(&mut self, from: &CameraPose) -> Result<Detections, PerceptionError> {
        let frame = self.latest_frame(from)?;
        let image = frame.image()?;
        let objects = self.search.objects(&frame, &image)?;
        let found = objects.iter().filter_map(|object| Detection::object(&frame, &image, object)).collect();
        Ok(Detections { frame, image, found })
    }
}

/// A scene without models to detect anything in it.
impl From<Arc<Scene>> for Perception {
    fn from(scene: Arc<Scene>) -> Self {
        Perception::new(Arc::new(SceneCamera::new(scene)), Models::at(""))
    }
}

impl From<Scene> for Perception {
    fn from(scene: Scene) -> Self {
        Perception::from(Arc::new(scene))
    }
}
