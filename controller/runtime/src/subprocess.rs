//! The only module that starts other programs.
//!
//! The kernel signals programs that shall die with their parent when the *thread* that started them ends, not only the
//! process. So one thread that lives as long as the controller starts them all.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Error, Read, Result};
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use rustix::process::{Pid, Signal, kill_process_group};

/// A program to start. It gets this environment and no other, and no standard output unless [`start_with_output`] starts it; its
/// standard error is that of the controller.
#[derive(Debug)]
pub struct Program {
    /// The file to execute.
    pub path: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(&'static str, String)>,
    /// Its standard input.
    pub input: OwnedFd,
}

/// Returns the path of a program in `PATH`; none where it is not installed.
#[must_use]
pub fn find(name: &str) -> Option<PathBuf> {
    find_all(name).into_iter().next()
}

/// Returns all programs of this name in `PATH`, in its order.
#[must_use]
pub fn find_all(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .filter(|position| position.is_file())
        .collect()
}

/// Runs a program to its end, with the environment of this process and no input, and passes on each line of its standard
/// output. Its standard error is that of this process, or is discarded if it is `quiet`.
///
/// # Errors
/// Errors of the system: the file is missing or not executable, or its output is not text.
// This is the only module that may start programs.
#[allow(clippy::disallowed_methods)]
pub fn run(
    path: &Path,
    arguments: &[OsString],
    quiet: bool,
    on_line: &mut dyn FnMut(&str),
) -> Result<ExitStatus> {
    let error = if quiet { Stdio::null() } else { Stdio::inherit() };
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(error)
        .spawn()?;
    let mut output = child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines());
    let read = output.try_for_each(|line| line.map(|line| on_line(&line)));
    let ended = child.wait()?;
    read.map(|()| ended)
}

/// Returns the path of a program beside this one, or in the folder above, for tests; none where it is not installed.
///
/// # Errors
/// If the system does not say where this program is.
pub fn find_beside(name: &str) -> Result<Option<PathBuf>> {
    let executable = std::env::current_exe()?;
    Ok(executable.ancestors().skip(1).take(2).map(|folder| folder.join(name)).find(|path| path.is_file()))
}

/// Runs a program in place of this one, with its environment, input and output. It returns only the error that prevents that.
// This is the only module that may start programs.
#[allow(clippy::disallowed_methods)]
#[must_use]
pub fn replace_with(path: &Path, arguments: &[OsString]) -> Error {
    Command::new(path).args(arguments).exec()
}

type SpawnRequest = (Program, Option<OwnedFd>, Sender<Result<Child>>);

static STARTER: OnceLock<Sender<SpawnRequest>> = OnceLock::new();

/// Starts a program.
///
/// # Errors
/// Errors of the system: the file is missing or not executable.
pub fn start(program: Program) -> Result<Child> {
    begin(program, None)
}

/// Starts a program with this standard output.
///
/// # Errors
/// Errors of the system: the file is missing or not executable.
pub fn start_with_output(program: Program, output: OwnedFd) -> Result<Child> {
    begin(program, Some(output))
}

fn begin(program: Program, output: Option<OwnedFd>) -> Result<Child> {
    let gone = || Error::other("the thread that starts programs has ended");
    let starter = STARTER.get_or_init(|| {
        let (orders, inbox) = channel();
        // Without the thread, sending fails, and the caller gets an error.
        let _ = std::thread::Builder::new().name("processes".into()).spawn(move || serve(&inbox));
        orders
    });
    let (answer, started) = channel();
    starter.send((program, output, answer)).map_err(|_| gone())?;
    started.recv().map_err(|_| gone())?
}

fn serve(inbox: &Receiver<SpawnRequest>) {
    for (program, output, answer) in inbox {
        // If the caller has gone, this drops the only handle of the child; its input closes, and it ends.
        let _ = answer.send(spawn(program, output));
    }
}

// This is the only module that may start programs.
#[allow(clippy::disallowed_methods)]
fn spawn(program: Program, output: Option<OwnedFd>) -> Result<Child> {
    Command::new(program.path)
        .args(program.arguments)
        .env_clear()
        .envs(program.environment)
        .stdin(Stdio::from(program.input))
        .stdout(output.map_or_else(Stdio::null, Stdio::from))
        .spawn()
}

/// A program that is watched for a limited time. It gets this environment and no other, and no standard input.
#[derive(Clone, Copy, Debug)]
pub struct Watched<'a> {
    /// The file to execute.
    pub path: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Its whole environment.
    pub environment: &'a [(&'a str, OsString)],
    /// The folder that it starts in.
    pub folder: &'a Path,
}

/// How a watched program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself.
    Exited(ExitStatus),
    /// The listener had heard enough.
    Stopped,
    /// The time was over.
    TimedOut,
}

/// The most that is read of a watched program's output, bytes.
const MAX_WATCHED_BYTES: u64 = 64 << 10;

/// Runs a program until it ends, the listener breaks off, or the time is over, and passes on each line of its standard
/// output. Afterwards neither it nor a program of its process group runs.
///
/// # Errors
/// Errors of the system: the file is missing or not executable.
// This is the only module that may start programs.
#[allow(clippy::disallowed_methods)]
pub fn watch(
    program: Watched<'_>,
    within: Duration,
    on_line: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<Ending> {
    let clock = MonotonicClock::start();
    let until = clock.now() + within;
    let mut child = Command::new(program.path)
        .args(program.arguments)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .current_dir(program.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let output = child.stdout.take();
    let (lines, read) = channel();
    std::thread::Builder::new().name("watched".into()).spawn(move || {
        let bounded =
            output.into_iter().flat_map(|output| BufReader::new(output.take(MAX_WATCHED_BYTES)).lines());
        for line in bounded.map_while(Result::ok) {
            if lines.send(line).is_err() {
                return;
            }
        }
    })?;
    let ending = loop {
        match read.recv_timeout(until - clock.now()) {
            Ok(line) if on_line(&line).is_break() => break Ending::Stopped,
            Ok(_) => {}
            // Its output is at its end, so it ends too, or may be ended.
            Err(RecvTimeoutError::Disconnected) => match child.try_wait()? {
                Some(status) => break Ending::Exited(status),
                None if clock.now() >= until => break Ending::TimedOut,
                None => clock.wait_until(clock.now() + Duration::from_millis(5)),
            },
            Err(RecvTimeoutError::Timeout) => break Ending::TimedOut,
        }
    };
    // It may have ended meanwhile.
    let _gone = kill_process_group(group, Signal::KILL);
    child.wait()?;
    Ok(ending)
}

/// What a program left when it ended.
#[derive(Debug)]
pub struct Collected {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output, up to a limit.
    pub output: Vec<u8>,
    /// Its standard error, up to a limit.
    pub complaints: Vec<u8>,
}

/// How often [`collect`] asks whether the program may go on.
const COLLECT_PERIOD: Duration = Duration::from_millis(20);

/// Runs a program until it ends or `goes_on` returns false, with the environment of this process and no input, and collects at
/// most `limit` bytes of its output. Afterwards neither it nor a program of its process group runs.
///
/// # Errors
/// Errors of the system: the file is missing or not executable.
// This is the only module that may start programs.
#[allow(clippy::disallowed_methods)]
pub fn collect(
    path: &Path,
    arguments: &[OsString],
    limit: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Collected> {
    let clock = MonotonicClock::start();
    let mut child = Command::new(path)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let group = Pid::from_child(&child);
    let (output, complaints) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        let output = scope.spawn(move || output.map(|output| read_bounded(output, limit)));
        let complaints =
            scope.spawn(move || complaints.map(|output| read_bounded(output, MAX_WATCHED_BYTES)));
        let ending = loop {
            if let Some(status) = child.try_wait()? {
                break Ending::Exited(status);
            }
            if !goes_on() {
                break Ending::Stopped;
            }
            clock.wait_until(clock.now() + COLLECT_PERIOD);
        };
        // It may have ended meanwhile.
        let _gone = kill_process_group(group, Signal::KILL);
        child.wait()?;
        let read = |thread: std::thread::ScopedJoinHandle<'_, Option<Vec<u8>>>| {
            thread.join().ok().flatten().unwrap_or_default()
        };
        Ok(Collected { ending, output: read(output), complaints: read(complaints) })
    })
}

/// Reads up to a limit, and the rest away, so that the program does not wait for its reader.
fn read_bounded(mut output: impl Read, limit: u64) -> Vec<u8> {
    let mut read = Vec::new();
    // What was read before an error counts.
    let _ = output.by_ref().take(limit).read_to_end(&mut read);
    let _ = std::io::copy(&mut output, &mut std::io::sink());
    read
}
