//! Parses sentences into plans: clauses between joining words, each a phrase, a tool or a motion.
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

use super::build::count;
use super::decline_reason::why;
use super::dialog_context::DialogContext;
use super::gesture::gesture;
use super::intent::{Intent, MAX_STEPS, Reason};
use super::known::Known;
use super::lexicon::{self, Part, Verb};
use super::numbers::{Quantity, quantity};
use super::parser::{Error, Parser};
use super::phrases;
use super::primitive::{self, OutOfRange, Primitive};
use super::set_phrases::{SetPhrase, fixed};
use super::slots::{Slots, begins_inside, verb_at};
use super::tokenize::{Token, tokenize};

/// The reason why a text gives no plan.
pub(super) enum Refused {
    Unclear { heard: String, reason: Reason },
    Range(OutOfRange),
}

/// Parses a whole text into a plan.
pub(super) fn parse(text: &str, known: &Known<'_>) -> Result<Vec<Intent>, Refused> {
    let mut parser = Parser::new(text, known);
    let mut flow = parser.context_before_text();
    parser.sentence(&mut flow).map_err(|error| match error {
        Error::Range(range) => Refused::Range(range),
        Error::Unclear { at, reason } => {
            let reason = if reason == Reason::Unknown { why(&tokenize(text)) } else { reason };
            Refused::Unclear { heard: parser.words_of(at), reason }
        }
    })
}

/// Returns whether a text refers to an earlier action, even if there is none.
pub(super) fn refers(text: &str, before: &DialogContext) -> bool {
    let known = Known { before: Some(before), ..Known::default() };
    let mut parser = Parser::new(text, &known);
    parser.context_before_text();
    !matches!(parser.correction(), Ok(None))
}

/// The motions to which the next clause may refer.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    verb: Option<(Verb, Option<Part>)>,
    /// All primitives since the last verb.
    group: Vec<Primitive>,
}

impl Flow {
    /// Returns the context for a clause that follows these motions.
    pub fn after(group: Vec<Primitive>) -> Self {
        let verb = group.last().and_then(|last| match last {
            Primitive::Look { .. } => Some((Verb::Look, None)),
            Primitive::Tilt { .. } => Some((Verb::Tilt, None)),
            Primitive::TurnBody { .. } => Some((Verb::Turn, None)),
            Primitive::SetAntennas { .. } => Some((Verb::Move, Some(Part::Antennas))),
            _ => None,
        });
        Flow { verb, group }
    }
}

impl Parser<'_> {
    /// Returns the context for the first clause: the actions before this text.
    fn context_before_text(&mut self) -> Flow {
        let Some(before) = self.known.before else { return Flow::default() };
        self.earlier_tool = before.tool().cloned();
        let plan = before.last_action().map(|turn| turn.plan.as_slice()).unwrap_or_default();
        if let Some(Intent::RunTool { .. } | Intent::MakeTool { .. }) = plan.last() {
            self.last_tool.clone_from(&self.earlier_tool);
        }
        let motion = |intent: &Intent| match intent {
            Intent::Motion(primitive) => Some(*primitive),
            _ => None,
        };
        Flow::after(plan.iter().map(motion).collect::<Option<_>>().unwrap_or_default())
    }

    fn sentence(&mut self, flow: &mut Flow) -> Result<Vec<Intent>, Error> {
        if let Some(topic) = self.whole_question()? {
            return Ok(vec![Intent::Report(topic)]);
        }
        if let Some(plan) = self.correction()? {
            return Ok(plan);
        }
        self.reject_negation()?;
        self.reject_reversed_order()?;
        let mut plan = Vec::new();
        self.skip_introduction();
        while self.at < self.tokens.len() {
            plan.extend(self.clause(flow)?);
            if plan.len() > MAX_STEPS {
                break;
            }
            self.skip_trailer();
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
        if plan.is_empty() { Err(Error::unclear(0..usize::MAX, Reason::Unknown)) } else { Ok(plan) }
    }

    /// Rejects negations: what the user does not want is never done, and never guessed around.
    fn reject_negation(&self) -> Result<(), Error> {
        let negated = |token: &Token| token.word().is_some_and(lexicon::is_negation);
        match self.tokens.iter().position(negated) {
            Some(at) => Err(Error::unclear(at..self.clause_end(at), Reason::Negated)),
            None => Ok(()),
        }
    }

    /// Rejects a reversed order such as "before looking right, nod", where the first motion comes last.
    fn reject_reversed_order(&self) -> Result<(), Error> {
        let begins = |at: usize| {
            at.checked_sub(1).is_none_or(|before| {
                let full_stop = |mark| self.tokens.get(before).is_some_and(|token| token.is_mark(mark));
                ['.', '!', '?', ';'].into_iter().any(full_stop)
                    || matches!(self.word(before), Some("and" | "then" | "but"))
            })
        };
        match (0..self.tokens.len()).find(|&at| self.word(at) == Some("before") && begins(at)) {
            Some(at) => Err(Error::unclear(at..self.clause_end(at + 1), Reason::Unknown)),
            None => Ok(()),
        }
    }

    /// Skips separators before the first clause, "no,", and the "after" of "after looking left, nod".
    fn skip_introduction(&mut self) {
        self.joint();
        let comma = |at: usize| self.tokens.get(at).is_some_and(|token| token.word().is_none());
        if matches!(self.word(self.at), Some("no" | "nope" | "yes" | "yeah" | "sorry")) && comma(self.at + 1)
        {
            self.at += 1;
            self.joint();
        }
        let you = usize::from(self.word(self.at + 1) == Some("you"));
        if self.word(self.at) == Some("after")
            && self.word(self.at + 1).is_some_and(|word| word.ends_with("ing") || word == "you")
            && (self.at..self.tokens.len())
                .any(|at| self.tokens.get(at).is_some_and(|token| token.is_mark(',')))
        {
            self.at += 1 + you;
        }
    }

    /// Skips words at the end that change nothing: "nod, would you", "nod okay".
    fn skip_trailer(&mut self) {
        if let Some(count) = phrases::trailer(&self.window(self.at)) {
            let end = self.at + count;
            if end >= self.tokens.len() || self.tokens.get(end).is_some_and(|token| token.word().is_none()) {
                self.at = end;
            }
        }
    }

    fn clause(&mut self, flow: &mut Flow) -> Result<Vec<Intent>, Error> {
        if let Some(said) = self.talk()? {
            return Ok(vec![said]);
        }
        // In "look left, er, right" it is not certain whether the first direction still counts.
        let first = self.at == 0 || (0..self.at).all(|at| self.word(at).is_none());
        let mut hesitates = false;
        while let Some(count) = self.opener().or_else(|| {
            let count = phrases::hesitation(&self.window(self.at)).filter(|_| self.whole_phrase().is_none());
            hesitates |= count.is_some();
            count
        }) {
            self.at += count;
            while hesitates
                && self.tokens.get(self.at).is_some_and(|token| token.is_mark(',') || token.is_mark('.'))
            {
                self.at += 1;
            }
            if let Some(said) = self.talk()? {
                return Ok(vec![said]);
            }
        }
        self.skip_trailer();
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
                let runs = self.with_arguments_over(name, arguments)?;
                Some(runs.into_iter().cycle().take(times as usize).collect())
            }
            (Some(_), None) => None,
            (None, _) => self.run()?,
        };
        if let Some(runs) = runs {
            *flow = Flow::default();
            return Ok(runs);
        }
        let start = self.at;
        if hesitates && !first && verb_at(&self.tokens, start).is_none() && self.whole_phrase().is_none() {
            return Err(self.rest_unclear());
        }
        match self.step(flow) {
            Ok(steps) => {
                self.last_tool = None;
                Ok(steps.into_iter().map(Intent::Motion).collect())
            }
            Err(error) => {
                // "happy hello" may be a tool, once it is certain that it is not a motion.
                self.at = start;
                self.run_bare()?.ok_or(error)
            }
        }
    }

    /// Returns the length of an introduction to a command; the name of a tool, or a request for a new one,
    /// is none.
    fn opener(&self) -> Option<usize> {
        let words = self.window(self.at);
        let is_sight = matches!(self.sight_here(), Ok(Some(_)));
        if self.names_tool(self.at) || self.whole_phrase().is_some() || is_sight || gesture(&words).is_some()
        {
            return None;
        }
        let gives = || phrases::gives(&words).filter(|_| !self.makes_tool());
        phrases::opener(&words).or_else(gives)
    }

    /// Parses a phrase that is a whole clause: about the robot, about what it sees, or one that moves
    /// nothing.
    fn talk(&mut self) -> Result<Option<Intent>, Error> {
        if let Some((topic, taken)) = self.question_here() {
            self.at += taken;
            return Ok(Some(Intent::Report(topic)));
        }
        if let Some((sight, taken)) = self.sight_here()? {
            self.at += taken;
            return Ok(Some(Intent::See(sight)));
        }
        let Some((fixed, taken)) = self.whole_phrase() else { return Ok(None) };
        let intent = match fixed {
            SetPhrase::State => Intent::State,
            SetPhrase::Help => Intent::Help,
            SetPhrase::ListTools => Intent::ListTools,
            SetPhrase::Greet => Intent::Greet,
            SetPhrase::Thanks => Intent::Thanks,
            SetPhrase::SayAgain => {
                let said = self.known.before.and_then(DialogContext::said_last);
                let nothing = || Error::unclear(self.at..self.at + taken, Reason::NothingToRepeat);
                Intent::Say(said.ok_or_else(nothing)?.to_owned())
            }
            SetPhrase::Center | SetPhrase::Wake | SetPhrase::Sleep | SetPhrase::TurnRound => return Ok(None),
        };
        self.at += taken;
        Ok(Some(intent))
    }

    fn whole_phrase(&self) -> Option<(SetPhrase, usize)> {
        let (fixed, taken) = fixed(&self.window(self.at))?;
        let end = self.at + taken;
        (end >= self.tokens.len() || self.is_joint(end)).then_some((fixed, taken))
    }

    /// Parses one clause of motion.
    pub fn step(&mut self, flow: &mut Flow) -> Result<Vec<Primitive>, Error> {
        if let Some((fixed, taken)) = self.whole_phrase() {
            let primitive = match fixed {
                SetPhrase::Center => Some(Primitive::Center),
                SetPhrase::Wake => Some(Primitive::Wake),
                SetPhrase::Sleep => Some(Primitive::Sleep),
                SetPhrase::TurnRound => {
                    let angle = Radians::from_degrees(180.0);
                    Some(Primitive::TurnBody { angle, duration: primitive::body_duration(angle) })
                }
                _ => None,
            };
            if let Some(primitive) = primitive {
                primitive.check().map_err(Error::Range)?;
                self.at += taken;
                *flow = Flow { verb: None, group: vec![primitive] };
                return Ok(vec![primitive]);
            }
        }
        if let Some((motions, taken)) = gesture(&self.window(self.at))
            && (self.at + taken >= self.tokens.len() || self.is_joint(self.at + taken))
        {
            self.at += taken;
            *flow = Flow { verb: None, group: motions.clone() };
            return Ok(motions);
        }
        if let Some((times, end)) = self.repetition()? {
            if flow.group.is_empty() {
                return Err(Error::unclear(self.at..end, Reason::NothingToRepeat));
            }
            self.at = end;
            return Ok(repeat(&flow.group, times));
        }
        let start = self.at;
        let clause = start..self.clause_end(start);
        match verb_at(&self.tokens, start) {
            Some((verb, at)) => {
                let (mut frame, end) = Slots::read(verb, &self.tokens, at + 1)?;
                frame.read_before(verb, &self.tokens, start, at)?;
                let part = frame.part;
                let built = frame.build(verb, clause).map_err(|error| self.without_side_question(error, end));
                let (built, times) = built?;
                self.at = end;
                let built = several_times(&built, times, start..end)?;
                *flow = Flow { verb: Some((verb, part)), group: built.clone() };
                Ok(built)
            }
            None => self.clause_without_verb(flow, clause),
        }
    }

    /// Reports a missing direction as not understood if more words follow: in "turn the page", the
    /// direction is not the problem.
    fn without_side_question(&self, error: Error, end: usize) -> Error {
        match error {
            Error::Unclear { at, reason: Reason::WhichWay } if !self.is_end(end) => {
                Error::unclear(at, Reason::Unknown)
            }
            error => error,
        }
    }

    /// Parses a clause without a verb: "antennas up", or one that continues the verb before it: "look left
    /// and right".
    fn clause_without_verb(
        &mut self,
        flow: &mut Flow,
        clause: Range<usize>,
    ) -> Result<Vec<Primitive>, Error> {
        let rest = self.tokens.get(clause.start..).unwrap_or_default();
        if !begins_inside(rest) {
            return Err(Error::unclear(clause, Reason::Unknown));
        }
        let carried = flow.verb;
        let (mut frame, end) =
            Slots::read(carried.map_or(Verb::Move, |(verb, _)| verb), &self.tokens, clause.start)?;
        let (verb, fresh) = match (frame.part, carried) {
            (Some(_), None) => (Verb::Move, true),
            (Some(_), Some(_)) if frame.aims() => (Verb::Move, true),
            (_, Some((verb, part))) => {
                frame.part = frame.part.or(part);
                (verb, false)
            }
            (None, None) => return Err(Error::unclear(clause, Reason::Unknown)),
        };
        let part = frame.part;
        let start = clause.start;
        let (built, times) =
            frame.build(verb, clause).map_err(|error| self.without_side_question(error, end))?;
        self.at = end;
        let mut steps = built.clone();
        if fresh {
            steps = several_times(&built, times, start..end)?;
            *flow = Flow { verb: Some((verb, part)), group: steps.clone() };
        } else {
            // "look left and right twice" repeats the pair.
            flow.group.extend(built);
            steps.extend(repeat(&flow.group, times.unwrap_or(1).saturating_sub(1)));
        }
        Ok(steps)
    }

    /// Parses "again", "once more", "repeat that twice" or "do it three times": the count, and where it
    /// ends.
    fn repetition(&self) -> Result<Option<(u32, usize)>, Error> {
        self.repetition_at(self.at)
    }

    /// Does the same from this token on.
    pub fn repetition_at(&self, start: usize) -> Result<Option<(u32, usize)>, Error> {
        let word = |at: usize| self.word(at);
        let pronoun = |at: usize| matches!(word(at), Some("it" | "that" | "this"));
        let (mut end, mut certain) = (start, false);
        if matches!(word(end), Some("repeat" | "repeats" | "repeating")) {
            (end, certain) = (end + 1 + usize::from(pronoun(end + 1)), true);
        } else if matches!(word(end), Some("do" | "does" | "doing")) && pronoun(end + 1) {
            end += 2;
        }
        let mut times = None;
        for _ in 0..2 {
            if word(end) == Some("again") {
                (end, certain) = (end + 1, true);
            }
            if let Some((Quantity::Times(said), taken)) = self.tokens.get(end..).and_then(quantity) {
                let more = (end..end + taken + 1).any(|at| word(at) == Some("more"));
                certain |= more || end > start;
                times = Some(count(said, "repeating a motion")?);
                end += taken;
                end += usize::from(word(end) == Some("more"));
            }
        }
        Ok(certain.then_some((times.unwrap_or(1), end)))
    }
}

/// Repeats steps. A position that is already reached cannot be reached again: "raise your antennas four
/// times" means some other, unknown motion.
fn several_times(built: &[Primitive], times: Option<u32>, at: Range<usize>) -> Result<Vec<Primitive>, Error> {
    let times = times.unwrap_or(1);
    match built {
        [only] if times > 1 && only.is_position() => Err(Error::unclear(at, Reason::Unknown)),
        _ => Ok(repeat(built, times)),
    }
}

fn repeat(steps: &[Primitive], times: u32) -> Vec<Primitive> {
    steps.iter().copied().cycle().take(steps.len().saturating_mul(times as usize)).collect()
}
