//! Support for the whole-system tests: the real programs, each in a folder of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a helper of tests may give up as a test may"
)]

pub mod cases;
pub mod cycles;
pub mod fuzz;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use minismith_toolchain::workshop::registry::{Entry, Registry};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Returns the folder of the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Returns the path of a program of the workspace, built next to this test.
///
/// # Panics
/// When it has not been built.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join(name);
    assert!(program.is_file(), "there is no {}: run `cargo build` first", program.display());
    program
}

/// Returns the Python files of a folder, by name. Prints a note and returns none where there is no such folder.
///
/// # Panics
/// When the folder cannot be read.
#[must_use]
pub fn python_files(folder: &Path) -> Option<Vec<PathBuf>> {
    let Ok(entries) = fs::read_dir(folder) else {
        println!("skipped: there is no {}", folder.display());
        return None;
    };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    Some(files)
}

/// Returns the tools that come with the program.
///
/// # Panics
/// When the registry of the workspace cannot be read.
#[must_use]
pub fn predefined_tools() -> Vec<Entry> {
    let mut tools = Registry::open(&workspace().join("tools")).unwrap().list().unwrap();
    tools.retain(|tool| tool.predefined);
    tools
}

// Timeouts are long, since other tests share the processor.
const BUS: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

/// A folder with a configuration and a tool registry, in which the program runs.
#[derive(Debug)]
pub struct TestDir {
    folder: TempDir,
}

impl Default for TestDir {
    fn default() -> Self {
        TestDir::new()
    }
}

impl TestDir {
    /// Creates a test folder with the default configuration.
    #[must_use]
    pub fn new() -> Self {
        TestDir::configured(BUS)
    }

    /// Creates a test folder with these keys in its `config.yaml`, and with the Python of this workspace.
    ///
    /// # Panics
    /// When it cannot be created.
    #[must_use]
    pub fn configured(keys: &str) -> Self {
        let bench = TestDir { folder: tempfile::tempdir().unwrap() };
        let python = workspace().join(".venv/bin/python");
        // A test counts its own tools alone.
        let none = "predefined: directory";
        let keys = match keys.split_once("tools: {directory") {
            Some((before, after)) => format!("{before}tools: {{{none}, directory{after}"),
            None => format!("tools: {{{none}}}\n{keys}"),
        };
        bench.write("config.yaml", &format!("tool_host: {{python: {}}}\n{keys}", python.display()));
        bench
    }

    /// Returns the path of a file in this folder.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Copies a predefined tool of the project into the registry of this folder.
    ///
    /// # Panics
    /// When there is no such tool, or the folder cannot be written.
    pub fn add_predefined(&self, tool: &str) {
        let folder = format!("tools/predefined/{tool}");
        for entry in fs::read_dir(workspace().join(&folder)).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            self.write(&format!("{folder}/{name}"), &fs::read_to_string(entry.path()).unwrap());
        }
    }

    /// Returns the program as a command that runs in this folder.
    // Whole-system tests start the real program.
    #[allow(clippy::disallowed_methods)]
    #[must_use]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("minismith"));
        command.args(arguments);
        self.position(command)
    }

    /// Returns a shell as a command that runs a script here, with the program in its `PATH`.
    // The documentation shows lines of a shell.
    #[allow(clippy::disallowed_methods)]
    #[must_use]
    pub fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", script]);
        let program = program("minismith");
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", program.parent().unwrap_or(Path::new("/")).display()));
        self.position(command)
    }

    /// Runs a command in this folder, with the user's own files here too.
    fn position(&self, mut command: Command) -> Command {
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        for (variable, folder) in [("XDG_CONFIG_HOME", ".config"), ("XDG_DATA_HOME", ".share")] {
            command.env(variable, self.folder.path().join(folder));
        }
        command.env_remove("MINISMITH_TOKEN");
        command
    }

    /// Runs the program to its end.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::from(self.command(arguments))
    }

    /// Starts the program and leaves it running.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start(&self, arguments: &[&str]) -> RunningCommand {
        RunningCommand::from(self.command(arguments))
    }
}

impl From<Command> for RunningCommand {
    fn from(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        RunningCommand { child, input, output }
    }
}

/// The output of a program that has ended.
#[derive(Debug)]
pub struct CommandOutput {
    /// Its exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl From<Command> for CommandOutput {
    fn from(mut command: Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).expect("a program prints UTF-8");
        CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl CommandOutput {
    /// Asserts the exit code.
    ///
    /// # Panics
    /// When it differs.
    #[track_caller]
    #[must_use]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Returns the one JSON document on standard output.
    ///
    /// # Panics
    /// When there is none, or other text.
    #[track_caller]
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("stdout is not one JSON document ({error}): {}", self.out))
    }

    /// Asserts an error of usage or environment: exit code 2, nothing on standard output, and all these words on
    /// standard error.
    ///
    /// # Panics
    /// When the outcome differs.
    #[track_caller]
    pub fn is_error(&self, words: &[&str]) {
        assert_eq!((self.code, self.out.as_str()), (Some(2), ""), "stderr: {}", self.err);
        for word in words {
            assert!(self.err.contains(word), "{word:?} is not said: {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }
}

/// A running program; killed when dropped.
#[derive(Debug)]
pub struct RunningCommand {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl RunningCommand {
    /// Returns its next line on standard output, without the line's end; none when it has closed that.
    ///
    /// # Panics
    /// When the line cannot be read.
    pub fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line).unwrap();
        (length > 0).then(|| line.trim_end().to_owned())
    }

    /// Writes to its standard input.
    ///
    /// # Panics
    /// When it no longer reads.
    pub fn write_stdin(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Returns its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal.
    ///
    /// # Panics
    /// When it has ended already.
    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Closes its standard input, waits for its end, and returns its output since the last line that was read.
    ///
    /// # Panics
    /// When waiting for it fails.
    #[must_use]
    pub fn end(mut self) -> CommandOutput {
        drop(self.input.take());
        let (mut out, mut err) = (String::new(), String::new());
        self.output.read_to_string(&mut out).unwrap();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        CommandOutput { code: self.child.wait().unwrap().code(), out, err }
    }
}

impl Drop for RunningCommand {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
