//! Antennas with their sides, and numbers with their units.

use super::Tagger;
use crate::lexicon::LEXICON;
use crate::tag::{PartRef, Tag, Unit};
use crate::words::read_number;

impl Tagger<'_> {
    /// An antenna with its side: "the left ear", "both antennas".
    pub(super) fn antenna(&self, at: usize) -> Option<(Tag, usize)> {
        let plural = |at: usize| LEXICON.antenna(self.text(at));
        let hand = usize::from(matches!(self.text(at + 1), "hand" | "side" | "robot"));
        match (self.text(at), plural(at + 1 + hand)) {
            ("left", Some(_)) => Some((Tag::Part(PartRef::LeftAntenna), 2 + hand)),
            ("right", Some(_)) => Some((Tag::Part(PartRef::RightAntenna), 2 + hand)),
            ("both" | "two", Some(_)) => Some((Tag::Part(PartRef::BothAntennas), 2 + hand)),
            ("both" | "two", None) if matches!(self.text(at + 1), "of" | "the" | "its" | "your") => {
                let skip = if self.text(at + 1) == "of"
                    && matches!(self.text(at + 2), "the" | "its" | "your" | "them")
                {
                    2
                } else {
                    1
                };
                plural(at + 1 + skip).map(|_| (Tag::Part(PartRef::BothAntennas), 2 + skip))
            }
            _ => plural(at).map(|is_plural| {
                // "Each ear", "an ear wiggle".
                let last = self.text(at.saturating_sub(1));
                let is_adjunct = matches!(
                    self.pairs.get(at + 1..at + 2).and_then(|pairs| LEXICON.longest(pairs)),
                    Some((Tag::Verb(verb), 1)) if verb.is_gesture_noun
                ) && (self.text(at + 1) == self.base(at + 1)
                    || self.text(at + 1).ends_with('s'))
                    && !matches!(
                        last,
                        "left" | "right" | "one" | "other" | "single" | "the" | "your" | "its" | "hand"
                    );
                let is_plural = is_plural || is_adjunct || matches!(last, "each" | "every" | "either");
                // One antenna without a side is the right one, as for a wave.
                (Tag::Part(if is_plural { PartRef::BothAntennas } else { PartRef::RightAntenna }), 1)
            }),
        }
    }

    /// A number with its unit, or what it counts.
    pub(super) fn amount(&self, at: usize) -> Option<(Tag, usize)> {
        if self.text(at) == "every" || self.text(at) == "each" {
            let (value, used) = self.words.get(at + 1..).and_then(read_number)?;
            let seconds = unit(self.base(at + 1 + used)).filter(|(unit, _)| *unit == Unit::Seconds)?;
            return Some((Tag::Rate(value * seconds.1), used + 2));
        }
        let (value, used) = self.words.get(at..).and_then(read_number)?;
        // "Three more seconds", "two whole degrees".
        let more = usize::from(
            matches!(
                self.text(at + used),
                "more" | "full" | "whole" | "entire" | "further" | "additional" | "long" | "good"
            ) && unit(self.text(at + used + 1)).is_some(),
        );
        let used = used + more;
        let (text, base) = (self.text(at + used), self.base(at + used));
        let count = (value.fract() == 0.0 && (0.0..=1e6).contains(&value)).then_some(value as u32);
        if let Some((unit, factor)) = unit(text).or_else(|| unit(base)) {
            // "Five seconds per sway", "two seconds for each nod".
            let per = match (self.text(at + used + 1), self.text(at + used + 2)) {
                ("per" | "each" | "apiece", _) => 1,
                ("for", "each" | "every") => 2,
                _ => 0,
            };
            // "One second per side": the time of one stroke.
            if per > 0
                && unit == Unit::Seconds
                && matches!(self.text(at + used + 1 + per), "side" | "way" | "direction" | "stroke" | "beat")
            {
                return Some((Tag::Tempo(value * factor), used + 2 + per));
            }
            if per > 0 && unit == Unit::Seconds {
                let noun = self.pairs.get(at + used + 1 + per..).and_then(|pairs| LEXICON.longest(pairs));
                let is_gesture = matches!(noun, Some((Tag::Verb(_), 1)));
                let is_alone = self.words.get(at + used + 1 + per).is_none_or(|word| !word.is_word);
                if is_gesture || (is_alone && per == 1) {
                    let more = per + usize::from(is_gesture);
                    return Some((Tag::Rate(value * factor), used + 1 + more));
                }
            }
            let turn = usize::from(unit == Unit::Degrees && self.base(at + used + 1) == "turn");
            return Some((Tag::Amount(value * factor, unit), used + 1 + turn));
        }
        if matches!(text, "bpm") {
            return Some((Tag::Tempo(60.0 / value.max(1.0)), used + 1));
        }
        if matches!(text, "hz" | "hertz") {
            return Some((Tag::Rate(1.0 / value.max(0.01)), used + 1));
        }
        // "From five to thirty degrees".
        if matches!(text, "to" | "and" | "through")
            && matches!(self.text(at.saturating_sub(1)), "from" | "between" | "of" | "with" | "at")
            && let Some((other, more)) = self.words.get(at + used + 1..).and_then(read_number)
            && let Some((unit, factor)) = unit(self.text(at + used + 1 + more))
            && other > 0.0
        {
            return Some((Tag::Amount(value * factor, unit), used));
        }
        let per = |at: usize| match (self.text(at), self.text(at + 1)) {
            ("per" | "a" | "every" | "each", "second") => Some(1.0),
            ("per" | "a" | "every" | "each", "minute") => Some(60.0),
            _ => None,
        };
        // "...; three rounds": what is counted follows.
        let is_all = matches!(text, "rounds" | "repetitions" | "cycles" | "breaths")
            && at > 0
            && self.words.get(at - 1).is_some_and(|word| !word.is_word)
            && self.words.get(at + used + 1).is_none_or(|word| !word.is_word);
        if let Some(count) = count.filter(|_| is_all) {
            return Some((Tag::Count(count), used));
        }
        if matches!(text, "times" | "time" | "x" | "rounds" | "repetitions" | "round") {
            if let Some(seconds) = per(at + used + 1) {
                return Some((Tag::Rate(seconds / value.max(0.01)), used + 3));
            }
            return count.map(|count| (Tag::Count(count), used + 1));
        }
        if matches!(text, "beats" | "beat") {
            if let Some(seconds) = per(at + used + 1) {
                return Some((Tag::Tempo(seconds / value.max(0.01)), used + 3));
            }
            return count.map(|count| (Tag::Beats(count), used + 1));
        }
        if let Some(seconds) = per(at + used + 1) {
            return Some((Tag::Rate(seconds / value.max(0.01)), used));
        }
        // "A beat of 120 per minute".
        if let Some(seconds) = per(at + used) {
            let is_tempo = (at.saturating_sub(3)..at)
                .any(|place| matches!(self.text(place), "beat" | "tempo" | "pulse"));
            let seconds = seconds / value.max(0.01);
            return Some((if is_tempo { Tag::Tempo(seconds) } else { Tag::Rate(seconds) }, used + 2));
        }
        if text == "quarter" {
            return Some((Tag::Amount(90.0 * value, Unit::Degrees), used + 2));
        }
        // "Then one of the left".
        if self.text(at) == "one"
            && self.text(at + 1) == "of"
            && matches!(self.text(at + 2), "the" | "your" | "its")
            && matches!(self.text(at + 3), "left" | "right" | "other")
        {
            return Some((Tag::Count(1), 2));
        }
        // "one" alone stands for a thing, and "an ear" is no number.
        if self.text(at) == "one" && used == 1 && !self.is_gesture_ahead(at + 1) {
            return None;
        }
        Some((Tag::Number(value), used))
    }
}

/// Returns the unit that a word names, and its factor.
pub(super) fn unit(word: &str) -> Option<(Unit, f64)> {
    Some(match word {
        "degree" | "degrees" | "deg" | "degs" => (Unit::Degrees, 1.0),
        "radian" | "radians" | "rad" => (Unit::Degrees, 57.295_779_5),
        "mm" | "millimetre" | "millimetres" | "millimeter" | "millimeters" => (Unit::Millimetres, 1.0),
        "cm" | "centimetre" | "centimetres" | "centimeter" | "centimeters" => (Unit::Millimetres, 10.0),
        "metre" | "metres" | "meter" | "meters" | "m" => (Unit::Millimetres, 1000.0),
        "inch" | "inches" => (Unit::Millimetres, 25.4),
        "second" | "seconds" | "sec" | "secs" | "s" => (Unit::Seconds, 1.0),
        "minute" | "minutes" | "min" | "mins" => (Unit::Seconds, 60.0),
        "ms" | "millisecond" | "milliseconds" => (Unit::Seconds, 0.001),
        _ => return None,
    })
}
