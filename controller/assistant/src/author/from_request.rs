//! Writes a tool from a request in ordinary words, through the composer, in the language of motion.

use minismith_analysis::manifest::{Expectation, TestCase};
use minismith_composer::{Composed, NoLibrary, Outcome, compose, is_reactive, is_tool_request, modify};
use minismith_score::{Score, read, write};
use serde_json::Map;

use super::Authored;
use super::from_primitives::{score_of_request, without_quantities};

/// What the composer made of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The tool's name: the person's, or one made from the steps.
    pub name: String,
    /// The tool, or the reason why there is none.
    pub tool: Result<Authored, String>,
    /// The motion of the tool.
    pub score: Option<Score>,
    /// Whether the request was not understood, and not refused for what it asks.
    pub is_open: bool,
    /// Whether it was refused since the robot can't move as far.
    pub is_beyond_limit: bool,
    /// Assumptions where the request left something open.
    pub notes: Vec<String>,
    /// The words that were not understood.
    pub not_understood: Vec<String>,
}

/// Returns whether a text asks for a new tool, or for something that only a tool can do: a reaction.
#[must_use]
pub fn is_authoring_request(text: &str) -> bool {
    is_tool_request(text) || is_reactive(text)
}

/// Writes a tool for a request.
#[must_use]
pub fn composed(request: &str) -> Written {
    written(compose(request, &NoLibrary))
}

/// Writes the next version of a tool from what should be different. A tool whose source is not in the language of motion,
/// such as one that an older version wrote, is written again from the request that it was made for; none if that can't be
/// done.
#[must_use]
pub fn changed(name: &str, source: &str, made_for: &str, change: &str) -> Option<Written> {
    let score = read(source).ok().or_else(|| {
        let (request, _) = without_run(made_for);
        score_of_request(request).or_else(|| {
            let again = compose(request, &NoLibrary);
            again.not_understood.is_empty().then(|| again.score().cloned())?
        })
    })?;
    let score = Score { name: name.to_owned(), summary: without_quantities(&score.summary), ..score };
    let changed = modify(&score, change);
    Some(written(Composed { name: name.to_owned(), ..changed }))
}

/// Returns the request for a tool without the order to run it afterwards, which is no part of its motion, and whether
/// there is such an order.
#[must_use]
pub fn without_run(text: &str) -> (&str, bool) {
    let lower = text.to_ascii_lowercase();
    let ends = RUNS.iter().filter_map(|run| {
        let at = lower.rfind(run)?;
        lower.get(at + run.len()..)?.chars().all(|c| !c.is_alphanumeric()).then_some(at)
    });
    let end = ends.min();
    let request = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    (request.trim_end_matches(|c: char| c.is_whitespace() || c == ',' || c == ';'), end.is_some())
}

/// The orders to run a tool that follow its description.
const RUNS: [&str; 12] = [
    "and then run it",
    "then run it",
    "and run it",
    "then try it",
    "and try it",
    "then do it",
    "and then do it",
    "then show me",
    "and show me",
    "then perform it",
    "and then try it",
    "run it",
];

fn written(composed: Composed) -> Written {
    let is_open = composed.is_open();
    let is_beyond_limit = matches!(&composed.outcome, Outcome::Declined(declined) if declined.is_limit());
    let not_understood: Vec<String> = composed.not_understood.into_iter().map(|(text, _)| text).collect();
    let (tool, score) = match composed.outcome {
        Outcome::Score(score) => {
            let score = Score { name: composed.name.clone(), ..score };
            let tool = Authored { left_out: not_understood.clone(), ..authored(&score) };
            (Ok(tool), Some(score))
        }
        Outcome::Declined(declined) => (Err(declined.to_string()), None),
    };
    Written {
        name: composed.name,
        tool,
        score,
        is_open,
        is_beyond_limit,
        notes: composed.notes,
        not_understood,
    }
}

/// Writes a motion as a tool.
#[must_use]
pub fn authored(score: &Score) -> Authored {
    let once = TestCase {
        name: "once, as it is".into(),
        arguments: Map::new(),
        expect: Expectation::ReturnsText,
        ..TestCase::default()
    };
    Authored {
        source: write(score),
        test_cases: vec![once],
        plan: vec![score.describe()],
        purpose: score.summary.clone(),
        model: None,
        left_out: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_to_run_a_tool_is_no_part_of_its_description() {
        for (said, request, is_run) in [
            ("make a tool that nods, then run it", "make a tool that nods", true),
            ("make a tool that nods and run it.", "make a tool that nods", true),
            ("make a tool that nods", "make a tool that nods", false),
            ("make a tool called run it that nods", "make a tool called run it that nods", false),
        ] {
            assert_eq!(without_run(said), (request, is_run));
        }
    }
}
