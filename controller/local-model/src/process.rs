//! One running process of a local model: how it is started, how it dies, and how it is reached.

use std::fs;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use minismith_protocol::confinement::Report;
use minismith_runtime::config::Key;
use minismith_runtime::net::Address;
use minismith_runtime::net::http::{Http, HttpError};
use minismith_runtime::subprocess::{self, Program};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

/// The longest line that the process may send, bytes.
const MAX_LINE_BYTES: usize = 64 << 10;

/// The longest part of the log that is read for a message, bytes.
const MAX_LOG_BYTES: u64 = 16 << 10;

/// The longest folder in which there is room for a socket's path of 107 bytes.
const MAX_FOLDER_LEN: usize = 64;

/// The beginning of the names of private folders.
const FOLDER: &str = "minismith-model-";

/// The first line to the process.
#[derive(Debug, Serialize)]
pub(crate) struct Settings {
    pub(crate) model: PathBuf,
    pub(crate) name: String,
    pub(crate) context: u32,
    pub(crate) threads: u32,
    pub(crate) prompts: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) key: String,
}

/// A line of the process.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Line {
    Confined(Report),
    Ready { ready: String },
    Failed { failed: String },
}

/// The state of a process that was started.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Starting,
    Ready,
}

/// A process. Dropping it ends it.
#[derive(Debug)]
pub(crate) struct ModelProcess {
    child: Child,
    control: UnixStream,
    /// What came of a line so far.
    received: Vec<u8>,
    folder: TempDir,
    pub(crate) http: Http,
}

/// A folder that only this user may open, in which the process makes its socket. The path of a socket must be short.
pub(crate) fn private_folder() -> Result<TempDir> {
    let usual = std::env::temp_dir();
    let place = if usual.as_os_str().len() <= MAX_FOLDER_LEN { usual } else { PathBuf::from("/tmp") };
    remove_leftovers(&place);
    let prefix = format!("{FOLDER}{}-", std::process::id());
    let folder = tempfile::Builder::new().prefix(&prefix).tempdir_in(place)?;
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700))?;
    Ok(folder)
}

/// Removes the folders of controllers that were killed.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap_or_default();
        let process = name.strip_prefix(FOLDER).and_then(|rest| rest.split_once('-')).map(|(id, _)| id);
        let process = process.and_then(|id| id.parse::<u32>().ok());
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            // Another user's folder stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

impl ModelProcess {
    /// Starts the program that `program` makes of its end of the control socket.
    pub(crate) fn start(
        folder: TempDir,
        settings: Settings,
        program: impl FnOnce(UnixStream) -> Result<Program>,
    ) -> Result<Self> {
        let (mut control, far) = UnixStream::pair()?;
        let key = Key::random();
        let address = Address::parse("http://localhost").ok_or_else(|| Error::other("no address"))?;
        let text = key.expose().to_owned();
        let http = Http::at_socket(&settings.socket, address, Some(key))
            .map_err(|error: HttpError| Error::other(error.to_string()))?;
        let child = subprocess::start(program(far)?)?;
        // A process that ends at once gets nothing, and its end is noticed.
        let line = serde_json::to_string(&Settings { key: text, ..settings })?;
        let _ = control.write_all(format!("{line}\n").as_bytes());
        control.set_nonblocking(true)?;
        Ok(ModelProcess { child, control, received: Vec::new(), folder, http })
    }

    /// Reads what the process has sent, without waiting.
    ///
    /// # Errors
    /// Why it does not start, as a clause.
    pub(crate) fn progress(&mut self) -> std::result::Result<Progress, String> {
        let mut bytes = [0; 4096];
        let has_ended = loop {
            match self.control.read(&mut bytes) {
                Ok(0) => break true,
                Ok(length) => self.received.extend_from_slice(bytes.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break true,
            }
            if self.received.len() > MAX_LINE_BYTES {
                return Err("it sent more than it should".into());
            }
        };
        while let Some(end) = self.received.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.received.drain(..=end).collect();
            match serde_json::from_slice(&line) {
                Ok(Line::Ready { ready }) => {
                    tracing::info!(runtime = ready, "the local model is ready");
                    return Ok(Progress::Ready);
                }
                Ok(Line::Failed { failed }) => return Err(self.with_log(&failed)),
                Ok(Line::Confined(Report { refusal: Some(why), .. })) => {
                    return Err(format!("it can't be confined on this computer ({why})"));
                }
                Ok(Line::Confined(report)) => {
                    for open in report.mechanisms.iter().filter(|it| !it.enforced) {
                        tracing::warn!(
                            mechanism = open.name,
                            detail = open.detail,
                            "the local model is less confined"
                        );
                    }
                }
                Err(_) => return Err("it sent what is no message".into()),
            }
        }
        if has_ended { Err(self.end_of_start()) } else { Ok(Progress::Starting) }
    }

    fn end_of_start(&mut self) -> String {
        // The socket closes a moment before the process is gone, or a process that goes on has closed it.
        let _ = self.child.kill();
        let how = self.child.wait().map_or_else(|error| error.to_string(), described);
        self.with_log(&format!("it ended before it was ready: {how}"))
    }

    /// Returns how the process died, if it has.
    pub(crate) fn death(&mut self) -> Option<String> {
        let status = self.child.try_wait().ok().flatten()?;
        Some(self.with_log(&described(status)))
    }

    /// Waits a moment for the end of a process whose connection was lost.
    pub(crate) fn death_within(
        &mut self,
        time: Duration,
        clock: &dyn firmware_bridge::clock::Clock,
    ) -> Option<String> {
        let end = clock.now() + time;
        loop {
            let death = self.death();
            if death.is_some() || clock.now() >= end {
                return death;
            }
            clock.wait_until(clock.now() + Duration::from_millis(10));
        }
    }

    /// Returns its process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Adds the last error of the log.
    fn with_log(&self, text: &str) -> String {
        let mut log = String::new();
        let read = fs::File::open(self.folder.path().join("log")).and_then(|mut file| {
            let length = file.metadata()?.len();
            std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(length.saturating_sub(MAX_LOG_BYTES)))?;
            let mut bytes = Vec::new();
            file.take(MAX_LOG_BYTES).read_to_end(&mut bytes)?;
            log = String::from_utf8_lossy(&bytes).into_owned();
            Ok(())
        });
        let is_error = |line: &&str| {
            let small = line.to_lowercase();
            ["error", "failed", "terminate", "what()", " e "].iter().any(|word| small.contains(word))
        };
        match read.ok().and_then(|()| log.lines().rfind(is_error)) {
            Some(line) => {
                let line: String = line.chars().filter(|c| !c.is_control()).take(200).collect();
                format!("{text} ({})", line.trim())
            }
            None => text.to_owned(),
        }
    }
}

impl Drop for ModelProcess {
    fn drop(&mut self) {
        // The process may be dead already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn described(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(9), _) => "it was killed (signal 9), perhaps because memory was short".into(),
        (Some(6), _) => "it aborted (signal 6), perhaps because its memory limit was reached".into(),
        (Some(signal), _) => format!("it died of signal {signal}"),
        (None, Some(code)) => format!("it exited with status {code}"),
        (None, None) => "it ended".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_killed_controllers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let own = format!("{FOLDER}{}-abc", std::process::id());
        // No process has this id, as it is above the largest.
        for name in [own.as_str(), "minismith-model-4194305-xyz", "minismith-model-x", "other"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        remove_leftovers(folder.path());
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected = vec!["minismith-model-x".to_owned(), "other".to_owned(), own];
        expected.sort();
        assert_eq!(left, expected);
    }
}
