//! Searches images for faces and objects.
//!
//! Images of a simulated camera are often equal: the robot rests, or a call is repeated. Equal images are searched once.
//! Threads: several contexts may share one search; each detector serves one of them at a time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use firmware_bridge::camera::BgrImage;
use minismith_perception::detect::{DetectError, Face, FaceDetector, Object, ObjectDetector};
use minismith_perception::frame::{ContentKey, Frame};
use minismith_perception::models::{ModelError, ModelPool, Models};

use super::PerceptionError;

/// Wider images are reduced to this width for face detection, pixels.
const DETECTION_WIDTH_PX: usize = 640;

/// Maximum number of images whose findings are stored.
const MAX_STORED_IMAGES: usize = 4_096;

/// The detectors, and what they found. A detector opens on first use and is dropped when it is idle.
pub struct ImageSearch {
    models: Models,
    faces: Searched<FaceDetector, Face>,
    objects: Searched<ObjectDetector, Object>,
}

impl ImageSearch {
    /// Creates a search with these models.
    #[must_use]
    pub fn new(models: Models) -> Self {
        ImageSearch { faces: Searched::new(models.pool()), objects: Searched::new(models.pool()), models }
    }

    /// Returns the models.
    #[must_use]
    pub const fn models(&self) -> &Models {
        &self.models
    }

    /// Returns the faces in the image of this frame.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn faces(&self, frame: &Frame, image: &BgrImage) -> Result<Arc<[Face]>, PerceptionError> {
        let open =
            || FaceDetector::open(&self.models).map(|detector| detector.with_width(Some(DETECTION_WIDTH_PX)));
        self.faces.search(frame.content(), open, |detector| detector.detect(image))
    }

    /// Returns the objects in the image of this frame.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn objects(&self, frame: &Frame, image: &BgrImage) -> Result<Arc<[Object]>, PerceptionError> {
        let open = || ObjectDetector::open(&self.models);
        self.objects.search(frame.content(), open, |detector| detector.detect(image))
    }
}

/// Detectors of one kind, and the findings in images whose content is known.
struct Searched<D, F> {
    detectors: ModelPool<D>,
    found: Mutex<HashMap<ContentKey, Arc<[F]>>>,
}

impl<D: Send + 'static, F> Searched<D, F> {
    fn new(detectors: ModelPool<D>) -> Self {
        Searched { detectors, found: Mutex::default() }
    }

    fn search(
        &self,
        content: Option<&ContentKey>,
        open: impl FnOnce() -> Result<D, ModelError>,
        detect: impl FnOnce(&mut D) -> Result<Vec<F>, DetectError>,
    ) -> Result<Arc<[F]>, PerceptionError> {
        if let Some(content) = content
            && let Some(found) = self.found.lock().unwrap_or_else(PoisonError::into_inner).get(content)
        {
            return Ok(found.clone());
        }
        // Other contexts search their images meanwhile.
        let found: Arc<[F]> = self.detectors.with(open, detect)??.into();
        if let Some(content) = content {
            let mut all = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() < MAX_STORED_IMAGES {
                all.insert(content.clone(), found.clone());
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// A detector that counts its images.
    struct Counter(u32);

    fn key(number: u64) -> ContentKey {
        ContentKey(vec![number].into())
    }

    #[test]
    fn equal_images_are_searched_once_and_unknown_ones_each_time() {
        let searched: Searched<Counter, u32> = Searched::new(ModelPool::new(Duration::from_secs(60)));
        let mut opened = 0;
        let mut search = |content: Option<ContentKey>| {
            let open = || {
                opened += 1;
                Ok(Counter(0))
            };
            let found = searched.search(content.as_ref(), open, |counter| {
                counter.0 += 1;
                Ok(vec![counter.0])
            });
            found.unwrap()[0]
        };
        assert_eq!([search(Some(key(1))), search(Some(key(2))), search(Some(key(1)))], [1, 2, 1]);
        assert_eq!([search(None), search(None), search(Some(key(2)))], [3, 4, 2]);
        assert_eq!(opened, 1, "a detector is opened once");
    }

    #[test]
    fn failed_searches_are_not_stored() {
        let searched: Searched<Counter, u32> = Searched::new(ModelPool::new(Duration::from_secs(60)));
        let fails = searched.search(Some(&key(1)), || Ok(Counter(0)), |_| Err(DetectError::InvalidImage));
        assert!(matches!(fails, Err(PerceptionError::Detect(_))));
        let found = searched.search(Some(&key(1)), || Ok(Counter(0)), |_| Ok(vec![7]));
        assert_eq!(found.unwrap().as_ref(), [7]);
    }
}
