//! Splits tagged words into clauses: one thing to do each, with what is said of it.

use std::ops::Range;

use minismith_score::Event;

use crate::concept::{Act, Compared, Concept, Part, Unit, Way};
use crate::tagger::Tag;

/// How a clause follows the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Link {
    /// It is the first one.
    #[default]
    Start,
    /// "and"
    And,
    /// A comma.
    Comma,
    /// The end of a sentence.
    Stop,
    /// A colon or the like after "do this twice".
    Then,
    /// "with"
    With,
    /// "while"
    While,
    /// "before": this clause comes after what was said, or the next clause comes first.
    Before,
    /// "after": this clause comes first.
    After,
    /// "no, I mean"
    Correction,
    /// "otherwise"
    Otherwise,
}

/// A way with how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Heading {
    pub way: Way,
    /// Degrees or millimetres.
    pub amount: Option<Said>,
}

/// An amount as it was said.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Said {
    Degrees(f64),
    Millimetres(f64),
}

/// One thing to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clause {
    pub link: Link,
    pub act: Option<Act>,
    pub parts: Vec<Part>,
    pub ways: Vec<Heading>,
    /// An amount that stands at no way.
    pub amount: Option<Said>,
    /// A number without a unit.
    pub number: Option<f64>,
    pub count: Option<u32>,
    /// "for two seconds"
    pub lasting: Option<f64>,
    /// "in two seconds", after the verb
    pub within: Option<f64>,
    /// "in two seconds", before everything else
    pub delay: Option<f64>,
    /// "every two seconds"
    pub period: Option<f64>,
    /// "two seconds"
    pub seconds: Option<f64>,
    pub size: Option<f64>,
    pub is_most: bool,
    pub pace: Option<f64>,
    pub compared: Vec<Compared>,
    pub is_negated: bool,
    pub is_still: bool,
    pub is_again: bool,
    pub is_same: bool,
    pub is_it: bool,
    pub is_as_well: bool,
    pub is_undo: bool,
    pub is_stay: bool,
    pub is_last: bool,
    pub is_first: bool,
    pub is_instead: bool,
    pub is_together: bool,
    pub is_in_turn: bool,
    pub is_until_stop: bool,
    pub condition: Option<Event>,
    pub is_told: bool,
    pub is_impossible: bool,
    pub is_halt: bool,
    /// What is not understood, bytes.
    pub unknown: Vec<Range<usize>>,
}

impl Clause {
    /// Returns whether it says nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_content() && self.unknown.is_empty() && !self.is_told && !self.is_impossible && !self.is_halt
    }

    /// Returns whether it says something of a motion.
    pub(crate) fn has_content(&self) -> bool {
        self.act.is_some()
            || !self.parts.is_empty()
            || !self.ways.is_empty()
            || self.is_only_modifier()
            || self.is_still
            || self.is_undo
            || self.is_again
            || self.is_same
            || self.condition.is_some()
    }

    /// Returns whether it says how often, how far, how long or how fast.
    pub(crate) fn is_only_modifier(&self) -> bool {
        self.act.is_none()
            && self.parts.is_empty()
            && self.ways.is_empty()
            && (self.amount.is_some()
                || self.number.is_some()
                || self.count.is_some()
                || self.lasting.is_some()
                || self.within.is_some()
                || self.delay.is_some()
                || self.period.is_some()
                || self.seconds.is_some()
                || self.size.is_some()
                || self.is_most
                || self.pace.is_some()
                || self.is_stay
                || self.is_together
                || self.is_in_turn
                || self.is_until_stop
                || !self.compared.is_empty())
    }

    /// Takes over what a following fragment says of this clause.
    pub(crate) fn absorb(&mut self, other: &Clause) {
        self.amount = other.amount.or(self.amount);
        self.number = other.number.or(self.number);
        self.count = other.count.or(self.count);
        self.lasting = other.lasting.or(other.seconds).or(self.lasting);
        self.within = other.within.or(self.within);
        self.period = other.period.or(self.period);
        self.size = other.size.or(self.size);
        self.is_most |= other.is_most;
        self.pace = other.pace.or(self.pace);
        self.compared.extend(&other.compared);
        self.is_stay |= other.is_stay;
        self.is_together |= other.is_together;
        self.is_in_turn |= other.is_in_turn;
        self.is_until_stop |= other.is_until_stop;
    }
}

/// Splits tags into clauses.
pub(crate) fn split(tags: &[Tag]) -> Vec<Clause> {
    let mut splitter = Splitter::default();
    let mut at = 0;
    while let Some(tag) = tags.get(at) {
        at += splitter.take(tag, tags.get(at + 1..).unwrap_or(&[]));
    }
    splitter.close(Link::Stop);
    splitter.clauses
}

#[derive(Default)]
struct Splitter {
    clauses: Vec<Clause>,
    now: Clause,
    /// What kind of time comes next.
    time: Option<Concept>,
    /// A number that has no unit yet.
    number: Option<f64>,
}

impl Splitter {
    /// Ends the clause; the next one has this link, or the stronger one of two in a row.
    fn close(&mut self, link: Link) {
        self.flush_number();
        self.time = None;
        if self.now.is_empty() {
            let stronger = self.now.link.max(link);
            let is_start = self.clauses.is_empty() && matches!(link, Link::And | Link::Comma | Link::Stop | Link::Then);
            let keeps = (self.now.is_negated, self.now.is_first, self.now.is_last);
            self.now = Clause { link: if is_start { self.now.link } else { stronger }, ..Clause::default() };
            if !matches!(link, Link::Stop | Link::Comma) {
                (self.now.is_negated, self.now.is_first, self.now.is_last) = keeps;
            }
            return;
        }
        let next = Clause { link, ..Clause::default() };
        self.clauses.push(std::mem::replace(&mut self.now, next));
    }

    fn flush_number(&mut self) {
        if let Some(number) = self.number.take() {
            self.now.number = Some(number);
        }
    }

    /// Takes one tag and returns how many tags it used.
    fn take(&mut self, tag: &Tag, rest: &[Tag]) -> usize {
        let next = rest.first().map(|tag| &tag.concept);
        match &tag.concept {
            Concept::Number(number) => {
                self.flush_number();
                self.number = Some(*number);
            }
            Concept::Unit(unit) => self.unit(*unit),
            Concept::Times => {
                let count = self.number.take().or(self.now.number.take());
                self.now.count = count.map(|count| count.max(0.0) as u32).or(self.now.count);
            }
            Concept::Count(count) => {
                self.flush_number();
                self.now.count = Some(*count);
            }
            Concept::For | Concept::In | Concept::Every => {
                self.flush_number();
                self.time = Some(tag.concept.clone());
            }
            Concept::Act(act) => self.act(*act),
            Concept::Part(part) => {
                self.flush_number();
                self.now.parts.push(*part);
            }
            Concept::Way(way) => self.way(*way),
            Concept::And => self.close(Link::And),
            Concept::Comma => self.close(Link::Comma),
            Concept::Stop | Concept::Question => self.close(Link::Stop),
            Concept::Then => {
                // "Two seconds later".
                if self.now.act.is_none() && self.now.ways.is_empty() && self.now.parts.is_empty() && self.now.seconds.is_some() {
                    self.now.act = Some(Act::Wait);
                }
                self.close(Link::Then);
            }
            Concept::First => {
                if self.now.has_content() {
                    self.close(Link::Then);
                }
                self.now.is_first = true;
            }
            Concept::Last => {
                if self.now.has_content() {
                    self.close(Link::Then);
                }
                self.now.is_last = true;
            }
            Concept::While => self.close(Link::While),
            Concept::With => {
                if matches!(next, Some(Concept::Part(_))) || !self.now.has_content() {
                    // "Wave with the left antenna".
                } else {
                    self.close(Link::With);
                }
            }
            Concept::Before => self.close(Link::Before),
            Concept::After => self.close(Link::After),
            Concept::Correction => self.close(Link::Correction),
            Concept::Otherwise => self.close(Link::Otherwise),
            Concept::Not => {
                if self.now.act.is_some() {
                    self.close(Link::Comma);
                }
                self.now.is_negated = true;
            }
            Concept::Without => {
                self.close(Link::Comma);
                self.now.is_negated = true;
            }
            Concept::Still => self.now.is_still = true,
            Concept::If(event) => {
                self.close(Link::Comma);
                self.now.condition = Some(event.clone());
                self.close(Link::Comma);
            }
            Concept::Until => self.close(Link::Before),
            Concept::Size(size) => self.now.size = Some(*size),
            Concept::Most => self.now.is_most = true,
            Concept::Pace(pace) => self.now.pace = Some(*pace),
            Concept::More(compared) => self.now.compared.push(*compared),
            Concept::Together => self.now.is_together = true,
            Concept::InTurn => self.now.is_in_turn = true,
            Concept::Instead => self.now.is_instead = true,
            Concept::Again => self.now.is_again = true,
            Concept::AsWell => self.now.is_as_well = true,
            Concept::Same => self.now.is_same = true,
            Concept::It => self.now.is_it = true,
            Concept::Undo => self.now.is_undo = true,
            Concept::Stay => self.now.is_stay = true,
            Concept::UntilStop => self.now.is_until_stop = true,
            Concept::Somebody => self.now.is_told = true,
            Concept::Cannot => self.now.is_impossible = true,
            Concept::Halt => self.now.is_halt = true,
            Concept::Unknown => self.now.unknown.push(tag.span.clone()),
            _ => {}
        }
        1
    }

    fn unit(&mut self, unit: Unit) {
        let number = self.number.take().or(self.now.number.take()).unwrap_or(1.0);
        match unit {
            Unit::Angle(factor) => self.amount(Said::Degrees(number * factor)),
            Unit::Length(factor) => self.amount(Said::Millimetres(number * factor)),
            Unit::Time(factor) => {
                let seconds = number * factor;
                match self.time.take() {
                    Some(Concept::For) => self.now.lasting = Some(seconds),
                    Some(Concept::Every) => self.now.period = Some(seconds),
                    Some(Concept::In) if self.now.act.is_none() && self.now.ways.is_empty() => {
                        self.now.delay = Some(seconds);
                    }
                    Some(Concept::In) => self.now.within = Some(seconds),
                    _ => self.now.seconds = Some(seconds),
                }
            }
        }
    }

    fn amount(&mut self, said: Said) {
        match self.now.ways.last_mut() {
            Some(heading) if heading.amount.is_none() => heading.amount = Some(said),
            _ => self.now.amount = Some(said),
        }
    }

    fn way(&mut self, way: Way) {
        self.flush_number();
        let amount = self.now.amount.take();
        self.now.ways.push(Heading { way, amount });
    }

    fn act(&mut self, act: Act) {
        self.flush_number();
        let Some(before) = self.now.act else {
            self.now.act = Some(act);
            return;
        };
        let is_bare = self.now.ways.is_empty();
        let is_vague = matches!(before, Act::Move | Act::Turn | Act::Hold | Act::Raise | Act::Lower);
        let is_general = matches!(act, Act::Move | Act::Hold);
        if before == act && is_bare {
            return;
        }
        if is_bare && is_vague && (self.now.parts.is_empty() || before == Act::Hold || act == Act::Look) {
            // "Keep wiggling", "turn your head to look left".
            self.now.act = Some(act);
        } else if is_bare && is_general && self.now.parts.is_empty() && act == Act::Move {
            // "Tilt move".
        } else {
            self.close(Link::Comma);
            self.now.act = Some(act);
        }
    }
}
