//! Random scores for tests. Most are valid; those that are not are so for their length.

use proptest::prelude::*;

use crate::score::{EASINGS, EVENTS, Event, Kind, Move, Number, Parameter, Reaction, Score, Step};
use crate::target::{Part, Target};

/// A number with at most three decimals.
fn value(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (0.0..=1.0_f64).prop_map(move |share| ((low + (high - low) * share) * 1000.0).round() / 1000.0)
}

/// The parameters from which scores choose: `size` is between 0.5 and 1, `times` between 1 and 4.
fn parameters() -> Vec<Parameter> {
    let size = Parameter {
        name: "size".to_owned(),
        kind: Kind::Float,
        default: 0.75,
        low: 0.5,
        high: 1.0,
        meaning: "How large: from half to full".to_owned(),
    };
    let times = Parameter { high: 4.0, ..Parameter::times(2) };
    vec![times, Parameter::speed(), size]
}

fn number(low: f64, high: f64, in_repeat: bool) -> BoxedStrategy<Number> {
    let plain = prop_oneof![
        4 => value(low, high).prop_map(Number::Value),
        1 => value((low * 2.0).min(high), high).prop_map(|factor| Number::Product(factor, "size".to_owned())),
    ];
    if !in_repeat {
        return plain.boxed();
    }
    let ramp = (plain.clone(), plain.clone());
    prop_oneof![3 => plain, 1 => ramp.prop_map(|(first, last)| Number::Ramp(Box::new(first), Box::new(last)))]
        .boxed()
}

fn movement(in_repeat: bool) -> impl Strategy<Value = Step> {
    let seconds = prop::option::of(number(0.1, 2.0, in_repeat));
    let easing = prop::option::of(prop::sample::select(EASINGS.map(|(_, easing)| easing).to_vec()));
    let part = prop::sample::select(Part::ALL.to_vec());
    let targets = part.prop_flat_map(move |part| {
        let words: Vec<Target> = Target::ALL.into_iter().filter(|target| target.part() == part).collect();
        let count = words.len();
        let chosen = prop::sample::subsequence(words, 0..=count.min(4)).prop_shuffle();
        chosen.prop_flat_map(move |chosen| {
            let numbers: Vec<_> = chosen
                .iter()
                .map(|target| (Just(*target), number(0.0, target.maximum(), in_repeat)))
                .collect();
            (Just(part), numbers)
        })
    });
    (targets, seconds, easing).prop_map(|((part, mut targets), seconds, easing)| {
        let mut seen = Vec::new();
        targets.retain(|(target, _)| {
            let is_new = target.axes().iter().all(|axis| !seen.contains(axis));
            seen.extend(target.axes());
            is_new
        });
        Step::Move(Move { part, targets, seconds, easing })
    })
}

fn event() -> impl Strategy<Value = Event> {
    let of = |name: &str| Event::from_name(name).unwrap_or_else(|| Event::Thing("red cup".to_owned()));
    prop::sample::select(EVENTS.map(of).to_vec())
}

fn step(depth: u32, in_repeat: bool, in_track: bool) -> BoxedStrategy<Step> {
    let leaf = prop_oneof![
        6 => movement(in_repeat),
        1 => prop::option::of(number(0.1, 2.0, in_repeat)).prop_map(|seconds| Step::Neutral { seconds, easing: None }),
        1 => number(0.0, 2.0, in_repeat).prop_map(Step::Wait),
        1 => "[a-z][a-z0-9_.-]{0,20}".prop_map(Step::Sound),
        1 => Just(Step::Photo {}),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = move |in_repeat| prop::collection::vec(step(depth - 1, in_repeat, in_track), 1..4);
    let times = prop_oneof![
        (1_u32..4).prop_map(|times| Number::Value(f64::from(times))),
        Just(Number::Parameter("times".to_owned())),
    ];
    let nested = prop_oneof![
        4 => leaf,
        2 => (times, inner(true)).prop_map(|(times, steps)| Step::Repeat { times, steps }),
        1 => inner(in_repeat).prop_map(Step::Sequence),
        // Each track moves one part.
        1 => prop::collection::vec(step(depth - 1, in_repeat, true), 1..4).prop_map(|tracks| {
            let mut seen: Vec<crate::axis::Axis> = Vec::new();
            let keep = tracks.into_iter().filter(|track| {
                let mut axes = Vec::new();
                moved(track, &mut axes);
                let is_new = axes.iter().all(|axis| !seen.contains(axis));
                if is_new {
                    seen.extend(axes);
                }
                is_new
            });
            Step::Together(keep.collect())
        }),
    ];
    if in_track {
        return nested.boxed();
    }
    let reaction = (event(), inner(in_repeat), prop::option::of(number(0.5, 3.0, in_repeat)))
        .prop_map(|(event, steps, seconds)| Reaction { event, steps, seconds });
    let reaction = (0..4, reaction).prop_map(|(kind, reaction)| match kind {
        0 => Step::When(reaction),
        1 => Step::Whenever(reaction),
        2 => Step::AsLongAs(reaction),
        _ => Step::Until(reaction),
    });
    let with_otherwise =
        (event(), inner(in_repeat), inner(in_repeat)).prop_map(|(event, mut steps, others)| {
            steps.push(Step::Otherwise(others));
            Step::When(Reaction { event, steps, seconds: None })
        });
    prop_oneof![8 => nested, 1 => reaction, 1 => with_otherwise, 1 => Just(Step::Play("wake_up".to_owned()))]
        .boxed()
}

fn moved(step: &Step, axes: &mut Vec<crate::axis::Axis>) {
    match step {
        Step::Move(movement) => axes.extend(movement.axes()),
        Step::Neutral { .. } => axes.extend(crate::axis::Axis::ALL),
        _ => step.inner().iter().for_each(|inner| moved(inner, axes)),
    }
}

/// Any score with up to four levels of steps.
pub(crate) fn score() -> impl Strategy<Value = Score> {
    let steps = prop::collection::vec(step(3, false, false), 1..5);
    let has_speed = any::<bool>();
    ("[a-z][a-z0-9_]{0,20}", "[A-Za-z][A-Za-z0-9 ,.'äß“”-]{0,60}[a-z.]", steps, has_speed).prop_map(
        |(name, summary, steps, has_speed)| {
            let source = format!("{steps:?}");
            let parameters = parameters()
                .into_iter()
                .filter(|parameter| match parameter.name.as_str() {
                    "speed" => has_speed,
                    name => source.contains(&format!("\"{name}\"")),
                })
                .collect();
            Score { name, summary, parameters, steps }
        },
    )
}
