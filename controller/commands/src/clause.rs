//! A clause: one thing to do, with what is said of it.

use std::ops::Range;

use minismith_score::Event;

use crate::concept::{Act, Compared, Part, Way, is_posture};
use crate::refusal::Refusal;

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

/// A condition. Nothing is known of its event if the robot cannot tell whether it holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Condition {
    pub event: Option<Event>,
    pub is_negated: bool,
}

/// What was said last, to which a text may refer. It is kept with a [`crate::Past`], and only this crate reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phrase(pub(crate) Option<Box<Clause>>);

impl Phrase {
    /// Returns whether it is one clause that says an angle and no direction: "the left antenna to 45 degrees", "to -30".
    #[must_use]
    pub fn says_angle_alone(&self) -> bool {
        self.0.as_ref().is_some_and(|clause| {
            let is_negative =
                clause.is_goal && matches!(clause.ways.as_slice(), [heading] if heading.way == Way::In);
            clause.ways.is_empty() || is_negative
        })
    }
}

/// One thing to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Clause {
    pub link: Link,
    pub act: Option<Act>,
    pub parts: Vec<Part>,
    pub ways: Vec<Heading>,
    /// How many degrees or millimetres the last unit has.
    pub unit: Option<f64>,
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
    /// It takes that long: "over two seconds".
    pub is_taking: bool,
    /// "every two seconds"
    pub period: Option<f64>,
    /// "two seconds"
    pub seconds: Option<f64>,
    pub size: Option<f64>,
    pub is_most: bool,
    /// Its number is where it goes, not how far: "to ten degrees".
    pub is_goal: bool,
    /// The part that moves was called chin or nose.
    pub is_chin: bool,
    pub pace: Option<f64>,
    pub compared: Vec<Compared>,
    /// Whether its number is taken off the one before: "two fewer".
    pub is_fewer: bool,
    pub is_negated: bool,
    pub is_still: bool,
    pub is_again: bool,
    pub is_same: bool,
    pub is_it: bool,
    /// Whether it refers to the last two motions.
    pub is_both_turns: bool,
    /// Whether it begins a sentence.
    pub begins_sentence: bool,
    /// Whether the steps come in the other order; then it also goes the opposite way.
    pub is_other_order: bool,
    pub is_as_well: bool,
    pub is_undo: bool,
    pub is_stay: bool,
    pub is_last: bool,
    pub is_first: bool,
    pub is_instead: bool,
    pub is_together: bool,
    pub is_in_turn: bool,
    pub is_until_stop: bool,
    pub is_only: bool,
    /// It names no verb of its own.
    pub is_fragment: bool,
    /// It is a state that is kept while something else happens.
    pub is_kept: bool,
    /// It happens at each repetition of what was said before.
    pub is_each: bool,
    /// A time is a rest between repetitions.
    pub is_between: bool,
    /// A rest between repetitions, seconds.
    pub pause: Option<f64>,
    /// A factor of what a comparison names.
    pub factor: Option<f64>,
    /// From one repetition to the next.
    pub trend: Option<Compared>,
    /// What it names is taken out of the sentence.
    pub is_cancel: bool,
    /// What is taken back: "turn your head back".
    pub undone: Option<Act>,
    pub condition: Option<Condition>,
    /// What was said before must not happen until this does.
    pub is_awaited: bool,
    /// It tells of somebody.
    pub is_told: bool,
    /// It belongs to a question, or gives a reason.
    pub is_asking: bool,
    /// It gives a reason.
    pub is_reason: bool,
    /// Its verb stands after what it moves.
    pub is_verb_last: bool,
    /// It follows the verb before it without a word between them.
    pub is_serial: bool,
    /// It is asked of the robot.
    pub is_requested: bool,
    /// Its verb is in the past.
    pub is_past: bool,
    pub impossible: Option<Refusal>,
    pub is_stop_order: bool,
    /// What is not understood, bytes.
    pub unknown: Vec<Range<usize>>,
}

impl Clause {
    /// Returns whether it says nothing at all.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_content()
            && self.unknown.is_empty()
            && !self.is_told
            && self.impossible.is_none()
            && !self.is_stop_order
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
            || self.is_cancel
            || self.condition.is_some()
    }

    /// Returns whether it names a motion or a part of one.
    pub(crate) fn has_motion(&self) -> bool {
        self.act.is_some() || !self.parts.is_empty() || !self.ways.is_empty()
    }

    /// Returns whether it names parts and says nothing of them.
    pub(crate) fn names_only_parts(&self) -> bool {
        self.act.is_none()
            && self.ways.is_empty()
            && !self.parts.is_empty()
            && !self.is_still
            && self.unknown.is_empty()
            && self.count.is_none()
            && !self.is_negated
    }

    /// Returns whether it tells or asks of a motion, and orders none.
    pub(crate) fn is_description(&self) -> bool {
        self.is_told || self.is_asking || (self.is_past && !self.is_requested && self.link < Link::With)
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
                || self.is_between
                || self.factor.is_some()
                || self.trend.is_some()
                || !self.compared.is_empty())
    }

    /// Takes over what a following fragment says of this clause.
    pub(crate) fn absorb(&mut self, other: &Clause) {
        self.amount = other.amount.or(self.amount);
        if other.amount.is_some() {
            self.ways.iter_mut().for_each(|heading| heading.amount = None);
            self.number = None;
        }
        if let Some(number) = other.number {
            self.take_number(number);
        }
        self.unit = other.unit.or(self.unit);
        self.count = other.count.or(self.count);
        if !other.is_between {
            self.lasting = other.lasting.or(other.seconds).or(self.lasting);
        }
        self.within = other.within.or(other.delay).or(self.within);
        self.period = other.period.or(self.period);
        self.size = other.size.or(self.size);
        self.is_most |= other.is_most;
        self.pace = other.pace.or(self.pace);
        self.pause = other.pause.or(self.pause);
        self.trend = other.trend.or(self.trend);
        self.factor = other.factor.or(self.factor);
        self.is_again |= other.is_again;
        self.is_same |= other.is_same;
        self.is_it |= other.is_it;
        self.compared.extend(&other.compared);
        self.is_stay |= other.is_stay;
        self.is_together |= other.is_together;
        self.is_in_turn |= other.is_in_turn;
        self.is_until_stop |= other.is_until_stop;
        self.is_each |= other.is_each;
    }

    /// Returns whether it names a time and nothing else.
    pub(crate) fn says_a_time_only(&self) -> bool {
        let rest = Clause { lasting: None, seconds: None, link: Link::Start, ..self.clone() };
        self.act.is_none() && rest.is_bare() && !rest.says_how()
    }

    /// Returns whether it names a verb and nothing else.
    pub(crate) fn is_bare(&self) -> bool {
        self.parts.is_empty() && self.is_bare_but_for_parts()
    }

    /// Returns whether it names a verb, perhaps parts, and nothing else.
    pub(crate) fn is_bare_but_for_parts(&self) -> bool {
        self.ways.is_empty()
            && self.amount.is_none()
            && self.number.is_none()
            && self.count.is_none()
            && self.lasting.is_none()
            && self.seconds.is_none()
            && !self.is_most
            && self.unknown.is_empty()
    }

    /// Returns whether it says how far, how fast, how long or in which order.
    pub(crate) fn says_how(&self) -> bool {
        self.amount.is_some()
            || self.number.is_some()
            || self.size.is_some()
            || self.is_most
            || self.pace.is_some()
            || self.factor.is_some()
            || !self.compared.is_empty()
            || self.seconds.is_some()
            || self.within.is_some()
            || self.is_first
            || self.is_last
            || self.is_other_order
            || self.is_together
            || self.is_undo
            || self.is_negated
            || self.link == Link::Correction
    }

    /// Returns whether it says that something turns, and neither what nor which way.
    pub(crate) fn turns_anywhere(&self) -> bool {
        self.act == Some(Act::Turn)
            && self.is_bare()
            && !self.is_it
            && !self.is_again
            && !self.is_same
            && self.compared.is_empty()
            && self.size.is_none()
    }

    /// Returns the amount that was said, at a way or alone.
    pub(crate) fn said_amount(&self) -> Option<Said> {
        self.ways.iter().find_map(|heading| heading.amount).or(self.amount)
    }

    /// A number without a unit replaces the one that was said before.
    pub(crate) fn take_number(&mut self, number: f64) {
        match self.said_amount() {
            Some(said) if self.act.is_none_or(is_posture) => {
                let unit = self.unit.unwrap_or(1.0);
                let said = match said {
                    Said::Degrees(_) => Said::Degrees(number * unit),
                    Said::Millimetres(_) => Said::Millimetres(number * unit),
                };
                self.ways.iter_mut().for_each(|heading| heading.amount = None);
                self.amount = Some(said);
            }
            _ if self.count.is_none() && self.lasting.or(self.seconds).is_some() => {
                self.lasting = Some(number);
                self.seconds = None;
            }
            _ if self.count.is_some() => self.count = Some(number.max(0.0) as u32),
            _ => self.number = Some(number),
        }
    }

    /// Returns this clause with what it leaves open taken from an earlier one.
    pub(crate) fn over(&self, old: &Clause) -> Clause {
        let mut new = old.clone();
        new.link = self.link;
        new.delay = self.delay;
        (new.is_told, new.is_asking, new.is_requested) = (false, false, true);
        new.compared = Vec::new();
        (new.is_again, new.is_same, new.is_it, new.factor) = (false, false, false, None);
        new.act = self.act.or(old.act);
        if self.act.is_some_and(|act| old.act != Some(act)) && !(self.is_same && self.act == Some(Act::Move))
        {
            new = Clause { act: self.act, parts: old.parts.clone(), link: self.link, ..Clause::default() };
        }
        if let ([heading], [Part::LeftAntenna | Part::RightAntenna], []) =
            (self.ways.as_slice(), old.parts.as_slice(), self.parts.as_slice())
            && matches!(heading.way, Way::Left | Way::Right)
            && !old.ways.iter().any(|heading| matches!(heading.way, Way::Left | Way::Right))
        {
            // "The right antenna, I mean left".
            let part = if heading.way == Way::Left { Part::LeftAntenna } else { Part::RightAntenna };
            return Clause { parts: vec![part], ways: Vec::new(), ..self.clone() }.over(old);
        }
        if !self.parts.is_empty() {
            new.parts = self.parts.iter().map(|part| other_of(*part, &old.parts)).collect();
        }
        if !self.ways.is_empty() {
            // "Further left" is not as far again.
            let amount = old.said_amount().filter(|_| self.compared.is_empty());
            let before = old.ways.last().map(|heading| heading.way);
            new.ways = self
                .ways
                .iter()
                .map(|heading| Heading {
                    way: if heading.way == Way::Opposite {
                        before.map_or(Way::Right, opposite)
                    } else {
                        heading.way
                    },
                    amount: heading.amount.or(amount),
                })
                .collect();
            let is_further = !self.compared.is_empty();
            if is_further || new.ways.iter().any(|heading| heading.amount.is_some()) {
                (new.amount, new.number) = (None, None);
            }
        }
        new.absorb(self);
        (new.is_taking, new.is_each) = (self.is_taking, self.is_each);
        if new.delay.is_some() {
            // "Nod." "Again in two seconds": it begins then and takes as long as before.
            new.within = old.within;
        }
        new
    }
}

/// Returns the antenna that was not named before.
pub(crate) fn other_of(part: Part, before: &[Part]) -> Part {
    match (part, before.last()) {
        (Part::Other, Some(Part::LeftAntenna | Part::LeftOne)) => Part::RightAntenna,
        (Part::Other, _) => Part::LeftAntenna,
        (part, _) => part,
    }
}

/// Returns the other way.
pub(crate) const fn opposite(way: Way) -> Way {
    match way {
        Way::Left => Way::Right,
        Way::Right => Way::Left,
        Way::Up => Way::Down,
        Way::Down => Way::Up,
        Way::Forward => Way::Back,
        Way::Back => Way::Forward,
        Way::Out => Way::In,
        Way::In => Way::Out,
        // A side that is not named is the left one.
        Way::Aside => Way::Right,
        other => other,
    }
}

/// What is left open where an act is said again: its parts, and its way before an amount.
pub(crate) fn same_act(clause: &mut Clause, old: &Clause, past: Option<&Clause>) {
    let ways_of =
        |one: &Clause| one.ways.iter().map(|heading| Heading { amount: None, ..*heading }).collect();
    let Some(act) = clause.act else { return };
    let is_one_antenna = matches!(old.parts.as_slice(), [Part::LeftAntenna | Part::RightAntenna]);
    let is_other_side = matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite && heading.amount.is_none());
    if old.act == Some(act) && is_one_antenna && is_other_side && clause.parts.is_empty() {
        // "Wiggle the left antenna. Now the other side."
        clause.parts = vec![Part::Other];
        clause.ways.clone_from(&old.ways);
    }
    let has_amount = clause.said_amount().is_some();
    if clause.is_it && act == Act::Turn && clause.ways.is_empty() && !has_amount {
        // "整个身体都转过去": to where the gaze went.
        clause.ways = ways_of(past.filter(|_| old.ways.is_empty()).unwrap_or(old));
    }
    let is_head = clause.parts.is_empty() && old.parts == [Part::Head] && old.act.is_some_and(is_posture);
    if act == Act::Turn && is_head && !clause.is_it && clause.link == Link::And {
        // "Raise your head and turn left."
        clause.parts = vec![Part::Head];
    }
    if old.act != Some(act) {
        return;
    }
    let is_one = !matches!(old.parts.as_slice(), [] | [Part::Other]);
    if clause.parts.is_empty() && is_one {
        clause.parts.clone_from(&old.parts);
    }
    if is_posture(act)
        && clause.ways.is_empty()
        && (has_amount || clause.is_most || !clause.compared.is_empty())
    {
        clause.ways = ways_of(old);
    }
    if clause.is_same && !has_amount {
        clause.amount = old.said_amount();
    }
}
