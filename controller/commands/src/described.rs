//! Reads what a text tells of the robot, as if it were told to it: "nods twice while it turns its body".

use crate::concept::{Concept, Tag};
use crate::lexicon::{Lexicon, lexicon};
use crate::meaning::Meaning;
use crate::reader::Reading;
use crate::tagger::raw;
use crate::texts::read;

/// Who does something in a description of what the robot does.
const SUBJECTS: [&str; 3] = ["it", "robot", "reachy"];

/// Returns what a description in English tells of the robot; none where a part of it is not understood.
#[must_use]
pub fn described(text: &str) -> Option<Meaning> {
    let english = lexicon("en")?;
    match read(&ordered(text, english), None, "en").0 {
        Reading::Motion { meaning, heard, .. } if heard.is_empty() => Some(meaning),
        _ => None,
    }
}

/// Returns a description as an order: "it nods with its head" becomes "nod with your head".
fn ordered(text: &str, english: &Lexicon) -> String {
    let mut told = String::new();
    let words: Vec<&str> = text.split_whitespace().collect();
    for (at, word) in words.iter().enumerate() {
        let bare = bare(word);
        let mark = word.get(bare.len()..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|at| words.get(at)).copied().unwrap_or_default();
        let is_verb = |word: &&str| told_form(self::bare(word), english).is_some();
        if SUBJECTS.contains(&bare) && words.get(at + 1).is_some_and(is_verb) {
            continue;
        }
        let base = match bare {
            "its" => Some("your".to_owned()),
            // "Three nods" are no verb.
            _ if counts(before, english) => None,
            _ => told_form(bare, english),
        };
        told.push_str(base.as_deref().unwrap_or(bare));
        told.push_str(mark);
        told.push(' ');
    }
    told.trim_end().to_owned()
}

/// Returns a word without the marks at its end.
fn bare(word: &str) -> &str {
    word.trim_end_matches(|c: char| !c.is_alphanumeric())
}

/// Returns the verb of which a word is the form that tells what somebody does: "nods".
fn told_form(word: &str, english: &Lexicon) -> Option<String> {
    let is_known = |tags: &[Tag]| {
        !tags.is_empty() && tags.iter().all(|tag| !matches!(tag.concept, Concept::Unknown | Concept::Skip))
    };
    let tags = |word: &str| raw(&english.words(word), english);
    let own = tags(word);
    let is_told = matches!(own.first().map(|tag| &tag.concept), Some(Concept::Third | Concept::Unknown));
    if !is_told {
        return None;
    }
    let lower = word.to_ascii_lowercase();
    let stems = [("ies", "y"), ("es", ""), ("s", "")];
    let bases =
        stems.iter().filter_map(|(end, instead)| Some(format!("{}{instead}", lower.strip_suffix(end)?)));
    bases.into_iter().find(|base| base.len() > 1 && is_known(&tags(base)))
}

/// Returns whether a noun follows a word: "three", "a", "some".
fn counts(word: &str, english: &Lexicon) -> bool {
    let tags = raw(&english.words(word), english);
    let is_number = |tag: &Tag| {
        matches!(tag.concept, Concept::Number(_) | Concept::Count(_) | Concept::Article | Concept::Again)
    };
    !tags.is_empty() && tags.iter().all(is_number) && word != "once" && word != "twice"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::describe;

    #[test]
    fn what_is_told_of_the_robot_reads_like_an_order() {
        for (text, told) in [
            ("nods twice while it tilts its head to the right", "nod 2 times and tilt right"),
            ("tilts its head to the right before it nods", "tilt right, then nod once"),
            ("turns its body to the left; then it looks to the left", "turn the body left, then look left"),
            ("the robot does three nods and then waits for two seconds", "nod 3 times, then wait 2 s"),
            ("after nodding twice waits for two seconds", "nod 2 times, then wait 2 s"),
        ] {
            let meaning = described(text);
            assert_eq!(meaning.map(|meaning| describe(&meaning, "en")).as_deref(), Some(told), "{text}");
        }
        assert_eq!(described("nods and frobs its gizmo"), None);
    }
}
