//! From beats, as many as there were, to rows at an even rate.

use minismith_wire::recording::Beat;

/// The most rows of an episode: nearly three hours at thirty a second.
pub const MOST_ROWS: usize = 300_000;

/// How far a row may lie before a beat and still see it, beats: for what is lost in rounding.
const SLACK: f64 = 1e-6;

/// The rows of one episode. Row `k` lies `k / fps` seconds after the first beat and holds the newest beat until then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Where the motors were, radians: for each row one angle for each motor.
    pub state: Vec<f32>,
    /// Where the motors were told to be, likewise.
    pub action: Vec<f32>,
    /// How many rows there are.
    pub count: usize,
    /// How many of them hold a beat that the row before them could have held, since beats are missing.
    pub stale: usize,
}

/// At which beat a row lies.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// The first beat.
    pub first: u64,
    /// Beats per row.
    pub step: f64,
}

impl Grid {
    /// The last beat that row `row` can have seen.
    // Beats and rows are far below 2^53, except in a hostile trace, whose rows are too many anyway.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn beat(&self, row: usize) -> u64 {
        self.first.saturating_add((row as f64 * self.step + SLACK).floor() as u64)
    }
}

/// Takes beats and gives rows.
#[derive(Debug)]
pub struct Sampler {
    grid: Option<Grid>,
    step: f64,
    newest: Newest,
    rows: Rows,
}

#[derive(Debug, Default)]
struct Newest {
    beat: u64,
    state: Vec<f32>,
    action: Vec<f32>,
}

/// The episode would have more than [`MOST_ROWS`].
#[derive(Debug)]
pub struct TooLong;

impl Sampler {
    /// For beats that last `period_s` seconds, and `fps` rows a second.
    pub fn new(period_s: f64, fps: u32) -> Sampler {
        let step = 1.0 / (f64::from(fps) * period_s);
        Sampler { grid: None, step, newest: Newest::default(), rows: Rows::default() }
    }

    /// One beat more, later than all before.
    ///
    /// # Errors
    ///
    /// When there are too many rows.
    pub fn take(&mut self, beat: &Beat) -> Result<(), TooLong> {
        if self.grid.is_some() {
            self.rows_before(beat.beat)?;
        } else {
            self.grid = Some(Grid { first: beat.beat, step: self.step });
        }
        self.newest =
            Newest { beat: beat.beat, state: radians(&beat.present_deg), action: radians(&beat.goal_deg) };
        Ok(())
    }

    /// All rows, and where they lie; none without beats.
    ///
    /// # Errors
    ///
    /// When there are too many rows.
    pub fn end(mut self) -> Result<Option<(Rows, Grid)>, TooLong> {
        let Some(grid) = self.grid else { return Ok(None) };
        self.rows_before(self.newest.beat.saturating_add(1))?;
        Ok(Some((self.rows, grid)))
    }

    /// The rows that can't see `beat` hold what was newest before it.
    // A row's age is far below 2^53 beats.
    #[allow(clippy::cast_precision_loss)]
    fn rows_before(&mut self, beat: u64) -> Result<(), TooLong> {
        let Some(grid) = self.grid else { return Ok(()) };
        loop {
            let due = grid.beat(self.rows.count);
            if due >= beat {
                return Ok(());
            }
            if self.rows.count == MOST_ROWS {
                return Err(TooLong);
            }
            let age = due.saturating_sub(self.newest.beat);
            self.rows.stale += usize::from(age >= 1 && age as f64 >= self.step);
            self.rows.count += 1;
            self.rows.state.extend_from_slice(&self.newest.state);
            self.rows.action.extend_from_slice(&self.newest.action);
        }
    }
}

// A dataset has 32 bits for an angle.
#[allow(clippy::cast_possible_truncation)]
fn radians(degrees: &[f64]) -> Vec<f32> {
    degrees.iter().map(|angle| angle.to_radians() as f32).collect()
}
