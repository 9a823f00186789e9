//! Takes a word that is not known for the one word of the language that sounds very near: "tern your body".

use crate::concept::{Act, Concept, Part, Tag, is_feeling, is_posture};
use crate::lexicon::Lexicon;
use crate::sound::{class, distance, of};
use crate::words::Word;

/// Common English words, which are spoken for themselves, though one of the lexicon sounds alike.
const COMMON: &str = include_str!("../lexicon/common_en.txt");

/// Texts with more words than this are told, not ordered.
const MOST_WORDS: usize = 14;
/// Texts with more unknown words than this are not misheard, but something else.
const MOST_UNKNOWN: usize = 4;
/// Two sounds this near are nearly the same.
const NEARLY_SAME: f64 = 0.3;
/// Two sounds this near are the same.
const SAME: f64 = 0.5;

/// What could stand at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// A verb that moves a part.
    ActOfPart,
    /// A unit or "times", after a number.
    Unit,
    /// A number, before a unit.
    Number,
    /// What something is called, after an article.
    Noun,
    /// Anything that sounds the same.
    Any,
}

impl Expected {
    fn fits(self, meaning: &[Concept]) -> bool {
        let [concept] = meaning else { return false };
        match self {
            Expected::ActOfPart => matches!(
                concept,
                Concept::Act(
                    Act::Nod
                        | Act::Shake
                        | Act::Bow
                        | Act::Wiggle
                        | Act::Wave
                        | Act::Look
                        | Act::Turn
                        | Act::Tilt
                        | Act::Move
                        | Act::Shift
                        | Act::Raise
                        | Act::Lower
                        | Act::Lean
                        | Act::Spread
                        | Act::Close
                )
            ),
            Expected::Unit => matches!(concept, Concept::Unit(_) | Concept::Times),
            Expected::Number => matches!(concept, Concept::Number(_)),
            Expected::Noun => !matches!(concept, Concept::Act(act) if is_posture(*act) || is_feeling(*act)),
            Expected::Any => true,
        }
    }
}

/// The words with those that were probably said, and what was replaced by what.
pub(crate) type Guess = (Vec<Word>, Vec<(String, String)>);

/// Returns the words with the unknown ones replaced by what was probably said, and what was replaced by what.
pub(crate) fn hear(words: &[Word], tags: &[Tag], lexicon: &Lexicon) -> Option<Guess> {
    let is_told = |tag: &Tag| {
        matches!(
            tag.concept,
            Concept::Somebody
                | Concept::Asks
                | Concept::Because
                | Concept::When
                | Concept::Unless
                | Concept::Past
                | Concept::Cannot
        )
    };
    let unknown: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| {
            tags.iter().any(|tag| tag.concept == Concept::Unknown && tag.span.start == word.span.start)
        })
        .map(|(at, _)| at)
        .collect();
    if unknown.is_empty()
        || unknown.len() > MOST_UNKNOWN
        || words.len() > MOST_WORDS
        || tags.iter().any(is_told)
        || !(tags.iter().any(is_of_an_order) || is_alone(tags))
    {
        return None;
    }
    let has = |is_that: fn(&Concept) -> bool| tags.iter().any(|tag| is_that(&tag.concept));
    let is_order = has(|concept| matches!(concept, Concept::Act(act) if !is_feeling(*act)))
        && has(|concept| {
            matches!(concept, Concept::Part(_) | Concept::Way(_) | Concept::Unit(_) | Concept::Times)
        });
    let mut heard: Vec<Option<Word>> = words.iter().cloned().map(Some).collect();
    let mut joined_places: Vec<usize> = Vec::new();
    let mut notes: Vec<(String, String)> = Vec::new();
    for at in unknown.into_iter().rev() {
        let Some(word) = words.get(at) else { continue };
        if joined_places.contains(&at) || word.text.chars().count() < 3 {
            continue;
        }
        let is_common = lexicon.code == "en" && COMMON.split_whitespace().any(|common| common == word.text);
        if is_common && !is_order {
            // It is a word of its own: "lend me your ears" is no "lean".
            return None;
        }
        let joined = |first: usize| {
            let (one, other) = (words.get(first)?, words.get(first + 1)?);
            if joined_places.contains(&first) || joined_places.contains(&(first + 1)) {
                return None;
            }
            // "Juan mira": a verb that is known stays one.
            let is_verb = |word: &Word| {
                let known = lexicon.longest(std::slice::from_ref(word));
                known.is_some_and(|(meaning, _)| {
                    meaning.iter().any(|concept| matches!(concept, Concept::Act(_)))
                })
            };
            if is_verb(one) || is_verb(other) {
                return None;
            }
            (one.text.len() > 1
                && other.text.len() > 1
                && !one.is_sign()
                && !other.is_sign()
                && one.number.is_none()
                && other.number.is_none())
            .then(|| (first, format!("{}{}", one.text, other.text)))
        };
        let pairs = [at.checked_sub(1).and_then(joined), joined(at)];
        let pair = pairs.into_iter().flatten().find_map(|(first, text)| {
            let found = nearest(&text, Expected::Any, (text.chars().count() as f64 * 0.1).min(1.0), lexicon)?;
            (text.chars().count() >= 6).then_some((first, text, found))
        });
        if let Some((first, text, found)) = pair {
            let end = words.get(first + 1).map_or(word.span.end, |second| second.span.end);
            if let Some(Some(one)) = heard.get_mut(first) {
                found.clone_into(&mut one.text);
                one.span.end = end;
            }
            if let Some(second) = heard.get_mut(first + 1) {
                *second = None;
            }
            joined_places.extend([first, first + 1]);
            notes.push((text, found.to_owned()));
            continue;
        }
        let expected = expected(word, tags);
        let otherwise = if follows_article(word, tags) { Expected::Noun } else { Expected::Any };
        let expected = if expected == Expected::Any { otherwise } else { expected };
        // A common word is taken for another one only if both sound nearly the same: "rite", "write".
        let is_free = is_common && !matches!(expected, Expected::Unit | Expected::Number);
        let most = if is_free { NEARLY_SAME } else { 1.0 };
        let single =
            nearest(&word.text, expected, if expected == otherwise { SAME } else { 1.0 }.min(most), lexicon)
                .or_else(|| nearest(&word.text, otherwise, SAME.min(most), lexicon));
        if let (Some(found), Some(Some(own))) = (single, heard.get_mut(at)) {
            notes.push((word.text.clone(), found.to_owned()));
            found.clone_into(&mut own.text);
        }
    }
    (!notes.is_empty()).then(|| (heard.into_iter().flatten().collect(), notes))
}

/// Returns whether a concept is one of those by which an order is known.
const fn is_of_an_order(tag: &Tag) -> bool {
    match &tag.concept {
        Concept::Act(act) => !is_feeling(*act),
        Concept::Part(_) | Concept::Way(_) | Concept::Unit(_) | Concept::Count(_) | Concept::Times => true,
        _ => false,
    }
}

/// Returns whether one word is all that the text says.
fn is_alone(tags: &[Tag]) -> bool {
    let says = |tag: &&Tag| {
        !matches!(
            tag.concept,
            Concept::Comma
                | Concept::Stop
                | Concept::Question
                | Concept::Request
                | Concept::Call
                | Concept::Restart
                | Concept::Article
                | Concept::Skip
        )
    };
    tags.iter().filter(says).count() == 1
}

/// Returns whether an article stands before a word.
fn follows_article(word: &Word, tags: &[Tag]) -> bool {
    let at = tags.iter().position(|tag| tag.span.start == word.span.start);
    let before = at.and_then(|at| tags.get(..at)).and_then(<[Tag]>::last);
    before.is_some_and(|before| before.concept == Concept::Article)
}

/// Returns what could stand at the place of a word.
fn expected(word: &Word, tags: &[Tag]) -> Expected {
    let at = tags.iter().position(|tag| tag.span.start == word.span.start).unwrap_or(0);
    let is_shown = |tag: &&Tag| !matches!(tag.concept, Concept::Skip | Concept::Article);
    let before = tags.get(..at).unwrap_or_default().iter().rev().find(is_shown).map(|tag| &tag.concept);
    let after = tags.get(at + 1..).unwrap_or_default().iter().find(is_shown).map(|tag| &tag.concept);
    match (before, after) {
        (Some(Concept::Number(_)), _) => Expected::Unit,
        (_, Some(Concept::Unit(_) | Concept::Times)) => Expected::Number,
        (
            None
            | Some(
                Concept::Comma
                | Concept::Stop
                | Concept::And
                | Concept::Then
                | Concept::Request
                | Concept::Call
                | Concept::Restart,
            ),
            Some(Concept::Part(
                Part::Head
                | Part::Body
                | Part::Antenna
                | Part::Antennas
                | Part::LeftAntenna
                | Part::RightAntenna,
            )),
        ) => Expected::ActOfPart,
        _ => Expected::Any,
    }
}

/// Returns the one word that sounds nearest, within a distance; none if several with different meanings do.
fn nearest<'a>(text: &str, expected: Expected, within: f64, lexicon: &'a Lexicon) -> Option<&'a str> {
    let sound = of(text);
    if sound.len() < 2 {
        return None;
    }
    let mut best: Option<(f64, &crate::lexicon::Sounding)> = None;
    let mut is_sure = false;
    for known in lexicon.sounds() {
        let begins_alike = match (known.sound.first(), sound.first()) {
            (Some(one), Some(other)) => class(*one) == class(*other),
            _ => false,
        };
        if !begins_alike {
            continue;
        }
        if known.sound.len().abs_diff(sound.len()) > 2 || !expected.fits(lexicon.meaning(known.meaning)) {
            continue;
        }
        let far = distance(&sound, &known.sound);
        // A short word that is another word of the language: "buy", not "bow".
        if far > 0.3 && sound.len() < 3 && matches!(expected, Expected::Any | Expected::Noun) {
            continue;
        }
        // Three letters of which the last differs are the same only before a part of the robot.
        if far > 0.5
            && known.sound.len() < 4
            && !(expected == Expected::ActOfPart && known.sound.get(..2) == sound.get(..2))
        {
            continue;
        }
        if far > within + 1e-9 || far > known.sound.len() as f64 * 0.34 {
            continue;
        }
        match best {
            Some((nearer, other)) if far > nearer - 1e-9 => {
                is_sure &= far > nearer + 0.2 || other.meaning == known.meaning;
            }
            Some((nearer, other)) => {
                is_sure = far < nearer - 0.2 || other.meaning == known.meaning;
                best = Some((far, known));
            }
            None => {
                is_sure = true;
                best = Some((far, known));
            }
        }
    }
    best.filter(|_| is_sure).map(|(_, known)| &*known.word)
}
