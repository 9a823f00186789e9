//! Writes other than goal positions: operating modes, goal currents and gains.

use super::bring_up::{hold_present, read_with_retries, set_gains};
use super::instructions::{low_16, low_byte};
use super::registers::{GOAL_CURRENT, OPERATING_MODE, TORQUE_ENABLE};
use super::servos::Servos;
use crate::joint::{Joint, Joints};
use crate::robot::RobotError;
use crate::servo::{Gains, Milliamps, OperatingMode};

impl Servos {
    /// Changes the motors' operating modes. The register is locked while torque is on, so a motor that changes releases
    /// for a moment. Then it holds its position: in current mode without current, in current-based position mode with
    /// full current.
    pub(super) fn set_modes(&mut self, wanted: &Joints<OperatingMode>) -> Result<(), RobotError> {
        let changing: Vec<Joint> =
            Joint::ALL.into_iter().filter(|joint| wanted[*joint] != self.modes[*joint]).collect();
        if changing.is_empty() {
            return Ok(());
        }
        self.read_torque(&changing)?;
        let driven = self.torque;
        self.port.write_packet(TORQUE_ENABLE, changing.iter().map(|joint| (*joint, 0)))?;
        self.port.write_packet(
            OPERATING_MODE,
            changing.iter().map(|joint| (*joint, wanted[*joint].number().into())),
        )?;
        let found = read_with_retries(&mut self.port, OPERATING_MODE, &changing)?;
        let mut refused = None;
        for &joint in &changing {
            let mode = found[joint].and_then(|status| OperatingMode::from_number(low_byte(status.value)));
            match mode {
                Some(mode) if mode == wanted[joint] => self.modes[joint] = mode,
                Some(_) => {
                    refused = refused.or(Some(RobotError::Rejected { joint, what: OPERATING_MODE.name }))
                }
                None => refused = refused.or(Some(RobotError::Silent { joint })),
            }
        }
        changing.iter().for_each(|joint| self.bounds[*joint] = self.current_limits[*joint]);
        let current_bounded = self.write_current_bounds(&changing)?;
        let pinned = hold_present(&mut self.port, &self.goal_ranges, &changing)?;
        let safe = |joint: Joint| found[joint].is_some() && pinned[joint] && current_bounded[joint];
        let reenabled: Vec<Joint> =
            changing.iter().copied().filter(|joint| driven[*joint] && safe(*joint)).collect();
        if !reenabled.is_empty() {
            self.port.write_packet(TORQUE_ENABLE, reenabled.iter().map(|joint| (*joint, 1)))?;
        }
        self.read_torque(&changing)?;
        // Some firmware resets the gains as well.
        for joint in changing {
            if found[joint].is_some() {
                set_gains(&mut self.port, joint, self.gains[joint])?;
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Before torque is enabled, writes the goal current of the motors that use it: zero in current mode, the current
    /// limit in current-based position mode. A servo that restarted or changed its mode may have set the register to
    /// its maximum, which would turn it. Returns which motors accepted the value or need none.
    pub(super) fn write_current_bounds(&mut self, joints: &[Joint]) -> Result<Joints<bool>, RobotError> {
        let goals = Joints::from_fn(|joint| match self.modes[joint] {
            OperatingMode::Position => None,
            OperatingMode::Current => Some(0),
            OperatingMode::CurrentBasedPosition => Some(u32::from(self.bounds[joint])),
        });
        let affected: Vec<Joint> = joints.iter().copied().filter(|joint| goals[*joint].is_some()).collect();
        if !affected.is_empty() {
            let values = affected.iter().filter_map(|joint| Some((*joint, goals[*joint]?)));
            self.port.write_packet(GOAL_CURRENT, values)?;
        }
        let read_back = read_with_retries(&mut self.port, GOAL_CURRENT, &affected)?;
        Ok(goals.zip_with(&read_back, |goal, read_back| {
            goal.is_none_or(|goal| read_back.is_some_and(|status| status.value == goal))
        }))
    }

    /// Writes the goal currents of all motors that use one, in one packet.
    pub(super) fn set_currents(&mut self, wanted: &Joints<Milliamps>) -> Result<(), RobotError> {
        let mut goals = Joints::all(None);
        for (joint, current) in wanted.iter() {
            if !current.0.is_finite() {
                let reason = format!("the goal current of {joint} is not a finite number");
                return Err(RobotError::Broken { reason });
            }
            let limit = f64::from(self.current_limits[joint]);
            goals[joint] = match self.modes[joint] {
                OperatingMode::Position => None,
                OperatingMode::Current => Some(current.0.clamp(-limit, limit)),
                // In this mode the value limits the current in both directions.
                OperatingMode::CurrentBasedPosition => Some(current.0.abs().min(limit)),
            };
        }
        if goals.iter().all(|(_, goal)| goal.is_none()) {
            return Ok(());
        }
        for (joint, goal) in goals.iter() {
            if let (OperatingMode::CurrentBasedPosition, Some(bound)) = (self.modes[joint], goal) {
                self.bounds[joint] = low_16(register_of(*bound));
            }
        }
        let goals = goals.iter().filter_map(|(joint, goal)| Some((joint, (*goal)?)));
        self.port.write_packet(GOAL_CURRENT, goals.map(|(joint, goal)| (joint, register_of(goal))))
    }

    /// Writes one motor's gains, and stores them for when it restarts.
    pub(super) fn set_gains(&mut self, joint: Joint, gains: Gains) -> Result<(), RobotError> {
        set_gains(&mut self.port, joint, gains)?;
        self.gains[joint] = gains;
        Ok(())
    }
}

/// Returns a goal current as its register value: two bytes, signed.
#[allow(clippy::cast_possible_truncation, reason = "the limit register has two bytes")]
fn register_of(milliamps: f64) -> u32 {
    (milliamps.round() as i32).cast_unsigned()
}
