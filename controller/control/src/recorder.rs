//! Runs `minismith-recorder`, if it is installed, for one recording and with a time limit.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;
use std::{env, fs};

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_protocol::old_names::command_line::ENVIRONMENT;
use minismith_protocol::trace_format::Message;

use minismith_runtime::subprocess::{self, Program};

const PROGRAM: &str = "minismith-recorder";
const PROGRAM_VARIABLE: &str = "MINISMITH_RERUN";
/// Maximum time for one recording.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Poll interval for its exit after it has closed its input.
const POLL_INTERVAL: Duration = Duration::from_millis(2);
/// Size of a write, bytes.
const WRITE_SIZE: usize = 1 << 16;

/// The reason why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum NoRecording {
    /// There is no recorder.
    #[error("no recording: build it with `make recorder`")]
    NotBuilt,
    /// The variable with its path is wrong.
    #[error("no recording: {variable} is {}, which is not a file; correct or unset it", .path.display())]
    NotThere {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// It does not start, or its file cannot be read.
    #[error("no recording: {doing}: {source}")]
    Io {
        /// The failed operation.
        doing: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// It failed or timed out.
    #[error("no recording: the recorder {how}; see its messages in the log")]
    Failed {
        /// How it ended.
        how: String,
    },
}

fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> NoRecording {
    move |source| NoRecording::Io { doing, source }
}

/// Returns the path of the recorder: `MINISMITH_RERUN`, or next to this program, or in the folder above, for tests.
///
/// # Errors
/// Returns an error if it does not exist.
pub fn locate() -> Result<PathBuf, NoRecording> {
    let old = ENVIRONMENT.iter().filter(|(_, new)| *new == PROGRAM_VARIABLE).map(|(old, _)| *old);
    for variable in std::iter::once(PROGRAM_VARIABLE).chain(old) {
        if let Some(path) = env::var_os(variable).map(PathBuf::from) {
            return if path.is_file() { Ok(path) } else { Err(NoRecording::NotThere { variable, path }) };
        }
    }
    let beside = subprocess::find_beside(PROGRAM).map_err(io("cannot find this program"))?;
    beside.ok_or(NoRecording::NotBuilt)
}

/// Creates a recording and returns its bytes.
///
/// # Errors
/// Returns [`NoRecording`] with a text for people.
pub fn record(messages: impl Iterator<Item = Message>) -> Result<Vec<u8>, NoRecording> {
    record_with(locate()?, messages, TIMEOUT)
}

fn record_with(
    program: PathBuf,
    messages: impl Iterator<Item = Message>,
    patience: Duration,
) -> Result<Vec<u8>, NoRecording> {
    let folder = tempfile::tempdir().map_err(io("cannot create a folder for it"))?;
    let file = folder.path().join("recording.rrd");
    let (ours, theirs) = UnixStream::pair().map_err(io("cannot create a channel to the recorder"))?;
    let child = subprocess::start(Program {
        path: program,
        arguments: vec!["--to".into(), file.clone().into()],
        environment: Vec::new(),
        input: theirs.into(),
    })
    .map_err(io("cannot start the recorder"))?;
    let mut recorder =
        Recorder { child, channel: ours, clock: MonotonicClock::start(), until: Timestamp::ZERO };
    recorder.until = recorder.clock.now() + patience;
    recorder.report(messages)?;
    fs::read(&file).map_err(io("cannot read the recorder's file"))
}

/// A running recorder. Dropping it kills the process.
struct Recorder {
    child: Child,
    channel: UnixStream,
    clock: MonotonicClock,
    until: Timestamp,
}

impl Recorder {
    /// Sends all messages, and waits until it has written the file.
    fn report(&mut self, messages: impl Iterator<Item = Message>) -> Result<(), NoRecording> {
        let mut waiting = Vec::with_capacity(2 * WRITE_SIZE);
        for message in messages {
            serde_json::to_writer(&mut waiting, &message)
                .map_err(|error| io("cannot encode a message")(error.into()))?;
            waiting.push(b'\n');
            if waiting.len() >= WRITE_SIZE {
                self.hand_over(&mut waiting)?;
            }
        }
        self.hand_over(&mut waiting)?;
        // If it has exited already, its exit status shows why.
        let _ = self.channel.shutdown(Shutdown::Write);
        self.wait()
    }

    fn left(&self) -> Result<Duration, NoRecording> {
        let left = self.until.since(self.clock.now());
        if left.is_zero() {
            return Err(NoRecording::Failed { how: "took too long and was ended".into() });
        }
        Ok(left)
    }

    fn hand_over(&mut self, waiting: &mut Vec<u8>) -> Result<(), NoRecording> {
        let mut rest = waiting.as_slice();
        while !rest.is_empty() {
            self.channel.set_write_timeout(Some(self.left()?)).map_err(io("cannot write to the recorder"))?;
            match self.channel.write(rest) {
                Ok(taken) => rest = rest.get(taken..).unwrap_or_default(),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // It no longer reads. Its exit status shows why.
                Err(_) => return self.wait(),
            }
        }
        waiting.clear();
        Ok(())
    }

    fn wait(&mut self) -> Result<(), NoRecording> {
        // It sends nothing. The channel closes when it exits.
        loop {
            self.channel.set_read_timeout(Some(self.left()?)).map_err(io("cannot wait for the recorder"))?;
            match self.channel.read(&mut [0; 64]) {
                Ok(0) => break,
                Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    break;
                }
                Ok(_) | Err(_) => {}
            }
        }
        loop {
            match self.child.try_wait().map_err(io("cannot wait for the recorder"))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(NoRecording::Failed { how: format!("failed ({status})") }),
                None => self.clock.wait_until(self.clock.now() + self.left()?.min(POLL_INTERVAL)),
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // It may have exited already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use minismith_protocol::trace_format::{Footer, Text, TextSource};

    use super::*;

    /// Runs a script instead of the recorder.
    fn with(script: &str, patience: Duration) -> Result<Vec<u8>, NoRecording> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("recorder");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let long = Text { cycle: None, source: TextSource::Tool, text: "x".repeat(1_000) };
        // More than any channel buffers, so that the script must read it.
        let messages = std::iter::repeat_n(Message::Text(long), 2_000);
        record_with(program, messages.chain([Message::Footer(Footer { cycles: 0, dropped: 0 })]), patience)
    }

    #[test]
    fn record_returns_the_recorders_file() {
        let bytes = with("read line; exec /bin/cat > \"$2\"", TIMEOUT).unwrap();
        assert!(bytes.ends_with(b"{\"type\":\"footer\",\"cycles\":0}\n"), "{} bytes", bytes.len());
    }

    #[test]
    fn record_fails_if_the_recorder_dies_or_hangs() {
        let said = |script: &str, patience| with(script, patience).unwrap_err().to_string();
        assert!(said("exit 2", TIMEOUT).contains("failed (exit status: 2)"));
        assert!(said("exec /bin/cat > /dev/null", TIMEOUT).contains("cannot read the recorder's file"));
        // The first script neither reads nor exits. The second closes its input and does not exit.
        for script in ["exec /bin/sleep 600", "exec 0<&-; exec /bin/sleep 600"] {
            assert!(said(script, Duration::from_millis(200)).contains("took too long"), "{script}");
        }
    }
}
