//! Conditions: a trigger and an event.

use minismith_score::Event;

use super::Tagger;
use crate::tag::Trigger;

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
        let fits = |phrase: &&(&[&str], Trigger)| {
            phrase.0.iter().enumerate().all(|(place, word)| self.text(at + place) == *word)
        };
        let (phrase, trigger) = TRIGGERS.iter().filter(fits).max_by_key(|(phrase, _)| phrase.len())?;
        let mut trigger = *trigger;
        let start = at + phrase.len();
        let is_seeing =
            matches!(phrase.last(), Some(&("for" | "seeing" | "of"))) && !phrase.contains(&"listen");
        let (event, end) = self.event(start, is_seeing)?;
        if trigger == Trigger::Until && matches!(self.text(at.wrapping_sub(1)), "wait" | "waits") {
            trigger = Trigger::When;
        }
        Some((trigger, event, end - at))
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
            let found = match text {
                "face" | "faces" | "visitor" | "visitors" | "smile" => Some(Event::Face),
                "clap" | "claps" | "clapping" | "clapped" | "applause" | "clapped_hands" => Some(Event::Clap),
                "voice" | "voices" | "speak" | "speaks" | "speaking" | "talk" | "talks" | "talking"
                | "speech" | "spoken" | "spoke" | "says" | "words" | "conversation" => Some(Event::Voice),
                "touch" | "touches" | "touched" | "touching" | "pat" | "pats" | "patted" | "pet" | "pets"
                | "petted" | "stroke" | "strokes" | "stroked" | "pushes" | "pushed" | "nudge" | "nudges"
                | "nudged" | "tap" | "taps" | "tapped" | "poked" | "pokes" | "bumped" | "bump" => {
                    Some(Event::Touch)
                }
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
            if (text == "one" || (sees && is_end && matches!(text, "it" | "them"))) && place > start {
                // "when it hears one": the event that was named before.
                event = Some(Event::Thing("one".to_owned()));
                place += 1;
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
