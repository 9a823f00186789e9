//! What a later part of a text changes in what was said before it: corrections, and what goes between.

use minismith_score::Axis;

use crate::acts::axes_of;
use crate::arrange::{Said, arrange};
use crate::clause::{Clause, Link};
use crate::compose::Composer;
use crate::concept::{Act, Part, Way, is_posture};
use crate::meaning::{Aim, Gesture, Meaning};
use crate::refusal::Refusal;

impl Composer<'_> {
    /// Takes back what was said last, and what says the same before it: "look left, and by left I mean right".
    pub(crate) fn take_back(&mut self) {
        let Some(last) = self.said.pop() else { return };
        let is_same = self.said.last().is_some_and(|before| goes_alike(&before.meaning, &last.meaning));
        if is_same && last.clause.is_fragment {
            self.said.pop();
        }
        self.corrected = Some(last.clause);
    }

    /// "Turn left and nod twice, sorry, right": the way is that of the turn. Returns whether it was that.
    pub(crate) fn corrects_earlier(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let is_way = clause.link == Link::Correction
            && clause.act.is_none()
            && clause.parts.is_empty()
            && !clause.ways.is_empty();
        let is_gesture =
            |said: &Said| matches!(said.meaning, Meaning::Gesture(_)) && said.clause.ways.is_empty();
        if !is_way || !self.said.last().is_some_and(is_gesture) {
            return Ok(false);
        }
        let goes = |said: &Said| said.meaning.is_posture() && !said.clause.ways.is_empty();
        let mut going = self.said.iter_mut().filter(|said| goes(said));
        let (Some(said), None) = (going.next(), going.next()) else { return Ok(false) };
        let link = said.clause.link;
        said.clause = Clause { link, ..clause.over(&said.clause) };
        said.meaning = said.clause.meaning()?;
        Ok(true)
    }

    /// "Turn around... no, stay where you are", and after "look up", "hold it there for three seconds". Returns whether it was
    /// one of them.
    pub(crate) fn stays(&mut self, clause: &Clause) -> bool {
        let is_plain = clause.is_stay && clause.act.is_none() && !clause.has_motion();
        let seconds = clause.lasting.or(clause.seconds);
        match (self.said.is_empty(), seconds) {
            (false, None) if is_plain && clause.link == Link::Correction => {
                self.said.pop();
                true
            }
            (true, Some(seconds)) if is_plain => {
                self.push(clause.clone(), Meaning::Wait(seconds));
                true
            }
            _ => false,
        }
    }

    /// "Bow and stay down for three seconds": the bow is held. Returns whether it was that.
    pub(crate) fn stays_down(&mut self, clause: &Clause) -> bool {
        let (Some(seconds), Some(last)) = (clause.lasting.or(clause.seconds), self.said.last_mut()) else {
            return false;
        };
        // "Bow, keep your head down for two seconds".
        let is_kept = clause.act == Some(Act::Hold) && !clause.ways.is_empty();
        let is_stay = ((clause.is_stay && clause.act.is_none()) || is_kept)
            && clause.parts.iter().all(|part| *part == Part::Head)
            && clause.ways.iter().all(|heading| heading.way == Way::Down);
        let is_single = matches!(last.clause.act, Some(Act::Bow | Act::Nod)) && last.clause.count.is_none();
        let Meaning::Gesture(gesture) = &mut last.meaning else { return false };
        if is_stay && is_single {
            (gesture.count, gesture.hold) = (1, seconds);
        }
        is_stay && is_single
    }

    /// "Wait two seconds, then nod", "the same with ten seconds": the time of the one wait. Returns whether there is one.
    pub(crate) fn waits_instead(&mut self, seconds: f64) -> bool {
        let ([said], true) = (self.said.as_mut_slice(), self.refers) else { return false };
        waits(&mut said.meaning, seconds)
    }

    /// "Again, but without the nod": that step of what was done is left out.
    pub(crate) fn leaves_out(&mut self) -> Result<(), Refusal> {
        let (Some(denied), [said]) = (&self.denied, self.said.as_mut_slice()) else { return Ok(()) };
        if !self.refers || !(said.clause.is_again || said.clause.is_same) {
            return Ok(());
        }
        if denied.act.is_none() {
            // "Again, but without the antennas", "again, but the right one stays out of it".
            let axes: Vec<Axis> = denied.parts.iter().copied().flat_map(axes_of).collect();
            leave_axes(&mut said.meaning, &axes);
            return Ok(());
        }
        let axes = Clause { is_negated: false, ..denied.clone() }.meaning()?.axes();
        let (Meaning::Sequence(steps) | Meaning::Together(steps)) = &mut said.meaning else { return Ok(()) };
        let all = steps.len();
        steps.retain(|step| step.axes() != axes);
        if steps.is_empty() || steps.len() == all {
            return Err(Refusal::WhatLeftOut);
        }
        Ok(())
    }

    /// "Look left and nod, no wait, look right and nod": all of it is said again.
    pub(crate) fn starts_over(&mut self, clause: &Clause, next: Option<Act>) {
        let [.., before, last] = self.said.as_slice() else { return };
        let is_said_again = clause.link == Link::Correction
            && clause.act.is_some()
            && before.clause.act == clause.act
            && last.clause.act.is_some()
            && last.clause.act == next;
        if is_said_again && last.clause.act != clause.act {
            self.said.pop();
        }
    }

    /// "Look up, then down, no, the other way round": the steps in the other order. Returns whether it was that.
    pub(crate) fn swaps_steps(&mut self, clause: &Clause) -> bool {
        let is_other = (clause.link == Link::Correction || clause.is_other_order)
            && clause.act.is_none()
            && clause.parts.is_empty()
            && matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite && heading.amount.is_none());
        let moves_antennas = |said: &Said| {
            said.meaning.is_posture() && said.meaning.axes().iter().all(|axis| Axis::ANTENNAS.contains(axis))
        };
        if clause.is_other_order
            && clause.link == Link::Then
            && self.said.len() > 1
            && self.said.iter().all(moves_antennas)
        {
            // "Left antenna out and right antenna in, then swap them".
            let meaning = arrange(&self.said).mirrored();
            self.push(clause.clone(), meaning);
            return true;
        }
        let [first, second] = self.said.as_mut_slice() else { return false };
        let has_way = |said: &Said| said.meaning.is_posture() && !said.clause.ways.is_empty();
        let is_pair = has_way(first) && has_way(second) && second.clause.link < Link::With;
        let swaps = is_other && (is_pair || clause.is_other_order);
        if swaps {
            std::mem::swap(&mut first.meaning, &mut second.meaning);
        }
        swaps
    }

    /// "Nod twice and look left, no, once": the number is that of the gesture. Returns whether it was that.
    pub(crate) fn recounts_earlier(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let is_count = clause.link == Link::Correction && clause.count.is_some() && clause.is_only_modifier();
        let is_posture = self.said.last().is_some_and(|said| {
            said.meaning.is_posture() && said.clause.count.is_none() && !said.clause.ways.is_empty()
        });
        let counted = self.said.iter_mut().rev().find(|said| said.clause.count.is_some());
        let Some(said) = counted.filter(|_| is_count && is_posture) else { return Ok(false) };
        said.clause.count = clause.count;
        said.meaning = said.clause.meaning()?;
        Ok(true)
    }

    /// "Bow and hold it for three seconds": the bow is held. Returns whether it was that.
    pub(crate) fn holds_bow(&mut self, seconds: Option<f64>) -> Result<bool, Refusal> {
        let Some(last) = self.said.last_mut() else { return Ok(false) };
        if last.clause.act != Some(Act::Bow) || last.clause.count.is_some() {
            return Ok(false);
        }
        last.meaning = match seconds {
            Some(seconds) => last.clause.held_bow(seconds)?,
            None => Clause { is_stay: true, ..last.clause.clone() }.meaning()?,
        };
        (last.clause.is_stay, last.clause.lasting) = (true, seconds);
        Ok(true)
    }

    /// "Bow, and come up again slowly": the way back of the bow, in its own time. Returns whether a clause says so.
    pub(crate) fn comes_up(&mut self, clause: &Clause) -> bool {
        let is_alone = self.said.len() == 1;
        let Some(last) = self.said.last_mut() else { return false };
        // "Look left, bow and come back" means the look as well.
        let is_way_back = match clause.act {
            Some(Act::Return) => is_alone,
            Some(Act::Move | Act::Raise) => !clause.ways.is_empty(),
            _ => false,
        };
        let is_up = is_way_back
            && clause.parts.iter().all(|part| *part == Part::Head)
            && clause.ways.iter().all(|heading| heading.way == Way::Up && heading.amount.is_none())
            && clause.said_amount().is_none()
            && clause.count.is_none()
            && matches!(clause.link, Link::And | Link::Then | Link::Comma | Link::After);
        let (Some(Act::Bow), Meaning::Gesture(bow)) = (last.clause.act, &last.meaning) else { return false };
        let ([down], 1) = (bow.strokes.as_slice(), bow.count) else { return false };
        if !is_up {
            return false;
        }
        let axes = last.meaning.axes();
        let back = Meaning::Neutral { axes, seconds: clause.within, pace: clause.pace.unwrap_or(1.0) };
        let go = Meaning::Go {
            aims: down.clone(),
            seconds: last.clause.within,
            pace: last.clause.pace.unwrap_or(1.0),
        };
        last.meaning = Meaning::Sequence(vec![go, Meaning::Wait(bow.hold), back]);
        true
    }

    /// "Ten degrees left. Ten degrees down. All at once, in two seconds." Returns whether a clause says so of postures that
    /// can be taken together.
    pub(crate) fn joins_all(&mut self, clause: &Clause) -> bool {
        let mut axes: Vec<Axis> = self.said.iter().flat_map(|said| said.meaning.axes()).collect();
        let moved = axes.len();
        axes.sort_unstable();
        axes.dedup();
        let is_go = |said: &Said| matches!(said.meaning, Meaning::Go { .. }) && said.clause.link < Link::With;
        if self.said.len() < 2 || moved != axes.len() || !self.said.iter().all(is_go) {
            return false;
        }
        let seconds = clause.within.or(clause.seconds).or(clause.lasting);
        for said in self.said.iter_mut().skip(1) {
            said.clause.is_together = true;
        }
        for said in &mut self.said {
            if let (Meaning::Go { seconds: own, .. }, Some(_)) = (&mut said.meaning, seconds) {
                *own = seconds;
            }
        }
        true
    }

    /// "Nod and shake your head alternately": one gesture after the other, again and again.
    pub(crate) fn takes_turns(&mut self) {
        let [first, second] = self.said.as_slice() else { return };
        let (Meaning::Gesture(one), Meaning::Gesture(other)) = (&first.meaning, &second.meaning) else {
            return;
        };
        let is_in_turn = first.clause.is_in_turn || second.clause.is_in_turn;
        let is_apart = first.meaning.axes().iter().all(|axis| !second.meaning.axes().contains(axis));
        if !is_in_turn || !is_apart || second.clause.link >= Link::With {
            return;
        }
        let rounds = one.count.max(other.count);
        let once = |gesture: &Gesture| Meaning::Gesture(Gesture { count: 1, total: None, ..gesture.clone() });
        let round = Meaning::Sequence(vec![once(one), once(other)]);
        let whole = Meaning::Repeat(rounds, Box::new(round));
        self.said = vec![Said { clause: Clause::default(), meaning: whole }];
    }

    /// "No, leave the head alone": what would move it is taken back.
    pub(crate) fn leave_alone(&mut self, clause: &Clause) {
        let axes: Vec<_> = clause.parts.iter().flat_map(|part| axes_of(*part)).collect();
        self.said.retain(|said| !said.meaning.axes().iter().any(|axis| axes.contains(axis)));
    }

    /// Takes out again what is not to be done.
    pub(crate) fn cancel(&mut self, clause: &Clause) {
        let is_named = |said: &Said| clause.act.is_some() && said.clause.act == clause.act;
        let ways = |clause: &Clause| clause.ways.iter().map(|heading| heading.way).collect::<Vec<Way>>();
        let is_that_way = |said: &Said| {
            clause.act.is_none() && clause.parts.is_empty() && ways(&said.clause) == ways(clause)
        };
        if self.said.iter().any(is_named) {
            self.said.retain(|said| !is_named(said));
        } else if !clause.ways.is_empty() && self.said.iter().any(is_that_way) {
            // "Look left then up, skip the up".
            self.said.retain(|said| !is_that_way(said));
        } else if !clause.has_motion() || clause.parts == [Part::Other] {
            // "Turn left, turn right, no, forget the second one".
            self.said.pop();
        }
    }

    /// A pause between repetitions belongs to what is repeated: "nod twice with a pause of a second in between".
    pub(crate) fn takes_pause(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let Some(last) = self.said.last_mut() else { return Ok(false) };
        let seconds = clause.lasting.or(clause.seconds).or(clause.pause);
        if let Some(seconds) = seconds.filter(|_| clause.is_between)
            && waits_between(&mut last.meaning, seconds)
        {
            return Ok(true);
        }
        let is_repeated =
            last.clause.count.is_some_and(|count| count > 1) && matches!(last.meaning, Meaning::Gesture(_));
        if !is_repeated || !(clause.is_between || clause.link == Link::With) {
            return Ok(false);
        }
        let usual = clause.size.map_or(1.0, |size| if size < 1.0 { 0.5 } else { 1.5 });
        last.clause.pause = Some(seconds.unwrap_or(usual));
        last.meaning = last.clause.meaning()?;
        Ok(true)
    }

    /// "Look left, up, and right, with a nod between each of them". Returns whether it was that.
    pub(crate) fn goes_between(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let is_gesture = clause.act.is_some_and(|act| !is_posture(act) && act != Act::Wait);
        if !clause.is_between || !is_gesture {
            return Ok(false);
        }
        if self.said.len() == 1 {
            // "Nod three times and wiggle your antennas between the nods".
            return Err(Refusal::WhatBetween);
        }
        if self.said.is_empty() {
            return Ok(false);
        }
        let one = Clause { count: clause.count.or(Some(1)), is_between: false, ..clause.clone() };
        let meaning = one.meaning()?;
        let said = std::mem::take(&mut self.said);
        for (at, before) in said.into_iter().enumerate() {
            if at > 0 {
                self.push(Clause { link: Link::Then, ..one.clone() }, meaning.clone());
            }
            self.said.push(before);
        }
        Ok(true)
    }

    /// "Move your head to the right without turning it, just slide it": it shifts. Returns whether it was that.
    pub(crate) fn slides(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let says_how = (clause.is_negated && clause.act == Some(Act::Turn))
            || (clause.act == Some(Act::Shift) && clause.is_it && !clause.is_negated);
        let Some(last) = self.said.last_mut() else { return Ok(false) };
        let goes_aside = matches!(last.clause.act, Some(Act::Move | Act::Shift))
            && last.clause.parts.iter().all(|part| *part == Part::Head)
            && last.clause.ways.iter().any(|heading| matches!(heading.way, Way::Left | Way::Right));
        if !says_how || !clause.ways.is_empty() || !goes_aside {
            return Ok(false);
        }
        last.clause.act = Some(Act::Shift);
        last.meaning = last.clause.meaning()?;
        Ok(true)
    }

    /// "One nod, another one three seconds later". Returns whether it was that.
    pub(crate) fn later(&mut self, clause: &Clause) -> bool {
        let (Some(seconds), Some(last)) = (clause.seconds, self.said.last()) else { return false };
        let is_plain = clause.act.is_none()
            && clause.parts.is_empty()
            && clause.ways.is_empty()
            && clause.lasting.is_none()
            && clause.count.is_none();
        if !clause.is_again || !is_plain || !matches!(last.meaning, Meaning::Gesture(_)) {
            return false;
        }
        let (again, meaning) = (last.clause.clone(), last.meaning.clone());
        self.push(Clause { link: Link::Then, ..Clause::default() }, Meaning::Wait(seconds));
        self.push(Clause { link: Link::Then, ..again }, meaning);
        true
    }

    /// "Look left, look right, for ten seconds": both again and again, in that time.
    pub(crate) fn alternates(&mut self, clause: &Clause, seconds: f64) -> bool {
        let [first, second] = self.said.as_slice() else { return false };
        let (Meaning::Go { aims: one, .. }, Meaning::Go { aims: other, .. }) =
            (&first.meaning, &second.meaning)
        else {
            return false;
        };
        let is_opposite = matches!((one.as_slice(), other.as_slice()), ([one], [other])
            if one.axis == other.axis && one.sign * other.sign < 0.0);
        if !is_opposite || !(clause.is_in_turn || first.clause.is_in_turn || second.clause.is_in_turn) {
            return false;
        }
        let rounds = (seconds / 2.0).round().clamp(2.0, 30.0);
        let each = seconds / rounds / 2.0;
        let go = |aims: &[Aim]| Meaning::Go { aims: aims.to_vec(), seconds: Some(each), pace: 1.0 };
        let round = Meaning::Sequence(vec![go(one), go(other)]);
        let whole = Meaning::Repeat(rounds as u32, Box::new(round));
        let said = Said { clause: Clause::default(), meaning: whole };
        self.said = vec![said];
        true
    }
}

impl Clause {
    /// A bow that is held for these seconds; then it ends by itself.
    pub(crate) fn held_bow(&self, seconds: f64) -> Result<Meaning, Refusal> {
        let once = Clause {
            is_stay: false,
            lasting: None,
            seconds: None,
            count: Some(1),
            ways: Vec::new(),
            ..self.clone()
        };
        Ok(match once.meaning()? {
            Meaning::Gesture(gesture) => Meaning::Gesture(Gesture { hold: seconds, ..gesture }),
            other => other,
        })
    }
}

/// Returns whether two motions go to the same side with the same axes.
fn goes_alike(one: &Meaning, other: &Meaning) -> bool {
    let (Meaning::Go { aims: one, .. }, Meaning::Go { aims: other, .. }) = (one, other) else { return false };
    one.len() == other.len()
        && one.iter().all(|aim| other.iter().any(|own| own.axis == aim.axis && own.sign * aim.sign > 0.0))
}

/// Gives the one wait of a motion another time. Returns whether there is one.
pub(crate) fn waits(meaning: &mut Meaning, seconds: f64) -> bool {
    let mut count = 0;
    meaning.each(&mut |one| count += usize::from(matches!(one, Meaning::Wait(_))));
    if count == 1 {
        meaning.each_mut(&mut |one| {
            if let Meaning::Wait(wait) = one {
                *wait = seconds;
            }
        });
    }
    count == 1
}

/// Puts a wait between the steps of a sequence, in the place of those that are there. Returns whether there are steps.
pub(crate) fn waits_between(meaning: &mut Meaning, seconds: f64) -> bool {
    let Meaning::Sequence(steps) = meaning else { return false };
    let moves = |step: &&Meaning| !matches!(step, Meaning::Wait(_));
    if steps.iter().filter(moves).count() < 2 {
        return false;
    }
    let mut apart: Vec<Meaning> = Vec::new();
    for step in std::mem::take(steps).into_iter().filter(|step| moves(&step)) {
        apart.extend((!apart.is_empty()).then_some(Meaning::Wait(seconds)));
        apart.push(step);
    }
    *steps = apart;
    true
}

/// Leaves some axes out of a motion that moves others too.
fn leave_axes(meaning: &mut Meaning, axes: &[Axis]) {
    if meaning.axes().iter().all(|axis| axes.contains(axis)) {
        return;
    }
    match meaning {
        Meaning::Sequence(steps) | Meaning::Together(steps) => {
            // A wait moves nothing, and stays.
            let stays = |own: &[Axis]| own.is_empty() || own.iter().any(|axis| !axes.contains(axis));
            steps.retain(|step| stays(&step.axes()));
            steps.iter_mut().for_each(|step| leave_axes(step, axes));
        }
        Meaning::Repeat(_, inner) => leave_axes(inner, axes),
        Meaning::Go { aims, .. } => aims.retain(|aim| !axes.contains(&aim.axis)),
        Meaning::Gesture(gesture) => {
            gesture.strokes.iter_mut().for_each(|stroke| stroke.retain(|aim| !axes.contains(&aim.axis)));
        }
        Meaning::Neutral { axes: own, .. } => own.retain(|axis| !axes.contains(axis)),
        _ => {}
    }
}
