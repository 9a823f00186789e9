//! What tools and gestures are known already, so that a clause can be served by one of them.

use minismith_score::Step;

/// A tool or a gesture with its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Phrases that mean it, besides its name: "do the robot".
    pub words: Vec<String>,
    /// Its steps. Steps with parameters are not used, for a clause gives them no values.
    pub steps: Vec<Step>,
}

/// The known tools and gestures.
pub trait Library {
    /// Returns them, the most important ones first.
    fn entries(&self) -> &[Known];
}

/// A library without entries.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn entries(&self) -> &[Known] {
        &[]
    }
}

impl Library for [Known] {
    fn entries(&self) -> &[Known] {
        self
    }
}

impl Library for Vec<Known> {
    fn entries(&self) -> &[Known] {
        self
    }
}
