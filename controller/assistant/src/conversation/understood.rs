//! Which part of a sentence stands for which steps of its plan, for the person who said it.
//!
//! The grammar reads a sentence as a whole. A part is shown with steps only if the grammar reads the part alone as exactly
//! these steps, and the parts together are the whole plan. Where no such parts exist, the sentence is one part.

use serde::Serialize;
use std::ops::Range;
use utoipa::ToSchema;

use minismith_nlu::{Intent, Understanding};

/// A part of a sentence, and what it was taken for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnderstoodPart {
    /// The person's words.
    pub text: String,
    /// The steps that they stand for, in this order.
    pub steps: Vec<String>,
}

/// Maximum number of clauses that are read one by one. Each combination of neighbours may have to be read.
const MAX_CLAUSES: usize = 8;

/// What the steps of a plan are joined by when it is told.
const JOINT: &str = ", then ";

/// Words between clauses, in the languages of the commands.
const CONJUNCTIONS: [&str; 12] =
    ["and", "then", "und", "dann", "danach", "et", "puis", "ensuite", "y", "luego", "e", "después"];

/// Returns the parts of a sentence that `read` reads as this plan.
pub(super) fn parts(
    text: &str,
    plan: &[Intent],
    read: impl Fn(&str) -> Understanding,
) -> Vec<UnderstoodPart> {
    if plan.is_empty() {
        return Vec::new();
    }
    let described = describe(plan);
    let clauses = clauses(text);
    let whole = |steps: &str| vec![part(text, steps)];
    if clauses.len() < 2 || clauses.len() > MAX_CLAUSES {
        return whole(&described);
    }
    let mut reader = Reader { text, clauses, read, known: Vec::new() };
    reader.align(0, &described).unwrap_or_else(|| whole(&described))
}

fn part(text: &str, steps: &str) -> UnderstoodPart {
    UnderstoodPart { text: text.trim().to_owned(), steps: steps.split(JOINT).map(str::to_owned).collect() }
}

fn describe(plan: &[Intent]) -> String {
    plan.iter().map(ToString::to_string).collect::<Vec<_>>().join(JOINT)
}

struct Reader<'a, Read> {
    text: &'a str,
    clauses: Vec<Range<usize>>,
    read: Read,
    /// What ranges of clauses were read as.
    known: Vec<(Range<usize>, Option<String>)>,
}

impl<Read: Fn(&str) -> Understanding> Reader<'_, Read> {
    /// Returns the parts from a clause on that stand for exactly these steps, with the shortest parts first.
    fn align(&mut self, from: usize, steps: &str) -> Option<Vec<UnderstoodPart>> {
        let count = self.clauses.len();
        (from + 1..=count).find_map(|to| {
            let read = self.alone(from..to)?;
            let first = part(self.words(from..to)?, &read);
            if to == count {
                return (read == steps).then(|| vec![first]);
            }
            let rest = steps.strip_prefix(&*read)?.strip_prefix(JOINT)?;
            let rest = self.align(to, rest)?;
            Some([vec![first], rest].concat())
        })
    }

    /// Returns what neighbouring clauses are read as if nothing else is said.
    fn alone(&mut self, range: Range<usize>) -> Option<String> {
        if let Some((_, read)) = self.known.iter().find(|(known, _)| *known == range) {
            return read.clone();
        }
        let read = match (self.read)(self.words(range.clone())?) {
            Understanding::Plan(plan) if !plan.is_empty() => Some(describe(&plan)),
            _ => None,
        };
        self.known.push((range, read.clone()));
        read
    }

    fn words(&self, range: Range<usize>) -> Option<&str> {
        let (first, last) = (self.clauses.get(range.start)?, self.clauses.get(range.end - 1)?);
        self.text.get(first.start..last.end)
    }
}

/// Returns the clauses of a sentence, without what stands between them.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let mut clauses: Vec<Range<usize>> = Vec::new();
    let mut is_open = false;
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let bare = word.trim();
        let ends = bare.ends_with([',', ';', '.', '!', '?']);
        let bare = bare.trim_end_matches([',', ';', '.', '!', '?']);
        if bare.is_empty() || CONJUNCTIONS.contains(&bare.to_lowercase().as_str()) {
            is_open = false;
            continue;
        }
        let end = start + bare.len();
        match clauses.last_mut() {
            Some(clause) if is_open => clause.end = end,
            _ => clauses.push(start..end),
        }
        is_open = !ends;
    }
    clauses
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_nlu::{Known, interpret};

    fn read(text: &str) -> Understanding {
        interpret(text, &Known { tools: &[], before: None })
    }

    fn of(text: &str) -> Vec<(String, Vec<String>)> {
        let Understanding::Plan(plan) = read(text) else { return Vec::new() };
        parts(text, &plan, read).into_iter().map(|part| (part.text, part.steps)).collect()
    }

    #[test]
    fn each_part_stands_for_its_steps() {
        let expected = [("nod twice", "nod twice"), ("look left 20 degrees", "look left 20 deg")];
        let found = of("Nod twice, then look left 20 degrees.");
        let found: Vec<(String, &str)> =
            found.iter().map(|(text, steps)| (text.to_lowercase(), steps[0].as_str())).collect();
        assert_eq!(found, expected.map(|(text, steps)| (text.to_owned(), steps)));
    }

    #[test]
    fn parts_together_are_the_plan() {
        for text in [
            "nod, shake your head and wiggle the antennas",
            "look up and left",
            "look left 20 degrees then back",
            "nicke zweimal und schau dann nach links",
            "nod",
        ] {
            let Understanding::Plan(plan) = read(text) else { panic!("{text}") };
            let parts = parts(text, &plan, read);
            let steps: Vec<String> = parts.iter().flat_map(|part| part.steps.clone()).collect();
            assert_eq!(steps.join(JOINT), describe(&plan), "{text}");
            assert!(parts.iter().all(|part| text.contains(&part.text)), "{text}: {parts:?}");
        }
        assert_eq!(of("the weather"), Vec::new());
    }
}
