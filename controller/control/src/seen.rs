//! Detected faces and objects, each listed once.

use nalgebra::Point3;
use serde::Serialize;
use utoipa::ToSchema;

use minismith_perception::frame::CameraPose;
use minismith_perception::track::{Detection, Kind};

use crate::execution::ExecutionContext;
use crate::perception::{Perception, PerceptionError};
use minismith_perception::detect::PERSON;
use minismith_runtime::report::round_for_display;

/// An object detected in an image.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = DetectedObject)]
pub struct Object {
    /// A class of the COCO data set: `person`, `cup`, ...
    #[schema(value_type = String)]
    pub label: &'static str,
    /// Confidence of the detector, 0 to 1.
    pub score: f64,
    /// Position in the image, pixels: left, top, width, height.
    pub bounds: [f64; 4],
    /// Approximate position, metres in the world frame (x forward, y left, z up from the neutral head).
    ///
    /// The distance is estimated from the object's size.
    #[serde(rename = "place")]
    pub position: [f64; 3],
}

impl Object {
    /// Converts a detection for people and models.
    #[must_use]
    pub fn of(found: &Detection) -> Self {
        let label = match found.kind {
            Kind::Face => PERSON,
            Kind::Object(label) => label,
        };
        let bounds = found.bounds;
        Object {
            label,
            score: round_for_display(found.score),
            bounds: [bounds.x, bounds.y, bounds.width, bounds.height].map(round_for_display),
            position: [found.position.x, found.position.y, found.position.z].map(round_for_display),
        }
    }

    /// Returns the approximate position, metres in the world frame.
    #[must_use]
    pub fn point(&self) -> Point3<f64> {
        Point3::from(self.position)
    }
}

/// The detected objects.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// People first, then other objects, each kind by falling confidence.
    pub objects: Vec<Object>,
    /// The reason why only faces were detected, if so.
    pub blind_to: Option<String>,
}

/// Returns the objects in the latest image.
///
/// # Errors
/// Returns an error if there is no image, or no model to detect faces.
pub fn seen(context: &mut ExecutionContext) -> Result<Seen, PerceptionError> {
    let (perception, from) = context.can_see()?;
    seen_by(perception, &from)
}

/// Returns the objects in the latest image, for an observer.
///
/// # Errors
/// As for [`seen`].
pub fn seen_by(perception: &mut Perception, from: &CameraPose) -> Result<Seen, PerceptionError> {
    let faces = perception.faces(from)?.found;
    let mut objects: Vec<Object> = faces.iter().map(Object::of).collect();
    let found = match perception.objects(from) {
        Ok(sighting) => sighting.found,
        Err(PerceptionError::Model(why)) => return Ok(Seen { objects, blind_to: Some(why.to_string()) }),
        Err(no) => return Err(no),
    };
    let holds_a_face = |found: &Detection| {
        faces.iter().any(|face| {
            let (x, y) = face.bounds.center();
            let bounds = found.bounds;
            (bounds.x..=bounds.x + bounds.width).contains(&x)
                && (bounds.y..=bounds.y + bounds.height).contains(&y)
        })
    };
    // A person whose face was detected is not counted twice.
    let mut rest: Vec<Object> = found
        .iter()
        .filter(|found| found.kind != Kind::Object(PERSON) || !holds_a_face(found))
        .map(Object::of)
        .collect();
    rest.sort_by_key(|object| object.label != PERSON);
    objects.extend(rest);
    Ok(Seen { objects, blind_to: None })
}

/// Returns the objects of this class.
///
/// # Errors
/// Returns an error if this class cannot be detected.
pub fn of(context: &mut ExecutionContext, label: &'static str) -> Result<Vec<Object>, PerceptionError> {
    if label != PERSON {
        let found = context.objects()?.found;
        return Ok(found.iter().map(Object::of).filter(|object| object.label == label).collect());
    }
    let mut people = seen(context)?.objects;
    people.retain(|object| object.label == PERSON);
    Ok(people)
}
