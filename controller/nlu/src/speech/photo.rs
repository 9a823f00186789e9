//! Finds where a photo is to be taken in a text.

use minismith_commands::{Meaning, Speech, leads_to_order, tells_order};

use super::{CLAUSE_ENDS, begins_clause, with};
use crate::intent::{Intent, Sight, Understanding};

const VERBS: [&str; 8] = ["take", "snap", "shoot", "grab", "capture", "make", "taking", "snapping"];
const ARTICLES: [&str; 12] =
    ["a", "an", "another", "one", "the", "my", "our", "a quick", "one more", "some", "your", "a last"];
const NOUNS: [&str; 10] =
    ["photo", "photograph", "picture", "pic", "selfie", "snapshot", "snap", "portrait", "shot", "image"];
const SEVERAL: [&str; 4] = [" photos", " photographs", " pictures", " selfies"];
/// What asks for a photo without a verb of its own.
const WANTS: [&str; 8] =
    ["i'd like", "i would like", "i want", "we want", "we'd like", "give me", "get me", "i need"];
/// A verb by itself.
const PHOTOGRAPH: &str = "photograph";
/// Words that tell where something is.
const PLACES: [&str; 8] = ["left", "right", "ceiling", "floor", "sky", "above", "below", "ground"];
/// As a whole clause.
const ALONE: [&str; 3] = ["photo", "a photo", "a photo please"];
/// As a whole clause after an earlier photo.
const MORE: [&str; 7] = [
    "take another",
    "take another one",
    "take one more",
    "take the last one",
    "shoot",
    "shoot again",
    "take one",
];

/// An order to take a photo in a text.
pub(super) struct Order<'a> {
    /// The text before it.
    pub before: &'a str,
    /// What is to be on the photo: "the bookshelf on your left".
    pub subject: &'a str,
    /// The rest of the text.
    pub after: &'a str,
}

/// Returns the next order to take a photo.
pub(super) fn next<'a>(text: &'a str, own: &Speech, took_photo: bool) -> Option<Order<'a>> {
    let lower = text.to_ascii_lowercase();
    let mut starts = lower.char_indices().map(|(at, _)| at);
    starts.find_map(|at| {
        let before = text.get(..at)?;
        // Chinese has no spaces.
        let is_start = before.chars().next_back().is_none_or(|c| !c.is_alphanumeric() || is_open(c));
        if !is_start {
            return None;
        }
        let rest = lower.get(at..)?;
        let whole = photo(rest, own);
        let more = || {
            let again = MORE.into_iter().chain(own.more_photos.iter().map(String::as_str));
            took_photo.then(|| one_of(rest, again)).flatten().or_else(|| one_of(rest, ALONE))
        };
        let length = whole
            .or_else(more)
            .filter(|_| begins_clause(before, own) || leads_to_order(last_clause(before)))?;
        let shown = text.get(at + length..)?;
        let after = subject_skipped(shown, own);
        let subject = shown.get(..shown.len() - after.len())?;
        let subject = subject.strip_prefix(" of ").unwrap_or(subject).trim();
        let is_end =
            after.trim().is_empty() || with(&CLAUSE_ENDS, &own.joints).any(|end| after.starts_with(end));
        (whole.is_some() || is_end).then_some(Order { before, subject, after })
    })
}

/// What stands for a photo where the reader of commands tells the order of its parts, by the form of the verb.
const STAND_INS: [(&[&str], &str); 3] = [
    (&["taking", "snapping", "shooting", "capturing", "making", "grabbing"], "beeping"),
    (&["taken", "took", "snapped", "shot", "captured", "made", "grabbed"], "beeped"),
    (&["take", "snap", "shoot", "capture", "make", "grab", "get"], "beep"),
];

/// Returns the plan of an English text that tells when a photo is taken: "before you nod, take a photo". A photo moves nothing,
/// as a sound does, so the reader of commands finds its place with a sound in its stead. None if the text says it otherwise.
pub(crate) fn in_order(text: &str, read: &dyn Fn(&str) -> Understanding) -> Option<Understanding> {
    let lower = text.to_ascii_lowercase();
    if !NOUNS.iter().chain(&["image"]).any(|noun| lower.contains(noun)) {
        return None;
    }
    let (replaced, photos) = with_sounds(text);
    if photos == 0 || !tells_order(&replaced) {
        return None;
    }
    let Understanding::Plan(plan) = read(&replaced) else { return None };
    let [Intent::Spoken(spoken)] = plan.as_slice() else { return None };
    let steps = match (&spoken.meaning, &spoken.if_event) {
        (Some(Meaning::Sequence(steps)), None) => steps,
        _ => return None,
    };
    let is_flat = |step: &Meaning| *step == Meaning::Sound || step.without_sounds().as_ref() == Some(step);
    let sounds = steps.iter().filter(|step| **step == Meaning::Sound).count();
    if sounds != photos || !steps.iter().all(is_flat) {
        return None;
    }
    let mut ordered = Vec::new();
    for part in steps.split_inclusive(|step| *step == Meaning::Sound) {
        let (moves, photo) = match part {
            [moves @ .., Meaning::Sound] => (moves, true),
            moves => (moves, false),
        };
        match moves {
            [] => {}
            [one] => ordered.push(Intent::Spoken(Box::new(spoken.with(one.clone())))),
            several => {
                ordered.push(Intent::Spoken(Box::new(spoken.with(Meaning::Sequence(several.to_vec())))));
            }
        }
        ordered.extend(photo.then_some(Intent::See(Sight::Photo)));
    }
    Some(Understanding::Plan(ordered))
}

/// Returns a text with a sound in place of each photo, and how many there are.
fn with_sounds(text: &str) -> (String, usize) {
    let lower = text.to_ascii_lowercase();
    let mut replaced = String::new();
    let mut photos = 0;
    let mut at = 0;
    while let Some(rest) = lower.get(at..).filter(|rest| !rest.is_empty()) {
        let begins = replaced.chars().next_back().is_none_or(|c| !c.is_alphanumeric());
        let found = STAND_INS.iter().filter(|_| begins).find_map(|(verbs, sound)| {
            let verb = one_of(rest, verbs.iter().copied())?;
            let noun = rest.get(verb..)?.strip_prefix(' ')?;
            let article = one_of(noun, ARTICLES).map_or(0, |article| article + 1);
            let length = one_of(noun.get(article..)?, NOUNS.into_iter().chain(["image"]))?;
            Some((verb + 1 + article + length, *sound))
        });
        // "A photo first, then a nod".
        let alone = || {
            let article = one_of(rest, ARTICLES).filter(|_| begins).map_or(0, |article| article + 1);
            let length = one_of(rest.get(article..)?, NOUNS).filter(|_| begins)?;
            Some((article + length, "a beep"))
        };
        match found.or_else(alone) {
            Some((length, sound)) => {
                replaced.push_str(sound);
                photos += 1;
                at += length;
            }
            None => {
                let letter = text.get(at..).and_then(|rest| rest.chars().next());
                let Some(letter) = letter else { break };
                replaced.push(letter);
                at += letter.len_utf8();
            }
        }
    }
    (replaced, photos)
}

/// Returns what follows the last mark of a text.
fn last_clause(text: &str) -> &str {
    text.rsplit([',', '.', ';', '!', '?', ':', '¿', '¡', '，', '。', '！', '？']).next().unwrap_or(text)
}

/// Returns whether a text tells where something is that is to be on a photo, so that the robot has to look there first.
pub(super) fn names_a_place(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| PLACES.contains(&word.to_ascii_lowercase().as_str()))
}

/// Returns whether a text tells where the thing is that was to be on a photo: "it's on your left".
pub(super) fn tells_where(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric()).to_ascii_lowercase();
    names_a_place(&text)
        && ["it's ", "it is ", "its ", "they're ", "which is ", "that's "]
            .iter()
            .any(|start| text.starts_with(start))
}

/// Returns the length of an order to take a photo at the start of a text.
fn photo(text: &str, own: &Speech) -> Option<usize> {
    if let Some(length) = one_of(text, own.photos.iter()) {
        return Some(length);
    }
    if let Some(rest) = text.strip_prefix(PHOTOGRAPH).filter(|rest| rest.starts_with(' ')) {
        // What it shows begins like that of "a photo of".
        return rest
            .split_whitespace()
            .next()
            .filter(|word| ["the", "me", "us", "my"].contains(word))
            .map(|_| PHOTOGRAPH.len());
    }
    let verb = one_of(text, VERBS.into_iter().chain(WANTS))?;
    let after_verb = text.get(verb..)?.strip_prefix(' ')?;
    // "Make photo of me": not all speak with articles.
    if let Some(noun) = one_of(after_verb, NOUNS) {
        return Some(verb + 1 + noun);
    }
    let article = one_of(after_verb, ARTICLES)?;
    let noun_at = after_verb.get(article..)?.strip_prefix(' ')?;
    let noun = one_of(noun_at, NOUNS)?;
    Some(verb + 1 + article + 1 + noun)
}

/// Returns the length of the longest of these phrases at the start of a text.
fn one_of(text: &str, phrases: impl IntoIterator<Item = impl AsRef<str>>) -> Option<usize> {
    let length = |phrase: &str| {
        let rest = text.strip_prefix(phrase)?;
        let is_whole = rest.chars().next().is_none_or(|c| !c.is_alphanumeric())
            || phrase.chars().next_back().is_some_and(is_open);
        is_whole.then_some(phrase.len())
    };
    phrases.into_iter().filter_map(|phrase| length(phrase.as_ref())).max()
}

/// Returns whether a letter is of a script without spaces.
fn is_open(letter: char) -> bool {
    letter > '\u{2e7f}'
}

/// Skips whom a photo shows: "of the whiteboard", "with me". It shows what is before the camera.
fn subject_skipped<'a>(after: &'a str, own: &Speech) -> &'a str {
    let lower = after.to_ascii_lowercase();
    let is_subject =
        [" of ", " the ", " me", " us", " my ", " with ", " from ", " for ", " von ", " de ", " di "]
            .iter()
            .any(|link| lower.starts_with(link));
    if !is_subject {
        return after;
    }
    let ends = with(&CLAUSE_ENDS, &own.joints).filter_map(|end| lower.find(end));
    let end = ends.min().unwrap_or(after.len());
    after.get(end..).unwrap_or_default()
}

/// Returns an order to take several photos: between them, something else may have to happen.
pub(super) fn several(text: &str) -> Option<&str> {
    let lower = text.to_ascii_lowercase();
    SEVERAL.iter().find_map(|noun| {
        let end = lower.find(noun)? + noun.len();
        let verb = VERBS.iter().filter_map(|verb| lower.get(..end)?.rfind(verb)).max()?;
        // "Take three quick photos", but "take a look at the pictures".
        text.get(verb..end).filter(|order| order.split_whitespace().count() <= 4)
    })
}
