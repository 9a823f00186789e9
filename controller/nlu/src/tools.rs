//! Parses clauses about tools: requests for a new one, and calls of one by name.

use std::ops::Range;

use minismith_commands::names_act;
use serde_json::Map;

use super::aim::Aim;
use super::cursor::Joint;
use super::decimal::plain;
use super::intent::{Intent, Reason};
use super::lexicon;
use super::motion::steps;
use super::motion_segments::{MotionSegment, lower};
use super::name::{name_for, tool_name};
use super::parser::{Error, Parser};
use super::primitive::{OutOfRange, Primitive};
use super::tokenize::Kind;

/// Maximum number of steps of a tool made by the grammar: as many as fit a page of Python.
pub const MAX_TOOL_STEPS: usize = 10;

/// Maximum duration of one repetition of such a tool, in seconds. Twice this, at half speed, must fit a
/// rehearsal.
pub const MAX_TOOL_S: f64 = 25.0;

impl Parser<'_> {
    /// Parses "make a tool called NAME that ..."; none if the clause is about something else.
    pub fn make(&mut self) -> Result<Option<Intent>, Error> {
        let start = self.at;
        let Some(noun) = self.tool_noun() else { return Ok(None) };
        self.at = noun + 1;
        let mut name = self.name_clause()?;
        if name.is_none() && !self.is_end(self.at) && !self.leads_to_steps(self.at) {
            name = Some(self.name()?);
        }
        let body = self.body(start, &mut name)?;
        let name = name.unwrap_or_else(|| name_for(&body));
        self.made.push(name.clone());
        self.last_tool = Some((name.clone(), Map::new()));
        Ok(Some(Intent::MakeTool { name, body, request: self.text.to_owned() }))
    }

    /// Returns whether a request for a new tool begins here.
    pub fn makes_tool(&self) -> bool {
        self.tool_noun().is_some()
    }

    /// Returns whether a tool's whole name begins here, in one word or several.
    pub fn names_tool(&self, at: usize) -> bool {
        self.tool_at(at).is_some()
    }

    /// Returns the index of "tool" if the clause begins like "make a new tool".
    fn tool_noun(&self) -> Option<usize> {
        let small =
            ["a", "an", "the", "new", "me", "yourself", "simple", "little", "small", "short", "python"];
        self.word(self.at).filter(|word| lexicon::is_make(word))?;
        let mut at = self.at + 1;
        while self.word(at).is_some_and(|word| small.contains(&word)) {
            at += 1;
        }
        self.word(at).is_some_and(lexicon::is_tool_noun).then_some(at)
    }

    /// Parses the steps of a tool. They end at a clause that runs it or makes another, or at a new sentence
    /// about something else.
    fn body(&mut self, start: usize, name: &mut Option<String>) -> Result<Vec<Primitive>, Error> {
        let mut body = Vec::new();
        loop {
            let before = self.at;
            let joint = self.joint();
            let continues = self.leads_to_steps(self.at);
            if self.at >= self.tokens.len() || (joint == Joint::Sentence && !body.is_empty() && !continues) {
                self.at = before;
                break;
            }
            while self.leads_to_steps(self.at) {
                self.at += 1;
            }
            if let Some(said) = self.name_clause()? {
                *name = Some(said);
                continue;
            }
            if self.runs_a_tool(name.as_deref()) || self.tool_noun().is_some() {
                self.at = before;
                break;
            }
            let end = self.steps_end(name.as_deref());
            let piece = self.at..end;
            let moves = steps(&self.as_order(piece.clone()));
            body.extend(moves.map_err(|range| match range {
                Some(range) => Error::Range(range),
                None => Error::unclear(piece, Reason::Unknown),
            })?);
            self.at = end;
            if body.len() > MAX_TOOL_STEPS {
                let allowed = format!("up to {MAX_TOOL_STEPS} steps; make two tools");
                return Err(range(format!("a tool of more than {MAX_TOOL_STEPS} steps"), allowed));
            }
        }
        if body.is_empty() {
            return Err(Error::unclear(start..self.clause_end(start), Reason::Unknown));
        }
        let seconds: f64 =
            lower(&body, Aim::neutral()).iter().map(MotionSegment::duration).map(|d| d.as_secs_f64()).sum();
        if seconds > MAX_TOOL_S {
            let allowed = format!("up to {} s; make two tools", plain(MAX_TOOL_S));
            return Err(range(format!("a tool that takes {} s", plain(seconds)), allowed));
        }
        Ok(body)
    }

    /// Returns where the steps of a tool end that begin here: at a name, at an order to run a tool or to make another, or at
    /// a sentence of its own.
    fn steps_end(&mut self, name: Option<&str>) -> usize {
        let start = self.at;
        let mut end = start + 1;
        while end < self.tokens.len() {
            if matches!(self.word(end), Some("called" | "named")) {
                break;
            }
            if self.is_joint(end) {
                self.at = end;
                let joint = self.joint();
                let leads = self.leads_to_steps(self.at);
                let ends = self.leads_to_name(self.at).is_some()
                    || leads
                    || joint == Joint::Sentence
                    || self.runs_a_tool(name)
                    || self.tool_noun().is_some();
                if ends {
                    break;
                }
                end = self.at;
            } else {
                end += 1;
            }
        }
        self.at = start;
        end
    }

    /// Returns what a tool does as an order: "nods and shakes its head" as "nod and shake its head".
    fn as_order(&self, piece: Range<usize>) -> String {
        let mut order = String::new();
        let mut end = None;
        for token in self.tokens.get(piece).unwrap_or_default() {
            // What stands for several words in the text has a span of all of them.
            if end.is_some_and(|end| token.span.end <= end) {
                continue;
            }
            let said = self.text.get(token.span.clone()).unwrap_or_default();
            let gap = end.and_then(|end| self.text.get(end..token.span.start)).unwrap_or_default();
            order.push_str(gap);
            order.push_str(token.word().and_then(plain_form).as_deref().unwrap_or(said));
            end = Some(token.span.end);
        }
        order
    }

    /// Returns whether words here lead from the tool to its steps.
    fn leads_to_steps(&self, at: usize) -> bool {
        let leads =
            ["that", "which", "to", "for", "it", "should", "shall", "will", "also", "finally", "me", "you"];
        self.word(at).is_some_and(|word| leads.contains(&word))
    }

    /// Returns how many words here lead to a tool's name.
    fn leads_to_name(&self, at: usize) -> Option<usize> {
        match (self.word(at), self.word(at + 1)) {
            (Some("call" | "name"), Some("it" | "this")) => Some(2),
            (Some("called" | "named"), _) => Some(1),
            _ => None,
        }
    }

    /// Parses "called NAME" or "call it NAME".
    fn name_clause(&mut self) -> Result<Option<String>, Error> {
        let Some(taken) = self.leads_to_name(self.at) else { return Ok(None) };
        self.at += taken;
        self.name().map(Some)
    }

    fn name(&mut self) -> Result<String, Error> {
        let start = self.at;
        let quoted = match self.tokens.get(start).map(|token| &token.kind) {
            Some(Kind::Quoted(text)) => Some(text.clone()),
            _ => None,
        };
        let raw = if let Some(text) = quoted {
            self.at += 1;
            text
        } else {
            while self.at < self.tokens.len() && !self.at_joint() && !self.leads_to_steps(self.at) {
                self.at += 1;
            }
            if self.at == start {
                return Err(Error::unclear(start.saturating_sub(1)..start, Reason::Unknown));
            }
            self.words_of(start..self.at)
        };
        tool_name(&raw).map_err(Error::Range)
    }

    /// Returns whether the clause runs a tool: "it", a known one, or the one being made.
    fn runs_a_tool(&self, name: Option<&str>) -> bool {
        if !self.word(self.at).is_some_and(lexicon::is_run) {
            return false;
        }
        let at = self.after_articles(self.at + 1);
        matches!(self.word(at), Some("it" | "that" | "this"))
            || self.tool_at(at).is_some()
            || name.is_some_and(|name| self.spelled(name, at).is_some())
    }

    /// Parses "run NAME ...", "run it ...", or a tool's name alone; none if the clause is about something
    /// else.
    pub fn run(&mut self) -> Result<Option<Vec<Intent>>, Error> {
        let start = self.at;
        if !self.word(start).is_some_and(lexicon::is_run) {
            let exact = self.tool_at(start).filter(|(_, end)| *end == start + 1);
            let command = self.word(start).is_some_and(super::name::is_command);
            return if exact.is_some() && !command { self.run_bare() } else { Ok(None) };
        }
        let at = self.after_articles(start + 1);
        if let Some((name, end)) = self.tool_at(at) {
            self.at = end + usize::from(self.word(end).is_some_and(lexicon::is_tool_noun));
            return self.with_arguments(name).map(Some);
        }
        if matches!(self.word(at), Some("it" | "that" | "this")) || (at > start + 1 && self.is_end(at)) {
            let last = self.last_tool.as_ref().map(|(name, _)| name).or(self.made.last());
            let last = last.or(self.earlier_tool.as_ref().map(|(name, _)| name));
            let Some(name) = last.cloned() else {
                return Err(Error::unclear(start..self.clause_end(start), Reason::WhichTool));
            };
            self.at = at + usize::from(!self.is_end(at));
            self.at += usize::from(self.word(self.at).is_some_and(lexicon::is_tool_noun));
            return self.with_arguments(name).map(Some);
        }
        // In "do a little dance", the verb comes later.
        self.at = start + 1;
        Ok(None)
    }

    /// Parses a tool's name without a verb, in one word or several.
    pub fn run_bare(&mut self) -> Result<Option<Vec<Intent>>, Error> {
        let Some((name, end)) = self.tool_at(self.at) else { return Ok(None) };
        self.at = end;
        self.with_arguments(name).map(Some)
    }

    pub fn is_end(&self, at: usize) -> bool {
        at >= self.tokens.len() || self.is_joint(at)
    }

    pub fn after_articles(&self, mut at: usize) -> usize {
        while self
            .word(at)
            .is_some_and(|word| matches!(word, "the" | "your" | "my" | "tool" | "skill" | "new"))
        {
            at += 1;
        }
        at
    }

    /// Returns the longest name of a tool that begins here, and where it ends.
    pub fn tool_at(&self, at: usize) -> Option<(String, usize)> {
        let known = self.known.tools.iter().map(|tool| &tool.name);
        let all = known.chain(&self.made);
        all.filter_map(|name| Some((name.clone(), self.spelled(name, at)?))).max_by_key(|(_, end)| *end)
    }

    /// Returns the end of this identifier if it begins here: `happy_hello`, `Happy Hello` or `"happy
    /// hello"`.
    pub fn spelled(&self, identifier: &str, at: usize) -> Option<usize> {
        let identifier = identifier.to_lowercase();
        if let Some(Kind::Quoted(text)) = self.tokens.get(at).map(|token| &token.kind) {
            return (text.to_lowercase().replace([' ', '-'], "_") == identifier).then_some(at + 1);
        }
        let mut spelled = String::new();
        let mut end = at;
        while spelled.len() < identifier.len() {
            let token = self.tokens.get(end)?;
            if !spelled.is_empty() {
                spelled.push('_');
            }
            spelled.push_str(&self.text.get(token.span.clone())?.to_lowercase());
            end += 1;
            if !identifier.starts_with(&spelled) {
                return None;
            }
        }
        (spelled == identifier).then_some(end)
    }
}

/// Returns the form in which a verb is an order: "nod" for "nods".
fn plain_form(word: &str) -> Option<String> {
    if word == "goes" {
        return Some("go".to_owned());
    }
    let forms = [word.strip_suffix('s'), word.strip_suffix("es")];
    let plain = forms.into_iter().flatten().find(|plain| names_act(plain))?;
    Some(plain.to_owned())
}

pub(super) fn range(what: String, allowed: String) -> Error {
    Error::Range(OutOfRange { what, allowed })
}
