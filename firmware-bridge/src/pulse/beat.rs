//! One body under one envelope, beat by beat. On a beat of a body that is well nothing is allocated or freed, no lock
//! is waited for and nothing is logged.

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

/// A body under an envelope.
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
    /// Beats that had passed when the count of trims began.
    counted_from: u64,
    /// How somebody wants the motors to hold, until the body is at rest and they do.
    asked_control: Option<Control>,
    /// Whether an order has come since the last beat.
    ordered: bool,
    pub(super) snapshot: Snapshot,
    /// What was played and is still to be freed, off the beat.
    spent: Option<rtrb::Producer<Trajectory>>,
    measure: Option<Measure>,
    /// What was trimmed on this beat.
    trimmed: Trims,
    /// Who keeps what each beat did.
    spout: Option<Spout>,
}

struct Playing {
    trajectory: Trajectory,
    place: usize,
    lag: Duration,
}

impl<R: Robot, C: Clock> Pulse<R, C> {
    /// A pulse that holds the robot where it is found.
    ///
    /// # Errors
    /// A [`RobotFault`] when the robot can't be sensed.
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
            counted_from: 0,
            asked_control: None,
            ordered: false,
            snapshot,
            spent: None,
            measure: None,
            trimmed: Trims::all(None),
            spout: None,
        })
    }

    /// What each beat does comes out of this from now on, with room for so many beats that nobody has taken yet.
    pub fn tapped(&mut self, room: usize) -> Tap {
        let (spout, tap) = tap(room);
        self.spout = Some(spout);
        tap
    }

    /// What the last beat left.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// On a thread of its own, the beat hands over what is to be freed, and is measured.
    pub(super) fn on_a_thread(&mut self, spent: rtrb::Producer<Trajectory>, measure: Measure) {
        self.spent = Some(spent);
        self.measure = Some(measure);
    }

    /// Takes an order; it acts from the next beat on.
    pub fn take(&mut self, order: Order) {
        self.snapshot.orders += 1;
        self.snapshot.refused = None;
        self.ordered = true;
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
                    self.hold_by(Control::Position);
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
                self.asked_control = Some(control);
            }
            Order::Gains(joint, gains) => self.tell(&Envelope::gains(joint, gains)),
            Order::StowAndRelease => {
                self.end_motion(Ended::Halted);
                self.guard.stowing(self.next);
                self.lay_down();
            }
        }
    }

    fn begin(&mut self, trajectory: Trajectory, fresh: bool, halts: u64) {
        self.snapshot.taken = self.snapshot.beats;
        if fresh {
            self.snapshot.trims = TrimLog::default();
            self.counted_from = self.snapshot.beats;
        }
        let refused = match self.snapshot.doing {
            _ if halts != self.snapshot.halts => Some(Ended::Halted),
            _ if self.guard.is_acting() => Some(Ended::Faulted),
            Doing::Limp | Doing::Led | Doing::Stowing => Some(Ended::Halted),
            Doing::Holding | Doing::Playing | Doing::Braking => None,
        };
        self.snapshot.ended = refused;
        let unread = if refused.is_some() {
            Some(trajectory)
        } else {
            self.snapshot.doing = Doing::Playing;
            let playing = Playing { trajectory, place: 0, lag: Duration::ZERO };
            self.playing.replace(playing).map(|before| before.trajectory)
        };
        if let Some(trajectory) = unread {
            self.discard(trajectory);
        }
    }

    /// One beat: waits for its moment, then commands and senses the robot once.
    pub fn step(&mut self) -> &Snapshot {
        self.await_moment();
        self.beat()
    }

    /// Waits for the moment of the next beat. Orders that are taken after this still act on it.
    pub(super) fn await_moment(&self) {
        self.clock.wait_until(self.next);
    }

    pub(super) fn beat(&mut self) -> &Snapshot {
        let at = self.next;
        self.next = at + self.period;
        let now = self.clock.now();
        if now > self.next {
            // Late by more than a beat: go on from here. Time is stretched; no beat is skipped, and none follows at
            // once, since two goals at the same moment would be twice the speed.
            self.snapshot.late += 1;
            self.next = now + self.period;
        }
        let (command, stowed) = self.command();
        let sensed = match &command {
            Some(command) => self.robot.beat(at, command),
            None => self.robot.sense(at),
        };
        if sensed.is_err() {
            // What did not arrive was not commanded: the next goal goes out from the last one that did.
            self.envelope.rejoin(self.snapshot.commanded);
            self.wish = self.snapshot.commanded;
        }
        self.snapshot.commanded = *self.envelope.position();
        let circumstances = Circumstances { at, at_rest: self.is_at_rest(), stowed };
        let reaction = self.guard.judge(sensed.as_ref(), circumstances);
        self.keep(sensed);
        self.react(reaction);
        self.finish_trajectory();
        self.change_control();
        self.snapshot.status = self.guard.status();
        self.snapshot.beats += 1;
        self.ordered = false;
        if let Some(spout) = &mut self.spout {
            spout.tell(&self.snapshot, &self.wish, self.trimmed, at, now);
        }
        if let Some(measure) = &mut self.measure {
            measure.beat(at, now, self.clock.now());
        }
        &self.snapshot
    }

    /// What this beat commands, if anything; and whether the head has been laid down.
    fn command(&mut self) -> (Option<SafeCommand>, bool) {
        self.trimmed = Trims::all(None);
        match self.snapshot.doing {
            Doing::Limp => (None, true),
            Doing::Led => (self.carry(), false),
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
                let beat = self.snapshot.beats.saturating_sub(self.counted_from);
                self.snapshot.trims.note(&passage.trims, beat);
                self.trimmed = passage.trims;
                (Some(passage.command), false)
            }
        }
    }

    /// Carries the head that a hand leads; what must be caught is held from the next beat on.
    fn carry(&mut self) -> Option<SafeCommand> {
        match self.lead.carry(&self.snapshot.state, &self.snapshot.limits) {
            Carry::On(currents) => Some(Envelope::currents(currents)),
            Carry::Catch => {
                self.asked_control = Some(Control::Position);
                None
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        matches!(self.snapshot.doing, Doing::Limp | Doing::Holding | Doing::Led) && self.envelope.is_at_rest()
    }

    /// Keeps what the body said; what it said before is not fresh any more when it says nothing.
    fn keep(&mut self, sensed: Result<JointState, RobotFault>) {
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

    fn react(&mut self, reaction: Reaction) {
        match reaction {
            Reaction::GoOn => {}
            Reaction::Brake => {
                self.end_motion(Ended::Faulted);
                self.brake();
            }
            Reaction::Reboot(joint) => self.tell(&Envelope::reboot(joint)),
            Reaction::Rejoin(motors) => self.take_on(motors),
            Reaction::Stow => {
                self.end_motion(Ended::Faulted);
                self.lay_down();
            }
            Reaction::Release => self.switch(Joints::all(false), Joints::all(false)),
        }
    }

    /// Drives motors again where they stand, and lets them hold as before; a head that was led by hand is held.
    fn take_on(&mut self, motors: Joints<bool>) {
        match self.snapshot.control {
            Control::GravityCompensation => self.hold_by(Control::Position),
            Control::Position => self.switch(self.guard.wanted(), motors),
            Control::Compliant(_) => {
                self.switch(self.guard.wanted(), motors);
                self.hold_by(self.snapshot.control);
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

    /// Hands over what is to be freed; when too much waits there already, it is freed here.
    fn discard(&mut self, trajectory: Trajectory) {
        if let Some(spent) = &mut self.spent {
            let _freed = spent.push(trajectory);
        }
    }

    /// Brings what moves to rest. A head that is led by hand is held where it is.
    fn brake(&mut self) {
        self.stow = None;
        match self.snapshot.doing {
            Doing::Limp => {}
            Doing::Led => self.asked_control = Some(Control::Position),
            Doing::Holding | Doing::Playing | Doing::Braking | Doing::Stowing => {
                self.snapshot.doing = Doing::Braking;
            }
        }
    }

    fn lay_down(&mut self) {
        if self.snapshot.doing == Doing::Led {
            self.hold_by(Control::Position);
        }
        if self.snapshot.doing != Doing::Limp {
            self.stow = Some(self.places.way_from(self.snapshot.commanded));
            self.snapshot.doing = Doing::Stowing;
        }
    }

    /// Tells the robot something beside its goals, at once.
    fn tell(&mut self, command: &SafeCommand) {
        let told = self.robot.beat(self.clock.now(), command);
        if let Err(fault @ RobotFault::Rejected { .. }) = &told {
            self.snapshot.refused = Some(fault.clone());
        }
        self.keep(told);
    }

    /// Switches torque; `moved` are motors that may have moved without us.
    fn switch(&mut self, on: Joints<bool>, moved: Joints<bool>) {
        let nothing_moved = moved.iter().all(|(_, moved)| !*moved);
        if nothing_moved && self.snapshot.doing != Doing::Limp && self.snapshot.state.torque == on {
            return;
        }
        let at = self.clock.now();
        self.end_motion(Ended::Halted);
        self.stow = None;
        let sensed = self.robot.sense(at);
        self.keep(sensed);
        let driven = self.snapshot.state.torque;
        self.tell(&Envelope::torque(on));
        if let Ok(present) = self.snapshot.state.present() {
            // A motor that was off holds where it is now. One that was on and stays on keeps its goal: the present
            // position lags behind it, and to aim there would be a jump back.
            let state = &self.snapshot.state;
            let held = Joints::from_fn(|joint| {
                let stays = driven[joint] && state.torque[joint] && !moved[joint];
                if stays { self.snapshot.commanded[joint] } else { present[joint] }
            });
            self.hold(held);
        }
        let as_wanted = self.snapshot.state.torque == on;
        let all_on = on.iter().all(|(_, on)| *on);
        // A motor that should be driven and is not is the guard's; the others go on holding.
        self.snapshot.doing =
            if all_on && (as_wanted || self.guard.is_acting()) { Doing::Holding } else { Doing::Limp };
    }

    fn hold(&mut self, held: Joints) {
        self.envelope.rejoin(held);
        self.wish = held;
        self.snapshot.commanded = held;
    }

    /// Changes how the motors hold, once the body is at rest.
    fn change_control(&mut self) {
        if self.is_at_rest()
            && !self.guard.is_acting()
            && let Some(control) = self.asked_control.take()
        {
            self.hold_by(control);
        }
    }

    fn hold_by(&mut self, control: Control) {
        let was_led = self.snapshot.control == Control::GravityCompensation;
        match control {
            Control::Position => self.tell(&Envelope::modes(Joints::all(Mode::Position))),
            Control::Compliant(most) => {
                self.tell(&Envelope::modes(Joints::all(Mode::CurrentBasedPosition)));
                self.tell(&Envelope::at_most(most));
            }
            Control::GravityCompensation => {
                let legs = Joints::from_fn(|joint| joint.is_leg());
                self.tell(&Envelope::modes(legs.map(|leg| if leg { Mode::Current } else { Mode::Position })));
                self.lead = Lead::new();
                self.guard.switched(legs);
                self.tell(&Envelope::torque(legs));
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

/// A pulse on a clock that its caller drives: each wait steps it.
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
        if self.ordered {
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
