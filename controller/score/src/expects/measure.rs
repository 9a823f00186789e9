//! Compares an expectation with what a trace shows.

use super::motion::{AxisMotion, Leg, Motion, Movement, min_change};
use super::wording::{self, Finding, expected};
use super::{Action, End, Expect, Measured};
use crate::axis::{Axis, Direction};
use crate::score::Event;
use crate::text::{join_and, rounded, times};
use crate::trace::MotionTrace;

/// How much noise and sag may change a measured amount, degrees or millimetres.
const AMOUNT_TOLERANCE: f64 = 1.0;
/// How exactly times are measured, seconds: two cycles of perception.
const TIME_TOLERANCE: f64 = 0.2;
/// The share of its furthest value beyond which an axis is held there.
const HOLD_SHARE: f64 = 0.85;
/// Two actions are at the same time if they share this much of the shorter one.
const TOGETHER_SHARE: f64 = 0.5;
/// Two actions are apart if they share at most this much of the shorter one.
const APART_SHARE: f64 = 0.15;
/// The share of an action after which another one may begin that follows it. The joints lag behind their goals, so the end
/// of a short movement is found after the next one has begun.
const MOVED_SHARE: f64 = 0.6;
/// A gap that does not interrupt an action, seconds.
const ACTION_GAP: f64 = 0.2;
/// The least change from the first swing to the last one of swings that grow.
const GROWTH: f64 = 1.25;

struct Verdict {
    held: bool,
    measured: String,
    findings: Vec<Finding>,
}

impl Verdict {
    fn new(held: bool, measured: impl Into<String>) -> Self {
        Verdict { held, measured: measured.into(), findings: Vec::new() }
    }

    fn found(held: bool, finding: Finding) -> Self {
        Verdict { held, measured: finding.describe(), findings: vec![finding] }
    }
}

pub(super) fn measure_in(expect: &Expect, trace: &MotionTrace, motion: &Motion) -> Measured {
    let Verdict { held, measured, findings } = verdict(expect, trace, motion);
    let at_s = moment(expect, held, trace, motion).map(|at| (at * 100.0).round() / 100.0);
    let measured = Measured { held, expected: expected(expect), measured, at_s, findings };
    if matches!(expect, Expect::Likely { .. }) { measured.or_not_shown() } else { measured }
}

/// Returns when the motion shows what was measured, if that is at one time.
fn moment(expect: &Expect, held: bool, trace: &MotionTrace, motion: &Motion) -> Option<f64> {
    match expect {
        Expect::Moves { axis, direction, .. } | Expect::Holds { axis, direction, .. } => {
            let axis = motion.axis(*axis)?;
            let direction = direction.unwrap_or_else(|| axis.main_direction());
            Some(axis.furthest(axis.axis.sign(direction)?)?.1)
        }
        Expect::Still { axes, .. } if !held => {
            let axes = axes.iter().filter_map(|axis| motion.axis(*axis));
            let furthest = axes.flat_map(|axis| [1.0, -1.0].map(|sign| axis.furthest(sign)));
            Some(furthest.flatten().max_by(|one, other| one.0.total_cmp(&other.0))?.1)
        }
        Expect::Ends { .. } | Expect::Duration { .. } => Some(trace.seconds()),
        Expect::Likely { expect } => moment(expect, held, trace, motion),
        _ => None,
    }
}

fn verdict(expect: &Expect, trace: &MotionTrace, motion: &Motion) -> Verdict {
    match expect {
        Expect::Moves { axis, direction, at_least, at_most } => {
            on(motion, *axis, *direction, |axis| moves(axis, *direction, *at_least, *at_most))
        }
        Expect::Still { axes, within } => still(motion, axes, *within),
        Expect::Swings { axis, direction, count, at_least, at_most } => {
            on(motion, *axis, *direction, |axis| {
                let found =
                    direction.map_or_else(|| axis.main_swings(), |direction| axis.swings(direction)).len();
                let held = count.is_none_or(|count| found == count)
                    && at_least.is_none_or(|least| found >= least)
                    && at_most.is_none_or(|most| found <= most);
                Verdict::found(held, Finding::Swings { axis: axis.axis, direction: *direction, count: found })
            })
        }
        Expect::Alternates { axes } => alternates(motion, *axes),
        Expect::Order { actions } => order(trace, motion, actions),
        Expect::Together { actions } => overlap(trace, motion, actions, true),
        Expect::Apart { actions } => overlap(trace, motion, actions, false),
        Expect::Holds { axis, direction, seconds } => {
            on(motion, *axis, *direction, |axis| holds(axis, *direction, *seconds))
        }
        Expect::Ends { at } => ends(motion, at),
        Expect::Duration { at_least, at_most } => duration(trace, motion, *at_least, *at_most),
        Expect::Period { axis, seconds, tolerance } => {
            on(motion, *axis, None, |axis| period(axis, *seconds, *tolerance))
        }
        Expect::Pauses { seconds } => pauses(motion, *seconds),
        Expect::Grows { axis, direction } => {
            on(motion, *axis, *direction, |axis| growth(axis, *direction, true))
        }
        Expect::Shrinks { axis, direction } => {
            on(motion, *axis, *direction, |axis| growth(axis, *direction, false))
        }
        Expect::Quicker { axis } => on(motion, *axis, None, |axis| tempo(axis, true)),
        Expect::Slower { axis } => on(motion, *axis, None, |axis| tempo(axis, false)),
        Expect::Reacts { event, within, axis } => reacts(trace, motion, event, *within, *axis),
        Expect::QuietWithout { event } => quiet_without(trace, motion, event),
        Expect::Sounds { count } => {
            Verdict::new(trace.sounds.len() == *count, format!("sounds: {}", times(trace.sounds.len())))
        }
        Expect::Photos { count } => {
            Verdict::new(trace.photos.len() == *count, format!("photos: {}", times(trace.photos.len())))
        }
        Expect::Without { event, expect } => {
            let inner = verdict(expect, trace, motion);
            Verdict::new(inner.held, format!("without {}: {}", event.describe(), inner.measured))
        }
        Expect::Parameter { name, value, expect } => {
            let inner = verdict(expect, trace, motion);
            Verdict::new(inner.held, format!("with {name} = {value}: {}", inner.measured))
        }
        Expect::Either { of } => either(trace, motion, of),
        Expect::Likely { expect } => verdict(expect, trace, motion),
    }
}

/// Measures on one axis, if it has the direction.
fn on(
    motion: &Motion,
    axis: Axis,
    direction: Option<Direction>,
    measure: impl FnOnce(&AxisMotion) -> Verdict,
) -> Verdict {
    match (direction, motion.axis(axis)) {
        (Some(direction), _) if axis.sign(direction).is_none() => {
            Verdict::new(false, wording::no_direction(axis, direction))
        }
        (_, Some(axis)) => measure(axis),
        (_, None) => Verdict::new(false, "nothing was recorded"),
    }
}

/// Measures the alternatives and tells of the one that holds, or of the one of which most holds.
fn either(trace: &MotionTrace, motion: &Motion, of: &[Vec<Expect>]) -> Verdict {
    let mut best: Option<(f64, Verdict)> = None;
    for list in of {
        let verdicts: Vec<Verdict> = list.iter().map(|expect| verdict(expect, trace, motion)).collect();
        let held = verdicts.iter().filter(|one| one.held).count();
        let share = held as f64 / verdicts.len().max(1) as f64;
        if best.as_ref().is_some_and(|(most, _)| *most >= share) {
            continue;
        }
        let measured: Vec<String> = verdicts.iter().map(|one| one.measured.clone()).collect();
        let findings = verdicts.into_iter().flat_map(|one| one.findings).collect();
        let all = Verdict { held: held == list.len() && held > 0, measured: join_and(&measured), findings };
        best = Some((share, all));
    }
    best.map_or_else(|| Verdict::new(false, "there is no alternative"), |(_, verdict)| verdict)
}

fn moves(axis: &AxisMotion, direction: Option<Direction>, at_least: f64, at_most: Option<f64>) -> Verdict {
    let direction = direction.unwrap_or_else(|| axis.main_direction());
    let (from_start, from_zero) = axis.reach(axis.axis.sign(direction).unwrap_or(1.0));
    let may_rest = at_least == 0.0;
    if from_start < min_change(axis.axis) {
        let amount = wording::amount_text(from_start.max(0.0));
        return Verdict::new(may_rest, wording::reach(axis.axis, direction, &format!("only {amount}")));
    }
    let fits = |amount: f64| {
        amount >= at_least - AMOUNT_TOLERANCE && at_most.is_none_or(|most| amount <= most + AMOUNT_TOLERANCE)
    };
    // "30 degrees outward" may count from upright or from where the antenna was.
    let is_from_zero = from_zero > 0.0 && !may_rest && (fits(from_zero) || !fits(from_start));
    let amount = if is_from_zero { from_zero } else { from_start };
    let comes_back = axis.comes_back(from_start);
    let mut verdict =
        Verdict::found(fits(amount), Finding::Reach { axis: axis.axis, direction, amount, comes_back });
    let is_exact = amount >= at_least && at_most.is_none_or(|most| amount <= most);
    if verdict.held && !is_exact {
        // A reader who compares the two numbers must not take it for a mistake.
        verdict.measured += &format!(", within the tolerance of {AMOUNT_TOLERANCE:.1} {}", axis.axis.unit());
    }
    verdict
}

fn still(motion: &Motion, axes: &[Axis], within: f64) -> Verdict {
    let deviations: Vec<(Axis, f64)> =
        axes.iter().filter_map(|axis| motion.axis(*axis)).map(|axis| (axis.axis, axis.deviation())).collect();
    let largest = deviations.iter().copied().max_by(|one, other| one.1.total_cmp(&other.1));
    let Some((most, amount)) = largest else { return Verdict::new(false, "no axis was named") };
    let held = amount <= within;
    let axes = if held { axes.to_vec() } else { vec![most] };
    Verdict::found(held, Finding::Still { axes, most, amount })
}

/// From the beginning to the end, seconds.
type Span = (f64, f64);

/// How long a sound, a photo or an event counts as an action of its own, seconds.
const MOMENT: f64 = 0.1;

/// Returns when an action happens, in the order of time.
fn spans_of(trace: &MotionTrace, motion: &Motion, action: &Action) -> Vec<Span> {
    let moments = |times: &[f64]| times.iter().map(|at| (*at, at + MOMENT)).collect();
    let mut spans: Vec<Span> = match action {
        Action::Move { axes, direction, back } => {
            let is_part = |movement: &&Movement| match direction {
                Some(direction) => movement.direction == *direction && movement.is_return == *back,
                None => !back || movement.is_return,
            };
            let axes = axes.iter().filter_map(|axis| motion.axis(*axis));
            let movements = axes.flat_map(|axis| axis.movements.iter().filter(is_part));
            movements.map(|movement| (movement.from_s, movement.to_s)).collect()
        }
        Action::Sound => moments(&trace.sounds),
        Action::Photo => moments(&trace.photos),
        Action::Event(event) => {
            let spans = trace.events.iter().filter(|span| span.event == *event);
            spans.map(|span| (span.from, span.from + MOMENT)).collect()
        }
    };
    spans.sort_by(|one, other| one.0.total_cmp(&other.0));
    spans
}

fn order(trace: &MotionTrace, motion: &Motion, actions: &[Action]) -> Verdict {
    let mut firsts: Vec<(f64, &Action)> = Vec::new();
    let mut held = true;
    let mut end = f64::NEG_INFINITY;
    for action in actions {
        let spans = spans_of(trace, motion, action);
        let Some((first, _)) = spans.first() else {
            return Verdict::new(false, format!("this does not happen: {}", wording::action(action)));
        };
        // Each action begins after the ones before it have begun, and happens after the last one ended.
        if !firsts.iter().any(|(_, known)| *known == action) {
            // A sound or a photo takes no time, so what follows it may begin in the same moment.
            let follows = |at: f64, known: &Action| {
                let is_instant = matches!(known, Action::Sound | Action::Photo);
                if is_instant { at <= *first } else { at + TIME_TOLERANCE / 2.0 < *first }
            };
            held &= firsts.iter().all(|(at, known)| follows(*at, known));
            firsts.push((*first, action));
        }
        match spans.iter().find(|(from, _)| *from >= end - TIME_TOLERANCE / 2.0) {
            Some((from, to)) => end = from + MOVED_SHARE * (to - from),
            None => held = false,
        }
    }
    firsts.sort_by(|one, other| one.0.total_cmp(&other.0));
    let found: Vec<String> = firsts
        .iter()
        .map(|(at, action)| format!("{} at {} s", wording::action(action), rounded(*at)))
        .collect();
    Verdict::new(held, found.join(", "))
}

/// Joins spans that overlap or have at most a gap between them.
fn joined(mut all: Vec<Span>, gap: f64) -> Vec<Span> {
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut spans: Vec<Span> = Vec::new();
    for (from, to) in all {
        match spans.last_mut() {
            Some((_, end)) if from <= *end + gap => *end = end.max(to),
            _ => spans.push((from, to)),
        }
    }
    spans
}

fn length(spans: &[Span]) -> f64 {
    spans.iter().map(|(from, to)| to - from).sum()
}

fn shared(one: &[Span], other: &[Span]) -> f64 {
    let overlap = |a: &Span, b: &Span| (a.1.min(b.1) - a.0.max(b.0)).max(0.0);
    one.iter().map(|a| other.iter().map(|b| overlap(a, b)).sum::<f64>()).sum()
}

fn overlap(trace: &MotionTrace, motion: &Motion, actions: &[Action], is_together: bool) -> Verdict {
    let gap = if is_together { ACTION_GAP } else { 0.0 };
    let mut spans = Vec::new();
    for action in actions {
        let active = joined(spans_of(trace, motion, action), gap);
        if active.is_empty() {
            return Verdict::new(false, format!("this does not happen: {}", wording::action(action)));
        }
        spans.push(active);
    }
    let mut shares = Vec::new();
    for (index, one) in spans.iter().enumerate() {
        for other in spans.iter().skip(index + 1) {
            shares.push(shared(one, other) / length(one).min(length(other)).max(1e-6));
        }
    }
    let (held, share) = if is_together {
        let least = shares.iter().copied().fold(1.0, f64::min);
        (least >= TOGETHER_SHARE, least)
    } else {
        let most = shares.iter().copied().fold(0.0, f64::max);
        (most <= APART_SHARE, most)
    };
    let names = join_and(&wording::actions(actions));
    let percent = (share * 100.0).round() + 0.0;
    Verdict::new(held, format!("{names} at the same time for {percent} % of the shorter"))
}

fn alternates(motion: &Motion, axes: [Axis; 2]) -> Verdict {
    let mut swings: Vec<(f64, Axis)> = Vec::new();
    for axis in axes.into_iter().filter_map(|axis| motion.axis(axis)) {
        swings.extend(axis.swings(axis.main_direction()).iter().map(|leg| (leg.arrival_s, axis.axis)));
    }
    swings.sort_by(|one, other| one.0.total_cmp(&other.0));
    let alternate = swings
        .iter()
        .zip(swings.iter().skip(1))
        .all(|(one, next)| one.1 != next.1 && next.0 - one.0 > TIME_TOLERANCE / 2.0);
    let held = alternate && axes.iter().all(|axis| swings.iter().any(|(_, swung)| swung == axis));
    let names: Vec<&str> = swings.iter().take(8).map(|(_, axis)| axis.title()).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Verdict::new(held, format!("swings in this order: {names}"))
}

fn holds(axis: &AxisMotion, direction: Option<Direction>, seconds: f64) -> Verdict {
    let direction = direction.unwrap_or_else(|| axis.main_direction());
    let sign = axis.axis.sign(direction).unwrap_or(1.0);
    let (furthest, _) = axis.reach(sign);
    let name = wording::action(&Action::of(axis.axis, Some(direction)));
    if furthest < min_change(axis.axis) {
        return Verdict::new(false, format!("this does not happen: {name}"));
    }
    let (mut longest, mut current) = (0_usize, 0_usize);
    for value in &axis.values {
        let is_held = sign * (value - axis.rest) >= HOLD_SHARE * furthest;
        current = if is_held { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    let found = longest as f64 * axis.period;
    Verdict::new(found >= 0.9 * seconds - 0.05, format!("{name} held for {}", wording::seconds(found)))
}

fn ends(motion: &Motion, at: &End) -> Verdict {
    match at {
        End::Neutral => {
            let distance =
                |axis: &AxisMotion| (axis.end - axis.axis.neutral()).abs() / axis.axis.neutral_tolerance();
            let far = motion.axes().iter().filter(|axis| distance(axis) > 1.0);
            let places: Vec<String> = far
                .map(|axis| {
                    let value = axis.end - axis.axis.neutral();
                    wording::reach(
                        axis.axis,
                        axis.axis.direction_of(value),
                        &wording::amount_text(value.abs()),
                    )
                })
                .collect();
            if places.is_empty() {
                Verdict::new(true, "ends in neutral")
            } else {
                Verdict::new(false, format!("ends away from neutral: {}", join_and(&places)))
            }
        }
        End::Axis { axis, direction, amount } => on(motion, *axis, Some(*direction), |motion| {
            let value = motion.end * axis.sign(*direction).unwrap_or(1.0);
            let held = (value - amount).abs() <= axis.neutral_tolerance().max(0.1 * amount);
            let place =
                wording::reach(*axis, axis.direction_of(motion.end), &wording::amount_text(motion.end.abs()));
            Verdict::new(held, format!("ends with {place}"))
        }),
    }
}

fn duration(trace: &MotionTrace, motion: &Motion, at_least: Option<f64>, at_most: Option<f64>) -> Verdict {
    let moved = motion.movements().map(|movement| movement.to_s);
    let active = moved.chain(trace.sounds.iter().copied()).fold(0.0, f64::max);
    // A wait at the end belongs to the call; the time in which the servos settle does not.
    let held = at_least.is_none_or(|least| trace.seconds() + TIME_TOLERANCE >= least)
        && at_most.is_none_or(|most| active - TIME_TOLERANCE <= most);
    Verdict::new(held, format!("takes {}", wording::seconds(active)))
}

/// Returns the times from one swing to the next, seconds.
fn intervals(axis: &AxisMotion) -> Vec<f64> {
    let swings = axis.main_swings();
    swings.iter().zip(swings.iter().skip(1)).map(|(one, next)| next.arrival_s - one.arrival_s).collect()
}

fn period(axis: &AxisMotion, seconds: f64, tolerance: f64) -> Verdict {
    let mut intervals = intervals(axis);
    intervals.sort_by(f64::total_cmp);
    match intervals.get(intervals.len() / 2) {
        Some(median) => Verdict::new(
            (median - seconds).abs() <= tolerance + 0.02,
            format!("a swing of the {} every {median:.2} seconds", axis.axis.title()),
        ),
        None => Verdict::new(false, wording::swings(axis.axis, None, axis.main_swings().len())),
    }
}

fn tempo(axis: &AxisMotion, is_quicker: bool) -> Verdict {
    let mut found = intervals(axis);
    let shown: Vec<String> = found.iter().map(|interval| format!("{interval:.1}")).collect();
    let measured = format!("seconds between swings of the {}: {}", axis.axis.title(), shown.join(", "));
    if is_quicker {
        found.reverse();
    }
    let (Some(shortest), Some(longest)) = (found.first(), found.last()) else {
        return Verdict::new(false, wording::swings(axis.axis, None, axis.main_swings().len()));
    };
    let never_turns =
        found.iter().zip(found.iter().skip(1)).all(|(one, next)| *next >= one - 0.1_f64.max(0.1 * one));
    let held = found.len() > 1 && never_turns && *longest >= (shortest * GROWTH).max(shortest + 0.1);
    Verdict::new(held, measured)
}

fn pauses(motion: &Motion, seconds: f64) -> Verdict {
    let moved = motion.movements().map(|movement| (movement.from_s, movement.to_s));
    let spans = joined(moved.collect(), 0.0);
    let gaps = spans.iter().zip(spans.iter().skip(1)).map(|(one, next)| next.0 - one.1);
    let longest = gaps.fold(0.0, f64::max);
    let held = longest > 0.0 && longest >= seconds - TIME_TOLERANCE.min(0.3 * seconds);
    Verdict::new(held, format!("the longest pause is {}", wording::seconds(longest)))
}

fn growth(axis: &AxisMotion, direction: Option<Direction>, is_growing: bool) -> Verdict {
    let sizes = |legs: Vec<Leg>| -> Vec<f64> {
        let to = legs.iter().map(|leg| (leg.to - axis.rest).abs());
        to.collect()
    };
    let mut found = sizes(axis.swings(direction.unwrap_or_else(|| axis.main_direction())));
    if found.len() < 2 && direction.is_none() {
        found = sizes(axis.legs.iter().filter(|leg| !leg.is_return).copied().collect());
    }
    let shown: Vec<String> = found.iter().map(|size| rounded(*size)).collect();
    let measured = format!("swings of the {}: {} {}", axis.axis.title(), shown.join(", "), axis.axis.unit());
    if !is_growing {
        found.reverse();
    }
    let (Some(first), Some(last)) = (found.first(), found.last()) else {
        return Verdict::new(false, wording::swings(axis.axis, None, 0));
    };
    let never_turns = found
        .iter()
        .zip(found.iter().skip(1))
        .all(|(one, next)| *next >= one - AMOUNT_TOLERANCE.max(0.08 * one));
    let held = found.len() > 1 && never_turns && *last >= (first * GROWTH).max(first + 1.5);
    Verdict::new(held, measured)
}

fn reacts(trace: &MotionTrace, motion: &Motion, event: &Event, within: f64, axis: Option<Axis>) -> Verdict {
    let span = trace.events.iter().find(|span| span.event == *event && span.from < span.to);
    let Some(span) = span else {
        return Verdict::new(false, format!("not measured: there was not {}", event.describe()));
    };
    let name = axis.map_or("something", Axis::title);
    let movements: Vec<Movement> = motion
        .axes()
        .iter()
        .filter(|one| axis.is_none_or(|axis| one.axis == axis))
        .flat_map(|one| &one.movements)
        .copied()
        .collect();
    let is_under_way =
        |movement: &Movement| movement.from_s < span.from - TIME_TOLERANCE / 2.0 && movement.to_s > span.from;
    if movements.iter().any(is_under_way) {
        return Verdict::new(false, format!("{name} moves already before {}", event.describe()));
    }
    let sounds = if axis.is_none() { trace.sounds.as_slice() } else { &[] };
    // A tool may also watch by its images. Photos are a reaction if there were none before.
    let watches = trace.photos.iter().any(|at| *at < span.from - TIME_TOLERANCE / 2.0);
    let photos = if axis.is_none() && !watches { trace.photos.as_slice() } else { &[] };
    let begins = movements.iter().map(|movement| movement.from_s).chain(sounds.iter().chain(photos).copied());
    let first = begins.filter(|at| *at >= span.from - TIME_TOLERANCE / 2.0).min_by(f64::total_cmp);
    match first {
        Some(at) => {
            let latency = (at - span.from).max(0.0);
            let measured = format!("{name} moves {} after {}", wording::seconds(latency), event.describe());
            Verdict::new(latency <= within + TIME_TOLERANCE, measured)
        }
        None if trace.seconds() <= span.from => {
            Verdict::new(false, format!("the call ends before there is {}", event.describe()))
        }
        None => Verdict::new(false, format!("{name} does not move after {}", event.describe())),
    }
}

fn quiet_without(trace: &MotionTrace, motion: &Motion, event: &Event) -> Verdict {
    let begins = trace.events.iter().filter(|span| span.event == *event && span.from < span.to);
    let until = begins.map(|span| span.from).fold(f64::INFINITY, f64::min);
    let starts = motion.movements().map(|movement| movement.from_s).chain(trace.sounds.iter().copied());
    let first = starts.filter(|at| *at < until - TIME_TOLERANCE / 2.0).min_by(f64::total_cmp);
    match first {
        Some(at) => Verdict::new(
            false,
            format!("something moves or sounds at {} s, without {}", rounded(at), event.describe()),
        ),
        None => Verdict::new(true, format!("nothing moves without {}", event.describe())),
    }
}
