//! `repl`.

use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use firmware_bridge::clock::VirtualClock;
use firmware_bridge::control_loop::{ControlLoop, ControlLoopHandle, LoopClient, LoopCommand};
use firmware_bridge::joint::Joints;
use minismith_control::execution::ExecutionContext;
use minismith_control::perception::{Perception, scene_camera};
use minismith_control::robot::{RobotRuntime, initial_joints, limits_of, models_of};
use minismith_runtime::config::{Config, RobotChoice};
use minismith_toolchain::guest::LazyHost;
use minismith_toolchain::repl::{Heard, Interrupter, MAX_LINE_BYTES, Repl, Reply};
use minismith_toolchain::workshop::rehearsal::RehearsalOptions;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;
use tokio::signal::unix::{SignalKind, signal};

use super::{CommandStatus, print};

/// The mock, and the source of the lines.
#[derive(Debug, Args)]
pub struct ReplArgs {
    /// Simulated robot in real time: mock or mock-bus. Default: virtual time, in which motion takes no real time.
    #[arg(long, value_name = "ROBOT")]
    robot: Option<RobotChoice>,
    /// Print one JSON document per line.
    #[arg(long)]
    json_lines: bool,
    /// Read the lines from a file and print the session.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
}

/// Runs all lines. Fails if a line failed without a user at a terminal.
pub fn run(config: &Config, arguments: &ReplArgs) -> anyhow::Result<CommandStatus> {
    let script = arguments.script.as_deref().map(lines_of).transpose()?;
    let (stage, _body, handle) = context(config, arguments.robot.as_ref())?;
    let host = LazyHost::new(&config.tool_host.python, config.tool_host.sandbox_requirements.clone());
    let mut repl = Repl::new(host, stage, conditions(config));
    repl.warm_up()?;
    on_interrupts(repl.interrupter(), handle)?;
    let mut session = Session { repl, json: arguments.json_lines, more: false, failed: false };
    match script {
        Some(lines) => session.play(lines, !arguments.json_lines),
        None if std::io::stdin().is_terminal() => {
            session.talk()?;
            return Ok(CommandStatus::Success);
        }
        None => session.play(stdin_lines(), false),
    }?;
    Ok(CommandStatus::when(!session.failed))
}

/// Returns the limits of a tool without approval.
fn conditions(config: &Config) -> RehearsalOptions {
    RehearsalOptions {
        limits: limits_of(config).scaled(config.limits.unapproved_tool_scale.value()),
        period: config.rate.period(),
        robot_time_s: config.workshop.budget.robot_time.as_secs_f64(),
        guest: config.workshop.budget.guest,
        models: models_of(config),
    }
}

/// The mock. In real time its robot is held here, and a handle can stop it.
fn context(
    config: &Config,
    robot: Option<&RobotChoice>,
) -> anyhow::Result<(ExecutionContext, Option<RobotRuntime>, Option<ControlLoopHandle>)> {
    let limits = conditions(config).limits;
    let Some(choice) = robot else {
        let robot = MockRobot::new(initial_joints(), Variation::default());
        let control_loop = ControlLoop::new(robot, VirtualClock::new(), limits, config.rate.period())?;
        let mut context = ExecutionContext::new(
            Box::new(control_loop),
            Perception::new(scene_camera(config), models_of(config)),
        );
        context.torque(Joints::all(true))?;
        return Ok((context, None, None));
    };
    if let RobotChoice::Serial(path) = choice {
        bail!(
            "repl never moves real motors, and {} may have some; leave --robot out, or give mock or mock-bus",
            path.display()
        );
    }
    let body = RobotRuntime::open(choice, config)?;
    let mut context = body.execution_context();
    context.limit(limits);
    let handle = body.handle();
    Ok((context, Some(body), Some(handle)))
}

/// Ctrl-C ends the running line with its motion; between lines it ends the program.
fn on_interrupts(interrupter: Interrupter, mut handle: Option<ControlLoopHandle>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let inside = runtime.enter();
    let mut interrupts = signal(SignalKind::interrupt())?;
    drop(inside);
    std::thread::Builder::new().name("interrupt".into()).spawn(move || {
        runtime.block_on(async {
            while interrupts.recv().await.is_some() {
                if !interrupter.interrupt() {
                    std::process::exit(130);
                }
                if let Some(handle) = &mut handle {
                    handle.send_command(LoopCommand::Stop);
                }
            }
        });
    })?;
    Ok(())
}

struct Session {
    repl: Repl,
    json: bool,
    more: bool,
    failed: bool,
}

impl Session {
    fn prompt(&self) -> String {
        if self.more { "... ".into() } else { format!("{:.2} s >>> ", self.repl.clock()) }
    }

    /// Runs one line; false when it was the last.
    fn hear(&mut self, line: &str) -> anyhow::Result<bool> {
        let (json, mut open) = (self.json, false);
        let mut show = |text: &str| {
            if !json && !text.is_empty() {
                print::text(text);
                open = !text.ends_with('\n');
            }
        };
        let Heard::Reply(reply) = self.repl.hear(line, &mut show)? else { return Ok(false) };
        if open {
            print::text("\n");
        }
        self.more = reply.incomplete;
        self.failed |= reply.failed();
        if self.json {
            print::line(&serde_json::to_string(&reply)?);
        } else {
            print_reply(&reply);
        }
        Ok(true)
    }

    /// Runs lines from a file or a pipe, and completes an unfinished statement at the end.
    fn play(
        &mut self,
        lines: impl IntoIterator<Item = anyhow::Result<String>>,
        echo: bool,
    ) -> anyhow::Result<()> {
        for line in lines {
            let line = line?;
            if echo {
                print::line(&format!("{}{line}", self.prompt()));
            }
            if !self.hear(&line)? {
                return Ok(());
            }
        }
        if self.more {
            self.hear("")?;
        }
        Ok(())
    }

    /// Runs lines from a user at a terminal.
    fn talk(&mut self) -> anyhow::Result<()> {
        let mut editor = DefaultEditor::new()?;
        print::line("Python on a mock robot, in a tool's sandbox; :help tells more, :quit ends.");
        loop {
            match editor.readline(&self.prompt()) {
                Ok(line) => {
                    // A missing history is no error.
                    let _ = editor.add_history_entry(&line);
                    if !self.hear(&line)? {
                        return Ok(());
                    }
                }
                // At the prompt, Ctrl-C discards the input, including an unfinished statement.
                Err(ReadlineError::Interrupted) => {
                    self.repl.forget();
                    self.more = false;
                }
                Err(ReadlineError::Eof) => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Prints the result of a line; its output has been printed already.
fn print_reply(reply: &Reply) {
    let parts = [reply.repr.as_deref(), reply.error.as_deref(), reply.is_restarted.as_deref()];
    parts.into_iter().flatten().for_each(print::line);
    for note in &reply.notes {
        print::line(&format!("  note: {note}"));
    }
}

fn lines_of(path: &Path) -> anyhow::Result<Lines<BufReader<File>>> {
    let file =
        File::open(path).with_context(|| format!("cannot read {}; name a text file", path.display()))?;
    Ok(Lines(BufReader::new(file)))
}

fn stdin_lines() -> Lines<std::io::StdinLock<'static>> {
    Lines(std::io::stdin().lock())
}

/// Reads lines of a bounded length; a longer one is cut, and rejected for its length.
struct Lines<R>(R);

impl<R: BufRead> Iterator for Lines<R> {
    type Item = anyhow::Result<String>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 2;
        match self.0.by_ref().take(most).read_until(b'\n', &mut line) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) => return Some(Err(error.into())),
        }
        if !line.ends_with(b"\n")
            && let Err(error) = self.0.skip_until(b'\n')
        {
            return Some(Err(error.into()));
        }
        let line = String::from_utf8_lossy(&line);
        Some(Ok(line.trim_end_matches(['\n', '\r']).to_owned()))
    }
}
