//! Patterns of several words whose middle varies: comparisons with the one before, quotations, given amounts.

use std::ops::Range;

use super::{Atom, number, word};
use crate::lexicon::{self, Verb};
use crate::meaning::{Change, Link, Meaning};
use crate::tokens::Token;

/// "Twice as wide as the one before": from one repetition to the next.
pub(super) fn ratio(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let (is_more, used) = match (word(tokens, at), word(tokens, at + 1)) {
        ("twice" | "double" | "thrice", _) => (true, 1),
        ("half", _) => (false, 1),
        (_, "times") => (number(tokens, at).is_some_and(|(number, _)| number > 1.0), 2),
        _ => return None,
    };
    let place = at + used;
    if word(tokens, place) != "as" || word(tokens, place + 2) != "as" {
        return None;
    }
    let end = (place + 3..place + 7).find(|end| {
        matches!(word(tokens, *end), "before" | "last" | "previous" | "preceding" | "predecessor" | "former")
    })?;
    let change = match (word(tokens, place + 1), is_more) {
        ("fast" | "quick" | "quickly" | "rapid", true) | ("slow" | "slowly" | "long", false) => {
            Change::Faster
        }
        ("fast" | "quick" | "quickly" | "rapid", false) | ("slow" | "slowly" | "long", true) => {
            Change::Slower
        }
        (_, true) => Change::Grows,
        (_, false) => Change::Shrinks,
    };
    let more = usize::from(matches!(word(tokens, end + 1), "one" | "it"));
    Some((Meaning::Change(change), end + 1 + more))
}

/// "Harder and harder", "ever harder": each more than the one before.
pub(super) fn ever_more(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let text = word(tokens, at);
    let (compared, end) = match (text, word(tokens, at + 1)) {
        ("ever", next) if next.ends_with("er") => (next, at + 2),
        (_, "and") if text.ends_with("er") && text == word(tokens, at + 2) => (text, at + 3),
        _ => return None,
    };
    if compared.len() < 5 || matches!(compared, "never" | "after" | "other" | "under" | "together") {
        return None;
    }
    Some((Meaning::Change(trend(compared)?), end))
}

/// Returns what a comparative tells of repetitions.
fn trend(compared: &str) -> Option<Change> {
    Some(match compared {
        "faster" | "quicker" | "swifter" | "brisker" | "speedier" | "snappier" => Change::Faster,
        "slower" | "calmer" | "lazier" => Change::Slower,
        "smaller" | "narrower" | "weaker" | "shallower" | "softer" | "gentler" | "milder" | "tinier"
        | "shorter" | "fainter" | "subtler" | "finer" | "lighter" => Change::Shrinks,
        _ if compared.ends_with("er") => Change::Grows,
        _ => return None,
    })
}

/// Returns the end of "until they're horizontal", "to the horizontal": a right angle of an antenna.
pub(super) fn horizontal(tokens: &[Token], at: usize) -> Option<usize> {
    let place = (at..at + 4).find(|place| word(tokens, *place) == "horizontal")?;
    let leads = |place: usize| {
        matches!(
            word(tokens, place),
            "until" | "till" | "they" | "they're" | "it" | "it's" | "are" | "is" | "to" | "the" | "both"
        )
    };
    let begins = matches!(word(tokens, at), "until" | "till" | "to") && (at..place).all(leads);
    begins.then_some(place + 1)
}

/// "Every time higher than before", "each nod a little deeper", "quicker every time".
pub(super) fn each_more(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let is_each = |at: usize| matches!(word(tokens, at), "each" | "every");
    let compares = |at: usize| {
        let text = word(tokens, at);
        let is_size = matches!(
            text,
            "bigger"
                | "larger"
                | "wider"
                | "deeper"
                | "higher"
                | "further"
                | "farther"
                | "stronger"
                | "broader"
        );
        trend(text).filter(|change| is_size || *change != Change::Grows)
    };
    let (place, end) = if is_each(at) {
        let place = (at + 1..at + 7).find(|place| compares(*place).is_some())?;
        let between = (at + 1..place).map(|place| word(tokens, place));
        // One noun may stand between: "each nod".
        let is_about = |text: &str| {
            matches!(
                text,
                "new"
                    | "next"
                    | "following"
                    | "single"
                    | "is"
                    | "being"
                    | "was"
                    | "a"
                    | "bit"
                    | "little"
                    | "touch"
                    | "slightly"
                    | "even"
                    | "still"
                    | "getting"
            )
        };
        if between.filter(|text| !is_about(text)).count() > 1
            || tokens.get(at..place)?.iter().any(|token| token.is_mark)
        {
            return None;
        }
        (place, place + 1)
    } else if is_each(at + 1) && matches!(word(tokens, at + 2), "time" | "one" | "round" | "go" | "turn") {
        (at, at + 3)
    } else {
        return None;
    };
    let change = compares(place)?;
    let is_before = |at: &usize| {
        matches!(word(tokens, *at), "before" | "last" | "previous" | "preceding" | "earlier" | "former")
    };
    let end = match (end + 1..end + 5).find(is_before).filter(|_| word(tokens, end) == "than") {
        Some(before) => {
            before + 1 + usize::from(matches!(word(tokens, before + 1), "one" | "time" | "round" | "go"))
        }
        None => end,
    };
    Some((Meaning::Change(change), end))
}

/// Returns the end of "during it" or "during the turning": at the same time as what was told.
pub(super) fn during(tokens: &[Token], at: usize) -> Option<usize> {
    if word(tokens, at) != "during" {
        return None;
    }
    match (word(tokens, at + 1), word(tokens, at + 2)) {
        ("it" | "that" | "this", _) => Some(at + 2),
        ("the" | "your" | "its" | "all", next) if lexicon::verb(next).is_some_and(Verb::is_motion) => {
            Some(at + 3)
        }
        (next, _) if next.is_empty() || tokens.get(at + 1).is_some_and(|token| token.is_mark) => Some(at + 1),
        _ => None,
    }
}

/// Returns whether words that are to be spoken follow: `say "hello" aloud`. A tool moves; what it says is for people to judge.
pub(super) fn speaks_words(tokens: &[Token], at: usize) -> bool {
    let is_said = matches!(word(tokens, at), "say" | "says" | "saying" | "speak" | "speaks" | "speaking");
    let rest: Vec<&str> = (at + 1..at + 7).map(|at| word(tokens, at)).collect();
    let is_quoted = matches!(rest.first(), Some(&("\"" | "\u{201c}")))
        && !matches!(rest.get(1), Some(&("yes" | "no" | "maybe")));
    let is_loud = rest.iter().any(|word| matches!(*word, "aloud" | "loud" | "loudly"))
        || rest.windows(2).any(|pair| matches!(pair, ["the", "word" | "words"]));
    // "\"Hello\" you say".
    let is_quoted_before = at >= 3
        && (at - 2..at).any(|at| matches!(word(tokens, at), "\"" | "\u{201d}"))
        && !matches!(word(tokens, at - 3), "yes" | "no" | "maybe");
    is_said && (is_quoted || is_quoted_before || is_loud)
}

/// Returns whether two directions in their order follow: "from the left to its right".
pub(super) fn begins_path(tokens: &[Token], at: usize) -> bool {
    let side = |from: usize| {
        let is_filler = |text: &str| {
            matches!(text, "the" | "its" | "your" | "my" | "far" | "very" | "full" | "all" | "way" | "over")
        };
        let place = from + (from..from + 4).take_while(|place| is_filler(word(tokens, *place))).count();
        let is_side = matches!(word(tokens, place), "left" | "right" | "top" | "bottom" | "up" | "down");
        let more = usize::from(matches!(word(tokens, place + 1), "side" | "hand" | "end"));
        is_side.then_some(place + 1 + more)
    };
    word(tokens, at) == "from"
        && side(at + 1).is_some_and(|end| {
            let over = usize::from(matches!(word(tokens, end), "over" | "across" | "all"));
            matches!(word(tokens, end + over), "to" | "till" | "until" | "towards")
                && side(end + over + 1).is_some()
        })
}

/// Reads "before that," and "before you do so": what follows comes before what was said.
pub(super) fn before_that(tokens: &[Token], at: usize) -> Option<usize> {
    if !matches!(word(tokens, at), "before" | "beforehand") {
        return None;
    }
    let ends = |end: usize| tokens.get(end).is_none_or(|token| token.is_mark);
    let is_named = |end: usize| {
        ends(end)
            || lexicon::number(word(tokens, end)).is_some()
            || matches!(
                word(tokens, end),
                "a" | "an" | "the" | "it" | "you" | "he" | "your" | "its" | "should"
            )
            || lexicon::verb(word(tokens, end)).is_some_and(Verb::is_motion)
    };
    let words = [word(tokens, at + 1), word(tokens, at + 2), word(tokens, at + 3)];
    match words {
        _ if word(tokens, at) == "beforehand" => Some(at + 1),
        ["that" | "this" | "it", ..] if ends(at + 2) => Some(at + 2),
        ["that" | "this", ..] if is_named(at + 2) => Some(at + 2),
        ["doing", "so" | "that" | "this", _] => Some(at + 3),
        ["you" | "it" | "he", "do" | "does", "so" | "that" | "this"] => Some(at + 4),
        ["all", "that" | "this", _] => Some(at + 3),
        _ => None,
    }
}

/// Returns what stands in quotation marks, if a motion stands outside of them: a "who, me?" shrug.
pub(super) fn quotations(tokens: &[Token]) -> Vec<Range<usize>> {
    let mut quoted: Vec<Range<usize>> = Vec::new();
    let mut open: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        let is_inch = at > 0 && tokens.get(at - 1).is_some_and(|before| before.number.is_some());
        match (token.word.as_str(), open) {
            ("\"", None) if !is_inch => open = Some(at),
            ("“", _) => open = Some(at),
            ("\"" | "”", Some(start)) => {
                quoted.push(start..at + 1);
                open = None;
            }
            _ => {}
        }
    }
    let is_outside = |at: &usize| !quoted.iter().any(|range| range.contains(at));
    let is_motion = |at: usize| {
        lexicon::verb(word(tokens, at)).is_some_and(|verb| verb.is_motion() && verb != Verb::Move)
    };
    if (0..tokens.len()).filter(is_outside).any(is_motion) { quoted } else { Vec::new() }
}

/// "An amplitude of 20 degrees" is no parameter.
pub(super) fn without_given_roles(found: &mut [Atom]) {
    for at in 0..found.len() {
        let is_role = found.get(at).is_some_and(
            |atom| matches!(atom.meaning, Meaning::Role(role) if role != crate::meaning::Role::Times),
        );
        let next = found.iter().skip(at + 1).find(|atom| !matches!(atom.meaning, Meaning::Frame));
        let is_given = next.is_some_and(|atom| {
            matches!(
                atom.meaning,
                Meaning::Size { .. } | Meaning::Seconds(_) | Meaning::Period(_) | Meaning::Bare(_)
            )
        });
        if is_role
            && is_given
            && let Some(atom) = found.get_mut(at)
        {
            atom.meaning = Meaning::Frame;
        }
    }
}

/// "One big nod and three little ones": the motion that was named before.
pub(super) fn name_others(found: &mut [Atom], tokens: &[Token]) {
    let mut verb: Option<Meaning> = None;
    let mut before = Meaning::Frame;
    let mut earlier = Meaning::Frame;
    for atom in found {
        let is_open = matches!(
            before,
            Meaning::Small | Meaning::Large | Meaning::Slow | Meaning::Fast | Meaning::Bare(_)
        );
        // "Seven nods, tiny ones": of the same.
        let is_same = earlier == Meaning::Link(Link::Comma) && !matches!(before, Meaning::Bare(_));
        let is_open = is_open && !is_same;
        if let Some(verb) = verb.clone().filter(|_| is_open && word(tokens, atom.first) == "ones") {
            atom.meaning = verb;
        }
        if matches!(atom.meaning, Meaning::Verb { verb, .. } if verb.is_motion()) {
            verb = Some(atom.meaning.clone());
        }
        earlier = std::mem::replace(&mut before, atom.meaning.clone());
    }
}
