//! Builds the primitives of a parsed clause.
//!
//! Each primitive takes the modifiers that it uses out of their slots. A modifier that no primitive took
//! referred to something else, and is reported and not dropped.

use std::ops::Range;
use std::time::Duration;

use firmware_bridge::units::Radians;

use super::decimal::plain;
use super::intent::Reason;
use super::lexicon::{Direction, Pace, Part, Verb};
use super::parser::Error;
use super::primitive::{self as p, Look, OutOfRange, Primitive, Side};
use super::slots::{Extent, SlotValue, Slots};

impl Slots {
    /// Builds the primitives of the clause, and returns how often to repeat all of them.
    pub fn build(mut self, verb: Verb, clause: Range<usize>) -> Result<(Vec<Primitive>, Option<u32>), Error> {
        self.assign_bare_number(verb);
        let reason = if self.has_no_direction() { Reason::WhichWay } else { Reason::Unknown };
        let unclear = || Error::unclear(clause.clone(), reason);
        let mut built = match (verb, self.part) {
            (Verb::Nod, None | Some(Part::Head)) => vec![self.nod()?],
            (Verb::Shake, None | Some(Part::Head)) => vec![self.shake()?],
            (Verb::Shake | Verb::Wiggle, Some(Part::Antennas)) | (Verb::Wiggle, None) => vec![self.wiggle()?],
            (Verb::Dance, None) => vec![self.dance()?],
            (Verb::Wait, None) => vec![self.wait(&clause)?],
            (Verb::Look | Verb::Point, None | Some(Part::Head))
            | (Verb::Turn | Verb::Tilt, Some(Part::Head))
                if verb != Verb::Tilt || self.is_vertical_tilt() =>
            {
                vec![self.look().ok_or_else(unclear)??]
            }
            (Verb::Tilt, None | Some(Part::Head)) => vec![self.tilt().ok_or_else(unclear)??],
            (Verb::Turn, None | Some(Part::Body)) | (Verb::Move | Verb::Point, Some(Part::Body)) => {
                vec![self.turn().ok_or_else(unclear)??]
            }
            (Verb::Raise | Verb::Lower, Some(Part::Head)) => vec![self.height(verb, &clause)?],
            (Verb::Move, Some(Part::Head)) => match self.directions.first() {
                Some(SlotValue(Direction::Up | Direction::Down, _)) if self.angle.is_none() => {
                    vec![self.height(verb, &clause)?]
                }
                _ => vec![self.look().ok_or_else(unclear)??],
            },
            (Verb::Raise | Verb::Lower | Verb::Move | Verb::Point, Some(Part::Antennas)) => {
                vec![self.antennas(verb).ok_or_else(unclear)??]
            }
            _ => return Err(Error::unclear(clause.clone(), Reason::Unknown)),
        };
        for primitive in &built {
            primitive.check().map_err(Error::Range)?;
        }
        if let Some(SlotValue(seconds, _)) = self.lasting.take() {
            let wait = Primitive::Wait { duration: duration(seconds, "waiting")? };
            wait.check().map_err(Error::Range)?;
            built.push(wait);
        }
        let repeat = self.times.take().map(|said| count(said.0, "repeating a motion")).transpose()?;
        // Antennas always go all the way up and down.
        if self.part == Some(Part::Antennas) {
            self.extent.take_if(|said| said.0 == Extent::Full);
        }
        match self.unused_modifier() {
            Some(at) => Err(Error::unclear(at, Reason::Unknown)),
            None => Ok((built, repeat)),
        }
    }

    /// Assigns a number without a unit to a slot, depending on the verb.
    fn assign_bare_number(&mut self, verb: Verb) {
        let Some(SlotValue(value, at)) = self.bare.take() else { return };
        let angle = SlotValue(Radians::from_degrees(value), at.clone());
        match verb {
            Verb::Look | Verb::Turn | Verb::Tilt | Verb::Move | Verb::Point
                // "look left by half" does not mean half a degree.
                if self.angle.is_none() && (value == 0.0 || value.abs() >= 1.0) =>
            {
                self.angle = Some(angle)
            }
            Verb::Nod | Verb::Shake | Verb::Wiggle if self.times.is_none() => {
                self.times = Some(SlotValue(value, at))
            }
            Verb::Dance | Verb::Wait if self.within.is_none() && self.lasting.is_none() => {
                self.within = Some(SlotValue(value, at));
            }
            _ => self.bare = Some(SlotValue(value, at)),
        }
    }

    /// Returns the tokens of a slot that no primitive took.
    fn unused_modifier(&self) -> Option<Range<usize>> {
        let spans = [
            self.directions.first().map(|said| &said.1),
            self.angle.as_ref().map(|said| &said.1),
            self.metres.as_ref().map(|said| &said.1),
            self.within.as_ref().map(|said| &said.1),
            self.bare.as_ref().map(|said| &said.1),
            self.pace.as_ref().map(|said| &said.1),
            self.extent.as_ref().map(|said| &said.1),
            self.point.as_ref().map(|said| &said.1),
        ];
        spans.into_iter().flatten().min_by_key(|at| at.start).cloned()
    }

    /// Returns whether the clause names no direction.
    fn has_no_direction(&self) -> bool {
        self.directions.is_empty() && self.point.is_none()
    }

    /// Returns whether a tilt is in fact a look: up or down.
    fn is_vertical_tilt(&self) -> bool {
        matches!(self.directions.first(), Some(SlotValue(Direction::Up | Direction::Down, _)))
    }

    fn turn_to(&mut self) -> Option<Direction> {
        if self.directions.is_empty() { None } else { Some(self.directions.remove(0).0) }
    }

    /// Returns the given angle, or the one that the extent in words means. If both are given, only "a
    /// little" is dropped; any other extent stays in its slot.
    fn angle_or(&mut self, usual: Radians, most: Radians) -> Radians {
        if let Some(SlotValue(angle, _)) = self.angle.take() {
            // "a little, 10 degrees" is 10 degrees. In "all the way, 10 degrees" one is left over and
            // reported.
            self.extent.take_if(|said| said.0 == Extent::Slight);
            return angle;
        }
        match self.extent.take() {
            Some(SlotValue(Extent::Slight, _)) => usual / 2.0,
            Some(SlotValue(Extent::Much, _)) => Radians(f64::min((usual * 2.0).value(), most.value())),
            Some(SlotValue(Extent::Full, _)) => most,
            None => usual,
        }
    }

    /// Returns the duration of a motion: as given, or the calm duration at the given pace.
    fn time_or(&mut self, usual: Duration, what: &str) -> Result<Duration, Error> {
        match self.within.take() {
            Some(SlotValue(seconds, _)) => {
                // "slowly, over four seconds": the seconds specify how slowly.
                self.pace = None;
                duration(seconds, what)
            }
            None => Ok(self.paced(usual)),
        }
    }

    fn paced(&mut self, usual: Duration) -> Duration {
        match self.pace.take() {
            Some(SlotValue(Pace::Slow, _)) => usual * 2,
            Some(SlotValue(Pace::Fast, _)) => usual / 2,
            None => usual,
        }
    }

    /// Returns the number of swings, and the duration of each half.
    fn swings(&mut self, usual: u32, what: &str) -> Result<(u32, Duration), Error> {
        // "nod in 5 seconds" may mean later. Without a count, the duration is left over and reported.
        let within = if self.times.is_some() { self.within.take() } else { None };
        let seconds = within.or_else(|| self.lasting.take()).map(|said| said.0);
        let half = self.paced(p::HALF_SWING_TIME);
        let times = self.times.take().map(|said| count(said.0, what)).transpose()?;
        let Some(seconds) = seconds else { return Ok((times.unwrap_or(usual), half)) };
        let whole = duration(seconds, what)?;
        let fitting = (whole.as_secs_f64() / (2.0 * half.as_secs_f64())).round().max(1.0) as u32;
        let times = times.unwrap_or(fitting);
        Ok((times, whole / times.saturating_mul(2).max(1)))
    }

    fn nod(&mut self) -> Result<Primitive, Error> {
        let (times, half) = self.swings(1, "nodding")?;
        Ok(Primitive::Nod { times, angle: self.angle_or(p::DEFAULT_SWING, p::MAX_SWING), half })
    }

    fn shake(&mut self) -> Result<Primitive, Error> {
        let (times, half) = self.swings(p::DEFAULT_SWINGS, "shaking the head")?;
        Ok(Primitive::Shake { times, angle: self.angle_or(p::DEFAULT_SWING, p::MAX_SWING), half })
    }

    fn wiggle(&mut self) -> Result<Primitive, Error> {
        let (times, half) = self.swings(p::DEFAULT_SWINGS, "wiggling the antennas")?;
        Ok(Primitive::WiggleAntennas { times, half })
    }

    fn dance(&mut self) -> Result<Primitive, Error> {
        let seconds = self.within.take().or_else(|| self.lasting.take());
        let duration = seconds
            .map_or(Ok(p::DEFAULT_DANCE_TIME), |SlotValue(seconds, _)| duration(seconds, "dancing"))?;
        Ok(Primitive::Dance { duration })
    }

    fn wait(&mut self, clause: &Range<usize>) -> Result<Primitive, Error> {
        let seconds = self.within.take().or_else(|| self.lasting.take());
        let SlotValue(seconds, _) = seconds.ok_or_else(|| Error::unclear(clause.clone(), Reason::Unknown))?;
        Ok(Primitive::Wait { duration: duration(seconds, "waiting")? })
    }

    fn look(&mut self) -> Option<Result<Primitive, Error>> {
        if let Some(SlotValue(point, _)) = self.point.take() {
            return Some(
                self.time_or(p::DEFAULT_AIM_TIME, "looking")
                    .map(|duration| Primitive::LookAt { point, duration }),
            );
        }
        let direction = match self.turn_to()? {
            Direction::Left => Look::Left,
            Direction::Right => Look::Right,
            Direction::Up => Look::Up,
            Direction::Down => Look::Down,
            Direction::Ahead => Look::Ahead,
            Direction::Outwards | Direction::Inwards => return None,
        };
        let angle = match direction {
            Look::Ahead => Radians::ZERO,
            Look::Left | Look::Right => self.angle_or(p::DEFAULT_LOOK, p::MAX_LOOK),
            Look::Up | Look::Down => self.angle_or(p::DEFAULT_LOOK, p::MAX_LOOK_UP_DOWN),
        };
        let time = self.time_or(p::head_duration(angle), "looking");
        Some(time.map(|duration| Primitive::Look { direction, angle, duration }))
    }

    fn tilt(&mut self) -> Option<Result<Primitive, Error>> {
        let side = match self.turn_to()? {
            Direction::Left => Side::Left,
            Direction::Right => Side::Right,
            _ => return None,
        };
        let angle = self.angle_or(p::DEFAULT_TILT, p::MAX_TILT);
        let time = self.time_or(p::head_duration(angle), "tilting the head");
        Some(time.map(|duration| Primitive::Tilt { side, angle, duration }))
    }

    fn turn(&mut self) -> Option<Result<Primitive, Error>> {
        let direction = self.turn_to()?;
        let angle = match direction {
            Direction::Ahead => Radians::ZERO,
            Direction::Left => self.angle_or(p::DEFAULT_TURN, p::MAX_TURN),
            Direction::Right => -self.angle_or(p::DEFAULT_TURN, p::MAX_TURN),
            _ => return None,
        };
        let time = self.time_or(p::body_duration(angle), "turning the body");
        Some(time.map(|duration| Primitive::TurnBody { angle, duration }))
    }

    fn height(&mut self, verb: Verb, clause: &Range<usize>) -> Result<Primitive, Error> {
        // "raise your head 10 degrees" is a look and not a lift.
        let up = match (verb, self.turn_to()) {
            (Verb::Raise | Verb::Move, Some(Direction::Up)) | (Verb::Raise, None) => true,
            (Verb::Lower | Verb::Move, Some(Direction::Down)) | (Verb::Lower, None) => false,
            _ => return Err(Error::unclear(clause.clone(), Reason::Unknown)),
        };
        if self.angle.is_some() {
            let direction = if up { Look::Up } else { Look::Down };
            let angle = self.angle_or(p::DEFAULT_LOOK, p::MAX_LOOK_UP_DOWN);
            let duration = self.time_or(p::head_duration(angle), "looking")?;
            return Ok(Primitive::Look { direction, angle, duration });
        }
        let metres = match (self.metres.take(), self.extent.as_ref()) {
            (Some(said), _) => said.0,
            (None, None) => p::DEFAULT_HEIGHT_M,
            (None, Some(SlotValue(extent, _))) => {
                let most = p::furthest_height(if up { 1.0 } else { -1.0 }).abs();
                let metres = match extent {
                    Extent::Slight => p::DEFAULT_HEIGHT_M * 0.5,
                    Extent::Much => f64::min(p::DEFAULT_HEIGHT_M * 2.0, most),
                    Extent::Full => most,
                };
                self.extent = None;
                metres
            }
        };
        if metres < 0.0 {
            return Err(negative_number("a length for the head's height"));
        }
        let duration = self.time_or(p::DEFAULT_AIM_TIME, "moving the head")?;
        Ok(Primitive::Height { metres: if up { metres } else { -metres }, duration })
    }

    fn antennas(&mut self, verb: Verb) -> Option<Result<Primitive, Error>> {
        let mut side = None;
        let mut inwards = false;
        let mut named = match verb {
            Verb::Raise => Some(ANTENNAS_UP),
            Verb::Lower => Some(ANTENNAS_DOWN),
            _ => None,
        };
        for SlotValue(direction, _) in std::mem::take(&mut self.directions) {
            match direction {
                Direction::Left if side.is_none() => side = Some(Side::Left),
                Direction::Right if side.is_none() => side = Some(Side::Right),
                Direction::Up | Direction::Ahead if verb != Verb::Lower => named = Some(ANTENNAS_UP),
                Direction::Down if verb != Verb::Raise => named = Some(ANTENNAS_DOWN),
                Direction::Outwards if verb == Verb::Move => named = Some(ANTENNAS_OUT),
                Direction::Inwards if verb == Verb::Move => (named, inwards) = (Some(ANTENNAS_IN), true),
                _ => return None,
            }
        }
        let said = self.angle.take().map(|SlotValue(angle, _)| if inwards { -angle } else { angle });
        let angle = said.or(named)?;
        let (left, right) = match side {
            Some(Side::Left) => (Some(angle), None),
            Some(Side::Right) => (None, Some(angle)),
            None => (Some(angle), Some(angle)),
        };
        let time = self.time_or(p::antenna_duration(angle), "moving the antennas");
        Some(time.map(|duration| Primitive::SetAntennas { right, left, duration }))
    }
}

const ANTENNAS_UP: Radians = Radians::ZERO;
const ANTENNAS_OUT: Radians = Radians::from_degrees(90.0);
const ANTENNAS_IN: Radians = Radians::from_degrees(-30.0);
const ANTENNAS_DOWN: Radians = Radians::from_degrees(150.0);

fn duration(seconds: f64, what: &str) -> Result<Duration, Error> {
    Duration::try_from_secs_f64(seconds).ok().filter(|duration| duration.as_secs() < 86_400).ok_or_else(
        || {
            let what = format!("{what} for {} s", plain(seconds));
            Error::Range(OutOfRange { what, allowed: "a duration of up to 300 s".to_owned() })
        },
    )
}

fn negative_number(what: &str) -> Error {
    Error::Range(OutOfRange {
        what: format!("a negative number as {what}"),
        allowed: "a positive number and the other direction".to_owned(),
    })
}

/// Converts a number to a count; it must be whole.
pub(super) fn count(times: f64, what: &str) -> Result<u32, Error> {
    let most = f64::from(p::MAX_TIMES);
    if times.fract() == 0.0 && (1.0..=most).contains(&times) {
        return Ok(times as u32);
    }
    let what = format!("{what} {} times", plain(times));
    Err(Error::Range(OutOfRange { what, allowed: format!("a whole number from 1 to {}", p::MAX_TIMES) }))
}
