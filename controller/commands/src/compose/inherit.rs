//! What a clause leaves open, taken over from what was said before.

use minismith_score::Axis;

use super::Composer;
use crate::acts::axes_of;
use crate::arrange::Said;
use crate::clause::{Clause, Heading, Link, Said as Length, opposite, other_of, same_act};
use crate::concept::{Act, Part, Way, is_posture};
use crate::neutral::way_of;

/// Returns whether anything that moves can go this way.
const fn is_plain_way(way: Way) -> bool {
    matches!(way, Way::Left | Way::Right | Way::Up | Way::Down | Way::Forward | Way::Back)
}

impl Composer<'_> {
    /// Takes over the act and the parts of what was said before, where a clause names none.
    pub(super) fn inherit(&mut self, clause: &mut Clause) {
        let is_motion = |said: &&Said| {
            !matches!(said.clause.act, Some(Act::Return | Act::Center | Act::Wait | Act::Hold))
                && said.clause.has_motion()
        };
        let before = if clause.link == Link::Correction {
            self.said.last()
        } else {
            self.said.iter().rev().find(is_motion)
        };
        let denied = self.denied.take().filter(|_| self.said.is_empty());
        let corrected =
            self.corrected.take().filter(|_| clause.link == Link::Correction && clause.act.is_some());
        let old = match before {
            _ if corrected.is_some() => corrected,
            Some(said) => Some(said.clause.clone()),
            None if denied.is_some() => {
                denied.map(|denied| Clause { is_negated: false, is_stop_order: false, ..denied })
            }
            None => self.past.and_then(|past| past.phrase.0.as_deref().cloned()),
        };
        let old_ways = old.as_ref().map(|old| old.ways.clone());
        let (act, parts) = match &old {
            // "Lower your head." "Level it." "Turn it left": "it" is still the head.
            Some(old) if old.parts.is_empty() && self.said.is_empty() => {
                (old.act, self.past.map(|past| past.parts.clone()).unwrap_or_default())
            }
            Some(old) => (old.act, old.parts.clone()),
            None => self.past.map_or((None, Vec::new()), |past| (past.act, past.parts.clone())),
        };
        let parts = if self.topic.is_empty() { parts } else { self.topic.clone() };
        if let Some(old) = &old {
            same_act(clause, old, self.past.and_then(|past| past.phrase.0.as_deref()));
        }
        if clause.act.is_none() {
            self.refers |= self.said.is_empty() && self.past.is_some();
            let is_part_only = clause.ways.is_empty();
            // "The left one twice and the right one only once" corrects nothing.
            let is_next = matches!(clause.link, Link::And | Link::Then) && clause.count.is_some();
            let is_correction = matches!(clause.link, Link::Correction)
                || clause.is_instead
                || (clause.is_only && !is_next && !self.goes_elsewhere(clause));
            if let Some(old) = old.filter(|_| is_part_only || is_correction) {
                if is_correction {
                    self.take_back();
                }
                self.refers |= self.said.is_empty() && self.past.is_some();
                let link = old.link;
                let is_fragment = clause.is_fragment;
                let is_past = self.said.is_empty() && !is_correction;
                if clause.names_antennas()
                    && matches!(old.act, Some(Act::Nod | Act::Bow | Act::Shake))
                    && !is_correction
                {
                    // "Nod, then ears, then nod".
                    clause.act = Some(Act::Wiggle);
                }
                *clause = clause.over(&old);
                if is_correction && link != Link::Start {
                    clause.link = if self.said.is_empty() { clause.link } else { link };
                }
                clause.is_only = is_past && clause.is_only;
                clause.is_fragment = is_fragment;
                return;
            }
            let has_parts = !clause.parts.is_empty();
            if !has_parts {
                clause.parts.clone_from(&parts);
            }
            // An antenna goes where a gaze would look.
            let is_side = |heading: &Heading| matches!(heading.way, Way::Left | Way::Right | Way::Ahead);
            let is_sided = old_ways.as_ref().is_some_and(|ways| !ways.is_empty() && ways.iter().all(is_side));
            if matches!(act, Some(Act::Bow | Act::Nod))
                && is_sided
                && clause.ways.iter().all(is_side)
                && !has_parts
            {
                // "Bow to the left, to the middle and to the right".
                clause.act = act;
                return;
            }
            let is_wave = matches!(act, Some(Act::Wiggle | Act::Wave))
                && clause.ways.iter().all(|heading| matches!(heading.way, Way::Left | Way::Right));
            if is_wave {
                clause.act = act;
                clause.parts.clear();
                return;
            }
            clause.act = act.filter(|act| {
                is_posture(*act) && !(has_parts && matches!(act, Act::Look | Act::Tilt | Act::Lean))
            });
        } else {
            if (clause.is_it || !self.topic.is_empty()) && clause.parts.is_empty() {
                clause.parts.clone_from(&parts);
            }
            let is_how = clause.link == Link::Correction
                && matches!(clause.act, Some(Act::Shift | Act::Tilt | Act::Turn | Act::Look | Act::Lean))
                && clause.said_amount().is_none();
            let is_too = clause.is_as_well
                && matches!(clause.act, Some(Act::Turn | Act::Look | Act::Move))
                && !clause.parts.is_empty()
                && clause.said_amount().is_none();
            if let Some(old) = old_ways.filter(|_| (is_how || is_too) && clause.ways.is_empty()) {
                // "I mean slide it", "no, tilt", "turn your body too": to where it went.
                clause.ways = old.into_iter().filter(|heading| is_plain_way(heading.way)).collect();
                clause.ways.iter_mut().for_each(|heading| heading.amount = None);
            }
        }
        for part in &mut clause.parts {
            *part = other_of(*part, &parts);
        }
        let said_way = |said: &Said| said.clause.ways.last().map(|heading| heading.way);
        // "Tilt, nod, tilt the other way": what was chosen counts like what was said.
        let went = self.said.iter().rev().find_map(|said| said_way(said).or_else(|| way_of(&said.meaning)));
        let before = went.or_else(|| self.past_way());
        for heading in &mut clause.ways {
            // "The other way", where nothing was said before: it stays open which one.
            if heading.way == Way::Opposite
                && let Some(before) = before
            {
                heading.way = opposite(before);
            }
        }
    }

    /// "Up two centimetres and forward one": a number without a unit has that of the one before.
    pub(super) fn takes_unit(&self, clause: &mut Clause) {
        let Some(number) = clause.number.filter(|_| clause.said_amount().is_none() && clause.count.is_none())
        else {
            return;
        };
        let past = self.past.and_then(|past| past.phrase.0.as_deref());
        let before = self.said.last().map(|said| &said.clause).or(past);
        let unit = before.and_then(|before| before.unit.zip(before.said_amount()));
        let is_way = !clause.ways.is_empty() || matches!(clause.act, Some(Act::Raise | Act::Lower));
        let Some((unit, Length::Millimetres(_))) = unit.filter(|_| is_way) else { return };
        clause.amount = Some(Length::Millimetres(number * unit));
        clause.unit = Some(unit);
        clause.number = None;
    }

    /// "All the way to the left, but only a bit up": it corrects nothing.
    fn goes_elsewhere(&self, clause: &Clause) -> bool {
        let is_vertical = |heading: &Heading| matches!(heading.way, Way::Up | Way::Down);
        let is_side = |heading: &Heading| matches!(heading.way, Way::Left | Way::Right);
        let Some(last) = self.said.last().map(|said| &said.clause) else { return false };
        let goes = |one: &Clause, is_that: &dyn Fn(&Heading) -> bool| {
            !one.ways.is_empty() && one.ways.iter().all(is_that)
        };
        clause.parts.is_empty()
            && (goes(last, &is_side) && goes(clause, &is_vertical)
                || goes(last, &is_vertical) && goes(clause, &is_side))
    }

    /// Returns whether an antenna was named or moved before, so that there is another one.
    pub(super) fn knows_an_antenna(&self) -> bool {
        let is_antenna = |axis: &Axis| Axis::ANTENNAS.contains(axis);
        let past = self.past.into_iter().flat_map(|past| past.meaning.axes());
        let denied =
            self.denied.iter().flat_map(|clause| clause.parts.iter().flat_map(|part| axes_of(*part)));
        let said = self.said.iter().flat_map(|said| said.meaning.axes());
        past.chain(said).chain(denied).any(|axis| is_antenna(&axis))
    }

    /// Parts alone name what the next clause moves, if nothing before tells what they do.
    pub(super) fn is_topic(&self, clause: &Clause) -> bool {
        let is_fresh = self.said.is_empty()
            && (self.past.is_none() || !(clause.is_only || clause.link == Link::Correction));
        let is_modified = clause.count.is_some()
            || clause.amount.is_some()
            || clause.size.is_some()
            || clause.is_again
            || clause.is_as_well
            || clause.is_it;
        let has_other = clause.parts.contains(&Part::Other);
        is_fresh && !is_modified && !has_other && self.past.is_none_or(|past| past.act.is_none())
    }
}
