//! The camera of a simulated robot, which renders a scene.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::camera::CameraIntrinsics;
use firmware_bridge::clock::Timestamp;
use minismith_perception::camera::{Camera, CameraError};
use minismith_perception::frame::{CameraPose, ContentKey, Frame};
use mock_robot::scene::Scene;

use super::FRAMES_PER_SECOND;

/// A camera that renders a scene thirty times per second of robot time. Between two images it returns the earlier one.
///
/// A new image of an unchanged view, from the same pose, shares the pixels of the last one.
pub struct SceneCamera {
    scene: Arc<Scene>,
    taken: AtomicU64,
    last: Mutex<Option<(u64, Arc<Frame>)>>,
}

impl SceneCamera {
    /// Creates a camera in this scene.
    #[must_use]
    pub fn new(scene: Arc<Scene>) -> Self {
        SceneCamera { scene, taken: AtomicU64::new(0), last: Mutex::default() }
    }

    /// Returns the scene.
    #[must_use]
    pub const fn scene(&self) -> &Arc<Scene> {
        &self.scene
    }
}

/// Returns the number of the latest image at this time.
#[must_use]
pub fn image_at(at: Timestamp) -> u64 {
    let number = u128::from(at.0) * u128::from(FRAMES_PER_SECOND) / 1_000_000_000;
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Camera for SceneCamera {
    fn name(&self) -> String {
        "the mock's camera".into()
    }

    fn intrinsics(&self) -> CameraIntrinsics {
        self.scene.intrinsics()
    }

    fn latest_frame(&self, from: &CameraPose) -> Result<Arc<Frame>, CameraError> {
        let which = image_at(from.time);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, frame)) = &*last
            && *known == which
        {
            return Ok(frame.clone());
        }
        let at = from.time.since(Timestamp::ZERO);
        let content = self.scene.appearance(&from.head, at).map(|appearance| ContentKey(appearance.0));
        let unchanged = last
            .as_ref()
            .filter(|(_, frame)| content.is_some() && frame.content() == content.as_ref())
            .and_then(|(_, frame)| frame.image().ok());
        let image = unchanged.unwrap_or_else(|| Arc::new(self.scene.render(&from.head, at)));
        let number = self.taken.fetch_add(1, Ordering::Relaxed);
        let frame = Arc::new(Frame::of_shared(number, *from, self.scene.intrinsics(), image, content));
        *last = Some((which, frame.clone()));
        Ok(frame)
    }
}
