//! Finds the tool that a text calls in everyday words, or the question that it asks: "be angry" runs `show_anger`.

use crate::concept::{Concept, Tag};
use crate::lexicon::{Courtesy, Everyday, Lexicon, lexicons};
use crate::reader::detect;
use crate::rewrite::is_of_motion;
use crate::tagger::raw;

/// Longer texts say more than thanks.
const MOST_POLITE_WORDS: usize = 14;

/// Returns the name of the tool that a text calls in everyday words, of those that are known; none if it says anything else.
#[must_use]
pub fn called_tool(text: &str, is_known: impl Fn(&str) -> bool) -> Option<&'static str> {
    lexicons().find_map(|lexicon| called(text, lexicon, &lexicon.everyday)).filter(|name| is_known(name))
}

/// Returns what a question about what the camera shows asks for, in a language whose file lists such questions: `scene`,
/// `person` or `people`. With it comes the language's code.
#[must_use]
pub fn asked_sight(text: &str) -> Option<(&'static str, &'static str)> {
    lexicons().find_map(|lexicon| Some((called(text, lexicon, &lexicon.sights)?, lexicon.code.as_str())))
}

fn called(text: &str, lexicon: &'static Lexicon, everyday: &'static Everyday) -> Option<&'static str> {
    let words = lexicon.words(text);
    let begins = |phrase: &[String], at: usize| {
        phrase
            .iter()
            .enumerate()
            .all(|(more, text)| words.get(at + more).is_some_and(|word| word.text == *text))
    };
    // Most texts name none, and need no closer look.
    if !everyday.phrases.iter().any(|phrase| (0..words.len()).any(|at| begins(&phrase.words, at))) {
        return None;
    }
    let tags = raw(&words, lexicon);
    let is_asked = everyday.verbs.is_empty() || tags.iter().any(|tag| tag.concept == Concept::Request);
    let says_nothing = |at: usize| {
        let Some(word) = words.get(at) else { return false };
        if matches!(word.text.as_str(), "¿" | "¡") {
            return true;
        }
        let tag = tags.iter().find(|tag| tag.span.start <= word.span.start && word.span.end <= tag.span.end);
        tag.is_some_and(|tag| {
            matches!(tag.concept, Concept::Question if is_asked)
                || matches!(
                    tag.concept,
                    Concept::Skip
                        | Concept::Request
                        | Concept::Courtesy
                        | Concept::Call
                        | Concept::Restart
                        | Concept::Article
                        | Concept::Size(_)
                        | Concept::Comma
                        | Concept::Stop
                )
        })
    };
    let ends = |at: usize| (at..words.len()).all(says_nothing);
    let mut at = 0;
    let mut has_verb = false;
    while at < words.len() {
        let found = everyday.phrases.iter().filter(|phrase| {
            (has_verb || !phrase.needs_verb) && begins(&phrase.words, at) && ends(at + phrase.words.len())
        });
        if let Some(phrase) = found.max_by_key(|phrase| phrase.words.len()) {
            return Some(&phrase.name);
        }
        let verb = everyday.verbs.iter().filter(|verb| !has_verb && begins(verb, at)).map(Vec::len).max();
        match verb {
            Some(length) => {
                has_verb = true;
                at += length;
            }
            None if says_nothing(at) => at += 1,
            None => return None,
        }
    }
    None
}

/// Returns whether a text says what comes before something else: "but only after you have nodded".
#[must_use]
pub fn comes_before(text: &str) -> bool {
    let (_, tags) = detect(text, "en");
    let opens =
        |tag: &&Tag| matches!(tag.concept, Concept::Comma | Concept::Skip | Concept::And | Concept::Only);
    tags.iter().find(|tag| !opens(tag)).is_some_and(|tag| tag.concept == Concept::After)
}

/// Returns what a text says to be polite, if it says nothing else, and the language's code: "thank you, that was lovely".
#[must_use]
pub fn courtesy(text: &str) -> Option<(Courtesy, &'static str)> {
    let (_, tags) = detect(text, "en");
    // An order needs no other language: its file is read only where it may be one.
    if tags.iter().any(orders) {
        return None;
    }
    lexicons().find_map(|lexicon| polite(text, lexicon))
}

/// Returns what a text says to be polite in a language.
fn polite(text: &str, lexicon: &'static Lexicon) -> Option<(Courtesy, &'static str)> {
    let all = lexicon.words(text);
    if all.len() > MOST_POLITE_WORDS {
        return None;
    }
    let words: Vec<&str> = all.iter().map(|word| word.text.as_str()).collect();
    let holds = |(kind, phrase): &&(Courtesy, Vec<String>)| match kind {
        Courtesy::Thanks => words.windows(phrase.len()).any(|part| part == phrase.as_slice()),
        Courtesy::Greeting => words.len() >= phrase.len() && words.iter().zip(phrase).all(|(a, b)| a == b),
    };
    if !lexicon.courtesies.iter().any(|one| holds(&one)) {
        return None;
    }
    let tags = raw(&all, lexicon);
    if tags.iter().any(orders) {
        return None;
    }
    // "Hello robot", and not "hello kitty is a cat".
    let is_whole = |(kind, phrase): &&(Courtesy, Vec<String>)| {
        let start = all.get(phrase.len()).map_or(usize::MAX, |word| word.span.start);
        let is_open = |tag: &Tag| tag.concept == Concept::Unknown && tag.span.start >= start;
        *kind == Courtesy::Thanks || !tags.iter().any(is_open)
    };
    let (kind, _) = lexicon.courtesies.iter().find(|one| holds(one) && is_whole(one))?;
    Some((*kind, lexicon.code.as_str()))
}

/// Returns whether a tag orders or asks something.
fn orders(tag: &Tag) -> bool {
    is_of_motion(&tag.concept) || is_order(&tag.concept)
}

/// Returns whether a concept orders or asks something though nothing moves by itself.
const fn is_order(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::StopOrder
            | Concept::StopOrderAlone
            | Concept::Asks
            | Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Cannot
            | Concept::When
            | Concept::Correction
    )
}

/// Returns whether a text says in which order its parts are done, otherwise than one after another: "before", "first".
#[must_use]
pub fn tells_order(text: &str) -> bool {
    let (_, tags) = detect(text, "en");
    let is_order = |tag: &Tag| {
        matches!(
            tag.concept,
            Concept::Before | Concept::After | Concept::First | Concept::Past | Concept::When
        )
    };
    tags.iter().any(is_order)
}

/// Returns whether a text only leads to the order that follows it: "and finally", "could you".
#[must_use]
pub fn leads_to_order(text: &str) -> bool {
    let (_, tags) = detect(text, "en");
    tags.iter().all(|tag| {
        matches!(
            tag.concept,
            Concept::Comma
                | Concept::Skip
                | Concept::And
                | Concept::Then
                | Concept::Last
                | Concept::Request
                | Concept::Call
                | Concept::Courtesy
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_call_a_tool() {
        for (text, tool) in [
            ("be angry", "show_anger"),
            ("Could you act a bit scared, please?", "show_fear"),
            ("please shrug your shoulders", "shrug"),
            ("sei mal wütend", "show_anger"),
            ("lach mal bitte", "laugh"),
            ("hausse les épaules", "shrug"),
            ("aie l'air timide", "show_shyness"),
            ("respira hondo por favor", "breathe"),
            ("fai finta di niente", ""),
            ("ringrazia", "say_thanks"),
            ("伸个懒腰", "stretch"),
            ("装作很生气", "show_anger"),
            ("are you angry", ""),
            ("don't be angry", ""),
            ("I am angry", ""),
            ("angry", ""),
            ("sorry", ""),
            ("很生气", ""),
            ("be angry and nod", ""),
        ] {
            assert_eq!(called_tool(text, |_| true).unwrap_or_default(), tool, "{text}");
        }
        assert_eq!(called_tool("be angry", |name| name == "shrug"), None);
    }

    #[test]
    fn questions_about_what_the_camera_shows_are_known() {
        for (text, sight) in [
            ("Was siehst du?", Some("scene")),
            ("sag mal, siehst du jemanden?", Some("person")),
            ("Tu vois combien de personnes ?", Some("people")),
            ("¿Qué ves?", Some("scene")),
            ("Cosa c'è davanti a te?", Some("scene")),
            ("你能看见什么？", Some("scene")),
            ("was siehst du im Fernsehen", None),
            ("schau nach links", None),
        ] {
            assert_eq!(asked_sight(text).map(|(sight, _)| sight), sight, "{text}");
        }
    }
}
