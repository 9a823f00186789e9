//! How a measured number changes from one run to another.

use super::axis::{Axis, Direction};
use super::cases::{Effect, Measure};
use super::checks;
use super::finding::{Finding, Limits};
use super::signal::Signal;
use super::trace::Trace;

/// Judges how two runs differ.
#[must_use]
pub fn effect(effect: &Effect, from: &Trace, to: &Trace) -> Finding {
    let limits = Limits::new(effect.at_least, effect.at_most);
    let [first, second] = [from, to].map(|trace| measure(effect.measure, effect.axis, trace));
    let ratio = if first > 0.0 { second / first } else { 0.0 };
    let name = match effect.measure {
        Measure::Size => "size",
        Measure::Swings => "number of swings",
        Measure::Duration => "duration",
        Measure::Speed => "speed",
    };
    let of = effect.axis.map(|axis| format!(" of {axis}")).unwrap_or_default();
    Finding::new(
        first > 0.0 && limits.contains(ratio),
        format!("{name}{of} in `{}` {limits} times that in `{}`", effect.to, effect.from),
        format!("{second:.1} against {first:.1}"),
    )
}

fn measure(measure: Measure, axis: Option<Axis>, trace: &Trace) -> f64 {
    let Some(axis) = axis else { return checks::motion_s(trace) };
    let signal = Signal::of(trace, axis);
    match measure {
        Measure::Size => signal.extreme(Direction::Any),
        Measure::Swings => signal.cycles(Direction::Any, axis.visible_size()).len() as f64,
        Measure::Speed => signal.speeds().into_iter().map(f64::abs).fold(0.0, f64::max),
        Measure::Duration => checks::motion_s(trace),
    }
}
