//! Changes of steps: sizes, sides, and what is left out.

use std::collections::BTreeSet;

use minismith_score::{Axis, Direction, Move, Number, Step, Target};

use crate::act::target;
use crate::clause::{Clause, Link};
use crate::compose::does_something;
use crate::emit::{maximum_of, reach, tidy};

pub(super) fn joined(one: &str, other: &str, clause: &Clause) -> String {
    let (one, other) = (one.trim_end_matches('.'), other.trim_end_matches('.').to_lowercase());
    let text = if clause.link == Link::While {
        format!("{one}, while it {other}.")
    } else {
        format!("{one}, then {other}.")
    };
    if text.len() <= 280 { text } else { format!("{one}.") }
}

pub(super) fn neutral_of(target: Target) -> f64 {
    let is_antenna = target.axes().iter().all(|axis| axis.neutral() != 0.0);
    if is_antenna && target.direction() == Direction::Outward { 10.0 } else { 0.0 }
}

/// Returns the neutral posture as an amount in the direction of a target: 10 degrees inward for antennas.
fn rest_of(target: Target) -> f64 {
    let axis = target.axes().first();
    axis.map_or(0.0, |axis| axis.neutral() * axis.sign(target.direction()).unwrap_or(1.0)) + 0.0
}

pub(super) fn is_return(movement: &Move) -> bool {
    movement.targets.iter().all(
        |(target, number)| matches!(number, Number::Value(value) if (*value - rest_of(*target)).abs() < 1e-9),
    )
}

pub(super) fn scale(target: Target, number: &mut Number, factor: f64, is_limited: &mut bool) -> bool {
    let rest = rest_of(target);
    let mut scaled = |value: f64| {
        let maximum = maximum_of(target).max(value);
        let value = rest + (value - rest) * factor;
        if value > maximum + 1e-9 {
            *is_limited = true;
        }
        tidy(value.clamp(0.0, maximum))
    };
    match number {
        Number::Value(value) if (*value - rest).abs() > 1e-9 => {
            *value = scaled(*value);
            true
        }
        Number::Ramp(first, last) => {
            for end in [first, last] {
                if let Number::Value(value) = &mut **end {
                    *value = scaled(*value);
                }
            }
            true
        }
        _ => false,
    }
}

/// Visits the targets of all movements; returns whether a visit changed one.
pub(super) fn each_move(steps: &mut [Step], visit: &mut dyn FnMut(Target, &mut Number) -> bool) -> bool {
    let mut is_changed = false;
    for step in steps {
        match step {
            Step::Move(movement) => {
                for (target, number) in &mut movement.targets {
                    is_changed |= visit(*target, number);
                }
            }
            step => {
                if let Some(inner) = inner_mut(step) {
                    is_changed |= each_move(inner, visit);
                }
            }
        }
    }
    is_changed
}

/// Changes how long each pause takes; returns whether there is one.
pub(super) fn each_wait(steps: &mut [Step], factor: f64) -> bool {
    let mut is_changed = false;
    for step in steps {
        if let Step::Wait(Number::Value(seconds)) = step {
            *seconds = tidy((*seconds * factor).min(60.0));
            is_changed = true;
        } else if let Some(inner) = inner_mut(step) {
            is_changed |= each_wait(inner, factor);
        }
    }
    is_changed
}

/// Sets how long each pause outside of reactions takes; returns whether there is one.
pub(super) fn set_waits(steps: &mut [Step], seconds: f64) -> bool {
    let mut is_set = false;
    for step in steps {
        match step {
            Step::Wait(number) => {
                *number = Number::Value(seconds);
                is_set = true;
            }
            Step::Repeat { steps, .. } | Step::Together(steps) | Step::Sequence(steps) => {
                is_set |= set_waits(steps, seconds);
            }
            _ => {}
        }
    }
    is_set
}

pub(super) fn inner_mut(step: &mut Step) -> Option<&mut Vec<Step>> {
    match step {
        Step::Repeat { steps, .. }
        | Step::Together(steps)
        | Step::Sequence(steps)
        | Step::Otherwise(steps) => Some(steps),
        Step::When(reaction)
        | Step::Whenever(reaction)
        | Step::AsLongAs(reaction)
        | Step::Until(reaction) => Some(&mut reaction.steps),
        _ => None,
    }
}

pub(super) fn repeats<'a>(steps: &'a mut [Step], found: &mut Vec<&'a mut Number>) {
    for step in steps {
        match step {
            Step::Repeat { times, steps } => {
                found.push(times);
                repeats(steps, found);
            }
            step => {
                if let Some(inner) = inner_mut(step) {
                    repeats(inner, found);
                }
            }
        }
    }
}

pub(super) fn swap_sides(steps: &mut [Step]) {
    for step in steps {
        if let Step::Move(movement) = step {
            for (target, _) in &mut movement.targets {
                *target = mirrored(*target);
            }
        } else if let Some(inner) = inner_mut(step) {
            swap_sides(inner);
        }
    }
}

pub(super) fn mirrored(target: Target) -> Target {
    match target {
        Target::HeadLeft => Target::HeadRight,
        Target::HeadRight => Target::HeadLeft,
        Target::HeadTiltLeft => Target::HeadTiltRight,
        Target::HeadTiltRight => Target::HeadTiltLeft,
        Target::HeadSideLeft => Target::HeadSideRight,
        Target::HeadSideRight => Target::HeadSideLeft,
        Target::BodyLeft => Target::BodyRight,
        Target::BodyRight => Target::BodyLeft,
        Target::AntennaLeft => Target::AntennaRight,
        Target::AntennaRight => Target::AntennaLeft,
        Target::AntennaLeftInward => Target::AntennaRightInward,
        Target::AntennaRightInward => Target::AntennaLeftInward,
        target => target,
    }
}

pub(super) fn mirrored_words(text: &str) -> String {
    text.split(' ')
        .map(|word| match word.trim_end_matches([',', '.']) {
            "left" => word.replace("left", "right"),
            "right" => word.replace("right", "left"),
            _ => word.to_owned(),
        })
        .collect::<Vec<_>>()
        .join(" ")
}

pub(super) fn swap_up_and_down(steps: &mut [Step]) {
    for step in steps {
        if let Step::Move(movement) = step {
            for (old, number) in &mut movement.targets {
                let Some(axis) = old
                    .axes()
                    .first()
                    .copied()
                    .filter(|axis| matches!(axis, Axis::HeadPitch | Axis::HeadRise | Axis::HeadForward))
                else {
                    continue;
                };
                let [positive, negative] = axis.directions();
                let direction = if old.direction() == positive { negative } else { positive };
                if let Some(new) = target(axis, direction) {
                    if let Number::Value(value) = number {
                        let (low, high) = reach(axis);
                        *value = value.min(if direction == positive { high } else { -low });
                    }
                    *old = new;
                }
            }
        } else if let Some(inner) = inner_mut(step) {
            swap_up_and_down(inner);
        }
    }
}

/// Removes axes from all movements, and steps that then do nothing.
pub(super) fn remove(steps: &mut Vec<Step>, axes: &BTreeSet<Axis>) {
    steps.retain_mut(|step| match step {
        Step::Move(movement) => {
            if movement.targets.is_empty() {
                return !movement.part.axes().iter().all(|axis| axes.contains(axis));
            }
            let mut kept = Vec::new();
            for (target, number) in std::mem::take(&mut movement.targets) {
                let left: Vec<Axis> =
                    target.axes().iter().copied().filter(|axis| !axes.contains(axis)).collect();
                if left.len() == target.axes().len() {
                    kept.push((target, number));
                } else {
                    kept.extend(
                        left.iter()
                            .filter_map(|axis| self::target(*axis, target.direction()))
                            .map(|target| (target, number.clone())),
                    );
                }
            }
            movement.targets = kept;
            !movement.targets.is_empty()
        }
        step => match inner_mut(step) {
            Some(inner) => {
                remove(inner, axes);
                does_something(inner)
            }
            None => true,
        },
    });
}

/// Removes the steps of one gesture, however often they are repeated; returns whether they were found.
pub(super) fn remove_gesture(steps: &mut Vec<Step>, gesture: &[Step]) -> bool {
    let round = match gesture {
        [Step::Repeat { steps, .. }, ..] => steps.as_slice(),
        _ => gesture,
    };
    let is_same = |one: &Step, other: &Step| match (one, other) {
        (Step::Repeat { steps: one, .. }, Step::Repeat { steps: other, .. }) => one == other,
        _ => one == other,
    };
    let begins = |steps: &[Step], pattern: &[Step]| {
        !pattern.is_empty()
            && steps.len() >= pattern.len()
            && steps.iter().zip(pattern).all(|(one, other)| is_same(one, other))
    };
    let mut is_found = false;
    let mut at = 0;
    while let Some(rest) = steps.get(at..).filter(|rest| !rest.is_empty()) {
        let is_round = matches!(rest.first(), Some(Step::Repeat { steps, .. }) if steps == round);
        let length = if begins(rest, gesture) {
            gesture.len()
        } else if begins(rest, round) {
            round.len()
        } else {
            usize::from(is_round)
        };
        if length > 0 {
            steps.drain(at..at + length);
            is_found = true;
            continue;
        }
        if let Some(inner) = steps.get_mut(at).and_then(inner_mut) {
            is_found |= remove_gesture(inner, gesture);
        }
        at += 1;
    }
    let holds_steps = |step: &Step| {
        matches!(step, Step::Repeat { .. } | Step::Together(_) | Step::Sequence(_) | Step::Otherwise(_))
            || step.reaction().is_some()
    };
    steps.retain(|step| !step.inner().is_empty() || !holds_steps(step));
    is_found
}

pub(super) fn remove_sounds(steps: &mut Vec<Step>) {
    steps.retain_mut(|step| match step {
        Step::Sound(_) => false,
        step => match inner_mut(step) {
            Some(inner) => {
                remove_sounds(inner);
                !inner.is_empty()
            }
            None => true,
        },
    });
}

/// Lets both antennas do what one does.
pub(super) fn double(steps: &mut [Step]) -> bool {
    let mut is_changed = false;
    for step in steps {
        if let Step::Move(movement) = step {
            for (target, _) in &mut movement.targets {
                *target = match *target {
                    Target::AntennaLeft | Target::AntennaRight => Target::AntennasBoth,
                    Target::AntennaLeftInward | Target::AntennaRightInward => Target::AntennasBothInward,
                    other => other,
                };
            }
            is_changed = true;
        } else if let Some(inner) = inner_mut(step) {
            is_changed |= double(inner);
        }
    }
    is_changed
}

/// "Drop the nod", "get rid of the wave": the same as without it.
pub(super) fn removals(mut words: Vec<crate::words::Word>) -> Vec<crate::words::Word> {
    let texts: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
    let text = |at: usize| texts.get(at).map_or("", String::as_str);
    // "Replace the nod with a shake": the shake instead of the nod.
    let old =
        (0..texts.len().min(5)).find(|at| matches!(text(*at), "replace" | "exchange" | "swap" | "trade"));
    let new = old.and_then(|old| {
        (old + 2..texts.len()).find(|at| matches!(text(*at), "with" | "by" | "for" | "against"))
    });
    if let (Some(old), Some(new)) = (old, new) {
        let end = (new..texts.len())
            .find(|at| words.get(*at).is_some_and(|word| !word.is_word))
            .unwrap_or(texts.len());
        if let Some(link) = words.get_mut(old) {
            link.text = "without".to_owned();
        }
        if let Some(range) = words.get_mut(old..end) {
            range.rotate_left(new - old);
        }
        if let Some(link) = words.get_mut(old) {
            link.text = "the".to_owned();
        }
        return words;
    }
    let parts =
        ["head", "antenna", "antennas", "ear", "ears", "body", "base", "left", "right", "chin", "it", "them"];
    for at in 0..texts.len() {
        let length = match (text(at), text(at + 1), text(at + 2)) {
            ("get", "rid", "of") => 3,
            ("leave" | "take" | "cut" | "drop", "out" | "off" | "away", _) => 2,
            ("do", "away", "with") => 3,
            ("drop" | "lose" | "cut" | "skip" | "forget" | "scrap" | "ditch" | "lower", next, _)
                if matches!(next, "the" | "that" | "those" | "all") && !parts.contains(&text(at + 2)) =>
            {
                usize::from(text(at) != "lower")
            }
            ("remove" | "omit" | "delete" | "eliminate" | "ditch" | "scrap" | "skip", ..) => 1,
            _ => 0,
        };
        for place in at..at + length {
            if let Some(word) = words.get_mut(place) {
                word.text = if place == at { "without".to_owned() } else { "the".to_owned() };
            }
        }
    }
    words
}
