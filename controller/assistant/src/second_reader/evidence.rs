//! What the words of a sentence say of a motion, by the lexicon of its language: the check of what a model made of it.

use minismith_commands::concept::{Act, Concept, Part, Tag, Way};
use minismith_commands::lexicon::lexicon;
use minismith_commands::reader::detect;
use minismith_commands::tagger::tag;

/// A sentence with more words than this that the lexicon does not know is about something else, too.
const MAX_UNKNOWN_WORDS: usize = 1;

/// How far the words of a sentence support commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Support {
    /// They name the same, and nothing else.
    Certain,
    /// They name nothing that differs.
    Possible,
    /// They name another side, gesture or number.
    None,
}

/// A direction or a gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Way(Way),
    Gesture(Act),
}

/// What a sentence names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    /// In the order of the words.
    motions: Vec<Named>,
    /// Likewise; 1 is left out, since it is said with and without a word.
    numbers: Vec<f64>,
    parts: Vec<Part>,
    /// What is done with a part, where the part and the direction do not tell it all.
    verbs: Vec<Act>,
    /// Whether it has words that turn a meaning round or tie it to something else ("not", "instead", "if", "again"), or words
    /// that the lexicon does not know and that may be a thing or a circumstance.
    is_involved: bool,
    /// Whether it has words that take something back or change what was done before.
    takes_back: bool,
}

impl Evidence {
    /// Returns what a sentence names, and its language.
    pub(super) fn of_sentence(text: &str) -> (Evidence, &'static str) {
        let (lexicon, tags) = detect(text, "en");
        let mut evidence = Self::of(&tag(text, lexicon));
        let is_unknown = |tag: &Tag| tag.concept == Concept::Unknown;
        // "Tilt the picture": a thing. "Should it get loud, nod": a circumstance.
        let is_elsewhere = |pair: &[Tag]| {
            matches!(pair, [before, after]
                if (before.concept == Concept::Article && is_unknown(after))
                    || (is_unknown(before) && after.concept == Concept::Comma))
        };
        let is_motion = |tag: &Tag| matches!(tag.concept, Concept::Act(_) | Concept::Way(_));
        evidence.is_involved |= tags.iter().filter(|tag| is_unknown(tag)).count() > MAX_UNKNOWN_WORDS
            || tags.windows(2).any(is_elsewhere)
            || tags.iter().take_while(|tag| !is_motion(tag)).any(is_unknown);
        (evidence, lexicon.code.as_str())
    }

    /// Returns what commands in English name.
    pub(super) fn of_commands(commands: &str) -> Evidence {
        lexicon("en").map(|english| Self::of(&tag(commands, english))).unwrap_or_default()
    }

    fn of(tags: &[Tag]) -> Evidence {
        let mut evidence = Evidence::default();
        for Tag { concept, .. } in tags {
            match concept {
                // Which way that is, the sentence does not say.
                Concept::Way(Way::Opposite) => (evidence.is_involved, evidence.takes_back) = (true, true),
                Concept::Way(way) => evidence.motions.push(Named::Way(*way)),
                Concept::Part(Part::LeftAntenna) => evidence.antenna(Way::Left),
                Concept::Part(Part::RightAntenna) => evidence.antenna(Way::Right),
                Concept::Part(Part::Antenna | Part::Antennas) => evidence.parts.push(Part::Antenna),
                Concept::Part(Part::Body) => evidence.parts.push(Part::Body),
                // The head is meant where no part is named.
                Concept::Part(Part::Head | Part::Chin) => {}
                Concept::Act(act) => evidence.act(*act),
                Concept::Number(number) => evidence.numbers.push(*number),
                Concept::Count(count) => evidence.numbers.push(f64::from(*count)),
                concept if is_involved(concept) => {
                    evidence.is_involved = true;
                    evidence.takes_back |= takes_back(concept);
                }
                _ => {}
            }
        }
        evidence.numbers.retain(|number| *number != 1.0);
        evidence.motions.dedup();
        evidence.parts.sort_unstable();
        evidence.parts.dedup();
        evidence
    }

    fn antenna(&mut self, side: Way) {
        self.parts.push(Part::Antenna);
        self.motions.push(Named::Way(side));
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Wave => self.motions.push(Named::Gesture(Act::Wiggle)),
            Act::Nod | Act::Shake | Act::Bow | Act::Wiggle | Act::Dance | Act::Wake | Act::Sleep => {
                self.motions.push(Named::Gesture(act));
            }
            Act::Look | Act::Turn => self.verbs.push(Act::Turn),
            Act::Lean => self.verbs.push(Act::Tilt),
            Act::Return => self.verbs.push(Act::Center),
            Act::Tilt | Act::Raise | Act::Lower | Act::Center => self.verbs.push(act),
            _ => {}
        }
    }

    /// Returns how far this sentence supports commands.
    pub(super) fn supports(&self, commands: &Evidence) -> Support {
        let names_all = self.motions.iter().all(|one| commands.motions.contains(one))
            && self.numbers.iter().all(|one| commands.numbers.contains(one))
            && self.parts.iter().all(|one| commands.parts.contains(one));
        if !names_all {
            // "Left, no, the other way": what is taken back is named, too.
            return if self.takes_back { Support::Possible } else { Support::None };
        }
        // "The lamp is on your left" orders nothing.
        let orders =
            !self.verbs.is_empty() || self.motions.iter().any(|one| matches!(one, Named::Gesture(_)));
        let is_certain = orders
            && !self.is_involved
            && self.motions == commands.motions
            && self.numbers == commands.numbers
            && self.parts == commands.parts
            && self.verbs.iter().all(|verb| commands.verbs.contains(verb))
            // A verb that the lexicon does not know most likely turns.
            && commands.verbs.iter().all(|verb| *verb == Act::Turn || self.verbs.contains(verb));
        if is_certain { Support::Certain } else { Support::Possible }
    }
}

/// Whether a word changes what others mean, or ties it to something outside of the sentence.
const fn is_involved(concept: &Concept) -> bool {
    takes_back(concept)
        || matches!(
            concept,
            Concept::Only
                | Concept::Again
                | Concept::Before
                | Concept::After
                | Concept::First
                | Concept::Last
                | Concept::Every
                | Concept::If(_)
                | Concept::When
                | Concept::Unless
                | Concept::Signal(_)
                | Concept::Nobody
                | Concept::Asks
                | Concept::Past
                | Concept::Third
                | Concept::Trend(_)
                | Concept::Otherwise
                | Concept::Until
                | Concept::UntilStop
                | Concept::Later
                | Concept::Somebody
                | Concept::Cannot
                | Concept::InTurn
                | Concept::StopOrder
                | Concept::StopOrderAlone
        )
}

/// Whether a word takes back what was said or done, or changes it.
const fn takes_back(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Still
            | Concept::Correction
            | Concept::TakenBack
            | Concept::Instead
            | Concept::Same
            | Concept::Undo
            | Concept::More(_)
            | Concept::ThanLast
            | Concept::Factor(_)
            | Concept::Cancel
            | Concept::Or
    )
}
