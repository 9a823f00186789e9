//! Finds what the words of a text mean in one language.

use std::ops::Range;

use crate::concept::{Concept, Part, Way};
use crate::lexicon::Lexicon;
use crate::words::{Word, split};

/// A concept with its place in the text, bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// What it means.
    pub concept: Concept,
    /// Where it stands.
    pub span: Range<usize>,
}

/// Returns the meanings of the words of a text, one after another. What is of no importance is left out.
#[must_use]
pub fn tag(text: &str, lexicon: &Lexicon) -> Vec<Tag> {
    let words = split(text, lexicon.has_elisions);
    let mut tags: Vec<Tag> = Vec::new();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let rest = words.get(at..).unwrap_or(&[]);
        let (meaning, used) = lexicon.longest(rest).unwrap_or_else(|| (vec![unlisted(word, lexicon)], 1));
        let end = words.get(at + used - 1).map_or(word.span.end, |last| last.span.end);
        let span = word.span.start..end;
        tags.extend(meaning.into_iter().map(|concept| Tag { concept, span: span.clone() }));
        at += used;
    }
    tags.retain(|tag| tag.concept != Concept::Skip);
    sides(numbers(tags), lexicon.side_follows_part)
}

fn unlisted(word: &Word, lexicon: &Lexicon) -> Concept {
    if let Some(number) = lexicon.compound(word) {
        return Concept::Number(number);
    }
    match word.text.as_str() {
        "," | ";" | "、" | "，" | "；" => Concept::Comma,
        "." | "!" | "。" | "！" | "…" | ":" | "：" | "\n" => Concept::Stop,
        "?" | "？" => Concept::Question,
        "&" | "+" => Concept::And,
        _ if word.is_sign() => Concept::Skip,
        _ => Concept::Unknown,
    }
}

/// Joins the parts of a number: "twenty five", "two and a half".
fn numbers(tags: Vec<Tag>) -> Vec<Tag> {
    let mut joined: Vec<Tag> = Vec::new();
    for tag in tags {
        if let (Concept::Number(next), Some(Tag { concept: Concept::Number(number), span })) =
            (&tag.concept, joined.last_mut())
            && let Some(sum) = sum_of(*number, *next)
        {
            *number = sum;
            span.end = tag.span.end;
            continue;
        }
        joined.push(tag);
    }
    joined
}

fn sum_of(number: f64, next: f64) -> Option<f64> {
    let is_tens = number >= 20.0 && number % 10.0 == 0.0 && number < 100.0;
    if next == 100.0 || (next == 10.0 && (2.0..10.0).contains(&number)) {
        return Some(number * next);
    }
    let fits = (next < 1.0 && number >= 1.0)
        || (is_tens && (1.0..10.0).contains(&next))
        || (number == 10.0 && (1.0..10.0).contains(&next))
        // "Soixante-dix", "quatre-vingt-douze".
        || ((number == 60.0 || number == 80.0) && (10.0..20.0).contains(&next))
        || (number >= 100.0 && number % 100.0 == 0.0 && (1.0..100.0).contains(&next));
    fits.then_some(number + next)
}

/// Joins a side and the antenna to which it belongs: "the left antenna", "l'antenne gauche".
fn sides(tags: Vec<Tag>, side_follows_part: bool) -> Vec<Tag> {
    let mut joined: Vec<Tag> = Vec::new();
    let mut tags = tags.into_iter().peekable();
    while let Some(mut tag) = tags.next() {
        let side = |concept: &Concept| match concept {
            Concept::Way(Way::Left) => Some(Part::LeftAntenna),
            Concept::Way(Way::Right) => Some(Part::RightAntenna),
            Concept::Way(Way::Opposite) => Some(Part::Other),
            _ => None,
        };
        let is_antenna = |concept: &Concept| matches!(concept, Concept::Part(Part::Antenna));
        if let Some(next) = tags.peek() {
            let part = if is_antenna(&next.concept) && !side_follows_part {
                side(&tag.concept)
            } else if is_antenna(&tag.concept) && side_follows_part {
                side(&next.concept)
            } else {
                None
            };
            if let Some(part) = part {
                tag.concept = Concept::Part(part);
                tag.span.end = next.span.end;
                tags.next();
            }
        }
        joined.push(tag);
    }
    joined
}
