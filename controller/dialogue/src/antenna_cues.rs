//! Shows the state of a conversation with the antennas: they rise a little during speech, and lean to one
//! side while the robot thinks for long.
//!
//! Safety: the motion has the lowest priority and passes the envelope. A stop ends it, and any other motion
//! of the antennas overrides it.

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{LoopClient, MotionState};
use firmware_bridge::joint::Joint;
use firmware_bridge::motion::Target;
use firmware_bridge::posture::Antennas;
use firmware_bridge::units::Radians;

use minismith_control::motion_executor::MotionExecutor;

/// The angles of the right and the left antenna from where they were, in degrees.
type Lean = [f64; 2];

const STILL: Lean = [0.0, 0.0];
/// Both a little further apart.
const HEARING: Lean = [-8.0, 8.0];
/// Both to one side.
const THINKING: Lean = [-10.0, -10.0];

/// The speed of the antennas, in degrees per second.
const ANTENNA_VELOCITY_DPS: f64 = 60.0;
/// The interval between two setpoints, in seconds.
const UPDATE_INTERVAL_S: f64 = 0.02;
/// How long the robot thinks before it shows that, in seconds; most answers come at once.
const LONG: f64 = 0.5;
/// The deviation from the setpoint, in degrees, from which another motion must have moved the antennas.
const MOVED: f64 = 2.0;

/// The antennas during a conversation.
pub(super) struct AntennaCues {
    executor: MotionExecutor,
    clock: MonotonicClock,
    last: Timestamp,
    /// When the thinking began.
    thinks: Option<Timestamp>,
    wanted: Lean,
    at: Lean,
    /// Where they were, and the stop epoch at that time.
    from: Option<(Antennas, u64)>,
}

impl AntennaCues {
    pub(super) fn of(executor: MotionExecutor) -> Self {
        let clock = MonotonicClock::start();
        AntennaCues { executor, clock, last: clock.now(), thinks: None, wanted: STILL, at: STILL, from: None }
    }

    /// Sets whether a person is speaking.
    pub(super) const fn hears(&mut self, is_so: bool) {
        self.wanted = if is_so { HEARING } else { STILL };
    }

    /// Sets whether the robot is thinking.
    pub(super) fn thinks(&mut self, is_so: bool) {
        self.thinks = is_so.then(|| self.clock.now());
        self.wanted = STILL;
    }

    /// Continues the motion; the caller repeats this call.
    pub(super) fn go_on(&mut self) {
        let now = self.clock.now();
        let seconds = now.since(self.last).as_secs_f64();
        if seconds < UPDATE_INTERVAL_S {
            return;
        }
        self.last = now;
        if self.thinks.is_some_and(|since| now.since(since).as_secs_f64() > LONG) {
            self.wanted = THINKING;
        }
        if self.at == self.wanted {
            self.from = self.from.take().filter(|_| self.at != STILL);
            return;
        }
        let control_loop = self.executor.control_loop();
        let snapshot = control_loop.snapshot();
        let [right, left] = [Joint::RightAntenna, Joint::LeftAntenna].map(|joint| snapshot.goal[joint]);
        let Some((from, stop_epoch)) = self.from else {
            if snapshot.motion_state == MotionState::Holding {
                self.from = Some((Antennas { right, left }, control_loop.stop_epoch()));
            } else {
                // Another motion has control, so this one is not needed.
                self.wanted = STILL;
            }
            return;
        };
        let off = |is: Radians, from: Radians, lean: f64| ((is - from).degrees() - lean).abs() > MOVED;
        let [at_right, at_left] = self.at;
        let is_moved = off(right, from.right, at_right) || off(left, from.left, at_left);
        if control_loop.stop_epoch() != stop_epoch || is_moved {
            (self.from, self.at, self.wanted) = (None, STILL, STILL);
            return;
        }
        let step = ANTENNA_VELOCITY_DPS * seconds.min(0.1);
        for (at, wanted) in self.at.iter_mut().zip(self.wanted) {
            *at += (wanted - *at).clamp(-step, step);
        }
        let lean = |from: Radians, lean: f64| from + Radians::from_degrees(lean);
        let [at_right, at_left] = self.at;
        let antennas = Antennas { right: lean(from.right, at_right), left: lean(from.left, at_left) };
        // Another move has precedence, so this target may be ignored.
        let _followed = self.executor.follow(&Target { antennas: Some(antennas), ..Target::default() });
    }
}
