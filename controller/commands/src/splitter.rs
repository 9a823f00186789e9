//! Splits tagged words into clauses.

use minismith_score::Event;

use crate::clause::{Clause, Condition, Heading, Link};
use crate::concept::{Act, Concept, Part, Tag, Unit, Way, is_feeling, is_posture};
use crate::refusal::Refusal;
use crate::rewrite::ends_clause;

mod quantities;
mod trailing;

/// Splits tags into clauses.
pub(crate) fn split(tags: &[Tag]) -> Vec<Clause> {
    let mut splitter = Splitter::default();
    for (at, tag) in tags.iter().enumerate() {
        splitter.take(tag, tags.get(at + 1..).unwrap_or(&[]));
    }
    splitter.end_condition();
    splitter.trailing_correction();
    splitter.trailing_while();
    splitter.close(Link::Stop);
    splitter.clauses
}

/// What holds up to the end of a sentence.
#[derive(Clone, Copy, Default)]
struct Scope {
    is_told: bool,
    is_asking: bool,
    is_reason: bool,
    is_requested: bool,
}

#[derive(Default)]
struct Splitter {
    clauses: Vec<Clause>,
    now: Clause,
    scope: Scope,
    /// A condition that is not complete yet.
    condition: Option<Condition>,
    /// What kind of time comes next.
    time: Option<Concept>,
    /// A number that has no unit yet.
    number: Option<f64>,
    /// Whether the last correction takes back what was said.
    is_taken_back: bool,
}

impl Splitter {
    fn fresh(&self, link: Link) -> Clause {
        Clause {
            link,
            is_told: self.scope.is_told,
            is_asking: self.scope.is_asking,
            is_reason: self.scope.is_reason,
            is_requested: self.scope.is_requested,
            begins_sentence: link == Link::Stop,
            ..Clause::default()
        }
    }

    /// Ends the clause; the next one has this link, or the stronger one of two in a row.
    fn close(&mut self, link: Link) {
        let lasts = |clause: &Clause| clause.lasting.or(clause.seconds).is_some();
        if self.time == Some(Concept::For) && self.clauses.iter().any(lasts) {
            // "Look left for two seconds, right for three".
            self.now.lasting = self.number.take().or(self.now.lasting);
        }
        self.flush_number();
        self.time = None;
        if link == Link::Stop {
            self.scope = Scope::default();
        }
        if self.now.is_told && !self.now.has_motion() && matches!(link, Link::Comma | Link::Correction) {
            self.scope.is_told = false;
        }
        if self.now.is_serial
            && self.now.is_bare()
            && self.now.act.is_some_and(|act| {
                matches!(act, Act::Look | Act::Move | Act::Turn | Act::Shift | Act::Spread | Act::Close)
            })
        {
            // "Turn right to look".
            self.now = self.fresh(link);
            return;
        }
        if self.now.is_between
            && let Some(seconds) = self.now.seconds.or(self.now.lasting)
        {
            self.now.pause = Some(seconds);
        }
        if self.now.delay.is_some() && self.now.is_only_modifier() && link == Link::Comma {
            // "And then, after two seconds, nod": the time belongs to what follows.
            return;
        }
        let is_before = self.clauses.is_empty() || self.now.link == Link::Then;
        if self.now.is_taking && self.now.is_only_modifier() && link == Link::Comma && is_before {
            // "Over two seconds, shake your head".
            return;
        }
        if self.now.is_empty()
            && self.now.link == Link::After
            && link == Link::Comma
            && !self.clauses.is_empty()
        {
            // "When you are done, look up".
            self.now.link = Link::Then;
        }
        if self.now.is_empty() {
            let stronger = self.now.link.max(link);
            let is_start =
                self.clauses.is_empty() && matches!(link, Link::And | Link::Comma | Link::Stop | Link::Then);
            let keeps = (
                self.now.is_negated,
                self.now.is_first,
                self.now.is_last,
                self.now.is_cancel,
                self.now.is_it,
            );
            let begins_sentence = self.now.begins_sentence || link == Link::Stop;
            self.now = self.fresh(if is_start { self.now.link } else { stronger });
            self.now.begins_sentence = begins_sentence;
            if !matches!(link, Link::Stop | Link::Comma) || stronger == Link::Correction {
                (
                    self.now.is_negated,
                    self.now.is_first,
                    self.now.is_last,
                    self.now.is_cancel,
                    self.now.is_it,
                ) = keeps;
            }
            return;
        }
        let next = self.fresh(link);
        self.clauses.push(std::mem::replace(&mut self.now, next));
    }

    /// Takes a tag as a part of a condition. Returns whether it was one.
    fn takes_condition(&mut self, concept: &Concept) -> bool {
        let Some(condition) = &mut self.condition else { return false };
        match concept {
            Concept::Signal(event) | Concept::If(event) => condition.event = Some(event.clone()),
            Concept::Nobody => {
                condition.event.get_or_insert(Event::Face);
                condition.is_negated = !condition.is_negated;
            }
            Concept::Not => condition.is_negated = !condition.is_negated,
            Concept::Act(act) if condition.event.is_some() && *act != Act::Hold => {
                self.end_condition();
                return false;
            }
            Concept::Comma
            | Concept::Stop
            | Concept::Question
            | Concept::Then
            | Concept::Request
            | Concept::Otherwise => {
                self.end_condition();
                return matches!(concept, Concept::Comma | Concept::Then);
            }
            _ => {}
        }
        true
    }

    fn end_condition(&mut self) {
        if let Some(condition) = self.condition.take() {
            self.now.condition = Some(condition);
            self.close(Link::Comma);
        }
    }

    /// Takes one tag.
    fn take(&mut self, tag: &Tag, rest: &[Tag]) {
        if self.takes_condition(&tag.concept) {
            return;
        }
        let next = rest.first().map(|tag| &tag.concept);
        match &tag.concept {
            Concept::Number(number) => {
                self.flush_number();
                self.number = Some(*number);
            }
            Concept::Unit(unit) => self.unit(*unit),
            Concept::Times => {
                let count = self.number.take().or(self.now.number.take());
                if count.is_some_and(|count| count.fract() != 0.0) {
                    self.now.impossible = Some(Refusal::WholeTimes);
                }
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
            Concept::Act(act) => self.act(*act, matches!(next, Some(Concept::Part(_)))),
            Concept::Part(part) => {
                self.flush_number();
                self.now.is_chin |= *part == Part::Chin;
                self.now.parts.push(if *part == Part::Chin { Part::Head } else { *part });
            }
            Concept::Way(way) => {
                if self.now.act.is_some()
                    && !self.now.ways.is_empty()
                    && matches!(next, Some(Concept::Act(_)))
                {
                    // The way stands before its verb: "左转三十度右转三十度".
                    self.close(Link::Comma);
                }
                self.way(*way);
            }
            Concept::With
                if (matches!(next, Some(Concept::Part(_))) && !self.tells_of_part(rest))
                    || !self.now.has_content() =>
            {
                // "Wave with the left antenna", "with your head tilted".
                let begins = matches!(self.now.link, Link::Start | Link::Comma)
                    || (self.now.link == Link::Stop && !matches!(next, Some(Concept::Act(_))));
                if !self.now.has_content() && begins {
                    self.now.link = Link::With;
                }
            }
            Concept::With => self.close(Link::With),
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
            Concept::NotVerb => {
                let goes_on = !self.now.ways.is_empty() && matches!(next, Some(Concept::Way(_)));
                if goes_on {
                    self.close(Link::Comma);
                }
                self.now.is_negated = true;
            }
            Concept::And | Concept::Comma
                if matches!(next, Some(Concept::Part(_)))
                    && (self.names_only_parts() || self.lets_parts(rest)) =>
            {
                // "The left and the right antenna", "let your head and body turn".
            }
            Concept::Then
                if self.is_open()
                    && self.now.seconds.or(self.now.lasting).is_none()
                    // "举起天线，然后往左看": the way belongs to the verb after it.
                    && !matches!(rest, [way, act, ..] if matches!((&way.concept, &act.concept), (Concept::Way(_), Concept::Act(_))))
                    && (matches!(next, Some(Concept::Way(_) | Concept::Number(_)))
                        || (matches!(next, Some(Concept::Part(_))) && self.now.parts.is_empty())) =>
            {
                // "Turn then to the left".
                self.now.link = if self.now.link < Link::With { Link::Then } else { self.now.link };
            }
            Concept::Last => {
                if self.now.has_content() && matches!(next, Some(Concept::Act(_))) {
                    self.close(Link::Then);
                }
                self.now.is_last = true;
            }
            Concept::MoreOrThen
                if self.clauses.is_empty() && self.now.act.is_none() && self.now.ways.is_empty() =>
            {
                // "再往左一点", "头再往左一点".
                self.now.is_again = true;
            }
            Concept::MoreOrThen => self.close(Link::Then),
            Concept::StopOrderAlone => {
                if self.now.is_empty()
                    && next
                        .is_none_or(|next| matches!(next, Concept::Comma | Concept::Stop | Concept::Question))
                {
                    self.stop_order(tag);
                }
            }
            // "For two seconds each".
            Concept::EachTime if next.is_none_or(ends_clause) && self.has_time() => self.now.is_each = true,
            Concept::After if matches!(next, Some(Concept::Number(_) | Concept::Unit(Unit::Time(_)))) => {
                // "After two seconds".
                self.close(Link::Then);
                self.time = Some(Concept::After);
            }
            Concept::Correction if self.is_corrected_by_fragment(rest) => self.now.link = Link::Correction,
            Concept::If(event) => self.condition(Some(event.clone()), false),
            Concept::When if next == Some(&Concept::Past) => self.mark(&Concept::Request),
            Concept::When => self.condition(None, false),
            Concept::Unless => self.condition(None, true),
            Concept::StopOrder => self.stop_order(tag),
            Concept::First => {
                if self.now.has_content() && matches!(next, Some(Concept::Act(_))) {
                    self.close(Link::Then);
                }
                self.now.is_first = true;
            }
            // "Clap and nod": outside of a condition, it is an order.
            Concept::Signal(Event::Clap) if self.now.is_empty() => {
                self.now.impossible = Some(Refusal::NotPossible)
            }
            // "And call my mother": a verb that is not known stands before.
            Concept::Somebody
                if matches!(self.now.link, Link::And | Link::Then)
                    && !self.now.unknown.is_empty()
                    && !self.now.has_content() => {}
            Concept::Or if self.now.is_negated => {
                if self.now.act.is_some() && matches!(next, Some(Concept::Act(_))) {
                    // "Do not wave or nod".
                    self.close(Link::Comma);
                    self.now.is_negated = true;
                }
            }
            Concept::Unknown | Concept::Or => self.now.unknown.push(tag.span.clone()),
            concept => self.mark(concept),
        }
    }

    /// Takes a concept that joins clauses.
    fn mark(&mut self, concept: &Concept) {
        match concept {
            Concept::And => self.close(Link::And),
            Concept::Comma => self.close(Link::Comma),
            Concept::Stop | Concept::Question => self.close(Link::Stop),
            Concept::Then => {
                // "Two seconds later".
                if !self.now.has_motion()
                    && self.now.act.is_none()
                    && !self.now.is_again
                    && self.now.seconds.is_some()
                {
                    self.now.act = Some(Act::Wait);
                }
                self.close(Link::Then);
            }
            Concept::While => self.close(Link::While),
            Concept::EachTime => {
                self.close(Link::While);
                self.now.is_each = true;
            }
            // "Do not nod before you have looked left".
            Concept::Before if self.now.is_negated && self.now.act.is_some() && !self.now.is_stop_order => {
                self.now.is_negated = false;
                self.close(Link::After);
                self.now.is_awaited = true;
            }
            Concept::Before => self.close(Link::Before),
            Concept::After => self.close(Link::After),
            Concept::Correction | Concept::TakenBack => {
                self.is_taken_back = *concept == Concept::TakenBack;
                if self.now.act == Some(Act::Wait) && self.now.seconds.is_none() && self.now.lasting.is_none()
                {
                    // "Wait, no".
                    self.now.act = None;
                }
                self.close(Link::Correction);
            }
            Concept::Otherwise => self.close(Link::Otherwise),
            Concept::Until if self.now.is_negated && !self.now.has_motion() => {
                // "But not until you have nodded".
                self.now.is_negated = false;
                self.close(Link::After);
            }
            Concept::Until if self.now.is_negated && !self.now.is_stop_order => {
                // "Do not look up until you have nodded".
                self.now.is_negated = false;
                self.close(Link::After);
                self.now.is_awaited = true;
            }
            Concept::Until => self.close(Link::Before),
            Concept::Request => {
                if self.now.act.is_some() || !self.now.unknown.is_empty() || self.now.is_told {
                    self.close(Link::Comma);
                }
                self.scope = Scope { is_told: false, is_reason: false, is_requested: true, ..self.scope };
                (self.now.is_told, self.now.is_reason) = (false, false);
                (self.now.is_requested, self.now.impossible) = (true, None);
            }
            Concept::Restart => {
                self.close(Link::Comma);
                self.scope = Scope::default();
                (self.now.is_told, self.now.is_asking, self.now.is_reason) = (false, false, false);
                self.now.impossible = None;
            }
            Concept::Because => {
                self.close(Link::Comma);
                self.scope.is_reason = true;
                self.now.is_reason = true;
            }
            Concept::Asks => {
                self.scope.is_asking = true;
                self.now.is_asking = true;
            }
            Concept::Somebody => {
                self.scope.is_told = true;
                self.now.is_told = true;
            }
            concept => self.modifier(concept),
        }
    }

    /// Takes a concept that says more of the clause.
    fn modifier(&mut self, concept: &Concept) {
        match concept {
            Concept::Still => self.now.is_still = true,
            Concept::Size(size) => self.now.size = Some(*size),
            Concept::Most => self.now.is_most = true,
            Concept::Pace(pace) => self.now.pace = Some(*pace),
            Concept::More(compared) => self.now.compared.push(*compared),
            Concept::Fewer => {
                self.now.is_fewer = self.number.or(self.now.number).is_some() || self.now.count.is_some();
            }
            Concept::Together => self.now.is_together = true,
            Concept::To => self.now.is_goal = true,
            Concept::InTurn => self.now.is_in_turn = true,
            Concept::Instead => self.now.is_instead = true,
            Concept::Again => self.now.is_again = true,
            Concept::AsWell => self.now.is_as_well = true,
            Concept::Same => self.now.is_same = true,
            Concept::It => self.now.is_it = true,
            Concept::BothTurns => (self.now.is_both_turns, self.now.is_same) = (true, true),
            Concept::OtherOrder => {
                self.now.is_other_order = true;
                self.now.ways.push(Heading { way: Way::Opposite, amount: None });
            }
            Concept::Undo => self.now.is_undo = true,
            Concept::Stay => self.now.is_stay = true,
            Concept::UntilStop => self.now.is_until_stop = true,
            Concept::Only => self.now.is_only = true,
            Concept::Taking => match self.now.seconds.take() {
                Some(seconds) => self.now.within = Some(seconds),
                None => self.time = Some(Concept::Taking),
            },
            Concept::Between => self.now.is_between = true,
            Concept::Factor(factor) => self.now.factor = Some(*factor),
            Concept::Trend(trend) => self.now.trend = Some(*trend),
            Concept::Cancel => {
                if self.now.has_motion() {
                    self.close(Link::Comma);
                }
                self.now.is_cancel = true;
            }
            Concept::Past => self.now.is_past = !matches!(self.now.act, Some(Act::Hold | Act::Move)),
            Concept::Cannot => self.now.impossible = Some(Refusal::NotPossible),
            _ => {}
        }
    }

    fn condition(&mut self, event: Option<Event>, is_negated: bool) {
        self.close(Link::Comma);
        let is_complete = event.is_some();
        self.condition = Some(Condition { event, is_negated });
        if is_complete {
            self.end_condition();
        }
    }

    /// "Stop" alone, "then stop" at the end, "stop looking down", or "stop for two seconds".
    fn stop_order(&mut self, tag: &Tag) {
        self.flush_number();
        if !self.now.unknown.is_empty() {
            // "The bus stop".
            self.now.unknown.push(tag.span.clone());
            return;
        }
        if self.now.is_only_modifier() && !self.now.is_negated {
            // "Sixty is enough".
            return;
        }
        if self.now.has_motion() {
            self.close(Link::Comma);
        }
        self.now.is_stop_order = true;
    }

    /// Returns whether nothing but parts was said.
    fn names_only_parts(&self) -> bool {
        self.now.names_only_parts() && self.number.is_none() && self.now.amount.is_none()
    }

    /// Returns whether a verb still waits for where it goes.
    fn is_open(&self) -> bool {
        self.now.act.is_some_and(is_posture)
            && self.now.ways.is_empty()
            && self.now.amount.is_none()
            && self.number.is_none()
    }

    fn way(&mut self, way: Way) {
        self.flush_number();
        let is_side = |way: Way| matches!(way, Way::Left | Way::Right | Way::Out | Way::In);
        let has = |is_that: &dyn Fn(Way) -> bool| self.now.ways.iter().any(|heading| is_that(heading.way));
        let is_sideways =
            (way == Way::Aside && has(&is_side)) || (is_side(way) && has(&|way| way == Way::Aside));
        if is_sideways && self.now.act == Some(Act::Move) && self.now.parts == [Part::Head] {
            // "Move your head sideways to the left".
            self.now.act = Some(Act::Shift);
        }
        if way == Way::Aside && has(&is_side) {
            return;
        }
        if is_side(way) {
            self.now.ways.retain(|heading| heading.way != Way::Aside);
        }
        let amount = self.now.amount.take();
        if self.now.is_most
            && self.now.act == Some(Act::Turn)
            && matches!(way, Way::Left | Way::Right)
            && matches!(self.now.ways.as_slice(), [Heading { way: Way::Left, amount: None }])
        {
            // "Look behind you to the right".
            self.now.ways.clear();
        }
        self.now.ways.push(Heading { way, amount });
    }

    fn act(&mut self, act: Act, is_part_next: bool) {
        if self.now.is_between && self.now.act != Some(act) {
            // "A pause between each nod".
            return;
        }
        if self.now.is_stop_order {
            // "Stop looking down".
            self.now.is_negated = true;
        }
        let number = self.number.take();
        if self.now.act.is_none() && (!self.now.parts.is_empty() || !self.now.ways.is_empty()) {
            self.now.is_verb_last = true;
        }
        self.join_act(act, is_part_next);
        match number {
            // "A dozen wiggles", "four nods".
            Some(number) if !is_posture(act) && act != Act::Return && self.now.count.is_none() => {
                self.now.count = Some(number.max(0.0) as u32)
            }
            Some(number) => self.now.number = Some(number),
            None => {}
        }
    }

    fn join_act(&mut self, act: Act, is_part_next: bool) {
        let Some(before) = self.now.act else {
            self.now.act = Some(act);
            return;
        };
        self.now.is_kept |= before == Act::Hold;
        let is_bare = self.now.ways.is_empty();
        let is_open = is_bare && self.now.amount.is_none() && self.now.count.is_none();
        let is_vague =
            matches!(before, Act::Move | Act::Shift | Act::Turn | Act::Hold | Act::Raise | Act::Lower);
        if before == act && is_bare {
            return;
        }
        if is_open && act == Act::Look && matches!(before, Act::Raise | Act::Lower) {
            // "Raise your gaze".
            self.now.act = Some(act);
            self.way(if before == Act::Raise { Way::Up } else { Way::Down });
        } else if is_open
            && ((before == Act::Look && is_feeling(act)) || (is_plain_move(before) && !is_part_next))
        {
            // "Move your head in a circle".
            self.now.act = Some(act);
        } else if act == Act::Return && is_bare && is_posture(before) {
            // "Turn your head back".
            self.now.act = Some(act);
            self.now.undone = (before == Act::Tilt).then_some(before);
        } else if is_bare
            && is_vague
            && (self.now.parts.is_empty() || before == Act::Hold || act == Act::Look)
        {
            // "Keep wiggling", "turn your head to look left".
            self.now.act = Some(act);
        } else if is_bare && act == Act::Move && self.now.parts.is_empty() {
            // "Tilt move".
        } else {
            self.close(Link::Comma);
            self.now.act = Some(act);
            self.now.is_serial = true;
        }
    }
}

const fn is_plain_move(act: Act) -> bool {
    matches!(act, Act::Move | Act::Turn | Act::Hold | Act::Shift)
}
