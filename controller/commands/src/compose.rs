//! From clauses to one meaning: what is taken over from what was said before, and what is taken back.

use minismith_score::Axis;

use crate::acts::{LEVEL, axes_of};
use crate::arrange::{Said, arrange, merged};
use crate::clause::{Clause, Link, Phrase, other_of};
use crate::concept::{Act, Compared, Part, Way, is_posture};
use crate::meaning::{Amount, Meaning};
use crate::past::Past;
use crate::prepare::prepared;
use crate::refusal::Refusal;

mod inherit;
mod modify;

pub(crate) struct Composer<'a> {
    pub past: Option<&'a Past>,
    pub act: Option<Act>,
    pub parts: Vec<Part>,
    pub phrase: Phrase,
    pub said: Vec<Said>,
    pub refers: bool,
    /// The parts that were named without anything that they do.
    topic: Vec<Part>,
    /// A rest between the repetitions of what comes next, seconds.
    pause: Option<f64>,
    /// What was said not to be done.
    pub denied: Option<Clause>,
    /// What was taken back.
    pub corrected: Option<Clause>,
}

impl<'a> Composer<'a> {
    pub(crate) fn new(past: Option<&'a Past>) -> Self {
        Composer {
            past,
            act: None,
            parts: Vec::new(),
            phrase: Phrase::default(),
            said: Vec::new(),
            refers: false,
            topic: Vec::new(),
            pause: None,
            denied: None,
            corrected: None,
        }
    }

    /// Returns the meaning of clauses; none if they only say what not to do.
    pub(crate) fn compose(mut self, clauses: Vec<Clause>) -> Result<Option<(Meaning, Self)>, Refusal> {
        let mut still: Vec<Axis> = Vec::new();
        let mut repeat: Option<u32> = None;
        let clauses = prepared(clauses, self.past);
        let last = clauses.len().saturating_sub(1);
        let last_act = clauses.iter().rposition(|one| one.act.is_some() && !one.is_still && !one.is_negated);
        let mut carried = Link::Start;
        let acts: Vec<Option<Act>> = clauses.iter().map(|clause| clause.act).collect();
        for (at, mut clause) in clauses.into_iter().enumerate() {
            self.starts_over(&clause, acts.get(at + 1).copied().flatten());
            if matches!(carried, Link::Then | Link::Correction)
                && matches!(clause.link, Link::Comma | Link::And)
            {
                clause.link = carried;
            }
            carried = if clause.link == Link::After && clause.is_bare() {
                Link::Then
            } else if clause.is_negated {
                clause.link
            } else {
                Link::Start
            };
            if self.refers_to_both(&clause)? {
                continue;
            }
            if self.repeats_all(&clause) {
                continue;
            }
            self.count_as_before(&mut clause);
            self.count_fewer(&mut clause)?;
            if self.stays_upright(&clause) {
                // "Bow, but keep your antennas up": they are.
                clause.is_still = true;
            }
            if clause.is_still
                && clause.act.is_some_and(is_posture)
                && !clause.ways.is_empty()
                && clause.lasting.or(clause.seconds).is_some()
            {
                // "Look left, motionless for two seconds".
                clause.is_still = false;
            }
            let axes: Vec<Axis> =
                clause.parts.iter().flat_map(|part| axes_of(other_of(*part, &self.parts))).collect();
            if clause.is_still {
                if let (Some(seconds), []) = (clause.lasting.or(clause.seconds), axes.as_slice()) {
                    // "Don't move for two seconds".
                    self.push(clause, Meaning::Wait(seconds));
                    continue;
                }
                if clause.link == Link::Correction {
                    self.leave_alone(&clause);
                }
                still.extend(axes);
                // "Once again, but the right one stays out of it".
                if self.refers && !clause.parts.is_empty() {
                    self.denied = Some(Clause { act: None, ..clause });
                }
                continue;
            }
            if clause.is_only
                && clause.act == Some(Act::Move)
                && clause.ways.is_empty()
                && Some(at) < last_act
            {
                // "Move nothing but your left antenna, give it a wiggle".
                self.topic.clone_from(&clause.parts);
                continue;
            }
            if self.slides(&clause)? {
                continue;
            }
            if clause.is_negated {
                let is_bare = clause.act.is_none_or(|act| act == Act::Move) && clause.ways.is_empty();
                if is_bare && !clause.is_stop_order {
                    still.extend(axes);
                }
                if clause.act.is_some() || !clause.parts.is_empty() {
                    self.denied = Some(clause);
                }
                continue;
            }
            // "Do this twice: ..."
            if at == 0
                && last > 0
                && clause.is_only_modifier()
                && clause.count.is_some()
                && clause.link != Link::Correction
            {
                repeat = clause.count;
                continue;
            }
            self.clause(clause)?;
        }
        if self.said.is_empty() {
            return Ok(None);
        }
        if let [Said { clause, meaning: Meaning::Go { .. } }] = self.said.as_slice()
            && clause.turns_anywhere()
        {
            return Err(Refusal::NoWay);
        }
        self.takes_turns();
        self.leaves_out()?;
        let meaning = arrange(&self.said);
        let meaning = match repeat {
            Some(count) => Meaning::Repeat(count, Box::new(meaning)),
            None => meaning,
        };
        // "No, I meant your body, not your head": the head goes back.
        let is_corrected = self.said.iter().any(|said| said.clause.link == Link::Correction);
        if meaning.axes().iter().any(|axis| still.contains(axis))
            && !matches!(meaning, Meaning::Dance(_))
            && !is_corrected
        {
            return Err(Refusal::MovesAndStays);
        }
        let single = if self.said.len() == 1 {
            self.said.last().map(|said| Box::new(said.clause.clone()))
        } else {
            None
        };
        self.phrase = Phrase(single.filter(|clause| clause.act.is_some() || clause.has_motion()));
        Ok(Some((meaning, self)))
    }

    fn clause(&mut self, mut clause: Clause) -> Result<(), Refusal> {
        if self.stays(&clause) {
            return Ok(());
        }
        if let Some(seconds) = clause.delay
            && clause.act == Some(Act::Return)
            && self.has_moved()
        {
            // "Tilt your head right. After two seconds go back."
            self.push(Clause { link: Link::Then, ..Clause::default() }, Meaning::Wait(seconds));
            return self.clause(Clause { delay: None, link: Link::Then, ..clause });
        }
        if let Some(seconds) = clause.lasting.or(clause.seconds)
            && clause.is_each
            && clause.has_motion()
            && !self.said.is_empty()
        {
            // "Look down, then look up for two seconds each".
            self.clause(Clause { lasting: None, seconds: None, is_each: false, ..clause })?;
            let each =
                Clause { lasting: Some(seconds), is_each: true, link: Link::Comma, ..Clause::default() };
            return self.modify(&each);
        }
        if let Some(seconds) = clause.lasting.filter(|_| clause.is_in_turn && clause.act.is_none())
            && self.said.len() == 1
            && !clause.ways.is_empty()
        {
            // "Look to the left and to the right by turns for ten seconds".
            self.clause(Clause { lasting: None, ..clause.clone() })?;
            self.alternates(&clause, seconds);
            return Ok(());
        }
        let is_taken_back =
            matches!(clause.act, Some(Act::Lower | Act::Raise)) && clause.is_again && clause.is_it;
        if let Some(past) =
            self.past.filter(|past| is_taken_back && self.said.is_empty() && past.meaning.is_posture())
        {
            // "Lower it again".
            let axes = past.meaning.axes();
            if axes.iter().all(|axis| Axis::HEAD.contains(axis)) {
                self.refers = true;
                self.push(clause, Meaning::Neutral { axes, seconds: None, pace: 1.0 });
                return Ok(());
            }
        }
        if let ([heading], None, true) = (clause.ways.as_slice(), clause.act, clause.is_same)
            && matches!(heading.way, Way::Left | Way::Right | Way::Opposite)
            && heading.amount.is_none()
            && clause.parts.is_empty()
            && self.said.len() > 1
            && clause.link < Link::With
        {
            // "Look left, nod, and then do the same on the right".
            let meaning = arrange(&self.said).mirrored();
            self.push(Clause { link: Link::Then, ..clause }, meaning);
            return Ok(());
        }
        let is_bare_same = clause.is_same
            && !clause.is_again
            && !clause.has_motion()
            && clause.is_bare()
            && !clause.is_only_modifier();
        if is_bare_same && !self.said.is_empty() && matches!(clause.link, Link::Comma | Link::Stop) {
            // "Look right, then look up, do it".
            return Ok(());
        }
        if let Some(last) = self.said.last_mut().filter(|last| names_which(last, &clause)) {
            // "Wave in five seconds, and do it with the left antenna".
            last.clause.parts.clone_from(&clause.parts);
            last.meaning = last.clause.meaning()?;
            return Ok(());
        }
        if let Some(axes) = self.goes_back_upright(&clause) {
            self.push(clause, Meaning::Neutral { axes, seconds: None, pace: 1.0 });
            return Ok(());
        }
        if self.stays_down(&clause)
            || self.corrects_earlier(&clause)?
            || self.recounts_earlier(&clause)?
            || self.swaps_steps(&clause)
        {
            return Ok(());
        }
        if self.goes_back_level(&clause) {
            self.refers |= self.said.is_empty();
            self.push(clause, Meaning::Neutral { axes: LEVEL.to_vec(), seconds: None, pace: 1.0 });
            return Ok(());
        }
        if clause.is_cancel {
            self.cancel(&clause);
            return Ok(());
        }
        if clause.is_undo && clause.is_stay {
            // "Don't go back to where you were".
            return Err(Refusal::MovesAndStays);
        }
        if clause.is_undo && !self.said.is_empty() {
            (clause.is_undo, clause.act) = (false, Some(Act::Return));
        }
        if clause.is_undo {
            self.refers = true;
            if clause.is_it {
                return Err(Refusal::OnlyLastUndone);
            }
            let earlier = self.past.and_then(|past| past.earlier.as_ref()).map(|earlier| earlier.before);
            let last = self.past.map(|past| past.before);
            let before = if clause.is_both_turns { earlier } else { last };
            let Some(before) = before else { return Err(Refusal::NothingBefore) };
            self.push(clause, Meaning::Posture(Box::new(before)));
            return Ok(());
        }
        let is_whole = clause.is_same && clause.is_it && clause.is_again;
        if is_whole && !clause.has_motion() && clause.count.is_none() && self.said.len() > 1 {
            // "Nod, wiggle your antennas, and do the whole thing again".
            let meaning = arrange(&self.said);
            self.push(Clause { link: Link::Then, ..clause }, meaning);
            return Ok(());
        }
        if clause.is_stop_order && clause.ways.iter().any(|heading| heading.way == Way::Ahead) {
            // "And then stop upright".
            (clause.is_stop_order, clause.act) = (false, Some(Act::Look));
        }
        if clause.is_stop_order {
            let seconds = clause.lasting.or(clause.seconds).unwrap_or(1.0);
            self.push(clause, Meaning::Wait(seconds));
            return Ok(());
        }
        let is_rest = clause.act == Some(Act::Wait)
            || (clause.is_between && matches!(clause.act, None | Some(Act::Hold)) && self.refers);
        if is_rest && self.takes_pause(&clause)? {
            return Ok(());
        }
        if clause.act == Some(Act::Wait) && clause.is_between && self.said.is_empty() {
            // "Pause one second between nods, three nods please".
            self.pause = clause.lasting.or(clause.seconds).or(clause.pause);
            return Ok(());
        }
        if clause.act.is_some_and(|act| !is_posture(act)) {
            clause.pause = clause.pause.or(self.pause.take());
        }
        self.further(&mut clause);
        // "Straighten it and turn it to the right instead".
        let is_undone = clause.link != Link::Correction
            && self.said.last().is_some_and(|said| matches!(said.meaning, Meaning::Neutral { .. }));
        if clause.act.is_some() && (clause.is_instead || clause.link == Link::Correction) && !is_undone {
            self.take_back();
        }
        if self.goes_between(&clause)?
            || self.later(&clause)
            || self.goes_part_way(&clause)
            || self.comes_up(&clause)
        {
            return Ok(());
        }
        let is_plain_again =
            clause.is_again && !clause.has_motion() && clause.number.is_none() && clause.count.is_none();
        if is_plain_again
            && clause.compared.is_empty()
            && self.said.first().is_some_and(|said| said.clause.link == Link::Correction)
        {
            // "I wanted four. Do it again".
            return Ok(());
        }
        if (clause.is_only_modifier() || self.says_more(&clause)) && !self.said.is_empty() {
            return self.modify(&clause);
        }
        if clause.act == Some(Act::Return) && self.said.last().is_some_and(|said| said.clause.is_each) {
            // "With each of them the antennas go out and back".
            return Ok(());
        }
        if clause.act == Some(Act::Return)
            && clause.undone.is_none()
            && self.has_moved()
            && clause.parts.is_empty()
        {
            let mut axes: Vec<Axis> = self.said.iter().flat_map(|said| said.meaning.axes()).collect();
            axes.sort_unstable();
            axes.dedup();
            let pace = clause.pace.unwrap_or(1.0);
            let count = clause.count.take();
            self.push(clause, Meaning::Neutral { axes, seconds: None, pace });
            self.repeat_way_and_back(count);
            return Ok(());
        }
        let is_moved = self.has_moved() || self.past.is_some_and(|past| past.meaning.is_posture());
        let is_state = clause.is_kept
            && clause.act.is_some_and(is_posture)
            && clause.ways.is_empty()
            && clause.said_amount().is_none();
        if is_state && is_moved {
            // "Turn right. Stay turned like that and nod": nothing new moves.
            clause.act = Some(Act::Hold);
            clause.parts.clear();
        }
        if clause.act == Some(Act::Hold) && clause.is_it && clause.said_amount().is_none() && is_moved {
            // "Hang your head and keep it down for five seconds".
            clause.ways.clear();
        }
        let goes_round = |said: &Said| {
            let is_of_sides = said.clause.ways.iter().any(|heading| heading.way == Way::Sides);
            matches!(said.clause.act, Some(Act::Shake | Act::Scan | Act::Sway | Act::Wiggle))
                || (is_of_sides && matches!(said.meaning, Meaning::Gesture(_)))
        };
        let says_sides =
            !clause.ways.is_empty() && clause.ways.iter().all(|heading| heading.way == Way::Sides);
        if says_sides
            && clause.act.is_none()
            && clause.parts.is_empty()
            && clause.link == Link::Comma
            && self.said.last().is_some_and(goes_round)
        {
            // "Shake your head once, please, from side to side".
            clause.amount = clause.said_amount();
            clause.ways.clear();
            if !clause.is_only_modifier() {
                return Ok(());
            }
            return self.modify(&clause);
        }
        if clause.act == Some(Act::Hold)
            && clause.ways.is_empty()
            && (!self.said.is_empty() || clause.parts.is_empty())
        {
            let seconds = clause.lasting.or(clause.seconds);
            if self.holds_bow(seconds)? {
                return Ok(());
            }
            if let Some(seconds) = seconds {
                self.push(clause, Meaning::Wait(seconds));
            } else if let Some(last) = self.said.last_mut() {
                last.clause.is_kept = true;
            } else {
                self.push(clause, Meaning::Wait(0.1));
            }
            return Ok(());
        }
        let is_amount = clause.amount.is_some() || clause.number.is_some();
        if clause.act == Some(Act::Move) && clause.parts.is_empty() && clause.ways.is_empty() && is_amount {
            // "Go for twenty degrees".
            clause.act = None;
            if !self.said.is_empty() {
                return self.modify(&clause);
            }
        }
        if clause.act == Some(Act::Return)
            && self.said.is_empty()
            && clause.parts.is_empty()
            && clause.undone.is_none()
            && (clause.amount.is_some()
                || clause.size.is_some()
                || clause.number.is_some()
                || clause.factor.is_some())
            && self.past.is_some_and(|past| past.meaning.is_posture())
        {
            // "Back a bit", "half of that back".
            clause.act = None;
            if clause.factor.is_none() {
                clause.compared.push(Compared::Smaller);
            }
        }
        clause.is_fragment = clause.act.is_none();
        if clause.act.is_none() && self.refers_whole(&clause) {
            return self.refer(clause);
        }
        if clause.act.is_none()
            && clause.ways.is_empty()
            && !clause.parts.is_empty()
            && self.is_topic(&clause)
        {
            self.topic.clone_from(&clause.parts);
            return Ok(());
        }
        let repeats =
            self.said.last().is_some_and(|said| said.clause.act == clause.act && clause.act.is_some());
        if clause.link == Link::After && repeats && clause.is_bare() {
            // "Nod, and once you are done nodding, look up".
            return Ok(());
        }
        let is_end_of_pair = clause.is_fragment && clause.link == Link::And && clause.parts.is_empty();
        let all_go =
            !self.said.is_empty() && self.said.iter().all(|said| matches!(said.meaning, Meaning::Go { .. }));
        if is_end_of_pair && all_go && clause.count.is_some_and(|count| count > 1) {
            // "Up and down three times".
            let count = clause.count.take();
            self.clause(clause)?;
            return self.modify(&Clause { count, link: Link::Comma, ..Clause::default() });
        }
        let is_after_go = self.said.last().is_some_and(|said| matches!(said.meaning, Meaning::Go { .. }));
        if is_end_of_pair && is_after_go && clause.count.is_some_and(|count| count > 1) {
            // "Nod, then look up and down three times".
            let count = clause.count.take();
            self.clause(clause)?;
            self.repeat_way_and_back(count);
            return Ok(());
        }
        if let Some(gaze) = self.keeps_gaze(&clause) {
            self.push(Clause { link: Link::While, ..clause }, gaze);
            return Ok(());
        }
        if clause.parts.contains(&Part::Other) && !self.knows_an_antenna() {
            return Err(Refusal::WhichOne);
        }
        self.inherit(&mut clause);
        self.takes_unit(&mut clause);
        let meaning = clause.meaning()?;
        let meaning = match (meaning, self.said.last().map(|said| &said.meaning)) {
            (Meaning::Go { aims, .. }, Some(Meaning::Gesture(main))) if clause.is_each => {
                Meaning::Gesture(crate::meaning::Gesture {
                    strokes: vec![aims],
                    is_out_and_back: true,
                    ..main.clone()
                })
            }
            (Meaning::Gesture(own), Some(Meaning::Gesture(main)))
                if clause.is_each && clause.count.is_none() =>
            {
                Meaning::Gesture(crate::meaning::Gesture {
                    count: main.count,
                    period: main.period,
                    total: main.total,
                    ..own
                })
            }
            (meaning, _) => meaning,
        };
        let meaning = self.goes_on(self.faces_front(meaning, &clause), &clause);
        self.act = clause.act.or(self.act);
        if !clause.parts.is_empty() {
            self.parts.clone_from(&clause.parts);
        }
        let replaces = clause.link == Link::Correction;
        if replaces
            && self.said.is_empty()
            && let Some(past) = self.past
        {
            // "No, up": what went elsewhere goes back.
            self.refers = true;
            let kept = meaning.axes();
            let axes: Vec<Axis> =
                past.meaning.axes().into_iter().filter(|axis| !kept.contains(axis)).collect();
            // "On second thought leave the left one upright": the other one stays where it is.
            let is_part_back = matches!(meaning, Meaning::Neutral { .. })
                && kept.iter().all(|axis| past.meaning.axes().contains(axis));
            if past.meaning.is_posture() && !axes.is_empty() && meaning.is_posture() && !is_part_back {
                let back = Meaning::Neutral { axes, seconds: None, pace: 1.0 };
                self.push(clause, merged(vec![meaning, back]));
                return Ok(());
            }
        }
        self.push(clause, meaning);
        Ok(())
    }

    /// Returns whether something was said in this text that moves.
    pub(crate) fn has_moved(&self) -> bool {
        self.said.iter().any(|said| !said.meaning.axes().is_empty())
    }

    pub(crate) fn push(&mut self, clause: Clause, meaning: Meaning) {
        // "Go back to your starting position", "the other way, right": both say the same.
        let is_goal = match &meaning {
            Meaning::Neutral { .. } => true,
            Meaning::Go { aims, .. } => {
                clause.link == Link::Comma
                    && clause.is_fragment
                    && !clause.is_again
                    && !aims.iter().any(|aim| matches!(aim.amount, Amount::Further(_)))
            }
            _ => false,
        };
        if is_goal && self.said.last().is_some_and(|last| last.meaning == meaning) {
            return;
        }
        self.said.push(Said { clause, meaning });
    }

    /// Returns whether a clause without a verb refers to all that was done last.
    fn refers_whole(&self, clause: &Clause) -> bool {
        if !clause.has_motion() || clause.is_same || (clause.is_other_order && self.said.is_empty()) {
            return true;
        }
        let is_opposite =
            clause.parts.is_empty() && clause.ways.iter().all(|heading| heading.way == Way::Opposite);
        if is_opposite && clause.amount.is_none() && clause.said_amount().is_none() {
            return self.said.is_empty() && self.past.is_some();
        }
        false
    }
}

/// Returns whether a clause says which antenna does what was said before.
fn names_which(before: &Said, clause: &Clause) -> bool {
    let is_of_antennas = matches!(before.clause.act, Some(Act::Wave | Act::Wiggle | Act::Raise | Act::Lower));
    is_of_antennas
        && before.clause.parts.is_empty()
        && clause.is_same
        && !clause.is_again
        && !clause.is_as_well
        && clause.act.is_none()
        && clause.ways.is_empty()
        && clause.names_antennas()
}
