//! Scenes in which people and objects come and go at stated times.

use std::fmt::Write;
use std::path::Path;

use super::{Scene, SceneError, file};

/// The latest time of a scene, seconds.
const MAX_TIME_S: f64 = 86_400.0;

/// Who or what comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// A face, which looks at the robot.
    Face,
    /// A cat.
    Cat,
}

impl Visitor {
    /// Returns the object of this COCO class, if there is a photograph of one that detectors recognise in a scene.
    #[must_use]
    pub fn of_class(class: &str) -> Option<Visitor> {
        (class == "cat").then_some(Visitor::Cat)
    }

    /// Returns the file name of its photograph.
    #[must_use]
    pub const fn photograph(self) -> &'static str {
        match self {
            Visitor::Face => "astronaut.png",
            Visitor::Cat => "chelsea.png",
        }
    }

    /// Returns the billboard's keys but for name, position and time.
    const fn keys(self) -> &'static str {
        match self {
            Visitor::Face => {
                "kind: face, image: astronaut.png, crop: [88, 0, 272, 340], landmark: [220.4, 124.5], height: 0.63"
            }
            Visitor::Cat => "kind: cat, image: chelsea.png, height: 0.5",
        }
    }
}

/// A visitor at a position, for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Visit {
    /// Who or what comes.
    pub visitor: Visitor,
    /// The position of its middle in the world, metres.
    pub position_m: [f64; 3],
    /// When it appears, seconds from the start.
    pub from_s: f64,
    /// When it is gone, seconds from the start.
    pub to_s: f64,
}

impl Scene {
    /// Returns the scene `empty` with these visits, and with photographs from this folder. Its images have no noise.
    ///
    /// # Errors
    /// If a photograph is missing, or a position or time is out of range.
    pub fn visited(visits: &[Visit], photos: &Path) -> Result<Self, SceneError> {
        let mut text = file::EMPTY.to_owned();
        if !visits.is_empty() {
            text.push_str("\nbillboards:\n");
        }
        for (number, visit) in visits.iter().enumerate() {
            let [x, y, z] = visit.position_m;
            let [from, to] = [visit.from_s, visit.to_s].map(|at| at.clamp(0.0, MAX_TIME_S));
            let keys = visit.visitor.keys();
            // Writing to a string cannot fail.
            let _written = writeln!(
                text,
                "  - {{name: visitor {number}, {keys}, position: [{x:?}, {y:?}, {z:?}], shown: [{from:?}, {to:?}]}}"
            );
        }
        Scene::parse(&text, photos)
    }
}
