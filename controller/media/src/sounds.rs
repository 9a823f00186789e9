//! Sounds that clients upload and play at the robot's speaker.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use minismith_control::sound::{SAMPLE_RATE, tone};
use minismith_voice::audio::{AudioFault, Clip};
use minismith_voice::devices::mixer::{Side, set_volume, volume};
use minismith_voice::devices::{DeviceError, Pace, Speaker};
use tempfile::TempDir;
use tokio::sync::watch;

/// The largest sound, bytes, as in the official daemon (official `daemon/app/routers/media.py`).
pub const MAX_SOUND_BYTES: usize = 25 << 20;

/// Uploaded sounds that are kept, and their bytes together.
const MAX_SOUNDS: usize = 100;
const MAX_ALL_BYTES: u64 = 200 << 20;

/// How far ahead sound is given to the speaker, so that it can be stopped at once.
const AHEAD: Duration = Duration::from_millis(200);

/// The longest name.
const MAX_NAME_BYTES: usize = 100;

/// Why a sound is not kept or played. The messages are for people.
#[derive(Debug, thiserror::Error)]
pub enum SoundError {
    /// The name is not that of a file.
    #[error("invalid file name: use the name of a .wav file, without a folder")]
    Name,
    /// There is no such sound.
    #[error("there is no sound {0:?}; upload it first, or install the official SDK, which brings some")]
    Missing(String),
    /// It is no sound.
    #[error(transparent)]
    Invalid(#[from] AudioFault),
    /// There is no room.
    #[error("too many sounds are stored; delete some first")]
    Full,
    /// The speaker cannot be used.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// There is no speaker.
    #[error("there is no {0}: it is `none` in the configuration (`voice`)")]
    NoDevice(&'static str),
    /// Too many clients hear the microphone.
    #[error("too many clients hear the microphone: {0} do, {0} allowed; try again later")]
    Crowd(usize),
    /// A file cannot be used.
    #[error("cannot store the sound: {0}")]
    File(#[from] io::Error),
}

/// The sounds and the devices of a server.
pub struct Sounds {
    speaker: Option<String>,
    microphone: Option<String>,
    /// The sounds that the official package brings.
    official: PathBuf,
    uploaded: Mutex<Option<UploadFolder>>,
    /// What is played now; another one replaces it.
    playing: Mutex<Arc<()>>,
    /// Counts the requests to silence clients that talk.
    silenced: watch::Sender<u64>,
}

/// How the name of a folder of uploaded sounds begins.
const FOLDER_PREFIX: &str = "minismith-sounds-";

/// How often a folder is made again that another server took for one of a server that was killed.
const MAX_ATTEMPTS: usize = 4;

/// The folder of uploaded sounds of one server. It is deleted with this value, and locked, so that the next server can tell
/// which folders belong to servers that were killed.
struct UploadFolder {
    folder: TempDir,
    _lock: File,
}

impl UploadFolder {
    /// Makes a folder, and deletes those of servers that were killed.
    fn make() -> io::Result<Self> {
        delete_abandoned(&std::env::temp_dir());
        for _ in 0..MAX_ATTEMPTS {
            let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir()?;
            let Ok(lock) = File::open(folder.path()) else { continue };
            // Until it is locked, another server may delete it.
            if lock.try_lock().is_ok() && folder.path().is_dir() {
                return Ok(UploadFolder { folder, _lock: lock });
            }
        }
        Err(io::Error::other("the folder for uploaded sounds disappears"))
    }
}

/// Deletes the folders that no server has locked. Those of other users can't be deleted, and are left.
fn delete_abandoned(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_own = entry.file_name().to_string_lossy().starts_with(FOLDER_PREFIX);
        // The type of the entry itself: a link is no folder.
        if !is_own || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        let Ok(lock) = File::open(entry.path()) else { continue };
        if lock.try_lock().is_ok() {
            let _left = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Sounds {
    /// Returns the sounds for these devices, by their ALSA names. `sdk` has the official package, if it is installed.
    #[must_use]
    pub fn new(speaker: Option<String>, microphone: Option<String>, sdk: &Path) -> Self {
        Sounds {
            speaker,
            microphone,
            official: sdk.join("reachy_mini/assets"),
            uploaded: Mutex::default(),
            playing: Mutex::default(),
            silenced: watch::Sender::new(0),
        }
    }

    /// Returns the folder of uploaded sounds; none before the first upload.
    fn folder(&self) -> Option<PathBuf> {
        let uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        uploaded.as_ref().map(|folder| folder.folder.path().to_owned())
    }

    /// Returns the folder of uploaded sounds, and makes it for the first one.
    fn upload_folder(&self) -> io::Result<PathBuf> {
        let mut uploaded = self.uploaded.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match uploaded.take() {
            Some(folder) => folder,
            None => UploadFolder::make()?,
        };
        Ok(uploaded.insert(folder).folder.path().to_owned())
    }

    /// Deletes all uploaded sounds, at the end of a server.
    pub fn clear(&self) {
        *self.uploaded.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Stores a sound, and returns where.
    ///
    /// # Errors
    /// When it is no sound, its name is invalid, or there is no room.
    pub fn store(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, SoundError> {
        let name = checked(name)?;
        Clip::from_bytes(bytes)?;
        let folder = self.upload_folder()?;
        let others: Vec<u64> = std::fs::read_dir(&folder)?
            .flatten()
            .filter(|entry| entry.file_name() != name)
            .filter_map(|entry| entry.metadata().ok())
            .map(|about| about.len())
            .collect();
        if others.len() >= MAX_SOUNDS || others.iter().sum::<u64>() + bytes.len() as u64 > MAX_ALL_BYTES {
            return Err(SoundError::Full);
        }
        let path = folder.join(name);
        std::fs::write(&path, bytes)?;
        Ok(path)
    }

    /// Returns the names of uploaded sounds.
    ///
    /// # Errors
    /// When their folder cannot be read.
    pub fn list(&self) -> Result<Vec<String>, SoundError> {
        let Some(folder) = self.folder() else { return Ok(Vec::new()) };
        let entries = std::fs::read_dir(folder)?.flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    /// Deletes an uploaded sound.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn delete(&self, name: &str) -> Result<(), SoundError> {
        let file = checked(name)?;
        let deleted = self.folder().map(|folder| std::fs::remove_file(folder.join(file)));
        deleted.and_then(Result::ok).ok_or_else(|| SoundError::Missing(name.into()))
    }

    /// Plays a sound: an uploaded one, by its name or the path that the upload returned, or one of the official package. It
    /// replaces the one that plays, and does not wait for its end.
    ///
    /// # Errors
    /// When it is missing or no sound, or the speaker cannot be used.
    pub fn play(&self, name: &str) -> Result<(), SoundError> {
        self.play_clip(&self.open(name)?)
    }

    /// Returns a sound, as [`Self::play`] finds it.
    ///
    /// # Errors
    /// When it is missing or no sound.
    pub fn open(&self, name: &str) -> Result<Clip, SoundError> {
        let folder = self.folder();
        let own = folder.as_ref().and_then(|folder| Path::new(name).strip_prefix(folder).ok()?.to_str());
        let file = checked(own.unwrap_or(name))?;
        let folders = folder.iter().chain([&self.official]);
        let found = folders.map(|folder| folder.join(file)).find(|path| path.is_file());
        Ok(Clip::open(&found.ok_or_else(|| SoundError::Missing(name.into()))?)?)
    }

    /// Plays a short tone.
    ///
    /// # Errors
    /// When the speaker cannot be used.
    pub fn test(&self) -> Result<(), SoundError> {
        self.play_clip(&Clip::new(SAMPLE_RATE, tone()))
    }

    fn play_clip(&self, clip: &Clip) -> Result<(), SoundError> {
        let device = self.speaker.as_deref().ok_or(SoundError::NoDevice("speaker"))?;
        let own = Arc::new(());
        *self.playing.lock().unwrap_or_else(PoisonError::into_inner) = own.clone();
        let speaker = Speaker::open(device, Pace::Device, AHEAD)?;
        let samples = clip.resampled(speaker.rate())?.samples;
        let current = Arc::downgrade(&own);
        drop(own);
        std::thread::Builder::new().name("sound".into()).spawn(move || {
            let mut rest = samples.as_slice();
            // Another sound, or a stop, has dropped the mark of this one.
            while current.strong_count() > 0 && !rest.is_empty() && !speaker.health().is_lost {
                rest = rest.get(speaker.play(rest)..).unwrap_or_default();
                std::thread::park_timeout(AHEAD / 4);
            }
            if current.strong_count() == 0 {
                speaker.stop();
            }
            let _played = speaker.wait(AHEAD * 2);
        })?;
        Ok(())
    }

    /// Stops the sound that plays.
    pub fn stop(&self) {
        *self.playing.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(());
    }

    /// Drops the sound of clients that talk, as far as it is not played yet.
    pub fn silence(&self) {
        self.silenced.send_modify(|count| *count += 1);
    }

    /// Returns what changes when clients that talk are silenced.
    pub(crate) fn silenced(&self) -> watch::Receiver<u64> {
        self.silenced.subscribe()
    }

    /// Returns the ALSA name of the microphone.
    ///
    /// # Errors
    /// When there is none.
    pub fn microphone(&self) -> Result<&str, SoundError> {
        self.device(Side::Microphone)
    }

    /// Returns the ALSA name of the speaker.
    ///
    /// # Errors
    /// When there is none.
    pub fn speaker(&self) -> Result<&str, SoundError> {
        self.device(Side::Speaker)
    }

    fn device(&self, side: Side) -> Result<&str, SoundError> {
        match side {
            Side::Speaker => self.speaker.as_deref().ok_or(SoundError::NoDevice("speaker")),
            Side::Microphone => self.microphone.as_deref().ok_or(SoundError::NoDevice("microphone")),
        }
    }

    /// Returns a volume, 0 to 100, and the name of the device.
    ///
    /// # Errors
    /// When there is no device, or it has no volume.
    pub fn volume(&self, side: Side) -> Result<(u8, &str), SoundError> {
        let device = self.device(side)?;
        Ok((volume(device, side)?, device))
    }

    /// Sets a volume, and returns the one that the device has now, and its name.
    ///
    /// # Errors
    /// When there is no device, or it has no volume.
    pub fn set_volume(&self, side: Side, percent: u8) -> Result<(u8, &str), SoundError> {
        let device = self.device(side)?;
        Ok((set_volume(device, side, percent)?, device))
    }
}

/// Returns the name of a WAV file without a folder.
fn checked(name: &str) -> Result<&str, SoundError> {
    let fits = |c: char| !c.is_control() && !matches!(c, '/' | '\\' | '\0');
    let is_wav = Path::new(name).extension().is_some_and(|it| it.eq_ignore_ascii_case("wav"));
    let well = is_wav && !name.starts_with('.') && name.len() <= MAX_NAME_BYTES && name.chars().all(fits);
    if well { Ok(name) } else { Err(SoundError::Name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wav() -> Vec<u8> {
        Clip::silence(16_000, Duration::from_millis(100)).to_bytes().unwrap()
    }

    #[test]
    fn sounds_are_kept_listed_and_deleted() {
        let sounds = Sounds::new(None, None, Path::new("/nowhere"));
        assert_eq!(sounds.list().unwrap(), Vec::<String>::new());
        let path = sounds.store("hello.wav", &wav()).unwrap();
        assert_eq!((path.is_file(), sounds.list().unwrap()), (true, vec!["hello.wav".to_owned()]));
        assert!(matches!(sounds.play("hello.wav"), Err(SoundError::NoDevice(_))));
        assert!(matches!(sounds.play(path.to_str().unwrap()), Err(SoundError::NoDevice(_))));
        sounds.delete("hello.wav").unwrap();
        assert!(matches!(sounds.delete("hello.wav"), Err(SoundError::Missing(_))));
        assert!(matches!(sounds.play("hello.wav"), Err(SoundError::Missing(_))));
        let folder = path.parent().unwrap().to_owned();
        drop(sounds);
        assert!(!folder.exists());
    }

    #[test]
    fn folders_of_killed_servers_are_deleted_and_those_of_others_stay() {
        let parent = tempfile::tempdir().unwrap();
        let [abandoned, held, other] =
            ["minismith-sounds-a", "minismith-sounds-b", "photos"].map(|name| parent.path().join(name));
        for folder in [&abandoned, &held, &other] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("x.wav"), wav()).unwrap();
        }
        let lock = File::open(&held).unwrap();
        lock.lock().unwrap();
        std::os::unix::fs::symlink(&other, parent.path().join("minismith-sounds-link")).unwrap();
        delete_abandoned(parent.path());
        assert_eq!((abandoned.exists(), held.exists(), other.join("x.wav").exists()), (false, true, true));
    }

    #[test]
    fn names_lead_nowhere_else_and_only_sound_is_kept() {
        let sounds = Sounds::new(None, None, Path::new("/nowhere"));
        for name in [
            "",
            ".wav",
            "../x.wav",
            "/etc/x.wav",
            "a/b.wav",
            "a\\b.wav",
            "x.sh",
            "a\nb.wav",
            &"a".repeat(200),
        ] {
            assert!(matches!(sounds.store(name, &wav()), Err(SoundError::Name)), "{name:?}");
            assert!(sounds.play(name).is_err(), "{name:?}");
        }
        assert!(matches!(sounds.store("x.wav", b"#!/bin/sh"), Err(SoundError::Invalid(_))));
        assert_eq!(sounds.list().unwrap(), Vec::<String>::new());
    }
}
