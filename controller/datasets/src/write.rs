//! Writes a dataset to a temporary folder and renames it when it is complete.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{PrettyFormatter, Serializer};

use crate::episode::Images;
use crate::plan::{Plan, Report};
use crate::table::{Standing, Table};
use crate::{DatasetError, EncodedVideo, FrameSequence, VideoEncoder, card, meta, mp4, statistics};

impl Plan {
    /// Writes the dataset into the new folder `to`, whose parent must exist. `film` encodes the videos, and is not called when
    /// [`Plan::video_size`] is `None`. On failure nothing remains.
    ///
    /// # Errors
    ///
    /// Returns an error when `to` exists, when a file cannot be written, when a trace has changed, or when a video cannot be
    /// encoded.
    pub fn write(&self, to: &Path, film: &mut dyn VideoEncoder) -> Result<Report, DatasetError> {
        if to.symlink_metadata().is_ok() {
            return Err(DatasetError::Exists { path: to.into() });
        }
        let around = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !around.is_dir() {
            return Err(DatasetError::NoFolder { around: around.into() });
        }
        let beside =
            tempfile::Builder::new().prefix(".dataset-").tempdir_in(around).map_err(output(around))?;
        // The umask determines who may read the folder inside.
        let root = beside.path().join("whole");
        self.fill(&root, film)?;
        // This could only replace an empty folder that was created in the meantime.
        fs::rename(&root, to).map_err(output(to))?;
        Ok(self.report())
    }

    /// Writes all files into the folder `root`.
    fn fill(&self, root: &Path, film: &mut dyn VideoEncoder) -> Result<(), DatasetError> {
        let (mut encoded, mut stats, mut before) = (None, Vec::new(), 0);
        for (number, episode) in self.episodes.iter().enumerate() {
            let standing = Standing { episode: number, before, task: self.task(&episode.task) };
            let table = Table::new(&episode.rows, self.motors.len(), self.options.fps, standing);
            table.write(&position(root, &meta::table(number))?)?;
            let mut of_episode = statistics::of_table(&table);
            if let Some(images) = &episode.images {
                let one = self.film(&episode.trace, images, &position(root, &meta::video(number))?, film)?;
                // As in LeRobot, the first video's encoding is recorded for all.
                encoded.get_or_insert(one);
                let of_images = statistics::of_images(images.album.open()?, &images.of_rows)?;
                of_episode.insert(meta::CAMERA.into(), of_images);
            }
            stats.push(of_episode);
            before += episode.rows.count;
        }
        let put = |name: &str, text: &[u8]| {
            let to = position(root, name)?;
            fs::File::create_new(&to).and_then(|mut file| file.write_all(text)).map_err(output(&to))
        };
        put("meta/episodes.jsonl", meta::episodes(self).as_bytes())?;
        put("meta/tasks.jsonl", meta::tasks(self).as_bytes())?;
        put("meta/episodes_stats.jsonl", meta::statistics(stats).as_bytes())?;
        put("meta/info.json", &pretty(&meta::info(self, encoded.as_ref())).map_err(output(root))?)?;
        put("README.md", card::card(self).as_bytes())
    }

    fn film(
        &self,
        trace: &Path,
        images: &Images,
        to: &Path,
        film: &mut dyn VideoEncoder,
    ) -> Result<EncodedVideo, DatasetError> {
        let failed = |reason: String| DatasetError::Video { trace: trace.into(), reason };
        let album = images.album.open()?;
        let mut reel = FrameSequence::new(self.options.fps, images.album.size, to, album, &images.of_rows);
        let filmed = film.encode(&mut reel);
        // An error in the trace takes precedence over its consequences.
        let left = reel.left()?;
        let encoded = filmed.map_err(|error| failed(error.to_string()))?;
        if left > 0 {
            return Err(failed(format!("the encoder did not take {left} images")));
        }
        let rows = images.of_rows.len();
        let frames = match mp4::count(to) {
            Ok(Some(frames)) => frames as usize,
            Ok(None) => return Err(failed("the result is not an MP4 file".into())),
            Err(error) => return Err(failed(format!("cannot read the result: {error}"))),
        };
        if frames != rows {
            return Err(failed(format!("it has {frames} frames for {rows} rows; an image may be damaged")));
        }
        Ok(encoded)
    }
}

/// Returns the path of a file in the dataset, and creates its folder.
fn position(root: &Path, name: &str) -> Result<PathBuf, DatasetError> {
    let path = root.join(name);
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).map_err(output(folder))?;
    Ok(path)
}

fn output(path: &Path) -> impl FnOnce(std::io::Error) -> DatasetError {
    |source| DatasetError::Output { path: path.into(), source }
}

/// Formats a document as LeRobot does.
fn pretty(document: &Value) -> std::io::Result<Vec<u8>> {
    let mut text = Vec::new();
    document.serialize(&mut Serializer::with_formatter(&mut text, PrettyFormatter::with_indent(b"    ")))?;
    Ok(text)
}
