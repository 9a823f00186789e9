//! The commands, one module each; the words of the command line are a contract with scripts.

mod admission;
mod bench;
mod body;
mod calibrate;
mod code;
mod converse;
mod interrupt;
mod joints;
mod journal;
mod listen;
mod mcp;
mod motors;
mod moves;
mod print;
mod quantity;
mod raw;
mod recorded;
mod remote;
mod repl;
mod replay;
mod serve;
mod session;
mod shelf;
mod shop;
mod token;
mod tool;
mod tool_report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::logs;

/// How a command ended, short of an error of usage or environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// It was done.
    Well,
    /// It was refused or failed; the output says why.
    Badly,
}

impl From<Done> for ExitCode {
    fn from(done: Done) -> Self {
        match done {
            Done::Well => ExitCode::SUCCESS,
            Done::Badly => ExitCode::from(1),
        }
    }
}

impl Done {
    /// Well, if `well`.
    pub const fn when(well: bool) -> Self {
        if well { Done::Well } else { Done::Badly }
    }
}

/// A controller for the Reachy Mini robot that writes, proves and then performs its own tools.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "Exit codes: 0 done, 1 refused or failed, 2 usage or environment error.\n\
Start with: minismith say \"nod twice, then look left 20 degrees\""
)]
pub struct Cli {
    /// The configuration file; without it ./config.yaml, else the built-in one.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// Which body, and how to print.
#[derive(Debug, Args)]
struct OnRobot {
    /// mock, mock-bus (emulated servos on a pseudo-terminal) or a serial device such as /dev/ttyACM0.
    #[arg(long, value_name = "ROBOT")]
    robot: Option<RobotChoice>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Do what a sentence says, and tell what came of it.
    #[command(after_help = "Examples:\n  minismith say \"nod twice, then look left 20 degrees\"\n  \
minismith say \"make a tool called hello that nods and wiggles the antennas, then run it\" --json\n  \
minismith say \"hello\" --robot mock-bus\n  minismith say \"nod\" --url http://127.0.0.1:8000")]
    Say {
        /// What to do, in plain English.
        text: String,
        /// Go on with a session of this name, or begin one: what was said in it before is remembered.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        /// Say it to a controller that serves already, such as http://127.0.0.1:8000, whose robot it has then; the
        /// environment's MINISMITH_TOKEN is shown to it.
        #[arg(long, value_name = "URL", conflicts_with = "robot")]
        url: Option<String>,
        #[command(flatten)]
        on: OnRobot,
    },
    /// Talk line by line; "stop" halts at once, "bye" ends.
    #[command(
        after_help = "Examples:\n  minismith chat\n  minismith chat --session evening --robot mock-bus"
    )]
    Chat {
        /// Go on with a session of this name, or begin one.
        #[arg(long, value_name = "NAME")]
        session: Option<String>,
        #[command(flatten)]
        on: OnRobot,
    },
    /// Talk by voice: hear with the microphone or from a file, and say the answers; "stop" halts at once.
    #[command(
        after_help = "Examples:\n  minismith listen\n  minismith listen --wav order.wav --text --json\n  \
minismith listen --wav order.wav --out answer.wav"
    )]
    Listen(listen::Listen),
    /// What is remembered of conversations: list, show, export or delete sessions.
    #[command(
        after_help = "Examples:\n  minismith session list\n  minismith session export evening > evening.json\n  \
minismith session delete evening"
    )]
    Session {
        #[command(subcommand)]
        command: session::SessionCommand,
    },
    /// Keep the robot alive and answer over HTTP: /health, /api/v1/state, POST /api/v1/stop.
    #[command(
        after_help = "Examples:\n  minismith serve --robot mock &\n  curl -s http://127.0.0.1:8000/health\n  \
minismith serve --robot /dev/ttyACM0 --listen"
    )]
    Serve(serve::Serve),
    /// Make, list and take back tokens: who may ask a server, and for what.
    Token {
        #[command(subcommand)]
        command: token::TokenCommand,
    },
    /// Serve one client of the Model Context Protocol over standard input and output, with the robot's motions and tools.
    #[command(after_help = "A client starts it by itself, by a line such as:\n  \
claude mcp add reachy -- minismith mcp --robot /dev/ttyACM0\n\
`minismith serve` speaks the same protocol at http://127.0.0.1:8000/mcp, also to several clients.")]
    Mcp {
        /// mock, mock-bus (emulated servos on a pseudo-terminal) or a serial device such as /dev/ttyACM0.
        #[arg(long, value_name = "ROBOT")]
        robot: Option<RobotChoice>,
        /// Serve the robot of a controller that serves already, such as http://127.0.0.1:8000.
        #[arg(long, value_name = "URL", conflicts_with = "robot")]
        url: Option<String>,
    },
    /// Move single joints to angles, inside the envelope, and tell where they went.
    #[command(after_help = "Examples:\n  minismith move --joint stewart_1 --to 40deg --over 2s\n  \
minismith move --joint right_antenna --to -0.5rad --joint left_antenna --to 0.5rad\n  \
minismith move --joint body_rotation --by -15deg --robot /dev/ttyACM0 --json")]
    Move(joints::MoveArgs),
    /// What each motor tells (position, torque, mode, current, temperature, supply, errors), and how it holds.
    #[command(after_help = "Examples:\n  minismith motors --robot /dev/ttyACM0\n  \
minismith motors --control gravity --robot /dev/ttyACM0\n  \
minismith motors --joint left_antenna --torque off --robot /dev/ttyACM0 --json\n  \
minismith motors --joint stewart_1 --gains 400,0,0 --robot /dev/ttyACM0")]
    Motors(motors::MotorsArgs),
    /// Record what the robot does, or is led through by hand, as a move in the official format.
    #[command(after_help = "Examples:\n  minismith record wave.json --gravity --robot /dev/ttyACM0\n  \
minismith record wave.json --release --yes --seconds 10 --rate 100\n  \
minismith record nod.json --while \"nod twice\"")]
    Record(moves::RecordArgs),
    /// Play a recorded move: go to where it begins, then follow it inside the envelope.
    #[command(after_help = "Examples:\n  minismith play wave.json --speed 0.5\n  \
minismith play wave.json --robot mock-bus --record did.json --json")]
    Play(moves::PlayArgs),
    /// Play again on the mock what was kept of a motion, or a tool's run from the journal, and say how far it went from that.
    #[command(
        after_help = "Exit code 0: as it was, within what the way to the motors explains. 1: it went another way.\nExamples:\n  \
minismith replay 20261123T101500.250-3fa9c1.trace.jsonl\n  minismith replay wave.json --robot mock-bus --out did.trace.jsonl\n  \
minismith replay one.trace.jsonl --against other.trace.jsonl --json\n  minismith replay --last-failed"
    )]
    Replay(replay::ReplayArgs),
    /// What was asked, done, decided and refused: tell, show, export or check the journal.
    Journal {
        #[command(subcommand)]
        command: journal::JournalCommand,
    },
    /// Make files for others of what was recorded: datasets for robot learning, moves in the official format.
    Dataset {
        #[command(subcommand)]
        command: recorded::DatasetCommand,
    },
    /// Run Python line by line on a mock robot, in a tool's cage and within its limits.
    #[command(
        after_help = "Examples:\n  minismith repl\n  minismith repl --script lines.py --json-lines\n  \
minismith repl --robot mock"
    )]
    Repl(repl::ReplArgs),
    /// Answer a question about files by a script in a cage; it needs `make code` once.
    #[command(after_help = code::EXAMPLES)]
    Code(code::CodeArgs),
    /// Check, keep and run tools.
    Tool {
        #[command(subcommand)]
        command: tool::ToolCommand,
    },
    /// Nine emulated servos on a pseudo-terminal; prints its path and runs until interrupted.
    #[command(after_help = "Example:\n  minismith mock --link /tmp/reachy &\n  minismith scan /tmp/reachy")]
    Mock {
        /// Also make a symbolic link to the pseudo-terminal here.
        #[arg(long, value_name = "PATH")]
        link: Option<PathBuf>,
        /// A YAML file of faults, such as `watchdog: trips_without_stopping`, and a schedule of more.
        #[arg(long, value_name = "FILE")]
        faults: Option<PathBuf>,
        /// Answer as fast as this machine can, instead of at the pace of a real line.
        #[arg(long)]
        unpaced: bool,
    },
    /// List the servos on a serial line: ids, models, firmware, voltage, temperature, errors. Moves nothing.
    #[command(after_help = "Examples:\n  minismith scan /dev/ttyACM0\n  \
minismith scan /dev/ttyACM0 --all-bauds --json")]
    Scan {
        /// The serial device.
        port: PathBuf,
        /// Look at every baud rate that the servos know, such as for a new servo; it takes some seconds.
        #[arg(long)]
        all_bauds: bool,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Compare the servos' settings with the official ones, keep them, correct them, bring them back.
    #[command(
        after_help = "A backup is kept before anything is written, and nothing is written while motors are on.\n\
Examples:\n  minismith calibrate /dev/ttyACM0\n  \
minismith calibrate /dev/ttyACM0 --apply --joint stewart_3\n  \
minismith calibrate /dev/ttyACM0 --restore minismith-servos-1760000000.yaml"
    )]
    Calibrate(calibrate::CalibrateArgs),
    /// Send packets of your own to the servos, and read the answers in hex and in words.
    #[command(
        after_help = "Nothing checks these packets: a goal that is written moves the motor.\nExamples:\n  \
minismith raw /dev/ttyACM0 --ping 11\n  minismith raw /dev/ttyACM0 --read 11 132 4\n  \
minismith raw /dev/ttyACM0 --write 11 65 01\n  minismith raw /dev/ttyACM0 ff ff fd 00 0b 03 00 01 19 c6\n  \
minismith raw /dev/ttyACM0 < packets.txt"
    )]
    Raw(raw::RawArgs),
    /// Examine this machine: ports, permissions, Python, the cage; each trouble with its remedy.
    Doctor {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Measure against the official packages, side by side; `make peers official` installs them.
    Bench(bench::BenchArgs),
    /// Print the policy's rules: id, reason, advice, a good and a bad example.
    Rules {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Carries out the command.
///
/// # Errors
/// Errors of usage and environment; what is refused as data is [`Done::Badly`].
pub fn run(cli: Cli) -> anyhow::Result<Done> {
    let config = Config::load(cli.config.as_deref())?;
    // To the end of the command.
    let _logs = logs::begin(&config);
    match cli.command {
        Command::Say { text, session, url: Some(url), on } => {
            remote::say(&url, &text, session.as_deref(), on.json)
        }
        Command::Say { text, session, url: None, on } => {
            converse::say(&config, &text, session.as_deref(), &on)
        }
        Command::Chat { session, on } => converse::chat(&config, session.as_deref(), &on),
        Command::Listen(arguments) => listen::run(&config, &arguments),
        Command::Session { command } => session::run(&config, command),
        Command::Serve(arguments) => serve::serve(&config, &arguments),
        Command::Token { command } => token::run(&config, command),
        Command::Mcp { robot, url } => mcp::run(&config, robot, url.as_deref()),
        Command::Move(arguments) => joints::run(&config, &arguments),
        Command::Motors(arguments) => motors::run(&config, &arguments),
        Command::Record(arguments) => moves::record(&config, &arguments),
        Command::Play(arguments) => moves::play(&config, &arguments),
        Command::Replay(arguments) => replay::run(&config, &arguments),
        Command::Journal { command } => journal::run(&config, command),
        Command::Dataset { command } => recorded::dataset(&config, command),
        Command::Repl(arguments) => repl::run(&config, &arguments),
        Command::Code(arguments) => code::run(&config, &arguments),
        Command::Tool { command } => tool::run(&config, command),
        Command::Mock { link, faults, unpaced } => body::mock(link, faults.as_deref(), !unpaced),
        Command::Scan { port, all_bauds, json } => body::scan(&config, &port, all_bauds, json),
        Command::Calibrate(arguments) => calibrate::run(&config, &arguments),
        Command::Raw(arguments) => raw::run(&config, &arguments),
        Command::Doctor { json } => body::doctor(&config, json),
        Command::Bench(args) => bench::run(&config, args),
        Command::Rules { json } => tool::rules(json),
    }
}
