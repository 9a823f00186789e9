//! Plan of a dataset ([`Plan`]): validated traces that are ready to be written.

use std::path::PathBuf;

use serde::Serialize;

use crate::DatasetError;
use crate::episode::Episode;

/// Maximum rate in rows per second.
const MAX_FPS: u32 = 240;

/// Options for a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Rows per second, 1 to 240.
    pub fps: u32,
    /// Whether images become videos, if there are any.
    pub images: bool,
    /// Name of the robot for LeRobot.
    pub robot: String,
}

impl Default for Options {
    fn default() -> Self {
        Options { fps: 30, images: true, robot: "reachy_mini".into() }
    }
}

/// A dataset that can be written: all its traces are valid.
#[derive(Debug)]
pub struct Plan {
    pub(crate) options: Options,
    pub(crate) episodes: Vec<Episode>,
    pub(crate) motors: Vec<String>,
    /// All tasks, each once, in the order of the episodes.
    pub(crate) tasks: Vec<String>,
    pub(crate) size: Option<(u32, u32)>,
}

/// Contents of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Number of episodes, one per trace.
    pub episodes: usize,
    /// Number of rows of all episodes.
    pub frames: usize,
    /// Total duration in seconds.
    pub seconds: f64,
    /// Number of videos: one per episode, or none.
    pub videos: usize,
    /// Width and height of the videos in pixels.
    pub video_size: Option<(u32, u32)>,
    /// Tasks, each once.
    pub tasks: Vec<String>,
    /// Warnings, each with the name of its trace.
    pub notes: Vec<String>,
}

impl Plan {
    /// Reads and validates traces, and writes nothing. Each becomes one episode. Its task is the user's first utterance, or
    /// else the trace's name.
    ///
    /// # Errors
    ///
    /// Returns an error when there are no traces, when one cannot be read or is invalid, when motors or image sizes differ, or
    /// when only some traces have images.
    pub fn read(traces: &[PathBuf], options: Options) -> Result<Plan, DatasetError> {
        if !(1..=MAX_FPS).contains(&options.fps) {
            return Err(DatasetError::Rate { fps: options.fps, max: MAX_FPS });
        }
        let episodes =
            traces.iter().map(|trace| Episode::read(trace, &options)).collect::<Result<Vec<Episode>, _>>()?;
        let Some(first) = episodes.first() else { return Err(DatasetError::NoTraces) };
        let motors = first.motors.clone();
        if let Some(other) = episodes.iter().find(|episode| episode.motors != motors) {
            return Err(DatasetError::OtherMotors { trace: other.trace.clone(), first: first.trace.clone() });
        }
        let size = one_size(&episodes)?;
        let mut tasks: Vec<String> = Vec::new();
        for episode in &episodes {
            if !tasks.contains(&episode.task) {
                tasks.push(episode.task.clone());
            }
        }
        Ok(Plan { options, episodes, motors, tasks, size })
    }

    /// Returns width and height of the videos in pixels, or `None` when no videos are needed.
    pub const fn video_size(&self) -> Option<(u32, u32)> {
        self.size
    }

    /// Describes the dataset.
    // No dataset has 2^53 rows.
    #[allow(clippy::cast_precision_loss)]
    pub fn report(&self) -> Report {
        let episodes = self.episodes.len();
        let frames = self.frames();
        let note = |episode: &Episode| {
            let trace = episode.trace.display().to_string();
            episode.notes.iter().map(move |note| format!("{trace}: {note}")).collect::<Vec<_>>()
        };
        Report {
            episodes,
            frames,
            seconds: frames as f64 / f64::from(self.options.fps),
            videos: self.size.map_or(0, |_| episodes),
            video_size: self.size,
            tasks: self.tasks.clone(),
            notes: self.episodes.iter().flat_map(note).collect(),
        }
    }

    /// Returns the number of rows of all episodes.
    pub(crate) fn frames(&self) -> usize {
        self.episodes.iter().map(|episode| episode.rows.count).sum()
    }

    /// Returns the index of a task.
    pub(crate) fn task(&self, task: &str) -> usize {
        self.tasks.iter().position(|one| one == task).unwrap_or_default()
    }
}

/// Returns the common image size, or `None` without images.
fn one_size(episodes: &[Episode]) -> Result<Option<(u32, u32)>, DatasetError> {
    let size = |episode: &Episode| episode.images.as_ref().map(|images| images.album.size);
    let Some((first, expected)) = episodes.iter().find_map(|episode| Some((episode, size(episode)?))) else {
        return Ok(None);
    };
    for episode in episodes {
        let trace = episode.trace.clone();
        match size(episode) {
            None => return Err(DatasetError::NoImages { trace }),
            Some(theirs) if theirs != expected => {
                return Err(DatasetError::OtherImages {
                    trace,
                    theirs,
                    first: first.trace.clone(),
                    size: expected,
                });
            }
            Some(_) => {}
        }
    }
    Ok(Some(expected))
}
