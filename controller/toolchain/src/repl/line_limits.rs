//! A guest whose limits apply to each line instead of its whole life.

use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_protocol::{GuestMessage, HostReply, Limits};

use crate::guest::{Guest, GuestError, SandboxedGuest};

/// A guest during one line.
pub struct LineLimits<'a> {
    guest: &'a mut SandboxedGuest,
    limits: Limits,
    /// Processor time used before this line.
    before: Duration,
    printed: u64,
    thought: Duration,
    clock: MonotonicClock,
    /// Receives the printed text as it arrives.
    report: &'a mut dyn FnMut(&str),
}

impl<'a> LineLimits<'a> {
    /// Creates the wrapper at the beginning of a line.
    pub fn new(guest: &'a mut SandboxedGuest, limits: Limits, report: &'a mut dyn FnMut(&str)) -> Self {
        let before = guest.cpu().unwrap_or_default();
        let (printed, thought) = (0, Duration::ZERO);
        LineLimits { guest, limits, before, printed, thought, clock: MonotonicClock::start(), report }
    }
}

impl Guest for LineLimits<'_> {
    fn turn(&mut self, answer: &HostReply, raw: Option<&[u8]>) -> Result<GuestMessage, GuestError> {
        let asked = self.clock.now();
        let turn = self.guest.turn(answer, raw)?;
        self.thought += self.clock.now() - asked;
        let printed = match &turn {
            GuestMessage::Asks { printed, .. }
            | GuestMessage::Printed { printed, .. }
            | GuestMessage::Result { printed, .. } => printed,
            _ => "",
        };
        self.printed = self.printed.saturating_add(printed.len() as u64);
        let Limits { cpu_seconds, output_bytes, wall_seconds, .. } = self.limits;
        if self.printed > output_bytes {
            return Err(GuestError::Output { limit: output_bytes, used: self.printed });
        }
        let used = self.guest.cpu().unwrap_or_default().saturating_sub(self.before);
        if used > Duration::from_secs(cpu_seconds) {
            return Err(GuestError::Cpu { limit: cpu_seconds, used: used.as_secs_f64() });
        }
        if self.thought.as_secs_f64() > wall_seconds {
            return Err(GuestError::Wall { limit: wall_seconds, used: self.thought.as_secs_f64() });
        }
        (self.report)(printed);
        Ok(turn)
    }
}
