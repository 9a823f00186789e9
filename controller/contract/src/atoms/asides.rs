//! What stands beside a motion: a moment, a touch, a word between two commas, what the caller says, a question.

use super::{Atom, word};
use crate::lexicon::{self, Verb};
use crate::meaning::{Link, Meaning, Role};
use crate::tokens::Token;

fn is_any(text: &str, list: &[&str]) -> bool {
    list.contains(&text)
}

fn before(tokens: &[Token], at: usize) -> &str {
    at.checked_sub(1).map_or("", |before| word(tokens, before))
}

/// "At the very moment your body turns": a clause of its own at the same time.
pub(super) fn at_moment(tokens: &[Token], at: usize) -> Option<usize> {
    let follows_words = at > 0
        && tokens.get(at - 1).is_some_and(|token| !token.is_mark)
        && !is_any(before(tokens, at), &["and", "then", "but", "also"]);
    if !is_any(word(tokens, at), &["at", "in", "during"]) {
        return None;
    }
    let adjectives = ["the", "that", "this", "very", "same", "exact", "exactly", "precise", "precisely"];
    let noun = at + 1 + (at + 1..at + 6).take_while(|at| is_any(word(tokens, *at), &adjectives)).count();
    let is_same = (at + 1..noun).any(|at| is_any(word(tokens, at), &["that", "very", "same", "exact"]));
    if !is_same || !is_any(word(tokens, noun), &["moment", "instant", "time", "second"]) {
        return None;
    }
    let link = usize::from(is_any(word(tokens, noun + 1), &["that", "when", "as", "in", "at", "where"]));
    let link = link + usize::from(link == 1 && word(tokens, noun + 2) == "which");
    let subjects = ["your", "its", "the", "it", "you", "they", "both", "he", "his", "my"];
    let is_clause = is_any(word(tokens, noun + 1 + link), &subjects) && (follows_words || link > 0);
    is_clause.then_some(noun + 1 + link)
}

/// "Somebody strokes its head", "you are patted": the end of the words.
pub(super) fn touching(tokens: &[Token], at: usize) -> Option<usize> {
    let stem = word(tokens, at);
    let verbs = ["touch", "strok", "stroke", "pat", "patt", "pet", "pett", "push", "nudg", "nudge", "tap"];
    let more = ["tapp", "pok", "poke", "tickl", "tickle", "rub", "rubb", "scratch", "bump", "caress"];
    let endings = ["", "s", "es", "ed", "ing"];
    let is_touch = verbs.iter().chain(&more).any(|verb| {
        stem.strip_prefix(verb).is_some_and(|ending| is_any(ending, &endings)) && !verb.is_empty()
    });
    // "A pat on the head makes you nod".
    let is_noun = is_any(before(tokens, at), &["a", "each", "every", "any", "the", "one"])
        && (at.saturating_sub(2)..at).any(|place| cause(tokens, place).is_some());
    if is_touch && is_noun {
        let has_place = is_any(word(tokens, at + 1), &["on", "at"]) && word(tokens, at + 3) == "head";
        return Some(if has_place { at + 4 } else { at + 1 });
    }
    if !is_touch || stem == "pats" && before(tokens, at) == "two" {
        return None;
    }
    let triggers = ["if", "when", "whenever", "once", "until", "every", "each", "after", "upon", "unless"];
    let is_condition = (at.saturating_sub(7)..at).any(|at| is_any(word(tokens, at), &triggers));
    let people = ["someone", "somebody", "anyone", "anybody", "person", "people", "visitor", "guest", "i"];
    let is_active = (at.saturating_sub(2)..at).any(|at| is_any(word(tokens, at), &people));
    let is_passive = stem.ends_with("ed")
        && (at.saturating_sub(2)..at).any(|at| {
            is_any(word(tokens, at), &["is", "are", "get", "gets", "being", "been", "you're", "it's"])
        });
    if !is_condition || !(is_active || is_passive) {
        return None;
    }
    let owner = at + 1 + usize::from(is_any(word(tokens, at + 1), &["on", "at", "against"]));
    let noun = owner + usize::from(is_any(word(tokens, owner), &["its", "your", "the", "his"]));
    let is_named = noun > owner && is_any(word(tokens, noun), &["head", "forehead", "robot", "top"]);
    let is_pronoun = is_any(word(tokens, owner), &["it", "you", "him"]);
    Some(if is_named {
        noun + 1
    } else if is_pronoun {
        owner + 1
    } else {
        at + 1
    })
}

/// "As often as I tell it to", "as far as the caller wants": a parameter.
pub(super) fn as_i_say(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    if word(tokens, at) != "as" {
        return None;
    }
    let (role, second) = match (word(tokens, at + 1), word(tokens, at + 2)) {
        ("often", "as") | ("many", "as") => (Role::Times, at + 3),
        ("many", "times") => (Role::Times, at + 4),
        ("many", "degrees") => (Role::Degrees, at + 4),
        ("many", "seconds") => (Role::Seconds, at + 4),
        ("far" | "many", "as" | "millimetres" | "millimeters") => {
            (Role::Distance, at + if word(tokens, at + 2) == "as" { 3 } else { 4 })
        }
        ("long", "as") => (Role::Seconds, at + 3),
        ("fast" | "quickly" | "slowly", "as") => (Role::Speed, at + 3),
        ("deep" | "deeply" | "wide" | "high" | "big" | "large" | "strongly", "as") => (Role::Size, at + 3),
        _ => return None,
    };
    if word(tokens, second - 1) != "as" {
        return None;
    }
    let subject = second + usize::from(is_any(word(tokens, second), &["the", "a"]));
    if !is_any(word(tokens, subject), &["i", "we", "you're", "caller", "user", "you", "someone", "i'd"]) {
        return None;
    }
    let verbs = [
        "tell",
        "say",
        "ask",
        "want",
        "like",
        "choose",
        "give",
        "specify",
        "pass",
        "set",
        "wish",
        "request",
        "need",
        "tells",
        "says",
        "asks",
        "wants",
        "likes",
        "chooses",
        "gives",
        "specifies",
        "passes",
        "sets",
        "wishes",
        "requests",
        "please",
        "told",
        "asked",
        "are",
        "decide",
        "decides",
    ];
    if !is_any(word(tokens, subject + 1), &verbs) {
        return None;
    }
    let mut end = subject + 2;
    while is_any(word(tokens, end), &["it", "you", "the", "robot", "to", "for", "told", "asked", "in"])
        && end < subject + 6
    {
        end += 1;
    }
    Some((Meaning::Role(role), end))
}

/// "Can you make a tool that flinches? Jerk the head back ...": what follows tells it once more.
pub(super) fn tells_again(tokens: &[Token], at: usize) -> bool {
    let is_motion = |place: usize| lexicon::verb(word(tokens, place)).is_some_and(Verb::is_motion);
    let goes_on = [
        "then",
        "and",
        "after",
        "afterwards",
        "also",
        "next",
        "finally",
        "but",
        "at",
        "when",
        "before",
        "while",
        "with",
        "without",
        "slowly",
        "please",
        "thanks",
        "only",
    ];
    let is_first = !tokens.iter().take(at).any(|token| is_any(&token.word, &["?", ".", ";", ":", "!"]));
    word(tokens, at) == "?"
        && is_first
        && !is_any(word(tokens, at + 1), &goes_on)
        && (0..at).any(is_motion)
        && (at + 1..at + 9).any(is_motion)
}

/// "A bit wider with each sway": from one repetition to the next.
pub(super) fn each_round(tokens: &[Token], at: usize) -> Option<usize> {
    let is_each =
        is_any(word(tokens, at), &["with", "on", "at"]) && is_any(word(tokens, at + 1), &["each", "every"]);
    let noun = word(tokens, at + 2);
    let has_moved = (0..at).any(|place| lexicon::verb(word(tokens, place)) == lexicon::verb(noun));
    let is_motion = lexicon::verb(noun).is_some_and(Verb::is_motion) && has_moved;
    let is_round = is_any(noun, &["repetition", "round", "cycle", "time", "swing", "stroke"]);
    (is_each && (is_motion || is_round)).then_some(at + 3)
}

/// "A pat on the head makes you wiggle the ears": the article, whose event is the condition.
pub(super) fn cause(tokens: &[Token], at: usize) -> Option<bool> {
    if !is_any(word(tokens, at), &["a", "an", "the", "one", "any", "each", "every"]) {
        return None;
    }
    let events =
        ["clap", "claps", "pat", "touch", "voice", "face", "stroke", "tap", "nudge", "push", "handclap"];
    let event = (at + 1..at + 4).find(|place| is_any(word(tokens, *place), &events))?;
    let verbs = ["makes", "causes", "triggers", "lets", "gets", "prompts"];
    let is_cause = (event + 1..event + 6)
        .take_while(|place| tokens.get(*place).is_some_and(|token| !token.is_mark))
        .any(|place| is_any(word(tokens, place), &verbs));
    is_cause.then(|| is_any(word(tokens, at), &["each", "every"]))
}

/// "As long as a face is there": a condition, and no size.
pub(super) fn while_seen(tokens: &[Token], at: usize) -> Option<usize> {
    if (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) != ("as", "long", "as") {
        return None;
    }
    let seen = [
        "face", "faces", "voice", "voices", "somebody", "someone", "anyone", "anybody", "person", "people",
        "see", "sees", "hear", "hears", "talks", "speaks", "talking", "speaking", "visible", "nobody",
    ];
    let is_seen = (at + 3..at + 10)
        .take_while(|place| tokens.get(*place).is_some_and(|token| !token.is_mark))
        .any(|place| is_any(word(tokens, place), &seen));
    is_seen.then_some(at + 3)
}

/// "By the same amount", "just as far": the end of the words.
pub(super) fn same_size(tokens: &[Token], at: usize) -> Option<usize> {
    let nouns = ["amount", "angle", "distance", "extent", "degree", "size", "much"];
    let is_noun = |place: usize| is_any(word(tokens, place), &nouns);
    let end = match (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) {
        ("by" | "at" | "to", "the", "same") if is_noun(at + 3) => at + 4,
        ("the", "same", _) if is_noun(at + 2) => at + 3,
        ("just" | "equally", "as", "far" | "much" | "wide" | "high" | "deep") => at + 3,
        ("equally", "far" | "wide" | "high" | "deep", _) => at + 2,
        ("by", "as", "much") => at + 3,
        _ => return None,
    };
    let has_size =
        (0..at).any(|place| tokens.get(place).is_some_and(|token| lexicon::unit(&token.word).is_some()));
    (has_size && word(tokens, end) != "as").then_some(end)
}

/// "Nod if someone claps, otherwise shake": one thing or else another, of which a motion shows only one.
pub(crate) fn is_alternative(tokens: &[Token], at: usize) -> bool {
    let triggers = ["if", "when", "whenever", "once", "unless", "until"];
    let has_condition = (0..at).any(|at| is_any(word(tokens, at), &triggers));
    let sayings =
        ["say", "says", "said", "told", "stated", "specified", "given", "asked", "state", "specify"];
    // "Otherwise stay quiet" asks for nothing else.
    let quiet = [
        "stay", "stays", "keep", "keeps", "do", "does", "remain", "remains", "nothing", "don't", "not", "no",
    ];
    let next = at + 1 + usize::from(is_any(word(tokens, at + 1), &[",", "it", "you"]));
    if is_any(word(tokens, next), &quiet) {
        return false;
    }
    let says_so =
        word(tokens, at) == "otherwise" || word(tokens, at) == "else" && is_any(before(tokens, at), &["or"]);
    says_so && has_condition && !is_any(before(tokens, at), &sayings)
}

/// "And, simultaneously, the head": a word between two commas opens no clause.
pub(super) fn join_asides(found: &mut [Atom]) {
    let meaning = |found: &[Atom], at: usize| found.get(at).map(|atom| atom.meaning.clone());
    for at in 0..found.len() {
        let is_link = matches!(
            meaning(found, at),
            Some(Meaning::Link(Link::And | Link::Then | Link::While | Link::With))
        );
        let is_comma = |at: usize| matches!(meaning(found, at), Some(Meaning::Link(Link::Comma)));
        let is_aside = matches!(
            meaning(found, at + 2),
            Some(
                Meaning::Together
                    | Meaning::Throughout
                    | Meaning::Manner
                    | Meaning::Slow
                    | Meaning::Fast
                    | Meaning::First
                    | Meaning::Last
            )
        );
        if is_link && is_comma(at + 1) && is_aside && is_comma(at + 3) {
            for comma in [at + 1, at + 3] {
                if let Some(atom) = found.get_mut(comma) {
                    atom.meaning = Meaning::Frame;
                }
            }
        }
    }
}
