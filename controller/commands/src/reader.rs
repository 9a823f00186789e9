//! From clauses to one meaning: what follows what, what happens at once, what is taken back, and what is referred to.

use std::ops::Range;

use minismith_score::{Axis, AxisValues, Event};

use crate::acts::axes_of;
use crate::clause::{Clause, Link, split};
use crate::concept::{Act, Compared, Concept, Part, Way};
use crate::lexicon::{LEXICONS, Lexicon};
use crate::meaning::{Aim, Amount, Gesture, Meaning};
use crate::tagger::{Tag, tag};

/// What was done last, to which a text may refer.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// What it meant.
    pub meaning: Meaning,
    /// The act that was said last.
    pub act: Option<Act>,
    /// The parts that were said last.
    pub parts: Vec<Part>,
    /// The posture before it.
    pub before: AxisValues,
}

/// What a text means.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// A motion.
    Motion {
        /// What is done.
        meaning: Meaning,
        /// The act that was said last.
        act: Option<Act>,
        /// The parts that were said last.
        parts: Vec<Part>,
        /// Whether it is one clause that refers to nothing.
        is_simple: bool,
    },
    /// A motion if an event holds, otherwise another one or none.
    Conditional {
        /// The event.
        event: Event,
        /// If it holds.
        then: Option<Meaning>,
        /// If not.
        otherwise: Option<Meaning>,
    },
    /// It asks for no motion, or says what not to do.
    Nothing,
    /// It cannot be done.
    Impossible(String),
    /// Parts of it are not understood, bytes.
    NotUnderstood(Vec<Range<usize>>),
}

/// Returns the language of a text, as far as its words tell, and its tags. `usual` is taken where several fit equally.
#[must_use]
pub fn detect(text: &str, usual: &str) -> (&'static Lexicon, Vec<Tag>) {
    let mut best: Option<(f64, &'static Lexicon, Vec<Tag>)> = None;
    for lexicon in LEXICONS.iter() {
        let tags = tag(text, lexicon);
        let weight = |tag: &Tag| match tag.concept {
            Concept::Unknown => -2.0 * tag.span.len() as f64,
            Concept::Number(_) | Concept::Comma | Concept::Stop | Concept::Question => 0.0,
            _ => tag.span.len() as f64,
        };
        let score = tags.iter().map(weight).sum::<f64>() + if lexicon.code == usual { 0.5 } else { 0.0 };
        if best.as_ref().is_none_or(|(known, _, _)| score > *known) {
            best = Some((score, lexicon, tags));
        }
    }
    let (_, lexicon, tags) = best.unwrap_or_else(|| unreachable!("there is a language"));
    (lexicon, tags)
}

/// Reads a text.
#[must_use]
pub fn read(text: &str, past: Option<&Past>, usual_language: &str) -> (Reading, &'static str) {
    let (lexicon, tags) = detect(text, usual_language);
    (read_tags(&tags, past), lexicon.code.as_str())
}

/// Returns whether a text orders a stop, in any of the languages.
#[must_use]
pub fn is_stop(text: &str) -> bool {
    LEXICONS.iter().any(|lexicon| {
        let clauses = split(&tag(text, lexicon));
        clauses.iter().any(|clause| clause.is_halt && !clause.is_negated && !clause.is_told)
    })
}

fn read_tags(tags: &[Tag], past: Option<&Past>) -> Reading {
    let clauses = split(tags);
    if clauses.iter().any(|clause| clause.is_told && clause_moves(clause)) {
        return Reading::Nothing;
    }
    let unknown: Vec<Range<usize>> = clauses
        .iter()
        .filter(|clause| clause.has_content())
        .flat_map(|clause| clause.unknown.iter().cloned())
        .collect();
    if !unknown.is_empty() {
        return Reading::NotUnderstood(unknown);
    }
    if clauses.iter().any(|clause| clause.is_impossible) {
        return Reading::Impossible("this robot cannot do that".to_owned());
    }
    let clauses: Vec<Clause> =
        clauses.into_iter().filter(|clause| clause.has_content() || clause.link == Link::Correction).collect();
    if clauses.is_empty() {
        let unknown = tags.iter().filter(|tag| tag.concept == Concept::Unknown).map(|tag| tag.span.clone());
        let unknown: Vec<Range<usize>> = unknown.collect();
        return if unknown.is_empty() { Reading::Nothing } else { Reading::NotUnderstood(unknown) };
    }
    if let Some(at) = clauses.iter().position(|clause| clause.condition.is_some()) {
        return conditional(&clauses, at, past);
    }
    match (Composer { past, act: None, parts: Vec::new(), said: Vec::new(), refers: false }).compose(clauses) {
        Ok(Some((meaning, composer))) => Reading::Motion {
            is_simple: composer.said.len() == 1 && !composer.refers,
            meaning,
            act: composer.act,
            parts: composer.parts,
        },
        Ok(None) => Reading::Nothing,
        Err(reason) => Reading::Impossible(reason),
    }
}

fn clause_moves(clause: &Clause) -> bool {
    clause.act.is_some() || !clause.ways.is_empty() || !clause.parts.is_empty()
}

fn conditional(clauses: &[Clause], at: usize, past: Option<&Past>) -> Reading {
    let event = clauses.get(at).and_then(|clause| clause.condition.clone());
    let Some(event) = event else { return Reading::Nothing };
    let rest: Vec<Clause> = clauses.get(at + 1..).unwrap_or(&[]).to_vec();
    let before: Vec<Clause> = clauses.get(..at).unwrap_or(&[]).to_vec();
    let split_at = rest.iter().position(|clause| clause.link == Link::Otherwise).unwrap_or(rest.len());
    let (then, otherwise) = rest.split_at(split_at);
    let then = if then.is_empty() { before } else { [before, then.to_vec()].concat() };
    let meaning = |clauses: &[Clause]| {
        let composer = Composer { past, act: None, parts: Vec::new(), said: Vec::new(), refers: false };
        composer.compose(clauses.to_vec()).map(|found| found.map(|(meaning, _)| meaning))
    };
    match (meaning(&then), meaning(otherwise)) {
        (Ok(then), Ok(otherwise)) => Reading::Conditional { event, then, otherwise },
        (Err(reason), _) | (_, Err(reason)) => Reading::Impossible(reason),
    }
}

/// A part of a sentence with its meaning.
struct Said {
    clause: Clause,
    meaning: Meaning,
}

struct Composer<'a> {
    past: Option<&'a Past>,
    act: Option<Act>,
    parts: Vec<Part>,
    said: Vec<Said>,
    refers: bool,
}

impl Composer<'_> {
    /// Returns the meaning of clauses; none if they only say what not to do.
    fn compose(mut self, clauses: Vec<Clause>) -> Result<Option<(Meaning, Self)>, String> {
        let mut still: Vec<Axis> = Vec::new();
        let mut repeat: Option<u32> = None;
        let last = clauses.len().saturating_sub(1);
        for (at, clause) in clauses.into_iter().enumerate() {
            if clause.is_still {
                still.extend(clause.parts.iter().flat_map(|part| axes_of(*part)));
                continue;
            }
            if clause.is_negated {
                still.extend(clause.act.is_none().then(|| clause.parts.iter().flat_map(|part| axes_of(*part))).into_iter().flatten());
                continue;
            }
            // "Do this twice: ..."
            if at == 0 && last > 0 && clause.is_only_modifier() && clause.count.is_some() {
                repeat = clause.count;
                continue;
            }
            self.clause(clause)?;
        }
        if self.said.is_empty() {
            return Ok(None);
        }
        let meaning = arrange(&self.said);
        let meaning = match repeat {
            Some(count) => Meaning::Repeat(count, Box::new(meaning)),
            None => meaning,
        };
        if meaning.axes().iter().any(|axis| still.contains(axis)) {
            return Err("something is to move and to stay still".to_owned());
        }
        Ok(Some((meaning, self)))
    }

    fn clause(&mut self, mut clause: Clause) -> Result<(), String> {
        if clause.is_undo {
            self.refers = true;
            let before = self.past.map(|past| past.before);
            let Some(before) = before else { return Err("there is nothing to undo".to_owned()) };
            self.push(clause, Meaning::Posture(Box::new(before)));
            return Ok(());
        }
        if clause.is_instead && clause.act.is_some() || (clause.link == Link::Correction && clause.act.is_some()) {
            self.said.pop();
        }
        if clause.is_only_modifier() && !self.said.is_empty() && clause.act.is_none() {
            return self.modify(&clause);
        }
        let has_motion = clause.act.is_some() || !clause.parts.is_empty() || !clause.ways.is_empty();
        if clause.act == Some(Act::Return) && !self.said.is_empty() && clause.parts.is_empty() {
            let mut axes: Vec<Axis> = self.said.iter().flat_map(|said| said.meaning.axes()).collect();
            axes.sort_unstable();
            axes.dedup();
            let pace = clause.pace.unwrap_or(1.0);
            self.push(clause, Meaning::Neutral { axes, pace });
            return Ok(());
        }
        if clause.act == Some(Act::Hold) && clause.ways.is_empty() && (!self.said.is_empty() || clause.parts.is_empty()) {
            let seconds = clause.lasting.or(clause.seconds);
            if let Some(seconds) = seconds {
                self.push(clause, Meaning::Wait(seconds));
            } else if self.said.is_empty() {
                self.push(clause, Meaning::Wait(0.1));
            }
            return Ok(());
        }
        if !has_motion || (clause.act.is_none() && clause.is_same) {
            return self.refer(clause);
        }
        self.inherit(&mut clause);
        let meaning = clause.meaning()?;
        self.act = clause.act.or(self.act);
        if !clause.parts.is_empty() {
            self.parts.clone_from(&clause.parts);
        }
        let replaces = clause.link == Link::Correction;
        if replaces && self.said.is_empty() && let Some(past) = self.past {
            // "No, up": what went elsewhere goes back.
            self.refers = true;
            let kept = meaning.axes();
            let axes: Vec<Axis> = past.meaning.axes().into_iter().filter(|axis| !kept.contains(axis)).collect();
            if past.meaning.is_posture() && !axes.is_empty() && meaning.is_posture() {
                let back = Meaning::Neutral { axes, pace: 1.0 };
                self.push(clause, merged(vec![meaning, back]));
                return Ok(());
            }
        }
        self.push(clause, meaning);
        Ok(())
    }

    fn push(&mut self, clause: Clause, meaning: Meaning) {
        self.said.push(Said { clause, meaning });
    }

    /// Takes over the act and the parts of what was said before, where a clause names none.
    fn inherit(&mut self, clause: &mut Clause) {
        let (act, parts) = match self.said.last() {
            Some(said) => (said.clause.act, said.clause.parts.clone()),
            None => {
                self.refers |= clause.act.is_none() && self.past.is_some();
                self.past.map_or((None, Vec::new()), |past| (past.act, past.parts.clone()))
            }
        };
        let is_opposite = |clause: &Clause| clause.ways.iter().any(|heading| heading.way == Way::Opposite);
        if clause.act.is_none() {
            clause.act = act.filter(|act| crate::acts::is_posture(*act) || clause.parts.is_empty() || !clause.parts.contains(&Part::Head));
            if clause.parts.is_empty() {
                clause.parts.clone_from(&parts);
            }
            if clause.link == Link::Correction {
                self.correct(clause);
            }
        } else if clause.is_it && clause.parts.is_empty() {
            clause.parts.clone_from(&parts);
        }
        for part in &mut clause.parts {
            if *part == Part::Other {
                *part = match parts.last() {
                    Some(Part::LeftAntenna) => Part::RightAntenna,
                    _ => Part::LeftAntenna,
                };
            }
        }
        if is_opposite(clause) {
            let before = self.said.last().map(|said| said.clause.ways.clone());
            let opposite = before.and_then(|ways| ways.last().map(|heading| heading.way)).map_or_else(
                || self.past_way().map_or(Way::Right, opposite),
                opposite,
            );
            for heading in &mut clause.ways {
                if heading.way == Way::Opposite {
                    heading.way = opposite;
                }
            }
        }
    }

    /// The correction of a clause keeps what it does not replace.
    fn correct(&mut self, clause: &mut Clause) {
        let Some(before) = self.said.pop() else { return };
        let old = before.clause;
        clause.act = clause.act.or(old.act);
        if clause.ways.is_empty() {
            clause.ways = old.ways;
        }
        clause.count = clause.count.or(old.count);
        clause.pace = clause.pace.or(old.pace);
        clause.size = clause.size.or(old.size);
        clause.link = old.link;
    }

    /// Returns the way in which the last motion went.
    fn past_way(&self) -> Option<Way> {
        let mut found = None;
        let mut meaning = self.past?.meaning.clone();
        meaning.each_mut(&mut |one| {
            if let Meaning::Go { aims, .. } = one {
                for aim in aims {
                    let is_positive = aim.sign > 0.0;
                    found = Some(match aim.axis {
                        Axis::HeadTurn | Axis::BodyTurn | Axis::HeadSide => if is_positive { Way::Left } else { Way::Right },
                        Axis::HeadTilt => if is_positive { Way::Right } else { Way::Left },
                        Axis::HeadPitch => if is_positive { Way::Down } else { Way::Up },
                        Axis::HeadRise => if is_positive { Way::Up } else { Way::Down },
                        Axis::HeadForward => if is_positive { Way::Forward } else { Way::Back },
                        _ => if is_positive { Way::Out } else { Way::In },
                    });
                }
            }
        });
        found
    }

    /// A fragment says more of what was said before it.
    fn modify(&mut self, clause: &Clause) -> Result<(), String> {
        // "Look left, look right, and all of that twice".
        if clause.count.is_some() && (clause.is_it || clause.is_same || clause.is_again) && self.said.len() > 1 {
            let count = clause.count.unwrap_or(1);
            let whole = Meaning::Repeat(count, Box::new(arrange(&self.said)));
            self.said = vec![Said { clause: Clause::default(), meaning: whole }];
            return Ok(());
        }
        let Some(mut last) = self.said.pop() else { return Ok(()) };
        let is_pause = last.meaning.is_posture() && (clause.seconds.is_some() || clause.lasting.is_some());
        if is_pause && !clause.is_most && clause.size.is_none() && last.clause.act.is_some() && clause.link != Link::Correction {
            let seconds = clause.lasting.or(clause.seconds).unwrap_or(1.0);
            self.said.push(last);
            self.push(clause.clone(), Meaning::Wait(seconds));
            return Ok(());
        }
        last.clause.absorb(clause);
        if last.clause.act.is_some() && !matches!(last.meaning, Meaning::Wait(_)) {
            last.meaning = last.clause.meaning()?;
        }
        self.said.push(last);
        Ok(())
    }

    /// A text that names no motion refers to the last one.
    fn refer(&mut self, clause: Clause) -> Result<(), String> {
        self.refers = true;
        let Some(past) = self.past else {
            return Err("there is nothing before to which this refers".to_owned());
        };
        let mut meaning = past.meaning.clone();
        if clause.parts.iter().any(|part| *part == Part::Other)
            || clause.ways.iter().any(|heading| matches!(heading.way, Way::Opposite | Way::Left | Way::Right))
            || clause.parts.iter().any(|part| matches!(part, Part::LeftAntenna | Part::RightAntenna))
        {
            meaning = if clause.is_same { meaning.mirrored() } else { meaning.reversed() };
        }
        let count = clause.count.or(clause.number.map(|number| number as u32));
        if let Some(count) = count {
            let mut is_counted = false;
            meaning.each_mut(&mut |one| {
                if let Meaning::Gesture(gesture) = one {
                    gesture.count = count.clamp(1, 50);
                    gesture.total = None;
                    is_counted = true;
                }
            });
            if !is_counted {
                meaning = Meaning::Repeat(count.clamp(1, 20), Box::new(meaning));
            }
        }
        let bigger = match clause.amount {
            Some(crate::clause::Said::Degrees(amount) | crate::clause::Said::Millimetres(amount)) => Some(amount),
            None => None,
        };
        for compared in &clause.compared {
            meaning.each_mut(&mut |one| compare(one, *compared, bigger, clause.size));
        }
        if let Some(pace) = clause.pace {
            let compared = if pace > 1.0 { Compared::Slower } else { Compared::Faster };
            meaning.each_mut(&mut |one| compare(one, compared, None, None));
        }
        let longer = clause.lasting.or(clause.seconds);
        if let (Some(seconds), Meaning::Dance(_)) = (longer, &meaning) {
            meaning = Meaning::Dance(seconds);
        }
        self.act = past.act;
        self.parts.clone_from(&past.parts);
        self.push(clause, meaning);
        Ok(())
    }
}

/// Changes a motion by comparison with what it was.
fn compare(meaning: &mut Meaning, compared: Compared, by: Option<f64>, size: Option<f64>) {
    let step = by.unwrap_or(10.0 * size.unwrap_or(1.0));
    let change = |aim: &mut Aim, factor: f64, step: f64, is_gesture: bool| {
        aim.amount = match aim.amount {
            Amount::Usual(usual) if is_gesture => Amount::Usual(usual * factor),
            Amount::Exactly(amount) if is_gesture => Amount::Exactly(amount * factor),
            _ if aim.sign == 0.0 => aim.amount,
            _ => Amount::Further(step),
        };
    };
    match (meaning, compared) {
        (Meaning::Go { aims, .. }, Compared::Bigger) => aims.iter_mut().for_each(|aim| change(aim, 1.5, step, false)),
        (Meaning::Go { aims, .. }, Compared::Smaller) => aims.iter_mut().for_each(|aim| change(aim, 0.6, -step, false)),
        (Meaning::Gesture(gesture), Compared::Bigger) => {
            gesture.strokes.iter_mut().flatten().for_each(|aim| change(aim, 1.5, 0.0, true));
        }
        (Meaning::Gesture(gesture), Compared::Smaller) => {
            gesture.strokes.iter_mut().flatten().for_each(|aim| change(aim, 0.6, 0.0, true));
        }
        (Meaning::Go { pace, .. } | Meaning::Neutral { pace, .. }, Compared::Faster) => *pace *= 0.6,
        (Meaning::Go { pace, .. } | Meaning::Neutral { pace, .. }, Compared::Slower) => *pace *= 1.7,
        (Meaning::Gesture(Gesture { stroke, total, .. }), Compared::Faster) => {
            *stroke *= 0.6;
            *total = total.map(|total| total * 0.6);
        }
        (Meaning::Gesture(Gesture { stroke, total, .. }), Compared::Slower) => {
            *stroke *= 1.7;
            *total = total.map(|total| total * 1.7);
        }
        (Meaning::Gesture(gesture), Compared::Longer) => gesture.count = (gesture.count * 2).min(50),
        (Meaning::Gesture(gesture), Compared::Shorter) => gesture.count = (gesture.count / 2).max(1),
        (Meaning::Dance(seconds) | Meaning::Wait(seconds), Compared::Longer) => *seconds = (*seconds * 1.7).min(60.0),
        (Meaning::Dance(seconds) | Meaning::Wait(seconds), Compared::Shorter) => *seconds *= 0.6,
        _ => {}
    }
}

const fn opposite(way: Way) -> Way {
    match way {
        Way::Left => Way::Right,
        Way::Right => Way::Left,
        Way::Up => Way::Down,
        Way::Down => Way::Up,
        Way::Forward => Way::Back,
        Way::Back => Way::Forward,
        Way::Out => Way::In,
        Way::In => Way::Out,
        other => other,
    }
}

/// Arranges what was said in time.
fn arrange(said: &[Said]) -> Meaning {
    let mut order: Vec<&Said> = Vec::new();
    let mut out: Vec<Meaning> = Vec::new();
    // "Finally" and "first" override the order of words.
    order.extend(said.iter().filter(|one| !one.clause.is_last));
    order.extend(said.iter().filter(|one| one.clause.is_last));
    let mut starts_together: Option<Meaning> = None;
    let mut held: Option<Meaning> = None;
    let mut after: Option<Meaning> = None;
    for (at, one) in order.iter().enumerate() {
        let meaning = one.meaning.clone();
        let link = if at == 0 && matches!(one.clause.link, Link::And | Link::Comma | Link::Stop | Link::Then) {
            Link::Start
        } else {
            one.clause.link
        };
        match link {
            Link::While | Link::With if out.is_empty() => starts_together = Some(meaning),
            Link::While | Link::With => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            Link::Before if out.is_empty() => held = Some(meaning),
            Link::After if !out.is_empty() => {
                let before = out.pop();
                out.push(meaning);
                out.extend(before);
            }
            Link::After => after = Some(meaning),
            _ if one.clause.is_together && !out.is_empty() => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            Link::And | Link::Comma | Link::Start if joins(out.last(), &meaning, one) => {
                let before = out.pop();
                out.extend(before.map(|before| merged(vec![before, meaning])));
            }
            _ => {
                out.extend(after.take());
                out.push(meaning);
                if let Some(other) = starts_together.take() {
                    let main = out.pop();
                    out.extend(main.map(|main| merged(vec![other, main])));
                }
                out.extend(held.take());
            }
        }
    }
    out.extend(starts_together);
    out.extend(after);
    out.extend(held);
    match <[Meaning; 1]>::try_from(out) {
        Ok([meaning]) => meaning,
        Err(out) => Meaning::Sequence(out),
    }
}

/// Returns whether a posture is set together with the one before it: "look up and left".
fn joins(before: Option<&Meaning>, meaning: &Meaning, said: &Said) -> bool {
    let Some(before @ Meaning::Go { .. }) = before else { return false };
    let is_fragment = said.clause.link == Link::And || said.clause.is_as_well;
    let Meaning::Go { .. } = meaning else { return false };
    let axes = before.axes();
    is_fragment && meaning.axes().iter().all(|axis| !axes.contains(axis))
}

/// Joins what happens at the same time: postures into one, the rest as tracks.
fn merged(all: Vec<Meaning>) -> Meaning {
    let mut flat: Vec<Meaning> = Vec::new();
    for one in all {
        match one {
            Meaning::Together(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    let mut joined: Vec<Meaning> = Vec::new();
    for one in flat {
        let Meaning::Go { aims: more, seconds: time, pace: factor } = &one else {
            joined.push(one);
            continue;
        };
        let known = joined.iter_mut().find_map(|known| match known {
            Meaning::Go { aims, seconds, pace } => Some((aims, seconds, pace)),
            _ => None,
        });
        match known {
            Some((aims, seconds, pace)) => {
                for aim in more {
                    aims.retain(|known| known.axis != aim.axis);
                    aims.push(*aim);
                }
                *seconds = seconds.or(*time);
                *pace = pace.max(*factor);
            }
            None => joined.push(one),
        }
    }
    match <[Meaning; 1]>::try_from(joined) {
        Ok([meaning]) => meaning,
        Err(joined) => Meaning::Together(joined),
    }
}
