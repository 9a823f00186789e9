//! Finds the units of meaning in a request: numbers with their units, fixed phrases, parts, directions, verbs and links.

mod asides;
mod opening;
mod patterns;
mod rounds;

use crate::lexicon::{self, Unit, Verb};
use crate::meaning::{Link, Meaning, Way};
use crate::phrases;
use crate::tokens::Token;

pub(crate) use self::asides::is_alternative;
use self::asides::{
    as_i_say, at_moment, cause, each_round, join_asides, same_size, tells_again, touching, while_seen,
};
use self::opening::{name, opening};
use self::patterns::{
    before_that, begins_path, during, each_more, ever_more, horizontal, name_others, quotations, ratio,
    speaks_words, without_given_roles,
};
use self::rounds::{
    after_event, arrival, encore, known_state, list_number, name_sides, number_of, of_all, one_go,
    round_takes, round_time, share_units, stops_with_event, superlative, than_before,
};

/// A stretch of tokens with its meaning.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Atom {
    pub(crate) meaning: Meaning,
    /// The first token.
    pub(crate) first: usize,
    /// The token after the last one.
    pub(crate) end: usize,
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

/// Reads a number: digits, `twenty five`, `one and a half`, `half a`.
fn number(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let half = |from: usize| {
        (word(tokens, from) == "and" && word(tokens, from + 1) == "a" && word(tokens, from + 2) == "half")
            .then_some(from + 3)
    };
    if word(tokens, at) == "half" && word(tokens, at + 1) == "a" && word(tokens, at + 2) == "dozen" {
        return Some((6.0, at + 3));
    }
    if word(tokens, at) == "half" && matches!(word(tokens, at + 1), "a" | "an") {
        return Some((0.5, at + 2));
    }
    // "A half-second rest".
    let half_at = at + usize::from(word(tokens, at) == "a");
    if word(tokens, half_at) == "half" && matches!(word(tokens, half_at + 1), "second" | "seconds" | "sec") {
        return Some((0.5, half_at + 1));
    }
    // "A quarter of a second", "a third second".
    let noun = at + usize::from(matches!(word(tokens, at), "a" | "one"));
    let share = match word(tokens, noun) {
        "quarter" => 0.25,
        "third" => 1.0 / 3.0,
        "fifth" => 0.2,
        "tenth" => 0.1,
        _ => 0.0,
    };
    let unit = if word(tokens, noun + 1) == "of" { noun + 3 } else { noun + 1 };
    if share > 0.0 && matches!(word(tokens, unit), "second" | "seconds" | "sec") {
        return Some((share, unit));
    }
    if word(tokens, at) == "a" && word(tokens, at + 1) == "couple" {
        return Some((2.0, at + if word(tokens, at + 2) == "of" { 3 } else { 2 }));
    }
    if word(tokens, at) == "a" && word(tokens, at + 1) == "dozen" {
        return Some((12.0, at + 2));
    }
    if word(tokens, at) == "half" && word(tokens, at + 1) == "dozen" {
        return Some((6.0, at + 2));
    }
    if word(tokens, at) == "a" && matches!(word(tokens, at + 1), "hundred") {
        return Some((100.0, at + 2));
    }
    let token = tokens.get(at)?;
    let (mut value, mut end) = match token.number {
        Some(number) => (number, at + 1),
        None => (lexicon::number(&token.word)?, at + 1),
    };
    if token.number.is_none() {
        if word(tokens, end) == "hundred" {
            value *= 100.0;
            end += 1;
            if word(tokens, end) == "and" && lexicon::number(word(tokens, end + 1)).is_some() {
                end += 1;
            }
        }
        let is_round = value >= 20.0 && value % 10.0 == 0.0;
        if let Some(ones) =
            lexicon::number(word(tokens, end)).filter(|ones| is_round && *ones < 100.0 && *ones >= 1.0)
            && (value >= 100.0 || ones < 10.0)
        {
            value += ones;
            end += 1;
            if value > 100.0
                && ones >= 20.0
                && let Some(rest) =
                    lexicon::number(word(tokens, end)).filter(|rest| (1.0..10.0).contains(rest))
            {
                value += rest;
                end += 1;
            }
        }
    }
    if let Some(next) = half(end) {
        return Some((value + 0.5, next));
    }
    Some((value, end))
}

/// Reads "a quarter turn", "half a turn".
fn turn(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let skip = |at: usize, skipped: &[&str]| if skipped.contains(&word(tokens, at)) { at + 1 } else { at };
    let first = skip(at, &["a", "one"]);
    let degrees = match word(tokens, first) {
        "quarter" => 90.0,
        "half" => 180.0,
        "full" | "complete" | "whole" => 360.0,
        _ => return None,
    };
    let noun = skip(skip(first + 1, &["of"]), &["a"]);
    matches!(word(tokens, noun), "turn" | "circle" | "revolution" | "rotation").then_some((degrees, noun + 1))
}

/// Reads a number with its unit, or alone.
fn quantity(tokens: &[Token], at: usize) -> Option<(Meaning, usize)> {
    // "The left one", "hears one": a pronoun.
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    if word(tokens, at) == "one"
        && (matches!(
            before,
            "left"
                | "right"
                | "other"
                | "last"
                | "first"
                | "next"
                | "previous"
                | "each"
                | "this"
                | "that"
                | "hears"
                | "hear"
                | "sees"
                | "see"
                | "the"
                | "which"
        ) || matches!(word(tokens, at + 1), "before" | "after" | ""))
    {
        return Some((Meaning::Frame, at + 1));
    }
    // "A second nod" is another one.
    if matches!(word(tokens, at), "a" | "the")
        && word(tokens, at + 1) == "second"
        && (lexicon::verb(word(tokens, at + 2)).is_some_and(Verb::is_motion) || word(tokens, at + 2) == "one")
    {
        return Some((Meaning::Another, at + 2));
    }
    // "A full second".
    if matches!(word(tokens, at), "a" | "one")
        && matches!(word(tokens, at + 1), "full" | "whole" | "good" | "entire")
        && let Some(Unit::Seconds(factor)) = lexicon::unit(word(tokens, at + 2))
    {
        return Some((Meaning::Seconds(factor), at + 3));
    }
    let article = matches!(word(tokens, at), "a" | "an")
        && matches!(
            lexicon::unit(word(tokens, at + 1)),
            Some(Unit::Seconds(_) | Unit::Millimetres(_) | Unit::Degrees)
        )
        && !matches!(word(tokens, at + 1), "s");
    if let Some((degrees, end)) = turn(tokens, at) {
        return Some((Meaning::Size { amount: degrees, is_shift: false }, end));
    }
    let (value, end) = if article { (1.0, at + 1) } else { number(tokens, at)? };
    // "In four little steps": how a posture is reached, and no number of swings.
    let skip = ["little", "small", "short", "tiny", "equal", "even"];
    let noun = (end..end + 3).find(|place| !skip.contains(&word(tokens, *place))).unwrap_or(end);
    if matches!(before, "in" | "by")
        && matches!(word(tokens, noun), "steps" | "stages" | "increments" | "phases")
    {
        // "In three stages of 5 degrees each": the size of all is not told.
        let is_each = (noun + 1..noun + 8)
            .take_while(|place| word(tokens, *place) != ".")
            .any(|place| word(tokens, place) == "each");
        return Some((if is_each { Meaning::Unknown } else { Meaning::Manner }, noun + 1));
    }
    let is_half_open = word(tokens, end) == "more";
    let unit_at = if is_half_open { end + 1 } else { end };
    // "One of the antennas" and "two of them" count parts.
    let unit = lexicon::unit(word(tokens, unit_at));
    let after = unit_at + 1;
    Some(match unit {
        Some(Unit::Degrees) => (Meaning::Size { amount: value, is_shift: false }, after),
        Some(Unit::Millimetres(factor)) => (Meaning::Size { amount: value * factor, is_shift: true }, after),
        Some(Unit::Seconds(factor)) => {
            let halves = ["and", "a", "half"]
                .iter()
                .enumerate()
                .all(|(index, part)| word(tokens, after + index) == *part);
            let extra = if halves { 0.5 } else { 0.0 };
            (Meaning::Seconds((value + extra) * factor), if halves { after + 3 } else { after })
        }
        // "...; three rounds": all that was said.
        Some(Unit::Times)
            if matches!(word(tokens, unit_at), "rounds" | "repetitions" | "cycles" | "breaths")
                && at > 0
                && tokens.get(at - 1).is_some_and(|token| token.is_mark)
                && tokens.get(after).is_none_or(|token| token.is_mark) =>
        {
            (Meaning::Encore(value), after)
        }
        Some(Unit::Times) => (Meaning::Count(value), after),
        Some(Unit::PerMinute) if value > 0.0 => (Meaning::Period(60.0 / value), after),
        Some(Unit::PerSecond) if value > 0.0 => (Meaning::Period(1.0 / value), after),
        _ if word(tokens, unit_at) == "beats"
            && matches!(word(tokens, after), "per" | "a" | "each" | "every")
            && matches!(word(tokens, after + 1), "minute" | "min" | "second")
            && value > 0.0 =>
        {
            let seconds = if word(tokens, after + 1) == "second" { 1.0 } else { 60.0 };
            (Meaning::Period(seconds / value), after + 2)
        }
        _ if word(tokens, unit_at) == "beats" => (Meaning::Count(value), after),
        _ => (Meaning::Bare(value), end),
    })
}

/// Reads "every two seconds", "once a second", "one per second", "at intervals of two seconds".
fn tempo(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    if matches!(word(tokens, at), "at" | "in" | "with") {
        let noun = at + 1 + usize::from(word(tokens, at + 1) == "an");
        let is_interval = matches!(word(tokens, noun), "interval" | "intervals");
        return match quantity(tokens, noun + 2)? {
            (Meaning::Seconds(seconds), end)
                if is_interval && word(tokens, noun + 1) == "of" && seconds > 0.0 =>
            {
                Some((seconds, end))
            }
            _ => None,
        };
    }
    if matches!(word(tokens, at), "every" | "each") {
        let half = ["second", "and", "a", "half"];
        if half.iter().enumerate().all(|(more, part)| word(tokens, at + 1 + more) == *part) {
            return Some((1.5, at + 5));
        }
        if word(tokens, at + 1) == "second"
            && !matches!(word(tokens, at + 2), "nod" | "time" | "one" | "beat")
        {
            return Some((1.0, at + 2));
        }
        return match quantity(tokens, at + 1)? {
            (Meaning::Seconds(seconds), end) if seconds > 0.0 => Some((seconds, end)),
            _ => None,
        };
    }
    let (count, end) = match word(tokens, at) {
        "once" => (1.0, at + 1),
        "twice" => (2.0, at + 1),
        _ => number(tokens, at)?,
    };
    let end = match word(tokens, end) {
        "time" | "times" | "tick" | "ticks" => end + 1,
        noun if lexicon::verb(noun).is_some_and(Verb::is_motion) => end + 1,
        _ => end,
    };
    // "Once every two seconds", "twice per three seconds".
    if matches!(word(tokens, end), "every" | "each")
        && count > 0.0
        && let Some((span, next)) = tempo(tokens, end)
    {
        return Some((span / count, next));
    }
    let factor = match word(tokens, end + 1) {
        "second" | "sec" | "s" => 1.0,
        "minute" | "min" => 60.0,
        _ => return None,
    };
    // "Half a second" is a time, "once a second" a tempo.
    let is_rate = word(tokens, end) == "per"
        || (matches!(word(tokens, end), "a" | "every" | "each") && word(tokens, at) != "half");
    // "Once every second and a half".
    let is_longer = (0..).zip(["and", "a", "half"]).all(|(more, part)| word(tokens, end + 2 + more) == part);
    let (span, end) = if is_longer { (1.5 * factor, end + 5) } else { (factor, end + 2) };
    (is_rate && count > 0.0).then_some((span / count, end))
}

/// Divides the tokens into stretches.
pub(crate) fn atoms(tokens: &[Token]) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    let opening = opening(tokens);
    if opening > 0 {
        found.push(Atom { meaning: Meaning::Frame, first: 0, end: opening });
    }
    let mut at = name(tokens).filter(|(first, _)| *first >= opening).map_or(opening, |(first, end)| {
        atoms_until(tokens, opening, first, &mut found);
        found.push(Atom { meaning: Meaning::Frame, first, end });
        end
    });
    let mut quoted = quotations(tokens).into_iter();
    while at < tokens.len() {
        let next = quoted.by_ref().find(|range| range.start >= at);
        at = atoms_until(tokens, at, next.as_ref().map_or(tokens.len(), |range| range.start), &mut found);
        if let Some(range) = next.filter(|range| range.start >= at) {
            found.push(Atom { meaning: Meaning::Frame, first: range.start, end: range.end });
            at = range.end;
        }
    }
    name_sides(&mut found, tokens);
    share_units(&mut found, tokens);
    without_given_roles(&mut found);
    name_others(&mut found, tokens);
    join_asides(&mut found);
    found
}

fn atoms_until(tokens: &[Token], mut at: usize, until: usize, found: &mut Vec<Atom>) -> usize {
    while at < until {
        let (meaning, end) = atom(tokens, at);
        let end = end.clamp(at + 1, tokens.len());
        found.push(Atom { meaning, first: at, end });
        at = end;
    }
    at
}

fn atom(tokens: &[Token], at: usize) -> (Meaning, usize) {
    let period = round_time(tokens, at).or_else(|| round_takes(tokens, at)).or_else(|| tempo(tokens, at));
    if let Some((seconds, end)) = period {
        return (Meaning::Period(seconds), end);
    }
    if let Some(end) = at_moment(tokens, at) {
        return (Meaning::Link(Link::While), end);
    }
    if let Some(end) = touching(tokens, at) {
        return (Meaning::Event(minismith_score::Event::Touch), end);
    }
    // "Look up to the left", not "up to 20 degrees".
    if word(tokens, at) == "up"
        && word(tokens, at + 1) == "to"
        && matches!(word(tokens, at + 2), "the" | "your" | "its" | "one")
        && matches!(word(tokens, at + 3), "left" | "right" | "side")
    {
        return (Meaning::Way(crate::meaning::Way::Up), at + 2);
    }
    // "Take two photos and nod after each": of each of what, and so how often, is open.
    if word(tokens, at) == "after"
        && matches!(word(tokens, at + 1), "each" | "every")
        && at
            .checked_sub(1)
            .is_some_and(|before| lexicon::verb(word(tokens, before)).is_some_and(Verb::is_motion))
    {
        return (Meaning::Unknown, at + 2);
    }
    if word(tokens, at) == "during" && number(tokens, at + 1).is_some() {
        return (Meaning::Over, at + 1);
    }
    if is_alternative(tokens, at) {
        return (Meaning::Unknown, at + 1);
    }
    if tells_again(tokens, at) {
        return (Meaning::Link(Link::Colon), at + 1);
    }
    // "A double nod".
    if word(tokens, at) == "double" && lexicon::verb(word(tokens, at + 1)).is_some_and(Verb::is_motion) {
        return (Meaning::Count(2.0), at + 1);
    }
    // "By the same 30 degrees": of which motions it is said is open.
    if word(tokens, at) == "same" && number(tokens, at + 1).is_some() {
        return (Meaning::Unknown, at + 1);
    }
    if let Some(end) = each_round(tokens, at) {
        return (Meaning::EachTime, end);
    }
    if let Some(is_each) = cause(tokens, at) {
        let trigger = if is_each { crate::meaning::Trigger::Whenever } else { crate::meaning::Trigger::When };
        return (Meaning::Trigger(trigger), at + 1);
    }
    if let Some(end) = while_seen(tokens, at) {
        return (Meaning::Trigger(crate::meaning::Trigger::Whenever), end);
    }
    if let Some(end) = same_size(tokens, at) {
        return (Meaning::SameSize, end);
    }
    let found = as_i_say(tokens, at)
        .or_else(|| encore(tokens, at))
        .or_else(|| after_event(tokens, at))
        .or_else(|| superlative(tokens, at))
        .or_else(|| than_before(tokens, at));
    if let Some(found) = found {
        return found;
    }
    if let Some(end) = of_all(tokens, at) {
        return (Meaning::Verb { verb: Verb::Repeat, is_participle: false }, end);
    }
    if let Some(end) = number_of(tokens, at) {
        return (Meaning::Role(crate::meaning::Role::Times), end);
    }
    // "Next comes a nod", "the bow comes before the wave": only an order.
    let is_coming = matches!(word(tokens, at), "comes" | "come" | "came" | "happens" | "happen" | "follows")
        && (tokens.get(at + 1).is_none_or(|token| token.is_mark)
            || matches!(
                word(tokens, at + 1),
                "a" | "an" | "the" | "one" | "first" | "last" | "before" | "after" | "next"
            ));
    if is_coming {
        return (Meaning::Frame, at + 1);
    }
    if let Some(end) = one_go(tokens, at) {
        return (Meaning::Together, end);
    }
    if let Some(end) = list_number(tokens, at) {
        return (Meaning::Link(Link::Then), end);
    }
    if let Some(end) = known_state(tokens, at) {
        return (Meaning::Manner, end);
    }
    if let Some(end) = arrival(tokens, at) {
        return (Meaning::Perceive, end);
    }
    if let Some(end) = stops_with_event(tokens, at) {
        return (Meaning::Frame, end);
    }
    if let Some(end) = horizontal(tokens, at) {
        return (Meaning::Size { amount: 90.0, is_shift: false }, end);
    }
    if let Some(found) = ever_more(tokens, at).or_else(|| each_more(tokens, at)) {
        return found;
    }
    if let Some(found) = ratio(tokens, at) {
        return found;
    }
    if let Some(end) = during(tokens, at) {
        return (Meaning::Together, end);
    }
    // "And gives up".
    if matches!(word(tokens, at), "give" | "gives" | "giving") && word(tokens, at + 1) == "up" {
        return (Meaning::Unknown, at + 2);
    }
    if speaks_words(tokens, at) {
        return (Meaning::Unknown, at + 1);
    }
    // "Upper left, lower left": a direction, and no verb.
    if word(tokens, at) == "lower"
        && matches!(word(tokens, at + 1), "left" | "right")
        && tokens.iter().any(|token| token.word == "upper")
    {
        return (Meaning::Way(Way::Down), at + 1);
    }
    if begins_path(tokens, at) {
        return (Meaning::From, at + 1);
    }
    // "Turn; before that, nod": the turn comes after it.
    if let Some(end) = before_that(tokens, at) {
        return (Meaning::Link(Link::After), end);
    }
    // "And after nod one time": what comes next.
    let is_bare_verb = |text: &str| {
        lexicon::verb(text).is_some_and(Verb::is_motion) && !text.ends_with('s') && !text.ends_with("ing")
    };
    if word(tokens, at) == "after"
        && at.checked_sub(1).is_some_and(|before| matches!(word(tokens, before), "and" | "then"))
        && is_bare_verb(word(tokens, at + 1))
    {
        return (Meaning::Link(Link::Then), at + 1);
    }
    // "I'd like a tool" compares nothing.
    let is_comparison = at.checked_sub(1).is_some_and(|before| {
        matches!(word(tokens, before), "i'd" | "would" | "i" | "you" | "d" | "we" | "we'd")
    });
    // "Waits for two seconds" awaits nothing.
    let rests = matches!(word(tokens, at), "wait" | "waits" | "waiting")
        && word(tokens, at + 1) == "for"
        && matches!(quantity(tokens, at + 2), Some((Meaning::Seconds(_), _)));
    // "A tool with two steps: ...".
    if number(tokens, at).is_some_and(|(_, next)| next == at + 1)
        && matches!(
            word(tokens, at + 1),
            "steps" | "things" | "parts" | "moves" | "movements" | "phases" | "stages" | "motions"
        )
        && word(tokens, at + 2) == ":"
    {
        return (Meaning::Frame, at + 2);
    }
    // "Nods twice and stops".
    let is_end = tokens.get(at + 1).is_none_or(|next| next.is_mark);
    if is_end
        && matches!(word(tokens, at), "stop" | "stops")
        && at.checked_sub(1).is_some_and(|before| matches!(word(tokens, before), "and" | "then"))
    {
        return (Meaning::Frame, at + 1);
    }
    if let Some(found) =
        phrases::phrase(tokens, at).filter(|found| !(rests || is_comparison && found.0 == Meaning::AsIf))
    {
        return found;
    }
    if let Some(found) = quantity(tokens, at) {
        return found;
    }
    (single(tokens, at), at + 1)
}

fn single(tokens: &[Token], at: usize) -> Meaning {
    let Some(token) = tokens.get(at) else { return Meaning::Frame };
    let next = word(tokens, at + 1);
    let before = at.checked_sub(1).map_or("", |before| word(tokens, before));
    let text = token.word.as_str();
    if token.is_mark {
        return match text {
            ":" => Meaning::Link(Link::Colon),
            "," | ";" | "–" | "—" | "-" | "(" | ")" | "/" => Meaning::Link(Link::Comma),
            "." | "!" | "?" | "…" => Meaning::Link(Link::Stop),
            "\"" | "'" | "“" | "”" | "‘" | "’" | "`" => Meaning::Frame,
            "&" | "+" => Meaning::Link(Link::And),
            _ => Meaning::Unknown,
        };
    }
    if text.contains('_') {
        return Meaning::Frame;
    }
    if let Some(meaning) = phrases::single(text, before, next) {
        return meaning;
    }
    // "Keep it level" asks for no way back.
    if text == "level"
        && matches!(before, "it" | "them" | "head" | "perfectly" | "stays" | "stay" | "keep" | "is")
    {
        return Meaning::Unknown;
    }
    // "The look of it" aside, a verb may be a noun: "two nods".
    if let Some(verb) = lexicon::verb(text) {
        // "Look proud" is a mood, no gaze.
        if verb == Verb::Look && lexicon::is_manner(next) {
            return Meaning::Manner;
        }
        // "A sceptical look" is a mood, too.
        let is_noun = matches!(before, "a" | "an")
            || lexicon::is_manner(before)
            || lexicon::is_manner_by_ending(before, true);
        if verb == Verb::Look
            && is_noun
            && !matches!(next, "to" | "at" | "up" | "down" | "left" | "right" | "around")
        {
            return Meaning::Manner;
        }
        // "Look frobbly" tells no gaze, either.
        let is_known = next.is_empty()
            || phrases::phrase(tokens, at + 1).is_some()
            || quantity(tokens, at + 1).is_some()
            || matches!(tokens.get(at + 1), Some(token) if token.is_mark)
            || single(tokens, at + 1) != Meaning::Unknown;
        if verb == Verb::Look && !is_known {
            return Meaning::Frame;
        }
        return Meaning::Verb { verb, is_participle: lexicon::is_participle(text) };
    }
    if lexicon::is_manner(text) {
        return Meaning::Manner;
    }
    if lexicon::is_frame(text) {
        return Meaning::Frame;
    }
    if lexicon::is_manner_by_ending(text, lexicon::verb(next).is_some()) {
        return Meaning::Manner;
    }
    Meaning::Unknown
}
