//! A stream of targets: each part of the body keeps its own target and the ramp to it.
//!
//! Clients stream parts at different rates. A new target for the antennas neither ends nor hurries the head's way to its own.

use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::motion::{Motion, Ramps, Target};
use firmware_bridge::posture::{Antennas, HeadPose};
use firmware_bridge::units::Radians;

/// Maximum time over which a streamed target is reached. The minimum is a cycle.
const MAX_RAMP: Duration = Duration::from_millis(50);

/// The last target of each part that was streamed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct TargetStream {
    head: Option<Part<HeadPose>>,
    body_yaw: Option<Part<Radians>>,
    antennas: Option<Part<Antennas>>,
}

/// The last target of one part.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Part<T> {
    target: T,
    /// When it was requested.
    since: Timestamp,
    /// When it is reached.
    until: Timestamp,
}

impl TargetStream {
    /// Returns the stream after another target. Its parts are reached after `over`, or after the interval of their own stream.
    pub(crate) fn with(
        &self,
        target: &Target,
        now: Timestamp,
        over: Option<Duration>,
        period: Duration,
    ) -> Self {
        TargetStream {
            head: next(self.head, target.head, now, over, period),
            body_yaw: next(self.body_yaw, target.body_yaw, now, over, period),
            antennas: next(self.antennas, target.antennas, now, over, period),
        }
    }

    /// Returns the motion from here to the targets.
    pub(crate) fn motion(&self, now: Timestamp, period: Duration) -> Motion {
        Motion::SetTarget {
            target: Target {
                head: self.head.map(|part| part.target),
                body_yaw: self.body_yaw.map(|part| part.target),
                antennas: self.antennas.map(|part| part.target),
            },
            ramps: Ramps {
                head: left(self.head, now, period),
                body_yaw: left(self.body_yaw, now, period),
                antennas: left(self.antennas, now, period),
            },
        }
    }
}

fn next<T: Copy>(
    before: Option<Part<T>>,
    target: Option<T>,
    now: Timestamp,
    over: Option<Duration>,
    period: Duration,
) -> Option<Part<T>> {
    let Some(target) = target else { return before };
    let over = over.unwrap_or_else(|| ramp(before.map(|part| now.since(part.since)), period));
    Some(Part { target, since: now, until: now + over })
}

/// Returns the time until a part has reached its target, at least a cycle.
fn left<T: Copy>(part: Option<Part<T>>, now: Timestamp, period: Duration) -> Duration {
    part.map_or(Duration::ZERO, |part| part.until.since(now)).max(period)
}

/// Returns the time over which a streamed target is reached, given the gap to the previous one.
///
/// It is the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz. It is at least a cycle and at most 50 ms.
/// `None` starts the stream.
fn ramp(gap: Option<Duration>, period: Duration) -> Duration {
    gap.unwrap_or(MAX_RAMP).min(MAX_RAMP).max(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    const fn at(millis: u64) -> Timestamp {
        Timestamp(millis * 1_000_000)
    }

    fn antennas(degrees: f64) -> Target {
        let angle = Radians::from_degrees(degrees);
        Target { antennas: Some(Antennas { right: angle, left: angle }), ..Target::default() }
    }

    fn ramps(stream: &TargetStream, now: Timestamp) -> [u128; 3] {
        let Motion::SetTarget { ramps, .. } = stream.motion(now, PERIOD) else { panic!("no stream") };
        [ramps.head, ramps.body_yaw, ramps.antennas].map(|ramp| ramp.as_millis())
    }

    #[test]
    fn ramp_takes_the_interval_of_the_stream() {
        // The slowest control loop runs ten cycles per second.
        let cases = [
            (None, 10, 50),
            (Some(20), 10, 20),
            (Some(1), 10, 10),
            (Some(3_000), 10, 50),
            (Some(1), 100, 100),
            (None, 100, 100),
        ];
        for (gap, period, expected) in cases {
            let (gap, period) = (gap.map(Duration::from_millis), Duration::from_millis(period));
            assert_eq!(ramp(gap, period), Duration::from_millis(expected), "{gap:?} {period:?}");
        }
    }

    #[test]
    fn target_of_one_part_leaves_the_ramps_of_the_others() {
        let turn =
            |degrees: f64| Target { body_yaw: Some(Radians::from_degrees(degrees)), ..Target::default() };
        let both = TargetStream::default().with(&turn(20.0), at(0), None, PERIOD).with(
            &antennas(30.0),
            at(0),
            None,
            PERIOD,
        );
        assert_eq!(ramps(&both, at(0)), [10, 50, 50]);
        // The antennas are streamed at 100 Hz, and the body is still on its way.
        let later =
            both.with(&antennas(31.0), at(10), None, PERIOD).with(&antennas(32.0), at(20), None, PERIOD);
        assert_eq!(ramps(&later, at(20)), [10, 30, 10]);
        // What has been reached stays the target.
        let Motion::SetTarget { target, ramps } = later.motion(at(400), PERIOD) else { panic!("no stream") };
        assert_eq!((target.body_yaw, ramps.body_yaw), (Some(Radians::from_degrees(20.0)), PERIOD));
        assert_eq!(target.head, None);
    }
}
