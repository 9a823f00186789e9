//! How fast something swings.

use minismith_score::Axis;
use minismith_score::expects::Expect;

use super::{Claim, Emitter, origins};
use crate::aims::Target;
use crate::meaning::Change;
use crate::reading::{Action, Feature};

impl Emitter<'_> {
    /// The time from one swing to the next.
    pub(super) fn tempo(&mut self, members: &[&Action], target: &Target) {
        let Some(aim) = target.first() else { return };
        if target.iter().any(|other| other.axis != aim.axis) {
            return;
        }
        // "Once slowly, then three times fast": the tempo changes.
        if let [first, .., last] = members
            && (first.is_slow && last.is_fast || first.is_fast && last.is_slow)
        {
            let axis = aim.axis;
            let expect = if first.is_slow { Expect::Quicker { axis } } else { Expect::Slower { axis } };
            let origins = members.iter().flat_map(|action| origins(action, Feature::Tempo)).collect();
            self.claims.push(expect, origins);
            return;
        }
        for action in members {
            if let Some(change) = action.tempo_change {
                let axis = aim.axis;
                let is_quicker = change == Change::Faster;
                let expect = if is_quicker { Expect::Quicker { axis } } else { Expect::Slower { axis } };
                self.claims.push(expect, origins(action, Feature::Tempo));
                continue;
            }
            let shown = origins(action, Feature::Tempo);
            let claim = |seconds: f64, tolerance: f64| Claim {
                expect: Expect::Period { axis: aim.axis, seconds, tolerance },
                origins: shown.clone(),
            };
            let is_antenna = Axis::ANTENNAS.contains(&aim.axis);
            let has_sides = aim.direction.is_none() && !is_antenna
                || self.reading.actions.iter().flat_map(|action| &action.targets).flatten().any(|other| {
                    let is_other = other.direction.is_some() && other.direction != aim.direction;
                    other.axis == aim.axis && is_other
                });
            let is_counted = action.count.is_some_and(|count| count >= 2.0) || members.len() > 1;
            if let Some(seconds) = action.period.filter(|seconds| (0.01..1000.0).contains(seconds)) {
                let tolerance = (0.2 * seconds).max(0.1);
                let mut choices = vec![vec![claim(seconds, tolerance)]];
                // Each side is a beat of its own, or a swing to both sides is one.
                if has_sides {
                    choices.push(vec![claim(2.0 * seconds, 2.0 * tolerance)]);
                }
                self.claims.choose(choices);
            } else if !self.reading.pauses.is_empty() {
                // The pause is longer than the tempo.
            } else if matches!(action.change, Some(Change::Faster | Change::Slower)) {
                // The tempo changes.
            } else if action.is_slow && is_counted && action.is_oscillation() {
                self.claims.choose(vec![vec![claim(5.0, 4.1)]]);
            } else if action.is_fast && is_counted && action.is_oscillation() {
                self.claims.choose(vec![vec![claim(0.7, 0.7)]]);
            }
        }
    }
}
