//! Patterns of several words whose middle varies: the same time, from small to large, comparisons, descriptions.

use super::Tagger;
use crate::lexicon::LEXICON;
use crate::tag::{Growth, Manner, Mode, Role, Shape, Tag, Tagged};
use crate::words::number_word;

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
        "slow" | "slowly" | "calm" | "calmly" | "leisurely" | "sluggish" | "lazily" | "lazy" | "sleepily" => {
            (1, false)
        }
        "fast" | "quick" | "quickly" | "rapid" | "rapidly" | "briskly" | "brisk" | "swift" | "swiftly"
        | "frantically" | "frantic" | "furiously" | "hectically" | "hectic" | "wildly" => (1, true),
        _ => return None,
    })
}

/// What can be back in its place.
const BODY: [&str; 10] =
    ["head", "body", "antenna", "antennas", "ear", "ears", "robot", "chin", "gaze", "torso"];

impl Tagger<'_> {
    /// "A little bit faster", "much bigger": a grade of a comparison.
    pub(super) fn graded(&self, at: usize, tag: &Tag, length: usize) -> Option<(Tag, usize)> {
        let Tag::Manner(Manner::Size(grade)) = tag else { return None };
        let is_grade = matches!(
            self.text(at),
            "a" | "slightly" | "just" | "only" | "far" | "ever" | "very" | "considerably" | "hugely"
        );
        let (next, more) = self.pairs.get(at + length..).and_then(|pairs| LEXICON.longest(pairs))?;
        let is_small = *grade < 1.0;
        let manner = match next {
            Tag::Manner(Manner::Pace(0.7)) => Manner::Pace(if is_small { 0.8 } else { 0.5 }),
            Tag::Manner(Manner::Pace(1.5)) => Manner::Pace(if is_small { 1.3 } else { 2.0 }),
            Tag::Manner(Manner::Further(1.5)) => Manner::Further(if is_small { 1.3 } else { 1.9 }),
            Tag::Manner(Manner::Further(0.65)) => Manner::Further(if is_small { 0.8 } else { 0.5 }),
            _ => return None,
        };
        is_grade.then_some((Tag::Manner(manner), length + more))
    }

    /// "At that very same moment".
    pub(super) fn same_time(&self, at: usize) -> Option<(Tag, usize)> {
        if !matches!(self.text(at), "at" | "in" | "during") {
            return None;
        }
        // "In one smooth motion".
        let one = match (self.text(at + 1), self.text(at + 2)) {
            ("one", _) => at + 2,
            ("a", "single") | ("the", "same") => at + 3,
            _ => at,
        };
        let noun = one + usize::from(!matches!(self.text(one), "motion" | "movement" | "go" | "sweep"));
        if one > at && matches!(self.text(noun), "motion" | "movement" | "go" | "sweep") {
            return Some((Tag::Same, noun + 1 - at));
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
        let is_time = matches!(self.text(place), "moment" | "time" | "instant" | "second");
        // "At the very moment your body turns": a clause of its own.
        let link =
            usize::from(matches!(self.text(place + 1), "that" | "when" | "as" | "in" | "at" | "where"));
        let link = link + usize::from(link == 1 && self.text(place + 2) == "which");
        let is_subject = matches!(
            self.text(place + 1 + link),
            "your" | "its" | "the" | "it" | "you" | "they" | "both" | "he" | "his" | "my"
        );
        let follows_words = at > 0
            && self.words.get(at - 1).is_some_and(|word| word.is_word)
            && !matches!(self.text(at - 1), "and" | "then" | "but" | "also");
        if is_same && is_time && is_subject && (follows_words || link > 0) {
            return Some((Tag::While, place + 1 + link - at));
        }
        (is_same && is_time && self.text(place + 1) != "as").then(|| (Tag::Same, place + 1 - at))
    }

    /// "Starting small and ending big", "the first one tiny, the last one huge", "from slow to fast".
    pub(super) fn growth(&self, at: usize) -> Option<(Tag, usize)> {
        let opens = ["start", "begin", "first", "from", "initially", "open"];
        let is_at_first = self.text(at) == "at" && self.text(at + 1) == "first";
        if !opens.contains(&self.base(at)) && !opens.contains(&self.text(at)) && !is_at_first {
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
                "a" | "an" | "someone" | "somebody" | "people" | "when" | "in" | "one" | "the" | "you" | "he"
                | "she" | "it" | "they" | "we" | "my" | "your" | "his" | "her" | "their" | "those" | "these"
                | "some",
            ) => !matches!(self.text(at.saturating_sub(1)), "would" | "d" | "i" | "you" | "we" | "look"),
            ("just", "like" | "as") => !matches!(after_that, "before" | "that"),
            ("the", "way") => !matches!(after_that, "back" | "up" | "down" | "to" | "out"),
            ("as", "people" | "humans" | "someone" | "one" | "a" | "we") => after_that != "result",
            ("so", "that") | ("in", "order") | ("so", "as") => true,
            ("so", "your" | "its" | "his") => true,
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

    fn is_argument(&self, at: usize) -> bool {
        matches!(self.text(at), "parameter" | "argument" | "setting" | "option" | "input")
    }

    /// "A variable number of degrees", "a height in millimetres": a parameter by its unit.
    pub(super) fn chosen(&self, at: usize) -> Option<(Tag, usize)> {
        let role = |place: usize| {
            Some(match self.text(place) {
                "degrees" | "degree" => Role::Degrees,
                "times" | "repetitions" => Role::Times,
                "seconds" | "second" => Role::Seconds,
                "millimetres" | "millimeters" | "mm" => Role::Millimetres,
                "angle" if self.text(at) != "a" => Role::Degrees,
                "count" | "number" if self.is_argument(at) => Role::Times,
                "size" | "depth" | "width" if self.is_argument(at) => Role::Size,
                "duration" | "time" if self.is_argument(at) => Role::Seconds,
                "speed" | "tempo" if self.is_argument(at) => Role::Speed,
                "distance" if self.is_argument(at) => Role::Distance,
                _ => return None,
            })
        };
        let start = at + usize::from(matches!(self.text(at), "a" | "an" | "the" | "some"));
        // "A parameter seconds".
        if matches!(self.text(at), "parameter" | "argument" | "setting" | "option" | "input") {
            let skip = usize::from(matches!(self.text(at + 1), "called" | "named"));
            return role(at + 1 + skip).map(|role| (Tag::Param(role), 2 + skip));
        }
        let is_open = matches!(
            self.text(start),
            "variable"
                | "adjustable"
                | "configurable"
                | "given"
                | "chosen"
                | "certain"
                | "settable"
                | "selectable"
                | "custom"
                | "desired"
                | "arbitrary"
                | "some"
                | "whatever"
        );
        let is_amount = |place: usize| matches!(self.text(place), "amount" | "number" | "count");
        if is_open && is_amount(start + 1) && self.text(start + 2) == "of" {
            return role(start + 3).map(|role| (Tag::Param(role), start + 4 - at));
        }
        // "A chosen number of waves", "an adjustable speed".
        if is_open && is_amount(start + 1) && self.text(start + 2) == "of" && self.is_gesture_ahead(start + 3)
        {
            return Some((Tag::Param(Role::Times), start + 4 - at));
        }
        if is_open {
            let role = match self.text(start + 1) {
                "speed" | "tempo" | "pace" => Role::Speed,
                "angle" => Role::Degrees,
                "size" | "depth" | "height" | "width" | "amplitude" => Role::Size,
                "duration" | "time" => Role::Seconds,
                "distance" => Role::Distance,
                _ => return None,
            };
            // "A configurable distance in millimetres".
            let unit = (self.text(start + 2) == "in").then(|| self.text(start + 3));
            let (role, more) = match unit {
                Some("millimetres" | "millimeters" | "mm") => (Role::Millimetres, 2),
                Some("degrees" | "seconds") => (role, 2),
                _ => (role, 0),
            };
            return Some((Tag::Param(role), start + 2 + more - at));
        }
        let is_quantity = matches!(
            self.text(start),
            "height"
                | "depth"
                | "distance"
                | "angle"
                | "length"
                | "amount"
                | "duration"
                | "time"
                | "number"
                | "width"
        );
        // "A height of 10 mm" is known.
        let is_known = start > 0 && number_word(self.text(start - 1)).is_some();
        if is_quantity && self.text(start + 1) == "in" && !is_known {
            return role(start + 2).map(|role| (Tag::Param(role), start + 3 - at));
        }
        None
    }

    /// "Only once it has got there", "when that is done": then.
    pub(super) fn done_there(&self, at: usize) -> Option<(Tag, usize)> {
        if self.text(at) == "and" && self.text(at + 1) == "not" {
            return self.done_there(at + 1).map(|(tag, used)| (tag, used + 1));
        }
        let is_not = self.text(at) == "not" && matches!(self.text(at + 1), "until" | "before" | "till");
        let start = at + usize::from(is_not || matches!(self.text(at), "only" | "but"));
        let is_opening = (is_not || matches!(self.text(start), "once" | "when" | "after" | "whenever"))
            && matches!(self.text(start + 1), "it" | "that" | "this" | "they" | "you" | "both")
            && matches!(self.text(start + 2), "has" | "have" | "is" | "are");
        let skip = usize::from(matches!(self.text(start + 3), "been" | "all" | "fully" | "both" | "already"));
        let place = start + 3 + skip;
        let used = match (self.text(place), self.text(place + 1)) {
            ("got" | "gotten", "there") => 2,
            ("come", "to") if self.text(place + 2) == "rest" => 3,
            ("arrived" | "there" | "done" | "finished" | "completed" | "over" | "complete", _) => 1,
            _ => return None,
        };
        is_opening.then(|| (Tag::Then, place + used - at))
    }

    /// "One big nod and three little ones": the motion that was named before.
    pub(super) fn others_of_a_kind(&self, at: usize, before: &[Tagged]) -> Option<(Tag, usize)> {
        let last = before.last().map(|tagged| &tagged.tag);
        let is_other = match self.text(at) {
            "ones" => matches!(last, Some(Tag::Manner(_) | Tag::Number(_) | Tag::Count(_))),
            "one" => matches!(last, Some(Tag::Manner(_))),
            _ => false,
        };
        let named = before.iter().rev().find_map(|tagged| match tagged.tag {
            Tag::Verb(verb) if verb.is_gesture_noun => Some(verb),
            _ => None,
        })?;
        is_other.then_some((Tag::Verb(named), 1))
    }

    /// "I am so happy! ...": a feeling that is told, before a motion that is asked for.
    pub(super) fn is_statement(&self, at: usize, length: usize) -> bool {
        let subject = (at.saturating_sub(3)..at).find(|place| {
            matches!((self.text(*place), self.text(place + 1)), ("i", "am") | ("you", "are") | ("we", "are"))
        });
        let is_plain = subject
            .is_some_and(|place| place == 0 || self.words.get(place - 1).is_some_and(|word| !word.is_word));
        let is_end = self.words.get(at + length).is_some_and(|word| !word.is_word);
        is_plain && is_end && (at + length + 1..at + length + 9).any(|place| self.number_or_motion(place))
    }

    /// "Every second and a half", "once every second and a half".
    pub(super) fn every_and_a_half(&self, at: usize) -> Option<(Tag, usize)> {
        let start = at + usize::from(self.text(at) == "once");
        let is_tail =
            ["and", "a", "half"].iter().enumerate().all(|(more, word)| self.text(start + 2 + more) == *word);
        let is_rate =
            matches!(self.text(start), "every" | "each" | "per") && self.text(start + 1) == "second";
        (is_rate && is_tail).then_some((Tag::Rate(1.5), start + 5 - at))
    }

    /// "Hold that offended pose": what kind of pose it is, is told by what came before.
    pub(super) fn held_pose(&self, at: usize) -> Option<(Tag, usize)> {
        let is_hold = matches!(self.text(at), "hold" | "holds" | "holding" | "keep" | "keeps" | "keeping");
        let is_named = matches!(self.text(at + 1), "that" | "this" | "the" | "your" | "its");
        let is_pose = matches!(
            self.text(at + 3),
            "pose" | "look" | "expression" | "face" | "position" | "posture" | "stance" | "attitude"
        );
        (is_hold && is_named && is_pose).then_some((Tag::Hold, 4))
    }

    /// "In four little steps": in how many steps a posture is reached.
    pub(super) fn stages(&self, at: usize) -> Option<(Tag, usize)> {
        if !matches!(self.text(at), "in" | "by") {
            return None;
        }
        let (count, used) = crate::words::read_number(self.words.get(at + 1..)?)?;
        let noun = (at + 1 + used..at + 4 + used).find(|place| {
            !matches!(
                self.text(*place),
                "little" | "small" | "short" | "tiny" | "even" | "equal" | "separate"
            )
        })?;
        let is_noun =
            matches!(self.text(noun), "steps" | "stages" | "increments" | "phases" | "moves" | "movements");
        let is_count = count.fract() == 0.0 && (2.0..=20.0).contains(&count);
        (is_noun && is_count).then(|| (Tag::Stages(count as u32), noun + 1 - at))
    }

    /// "Twice as wide as the one before": from one repetition to the next.
    pub(super) fn ratio(&self, at: usize) -> Option<(Tag, usize)> {
        let (is_more, used) = match (self.text(at), self.text(at + 1)) {
            ("twice" | "double" | "thrice", _) => (true, 1),
            ("half", _) => (false, 1),
            (number, "times") => (number_word(number).is_some_and(|number| number > 1.0), 2),
            _ => return None,
        };
        let place = at + used;
        if self.text(place) != "as" || self.text(place + 2) != "as" {
            return None;
        }
        let end = (place + 3..place + 7).find(|end| {
            matches!(self.text(*end), "before" | "last" | "previous" | "preceding" | "predecessor" | "former")
        })?;
        let growth = match (self.text(place + 1), is_more) {
            ("fast" | "quick" | "quickly" | "rapid", true) | ("slow" | "slowly" | "long", false) => {
                Growth::Faster
            }
            ("fast" | "quick" | "quickly" | "rapid", false) | ("slow" | "slowly" | "long", true) => {
                Growth::Slower
            }
            (_, true) => Growth::Bigger,
            (_, false) => Growth::Smaller,
        };
        let more = usize::from(self.text(end + 1) == "one" || self.text(end + 1) == "it");
        Some((Tag::Grow(growth), end + 1 + more - at))
    }

    /// Whether a word that nobody knows tells only a manner, by its ending: "bashfully", "a frolicsome nod".
    pub(super) fn is_manner(&self, at: usize) -> bool {
        const COURSES: &[&str] =
            &["diagonally", "obliquely", "circularly", "crosswise", "jointly", "doubly", "triply"];
        let text = self.text(at);
        if text.len() < 6
            || !text.chars().all(|letter| letter.is_ascii_alphabetic())
            || COURSES.contains(&text)
        {
            return false;
        }
        let is_adjective =
            ["ful", "ous", "ish", "some", "ive", "ant"].iter().any(|ending| text.ends_with(ending));
        let is_abstract = ["ity", "ness", "ance", "ence", "asm"].iter().any(|ending| text.ends_with(ending));
        if is_abstract && (at.saturating_sub(3)..at).any(|place| self.text(place) == "with") {
            return true;
        }
        // "Suspicious: lower the head".
        let is_heading = at == 0 && matches!(self.text(1), ":" | ",");
        text.ends_with("ly") || (is_adjective && (is_heading || self.is_gesture_ahead(at + 1)))
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

    /// "When the head is up again", "and once they have come back": the number of words.
    pub(super) fn back_there(&self, at: usize) -> Option<usize> {
        let start = at + usize::from(matches!(self.text(at), "and" | "then"));
        let subject = start + usize::from(self.text(start) == "only") + 1;
        if !matches!(self.text(subject - 1), "once" | "when" | "after") {
            return None;
        }
        let verb = match self.text(subject) {
            "it" | "they" | "you" => subject + 1,
            "both" if matches!(self.text(subject + 1), "are" | "have") => subject + 1,
            "the" | "its" | "your" | "both" if BODY.contains(&self.base(subject + 1)) => subject + 2,
            _ => return None,
        };
        let state = match (self.text(verb), self.text(verb + 1)) {
            ("has" | "have" | "is" | "are", "returned") => return Some(verb + 2 - at),
            ("has" | "have", "come" | "gone" | "got") => verb + 2,
            ("is" | "are", _) => verb + 1,
            _ => return None,
        };
        let used = match (self.text(state), self.text(state + 1)) {
            ("back", "up" | "down" | "upright" | "straight" | "again" | "home" | "level") => 2,
            ("back", "in") => return None,
            ("back", _) => 1,
            ("up" | "upright" | "straight" | "level" | "ahead", "again") => 2,
            _ => return None,
        };
        Some(state + used - at)
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
            let phrase = self.pairs.get(at..).and_then(|pairs| LEXICON.longest(pairs));
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
        let is_place = matches!(self.base(at.saturating_sub(1)), "finish" | "end" | "begin" | "start");
        !is_place
            && self.text(at) == "by"
            && self.text(at + 1 + skip).ends_with("ing")
            && at > 0
            && next != "starting"
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
