//! Replays images from a file, a folder or a film in place of a camera, at a fixed rate and in a loop ([`Files`]).

use std::fs::{self, File};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use firmware_bridge::clock::{Clock, Timestamp};

use super::jpeg::{self, First};
use super::source::{MAX_FRAME_BYTES, Source, SourceError};
use crate::frame::{Image, decode};

/// Maximum number of images in a folder.
const MAX_FILES: usize = 100_000;

/// Bytes of a film that one read requests.
const READ_CHUNK: u64 = 1 << 16;

/// Images of a JPEG or PNG file, of a folder of them in the order of names, or of a film: a file of concatenated JPEGs.
pub struct Files {
    path: PathBuf,
    rate: f64,
    clock: Arc<dyn Clock>,
    opened: Option<Opened>,
    due: Option<Timestamp>,
    skipped: u64,
}

enum Opened {
    Images { paths: Vec<PathBuf>, next: usize, last: Option<CachedImage> },
    Film { file: File, ahead: Vec<u8>, found: bool },
}

/// The last image that was read, so that a still image is not read again.
struct CachedImage {
    path: PathBuf,
    changed: SystemTime,
    image: Image,
}

impl Files {
    /// Creates a source for a path. `rate` is in images per second, clamped to 0.01 to 240.
    #[must_use]
    pub fn new(path: PathBuf, rate: f64, clock: Arc<dyn Clock>) -> Self {
        let rate = if rate.is_finite() { rate.clamp(0.01, 240.0) } else { 30.0 };
        Files { path, rate, clock, opened: None, due: None, skipped: 0 }
    }

    fn error(&self, reason: &str) -> SourceError {
        SourceError::new(
            format!("{}: {reason}", self.path.display()),
            "set `camera.source` to a JPEG or PNG file, a folder of such files, or an .mjpeg file",
        )
    }

    fn read_error(&self, error: &std::io::Error) -> SourceError {
        self.error(&format!("cannot read it ({error})"))
    }

    /// Returns the next image of a folder or file. Files without a valid image are skipped, but at most once around.
    fn image(&mut self) -> Result<Image, SourceError> {
        let Some(Opened::Images { paths, next, last }) = self.opened.as_mut() else {
            return Err(self.error("the source is not open"));
        };
        for _ in 0..paths.len() {
            let Some(path) = paths.get(*next % paths.len()) else { break };
            *next = (*next + 1) % paths.len();
            if let Some(read) = read(path, last.take()) {
                let image = read.image.clone();
                *last = Some(read);
                return Ok(image);
            }
            self.skipped = self.skipped.saturating_add(1);
        }
        Err(self.error("it contains no image"))
    }

    /// Returns the next image of a film.
    fn film_image(&mut self) -> Result<Image, SourceError> {
        loop {
            let Some(Opened::Film { file, ahead, found }) = self.opened.as_mut() else {
                return Err(self.error("the source is not open"));
            };
            match jpeg::first(ahead) {
                First::Whole(length) => {
                    let rest = ahead.split_off(length);
                    if let Some(whole) = jpeg::whole(std::mem::replace(ahead, rest)) {
                        *found = true;
                        return Ok(Image::Jpeg(whole));
                    }
                    self.skipped = self.skipped.saturating_add(1);
                }
                First::More if ahead.len() < MAX_FRAME_BYTES => {
                    let read = file.take(READ_CHUNK).read_to_end(ahead);
                    let at_end = read.map_err(|error| self.read_error(&error))? == 0;
                    if at_end {
                        self.rewind_film()?;
                    }
                }
                // The image is larger than any that is accepted.
                First::More => ahead.clear(),
                First::None => {
                    // Skip to the next possible beginning of a JPEG.
                    let begin = ahead.windows(2).skip(1).position(|two| two == [0xff, 0xd8]);
                    let gone = begin.map_or(ahead.len().saturating_sub(1).max(1), |at| at + 1);
                    ahead.drain(..gone.min(ahead.len()));
                }
            }
        }
    }

    /// Rewinds a film to its beginning.
    fn rewind_film(&mut self) -> Result<(), SourceError> {
        let Some(Opened::Film { file, ahead, found }) = self.opened.as_mut() else { return Ok(()) };
        if !std::mem::replace(found, false) {
            return Err(self.error("it contains no image"));
        }
        ahead.clear();
        file.rewind().map_err(|error| self.read_error(&error))
    }
}

impl Source for Files {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn format(&self) -> Option<String> {
        self.opened.as_ref().map(|opened| match opened {
            Opened::Images { paths, .. } => format!("{} images at {} per second", paths.len(), self.rate),
            Opened::Film { .. } => format!("a film at {} images per second", self.rate),
        })
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }

    fn open(&mut self) -> Result<(), SourceError> {
        self.close();
        let kind = fs::metadata(&self.path).map_err(|error| self.read_error(&error))?;
        let is_film =
            extension(&self.path).is_some_and(|extension| extension == "mjpeg" || extension == "mjpg");
        self.opened = Some(if is_film && kind.is_file() {
            let file = File::open(&self.path).map_err(|error| self.read_error(&error))?;
            Opened::Film { file, ahead: Vec::new(), found: false }
        } else {
            let paths = if kind.is_dir() {
                image_paths(&self.path).map_err(|error| self.read_error(&error))?
            } else if kind.is_file() {
                vec![self.path.clone()]
            } else {
                Vec::new()
            };
            if paths.is_empty() {
                return Err(self.error("it contains no image"));
            }
            Opened::Images { paths, next: 0, last: None }
        });
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, SourceError> {
        let now = self.clock.now();
        let due = self.due.unwrap_or(now);
        if due > now + wait {
            self.clock.wait_until(now + wait);
            return Ok(None);
        }
        self.clock.wait_until(due);
        let image = match self.opened {
            Some(Opened::Film { .. }) => self.film_image()?,
            _ => self.image()?,
        };
        let period = Duration::from_secs_f64(1.0 / self.rate);
        // A late caller skips the missed images.
        let next = due + period;
        self.due = Some(if next < now { now + period } else { next });
        Ok(Some(image))
    }

    fn close(&mut self) {
        self.opened = None;
    }
}

fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

fn image_paths(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| matches!(extension(path).as_deref(), Some("jpg" | "jpeg" | "png")))
        .take(MAX_FILES)
        .collect();
    paths.sort();
    Ok(paths)
}

/// Reads the image of a file, or returns the last one if that file has not changed.
fn read(path: &Path, last: Option<CachedImage>) -> Option<CachedImage> {
    // Opening a named pipe would block until a writer appears.
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    let changed = metadata.modified().ok()?;
    if let Some(same) = last.filter(|last| last.path == path && last.changed == changed) {
        return Some(same);
    }
    let limit = u64::try_from(MAX_FRAME_BYTES).ok()?;
    if metadata.len() > limit {
        return None;
    }
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
    let image = if bytes.starts_with(&[0xff, 0xd8]) {
        Image::Jpeg(jpeg::whole(bytes)?)
    } else {
        Image::Bgr(decode(&bytes).ok()?)
    };
    Some(CachedImage { path: path.into(), changed, image })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::jpeg::tests::{jpeg, without_tables};
    use firmware_bridge::clock::VirtualClock;

    const WAIT: Duration = Duration::from_secs(3_600);

    fn files(path: &Path) -> (Files, Arc<VirtualClock>) {
        let clock = Arc::new(VirtualClock::new());
        let mut files = Files::new(path.into(), 10.0, clock.clone());
        files.open().unwrap();
        (files, clock)
    }

    fn png() -> Vec<u8> {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::from_pixel(4, 2, image::Rgb([200, 100, 50]))
            .write_to(&mut bytes, image::ImageFormat::Png)
            .unwrap();
        bytes.into_inner()
    }

    #[test]
    fn folder_replays_in_name_order_at_its_rate_and_loops() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [
            ("b.jpg", jpeg(2)),
            ("a.JPEG", jpeg(1)),
            ("c.png", png()),
            ("bb.jpg", b"no picture".to_vec()),
            ("notes.txt", b"not shown".to_vec()),
        ] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let (mut files, clock) = files(folder.path());
        assert_eq!(files.format().unwrap(), "4 images at 10 per second");
        let mut images = Vec::new();
        for _ in 0..4 {
            images.push(files.next(WAIT).unwrap().unwrap());
        }
        assert_eq!(clock.now(), Timestamp(300_000_000));
        assert_eq!(images[0], Image::Jpeg(jpeg(1)));
        assert_eq!(images[1], Image::Jpeg(jpeg(2)));
        let Image::Bgr(image) = &images[2] else { panic!("not decoded") };
        assert_eq!((image.width, image.height, image.pixel(0, 0)), (4, 2, Some([50, 100, 200])));
        assert_eq!(images[3], images[0]);
        assert_eq!(files.skipped(), 1);
    }

    #[test]
    fn next_returns_within_the_requested_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.jpg");
        fs::write(&path, jpeg(1)).unwrap();
        let (mut files, clock) = files(&path);
        assert!(files.next(Duration::ZERO).unwrap().is_some());
        assert_eq!(files.next(Duration::from_millis(60)).unwrap(), None);
        assert_eq!(clock.now(), Timestamp(60_000_000));
        assert!(files.next(Duration::from_millis(60)).unwrap().is_some());
        assert_eq!(clock.now(), Timestamp(100_000_000));
        // After a pause one image is due, not all that were missed.
        clock.wait_until(Timestamp(1_000_000_000));
        assert!(files.next(Duration::ZERO).unwrap().is_some());
        assert_eq!(files.next(Duration::ZERO).unwrap(), None);
    }

    #[test]
    fn film_skips_damaged_images_and_loops() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film.mjpeg");
        let film = [
            b"\xffnoise".to_vec(),
            jpeg(1),
            vec![0; 9],
            without_tables(&jpeg(2)),
            jpeg(3)[..300].to_vec(),
            jpeg(4),
        ];
        fs::write(&path, film.concat()).unwrap();
        let (mut files, _clock) = files(&path);
        let mut images = Vec::new();
        for _ in 0..6 {
            let Some(Image::Jpeg(bytes)) = files.next(WAIT).unwrap() else { panic!("no JPEG") };
            images.push(decode(&bytes).unwrap());
        }
        let expected = [1, 2, 4].map(|shade| decode(&jpeg(shade)).unwrap());
        assert!(images[..2] == expected[..2] && images[3..5] == expected[..2]);
        assert_eq!(images[2], images[5]);
    }

    #[test]
    fn files_without_an_image_return_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(VirtualClock::new());
        let of = |name: &str, bytes: &[u8]| {
            let path = folder.path().join(name);
            fs::write(&path, bytes).unwrap();
            Files::new(path, 10.0, clock.clone())
        };
        for (name, bytes) in [
            ("a.mjpeg", &b""[..]),
            ("b.mjpeg", &[0xff; 70_000]),
            ("c.mjpeg", &jpeg(1)[..500]),
            ("d.jpg", b"none"),
            ("e.png", b""),
        ] {
            let mut files = of(name, bytes);
            files.open().unwrap();
            let metadata = files.next(WAIT).unwrap_err();
            assert!(metadata.reason.contains("no image"), "{name}: {metadata}");
        }
        for path in [
            folder.path().join("nowhere.jpg"),
            "/dev/null".into(),
            tempfile::tempdir().unwrap().path().into(),
        ] {
            assert!(
                Files::new(path, f64::NAN, clock.clone())
                    .open()
                    .unwrap_err()
                    .remedy
                    .contains("camera.source")
            );
        }
        assert!(of("f.jpg", &jpeg(1)).next(WAIT).is_err());
    }

    #[test]
    fn replaced_file_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.jpg");
        fs::write(&path, jpeg(1)).unwrap();
        let (mut files, _clock) = files(&path);
        assert_eq!(files.next(WAIT).unwrap(), Some(Image::Jpeg(jpeg(1))));
        fs::write(&path, jpeg(2)).unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(files.next(WAIT).unwrap(), Some(Image::Jpeg(jpeg(2))));
    }
}
