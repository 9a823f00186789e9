//! The words that a request may use, as data: verbs, parts, directions, and phrases. A new verb is one entry.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::feelings::FEELINGS;
use crate::tag::{Dir, Mode, PartRef, Shape, Tag, Verb};

mod everyday;
mod parts;
mod phrases;

use parts::{ANTENNA_WORDS, DIRECTIONS, PARTS};

const fn verb(words: &'static [&'static str], shape: Shape, mode: Mode) -> Verb {
    Verb {
        words,
        shape,
        mode,
        part: None,
        dir: None,
        size: None,
        count: 1,
        hold: None,
        pace: 1.0,
        directed_go: false,
        is_gesture_noun: false,
    }
}

const HEAD: Option<PartRef> = Some(PartRef::Head);
const EARS: Option<PartRef> = Some(PartRef::BothAntennas);
const RIGHT_EAR: Option<PartRef> = Some(PartRef::RightAntenna);

/// The verbs. The first word names the gesture.
pub(crate) const VERBS: &[Verb] = &[
    // Gestures of the head.
    Verb {
        part: HEAD,
        dir: Some(Dir::Down),
        size: Some(15.0),
        is_gesture_noun: true,
        ..verb(&["nod", "nodding", "noddle"], Shape::Beat, Mode::Pitch)
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Down),
        size: Some(25.0),
        hold: Some(0.5),
        is_gesture_noun: true,
        pace: 1.3,
        ..verb(&["bow", "curtsy", "curtsey", "genuflect"], Shape::Beat, Mode::Pitch)
    },
    Verb {
        size: Some(20.0),
        count: 2,
        is_gesture_noun: true,
        ..verb(&["shake", "waggle", "headshake"], Shape::Sway, Mode::Turn)
    },
    Verb {
        part: HEAD,
        size: Some(4.0),
        count: 6,
        pace: 0.5,
        is_gesture_noun: true,
        ..verb(
            &["shiver", "tremble", "shudder", "quiver", "vibrate", "quake", "jitter", "judder"],
            Shape::Sway,
            Mode::Turn,
        )
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Up),
        size: Some(10.0),
        count: 2,
        is_gesture_noun: true,
        directed_go: true,
        ..verb(&["bob", "bounce"], Shape::Beat, Mode::Rise)
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Up),
        // Servo 4 ends between 13 and 14 mm above neutral.
        size: Some(12.0),
        pace: 0.4,
        directed_go: true,
        is_gesture_noun: true,
        ..verb(&["jump", "hop", "leap", "pop"], Shape::Beat, Mode::Rise)
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Down),
        size: Some(18.0),
        pace: 0.7,
        directed_go: true,
        ..verb(&["duck", "crouch", "squat", "cower", "hunch"], Shape::Beat, Mode::Rise)
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Down),
        size: Some(15.0),
        directed_go: true,
        is_gesture_noun: true,
        ..verb(&["dip"], Shape::Beat, Mode::Pitch)
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Left),
        size: Some(25.0),
        pace: 0.6,
        directed_go: true,
        is_gesture_noun: true,
        ..verb(&["glance", "glimpse"], Shape::Beat, Mode::Turn)
    },
    // Gestures of the antennas.
    Verb {
        part: RIGHT_EAR,
        size: Some(45.0),
        count: 3,
        is_gesture_noun: true,
        ..verb(&["wave"], Shape::Beat, Mode::Wiggle)
    },
    Verb {
        part: EARS,
        size: Some(30.0),
        count: 3,
        pace: 0.8,
        is_gesture_noun: true,
        ..verb(
            &[
                "wiggle", "wag", "flap", "flutter", "jiggle", "wriggle", "waft", "squirm", "fidget", "flail",
                "swish", "twiddle", "whisk", "bobble", "thrash", "shimmy", "joggle", "jostle", "wigwag",
            ],
            Shape::Beat,
            Mode::Wiggle,
        )
    },
    Verb {
        part: EARS,
        size: Some(30.0),
        pace: 0.8,
        directed_go: true,
        is_gesture_noun: true,
        ..verb(
            &[
                "flick", "twitch", "flip", "tick", "pulse", "click", "wink", "tap", "jab", "quirk", "tweak",
                "jolt", "prod",
            ],
            Shape::Beat,
            Mode::Wiggle,
        )
    },
    Verb {
        part: RIGHT_EAR,
        size: Some(60.0),
        hold: Some(1.0),
        is_gesture_noun: true,
        ..verb(&["salute"], Shape::Beat, Mode::Wiggle)
    },
    // From side to side.
    Verb {
        part: HEAD,
        size: Some(15.0),
        count: 2,
        is_gesture_noun: true,
        ..verb(
            &[
                "sway", "rock", "wobble", "roll", "pendulum", "teeter", "totter", "undulate", "weave",
                "lilt", "waddle", "swagger",
            ],
            Shape::Sway,
            Mode::Tilt,
        )
    },
    Verb {
        directed_go: true,
        size: None,
        count: 2,
        is_gesture_noun: true,
        ..verb(&["swing", "oscillate"], Shape::Sway, Mode::Turn)
    },
    Verb {
        directed_go: true,
        part: HEAD,
        size: Some(40.0),
        count: 1,
        pace: 1.3,
        ..verb(&["scan", "survey", "sweep", "sweeping", "pan", "panning"], Shape::Sway, Mode::Turn)
    },
    // To a posture.
    Verb {
        is_gesture_noun: true,
        ..verb(
            &[
                "turn",
                "rotate",
                "twist",
                "swivel",
                "pivot",
                "spin",
                "yaw",
                "pan",
                "veer",
                "wheel",
                "crank",
                "swerve",
                "revolve",
                "orient",
                "orientate",
                "reorient",
                "redirect",
                "twirl",
            ],
            Shape::Go,
            Mode::Turn,
        )
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Left),
        is_gesture_noun: true,
        ..verb(
            &[
                "tilt", "cock", "incline", "tip", "slant", "angle", "list", "cant", "bank", "skew", "slope",
                "heel",
            ],
            Shape::Go,
            Mode::Tilt,
        )
    },
    Verb { part: HEAD, dir: Some(Dir::Down), ..verb(&["pitch"], Shape::Go, Mode::Pitch) },
    Verb { part: HEAD, ..verb(&["lean", "bend", "slouch", "stoop", "arch"], Shape::Go, Mode::Lean) },
    Verb { part: HEAD, dir: Some(Dir::Down), ..verb(&["hang", "loll"], Shape::Go, Mode::Pitch) },
    Verb {
        part: HEAD,
        is_gesture_noun: true,
        ..verb(
            &[
                "look", "gaze", "peer", "stare", "peek", "face", "aim", "point", "glare", "squint", "direct",
                "gawk", "ogle", "peep", "glower", "gape", "goggle",
            ],
            Shape::Go,
            Mode::Look,
        )
    },
    Verb {
        dir: Some(Dir::Up),
        is_gesture_noun: true,
        ..verb(
            &[
                "lift", "raise", "rise", "elevate", "hoist", "heave", "ascend", "uplift", "erect", "boost",
                "hike", "loft", "upraise", "hitch",
            ],
            Shape::Go,
            Mode::Rise,
        )
    },
    Verb {
        dir: Some(Dir::Up),
        size: Some(15.0),
        is_gesture_noun: true,
        ..verb(&["stretch"], Shape::Go, Mode::Rise)
    },
    Verb {
        dir: Some(Dir::Down),
        ..verb(
            &[
                "lower",
                "drop",
                "sink",
                "descend",
                "droop",
                "sag",
                "fall",
                "flop",
                "slump",
                "dangle",
                "wilt",
                "plunge",
                "plop",
                "tumble",
                "slip",
                "duck down",
                "dive",
                "subside",
                "dunk",
                "depress",
                "deflate",
            ],
            Shape::Go,
            Mode::Rise,
        )
    },
    Verb { part: HEAD, ..verb(&["shift", "slide", "scoot", "glide", "translate"], Shape::Go, Mode::Shift) },
    Verb {
        part: HEAD,
        dir: Some(Dir::Back),
        ..verb(
            &[
                "retreat",
                "recoil",
                "withdraw",
                "retract",
                "flinch",
                "shrink back",
                "back off",
                "back away",
                "wince",
                "cringe",
            ],
            Shape::Go,
            Mode::Shift,
        )
    },
    Verb {
        part: HEAD,
        dir: Some(Dir::Forward),
        ..verb(&["advance", "approach", "jut", "protrude", "lunge"], Shape::Go, Mode::Shift)
    },
    Verb {
        part: EARS,
        dir: Some(Dir::Out),
        size: Some(60.0),
        ..verb(
            &[
                "open",
                "spread",
                "unfold",
                "splay",
                "extend",
                "fan",
                "part",
                "widen out",
                "flare",
                "unfurl",
                "outstretch",
            ],
            Shape::Go,
            Mode::Move,
        )
    },
    Verb {
        part: EARS,
        dir: Some(Dir::Down),
        ..verb(&["fold", "flatten", "lay", "collapse", "crumple"], Shape::Go, Mode::Move)
    },
    Verb {
        part: EARS,
        dir: Some(Dir::In),
        ..verb(
            &["close", "cross", "shut", "pinch", "tuck", "squeeze", "press", "furl", "clamp", "converge"],
            Shape::Go,
            Mode::Move,
        )
    },
    Verb { part: EARS, dir: Some(Dir::Straight), ..verb(&["perk", "prick", "stand"], Shape::Go, Mode::Move) },
    verb(&["push", "thrust", "poke", "shove", "propel", "displace"], Shape::Go, Mode::Move),
    verb(
        &[
            "move", "go", "put", "bring", "pull", "stick", "set", "draw", "get", "throw", "position",
            "place", "travel", "curl", "send", "shoot", "jerk", "snap", "whip", "dart", "swoop", "fling",
            "crane", "ease", "drift", "tug", "yank", "drag", "guide", "steer", "flex", "nudge", "edge",
            "lurch", "hurl", "spring", "sling", "zoom", "dash", "shuffle", "sidle", "inch", "haul",
        ],
        Shape::Go,
        Mode::Move,
    ),
];

/// Verbs that are phrases of several words, by the first word of their entry.
const VERB_PHRASES: &[(&str, &str)] = &[
    ("nod", "say yes"),
    ("nod", "peck"),
    ("nod", "pecks"),
    ("nod", "pecking"),
    ("nod", "says yes"),
    ("nod", "signal yes"),
    ("nod", "mean yes"),
    ("shake", "say no"),
    ("shake", "signal no"),
    ("bow", "take a bow"),
    ("scan", "look around"),
    ("scan", "look round"),
    ("scan", "look about"),
    ("scan", "gaze around"),
    ("turn", "rotation"),
    ("turn", "turning motion"),
    ("wave", "beckon"),
    ("tilt", "inclination"),
    ("scan", "glance around"),
    ("nod", "indicate yes"),
    ("nod", "express agreement"),
    ("nod", "express yes"),
    ("nod", "show agreement"),
    ("shake", "indicate no"),
    ("shake", "mean no"),
    ("shake", "express no"),
    ("shake", "express disagreement"),
    ("shake", "show disagreement"),
    ("shake", "disagree"),
    ("nod", "agree"),
    ("bow", "make a bow"),
    ("tilt", "roll over"),
    ("tilt", "tip over"),
    ("tilt", "flop over"),
    ("tilt", "keel over"),
    ("close", "bring them together"),
    ("close", "bring together"),
    ("close", "pull them together"),
    ("close", "draw them together"),
    ("close", "press them together"),
    ("close", "push them together"),
    ("close", "put them together"),
    ("close", "touch each other"),
    ("close", "meet in the middle"),
    ("open", "draw apart"),
    ("open", "pull apart"),
    ("open", "move apart"),
    ("open", "stick out"),
    ("perk", "perk up"),
    ("perk", "prick up"),
];

/// All phrases by their first word, longest first, and every word that occurs in one.
pub(crate) struct Lexicon {
    by_first: BTreeMap<&'static str, Vec<(Vec<&'static str>, Tag)>>,
    vocabulary: BTreeSet<&'static str>,
}

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon { by_first: BTreeMap::new(), vocabulary: BTreeSet::new() };
    // What is added first wins among phrases of one length.
    for (phrase, dir) in DIRECTIONS {
        lexicon.add(phrase, Tag::Dir(*dir));
    }
    for entry in VERBS {
        for word in entry.words {
            lexicon.add(word, Tag::Verb(entry));
        }
    }
    for (name, phrase) in VERB_PHRASES {
        if let Some(entry) = VERBS.iter().find(|entry| entry.words.first() == Some(name)) {
            lexicon.add(phrase, Tag::Verb(entry));
        }
    }
    for feeling in FEELINGS {
        for word in feeling.words {
            lexicon.add(word, Tag::Feeling(feeling));
        }
    }
    for (phrase, part) in PARTS {
        lexicon.add(phrase, Tag::Part(*part));
    }
    for (phrase, tag) in phrases::phrases().into_iter().chain(everyday::phrases()) {
        lexicon.add(phrase, tag);
    }
    for word in ANTENNA_WORDS {
        lexicon.vocabulary.insert(word);
    }
    for entries in lexicon.by_first.values_mut() {
        entries.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    }
    lexicon
});

impl Lexicon {
    fn add(&mut self, phrase: &'static str, tag: Tag) {
        let words: Vec<&'static str> = phrase.split(' ').collect();
        let Some(first) = words.first().copied() else { return };
        self.vocabulary.extend(&words);
        self.by_first.entry(first).or_default().push((words, tag));
    }

    /// Returns whether a word occurs in a phrase.
    pub(crate) fn knows(&self, word: &str) -> bool {
        self.vocabulary.contains(word)
    }

    /// Returns the longest phrase at the beginning of words, each given as it is and in its base form, and its length.
    pub(crate) fn longest(&self, words: &[(&str, &str)]) -> Option<(Tag, usize)> {
        let (text, base) = words.first()?;
        let entries = [*text, *base].into_iter().filter_map(|first| self.by_first.get(first));
        let mut best: Option<(Tag, usize)> = None;
        for (phrase, tag) in entries.flatten() {
            let fits = phrase.len() <= words.len()
                && phrase.iter().zip(words).all(|(wanted, (text, base))| wanted == text || wanted == base);
            if fits && best.as_ref().is_none_or(|(_, length)| *length < phrase.len()) {
                best = Some((tag.clone(), phrase.len()));
            }
        }
        best
    }

    /// Returns whether a word means an antenna, and whether it is in the plural.
    pub(crate) fn antenna(&self, word: &str) -> Option<bool> {
        match word {
            "antenna" | "ear" | "feeler" => Some(false),
            "antennae" | "antennas" | "ears" | "feelers" => Some(true),
            _ => None,
        }
    }
}
