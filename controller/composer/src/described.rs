//! A request in its parts: the name of the tool, and what it does.

use crate::compose::is_content;
use crate::name::NOUNS;
use crate::tag::Tag;
use crate::tagger::tag;
use crate::words::{number_word, split};

/// A request in its parts.
pub(crate) struct Described {
    /// The name that is given.
    pub name: Option<String>,
    /// What the tool does, as it was said.
    pub description: String,
}

/// How many words the heading of a description has at most: "cue for the second act:".
const LONGEST_HEADING: usize = 6;

/// Words of a heading that belong to the description.
const HOW: &[&str] = &[
    "times", "once", "twice", "thrice", "when", "whenever", "while", "if", "until", "every", "each", "first",
    "then",
];
/// Returns whether a text names something that moves.
pub(crate) fn moves(text: &str) -> bool {
    tag(&split(text), &[]).iter().any(|tagged| is_content(&tagged.tag))
}

/// Returns a description without what only announces it: "cue for act one: ears up" is "ears up".
pub(crate) fn without_heading(text: &str) -> &str {
    let words = split(text);
    let colon = words.iter().take(LONGEST_HEADING + 1).position(|word| word.text == ":");
    let Some(colon) = colon else { return text };
    let own = words.get(..colon).unwrap_or_default();
    let names_tool = own.iter().any(|word| NOUNS.contains(&word.text.as_str()));
    // "Three times over: ..." and "slowly: ..." say how.
    let says_how = own.iter().any(|word| {
        number_word(&word.text).is_some() || HOW.contains(&word.text.as_str()) || word.text.ends_with("ly")
    });
    let tells = |tag: &Tag| is_content(tag) || matches!(tag, Tag::Condition(..) | Tag::After | Tag::Before);
    let says_nothing = !says_how && !tag(own, &[]).iter().any(|tagged| tells(&tagged.tag));
    let rest = words.get(colon + 1).and_then(|word| text.get(word.span.start..));
    rest.filter(|_| names_tool || says_nothing).unwrap_or(text)
}
