//! Detected faces and objects, each listed once.

use nalgebra::Point3;
use serde::Serialize;
use utoipa::ToSchema;

use minismith_senses::frame::Viewpoint;
use minismith_senses::track::{Found, Kind};

use crate::eyes::{Eyes, NoSight};
use crate::stage::Stage;
use minismith_runtime::outcome::tidy;
use minismith_senses::detect::PERSON;

/// An object detected in an image.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Thing {
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
    pub place: [f64; 3],
}

impl Thing {
    /// Converts a detection for people and models.
    #[must_use]
    pub fn of(found: &Found) -> Self {
        let label = match found.kind {
            Kind::Face => PERSON,
            Kind::Thing(label) => label,
        };
        let bounds = found.bounds;
        Thing {
            label,
            score: tidy(found.score),
            bounds: [bounds.x, bounds.y, bounds.width, bounds.height].map(tidy),
            place: [found.place.x, found.place.y, found.place.z].map(tidy),
        }
    }

    /// Returns the approximate position, metres in the world frame.
    #[must_use]
    pub fn point(&self) -> Point3<f64> {
        Point3::from(self.place)
    }
}

/// The detected objects.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// People first, then other objects, each kind by falling confidence.
    pub things: Vec<Thing>,
    /// The reason why only faces were detected, if so.
    pub blind_to: Option<String>,
}

/// Returns the objects in the latest image.
///
/// # Errors
/// Returns an error if there is no image, or no model to detect faces.
pub fn seen(stage: &mut Stage) -> Result<Seen, NoSight> {
    let (eyes, from) = stage.sees()?;
    seen_by(eyes, &from)
}

/// Returns the objects in the latest image, for an observer.
///
/// # Errors
/// As for [`seen`].
pub fn seen_by(eyes: &mut Eyes, from: &Viewpoint) -> Result<Seen, NoSight> {
    let faces = eyes.faces(from)?.found;
    let mut things: Vec<Thing> = faces.iter().map(Thing::of).collect();
    let found = match eyes.things(from) {
        Ok(sighting) => sighting.found,
        Err(NoSight::Model(why)) => return Ok(Seen { things, blind_to: Some(why.to_string()) }),
        Err(no) => return Err(no),
    };
    let holds_a_face = |found: &Found| {
        faces.iter().any(|face| {
            let (x, y) = face.bounds.middle();
            let bounds = found.bounds;
            (bounds.x..=bounds.x + bounds.width).contains(&x)
                && (bounds.y..=bounds.y + bounds.height).contains(&y)
        })
    };
    // A person whose face was detected is not counted twice.
    let mut rest: Vec<Thing> = found
        .iter()
        .filter(|found| found.kind != Kind::Thing(PERSON) || !holds_a_face(found))
        .map(Thing::of)
        .collect();
    rest.sort_by_key(|thing| thing.label != PERSON);
    things.extend(rest);
    Ok(Seen { things, blind_to: None })
}

/// Returns the objects of this class.
///
/// # Errors
/// Returns an error if this class cannot be detected.
pub fn of(stage: &mut Stage, label: &'static str) -> Result<Vec<Thing>, NoSight> {
    if label != PERSON {
        let found = stage.things()?.found;
        return Ok(found.iter().map(Thing::of).filter(|thing| thing.label == label).collect());
    }
    let mut people = seen(stage)?.things;
    people.retain(|thing| thing.label == PERSON);
    Ok(people)
}
