//! One robot under one envelope, cycle by cycle. A cycle without faults neither allocates nor frees memory, waits for
//! no lock and writes no log.

use std::time::Duration;

use super::guard::{Circumstances, Guard, Reaction};
use super::lead::{Carry, Lead};
use super::rhythm::Measure;
use super::stow::{Places, Stow};
use super::tap::{Spout, Tap, tap};
use super::{Conductor, Control, Doing, Ended, LONGEST_LAG, Order, Snapshot, TrimLog};
use crate::clock::{Clock, Tick};
use crate::envelope::{Envelope, SafeCommand, Trims};
use crate::joint::Joints;
use crate::limits::Limits;
use crate::motion::Trajectory;
use crate::robot::{JointState, Reading, Robot, RobotFault};
use crate::servo::Mode;

/// The control loop of one robot, with its envelope.
pub struct Pulse<R: Robot, C: Clock> {
    pub(super) robot: R,
    pub(super) clock: C,
    envelope: Envelope,
    pub(super) period: Duration,
    next: Tick,
    playing: Option<Playing>,
    wish: Joints,
    places: Places,
    stow: Option<Stow>,
    lead: Lead,
    guard: Guard,
    /// The number of cycles before the count of clamped setpoints began.
    clamps_counted_from: u64,
    /// The requested control mode, until the robot is at rest and the mode changes.
    requested_control: Option<Control>,
    /// Whether a command has arrived since the last cycle.
    has_new_command: bool,
    pub(super) snapshot: Snapshot,
    /// Played trajectories, to be freed outside the control loop.
    spent: Option<rtrb::Producer<Trajectory>>,
    measure: Option<Measure>,
    /// The clamped setpoints of this cycle.
    trimmed: Trims,
    /// The sender of the cycle records.
    spout: Option<Spout>,
}

struct Playing {
    trajectory: Trajectory,
    place: usize,
    lag: Duration,
}

impl<R: Robot, C: Clock> Pulse<R, C> {
    /// Creates a control loop that holds the robot at its present position.
    ///
    /// # Errors
    /// A [`RobotFault`] if the robot's state cannot be read.
    pub fn new(mut robot: R, clock: C, limits: Limits, period: Duration) -> Result<Self, RobotFault> {
        let state = robot.sense(clock.now())?;
        let present = state.present()?;
        let all_on = state.is_driven();
        let places = Places::official().map_err(|why| RobotFault::Broken { reason: why.to_string() })?;
        let snapshot = Snapshot {
            beats: 0,
            orders: 0,
            taken: 0,
            halts: 0,
            doing: if all_on { Doing::Holding } else { Doing::Limp },
            ended: None,
            state,
            commanded: present,
            limits,
            trims: TrimLog::default(),
            fault: None,
            refused: None,
            late: 0,
            control: Control::Position,
            status: None,
        };
        Ok(Pulse {
            envelope: Envelope::at_rest(limits, present),
            next: clock.now() + period,
            robot,
            clock,
            period,
            playing: None,
            wish: present,
            places,
            stow: None,
            lead: Lead::new(),
            guard: Guard::new(state.torque),
            clamps_counted_from: 0,
            requested_control: None,
            has_new_command: false,
            snapshot,
            spent: None,
            measure: None,
            trimmed: Trims::all(None),
            spout: None,
        })
    }

    /// Starts to record each cycle. `room` is the maximum number of records that wait to be received.
    pub fn tapped(&mut self, room: usize) -> Tap {
        let (spout, tap) = tap(room);
        self.spout = Some(spout);
        tap
    }

    /// Returns the state after the last cycle.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Prepares the control loop for its own thread: it hands over trajectories to be freed, and measures its timing.
    pub(super) fn on_a_thread(&mut self, spent: rtrb::Producer<Trajectory>, measure: Measure) {
        self.spent = Some(spent);
        self.measure = Some(measure);
    }

    /// Applies a command, which takes effect in the next cycle.
    pub fn take(&mut self, order: Order) {
        self.snapshot.orders += 1;
        self.snapshot.refused = None;
        self.has_new_command = true;
        match order {
            Order::Play { trajectory, fresh, halts } => self.begin(trajectory, fresh, halts),
            Order::Halt => {
                self.snapshot.halts += 1;
                self.end_motion(Ended::Halted);
                self.guard.halted();
                self.brake();
            }
            Order::Torque(on) => {
                if self.snapshot.control == Control::GravityCompensation {
                    self.set_control(Control::Position);
                }
                if !self.guard.clear_errors(on, &self.snapshot.state) {
                    self.guard.switched(on);
                    self.switch(on, Joints::all(false));
                }
            }
            Order::Limits(limits) => {
                self.envelope.set_limits(limits);
                self.snapshot.limits = limits;
            }
            Order::Control(control) => {
                self.end_motion(Ended::Halted);
                self.brake();
                self.requested_control = Some(control);
            }
            Order::Gains(joint, gains) => self.send_command(&Envelope::gains(joint, gains)),
            Order::StowAndRelease => {
                self.end_motion(Ended::Halted);
                self.guard.stowing(self.next);
                self.start_stow();
            }
        }
    }

    fn begin(&mut self, trajectory: Trajectory, fresh: bool, halts: u64) {
        self.snapshot.taken = self.snapshot.beats;
        if fresh {
            self.snapshot.trims = TrimLog::default();
            self.clamps_counted_from = self.snapshot.beats;
        }
        let refused = match self.snapshot.doing {
            _ if halts != self.snapshot.halts => Some(Ended::Halted),
            _ if self.guard.is_acting() => Some(Ended::Faulted),
            Doing::Limp | Doing::Led | Doing::Stowing => Some(Ended::Halted),
            Doing::Holding | Doing::Playing | Doing::Braking => None,
        };
        self.snapshot.ended = refused;
        let unused = if refused.is_some() {
            Some(trajectory)
        } else {
            self.snapshot.doing = Doing::Playing;
            let playing = Playing { trajectory, place: 0, lag: Duration::ZERO };
            self.playing.replace(playing).map(|before| before.trajectory)
        };
        if let Some(trajectory) = unused {
            self.discard(trajectory);
        }
    }

    /// Runs one cycle: waits for its start time, then commands and reads the robot once.
    pub fn step(&mut self) -> &Snapshot {
        self.await_moment();
        self.beat()
    }

    /// Waits for the start time of the next cycle. Commands that are applied after this still take effect in it.
    pub(super) fn await_moment(&self) {
        self.clock.wait_until(self.next);
    }

    pub(super) fn beat(&mut self) -> &Snapshot {
        let at = self.next;
        self.next = at + self.period;
        let now = self.clock.now();
        if now > self.next {
            // The cycle is more than one period late: continue from the present time. Time is stretched, and no cycle
            // is skipped. The next cycle does not follow immediately, since two goals at once would double the
            // velocity.
            self.snapshot.late += 1;
            self.next = now + self.period;
        }
        let (command, stowed) = self.command();
        let sensed = match &command {
            Some(command) => self.robot.beat(at, command),
            None => self.robot.sense(at),
        };
        if sensed.is_err() {
            // A goal that did not arrive was not commanded: the next goal continues from the last one that arrived.
            self.envelope.rejoin(self.snapshot.commanded);
            self.wish = self.snapshot.commanded;
        }
        self.snapshot.commanded = *self.envelope.position();
        let circumstances = Circumstances { at, at_rest: self.is_at_rest(), stowed };
        let reaction = self.guard.judge(sensed.as_ref(), circumstances);
        self.store_state(sensed);
        self.apply_reaction(reaction);
        self.finish_trajectory();
        self.change_control();
        self.snapshot.status = self.guard.status();
        self.snapshot.beats += 1;
        self.has_new_command = false;
        if let Some(spout) = &mut self.spout {
            spout.tell(&self.snapshot, &self.wish, self.trimmed, at, now);
        }
        if let Some(measure) = &mut self.measure {
            measure.beat(at, now, self.clock.now());
        }
        &self.snapshot
    }

    /// Returns the command of this cycle, if any, and whether the head has been lowered.
    fn command(&mut self) -> (Option<SafeCommand>, bool) {
        self.trimmed = Trims::all(None);
        match self.snapshot.doing {
            Doing::Limp => (None, true),
            Doing::Led => (self.support_head(), false),
            Doing::Braking => {
                let command = self.envelope.brake(self.period);
                self.wish = *self.envelope.position();
                if self.envelope.is_at_rest() {
                    self.snapshot.doing = Doing::Holding;
                }
                (Some(command), false)
            }
            Doing::Stowing => {
                let wish = self.stow.as_mut().and_then(|stow| stow.next(self.period));
                let stowed = wish.is_none() && self.envelope.is_at_rest();
                self.wish = wish.unwrap_or(self.wish);
                (Some(self.envelope.pass(&self.wish, self.period).command), stowed)
            }
            Doing::Holding | Doing::Playing => {
                if let Some(playing) = &mut self.playing
                    && let Some(wish) = playing.trajectory.wishes.get(playing.place)
                {
                    self.wish = *wish;
                    playing.place += 1;
                }
                let passage = self.envelope.pass(&self.wish, self.period);
                let beat = self.snapshot.beats.saturating_sub(self.clamps_counted_from);
                self.snapshot.trims.note(&passage.trims, beat);
                self.trimmed = passage.trims;
                (Some(passage.command), false)
            }
        }
    }

    /// Returns the currents that support the head during hand guiding. If that fails, the position is held from the
    /// next cycle on.
    fn support_head(&mut self) -> Option<SafeCommand> {
        match self.lead.carry(&self.snapshot.state, &self.snapshot.limits) {
            Carry::On(currents) => Some(Envelope::currents(currents)),
            Carry::Catch => {
                self.requested_control = Some(Control::Position);
                None
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        matches!(self.snapshot.doing, Doing::Limp | Doing::Holding | Doing::Led) && self.envelope.is_at_rest()
    }

    /// Stores the state that was read. After a failed read, the previous positions are no longer fresh.
    fn store_state(&mut self, sensed: Result<JointState, RobotFault>) {
        match sensed {
            Ok(state) => {
                self.snapshot.state = state;
                self.snapshot.fault = self.guard.fault();
            }
            Err(fault) => {
                let JointState { at: since, readings, .. } = &mut self.snapshot.state;
                *readings = readings.map(|reading| match reading {
                    Reading::Fresh(last) => Reading::Stale { since: *since, last },
                    old => old,
                });
                self.snapshot.fault = Some(fault);
            }
        }
    }

    fn apply_reaction(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::GoOn => {}
            Reaction::Brake => {
                self.end_motion(Ended::Faulted);
                self.brake();
            }
            Reaction::Reboot(joint) => self.send_command(&Envelope::reboot(joint)),
            Reaction::Rejoin(motors) => self.reenable(motors),
            Reaction::Stow => {
                self.end_motion(Ended::Faulted);
                self.start_stow();
            }
            Reaction::Release => self.switch(Joints::all(false), Joints::all(false)),
        }
    }

    /// Enables motors again at their present positions and restores their control mode. After hand guiding, the head is
    /// held by position.
    fn reenable(&mut self, motors: Joints<bool>) {
        match self.snapshot.control {
            Control::GravityCompensation => self.set_control(Control::Position),
            Control::Position => self.switch(self.guard.wanted(), motors),
            Control::Compliant(_) => {
                self.switch(self.guard.wanted(), motors);
                self.set_control(self.snapshot.control);
            }
        }
    }

    fn finish_trajectory(&mut self) {
        let Some(playing) = &mut self.playing else { return };
        if playing.place >= playing.trajectory.wishes.len() {
            playing.lag += self.period;
            if self.envelope.is_at_rest() || playing.lag > LONGEST_LAG {
                self.end_motion(Ended::Arrived);
                self.snapshot.doing = Doing::Holding;
            }
        }
    }

    fn end_motion(&mut self, ended: Ended) {
        if let Some(playing) = self.playing.take() {
            self.snapshot.ended = Some(ended);
            self.discard(playing.trajectory);
        }
    }

    /// Hands over a trajectory to be freed. If too many are waiting, it is freed here.
    fn discard(&mut self, trajectory: Trajectory) {
        if let Some(spent) = &mut self.spent {
            let _freed = spent.push(trajectory);
        }
    }

    /// Brings moving joints to rest. After hand guiding, the head is held at its present position.
    fn brake(&mut self) {
        self.stow = None;
        match self.snapshot.doing {
            Doing::Limp => {}
            Doing::Led => self.requested_control = Some(Control::Position),
            Doing::Holding | Doing::Playing | Doing::Braking | Doing::Stowing => {
                self.snapshot.doing = Doing::Braking;
            }
        }
    }

    fn start_stow(&mut self) {
        if self.snapshot.doing == Doing::Led {
            self.set_control(Control::Position);
        }
        if self.snapshot.doing != Doing::Limp {
            self.stow = Some(self.places.way_from(self.snapshot.commanded));
            self.snapshot.doing = Doing::Stowing;
        }
    }

    /// Sends the robot a command other than goals, immediately.
    fn send_command(&mut self, command: &SafeCommand) {
        let result = self.robot.beat(self.clock.now(), command);
        if let Err(fault @ RobotFault::Rejected { .. }) = &result {
            self.snapshot.refused = Some(fault.clone());
        }
        self.store_state(result);
    }

    /// Switches torque. `moved` are the motors that may have moved without a command.
    fn switch(&mut self, on: Joints<bool>, moved: Joints<bool>) {
        let nothing_moved = moved.iter().all(|(_, moved)| !*moved);
        if nothing_moved && self.snapshot.doing != Doing::Limp && self.snapshot.state.torque == on {
            return;
        }
        let at = self.clock.now();
        self.end_motion(Ended::Halted);
        self.stow = None;
        let sensed = self.robot.sense(at);
        self.store_state(sensed);
        let driven = self.snapshot.state.torque;
        self.send_command(&Envelope::torque(on));
        if let Ok(present) = self.snapshot.state.present() {
            // A motor that was off holds its present position. One that was on and stays on keeps its goal: the present
            // position lags behind the goal, and commanding it would be a jump back.
            let state = &self.snapshot.state;
            let positions = Joints::from_fn(|joint| {
                let keeps_goal = driven[joint] && state.torque[joint] && !moved[joint];
                if keeps_goal { self.snapshot.commanded[joint] } else { present[joint] }
            });
            self.hold(positions);
        }
        let torque_matches = self.snapshot.state.torque == on;
        let all_on = on.iter().all(|(_, on)| *on);
        // The guard handles a motor that should have torque but has none; the others continue to hold.
        self.snapshot.doing =
            if all_on && (torque_matches || self.guard.is_acting()) { Doing::Holding } else { Doing::Limp };
    }

    fn hold(&mut self, positions: Joints) {
        self.envelope.rejoin(positions);
        self.wish = positions;
        self.snapshot.commanded = positions;
    }

    /// Changes the control mode once the robot is at rest.
    fn change_control(&mut self) {
        if self.is_at_rest()
            && !self.guard.is_acting()
            && let Some(control) = self.requested_control.take()
        {
            self.set_control(control);
        }
    }

    fn set_control(&mut self, control: Control) {
        let was_led = self.snapshot.control == Control::GravityCompensation;
        match control {
            Control::Position => self.send_command(&Envelope::modes(Joints::all(Mode::Position))),
            Control::Compliant(most) => {
                self.send_command(&Envelope::modes(Joints::all(Mode::CurrentBasedPosition)));
                self.send_command(&Envelope::at_most(most));
            }
            Control::GravityCompensation => {
                let legs = Joints::from_fn(|joint| joint.is_leg());
                self.send_command(&Envelope::modes(
                    legs.map(|leg| if leg { Mode::Current } else { Mode::Position }),
                ));
                self.lead = Lead::new();
                self.guard.switched(legs);
                self.send_command(&Envelope::torque(legs));
                self.snapshot.doing = Doing::Led;
            }
        }
        self.snapshot.control = control;
        if was_led && control != Control::GravityCompensation {
            let all = Joints::all(true);
            self.guard.switched(all);
            self.switch(all, all);
        }
    }
}

/// A control loop on a clock that its caller drives: each wait steps it.
impl<R: Robot, C: Clock> Conductor for Pulse<R, C> {
    fn period(&self) -> Duration {
        self.period
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot.clone()
    }

    fn halts(&self) -> u64 {
        self.snapshot.halts
    }

    fn order(&mut self, order: Order) {
        self.take(order);
    }

    fn wait(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        if self.has_new_command {
            self.step();
        }
        self.watch(done)
    }

    fn watch(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        while !done(&self.snapshot) {
            self.step();
        }
        self.snapshot.clone()
    }
}
