//! What is left open where something is said again: the parts, the way and how far, as before.

use minismith_score::Axis;

use crate::acts::axes_of;
use crate::arrange::{Said, arrange};
use crate::build::reach;
use crate::clause::{Clause, Heading, Link, Said as Length, opposite};
use crate::compose::Composer;
use crate::concept::{Act, Compared, Part, Way, is_posture};
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::neutral::way_of;
use crate::past::Past;
use crate::refer::{scale_aim, scaled_count};
use crate::refusal::Refusal;

impl Composer<'_> {
    /// "The left antenna goes out and back seven times": the way back was said last, and the count holds for both.
    pub(crate) fn repeat_way_and_back(&mut self, count: Option<u32>) {
        let (Some(count @ 2..), [.., way, back]) = (count, self.said.as_slice()) else { return };
        if back.clause.link > Link::Stop {
            return;
        }
        let clause = way.clause.clone();
        let gesture = match &way.meaning {
            Meaning::Gesture(gesture) => Some(gesture.clone()),
            _ => None,
        };
        let pair = self.said.split_off(self.said.len() - 2);
        let meaning = gesture.map_or_else(
            || Meaning::Repeat(count, Box::new(arrange(&pair))),
            |gesture| Meaning::Gesture(Gesture { count, ..gesture }),
        );
        self.push(clause, meaning);
    }

    /// "Drop both antennas, then bring them up again": antennas that went out or down come back.
    fn up_again(&self, clause: &mut Clause) {
        let is_up = match clause.act {
            Some(Act::Raise) => clause.ways.is_empty() || ways_up(clause),
            None | Some(Act::Move) => ways_up(clause),
            _ => false,
        };
        let is_plain = clause.count.is_none() && clause.said_amount().is_none() && !clause.is_negated;
        if is_plain && self.returns_head(clause) {
            clause.act = Some(Act::Return);
            clause.parts = vec![Part::Head];
            clause.is_it = false;
            return;
        }
        if !(is_up && is_plain && clause.names_antennas()) {
            return;
        }
        let went_out = |meaning: &Meaning| {
            meaning.aims().iter().any(|aim| Axis::ANTENNAS.contains(&aim.axis) && aim.sign > 0.0)
        };
        let lowers = |old: &Clause| {
            old.act == Some(Act::Lower) || old.ways.iter().any(|heading| heading.way == Way::Down)
        };
        let is_down = self.said.iter().any(|said| went_out(&said.meaning) && lowers(&said.clause));
        let is_out = self.said.iter().any(|said| went_out(&said.meaning))
            || self.past.is_some_and(|past| went_out(&past.meaning));
        if is_down || (is_out && clause.is_again) {
            clause.act = Some(Act::Return);
            clause.ways.clear();
            clause.is_again = false;
        }
    }

    /// Returns what was said last that is no wait.
    pub(crate) fn last_moved(&self) -> Option<&Said> {
        self.said.iter().rev().find(|said| !matches!(said.meaning, Meaning::Wait(_)))
    }

    /// "Look down, wait, then raise it", "raise your head, then lower it": the head comes to where it was.
    fn returns_head(&self, clause: &Clause) -> bool {
        let Some(moved) = self.last_moved().filter(|said| said.meaning.is_posture()) else { return false };
        let aims = moved.meaning.aims();
        let went = |axis: Axis, sign: f64| aims.iter().any(|aim| aim.axis == axis && aim.sign * sign > 0.0);
        let is_head = clause.is_it || clause.parts == [Part::Head];
        clause.ways.is_empty()
            && clause.number.is_none()
            && clause.link != Link::Correction
            && match clause.act {
                Some(Act::Raise) => is_head && (went(Axis::HeadPitch, 1.0) || went(Axis::HeadRise, -1.0)),
                Some(Act::Lower) => clause.is_it && went(Axis::HeadRise, 1.0),
                _ => false,
            }
    }

    /// "Raise the left antenna, hold it for two seconds, put it down": an antenna that went up goes back.
    fn down_again(&self, clause: &mut Clause) {
        let is_down = match clause.act {
            Some(Act::Lower) => clause.ways.is_empty() || ways_down(clause),
            None | Some(Act::Move) => ways_down(clause),
            _ => false,
        };
        let is_plain = clause.count.is_none()
            && clause.said_amount().is_none()
            && clause.size.is_none()
            && clause.compared.is_empty()
            && !clause.is_negated
            && clause.link != Link::Correction;
        let antennas = |meaning: &Meaning| -> Vec<Axis> {
            let axes = meaning.aims().into_iter().map(|aim| aim.axis);
            axes.filter(|axis| Axis::ANTENNAS.contains(axis)).collect()
        };
        let raises = |clause: &Clause| clause.act == Some(Act::Raise) || ways_up(clause);
        let said = self.said.iter().filter(|said| raises(&said.clause));
        let up: Vec<Axis> = said.flat_map(|said| antennas(&said.meaning)).collect();
        let named: Vec<Axis> = clause.parts.iter().flat_map(|part| axes_of(*part)).collect();
        let is_same = if named.is_empty() {
            clause.is_it || self.act == Some(Act::Hold)
        } else {
            named.iter().all(|axis| up.contains(axis))
        };
        if !is_down || !is_plain || up.is_empty() || !is_same {
            return;
        }
        if clause.parts.is_empty() {
            clause.parts = match up.as_slice() {
                [Axis::AntennaLeft] => vec![Part::LeftAntenna],
                [Axis::AntennaRight] => vec![Part::RightAntenna],
                _ => vec![Part::Antennas],
            };
        }
        clause.act = Some(Act::Return);
        clause.ways.clear();
        clause.is_again = false;
    }

    /// "Turn back ten degrees", "come down to ten": less than before.
    fn comes_back(&self, clause: &mut Clause) {
        let Some(past) = self.past.filter(|past| past.meaning.is_posture()) else { return };
        let goes_back = match (clause.act, clause.ways.as_slice()) {
            (Some(Act::Return), []) => true,
            (None | Some(Act::Move), [heading]) => {
                let is_other = way_of(&past.meaning).map(opposite) == Some(heading.way);
                is_other && (clause.is_goal || clause.act == Some(Act::Move))
            }
            _ => false,
        };
        let has_length = clause.said_amount().is_some() || clause.number.is_some();
        if self.said.is_empty() && goes_little_back(clause, past) {
            // "Look up." "Down a bit."
            clause.act = None;
            clause.ways.clear();
            clause.parts.clear();
            clause.size = None;
            clause.compared = vec![Compared::Smaller];
            return;
        }
        if !goes_back || !has_length || !clause.parts.is_empty() || clause.undone.is_some() {
            return;
        }
        clause.amount = clause.said_amount().or(clause.number.take().map(Length::Degrees));
        clause.act = None;
        clause.ways.clear();
        clause.compared = if clause.is_goal { Vec::new() } else { vec![Compared::Smaller] };
    }

    /// "Look left." "Make the turn twice as big", "turn a little less": the same motion by another word.
    fn names_again(&self, clause: &mut Clause) {
        let Some(past) = self.past.filter(|past| past.meaning.is_posture()) else { return };
        let axes = past.meaning.axes();
        let moves_only = |of: &[Axis]| axes.iter().all(|axis| of.contains(axis));
        let is_same_motion = match clause.act {
            Some(Act::Turn) => moves_only(&[Axis::HeadTurn, Axis::BodyTurn]),
            Some(Act::Look) => moves_only(&[Axis::HeadTurn, Axis::HeadPitch]),
            Some(Act::Tilt) => moves_only(&[Axis::HeadTilt]),
            Some(Act::Move) => clause.parts.is_empty(),
            // "Less left".
            None => clause.compared == [Compared::Smaller] && !clause.ways.is_empty(),
            _ => false,
        };
        let is_compared = matches!(clause.compared.as_slice(), [Compared::Bigger | Compared::Smaller]);
        let is_same_part =
            clause.parts.iter().all(|part| axes_of(*part).iter().any(|axis| axes.contains(axis)));
        let is_same_way = clause
            .ways
            .iter()
            .all(|heading| heading.amount.is_none() && way_of(&past.meaning) == Some(heading.way));
        let is_plain = clause.said_amount().is_none() && clause.number.is_none() && clause.count.is_none();
        if is_same_motion && is_compared && is_same_part && is_same_way && is_plain {
            clause.act = None;
            clause.parts.clear();
            clause.ways.clear();
        }
    }

    /// "再转十度", "turn ten degrees more": without a way it goes further as before; the verb adds nothing then.
    pub(crate) fn further(&self, clause: &mut Clause) {
        self.up_again(clause);
        self.down_again(clause);
        if clause.act == Some(Act::Move)
            && (clause.is_same && clause.is_it)
            && clause.parts.is_empty()
            && !clause.ways.is_empty()
        {
            // "Bring it to the same angle on the right".
            clause.act = None;
        }
        let Some(old) = self.past.and_then(|past| past.phrase.0.as_deref()).filter(|_| self.said.is_empty())
        else {
            return;
        };
        self.comes_back(clause);
        self.names_again(clause);
        let is_comparison = clause.act == Some(Act::Lower)
            && clause.parts.is_empty()
            && clause.ways.is_empty()
            && !clause.is_it;
        if is_comparison && self.past.is_some_and(|past| past.meaning.axes() == [Axis::HeadPitch]) {
            // "Look up." "A touch lower."
            clause.act = None;
            clause.compared = vec![Compared::Bigger];
            if self.past.is_some_and(|past| past.meaning.is_posture()) {
                clause.ways = vec![Heading { way: Way::Down, amount: None }];
            }
            return;
        }
        let is_step =
            clause.amount.is_some() || clause.number.is_some() || clause.size.is_some() || clause.is_same;
        let is_old_part = clause.parts.is_empty() || clause.parts == old.parts;
        let is_old_way = clause.ways.is_empty();
        let is_bare = is_old_part && is_old_way && clause.count.is_none() && clause.within.is_none();
        let is_same_act = clause.act.is_some_and(|act| old.act == Some(act));
        if is_same_act
            && is_bare
            && !is_step
            && !clause.compared.is_empty()
            && !clause.act.is_some_and(is_posture)
        {
            // "Dance a bit longer."
            clause.act = None;
            return;
        }
        if !clause.is_again
            || !is_step
            || !is_bare
            || !clause.act.is_some_and(|act| is_posture(act) && old.act == Some(act))
        {
            return;
        }
        clause.amount = clause.amount.or(if clause.is_same { old.said_amount() } else { None });
        clause.act = None;
        clause.is_same = false;
        clause.parts.clear();
        if clause.compared.is_empty() {
            clause.compared.push(Compared::Bigger);
        }
    }

    /// "再往左转十度": it goes on from where the last motion, of the same axes and to the same side, ended.
    pub(crate) fn goes_on(&self, meaning: Meaning, clause: &Clause) -> Meaning {
        let is_step = clause.said_amount().is_some()
            || clause.number.is_some_and(|number| number >= 5.0)
            || clause.size.is_some_and(|size| size < 1.0);
        let Meaning::Go { aims, seconds, pace } = &meaning else { return meaning };
        let before = match self.said.last() {
            Some(said) => Some(&said.meaning),
            None => self.past.map(|past| &past.meaning),
        };
        let Some(before) = before.filter(|_| clause.is_again && is_step) else { return meaning };
        let ends = before.aims();
        let goes_on = |aim: &Aim| ends.iter().any(|end| end.axis == aim.axis && end.sign * aim.sign > 0.0);
        if !aims.iter().all(goes_on) {
            return meaning;
        }
        let further = |aim: &Aim| Aim {
            amount: match aim.amount {
                Amount::Exactly(amount) => Amount::Further(amount),
                Amount::Usual(factor) => Amount::Further(10.0 * factor),
                other => other,
            },
            ..*aim
        };
        Meaning::Go { aims: aims.iter().map(further).collect(), seconds: *seconds, pace: *pace }
    }

    /// "Turn forty degrees left, then come halfway back". Returns whether a clause says so.
    pub(crate) fn goes_part_way(&mut self, clause: &Clause) -> bool {
        let Some(factor) = clause.factor.filter(|factor| *factor < 1.0) else { return false };
        let moved = self.last_moved();
        let past = self.past.filter(|_| self.said.is_empty() && !clause.ways.is_empty());
        let meaning = moved.map(|said| &said.meaning).or(past.map(|past| &past.meaning));
        let Some(Meaning::Go { aims, .. }) = meaning else { return false };
        // "Halfway back up".
        let is_upright =
            |heading: &Heading| matches!(heading.way, Way::Up | Way::Down) && heading.amount.is_none();
        let is_part = clause.compared == [Compared::Bigger]
            && (past.is_some()
                || matches!(clause.link, Link::And | Link::Then | Link::Comma | Link::Stop | Link::After))
            && clause.act.is_none_or(|act| matches!(act, Act::Move | Act::Turn | Act::Look | Act::Return))
            && clause.parts.is_empty()
            && clause.ways.iter().all(is_upright)
            && clause.said_amount().is_none();
        if !is_part {
            return false;
        }
        if aims.iter().any(|aim| matches!(aim.amount, Amount::Further(_))) {
            return false;
        }
        let mut aims = aims.clone();
        for aim in &mut aims {
            if aim.amount == Amount::Most {
                // "As far as you can, then come halfway back".
                aim.amount = Amount::Exactly(reach(aim.axis, aim.axis.direction_of(aim.sign)));
            }
            scale_aim(aim, factor);
        }
        let go = Meaning::Go { aims, seconds: clause.within, pace: clause.pace.unwrap_or(1.0) };
        self.push(Clause { link: Link::Then, ..clause.clone() }, go);
        true
    }

    /// "Shake your head, three shakes": the same gesture once more, with a count or a time, says more of the one before.
    pub(crate) fn says_more(&self, clause: &Clause) -> bool {
        let Some(last) = self.said.last() else { return false };
        let old = &last.clause;
        let is_bare =
            clause.parts.is_empty() && clause.ways.is_empty() && !clause.is_again && !clause.is_as_well;
        let is_new = (clause.count.is_some() && (old.count.is_none() || old.period.is_some()))
            || (clause.lasting.or(clause.seconds).is_some() && old.lasting.or(old.seconds).is_none())
            || (clause.pace.is_some() && old.pace.is_none());
        let is_gesture = clause.act.is_some_and(|act| !is_posture(act) && act != Act::Wait);
        // "Do that again, but with three nods".
        let is_with = clause.link == Link::With && clause.count.is_some() && self.refers;
        (is_with || (clause.link == Link::Comma && is_new)) && is_gesture && clause.act == old.act && is_bare
    }

    /// "Nod three times, then shake your head just as many times": the number is that of the gesture before.
    pub(crate) fn count_as_before(&self, clause: &mut Clause) {
        let Some(factor) = clause.factor.filter(|_| clause.compared.contains(&Compared::Longer)) else {
            return;
        };
        let before = self.said.last().map(|said| &said.meaning).or(self.past.map(|past| &past.meaning));
        if let (Some(_), None, Some(Meaning::Gesture(gesture))) = (clause.act, clause.count, before) {
            clause.count = Some(scaled_count(gesture.count, factor));
            clause.compared.retain(|compared| *compared != Compared::Longer);
            clause.factor = None;
        }
    }

    /// "Two fewer", "three nods less": the number is taken off that of the gesture before.
    pub(crate) fn count_fewer(&self, clause: &mut Clause) -> Result<(), Refusal> {
        let before = match self.said.last() {
            Some(said) => Some((&said.meaning, said.clause.act)),
            None => self.past.map(|past| (&past.meaning, past.act)),
        };
        let Some((Meaning::Gesture(gesture), act)) = before else { return Ok(()) };
        let is_same_act = clause.act.is_none() || clause.act == act;
        let is_count = clause.is_fewer
            && clause.compared == [Compared::Smaller]
            && clause.said_amount().is_none()
            && clause.size.is_none()
            && clause.ways.is_empty();
        let fewer = clause.count.or(clause.number.map(|number| number as u32));
        if let Some(fewer) = fewer.filter(|fewer| is_same_act && is_count && *fewer > 0) {
            let count = gesture.count.checked_sub(fewer).filter(|count| *count > 0);
            clause.count = Some(count.ok_or(Refusal::NoneLeft)?);
            clause.number = None;
            clause.compared.clear();
        }
        Ok(())
    }
}

/// Returns whether a clause says up and nothing else of where something goes.
fn ways_up(clause: &Clause) -> bool {
    matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Up)
}

/// Returns whether a clause says down and nothing else of where something goes.
fn ways_down(clause: &Clause) -> bool {
    matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Down)
}

/// Returns whether a clause goes a little up or down, against the way of a head that looks down or up.
fn goes_little_back(clause: &Clause, past: &Past) -> bool {
    let way = match (clause.act, clause.ways.as_slice()) {
        (Some(Act::Lower), []) => Way::Down,
        (Some(Act::Raise), []) => Way::Up,
        (None | Some(Act::Move), [heading]) if heading.amount.is_none() => heading.way,
        _ => return false,
    };
    let is_little = clause.size.is_some_and(|size| size < 1.0) || clause.compared == [Compared::Smaller];
    past.meaning.axes() == [Axis::HeadPitch]
        && way_of(&past.meaning).map(opposite) == Some(way)
        && is_little
        && clause.parts.iter().all(|part| *part == Part::Head)
        && clause.said_amount().is_none()
        && clause.count.is_none()
}
