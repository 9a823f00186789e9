//! Nine servos on one line, beat by beat: what they are told, and what is known of them.

use std::time::Duration;

use super::BusOptions;
use super::convert::{radians_from_raw, raw_from_radians};
use super::packet::Asking;
use super::port::{Patience, Port};
use super::registers::{BUS_WATCHDOG, GOAL_POSITION, PRESENT_POSITION, TORQUE};
use super::ritual::{Ready, Span, arm, ask_patiently, pin, prepare};
use super::rota::Rota;
use crate::clock::Tick;
use crate::envelope::Action;
use crate::fault::SILENT_AFTER;
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, Reading, RobotFault};
use crate::servo::{Gains, HardwareErrors, Health, Loss, Mode};

/// In how many looks one that is silent is asked once, so that it does not slow the others down.
const ASKED_AGAIN: u64 = 10;
/// While the line is opened no beat waits, and a machine that is busy starting may look away for longer than a servo
/// takes to answer; only a motor that is not there costs this time.
const OPENING_PATIENCE: Duration = Duration::from_millis(100);

/// The servos, ready for beats.
pub(super) struct Servos {
    pub(super) port: Port,
    pub(super) watchdog: Option<Duration>,
    pub(super) asking: Asking,
    pub(super) spans: Joints<Span>,
    pub(super) current_limits: Joints<u16>,
    /// The most current of each in current-based position mode, milliamperes.
    pub(super) bounds: Joints<u16>,
    /// What each should have; a servo that starts anew has forgotten them.
    pub(super) gains: Joints<Gains>,
    pub(super) torque: Joints<bool>,
    pub(super) modes: Joints<Mode>,
    pub(super) errors: Joints<HardwareErrors>,
    pub(super) health: Joints<Option<Health>>,
    pub(super) readings: Joints<Reading>,
    /// Motors that may have started anew or let go; they are examined as soon as they answer.
    pub(super) doubt: Joints<bool>,
    pub(super) rota: Rota,
    /// Questions missed in a row.
    missed: Joints<u32>,
    looks: u64,
    /// The moment of the last look at the positions.
    looked: Tick,
    /// When the servos last heard us.
    spoke: Tick,
    /// The line has failed; there is nobody to say farewell to.
    gone: bool,
}

impl Servos {
    /// Prepares all nine servos; torque is not switched on.
    pub fn prepare(
        mut port: Port,
        options: &BusOptions,
        gains: &Joints<Gains>,
    ) -> Result<Servos, RobotFault> {
        let usual = port.allow_replies(options.reply_timeout.max(OPENING_PATIENCE));
        let Ready { spans, current_limits, torque, asking } = prepare(&mut port, options, gains)?;
        port.allow_replies(usual);
        let now = port.now();
        Ok(Servos {
            port,
            watchdog: options.watchdog,
            asking,
            spans,
            current_limits,
            bounds: current_limits,
            gains: *gains,
            torque,
            modes: Joints::all(Mode::Position),
            errors: Joints::all(HardwareErrors::NONE),
            health: Joints::all(None),
            readings: Joints::all(Reading::Never),
            doubt: Joints::all(false),
            rota: Rota::from(now),
            missed: Joints::all(0),
            looks: 0,
            looked: Tick::ZERO,
            spoke: now,
            gone: false,
        })
    }

    /// Carries out one command, and reads the positions.
    pub fn carry_out(&mut self, at: Tick, action: &Action) -> Result<JointState, RobotFault> {
        self.wake_watchdogs()?;
        match action {
            Action::Targets(targets) => self.aim(targets)?,
            Action::Torque(wanted) => self.drive(wanted)?,
            Action::Reboot(joint) => {
                self.port.reboot(joint.motor_id())?;
                self.torque[*joint] = false;
                self.missed[*joint] = SILENT_AFTER;
            }
            Action::Modes(wanted) => self.set_modes(wanted)?,
            Action::Currents(wanted) => self.set_currents(wanted)?,
            Action::Gains(joint, gains) => self.set_gains(*joint, *gains)?,
        }
        self.look(at)
    }

    /// Reads the positions.
    pub fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.wake_watchdogs()?;
        self.look(at)
    }

    /// The line has failed: no more is said on it.
    pub fn give_up(&mut self) {
        self.gone = true;
    }

    /// The watchdogs may have fired if we were silent for too long; then they refuse goals until cleared.
    fn wake_watchdogs(&mut self) -> Result<(), RobotFault> {
        let now = self.port.now();
        let silence = now.since(self.spoke);
        self.spoke = now;
        match self.watchdog {
            Some(time) if silence * 2 > time => arm(&mut self.port, &Joint::ALL, self.watchdog),
            _ => Ok(()),
        }
    }

    /// One packet with the goals of all that follow positions.
    fn aim(&mut self, targets: &Joints) -> Result<(), RobotFault> {
        let mut goals = Joints::all(0);
        for (joint, target) in targets.iter() {
            let raw = raw_from_radians(*target).ok_or_else(|| RobotFault::Broken {
                reason: format!("the target of {joint} is not a finite number"),
            })?;
            goals[joint] = self.spans[joint].nearest(raw);
        }
        let modes = self.modes;
        let follows = |joint: Joint| match modes[joint] {
            Mode::Position | Mode::CurrentBasedPosition => true,
            Mode::Current => false,
        };
        if !Joint::ALL.into_iter().any(follows) {
            return Ok(());
        }
        let goals = goals.iter().filter(|(joint, _)| follows(*joint)).map(|(joint, goal)| (joint, *goal));
        self.port.tell(GOAL_POSITION, goals)
    }

    /// Switches torque. A motor that is switched on first aims at where it is, or has no goal current where it heeds
    /// that alone; one that cannot be read stays off.
    fn drive(&mut self, wanted: &Joints<bool>) -> Result<(), RobotFault> {
        self.look_at_torque(&Joint::ALL)?;
        let rising: Vec<Joint> =
            Joint::ALL.into_iter().filter(|joint| wanted[*joint] && !self.torque[*joint]).collect();
        let pinned = pin(&mut self.port, &self.spans, &rising)?;
        let bounded = self.bound(&rising)?;
        let safe = Joints::from_fn(|joint| {
            wanted[joint] && (self.torque[joint] || (pinned[joint] && bounded[joint]))
        });
        self.port.tell(TORQUE, safe.iter().map(|(joint, on)| (joint, u32::from(*on))))?;
        self.look_at_torque(&Joint::ALL)
    }

    /// Reads which of these motors are driven; of one that does not answer, what is known stays.
    pub(super) fn look_at_torque(&mut self, joints: &[Joint]) -> Result<(), RobotFault> {
        let answers = ask_patiently(&mut self.port, TORQUE, joints)?;
        self.torque =
            self.torque.zip_with(&answers, |known, answer| answer.map_or(known, |told| told.value != 0));
        Ok(())
    }

    /// Reads the positions. The motors that missed least come first, since one that is silent may keep those after
    /// it from answering; for the same reason, of the motors at the end that do not answer, only the first is blamed.
    fn look(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.looks += 1;
        let mut asked = Joint::ALL;
        asked.sort_unstable_by_key(|joint| (self.missed[*joint], joint.index()));
        let everyone = self.looks.is_multiple_of(ASKED_AGAIN);
        let count = asked.iter().filter(|joint| everyone || self.missed[**joint] < SILENT_AFTER).count();
        let (asked, left_out) = asked.split_at_checked(count).unwrap_or_default();
        let reply = self.port.ask(self.asking, PRESENT_POSITION, asked, Patience::Beat)?;
        let mut losses = reply.losses;
        let last_answer = asked.iter().rposition(|joint| reply.answers[*joint].is_some());
        let first_unheard = last_answer.map_or(0, |place| place + 1);
        let mut answered = Joints::all(false);
        for (place, &joint) in asked.iter().enumerate() {
            if let Some(status) = reply.answers[joint] {
                // One that was away may have started anew; one that says that it has an error may have let go, and
                // one that no longer says so was started anew.
                self.doubt[joint] |= self.missed[joint] > 0 || status.alert == self.errors[joint].is_empty();
                self.missed[joint] = 0;
                answered[joint] = true;
                self.readings[joint] = Reading::Fresh(radians_from_raw(status.value.cast_signed()));
            } else {
                if place <= first_unheard {
                    self.missed[joint] = self.missed[joint].saturating_add(1);
                }
                self.grow_stale(joint);
            }
        }
        for joint in left_out {
            losses[*joint] = Some(Loss::Silent);
            self.grow_stale(*joint);
        }
        self.looked = at;
        self.survey(at, &answered)?;
        Ok(JointState {
            at,
            readings: self.readings,
            torque: self.torque,
            modes: self.modes,
            errors: self.errors,
            health: self.health,
            losses,
            echo: reply.echo,
        })
    }

    fn grow_stale(&mut self, joint: Joint) {
        if let Reading::Fresh(last) = self.readings[joint] {
            self.readings[joint] = Reading::Stale { since: self.looked, last };
        }
    }
}

impl Drop for Servos {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        // The motors hold on by themselves; a watchdog left armed would make the next program's goals fail. An answer
        // tells that the words are out before the line closes. When the line is gone there is nobody to tell.
        let _ = arm(&mut self.port, &Joint::ALL, None).and_then(|()| {
            self.port.ask(Asking::Each, BUS_WATCHDOG, &Joint::ALL, Patience::Reply).map(|_| ())
        });
    }
}
