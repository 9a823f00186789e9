//! Conditions: a trigger and an event.

use minismith_score::Event;

use super::{Tagger, unit};
use crate::lexicon::LEXICON;
use crate::tag::{Tag, Trigger, Unit};
use crate::words::read_number;

impl Tagger<'_> {
    /// A condition: its trigger, its event, and how many words it takes.
    pub(super) fn condition(&self, at: usize) -> Option<(Trigger, Event, usize)> {
        const TRIGGERS: &[(&[&str], Trigger)] = &[
            (&["whenever"], Trigger::Whenever),
            (&["every", "time"], Trigger::Whenever),
            (&["each", "time"], Trigger::Whenever),
            (&["any", "time"], Trigger::Whenever),
            (&["anytime"], Trigger::Whenever),
            (&["always", "when"], Trigger::Whenever),
            (&["as", "long", "as"], Trigger::AsLongAs),
            (&["for", "as", "long", "as"], Trigger::AsLongAs),
            (&["while"], Trigger::AsLongAs),
            (&["wait", "until"], Trigger::When),
            (&["waits", "until"], Trigger::When),
            (&["wait", "for"], Trigger::Listen),
            (&["waits", "for"], Trigger::Listen),
            (&["waiting", "for"], Trigger::Listen),
            (&["until"], Trigger::Until),
            (&["till"], Trigger::Until),
            (&["as", "soon", "as"], Trigger::When),
            (&["when"], Trigger::When),
            (&["once"], Trigger::When),
            (&["if"], Trigger::When),
            (&["in", "case"], Trigger::When),
            (&["after"], Trigger::When),
            (&["on", "hearing"], Trigger::When),
            (&["on", "seeing"], Trigger::When),
            (&["upon", "hearing"], Trigger::When),
            (&["upon", "seeing"], Trigger::When),
            (&["your", "cue", "is"], Trigger::Listen),
            (&["its", "cue", "is"], Trigger::Listen),
            (&["the", "cue", "is"], Trigger::Listen),
            (&["your", "signal", "is"], Trigger::Listen),
            (&["the", "signal", "is"], Trigger::Listen),
            (&["the", "trigger", "is"], Trigger::Listen),
            (&["triggered", "by"], Trigger::When),
            (&["set", "off", "by"], Trigger::When),
            (&["cued", "by"], Trigger::When),
            (&["prompted", "by"], Trigger::When),
            (&["the", "moment"], Trigger::When),
            (&["the", "instant"], Trigger::When),
            (&["just", "when"], Trigger::When),
            (&["right", "when"], Trigger::When),
            (&["for", "every"], Trigger::Whenever),
            (&["for", "each"], Trigger::Whenever),
            (&["at", "every"], Trigger::Whenever),
            (&["at", "each"], Trigger::Whenever),
            (&["on", "every"], Trigger::Whenever),
            (&["on", "each"], Trigger::Whenever),
            (&["all", "the", "time", "that"], Trigger::AsLongAs),
            (&["so", "long", "as"], Trigger::AsLongAs),
            (&["the", "whole", "time"], Trigger::AsLongAs),
            (&["reacts", "to"], Trigger::Whenever),
            (&["react", "to"], Trigger::Whenever),
            (&["respond", "to"], Trigger::Whenever),
            (&["responds", "to"], Trigger::Whenever),
            (&["in", "response", "to"], Trigger::Whenever),
            (&["in", "reaction", "to"], Trigger::Whenever),
            (&["in", "answer", "to"], Trigger::Whenever),
            (&["on"], Trigger::When),
            (&["upon"], Trigger::When),
            (&["at"], Trigger::When),
            (&["after", "hearing"], Trigger::When),
            (&["after", "seeing"], Trigger::When),
            (&["at", "the", "sight", "of"], Trigger::When),
            (&["at", "the", "sound", "of"], Trigger::When),
            (&["listen", "for"], Trigger::Listen),
            (&["listens", "for"], Trigger::Listen),
            (&["listening", "for"], Trigger::Listen),
            (&["listens", "out", "for"], Trigger::Listen),
            (&["listen", "out", "for"], Trigger::Listen),
            (&["keep", "an", "ear", "out", "for"], Trigger::Listen),
            (&["keep", "an", "eye", "out", "for"], Trigger::Listen),
            (&["keep", "listening", "for"], Trigger::Listen),
            (&["keep", "watching", "for"], Trigger::Listen),
            (&["listen"], Trigger::Listen),
            (&["listens"], Trigger::Listen),
            (&["watch", "for"], Trigger::Listen),
            (&["watches", "for"], Trigger::Listen),
            (&["watch", "out", "for"], Trigger::Listen),
            (&["looks", "for"], Trigger::Listen),
            (&["look", "for"], Trigger::Listen),
            (&["looks", "out", "for"], Trigger::Listen),
            (&["look", "out", "for"], Trigger::Listen),
        ];
        // "Waits at most 15 seconds for a clap".
        let waits = (at.saturating_sub(8)..at).any(|place| {
            matches!(self.base(place), "wait" | "listen" | "watch")
                && self.text(place + 1) != "for"
                && (place..at).all(|place| self.words.get(place).is_some_and(|word| word.is_word))
        });
        if waits
            && self.text(at) == "for"
            && matches!(
                self.text(at.saturating_sub(1)),
                "seconds" | "second" | "secs" | "sec" | "s" | "minute"
            )
            && let Some((event, end)) = self.event(at + 1, false)
        {
            return Some((Trigger::When, event, end - at));
        }
        if let Some(found) = self.cause(at) {
            return Some(found);
        }
        let fits = |phrase: &&(&[&str], Trigger)| {
            phrase.0.iter().enumerate().all(|(place, word)| self.text(at + place) == *word)
        };
        let (phrase, trigger) = TRIGGERS.iter().filter(fits).max_by_key(|(phrase, _)| phrase.len())?;
        let mut trigger = *trigger;
        let start = at + phrase.len();
        let is_seeing =
            matches!(phrase.last(), Some(&("for" | "seeing" | "of"))) && !phrase.contains(&"listen");
        // "Listens for up to eight seconds" tells a time, and no event.
        let number = start + 2 * usize::from(matches!(self.text(start), "up" | "at"));
        let number = number + usize::from(matches!(self.text(number), "about" | "exactly"));
        if let Some((_, used)) = self.words.get(number..).and_then(read_number)
            && unit(self.text(number + used)).is_some_and(|(unit, _)| unit == Unit::Seconds)
        {
            return None;
        }
        let (event, end) = self.event(start, is_seeing)?;
        // "After the one before" is no event.
        let is_plain = matches!(phrase, [only] if matches!(*only, "after" | "at" | "on" | "upon"));
        // "Look up at my face".
        let is_place = *phrase == ["at"] && event == Event::Face;
        if is_place || (is_plain && event == Event::Thing("one".to_owned())) {
            return None;
        }
        // "Stay quiet until someone claps": nothing moves before.
        let has_moved = (0..at).any(|place| {
            let phrase = self.pairs.get(place..).and_then(|pairs| LEXICON.longest(pairs));
            matches!(phrase, Some((Tag::Verb(_) | Tag::Feeling(_) | Tag::Sound | Tag::Photo | Tag::Dance, _)))
        });
        if trigger == Trigger::Until && !has_moved {
            trigger = Trigger::When;
        }
        Some((trigger, event, end - at))
    }

    /// Returns the end of "head gets touched" or "puts a hand on your head".
    fn touched(&self, at: usize) -> Option<usize> {
        let is_touched = |text: &str| is_touch(text) && text.ends_with("ed");
        if self.text(at) == "head" {
            let end = (at + 1..at + 4).find(|place| is_touched(self.text(*place)))?;
            let is_passive = (at + 1..end).all(|place| {
                matches!(self.text(place), "is" | "gets" | "being" | "was" | "has" | "been" | "got")
            });
            return is_passive.then_some(end + 1);
        }
        let lays = matches!(self.text(at), "puts" | "put" | "lays" | "places" | "rests");
        let hand = (at + 1..at + 4).find(|place| matches!(self.text(*place), "hand" | "finger" | "palm"))?;
        let head = (hand + 1..hand + 5).find(|place| self.text(*place) == "head")?;
        (lays && self.text(hand + 1) == "on").then_some(head + 1)
    }

    /// "Somebody shows up", "a person walks in": a face will be in view. Returns the end of the words.
    fn arrival(&self, at: usize) -> Option<usize> {
        const ARRIVALS: &[&str] = &[
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
            "comes up",
            "comes up to you",
            "comes into the room",
            "comes into view",
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
            "enters",
            "enters the room",
            "enter",
            "arrives",
            "arrive",
            "approaches",
            "approach",
            "approaches you",
            "drops by",
            "stops by",
            "pops up",
            "appears",
            "appear",
            "looks at you",
            "look at you",
            "looks your way",
            "stands in front of you",
            "is in front of it",
            "is in front of the robot",
            "sits in front of you",
            "is in front of you",
            "is there",
            "is around",
            "is near",
            "is near you",
            "is in sight",
            "is in view",
            "is looking at you",
            "joins you",
            "gets close",
            "gets near",
            "can be seen",
            "is present",
        ];
        let is_person = matches!(
            self.text(at),
            "face"
                | "someone"
                | "somebody"
                | "anyone"
                | "anybody"
                | "person"
                | "people"
                | "visitor"
                | "guest"
                | "human"
                | "stranger"
        );
        let start = at + 1 + usize::from(matches!(self.text(at + 1), "else" | "new"));
        let longest = ARRIVALS.iter().filter_map(|phrase| {
            let fits = phrase.split(' ').enumerate().all(|(more, word)| self.text(start + more) == word);
            fits.then(|| start + phrase.split(' ').count())
        });
        longest.max().filter(|_| is_person)
    }

    /// An event from a word on, and the end of its words.
    pub(super) fn event(&self, start: usize, is_seeing: bool) -> Option<(Event, usize)> {
        const NOISE: &[&str] = &[
            "you",
            "it",
            "he",
            "she",
            "the",
            "a",
            "an",
            "i",
            "we",
            "they",
            "there",
            "is",
            "are",
            "be",
            "robot",
            "reachy",
            "someone",
            "somebody",
            "anyone",
            "anybody",
            "see",
            "sees",
            "seeing",
            "spot",
            "spots",
            "notice",
            "notices",
            "detect",
            "detects",
            "hear",
            "hears",
            "hearing",
            "can",
            "your",
            "its",
            "my",
            "me",
            "people",
            "person",
            "gets",
            "get",
            "being",
            "feel",
            "feels",
            "recognise",
            "recognises",
            "recognize",
            "recognizes",
            "something",
            "to",
            "has",
            "have",
            "been",
            "does",
            "do",
            "loud",
            "sound",
            "of",
            "human",
            "any",
            "another",
            "person's",
            "somebody's",
            "someone's",
            "anybody's",
            "anyone's",
            "people's",
            "visitor's",
            "find",
            "finds",
            "when",
            "up",
            "for",
            "was",
            "in",
            "view",
            "front",
            "on",
            "gently",
            "single",
            "hand",
            "stranger",
            "guest",
        ];
        const TAIL: &[&str] = &[
            "my", "his", "her", "appears", "appear", "in", "front", "of", "you", "it", "comes", "into",
            "view", "is", "are", "visible", "there", "seen", "heard", "detected", "nearby", "near", "your",
            "its", "head", "hands", "to", "one", "their", "me", "close", "again", "present", "sight",
            "enters", "at", "the", "camera", "from", "by", "shows", "someone", "somebody", "robot",
        ];
        let mut sees = is_seeing;
        let mut place = start;
        let mut event = None;
        while place < start + 10 {
            let text = self.text(place);
            // "Your head gets touched", "somebody puts a hand on your head".
            if let Some(end) = self.touched(place) {
                event = Some(Event::Touch);
                place = end;
                break;
            }
            let found = match text {
                "face" | "faces" | "visitor" | "visitors" | "smile" => Some(Event::Face),
                "clap" | "claps" | "clapping" | "clapped" | "applause" | "handclap" | "handclaps" => {
                    Some(Event::Clap)
                }
                "voice" | "voices" | "speak" | "speaks" | "speaking" | "talk" | "talks" | "talking"
                | "speech" | "spoken" | "spoke" | "says" | "words" | "conversation" => Some(Event::Voice),
                text if is_touch(text) => Some(Event::Touch),
                "tilted" | "tipped" | "lifted" | "picked" | "tilts" | "tips" | "shaken" => {
                    Some(Event::Tilted)
                }
                _ => None,
            };
            if found.is_some() {
                event = found;
                place += 1;
                break;
            }
            // "When somebody shows up".
            if let Some(end) = self.arrival(place) {
                event = Some(Event::Face);
                place = end;
                break;
            }
            if matches!(
                text,
                "see"
                    | "sees"
                    | "seeing"
                    | "spot"
                    | "spots"
                    | "notice"
                    | "notices"
                    | "detect"
                    | "detects"
                    | "find"
                    | "finds"
                    | "recognise"
                    | "recognises"
                    | "recognize"
                    | "recognizes"
            ) {
                sees = true;
            }
            let is_end = self.words.get(place + 1).is_none_or(|word| !word.is_word)
                || matches!(self.text(place + 1), "and" | "then");
            let hears = matches!(self.text(place.saturating_sub(1)), "hear" | "hears" | "hearing");
            let is_named = (sees || hears) && is_end && matches!(text, "it" | "them" | "that");
            if (text == "one" && place > start) || (is_named && (place > start || hears)) {
                // "when it hears one": the event that was named before.
                event = Some(Event::Thing("one".to_owned()));
                place += 1;
                break;
            }
            if hears && matches!(text, "me" | "someone" | "somebody" | "anyone" | "anybody" | "people" | "us")
            {
                let next = place + 1 + usize::from(matches!(self.text(place + 1), "else" | "'s"));
                let is_other = matches!(
                    self.text(next),
                    "clap"
                        | "claps"
                        | "clapping"
                        | "speak"
                        | "speaks"
                        | "talk"
                        | "talks"
                        | "talking"
                        | "speaking"
                );
                event = Some(if matches!(self.text(next), "clap" | "claps" | "clapping") {
                    Event::Clap
                } else {
                    Event::Voice
                });
                place = next + usize::from(is_other);
                break;
            }
            if sees
                && matches!(
                    text,
                    "someone" | "somebody" | "person" | "people" | "anyone" | "anybody" | "me" | "human"
                )
            {
                event = Some(Event::Face);
                place += 1;
                // "Somebody's face".
                if matches!(self.text(place), "face" | "faces") {
                    place += 1;
                    break;
                }
                if !matches!(self.text(place), "clap" | "claps" | "clapping" | "speak" | "speaks" | "talking")
                {
                    break;
                }
                continue;
            }
            if !NOISE.contains(&text) {
                if !sees
                    || place == start && !is_seeing
                    || !text.chars().all(|c| c.is_ascii_alphabetic())
                    || text.is_empty()
                {
                    return None;
                }
                // Anything else that is seen is a thing: up to three words.
                let mut name = Vec::new();
                while name.len() < 3 && self.words.get(place).is_some_and(|word| word.is_word) {
                    let text = self.text(place);
                    let is_tail = TAIL.contains(&text)
                        || matches!(text, "and" | "then" | "for" | "with" | "nod" | "nods");
                    if is_tail || !text.chars().all(|c| c.is_ascii_alphabetic()) || text.len() > 12 {
                        break;
                    }
                    name.push(text.to_owned());
                    place += 1;
                }
                if name.is_empty() {
                    return None;
                }
                event = Some(Event::Thing(name.join(" ")));
                break;
            }
            place += 1;
        }
        let event = event?;
        while TAIL.contains(&self.text(place))
            && !(self.text(place) == "the"
                && self.text(place + 1) != "camera"
                && self.text(place + 1) != "robot")
        {
            // "it nods" and "you nod" begin the reaction.
            let is_subject = matches!(self.text(place), "it" | "you")
                && !matches!(
                    self.text(place.saturating_sub(1)),
                    "of" | "to"
                        | "near"
                        | "at"
                        | "by"
                        | "from"
                        | "touches"
                        | "touch"
                        | "pats"
                        | "strokes"
                        | "pushes"
                        | "nudges"
                        | "touched"
                );
            let is_side =
                self.text(place) == "your" && !matches!(self.text(place + 1), "head" | "hands" | "camera");
            if is_subject || is_side {
                break;
            }
            place += 1;
        }
        if event == Event::Tilted && self.text(place) == "up" {
            place += 1;
        }
        Some((event, place))
    }
}

/// Returns whether a word tells that somebody touches the robot.
fn is_touch(word: &str) -> bool {
    matches!(
        word,
        "touch"
            | "touches"
            | "touched"
            | "touching"
            | "pat"
            | "pats"
            | "patted"
            | "pet"
            | "pets"
            | "petted"
            | "stroke"
            | "strokes"
            | "stroked"
            | "pushes"
            | "pushed"
            | "nudge"
            | "nudges"
            | "nudged"
            | "tap"
            | "taps"
            | "tapped"
            | "poked"
            | "pokes"
            | "bumped"
            | "bump"
            | "stroking"
            | "patting"
            | "tickle"
            | "tickles"
            | "tickled"
            | "rub"
            | "rubs"
            | "rubbed"
            | "scratches"
            | "scratched"
            | "caresses"
            | "caressed"
    )
}
