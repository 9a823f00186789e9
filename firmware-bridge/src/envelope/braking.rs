//! How a goal comes to rest: one joint's speed and acceleration brought to zero with a bounded jerk, beat by beat.
//!
//! Everything is counted at the beat, by backward differences of the goals `p`: `v = (p - p_before) / dt`,
//! `a = (v - v_before) / dt`, `j = (a - a_before) / dt`. So one beat takes a new acceleration, adds `a dt` to the
//! speed and then `v dt` to the position.
//!
//! The law. An acceleration that fades by one jerk step `q = jerk dt` on each beat, `x q, (x - 1) q, ...` down to
//! nothing, changes the speed by `q dt` times
//!
//! ```text
//! shed(x) = x + (x - 1) + ... + (x - n) = (n + 1) x - n (n + 1) / 2        with n = floor(x)
//! ```
//!
//! Braking therefore takes the deceleration `x q` whose `shed(x)` is the speed that is left, at most the greatest
//! deceleration, as soon as jerk lets it. From then on each beat's answer is that of the beat before less one step, so
//! speed and acceleration reach zero together: nothing is faster, and nothing swings back, unless the acceleration was
//! so great at the start that there is not time to end it.

/// Speeds below this are rest, radians per second.
const STILL: f64 = 1e-12;

/// Ramps that take longer are cut off here; the caller then sees a way that is too long, and admits less.
const LONGEST_RAMP: usize = 4096;

/// How fast a goal may change its speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    /// Greatest acceleration towards larger angles.
    pub up: f64,
    /// Greatest acceleration towards smaller angles, without sign.
    pub down: f64,
    /// Greatest jerk.
    pub jerk: f64,
    /// The length of a beat.
    pub dt: f64,
}

/// The way of a goal until it rests, from where it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Way {
    /// Least distance on the way; zero or less.
    pub low: f64,
    /// Greatest distance on the way; zero or more.
    pub high: f64,
    /// Distance at the end.
    pub end: f64,
}

impl Rates {
    /// The greatest change of acceleration in one beat.
    pub fn step(&self) -> f64 {
        self.jerk * self.dt
    }

    /// The greatest acceleration that still fades in time to change the speed by no more than `gap`.
    fn fading(&self, gap: f64) -> f64 {
        let step = self.step();
        step * fade(gap.max(0.0) / (step * self.dt))
    }

    /// By how much this acceleration still changes the speed at most while it fades, whatever the length of the beats.
    pub fn faded(&self, acceleration: f64) -> f64 {
        acceleration * acceleration.abs() / (2.0 * self.jerk)
    }

    /// The greatest acceleration for a beat after which it can fade without changing the speed by more than `gap` in
    /// all, whatever the length of the beats that follow.
    pub fn towards(&self, gap: f64) -> f64 {
        let step = self.step();
        step * ((1.0 + 2.0 * gap.max(0.0) / (step * self.dt)).sqrt() - 1.0)
    }

    /// The acceleration of the next beat of full braking.
    pub fn braked(&self, velocity: f64, acceleration: f64) -> f64 {
        let step = self.step();
        self.wanted(velocity).min(acceleration + step).max(acceleration - step)
    }

    /// The speed after a beat with this acceleration; what is left by rounding is none.
    pub fn speed_after(&self, velocity: f64, acceleration: f64) -> f64 {
        let next = velocity + acceleration * self.dt;
        if next.abs() < STILL { 0.0 } else { next }
    }

    /// Whether the next beat of braking leaves the goal where it is.
    pub fn rests(&self, velocity: f64, acceleration: f64) -> bool {
        velocity == 0.0 && acceleration.abs() <= self.step()
    }

    /// The whole way of full braking: the sum of the very beats of [`Rates::braked`].
    pub fn way(&self, velocity: f64, acceleration: f64) -> Way {
        let (mut velocity, mut acceleration) = (velocity, acceleration);
        let mut way = Way::default();
        for _ in 0..LONGEST_RAMP {
            let next = self.braked(velocity, acceleration);
            if next == self.wanted(velocity) {
                return way.on(self.straight_way(velocity));
            }
            acceleration = next;
            velocity += acceleration * self.dt;
            way = way.on(velocity * self.dt);
        }
        way.on(velocity.signum() * f64::MAX)
    }

    /// The acceleration that full braking takes if jerk lets it.
    fn wanted(&self, velocity: f64) -> f64 {
        if velocity > 0.0 {
            -self.fading(velocity).min(self.down)
        } else {
            self.fading(-velocity).min(self.up)
        }
    }

    /// The way of braking on which each beat takes what it wants: some at the greatest deceleration, then fading.
    fn straight_way(&self, velocity: f64) -> f64 {
        let step = self.step();
        let most = (if velocity > 0.0 { self.down } else { self.up }) / step;
        let mut left = velocity.abs() / (step * self.dt);
        let mut way = 0.0;
        if left >= shed(most) {
            let beats = ((left - shed(most)) / most).floor() + 1.0;
            way += beats * left - most * beats * (beats + 1.0) / 2.0;
            left -= beats * most;
        }
        let (size, beats) = (fade(left), whole_beats(left));
        way += beats * (beats + 1.0) * (size / 2.0 - (2.0 * beats + 1.0) / 6.0);
        velocity.signum() * way * step * self.dt * self.dt
    }
}

impl Way {
    fn on(self, more: f64) -> Way {
        let end = self.end + more;
        Way { low: self.low.min(end), high: self.high.max(end), end }
    }
}

/// By how much a fading acceleration changes the speed: `size` in jerk steps, the answer in steps times beats.
fn shed(size: f64) -> f64 {
    let whole = size.floor();
    (whole + 1.0) * size - whole * (whole + 1.0) / 2.0
}

/// The other way round: the size of the fading acceleration that changes the speed by `gap`.
fn fade(gap: f64) -> f64 {
    let whole = whole_beats(gap);
    (gap + whole * (whole + 1.0) / 2.0) / (whole + 1.0)
}

/// How many whole jerk steps the acceleration has that fades over `gap`.
fn whole_beats(gap: f64) -> f64 {
    if gap < 1.0 { 0.0 } else { (((1.0 + 8.0 * gap).sqrt() - 1.0) / 2.0).floor() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Brakes beat by beat and fails at the first limit that breaks.
    fn brake(rates: &Rates, from: (f64, f64)) -> (Way, usize) {
        let (mut velocity, mut acceleration) = from;
        let mut way = Way::default();
        let mut beats = 0;
        while !rates.rests(velocity, acceleration) {
            let next = rates.braked(velocity, acceleration);
            assert!((next - acceleration).abs() <= rates.step() * (1.0 + 1e-9), "jerk");
            assert!(
                next <= rates.up.max(acceleration) && -next <= rates.down.max(-acceleration),
                "acceleration"
            );
            acceleration = next;
            velocity = rates.speed_after(velocity, acceleration);
            way = way.on(velocity * rates.dt);
            beats += 1;
            assert!(beats < 100_000, "it never rests: {velocity} {acceleration}");
        }
        (way, beats)
    }

    fn any_rates() -> impl Strategy<Value = Rates> {
        (1.0..1000.0_f64, 1.0..1000.0_f64, 100.0..50_000.0_f64, 0.0025..0.1_f64)
            .prop_map(|(up, down, jerk, dt)| Rates { up, down, jerk, dt })
    }

    proptest! {
        #[test]
        fn the_way_is_the_sum_of_its_beats(rates in any_rates(), velocity in -15.0..15.0_f64, push in -1.0..1.0_f64) {
            let acceleration = if push > 0.0 { push * rates.up } else { push * rates.down };
            let (beaten, _) = brake(&rates, (velocity, acceleration));
            let way = rates.way(velocity, acceleration);
            for (sum, told) in [(beaten.low, way.low), (beaten.high, way.high), (beaten.end, way.end)] {
                prop_assert!((sum - told).abs() <= 1e-9 * (1.0 + sum.abs()), "{beaten:?} {way:?}");
            }
        }

        #[test]
        fn rest_comes_within_the_time_that_speed_and_jerk_need(rates in any_rates(), velocity in 0.0..15.0_f64) {
            let (way, beats) = brake(&rates, (velocity, 0.0));
            let bound = if velocity >= rates.down * rates.down / rates.jerk {
                velocity / rates.down + rates.down / rates.jerk
            } else {
                2.0 * (velocity / rates.jerk).sqrt()
            };
            prop_assert!((beats as f64) * rates.dt <= bound + 2.0 * rates.dt, "{beats} beats, {bound} s");
            prop_assert!(way.low == 0.0 && way.high == way.end, "nothing swings back");
        }

        #[test]
        fn more_push_never_stops_shorter(rates in any_rates(), velocity in -15.0..15.0_f64, push in -1.0..1.0_f64) {
            let acceleration = if push > 0.0 { push * rates.up } else { push * rates.down };
            let less = rates.way(velocity, acceleration);
            let pushed = acceleration + 0.01 * rates.step();
            let more = rates.way(velocity + 0.01 * rates.step() * rates.dt, pushed);
            prop_assert!(more.end >= less.end - 1e-9 && more.high >= less.high - 1e-9, "{less:?} {more:?}");
        }
    }

    #[test]
    fn a_fading_acceleration_sheds_what_was_asked() {
        for gap in [0.0, 0.3, 1.0, 2.5, 3.0, 17.2, 1e6] {
            assert!((shed(fade(gap)) - gap).abs() <= 1e-9 * (1.0 + gap), "{gap}");
        }
        assert!((fade(6.0) - 3.0).abs() < 1e-12, "three steps, two and one are six");
    }
}
