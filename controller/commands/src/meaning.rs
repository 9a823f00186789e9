//! The meaning of what a person says: one tree for all languages.

use minismith_score::{Axis, AxisValues};

use crate::concept::Compared;

/// How far something goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// As far as is usual, times a factor.
    Usual(f64),
    /// Exactly so far from neutral, degrees or millimetres.
    Exactly(f64),
    /// So much further than now, degrees or millimetres; negative is less.
    Further(f64),
    /// As far as it can.
    Most,
}

/// One axis that goes somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    /// The axis.
    pub axis: Axis,
    /// 1 in the direction of positive values, -1 in the other one, 0 for neutral.
    pub sign: f64,
    /// The usual size, degrees or millimetres.
    pub usual: f64,
    /// How far.
    pub amount: Amount,
}

/// Goals within this of neutral are neutral, degrees or millimetres.
const NEUTRAL: f64 = 1.0;

impl Aim {
    /// Returns an aim further than now as one from neutral, which may be on the other side.
    #[must_use]
    pub fn from_neutral(&self, start: &AxisValues) -> Aim {
        let Amount::Further(amount) = self.amount else { return *self };
        let goal = start[self.axis] + self.sign * amount;
        let goal = if goal.abs() < NEUTRAL { 0.0 } else { goal };
        Aim { sign: if goal < 0.0 { -1.0 } else { 1.0 }, amount: Amount::Exactly(goal.abs()), ..*self }
    }
}

/// The course of a gesture.
#[derive(Clone, Debug, PartialEq)]
pub struct Gesture {
    /// The strokes of one round; each goes out, and after the last one everything goes back.
    pub strokes: Vec<Vec<Aim>>,
    /// Whether it goes back after each stroke.
    pub is_out_and_back: bool,
    /// The number of rounds.
    pub count: u32,
    /// How long it stays at the extreme, seconds.
    pub hold: f64,
    /// The duration of one stroke, seconds.
    pub stroke: f64,
    /// The rest between rounds, seconds.
    pub pause: f64,
    /// What changes from round to round.
    pub trend: Option<Compared>,
    /// The time from the start of a round to the start of the next one, seconds.
    pub period: Option<f64>,
    /// The duration of all of it, seconds.
    pub total: Option<f64>,
}

/// A head that turns so far looks somewhere, and does not shake, degrees.
const LOOK_DEGREES: f64 = 20.0;

impl Gesture {
    /// Returns whether the head turns from side to side so little that it shakes.
    #[must_use]
    pub fn is_shake(&self) -> bool {
        let shakes = |aim: &Aim| aim.axis == Axis::HeadTurn && aim.usual < LOOK_DEGREES;
        !self.is_out_and_back && self.strokes.iter().flatten().all(shakes)
    }
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    /// To a posture, where it stays.
    Go {
        /// What goes where.
        aims: Vec<Aim>,
        /// In this time, seconds; otherwise a duration that fits the way.
        seconds: Option<f64>,
        /// A factor of that duration.
        pace: f64,
    },
    /// Out and back.
    Gesture(Gesture),
    /// A dance of this many seconds.
    Dance(f64),
    /// Nothing for this many seconds.
    Wait(f64),
    /// These axes back to neutral.
    Neutral {
        /// The axes.
        axes: Vec<Axis>,
        /// How long it takes, seconds; by its length where that is not said.
        seconds: Option<f64>,
        /// A factor of the duration.
        pace: f64,
    },
    /// To a posture that was there before.
    Posture(Box<AxisValues>),
    /// The robot wakes up.
    Wake,
    /// The robot goes to sleep.
    Sleep,
    /// A sound.
    Sound,
    /// One after another.
    Sequence(Vec<Meaning>),
    /// At the same time.
    Together(Vec<Meaning>),
    /// Several times.
    Repeat(u32, Box<Meaning>),
}

impl Meaning {
    /// Returns the axes that it moves, in order and without repetition.
    #[must_use]
    pub fn axes(&self) -> Vec<Axis> {
        let mut axes = Vec::new();
        self.collect(&mut axes);
        axes.sort_unstable();
        axes.dedup();
        axes
    }

    fn collect(&self, axes: &mut Vec<Axis>) {
        match self {
            Meaning::Go { aims, .. } => axes.extend(aims.iter().map(|aim| aim.axis)),
            Meaning::Gesture(gesture) => axes.extend(gesture.strokes.iter().flatten().map(|aim| aim.axis)),
            Meaning::Neutral { axes: own, .. } => axes.extend(own),
            Meaning::Dance(_) | Meaning::Posture(_) | Meaning::Wake | Meaning::Sleep => {
                axes.extend(Axis::ALL)
            }
            Meaning::Wait(_) | Meaning::Sound => {}
            Meaning::Sequence(inner) | Meaning::Together(inner) => {
                inner.iter().for_each(|one| one.collect(axes))
            }
            Meaning::Repeat(_, inner) => inner.collect(axes),
        }
    }

    /// Returns where it goes, step after step, gestures left out.
    pub(crate) fn aims(&self) -> Vec<Aim> {
        let mut all = Vec::new();
        self.each(&mut |one| {
            if let Meaning::Go { aims, .. } = one {
                all.extend(aims.iter().copied());
            }
        });
        all
    }

    /// Returns whether it puts an antenna at an angle that was said.
    #[must_use]
    pub fn says_antenna_angle(&self) -> bool {
        let is_said =
            |aim: &Aim| Axis::ANTENNAS.contains(&aim.axis) && matches!(aim.amount, Amount::Exactly(_));
        self.aims().iter().any(is_said)
    }

    /// Returns whether it leaves the robot in a posture.
    #[must_use]
    pub const fn is_posture(&self) -> bool {
        matches!(self, Meaning::Go { .. } | Meaning::Neutral { .. } | Meaning::Posture(_))
    }

    /// Returns whether gestures happen at the same time in it.
    #[must_use]
    pub fn is_simultaneous(&self) -> bool {
        match self {
            Meaning::Together(_) => true,
            Meaning::Sequence(inner) => inner.iter().any(Meaning::is_simultaneous),
            Meaning::Repeat(_, inner) => inner.is_simultaneous(),
            _ => false,
        }
    }

    /// Visits all inside, and then this one.
    pub(crate) fn each(&self, visit: &mut dyn FnMut(&Meaning)) {
        match self {
            Meaning::Sequence(inner) | Meaning::Together(inner) => {
                inner.iter().for_each(|one| one.each(visit));
            }
            Meaning::Repeat(_, inner) => inner.each(visit),
            _ => {}
        }
        visit(self);
    }

    /// Calls a function on each part, this one last.
    pub(crate) fn each_mut(&mut self, act: &mut dyn FnMut(&mut Meaning)) {
        match self {
            Meaning::Sequence(inner) | Meaning::Together(inner) => {
                inner.iter_mut().for_each(|one| one.each_mut(act));
            }
            Meaning::Repeat(_, inner) => inner.each_mut(act),
            _ => {}
        }
        act(self);
    }

    /// Returns it with goals from neutral, where it leaves the robot in this posture.
    pub(crate) fn ending_in(&self, after: &AxisValues) -> Meaning {
        let mut told = self.clone();
        told.each_mut(&mut |one| {
            if let Meaning::Go { aims, .. } = one {
                for aim in aims {
                    *aim = Aim { amount: Amount::Further(0.0), ..*aim }.from_neutral(after);
                }
            }
        });
        told
    }

    /// Returns it without its sounds; none if nothing else is in it.
    #[must_use]
    pub fn without_sounds(&self) -> Option<Meaning> {
        let rest = |inner: &[Meaning]| -> Vec<Meaning> {
            inner.iter().filter_map(Meaning::without_sounds).collect()
        };
        let or_one = |mut inner: Vec<Meaning>, all: fn(Vec<Meaning>) -> Meaning| {
            if inner.len() > 1 { Some(all(inner)) } else { inner.pop() }
        };
        match self {
            Meaning::Sound => None,
            Meaning::Sequence(inner) => or_one(rest(inner), Meaning::Sequence),
            Meaning::Together(inner) => or_one(rest(inner), Meaning::Together),
            Meaning::Repeat(count, inner) => {
                inner.without_sounds().map(|inner| Meaning::Repeat(*count, Box::new(inner)))
            }
            other => Some(other.clone()),
        }
    }

    /// Returns it to the other side.
    #[must_use]
    pub fn mirrored(&self) -> Meaning {
        let mut mirrored = self.clone();
        mirrored.each_mut(&mut |one| match one {
            Meaning::Go { aims, .. } => aims.iter_mut().for_each(mirror),
            Meaning::Gesture(gesture) => gesture.strokes.iter_mut().flatten().for_each(mirror),
            _ => {}
        });
        mirrored
    }

    /// Returns it in the opposite direction: left for right and up for down.
    #[must_use]
    pub fn reversed(&self) -> Meaning {
        let mut reversed = self.clone();
        reversed.each_mut(&mut |one| match one {
            Meaning::Go { aims, .. } => aims.iter_mut().for_each(reverse),
            Meaning::Gesture(gesture) => gesture.strokes.iter_mut().flatten().for_each(reverse),
            _ => {}
        });
        reversed
    }
}

fn mirror(aim: &mut Aim) {
    match aim.axis {
        Axis::AntennaLeft => aim.axis = Axis::AntennaRight,
        Axis::AntennaRight => aim.axis = Axis::AntennaLeft,
        Axis::HeadTurn | Axis::HeadTilt | Axis::HeadSide | Axis::BodyTurn => aim.sign = -aim.sign,
        _ => {}
    }
}

fn reverse(aim: &mut Aim) {
    match aim.axis {
        Axis::AntennaLeft | Axis::AntennaRight => mirror(aim),
        _ => aim.sign = -aim.sign,
    }
}
