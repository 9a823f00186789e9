//! Traces that were judged and are ready to be written.

use std::path::PathBuf;

use serde::Serialize;

use crate::NoDataset;
use crate::episode::Episode;

/// The most rows a second.
const MOST_FPS: u32 = 240;

/// How a dataset is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Rows per second, 1 to 240.
    pub fps: u32,
    /// Whether pictures become videos, where there are some.
    pub pictures: bool,
    /// The robot's name, for LeRobot.
    pub robot: String,
}

impl Default for Options {
    fn default() -> Self {
        Options { fps: 30, pictures: true, robot: "reachy_mini".into() }
    }
}

/// A dataset that can be written: all its traces were judged.
#[derive(Debug)]
pub struct Plan {
    pub(crate) options: Options,
    pub(crate) episodes: Vec<Episode>,
    pub(crate) motors: Vec<String>,
    /// All tasks, each once, in the order of the episodes.
    pub(crate) tasks: Vec<String>,
    pub(crate) size: Option<(u32, u32)>,
}

/// What a dataset holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Episodes, one for each trace.
    pub episodes: usize,
    /// Rows of all episodes.
    pub frames: usize,
    /// How long all episodes last together, seconds.
    pub seconds: f64,
    /// Videos: one for each episode, or none at all.
    pub videos: usize,
    /// Width and height of the videos, pixels.
    pub video_size: Option<(u32, u32)>,
    /// What was done, each task once.
    pub tasks: Vec<String>,
    /// What to know about single traces, each by its name.
    pub notes: Vec<String>,
}

impl Plan {
    /// Reads traces and judges them; nothing is written. Each becomes one episode, whose task is what the person said
    /// first in it, or else the trace's name.
    ///
    /// # Errors
    ///
    /// When there are no traces, when one can't be read or can't be right, when their motors or the sizes of their
    /// pictures differ, or when only some have pictures.
    pub fn read(traces: &[PathBuf], options: Options) -> Result<Plan, NoDataset> {
        if !(1..=MOST_FPS).contains(&options.fps) {
            return Err(NoDataset::Rate { fps: options.fps, most: MOST_FPS });
        }
        let episodes =
            traces.iter().map(|trace| Episode::read(trace, &options)).collect::<Result<Vec<Episode>, _>>()?;
        let Some(first) = episodes.first() else { return Err(NoDataset::NoTraces) };
        let motors = first.motors.clone();
        if let Some(other) = episodes.iter().find(|episode| episode.motors != motors) {
            return Err(NoDataset::OtherMotors { trace: other.trace.clone(), first: first.trace.clone() });
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

    /// Width and height of the videos, pixels; none when the dataset will have none, so that nobody has to make them.
    pub const fn video_size(&self) -> Option<(u32, u32)> {
        self.size
    }

    /// What the dataset will hold.
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

    /// How many rows all episodes have.
    pub(crate) fn frames(&self) -> usize {
        self.episodes.iter().map(|episode| episode.rows.count).sum()
    }

    /// The number of a task.
    pub(crate) fn task(&self, task: &str) -> usize {
        self.tasks.iter().position(|one| one == task).unwrap_or_default()
    }
}

/// The size of all pictures; none when there are none.
fn one_size(episodes: &[Episode]) -> Result<Option<(u32, u32)>, NoDataset> {
    let size = |episode: &Episode| episode.pictures.as_ref().map(|pictures| pictures.album.size);
    let Some((first, wanted)) = episodes.iter().find_map(|episode| Some((episode, size(episode)?))) else {
        return Ok(None);
    };
    for episode in episodes {
        let trace = episode.trace.clone();
        match size(episode) {
            None => return Err(NoDataset::NoPictures { trace }),
            Some(theirs) if theirs != wanted => {
                return Err(NoDataset::OtherPictures {
                    trace,
                    theirs,
                    first: first.trace.clone(),
                    size: wanted,
                });
            }
            Some(_) => {}
        }
    }
    Ok(Some(wanted))
}
