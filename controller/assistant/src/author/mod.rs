//! Writes tools without a large language model, in the language of motion: from a sequence of primitives that the grammar
//! understood, or from a request in ordinary words.
//!
//! Reading order: [`compose`] (primitives), `from_request` (a request in words, and corrections), `from_description` (a second
//! reading of such a request), [`by_model`] (a request
//! that a model on this computer serves). The tool of a sequence is made from the same strokes that a direct command runs,
//! so both move alike. Everything here is pure.

pub mod by_model;
mod from_description;
mod from_primitives;
mod from_request;

pub use minismith_composer::{
    given_name, is_correction, is_lasting_reaction, is_tool_request, plain_request,
};

pub use from_description::read_again;
pub use from_primitives::compose;
pub use from_request::{Written, authored, changed, composed, is_authoring_request, without_run};

use minismith_analysis::manifest::TestCase;

/// A tool as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Authored {
    /// The Python source.
    pub source: String,
    /// The behaviour that the author promises.
    pub test_cases: Vec<TestCase>,
    /// Its steps, for people.
    pub plan: Vec<String>,
    /// The first line of its docstring.
    pub purpose: String,
    /// The language model that wrote it; none if no model did.
    pub model: Option<String>,
    /// The words of the request that it does not serve; with any, it is right at most in part.
    pub left_out: Vec<String>,
}

impl Authored {
    /// Gives the tool's function another name.
    pub fn rename(&mut self, from: &str, to: &str) {
        self.source = self.source.replacen(&format!("def {from}("), &format!("def {to}("), 1);
    }
}

#[cfg(test)]
mod tests;
