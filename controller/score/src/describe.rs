//! Describes a score as one plain sentence.

use crate::axis::{Axis, Direction};
use crate::score::{DEFAULT_EVENT_SECONDS, Move, Number, Reaction, Score, Step};
use crate::target::{Part, Target};
use crate::text::{join_and, rounded, times};

/// The largest number of clauses that one list of steps gets.
const MAX_CLAUSES: usize = 8;

impl Score {
    /// Describes what a call does with the default values of the parameters: "left antenna 62 degrees outward and back,
    /// twice".
    #[must_use]
    pub fn describe(&self) -> String {
        Describer { score: self }.steps(&self.steps)
    }
}

struct Describer<'a> {
    score: &'a Score,
}

impl Describer<'_> {
    fn steps(&self, steps: &[Step]) -> String {
        let mut clauses = Vec::new();
        let mut rest = steps;
        while let [step, following @ ..] = rest {
            rest = following;
            let mut clause = self.step(step);
            // A movement and its return are one clause.
            if let (Step::Move(movement), [Step::Move(next), ..]) = (step, rest)
                && self.is_return(next, movement)
            {
                clause += " and back";
                rest = rest.get(1..).unwrap_or(&[]);
            }
            if clauses.len() == MAX_CLAUSES {
                clauses.push("more of this kind".to_owned());
                break;
            }
            clauses.push(clause);
        }
        clauses.join(", then ")
    }

    fn step(&self, step: &Step) -> String {
        match step {
            Step::Move(movement) => self.movement(movement),
            Step::Neutral { .. } => "everything back to neutral".to_owned(),
            Step::Wait(seconds) => format!("a pause of {}", self.seconds(seconds)),
            Step::Repeat { times: rounds, steps } => {
                let rounds = self.value(rounds).round().max(0.0) as usize;
                let inside = self.steps(steps);
                if inside.contains(", ") {
                    format!("{} ({inside})", times(rounds))
                } else {
                    format!("{inside}, {}", times(rounds))
                }
            }
            Step::Together(tracks) => {
                tracks.iter().map(|track| self.step(track)).collect::<Vec<_>>().join(", while ")
            }
            Step::Sequence(steps) => self.steps(steps),
            Step::Play(name) => format!("the move {name}"),
            Step::Sound(name) => format!("the sound {name}"),
            Step::Photo {} => "a photo".to_owned(),
            Step::Otherwise(steps) => self.steps(steps),
            Step::When(reaction) => {
                let (steps, others) = reaction.branches();
                let others = others.map(|others| format!("; otherwise: {}", self.steps(others)));
                format!(
                    "within {}, when there is {}: {}{}",
                    self.reaction_seconds(reaction),
                    reaction.event.describe(),
                    self.steps(steps),
                    others.unwrap_or_default()
                )
            }
            Step::Whenever(reaction) => format!(
                "for {}, whenever there is {}: {}",
                self.reaction_seconds(reaction),
                reaction.event.describe(),
                self.steps(&reaction.steps)
            ),
            Step::AsLongAs(reaction) => format!(
                "as long as there is {}, for at most {}: {}",
                reaction.event.describe(),
                self.reaction_seconds(reaction),
                self.steps(&reaction.steps)
            ),
            Step::Until(reaction) => format!(
                "until there is {}, for at most {}: {}",
                reaction.event.describe(),
                self.reaction_seconds(reaction),
                self.steps(&reaction.steps)
            ),
        }
    }

    fn movement(&self, movement: &Move) -> String {
        let moved: Vec<(Target, String)> = movement
            .targets
            .iter()
            .filter(|(_, number)| self.largest(number) > 0.0)
            .map(|(target, number)| (*target, self.amount(*target, number)))
            .collect();
        if movement.part == Part::Antennas && !movement.targets.is_empty() {
            return self.antennas(movement);
        }
        if moved.is_empty() {
            return format!("{} back to neutral", movement.part.name());
        }
        let amounts: Vec<String> = moved.into_iter().map(|(_, amount)| amount).collect();
        format!("{} {}", movement.part.name(), join_and(&amounts))
    }

    /// Antennas have their names before the amount, and a common name if they do the same.
    fn antennas(&self, movement: &Move) -> String {
        let amount = |axis: Axis| {
            let target = movement.targets.iter().find(|(target, _)| target.axes().contains(&axis));
            target.map(|(target, number)| self.amount(*target, number))
        };
        match (amount(Axis::AntennaLeft), amount(Axis::AntennaRight)) {
            (Some(left), Some(right)) if left == right => format!("both antennas {left}"),
            (Some(left), Some(right)) => format!("left antenna {left} and right antenna {right}"),
            (Some(left), None) => format!("left antenna {left}"),
            (None, Some(right)) => format!("right antenna {right}"),
            (None, None) => "antennas back to neutral".to_owned(),
        }
    }

    fn amount(&self, target: Target, number: &Number) -> String {
        let Some(axis) = target.axes().first() else { return String::new() };
        if matches!(axis, Axis::AntennaLeft | Axis::AntennaRight) && self.largest(number) == 0.0 {
            return "upright".to_owned();
        }
        let number = match number {
            Number::Ramp(first, last) => {
                format!("{} to {}", rounded(self.value(first)), rounded(self.value(last)))
            }
            number => rounded(self.value(number)),
        };
        let tilt = if *axis == Axis::HeadTilt { "tilted " } else { "" };
        format!("{tilt}{number} {} {}", axis.unit(), target.direction().word())
    }

    /// Returns whether a movement brings another one's axes back to neutral, or antennas to upright.
    fn is_return(&self, movement: &Move, of: &Move) -> bool {
        let is_away = of.targets.iter().any(|(_, number)| self.largest(number) > 0.0);
        if movement.part != of.part || !is_away {
            return false;
        }
        let own = movement.axes();
        of.axes().iter().all(|axis| own.contains(axis))
            && movement.targets.iter().all(|(target, number)| {
                let amount = self.largest(number);
                amount == 0.0
                    || target.direction() == Direction::Inward
                        && (amount + Axis::AntennaLeft.neutral()).abs() < 1e-9
            })
    }

    fn reaction_seconds(&self, reaction: &Reaction) -> String {
        self.seconds(reaction.seconds.as_ref().unwrap_or(&Number::Value(DEFAULT_EVENT_SECONDS)))
    }

    fn seconds(&self, number: &Number) -> String {
        let seconds = rounded(self.value(number));
        if seconds == "1" { "1 second".to_owned() } else { format!("{seconds} seconds") }
    }

    fn largest(&self, number: &Number) -> f64 {
        match number {
            Number::Ramp(first, last) => self.value(first).max(self.value(last)),
            number => self.value(number),
        }
    }

    /// Returns the value with the defaults of the parameters; a ramp counts with its first number.
    fn value(&self, number: &Number) -> f64 {
        let default = |name: &String| {
            let found = self.score.parameters.iter().find(|parameter| &parameter.name == name);
            found.map_or(0.0, |parameter| parameter.default)
        };
        match number {
            Number::Value(value) => *value,
            Number::Parameter(name) => default(name),
            Number::Product(factor, name) => factor * default(name),
            Number::Ramp(first, _) => match &**first {
                Number::Value(value) => *value,
                Number::Parameter(name) => default(name),
                Number::Product(factor, name) => factor * default(name),
                Number::Ramp(..) => 0.0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read::read;

    fn described(steps: &str) -> String {
        let source = format!(
            "from reachy_mini import ReachyMini\nfrom motion import antennas, body, face, head, neutral, perform, \
             ramp, repeat, together, wait, whenever\n\n\ndef t(robot: ReachyMini, times: int = 3) -> str:\n    \
             \"\"\"Moves.\n\n    Args:\n        times: How often, between 1 and 10.\n    \"\"\"\n    if not 1 <= times \
             <= 10:\n        raise ValueError(\"times must be between 1 and 10\")\n    return perform(robot, {steps}, \
             repeat(times, wait(1)))\n"
        );
        let text = read(&source).unwrap_or_else(|error| panic!("{error}")).describe();
        text.strip_suffix(", then a pause of 1 second, 3 times").unwrap_or(&text).to_owned()
    }

    #[test]
    fn sentences_are_plain() {
        for (steps, expected) in [
            ("repeat(2, antennas(left=62), antennas())", "left antenna 62 degrees outward and back, twice"),
            ("head(down=15), head(down=0)", "head 15 degrees down and back"),
            ("head(left=20, tilt_right=5)", "head 20 degrees left and tilted 5 degrees right"),
            ("antennas(left=30, right=30)", "both antennas 30 degrees outward"),
            (
                "antennas(left=30, right_inward=5)",
                "left antenna 30 degrees outward and right antenna 5 degrees inward",
            ),
            ("antennas(both=0), head(rise_mm=10)", "both antennas upright, then head 10 mm up"),
            ("head(left=20), head(right=20)", "head 20 degrees left, then head 20 degrees right"),
            ("head(left=20), neutral()", "head 20 degrees left, then everything back to neutral"),
            (
                "together(repeat(times, head(down=9), head()), body(left=30))",
                "head 9 degrees down and back, 3 times, while body 30 degrees left",
            ),
            ("repeat(4, head(left=ramp(5, 20)), head())", "head 5 to 20 degrees left and back, 4 times"),
            (
                "whenever(face(), antennas(both=40), antennas(), seconds=9)",
                "for 9 seconds, whenever there is a face: both antennas 40 degrees outward and back",
            ),
        ] {
            assert_eq!(described(steps), expected, "{steps}");
        }
        assert!(described("head(left=1), wait(1), ".repeat(20).trim_end_matches(", ")).len() < 400);
    }
}
