//! What a fragment says more of what was said before it: how often, how far, how fast, how long.

use super::Composer;
use crate::arrange::{Said, arrange};
use crate::clause::{Clause, Link};
use crate::concept::Compared;
use crate::meaning::Meaning;
use crate::refusal::Refusal;

impl Composer<'_> {
    /// "Look left, look right, and all of that twice", "nod, then look up, and then do that again": all that was said.
    pub(super) fn repeats_all(&mut self, clause: &Clause) -> bool {
        let moving = self.said.iter().filter(|said| !said.meaning.axes().is_empty()).count();
        let whole_is_named = clause.is_it || clause.is_same || clause.is_again;
        if moving < 2 || !whole_is_named || clause.has_motion() || clause.says_how() {
            return false;
        }
        let count = match clause.count {
            // "Repeat all of it once": twice in all.
            Some(1) | None if clause.is_again => 2,
            Some(count) => count,
            None => return false,
        };
        self.repeat_said(count.min(20));
        true
    }

    fn repeat_said(&mut self, count: u32) {
        let whole = Meaning::Repeat(count, Box::new(arrange(&self.said)));
        self.said = vec![Said { clause: Clause::default(), meaning: whole }];
    }

    /// A fragment says more of what was said before it.
    pub(super) fn modify(&mut self, clause: &Clause) -> Result<(), Refusal> {
        let times = clause.count.or(clause.number.map(|number| number as u32));
        let adds = clause.compared == [Compared::Bigger] || (clause.is_again && clause.is_same);
        if let Some(more) = times.filter(|_| adds)
            && let Some(Said { meaning: Meaning::Gesture(gesture), .. }) = self.said.last_mut()
            && clause.link != Link::Correction
        {
            // "Nod and do it three more times".
            gesture.count += more;
            return Ok(());
        }
        if let (Some(count @ 2..), [last]) = (clause.count, self.said.as_mut_slice())
            && (clause.is_it || clause.is_same || clause.is_again)
            && matches!(&last.meaning, Meaning::Gesture(gesture) if gesture.count > 1)
            && last.clause.count.is_some()
            && clause.link != Link::Correction
            && clause.compared.is_empty()
        {
            // "Nod twice and repeat that three times".
            last.meaning = Meaning::Repeat(count.min(20), Box::new(last.meaning.clone()));
            return Ok(());
        }
        // "Left, then right, three times".
        let is_fragment = |said: &Said| said.meaning.is_posture() && said.clause.link < Link::With;
        let is_pair = self.said.len() > 1 && self.said.iter().all(is_fragment);
        if let Some(count) =
            clause.count.filter(|count| *count > 1 && is_pair && clause.link != Link::Correction)
        {
            self.repeat_said(count);
            return Ok(());
        }
        if clause.is_together && self.joins_all(clause) {
            return Ok(());
        }
        if let (Some(seconds), Link::Then) = (clause.delay, clause.link)
            && let Some(last) = self.said.pop()
        {
            // "Look up after three seconds".
            self.push(Clause { link: last.clause.link, ..Clause::default() }, Meaning::Wait(seconds));
            self.said
                .push(Said { clause: Clause { link: Link::Then, ..last.clause }, meaning: last.meaning });
            return Ok(());
        }
        let seconds = clause.lasting.or(clause.seconds);
        if seconds.is_some_and(|seconds| self.alternates(clause, seconds) || self.waits_instead(seconds)) {
            return Ok(());
        }
        let holds_each = clause.is_each || self.said.iter().any(|said| said.clause.is_each);
        if let Some(seconds) = seconds.filter(|_| is_pair && holds_each) {
            // "Look down, then up, for two seconds each".
            for said in std::mem::take(&mut self.said) {
                self.said.push(said);
                self.push(Clause { link: Link::Then, ..Clause::default() }, Meaning::Wait(seconds));
            }
            return Ok(());
        }
        let Some(mut last) = self.said.pop() else { return Ok(()) };
        if last.meaning.is_posture() && last.clause.pace.is_some_and(|pace| pace > 1.0) && seconds.is_some() {
            // "Tilt to the left at a snail's pace, five seconds".
            last.clause.within = seconds;
            last.meaning = last.clause.meaning()?;
            self.said.push(last);
            return Ok(());
        }
        let is_plain = !clause.is_most
            && clause.size.is_none()
            && clause.link != Link::Correction
            && clause.pause.is_none();
        if let Some(seconds) =
            seconds.filter(|_| is_plain && last.meaning.is_posture() && last.clause.act.is_some())
        {
            self.said.push(last);
            self.push(clause.clone(), Meaning::Wait(seconds));
            return Ok(());
        }
        // "Ten degrees left, then another ten".
        let is_further = clause.is_again || clause.compared.contains(&Compared::Bigger);
        // "Two small nods and one big one".
        let is_one = times == Some(1);
        let has_kind = |clause: &Clause| clause.size.is_some() || clause.pace.is_some();
        // "Twice: once big, once small": each of them is told by itself.
        let is_told_apart =
            is_one && clause.link == Link::Comma && has_kind(&last.clause) && last.clause.count == Some(1);
        let is_another = (clause.link == Link::And || is_told_apart)
            && times.is_some()
            && has_kind(clause)
            && (last.clause.count.is_some() || (is_one && has_kind(&last.clause)))
            && clause.compared.is_empty();
        let is_later =
            (clause.link == Link::Then || is_another) && seconds.is_none() && clause.pause.is_none();
        if is_later
            && matches!(last.meaning, Meaning::Gesture(_))
            && (clause.pace.is_some() || clause.size.is_some() || clause.count.is_some())
        {
            // "Nod slowly, then quickly".
            let mut next = last.clause.clone();
            next.absorb(clause);
            next.link = Link::Then;
            if is_one && last.clause.count.is_none() && has_kind(&last.clause) {
                // "A big nod, then a tiny one".
                last.clause.count = Some(1);
                next.count = Some(1);
                last.meaning = last.clause.meaning()?;
            }
            self.said.push(last);
            let meaning = next.meaning()?;
            self.push(next, meaning);
            return Ok(());
        }
        // "Turn left ten degrees, wait a second, ten more": further than before the wait.
        let before_wait = match last.meaning {
            Meaning::Wait(_) => self.said.last().filter(|said| said.meaning.is_posture()),
            _ => None,
        };
        let before_wait = before_wait.map(|said| said.clause.clone());
        let is_step = (last.meaning.is_posture() || before_wait.is_some())
            && (is_later || clause.is_again || clause.number.is_some() || clause.amount.is_some());
        if is_further && is_step && clause.link != Link::Correction {
            let mut next = before_wait.unwrap_or_else(|| last.clause.clone());
            next.absorb(clause);
            if !next.compared.contains(&Compared::Bigger) {
                next.compared.push(Compared::Bigger);
            }
            next.link = Link::Then;
            self.said.push(last);
            let meaning = next.meaning()?;
            self.push(next, meaning);
            return Ok(());
        }
        let is_next_amount = clause.link == Link::Then
            && last.meaning.is_posture()
            && last.clause.said_amount().is_some()
            && clause.compared.is_empty()
            && clause.factor.is_none()
            && (clause.number.is_some_and(|number| number >= 5.0) || clause.amount.is_some());
        if is_next_amount {
            // "Ten degrees up, then twenty, then thirty".
            let mut next = last.clause.clone();
            next.absorb(clause);
            next.link = Link::Then;
            self.said.push(last);
            let meaning = next.meaning()?;
            self.push(next, meaning);
            return Ok(());
        }
        last.clause.absorb(clause);
        if last.clause.has_motion() && !matches!(last.meaning, Meaning::Wait(_)) {
            last.meaning = last.clause.meaning()?;
        }
        self.said.push(last);
        Ok(())
    }
}
