//! What is said of whole rounds, of a side, of a state or of a person that comes: patterns whose middle varies.

use super::{Atom, number, word};
use crate::lexicon::{self, Unit};
use crate::meaning::{Change, Link, Meaning, PartName, Trigger, Way};
use crate::tokens::Token;

/// Words that tell how a round goes and that it is a whole one.
const COURSE: [&str; 19] = [
    "full", "complete", "whole", "entire", "single", "left", "right", "back", "forth", "up", "down", "in",
    "out", "there", "and", "to", "fro", "round", "forward",
];

fn is_any(text: &str, list: &[&str]) -> bool {
    list.contains(&text)
}

/// "The same once more", "everything again": all that was said, twice.
pub(super) fn encore(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    let all = match (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) {
        ("the", "same", "thing") => at + 3,
        ("the", "same", _) | ("all", "that" | "this", _) => at + 2,
        ("the" | "that" | "this", "whole" | "entire", _) => at + 3,
        ("all", "of", "that" | "this" | "it") => at + 3,
        ("that" | "this" | "the", "sequence" | "pattern" | "lot", _) => at + 2,
        ("all" | "everything", ..) => at + 1,
        ("that" | "this", ..) if is_any(before, &["and", ",", "do", "then"]) => at + 1,
        _ => return None,
    };
    // "This sequence is run three times".
    let is_run =
        |at: &usize| is_any(word(tokens, *at), &["is", "gets", "run", "done", "repeated", "performed"]);
    let all = all + (all..all + 3).take_while(is_run).count();
    if let Some((count, end)) = number(tokens, all)
        && is_any(word(tokens, end), &["times", "x"])
        && (2.0..=20.0).contains(&count)
        && all > at + 1
    {
        return Some((Meaning::Encore(count), end + 1));
    }
    let (count, end) = match (word(tokens, all), word(tokens, all + 1), word(tokens, all + 2)) {
        ("twice", next, _) if next != "more" && all > at + 1 => (2.0, all + 1),
        ("once", "more" | "again", _) => (2.0, all + 2),
        ("twice", "more", _) => (3.0, all + 2),
        ("one", "more", "time") | ("a", "second", "time") => (2.0, all + 3),
        ("from", "the", "start" | "beginning" | "top") => (2.0, all + 3),
        ("over", "again", _) => (2.0, all + 2),
        ("again", ..) => (2.0, all + 1),
        _ => return None,
    };
    Some((Meaning::Encore(count), end))
}

/// "Four rounds of that": the number counts all that was said.
pub(super) fn of_all(tokens: &[Token], at: usize) -> Option<usize> {
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    if word(tokens, at) != "of" || !is_any(before, &["times", "rounds", "repetitions", "cycles", "x"]) {
        return None;
    }
    match (word(tokens, at + 1), word(tokens, at + 2)) {
        ("that" | "this" | "it" | "these" | "those", _) => Some(at + 2),
        ("all", "that" | "this") | ("the", "above" | "lot" | "same") => Some(at + 3),
        _ => None,
    }
}

fn seconds(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let (value, end) = number(tokens, at)?;
    match lexicon::unit(word(tokens, end)) {
        Some(Unit::Seconds(factor)) if value > 0.0 => Some((value * factor, end + 1)),
        _ => None,
    }
}

/// Returns the end of "complete left and right cycle".
fn round(tokens: &[Token], at: usize) -> Option<usize> {
    let noun = at + (at..at + 7).take_while(|place| is_any(word(tokens, *place), &COURSE)).count();
    let is_whole = (at..noun).any(|place| is_any(word(tokens, place), COURSE.get(..5).unwrap_or(&[])));
    let is_round = is_any(word(tokens, noun), &["cycle", "cycles", "loop", "lap", "period", "oscillation"])
        || (noun > at && is_any(word(tokens, noun), &["trip", "round"]))
        || (is_whole && lexicon::verb(word(tokens, noun)).is_some_and(lexicon::Verb::is_motion));
    is_round.then_some(noun + 1)
}

/// "Four seconds for every complete cycle", "a full wag taking two seconds".
pub(super) fn round_time(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    if let Some((value, end)) = seconds(tokens, at) {
        let skip = match (word(tokens, end), word(tokens, end + 1)) {
            ("for", "every" | "each" | "a" | "one") => 2,
            ("per" | "a" | "every" | "each", _) => 1,
            _ => return None,
        };
        // "Two seconds per sway".
        let noun = end + skip;
        let is_gesture = word(tokens, end) == "per"
            && lexicon::verb(word(tokens, noun)).is_some_and(lexicon::Verb::is_motion);
        return round(tokens, noun).or(is_gesture.then_some(noun + 1)).map(|end| (value, end));
    }
    if !is_any(word(tokens, at), &["a", "an", "one", "every", "each", "per"]) {
        return None;
    }
    let end = round(tokens, at + 1)?;
    let skip = match (word(tokens, end), word(tokens, end + 1)) {
        ("taking" | "takes" | "lasting" | "lasts" | "in", _) => 1,
        ("should" | "must" | "to", "take" | "last") => 2,
        ("of", _) if word(tokens, end - 1) == "period" => 1,
        _ => return None,
    };
    seconds(tokens, end + skip)
}

/// "Tilt right and back takes half a second": the time of the whole round.
pub(super) fn round_takes(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    let is_takes = is_any(word(tokens, at), &["takes", "taking", "lasts", "lasting"]);
    if is_takes && before == "back" { seconds(tokens, at + 1) } else { None }
}

/// "While it is still raised": a state that is known already, up to its end.
pub(super) fn known_state(tokens: &[Token], at: usize) -> Option<usize> {
    if !is_any(word(tokens, at), &["while", "with", "when", "whilst"]) {
        return None;
    }
    let mut words =
        (at + 1..at + 6).take_while(|place| tokens.get(*place).is_some_and(|token| !token.is_mark));
    let still = words.find(|place| word(tokens, *place) == "still");
    // "While it's up", "while turned".
    let subject = match (word(tokens, at + 1), word(tokens, at + 2)) {
        ("it's" | "that's", _) => at + 1,
        ("it" | "that" | "he", "is") | ("they" | "you", "are") => at + 2,
        _ => at,
    };
    let mut state = still.or((word(tokens, at) == "while").then_some(subject))? + 1;
    state += usize::from(is_any(word(tokens, state), &["held", "being", "all"]));
    let text = word(tokens, state);
    let is_state = text.ends_with("ed")
        || is_any(text, &["up", "down", "out", "in", "there", "open", "away", "bent", "high", "low"]);
    let is_end = tokens.get(state + 1).is_none_or(|token| token.is_mark || token.word == "and");
    let has_moved =
        (0..at).any(|place| lexicon::verb(word(tokens, place)).is_some_and(lexicon::Verb::is_motion));
    (is_state && is_end && has_moved).then_some(state + 1)
}

/// "Somebody shows up": the end of the words of the arrival.
pub(super) fn arrival(tokens: &[Token], at: usize) -> Option<usize> {
    const ARRIVALS: [&str; 45] = [
        "shows up",
        "show up",
        "turns up",
        "turn up",
        "comes in",
        "come in",
        "comes along",
        "come along",
        "comes by",
        "comes near",
        "come near",
        "comes close",
        "comes over",
        "comes up to you",
        "comes up",
        "comes into the room",
        "comes into view",
        "comes into sight",
        "walks in",
        "walk in",
        "walks up",
        "walks by",
        "walks past",
        "walks into the room",
        "steps in",
        "steps up",
        "steps into view",
        "steps in front of you",
        "enters the room",
        "enters",
        "arrives",
        "approaches you",
        "approaches",
        "drops by",
        "stops by",
        "pops up",
        "looks at you",
        "looks your way",
        "stands in front of you",
        "sits in front of you",
        "is in front of you",
        "is there",
        "is around",
        "is looking at you",
        "joins you",
    ];
    let is_person = is_any(
        at.checked_sub(1).map_or("", |before| word(tokens, before)),
        &[
            "someone", "somebody", "anyone", "anybody", "person", "people", "visitor", "guest", "human",
            "stranger", "face",
        ],
    );
    let ends = ARRIVALS.iter().filter_map(|phrase| {
        let fits = phrase.split(' ').enumerate().all(|(more, part)| word(tokens, at + more) == part);
        fits.then(|| at + phrase.split(' ').count())
    });
    ends.max().filter(|_| is_person)
}

/// "After you hear a clap", "after a clap": a condition, and no order.
pub(super) fn after_event(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    if word(tokens, at) != "after" {
        return None;
    }
    let is_event =
        |place: usize| is_any(word(tokens, place), &["clap", "claps", "handclap", "face", "voice"]);
    let is_perceived = is_any(word(tokens, at + 1), &["hearing", "seeing", "noticing", "spotting"])
        || (is_any(word(tokens, at + 1), &["you", "it"])
            && is_any(
                word(tokens, at + 2),
                &["hear", "hears", "see", "sees", "notice", "notices", "spot", "spots"],
            ));
    let is_named = (at + 1..at + 4).any(is_event)
        && is_any(word(tokens, at + 1), &["a", "the", "one", "your", "my", "each", "every", "clap", "any"]);
    let trigger =
        if is_any(word(tokens, at + 1), &["each", "every"]) { Trigger::Whenever } else { Trigger::When };
    (is_perceived || is_named).then_some((Meaning::Trigger(trigger), at + 1))
}

/// "The number of waves", where waving was named before: how often, and no second motion.
pub(super) fn number_of(tokens: &[Token], at: usize) -> Option<usize> {
    let start = at + usize::from(is_any(word(tokens, at), &["the", "a"]));
    let of = match (word(tokens, start), word(tokens, start + 1)) {
        ("number" | "count" | "amount", "of") => start + 2,
        ("how", "many") => start + 2,
        _ => return None,
    };
    let noun = lexicon::verb(word(tokens, of)).filter(|_| word(tokens, of).ends_with('s'))?;
    let is_named = (0..at).any(|place| lexicon::verb(word(tokens, place)) == Some(noun));
    is_named.then_some(of + 1)
}

/// "Smaller than its predecessor": a change from one repetition to the next.
pub(super) fn than_before(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    let text = word(tokens, at);
    if !text.ends_with("er") || text.len() < 5 || word(tokens, at + 1) != "than" {
        return None;
    }
    let end = match (word(tokens, at + 2), word(tokens, at + 3), word(tokens, at + 4)) {
        ("its" | "the" | "his", "predecessor" | "last" | "previous" | "former", "one") => at + 5,
        ("its" | "the" | "his", "predecessor" | "last" | "previous" | "former", _) => at + 4,
        ("the", "one", "before" | "preceding") => at + 5,
        ("the", "preceding", "one") => at + 5,
        ("before", ..) => at + 3,
        _ => return None,
    };
    let change = match text {
        "faster" | "quicker" | "swifter" | "brisker" => Change::Faster,
        "slower" | "calmer" | "lazier" => Change::Slower,
        "smaller" | "narrower" | "weaker" | "shallower" | "softer" | "gentler" | "milder" | "tinier"
        | "fainter" | "subtler" | "lighter" => Change::Shrinks,
        "lower" | "longer" | "shorter" | "other" | "rather" | "later" => return None,
        _ => Change::Grows,
    };
    Some((Meaning::Change(change), end))
}

/// "In one smooth go": at the same time.
pub(super) fn one_go(tokens: &[Token], at: usize) -> Option<usize> {
    let is_one = word(tokens, at) == "in"
        && (is_any(word(tokens, at + 1), &["one"]) || is_any(word(tokens, at + 2), &["single", "same"]));
    let noun = (at + 2..at + 5).find(|place| {
        is_any(
            word(tokens, *place),
            &["go", "move", "motion", "movement", "sweep", "gesture", "stroke", "flow"],
        )
    })?;
    is_one.then_some(noun + 1)
}

/// "1. nod 2. tilt": the number of a step.
pub(super) fn list_number(tokens: &[Token], at: usize) -> Option<usize> {
    let step = |at: usize| {
        let is_marked = is_any(word(tokens, at + 1), &[".", ")"]);
        tokens
            .get(at)
            .and_then(|token| token.number)
            .filter(|number| is_marked && *number >= 1.0 && *number <= 20.0)
    };
    // "Step 1: nod. Step 2: tilt."
    let is_step =
        word(tokens, at) == "step" && tokens.get(at + 1).is_some_and(|token| token.number.is_some());
    if is_step && tokens.get(at + 2).is_some_and(|token| token.is_mark) {
        return Some(at + 3);
    }
    let own = step(at)?;
    let is_next = |other: f64| (other - own).abs() == 1.0;
    (0..tokens.len()).any(|other| step(other).is_some_and(is_next)).then_some(at + 2)
}

/// "As tall as it can", "as fast as possible": how far, or how fast.
pub(super) fn superlative(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    if word(tokens, at) != "as" || word(tokens, at + 2) != "as" {
        return None;
    }
    let meaning = match word(tokens, at + 1) {
        "far" | "high" | "tall" | "wide" | "widely" | "deep" | "deeply" | "low" | "big" | "large"
        | "much" => Meaning::Large,
        "fast" | "quick" | "quickly" | "rapidly" => Meaning::Fast,
        "slow" | "slowly" => Meaning::Slow,
        _ => return None,
    };
    if word(tokens, at + 3) == "possible" {
        return Some((meaning, at + 4));
    }
    let is_subject = is_any(word(tokens, at + 3), &["it", "they", "you", "he"]);
    let is_able = is_any(word(tokens, at + 4), &["can", "goes", "go", "could", "will"]);
    let more = usize::from(is_any(word(tokens, at + 5), &["go", "get", "manage", "reach"]));
    (is_subject && is_able).then_some((meaning, at + 5 + more))
}

/// "The antenna on that side": its side is the one that was named before.
pub(super) fn name_sides(found: &mut Vec<Atom>, tokens: &[Token]) {
    let mut side: Option<Way> = None;
    let mut at = 0;
    while at < found.len() {
        let Some(atom) = found.get(at) else { break };
        match atom.meaning {
            Meaning::Way(way @ (Way::Left | Way::Right)) => side = Some(way),
            Meaning::Part(PartName::Antenna) => {
                if let Some((is_same, end)) = side_phrase(tokens, atom.end)
                    && let Some(named) = side
                {
                    let other = if named == Way::Left { Way::Right } else { Way::Left };
                    let first = atom.first;
                    found.retain(|one| one.first <= first || one.first >= end);
                    let way = Meaning::Way(if is_same { named } else { other });
                    found.insert(at, Atom { meaning: way, first, end });
                    at += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
}

fn side_phrase(tokens: &[Token], at: usize) -> Option<(bool, usize)> {
    if !is_any(word(tokens, at), &["on", "at", "of"]) {
        return None;
    }
    match (word(tokens, at + 1), word(tokens, at + 2), word(tokens, at + 3)) {
        ("that" | "this", "side", _) => Some((true, at + 3)),
        ("that" | "the" | "this", "same" | "very", "side") => Some((true, at + 4)),
        ("the", "other" | "opposite" | "far", "side") => Some((false, at + 4)),
        _ => None,
    }
}

/// "By 10, then 20, then 40 degrees": the unit of the last number is that of all.
pub(super) fn share_units(found: &mut [Atom], tokens: &[Token]) {
    // "10 degrees left, then 20 right".
    let mut is_angle = false;
    for place in 0..found.len() {
        let by = found
            .get(place)
            .and_then(|atom| atom.first.checked_sub(1))
            .map_or("", |before| word(tokens, before));
        let is_directed = found.get(place + 1).is_some_and(|next| matches!(next.meaning, Meaning::Way(_)));
        let Some(atom) = found.get_mut(place) else { continue };
        match atom.meaning {
            Meaning::Size { is_shift: false, .. } => is_angle = true,
            Meaning::Bare(value) if (is_angle && is_directed || by == "by") && value >= 5.0 => {
                atom.meaning = Meaning::Size { amount: value, is_shift: false };
            }
            _ => {}
        }
    }
    let mut unit: Option<bool> = None;
    for place in (0..found.len()).rev() {
        let Some(atom) = found.get_mut(place) else { continue };
        let before = atom.first.checked_sub(1).map_or("", |before| word(tokens, before));
        match (&atom.meaning, unit) {
            (Meaning::Size { is_shift, .. }, _) => unit = Some(*is_shift),
            (Meaning::Bare(value), Some(is_shift)) if !is_any(before, &["between", "from"]) => {
                atom.meaning = Meaning::Size { amount: *value, is_shift };
            }
            (Meaning::Link(Link::Comma | Link::Then | Link::And) | Meaning::Frame | Meaning::Last, _) => {}
            _ => unit = None,
        }
    }
}

/// The end of a phrase that says that an event is over, where the motion goes on as long as it: "stop when they leave".
pub(super) fn stops_with_event(tokens: &[Token], at: usize) -> Option<usize> {
    let lasts = (0..at).any(|place| {
        matches!(
            (word(tokens, place), word(tokens, place + 1), word(tokens, place + 2)),
            ("as", "long", "as")
        ) || word(tokens, place) == "while"
    });
    if !lasts || word(tokens, at) != "stop" || !is_any(word(tokens, at + 1), &["when", "once", "as"]) {
        return None;
    }
    let end = (at + 2..at + 8).find(|place| tokens.get(*place).is_none_or(|token| token.is_mark))?;
    let is_gone = (at + 2..end).any(|place| {
        is_any(
            word(tokens, place),
            &[
                "leave",
                "leaves",
                "gone",
                "off",
                "away",
                "disappear",
                "disappears",
                "nobody",
                "go",
                "goes",
                "longer",
            ],
        )
    });
    is_gone.then_some(end)
}
