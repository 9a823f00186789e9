//! What is said of an amount or of the whole request: as far as before, as far as possible, a question that is told again.

use super::Tagger;
use crate::lexicon::LEXICON;
use minismith_score::Event;

use crate::tag::{Manner, Tag, Tagged, Trigger, Unit};

impl Tagger<'_> {
    /// "Nod if someone claps, otherwise shake", and not "otherwise stay quiet" or "unless stated otherwise".
    pub(super) fn is_otherwise(&self, at: usize, before: &[Tagged]) -> bool {
        let quiet = ["stay", "keep", "do", "remain", "nothing", "not", "no"];
        let sayings = ["say", "tell", "told", "state", "specify", "give", "ask"];
        before.iter().any(|tagged| matches!(tagged.tag, Tag::Condition(..)))
            && (self.text(at) == "otherwise" || self.text(at.saturating_sub(1)) == "or")
            && !quiet.contains(&self.base(at + 1))
            && !sayings.contains(&self.base(at.saturating_sub(1)))
    }

    /// "A pat on the head makes you wiggle the ears", "each clap makes it turn".
    pub(super) fn cause(&self, at: usize) -> Option<(Trigger, Event, usize)> {
        let trigger = match self.text(at) {
            "a" | "an" | "the" | "one" | "any" => Trigger::When,
            "each" | "every" => Trigger::Whenever,
            _ => return None,
        };
        let (event, mut end) = self.event(at + 1, false)?;
        if matches!(self.text(end), "on" | "at") && self.text(end + 2) == "head" {
            end += 3;
        }
        let verb = end + usize::from(matches!(self.text(end), "should" | "must" | "will" | "that"));
        let is_cause = matches!(self.base(verb), "make" | "cause" | "trigger" | "get" | "let" | "prompt");
        let subject = matches!(self.text(verb + 1), "you" | "it" | "the" | "reachy" | "him");
        let robot = matches!(self.text(verb + 2), "robot" | "to");
        let is_event = event != Event::Thing("one".to_owned());
        (is_cause && subject && is_event).then(|| (trigger, event, verb + 2 + usize::from(robot) - at))
    }

    /// "But not before you have bowed": what is denied comes first.
    pub(super) fn not_before(&self, at: usize) -> Option<(Tag, usize)> {
        let start = at + usize::from(matches!(self.text(at), "but" | "and" | "though"));
        let is_not = self.text(start) == "not" && matches!(self.text(start + 1), "before" | "until" | "till");
        let is_done = matches!(self.text(start + 2), "you" | "it" | "he" | "they" | "the" | "your" | "its")
            && (start + 3..start + 6).any(|place| matches!(self.text(place), "has" | "have"));
        (is_not && is_done).then_some((Tag::After, start + 2 - at))
    }

    /// "A quarter second", "a third of a second".
    pub(super) fn fraction(&self, at: usize) -> Option<(Tag, usize)> {
        let start = at + usize::from(matches!(self.text(at), "a" | "one"));
        let share = match self.text(start) {
            "quarter" => 0.25,
            "third" => 1.0 / 3.0,
            "fifth" => 0.2,
            "tenth" => 0.1,
            _ => return None,
        };
        let of = if self.text(start + 1) == "of" { start + 3 } else { start + 1 };
        matches!(self.text(of), "second" | "seconds" | "sec")
            .then(|| (Tag::Amount((share * 100.0_f64).round() / 100.0, Unit::Seconds), of + 1 - at))
    }

    /// "By the same amount", "just as far".
    pub(super) fn same_size(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        let is_noun = |place: usize| {
            matches!(
                self.text(place),
                "amount" | "angle" | "distance" | "extent" | "degree" | "size" | "much"
            )
        };
        let used = match (self.text(at), self.text(at + 1), self.text(at + 2)) {
            ("by" | "at" | "to", "the", "same") if is_noun(at + 3) => 4,
            ("the", "same", _) if is_noun(at + 2) => 3,
            ("just" | "equally", "as", "far" | "much" | "wide" | "high" | "deep") => 3,
            ("equally", "far" | "wide" | "high" | "deep", _) => 2,
            ("by", "as", "much") => 3,
            _ => return None,
        };
        let has_size = before.iter().any(|tagged| matches!(tagged.tag, Tag::Amount(..)));
        (has_size && self.text(at + used) != "as").then_some((Tag::SameSize, used))
    }

    /// "Can you make a tool that flinches? Jerk the head back ...": what follows the question tells it once more.
    pub(super) fn is_told_again(&self, at: usize, before: &[Tagged]) -> bool {
        let has_motion = before.iter().any(|tagged| {
            matches!(
                tagged.tag,
                Tag::Verb(_) | Tag::Feeling(_) | Tag::Dance | Tag::Circle | Tag::Sound | Tag::Photo
            )
        });
        let has_question = before.iter().any(|tagged| matches!(tagged.tag, Tag::Stop | Tag::Colon));
        let goes_on = matches!(
            self.text(at + 1),
            "then"
                | "and"
                | "after"
                | "afterwards"
                | "also"
                | "next"
                | "finally"
                | "but"
                | "at"
                | "when"
                | "before"
                | "while"
                | "with"
                | "without"
                | "slowly"
                | "please"
                | "thanks"
                | "only"
        );
        let is_motion = |place: usize| {
            let phrase = self.pairs.get(place..).and_then(|pairs| LEXICON.longest(pairs));
            matches!(phrase, Some((Tag::Verb(_), _)))
        };
        has_motion && !has_question && !goes_on && (at + 1..at + 9).any(is_motion)
    }

    /// "As far as it can", "as quickly as they will go".
    pub(super) fn superlative(&self, at: usize) -> Option<(Tag, usize)> {
        // "As far right as it can go": the direction stands between, and is read after it.
        if self.text(at) == "as"
            && matches!(self.text(at + 1), "far" | "high" | "low" | "much")
            && let Some(second) = (at + 3..at + 6).find(|place| self.text(*place) == "as")
            && (at + 2..second).all(|place| {
                matches!(self.text(place), "to" | "the" | "left" | "right" | "up" | "down" | "out" | "over")
            })
        {
            return Some((Tag::Manner(Manner::Full), 2));
        }
        if self.text(at) == "as"
            && at > 2
            && (at - 3..at).any(|place| self.text(place) == "far")
            && matches!(self.text(at - 1), "left" | "right" | "up" | "down" | "out")
        {
            let end = (at + 1..at + 6).find(|place| {
                matches!(
                    self.text(*place),
                    "can" | "goes" | "possible" | "will" | "could" | "allows" | "gets"
                )
            })?;
            let more = usize::from(matches!(self.text(end + 1), "go" | "get" | "reach" | "turn" | "manage"));
            return Some((Tag::Filler, end + 1 + more - at));
        }
        if self.text(at) != "as" || self.text(at + 2) != "as" {
            return None;
        }
        let tag = match self.text(at + 1) {
            "far" | "high" | "tall" | "steep" | "wide" | "widely" | "deep" | "deeply" | "low" | "big"
            | "large" | "much" | "strongly" | "hard" => Tag::Manner(Manner::Full),
            "fast" | "quick" | "quickly" | "rapidly" | "swiftly" => Tag::Manner(Manner::Pace(0.45)),
            "slow" | "slowly" | "gently" | "calmly" => Tag::Manner(Manner::Pace(2.6)),
            _ => return None,
        };
        if self.text(at + 3) == "possible" {
            return Some((tag, 4));
        }
        let is_subject =
            matches!(self.text(at + 3), "it" | "they" | "you" | "he" | "she" | "your" | "its" | "the");
        let end = (at + 4..at + 8).find(|place| {
            matches!(
                self.text(*place),
                "can" | "goes" | "go" | "could" | "will" | "gets" | "get" | "manages" | "allows"
            )
        })?;
        let more = usize::from(matches!(self.text(end + 1), "go" | "get" | "manage" | "reach" | "stretch"));
        is_subject.then_some((tag, end + 1 + more - at))
    }
}
