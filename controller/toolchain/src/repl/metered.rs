//! A guest whose limits apply to each line instead of its whole life.

use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock};
use minismith_wire::{Answer, Limits, Turn};

use crate::guest::{CagedGuest, Guest, GuestFault};

/// A guest during one line.
pub struct Metered<'a> {
    guest: &'a mut CagedGuest,
    limits: Limits,
    /// Processor time used before this line.
    before: Duration,
    printed: u64,
    thought: Duration,
    clock: WallClock,
    /// Receives the printed text as it arrives.
    tell: &'a mut dyn FnMut(&str),
}

impl<'a> Metered<'a> {
    /// Creates the wrapper at the beginning of a line.
    pub fn new(guest: &'a mut CagedGuest, limits: Limits, tell: &'a mut dyn FnMut(&str)) -> Self {
        let before = guest.cpu().unwrap_or_default();
        let (printed, thought) = (0, Duration::ZERO);
        Metered { guest, limits, before, printed, thought, clock: WallClock::start(), tell }
    }
}

impl Guest for Metered<'_> {
    fn turn(&mut self, answer: &Answer, raw: Option<&[u8]>) -> Result<Turn, GuestFault> {
        let asked = self.clock.now();
        let turn = self.guest.turn(answer, raw)?;
        self.thought += self.clock.now() - asked;
        let printed = match &turn {
            Turn::Asks { printed, .. } | Turn::Printed { printed, .. } | Turn::Result { printed, .. } => {
                printed
            }
            _ => "",
        };
        self.printed = self.printed.saturating_add(printed.len() as u64);
        let Limits { cpu_seconds, output_bytes, wall_seconds, .. } = self.limits;
        if self.printed > output_bytes {
            return Err(GuestFault::Output { limit: output_bytes, used: self.printed });
        }
        let used = self.guest.cpu().unwrap_or_default().saturating_sub(self.before);
        if used > Duration::from_secs(cpu_seconds) {
            return Err(GuestFault::Cpu { limit: cpu_seconds, used: used.as_secs_f64() });
        }
        if self.thought.as_secs_f64() > wall_seconds {
            return Err(GuestFault::Wall { limit: wall_seconds, used: self.thought.as_secs_f64() });
        }
        (self.tell)(printed);
        Ok(turn)
    }
}
