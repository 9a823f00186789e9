//! Patterns of several words whose middle varies: the same time, from small to large, comparisons, descriptions.

use super::Tagger;
use crate::tag::{Dir, Growth, Mode, Shape, Tag, Tagged};

/// Returns the scale of an adjective or adverb, 0 of size and 1 of speed, and whether it is its upper end.
fn scale(word: &str) -> Option<(u8, bool)> {
    let base = match word {
        "bigger" => "big",
        "larger" => "large",
        "wider" => "wide",
        "deeper" => "deep",
        "stronger" => "strong",
        "further" | "farther" => "far",
        "smaller" => "small",
        "narrower" => "narrow",
        "weaker" => "weak",
        "faster" => "fast",
        "quicker" => "quick",
        "slower" => "slow",
        word => word,
    };
    Some(match base {
        "small" | "tiny" | "little" | "slight" | "slightly" | "shallow" | "narrow" | "weak" | "minimal"
        | "subtle" | "faint" | "barely" | "modest" | "modestly" | "light" | "gentle" | "gently" => (0, false),
        "big" | "large" | "huge" | "wide" | "deep" | "great" | "strong" | "enormous" | "massive"
        | "broad" | "far" | "giant" | "full" | "grand" | "vigorous" | "exaggerated" => (0, true),
        "slow" | "slowly" | "calm" | "calmly" | "leisurely" | "sluggish" => (1, false),
        "fast" | "quick" | "quickly" | "rapid" | "rapidly" | "briskly" | "brisk" | "swift" | "swiftly" => {
            (1, true)
        }
        _ => return None,
    })
}

impl Tagger<'_> {
    /// "At that very same moment".
    pub(super) fn same_time(&self, at: usize) -> Option<(Tag, usize)> {
        if !matches!(self.text(at), "at" | "in" | "during") {
            return None;
        }
        let mut place = at + 1;
        let mut is_same = self.text(at) == "during";
        while matches!(
            self.text(place),
            "the" | "that" | "this" | "exactly" | "very" | "same" | "exact" | "one" | "precise" | "precisely"
        ) {
            is_same |= matches!(self.text(place), "same" | "that" | "very");
            place += 1;
        }
        let is_time = matches!(self.text(place), "moment" | "time" | "instant");
        (is_same && is_time && self.text(place + 1) != "as").then(|| (Tag::Same, place + 1 - at))
    }

    /// "Starting small and ending big", "the first one tiny, the last one huge", "from slow to fast".
    pub(super) fn growth(&self, at: usize) -> Option<(Tag, usize)> {
        let opens = ["start", "begin", "first", "from", "initially", "open"];
        if !opens.contains(&self.base(at)) && !opens.contains(&self.text(at)) {
            return None;
        }
        let find = |from: usize, length: usize| {
            (from..from + length)
                .take_while(|place| !matches!(self.text(*place), "." | ";"))
                .find_map(|place| scale(self.text(place)).map(|scale| (place, scale)))
        };
        let (first, (kind, is_high)) = find(at + 1, 6)?;
        let closes =
            ["end", "finish", "last", "to", "until", "later", "final", "become", "get", "grow", "build"];
        let turn = (first + 1..first + 10)
            .find(|place| closes.contains(&self.base(*place)) || closes.contains(&self.text(*place)))?;
        let (last, (other, is_high_last)) = find(turn + 1, 6)?;
        let is_pair = kind == other && is_high != is_high_last;
        let has_own =
            (at..last).any(|place| matches!(self.base(place), "left" | "right" | "head" | "antenna"));
        if !is_pair || has_own {
            return None;
        }
        let growth = match (kind, is_high_last) {
            (0, true) => Growth::Bigger,
            (0, false) => Growth::Smaller,
            (_, true) => Growth::Faster,
            (_, false) => Growth::Slower,
        };
        Some((Tag::Grow(growth), last + 1 - at))
    }

    /// A comparison after a motion: "like a dog", "as if it said no", "the way people do". Returns its length.
    pub(super) fn comparison(&self, at: usize, before: &[Tagged]) -> Option<usize> {
        let (one, two) = (self.text(at), self.text(at + 1));
        let after_that = self.text(at + 2);
        let is_comparison = match (one, two) {
            ("as", "if" | "though") => true,
            (
                "like",
                "a" | "an" | "someone" | "somebody" | "people" | "when" | "in" | "one" | "the" | "you",
            ) => !matches!(self.text(at.saturating_sub(1)), "would" | "d" | "i" | "you" | "we" | "look"),
            ("just", "like" | "as") => !matches!(after_that, "before" | "that"),
            ("the", "way") => !matches!(after_that, "back" | "up" | "down" | "to" | "out"),
            ("as", "people" | "humans" | "someone" | "one" | "a" | "we") => after_that != "result",
            ("so", "that") | ("in", "order") | ("so", "as") => true,
            ("in", "a") => matches!(self.text(at + 3), "way" | "manner" | "fashion"),
            _ => false,
        };
        // Said of nothing in particular, it tells what to do: "act as if you were sad".
        let mut motions =
            before.iter().rev().take_while(|tagged| !matches!(tagged.tag, Tag::Stop | Tag::Colon));
        // Before a colon, it only announces what follows.
        let is_heading = (at..at + 16)
            .take_while(|place| !matches!(self.text(*place), "." | ";" | ""))
            .any(|place| self.text(place) == ":");
        let has_motion = is_heading
            || motions.any(|tagged| match &tagged.tag {
                Tag::Verb(verb) => !matches!(verb.mode, Mode::Move | Mode::Look) || verb.shape != Shape::Go,
                Tag::Dir(_) | Tag::Feeling(_) | Tag::Dance | Tag::Circle | Tag::Sound => true,
                _ => false,
            });
        if !is_comparison || !has_motion {
            return None;
        }
        let mut end = at + 2;
        let closes = |end: usize| {
            let is_link = matches!(
                self.text(end),
                "then" | "while" | "whilst" | "before" | "after" | "with" | "without" | "whenever"
            );
            is_link || (self.text(end) == "and" && self.number_or_motion(end + 1)) || self.counts(end)
        };
        while self.words.get(end).is_some_and(|word| word.is_word) && !closes(end) {
            end += 1;
        }
        Some(end - at)
    }

    /// "As far as it can", "as quickly as they will go".
    pub(super) fn superlative(&self, at: usize) -> Option<(Tag, usize)> {
        if self.text(at) != "as" || self.text(at + 2) != "as" {
            return None;
        }
        let tag = match self.text(at + 1) {
            "far" | "high" | "wide" | "widely" | "deep" | "deeply" | "low" | "big" | "large" | "much"
            | "strongly" | "hard" => Tag::Manner(crate::tag::Manner::Full),
            "fast" | "quick" | "quickly" | "rapidly" | "swiftly" => {
                Tag::Manner(crate::tag::Manner::Pace(0.45))
            }
            "slow" | "slowly" | "gently" | "calmly" => Tag::Manner(crate::tag::Manner::Pace(2.6)),
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

    /// "Second, turn": an ordinal that begins a clause.
    pub(super) fn ordinal(&self, at: usize) -> Option<(Tag, usize)> {
        let is_start = at == 0
            || self
                .words
                .get(at - 1)
                .is_some_and(|word| !word.is_word || matches!(word.text.as_str(), "and" | "then"));
        let is_ordinal = matches!(self.text(at), "second" | "third" | "fourth" | "fifth" | "sixth");
        let is_noun = matches!(self.text(at + 1), "one" | "time" | "nod" | "of");
        (is_start && is_ordinal && !is_noun).then_some((Tag::Then, 1))
    }

    /// "Once the head has turned", "only after", "when it is down": what follows comes before.
    pub(super) fn completion(&self, at: usize) -> Option<usize> {
        let only = usize::from(self.text(at) == "only");
        let place = at + only;
        if only == 1 && self.text(place) == "after" {
            return Some(2);
        }
        let is_opening = matches!(self.text(place), "once" | "when")
            && matches!(
                self.text(place + 1),
                "the" | "it" | "you" | "its" | "your" | "both" | "they" | "that" | "this" | "all"
            );
        let is_done = (place + 2..place + 7)
            .take_while(|place| self.words.get(*place).is_some_and(|word| word.is_word))
            .any(|place| matches!(self.text(place), "has" | "have" | "is" | "are" | "reaches" | "arrives"));
        (is_opening && is_done).then_some(1 + only)
    }

    /// "To seem shy, turn away": a feeling before a comma only announces what follows.
    pub(super) fn is_purpose(&self, at: usize, before: &[Tagged]) -> bool {
        let start = (0..at)
            .rev()
            .find(|place| self.words.get(*place).is_some_and(|word| !word.is_word && word.text != ","))
            .map_or(0, |place| place + 1);
        let mut sentence =
            before.iter().rev().take_while(|tagged| !matches!(tagged.tag, Tag::Stop | Tag::Colon));
        matches!(self.text(start), "to" | "for")
            && at < start + 7
            && sentence.any(|tagged| matches!(tagged.tag, Tag::Feeling(_)))
            && self.number_or_motion(at + 1)
    }

    fn number_or_motion(&self, at: usize) -> bool {
        let is_motion = |at: usize| {
            let phrase = self.pairs.get(at..).and_then(|pairs| crate::lexicon::LEXICON.longest(pairs));
            phrase.is_some_and(|(tag, _)| {
                matches!(
                    tag,
                    Tag::Verb(_)
                        | Tag::Then
                        | Tag::Last
                        | Tag::Return
                        | Tag::Sound
                        | Tag::Hold
                        | Tag::Part(_)
                        | Tag::Pause
                        | Tag::Same
                )
            })
        };
        is_motion(at) || is_motion(at + 1) || self.amount(at).is_some()
    }

    /// "Twice", "three times", "for two seconds".
    fn counts(&self, at: usize) -> bool {
        let amount =
            |at: usize| matches!(self.amount(at), Some((Tag::Count(_) | Tag::Amount(..) | Tag::Rate(_), _)));
        matches!(self.text(at), "twice" | "thrice" | "once")
            || amount(at)
            || (self.text(at) == "for" && amount(at + 1))
    }

    /// "Look sad by lowering the head": what follows describes what was said.
    pub(super) fn describes(&self, at: usize) -> bool {
        let next = self.text(at + 1);
        let skip = usize::from(next.ends_with("ly"));
        self.text(at) == "by" && self.text(at + 1 + skip).ends_with("ing") && at > 0 && next != "starting"
    }

    /// The next word that is a comparative: "gradually bigger".
    pub(super) fn is_comparative(&self, at: usize) -> bool {
        let text = self.text(at);
        matches!(text, "more" | "less")
            || (text.len() > 4
                && text.ends_with("er")
                && !matches!(text, "lower" | "after" | "other" | "another"))
    }
}

/// Rewrites tags whose order says something: "left before right" is the order in which antennas take turns.
pub(super) fn rewrite(tags: Vec<Tagged>) -> Vec<Tagged> {
    let mut out: Vec<Tagged> = Vec::new();
    let meant: Vec<usize> = tags
        .iter()
        .enumerate()
        .filter(|(_, tagged)| !matches!(tagged.tag, Tag::Filler))
        .map(|(at, _)| at)
        .collect();
    let mut dropped: Vec<usize> = Vec::new();
    let mut thens: Vec<usize> = Vec::new();
    let get = |place: usize| meant.get(place).and_then(|at| tags.get(*at)).map(|tagged| &tagged.tag);
    for place in 0..meant.len() {
        let is_side = |tag: Option<&Tag>| matches!(tag, Some(Tag::Dir(Dir::Left | Dir::Right)));
        if is_side(get(place))
            && matches!(get(place + 1), Some(Tag::Before))
            && is_side(get(place + 2))
            && (0..place).any(|before| matches!(get(before), Some(Tag::Alternate)))
        {
            dropped.extend(meant.get(place + 1..place + 3).unwrap_or(&[]));
        }
        // "After a breather of two seconds": a pause, and then.
        if matches!(get(place), Some(Tag::After))
            && (matches!(get(place + 1), Some(Tag::Pause | Tag::Amount(_, crate::tag::Unit::Seconds)))
                || (matches!(get(place + 1), Some(Tag::Manner(_)))
                    && matches!(get(place + 2), Some(Tag::Pause))))
            && place > 0
            && (place + 2..meant.len())
                .map_while(|next| get(next).filter(|tag| !matches!(tag, Tag::Stop)))
                .any(|tag| {
                    matches!(
                        tag,
                        Tag::Verb(_)
                            | Tag::Count(_)
                            | Tag::Again
                            | Tag::Feeling(_)
                            | Tag::Return
                            | Tag::Number(_)
                    )
                })
        {
            thens.extend(meant.get(place));
        }
        // "How quickly it goes": the verb belongs to the parameter.
        if let (Some(Tag::Param(_)), Some(Tag::Verb(verb))) = (
            get(place),
            if matches!(get(place + 1), Some(Tag::Pronoun)) { get(place + 2) } else { get(place + 1) },
        ) && (matches!(verb.mode, Mode::Move)
            || (0..place).any(|before| matches!(get(before), Some(Tag::Verb(_)))))
            && !(0..4).any(|next| matches!(get(place + 2 + next), Some(Tag::Part(_) | Tag::Dir(_))))
        {
            dropped.extend(meant.get(place + 1));
            dropped.extend(meant.get(place + 2).filter(|_| matches!(get(place + 1), Some(Tag::Pronoun))));
        }
        // "Between the nods", "each nod": the motion is only mentioned.
        if matches!(get(place), Some(Tag::Between | Tag::Each))
            && matches!(get(place + 1), Some(Tag::Verb(_)))
            && (0..place).any(|before| matches!(get(before), Some(Tag::Verb(_))))
            && !matches!(get(place + 2), Some(Tag::Part(_)))
        {
            dropped.extend(meant.get(place + 1));
        }
    }
    for (at, tagged) in tags.into_iter().enumerate() {
        let tag = match tagged.tag {
            _ if dropped.contains(&at) => Tag::Filler,
            _ if thens.contains(&at) => Tag::Then,
            tag => tag,
        };
        out.push(Tagged { tag, span: tagged.span });
    }
    out
}
