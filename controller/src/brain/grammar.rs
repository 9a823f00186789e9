//! Sentences into plans: clauses between joining words, each a phrase, a tool or a motion.
//!
//! ```text
//! sentence = clause { joiner clause }          joiner = "then" | "and" | "," | ";" | "." | ...
//! clause   = { opener } ( phrase | make | run | step )
//! step     = phrase of motion | repeat | [verb] modifiers          (a verb may be carried on: "look left and right")
//! make     = "make a tool" ["called" NAME] "that" step { joiner step } ["called" NAME]
//! run      = ["run"] NAME [arguments] | "run it" [arguments]
//! ```

use std::ops::Range;

use firmware_bridge::units::Radians;
use serde_json::{Map, Value};

use super::build::count;
use super::frame::{Frame, begins_inside};
use super::lexicon::{self, Part, Verb};
use super::numbers::{Quantity, quantity};
use super::offline::{Intent, Known, MOST_STEPS, Reason};
use super::phrases::{self, Fixed};
use super::primitive::{self, OutOfRange, Primitive};
use super::tokenize::{Token, tokenize};

/// Why a clause gives no plan; tokens are named by their place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Trouble {
    Unclear { at: Range<usize>, reason: Reason },
    Range(OutOfRange),
}

impl Trouble {
    pub fn unclear(at: Range<usize>, reason: Reason) -> Self {
        Trouble::Unclear { at, reason }
    }
}

/// Why a text gives no plan.
pub(super) enum Refused {
    Unclear { heard: String, reason: Reason },
    Range(OutOfRange),
}

/// The plan of a whole text.
pub(super) fn parse(text: &str, known: &Known<'_>) -> Result<Vec<Intent>, Refused> {
    let mut parser = Parser { text, tokens: tokenize(text), at: 0, known, made: Vec::new(), last_tool: None };
    parser.sentence().map_err(|trouble| match trouble {
        Trouble::Range(range) => Refused::Range(range),
        Trouble::Unclear { at, reason } => Refused::Unclear { heard: parser.words_of(at), reason },
    })
}

/// What the next clause of motion may refer back to.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    verb: Option<(Verb, Option<Part>)>,
    /// Everything since the last verb.
    group: Vec<Primitive>,
}

pub(super) struct Parser<'a> {
    pub text: &'a str,
    pub tokens: Vec<Token>,
    pub at: usize,
    pub known: &'a Known<'a>,
    /// Tools made so far in this text.
    pub made: Vec<String>,
    /// The tool that "it" means, and the arguments of its last run.
    pub last_tool: Option<(String, Map<String, Value>)>,
}

impl Parser<'_> {
    fn sentence(&mut self) -> Result<Vec<Intent>, Trouble> {
        self.refuse_negation()?;
        let mut plan = Vec::new();
        let mut flow = Flow::default();
        self.joint();
        while self.at < self.tokens.len() {
            plan.extend(self.clause(&mut flow)?);
            if plan.len() > MOST_STEPS {
                break;
            }
            if !self.clause_ended() {
                return Err(self.rest_unclear());
            }
            self.joint();
        }
        if plan.iter().all(|intent| *intent == Intent::Greet) {
            plan.truncate(1);
        } else {
            plan.retain(|intent| *intent != Intent::Greet);
        }
        if plan.is_empty() { Err(Trouble::unclear(0..usize::MAX, Reason::Unknown)) } else { Ok(plan) }
    }

    /// What a person does not want is never done, and never guessed around.
    fn refuse_negation(&self) -> Result<(), Trouble> {
        let negated = |token: &Token| token.word().is_some_and(lexicon::is_negation);
        match self.tokens.iter().position(negated) {
            Some(at) => Err(Trouble::unclear(at..self.clause_end(at), Reason::Negated)),
            None => Ok(()),
        }
    }

    fn clause(&mut self, flow: &mut Flow) -> Result<Vec<Intent>, Trouble> {
        if let Some(said) = self.talk() {
            return Ok(vec![said]);
        }
        while let Some(count) = phrases::opener(&self.window(self.at)) {
            self.at += count;
            if let Some(said) = self.talk() {
                return Ok(vec![said]);
            }
        }
        if self.at >= self.tokens.len() || self.at_joint() {
            return Ok(Vec::new());
        }
        if let Some(made) = self.make()? {
            *flow = Flow::default();
            return Ok(vec![made]);
        }
        let runs = match (self.repetition()?, self.last_tool.clone()) {
            (Some((times, end)), Some((name, arguments))) => {
                self.at = end;
                Some(vec![Intent::RunTool { name, arguments }; times as usize])
            }
            (Some(_), None) => None,
            (None, _) => self.run()?,
        };
        if let Some(runs) = runs {
            *flow = Flow::default();
            return Ok(runs);
        }
        let start = self.at;
        match self.step(flow) {
            Ok(steps) => {
                self.last_tool = None;
                Ok(steps.into_iter().map(Intent::Motion).collect())
            }
            Err(trouble) => {
                // "happy hello" may be a tool, now that it is certain that it is no motion.
                self.at = start;
                self.run_bare()?.ok_or(trouble)
            }
        }
    }

    /// A phrase that is a whole clause and moves nothing.
    fn talk(&mut self) -> Option<Intent> {
        let (fixed, taken) = self.whole_phrase()?;
        let intent = match fixed {
            Fixed::See => Intent::See,
            Fixed::State => Intent::State,
            Fixed::Help => Intent::Help,
            Fixed::ListTools => Intent::ListTools,
            Fixed::Greet => Intent::Greet,
            Fixed::Thanks => Intent::Thanks,
            Fixed::Center | Fixed::Wake | Fixed::Sleep | Fixed::TurnRound => return None,
        };
        self.at += taken;
        Some(intent)
    }

    fn whole_phrase(&self) -> Option<(Fixed, usize)> {
        let (fixed, taken) = phrases::fixed(&self.window(self.at))?;
        let end = self.at + taken;
        (end >= self.tokens.len() || self.is_joint(end)).then_some((fixed, taken))
    }

    /// One clause of motion.
    pub fn step(&mut self, flow: &mut Flow) -> Result<Vec<Primitive>, Trouble> {
        if let Some((fixed, taken)) = self.whole_phrase() {
            let primitive = match fixed {
                Fixed::Center => Some(Primitive::Center),
                Fixed::Wake => Some(Primitive::Wake),
                Fixed::Sleep => Some(Primitive::Sleep),
                Fixed::TurnRound => {
                    let angle = Radians::from_degrees(180.0);
                    Some(Primitive::TurnBody { angle, duration: primitive::body_duration(angle) })
                }
                _ => None,
            };
            if let Some(primitive) = primitive {
                primitive.check().map_err(Trouble::Range)?;
                self.at += taken;
                *flow = Flow { verb: None, group: vec![primitive] };
                return Ok(vec![primitive]);
            }
        }
        if let Some((times, end)) = self.repetition()? {
            if flow.group.is_empty() {
                return Err(Trouble::unclear(self.at..end, Reason::NothingToRepeat));
            }
            self.at = end;
            return Ok(repeat(&flow.group, times));
        }
        let start = self.at;
        let clause = start..self.clause_end(start);
        self.skip_to_verb();
        match self.word(self.at).and_then(lexicon::verb) {
            Some(verb) => {
                let (mut frame, end) = Frame::read(verb, &self.tokens, self.at + 1)?;
                if let Some(pace) = self.word(start).and_then(lexicon::pace) {
                    frame.set_pace(pace, start)?;
                }
                let part = frame.part;
                let (built, times) = frame.build(verb, clause)?;
                self.at = end;
                let built = repeat(&built, times.unwrap_or(1));
                *flow = Flow { verb: Some((verb, part)), group: built.clone() };
                Ok(built)
            }
            None => self.carried_on(flow, clause),
        }
    }

    /// A clause without a verb: "antennas up", or the verb of the clause before: "look left and right".
    fn carried_on(&mut self, flow: &mut Flow, clause: Range<usize>) -> Result<Vec<Primitive>, Trouble> {
        let rest = self.tokens.get(clause.start..).unwrap_or_default();
        if !begins_inside(rest) {
            return Err(Trouble::unclear(clause, Reason::Unknown));
        }
        let carried = flow.verb;
        let (mut frame, end) =
            Frame::read(carried.map_or(Verb::Move, |(verb, _)| verb), &self.tokens, clause.start)?;
        let (verb, fresh) = match (frame.part, carried) {
            (Some(_), None) => (Verb::Move, true),
            (Some(_), Some(_)) if frame.aims() => (Verb::Move, true),
            (_, Some((verb, part))) => {
                frame.part = frame.part.or(part);
                (verb, false)
            }
            (None, None) => return Err(Trouble::unclear(clause, Reason::Unknown)),
        };
        let part = frame.part;
        let (built, times) = frame.build(verb, clause)?;
        self.at = end;
        let mut steps = built.clone();
        if fresh {
            steps = repeat(&built, times.unwrap_or(1));
            *flow = Flow { verb: Some((verb, part)), group: steps.clone() };
        } else {
            // "look left and right twice" repeats the pair.
            flow.group.extend(built);
            steps.extend(repeat(&flow.group, times.unwrap_or(1).saturating_sub(1)));
        }
        Ok(steps)
    }

    /// "again", "once more", "repeat that twice", "do it three times": how often, and where it ends.
    fn repetition(&self) -> Result<Option<(u32, usize)>, Trouble> {
        let word = |at: usize| self.word(at);
        let pronoun = |at: usize| matches!(word(at), Some("it" | "that" | "this"));
        let (mut end, mut certain) = (self.at, false);
        if matches!(word(end), Some("repeat" | "repeats")) {
            (end, certain) = (end + 1 + usize::from(pronoun(end + 1)), true);
        } else if matches!(word(end), Some("do" | "does")) && pronoun(end + 1) {
            end += 2;
        }
        let mut times = None;
        for _ in 0..2 {
            if word(end) == Some("again") {
                (end, certain) = (end + 1, true);
            }
            if let Some((Quantity::Times(said), taken)) = self.tokens.get(end..).and_then(quantity) {
                let more = (end..end + taken + 1).any(|at| word(at) == Some("more"));
                certain |= more || end > self.at;
                times = Some(count(said, "repeating a motion")?);
                end += taken;
                end += usize::from(word(end) == Some("more"));
            }
        }
        Ok(certain.then_some((times.unwrap_or(1), end)))
    }

    /// "a nod", "a little dance", "slowly turn left".
    fn skip_to_verb(&mut self) {
        let mut at = self.at + usize::from(self.word(self.at).and_then(lexicon::pace).is_some());
        while self
            .word(at)
            .is_some_and(|word| matches!(word, "a" | "an" | "the" | "your" | "little" | "small" | "short"))
        {
            at += 1;
        }
        if self.word(at).and_then(lexicon::verb).is_some() {
            self.at = at;
        }
    }
}

fn repeat(steps: &[Primitive], times: u32) -> Vec<Primitive> {
    steps.iter().copied().cycle().take(steps.len().saturating_mul(times as usize)).collect()
}
