//! What refers to the last motion: again, further, more often, to the other side.

use minismith_score::{Axis, AxisValues};

use crate::arrange::{Said, merged};
use crate::clause::{Clause, Heading, Said as Length};
use crate::compose::Composer;
use crate::concept::{Compared, Part, Way, is_posture};
use crate::correct::{waits, waits_between};
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::past::Past;
use crate::refusal::Refusal;

/// "The first one" is clear among so many turns.
const MOST_TURNS: usize = 4;
/// How much of its size a motion has when it is to be bigger or smaller, and nobody says how much.
const BIGGER: f64 = 1.5;
const SMALLER: f64 = 0.6;
/// A smaller number without a unit may say how often.
const LEAST_BARE_DEGREES: f64 = 10.0;

impl Composer<'_> {
    /// A text that names no motion refers to the last one.
    pub(crate) fn refer(&mut self, mut clause: Clause) -> Result<(), Refusal> {
        if clause.is_other_order && self.said.is_empty() {
            // "The same in the other order".
            let (mut steps, _) = self.steps();
            if steps.len() < 2 {
                return Err(Refusal::NoSuchChange);
            }
            steps.reverse();
            self.refers = true;
            self.push(clause, Meaning::Sequence(steps));
            return Ok(());
        }
        if (clause.is_first || clause.is_last) && (clause.is_again || clause.is_same || clause.is_it) {
            // "The last bit again": one step of those that were done in one turn, or one of two turns.
            let (mut steps, is_one_turn) = self.steps();
            if let Some(earlier) = self.past.and_then(|past| past.earlier.as_ref()).filter(|_| !is_one_turn) {
                // "Do the very first one again": of all turns, where they are few.
                steps.splice(..0, earlier.older.iter().cloned());
                if steps.len() > MOST_TURNS {
                    return Err(Refusal::OnlyLastRepeated);
                }
            }
            let step = match (clause.is_first, clause.is_last, steps.as_slice()) {
                (true, false, [first, _, ..]) => Some(first),
                (false, true, [_, .., last]) | (true, true, [_, last]) => Some(last),
                _ => None,
            };
            let step = step.filter(|step| !is_one_turn || matches!(step, Meaning::Gesture(_))).cloned();
            let Some(meaning) = step else {
                return Err(Refusal::OnlyLastRepeated);
            };
            self.refers = true;
            self.push(clause, meaning);
            return Ok(());
        }
        // "Nod, wait two seconds, do another": not the wait.
        let own = self
            .last_moved()
            .or(self.said.last())
            .map(|said| (said.meaning.clone(), Some(said.clause.clone())));
        let past = || self.past.map(|past| (past.meaning.clone(), past.phrase.0.as_deref().cloned()));
        let Some((mut meaning, phrase)) = own.or_else(past) else {
            return Err(Refusal::NothingBefore);
        };
        names_what_there_is(&clause, &meaning)?;
        if let Some(seconds) = clause.lasting.or(clause.seconds)
            && self.said.is_empty()
            && clause.says_a_time_only()
            && waits(&mut meaning, seconds)
        {
            // "Look up, hold five seconds, then level." "Two seconds is enough." "Again, for three."
            self.refers = true;
            self.push(clause, meaning);
            return Ok(());
        }
        if self.said.is_empty()
            && let Some(meaning) = in_order_or_together(&clause, &meaning)
        {
            self.refers = true;
            self.push(clause, meaning);
            return Ok(());
        }
        if let Some(seconds) = clause.pause
            && self.said.is_empty()
            && waits_between(&mut meaning, seconds)
        {
            // "Nod, then shake your head." "Again, with two seconds in between."
            self.refers = true;
            self.push(clause, meaning);
            return Ok(());
        }
        if meaning.is_posture() && clause.within.is_none() {
            // "Look left." "In three seconds."
            clause.within = clause.delay.take();
        }
        let before = meaning.clone();
        if let Some(after) = self.refers_to_goal(&clause) {
            self.push(clause, meaning.ending_in(&after).reversed());
            return Ok(());
        }
        if let Some(share) = clause.number.filter(|number| *number > 0.0 && *number < 1.0)
            && clause.said_amount().is_none()
            && !clause.has_motion()
        {
            // "Half", "make it half".
            clause.factor = Some(share);
            clause.number = None;
        }
        let goes_further =
            |meaning: &Meaning| meaning.aims().iter().any(|aim| matches!(aim.amount, Amount::Further(_)));
        if let Some(after) = self.past.filter(|_| self.said.is_empty()).and_then(|past| past.after)
            && clause.factor.is_some()
            && goes_further(&meaning)
        {
            // "Look left." "Ten more." "Half of that": of all of it.
            meaning = meaning.ending_in(&after);
        }
        if let Some(count @ 2..) = clause.count
            && clause.compared == [Compared::Bigger]
            && meaning.is_posture()
        {
            // "Look left." "Two times further."
            clause.factor = Some(f64::from(count));
            clause.count = None;
        }
        if clause.count.is_some() && clause.compared == [Compared::Bigger] {
            // "Twice more".
            clause.compared.clear();
        }
        if self.said.is_empty() {
            self.refers = true;
            self.act = self.past.and_then(|past| past.act);
            self.parts = self.past.map(|past| past.parts.clone()).unwrap_or_default();
        }
        if let ([Compared::Smaller], Some(number)) = (clause.compared.as_slice(), clause.number)
            && clause.amount.is_none()
            && meaning.is_posture()
        {
            // "Back ten", "ten less".
            clause.amount = Some(Length::Degrees(number));
            clause.number = None;
            compare(&mut meaning, Compared::Smaller, &clause);
            self.push(clause, meaning);
            return Ok(());
        }
        let is_repeated = clause.is_again || clause.compared.contains(&Compared::Bigger);
        let Some(mut old) = phrase else {
            meaning = turned(meaning, &clause);
            change(&mut meaning, &clause);
            changes_something(&clause, &before, &meaning)?;
            self.push(clause, meaning);
            return Ok(());
        };
        old.compared.clear();
        if let (Some(number), Some(amount)) =
            (clause.number.filter(|number| *number >= LEAST_BARE_DEGREES), old.said_amount())
            && clause.said_amount().is_none()
            && old.act.is_some_and(|act| !is_posture(act))
        {
            // "Shake your head twice by ten degrees." "Make it thirty": so far, and not so often.
            clause.number = None;
            clause.amount = Some(match amount {
                Length::Degrees(_) => Length::Degrees(number),
                Length::Millimetres(_) => Length::Millimetres(number),
            });
        }
        let is_one_antenna = matches!(old.parts.as_slice(), [Part::LeftAntenna | Part::RightAntenna]);
        let is_upright = |heading: &Heading| matches!(heading.way, Way::Up | Way::Down);
        let goes_nowhere = old.ways.iter().all(is_upright) || old.act.is_some_and(|act| !is_posture(act));
        if is_one_antenna
            && goes_nowhere
            && clause.parts.is_empty()
            && matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite)
        {
            // "Wiggle the right antenna. Your other right", "raise your left ear. Other side": the other antenna.
            clause.parts = vec![Part::Other];
            clause.ways.clear();
        }
        if clause.is_same
            && clause.is_again
            && clause.compared == [Compared::Bigger]
            && clause.amount.is_none()
        {
            // "The same amount again".
            clause.amount = old.said_amount();
            clause.is_same = false;
        }
        let mut new = clause.over(&old);
        if let Meaning::Gesture(gesture) = &meaning
            && clause.is_taking
            && new.count.is_none()
        {
            // "Nod." "Spend two seconds on it": as often as before.
            new.count = Some(gesture.count);
        }
        new.compared.clear();
        let step = clause.amount.is_some() || clause.number.is_some();
        if is_repeated && step && old.act.is_none_or(is_posture) && !clause.has_motion() {
            // "Ten more".
            new.compared.push(Compared::Bigger);
            let meaning = new.meaning()?;
            self.push(new, meaning);
            return Ok(());
        }
        if is_repeated && step && old.count.is_none() {
            // "Two more".
            new.count = clause.number.map(|number| number.max(0.0) as u32).or(new.count);
            new.number = None;
            clause.compared.retain(|compared| *compared != Compared::Bigger);
        }
        let mut meaning = if is_plain(&clause) { meaning } else { new.meaning()? };
        for compared in &clause.compared {
            compare(&mut meaning, *compared, &clause);
        }
        if clause.compared.is_empty()
            && let Some(factor) = clause.factor
        {
            scale(&mut meaning, factor, &new);
        }
        if let Some(pace) = clause.pace {
            let compared = if pace > 1.0 { Compared::Slower } else { Compared::Faster };
            meaning = if is_plain(&clause) { meaning } else { new.meaning()? };
            compare(&mut meaning, compared, &Clause::default());
        }
        changes_something(&clause, &before, &meaning)?;
        self.push(new, meaning);
        Ok(())
    }
}

/// Refuses a change of what the last motion does not have: "wake up", then "slower".
fn changes_something(clause: &Clause, before: &Meaning, after: &Meaning) -> Result<(), Refusal> {
    let times = [clause.lasting, clause.seconds, clause.within, clause.period, clause.pause];
    let is_change = !clause.compared.is_empty()
        || times.iter().any(Option::is_some)
        || clause.trend.is_some()
        || clause.is_in_turn
        || clause.is_together
        || clause.factor.is_some()
        || clause.pace.is_some()
        || clause.said_amount().is_some();
    if is_change && before == after {
        return Err(Refusal::NoSuchChange);
    }
    Ok(())
}

impl Composer<'_> {
    /// "Look left." "A bit further." "The other way": as far as it went in all.
    fn refers_to_goal(&self, clause: &Clause) -> Option<AxisValues> {
        let is_other_side = matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite && heading.amount.is_none());
        let goes_further =
            |past: &Past| past.meaning.aims().iter().any(|aim| matches!(aim.amount, Amount::Further(_)));
        let is_plain =
            is_other_side && !clause.is_same && clause.parts.is_empty() && clause.said_amount().is_none();
        let past = self.past.filter(|past| is_plain && self.said.is_empty() && goes_further(past))?;
        past.after
    }

    /// Returns the steps of the last motion, or the last two motions, and whether they are of one turn.
    fn steps(&self) -> (Vec<Meaning>, bool) {
        match self.past.filter(|_| self.said.is_empty()) {
            Some(Past { meaning: Meaning::Sequence(steps), .. }) => (steps.clone(), true),
            Some(Past { meaning, earlier: Some(earlier), .. }) => {
                (vec![earlier.meaning.clone(), meaning.clone()], false)
            }
            _ => (Vec::new(), true),
        }
    }

    /// "Now both of those", "those two at the same time". Returns whether a clause says so.
    pub(crate) fn refers_to_both(&mut self, clause: &Clause) -> Result<bool, Refusal> {
        let is_other_order = matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite);
        if let Some(Said { clause: before, meaning: Meaning::Sequence(steps) }) = self.said.last_mut()
            && before.is_both_turns
            && is_other_order
            && clause.parts.is_empty()
        {
            // "Both of those, in the other order".
            steps.reverse();
            return Ok(true);
        }
        if !clause.is_both_turns || clause.is_undo {
            return Ok(false);
        }
        let mut steps = match self.said.as_slice() {
            // "Nod, then wiggle your ears, and then both together".
            [one, other] => vec![one.meaning.clone(), other.meaning.clone()],
            _ => self.steps().0,
        };
        let [one, other] = steps.as_slice() else {
            return Err(Refusal::WhichTwo);
        };
        let meaning = if clause.is_together {
            if one.axes().iter().any(|axis| other.axes().contains(axis)) {
                return Err(Refusal::SamePart);
            }
            Meaning::Together(steps)
        } else {
            if is_other_order {
                steps.reverse();
            }
            Meaning::Sequence(steps)
        };
        let meaning = match clause.count {
            Some(count) if count > 1 => Meaning::Repeat(count.min(20), Box::new(meaning)),
            _ => meaning,
        };
        self.refers = true;
        self.push(clause.clone(), meaning);
        Ok(true)
    }
}

/// Refuses what a motion does not have: "nod", then "the other way"; "look left", then "the same with the other one".
fn names_what_there_is(clause: &Clause, meaning: &Meaning) -> Result<(), Refusal> {
    let axes = meaning.axes();
    let has = |of: &[Axis]| axes.iter().any(|axis| of.contains(axis));
    let is_other_side = matches!(clause.ways.as_slice(), [heading] if heading.way == Way::Opposite);
    if is_other_side && clause.parts.is_empty() && matches!(meaning, Meaning::Gesture(_)) && !has(&SIDEWAYS) {
        return Err(Refusal::NoOtherSide);
    }
    if clause.parts == [Part::Other] && clause.act.is_none() && !has(&Axis::ANTENNAS) {
        return Err(Refusal::NoOtherOne);
    }
    Ok(())
}

/// What moves to one side or the other.
const SIDEWAYS: [Axis; 6] =
    [Axis::HeadTurn, Axis::HeadTilt, Axis::HeadSide, Axis::BodyTurn, Axis::AntennaLeft, Axis::AntennaRight];

/// Returns whether a clause changes nothing but by comparison.
fn is_plain(clause: &Clause) -> bool {
    !clause.has_motion()
        && clause.number.is_none()
        && clause.amount.is_none()
        && clause.count.is_none()
        && clause.lasting.is_none()
        && clause.seconds.is_none()
        && clause.within.is_none()
        && clause.delay.is_none()
        && clause.period.is_none()
        && clause.trend.is_none()
        && !clause.is_most
}

/// Returns a motion to the other side, where a clause says so.
fn turned(meaning: Meaning, clause: &Clause) -> Meaning {
    let is_other_part =
        clause.parts.iter().any(|part| matches!(part, Part::Other | Part::LeftAntenna | Part::RightAntenna));
    let is_other_way =
        clause.ways.iter().any(|heading| matches!(heading.way, Way::Opposite | Way::Left | Way::Right));
    let is_reverse = clause.ways.iter().any(|heading| heading.way == Way::Opposite) && !clause.is_same;
    if let Meaning::Sequence(mut inner) = meaning {
        if is_reverse && inner.iter().any(|one| matches!(one, Meaning::Gesture(_))) {
            // "Nod, then shake your head. Now the other way round".
            inner.reverse();
            return Meaning::Sequence(inner);
        }
        return turned_one(Meaning::Sequence(inner), clause.is_same, is_other_part || is_other_way);
    }
    turned_one(meaning, clause.is_same, is_other_part || is_other_way)
}

fn turned_one(meaning: Meaning, is_same: bool, is_other: bool) -> Meaning {
    match (is_other, is_same) {
        (true, true) => meaning.mirrored(),
        (true, false) => meaning.reversed(),
        _ => meaning,
    }
}

/// "Now one after the other", "now both at once": the same steps, where they move different axes. None if it says neither.
fn in_order_or_together(clause: &Clause, meaning: &Meaning) -> Option<Meaning> {
    match meaning {
        Meaning::Together(steps) if clause.is_in_turn => Some(Meaning::Sequence(steps.clone())),
        Meaning::Sequence(steps) if clause.is_together => {
            let axes: Vec<Axis> = steps.iter().flat_map(Meaning::axes).collect();
            let is_apart =
                axes.iter().enumerate().all(|(at, axis)| !axes.iter().skip(at + 1).any(|one| one == axis));
            is_apart.then(|| merged(steps.clone()))
        }
        _ => None,
    }
}

/// Changes a motion of several parts.
fn change(meaning: &mut Meaning, clause: &Clause) {
    let count = clause.count.or(clause.number.map(|number| number as u32));
    if let (Some(count), Meaning::Sequence(_)) = (count, &*meaning) {
        *meaning = Meaning::Repeat(count.clamp(1, 20), Box::new(meaning.clone()));
    } else if let Some(count) = count {
        let mut is_counted = false;
        meaning.each_mut(&mut |one| {
            if let Meaning::Gesture(gesture) = one {
                gesture.count = count.clamp(1, 50);
                gesture.total = None;
                is_counted = true;
            }
        });
        if !is_counted {
            *meaning = Meaning::Repeat(count.clamp(1, 20), Box::new(meaning.clone()));
        }
    }
    for compared in &clause.compared {
        compare(meaning, *compared, clause);
    }
    if let Some(pace) = clause.pace {
        compare(meaning, if pace > 1.0 { Compared::Slower } else { Compared::Faster }, &Clause::default());
    }
    if let (Some(seconds), Meaning::Dance(_)) = (clause.lasting.or(clause.seconds), &*meaning) {
        *meaning = Meaning::Dance(seconds);
    }
}

/// "Double that": what was said exactly, or how far it goes.
fn scale(meaning: &mut Meaning, factor: f64, said: &Clause) {
    if said.said_amount().is_none() && (said.count.is_some() || said.lasting.or(said.seconds).is_some()) {
        let compared = if factor >= 1.0 { Compared::Longer } else { Compared::Shorter };
        let by = Clause { factor: Some(factor), ..Clause::default() };
        meaning.each_mut(&mut |one| compare_one(one, compared, &by));
        return;
    }
    meaning.each_mut(&mut |one| match one {
        Meaning::Go { aims, .. } => aims.iter_mut().for_each(|aim| scale_aim(aim, factor)),
        Meaning::Gesture(gesture) => {
            gesture.strokes.iter_mut().flatten().for_each(|aim| scale_aim(aim, factor))
        }
        Meaning::Dance(seconds) => *seconds = (*seconds * factor).min(60.0),
        _ => {}
    });
}

pub(crate) fn scale_aim(aim: &mut Aim, factor: f64) {
    aim.amount = match aim.amount {
        Amount::Usual(usual) => Amount::Usual(usual * factor),
        Amount::Exactly(amount) => Amount::Exactly(amount * factor),
        other => other,
    };
}

fn compare(meaning: &mut Meaning, compared: Compared, clause: &Clause) {
    let is_size = matches!(compared, Compared::Bigger | Compared::Smaller);
    if !(is_size && clause.is_again && comes_back(meaning)) {
        meaning.each_mut(&mut |one| compare_one(one, compared, clause));
        return;
    }
    // "Look down and come up. Again, but less deep": it is done again, and goes less far.
    let usual = if compared == Compared::Bigger { BIGGER } else { SMALLER };
    scale(meaning, clause.factor.unwrap_or(usual), &Clause::default());
}

/// Returns whether a motion of several steps ends in neutral.
fn comes_back(meaning: &Meaning) -> bool {
    let Meaning::Sequence(steps) = meaning else { return false };
    steps.len() > 1 && matches!(steps.last(), Some(Meaning::Neutral { .. }))
}

/// Changes a motion by comparison with what it was.
fn compare_one(meaning: &mut Meaning, compared: Compared, clause: &Clause) {
    let amount = clause.amount.map(|said| match said {
        Length::Degrees(amount) | Length::Millimetres(amount) => amount,
    });
    let step = amount.unwrap_or(10.0 * clause.size.unwrap_or(1.0));
    let (up, down) = match clause.factor {
        Some(factor) => (factor, factor),
        None => (BIGGER, SMALLER),
    };
    let (faster, slower) = match clause.factor {
        Some(factor) if factor > 1.0 => (1.0 / factor, factor),
        Some(factor) => (factor, 1.0 / factor),
        None => (0.6, 1.7),
    };
    let change = |aim: &mut Aim, step: f64| {
        if aim.sign != 0.0 {
            aim.amount = Amount::Further(step);
        }
    };
    let count = |gesture: &mut Gesture, factor: f64| {
        gesture.count = scaled_count(gesture.count, factor);
        gesture.total = gesture.total.map(|total| total * factor);
    };
    match (meaning, compared) {
        (Meaning::Go { aims, .. }, Compared::Bigger | Compared::Smaller) if clause.factor.is_some() => {
            aims.iter_mut().for_each(|aim| scale_aim(aim, up));
        }
        (Meaning::Go { aims, .. }, Compared::Bigger) => aims.iter_mut().for_each(|aim| change(aim, step)),
        (Meaning::Go { aims, .. }, Compared::Smaller) => aims.iter_mut().for_each(|aim| change(aim, -step)),
        (Meaning::Gesture(gesture), Compared::Bigger) => {
            gesture.strokes.iter_mut().flatten().for_each(|aim| scale_aim(aim, up));
        }
        (Meaning::Gesture(gesture), Compared::Smaller) => {
            gesture.strokes.iter_mut().flatten().for_each(|aim| scale_aim(aim, down));
        }
        (Meaning::Go { pace, seconds, .. } | Meaning::Neutral { pace, seconds, .. }, Compared::Faster) => {
            (*pace, *seconds) = (*pace * faster, seconds.map(|seconds| seconds * faster));
        }
        (Meaning::Go { pace, seconds, .. } | Meaning::Neutral { pace, seconds, .. }, Compared::Slower) => {
            (*pace, *seconds) = (*pace * slower, seconds.map(|seconds| seconds * slower));
        }
        (Meaning::Gesture(gesture), Compared::Faster) => pace_by(gesture, faster),
        (Meaning::Gesture(gesture), Compared::Slower) => pace_by(gesture, slower),
        (Meaning::Gesture(gesture), Compared::Longer) => count(gesture, clause.factor.unwrap_or(2.0)),
        (Meaning::Gesture(gesture), Compared::Shorter) => count(gesture, clause.factor.unwrap_or(0.5)),
        (Meaning::Dance(seconds) | Meaning::Wait(seconds), Compared::Longer) => {
            *seconds = (*seconds * clause.factor.unwrap_or(1.7)).min(60.0);
        }
        (Meaning::Dance(seconds) | Meaning::Wait(seconds), Compared::Shorter) => {
            *seconds *= clause.factor.unwrap_or(0.6);
        }
        _ => {}
    }
}

/// Makes a gesture take a factor of its time, its rhythm too.
fn pace_by(gesture: &mut Gesture, factor: f64) {
    gesture.stroke *= factor;
    gesture.total = gesture.total.map(|total| total * factor);
    gesture.period = gesture.period.map(|period| period * factor);
}

/// Returns a number of times a factor, within the possible range.
pub(crate) fn scaled_count(count: u32, factor: f64) -> u32 {
    ((f64::from(count) * factor).round() as u32).clamp(1, 50)
}
