//! Parses sentences that repeat, change or undo an earlier motion.
//!
//! Examples are "again", "no, further left", "not so fast", "make that 30 degrees", "the other way" and
//! "undo that". Such a sentence is parsed as a whole. It needs an earlier motion with the quantity that it
//! changes. The result must be within the same ranges as any command.

use std::ops::Range;

use firmware_bridge::units::Radians;

use super::anaphora::{Amount, FIRM, LEADS, REJECTED, REPEATS, TRAILS, UNDO, amount, change};
use super::build::count;
use super::intent::{Intent, MAX_STEPS, Reason};
use super::lexicon::{self, Part, Verb};
use super::modification::{Modification, changed};
use super::numbers::{Quantity, quantity};
use super::parser::{Error, Parser};
use super::phrases::{hesitation, longest, opener};
use super::primitive::CENTER;
use super::primitive::{OutOfRange, Primitive};
use super::tokenize::Token;

impl Parser<'_> {
    /// Returns the plan of a sentence that refers to an earlier motion; none if it does not.
    pub fn correction(&mut self) -> Result<Option<Vec<Intent>>, Error> {
        let (end, mut firm) = self.end_without_fillers();
        let mut at = 0;
        let mut verb = None;
        while at < end {
            let whole = |found: Option<(usize, usize)>| found.is_some_and(|(_, taken)| at + taken == end);
            let words = self.window(at);
            if whole(longest(REJECTED.iter().copied(), &words)) {
                return Err(Error::unclear(at..end, Reason::Negated));
            }
            if whole(longest(UNDO.iter().copied(), &words)) {
                return self.return_to_previous(at..end).map(Some);
            }
            if let Some((times, _)) = self.whole_repetition(at, end)? {
                return self.once_more(times, at..self.last_word()).map(Some);
            }
            if let Some(change) = self.change(at..end, firm, verb.is_some())? {
                return self.with_change(change, at..end).map(Some);
            }
            let joined =
                at.checked_sub(1).is_some_and(|joint| matches!(self.word(joint), Some("and" | "then")));
            if at + 1 == end && self.word(at) == Some("right") && !firm && !joined && self.refers() {
                // "right" alone may also mean agreement.
                return Err(Error::unclear(at..end, Reason::Unknown));
            }
            let (taken, says_wrong) = match self.introduction(at) {
                Some(introduction) => introduction,
                None => match self.same_verb(at) {
                    Some(taken) if verb.is_none() => {
                        verb = Some(at);
                        (taken, false)
                    }
                    _ => return Ok(None),
                },
            };
            at += taken;
            firm |= says_wrong;
        }
        Ok(None)
    }

    /// Returns the index after the last word.
    fn last_word(&self) -> usize {
        self.tokens.iter().rposition(|token| !is_pause(token)).map_or(0, |last| last + 1)
    }

    /// Returns whether there is an earlier motion to refer to.
    fn refers(&self) -> bool {
        self.known.before.is_some_and(|before| before.last_action().is_some())
    }

    /// Returns the end of the sentence without marks and fillers, and whether "instead" was among them.
    fn end_without_fillers(&self) -> (usize, bool) {
        let mut end = self.tokens.len();
        let mut firm = false;
        'words: while end > 0 {
            if self.tokens.get(end - 1).is_some_and(|token| token.word().is_none() && is_pause(token)) {
                end -= 1;
                continue;
            }
            for trail in TRAILS {
                let count = trail.split(' ').count();
                // A sentence that consists of fillers only has a meaning of its own.
                let begins = end.checked_sub(count).filter(|begins| *begins > 0);
                let same = |begins: usize| {
                    trail
                        .split(' ')
                        .enumerate()
                        .all(|(position, part)| self.word(begins + position) == Some(part))
                };
                if let Some(begins) = begins.filter(|begins| same(*begins)) {
                    firm |= *trail == "instead";
                    end = begins;
                    continue 'words;
                }
            }
            break;
        }
        (end, firm)
    }

    /// Returns how many tokens introduce a change, and whether they say that something was wrong.
    fn introduction(&self, at: usize) -> Option<(usize, bool)> {
        if self.tokens.get(at).is_some_and(is_pause) {
            return Some((1, false));
        }
        let words = self.window(at);
        if matches!(self.word(at), Some("no" | "nope")) && self.tokens.get(at + 1).is_some_and(is_pause) {
            return Some((2, true));
        }
        if self.word(at) == Some("no") {
            let rest = words.get(1..).unwrap_or_default();
            let wrong = longest(FIRM.iter().copied(), rest).is_some() || rest.first() == Some(&Some("the"));
            return wrong.then_some((1, true));
        }
        if let Some((_, taken)) = longest(FIRM.iter().copied(), &words) {
            return Some((taken, true));
        }
        if let Some((1, end)) = self.repetition_at(at).ok().flatten() {
            return Some((end - at, false));
        }
        let introduction = longest(LEADS.iter().copied(), &words).map(|(_, taken)| taken);
        introduction.or_else(|| opener(&words)).or_else(|| hesitation(&words)).map(|taken| (taken, false))
    }

    /// Returns how many tokens name the last motion: "turn" in "turn further left".
    fn same_verb(&self, at: usize) -> Option<usize> {
        let verb = self.word(at).and_then(lexicon::verb)?;
        let mut taken = 1;
        while matches!(self.word(at + taken), Some("your" | "the")) {
            taken += 1;
        }
        let part = self.word(at + taken).and_then(lexicon::part);
        taken = if part.is_some() { taken + 1 } else { 1 };
        let last = self.known.before?.last_action()?.plan.iter().rev().find_map(|intent| match intent {
            Intent::Motion(motion) => Some(*motion),
            _ => None,
        })?;
        let same = match last {
            Primitive::Look { .. } => {
                verb == Verb::Look || (matches!(verb, Verb::Turn | Verb::Move) && part == Some(Part::Head))
            }
            Primitive::TurnBody { .. } => verb == Verb::Turn && part != Some(Part::Head),
            Primitive::Tilt { .. } => verb == Verb::Tilt,
            Primitive::Nod { .. } => verb == Verb::Nod,
            Primitive::Shake { .. } => verb == Verb::Shake,
            Primitive::WiggleAntennas { .. } => verb == Verb::Wiggle,
            Primitive::Dance { .. } => verb == Verb::Dance,
            _ => false,
        };
        same.then_some(taken)
    }

    fn whole_repetition(&self, at: usize, end: usize) -> Result<Option<(u32, usize)>, Error> {
        if longest(REPEATS.iter().copied(), &self.window(at)).is_some_and(|(_, taken)| at + taken == end) {
            return Ok(Some((1, end)));
        }
        Ok(self.repetition_at(at)?.filter(|(_, ends)| *ends >= end))
    }

    /// Returns the change that all of these tokens express. After a verb, only a relative change counts.
    fn change(&self, at: Range<usize>, firm: bool, verb: bool) -> Result<Option<Modification>, Error> {
        match change(&self.window(at.start)) {
            Some((change, taken)) if at.start + taken == at.end => Ok(Some(change)),
            _ => self.fragment(at, firm, verb),
        }
    }

    /// Parses quantities and directions: "10 degrees more", "further to the left", "30 degrees", "to the
    /// right".
    fn fragment(&self, at: Range<usize>, firm: bool, verb: bool) -> Result<Option<Modification>, Error> {
        let mut here = at.start;
        let (mut further, mut less, mut timed) = (false, false, false);
        let (mut some, mut direction, mut said) = (None, None, None);
        while here < at.end {
            let rest = self.tokens.get(here..at.end).unwrap_or_default();
            if let Some((found, taken)) = quantity(rest) {
                if said.replace(found).is_some() {
                    return Ok(None);
                }
                here += taken;
                continue;
            }
            let words = self.window(here);
            if let (amount, taken @ 1..) = amount(&words) {
                some = Some(amount);
                here += taken;
                continue;
            }
            match self.word(here) {
                Some("further" | "farther" | "more" | "another") => further = true,
                Some("less") => less = true,
                Some("in" | "over" | "within") if quantity(rest.get(1..).unwrap_or_default()).is_some() => {
                    timed = true;
                }
                Some(
                    "to" | "the" | "your" | "towards" | "toward" | "side" | "by" | "it" | "that" | "only",
                ) => {}
                Some(word) => match lexicon::direction(word) {
                    Some(found) if direction.is_none() => direction = Some(found),
                    _ => return Ok(None),
                },
                None => return Ok(None),
            }
            here += 1;
        }
        let part = match some.unwrap_or(Amount::Plain) {
            Amount::Small => 0.25,
            Amount::Plain => 0.5,
            Amount::Large => 1.0,
        };
        Ok(match (direction, said, further, less) {
            (Some(to), None, true, false) => Some(Modification::Toward(to, part)),
            (Some(to), None, false, false) if some == Some(Amount::Small) => {
                Some(Modification::Toward(to, part))
            }
            (Some(to), Some(Quantity::Angle(by)), true, false) => Some(Modification::TowardBy(to, by)),
            (Some(to), None, false, false) if firm && !verb && some.is_none() => {
                Some(Modification::To(to, None))
            }
            (Some(to), Some(Quantity::Angle(angle)), false, false) if firm && !verb => {
                Some(Modification::To(to, Some(angle)))
            }
            (None, Some(Quantity::Angle(by)), true, false) => Some(Modification::Add(by)),
            (None, Some(Quantity::Angle(by)), false, true) => Some(Modification::Add(-by)),
            (None, Some(Quantity::Seconds(seconds)), false, false) if timed || firm => {
                Some(Modification::Within(seconds))
            }
            (None, Some(Quantity::Angle(angle)), false, false) if !verb => Some(Modification::Angle(angle)),
            (None, Some(Quantity::Metres(metres)), false, false) if !verb => {
                Some(Modification::Metres(metres))
            }
            (None, Some(Quantity::Times(often)), false, false) if firm => {
                Some(Modification::Times(count(often, "doing it")?))
            }
            (None, Some(Quantity::Bare(number)), false, false) if firm => Some(self.bare(number)?),
            _ => None,
        })
    }

    /// Interprets a number without a unit by the last motion.
    fn bare(&self, number: f64) -> Result<Modification, Error> {
        let counted =
            self.motions().last().is_some_and(|motion| changed(motion, Modification::Times(1)).is_some());
        Ok(if counted {
            Modification::Times(count(number, "doing it")?)
        } else {
            Modification::Angle(Radians::from_degrees(number))
        })
    }

    fn motions(&self) -> Vec<Primitive> {
        let acted = self.known.before.and_then(|before| before.last_action());
        let plan = acted.map(|turn| turn.plan.as_slice()).unwrap_or_default();
        let motion = |intent: &Intent| match intent {
            Intent::Motion(motion) => Some(*motion),
            _ => None,
        };
        plan.iter().filter_map(motion).collect()
    }

    /// Returns the last motion to which the change applies, changed. A change of pace applies to all
    /// motions.
    fn with_change(&self, change: Modification, at: Range<usize>) -> Result<Vec<Intent>, Error> {
        let nothing = || Error::unclear(at.clone(), Reason::NothingToRepeat);
        let unchangeable = || Error::unclear(at.clone(), Reason::NoSuchChange);
        let acted = self.known.before.and_then(|before| before.last_action()).ok_or_else(nothing)?;
        if let (Modification::Pace(slower), [Intent::RunTool { name, arguments }]) =
            (change, acted.plan.as_slice())
        {
            let run = self.paced_run(name, arguments, slower)?;
            return run.map(|run| vec![run]).ok_or_else(unchangeable);
        }
        let motions = self.motions();
        let possible = |motion: &Primitive| changed(motion, change);
        let plan: Vec<Primitive> = if change.is_about_all() {
            if !motions.iter().any(|motion| possible(motion).is_some()) {
                return Err(unchangeable());
            }
            motions.iter().map(|motion| possible(motion).unwrap_or(*motion)).collect()
        } else {
            let mut all = motions.iter().filter_map(possible);
            let found = match (motions.last().and_then(possible), all.next(), all.next()) {
                (Some(last), ..) => last,
                (None, Some(only), None) => only,
                _ => return Err(unchangeable()),
            };
            vec![found]
        };
        for motion in &plan {
            motion.check().map_err(Error::Range)?;
        }
        Ok(plan.into_iter().map(Intent::Motion).collect())
    }

    /// Repeats everything that was done last this many times.
    fn once_more(&self, times: u32, at: Range<usize>) -> Result<Vec<Intent>, Error> {
        let nothing = || Error::unclear(at.clone(), Reason::NothingToRepeat);
        let acted = self.known.before.and_then(|before| before.last_action()).ok_or_else(nothing)?;
        let again: Vec<Intent> =
            acted.plan.iter().filter(|intent| !matches!(intent, Intent::MakeTool { .. })).cloned().collect();
        let steps = again.len().saturating_mul(times as usize);
        if steps > MAX_STEPS {
            return Err(Error::Range(OutOfRange {
                what: format!("a plan of {steps} steps"),
                allowed: format!("up to {MAX_STEPS} steps in one sentence"),
            }));
        }
        if again.is_empty() {
            return Err(Error::unclear(at, Reason::NoSuchChange));
        }
        Ok(again.iter().cycle().take(steps).cloned().collect())
    }

    /// Returns to the posture before the last motion.
    fn return_to_previous(&self, at: Range<usize>) -> Result<Vec<Intent>, Error> {
        let nothing = || Error::unclear(at.clone(), Reason::NothingToRepeat);
        let acted = self.known.before.and_then(|before| before.last_action()).ok_or_else(nothing)?;
        let moves = acted.plan.iter().any(|i| matches!(i, Intent::Motion(_) | Intent::RunTool { .. }));
        let bedtime = |intent: &Intent| matches!(intent, Intent::Motion(Primitive::Wake | Primitive::Sleep));
        match acted.from {
            Some(to) if moves && !acted.plan.iter().any(bedtime) => {
                Ok(vec![Intent::Motion(Primitive::Return { to, duration: CENTER })])
            }
            _ => Err(Error::unclear(at, Reason::NoSuchChange)),
        }
    }
}

/// Returns whether a token is a mark that only separates.
fn is_pause(token: &Token) -> bool {
    [',', ';', ':', '.', '!', '?'].iter().any(|&mark| token.is_mark(mark))
}
