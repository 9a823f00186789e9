//! The contract of a request, and the verdict about a motion.

use minismith_score::Event;
use minismith_score::expects::{Expect, Expects, Measured, summary};
use serde::{Deserialize, Serialize};

use crate::account::{Account, Accounted};
use crate::atoms::{Atom, atoms};
use crate::clause::{Clause, clauses};
use crate::emit::{STILL_WITHIN, claims};
use crate::lexicon::Verb;
use crate::meaning::Meaning;
use crate::tokens::{Token, tokens};
use crate::{account, conflict, reader};

/// What a request says that a motion must do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// The expectations. Where a word leaves something open ("lift the head" raises or pitches it), there is a choice.
    pub expects: Vec<Expect>,
    /// What became of the words, in the order of the request.
    pub words: Vec<Accounted>,
    /// What contradicts itself or can't be done, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<String>,
}

/// Whether a motion does what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It does all that was understood, and all was.
    Right,
    /// It does what was understood, but something is not shown.
    Partly {
        /// What is not shown.
        not_shown: Vec<String>,
    },
    /// It does something else.
    Wrong {
        /// What was expected and what was measured instead, a sentence each.
        deviations: Vec<String>,
    },
}

impl Verdict {
    /// Returns the verdict if these words of the request were left out as well: such a tool is right at most in part.
    #[must_use]
    pub fn without(self, left_out: Vec<String>) -> Verdict {
        if left_out.is_empty() {
            return self;
        }
        match self {
            Verdict::Right => Verdict::Partly { not_shown: left_out },
            Verdict::Partly { mut not_shown } => {
                for words in left_out {
                    if !not_shown.contains(&words) {
                        not_shown.push(words);
                    }
                }
                Verdict::Partly { not_shown }
            }
            wrong @ Verdict::Wrong { .. } => wrong,
        }
    }
}

/// Returns the name of the one parameter that a request gives: `bow_to(depth)`.
fn given_parameter(tokens: &[Token]) -> Option<&str> {
    tokens.windows(4).take(12).find_map(|window| match window {
        [name, open, parameter, close]
            if open.word == "("
                && close.word == ")"
                && name.end == open.start
                && !name.is_mark
                && !parameter.is_mark
                && parameter.number.is_none() =>
        {
            Some(parameter.word.as_str())
        }
        _ => None,
    })
}

/// Gives the parameter of an amount its name.
fn rename_parameter(expect: &mut Expect, given: &str) {
    match expect {
        Expect::Parameter { name, .. } if matches!(name.as_str(), "degrees" | "millimetres" | "seconds") => {
            given.clone_into(name);
        }
        Expect::Likely { expect } => rename_parameter(expect, given),
        _ => {}
    }
}

impl Contract {
    /// Reads a request that asks for one thing, whether an event comes or not.
    pub(crate) fn of_one_case(text: &str) -> Contract {
        let tokens = tokens(text);
        let mut atoms = atoms(&tokens);
        let mut clauses = clauses(&mut atoms, &tokens);
        name_things(&mut clauses, &atoms, &tokens);
        let mut reading = reader::read(&clauses);
        conflict::check(&mut reading, &tokens);
        let is_known =
            |atom: &Atom| !matches!(atom.meaning, Meaning::Unknown | Meaning::Verb { verb: Verb::Vague, .. });
        let is_said_of_motion = |at: usize| {
            let clause = clauses.iter().position(|clause| clause.atoms.contains(&at));
            clause.is_none_or(|clause| !reading.unmeasurable.contains(&clause))
        };
        let mut told = atoms.iter().enumerate().filter(|(at, _)| is_said_of_motion(*at));
        let is_understood = told.all(|(_, atom)| is_known(atom)) && reading.lost.is_empty();
        // A mood may move more than the request names.
        let names_all = is_understood && atoms.iter().all(|atom| atom.meaning != Meaning::Manner);
        let mut claims = claims(&reading, is_understood, names_all);
        if let Some(name) = given_parameter(&tokens) {
            claims.all.iter_mut().for_each(|claim| rename_parameter(&mut claim.expect, name));
        }
        let accounts = account::accounts(&atoms, &clauses, &reading, &claims);
        let mut words: Vec<Accounted> = Vec::new();
        for (atom, account) in atoms.iter().zip(accounts) {
            add_word(&mut words, text, atom, &tokens, account);
        }
        let read = tokens.last().map_or(0, |token| token.end);
        if text.get(read..).is_some_and(|rest| rest.chars().any(char::is_alphanumeric)) {
            let rest = text.get(read..).unwrap_or_default();
            words.push(Accounted {
                text: rest.to_owned(),
                span: (read, text.len()),
                account: Account::NotUnderstood,
            });
        }
        Contract {
            expects: claims.all.into_iter().map(|claim| claim.expect).collect(),
            words,
            conflicts: reading.problems.into_iter().map(|problem| problem.text).collect(),
        }
    }

    /// Returns what contradicts itself or can't be done, a sentence each. Such a request is declined.
    #[must_use]
    pub fn conflicts(&self) -> &[String] {
        &self.conflicts
    }

    /// Returns whether nothing measurable was read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.expects.is_empty()
    }

    /// Returns the expectations for [`Expects::measure_runs`] and [`Expects::measure`].
    #[must_use]
    pub fn expectations(&self) -> Expects {
        Expects(self.expects.clone())
    }

    /// Judges a motion by what was measured of each expectation, in their order.
    #[must_use]
    pub fn verdict(&self, measured: &[Measured]) -> Verdict {
        let deviations: Vec<String> =
            measured.iter().filter(|one| !one.held && one.is_measured()).map(ToString::to_string).collect();
        if !deviations.is_empty() {
            return Verdict::Wrong { deviations };
        }
        let mut not_shown = self.texts(&Account::NotUnderstood);
        if self.is_empty() {
            not_shown.insert(0, "nothing measurable was read in the request".to_owned());
        }
        if measured.len() < self.expects.len() {
            not_shown.push(format!(
                "{} of {} expectations were not measured",
                self.expects.len() - measured.len(),
                self.expects.len()
            ));
        }
        not_shown.extend(measured.iter().filter(|one| !one.is_measured()).map(|one| one.expected.clone()));
        not_shown.extend(self.conflicts.iter().cloned());
        if not_shown.is_empty() { Verdict::Right } else { Verdict::Partly { not_shown } }
    }

    /// Returns one or two lines for people: what was measured, what can't be, and what was not understood.
    #[must_use]
    pub fn account(&self, measured: &[Measured]) -> String {
        let mut lines = vec![if self.is_empty() {
            "nothing measurable was read in the request".to_owned()
        } else {
            summary(&self.told(measured))
        }];
        let mut rest = Vec::new();
        for (title, account) in
            [("not measurable", Account::NotMeasurable), ("not understood", Account::NotUnderstood)]
        {
            let texts = self.texts(&account);
            if !texts.is_empty() {
                rest.push(format!("{title}: {}", texts.join(", ")));
            }
        }
        if !self.conflicts.is_empty() {
            rest.push(format!("conflicts: {}", self.conflicts.join(", ")));
        }
        lines.extend((!rest.is_empty()).then(|| rest.join("; ")));
        lines.join("\n")
    }

    /// Leaves out what a person did not ask for and what goes without saying: other parts hardly move, nothing goes to
    /// the other side.
    fn told(&self, measured: &[Measured]) -> Vec<Measured> {
        let is_implied = |expect: &Expect| match expect.plain() {
            Expect::Still { within, .. } => *within > STILL_WITHIN,
            Expect::Moves { at_least, .. } => *at_least == 0.0,
            _ => false,
        };
        let all = self.expects.iter().zip(measured);
        let told: Vec<Measured> = all
            .filter(|(expect, one)| !(one.held && is_implied(expect)))
            .map(|(_, one)| one.clone())
            .collect();
        if told.is_empty() { measured.to_vec() } else { told }
    }

    fn texts(&self, account: &Account) -> Vec<String> {
        self.words.iter().filter(|word| word.account == *account).map(|word| word.text.clone()).collect()
    }
}

/// "When you see a red cup": the words that nobody knows name a thing.
fn name_things(clauses: &mut [Clause], atoms: &[Atom], tokens: &[Token]) {
    for clause in clauses
        .iter_mut()
        .filter(|clause| clause.perceive && clause.trigger.is_some() && clause.event.is_none())
    {
        let unknown: Vec<&str> = clause
            .atoms
            .iter()
            .filter_map(|at| atoms.get(*at))
            .filter(|atom| atom.meaning == Meaning::Unknown)
            .filter_map(|atom| tokens.get(atom.first))
            .filter(|token| token.word.chars().all(|character| character.is_ascii_alphanumeric()))
            .map(|token| token.word.as_str())
            .collect();
        let name = unknown.join(" ");
        if (1..=40).contains(&name.len()) {
            clause.event = Some(Event::Thing(name));
        }
    }
}

/// Adds a stretch, joined with the one before if nobody understood both.
fn add_word(words: &mut Vec<Accounted>, text: &str, atom: &Atom, tokens: &[Token], account: Account) {
    let (Some(first), Some(last)) = (tokens.get(atom.first), tokens.get(atom.end.saturating_sub(1))) else {
        return;
    };
    let (mut start, end) = (first.start, last.end);
    let is_open = |account: &Account| {
        matches!(account, Account::NotUnderstood | Account::Frame | Account::NotMeasurable)
    };
    if let Some(before) = words.last()
        && before.account == account
        && is_open(&account)
        && text.get(before.span.1..start).is_some_and(|gap| gap.chars().all(char::is_whitespace))
    {
        start = before.span.0;
        words.pop();
    }
    let piece = text.get(start..end).unwrap_or_default();
    words.push(Accounted { text: piece.to_owned(), span: (start, end), account });
}
