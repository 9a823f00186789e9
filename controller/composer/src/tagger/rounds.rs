//! What is said of whole rounds, of a side or of a state that was named before.

use super::{Tagger, unit};
use crate::tag::{Dir, Mode, PartRef, Role, Tag, Tagged, Unit};
use crate::words::read_number;

/// Adjectives before a round: "every complete left-right cycle".
const WHOLE: &[&str] = &["full", "complete", "whole", "entire", "single"];
/// What a round can go through.
const COURSE: &[&str] = &[
    "left", "right", "back", "forth", "forward", "up", "down", "in", "out", "there", "and", "to", "fro",
    "round",
];
/// A round as a noun.
const ROUNDS: &[&str] =
    &["cycle", "cycles", "round", "rounds", "loop", "loops", "lap", "period", "oscillation"];

impl Tagger<'_> {
    /// "Four rounds of that", "and the same once more": all that was said.
    pub(super) fn whole_again(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        let is_counted = matches!(before.last(), Some(Tagged { tag: Tag::Count(_), .. }));
        let next = [self.text(at), self.text(at + 1), self.text(at + 2)];
        if is_counted
            && matches!(next.first(), Some(&("rounds" | "repetitions" | "cycles")))
            && self.words.get(at + 1).is_none_or(|word| !word.is_word)
        {
            return Some((Tag::RepeatAll, 1));
        }
        let used = match next {
            ["of", "that" | "this" | "it" | "these" | "those", _] if is_counted => 2,
            ["of", "all", "that" | "this"] if is_counted => 3,
            ["of", "the", "above" | "lot" | "same"] if is_counted => 3,
            ["the", "same", "thing"] => 3,
            ["the", "same", _] => 2,
            ["all" | "everything", "again" | "over", _] => 1,
            ["all", "that" | "this", _] => 2,
            ["that" | "this", _, _] if at > 0 && matches!(self.text(at - 1), "and" | "," | "do" | "then") => {
                1
            }
            _ => return None,
        };
        let is_again = match [self.text(at + used), self.text(at + used + 1), self.text(at + used + 2)] {
            ["again", ..] | ["once" | "twice", "more" | "again", _] | ["one", "more", "time"] => true,
            ["a", "second", "time"]
            | ["over", "again", _]
            | ["from", "the", "start" | "beginning" | "top"] => true,
            _ => self.text(at) == "of",
        };
        is_again.then_some((Tag::RepeatAll, used))
    }

    /// "Four seconds for every complete cycle", "a full left and right wag taking two seconds": a rate.
    pub(super) fn cycle_time(&self, at: usize) -> Option<(Tag, usize)> {
        let seconds = |at: usize| {
            let (value, used) = read_number(self.words.get(at..)?)?;
            let (unit, factor) = unit(self.text(at + used))?;
            (unit == Unit::Seconds && value > 0.0).then_some((value * factor, at + used + 1))
        };
        // The place after the noun, and whether it is certainly a round.
        let round = |at: usize| {
            let is_course =
                |place: &usize| WHOLE.contains(&self.text(*place)) || COURSE.contains(&self.text(*place));
            let noun = at + (at..at + 7).take_while(is_course).count();
            let is_whole = (at..noun).any(|place| WHOLE.contains(&self.text(place)));
            let is_round = ROUNDS.contains(&self.text(noun)) || (noun > at && self.text(noun) == "trip");
            (is_round || (is_whole && self.is_gesture_ahead(noun))).then_some(noun + 1)
        };
        if let Some((value, end)) = seconds(at) {
            let skip = match (self.text(end), self.text(end + 1)) {
                ("for", "every" | "each" | "a" | "one") => 2,
                ("per" | "a" | "every" | "each", _) => 1,
                _ => return None,
            };
            return round(end + skip).map(|end| (Tag::Rate(value), end - at));
        }
        let start = at + usize::from(matches!(self.text(at), "a" | "an" | "one" | "every" | "each" | "per"));
        let end = round(start).filter(|_| start > at)?;
        let skip = match (self.text(end), self.text(end + 1)) {
            ("taking" | "takes" | "lasting" | "lasts" | "in", _) => 1,
            ("should" | "must" | "to", "take" | "last") => 2,
            ("of", _) if self.text(end - 1) == "period" => 1,
            _ => return None,
        };
        let (value, end) = seconds(end + skip)?;
        Some((Tag::Rate(value), end - at))
    }

    /// "Tilt and back takes half a second": the time of the whole round. Returns the way back, and the place of the time.
    pub(super) fn round_takes(&self, at: usize, before: &[Tagged]) -> Option<(f64, usize)> {
        let is_back = matches!(before.last(), Some(Tagged { tag: Tag::Return, .. }));
        if !is_back || !matches!(self.text(at), "takes" | "taking" | "lasts" | "lasting") {
            return None;
        }
        let (value, used) = read_number(self.words.get(at + 1..)?)?;
        let (unit, factor) = unit(self.text(at + 1 + used))?;
        (unit == Unit::Seconds && value > 0.0).then_some((value * factor, used + 2))
    }

    /// "Takes exactly four seconds".
    pub(super) fn takes_about(&self, at: usize) -> Option<(Tag, usize)> {
        let is_over = matches!(
            self.text(at),
            "takes" | "take" | "taking" | "lasts" | "lasting" | "spends" | "spending"
        );
        let is_about =
            matches!(self.text(at + 1), "exactly" | "about" | "roughly" | "around" | "just" | "precisely");
        let (_, used) = read_number(self.words.get(at + 2..)?)?;
        let (unit, _) = unit(self.text(at + 2 + used))?;
        (is_over && is_about && unit == Unit::Seconds).then_some((Tag::Over, 2))
    }

    /// "Defaults to 4", "default 4", of how often.
    pub(super) fn default_count(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        if !matches!(self.text(at), "default" | "defaults" | "defaulting") {
            return None;
        }
        let skip = usize::from(matches!(self.text(at + 1), "to" | "of" | "is" | "being" | ":"));
        let (value, used) = read_number(self.words.get(at + 1 + skip..)?)?;
        let role = before.iter().rev().find_map(|tagged| match tagged.tag {
            Tag::Param(role) => Some(role),
            _ => None,
        });
        let is_count = role == Some(Role::Times) && value.fract() == 0.0 && (1.0..=50.0).contains(&value);
        is_count.then(|| (Tag::Count(value as u32), 1 + skip + used))
    }

    /// "In one smooth go": at the same time.
    pub(super) fn one_go(&self, at: usize) -> Option<(Tag, usize)> {
        let is_one = self.text(at) == "in"
            && (self.text(at + 1) == "one" || matches!(self.text(at + 2), "single" | "same"));
        let noun = (at + 2..at + 5).find(|place| {
            matches!(
                self.text(*place),
                "go" | "move" | "motion" | "movement" | "sweep" | "gesture" | "stroke" | "flow"
            )
        })?;
        is_one.then_some((Tag::Same, noun + 1 - at))
    }

    /// "As often as I tell it to", "as far as the caller wants": a parameter.
    pub(super) fn as_i_say(&self, at: usize) -> Option<(Tag, usize)> {
        let (role, second) = match (self.text(at), self.text(at + 1), self.text(at + 2)) {
            ("as", "often", "as") => (Role::Times, at + 3),
            ("as", "many", "times") => (Role::Times, at + 4),
            ("as", "far", "as") => (Role::Distance, at + 3),
            ("as", "long", "as") => (Role::Seconds, at + 3),
            ("as", "fast" | "quickly" | "slowly", "as") => (Role::Speed, at + 3),
            ("as", "deep" | "deeply" | "wide" | "high" | "big" | "large", "as") => (Role::Size, at + 3),
            _ => return None,
        };
        let subject = second + usize::from(matches!(self.text(second), "the" | "a"));
        let is_caller = matches!(self.text(subject), "i" | "we" | "you" | "caller" | "user" | "someone");
        let is_saying = matches!(
            self.base(subject + 1),
            "tell"
                | "say"
                | "ask"
                | "want"
                | "like"
                | "choose"
                | "give"
                | "specify"
                | "pass"
                | "set"
                | "wish"
                | "request"
                | "need"
                | "please"
                | "decide"
                | "are"
        );
        let is_told = self.text(subject + 1) != "are" || matches!(self.text(subject + 2), "told" | "asked");
        if self.text(second - 1) != "as" || !is_caller || !is_saying || !is_told {
            return None;
        }
        let words = ["it", "you", "the", "robot", "to", "for", "told", "asked", "in"];
        let more = (subject + 2..subject + 6).take_while(|place| words.contains(&self.text(*place))).count();
        Some((Tag::Param(role), subject + 2 + more - at))
    }

    /// "As many millimetres as I ask for": a parameter.
    pub(super) fn as_many(&self, at: usize) -> Option<(Tag, usize)> {
        if (self.text(at), self.text(at + 1), self.text(at + 3)) != ("as", "many", "as") {
            return None;
        }
        let role = match self.text(at + 2) {
            "degrees" => Role::Degrees,
            "millimetres" | "millimeters" | "mm" => Role::Millimetres,
            "seconds" => Role::Seconds,
            "times" | "rounds" | "repetitions" => Role::Times,
            _ => return None,
        };
        let is_person = matches!(self.text(at + 4), "i" | "you" | "we");
        let subject = if self.text(at + 4) == "the" { at + 5 } else { at + 4 };
        let is_caller = matches!(self.text(subject), "caller" | "user" | "argument" | "parameter");
        let more = usize::from(matches!(self.text(subject + 2), "for" | "to"));
        (is_person || is_caller).then_some((Tag::Param(role), subject + 2 + more - at))
    }

    /// "1. nod 2. tilt": the number of a step.
    pub(super) fn list_number(&self, at: usize) -> Option<(Tag, usize)> {
        let number = |at: usize| {
            let is_marked = matches!(self.text(at + 1), "." | ")");
            self.text(at).parse::<u32>().ok().filter(|number| is_marked && (1..=20).contains(number))
        };
        // "Step 1: nod. Step 2: tilt."
        let is_step =
            self.text(at) == "step" && self.text(at + 1).parse::<u32>().is_ok_and(|step| step <= 20);
        if is_step && self.words.get(at + 2).is_some_and(|word| !word.is_word) {
            return Some((Tag::Then, 3));
        }
        let own = number(at)?;
        let is_listed = (0..self.words.len())
            .any(|other| number(other).is_some_and(|other| other == own + 1 || other + 1 == own));
        is_listed.then_some((Tag::Then, 2))
    }

    /// "The antenna on that same side": the side that was named last.
    pub(super) fn antenna_of_side(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        crate::lexicon::LEXICON.antenna(self.text(at)).filter(|is_plural| !is_plural)?;
        let place = at + 1;
        let is_of = matches!(self.text(place), "on" | "at" | "of")
            && matches!(self.text(place + 1), "that" | "the" | "this");
        let (is_same, end) = match (self.text(place + 2), self.text(place + 3), self.text(place + 4)) {
            ("side", ..) if self.text(place + 1) != "the" => (true, place + 3),
            ("same" | "very", "side", _) => (true, place + 4),
            ("very", "same", "side") => (true, place + 5),
            ("other" | "opposite" | "far", "side", _) => (false, place + 4),
            _ => return None,
        };
        let side = before.iter().rev().find_map(|tagged| match tagged.tag {
            Tag::Dir(Dir::Left) | Tag::Part(PartRef::LeftAntenna) => Some(true),
            Tag::Dir(Dir::Right) | Tag::Part(PartRef::RightAntenna) => Some(false),
            _ => None,
        });
        let is_left = side.filter(|_| is_of)? == is_same;
        let part = if is_left { PartRef::LeftAntenna } else { PartRef::RightAntenna };
        Some((Tag::Part(part), end - at))
    }

    /// "While it is still raised", "with the head still up": a state that is known already.
    pub(super) fn known_state(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        if !matches!(self.text(at), "while" | "with" | "when" | "whilst")
            || !before.iter().any(|tagged| matches!(tagged.tag, Tag::Verb(_) | Tag::Dir(_)))
        {
            return None;
        }
        let mut words =
            (at + 1..at + 6).take_while(|place| self.words.get(*place).is_some_and(|word| word.is_word));
        let still = words.find(|place| self.text(*place) == "still");
        // "While it is up", "while turned".
        let subject = match [self.text(at + 1), self.text(at + 2)] {
            ["it" | "that" | "he", "is"] | ["they" | "you", "are"] => at + 2,
            _ => at,
        };
        let still = still.or((self.text(at) == "while").then_some(subject))?;
        let is_state = |text: &str| {
            text.ends_with("ed")
                || matches!(
                    text,
                    "up" | "down" | "out" | "in" | "there" | "open" | "away" | "bent" | "high" | "low"
                )
        };
        let mut end = still + 1;
        end += usize::from(matches!(self.text(end), "held" | "being" | "all"));
        let is_end = self.words.get(end + 1).is_none_or(|word| !word.is_word || word.text == "and");
        (is_state(self.text(end)) && is_end).then_some((Tag::Filler, end + 1 - at))
    }

    /// "Turn it to the front" goes back, "lean it to the front" does not.
    pub(super) fn to_the_front(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        if [self.text(at), self.text(at + 1), self.text(at + 2)] != ["to", "the", "front"] {
            return None;
        }
        let verb = before.iter().rev().find_map(|tagged| match tagged.tag {
            Tag::Verb(verb) => Some(verb),
            _ => None,
        });
        let is_leaning = verb.is_some_and(|verb| {
            matches!(verb.mode, Mode::Lean | Mode::Tilt | Mode::Shift) || verb.name() == "push"
        });
        Some((if is_leaning { Tag::Dir(Dir::Forward) } else { Tag::Home }, 3))
    }
}
