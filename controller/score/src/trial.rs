//! Measures expectations on simulated calls of a score, without Python: thousands of times faster than a rehearsal.

use crate::check::ScoreError;
use crate::compile::{Arguments, Setting, compile};
use crate::expects::{Expects, Measured, Runs};
use crate::score::{Event, Score};
use crate::simulate::simulate;
use crate::stimuli::{EventSpan, Stimuli};
use crate::trace::MotionTrace;

/// When an event begins in a simulated call, seconds.
const EVENT_FROM: f64 = 3.0;
/// How long an event lasts, seconds.
const EVENT_SECONDS: f64 = 4.0;
/// How long a clap lasts, seconds.
const CLAP_SECONDS: f64 = 0.3;

impl Score {
    /// Simulates the calls that the expectations are about, and measures each expectation on its call, in their order. A
    /// call with a parameter that the score lacks, or with a value that it refuses, is not made; what needs it is not
    /// measured. Simulated motion ranks candidates; the verdict about a tool comes from its rehearsal.
    ///
    /// # Errors
    /// A [`ScoreError`] if the score breaks a rule.
    pub fn measure_simulated(&self, expects: &Expects) -> Result<Vec<Measured>, ScoreError> {
        self.measure_simulated_during(expects, |event| {
            let seconds = if *event == Event::Clap { CLAP_SECONDS } else { EVENT_SECONDS };
            vec![(EVENT_FROM, EVENT_FROM + seconds)]
        })
    }

    /// Measures as [`Self::measure_simulated`], with each event at the times that `times` returns: from and to, seconds.
    ///
    /// # Errors
    /// A [`ScoreError`] if the score breaks a rule.
    pub fn measure_simulated_during(
        &self,
        expects: &Expects,
        times: impl Fn(&Event) -> Vec<(f64, f64)>,
    ) -> Result<Vec<Measured>, ScoreError> {
        let default = self.simulated(&Arguments::new(), Vec::new())?;
        let mut calls: Vec<(String, f64, MotionTrace)> = Vec::new();
        for (name, value) in expects.parameter_calls() {
            if self.parameters.iter().any(|parameter| parameter.name == name)
                && let Ok(trace) = self.simulated(&Arguments::from([(name.clone(), value)]), Vec::new())
            {
                calls.push((name, value, trace));
            }
        }
        let mut events: Vec<(Event, MotionTrace)> = Vec::new();
        for event in expects.events() {
            let spans = times(&event).into_iter();
            let spans = spans.map(|(from, to)| EventSpan { event: event.clone(), from, to }).collect();
            let trace = self.simulated(&Arguments::new(), spans)?;
            events.push((event, trace));
        }
        let runs = Runs {
            default: &default,
            with_parameter: calls.iter().map(|(name, value, trace)| (name.clone(), *value, trace)).collect(),
            with_event: events.iter().map(|(event, trace)| (event.clone(), trace)).collect(),
        };
        Ok(expects.measure_runs(&runs))
    }

    /// Returns how long the default call takes, seconds.
    ///
    /// # Errors
    /// A [`ScoreError`] if the score breaks a rule.
    pub fn default_seconds(&self) -> Result<f64, ScoreError> {
        Ok(compile(self, &Arguments::new(), &Setting::default())?.seconds())
    }

    fn simulated(&self, arguments: &Arguments, events: Vec<EventSpan>) -> Result<MotionTrace, ScoreError> {
        let setting = Setting { stimuli: Stimuli::new(events), ..Setting::default() };
        let timeline = compile(self, arguments, &setting)?;
        Ok(simulate(&timeline, &setting.stimuli))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expects::Expect;
    use crate::read::read;
    use crate::{Axis, Direction};

    const NODS: &str = r#"
from reachy_mini import ReachyMini
from motion import face, head, perform, repeat, when


def nods(robot: ReachyMini, times: int = 3) -> str:
    """Nods when it sees a face.

    Args:
        times: How often it nods, between 1 and 10.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    return perform(robot, when(face(), repeat(times, head(down=15), head(down=0))))
"#;

    #[test]
    fn each_expectation_is_measured_on_its_call() {
        let swings = |count| Expect::Swings {
            axis: Axis::HeadPitch,
            direction: Some(Direction::Down),
            count: Some(count),
            at_least: None,
            at_most: None,
        };
        let five =
            |name: &str| Expect::Parameter { name: name.to_owned(), value: 5.0, expect: Box::new(swings(5)) };
        let expects = Expects(vec![
            Expect::QuietWithout { event: Event::Face },
            Expect::Reacts { event: Event::Face, within: 1.0, axis: None },
            swings(3),
            swings(2),
            five("rounds"),
        ]);
        let measured = read(NODS).unwrap().measure_simulated(&expects).unwrap();
        let held: Vec<bool> = measured.iter().map(|one| one.held).collect();
        assert_eq!(held, [true, true, true, false, false], "{measured:?}");
        assert!(measured[3].is_measured() && !measured[4].is_measured(), "{measured:?}");
    }

    #[test]
    fn calls_with_a_value_are_simulated() {
        let source = NODS.replace("when(face(), ", "").replace("head(down=0))))", "head(down=0)))");
        let score = read(&source.replace("face, ", "").replace(", when", "")).unwrap();
        let expect = |count| Expect::Parameter {
            name: "times".to_owned(),
            value: 5.0,
            expect: Box::new(Expect::Swings {
                axis: Axis::HeadPitch,
                direction: None,
                count: Some(count),
                at_least: None,
                at_most: None,
            }),
        };
        let measured = score.measure_simulated(&Expects(vec![expect(5), expect(4)])).unwrap();
        assert!(measured[0].held && !measured[1].held, "{measured:?}");
    }
}
