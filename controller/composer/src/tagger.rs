//! Finds what the words of a request mean, phrase by phrase, and the conditions in it.

use std::ops::Range;

use crate::lexicon::LEXICON;
use crate::tag::{Dir, PartRef, Shape, Tag, Tagged, Unit};
use crate::words::{Word, base_form, number_word, read_number};

mod amounts;
mod asides;
mod conditions;
mod patterns;
mod rewrite;
mod rounds;
mod trends;

use amounts::unit;

/// A phrase that the library serves, as words, with the index of its entry.
pub(crate) type KnownPhrase = (Vec<String>, usize);

/// Tags words.
pub(crate) fn tag(words: &[Word], known: &[KnownPhrase]) -> Vec<Tagged> {
    let bases: Vec<String> =
        words.iter().map(|word| base_form(&word.text, |text| LEXICON.knows(text))).collect();
    let pairs: Vec<(&str, &str)> =
        words.iter().zip(&bases).map(|(word, base)| (word.text.as_str(), base.as_str())).collect();
    let reader = Tagger { words, pairs: &pairs, known };
    let mut tags = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let (tag, used) = reader.next(at, &tags);
        let used = used.max(1);
        // "Sleep 2 s", as in code.
        let waits = matches!(tag, Tag::Play("go_to_sleep")) && reader.text(at) == "sleep" && {
            let open = usize::from(reader.text(at + 1) == "(");
            read_number(words.get(at + 1 + open..).unwrap_or_default()).is_some()
        };
        let tag = if waits { Tag::Pause } else { tag };
        let span = reader.span(at..at + used);
        // "Snaps back up" is quick.
        let is_quick = matches!(tag, Tag::Return)
            && used > 1
            && matches!(
                reader.base(at),
                "snap" | "whip" | "shoot" | "jerk" | "dart" | "spring" | "pop" | "bounce" | "fling" | "flick"
            );
        if is_quick {
            tags.push(Tagged { tag: Tag::Manner(crate::tag::Manner::Pace(0.5)), span: span.clone() });
        }
        tags.push(Tagged { tag, span });
        at += used;
        if let Some(skipped) = reader.rate_tail(at, tags.last()) {
            // "two nods per second": the verb keeps its tag, and the rate is known already.
            let (tag, used) = reader.next(at, &tags);
            tags.push(Tagged { tag, span: reader.span(at..at + used.max(1)) });
            at += used.max(1) + skipped;
        }
    }
    rewrite::rewrite(rewrite::join_sides(tags))
}

struct Tagger<'a> {
    words: &'a [Word],
    pairs: &'a [(&'a str, &'a str)],
    known: &'a [KnownPhrase],
}

impl Tagger<'_> {
    fn text(&self, at: usize) -> &str {
        self.words.get(at).map_or("", |word| word.text.as_str())
    }

    fn base(&self, at: usize) -> &str {
        self.pairs.get(at).map_or("", |(_, base)| base)
    }

    fn span(&self, range: Range<usize>) -> Range<usize> {
        let words = self.words.get(range.start..range.end.min(self.words.len())).unwrap_or(&[]);
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => 0..0,
        }
    }

    fn next(&self, at: usize, before: &[Tagged]) -> (Tag, usize) {
        let Some(word) = self.words.get(at) else { return (Tag::Filler, 1) };
        if !word.is_word {
            let tag = match word.text.as_str() {
                "," if self.is_purpose(at, before) => Tag::Colon,
                "," => Tag::Comma,
                "?" if self.is_told_again(at, before) => Tag::Retold,
                "." | ";" | "!" | "?" => Tag::Stop,
                ":" => Tag::Colon,
                "(" | ")" => Tag::Comma,
                "&" | "+" => Tag::And,
                _ => Tag::Filler,
            };
            return (tag, 1);
        }
        if let Some(found) = self
            .same_time(at)
            .or_else(|| self.same_size(at, before))
            .or_else(|| self.fraction(at))
            .or_else(|| self.stages(at))
            .or_else(|| self.whole_again(at, before))
            .or_else(|| self.cycle_time(at))
            .or_else(|| self.takes_about(at))
            .or_else(|| self.one_go(at))
            .or_else(|| self.as_i_say(at))
            .or_else(|| self.as_many(at))
            .or_else(|| self.default_count(at, before))
            .or_else(|| self.list_number(at))
            .or_else(|| self.round_takes(at, before).map(|(seconds, used)| (Tag::Rate(seconds), used)))
            .or_else(|| self.antenna_of_side(at, before))
            .or_else(|| self.known_state(at, before))
            .or_else(|| self.to_the_front(at, before))
            .or_else(|| self.chosen(at))
            .or_else(|| self.every_and_a_half(at))
            .or_else(|| self.ever_more(at))
            .or_else(|| self.each_more(at))
            .or_else(|| self.held_pose(at))
            .or_else(|| self.done_there(at))
            .or_else(|| self.not_before(at))
            .or_else(|| self.others_of_a_kind(at, before))
            .or_else(|| self.ratio(at))
            .or_else(|| self.growth(at))
            .or_else(|| self.superlative(at))
            .or_else(|| self.ordinal(at))
        {
            return found;
        }
        if let Some(used) = self.comparison(at, before) {
            return (Tag::Filler, used);
        }
        match word.text.as_str() {
            "or" if self.text(at + 1) == "else" && self.is_otherwise(at + 1, before) => {
                return (Tag::Otherwise, 2);
            }
            "or" => {
                let is_denied =
                    before.iter().rev().take(6).any(|tagged| matches!(tagged.tag, Tag::Without | Tag::Still));
                if self.text(at + 1) == "so" {
                    return (Tag::Filler, 2);
                }
                // "Without twisting or nodding": both are denied.
                return (if is_denied { Tag::Filler } else { Tag::Unknown }, 1);
            }
            // "During a slow turn".
            "during"
                if matches!(self.text(at + 1), "a" | "an" | "the" | "its" | "your")
                    && self.is_gesture_ahead(at + 2) =>
            {
                return (Tag::While, 1);
            }
            "during" if number_word(self.text(at + 1)).is_some() => return (Tag::Over, 1),
            // "And after nod one time": what comes next.
            "after"
                if matches!(self.text(at.wrapping_sub(1)), "and" | "then")
                    && !["s", "ed", "ing"].iter().any(|ending| self.text(at + 1).ends_with(ending))
                    && self.is_gesture_ahead(at + 1) =>
            {
                return (Tag::Then, 1);
            }
            // "Before it, turn right".
            "before"
                if matches!(self.text(at + 1), "it" | "them" | "this" | "that")
                    && self.words.get(at + 2).is_none_or(|word| !word.is_word) =>
            {
                return (Tag::Prior, 2);
            }
            // "Look up to the left", not "up to 20 degrees".
            "up" if self.text(at + 1) == "to"
                && matches!(self.text(at + 2), "the" | "your" | "its" | "one")
                && matches!(self.text(at + 3), "left" | "right" | "side") =>
            {
                return (Tag::Dir(Dir::Up), 2);
            }
            // "Shakes the head no": what it means.
            "no" if (at.saturating_sub(4)..at).any(|place| self.base(place) == "shake")
                && !matches!(self.text(at + 1), "more" | "other" | "less")
                && !self.is_gesture_ahead(at + 1) =>
            {
                return (Tag::Filler, 1);
            }
            // "Nod if someone claps, otherwise shake".
            "otherwise" | "else" if self.is_otherwise(at, before) => return (Tag::Otherwise, 1),
            "leaving" if (at + 1..at + 6).any(|place| self.text(place) == "out") => return (Tag::Without, 1),
            "but" if self.text(at + 1) != "not" => {
                return (if self.text(at + 1) == "only" { Tag::Filler } else { Tag::Comma }, 1);
            }
            _ => {}
        }
        if let Some(used) = self.back_there(at) {
            return (Tag::OnceBack, used);
        }
        if let Some(used) = self.completion(at)
            && self.condition(at + used - 1).is_none()
        {
            return (Tag::After, used);
        }
        if self.describes(at) {
            return (Tag::Means, 1);
        }
        if let Some((trigger, event, used)) = self.condition(at) {
            return (Tag::Condition(trigger, event), used);
        }
        if (self.text(at), self.text(at + 1), self.text(at + 2)) == ("in", "all", "the") {
            return (Tag::Dir(Dir::In), 1);
        }
        let rest = self.words.get(at..).unwrap_or(&[]);
        let known = self.known.iter().find(|(phrase, _)| {
            phrase.len() <= rest.len() && phrase.iter().zip(rest).all(|(one, other)| *one == other.text)
        });
        let phrase = self.pairs.get(at..).and_then(|pairs| LEXICON.longest(pairs));
        let length = phrase.as_ref().map_or(0, |(_, length)| *length);
        if let Some((words, index)) = known
            && words.len() > length
        {
            return (Tag::Known(*index), words.len());
        }
        if let Some(part) = self.antenna(at)
            && part.1 >= length
        {
            return part;
        }
        if let Some(amount) = self.amount(at)
            && amount.1 >= length
        {
            return amount;
        }
        let Some((tag, length)) = phrase else {
            let is_progressive = matches!(
                word.text.as_str(),
                "gradually" | "progressively" | "increasingly" | "steadily" | "successively" | "ever"
            );
            if is_progressive && self.is_comparative(at + 1) {
                return (Tag::Each, 1);
            }
            // "When the head goes left, the body goes right".
            let is_part = (at + 2..at + 4).any(|place| {
                matches!(self.text(place), "head" | "body" | "base" | "chin" | "torso")
                    || LEXICON.antenna(self.text(place)).is_some()
            });
            if word.text == "when" && is_part {
                return (Tag::While, 1);
            }
            return (if self.is_manner(at) { Tag::Filler } else { Tag::Unknown }, 1);
        };
        // "The head rolls over to the left", "a float argument".
        let is_head =
            (at.saturating_sub(4)..at).any(|place| matches!(self.text(place), "head" | "chin" | "neck"));
        let is_said_of_head = matches!(tag, Tag::Impossible(_)) && self.base(at) == "roll" && is_head;
        let is_code = self.text(at) == "float"
            && matches!(self.text(at + 1), "argument" | "arguments" | "parameter" | "value" | "number");
        if is_said_of_head || is_code {
            let single = self.pairs.get(at..at + 1).and_then(|pairs| LEXICON.longest(pairs));
            let verb = single.map(|(tag, _)| tag).filter(|tag| matches!(tag, Tag::Verb(_)));
            return (verb.unwrap_or(Tag::Filler), 1);
        }
        // "I want to say how many degrees".
        let object = usize::from(matches!(self.text(at + 1), "it" | "you" | "him"));
        if matches!(tag, Tag::Cannot("speak"))
            && length == 1
            && matches!(self.text(at + 1 + object), "how" | "what" | "which" | "when" | "where")
        {
            return (Tag::Filler, 1 + object);
        }
        // "Raises the right antenna and leaves the left one down": it stays.
        let is_part_next = (at + 1..at + 4).any(|place| {
            matches!(self.text(place), "one" | "other" | "head" | "body" | "base" | "rest")
                || LEXICON.antenna(self.text(place)).is_some()
        });
        if self.base(at) == "leave"
            && is_part_next
            && matches!(self.text(at + 1), "the" | "its" | "your" | "both")
        {
            return (Tag::Still, 1);
        }
        // "I am so happy! Bounce three times": why, and not what.
        if matches!(tag, Tag::Feeling(_)) && self.is_statement(at, length) {
            return (Tag::Filler, length);
        }
        // "The head goes back", before anything has moved.
        let is_going =
            matches!(tag, Tag::Return) && length == 2 && matches!(self.text(at + 1), "back" | "up" | "down");
        let has_moved = before.iter().any(|tagged| {
            matches!(
                tagged.tag,
                Tag::Verb(_)
                    | Tag::Dir(_)
                    | Tag::Sound
                    | Tag::Photo
                    | Tag::Known(_)
                    | Tag::Return
                    | Tag::Condition(..)
            )
        });
        // "Fold the ears back in one movement", "roll the head to the right".
        let is_back_in = matches!(tag, Tag::Return)
            && (self.text(at), self.text(at + 1)) == ("back", "in")
            && matches!(self.text(at + 2), "one" | "a" | "the" | "two" | "three" | "half");
        let is_roll = matches!(tag, Tag::Circle)
            && self.base(at) == "roll"
            && (at + 1..at + 7).any(|place| matches!(self.text(place), "left" | "right"));
        if is_roll {
            let tilt = LEXICON.longest(&[("tilt", "tilt")]);
            return (tilt.map_or(Tag::Filler, |(tag, _)| tag), 1);
        }
        // "Looks back to the right".
        let is_look_back = matches!(tag, Tag::Return)
            && length == 2
            && self.text(at + 1) == "back"
            && (matches!(self.text(at + 2), "left" | "right" | "over")
                || (self.text(at + 2) == "to" && matches!(self.text(at + 4), "left" | "right")));
        if is_look_back && matches!(self.base(at), "look" | "peek" | "glance" | "gaze" | "peep" | "face") {
            let single = self.pairs.get(at..at + 1).and_then(|pairs| LEXICON.longest(pairs));
            return (single.map_or(Tag::Filler, |(tag, _)| tag), 2);
        }
        if is_back_in {
            let single = self.pairs.get(at..at + 1).and_then(|pairs| LEXICON.longest(pairs));
            return (self.in_context(at, single.map_or(Tag::Filler, |(tag, _)| tag), before), 1);
        }
        if is_going && !has_moved {
            let single = self.pairs.get(at..at + 1).and_then(|pairs| LEXICON.longest(pairs));
            return single.unwrap_or((Tag::Filler, 1));
        }
        if let Some(found) = self.graded(at, &tag, length) {
            return found;
        }
        // "Three more nods" are no larger ones.
        if word.text == "more"
            && at > 0
            && number_word(self.text(at - 1)).is_some()
            && self.is_gesture_ahead(at + 1)
        {
            return (Tag::Filler, 1);
        }
        // "A double nod", "leaving the ears out of it".
        if word.text == "double" && self.is_gesture_ahead(at + 1) {
            return (Tag::Count(2), 1);
        }
        if length > 1 {
            return (tag, length);
        }
        if matches!(word.text.as_str(), "gradually" | "progressively" | "increasingly" | "steadily" | "ever")
            && self.is_comparative(at + 1)
        {
            return (Tag::Each, 1);
        }
        (self.in_context(at, tag, before), 1)
    }

    /// A few words mean something else beside certain others.
    fn in_context(&self, at: usize, tag: Tag, before: &[Tagged]) -> Tag {
        let (text, next) = (self.text(at), self.text(at + 1));
        let last = before.last().map(|tagged| &tagged.tag);
        match (text, &tag) {
            ("in", Tag::Dir(_)) => {
                let is_number = number_word(next).is_some() || matches!(next, "half" | "about" | "exactly");
                let is_direction = [
                    "", "and", "then", "by", "again", "all", "for", "at", "with", "while", "twice", "once",
                    "too", "together", "slowly", "quickly", "fast", "as", "until", "towards", "slightly",
                    "before", "after", "but", "or",
                ];
                let is_end = self.words.get(at + 1).is_none_or(|word| !word.is_word);
                if is_number {
                    Tag::Over
                } else if is_end || is_direction.contains(&next) {
                    tag
                } else {
                    Tag::Filler
                }
            }
            ("both", Tag::Filler) => {
                let is_end = self.words.get(at + 1).is_none_or(|word| !word.is_word)
                    || (number_word(next).is_some() && self.text(at + 2) == "times")
                    || matches!(
                        next,
                        "and"
                            | "twice"
                            | "once"
                            | "thrice"
                            | "then"
                            | "again"
                            | "back"
                            | "together"
                            | "at"
                            | "simultaneously"
                            | "come"
                            | "comes"
                            | "go"
                            | "goes"
                            | "return"
                            | "returns"
                    );
                if is_end
                    && !matches!(
                        self.base(at.saturating_sub(1)),
                        "set" | "choose" | "pick" | "say" | "decide"
                    )
                {
                    Tag::Part(PartRef::BothOnes)
                } else {
                    tag
                }
            }
            ("straight", Tag::Home)
                if matches!(next, "left" | "right" | "up" | "down" | "out" | "back" | "away") =>
            {
                Tag::Filler
            }
            ("short" | "little" | "long", _)
                if matches!(self.base(at + 1), "pause" | "wait" | "break" | "rest" | "while" | "moment") =>
            {
                Tag::Filler
            }
            // "The head looks back to the right".
            // "Head back 15 mm", before anything has moved.
            ("back", Tag::Return)
                if matches!(self.text(at.saturating_sub(1)), "head" | "neck")
                    && !before.iter().any(|tagged| {
                        matches!(tagged.tag, Tag::Verb(_) | Tag::Dir(_) | Tag::Condition(..))
                    }) =>
            {
                Tag::Dir(Dir::Back)
            }
            ("back", Tag::Return)
                if self.base(at.saturating_sub(1)) == "look"
                    && (matches!(next, "left" | "right")
                        || (next == "to" && matches!(self.text(at + 3), "left" | "right"))) =>
            {
                Tag::Filler
            }
            ("back", Tag::Return) => {
                let is_motion = before.iter().rev().find_map(|tagged| match &tagged.tag {
                    Tag::Verb(verb) => Some(Some(*verb)),
                    Tag::Part(_) | Tag::Filler | Tag::Manner(_) | Tag::Pronoun => None,
                    _ => Some(None),
                });
                let verbs = ["lean", "shift", "move", "retreat", "tilt", "look", "fold"];
                // Before the first motion, nothing can come back.
                let is_first = before.iter().filter(|tagged| matches!(tagged.tag, Tag::Verb(_))).count() == 1;
                let is_away = is_motion.flatten().is_some_and(|verb| {
                    let is_pronoun = matches!(self.text(at.saturating_sub(1)), "it" | "them");
                    (verbs.contains(&verb.name()) && !is_pronoun) || (is_first && verb.shape == Shape::Go)
                });
                let has_place = matches!(next, "to" | "again" | "up" | "where" | "in" | "at");
                if is_away
                    && !has_place
                    && (is_first && self.is_head_before(at)
                        || !matches!(
                            self.text(at.saturating_sub(1)),
                            "come"
                                | "comes"
                                | "go"
                                | "goes"
                                | "coming"
                                | "going"
                                | "move"
                                | "moves"
                                | "moving"
                                | "put"
                                | "puts"
                        ))
                {
                    Tag::Dir(Dir::Back)
                } else {
                    tag
                }
            }
            // "a nod of 20 degrees" and "the right": no verb.
            ("second", _) if matches!(last, Some(Tag::Filler)) => Tag::Filler,
            ("face", Tag::Verb(_))
                if matches!(self.text(at.saturating_sub(1)), "a" | "the" | "your" | "its") =>
            {
                Tag::Part(PartRef::Chin)
            }
            // "With the swings widening": a noun for what was said before.
            (_, Tag::Verb(verb))
                if verb.is_gesture_noun
                    && text.ends_with('s')
                    && matches!(
                        self.text(at.saturating_sub(1)),
                        "the" | "these" | "those" | "its" | "their" | "your" | "all" | "his" | "her"
                    )
                    && before.iter().any(|tagged| matches!(tagged.tag, Tag::Verb(_))) =>
            {
                Tag::Filler
            }
            // "Take a two-second rest", "rests one second".
            ("rest" | "rests", Tag::Home)
                if number_word(next).is_some()
                    || matches!(self.amount(at + 1), Some((Tag::Amount(_, Unit::Seconds), _)))
                    || matches!(last, Some(Tag::Amount(_, Unit::Seconds)))
                    || matches!(self.base(at.saturating_sub(2)), "take" | "have") =>
            {
                Tag::Pause
            }
            // "The ears fly out".
            (_, Tag::Impossible(_))
                if self.base(at) == "fly"
                    && matches!(
                        next,
                        "out" | "outward" | "outwards" | "up" | "open" | "apart" | "back" | "down"
                    ) =>
            {
                LEXICON.longest(&[("move", "move")]).map_or(Tag::Unknown, |(tag, _)| tag)
            }
            // "Five full swings".
            ("full", Tag::Manner(_)) if self.is_gesture_ahead(at + 1) => Tag::Filler,
            // "Every part", "takes part": no verb.
            ("part" | "parts", Tag::Verb(_))
                if matches!(
                    self.text(at.saturating_sub(1)),
                    "each"
                        | "every"
                        | "all"
                        | "any"
                        | "other"
                        | "no"
                        | "this"
                        | "that"
                        | "which"
                        | "take"
                        | "takes"
                        | "the"
                        | "a"
                        | "whole"
                        | "another"
                ) =>
            {
                Tag::Filler
            }
            ("right", Tag::Dir(_)) if matches!(next, "after" | "then" | "before" | "now") => Tag::Filler,
            ("left", Tag::Dir(_)) if next == "alone" => Tag::Filler,
            _ => tag,
        }
    }

    /// "The head goes back", "move the head back".
    fn is_head_before(&self, at: usize) -> bool {
        (at.saturating_sub(4)..at).any(|place| self.text(place) == "head")
    }

    /// "One slow, deep nod": a gesture after adjectives.
    fn is_gesture_ahead(&self, at: usize) -> bool {
        for place in at..at + 5 {
            if self.text(place) == "," {
                continue;
            }
            match self.pairs.get(place..).and_then(|pairs| LEXICON.longest(pairs)) {
                Some((Tag::Verb(_), _)) => return true,
                Some((Tag::Manner(_), _)) => {}
                _ => return false,
            }
        }
        false
    }

    /// Returns how many words of a rate follow the next word.
    fn rate_tail(&self, at: usize, last: Option<&Tagged>) -> Option<usize> {
        let is_rate = matches!(last.map(|tagged| &tagged.tag), Some(Tag::Rate(_)));
        let is_tail = matches!(
            (self.text(at + 1), self.text(at + 2)),
            ("per" | "a" | "every" | "each", "second" | "minute")
        );
        (is_rate && is_tail).then_some(2)
    }
}
