//! The course of each axis in one call of a tool.

use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::Interpolation;
use firmware_bridge::posture::Posture;

use crate::axis::{Axis, AxisValues};

/// A movement of one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// The axis.
    pub axis: Axis,
    /// When it begins, seconds.
    pub start: f64,
    /// When it ends, seconds.
    pub end: f64,
    /// The value at the start, degrees or millimetres.
    pub from: f64,
    /// The value at the end.
    pub to: f64,
    /// The course between.
    pub easing: Interpolation,
}

impl Piece {
    fn at(&self, time: f64) -> f64 {
        let duration = self.end - self.start;
        if time >= self.end || duration <= 0.0 {
            return self.to;
        }
        self.from + (self.to - self.from) * self.easing.progress((time - self.start) / duration)
    }
}

/// One run of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRun {
    /// The step, counted from 0 in the order of the source, outer steps before inner ones.
    pub step: usize,
    /// When it begins, seconds.
    pub start: f64,
    /// When it ends, seconds.
    pub end: f64,
}

/// The courses of all axes, the sounds, and the runs of the steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    start: AxisValues,
    /// The movements of each axis, in the order of time.
    pieces: [Vec<Piece>; 9],
    sounds: Vec<(f64, String)>,
    photos: Vec<f64>,
    unknown_moves: Vec<String>,
    runs: Vec<StepRun>,
    seconds: f64,
}

impl Timeline {
    pub(crate) fn new(start: AxisValues) -> Self {
        Timeline {
            start,
            pieces: std::array::from_fn(|_| Vec::new()),
            sounds: Vec::new(),
            photos: Vec::new(),
            unknown_moves: Vec::new(),
            runs: Vec::new(),
            seconds: 0.0,
        }
    }

    /// Adds a movement after all others of its axis.
    pub(crate) fn push(&mut self, piece: Piece) {
        if let Some(pieces) = self.pieces.get_mut(piece.axis as usize) {
            pieces.push(piece);
        }
    }

    pub(crate) fn push_photo(&mut self, at: f64) {
        self.photos.push(at);
    }

    pub(crate) fn push_sound(&mut self, at: f64, name: &str) {
        self.sounds.push((at, name.to_owned()));
    }

    pub(crate) fn push_unknown_move(&mut self, name: &str) {
        self.unknown_moves.push(name.to_owned());
    }

    /// Adds a run of a step, and returns its place for [`Timeline::end_step`].
    pub(crate) fn begin_step(&mut self, step: usize, start: f64) -> usize {
        self.runs.push(StepRun { step, start, end: start });
        self.runs.len() - 1
    }

    pub(crate) fn end_step(&mut self, run: usize, end: f64) {
        if let Some(run) = self.runs.get_mut(run) {
            run.end = end;
        }
    }

    pub(crate) fn set_seconds(&mut self, seconds: f64) {
        self.seconds = seconds;
        // Tracks that run at once add their sounds and photos one track after the other.
        self.sounds.sort_by(|one, other| one.0.total_cmp(&other.0));
        self.photos.sort_by(f64::total_cmp);
    }

    /// Returns the duration of the call, seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the movements of an axis, in the order of time.
    #[must_use]
    pub fn pieces(&self, axis: Axis) -> &[Piece] {
        self.pieces.get(axis as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns the times at which photos are taken, seconds.
    #[must_use]
    pub fn photos(&self) -> &[f64] {
        &self.photos
    }

    /// Returns the sounds with the times at which they begin, seconds.
    #[must_use]
    pub fn sounds(&self) -> &[(f64, String)] {
        &self.sounds
    }

    /// Returns the names of recorded moves that were not known; each takes one second without a movement.
    #[must_use]
    pub fn unknown_moves(&self) -> &[String] {
        &self.unknown_moves
    }

    /// Returns the runs of all steps, in the order in which they begin in the source; a step that a loop repeats runs
    /// several times.
    #[must_use]
    pub fn runs(&self) -> &[StepRun] {
        &self.runs
    }

    /// Returns the goals at a time, seconds.
    #[must_use]
    pub fn axes_at(&self, time: f64) -> AxisValues {
        AxisValues::from_fn(|axis| {
            let pieces = self.pieces(axis);
            let begun = pieces.partition_point(|piece| piece.start <= time);
            let piece = begun.checked_sub(1).and_then(|index| pieces.get(index));
            piece.map_or(self.start[axis], |piece| piece.at(time))
        })
    }

    /// Returns the goal posture at a time, seconds: the head in the world frame.
    #[must_use]
    pub fn at(&self, time: f64) -> Posture {
        self.axes_at(time).to_posture()
    }

    /// Returns the first time, seconds, at which a movement ends in a pose that the legs cannot reach.
    #[must_use]
    pub fn unreachable(&self) -> Option<f64> {
        let limits = Limits::default();
        let is_reachable = |time: &f64| {
            joints_from_posture(&self.at(*time)).is_ok_and(|joints| {
                Joint::STEWART.into_iter().all(|leg| {
                    let limit = &limits.joints[leg];
                    (limit.min_position..=limit.max_position).contains(&joints[leg])
                })
            })
        };
        let mut times: Vec<f64> = self.pieces.iter().flatten().map(|piece| piece.end).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times.into_iter().find(|time| !is_reachable(time))
    }
}
