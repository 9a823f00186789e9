//! Whether a case can be passed at all.

use super::{
    Arguments, Axis, Case, Check, Direction, Effect, Event, Level, Measure, Outcome, Place, Signals,
    Stimulus, When,
};

/// The longest run, seconds.
const MAX_RUN_S: f64 = 60.0;
/// The largest number of swings.
const MAX_SWINGS: f64 = 30.0;

type Checked = Result<(), String>;

fn ensure(is_fine: bool, problem: impl FnOnce() -> String) -> Checked {
    if is_fine { Ok(()) } else { Err(problem()) }
}

/// Checks one case.
///
/// # Errors
///
/// What is wrong with it, in words.
pub(super) fn case(case: &Case) -> Checked {
    ensure(!case.id.is_empty() && !case.request.trim().is_empty(), || "id or request is empty".to_owned())?;
    let runs = case.checks.len()
        + case.effects.len()
        + case.stimuli.iter().map(|variant| variant.checks.len()).sum::<usize>()
        + case.calls.iter().map(|call| call.checks.len()).sum::<usize>();
    match case.outcome {
        Outcome::Declined => {
            return ensure(runs == 0 && case.stimuli.is_empty() && case.calls.is_empty(), || {
                "a declined request has no checks".to_owned()
            });
        }
        Outcome::Made => ensure(runs > 0, || "there is nothing to check".to_owned())?,
    }
    case.checks.iter().try_for_each(|check| self::check(check, &case.stimuli_shown()))?;
    for variant in &case.stimuli {
        variant.shown.iter().try_for_each(stimulus)?;
        variant.checks.iter().try_for_each(|check| self::check(check, &variant.shown))?;
        ensure(variant.checks.len() + case.checks.len() > 0, || "a variant has no checks".to_owned())?;
    }
    let mut names: Vec<&str> = vec!["default"];
    if case.before.is_some() {
        names.push("before");
    }
    for call in &case.calls {
        ensure(!names.contains(&call.name.as_str()), || format!("two runs are named `{}`", call.name))?;
        names.push(&call.name);
        arguments(&call.arguments)?;
        call.checks.iter().try_for_each(|check| self::check(check, &[]))?;
    }
    case.effects.iter().try_for_each(|effect| self::effect(effect, &names))
}

impl Case {
    fn stimuli_shown(&self) -> Vec<Stimulus> {
        self.stimuli.iter().flat_map(|variant| variant.shown.iter().cloned()).collect()
    }
}

fn stimulus(stimulus: &Stimulus) -> Checked {
    ensure(stimulus.from >= 1.0 && stimulus.to > stimulus.from && stimulus.to <= MAX_RUN_S, || {
        format!("a stimulus from {} s to {} s is impossible", stimulus.from, stimulus.to)
    })?;
    ensure(matches!(stimulus.side, None | Some(Direction::Left | Direction::Right)), || {
        "a stimulus is on the left or on the right".to_owned()
    })
}

fn arguments(arguments: &Arguments) -> Checked {
    ensure(*arguments != Arguments::default(), || "a call has no arguments".to_owned())?;
    let positive =
        [arguments.degrees, arguments.millimetres, arguments.seconds, arguments.times.map(f64::from)];
    ensure(positive.iter().flatten().all(|number| *number > 0.0), || {
        "an argument is not positive".to_owned()
    })?;
    let levels: Vec<Level> = [arguments.size, arguments.speed].into_iter().flatten().collect();
    ensure(levels.len() <= 1, || "one call sets size and speed".to_owned())?;
    ensure(matches!(arguments.side, None | Some(Direction::Left | Direction::Right)), || {
        "a side is left or right".to_owned()
    })
}

fn effect(effect: &Effect, names: &[&str]) -> Checked {
    for name in [&effect.from, &effect.to] {
        ensure(names.contains(&name.as_str()), || format!("no run is named `{name}`"))?;
    }
    ensure(effect.from != effect.to, || "an effect compares a run with itself".to_owned())?;
    ensure(effect.axis.is_some() == (effect.measure != Measure::Duration), || {
        "an effect on a duration has no axis, each other one has".to_owned()
    })?;
    range(effect.at_least, effect.at_most, 0.1, 10.0)
}

/// Checks that at least one limit is given and that the range overlaps what is possible.
fn range(at_least: Option<f64>, at_most: Option<f64>, lowest: f64, highest: f64) -> Checked {
    ensure(at_least.is_some() || at_most.is_some(), || "neither at_least nor at_most is given".to_owned())?;
    optional_range(at_least, at_most, lowest, highest)
}

fn optional_range(at_least: Option<f64>, at_most: Option<f64>, lowest: f64, highest: f64) -> Checked {
    let given = [at_least, at_most];
    ensure(given.iter().flatten().all(|number| number.is_finite() && *number >= 0.0), || {
        format!("{given:?} is no range of numbers")
    })?;
    let ordered = at_least.zip(at_most).is_none_or(|(least, most)| least <= most);
    ensure(ordered, || format!("{given:?} is no range"))?;
    let overlaps = at_least.unwrap_or(lowest) <= highest && at_most.unwrap_or(highest) >= lowest;
    ensure(overlaps, || format!("{given:?} lies outside of the possible {lowest} to {highest}"))
}

fn time(at_least: Option<f64>, at_most: Option<f64>) -> Checked {
    range(at_least, at_most, 0.0, MAX_RUN_S)
}

fn size(axis: Axis, direction: Direction, at_least: Option<f64>, at_most: Option<f64>) -> Checked {
    directed(axis, direction)?;
    optional_range(at_least, at_most, 0.0, axis.reach(direction))
}

fn directed(axis: Axis, direction: Direction) -> Checked {
    ensure(axis.has(direction), || format!("{axis} has no direction `{direction}`"))
}

fn swing_size(axis: Axis, direction: Direction, min_size: Option<f64>) -> Checked {
    directed(axis, direction)?;
    ensure(min_size.is_none_or(|size| size >= 2.0 && size <= axis.reach(direction)), || {
        format!(
            "swings of {axis} of {min_size:?} {} cannot be told from noise, or are out of reach",
            axis.unit()
        )
    })
}

fn event(event: &Event) -> Checked {
    let kinds = [event.axis.is_some(), event.back.is_some(), event.signal.is_some()];
    ensure(kinds.iter().filter(|is_given| **is_given).count() == 1, || {
        "an event is one of axis, back and signal".to_owned()
    })?;
    ensure(event.axis.is_some() || (event.direction.is_none() && event.min_size.is_none()), || {
        "only a swing has a direction and a size".to_owned()
    })?;
    match event.axis {
        Some(axis) => swing_size(axis, event.direction.unwrap_or_default(), event.min_size),
        None => Ok(()),
    }
}

fn signals(signals: &Signals) -> Checked {
    ensure(signals.count.is_some() != signals.at_least.is_some(), || {
        "a number of signals is either count or at_least".to_owned()
    })?;
    optional_range(signals.min_interval, signals.max_interval, 0.0, MAX_RUN_S)
}

fn two(axes: [Axis; 2]) -> Checked {
    let [one, other] = axes;
    ensure(one != other, || "an axis is compared with itself".to_owned())
}

pub(super) fn check(check: &Check, shown: &[Stimulus]) -> Checked {
    match check {
        Check::Moves(it) => size(it.axis, it.direction, it.at_least, it.at_most),
        Check::Still(it) => {
            ensure(!it.parts.is_empty() && it.within.is_none_or(|within| within >= 1.0), || {
                "no part, or less than the noise".to_owned()
            })
        }
        Check::Swings(it) => {
            swing_size(it.axis, it.direction, it.min_size)?;
            ensure(it.count.is_none() || (it.at_least.is_none() && it.at_most.is_none()), || {
                "a number of swings is either count or a range".to_owned()
            })?;
            let [count, least, most] =
                [it.count, it.at_least, it.at_most].map(|number| number.map(f64::from));
            range(least.or(count), most.or(count), 0.0, MAX_SWINGS)
        }
        Check::Peaks(it) => {
            directed(it.axis, it.direction)?;
            ensure(it.sizes.len() >= 2 && it.tolerance >= 1.0, || {
                "fewer than 2 sizes, or too strict".to_owned()
            })?;
            it.sizes.iter().try_for_each(|peak| {
                ensure(*peak >= 3.0 && *peak <= it.axis.reach(it.direction), || {
                    format!("{peak} is out of reach")
                })
            })
        }
        Check::Order(it) => {
            ensure(it.events.len() >= 2, || "an order has at least two events".to_owned())?;
            it.events.iter().try_for_each(event)?;
            for pair in it.events.windows(2) {
                if let [one, other] = pair {
                    ensure(!one.is_same_kind(other), || "two successive events are the same".to_owned())?;
                }
            }
            Ok(())
        }
        Check::Overlap(it) => {
            two(it.axes)?;
            optional_range(it.at_least, None, 0.0, 1.0)
        }
        Check::Apart(it) => two(it.axes),
        Check::Alternates(it) => two(it.axes),
        Check::Holds(it) => {
            directed(it.axis, it.direction)?;
            time(it.at_least, it.at_most)
        }
        Check::Keeps(it) => {
            range(it.at_least, it.at_most, 0.0, it.axis.reach(it.direction))?;
            directed(it.axis, it.direction)?;
            directed(it.during, it.at_extreme.unwrap_or_default())?;
            two([it.axis, it.during])
        }
        Check::Ends(it) => {
            ensure(!it.axes.is_empty(), || "no axis".to_owned())?;
            ensure(
                it.at == Place::Away || (it.direction, it.at_least, it.at_most) == (None, None, None),
                || "only `away` has a direction and limits".to_owned(),
            )?;
            it.axes
                .iter()
                .try_for_each(|axis| size(*axis, it.direction.unwrap_or_default(), it.at_least, it.at_most))
        }
        Check::Takes(it) => {
            directed(it.axis, it.direction)?;
            ensure(it.nth != Some(0), || "swings are counted from 1".to_owned())?;
            time(it.at_least, it.at_most)
        }
        Check::Duration(it) => time(it.at_least, it.at_most),
        Check::Period(it) => {
            directed(it.axis, it.direction)?;
            time(it.at_least, it.at_most)
        }
        Check::Growing(it) | Check::Shrinking(it) => swing_size(it.axis, it.direction, it.min_size),
        Check::Faster(it) | Check::Slower(it) => directed(it.axis, it.direction),
        Check::Pauses(it) => {
            directed(it.axis, it.direction)?;
            time(it.at_least, it.at_most)
        }
        Check::Waits(it) => {
            event(&it.after)?;
            event(&it.before)?;
            time(it.at_least, it.at_most)
        }
        Check::Reacts(it) => {
            event(&it.with)?;
            ensure(it.with.back.is_none(), || "a reaction is a motion or a signal".to_owned())?;
            ensure(shown.iter().any(|stimulus| stimulus.kind == it.to), || {
                "the stimulus of a reaction is not shown".to_owned()
            })?;
            time(None, Some(it.within))
        }
        Check::Quiet(it) => ensure(
            (it.when == When::Throughout || !shown.is_empty())
                && (it.when == When::After || it.grace.is_none()),
            || "quiet before or after a stimulus that is not shown, or a grace without `after`".to_owned(),
        ),
        Check::Sound(it) | Check::Photo(it) | Check::Speech(it) => signals(it),
        Check::Says(it) => ensure(!it.contains.is_empty(), || "no words".to_owned()),
        Check::Either(lists) => {
            ensure(lists.len() >= 2 && lists.iter().all(|list| !list.is_empty()), || {
                "a choice has at least two lists of checks".to_owned()
            })?;
            lists.iter().flatten().try_for_each(|each| self::check(each, shown))
        }
    }
}

impl Event {
    /// Returns whether two events are of one kind, whatever their size.
    #[must_use]
    pub fn is_same_kind(&self, other: &Event) -> bool {
        (self.axis, self.direction.unwrap_or_default(), self.back, self.signal)
            == (other.axis, other.direction.unwrap_or_default(), other.back, other.signal)
    }
}
