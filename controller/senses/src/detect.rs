//! Faces and things in a picture.
//!
//! A detector owns its model's session and what it works in, and belongs to one thread. What it is shown is untrusted: a picture
//! that is none is refused, and a large one is shrunk before it is looked at.

mod faces;
mod fit;
mod things;

use firmware_bridge::camera::Picture;

pub use faces::{FaceDetector, MODEL as FACES};
pub use things::{LABELS, MODEL as THINGS, PERSON, ThingDetector};

/// The longest side that is looked at, pixels: what a model needs grows with the picture.
const LONGEST: usize = 1_280;

/// Of how many it is looked at whether they are the same, the surest: a picture can be made to show more.
const MOST: usize = 500;

/// A box in a picture, pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// How wide it is.
    pub width: f64,
    /// How high it is.
    pub height: f64,
}

impl Bounds {
    /// Its middle.
    #[must_use]
    pub fn middle(&self) -> (f64, f64) {
        (self.x + self.width / 2.0, self.y + self.height / 2.0)
    }

    /// How much of the two together is in both, 0 to 1.
    #[must_use]
    pub fn overlap(&self, other: &Bounds) -> f64 {
        let across = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let down = (self.y + self.height).min(other.y + other.height) - self.y.max(other.y);
        let both = across.max(0.0) * down.max(0.0);
        let all = self.width * self.height + other.width * other.height - both;
        if all > 0.0 { both / all } else { 0.0 }
    }

    /// The same in a picture that is so many times as wide and as high.
    #[must_use]
    pub fn scaled(&self, across: f64, down: f64) -> Self {
        Bounds {
            x: self.x * across,
            y: self.y * down,
            width: self.width * across,
            height: self.height * down,
        }
    }

    /// Whether it is somewhere, and has a size.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        [self.x, self.y, self.width, self.height].iter().all(|one| one.is_finite())
    }
}

/// A face in a picture; places in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Face {
    /// Around it.
    pub bounds: Bounds,
    /// How sure the model is, 0 to 1.
    pub score: f64,
    /// Right eye, left eye, nose, right and left corner of the mouth: right and left are the person's.
    pub landmarks: [(f64, f64); 5],
}

/// A thing in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Thing {
    /// Around it.
    pub bounds: Bounds,
    /// How sure the model is, 0 to 1.
    pub score: f64,
    /// What the model takes it for, in the words of the COCO classes: `person`, `cup`, ...
    pub label: &'static str,
}

/// Why a picture was not looked at. The texts are for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectFault {
    /// It is no picture.
    #[error(
        "the picture is empty, or has more or fewer bytes than its sides say; nothing was looked for in it"
    )]
    NoPicture,
    /// The model failed.
    #[error("{what} failed ({reason}); if it happens again, remove the model and run `make models`")]
    Failed {
        /// What failed.
        what: &'static str,
        /// What the runtime says.
        reason: String,
    },
}

impl DetectFault {
    fn failed(what: &'static str, reason: impl std::fmt::Display) -> Self {
        DetectFault::Failed { what, reason: reason.to_string() }
    }
}

/// The size in which a picture is looked at: its own, or smaller, in the same proportions. An even height, as officially.
fn looked_at(picture: &Picture, width: Option<usize>) -> Result<(usize, usize), DetectFault> {
    let bytes = picture.width.checked_mul(picture.height).and_then(|pixels| pixels.checked_mul(3));
    if picture.bgr.is_empty() || bytes != Some(picture.bgr.len()) {
        return Err(DetectFault::NoPicture);
    }
    let (across, down) = (picture.width as f64, picture.height as f64);
    let wanted = width.map_or(1.0, |width| width as f64 / across);
    let scale = wanted.min(LONGEST as f64 / across.max(down)).min(1.0);
    if scale >= 1.0 {
        return Ok((picture.width, picture.height));
    }
    let width = (across * scale).round().max(1.0);
    Ok((width as usize, (down * scale / 2.0).round().max(1.0) as usize * 2))
}

/// Those that are not the same as a surer one: sorted, the surest first, without any that shares more than `same` with one
/// before it.
fn apart<T>(mut found: Vec<T>, same: f64, of: impl Fn(&T) -> (f64, Bounds)) -> Vec<T> {
    found.retain(|one| of(one).1.is_finite());
    found.sort_by(|one, other| of(other).0.total_cmp(&of(one).0));
    found.truncate(MOST);
    let mut kept: Vec<T> = Vec::new();
    for one in found {
        if kept.iter().all(|surer| of(surer).1.overlap(&of(&one).1) <= same) {
            kept.push(one);
        }
    }
    kept
}
