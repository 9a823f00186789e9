//! What goes back to neutral, and what is where it should be already.

use minismith_score::Axis;

use crate::acts::axes_of;
use crate::clause::{Clause, opposite};
use crate::compose::Composer;
use crate::concept::{Act, Part, Way, is_posture};
use crate::meaning::{Aim, Meaning};

impl Composer<'_> {
    /// "Turn your body, but keep looking at me": the head turns back by as much as the body turns.
    pub(crate) fn keeps_gaze(&self, clause: &Clause) -> Option<Meaning> {
        let is_gaze = !clause.ways.is_empty()
            && clause.ways.iter().all(|heading| heading.way == Way::Ahead)
            && matches!(clause.act, None | Some(Act::Look | Act::Hold | Act::Move))
            && clause.parts.iter().all(|part| *part == Part::Head);
        let is_kept = is_gaze && (clause.is_kept || clause.is_stay);
        let Some(Meaning::Go { aims, seconds, pace }) = self.said.last().map(|said| &said.meaning) else {
            return None;
        };
        let body = aims.iter().find(|aim| aim.axis == Axis::BodyTurn).filter(|_| is_kept)?;
        let head = Aim { axis: Axis::HeadTurn, sign: -body.sign, ..*body };
        Some(Meaning::Go { aims: vec![head], seconds: *seconds, pace: *pace })
    }

    /// "Turn left, nod, and look straight ahead again": the body turns back, too.
    pub(crate) fn faces_front(&self, meaning: Meaning, clause: &Clause) -> Meaning {
        let has_turned = self.said.iter().any(|said| said.meaning.axes().contains(&Axis::BodyTurn));
        match meaning {
            Meaning::Neutral { mut axes, seconds, pace }
                if has_turned
                    && !clause.is_fragment
                    && !clause.is_kept
                    && clause.parts.is_empty()
                    && axes.contains(&Axis::HeadTurn)
                    && !axes.contains(&Axis::BodyTurn) =>
            {
                axes.push(Axis::BodyTurn);
                Meaning::Neutral { axes, seconds, pace }
            }
            Meaning::Neutral { mut axes, seconds, pace } if clause.is_kept && self.has_moved() => {
                // "Shift your head to the left, and keep facing ahead": what was said before stays.
                axes.retain(|axis| {
                    !axis.is_shift() && !self.said.iter().any(|said| said.meaning.axes().contains(axis))
                });
                Meaning::Neutral { axes, seconds, pace }
            }
            other => other,
        }
    }

    /// "Look up. Come down again": what went up is level again.
    pub(crate) fn goes_back_level(&self, clause: &Clause) -> bool {
        let is_vague = matches!(clause.act, None | Some(Act::Move | Act::Raise | Act::Lower | Act::Return));
        let is_head = clause.parts.iter().all(|part| *part == Part::Head);
        let own = match (clause.act, clause.ways.as_slice()) {
            (Some(Act::Raise), []) => Way::Up,
            (Some(Act::Lower), []) => Way::Down,
            (_, [heading]) if heading.amount.is_none() => heading.way,
            _ => return false,
        };
        let is_vertical = matches!(own, Way::Up | Way::Down);
        // "Look up quickly and come down slowly".
        let comes = clause.act == Some(Act::Move) && clause.parts.is_empty();
        let is_level_next = comes
            && self.said.last().is_some_and(|said| {
                matches!(said.meaning, Meaning::Go { .. }) && said.meaning.axes() == [Axis::HeadPitch]
            });
        if !(clause.is_again || is_level_next)
            || !is_vague
            || !is_head
            || !is_vertical
            || clause.said_amount().is_some()
        {
            return false;
        }
        // "Go up, go down, go up again": the same once more.
        let goes = |said: &crate::arrange::Said| said.clause.ways.iter().any(|heading| heading.way == own);
        let went =
            self.past.and_then(|past| past.earlier.as_ref()).and_then(|earlier| way_of(&earlier.meaning));
        if self.said.iter().any(goes) || (self.said.is_empty() && went == Some(own)) {
            return false;
        }
        let posture = self.said.iter().rev().find(|said| {
            said.meaning.is_posture()
                || said.clause.act.is_some_and(|act| is_posture(act) && act != Act::Hold)
        });
        let before = match posture {
            Some(said) => match (said.clause.act, said.clause.ways.as_slice()) {
                (Some(Act::Raise), []) => Some(Way::Up),
                (Some(Act::Lower), []) => Some(Way::Down),
                (_, [heading]) => Some(heading.way),
                _ => None,
            },
            None => self.past_way(),
        };
        before == Some(opposite(own))
    }

    /// "Drop your right antenna, then raise it again": returns what goes back up.
    pub(crate) fn goes_back_upright(&self, clause: &Clause) -> Option<Vec<Axis>> {
        let is_raised = clause.act == Some(Act::Raise)
            && clause.is_it
            && clause.is_again
            && clause.parts.is_empty()
            && clause.said_amount().is_none();
        let axes = self.said.iter().rev().find(|said| said.meaning.is_posture())?.meaning.axes();
        (is_raised && axes.iter().all(|axis| Axis::ANTENNAS.contains(axis))).then_some(axes)
    }

    /// "Bow, but keep your antennas up": they are.
    pub(crate) fn stays_upright(&self, clause: &Clause) -> bool {
        let mut axes = clause.parts.iter().flat_map(|part| axes_of(*part));
        let has_moved = |axis: &Axis| self.said.iter().any(|said| said.meaning.axes().contains(axis));
        clause.act == Some(Act::Hold)
            && !clause.parts.is_empty()
            && axes.all(|axis| Axis::ANTENNAS.contains(&axis))
            && !clause.ways.is_empty()
            && clause.ways.iter().all(|heading| heading.way == Way::Up)
            && !Axis::ANTENNAS.iter().any(has_moved)
    }

    /// Returns the way in which the last motion went.
    pub(crate) fn past_way(&self) -> Option<Way> {
        way_of(&self.past?.meaning)
    }
}

/// Returns the way of the last posture in a motion.
pub(crate) fn way_of(meaning: &Meaning) -> Option<Way> {
    let aim = meaning.aims().pop()?;
    let [positive, negative] = match aim.axis {
        Axis::HeadTurn | Axis::BodyTurn | Axis::HeadSide => [Way::Left, Way::Right],
        Axis::HeadTilt => [Way::Right, Way::Left],
        Axis::HeadPitch => [Way::Down, Way::Up],
        Axis::HeadRise => [Way::Up, Way::Down],
        Axis::HeadForward => [Way::Forward, Way::Back],
        Axis::AntennaLeft | Axis::AntennaRight => [Way::Out, Way::In],
    };
    Some(if aim.sign > 0.0 { positive } else { negative })
}
