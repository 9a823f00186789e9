//! What the words of a sentence say of a motion, by the lexicon of its language: the check of what a model made of it.

use minismith_commands::concept::{Act, Concept, Part, Tag, Way};
use minismith_commands::lexicon::{Lexicon, lexicon};
use minismith_commands::reader::detect;
use minismith_commands::tagger::tag;

/// What a sentence names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Evidence {
    ways: Vec<Way>,
    parts: Vec<Part>,
    gestures: Vec<Act>,
    /// What is done with a part, where the part and the direction do not tell it all.
    verbs: Vec<Act>,
    /// In ascending order; 1 is left out, since it is said with and without a word.
    numbers: Vec<f64>,
    /// Whether it has words that turn a meaning round or tie it to something else: "not", "instead", "if", "again".
    is_involved: bool,
}

impl Evidence {
    /// Returns what a sentence names, and its language.
    pub(super) fn of_sentence(text: &str) -> (Evidence, &'static str) {
        let (lexicon, _) = detect(text, "en");
        (Self::of(&tag(text, lexicon)), lexicon.code.as_str())
    }

    /// Returns what commands in English name.
    pub(super) fn of_commands(commands: &str) -> Evidence {
        lexicon("en").map(|english: &Lexicon| Self::of(&tag(commands, english))).unwrap_or_default()
    }

    fn of(tags: &[Tag]) -> Evidence {
        let mut evidence = Evidence::default();
        for Tag { concept, .. } in tags {
            match concept {
                Concept::Way(way) => evidence.ways.push(*way),
                Concept::Part(Part::LeftAntenna) => evidence.antenna(Way::Left),
                Concept::Part(Part::RightAntenna) => evidence.antenna(Way::Right),
                Concept::Part(Part::Antenna | Part::Antennas) => evidence.parts.push(Part::Antenna),
                Concept::Part(Part::Body) => evidence.parts.push(Part::Body),
                // The head is meant where no part is named.
                Concept::Part(Part::Head | Part::Chin) => {}
                Concept::Act(act) => evidence.act(*act),
                Concept::Number(number) => evidence.numbers.push(*number),
                Concept::Count(count) => evidence.numbers.push(f64::from(*count)),
                concept if is_involved(concept) => evidence.is_involved = true,
                _ => {}
            }
        }
        evidence.numbers.retain(|number| *number != 1.0);
        evidence.numbers.sort_by(f64::total_cmp);
        evidence.ways.sort_unstable();
        evidence.ways.dedup();
        evidence.parts.sort_unstable();
        evidence.parts.dedup();
        for acts in [&mut evidence.gestures, &mut evidence.verbs] {
            acts.sort_unstable();
            acts.dedup();
        }
        evidence
    }

    fn antenna(&mut self, side: Way) {
        self.parts.push(Part::Antenna);
        self.ways.push(side);
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Wave => self.gestures.push(Act::Wiggle),
            Act::Nod | Act::Shake | Act::Bow | Act::Wiggle | Act::Dance | Act::Wake | Act::Sleep => {
                self.gestures.push(act);
            }
            Act::Look | Act::Turn => self.verbs.push(Act::Turn),
            Act::Lean => self.verbs.push(Act::Tilt),
            Act::Return => self.verbs.push(Act::Center),
            Act::Tilt | Act::Raise | Act::Lower | Act::Center => self.verbs.push(act),
            _ => {}
        }
    }

    /// Whether this sentence names all that the commands do, and they do all that it names.
    pub(super) fn bears_out(&self, commands: &Evidence) -> bool {
        // "The lamp is on your left" orders nothing.
        let orders = !(self.verbs.is_empty() && self.gestures.is_empty());
        orders
            && !self.is_involved
            && self.ways == commands.ways
            && self.parts == commands.parts
            && self.gestures == commands.gestures
            && self.numbers == commands.numbers
            && self.verbs.iter().all(|verb| commands.verbs.contains(verb))
            // A verb that the lexicon does not know most likely turns.
            && commands.verbs.iter().all(|verb| *verb == Act::Turn || self.verbs.contains(verb))
    }
}

/// Whether a word changes what others mean, or ties it to something outside of the sentence.
const fn is_involved(concept: &Concept) -> bool {
    matches!(
        concept,
        Concept::Not
            | Concept::NotVerb
            | Concept::Without
            | Concept::Still
            | Concept::Only
            | Concept::Correction
            | Concept::TakenBack
            | Concept::Instead
            | Concept::Again
            | Concept::Same
            | Concept::Undo
            | Concept::Every
            | Concept::If(_)
            | Concept::When
            | Concept::Unless
            | Concept::Signal(_)
            | Concept::Nobody
            | Concept::Asks
            | Concept::Past
            | Concept::Third
            | Concept::More(_)
            | Concept::ThanLast
            | Concept::Factor(_)
            | Concept::Trend(_)
            | Concept::Or
            | Concept::Cancel
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
