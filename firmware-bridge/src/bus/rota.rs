//! Whose turn it is to be asked for more than its position.

use std::time::Duration;

use crate::clock::Tick;
use crate::joint::Joint;

/// Each motor has both its turns in this time, whatever the beat.
const ROUND: Duration = Duration::from_millis(500);
/// Two turns for each of nine motors.
const TURNS: u32 = 18;
/// So many turns at most belong to one beat, so that a slow beat is not filled by them.
pub(super) const TURNS_ON_A_BEAT: u32 = 4;

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rota {
    turn: u32,
    due: Tick,
}

impl Rota {
    /// Begins with the first motor.
    pub const fn from(now: Tick) -> Rota {
        Rota { turn: 0, due: now }
    }

    /// The next turn, if it has come.
    pub fn next(&mut self, now: Tick) -> Option<(Joint, Turn)> {
        if now < self.due {
            return None;
        }
        let between = ROUND / TURNS;
        // What a slow beat could not do is left out, not made up for.
        let late = now.since(self.due).min(between * (TURNS_ON_A_BEAT - 1));
        self.due = Tick(now.0 - u64::try_from(late.as_nanos()).unwrap_or(0)) + between;
        let turn = self.turn;
        self.turn = (turn + 1) % TURNS;
        let place = usize::try_from(turn / 2).unwrap_or_default();
        let kind = if turn.is_multiple_of(2) { Turn::Condition } else { Turn::Measurements };
        Joint::ALL.get(place).map(|joint| (*joint, kind))
    }
}

/// What a motor is asked when its turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    Condition,
    Measurements,
}
