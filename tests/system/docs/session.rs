//! Runs the blocks of a page, from top to bottom, in one folder.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use minismith_tests::{CommandOutput, RunningCommand, TestDir, workspace};

use super::block::{Block, Command, Kind, Options};
use super::expect;
use super::page::Page;

/// How pages name the server and the robot.
const ADDRESS: &str = "127.0.0.1:8000";
const PORT: &str = "/dev/ttyACM0";

/// Precedes each exit code in the output of a block's shell.
const MARK: char = '\u{1e}';

/// Runs a page, and says how many of its blocks it ran.
pub(super) fn run(page: &Page) {
    let mut session = Session::new();
    let (mut ran, mut wrong) = (0, Vec::new());
    for block in &page.blocks {
        match &block.kind {
            Kind::Console(options) => {
                if let Some(lacking) = options.lacking() {
                    println!("skipped: {}:{}: there is no {lacking}", page.path, block.line);
                    continue;
                }
                ran += 1;
                options.needs.iter().for_each(|need| session.link(need));
                wrong.extend(
                    session.run(block, options).into_iter().map(|why| format!("{}:{why}", page.path)),
                );
            }
            Kind::File(name) => drop(session.bench.write(name, &block.text)),
            Kind::Configuration => {
                let why = session.refused(&block.text);
                wrong.extend(why.map(|why| format!("{}:{}: {why}", page.path, block.line)));
            }
            Kind::NoRun(_) | Kind::Shown | Kind::Unknown(_) => {}
        }
    }
    println!("{}: {ran} blocks run", page.path);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n\n"));
}

struct Session {
    bench: TestDir,
    server: Option<(RunningCommand, String)>,
    robot: Option<(RunningCommand, String)>,
}

impl Session {
    fn new() -> Self {
        // Waiting times are long, since other tests share the processor.
        let bench = TestDir::configured("bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n");
        copy(&workspace().join("tools/predefined"), &bench.path("tools/predefined"));
        fs::create_dir_all(bench.path("tools/generated")).unwrap();
        symlink(workspace().join("Makefile"), bench.path("Makefile")).unwrap();
        Session { bench, server: None, robot: None }
    }

    /// Links a path of the workspace into the page's folder.
    fn link(&self, need: &str) {
        let (there, here) = (workspace().join(need), self.bench.path(need));
        if there.exists() && !here.exists() {
            fs::create_dir_all(here.parent().unwrap()).unwrap();
            symlink(there, here).unwrap();
        }
    }

    /// Returns why the program does not accept a configuration.
    fn refused(&self, text: &str) -> Option<String> {
        self.bench.write("page.yaml", text);
        let read = self.bench.run(&["token", "list", "--config", "page.yaml"]);
        (read.code != Some(0)).then(|| format!("this configuration is refused: {}", read.err))
    }

    /// Runs a block, and returns what differs from the page.
    fn run(&mut self, block: &Block, options: &Options) -> Vec<String> {
        let mut commands = block.commands();
        let mut wrong = Vec::new();
        if options.robot && self.robot.is_none() {
            let path = self.bench.path("ttyACM0").display().to_string();
            let mut robot = self.bench.start(&["mock", "--link", &path]);
            robot.line().unwrap();
            self.robot = Some((robot, path));
        }
        if options.server && self.server.is_none() {
            let shown = commands.first().is_some_and(|first| first.text.starts_with("minismith serve"));
            let first = if shown { Some(commands.remove(0)) } else { None };
            let line = self.serve(first.as_ref().map_or("", |first| &first.text));
            wrong.extend(first.and_then(|first| different(&first, &self.as_shown(&line))));
        }
        if commands.is_empty() {
            return wrong;
        }
        let printed = CommandOutput::from(self.bench.shell(&self.script(&commands)));
        let mut rest = printed.out.as_str();
        for (at, command) in commands.iter().enumerate() {
            let Some((output, after)) = rest.split_once(MARK) else {
                wrong.push(format!("{}: the shell ended early: {rest}{}", command.line, printed.err));
                break;
            };
            let (code, after) = after.split_once('\n').unwrap_or((after, ""));
            rest = after;
            wrong.extend(different(command, &self.as_shown(output)));
            let due = if at + 1 == commands.len() { options.exit } else { 0 };
            if code != due.to_string() {
                wrong.push(format!("{}: `{}` exits with {code}, not with {due}", command.line, command.text));
            }
        }
        wrong
    }

    /// Starts the server with the options of a `minismith serve ...` line, and returns the line that it prints.
    fn serve(&mut self, line: &str) -> String {
        let line = self.as_run(line);
        let words = line.trim_start_matches("minismith serve").trim_end_matches('&');
        let mut arguments = vec!["serve"];
        arguments.extend(words.split_whitespace());
        arguments.extend(["--port", "0"]);
        let mut server = self.bench.start(&arguments);
        let Some(line) = server.line() else { panic!("the server did not start: {}", server.end().err) };
        let (_, rest) = line.split_once("://").unwrap();
        let address = rest.split(|sign: char| sign.is_whitespace() || sign == '/').next().unwrap();
        self.server = Some((server, address.to_owned()));
        line
    }

    /// Returns one script of all commands, with a mark and the exit code after the output of each.
    fn script(&self, commands: &[Command]) -> String {
        let mut script = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n".to_owned();
        for command in commands {
            script.push_str(&self.as_run(&command.text));
            script.push_str("\nprintf '\\036%d\\n' $?\n");
        }
        script
    }

    /// Returns a command of a page, with the real address and port.
    fn as_run(&self, text: &str) -> String {
        self.pairs().iter().fold(text.to_owned(), |text, (shown, real)| text.replace(shown, real))
    }

    /// Returns the output, with the address and port of the page.
    fn as_shown(&self, text: &str) -> String {
        self.pairs().iter().fold(text.to_owned(), |text, (shown, real)| text.replace(real.as_str(), shown))
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let server = self.server.iter().map(|(_, address)| (ADDRESS, address.clone()));
        let robot = self.robot.iter().map(|(_, path)| (PORT, path.clone()));
        server.chain(robot).collect()
    }
}

/// Returns how the output of a command differs from the page.
fn different(command: &Command, output: &str) -> Option<String> {
    let actual: Vec<&str> = output.trim_end().lines().collect();
    let expected = command.expected.join("\n  ");
    (!expect::matches(&command.expected, &actual)).then(|| {
        format!(
            "{}: `{}`\nthe page shows\n  {expected}\nit prints\n  {}",
            command.line,
            command.text,
            actual.join("\n  ")
        )
    })
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}
