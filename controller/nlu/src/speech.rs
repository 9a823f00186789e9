//! Finds what the robot is to say aloud in a text, and where it is to take photos: "say good morning and bow", "look up, then
//! take a photo".

mod photo;

pub(super) use photo::in_order;

use minismith_commands::{Speech, comes_before, orders_a_part, speech};

use super::intent::{Intent, Reason, Sight, Understanding};

/// Maximum length of what is said aloud, bytes.
const MAX_SAID: usize = 300;

/// Maximum number of texts that are said, and of photos, in one sentence.
const MAX_TEXTS: usize = 8;

/// Words that order speech; all but the first kinds need quotation marks, since they also begin questions.
const PLAIN_VERBS: [&str; 14] = [
    "say",
    "shout",
    "whisper",
    "announce",
    "exclaim",
    "yell",
    "call out",
    "cry out",
    "utter",
    "tell everyone",
    "tell everybody",
    "tell them",
    "tell the class",
    "tell the children",
];
const QUOTED_VERBS: [&str; 4] = ["tell", "ask", "answer", "read"];

/// How many words may stand between a verb and the quotation: "ask all of the children "are you ready?"".
const MOST_NAMED: usize = 5;

/// Words that are no part of a name: somebody is told something of what they begin.
const NO_NAMES: [&str; 15] = [
    "me", "us", "what", "of", "on", "about", "how", "where", "when", "if", "who", "why", "which", "content",
    "after",
];

/// What may stand between the start of a clause and the verb.
const OPENINGS: [&str; 30] = [
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
    "i need you to",
    "and you",
    "then you",
    "quickly",
    "when youve done that",
];

/// What may stand between the verb and the words.
const INTRODUCTIONS: [&str; 9] =
    ["the words", "the word", "out loud", "aloud", "loudly", "softly", "quietly", "that", "to everyone"];

/// Words after "say" that are gestures or refer to something.
const NO_SPEECH: [&str; 26] = [
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
    "how",
    "where",
    "who",
    "why",
    "if",
    "about",
    "apart",
    "to",
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

/// After these, an order that is understood by itself is one, whatever follows it.
const CLEAR_JOINTS: [&str; 7] = [", ", "; ", ". ", "! ", "? ", " and then ", " then "];

/// What ends a clause.
const CLAUSE_ENDS: [&str; 7] = [",", ";", ".", "!", "?", " and ", " then "];

/// Returns the phrases of English and of the language of the text.
fn with<'a>(english: &'a [&'static str], own: &'a [String]) -> impl Iterator<Item = &'a str> {
    english.iter().copied().chain(own.iter().map(String::as_str))
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    /// To be read as an order.
    Order(&'a str),
    /// To be said.
    Say(&'a str),
    /// A photo to take, of this.
    Photo(&'a str),
}

/// Returns the plan of a text that orders speech or photos; none if it orders none. `took_photo`: whether the text before was
/// about photos, so that "take another" is one.
pub(super) fn plan(
    text: &str,
    took_photo: bool,
    read: &dyn Fn(&str) -> Understanding,
) -> Option<Understanding> {
    let unclear = |text: &str| {
        let text = text.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        Understanding::Unclear { text, reason: Reason::Unknown, nearest: Vec::new() }
    };
    if let Some(photos) = photo::several(text) {
        return Some(unclear(photos));
    }
    let mut plan = Vec::new();
    let own = speech(text);
    let pieces = pieces(text, own, took_photo, read)?;
    // Without them, the text would be read as if nothing were to be said or taken.
    let is_certain = pieces.iter().any(|piece| matches!(piece, Piece::Photo(_))) || is_quoted(text);
    for piece in pieces {
        match piece {
            Piece::Say(words) => plan.push(Intent::Say(words.to_owned())),
            Piece::Photo(subject) => {
                if plan.is_empty() && photo::names_a_place(subject) {
                    match read(&format!("look at {subject}")) {
                        Understanding::Plan(steps) => plan.extend(steps),
                        _ => return Some(unclear(subject)),
                    }
                }
                plan.push(Intent::See(Sight::Photo));
            }
            Piece::Order(order) => match read(order) {
                // "Take a photo of the shelf, it's on your left", "take a photo, but only after you have nodded".
                Understanding::Plan(steps) if photo::tells_where(order) || comes_before(order) => {
                    let photo = plan.pop();
                    plan.extend(steps);
                    plan.extend(photo);
                }
                // What is said of a tool is not done now.
                Understanding::Plan(steps)
                    if steps.iter().any(|step| matches!(step, Intent::MakeTool { .. })) =>
                {
                    return None;
                }
                Understanding::Plan(steps) => plan.extend(steps),
                _ if is_certain => return Some(unclear(order)),
                _ => return None,
            },
        }
    }
    Some(Understanding::Plan(plan))
}

fn is_quoted(text: &str) -> bool {
    text.contains(['"', '\u{201c}', '\u{201e}', '\u{ab}'])
}

/// What a text orders next beside motions.
struct Next<'a> {
    before: &'a str,
    /// What follows: the words to say, or the rest after a photo.
    after: &'a str,
    /// What is to be on the photo, if it is one.
    subject: Option<&'a str>,
}

/// Returns the next order to speak or to take a photo.
fn next<'a>(text: &'a str, own: &Speech, took_photo: bool) -> Option<Next<'a>> {
    let speech = next_speech(text, own).map(|(before, after)| Next { before, after, subject: None });
    let photo = photo::next(text, own, took_photo).map(|photo::Order { before, subject, after }| Next {
        before,
        after,
        subject: Some(subject),
    });
    match (speech, photo) {
        (Some(speech), Some(photo)) if photo.before.len() < speech.before.len() => Some(photo),
        (Some(speech), _) => Some(speech),
        (None, photo) => photo,
    }
}

fn pieces<'a>(
    text: &'a str,
    own: &Speech,
    mut took_photo: bool,
    read: &dyn Fn(&str) -> Understanding,
) -> Option<Vec<Piece<'a>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut count = 0;
    while let Some(Next { before, after: words, subject }) = next(rest, own, took_photo) {
        pieces.extend(is_content(before, own).then_some(Piece::Order(before)));
        count += 1;
        if count > MAX_TEXTS {
            return None;
        }
        if let Some(subject) = subject {
            took_photo = true;
            // "Take a photo to the left": it looks there first.
            let place = first_clause(words, own);
            let is_place = words.starts_with(|c: char| c.is_whitespace())
                && is_content(place, own)
                && with(&CLAUSE_ENDS, &own.joints).all(|end| !words.starts_with(end));
            if is_place {
                pieces.push(Piece::Order(place));
                rest = words.get(place.len()..).unwrap_or_default();
            } else {
                rest = words;
            }
            pieces.push(Piece::Photo(subject));
            continue;
        }
        let (said, after) = ends(words, own, took_photo, read)?;
        // "A bit of nodding, say four nods" asks for nods.
        let is_motion = quotation(words).is_none()
            && !plain(said).starts_with("good night")
            && matches!(read(said), Understanding::Plan(plan)
                if plan.iter().any(|intent| matches!(intent, Intent::Motion(_) | Intent::Spoken(_))));
        if said.len() > MAX_SAID || is_motion {
            return None;
        }
        pieces.push(Piece::Say(said));
        rest = after;
    }
    if pieces.is_empty() {
        return None;
    }
    pieces.extend(is_content(rest, own).then_some(Piece::Order(rest)));
    Some(pieces)
}

/// Returns whether a text holds more than joints and courtesies.
fn is_content(text: &str, own: &Speech) -> bool {
    let mut rest = plain(text);
    loop {
        let before = rest.len();
        for opening in with(&OPENINGS, &own.before).chain([
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
fn next_speech<'a>(text: &'a str, own: &Speech) -> Option<(&'a str, &'a str)> {
    let lower = text.to_ascii_lowercase();
    let verbs = with(&PLAIN_VERBS, &own.verbs).map(|verb| (verb, false));
    let verbs = verbs.chain(QUOTED_VERBS.into_iter().map(|verb| (verb, true)));
    let found = verbs.flat_map(|(verb, is_quoted)| {
        lower.match_indices(verb).map(move |(at, _)| (at, verb.len(), is_quoted)).collect::<Vec<_>>()
    });
    let mut found: Vec<_> = found.collect();
    found.sort_unstable();
    found.into_iter().find_map(|(at, length, is_quoted)| {
        let (before, words) = (text.get(..at)?, text.get(at + length..)?);
        // Chinese has no spaces.
        let is_open = lower.get(at..at + length).is_some_and(|verb| verb.ends_with('说'));
        let is_word = (is_open || words.starts_with([' ', ':', ',', '"', '\u{201c}']))
            && (before.is_empty() || before.ends_with(|c: char| !c.is_alphanumeric()));
        let told = told_that(words).filter(|_| lower.get(at..at + length) == Some("tell"));
        let is_quoted = is_quoted && told.is_none();
        let words =
            told.unwrap_or_else(|| if is_quoted { named(words, own) } else { introduced(words, own) });
        let quoted = quotation(words).is_some();
        let is_speech =
            is_word && begins_clause(before, own) && (quoted || (!is_quoted && !words.starts_with(',')));
        let content = plain(words);
        let refers = with(&NO_SPEECH, &own.refused).any(|no| {
            let rest = content.strip_prefix(no);
            rest.is_some_and(|rest| is_open || rest.is_empty() || rest.starts_with(' '))
        });
        let is_gesture = content.contains("with your");
        (is_speech && (quoted || !refers) && !is_gesture && !content.is_empty()).then_some((before, words))
    })
}

/// Returns whether a clause begins where a text ends, up to courtesies.
fn begins_clause(before: &str, own: &Speech) -> bool {
    let last = before.rsplit([',', '.', ';', '!', '?', ':']).next().unwrap_or(before);
    let ends_in_mark = before.trim_end().ends_with([',', '.', ';', '!', '?', ':', '，', '。', '！']);
    if before.trim().is_empty() || ends_in_mark {
        return true;
    }
    let last = plain(last);
    with(&OPENINGS, &own.before)
        .any(|opening| last.strip_suffix(opening).is_some_and(|rest| rest.is_empty() || rest.ends_with(' ')))
}

/// Returns what somebody is to be told: "the visitors that the museum shuts at five".
fn told_that(words: &str) -> Option<&str> {
    let at = words.find(" that ")?;
    let names = words.get(..at)?;
    let is_short = (1..=MOST_NAMED).contains(&names.split_whitespace().count());
    // "Tell me what that note says", "tell Ann about that".
    let is_question = names.split_whitespace().any(|word| NO_NAMES.contains(&word));
    let is_name = is_short && !is_question && names.chars().all(|c| c.is_alphanumeric() || c == ' ');
    let rest = words.get(at + " that ".len()..)?;
    let is_sentence = rest.split_whitespace().count() > 2 && !rest.starts_with("again");
    (is_name && is_sentence).then_some(rest)
}

/// Skips those to whom something is said, up to a quotation: "the children "are you ready?"".
fn named<'a>(words: &'a str, own: &Speech) -> &'a str {
    let open = words.find(['"', '\u{201c}', '\u{2018}']).or_else(|| words.find(" '").map(|at| at + 1));
    let Some(open) = open else { return introduced(words, own) };
    let (names, quoted) = words.split_at_checked(open).unwrap_or((words, ""));
    let is_short = names.split_whitespace().count() <= MOST_NAMED && !names.contains(['.', ';', '!', '?']);
    if is_short { quoted } else { introduced(words, own) }
}

/// Skips what introduces the words.
fn introduced<'a>(words: &'a str, own: &Speech) -> &'a str {
    let mut rest = words.trim_start_matches([' ', ':']);
    loop {
        let lower = rest.to_ascii_lowercase();
        let skipped = with(&INTRODUCTIONS, &own.introductions).find(|intro| {
            lower
                .strip_prefix(*intro)
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
        '\u{ab}' => '\u{bb}',
        '\u{201e}' => '\u{201c}',
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
fn ends<'a>(
    words: &'a str,
    own: &Speech,
    took_photo: bool,
    read: &dyn Fn(&str) -> Understanding,
) -> Option<(&'a str, &'a str)> {
    if let Some((said, rest)) = quotation(words) {
        return Some((said.trim(), rest));
    }
    let lower = words.to_ascii_lowercase();
    let mut places: Vec<(usize, usize)> = with(&JOINTS, &own.joints)
        .flat_map(|joint| lower.match_indices(joint).map(|(at, joint)| (at, joint.len())).collect::<Vec<_>>())
        // What is longer is not said.
        .filter(|(at, _)| *at <= MAX_SAID)
        .collect();
    places.sort_by_key(|(at, length)| (*at, std::cmp::Reverse(*length)));
    let moves = |text: &str| matches!(read(text), Understanding::Plan(_));
    for (at, length) in places {
        let (Some(said), Some(rest)) = (words.get(..at), words.get(at..)) else { continue };
        let after = words.get(at + length..).unwrap_or_default();
        let is_clear = lower
            .get(at..at + length)
            .is_some_and(|joint| CLEAR_JOINTS.contains(&joint) || !joint.is_ascii());
        let is_order = next(after, own, took_photo).is_some_and(|next| !is_content(next.before, own))
            || (moves(first_clause(after, own)) && (is_clear || moves(after) || moves(rest)))
            || orders_a_part(after);
        if is_order && !said.trim().is_empty() {
            return Some((trimmed(said), rest));
        }
    }
    Some((trimmed(words), ""))
}

/// Returns the start of a text up to the next joint.
fn first_clause<'a>(text: &'a str, own: &Speech) -> &'a str {
    let ends = with(&CLAUSE_ENDS, &own.joints).filter_map(|joint| text.find(joint));
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
