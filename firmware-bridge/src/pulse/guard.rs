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

use crate::clock::Tick;
use crate::fault::{FaultKind, Policy, SILENT_AFTER, Stage, Status};
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, Reading, RobotFault};
use crate::servo::{HardwareError, HardwareErrors, Loss};

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
const HOT: f64 = 67.0;
/// The servos report an error below 3.5 V (e-Manual, register 34).
const LOW: f64 = 3.5;
/// Above this voltage, the supply has recovered.
const WELL: f64 = 3.8;

/// The action of the control loop after a cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reaction {
    /// No action.
    GoOn,
    /// End the motion and brake.
    Brake,
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
pub(super) struct Circumstances {
    /// The time of the cycle.
    pub at: Tick,
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
        since: Tick,
        /// All motors to reboot, including this one and those before it.
        motors: Joints<bool>,
        /// The motors that have not been rebooted yet.
        left: Joints<bool>,
    },
    Rejoining {
        since: Tick,
        motors: Joints<bool>,
    },
    Stowing {
        since: Tick,
        /// Whether a client requested it and there is no fault.
        asked: bool,
    },
    Released,
}

/// A fault that was detected in one cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    kind: FaultKind,
    joint: Option<Joint>,
    /// The motors to reboot or to enable again.
    motors: Joints<bool>,
}

/// The fault monitor of one robot.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    phase: Phase,
    /// The motors that should have torque.
    wanted: Joints<bool>,
    misses: Joints<u32>,
    /// Errors that were handled and stay in the servo's memory until it reboots.
    handled: Joints<HardwareErrors>,
    reboots: Joints<u32>,
    last_reboot: Tick,
    last_loss: Tick,
    times: [u32; FaultKind::ALL.len()],
    status: Option<Status>,
    /// Whether the port was gone at the end of the last cycle.
    gone: bool,
}

impl Guard {
    /// Creates a monitor without faults, for motors with this torque state.
    pub fn new(wanted: Joints<bool>) -> Guard {
        Guard {
            phase: Phase::Watching,
            wanted,
            misses: Joints::all(0),
            handled: Joints::all(HardwareErrors::NONE),
            reboots: Joints::all(0),
            last_reboot: Tick::ZERO,
            last_loss: Tick::ZERO,
            times: [0; FaultKind::ALL.len()],
            status: None,
            gone: false,
        }
    }

    /// Returns the last fault and the state of its recovery.
    pub const fn status(&self) -> Option<Status> {
        self.status
    }

    /// Returns whether a fault is being handled, or its recovery failed. No trajectory may play then.
    pub const fn is_acting(&self) -> bool {
        !matches!(self.phase, Phase::Watching | Phase::Stowing { asked: true, .. })
    }

    /// Returns the fault that keeps the robot from moving, for messages.
    pub fn fault(&self) -> Option<RobotFault> {
        let status = self.status.filter(|_| self.is_acting())?;
        Some(match (status.kind, status.joint) {
            (FaultKind::Silent, Some(joint)) => RobotFault::Silent { joint },
            _ => RobotFault::Acting(status),
        })
    }

    /// Notes that a client switched torque. It takes over released motors; a motor without torque on request has no
    /// fault.
    pub fn switched(&mut self, wanted: Joints<bool>) {
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
    pub fn halted(&mut self) {
        match self.phase {
            Phase::Stowing { asked: true, .. } => self.phase = Phase::Watching,
            Phase::Stowing { asked: false, .. } => {
                self.phase = Phase::Released;
                self.set_stage(Stage::Stopped);
            }
            Phase::Watching
            | Phase::Holding
            | Phase::Settling(_)
            | Phase::Rebooting { .. }
            | Phase::Rejoining { .. }
            | Phase::Released => {}
        }
    }

    /// Notes that a client requested to lower the head.
    pub fn stowing(&mut self, at: Tick) {
        if !self.is_acting() {
            self.phase = Phase::Stowing { since: at, asked: true };
        }
    }

    /// Returns the motors that should have torque.
    pub const fn wanted(&self) -> Joints<bool> {
        self.wanted
    }

    /// Evaluates one cycle.
    pub fn judge(&mut self, sensed: Result<&JointState, &RobotFault>, now: Circumstances) -> Reaction {
        let state = match sensed {
            Ok(state) => state,
            Err(_) => return self.port_is_gone(now.at),
        };
        self.count_misses(state);
        if std::mem::take(&mut self.gone) {
            // The motion of the motors in the meantime is unknown, so each is held at its present position.
            return self.rejoin(now.at, Joints::all(true));
        }
        self.clear_past_faults(state, now.at);
        if let Some(seen) = self.most_severe(state)
            && let Some(reaction) = self.begin_recovery(seen, now)
        {
            return reaction;
        }
        self.ride_through(state, now.at);
        self.continue_recovery(state, now)
    }

    fn port_is_gone(&mut self, at: Tick) -> Reaction {
        if std::mem::replace(&mut self.gone, true) {
            return Reaction::GoOn;
        }
        self.note(FaultKind::PortGone, None, at);
        if self.phase == Phase::Watching {
            self.phase = Phase::Holding;
        }
        Reaction::Brake
    }

    fn count_misses(&mut self, state: &JointState) {
        for (joint, reading) in state.readings.iter() {
            let missed = !matches!(reading, Reading::Fresh(_));
            self.misses[joint] = if missed { self.misses[joint].saturating_add(1) } else { 0 };
        }
    }

    /// Clears errors that are gone, so that they can recur, and reboots that are long ago.
    fn clear_past_faults(&mut self, state: &JointState, at: Tick) {
        for (joint, errors) in state.errors.iter() {
            self.handled[joint] = HardwareErrors(self.handled[joint].0 & errors.0);
        }
        if at.since(self.last_reboot) > REBOOT_MEMORY {
            self.reboots = Joints::all(0);
        }
    }

    /// Returns the most severe fault of the robot that is not being handled yet.
    fn most_severe(&self, state: &JointState) -> Option<Seen> {
        let from_errors = |error: HardwareError| {
            let motors = state
                .errors
                .zip_with(&self.handled, |now, handled| now.contains(error) && !handled.contains(error));
            seen(error.into(), motors)
        };
        let from_measurements = |kind, wrong: &dyn Fn(f64, f64) -> bool| {
            let motors = state.health.map(|health| health.is_some_and(|h| wrong(h.celsius, h.volts)));
            seen(kind, motors)
        };
        let released = Joints::from_fn(|joint| {
            let answers = matches!(state.readings[joint], Reading::Fresh(_));
            self.wanted[joint] && !state.torque[joint] && answers && state.errors[joint].is_empty()
        });
        from_errors(HardwareError::ElectricalShock)
            .or_else(|| from_errors(HardwareError::Overheating))
            .or_else(|| from_measurements(FaultKind::Overheating, &|celsius, _| celsius >= HOT))
            .or_else(|| from_errors(HardwareError::Overload))
            .or_else(|| from_errors(HardwareError::Encoder))
            .or_else(|| seen(FaultKind::Brownout, released))
            .or_else(|| from_errors(HardwareError::InputVoltage))
            .or_else(|| from_measurements(FaultKind::InputVoltage, &|_, volts| volts < LOW))
            .or_else(|| seen(FaultKind::Silent, self.misses.map(|misses| misses >= SILENT_AFTER)))
    }

    /// Starts to handle a fault, unless the current recovery is more severe or already covers it.
    fn begin_recovery(&mut self, seen: Seen, now: Circumstances) -> Option<Reaction> {
        let Seen { kind, joint, motors } = seen;
        let policy = kind.policy();
        let begins = match (&self.phase, policy) {
            (_, Policy::RideThrough) => false,
            (Phase::Stowing { asked: false, .. } | Phase::Released, _) => false,
            (_, Policy::StowAndRelease) | (Phase::Watching, _) => true,
            (Phase::Stowing { asked: true, .. }, _) => false,
            (Phase::Holding, Policy::RebootAndRejoin) => true,
            (Phase::Holding, Policy::Hold) => false,
            // A rebooting motor is silent and without torque for a while.
            (Phase::Settling(_) | Phase::Rebooting { .. } | Phase::Rejoining { .. }, _) => false,
        };
        if !begins {
            return None;
        }
        self.note(kind, joint, now.at);
        let known = HardwareError::ALL.into_iter().find(|error| FaultKind::from(*error) == kind);
        for (joint, at_fault) in motors.iter() {
            if *at_fault && let Some(error) = known {
                self.handled[joint].0 |= error.bit();
            }
        }
        match policy {
            Policy::RideThrough => {}
            Policy::Hold => self.phase = Phase::Holding,
            Policy::RebootAndRejoin => self.phase = Phase::Settling(motors),
            Policy::StowAndRelease => {
                self.phase = Phase::Stowing { since: now.at, asked: false };
                return Some(Reaction::Stow);
            }
        }
        Some(Reaction::Brake)
    }

    /// Counts and reports losses that are no fault.
    fn ride_through(&mut self, state: &JointState, at: Tick) {
        let lost =
            |loss: Loss| state.losses.iter().find(|(_, lost)| **lost == Some(loss)).map(|(joint, _)| joint);
        let found = match (lost(Loss::Corrupt), lost(Loss::Partial)) {
            (Some(joint), _) => Some((FaultKind::Corrupt, Some(joint))),
            (None, Some(joint)) => Some((FaultKind::Partial, Some(joint))),
            (None, None) => state.echo.then_some((FaultKind::Echo, None)),
        };
        if self.is_acting() {
            return;
        }
        if let Some((kind, joint)) = found {
            self.last_loss = at;
            self.note(kind, joint, at);
        } else if at.since(self.last_loss) > LOSS_MEMORY
            && self.status.is_some_and(|status| status.policy == Policy::RideThrough)
        {
            self.set_stage(Stage::Over);
        }
    }

    fn continue_recovery(&mut self, state: &JointState, now: Circumstances) -> Reaction {
        match self.phase {
            Phase::Watching | Phase::Released => Reaction::GoOn,
            Phase::Holding => {
                let all_answer = self.misses.iter().all(|(_, misses)| *misses == 0);
                let low_since = self.status.filter(|status| status.kind == FaultKind::InputVoltage);
                let voltage_recovered = low_since.is_none_or(|status| {
                    let mut health = state.health.iter().filter_map(|(_, health)| *health);
                    health.all(|health| health.volts > WELL && health.at > status.since)
                });
                if all_answer && voltage_recovered {
                    self.rejoin(now.at, undriven(&self.wanted, state))
                } else {
                    Reaction::GoOn
                }
            }
            Phase::Settling(motors) if now.at_rest => self.reboot_next(now.at, motors, motors, state),
            Phase::Settling(_) => Reaction::GoOn,
            Phase::Rebooting { joint, since, motors, left } => {
                let is_back = matches!(state.readings[joint], Reading::Fresh(_))
                    && state.errors[joint].is_empty()
                    && now.at > since;
                if is_back {
                    self.reboot_next(now.at, motors, left, state)
                } else if now.at.since(since) > REBOOT_TIMEOUT {
                    self.give_up(now.at)
                } else {
                    Reaction::GoOn
                }
            }
            Phase::Rejoining { since, motors } => {
                let limp = undriven(&self.wanted, state);
                if !any(&limp) {
                    self.phase = Phase::Watching;
                    self.set_stage(Stage::Over);
                    Reaction::GoOn
                } else if now.at.since(since) > TORQUE_TIMEOUT {
                    self.give_up(now.at)
                } else {
                    Reaction::Rejoin(motors.zip_with(&limp, |one, other| one || other))
                }
            }
            Phase::Stowing { since, asked } => {
                if now.stowed || now.at.since(since) > STOW_TIMEOUT {
                    self.wanted = Joints::all(false);
                    self.phase = if asked { Phase::Watching } else { Phase::Released };
                    if !asked {
                        self.set_stage(Stage::GivenUp);
                    }
                    Reaction::Release
                } else {
                    Reaction::GoOn
                }
            }
        }
    }

    /// Reboots the next motor with an error. When none is left, all are enabled again.
    fn reboot_next(
        &mut self,
        at: Tick,
        motors: Joints<bool>,
        left: Joints<bool>,
        state: &JointState,
    ) -> Reaction {
        // A motor that restarted by itself, as after a brownout, only needs torque.
        let next = left.iter().find(|(joint, wanted)| **wanted && !state.errors[*joint].is_empty());
        let Some((joint, _)) = next else { return self.rejoin(at, motors) };
        if self.reboots[joint] >= MAX_REBOOTS {
            return self.give_up(at);
        }
        self.reboots[joint] += 1;
        self.last_reboot = at;
        self.handled[joint] = HardwareErrors::NONE;
        let mut left = left;
        left[joint] = false;
        self.phase = Phase::Rebooting { joint, since: at, motors, left };
        Reaction::Reboot(joint)
    }

    fn rejoin(&mut self, at: Tick, motors: Joints<bool>) -> Reaction {
        self.phase = match self.phase {
            // A recovery that began before the port was lost continues after it.
            Phase::Stowing { asked, .. } => Phase::Stowing { since: at, asked },
            Phase::Released => Phase::Released,
            _ => Phase::Rejoining { since: at, motors },
        };
        match self.phase {
            Phase::Stowing { .. } => Reaction::Stow,
            Phase::Released => Reaction::GoOn,
            _ => Reaction::Rejoin(motors),
        }
    }

    /// Lowers the head, since the robot cannot be relied on to hold it.
    fn give_up(&mut self, at: Tick) -> Reaction {
        self.phase = Phase::Stowing { since: at, asked: false };
        self.set_stage(Stage::GivenUp);
        Reaction::Stow
    }

    fn note(&mut self, kind: FaultKind, joint: Option<Joint>, at: Tick) {
        let policy = kind.policy();
        let times = self.times.get_mut(kind as usize).map_or(0, |times| {
            *times = times.saturating_add(1);
            *times
        });
        self.status = Some(Status { kind, joint, policy, stage: Stage::Acting, since: at, times });
    }

    fn set_stage(&mut self, stage: Stage) {
        if let Some(status) = &mut self.status {
            status.stage = stage;
        }
    }
}

fn any(motors: &Joints<bool>) -> bool {
    motors.iter().any(|(_, one)| *one)
}

/// Returns the fault if it concerns any motor. It names the motor if it is a single one.
fn seen(kind: FaultKind, motors: Joints<bool>) -> Option<Seen> {
    let mut affected = motors.iter().filter(|(_, one)| **one).map(|(joint, _)| joint);
    let first = affected.next()?;
    let joint = affected.next().is_none().then_some(first);
    Some(Seen { kind, joint, motors })
}

/// Returns the motors that should have torque and have none.
fn undriven(wanted: &Joints<bool>, state: &JointState) -> Joints<bool> {
    wanted.zip_with(&state.torque, |wanted, on| wanted && !on)
}

#[cfg(test)]
mod tests;
