//! The axes that a check speaks of, and their directions in words.

use std::fmt;

use serde::Deserialize;

/// One measured quantity, as its deviation from the neutral posture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// Yaw of the head relative to the body, degrees.
    HeadTurn,
    /// Yaw of the head in the world, degrees: where the robot looks, whether head or body turned.
    HeadFacing,
    /// Pitch of the head, degrees.
    HeadPitch,
    /// Roll of the head, degrees: to which side its top leans.
    HeadTilt,
    /// Position of the head along x, millimetres.
    HeadForward,
    /// Position of the head along y, millimetres.
    HeadSide,
    /// Height of the head, millimetres.
    HeadRise,
    /// Yaw of the body, degrees.
    BodyTurn,
    /// The left antenna, degrees from its upright rest position.
    AntennaLeft,
    /// The right antenna, degrees from its upright rest position.
    AntennaRight,
}

/// A direction of an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the robot's left.
    Left,
    /// To the robot's right.
    Right,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
    /// Away from the robot's back.
    Forward,
    /// Towards the robot's back.
    Back,
    /// Of an antenna: away from the other one.
    Outward,
    /// Of an antenna: towards the other one.
    Inward,
    /// Either direction.
    #[default]
    Any,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::Left => "left",
            Direction::Right => "right",
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Forward => "forward",
            Direction::Back => "back",
            Direction::Outward => "outward",
            Direction::Inward => "inward",
            Direction::Any => "in any direction",
        })
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Axis::HeadTurn => "head turn",
            Axis::HeadFacing => "head facing",
            Axis::HeadPitch => "head pitch",
            Axis::HeadTilt => "head tilt",
            Axis::HeadForward => "head forward",
            Axis::HeadSide => "head sideways",
            Axis::HeadRise => "head height",
            Axis::BodyTurn => "body turn",
            Axis::AntennaLeft => "left antenna",
            Axis::AntennaRight => "right antenna",
        })
    }
}

impl Axis {
    /// All axes.
    pub const ALL: [Axis; 10] = [
        Axis::HeadTurn,
        Axis::HeadFacing,
        Axis::HeadPitch,
        Axis::HeadTilt,
        Axis::HeadForward,
        Axis::HeadSide,
        Axis::HeadRise,
        Axis::BodyTurn,
        Axis::AntennaLeft,
        Axis::AntennaRight,
    ];

    /// Returns the word of positive deviations and that of negative ones.
    #[must_use]
    pub fn directions(self) -> (Direction, Direction) {
        match self {
            Axis::HeadTurn | Axis::HeadFacing | Axis::HeadTilt | Axis::HeadSide | Axis::BodyTurn => {
                (Direction::Left, Direction::Right)
            }
            Axis::HeadPitch | Axis::HeadRise => (Direction::Up, Direction::Down),
            Axis::HeadForward => (Direction::Forward, Direction::Back),
            Axis::AntennaLeft | Axis::AntennaRight => (Direction::Outward, Direction::Inward),
        }
    }

    /// Returns 1 for the positive direction, -1 for the negative one, and none for `any` and for a direction that the
    /// axis does not have.
    #[must_use]
    pub fn sign(self, direction: Direction) -> Option<f64> {
        let (positive, negative) = self.directions();
        if direction == positive {
            Some(1.0)
        } else if direction == negative {
            Some(-1.0)
        } else {
            None
        }
    }

    /// Returns whether the axis has this direction; each has `any`.
    #[must_use]
    pub fn has(self, direction: Direction) -> bool {
        direction == Direction::Any || self.sign(direction).is_some()
    }

    /// Returns the unit of the deviation.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Axis::HeadForward | Axis::HeadSide | Axis::HeadRise => "mm",
            _ => "deg",
        }
    }

    /// Returns the smallest deviation that a person sees as a motion when the request names no size, in the axis' unit.
    #[must_use]
    pub fn visible_size(self) -> f64 {
        match self {
            Axis::HeadForward | Axis::HeadSide | Axis::HeadRise => 4.0,
            Axis::AntennaLeft | Axis::AntennaRight => 10.0,
            _ => 5.0,
        }
    }

    /// Returns the largest deviation from the place of its start at which the axis still counts as still, in its unit.
    #[must_use]
    pub fn still_within(self) -> f64 {
        3.0
    }

    /// Returns how near to neutral counts as back at neutral, in the axis' unit. Antennas that stand at 0 degrees
    /// instead of their official rest of 10 degrees inwards are upright too.
    #[must_use]
    pub fn neutral_within(self) -> f64 {
        match self {
            Axis::AntennaLeft | Axis::AntennaRight => 12.0,
            _ => 4.0,
        }
    }

    /// Returns the largest deviation that the robot can reach in a direction, in the axis' unit.
    #[must_use]
    pub fn reach(self, direction: Direction) -> f64 {
        match (self, direction) {
            (Axis::HeadTurn, _) => 60.0,
            (Axis::HeadFacing, _) => 180.0,
            (Axis::HeadPitch, _) => 35.0,
            (Axis::HeadTilt, _) => 30.0,
            (Axis::HeadRise, Direction::Up) => 23.0,
            (Axis::HeadForward | Axis::HeadSide | Axis::HeadRise, _) => 40.0,
            (Axis::BodyTurn, _) => 160.0,
            (Axis::AntennaLeft | Axis::AntennaRight, _) => 170.0,
        }
    }
}

/// One axis, or all axes of a part of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Part {
    /// One axis.
    Axis(Axis),
    /// The head: its orientation and its position. Whether it turned is judged in the frame that favours the tool,
    /// for a person who says "the head stays" while the body turns can mean either.
    Head,
    /// Both antennas.
    Antennas,
    /// Head, body and antennas.
    Everything,
}

impl TryFrom<String> for Part {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match text.as_str() {
            "head" => Part::Head,
            "antennas" => Part::Antennas,
            "everything" => Part::Everything,
            "body" => Part::Axis(Axis::BodyTurn),
            "head_turn" => Part::Axis(Axis::HeadTurn),
            "head_facing" => Part::Axis(Axis::HeadFacing),
            "head_pitch" => Part::Axis(Axis::HeadPitch),
            "head_tilt" => Part::Axis(Axis::HeadTilt),
            "head_forward" => Part::Axis(Axis::HeadForward),
            "head_side" => Part::Axis(Axis::HeadSide),
            "head_rise" => Part::Axis(Axis::HeadRise),
            "antenna_left" => Part::Axis(Axis::AntennaLeft),
            "antenna_right" => Part::Axis(Axis::AntennaRight),
            _ => return Err(format!("`{text}` is no part of the robot")),
        })
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Axis(axis) => axis.fmt(f),
            Part::Head => f.write_str("head"),
            Part::Antennas => f.write_str("antennas"),
            Part::Everything => f.write_str("everything"),
        }
    }
}
