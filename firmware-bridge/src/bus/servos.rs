//! Nine servos on one line, cycle by cycle: their commands, and their known state.

use std::time::Duration;

use super::BusOptions;
use super::bring_up::{BringUpReport, GoalRange, bring_up, enable_watchdog, hold_present, read_with_retries};
use super::convert::{radians_from_raw, raw_from_radians};
use super::packet::SyncRead;
use super::poll_schedule::PollSchedule;
use super::port::{Port, ReplyTimeout};
use super::registers::{BUS_WATCHDOG, GOAL_POSITION, PRESENT_POSITION, TORQUE_ENABLE};
use crate::clock::Timestamp;
use crate::envelope::Action;
use crate::fault::MAX_MISSED_READS;
use crate::joint::{Joint, Joints};
use crate::robot::{JointState, PositionReading, RobotError};
use crate::servo::{Gains, HardwareErrorStatus, MotorHealth, OperatingMode, ReadError};
use crate::units::Radians;

/// A silent motor is asked once per this many reads, so that it does not delay the others.
const RETRY_SILENT_EVERY: u64 = 10;
/// The timeout of answers while the line is opened. No cycle waits then, and a machine that is busy starting may
/// respond late. Only a missing motor costs this time.
const BRING_UP_TIMEOUT: Duration = Duration::from_millis(100);

/// A position further from the last one than a servo can have moved is not believed until a second one confirms it: one damaged
/// packet in 65,536 has a checksum that fits. The fastest servo of this family (XL330-M077) turns at 40 rad/s without a load.
const MAX_SPEED_RAD_S: f64 = 60.0;

/// What a position may differ by in any case, radians.
const MIN_JUMP_RAD: f64 = 0.1;

/// The servos, ready for the control loop.
pub(super) struct Servos {
    pub(super) port: Port,
    pub(super) watchdog: Option<Duration>,
    pub(super) sync_read: SyncRead,
    pub(super) goal_ranges: Joints<GoalRange>,
    pub(super) current_limits: Joints<u16>,
    /// The maximum current of each motor in current-based position mode, milliamperes.
    pub(super) bounds: Joints<u16>,
    /// The gains that each servo should have; a servo loses them when it restarts.
    pub(super) gains: Joints<Gains>,
    pub(super) torque: Joints<bool>,
    pub(super) modes: Joints<OperatingMode>,
    pub(super) errors: Joints<HardwareErrorStatus>,
    pub(super) health: Joints<Option<MotorHealth>>,
    pub(super) readings: Joints<PositionReading>,
    /// Positions that were not believed and that the next one may confirm.
    doubted: Joints<Option<Radians>>,
    /// Motors that may have restarted or released; they are checked as soon as they answer.
    pub(super) is_suspect: Joints<bool>,
    pub(super) schedule: PollSchedule,
    /// Reads missed in a row.
    missed_reads: Joints<u32>,
    read_count: u64,
    /// The time of the last read of the positions.
    last_read: Timestamp,
    /// The time of the last packet to the servos.
    last_sent: Timestamp,
    /// Whether the line has failed, so that no more packets are sent.
    gone: bool,
}

impl Servos {
    /// Prepares all nine servos, without enabling torque.
    pub fn prepare(
        mut port: Port,
        options: &BusOptions,
        gains: &Joints<Gains>,
    ) -> Result<Servos, RobotError> {
        let previous_timeout = port.allow_replies(options.reply_timeout.max(BRING_UP_TIMEOUT));
        let BringUpReport { goal_ranges: spans, current_limits, torque, sync_read: asking } =
            bring_up(&mut port, options, gains)?;
        port.allow_replies(previous_timeout);
        let now = port.now();
        Ok(Servos {
            port,
            watchdog: options.watchdog,
            sync_read: asking,
            goal_ranges: spans,
            current_limits,
            bounds: current_limits,
            gains: *gains,
            torque,
            modes: Joints::all(OperatingMode::Position),
            errors: Joints::all(HardwareErrorStatus::NONE),
            health: Joints::all(None),
            readings: Joints::all(PositionReading::Never),
            doubted: Joints::all(None),
            is_suspect: Joints::all(false),
            schedule: PollSchedule::from(now),
            missed_reads: Joints::all(0),
            read_count: 0,
            last_read: Timestamp::ZERO,
            last_sent: now,
            gone: false,
        })
    }

    /// Executes one command, and reads the positions.
    pub fn carry_out(&mut self, at: Timestamp, action: &Action) -> Result<JointState, RobotError> {
        self.refresh_watchdogs()?;
        match action {
            Action::Targets(targets) => self.write_goals(targets)?,
            Action::Torque(wanted) => self.switch_torque(wanted)?,
            Action::Reboot(joint) => {
                self.port.reboot(joint.motor_id())?;
                self.torque[*joint] = false;
                self.missed_reads[*joint] = MAX_MISSED_READS;
            }
            Action::Modes(wanted) => self.set_modes(wanted)?,
            Action::Currents(wanted) => self.set_currents(wanted)?,
            Action::Gains(joint, gains) => self.set_gains(*joint, *gains)?,
        }
        self.read_positions(at)
    }

    /// Reads the positions.
    pub fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.refresh_watchdogs()?;
        self.read_positions(at)
    }

    /// Marks the line as failed: no more packets are sent.
    pub fn give_up(&mut self) {
        self.gone = true;
    }

    /// The watchdogs may have tripped after a long pause; the servos then ignore goals until the watchdogs are cleared.
    fn refresh_watchdogs(&mut self) -> Result<(), RobotError> {
        let now = self.port.now();
        let silence = now.since(self.last_sent);
        self.last_sent = now;
        match self.watchdog {
            Some(time) if silence * 2 > time => enable_watchdog(&mut self.port, &Joint::ALL, self.watchdog),
            _ => Ok(()),
        }
    }

    /// Writes the goals of all motors that control their position, in one packet.
    fn write_goals(&mut self, targets: &Joints) -> Result<(), RobotError> {
        let mut goals = Joints::all(0);
        for (joint, target) in targets.iter() {
            let raw = raw_from_radians(*target).ok_or_else(|| RobotError::Broken {
                reason: format!("the target of {joint} is not a finite number"),
            })?;
            goals[joint] = self.goal_ranges[joint].nearest(raw);
        }
        let modes = self.modes;
        let follows = |joint: Joint| match modes[joint] {
            OperatingMode::Position | OperatingMode::CurrentBasedPosition => true,
            OperatingMode::Current => false,
        };
        if !Joint::ALL.into_iter().any(follows) {
            return Ok(());
        }
        let goals = goals.iter().filter(|(joint, _)| follows(*joint)).map(|(joint, goal)| (joint, *goal));
        self.port.write_packet(GOAL_POSITION, goals)
    }

    /// Switches torque. A motor whose torque is enabled first gets its present position as goal, or no goal current in
    /// current mode. A motor that cannot be read stays off.
    fn switch_torque(&mut self, wanted: &Joints<bool>) -> Result<(), RobotError> {
        self.read_torque(&Joint::ALL)?;
        let rising: Vec<Joint> =
            Joint::ALL.into_iter().filter(|joint| wanted[*joint] && !self.torque[*joint]).collect();
        let pinned = hold_present(&mut self.port, &self.goal_ranges, &rising)?;
        let current_bounded = self.write_current_bounds(&rising)?;
        let safe = Joints::from_fn(|joint| {
            wanted[joint] && (self.torque[joint] || (pinned[joint] && current_bounded[joint]))
        });
        self.port.write_packet(TORQUE_ENABLE, safe.iter().map(|(joint, on)| (joint, u32::from(*on))))?;
        self.read_torque(&Joint::ALL)
    }

    /// Reads which of these motors have torque. The state of a motor that does not answer stays unchanged.
    pub(super) fn read_torque(&mut self, joints: &[Joint]) -> Result<(), RobotError> {
        let answers = read_with_retries(&mut self.port, TORQUE_ENABLE, joints)?;
        self.torque =
            self.torque.zip_with(&answers, |known, answer| answer.map_or(known, |status| status.value != 0));
        Ok(())
    }

    /// Reads the positions. Motors with the fewest misses come first, since a silent motor may keep those after it from
    /// answering. For the same reason, only the first of the unanswered motors at the end is counted as missing.
    fn read_positions(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.read_count += 1;
        let mut asked = Joint::ALL;
        asked.sort_unstable_by_key(|joint| (self.missed_reads[*joint], joint.index()));
        let include_silent = self.read_count.is_multiple_of(RETRY_SILENT_EVERY);
        let count = asked
            .iter()
            .filter(|joint| include_silent || self.missed_reads[**joint] < MAX_MISSED_READS)
            .count();
        let (asked, left_out) = asked.split_at_checked(count).unwrap_or_default();
        let reply = self.port.request(self.sync_read, PRESENT_POSITION, asked, ReplyTimeout::Cycle)?;
        let mut losses = reply.errors;
        let last_answer = asked.iter().rposition(|joint| reply.answers[*joint].is_some());
        let first_unanswered = last_answer.map_or(0, |index| index + 1);
        let mut answered = Joints::all(false);
        for (index, &joint) in asked.iter().enumerate() {
            if let Some(status) = reply.answers[joint] {
                // A motor that was silent may have restarted. One that reports an error may have released, and one that
                // no longer reports it has restarted.
                self.is_suspect[joint] |=
                    self.missed_reads[joint] > 0 || status.alert == self.errors[joint].is_empty();
                self.missed_reads[joint] = 0;
                answered[joint] = true;
                let position = radians_from_raw(status.value.cast_signed());
                if self.is_believed(joint, position, at) {
                    self.readings[joint] = PositionReading::Fresh(position);
                } else {
                    losses[joint] = Some(ReadError::Corrupt);
                    self.mark_stale(joint);
                }
            } else {
                if index <= first_unanswered {
                    self.missed_reads[joint] = self.missed_reads[joint].saturating_add(1);
                }
                self.mark_stale(joint);
            }
        }
        for joint in left_out {
            losses[*joint] = Some(ReadError::Silent);
            self.mark_stale(*joint);
        }
        self.last_read = at;
        self.poll_status(at, &answered)?;
        Ok(JointState {
            time: at,
            readings: self.readings,
            torque: self.torque,
            modes: self.modes,
            errors: self.errors,
            health: self.health,
            read_errors: losses,
            echo: reply.echo,
        })
    }

    /// Returns whether a servo can have this position, by where it was last, or because it has been there twice.
    fn is_believed(&mut self, joint: Joint, position: Radians, at: Timestamp) -> bool {
        let (last, since) = match self.readings[joint] {
            PositionReading::Never => return true,
            PositionReading::Fresh(last) => (last, self.last_read),
            PositionReading::Stale { since, last } => (last, since),
        };
        let limit = MIN_JUMP_RAD + MAX_SPEED_RAD_S * at.since(since).as_secs_f64();
        let is_near = |known: Radians| (position - known).value().abs() <= limit;
        let is_believed = is_near(last) || self.doubted[joint].is_some_and(is_near);
        self.doubted[joint] = (!is_believed).then_some(position);
        is_believed
    }

    fn mark_stale(&mut self, joint: Joint) {
        if let PositionReading::Fresh(last) = self.readings[joint] {
            self.readings[joint] = PositionReading::Stale { since: self.last_read, last };
        }
    }
}

impl Drop for Servos {
    fn drop(&mut self) {
        if self.gone {
            return;
        }
        // The motors keep holding by themselves; an enabled watchdog would make the next program's goals fail. An
        // answer confirms that the packets were sent before the line closes. If the line is gone, nothing can be sent.
        let _ = enable_watchdog(&mut self.port, &Joint::ALL, None).and_then(|()| {
            self.port.request(SyncRead::Plain, BUS_WATCHDOG, &Joint::ALL, ReplyTimeout::Reply).map(|_| ())
        });
    }
}
