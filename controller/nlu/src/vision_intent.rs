//! Parses whole clauses about what the camera sees.
//!
//! ```text
//! clause = "what do you see" | "how many" OBJECTS "do you see" | "where is" OBJECT | "do you see" OBJECT
//!        | "look at" ("me" | OBJECT) | "follow" ("me" | FACE) ["for" TIME]
//!        | "tell me when something new appears" ["for" TIME] | "what colours do you see"
//!        | "is anything moving" | "take a photo"
//! ```

use std::time::Duration;

use minismith_perception::detect::LABELS;

use super::decimal::plain;
use super::intent::Sight;
use super::numbers::{Quantity, quantity};
use super::parser::{Error, Parser};
use super::phrases::longest;
use super::primitive::OutOfRange;

/// The detectors' class for a person.
pub use minismith_perception::detect::PERSON;

/// Default duration of following a face.
pub const FOLLOW_TIME: Duration = Duration::from_secs(60);
/// Default duration of watching for something new.
pub const WATCH_TIME: Duration = Duration::from_secs(30);
/// Maximum duration of both.
pub const MAX_WATCH_TIME: Duration = Duration::from_secs(600);

/// Common words for the 80 COCO classes of the object detector, in addition to the class names. A plural is
/// found without its s.
const SYNONYMS: &[(&str, &[&str])] = &[
    (
        PERSON,
        &[
            "people", "somebody", "someone", "anybody", "anyone", "human", "man", "woman", "child", "face",
            "visitor",
        ],
    ),
    ("bicycle", &["bike"]),
    ("motorcycle", &["motorbike"]),
    ("airplane", &["aeroplane", "plane"]),
    ("bus", &["buses"]),
    ("truck", &["lorry"]),
    ("bench", &["benches"]),
    ("handbag", &["bag"]),
    ("sports ball", &["ball"]),
    ("wine glass", &["glass", "glasses"]),
    ("cup", &["mug"]),
    ("knife", &["knives"]),
    ("sandwich", &["sandwiches"]),
    ("donut", &["doughnut"]),
    ("couch", &["sofa", "couches"]),
    ("potted plant", &["plant"]),
    ("dining table", &["table"]),
    ("tv", &["television", "monitor", "screen"]),
    ("laptop", &["computer"]),
    ("mouse", &["mice"]),
    ("remote", &["remote control"]),
    ("cell phone", &["phone", "mobile phone", "smartphone"]),
    ("refrigerator", &["fridge"]),
    ("teddy bear", &["teddy"]),
    ("hair drier", &["hair dryer"]),
    ("toothbrush", &["toothbrushes"]),
];

/// Returns the class that a word means; none if the detectors do not know it.
#[must_use]
pub fn class(said: &str) -> Option<&'static str> {
    let synonym =
        |word: &str| SYNONYMS.iter().find(|(_, words)| words.contains(&word)).map(|(class, _)| *class);
    let of = |word: &str| LABELS.into_iter().find(|class| *class == word).or_else(|| synonym(word));
    of(said).or_else(|| of(said.strip_suffix('s')?))
}

const FIXED: &[(&str, Sight)] = &[
    ("what do you see", Sight::Scene),
    ("what can you see", Sight::Scene),
    ("what are you seeing", Sight::Scene),
    ("tell me what you see", Sight::Scene),
    ("describe what you see", Sight::Scene),
    ("describe the scene", Sight::Scene),
    ("what is in front of you", Sight::Scene),
    ("take a picture", Sight::Photo),
    ("take a photo", Sight::Photo),
    ("take a photograph", Sight::Photo),
    ("take another picture", Sight::Photo),
    ("take another photo", Sight::Photo),
    ("take a picture of me", Sight::Photo),
    ("take a photo of me", Sight::Photo),
    ("save a picture", Sight::Photo),
    ("save a photo", Sight::Photo),
    ("take a look", Sight::Scene),
    ("look through the camera", Sight::Scene),
    ("can you see anything", Sight::Scene),
    ("can you see something", Sight::Scene),
    ("what can you see now", Sight::Scene),
    ("what are you looking at", Sight::Scene),
    ("what is ahead", Sight::Scene),
    ("look and tell me what you see", Sight::Scene),
    ("tell me what you can see", Sight::Scene),
    ("describe your surroundings", Sight::Scene),
    ("describe what is in front of you", Sight::Scene),
    ("is there anything in front of you", Sight::Scene),
    ("what colors do you see", Sight::Colours),
    ("what colours do you see", Sight::Colours),
    ("which colors do you see", Sight::Colours),
    ("which colours do you see", Sight::Colours),
    ("what colors can you see", Sight::Colours),
    ("what colours can you see", Sight::Colours),
    ("is anything moving", Sight::Motion),
    ("is something moving", Sight::Motion),
    ("does anything move", Sight::Motion),
    ("do you see anything moving", Sight::Motion),
    ("do you see any motion", Sight::Motion),
    ("do you see any movement", Sight::Motion),
    ("what is moving", Sight::Motion),
    ("is there any movement", Sight::Motion),
    ("is there any motion", Sight::Motion),
];

/// Phrases that end in "me" and mean the person who speaks.
const AT_ME: &[&str] = &[
    "look at me",
    "look at my face",
    "look me in the eyes",
    "look into my eyes",
    "turn to me",
    "turn towards me",
    "face me",
    "look towards me",
    "look my way",
];
const FOLLOW_ME: &[&str] = &[
    "follow me",
    "follow my face",
    "follow me with your eyes",
    "follow me with your head",
    "follow the person",
    "follow the face",
    "follow that person",
    "follow the visitor",
    "keep looking at me",
    "keep your eyes on me",
    "keep watching me",
    "track me",
    "track my face",
    "track the face",
    "track the person",
    "watch me",
    "watch the person",
];
const WATCH: &[&str] = &[
    "tell me when something new appears",
    "tell me when anything new appears",
    "tell me if something new appears",
    "tell me when something appears",
    "tell me when you see something new",
    "tell me if you see something new",
    "tell me when something changes",
    "let me know when something new appears",
    "let me know if something new appears",
    "say when something new appears",
    "look out for something new",
    "watch out for something new",
    "watch for something new",
    "watch for anything new",
];
const HOW_MANY: &[&str] = &["how many", "count the", "count all the", "count"];
const HOW_MANY_END: &[&str] =
    &["do you see", "can you see", "are there", "are in front of you", "are there in front of you"];
const WHERE: &[&str] = &[
    "where is the",
    "where is a",
    "where is my",
    "where are the",
    "find the",
    "find a",
    "find my",
    "where do you see the",
    "where do you see a",
];
const WHETHER: &[&str] = &[
    "do you see a",
    "do you see an",
    "do you see any",
    "do you see the",
    "do you see my",
    "do you see",
    "can you see a",
    "can you see an",
    "can you see any",
    "can you see the",
    "can you see my",
    "can you see",
    "is there a",
    "is there an",
    "is there any",
    "are there any",
    "is there",
];
const WHETHER_END: &[&str] = &["there", "in front of you", "before you", "in the picture", "around"];
const LOOK_AT: &[&str] = &[
    "look at the",
    "look at a",
    "look at that",
    "look at this",
    "look at my",
    "turn your head to the",
    "look towards the",
];

impl Parser<'_> {
    /// Returns a clause about what the camera sees, and how many tokens it takes; none for any other
    /// clause.
    pub(super) fn sight_here(&self) -> Result<Option<(Sight, usize)>, Error> {
        let words = self.window(self.at);
        let ends = |taken: usize| self.at + taken >= self.tokens.len() || self.is_joint(self.at + taken);
        let among = |phrases: &[&'static str], from: usize| {
            longest(phrases.iter().copied(), words.get(from..).unwrap_or_default()).map(|(_, count)| count)
        };
        if let Some((position, taken)) = longest(FIXED.iter().map(|(phrase, _)| *phrase), &words)
            && ends(taken)
        {
            return Ok(FIXED.get(position).map(|(_, sight)| (sight.clone(), taken)));
        }
        if let Some(taken) = among(AT_ME, 0).filter(|taken| ends(*taken)) {
            return Ok(Some((Sight::LookAt(PERSON), taken)));
        }
        for (phrases, sight, usual) in [
            (FOLLOW_ME, Sight::Follow as fn(Duration) -> Sight, FOLLOW_TIME),
            (WATCH, Sight::Watch as fn(Duration) -> Sight, WATCH_TIME),
        ] {
            let Some(taken) = among(phrases, 0) else { continue };
            if ends(taken) {
                return Ok(Some((sight(usual), taken)));
            }
            if let Some((time, all)) = self.time_after(taken)?.filter(|(_, all)| ends(*all)) {
                return Ok(Some((sight(time), all)));
            }
        }
        let object = |from: usize| -> Option<(&'static str, usize)> {
            [2_usize, 1].into_iter().find_map(|count| {
                let said: Option<Vec<&str>> = words.get(from..from + count)?.iter().copied().collect();
                Some((class(&said?.join(" "))?, count))
            })
        };
        // The longest introduction that leaves an object after it wins.
        let about = |phrases: &[&'static str]| {
            let taken = among(phrases, 0)?;
            let (label, count) = object(taken)?;
            Some((label, taken + count))
        };
        if let Some((label, taken)) = about(HOW_MANY) {
            let taken = taken + among(HOW_MANY_END, taken).unwrap_or(0);
            return Ok(ends(taken).then_some((Sight::Count(label), taken)));
        }
        if let Some((label, taken)) = about(WHERE).filter(|(_, taken)| ends(*taken)) {
            return Ok(Some((Sight::Where(label), taken)));
        }
        if let Some((label, taken)) = about(WHETHER) {
            let taken = taken + among(WHETHER_END, taken).unwrap_or(0);
            return Ok(ends(taken).then_some((Sight::Where(label), taken)));
        }
        if let Some((label, taken)) = about(LOOK_AT).filter(|(_, taken)| ends(*taken)) {
            return Ok(Some((Sight::LookAt(label), taken)));
        }
        Ok(None)
    }

    /// Parses "for ten seconds" after this many tokens, and returns the total number of tokens.
    fn time_after(&self, taken: usize) -> Result<Option<(Duration, usize)>, Error> {
        let at = self.at + taken;
        if !matches!(self.word(at), Some("for")) {
            return Ok(None);
        }
        let rest = self.tokens.get(at + 1..).unwrap_or_default();
        let Some((Quantity::Seconds(seconds), count)) = quantity(rest) else { return Ok(None) };
        if !(1.0..=MAX_WATCH_TIME.as_secs_f64()).contains(&seconds) {
            return Err(Error::Range(OutOfRange {
                what: format!("following or watching for {} s", plain(seconds)),
                allowed: format!("1 to {} s", MAX_WATCH_TIME.as_secs()),
            }));
        }
        Ok(Some((Duration::from_secs_f64(seconds), taken + 1 + count)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::intent::{Intent, Understanding};
    use super::super::known::Known;
    use super::super::offline::interpret;
    use super::*;

    #[test]
    fn camera_clauses_are_parsed_as_a_whole() {
        let cases = [
            ("what do you see?", Sight::Scene),
            ("how many people do you see?", Sight::Count("person")),
            ("count the cups", Sight::Count("cup")),
            ("where is the cup?", Sight::Where("cup")),
            ("do you see a cat", Sight::Where("cat")),
            ("is there anybody?", Sight::Where("person")),
            ("is there a teddy bear in front of you", Sight::Where("teddy bear")),
            ("look at the person", Sight::LookAt("person")),
            ("please look at me", Sight::LookAt("person")),
            ("look at the cell phone", Sight::LookAt("cell phone")),
            ("follow me", Sight::Follow(FOLLOW_TIME)),
            ("follow me for 20 seconds", Sight::Follow(Duration::from_secs(20))),
            ("could you follow my face for a minute", Sight::Follow(Duration::from_secs(60))),
            ("tell me when something new appears", Sight::Watch(WATCH_TIME)),
            ("watch for something new for 2 minutes", Sight::Watch(Duration::from_secs(120))),
            ("what colours do you see", Sight::Colours),
            ("is anything moving?", Sight::Motion),
            ("take a photo", Sight::Photo),
        ];
        for (text, meant) in cases {
            let understood = interpret(text, &Known::default());
            assert_eq!(understood, Understanding::Plan(vec![Intent::See(meant)]), "{text}");
        }
        for text in
            ["look at the dragon", "follow me to the kitchen", "how many stars are there", "find happiness"]
        {
            assert!(!matches!(interpret(text, &Known::default()), Understanding::Plan(_)), "{text}");
        }
        assert!(matches!(
            interpret("follow me for 3 hours", &Known::default()),
            Understanding::OutOfRange(_)
        ));
    }

    #[test]
    fn classes_match_their_name_and_its_plural() {
        for label in LABELS {
            assert_eq!(class(label), Some(label));
        }
        for (label, _) in SYNONYMS {
            assert!(LABELS.contains(label), "{label}");
        }
        assert_eq!(
            (class("cups"), class("people"), class("knives")),
            (Some("cup"), Some("person"), Some("knife"))
        );
    }
}
