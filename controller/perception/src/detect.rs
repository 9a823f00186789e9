//! Detects faces and objects in an image.
//!
//! A detector owns its model session and its buffers, and belongs to one thread. Images are untrusted: an invalid one is
//! rejected, and a large one is shrunk first.

mod faces;
mod objects;
mod preprocess;

use firmware_bridge::camera::BgrImage;

pub use faces::{FaceDetector, MODEL as FACES};
pub use objects::{LABELS, MODEL as THINGS, ObjectDetector, PERSON};

/// Maximum side of the analysed image in pixels. The memory that a model needs grows with the image.
const MAX_SIDE_PX: usize = 1_280;

/// Maximum number of candidates for non-maximum suppression, the most confident first. An image can be crafted to contain more.
const MAX_DETECTIONS: usize = 500;

/// A bounding box in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoundingBox {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl BoundingBox {
    /// Returns its centre.
    #[must_use]
    pub fn center(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// Returns the intersection over union with another box, 0 to 1.
    #[must_use]
    pub fn iou(&self, other: &BoundingBox) -> f64 {
        let across = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let down = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        let both = across.max(0.0) * down.max(0.0);
        let all = self.width * self.height + other.width * other.height - both;
        if all > 0.0 { both / all } else { 0.0 }
    }

    /// Scales it to an image that is `across` times as wide and `down` times as high.
    #[must_use]
    pub fn scaled(&self, across: f64, down: f64) -> Self {
        BoundingBox {
            x: self.x * across,
            y: self.y * down,
            width: self.width * across,
            height: self.height * down,
        }
    }

    /// Returns whether all its values are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        [self.x, self.y, self.width, self.height].iter().all(|one| one.is_finite())
    }
}

/// A face in an image. Positions are in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Bounding box.
    pub bounds: BoundingBox,
    /// Confidence, 0 to 1.
    pub score: f64,
    /// Right eye, left eye, nose, right and left corner of the mouth. Right and left are the person's.
    pub landmarks: [(f64, f64); 5],
}

/// An object in an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// Bounding box.
    pub bounds: BoundingBox,
    /// Confidence, 0 to 1.
    pub score: f64,
    /// Class name from COCO: `person`, `cup`, ...
    pub label: &'static str,
}

/// Reports why detection failed. The messages are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    /// The image is invalid.
    #[error("cannot detect: the image is empty, or its bytes do not match its size")]
    InvalidImage,
    /// The model failed.
    #[error("{what} failed: {reason}; if this happens again, delete the model and run `make models`")]
    Failed {
        /// Task that failed.
        what: &'static str,
        /// Error from the runtime.
        reason: String,
    },
}

impl DetectError {
    fn failed(what: &'static str, reason: impl std::fmt::Display) -> Self {
        DetectError::Failed { what, reason: reason.to_string() }
    }
}

/// Returns the size at which an image is analysed: its own, or smaller with the same proportions. The height is even, as in the
/// official package.
fn input_size(image: &BgrImage, width: Option<usize>) -> Result<(usize, usize), DetectError> {
    let bytes = image.width.checked_mul(image.height).and_then(|pixels| pixels.checked_mul(3));
    if image.bgr.is_empty() || bytes != Some(image.bgr.len()) {
        return Err(DetectError::InvalidImage);
    }
    let (across, down) = (image.width as f64, image.height as f64);
    let wanted = width.map_or(1.0, |width| width as f64 / across);
    let scale = wanted.min(MAX_SIDE_PX as f64 / across.max(down)).min(1.0);
    if scale >= 1.0 {
        return Ok((image.width, image.height));
    }
    let width = (across * scale).round().max(1.0);
    Ok((width as usize, (down * scale / 2.0).round().max(1.0) as usize * 2))
}

/// Non-maximum suppression: returns the candidates sorted by confidence, without those that overlap a more confident one by
/// more than `same`.
fn non_max_suppression<T>(mut found: Vec<T>, same: f64, of: impl Fn(&T) -> (f64, BoundingBox)) -> Vec<T> {
    found.retain(|one| of(one).1.is_finite());
    found.sort_by(|one, other| of(other).0.total_cmp(&of(one).0));
    found.truncate(MAX_DETECTIONS);
    let mut selected: Vec<T> = Vec::new();
    for one in found {
        if selected.iter().all(|better| of(better).1.iou(&of(&one).1) <= same) {
            selected.push(one);
        }
    }
    selected
}
