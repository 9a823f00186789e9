//! Monitors the robot in each cycle and decides how to handle a fault. It only decides; the control loop acts.
//!
//! ```text
//!              a packet lost            ten lost, port gone, low voltage
//!   Watching ------------------> same   Watching ----------------------> Holding --recovered--> rejoin, Watching
//!
//!   Watching --a motor released or restarted--> Settling --at rest--> Rebooting --it answers--> Rejoining
//!              --torque on--> Watching;  a motor that does not recover, or releases repeatedly: Stowing
//!
//!   Watching --too hot, shock--> Stowing --head lowered--> Released (until torque is switched on)
//! ```
//!
//! A more severe fault replaces a less severe one. While the port is gone, nothing else is evaluated, since nothing is
//! known. Safety: torque is released only in `Stowing`, after the head was lowered, and never while the port is gone.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::fault::{FaultKind, FaultPolicy, FaultReport, MAX_MISSED_READS, RecoveryState};
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, PositionReading, RobotError};
use crate::servo::{HardwareError, HardwareErrorStatus, ReadError};

/// A motor that released this often within [`REBOOT_MEMORY`] is not rebooted again.
const MAX_REBOOTS: u32 = 2;
/// After this time without a fault, the reboots of a motor no longer count.
const REBOOT_MEMORY: Duration = Duration::from_secs(60);
/// Timeout of a reboot. A servo usually answers within about 0.3 s.
const REBOOT_TIMEOUT: Duration = Duration::from_secs(3);
/// Timeout for a motor to report torque after the command.
const TORQUE_TIMEOUT: Duration = Duration::from_secs(1);
/// Timeout for lowering the head.
const STOW_TIMEOUT: Duration = Duration::from_secs(10);
/// Packet losses that ended this long ago are over.
const LOSS_MEMORY: Duration = Duration::from_secs(1);
/// The servos release at 70 degrees Celsius (e-Manual, register 31). The head is lowered while they still hold it.
const MAX_TEMPERATURE_C: f64 = 67.0;
/// The servos report an error below 3.5 V (e-Manual, register 34).
const MIN_VOLTAGE_V: f64 = 3.5;
/// Above this voltage, the supply has recovered.
const RECOVERY_VOLTAGE_V: f64 = 3.8;

/// The action of the control loop after a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RecoveryAction {
    /// No action.
    Continue,
    /// End the motion and brake.
    Stop,
    /// Reboot a motor.
    Reboot(Joint),
    /// Hold these motors at their present positions, and enable torque on all that had it.
    Rejoin(Joints<bool>),
    /// Lower the head.
    Stow,
    /// Release all torque.
    Release,
}

/// The context of a cycle, in addition to the state of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CycleContext {
    /// The time of the cycle.
    pub time: Timestamp,
    /// No joint is commanded to move.
    pub at_rest: bool,
    /// The head has been lowered.
    pub stowed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Watching,
    Holding,
    /// The robot comes to rest before these motors reboot.
    Settling(Joints<bool>),
    Rebooting {
        joint: Joint,
        since: Timestamp,
        /// All motors to reboot, including this one and those before it.
        motors: Joints<bool>,
        /// The motors that have not been rebooted yet.
        remaining: Joints<bool>,
    },
    Rejoining {
        since: Timestamp,
        motors: Joints<bool>,
    },
    Stowing {
        since: Timestamp,
        /// Whether a client requested it and there is no fault.
        is_requested: bool,
    },
    Released,
}

/// A fault that was detected in one cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ObservedFault {
    kind: FaultKind,
    joint: Option<Joint>,
    /// The motors to reboot or to enable again.
    motors: Joints<bool>,
}

/// The fault monitor of one robot.
#[derive(Clone, Debug)]
pub(super) struct FaultMonitor {
    phase: Phase,
    /// The motors that should have torque.
    wanted: Joints<bool>,
    missed_reads: Joints<u32>,
    /// Errors that were handled and stay in the servo's memory until it reboots.
    is_handled: Joints<HardwareErrorStatus>,
    reboots: Joints<u32>,
    last_reboot: Timestamp,
    last_loss: Timestamp,
    times: [u32; FaultKind::ALL.len()],
    status: Option<FaultReport>,
    /// Whether the port was gone at the end of the last cycle.
    gone: bool,
}

impl FaultMonitor {
    /// Creates a monitor without faults, for motors with this torque state.
    pub fn new(wanted: Joints<bool>) -> FaultMonitor {
        FaultMonitor {
            phase: Phase::Watching,
            wanted,
            missed_reads: Joints::all(0),
            is_handled: Joints::all(HardwareErrorStatus::NONE),
            reboots: Joints::all(0),
            last_reboot: Timestamp::ZERO,
            last_loss: Timestamp::ZERO,
            times: [0; FaultKind::ALL.len()],
            status: None,
            gone: false,
        }
    }

    /// Returns the last fault and the state of its recovery.
    pub const fn status(&self) -> Option<FaultReport> {
        self.status
    }

    /// Returns whether a fault is being handled, or its recovery failed. No trajectory may play then.
    pub const fn is_recovering(&self) -> bool {
        !matches!(self.phase, Phase::Watching | Phase::Stowing { is_requested: true, .. })
    }

    /// Returns the fault that keeps the robot from moving, for messages.
    pub fn fault(&self) -> Option<RobotError> {
        let status = self.status.filter(|_| self.is_recovering())?;
        Some(match (status.kind, status.joint) {
            (FaultKind::Silent, Some(joint)) => RobotError::Silent { joint },
            _ => RobotError::Acting(status),
        })
    }

    /// Notes that a client switched torque. It takes over released motors; a motor without torque on request has no
    /// fault.
    pub fn on_torque_change(&mut self, wanted: Joints<bool>) {
        self.wanted = wanted;
        if self.phase == Phase::Released {
            self.phase = Phase::Watching;
        }
    }

    /// Starts the reboot of motors that must clear an error before they can be enabled as `wanted`. Returns whether any
    /// must.
    pub fn clear_errors(&mut self, wanted: Joints<bool>, state: &JointState) -> bool {
        let motors = Joints::from_fn(|joint| wanted[joint] && !state.errors[joint].is_empty());
        if any(&motors) {
            self.wanted = wanted;
            self.reboots = Joints::all(0);
            self.phase = Phase::Settling(motors);
        }
        any(&motors)
    }

    /// Notes a stop: no recovery that moves the robot continues. Torque stays as it is.
    pub fn on_stop(&mut self) {
        match self.phase {
            Phase::Stowing { is_requested: true, .. } => self.phase = Phase::Watching,
            Phase::Stowing { is_requested: false, .. } => {
                self.phase = Phase::Released;
                self.set_context(RecoveryState::Stopped);
            }
            Phase::Watching
            | Phase::Holding
            | Phase::Settling(_)
            | Phase::Rebooting { .. }
            | Phase::Rejoining { .. }
            | Phase::Released => {}
        }
    }

    /// Notes that a client requested to lower the head, and returns whether that begins now. A motor that has to restart
    /// needs the robot at rest, and is back within seconds; a robot that holds its position may wait for ever.
    pub const fn on_stow(&mut self, at: Timestamp) -> bool {
        let begins = matches!(
            self.phase,
            Phase::Watching | Phase::Holding | Phase::Stowing { is_requested: true, .. }
        );
        if begins {
            self.phase = Phase::Stowing { since: at, is_requested: true };
        }
        begins
    }

    /// Returns the motors that should have torque.
    pub const fn wanted(&self) -> Joints<bool> {
        self.wanted
    }

    /// Evaluates one cycle.
    pub fn evaluate(
        &mut self,
        sensed: Result<&JointState, &RobotError>,
        now: CycleContext,
    ) -> RecoveryAction {
        let state = match sensed {
            Ok(state) => state,
            Err(_) => return self.port_is_gone(now.time),
        };
        self.count_missed_reads(state);
        if std::mem::take(&mut self.gone) {
            // The motion of the motors in the meantime is unknown, so each is held at its present position.
            return self.rejoin(now.time, Joints::all(true));
        }
        self.clear_past_faults(state, now.time);
        if let Some(seen) = self.max_severe(state)
            && let Some(reaction) = self.begin_recovery(seen, now)
        {
            return reaction;
        }
        self.ride_through(state, now.time);
        self.continue_recovery(state, now)
    }

    fn port_is_gone(&mut self, at: Timestamp) -> RecoveryAction {
        if std::mem::replace(&mut self.gone, true) {
            return RecoveryAction::Continue;
        }
        self.record(FaultKind::PortGone, None, at);
        if self.phase == Phase::Watching {
            self.phase = Phase::Holding;
        }
        RecoveryAction::Stop
    }

    fn count_missed_reads(&mut self, state: &JointState) {
        for (joint, reading) in state.readings.iter() {
            let missed = !matches!(reading, PositionReading::Fresh(_));
            self.missed_reads[joint] = if missed { self.missed_reads[joint].saturating_add(1) } else { 0 };
        }
    }

    /// Clears errors that are gone, so that they can recur, and reboots that are long ago.
    fn clear_past_faults(&mut self, state: &JointState, at: Timestamp) {
        for (joint, errors) in state.errors.iter() {
            self.is_handled[joint] = HardwareErrorStatus(self.is_handled[joint].0 & errors.0);
        }
        if at.since(self.last_reboot) > REBOOT_MEMORY {
            self.reboots = Joints::all(0);
        }
    }

    /// Returns the most severe fault of the robot that is not being handled yet.
    fn max_severe(&self, state: &JointState) -> Option<ObservedFault> {
        let from_errors = |error: HardwareError| {
            let motors = state
                .errors
                .zip_with(&self.is_handled, |now, handled| now.contains(error) && !handled.contains(error));
            observed_fault(error.into(), motors)
        };
        let from_measurements = |kind, wrong: &dyn Fn(f64, f64) -> bool| {
            let motors =
                state.health.map(|health| health.is_some_and(|h| wrong(h.temperature_c, h.voltage_v)));
            observed_fault(kind, motors)
        };
        let released = Joints::from_fn(|joint| {
            let answers = matches!(state.readings[joint], PositionReading::Fresh(_));
            self.wanted[joint] && !state.torque[joint] && answers && state.errors[joint].is_empty()
        });
        from_errors(HardwareError::ElectricalShock)
            .or_else(|| from_errors(HardwareError::Overheating))
            .or_else(|| from_measurements(FaultKind::Overheating, &|celsius, _| celsius >= MAX_TEMPERATURE_C))
            .or_else(|| from_errors(HardwareError::Overload))
            .or_else(|| from_errors(HardwareError::Encoder))
            .or_else(|| observed_fault(FaultKind::Brownout, released))
            .or_else(|| from_errors(HardwareError::InputVoltage))
            .or_else(|| from_measurements(FaultKind::InputVoltage, &|_, volts| volts < MIN_VOLTAGE_V))
            .or_else(|| {
                observed_fault(FaultKind::Silent, self.missed_reads.map(|misses| misses >= MAX_MISSED_READS))
            })
    }

    /// Starts to handle a fault, unless the current recovery is more severe or already covers it.
    fn begin_recovery(&mut self, seen: ObservedFault, now: CycleContext) -> Option<RecoveryAction> {
        let ObservedFault { kind, joint, motors } = seen;
        let policy = kind.policy();
        let begins = match (&self.phase, policy) {
            (_, FaultPolicy::RideThrough) => false,
            (Phase::Stowing { is_requested: false, .. } | Phase::Released, _) => false,
            (_, FaultPolicy::StowAndRelease) | (Phase::Watching, _) => true,
            (Phase::Stowing { is_requested: true, .. }, _) => false,
            (Phase::Holding, FaultPolicy::RebootAndRejoin) => true,
            (Phase::Holding, FaultPolicy::Hold) => false,
            // A rebooting motor is silent and without torque for a while.
            (Phase::Settling(_) | Phase::Rebooting { .. } | Phase::Rejoining { .. }, _) => false,
        };
        if !begins {
            return None;
        }
        self.record(kind, joint, now.time);
        let known = HardwareError::ALL.into_iter().find(|error| FaultKind::from(*error) == kind);
        for (joint, at_fault) in motors.iter() {
            if *at_fault && let Some(error) = known {
                self.is_handled[joint].0 |= error.bit();
            }
        }
        match policy {
            FaultPolicy::RideThrough => {}
            FaultPolicy::Hold => self.phase = Phase::Holding,
            FaultPolicy::RebootAndRejoin => self.phase = Phase::Settling(motors),
            FaultPolicy::StowAndRelease => {
                self.phase = Phase::Stowing { since: now.time, is_requested: false };
                return Some(RecoveryAction::Stow);
            }
        }
        Some(RecoveryAction::Stop)
    }

    /// Counts and reports losses that are no fault.
    fn ride_through(&mut self, state: &JointState, at: Timestamp) {
        let lost = |loss: ReadError| {
            state.read_errors.iter().find(|(_, lost)| **lost == Some(loss)).map(|(joint, _)| joint)
        };
        let found = match (lost(ReadError::Corrupt), lost(ReadError::Partial)) {
            (Some(joint), _) => Some((FaultKind::Corrupt, Some(joint))),
            (None, Some(joint)) => Some((FaultKind::Partial, Some(joint))),
            (None, None) => state.echo.then_some((FaultKind::Echo, None)),
        };
        if self.is_recovering() {
            return;
        }
        if let Some((kind, joint)) = found {
            self.last_loss = at;
            self.record(kind, joint, at);
        } else if at.since(self.last_loss) > LOSS_MEMORY
            && self.status.is_some_and(|status| status.policy == FaultPolicy::RideThrough)
        {
            self.set_context(RecoveryState::Recovered);
        }
    }

    fn continue_recovery(&mut self, state: &JointState, now: CycleContext) -> RecoveryAction {
        match self.phase {
            Phase::Watching | Phase::Released => RecoveryAction::Continue,
            Phase::Holding => {
                let all_answer = self.missed_reads.iter().all(|(_, misses)| *misses == 0);
                let low_since = self.status.filter(|status| status.kind == FaultKind::InputVoltage);
                let voltage_recovered = low_since.is_none_or(|status| {
                    let mut health = state.health.iter().filter_map(|(_, health)| *health);
                    health.all(|health| health.voltage_v > RECOVERY_VOLTAGE_V && health.time > status.since)
                });
                if all_answer && voltage_recovered {
                    self.rejoin(now.time, undriven(&self.wanted, state))
                } else {
                    RecoveryAction::Continue
                }
            }
            Phase::Settling(motors) if now.at_rest => self.reboot_next(now.time, motors, motors, state),
            Phase::Settling(_) => RecoveryAction::Continue,
            Phase::Rebooting { joint, since, motors, remaining: left } => {
                let is_back = matches!(state.readings[joint], PositionReading::Fresh(_))
                    && state.errors[joint].is_empty()
                    && now.time > since;
                if is_back {
                    self.reboot_next(now.time, motors, left, state)
                } else if now.time.since(since) > REBOOT_TIMEOUT {
                    self.give_up(now.time)
                } else {
                    RecoveryAction::Continue
                }
            }
            Phase::Rejoining { since, motors } => {
                let torque_off = undriven(&self.wanted, state);
                if !any(&torque_off) {
                    self.phase = Phase::Watching;
                    self.set_context(RecoveryState::Recovered);
                    RecoveryAction::Continue
                } else if now.time.since(since) > TORQUE_TIMEOUT {
                    self.give_up(now.time)
                } else {
                    RecoveryAction::Rejoin(motors.zip_with(&torque_off, |one, other| one || other))
                }
            }
            Phase::Stowing { since, is_requested: asked } => {
                if now.stowed || now.time.since(since) > STOW_TIMEOUT {
                    self.wanted = Joints::all(false);
                    self.phase = if asked { Phase::Watching } else { Phase::Released };
                    if !asked {
                        self.set_context(RecoveryState::Failed);
                    }
                    RecoveryAction::Release
                } else {
                    RecoveryAction::Continue
                }
            }
        }
    }

    /// Reboots the next motor with an error. When none is left, all are enabled again.
    fn reboot_next(
        &mut self,
        at: Timestamp,
        motors: Joints<bool>,
        left: Joints<bool>,
        state: &JointState,
    ) -> RecoveryAction {
        // A motor that restarted by itself, as after a brownout, only needs torque.
        let next = left.iter().find(|(joint, wanted)| **wanted && !state.errors[*joint].is_empty());
        let Some((joint, _)) = next else { return self.rejoin(at, motors) };
        if self.reboots[joint] >= MAX_REBOOTS {
            return self.give_up(at);
        }
        self.reboots[joint] += 1;
        self.last_reboot = at;
        self.is_handled[joint] = HardwareErrorStatus::NONE;
        let mut left = left;
        left[joint] = false;
        self.phase = Phase::Rebooting { joint, since: at, motors, remaining: left };
        RecoveryAction::Reboot(joint)
    }

    fn rejoin(&mut self, at: Timestamp, motors: Joints<bool>) -> RecoveryAction {
        self.phase = match self.phase {
            // A recovery that began before the port was lost continues after it.
            Phase::Stowing { is_requested: asked, .. } => Phase::Stowing { since: at, is_requested: asked },
            Phase::Released => Phase::Released,
            _ => Phase::Rejoining { since: at, motors },
        };
        match self.phase {
            Phase::Stowing { .. } => RecoveryAction::Stow,
            Phase::Released => RecoveryAction::Continue,
            _ => RecoveryAction::Rejoin(motors),
        }
    }

    /// Lowers the head, since the robot cannot be relied on to hold it.
    fn give_up(&mut self, at: Timestamp) -> RecoveryAction {
        self.phase = Phase::Stowing { since: at, is_requested: false };
        self.set_context(RecoveryState::Failed);
        RecoveryAction::Stow
    }

    fn record(&mut self, kind: FaultKind, joint: Option<Joint>, at: Timestamp) {
        let policy = kind.policy();
        let times = self.times.get_mut(kind as usize).map_or(0, |times| {
            *times = times.saturating_add(1);
            *times
        });
        self.status = Some(FaultReport {
            kind,
            joint,
            policy,
            state: RecoveryState::Recovering,
            since: at,
            count: times,
        });
    }

    fn set_context(&mut self, context: RecoveryState) {
        if let Some(status) = &mut self.status {
            status.state = context;
        }
    }
}

fn any(motors: &Joints<bool>) -> bool {
    motors.iter().any(|(_, one)| *one)
}

/// Returns the fault if it concerns any motor. It names the motor if it is a single one.
fn observed_fault(kind: FaultKind, motors: Joints<bool>) -> Option<ObservedFault> {
    let mut affected = motors.iter().filter(|(_, one)| **one).map(|(joint, _)| joint);
    let first = affected.next()?;
    let joint = affected.next().is_none().then_some(first);
    Some(ObservedFault { kind, joint, motors })
}

/// Returns the motors that should have torque and have none.
fn undriven(wanted: &Joints<bool>, state: &JointState) -> Joints<bool> {
    wanted.zip_with(&state.torque, |wanted, on| wanted && !on)
}

#[cfg(test)]
mod tests;
