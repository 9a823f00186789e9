//! Parses sentences into plans: clauses between joining words, each a phrase, a tool, or an order to move.
//!
//! ```text
//! sentence = clause { joiner clause }          joiner = "then" | "and" | "," | ";" | "." | ...
//! clause   = { opener } ( phrase | make | run | motion )
//! make     = "make a tool" ["called" NAME] "that" motion ["called" NAME]
//! run      = ["run"] NAME [arguments] | "run it" [arguments]
//! motion   = the clauses up to the next one of another kind
//! ```
//!
//! What a motion means is read by `motion`.

use minismith_commands::Courtesy;

use super::decline_reason::why;
use super::dialog_context::DialogContext;
use super::intent::{Intent, MAX_STEPS, Reason, Understanding};
use super::known::Known;
use super::lexicon;
use super::motion::motion;
use super::numbers::{Quantity, count, quantity};
use super::parser::{Error, Parser};
use super::phrases;
use super::primitive::OutOfRange;
use super::set_phrases::{SetPhrase, fixed};
use super::tokenize::{Token, tokenize};

/// The reason why a text gives no plan.
pub(super) enum Refused {
    /// `is_mixed`: beside a clause that is understood and orders something else than a motion.
    Unclear {
        heard: String,
        reason: Reason,
        is_mixed: bool,
    },
    Range(OutOfRange),
    /// All of it orders a motion, or nothing.
    Motion,
}

/// Parses a whole text into a plan of which a part is more than a motion.
pub(super) fn parse(text: &str, known: &Known<'_>) -> Result<Vec<Intent>, Refused> {
    let mut parser = Parser::new(text, known);
    parser.context_before_text();
    parser.sentence().map_err(|error| match error {
        Error::Range(range) => Refused::Range(range),
        Error::Unclear { at, reason } => {
            let reason = if reason == Reason::Unknown { why(&tokenize(text)).0 } else { reason };
            Refused::Unclear { heard: parser.words_of(at), reason, is_mixed: parser.is_mixed }
        }
        Error::Motion => Refused::Motion,
    })
}

/// Returns whether a text refers to an earlier action other than a motion.
pub(super) fn refers(text: &str, before: &DialogContext) -> bool {
    let known = Known { before: Some(before), ..Known::default() };
    let mut parser = Parser::new(text, &known);
    parser.context_before_text();
    !matches!(parser.correction(), Ok(None))
}

impl Parser<'_> {
    /// Takes over the tools of the actions before this text.
    fn context_before_text(&mut self) {
        let Some(before) = self.known.before else { return };
        self.earlier_tool = before.tool().cloned();
        let plan = before.last_action().map(|turn| turn.plan.as_slice()).unwrap_or_default();
        if let Some(Intent::RunTool { .. } | Intent::MakeTool { .. }) = plan.last() {
            self.last_tool.clone_from(&self.earlier_tool);
        }
    }

    fn sentence(&mut self) -> Result<Vec<Intent>, Error> {
        if let Some(topic) = self.whole_question()? {
            return Ok(vec![Intent::Report(topic)]);
        }
        if let Some(plan) = self.correction()? {
            return Ok(plan);
        }
        let mut plan = Vec::new();
        self.skip_introduction();
        while self.at < self.tokens.len() {
            // "Great, now twice as many" refers to what was done before the thanks.
            let is_first = plan.iter().all(|intent| matches!(intent, Intent::Courtesy(..)));
            plan.extend(self.clause(is_first)?);
            if plan.len() > MAX_STEPS {
                break;
            }
            self.skip_trailer();
            if !self.clause_ended() {
                return Err(self.rest_unclear());
            }
            self.joint();
        }
        self.reject_negation()?;
        let is_greeting = |intent: &Intent| matches!(intent, Intent::Courtesy(Courtesy::Greeting, _));
        if plan.iter().all(is_greeting) {
            plan.truncate(1);
        } else {
            plan.retain(|intent| !is_greeting(intent));
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

    /// Skips separators before the first clause, and "no,".
    fn skip_introduction(&mut self) {
        self.joint();
        let comma = |at: usize| self.tokens.get(at).is_some_and(|token| token.word().is_none());
        if matches!(self.word(self.at), Some("no" | "nope" | "yes" | "yeah" | "sorry")) && comma(self.at + 1)
        {
            self.at += 1;
            self.joint();
        }
    }

    /// Skips words at the end that change nothing: "what do you see, would you".
    fn skip_trailer(&mut self) {
        if let Some(count) = phrases::trailer(&self.window(self.at)) {
            let end = self.at + count;
            if end >= self.tokens.len() || self.tokens.get(end).is_some_and(|token| token.word().is_none()) {
                self.at = end;
            }
        }
    }

    fn clause(&mut self, is_first: bool) -> Result<Vec<Intent>, Error> {
        let start = self.at;
        if let Some(plan) = self.other_clause()? {
            let acts = |intent: &Intent| {
                matches!(intent, Intent::See(_) | Intent::RunTool { .. } | Intent::MakeTool { .. })
            };
            self.is_mixed |= plan.iter().any(acts);
            return Ok(plan);
        }
        self.at = start;
        let end = self.next_other_clause();
        if is_first && end == self.tokens.len() {
            return Err(Error::Motion);
        }
        let piece = self.words_of(start..end);
        self.at = end;
        self.last_tool = None;
        match motion(&piece, self.known.before.filter(|_| is_first)) {
            Understanding::Plan(plan) => Ok(plan),
            Understanding::OutOfRange(range) => Err(Error::Range(range)),
            Understanding::Unclear { reason, .. } => Err(Error::unclear(start..end, reason)),
            _ => Err(Error::unclear(start..end, Reason::Unknown)),
        }
    }

    /// Parses a clause that is no order to move; none if it is one.
    fn other_clause(&mut self) -> Result<Option<Vec<Intent>>, Error> {
        if let Some(said) = self.talk()? {
            return Ok(Some(vec![said]));
        }
        while let Some(count) = self
            .opener()
            .or_else(|| phrases::hesitation(&self.window(self.at)).filter(|_| self.whole_phrase().is_none()))
        {
            self.at += count;
            while self.tokens.get(self.at).is_some_and(|token| token.is_mark(',') || token.is_mark('.')) {
                self.at += 1;
            }
            if let Some(said) = self.talk()? {
                return Ok(Some(vec![said]));
            }
        }
        self.skip_trailer();
        if self.at >= self.tokens.len() || self.at_joint() {
            return Ok(Some(Vec::new()));
        }
        if let Some(made) = self.make()? {
            return Ok(Some(vec![made]));
        }
        match (self.repetition_at(self.at)?, self.last_tool.clone()) {
            (Some((times, end)), Some((name, arguments))) => {
                self.at = end;
                let runs = self.with_arguments_over(name, arguments)?;
                Ok(Some(runs.into_iter().cycle().take(times as usize).collect()))
            }
            (Some(_), None) => Ok(None),
            (None, _) => match self.run()? {
                Some(runs) => Ok(Some(runs)),
                // "Happy hello" may be a tool.
                None if self.names_tool(self.at) => self.run_bare(),
                None => Ok(None),
            },
        }
    }

    /// Returns where the next clause after this one begins that is no order to move, or the end.
    fn next_other_clause(&mut self) -> usize {
        let start = self.at;
        let mut end = start;
        loop {
            end = self.clause_end(end + 1);
            self.at = end;
            self.joint();
            if self.at >= self.tokens.len() {
                self.at = start;
                return self.tokens.len();
            }
            let begins = self.at;
            let (made, tool) = (self.made.clone(), self.last_tool.clone());
            let is_other = matches!(self.other_clause(), Ok(Some(plan)) if !plan.is_empty());
            (self.made, self.last_tool) = (made, tool);
            if is_other {
                self.at = start;
                return end;
            }
            end = begins;
        }
    }

    /// Returns the length of an introduction to a command; the name of a tool, or a request for a new one,
    /// is none.
    fn opener(&self) -> Option<usize> {
        let words = self.window(self.at);
        let is_sight = matches!(self.sight_here(), Ok(Some(_)));
        if self.names_tool(self.at) || self.whole_phrase().is_some() || is_sight {
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
        if let Some((at, taken)) = self.point_here()? {
            self.at += taken;
            return Ok(Some(Intent::Motion(at)));
        }
        let Some((fixed, taken)) = self.whole_phrase() else { return Ok(None) };
        let intent = match fixed {
            SetPhrase::State => Intent::State,
            SetPhrase::Help => Intent::Help,
            SetPhrase::ListTools => Intent::ListTools,
            SetPhrase::Greet => Intent::Courtesy(Courtesy::Greeting, "en"),
            SetPhrase::Thanks => Intent::Courtesy(Courtesy::Thanks, "en"),
            SetPhrase::SayAgain => {
                let said = self.known.before.and_then(DialogContext::said_last);
                let nothing = || Error::unclear(self.at..self.at + taken, Reason::NothingToRepeat);
                Intent::Say(said.ok_or_else(nothing)?.to_owned())
            }
        };
        self.at += taken;
        Ok(Some(intent))
    }

    fn whole_phrase(&self) -> Option<(SetPhrase, usize)> {
        let (fixed, taken) = fixed(&self.window(self.at))?;
        let end = self.at + taken;
        (end >= self.tokens.len() || self.is_joint(end)).then_some((fixed, taken))
    }

    /// Parses "again", "once more", "repeat that twice" or "do it three times" from a token on: the count, and where it
    /// ends.
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
