//! One robot under one envelope, cycle by cycle. A cycle without faults neither allocates nor frees memory, waits for
//! no lock and writes no log.

use std::time::Duration;

use super::cycle_log::{CycleReceiver, CycleSender, cycle_channel};
use super::fault_monitor::{CycleContext, FaultMonitor, RecoveryAction};
use super::hand_guiding::{HandGuiding, Support};
use super::stow::{Stow, StowPoses};
use super::timing::CycleTimer;
use super::{
    ClampLog, ControlMode, LoopClient, LoopCommand, LoopSnapshot, MAX_SETTLING_TIME, MotionState, MoveResult,
};
use crate::clock::{Clock, Timestamp};
use crate::envelope::{Clamps, Envelope, SafeCommand};
use crate::joint::Joints;
use crate::limits::Limits;
use crate::motion::Trajectory;
use crate::robot::{JointState, PositionReading, Robot, RobotError};
use crate::servo::OperatingMode;

/// The control loop of one robot, with its envelope.
pub struct ControlLoop<R: Robot, C: Clock> {
    pub(super) robot: R,
    pub(super) clock: C,
    envelope: Envelope,
    pub(super) period: Duration,
    next: Timestamp,
    active_move: Option<ActiveMove>,
    setpoint: Joints,
    stow_poses: StowPoses,
    stow: Option<Stow>,
    hand_guiding: HandGuiding,
    fault_monitor: FaultMonitor,
    /// The number of cycles before the count of clamped setpoints began.
    clamps_counted_from: u64,
    /// The requested control mode, until the robot is at rest and the mode changes.
    requested_control: Option<ControlMode>,
    /// Whether a command has arrived since the last cycle.
    has_new_command: bool,
    pub(super) snapshot: LoopSnapshot,
    /// Played trajectories, to be freed outside the control loop.
    spent_commands: Option<rtrb::Producer<Trajectory>>,
    timer: Option<CycleTimer>,
    /// The clamped setpoints of this cycle.
    clamped: Clamps,
    /// The sender of the cycle records.
    cycle_sender: Option<CycleSender>,
}

struct ActiveMove {
    trajectory: Trajectory,
    next: usize,
    lag: Duration,
}

impl<R: Robot, C: Clock> ControlLoop<R, C> {
    /// Creates a control loop that holds the robot at its present position.
    ///
    /// # Errors
    /// A [`RobotError`] if the robot's state cannot be read.
    pub fn new(mut robot: R, clock: C, limits: Limits, period: Duration) -> Result<Self, RobotError> {
        let state = robot.read_state(clock.now())?;
        let present = state.present()?;
        let all_on = state.is_driven();
        let places = StowPoses::official().map_err(|why| RobotError::Broken { reason: why.to_string() })?;
        let snapshot = LoopSnapshot {
            cycles: 0,
            commands_taken: 0,
            move_start_cycle: 0,
            stop_epoch: 0,
            motion_state: if all_on { MotionState::Holding } else { MotionState::TorqueOff },
            move_result: None,
            state,
            goal: present,
            limits,
            clamps: ClampLog::default(),
            fault: None,
            refused: None,
            overruns: 0,
            control_mode: ControlMode::Position,
            last_fault: None,
        };
        Ok(ControlLoop {
            envelope: Envelope::at_rest(limits, present),
            next: clock.now() + period,
            robot,
            clock,
            period,
            active_move: None,
            setpoint: present,
            stow_poses: places,
            stow: None,
            hand_guiding: HandGuiding::new(),
            fault_monitor: FaultMonitor::new(state.torque),
            clamps_counted_from: 0,
            requested_control: None,
            has_new_command: false,
            snapshot,
            spent_commands: None,
            timer: None,
            clamped: Clamps::all(None),
            cycle_sender: None,
        })
    }

    /// Starts to record each cycle. `room` is the maximum number of records that wait to be received.
    pub fn attach_log(&mut self, room: usize) -> CycleReceiver {
        let (sender, tap) = cycle_channel(room);
        self.cycle_sender = Some(sender);
        tap
    }

    /// Returns the state after the last cycle.
    #[must_use]
    pub const fn snapshot(&self) -> &LoopSnapshot {
        &self.snapshot
    }

    /// Prepares the control loop for its own thread: it hands over trajectories to be freed, and measures its timing.
    pub(super) fn on_a_thread(&mut self, spent: rtrb::Producer<Trajectory>, timer: CycleTimer) {
        self.spent_commands = Some(spent);
        self.timer = Some(timer);
    }

    /// Applies a command, which takes effect in the next cycle.
    pub fn apply_command(&mut self, order: LoopCommand) {
        self.snapshot.commands_taken += 1;
        self.snapshot.refused = None;
        self.has_new_command = true;
        match order {
            LoopCommand::Play { trajectory, reset_clamps: fresh, stop_epoch } => {
                self.begin(trajectory, fresh, stop_epoch)
            }
            LoopCommand::Stop => {
                self.snapshot.stop_epoch += 1;
                self.end_motion(MoveResult::Canceled);
                self.fault_monitor.on_stop();
                self.brake();
            }
            LoopCommand::Torque(on) => {
                if self.snapshot.control_mode == ControlMode::GravityCompensation {
                    self.set_control(ControlMode::Position);
                }
                if !self.fault_monitor.clear_errors(on, &self.snapshot.state) {
                    self.fault_monitor.on_torque_change(on);
                    self.switch(on, Joints::all(false));
                }
            }
            LoopCommand::Limits(limits) => {
                self.envelope.set_limits(limits);
                self.snapshot.limits = limits;
            }
            LoopCommand::ControlMode(control) => {
                self.end_motion(MoveResult::Canceled);
                self.brake();
                self.requested_control = Some(control);
            }
            LoopCommand::Gains(joint, gains) => self.send_command(&Envelope::gains(joint, gains)),
            LoopCommand::StowAndRelease => {
                self.end_motion(MoveResult::Canceled);
                if self.fault_monitor.on_stow(self.next) {
                    self.start_stow();
                }
            }
        }
    }

    fn begin(&mut self, trajectory: Trajectory, fresh: bool, stop_epoch: u64) {
        self.snapshot.move_start_cycle = self.snapshot.cycles;
        if fresh {
            self.snapshot.clamps = ClampLog::default();
            self.clamps_counted_from = self.snapshot.cycles;
        }
        let refused = match self.snapshot.motion_state {
            _ if stop_epoch != self.snapshot.stop_epoch => Some(MoveResult::Canceled),
            _ if self.fault_monitor.is_recovering() => Some(MoveResult::Aborted),
            MotionState::TorqueOff | MotionState::HandGuiding | MotionState::Stowing => {
                Some(MoveResult::Canceled)
            }
            MotionState::Holding | MotionState::Moving | MotionState::Stopping => None,
        };
        self.snapshot.move_result = refused;
        let unused = if refused.is_some() {
            Some(trajectory)
        } else {
            self.snapshot.motion_state = MotionState::Moving;
            let playing = ActiveMove { trajectory, next: 0, lag: Duration::ZERO };
            self.active_move.replace(playing).map(|before| before.trajectory)
        };
        if let Some(trajectory) = unused {
            self.discard(trajectory);
        }
    }

    /// Runs one cycle: waits for its start time, then commands and reads the robot once.
    pub fn step(&mut self) -> &LoopSnapshot {
        self.wait_for_deadline();
        self.run_cycle()
    }

    /// Waits for the start time of the next cycle. Commands that are applied after this still take effect in it.
    pub(super) fn wait_for_deadline(&self) {
        match self.snapshot.motion_state {
            // Nothing moves, so nothing depends on the exact time, and a busy wait would only use power.
            MotionState::TorqueOff => self.clock.sleep_until(self.next),
            MotionState::Holding if self.envelope.is_at_rest() => self.clock.sleep_until(self.next),
            _ => self.clock.wait_until(self.next),
        }
    }

    pub(super) fn run_cycle(&mut self) -> &LoopSnapshot {
        let at = self.next;
        self.next = at + self.period;
        let now = self.clock.now();
        if now > self.next {
            // The cycle is more than one period late: continue from the present time. Time is stretched, and no cycle
            // is skipped. The next cycle does not follow immediately, since two goals at once would double the
            // velocity.
            self.snapshot.overruns += 1;
            self.next = now + self.period;
        }
        let (command, stowed) = self.command();
        let sensed = match &command {
            Some(command) => self.robot.write_command(at, command),
            None => self.robot.read_state(at),
        };
        if sensed.is_err() {
            // A goal that did not arrive was not commanded: the next goal continues from the last one that arrived.
            self.envelope.rejoin(self.snapshot.goal);
            self.setpoint = self.snapshot.goal;
        }
        self.snapshot.goal = *self.envelope.position();
        let context = CycleContext { time: at, at_rest: self.is_at_rest(), stowed };
        let action = self.fault_monitor.evaluate(sensed.as_ref(), context);
        self.store_state(sensed);
        self.apply_reaction(action);
        self.finish_trajectory();
        self.change_control_mode();
        self.snapshot.last_fault = self.fault_monitor.status();
        self.snapshot.cycles += 1;
        self.has_new_command = false;
        if let Some(sender) = &mut self.cycle_sender {
            sender.send(&self.snapshot, &self.setpoint, self.clamped, at, now);
        }
        if let Some(timer) = &mut self.timer {
            timer.record_cycle(at, now, self.clock.now());
        }
        &self.snapshot
    }

    /// Returns the command of this cycle, if any, and whether the head has been lowered.
    fn command(&mut self) -> (Option<SafeCommand>, bool) {
        self.clamped = Clamps::all(None);
        match self.snapshot.motion_state {
            MotionState::TorqueOff => (None, true),
            MotionState::HandGuiding => (self.support_head(), false),
            MotionState::Stopping => {
                let command = self.envelope.brake(self.period);
                self.setpoint = *self.envelope.position();
                if self.envelope.is_at_rest() {
                    self.snapshot.motion_state = MotionState::Holding;
                }
                (Some(command), false)
            }
            MotionState::Stowing => {
                let setpoint = self.stow.as_mut().and_then(|stow| stow.next(self.period));
                let stowed = setpoint.is_none() && self.envelope.is_at_rest();
                self.setpoint = setpoint.unwrap_or(self.setpoint);
                (Some(self.envelope.limit(&self.setpoint, self.period).command), stowed)
            }
            MotionState::Holding | MotionState::Moving => {
                if let Some(playing) = &mut self.active_move
                    && let Some(setpoint) = playing.trajectory.setpoints.get(playing.next)
                {
                    self.setpoint = *setpoint;
                    playing.next += 1;
                }
                let limited = self.envelope.limit(&self.setpoint, self.period);
                let cycle = self.snapshot.cycles.saturating_sub(self.clamps_counted_from);
                self.snapshot.clamps.record(&limited.clamps, cycle);
                self.clamped = limited.clamps;
                (Some(limited.command), false)
            }
        }
    }

    /// Returns the currents that support the head during hand guiding. If that fails, the position is held from the
    /// next cycle on.
    fn support_head(&mut self) -> Option<SafeCommand> {
        match self.hand_guiding.support_currents(&self.snapshot.state, &self.snapshot.limits) {
            Support::Currents(currents) => Some(Envelope::currents(currents)),
            Support::Brake => {
                self.requested_control = Some(ControlMode::Position);
                None
            }
        }
    }

    fn is_at_rest(&self) -> bool {
        matches!(
            self.snapshot.motion_state,
            MotionState::TorqueOff | MotionState::Holding | MotionState::HandGuiding
        ) && self.envelope.is_at_rest()
    }

    /// Stores the state that was read. After a failed read, the previous positions are no longer fresh.
    fn store_state(&mut self, sensed: Result<JointState, RobotError>) {
        match sensed {
            Ok(state) => {
                self.snapshot.state = state;
                self.snapshot.fault = self.fault_monitor.fault();
            }
            Err(fault) => {
                let JointState { time: since, readings, .. } = &mut self.snapshot.state;
                *readings = readings.map(|reading| match reading {
                    PositionReading::Fresh(last) => PositionReading::Stale { since: *since, last },
                    old => old,
                });
                self.snapshot.fault = Some(fault);
            }
        }
    }

    fn apply_reaction(&mut self, action: RecoveryAction) {
        match action {
            RecoveryAction::Continue => {}
            RecoveryAction::Stop => {
                self.end_motion(MoveResult::Aborted);
                self.brake();
            }
            RecoveryAction::Reboot(joint) => self.send_command(&Envelope::reboot(joint)),
            RecoveryAction::Rejoin(motors) => self.reenable(motors),
            RecoveryAction::Stow => {
                self.end_motion(MoveResult::Aborted);
                self.start_stow();
            }
            RecoveryAction::Release => self.switch(Joints::all(false), Joints::all(false)),
        }
    }

    /// Enables motors again at their present positions and restores their control mode. After hand guiding, the head is
    /// held by position.
    fn reenable(&mut self, motors: Joints<bool>) {
        match self.snapshot.control_mode {
            ControlMode::GravityCompensation => self.set_control(ControlMode::Position),
            ControlMode::Position => self.switch(self.fault_monitor.wanted(), motors),
            ControlMode::Compliant(_) => {
                self.switch(self.fault_monitor.wanted(), motors);
                self.set_control(self.snapshot.control_mode);
            }
        }
    }

    fn finish_trajectory(&mut self) {
        let Some(playing) = &mut self.active_move else { return };
        if playing.next >= playing.trajectory.setpoints.len() {
            playing.lag += self.period;
            if self.envelope.is_at_rest() || playing.lag > MAX_SETTLING_TIME {
                self.end_motion(MoveResult::Succeeded);
                self.snapshot.motion_state = MotionState::Holding;
            }
        }
    }

    fn end_motion(&mut self, ended: MoveResult) {
        if let Some(playing) = self.active_move.take() {
            self.snapshot.move_result = Some(ended);
            self.discard(playing.trajectory);
        }
    }

    /// Hands over a trajectory to be freed. If too many are waiting, it is freed here.
    fn discard(&mut self, trajectory: Trajectory) {
        if let Some(spent) = &mut self.spent_commands {
            let _freed = spent.push(trajectory);
        }
    }

    /// Brings moving joints to rest. After hand guiding, the head is held at its present position.
    fn brake(&mut self) {
        self.stow = None;
        match self.snapshot.motion_state {
            MotionState::TorqueOff => {}
            MotionState::HandGuiding => self.requested_control = Some(ControlMode::Position),
            MotionState::Holding | MotionState::Moving | MotionState::Stopping | MotionState::Stowing => {
                self.snapshot.motion_state = MotionState::Stopping;
            }
        }
    }

    fn start_stow(&mut self) {
        if self.snapshot.motion_state == MotionState::HandGuiding {
            self.set_control(ControlMode::Position);
        }
        if self.snapshot.motion_state != MotionState::TorqueOff {
            self.stow = Some(self.stow_poses.path_from(self.snapshot.goal));
            self.snapshot.motion_state = MotionState::Stowing;
        }
    }

    /// Sends the robot a command other than goals, immediately.
    fn send_command(&mut self, command: &SafeCommand) {
        let result = self.robot.write_command(self.clock.now(), command);
        if let Err(fault @ RobotError::Rejected { .. }) = &result {
            self.snapshot.refused = Some(fault.clone());
        }
        self.store_state(result);
    }

    /// Switches torque. `moved` are the motors that may have moved without a command.
    fn switch(&mut self, on: Joints<bool>, moved: Joints<bool>) {
        let nothing_moved = moved.iter().all(|(_, moved)| !*moved);
        if nothing_moved
            && self.snapshot.motion_state != MotionState::TorqueOff
            && self.snapshot.state.torque == on
        {
            return;
        }
        let at = self.clock.now();
        self.end_motion(MoveResult::Canceled);
        self.stow = None;
        let sensed = self.robot.read_state(at);
        self.store_state(sensed);
        let driven = self.snapshot.state.torque;
        self.send_command(&Envelope::torque(on));
        if let Ok(present) = self.snapshot.state.present() {
            // A motor that was off holds its present position. One that was on and stays on keeps its goal: the present
            // position lags behind the goal, and commanding it would be a jump back.
            let state = &self.snapshot.state;
            let positions = Joints::from_fn(|joint| {
                let keeps_goal = driven[joint] && state.torque[joint] && !moved[joint];
                if keeps_goal { self.snapshot.goal[joint] } else { present[joint] }
            });
            self.hold(positions);
        }
        let torque_matches = self.snapshot.state.torque == on;
        let all_on = on.iter().all(|(_, on)| *on);
        // The guard handles a motor that should have torque but has none; the others continue to hold.
        self.snapshot.motion_state = if all_on && (torque_matches || self.fault_monitor.is_recovering()) {
            MotionState::Holding
        } else {
            MotionState::TorqueOff
        };
    }

    fn hold(&mut self, positions: Joints) {
        self.envelope.rejoin(positions);
        self.setpoint = positions;
        self.snapshot.goal = positions;
    }

    /// Changes the control mode once the robot is at rest.
    fn change_control_mode(&mut self) {
        if self.is_at_rest()
            && !self.fault_monitor.is_recovering()
            && let Some(control) = self.requested_control.take()
        {
            self.set_control(control);
        }
    }

    fn set_control(&mut self, control: ControlMode) {
        let was_led = self.snapshot.control_mode == ControlMode::GravityCompensation;
        match control {
            ControlMode::Position => {
                self.send_command(&Envelope::modes(Joints::all(OperatingMode::Position)))
            }
            ControlMode::Compliant(most) => {
                self.send_command(&Envelope::modes(Joints::all(OperatingMode::CurrentBasedPosition)));
                self.send_command(&Envelope::at_most(most));
            }
            ControlMode::GravityCompensation => {
                let legs = Joints::from_fn(|joint| joint.is_leg());
                self.send_command(&Envelope::modes(
                    legs.map(|leg| if leg { OperatingMode::Current } else { OperatingMode::Position }),
                ));
                self.hand_guiding = HandGuiding::new();
                self.fault_monitor.on_torque_change(legs);
                self.send_command(&Envelope::torque(legs));
                self.snapshot.motion_state = MotionState::HandGuiding;
            }
        }
        self.snapshot.control_mode = control;
        if was_led && control != ControlMode::GravityCompensation {
            let all = Joints::all(true);
            self.fault_monitor.on_torque_change(all);
            self.switch(all, all);
        }
    }
}

/// A control loop on a clock that its caller drives: each wait steps it.
impl<R: Robot, C: Clock> LoopClient for ControlLoop<R, C> {
    fn period(&self) -> Duration {
        self.period
    }

    fn snapshot(&self) -> LoopSnapshot {
        self.snapshot.clone()
    }

    fn stop_epoch(&self) -> u64 {
        self.snapshot.stop_epoch
    }

    fn send_command(&mut self, order: LoopCommand) {
        self.apply_command(order);
    }

    fn wait(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot {
        if self.has_new_command {
            self.step();
        }
        self.watch(done)
    }

    fn watch(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot {
        while !done(&self.snapshot) {
            self.step();
        }
        self.snapshot.clone()
    }
}
