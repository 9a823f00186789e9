//! Parses docstrings in Google's style: a description, then `Args:`, `Returns:` and other sections.

use std::collections::BTreeMap;

/// The parsed contents of a docstring.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Docstring {
    /// Everything before the first section, with paragraphs separated.
    pub description: String,
    /// The description of each argument.
    pub arguments: BTreeMap<String, String>,
    /// The description of the result.
    pub returns: String,
}

/// The bounds in a description: `between 1 and 10`, `at least 0`, `at most 5`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Bounds {
    /// The minimum.
    pub low: Option<f64>,
    /// The maximum.
    pub high: Option<f64>,
}

const SECTIONS: &[&str] = &[
    "Args:",
    "Arguments:",
    "Parameters:",
    "Returns:",
    "Return:",
    "Yields:",
    "Raises:",
    "Example:",
    "Examples:",
    "Note:",
    "Notes:",
];

/// Parses a docstring.
pub(super) fn read(text: &str) -> Docstring {
    let mut docstring = Docstring::default();
    let mut section = "";
    let mut argument: Option<(usize, String)> = None;
    for line in text.lines() {
        let said = line.trim();
        if SECTIONS.contains(&said) {
            section = said;
            argument = None;
            continue;
        }
        match section {
            "" => {
                docstring.description.push_str(said);
                docstring.description.push('\n');
            }
            "Args:" | "Arguments:" | "Parameters:" if !said.is_empty() => {
                let indent = line.len() - line.trim_start().len();
                let continues = argument.as_ref().filter(|(outer, _)| indent > *outer);
                if let Some((_, name)) = continues {
                    append(docstring.arguments.entry(name.clone()).or_default(), said);
                } else if let Some((name, meaning)) = entry(said) {
                    docstring.arguments.insert(name.clone(), meaning);
                    argument = Some((indent, name));
                }
            }
            "Returns:" | "Return:" => append(&mut docstring.returns, said),
            _ => {}
        }
    }
    docstring.description = docstring.description.trim().to_owned();
    docstring
}

/// Parses `name: meaning`, `name (type): meaning` or `*name: meaning`.
fn entry(said: &str) -> Option<(String, String)> {
    let (name, meaning) = said.split_once(':')?;
    let name = name.split('(').next()?.trim().trim_start_matches('*');
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| (name.to_owned(), meaning.trim().to_owned()))
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

/// Reads the bounds in a description.
pub(super) fn bounds(description: &str) -> Bounds {
    let lower = description.to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut bounds = Bounds::default();
    for window in words.windows(4) {
        if let ["between", low, "and", high] = window
            && let (Some(low), Some(high)) = (value(low), value(high))
            && low <= high
        {
            (bounds.low, bounds.high) = (Some(low), Some(high));
        }
    }
    for window in words.windows(3) {
        match window {
            ["at", "least", low] => bounds.low = bounds.low.or(value(low)),
            ["at", "most", high] => bounds.high = bounds.high.or(value(high)),
            _ => {}
        }
    }
    bounds
}

fn value(word: &str) -> Option<f64> {
    let word = word.trim_end_matches(['.', ',', ';', ')']);
    word.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn google_style_is_parsed() {
        let docstring = read(
            "Nod.\n\n    More words.\n\n    Args:\n        robot: The robot.\n        times (int): How often,\n            \
             between 1 and 10.\n\n    Returns:\n        A line\n        of text.\n\n    Raises:\n        ValueError: If not.\n",
        );
        assert_eq!(docstring.description, "Nod.\n\nMore words.");
        assert_eq!(docstring.arguments["times"], "How often, between 1 and 10.");
        assert_eq!(docstring.arguments.len(), 2);
        assert_eq!(docstring.returns, "A line of text.");
    }

    #[test]
    fn bounds_are_read_from_words() {
        let bounded = |text| {
            let bounds = bounds(text);
            (bounds.low, bounds.high)
        };
        assert_eq!(bounded("Number of nods, between 1 and 10."), (Some(1.0), Some(10.0)));
        assert_eq!(bounded("Between -0.5 and 2, in metres."), (Some(-0.5), Some(2.0)));
        assert_eq!(bounded("Seconds; at least 0.5."), (Some(0.5), None));
        assert_eq!(bounded("At most 3"), (None, Some(3.0)));
        assert_eq!(bounded("between nan and inf"), (None, None));
        assert_eq!(bounded("the way between here and there"), (None, None));
    }
}
