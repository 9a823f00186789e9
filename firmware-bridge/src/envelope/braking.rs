//! The braking law: brings one joint's velocity and acceleration to zero with a bounded jerk, cycle by cycle.
//!
//! All rates are backward differences of the goals `p` per cycle: `v = (p - p_before) / dt`, `a = (v - v_before) / dt`,
//! `j = (a - a_before) / dt`. Each cycle chooses a new acceleration, adds `a dt` to the velocity and then `v dt` to the
//! position.
//!
//! The law: an acceleration that ramps down by one jerk step `q = jerk dt` per cycle, `x q, (x - 1) q, ...` to zero,
//! changes the velocity by `q dt` times
//!
//! ```text
//! ramp_velocity_change(x) = x + (x - 1) + ... + (x - n) = (n + 1) x - n (n + 1) / 2        with n = floor(x)
//! ```
//!
//! Braking therefore uses the deceleration `x q` whose `ramp_velocity_change(x)` equals the remaining velocity, limited
//! to the maximum deceleration, as soon as the jerk limit permits. From then on the result of each cycle is that of the
//! previous cycle minus one step, so velocity and acceleration reach zero together. No other law is faster. The joint
//! does not swing back, unless its initial acceleration is too large to ramp down in time.

/// Velocities below this count as rest, radians per second.
const REST_VELOCITY: f64 = 1e-12;

/// Longer ramps are cut off here. The caller then gets a path that is too long, and permits less.
const MAX_RAMP_CYCLES: usize = 4096;

/// How fast a goal may change its velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rates {
    /// Maximum acceleration towards larger angles.
    pub up: f64,
    /// Maximum acceleration towards smaller angles, without sign.
    pub down: f64,
    /// Maximum jerk.
    pub jerk: f64,
    /// The length of a cycle, seconds.
    pub dt: f64,
}

/// The path of a goal until it rests, relative to its current position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct StoppingPath {
    /// Minimum displacement on the path; zero or less.
    pub low: f64,
    /// Maximum displacement on the path; zero or more.
    pub high: f64,
    /// Displacement at the end.
    pub end: f64,
}

impl Rates {
    /// Returns the maximum change of acceleration in one cycle.
    pub fn step(&self) -> f64 {
        self.jerk * self.dt
    }

    /// Returns the maximum acceleration that can ramp down without changing the velocity by more than `gap`.
    fn max_ramp_acceleration(&self, gap: f64) -> f64 {
        let step = self.step();
        step * ramp_start(gap.max(0.0) / (step * self.dt))
    }

    /// Returns how far this acceleration can still change the velocity while it ramps down, for any length of the
    /// cycles.
    pub fn ramp_down(&self, acceleration: f64) -> f64 {
        acceleration * acceleration.abs() / (2.0 * self.jerk)
    }

    /// Returns the maximum acceleration for one cycle after which it can ramp down without changing the velocity by
    /// more than `gap` in total. This holds for any length of the following cycles.
    pub fn towards(&self, gap: f64) -> f64 {
        let step = self.step();
        step * ((1.0 + 2.0 * gap.max(0.0) / (step * self.dt)).sqrt() - 1.0)
    }

    /// Returns the acceleration of the next cycle of full braking.
    pub fn after_braking(&self, velocity: f64, acceleration: f64) -> f64 {
        let step = self.step();
        self.unlimited_braking(velocity).min(acceleration + step).max(acceleration - step)
    }

    /// Returns the velocity after a cycle with this acceleration. Rounding residue counts as zero.
    pub fn speed_after(&self, velocity: f64, acceleration: f64) -> f64 {
        let next = velocity + acceleration * self.dt;
        if next.abs() < REST_VELOCITY { 0.0 } else { next }
    }

    /// Returns whether the next cycle of braking leaves the goal where it is.
    pub fn is_at_rest(&self, velocity: f64, acceleration: f64) -> bool {
        velocity == 0.0 && acceleration.abs() <= self.step()
    }

    /// Returns the whole path of full braking: the sum of the cycles that [`Rates::after_braking`] computes.
    pub fn stopping_path(&self, velocity: f64, acceleration: f64) -> StoppingPath {
        let (mut velocity, mut acceleration) = (velocity, acceleration);
        let mut way = StoppingPath::default();
        for _ in 0..MAX_RAMP_CYCLES {
            let next = self.after_braking(velocity, acceleration);
            if next == self.unlimited_braking(velocity) {
                return way.continued(self.unlimited_braking_distance(velocity));
            }
            acceleration = next;
            velocity += acceleration * self.dt;
            way = way.continued(velocity * self.dt);
        }
        way.continued(velocity.signum() * f64::MAX)
    }

    /// Returns the acceleration of full braking without the jerk limit.
    fn unlimited_braking(&self, velocity: f64) -> f64 {
        if velocity > 0.0 {
            -self.max_ramp_acceleration(velocity).min(self.down)
        } else {
            self.max_ramp_acceleration(-velocity).min(self.up)
        }
    }

    /// Returns the length of a braking path on which jerk never limits: maximum deceleration first, then the ramp down.
    fn unlimited_braking_distance(&self, velocity: f64) -> f64 {
        let step = self.step();
        let most = (if velocity > 0.0 { self.down } else { self.up }) / step;
        let mut left = velocity.abs() / (step * self.dt);
        let mut way = 0.0;
        if left >= ramp_velocity_change(most) {
            let cycles = ((left - ramp_velocity_change(most)) / most).floor() + 1.0;
            way += cycles * left - most * cycles * (cycles + 1.0) / 2.0;
            left -= cycles * most;
        }
        let (size, cycles) = (ramp_start(left), whole_ramp_steps(left));
        way += cycles * (cycles + 1.0) * (size / 2.0 - (2.0 * cycles + 1.0) / 6.0);
        velocity.signum() * way * step * self.dt * self.dt
    }
}

impl StoppingPath {
    fn continued(self, more: f64) -> StoppingPath {
        let end = self.end + more;
        StoppingPath { low: self.low.min(end), high: self.high.max(end), end }
    }
}

/// Returns the velocity change of an acceleration that ramps down. `size` is in jerk steps, the result in steps times
/// cycles.
fn ramp_velocity_change(size: f64) -> f64 {
    let whole = size.floor();
    (whole + 1.0) * size - whole * (whole + 1.0) / 2.0
}

/// The inverse: returns the initial acceleration whose ramp changes the velocity by `gap`.
fn ramp_start(gap: f64) -> f64 {
    let whole = whole_ramp_steps(gap);
    (gap + whole * (whole + 1.0) / 2.0) / (whole + 1.0)
}

/// Returns the number of whole jerk steps in the acceleration whose ramp changes the velocity by `gap`.
fn whole_ramp_steps(gap: f64) -> f64 {
    if gap < 1.0 { 0.0 } else { (((1.0 + 8.0 * gap).sqrt() - 1.0) / 2.0).floor() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Brakes cycle by cycle and fails at the first limit that is exceeded.
    fn brake(rates: &Rates, from: (f64, f64)) -> (StoppingPath, usize) {
        let (mut velocity, mut acceleration) = from;
        let mut way = StoppingPath::default();
        let mut cycles = 0;
        while !rates.is_at_rest(velocity, acceleration) {
            let next = rates.after_braking(velocity, acceleration);
            assert!((next - acceleration).abs() <= rates.step() * (1.0 + 1e-9), "jerk");
            assert!(
                next <= rates.up.max(acceleration) && -next <= rates.down.max(-acceleration),
                "acceleration"
            );
            acceleration = next;
            velocity = rates.speed_after(velocity, acceleration);
            way = way.continued(velocity * rates.dt);
            cycles += 1;
            assert!(cycles < 100_000, "the joint never comes to rest: {velocity} {acceleration}");
        }
        (way, cycles)
    }

    fn any_rates() -> impl Strategy<Value = Rates> {
        (1.0..1000.0_f64, 1.0..1000.0_f64, 100.0..50_000.0_f64, 0.0025..0.1_f64)
            .prop_map(|(up, down, jerk, dt)| Rates { up, down, jerk, dt })
    }

    proptest! {
        #[test]
        fn braking_path_equals_the_sum_of_its_cycles(rates in any_rates(), velocity in -15.0..15.0_f64, push in -1.0..1.0_f64) {
            let acceleration = if push > 0.0 { push * rates.up } else { push * rates.down };
            let (simulated, _) = brake(&rates, (velocity, acceleration));
            let way = rates.stopping_path(velocity, acceleration);
            for (sum, computed) in [(simulated.low, way.low), (simulated.high, way.high), (simulated.end, way.end)] {
                prop_assert!((sum - computed).abs() <= 1e-9 * (1.0 + sum.abs()), "{simulated:?} {way:?}");
            }
        }

        #[test]
        fn braking_ends_within_the_time_bound(rates in any_rates(), velocity in 0.0..15.0_f64) {
            let (way, cycles) = brake(&rates, (velocity, 0.0));
            let bound = if velocity >= rates.down * rates.down / rates.jerk {
                velocity / rates.down + rates.down / rates.jerk
            } else {
                2.0 * (velocity / rates.jerk).sqrt()
            };
            prop_assert!((cycles as f64) * rates.dt <= bound + 2.0 * rates.dt, "{cycles} beats, {bound} s");
            prop_assert!(way.low == 0.0 && way.high == way.end, "the joint swings back");
        }

        #[test]
        fn higher_acceleration_never_shortens_the_path(rates in any_rates(), velocity in -15.0..15.0_f64, push in -1.0..1.0_f64) {
            let acceleration = if push > 0.0 { push * rates.up } else { push * rates.down };
            let less = rates.stopping_path(velocity, acceleration);
            let pushed = acceleration + 0.01 * rates.step();
            let more = rates.stopping_path(velocity + 0.01 * rates.step() * rates.dt, pushed);
            prop_assert!(more.end >= less.end - 1e-9 && more.high >= less.high - 1e-9, "{less:?} {more:?}");
        }
    }

    #[test]
    fn ramp_start_inverts_the_velocity_change() {
        for gap in [0.0, 0.3, 1.0, 2.5, 3.0, 17.2, 1e6] {
            assert!((ramp_velocity_change(ramp_start(gap)) - gap).abs() <= 1e-9 * (1.0 + gap), "{gap}");
        }
        assert!((ramp_start(6.0) - 3.0).abs() < 1e-12, "three, two and one steps add up to six");
    }
}
