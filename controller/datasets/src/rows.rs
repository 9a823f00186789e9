//! Samples control cycles at a constant row rate ([`Sampler`]).

use minismith_protocol::trace_format::Cycle;

/// Maximum number of rows of an episode: nearly three hours at 30 per second.
pub const MAX_ROWS: usize = 300_000;

/// Tolerance for rounding errors in cycles: a row this much earlier still contains a cycle.
const ROUNDING_TOLERANCE: f64 = 1e-6;

/// The rows of one episode. Row `k` is `k / fps` seconds after the first cycle and contains the latest cycle until then.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Present positions in radians: one angle per motor for each row.
    pub state: Vec<f32>,
    /// Goal positions, in the same layout.
    pub action: Vec<f32>,
    /// Number of rows.
    pub count: usize,
    /// Number of rows that repeat the previous one because cycles are missing.
    pub stale: usize,
}

/// Cycle positions of the rows.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    /// First cycle.
    pub first: u64,
    /// Cycles per row.
    pub step: f64,
}

impl Grid {
    /// Returns the last cycle that a row may contain.
    // Cycles and rows are far below 2^53, except in a hostile trace, which has too many rows anyway.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    pub fn cycle(&self, row: usize) -> u64 {
        self.first.saturating_add((row as f64 * self.step + ROUNDING_TOLERANCE).floor() as u64)
    }
}

/// Converts cycles to rows.
#[derive(Debug)]
pub struct Sampler {
    grid: Option<Grid>,
    step: f64,
    newest: LatestCycle,
    rows: Rows,
}

#[derive(Debug, Default)]
struct LatestCycle {
    cycle: u64,
    state: Vec<f32>,
    action: Vec<f32>,
}

/// Reports an episode of more than [`MAX_ROWS`].
#[derive(Debug)]
pub struct TooLong;

impl Sampler {
    /// Creates a sampler for cycles of `period_s` seconds and `fps` rows per second.
    pub fn new(period_s: f64, fps: u32) -> Sampler {
        let step = 1.0 / (f64::from(fps) * period_s);
        Sampler { grid: None, step, newest: LatestCycle::default(), rows: Rows::default() }
    }

    /// Processes a cycle, later than all before.
    ///
    /// # Errors
    ///
    /// Returns an error when there are too many rows.
    pub fn take(&mut self, cycle: &Cycle) -> Result<(), TooLong> {
        if self.grid.is_some() {
            self.rows_before(cycle.cycle)?;
        } else {
            self.grid = Some(Grid { first: cycle.cycle, step: self.step });
        }
        self.newest = LatestCycle {
            cycle: cycle.cycle,
            state: radians(&cycle.present_deg),
            action: radians(&cycle.goal_deg),
        };
        Ok(())
    }

    /// Returns all rows and their positions, or `None` without cycles.
    ///
    /// # Errors
    ///
    /// Returns an error when there are too many rows.
    pub fn end(mut self) -> Result<Option<(Rows, Grid)>, TooLong> {
        let Some(grid) = self.grid else { return Ok(None) };
        self.rows_before(self.newest.cycle.saturating_add(1))?;
        Ok(Some((self.rows, grid)))
    }

    /// Fills the rows before `cycle` with the latest earlier cycle.
    // A row's age is far below 2^53 cycles.
    #[allow(clippy::cast_precision_loss)]
    fn rows_before(&mut self, cycle: u64) -> Result<(), TooLong> {
        let Some(grid) = self.grid else { return Ok(()) };
        loop {
            let due = grid.cycle(self.rows.count);
            if due >= cycle {
                return Ok(());
            }
            if self.rows.count == MAX_ROWS {
                return Err(TooLong);
            }
            let age = due.saturating_sub(self.newest.cycle);
            self.rows.stale += usize::from(age >= 1 && age as f64 >= self.step);
            self.rows.count += 1;
            self.rows.state.extend_from_slice(&self.newest.state);
            self.rows.action.extend_from_slice(&self.newest.action);
        }
    }
}

// A dataset stores angles in 32 bits.
#[allow(clippy::cast_possible_truncation)]
fn radians(degrees: &[f64]) -> Vec<f32> {
    degrees.iter().map(|angle| angle.to_radians() as f32).collect()
}
