//! The words that name a target in a step, `left` in `head(left=20)`, with their axes, directions and ranges.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::axis::{Axis, Direction};

/// The part of the robot that a step moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The head, relative to the body.
    Head,
    /// The antennas.
    Antennas,
    /// The body.
    Body,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 3] = [Part::Head, Part::Antennas, Part::Body];

    /// Returns the name of the function that moves it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Part::Head => "head",
            Part::Antennas => "antennas",
            Part::Body => "body",
        }
    }

    /// Returns the part whose function has this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// Returns the axes of the part.
    #[must_use]
    pub const fn axes(self) -> &'static [Axis] {
        match self {
            Part::Head => &Axis::HEAD,
            Part::Antennas => &Axis::ANTENNAS,
            Part::Body => &[Axis::BodyTurn],
        }
    }

    /// Returns the default duration of a movement of this part, in seconds, from the largest change of an angle in
    /// degrees and of a shift in millimetres.
    #[must_use]
    pub fn default_seconds(self, degrees: f64, millimetres: f64) -> f64 {
        match self {
            Part::Head => (degrees / 30.0).max(0.4).max(millimetres / 20.0),
            Part::Antennas => (degrees / 90.0).max(0.3),
            Part::Body => (degrees / 45.0).max(0.6),
        }
    }
}

/// A keyword of a step: an axis of a part, or both antennas, and a direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// `head(left=)`
    HeadLeft,
    /// `head(right=)`
    HeadRight,
    /// `head(up=)`
    HeadUp,
    /// `head(down=)`
    HeadDown,
    /// `head(tilt_left=)`
    HeadTiltLeft,
    /// `head(tilt_right=)`
    HeadTiltRight,
    /// `head(forward_mm=)`
    HeadForward,
    /// `head(back_mm=)`
    HeadBack,
    /// `head(rise_mm=)`
    HeadRise,
    /// `head(lower_mm=)`
    HeadLower,
    /// `head(side_left_mm=)`
    HeadSideLeft,
    /// `head(side_right_mm=)`
    HeadSideRight,
    /// `antennas(left=)`
    AntennaLeft,
    /// `antennas(right=)`
    AntennaRight,
    /// `antennas(both=)`
    AntennasBoth,
    /// `antennas(left_inward=)`
    AntennaLeftInward,
    /// `antennas(right_inward=)`
    AntennaRightInward,
    /// `antennas(both_inward=)`
    AntennasBothInward,
    /// `body(left=)`
    BodyLeft,
    /// `body(right=)`
    BodyRight,
}

/// What a target's word means.
struct Meaning {
    part: Part,
    word: &'static str,
    axes: &'static [Axis],
    direction: Direction,
    maximum: f64,
    /// Completes "the head ... at most 60 degrees".
    reach: &'static str,
}

impl Target {
    /// All targets.
    pub const ALL: [Target; 20] = [
        Target::HeadLeft,
        Target::HeadRight,
        Target::HeadUp,
        Target::HeadDown,
        Target::HeadTiltLeft,
        Target::HeadTiltRight,
        Target::HeadForward,
        Target::HeadBack,
        Target::HeadRise,
        Target::HeadLower,
        Target::HeadSideLeft,
        Target::HeadSideRight,
        Target::AntennaLeft,
        Target::AntennaRight,
        Target::AntennasBoth,
        Target::AntennaLeftInward,
        Target::AntennaRightInward,
        Target::AntennasBothInward,
        Target::BodyLeft,
        Target::BodyRight,
    ];

    const fn meaning(self) -> Meaning {
        const LEFT: &[Axis] = &[Axis::AntennaLeft];
        const RIGHT: &[Axis] = &[Axis::AntennaRight];
        const BOTH: &[Axis] = &Axis::ANTENNAS;
        use Direction::{Back, Down, Forward, Inward, Left, Outward, Right, Up};
        const fn head(
            word: &'static str,
            axes: &'static [Axis],
            direction: Direction,
            maximum: f64,
            reach: &'static str,
        ) -> Meaning {
            Meaning { part: Part::Head, word, axes, direction, maximum, reach }
        }
        const fn antenna(word: &'static str, axes: &'static [Axis], direction: Direction) -> Meaning {
            let reach = match direction {
                Inward => "an antenna leans at most 170 degrees inward",
                _ => "an antenna leans at most 170 degrees outward",
            };
            Meaning { part: Part::Antennas, word, axes, direction, maximum: 170.0, reach }
        }
        const fn body(word: &'static str, direction: Direction) -> Meaning {
            let reach = "the body turns at most 160 degrees to a side";
            Meaning { part: Part::Body, word, axes: Part::Body.axes(), direction, maximum: 160.0, reach }
        }
        const TURNS: &str = "the head turns at most 60 degrees to a side";
        const PITCHES: &str = "the head looks at most 35 degrees up or down";
        const TILTS: &str = "the head tilts at most 30 degrees to a side";
        const SHIFTS: &str = "the head moves at most 20 mm forward or back";
        const SIDES: &str = "the head moves at most 15 mm to a side";
        match self {
            Target::HeadLeft => head("left", &[Axis::HeadTurn], Left, 60.0, TURNS),
            Target::HeadRight => head("right", &[Axis::HeadTurn], Right, 60.0, TURNS),
            Target::HeadUp => head("up", &[Axis::HeadPitch], Up, 35.0, PITCHES),
            Target::HeadDown => head("down", &[Axis::HeadPitch], Down, 35.0, PITCHES),
            Target::HeadTiltLeft => head("tilt_left", &[Axis::HeadTilt], Left, 30.0, TILTS),
            Target::HeadTiltRight => head("tilt_right", &[Axis::HeadTilt], Right, 30.0, TILTS),
            Target::HeadForward => head("forward_mm", &[Axis::HeadForward], Forward, 20.0, SHIFTS),
            Target::HeadBack => head("back_mm", &[Axis::HeadForward], Back, 20.0, SHIFTS),
            Target::HeadRise => head("rise_mm", &[Axis::HeadRise], Up, 20.0, "the head rises at most 20 mm"),
            Target::HeadLower => {
                head("lower_mm", &[Axis::HeadRise], Down, 40.0, "the head lowers at most 40 mm")
            }
            Target::HeadSideLeft => head("side_left_mm", &[Axis::HeadSide], Left, 15.0, SIDES),
            Target::HeadSideRight => head("side_right_mm", &[Axis::HeadSide], Right, 15.0, SIDES),
            Target::AntennaLeft => antenna("left", LEFT, Outward),
            Target::AntennaRight => antenna("right", RIGHT, Outward),
            Target::AntennasBoth => antenna("both", BOTH, Outward),
            Target::AntennaLeftInward => antenna("left_inward", LEFT, Inward),
            Target::AntennaRightInward => antenna("right_inward", RIGHT, Inward),
            Target::AntennasBothInward => antenna("both_inward", BOTH, Inward),
            Target::BodyLeft => body("left", Left),
            Target::BodyRight => body("right", Right),
        }
    }

    /// Returns the part that it moves.
    #[must_use]
    pub const fn part(self) -> Part {
        self.meaning().part
    }

    /// Returns the keyword in the source.
    #[must_use]
    pub const fn word(self) -> &'static str {
        self.meaning().word
    }

    /// Returns the axes that it moves: one, or both antennas.
    #[must_use]
    pub const fn axes(self) -> &'static [Axis] {
        self.meaning().axes
    }

    /// Returns the direction on each of these axes.
    #[must_use]
    pub const fn direction(self) -> Direction {
        self.meaning().direction
    }

    /// Returns the largest amount, in degrees or millimetres.
    #[must_use]
    pub const fn maximum(self) -> f64 {
        self.meaning().maximum
    }

    /// Returns a sentence about the range: "the head turns at most 60 degrees to a side".
    #[must_use]
    pub const fn range_sentence(self) -> &'static str {
        self.meaning().reach
    }

    /// Returns the target with this keyword in the function of a part.
    #[must_use]
    pub fn from_word(part: Part, word: &str) -> Option<Target> {
        Target::ALL.into_iter().find(|target| target.part() == part && target.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_unique_in_a_part_and_fit_their_axes() {
        for target in Target::ALL {
            assert_eq!(Target::from_word(target.part(), target.word()), Some(target));
            for axis in target.axes() {
                assert!(axis.sign(target.direction()).is_some(), "{target:?}");
                assert!(target.part().axes().contains(axis), "{target:?}");
            }
            let range = format!("at most {}", target.maximum());
            assert!(target.range_sentence().contains(&range), "{target:?}");
        }
    }

    #[test]
    fn default_durations_follow_the_largest_change() {
        assert_eq!(Part::Head.default_seconds(60.0, 20.0), 2.0);
        assert_eq!(Part::Head.default_seconds(3.0, 20.0), 1.0);
        assert_eq!(Part::Head.default_seconds(3.0, 1.0), 0.4);
        assert_eq!(Part::Antennas.default_seconds(90.0, 0.0), 1.0);
        assert_eq!(Part::Body.default_seconds(9.0, 0.0), 0.6);
    }
}
