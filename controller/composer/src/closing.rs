//! Requests that describe a motion first and say at their end that it is to become a tool: "nod twice. Save that as a new
//! routine called hello", or that write it like code: "hello(): nod twice".

use crate::compose::is_content;
use crate::name::identifier;
use crate::tagger::tag;
use crate::words::{Word, number_word, split};

/// A request in its parts.
pub(crate) struct Described {
    /// The name that is given.
    pub name: Option<String>,
    /// What the tool does, as it was said.
    pub description: String,
}

/// How many words speak of the tool at most.
const LONGEST_CLOSING: usize = 16;
/// How many words the heading of a description has at most: "cue for the second act:".
const LONGEST_HEADING: usize = 6;

const TOOLS: &[&str] = &[
    "tool", "skill", "trick", "routine", "function", "command", "cue", "program", "gesture", "macro",
    "script", "ability",
];
/// Words of a heading that belong to the description.
const HOW: &[&str] = &[
    "times", "once", "twice", "thrice", "when", "whenever", "while", "if", "until", "every", "each", "first",
    "then",
];
/// Verbs that make or keep something.
const KEEPING: &[&str] = &[
    "make",
    "save",
    "store",
    "write",
    "register",
    "program",
    "turn",
    "build",
    "create",
    "develop",
    "add",
    "learn",
    "keep",
    "file",
    "code",
    "become",
    "compose",
    "put",
    "implement",
    "define",
    "remember",
    "record",
];
/// Those after which "it" or "that" needs no noun: "program that, please".
const KEEPING_IT: &[&str] = &["program", "learn", "register", "implement", "code"];
const WANTING: &[&str] = &["like", "love", "want", "need", "have"];
const AROUND: &[&str] = &[
    "please", "pls", "can", "could", "would", "should", "will", "you", "i", "we", "me", "us", "my", "your",
    "this", "that", "it", "these", "them", "all", "whole", "thing", "lot", "as", "into", "out", "a", "an",
    "one", "the", "new", "reusable", "for", "from", "of", "is", "be", "to", "such", "now", "so", "up", "and",
    "which", "what", "do", "d", "i'd", "i'll", "let", "let's", "that's", "it's", "s", "under", "in", "by",
    "with", "called", "named", "name", "call", "little",
];

/// Reads a request that ends by speaking of the tool that it describes.
pub(crate) fn described_first(text: &str, words: &[Word]) -> Option<Described> {
    let start = closing(words)?;
    let end = words.get(start)?.span.start;
    let before = words.get(..start)?;
    let heading = heading(before);
    let from = before.get(heading)?.span.start;
    let description = text.get(from..end)?.trim();
    let description = description.trim_end_matches(|letter: char| {
        letter.is_whitespace()
            || matches!(letter, '.' | ',' | ';' | ':' | '-' | '>' | '\u{2014}' | '\u{2013}' | '=')
    });
    let description = description.strip_suffix(" and").unwrap_or(description);
    let name = given_at_end(words.get(start..)?);
    let is_description = description.split_whitespace().count() > 1 && moves(description);
    is_description.then(|| Described { name, description: description.to_owned() })
}

/// Returns whether a text names something that moves.
pub(crate) fn moves(text: &str) -> bool {
    tag(&split(text), &[]).iter().any(|tagged| is_content(&tagged.tag))
}

/// Returns where the words begin that only speak of the tool.
fn closing(words: &[Word]) -> Option<usize> {
    let first = words.len().saturating_sub(LONGEST_CLOSING).max(1);
    (first..words.len()).find(|at| {
        let is_set_off = words.get(at - 1).is_some_and(|before| !before.is_word || before.text == "and");
        let begins = words.get(*at).is_some_and(|word| word.is_word);
        is_set_off && begins && words.get(*at..).is_some_and(is_about_the_tool)
    })
}

/// Returns whether words only speak of a tool that is to be made or kept.
fn is_about_the_tool(words: &[Word]) -> bool {
    // What follows "called" is a name.
    let name = words.iter().position(|word| matches!(word.text.as_str(), "called" | "named" | "name"));
    let is_article = |at: usize| {
        words.get(at).is_some_and(|word| matches!(word.text.as_str(), "a" | "new" | "one" | "the" | "as"))
    };
    let tool = words.iter().enumerate().position(|(at, word)| {
        // "Program that": a verb.
        let is_verb = word.text == "program" && !at.checked_sub(1).is_some_and(is_article);
        TOOLS.contains(&word.text.as_str()) && !is_verb
    });
    let named = match (name, tool) {
        (Some(name), _) => name + 1,
        (None, Some(tool)) => tool + 1,
        (None, None) => words.len(),
    };
    let told: Vec<&str> =
        words.iter().take(named).filter(|word| word.is_word).map(|word| word.text.as_str()).collect();
    // Only a name may follow: "and make a tool that nods" describes another one.
    let rest = words.iter().skip(named).filter(|word| word.is_word);
    let own = rest.clone().take_while(|word| !is_plain(&word.text)).count();
    let mut after = rest.clone().skip(own).map(|word| word.text.as_str());
    let goes_on = match (after.next(), after.next()) {
        (Some("to" | "which" | "where" | "with"), _) => true,
        (Some("that"), Some(next)) => KEEPING.contains(&next),
        _ => false,
    };
    let is_closed = own <= 3 && !goes_on && rest.skip(own).all(|word| is_plain(&word.text));
    let has = |list: &[&str]| told.iter().any(|word| list.contains(word));
    let is_new = has(&["new"]);
    let has_article = told.windows(2).any(|pair| {
        matches!(pair, [article, noun] if matches!(*article, "a" | "new" | "one" | "such" | "reusable") && TOOLS.contains(noun))
    });
    let says_it = has(&["it", "that", "this", "these", "them", "all"]);
    // "That is the new function I want you to write".
    let says = |list: &[&str]| words.iter().any(|word| list.contains(&word.text.as_str()));
    let makes = says(KEEPING) && (says_it || has_article || is_new);
    let wants = says(WANTING) && (has_article || is_new);
    let is_bare = told.len() <= 3 && is_new;
    let speaks_of_tool = match tool {
        Some(_) => makes || wants || is_bare || is_asked_for(words),
        None => has(KEEPING_IT) && told.len() <= 6 && has(&["it", "that", "this"]),
    };
    told.iter().all(|word| is_plain(word)) && is_closed && speaks_of_tool
}

/// "Tool please", "save as skill".
fn is_asked_for(words: &[Word]) -> bool {
    let own: Vec<&str> = words.iter().filter(|word| word.is_word).map(|word| word.text.as_str()).collect();
    match own.as_slice() {
        [noun, "please" | "pls"] => TOOLS.contains(noun),
        [verb, "as", noun, ..] => KEEPING.contains(verb) && TOOLS.contains(noun),
        _ => false,
    }
}

fn is_plain(word: &str) -> bool {
    AROUND.contains(&word) || TOOLS.contains(&word) || KEEPING.contains(&word) || WANTING.contains(&word)
}

/// Returns the name after "called", or after the noun: "save as skill wigglewait".
fn given_at_end(words: &[Word]) -> Option<String> {
    let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
    let naming = (0..words.len()).find(|at| matches!(word(*at), "called" | "named" | "name"));
    let noun = (0..words.len()).rev().find(|at| TOOLS.contains(&word(*at)));
    // "Save as skill wigglewait": right after the noun.
    let start = match (naming, noun) {
        (Some(naming), _) => naming + 1,
        (None, Some(noun)) if !is_plain(word(noun + 1)) => noun + 1,
        _ => return None,
    };
    let own: Vec<String> = words
        .iter()
        .skip(start)
        .skip_while(|word| !word.is_word && naming.is_some())
        .take_while(|word| word.is_word)
        .filter(|word| !is_plain(&word.text))
        .map(|word| word.text.clone())
        .collect();
    (!own.is_empty()).then(|| identifier(&own))
}

/// Returns how many words only announce the description: "cue for act one:".
fn heading(words: &[Word]) -> usize {
    let colon = words.iter().take(LONGEST_HEADING + 1).position(|word| word.text == ":");
    let Some(colon) = colon else { return 0 };
    let own = words.get(..colon).unwrap_or_default();
    let names_tool = own.iter().any(|word| TOOLS.contains(&word.text.as_str()));
    // "Three times over: ..." and "slowly: ..." say how.
    let says_how = own.iter().any(|word| {
        number_word(&word.text).is_some() || HOW.contains(&word.text.as_str()) || word.text.ends_with("ly")
    });
    let says_nothing = !says_how && !tag(own, &[]).iter().any(|tagged| is_content(&tagged.tag));
    if names_tool || says_nothing { colon + 1 } else { 0 }
}

/// Reads a request that is written like code: "function hello(): nod twice", "write function hello -> nod twice".
pub(crate) fn like_code(text: &str) -> Option<Described> {
    let text = text.trim();
    let (head, rest) = match text.split_once("()") {
        Some((head, rest)) => (head, rest),
        None => {
            let (head, rest) = text.split_once("->")?;
            let words = split(head);
            let is_named = words.len() >= 2
                && words.iter().rev().nth(1).is_some_and(|word| TOOLS.contains(&word.text.as_str()));
            is_named.then_some((head, rest))?
        }
    };
    let name = head.split_whitespace().last()?;
    let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let before = split(head);
    let announces =
        before.split_last().is_some_and(|(_, announced)| announced.iter().all(|word| is_plain(&word.text)));
    let description = rest.trim_start_matches(|letter: char| {
        letter.is_whitespace() || matches!(letter, ':' | ',' | '-' | '>' | '=' | '{')
    });
    let description = description.strip_prefix("that ").unwrap_or(description);
    let description = described_first(description, &split(description))
        .map_or_else(|| description.to_owned(), |inner| inner.description);
    let name = identifier(&[name.to_lowercase()]);
    (is_name && announces && moves(&description)).then_some(Described { name: Some(name), description })
}

#[cfg(test)]
mod tests {
    use crate::plain_request;

    #[test]
    fn what_is_described_first_is_a_tool() {
        for (request, plain) in [
            ("nod twice. Save that as a new routine called hello.", "make a tool called hello: nod twice"),
            (
                "Cue for act one: ears up, then nod. Write it as a command, please.",
                "make a tool: ears up, then nod",
            ),
            ("look left, then nod, and make that a command", "make a tool: look left, then nod"),
            (
                "wiggle 1x + wait 1s. save as skill wigglewait",
                "make a tool called wigglewait: wiggle 1x + wait 1s",
            ),
            ("Three nods and a wiggle. New skill please.", "make a tool: Three nods and a wiggle"),
            ("shake your head; that is the new function I want you to write", "make a tool: shake your head"),
            ("function bob(): nod twice, then look up", "make a tool called bob: nod twice, then look up"),
            ("write function wake -> antennas up, nod", "make a tool called wake: antennas up, nod"),
            ("could you program yourself to bow deeply", "make a tool that bow deeply"),
            ("Build a nod that gets deeper each time", "make a tool: a nod that gets deeper each time"),
        ] {
            assert_eq!(plain_request(request).as_deref(), Some(plain), "{request}");
        }
    }

    #[test]
    fn what_is_said_of_tools_that_are_there_makes_none() {
        for text in [
            "nod. I like this tool",
            "look left, then run the new tool",
            "nod twice and save a photo",
            "look up, then show me the new trick",
            "turn left and keep it there",
            "delete it, please",
            "nod, then do that again",
            "look left, and create a tool that nods twice",
            "look left, and create a tool called yes that nods twice",
            "nod twice, but don't save that as a tool",
            "look left, and make a tool to turn it up",
        ] {
            assert_eq!(plain_request(text), None, "{text}");
        }
    }
}
