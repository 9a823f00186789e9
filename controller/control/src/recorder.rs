//! Runs `minismith-recorder`, where it was built, on one recording; it is given its time and no more.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;
use std::{env, fs};

use firmware_bridge::clock::{Clock, Tick, WallClock};
use minismith_wire::old_names::command_line::ENVIRONMENT;
use minismith_wire::recording::Message;

use minismith_runtime::processes::{self, Program};

const PROGRAM: &str = "minismith-recorder";
const PROGRAM_VARIABLE: &str = "MINISMITH_RERUN";
/// How long a recorder may take for one recording.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often it is looked for once it has closed its input.
const LOOK: Duration = Duration::from_millis(2);
/// Bytes that are handed over at once.
const HANDFUL: usize = 1 << 16;

/// Why there is no recording.
#[derive(Debug, thiserror::Error)]
pub enum NoRecording {
    /// There is no recorder.
    #[error("no recording: build it with `make recorder`")]
    NotBuilt,
    /// The variable that names it is wrong.
    #[error("no recording: {variable} names {}, which is not a file; correct or unset it", .path.display())]
    NotThere {
        /// The environment variable.
        variable: &'static str,
        /// What it names.
        path: PathBuf,
    },
    /// It does not start, or its file can't be read.
    #[error("no recording: {doing}: {source}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// It did not take the recording.
    #[error("no recording: the recorder {how}; what it said stands in the log")]
    Failed {
        /// How it ended.
        how: String,
    },
}

fn io(doing: &'static str) -> impl FnOnce(std::io::Error) -> NoRecording {
    move |source| NoRecording::Io { doing, source }
}

/// Where the recorder is: `MINISMITH_RERUN`, or beside this program, or in the folder above, for tests.
///
/// # Errors
/// When it is not there.
pub fn locate() -> Result<PathBuf, NoRecording> {
    let old = ENVIRONMENT.iter().filter(|(_, new)| *new == PROGRAM_VARIABLE).map(|(old, _)| *old);
    for variable in std::iter::once(PROGRAM_VARIABLE).chain(old) {
        if let Some(path) = env::var_os(variable).map(PathBuf::from) {
            return if path.is_file() { Ok(path) } else { Err(NoRecording::NotThere { variable, path }) };
        }
    }
    let executable = env::current_exe().map_err(io("finding this program"))?;
    let beside = executable.ancestors().skip(1).take(2).map(|folder| folder.join(PROGRAM));
    beside.into_iter().find(|place| place.is_file()).ok_or(NoRecording::NotBuilt)
}

/// Has a recording made; its bytes.
///
/// # Errors
/// [`NoRecording`], in words for a person.
pub fn record(messages: impl Iterator<Item = Message>) -> Result<Vec<u8>, NoRecording> {
    record_with(locate()?, messages, PATIENCE)
}

fn record_with(
    program: PathBuf,
    messages: impl Iterator<Item = Message>,
    patience: Duration,
) -> Result<Vec<u8>, NoRecording> {
    let folder = tempfile::tempdir().map_err(io("making a folder for it"))?;
    let file = folder.path().join("recording.rrd");
    let (ours, theirs) = UnixStream::pair().map_err(io("making a channel to the recorder"))?;
    let child = processes::start(Program {
        path: program,
        arguments: vec!["--to".into(), file.clone().into()],
        environment: Vec::new(),
        input: theirs.into(),
    })
    .map_err(io("starting the recorder"))?;
    let mut recorder = Recorder { child, channel: ours, clock: WallClock::start(), until: Tick::ZERO };
    recorder.until = recorder.clock.now() + patience;
    recorder.tell(messages)?;
    fs::read(&file).map_err(io("reading what the recorder wrote"))
}

/// A recorder at work; when it is dropped it is dead.
struct Recorder {
    child: Child,
    channel: UnixStream,
    clock: WallClock,
    until: Tick,
}

impl Recorder {
    /// Tells it everything, and waits until it has written.
    fn tell(&mut self, messages: impl Iterator<Item = Message>) -> Result<(), NoRecording> {
        let mut waiting = Vec::with_capacity(2 * HANDFUL);
        for message in messages {
            serde_json::to_writer(&mut waiting, &message).map_err(|error| io("telling it")(error.into()))?;
            waiting.push(b'\n');
            if waiting.len() >= HANDFUL {
                self.hand_over(&mut waiting)?;
            }
        }
        self.hand_over(&mut waiting)?;
        // If it has gone already, its exit tells why.
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
            self.channel.set_write_timeout(Some(self.left()?)).map_err(io("telling the recorder"))?;
            match self.channel.write(rest) {
                Ok(taken) => rest = rest.get(taken..).unwrap_or_default(),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // It does not listen any more; its exit tells why.
                Err(_) => return self.wait(),
            }
        }
        waiting.clear();
        Ok(())
    }

    fn wait(&mut self) -> Result<(), NoRecording> {
        // It says nothing: the channel ends when it does.
        loop {
            self.channel.set_read_timeout(Some(self.left()?)).map_err(io("waiting for the recorder"))?;
            match self.channel.read(&mut [0; 64]) {
                Ok(0) => break,
                Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {
                    break;
                }
                Ok(_) | Err(_) => {}
            }
        }
        loop {
            match self.child.try_wait().map_err(io("waiting for the recorder"))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(NoRecording::Failed { how: format!("failed ({status})") }),
                None => self.clock.wait_until(self.clock.now() + self.left()?.min(LOOK)),
            }
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use minismith_wire::recording::{End, Text, Voice};

    use super::*;

    /// Runs a script as the recorder.
    fn with(script: &str, patience: Duration) -> Result<Vec<u8>, NoRecording> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("recorder");
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        let long = Text { beat: None, voice: Voice::Tool, words: "x".repeat(1_000) };
        // More than any channel holds, so that it must be read.
        let messages = std::iter::repeat_n(Message::Text(long), 2_000);
        record_with(program, messages.chain([Message::End(End { beats: 0, dropped: 0 })]), patience)
    }

    #[test]
    fn what_the_recorder_writes_comes_back() {
        let bytes = with("read line; exec /bin/cat > \"$2\"", PATIENCE).unwrap();
        assert!(bytes.ends_with(b"{\"type\":\"footer\",\"cycles\":0}\n"), "{} bytes", bytes.len());
    }

    #[test]
    fn a_recorder_that_dies_or_hangs_is_told_once() {
        let said = |script: &str, patience| with(script, patience).unwrap_err().to_string();
        assert!(said("exit 2", PATIENCE).contains("failed (exit status: 2)"));
        assert!(said("exec /bin/cat > /dev/null", PATIENCE).contains("reading what the recorder wrote"));
        // It neither reads nor ends; it closes its input and does not end.
        for script in ["exec /bin/sleep 600", "exec 0<&-; exec /bin/sleep 600"] {
            assert!(said(script, Duration::from_millis(200)).contains("took too long"), "{script}");
        }
    }
}
