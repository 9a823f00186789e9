//! Why what a text asks for is not done.

use serde::Deserialize;

use crate::limits::{LONGEST_DANCE_S, LONGEST_MOTION_S, MOST_TIMES};

macro_rules! refusals {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {
        /// Why what a text asks for is not done.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Refusal {
            $($(#[$doc])* $name,)*
            /// An angle is larger than the axis goes, degrees.
            #[serde(skip)]
            TooFarDegrees(u16),
            /// A length is larger than the axis goes, millimetres.
            #[serde(skip)]
            TooFarMillimetres(u16),
        }

        impl Refusal {
            /// All that name no amount.
            #[cfg(test)]
            pub(crate) const ALL: &[Refusal] = &[$(Refusal::$name,)*];
        }
    };
}

refusals! {
    /// No part of the robot does it.
    NotPossible,
    /// It is not said which way a part moves.
    NoWay,
    /// It is not said where a part goes.
    NoGoal,
    /// The way could be one of several.
    WhichWay,
    /// The part could be one of several.
    WhichOne,
    /// Two motions are meant, and it is not clear which.
    WhichTwo,
    /// The same part is to move and to stay still.
    MovesAndStays,
    /// A part is to go two ways.
    TwoWays,
    /// A part is to go to both sides.
    BothSides,
    /// One part is to do two things at once.
    TwoThings,
    /// Two motions are to be joined that move the same part.
    SamePart,
    /// It refers to something, and nothing was done.
    NothingBefore,
    /// What was done last has nothing that changes so.
    NoSuchChange,
    /// What was done last goes to no side.
    NoOtherSide,
    /// What was done last moves none of two like parts.
    NoOtherOne,
    /// An earlier motion is to be undone.
    OnlyLastUndone,
    /// An earlier motion is to be repeated.
    OnlyLastRepeated,
    /// Something is to be left out, and it is not clear what.
    WhatLeftOut,
    /// Something comes between others, and it is not clear which.
    WhatBetween,
    /// It awaits what the robot does not notice.
    WhenHappened,
    /// It goes on after a word.
    AwaitedWord,
    /// It depends on what the robot does not notice.
    UnknownCondition,
    /// It depends on several things.
    OneCondition,
    /// It is not clear what belongs to its condition.
    ConditionScope,
    /// A shift is given as an angle.
    InMillimetres,
    /// An angle is given as a length.
    InDegrees,
    /// Two numbers are given for one thing.
    TwoNumbers,
    /// A number belongs to nothing.
    WhatNumber,
    /// A distance for each span of time is given.
    DistanceInTime,
    /// Another part than an antenna is to open or close.
    OnlyAntennasOpen,
    /// An antenna is to look somewhere.
    AntennaLooks,
    /// The body is to move otherwise than turn.
    BodyOnlyTurns,
    /// Another part than the head is to circle.
    OnlyHeadCircles,
    /// The head is to look behind the robot.
    LookBehind,
    /// It is to wait somewhere else.
    WaitsHere,
    /// A motion is to be done in which nothing moves.
    NothingMoves,
    /// The legs of the head do not reach the pose.
    OutOfReach,
    /// It is to be done too often, or not once.
    Times,
    /// It is to be done half a time.
    WholeTimes,
    /// It is to last too long.
    Seconds,
    /// A dance is to last too long.
    DanceSeconds,
    /// The motion as a whole is too long.
    TooLong,
    /// A sound is asked for, and it cannot be played.
    NoSound,
    /// What is taken away leaves nothing.
    NoneLeft,
}

impl Refusal {
    /// Returns the number that its phrase names.
    pub(crate) const fn number(self) -> Option<u32> {
        match self {
            Refusal::Times => Some(MOST_TIMES),
            Refusal::Seconds => Some(LONGEST_MOTION_S as u32),
            Refusal::DanceSeconds => Some(LONGEST_DANCE_S as u32),
            Refusal::TooFarDegrees(most) | Refusal::TooFarMillimetres(most) => Some(most as u32),
            _ => None,
        }
    }

    /// Returns whether it is a limit of how often or how long something is done.
    #[must_use]
    pub const fn is_limit(self) -> bool {
        matches!(self, Refusal::Times | Refusal::WholeTimes | Refusal::Seconds)
    }
}
