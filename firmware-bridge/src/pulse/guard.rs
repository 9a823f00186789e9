//! Watches the body beat by beat and decides what is done about a fault; decides only, the pulse carries it out.
//!
//! ```text
//!              a packet lost            ten lost, port gone, low voltage
//!   Watching ------------------> same   Watching ----------------------> Holding --it is back--> rejoin, Watching
//!
//!   Watching --a motor let go or started anew--> Settling --at rest--> Rebooting --it answers--> Rejoining --driven-->
//!              Watching;  a motor that does not come back, or lets go again and again: Stowing
//!
//!   Watching --too hot, shock--> Stowing --head laid down--> Released (until somebody switches torque on)
//! ```
//!
//! A graver fault takes over from a lighter one; while the port is gone nothing else is judged, since nothing is known.
//! Safety: torque is released only in `Stowing`, after the head was laid down; and never while the port is gone.

use std::time::Duration;

use crate::clock::Tick;
use crate::fault::{FaultKind, Policy, SILENT_AFTER, Stage, Status};
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, Reading, RobotFault};
use crate::servo::{HardwareError, HardwareErrors, Loss};

/// A motor that let go this often within [`FORGIVEN_AFTER`] is not started anew again.
const MOST_REBOOTS: u32 = 2;
/// How long a motor must have been well for its reboots to be forgotten.
const FORGIVEN_AFTER: Duration = Duration::from_secs(60);
/// A servo is back within about 0.3 s of a reboot; one that takes longer is not coming.
const BACK_AFTER: Duration = Duration::from_secs(3);
/// How long a motor may take to be driven after it was told to.
const DRIVEN_AFTER: Duration = Duration::from_secs(1);
/// How long the head may take to be laid down.
const STOWED_AFTER: Duration = Duration::from_secs(10);
/// Losses that ended this long ago are over.
const QUIET_AFTER: Duration = Duration::from_secs(1);
/// The servos let go at 70 degrees Celsius (e-manual, register 31); the head is laid down while they still hold it.
const HOT: f64 = 67.0;
/// The servos report an error below 3.5 V (e-manual, register 34).
const LOW: f64 = 3.5;
/// Above this the supply is well again.
const WELL: f64 = 3.8;

/// What the pulse is to do after a beat.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reaction {
    /// Nothing.
    GoOn,
    /// End the motion and brake.
    Brake,
    /// Start a motor anew.
    Reboot(Joint),
    /// Take these motors on where they stand, and drive all that were driven.
    Rejoin(Joints<bool>),
    /// Lay the head down.
    Stow,
    /// Release all torque.
    Release,
}

/// What the pulse knows beside the body's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Circumstances {
    /// The beat's moment.
    pub at: Tick,
    /// Nothing is commanded to move.
    pub at_rest: bool,
    /// The head has been laid down.
    pub stowed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Watching,
    Holding,
    /// Coming to rest before these motors are started anew.
    Settling(Joints<bool>),
    Rebooting {
        joint: Joint,
        since: Tick,
        /// All that are to be started anew, this one and those before it included.
        motors: Joints<bool>,
        /// Those that still have to be.
        left: Joints<bool>,
    },
    Rejoining {
        since: Tick,
        motors: Joints<bool>,
    },
    Stowing {
        since: Tick,
        /// Somebody asked for it; nothing is wrong.
        asked: bool,
    },
    Released,
}

/// A fault as it is seen on one beat.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Seen {
    kind: FaultKind,
    joint: Option<Joint>,
    /// The motors that need to be started anew or taken on.
    motors: Joints<bool>,
}

/// The watch over one body.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    phase: Phase,
    /// The motors that somebody wants driven.
    wanted: Joints<bool>,
    misses: Joints<u32>,
    /// Errors that were handled and stay in the servo's memory until it is started anew.
    handled: Joints<HardwareErrors>,
    reboots: Joints<u32>,
    last_reboot: Tick,
    last_loss: Tick,
    times: [u32; FaultKind::ALL.len()],
    status: Option<Status>,
    /// The port was gone when the last beat ended.
    gone: bool,
}

impl Guard {
    /// Nothing has happened yet; these motors are driven.
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

    /// What happened last, and how far its handling is.
    pub const fn status(&self) -> Option<Status> {
        self.status
    }

    /// Whether a fault is being handled, or was and could not be: nothing may be played.
    pub const fn is_acting(&self) -> bool {
        !matches!(self.phase, Phase::Watching | Phase::Stowing { asked: true, .. })
    }

    /// The fault that keeps the body from moving, for messages.
    pub fn fault(&self) -> Option<RobotFault> {
        let status = self.status.filter(|_| self.is_acting())?;
        Some(match (status.kind, status.joint) {
            (FaultKind::Silent, Some(joint)) => RobotFault::Silent { joint },
            _ => RobotFault::Acting(status),
        })
    }

    /// Somebody switched torque. What was released is theirs now; a motor that was told to be limp is not at fault.
    pub fn switched(&mut self, wanted: Joints<bool>) {
        self.wanted = wanted;
        if self.phase == Phase::Released {
            self.phase = Phase::Watching;
        }
    }

    /// Motors in error that must be started anew before they can be driven as `wanted`; begins with that.
    pub fn clear_errors(&mut self, wanted: Joints<bool>, state: &JointState) -> bool {
        let motors = Joints::from_fn(|joint| wanted[joint] && !state.errors[joint].is_empty());
        if any(&motors) {
            self.wanted = wanted;
            self.reboots = Joints::all(0);
            self.phase = Phase::Settling(motors);
        }
        any(&motors)
    }

    /// Somebody said stop: nothing goes on by itself that moves the body. Torque stays as it is.
    pub fn halted(&mut self) {
        match self.phase {
            Phase::Stowing { asked: true, .. } => self.phase = Phase::Watching,
            Phase::Stowing { asked: false, .. } => {
                self.phase = Phase::Released;
                self.advance(Stage::Stopped);
            }
            Phase::Watching
            | Phase::Holding
            | Phase::Settling(_)
            | Phase::Rebooting { .. }
            | Phase::Rejoining { .. }
            | Phase::Released => {}
        }
    }

    /// Somebody asked for the head to be laid down.
    pub fn stowing(&mut self, at: Tick) {
        if !self.is_acting() {
            self.phase = Phase::Stowing { since: at, asked: true };
        }
    }

    /// The motors that are to be driven.
    pub const fn wanted(&self) -> Joints<bool> {
        self.wanted
    }

    /// Judges one beat.
    pub fn judge(&mut self, sensed: Result<&JointState, &RobotFault>, now: Circumstances) -> Reaction {
        let state = match sensed {
            Ok(state) => state,
            Err(_) => return self.port_is_gone(now.at),
        };
        self.count_misses(state);
        if std::mem::take(&mut self.gone) {
            // What the motors did in the meantime is not known, so each is taken on where it stands.
            return self.rejoin(now.at, Joints::all(true));
        }
        self.forget(state, now.at);
        if let Some(seen) = self.gravest(state)
            && let Some(reaction) = self.begin(seen, now)
        {
            return reaction;
        }
        self.ride_through(state, now.at);
        self.go_on(state, now)
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

    /// Errors that are gone may come anew; reboots that were long ago do not count.
    fn forget(&mut self, state: &JointState, at: Tick) {
        for (joint, errors) in state.errors.iter() {
            self.handled[joint] = HardwareErrors(self.handled[joint].0 & errors.0);
        }
        if at.since(self.last_reboot) > FORGIVEN_AFTER {
            self.reboots = Joints::all(0);
        }
    }

    /// The gravest fault of the body that is not being handled yet.
    fn gravest(&self, state: &JointState) -> Option<Seen> {
        let of_errors = |error: HardwareError| {
            let motors = state
                .errors
                .zip_with(&self.handled, |now, handled| now.contains(error) && !handled.contains(error));
            seen(error.into(), motors)
        };
        let measured = |kind, wrong: &dyn Fn(f64, f64) -> bool| {
            let motors = state.health.map(|health| health.is_some_and(|h| wrong(h.celsius, h.volts)));
            seen(kind, motors)
        };
        let lost = Joints::from_fn(|joint| {
            let answers = matches!(state.readings[joint], Reading::Fresh(_));
            self.wanted[joint] && !state.torque[joint] && answers && state.errors[joint].is_empty()
        });
        of_errors(HardwareError::ElectricalShock)
            .or_else(|| of_errors(HardwareError::Overheating))
            .or_else(|| measured(FaultKind::Overheating, &|celsius, _| celsius >= HOT))
            .or_else(|| of_errors(HardwareError::Overload))
            .or_else(|| of_errors(HardwareError::Encoder))
            .or_else(|| seen(FaultKind::Brownout, lost))
            .or_else(|| of_errors(HardwareError::InputVoltage))
            .or_else(|| measured(FaultKind::InputVoltage, &|_, volts| volts < LOW))
            .or_else(|| seen(FaultKind::Silent, self.misses.map(|misses| misses >= SILENT_AFTER)))
    }

    /// Begins to handle a fault, unless what is being done is graver or already meant for it.
    fn begin(&mut self, seen: Seen, now: Circumstances) -> Option<Reaction> {
        let Seen { kind, joint, motors } = seen;
        let policy = kind.policy();
        let begins = match (&self.phase, policy) {
            (_, Policy::RideThrough) => false,
            (Phase::Stowing { asked: false, .. } | Phase::Released, _) => false,
            (_, Policy::StowAndRelease) | (Phase::Watching, _) => true,
            (Phase::Stowing { asked: true, .. }, _) => false,
            (Phase::Holding, Policy::RebootAndRejoin) => true,
            (Phase::Holding, Policy::Hold) => false,
            // A motor that starts anew is silent and limp for a while.
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

    /// Losses that are no fault are counted and told.
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
        } else if at.since(self.last_loss) > QUIET_AFTER
            && self.status.is_some_and(|status| status.policy == Policy::RideThrough)
        {
            self.advance(Stage::Over);
        }
    }

    fn go_on(&mut self, state: &JointState, now: Circumstances) -> Reaction {
        match self.phase {
            Phase::Watching | Phase::Released => Reaction::GoOn,
            Phase::Holding => {
                let heard = self.misses.iter().all(|(_, misses)| *misses == 0);
                let low_since = self.status.filter(|status| status.kind == FaultKind::InputVoltage);
                let supplied = low_since.is_none_or(|status| {
                    let mut health = state.health.iter().filter_map(|(_, health)| *health);
                    health.all(|health| health.volts > WELL && health.at > status.since)
                });
                if heard && supplied {
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
                } else if now.at.since(since) > BACK_AFTER {
                    self.give_up(now.at)
                } else {
                    Reaction::GoOn
                }
            }
            Phase::Rejoining { since, motors } => {
                let limp = undriven(&self.wanted, state);
                if !any(&limp) {
                    self.phase = Phase::Watching;
                    self.advance(Stage::Over);
                    Reaction::GoOn
                } else if now.at.since(since) > DRIVEN_AFTER {
                    self.give_up(now.at)
                } else {
                    Reaction::Rejoin(motors.zip_with(&limp, |one, other| one || other))
                }
            }
            Phase::Stowing { since, asked } => {
                if now.stowed || now.at.since(since) > STOWED_AFTER {
                    self.wanted = Joints::all(false);
                    self.phase = if asked { Phase::Watching } else { Phase::Released };
                    if !asked {
                        self.advance(Stage::GivenUp);
                    }
                    Reaction::Release
                } else {
                    Reaction::GoOn
                }
            }
        }
    }

    /// The next motor that is in error is started anew; when none is left, all are taken on.
    fn reboot_next(
        &mut self,
        at: Tick,
        motors: Joints<bool>,
        left: Joints<bool>,
        state: &JointState,
    ) -> Reaction {
        // One that has started anew by itself, as after a brownout, needs no more than to be taken on.
        let next = left.iter().find(|(joint, wanted)| **wanted && !state.errors[*joint].is_empty());
        let Some((joint, _)) = next else { return self.rejoin(at, motors) };
        if self.reboots[joint] >= MOST_REBOOTS {
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
            // What was begun before the port went goes on after it.
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

    /// The body can't be trusted to hold, so the head is laid down.
    fn give_up(&mut self, at: Tick) -> Reaction {
        self.phase = Phase::Stowing { since: at, asked: false };
        self.advance(Stage::GivenUp);
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

    fn advance(&mut self, stage: Stage) {
        if let Some(status) = &mut self.status {
            status.stage = stage;
        }
    }
}

fn any(motors: &Joints<bool>) -> bool {
    motors.iter().any(|(_, one)| *one)
}

/// The fault, if it concerns any motor; one motor is named.
fn seen(kind: FaultKind, motors: Joints<bool>) -> Option<Seen> {
    let mut concerned = motors.iter().filter(|(_, one)| **one).map(|(joint, _)| joint);
    let first = concerned.next()?;
    let joint = concerned.next().is_none().then_some(first);
    Some(Seen { kind, joint, motors })
}

/// The motors that should be driven and are not.
fn undriven(wanted: &Joints<bool>, state: &JointState) -> Joints<bool> {
    wanted.zip_with(&state.torque, |wanted, on| wanted && !on)
}

#[cfg(test)]
mod tests;
