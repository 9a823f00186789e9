//! The commands, one module each. The text of the command line is a contract with scripts.

mod admission;
mod app;
mod bench;
mod calibrate;
mod code;
mod dataset;
mod first_run;
mod fleet;
mod hardware;
mod import_official;
mod install;
mod interrupt;
mod journal;
mod listen;
mod lsp;
mod mcp;
mod model;
mod motors;
mod move_joints;
mod old_names;
mod pages;
mod paths;
mod predefined;
mod print;
mod quantity;
mod raw;
mod recorded_moves;
mod remote;
mod repl;
mod replay;
mod say;
mod self_update;
mod serve;
mod service;
mod session;
mod setup;
mod take_over;
mod token;
mod tool;
mod tool_admin;
mod tool_python;
mod tool_report;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use minismith_runtime::config::{Config, Nlu, RobotChoice};
use minismith_runtime::logs;

/// The result of a command without errors of usage or environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandStatus {
    /// The command succeeded.
    Success,
    /// The command was rejected or failed; the output contains the cause.
    Failure,
}

impl From<CommandStatus> for ExitCode {
    fn from(done: CommandStatus) -> Self {
        match done {
            CommandStatus::Success => ExitCode::SUCCESS,
            CommandStatus::Failure => ExitCode::from(1),
        }
    }
}

impl CommandStatus {
    /// Returns success if `well`.
    pub const fn when(well: bool) -> Self {
        if well { CommandStatus::Success } else { CommandStatus::Failure }
    }
}

/// Control a Reachy Mini robot in plain English, and let it write, verify and run its own tools.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "Exit codes: 0 success, 1 rejected or failed, 2 usage or environment error.\n\
Example:\n  minismith say \"nod twice, then look left 20 degrees\""
)]
pub struct Cli {
    /// Configuration file. Default: config.yaml in the current folder, in ~/.config/minismith or in /etc/minismith,
    /// otherwise the built-in values. `minismith paths` shows it.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How text is understood: grammar, llm (a language model behind an endpoint) or local (one on this computer).
    /// Default: `nlu` in config.yaml.
    #[arg(long, global = true, value_name = "NLU", alias = "brain")]
    nlu: Option<Nlu>,
    #[command(subcommand)]
    command: Command,
}

/// The robot, and the output format.
#[derive(Debug, Args)]
struct OnRobot {
    /// Robot: mock, mock-bus (emulated servos on a pseudo-terminal) or a serial device such as /dev/ttyACM0. Default:
    /// `robot` in config.yaml.
    #[arg(long, value_name = "ROBOT")]
    robot: Option<RobotChoice>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Carry out a sentence and report the result.
    #[command(after_help = "Examples:\n  minismith say \"nod twice, then look left 20 degrees\"\n  \
minismith say \"make a tool called hello that nods and wiggles the antennas, then run it\" --json\n  \
minismith say \"hello\" --robot mock-bus\n  minismith say \"nod\" --url http://127.0.0.1:8000")]
    Say {
        /// Request in plain English.
        text: String,
        /// Continue the session of this name, or start it. A session remembers earlier requests.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        /// Send the request to a running server, such as http://127.0.0.1:8000, with the token in the environment
        /// variable MINISMITH_TOKEN.
        #[arg(long, value_name = "URL", conflicts_with = "robot")]
        url: Option<String>,
        #[command(flatten)]
        on: OnRobot,
    },
    /// Chat line by line. "stop" stops the robot at once, "bye" ends the chat.
    #[command(
        after_help = "Examples:\n  minismith chat\n  minismith chat --session evening --robot mock-bus"
    )]
    Chat {
        /// Continue the session of this name, or start it.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        #[command(flatten)]
        on: OnRobot,
    },
    /// Listen to the microphone or a file and answer aloud. "stop" stops the robot at once.
    #[command(
        after_help = "Examples:\n  minismith listen\n  minismith listen --input order.wav --no-speech --json\n  \
minismith listen --input order.wav --output answer.wav"
    )]
    Listen(listen::Listen),
    /// Install, start and stop apps that were made for the official daemon, in a sandbox.
    #[command(after_help = app::EXAMPLES)]
    App {
        #[command(subcommand)]
        command: app::AppCommand,
    },
    /// Install the apps that the official daemon has installed, and let the same one start with the server.
    #[command(after_help = import_official::EXAMPLES)]
    ImportOfficial(import_official::ImportOfficial),
    /// List, show, export and delete stored sessions.
    #[command(
        after_help = "Examples:\n  minismith session list\n  minismith session export evening > evening.json\n  \
minismith session delete evening"
    )]
    Session {
        #[command(subcommand)]
        command: session::SessionCommand,
    },
    /// Run the HTTP server and the dashboard.
    #[command(
        after_help = "Examples:\n  minismith serve --robot mock &\n  curl -s http://127.0.0.1:8000/health\n  \
minismith serve --robot /dev/ttyACM0 --microphone"
    )]
    Serve(serve::Serve),
    /// See and command several robots, and pass tools between them. `minismith fleet help` lists the commands.
    #[command(
        after_help = "It needs the program minismith-fleet beside this one (`make fleet`).\nExamples:\n  minismith fleet join kitchen\n  minismith fleet say --to all \"wave\"\n  minismith fleet stop"
    )]
    Fleet {
        /// Command of the program `minismith-fleet`, with its options.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
        arguments: Vec<OsString>,
    },
    /// Create, list and revoke API tokens. Each token has a role.
    Token {
        #[command(subcommand)]
        command: token::TokenCommand,
    },
    /// Serve one Model Context Protocol client over standard input and output.
    #[command(after_help = "A client starts this command itself. Example:\n  \
claude mcp add reachy -- minismith mcp --robot /dev/ttyACM0\n\
`minismith serve` offers the same protocol to several clients at http://127.0.0.1:8000/mcp.")]
    Mcp {
        /// Robot: mock, mock-bus (emulated servos on a pseudo-terminal) or a serial device such as /dev/ttyACM0. Default:
        /// `robot` in config.yaml.
        #[arg(long, value_name = "ROBOT")]
        robot: Option<RobotChoice>,
        /// Connect to a running server, such as http://127.0.0.1:8000.
        #[arg(long, value_name = "URL", conflicts_with = "robot")]
        url: Option<String>,
    },
    /// Serve an editor as a language server for tools, over standard input and output.
    #[command(
        after_help = "An editor starts this command itself; see docs/editors.md. Nothing of a tool is run until it is \
rehearsed."
    )]
    Lsp {
        /// Accepted, because many editors pass it. There is no other transport.
        #[arg(long)]
        stdio: bool,
    },
    /// Move joints to angles inside the safety envelope and report their final positions.
    #[command(after_help = "Examples:\n  minismith move --joint stewart_1 --to 40deg --duration 2s\n  \
minismith move --joint right_antenna --to -0.5rad --joint left_antenna --to 0.5rad\n  \
minismith move --joint body_rotation --by -15deg --robot /dev/ttyACM0 --json")]
    Move(move_joints::MoveArgs),
    /// Show the state of each motor, and set torque, control mode and gains.
    #[command(after_help = "Examples:\n  minismith motors --robot /dev/ttyACM0\n  \
minismith motors --mode gravity-compensation --robot /dev/ttyACM0\n  \
minismith motors --joint left_antenna --torque off --robot /dev/ttyACM0 --json\n  \
minismith motors --joint stewart_1 --gains 400,0,0 --robot /dev/ttyACM0")]
    Motors(motors::MotorsArgs),
    /// Record a move in the official format, during a request or by hand guiding.
    #[command(
        after_help = "Examples:\n  minismith record wave.json --mode gravity-compensation --robot /dev/ttyACM0\n  \
minismith record wave.json --mode torque-off --yes --seconds 10 --rate 100\n  \
minismith record nod.json --say \"nod twice\" --json"
    )]
    Record(recorded_moves::RecordArgs),
    /// Play a recorded move: go to its first pose, then follow it inside the safety envelope.
    #[command(after_help = "Examples:\n  minismith play wave.json --speed 0.5\n  \
minismith play wave.json --robot mock-bus --record did.json --json")]
    Play(recorded_moves::PlayArgs),
    /// Replay a recorded trace or tool run on the simulated robot and report how far the result deviates.
    #[command(after_help = "Exit code 0: the result is within tolerance. 1: it deviates.\nExamples:\n  \
minismith replay 20261123T101500.250-3fa9c1.trace.jsonl\n  minismith replay wave.json --robot mock-bus --out did.trace.jsonl\n  \
minismith replay one.trace.jsonl --compare-with other.trace.jsonl --json\n  minismith replay --last-failed")]
    Replay(replay::ReplayArgs),
    /// Show, follow, export and check the journal, the audit log of requests and actions.
    Journal {
        #[command(subcommand)]
        command: journal::JournalCommand,
    },
    /// Convert recordings to robot learning datasets and to moves in the official format.
    Dataset {
        #[command(subcommand)]
        command: dataset::DatasetCommand,
    },
    /// Run Python line by line on a simulated robot, in the sandbox of a tool and within its limits.
    #[command(
        after_help = "Examples:\n  minismith repl\n  minismith repl --script lines.py --json-lines\n  \
minismith repl --robot mock"
    )]
    Repl(repl::ReplArgs),
    /// Answer a question about files with a sandboxed script. Run `make code` once before using this command.
    #[command(after_help = code::EXAMPLES)]
    Code(code::CodeArgs),
    /// List, add, choose and remove language models on this computer. `make model` installs one.
    Model {
        #[command(subcommand)]
        command: model::ModelCommand,
    },
    /// Check, register and run tools.
    Tool {
        #[command(subcommand)]
        command: tool::ToolCommand,
    },
    /// Emulate nine servos on a pseudo-terminal, print its path and run until interrupted.
    #[command(after_help = "Example:\n  minismith mock --link /tmp/reachy &\n  minismith scan /tmp/reachy")]
    Mock {
        /// Create a symbolic link to the pseudo-terminal.
        #[arg(long, value_name = "PATH")]
        link: Option<PathBuf>,
        /// Inject the faults in a YAML file, such as `watchdog: trips_without_stopping`, immediately or on a schedule.
        #[arg(long, value_name = "FILE")]
        faults: Option<PathBuf>,
        /// Reply as fast as possible instead of at the speed of a real serial line.
        #[arg(long)]
        unpaced: bool,
    },
    /// List the servos on a serial line: id, model, firmware, voltage, temperature and errors. Nothing moves.
    #[command(after_help = "Examples:\n  minismith scan /dev/ttyACM0\n  \
minismith scan /dev/ttyACM0 --all-baudrates --json")]
    Scan {
        /// Serial device.
        port: PathBuf,
        /// Try every supported baud rate, for example for a new servo. This takes some seconds.
        #[arg(long)]
        all_baudrates: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Compare servo settings with the official ones; back up, correct and restore them.
    #[command(after_help = "Every write is preceded by a backup, and requires that torque is off.\n\
Examples:\n  minismith calibrate /dev/ttyACM0\n  \
minismith calibrate /dev/ttyACM0 --apply --joint stewart_3\n  \
minismith calibrate /dev/ttyACM0 --restore minismith-servos-1760000000.yaml")]
    Calibrate(calibrate::CalibrateArgs),
    /// Send raw packets to the servos and decode their replies.
    #[command(
        after_help = "WARNING: packets are not checked. Writing a goal position moves the motor.\nExamples:\n  \
minismith raw /dev/ttyACM0 --ping 11\n  minismith raw /dev/ttyACM0 --read 11 132 4\n  \
minismith raw /dev/ttyACM0 --write 11 65 01\n  minismith raw /dev/ttyACM0 ff ff fd 00 0b 03 00 01 19 c6\n  \
minismith raw /dev/ttyACM0 < packets.txt"
    )]
    Raw(raw::RawArgs),
    /// Examine a robot that has just been connected, from its cable to its speaker, and write a report.
    #[command(
        after_help = "Every joint moves by a few degrees, below 20 % of its speed limit. Enter or Ctrl-C stops the robot; it is \
laid down at the end in any case.\nExamples:\n  minismith first-run\n  \
minismith first-run --robot /dev/ttyACM0 --skip motion\n  \
minismith first-run --robot mock-bus --yes --skip microphone,speaker --json"
    )]
    FirstRun(first_run::FirstRunArgs),
    /// Check this computer: ports, permissions, Python and the sandbox. Each problem has a remedy.
    #[command(after_help = "Examples:\n  minismith doctor\n  minismith doctor --json")]
    Doctor {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show where configuration, tools, models, Python and recordings are, and why.
    #[command(after_help = "Examples:\n  minismith paths\n  minismith paths --all\n  minismith paths --json")]
    Paths {
        /// Also show the places that were taken, with every place in the order of the search.
        #[arg(long)]
        all: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Install what tools and models need: Python packages and model files, checked by their hashes.
    #[command(after_help = install::EXAMPLES)]
    Setup(install::Setup),
    /// Let Minismith own the robot's own computer instead of the official daemon. `minismith give-back` undoes it.
    #[command(after_help = take_over::EXAMPLES)]
    TakeOver(take_over::TakeOver),
    /// Undo `minismith take-over`: the official daemon owns the robot again.
    #[command(after_help = take_over::GIVE_BACK_EXAMPLES)]
    GiveBack(take_over::GiveBack),
    /// Replace this program by a newer version from a signed archive, or go back to the version before.
    #[command(after_help = self_update::EXAMPLES)]
    SelfUpdate(self_update::SelfUpdate),
    /// Measure performance, compared with the official packages. `make peers official` installs them.
    #[command(after_help = "Examples:\n  minismith bench --quick\n  minismith bench --only ik,fk --json")]
    Bench(bench::BenchArgs),
    /// Print the completions of a shell.
    #[command(
        after_help = "Examples:\n  minismith completions bash > ~/.local/share/bash-completion/completions/minismith\n  \
minismith completions fish | source"
    )]
    Completions {
        /// Shell.
        shell: clap_complete::Shell,
    },
    /// Write a manual page for each command.
    #[command(
        after_help = "Example:\n  mkdir -p ~/.local/share/man/man1 && minismith man-pages ~/.local/share/man/man1"
    )]
    ManPages {
        /// Existing folder for the pages.
        folder: PathBuf,
    },
    /// Print the policy rules: id, reason, advice, a good and a bad example.
    #[command(after_help = "Examples:\n  minismith rules\n  minismith rules --json")]
    Rules {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Parses the command line, including old names. Exits on errors of usage.
pub fn parse() -> Cli {
    let matches = old_names::with_old_names(Cli::command()).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

/// Runs the command.
///
/// # Errors
/// Errors of usage and environment. A rejected request is [`CommandStatus::Failure`].
pub fn run(cli: Cli) -> anyhow::Result<CommandStatus> {
    // What is about the command line alone needs no configuration.
    match &cli.command {
        Command::Completions { shell } => return pages::completions(*shell),
        Command::ManPages { folder } => return pages::man_pages(folder),
        Command::Fleet { arguments } => match fleet::run(arguments)? {},
        _ => {}
    }
    let config = Config::load(cli.config.as_deref())?;
    for file in &config.untrusted {
        eprintln!(
            "warning: {} is not read, because another user owns it or may write it or its folder; `--config {}` reads it \
             all the same",
            file.display(),
            file.display()
        );
    }
    for old in &config.old_spellings {
        eprintln!("warning: {old}");
    }
    let config = match cli.nlu {
        Some(nlu) => config.with_nlu(nlu)?,
        None => config,
    };
    // Until the end of the command. What root does before the service starts must not make the log file root's.
    let is_logged = !matches!(cli.command, Command::TakeOver(_) | Command::GiveBack(_));
    let _logs = is_logged.then(|| logs::begin(&config));
    let done = carry_out(cli.command, config);
    // The process of a local model would end with this one; this also removes its folder.
    minismith_local_model::server::stop_all();
    done
}

fn carry_out(command: Command, config: Config) -> anyhow::Result<CommandStatus> {
    match command {
        Command::Say { text, session, url: Some(url), on } => {
            remote::say(&url, &text, session.as_deref(), on.json)
        }
        Command::Say { text, session, url: None, on } => say::say(&config, &text, session.as_deref(), &on),
        Command::Chat { session, on } => say::chat(&config, session.as_deref(), &on),
        Command::Listen(arguments) => listen::run(&config, &arguments),
        Command::App { command } => app::run(&config, command),
        Command::ImportOfficial(arguments) => import_official::run(&config, &arguments),
        Command::Session { command } => session::run(&config, command),
        Command::Serve(arguments) => serve::serve(&config, &arguments),
        Command::Token { command } => token::run(&config, command),
        Command::Mcp { robot, url } => mcp::run(&config, robot, url.as_deref()),
        Command::Lsp { stdio: _ } => lsp::run(&config),
        Command::Move(arguments) => move_joints::run(&config, &arguments),
        Command::Motors(arguments) => motors::run(&config, &arguments),
        Command::Record(arguments) => recorded_moves::record(&config, &arguments),
        Command::Play(arguments) => recorded_moves::play(&config, &arguments),
        Command::Replay(arguments) => replay::run(&config, &arguments),
        Command::Journal { command } => journal::run(&config, command),
        Command::Dataset { command } => dataset::run_dataset(&config, command),
        Command::Repl(arguments) => repl::run(&config, &arguments),
        Command::Code(arguments) => code::run(&config, &arguments),
        Command::Model { command } => model::run(&config, command),
        Command::Tool { command } => tool::run(&config, command),
        Command::Mock { link, faults, unpaced } => hardware::mock(link, faults.as_deref(), !unpaced),
        Command::Scan { port, all_baudrates, json } => hardware::scan(&config, &port, all_baudrates, json),
        Command::Calibrate(arguments) => calibrate::run(&config, &arguments),
        Command::Raw(arguments) => raw::run(&config, &arguments),
        Command::FirstRun(arguments) => first_run::run(&config, &arguments),
        Command::Doctor { json } => hardware::doctor(&config, json),
        Command::Paths { all, json } => paths::run(&config, json, all),
        Command::Setup(arguments) => install::run(&config, &arguments),
        Command::SelfUpdate(arguments) => self_update::run(&config, &arguments),
        Command::TakeOver(arguments) => take_over::take_over(&arguments),
        Command::GiveBack(arguments) => take_over::give_back(&arguments),
        Command::Bench(args) => bench::run(&config, args),
        Command::Rules { json } => tool::rules(json),
        Command::Completions { shell } => pages::completions(shell),
        Command::ManPages { folder } => pages::man_pages(&folder),
        Command::Fleet { arguments } => match fleet::run(&arguments)? {},
    }
}
