//! Finds what the robot is to say aloud in a text: "say good morning and bow", "nod and shout 'here I am'".

use super::intent::{Intent, Understanding};

/// Maximum length of what is said aloud, bytes.
const MAX_SAID: usize = 300;

/// Maximum number of texts that are said in one sentence.
const MAX_TEXTS: usize = 8;

/// Words that order speech; all but the first kinds need quotation marks, since they also begin questions.
const PLAIN_VERBS: [&str; 9] =
    ["say", "shout", "whisper", "announce", "exclaim", "yell", "call out", "cry out", "utter"];
const QUOTED_VERBS: [&str; 6] = ["tell me", "tell us", "tell them", "tell everyone", "ask", "answer"];

/// What may stand between the start of a clause and the verb.
const OPENINGS: [&str; 25] = [
    "please",
    "and",
    "then",
    "next",
    "also",
    "now",
    "first",
    "finally",
    "just",
    "loudly",
    "softly",
    "quietly",
    "could you",
    "can you",
    "would you",
    "will you",
    "so",
    "reachy",
    "hey",
    "while you",
    "after that",
    "but",
    "i want you to",
    "id like you to",
    "i would like you to",
];

/// What may stand between the verb and the words.
const INTRODUCTIONS: [&str; 9] =
    ["the words", "the word", "out loud", "aloud", "loudly", "softly", "quietly", "that", "to everyone"];

/// Words after "say" that are gestures or refer to something.
const NO_SPEECH: [&str; 18] = [
    "yes",
    "no",
    "that",
    "that again",
    "it",
    "it again",
    "something",
    "nothing",
    "anything",
    "cheese",
    "so",
    "when",
    "stop",
    "what",
    "it once more",
    "it louder",
    "more",
    "please",
];

/// What begins the next order after the words.
const JOINTS: [&str; 16] = [
    " and then ",
    " and ",
    " then ",
    " while ",
    " whilst ",
    " as you ",
    " before you ",
    " after you ",
    " before ",
    " after ",
    ", ",
    "; ",
    ". ",
    "! ",
    "? ",
    " with ",
];

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    /// To be read as an order.
    Order(&'a str),
    /// To be said.
    Say(&'a str),
}

/// Returns the plan of a text that orders speech; none if it orders none, or if the rest of it is not understood.
pub(super) fn plan(text: &str, read: &dyn Fn(&str) -> Understanding) -> Option<Vec<Intent>> {
    let mut plan = Vec::new();
    let mut says = false;
    for piece in pieces(text, read)? {
        match piece {
            Piece::Say(words) => {
                says = true;
                plan.push(Intent::Say(words.to_owned()));
            }
            Piece::Order(order) => match read(order) {
                Understanding::Plan(steps) => plan.extend(steps),
                _ => return None,
            },
        }
    }
    says.then_some(plan)
}

fn pieces<'a>(text: &'a str, read: &dyn Fn(&str) -> Understanding) -> Option<Vec<Piece<'a>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut order_from = rest;
    let mut texts = 0;
    while let Some((before, words)) = next_speech(rest) {
        let (said, after) = ends(words, read)?;
        // "A bit of nodding, say four nods" asks for nods.
        let is_motion = quotation(words).is_none()
            && !plain(said).starts_with("good night")
            && matches!(read(said), Understanding::Plan(plan)
                if plan.iter().any(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_))));
        texts += 1;
        if said.len() > MAX_SAID || texts > MAX_TEXTS || is_motion {
            return None;
        }
        let order = order_from.get(..order_from.len() - rest.len() + before.len()).unwrap_or(before);
        pieces.extend(is_content(order).then_some(Piece::Order(order)));
        pieces.push(Piece::Say(said));
        rest = after;
        order_from = after;
    }
    if pieces.is_empty() {
        return None;
    }
    pieces.extend(is_content(order_from).then_some(Piece::Order(order_from)));
    Some(pieces)
}

/// Returns whether a text holds more than joints and courtesies.
fn is_content(text: &str) -> bool {
    let mut rest = plain(text);
    loop {
        let before = rest.len();
        for opening in OPENINGS.iter().chain(&[
            "thanks",
            "thank you",
            "ok",
            "okay",
            "too",
            "as well",
            "i",
            "to",
            "out loud",
            "aloud",
            "loudly",
            "quietly",
        ]) {
            if let Some(shorter) =
                rest.strip_suffix(opening).filter(|one| one.is_empty() || one.ends_with(' '))
            {
                rest = shorter.trim_end().to_owned();
            }
        }
        if rest.is_empty() || rest.len() == before {
            return !rest.is_empty();
        }
    }
}

/// Returns a text in lower case, its words with one space between them.
fn plain(text: &str) -> String {
    let letters = text.chars().filter(|c| !matches!(c, '\'' | '\u{2019}'));
    let words: String =
        letters.map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { ' ' }).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the text before the next order to speak, and what follows its verb.
fn next_speech(text: &str) -> Option<(&str, &str)> {
    let lower = text.to_ascii_lowercase();
    let verbs =
        PLAIN_VERBS.iter().map(|verb| (*verb, false)).chain(QUOTED_VERBS.iter().map(|verb| (*verb, true)));
    let found = verbs.flat_map(|(verb, is_quoted)| {
        lower.match_indices(verb).map(move |(at, _)| (at, verb.len(), is_quoted)).collect::<Vec<_>>()
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found.into_iter().find_map(|(at, length, is_quoted)| {
        let (before, words) = (text.get(..at)?, text.get(at + length..)?);
        let is_word = words.starts_with([' ', ':', ',', '"', '\u{201c}'])
            && (before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric()));
        let words = introduced(words);
        let quoted = quotation(words).is_some();
        let is_speech =
            is_word && begins_clause(before) && (quoted || (!is_quoted && !words.starts_with(',')));
        let content = plain(words);
        let refers = NO_SPEECH.iter().any(|no| {
            let rest = content.strip_prefix(no);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        let is_gesture = content.contains("with your");
        (is_speech && (quoted || !refers) && !is_gesture && !content.is_empty()).then_some((before, words))
    })
}

/// Returns whether a clause begins where a text ends, up to courtesies.
fn begins_clause(before: &str) -> bool {
    let last = before.rsplit([',', '.', ';', '!', '?', ':']).next().unwrap_or(before);
    let ends_in_mark = before.trim_end().ends_with([',', '.', ';', '!', '?', ':']);
    if before.trim().is_empty() || ends_in_mark {
        return true;
    }
    let last = plain(last);
    OPENINGS.iter().any(|opening| last == *opening || last.ends_with(&format!(" {opening}")))
}

/// Skips what introduces the words.
fn introduced(words: &str) -> &str {
    let mut rest = words.trim_start_matches([' ', ':']);
    loop {
        let lower = rest.to_ascii_lowercase();
        let skipped = INTRODUCTIONS.iter().find(|intro| {
            lower
                .strip_prefix(**intro)
                .is_some_and(|after| after.starts_with([' ', ':', ',']) && after.len() > 1)
        });
        // "Say that again" refers to something.
        let Some(intro) = skipped.filter(|_| !lower.starts_with("that again")) else { return rest };
        rest = rest.get(intro.len()..).unwrap_or_default().trim_start_matches([' ', ':', ',']);
    }
}

/// Returns what stands between quotation marks at the start of a text, and the rest.
fn quotation(text: &str) -> Option<(&str, &str)> {
    let open = text.chars().next()?;
    let close = match open {
        '"' => '"',
        '\'' => '\'',
        '\u{201c}' => '\u{201d}',
        '\u{2018}' => '\u{2019}',
        _ => return None,
    };
    let inner = text.get(open.len_utf8()..)?;
    let is_end = |(at, c): &(usize, char)| {
        let after = inner.get(at + c.len_utf8()..).and_then(|rest| rest.chars().next());
        *c == close && after.is_none_or(|after| !after.is_alphanumeric())
    };
    let (end, mark) = inner.char_indices().find(is_end)?;
    Some((inner.get(..end)?, inner.get(end + mark.len_utf8()..)?))
}

/// Returns the words that are said, and the rest of the text: up to the mark that closes them, or up to the first place
/// from which on the rest is an order.
fn ends<'a>(words: &'a str, read: &dyn Fn(&str) -> Understanding) -> Option<(&'a str, &'a str)> {
    if let Some((said, rest)) = quotation(words) {
        return Some((said.trim(), rest));
    }
    let lower = words.to_ascii_lowercase();
    let mut places: Vec<(usize, usize)> = JOINTS
        .iter()
        .flat_map(|joint| lower.match_indices(joint).map(|(at, joint)| (at, joint.len())).collect::<Vec<_>>())
        // What is longer is not said.
        .filter(|(at, _)| *at <= MAX_SAID)
        .collect();
    places.sort_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)));
    let moves = |text: &str| matches!(read(text), Understanding::Plan(_));
    for (at, length) in places {
        let (Some(said), Some(rest)) = (words.get(..at), words.get(at..)) else { continue };
        let after = words.get(at + length..).unwrap_or_default();
        let is_order = next_speech(after).is_some_and(|(before, _)| !is_content(before))
            || (moves(first_clause(after)) && (moves(after) || moves(rest)));
        if is_order && !said.trim().is_empty() {
            return Some((trimmed(said), rest));
        }
    }
    Some((trimmed(words), ""))
}

/// Returns the start of a text up to the next joint.
fn first_clause(text: &str) -> &str {
    let ends = [",", ";", ".", "!", "?", " and ", " then "].iter().filter_map(|joint| text.find(joint));
    let end = ends.filter(|end| *end > 0).min().unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

fn trimmed(said: &str) -> &str {
    let said = said.trim().trim_end_matches(['.', ',', ';', '!', ' ']);
    let lower = said.to_ascii_lowercase();
    [" please", " for me", ", please"]
        .iter()
        .find_map(|ending| lower.ends_with(ending).then(|| said.get(..said.len() - ending.len())).flatten())
        .unwrap_or(said)
}

#[cfg(test)]
mod tests;
