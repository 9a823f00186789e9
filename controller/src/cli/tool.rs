//! `tool` and `rules`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Subcommand;
use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_analysis::manifest::TestCase;
use minismith_analysis::policy;
use minismith_analysis::submission::Submission;
use minismith_assistant::conversation::{Conversation, RunResult};
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Entry, Journal};
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::responses::{self, FileChecked, ToolDetails, ToolList, ToolSummary};
use serde_json::{Map, Value, json};

use super::admission::{PERSON, accept, noted, origin, print_check};
use super::print::as_data;
use super::tool_admin::{self, ToolAdminCommand};
use super::{CommandStatus, OnRobot, dataset, predefined, print, setup, tool_python, tool_report};

#[derive(Debug, Subcommand)]
pub enum ToolCommand {
    /// Check tools against the policy and rehearse them on the simulated robot. Nothing is registered.
    #[command(after_help = "Examples:\n  minismith tool check nod_yes.py\n  \
minismith tool check *.py --json\n  minismith tool check nod_yes.py --args '{\"times\": 3}'")]
    Check {
        /// Python files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
        /// Also rehearse a call with these arguments, a JSON object.
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        /// Ignore cached results and rehearse again.
        #[arg(long)]
        no_cache: bool,
        /// Write an image, a page and a recording of each accepted tool to this folder.
        #[arg(long, value_name = "DIR")]
        report: Option<PathBuf>,
    },
    /// Check a tool and register it as a new version.
    #[command(after_help = "Example:\n  minismith tool add nod_yes.py --json")]
    Add {
        /// Python file. The tool has the name of its only public function.
        file: PathBuf,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
        /// Make it one of the tools that come with the program. For developers: `make predefined`.
        #[arg(long, hide = true, conflicts_with = "json")]
        predefined: bool,
    },
    /// Create a tool from a recorded move or a trace, check it and register it as a new version.
    #[command(
        name = "from-recording",
        after_help = "The tool goes to the first pose of the move and follows it. Its parameter `speed` is 0.25 to 1.\nExamples:\n  \
minismith record wave.json --mode gravity-compensation --robot /dev/ttyACM0\n  \
minismith tool from-recording wave.json --name wave_hello --description \"wave with the left antenna\"\n  \
minismith tool from-recording wave.json --name wave_hello --out wave_hello.py"
    )]
    FromRecording(dataset::FromRecordingArgs),
    /// List the registered tools.
    #[command(after_help = "Examples:\n  minismith tool list\n  minismith tool list --json")]
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show the manifest and the code of a tool.
    #[command(
        after_help = "Examples:\n  minismith tool show nod_yes\n  minismith tool show nod_yes --version 1 --json\n  \
minismith tool show nod_yes --page"
    )]
    Show {
        /// Name of the tool.
        name: String,
        /// Version. Default: the active version.
        #[arg(long)]
        version: Option<u32>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
        /// Print the page of the tool instead, as Markdown.
        #[arg(long, conflicts_with = "json")]
        page: bool,
    },
    /// Run a registered tool.
    #[command(after_help = "Paths of input files are relative to the current folder.\nExamples:\n  \
minismith tool run nod_yes --args '{\"times\": 2}' --robot mock-bus\n  \
minismith tool run column_mean --args '{\"table\": \"data.csv\", \"column\": \"x\"}' --out reports")]
    Run {
        /// Name of the tool.
        name: String,
        /// Arguments, a JSON object.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        args: String,
        /// Folder for files that the tool writes. Existing files are never changed. Default: ./outputs/NAME.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        #[command(flatten)]
        on: OnRobot,
    },
    /// Write a tool as Python that runs with the official package, with the module `motion` beside it if it needs that.
    #[command(
        name = "export-python",
        after_help = "Existing files stay as they are.\nExample:\n  minismith tool export-python nod_yes --out moves"
    )]
    ExportPython {
        /// Name of the tool.
        name: String,
        /// Folder to write to.
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    #[command(name = "shelf")]
    #[command(flatten)]
    Admin(ToolAdminCommand),
}

/// Runs one of the commands.
pub fn run(config: &Config, command: ToolCommand) -> anyhow::Result<CommandStatus> {
    let workshop = setup::workshop(config)?;
    match command {
        ToolCommand::Check { files, json, args, no_cache, report } => {
            let book = setup::journal(config)?;
            check(&workshop, &book.journal(), &files, json, args.as_deref(), no_cache, report.as_deref())
        }
        ToolCommand::Add { file, predefined: true, .. } => predefined::add(config, &workshop, &file),
        ToolCommand::Add { file, json, .. } => add(config, &workshop, &file, json),
        ToolCommand::FromRecording(arguments) => dataset::run(config, &workshop, &arguments),
        ToolCommand::List { json } => list(&workshop, json),
        ToolCommand::Show { name, version, page: true, .. } => tool_report::show(&workshop, &name, version),
        ToolCommand::Show { name, version, json, .. } => show(&workshop, &name, version, json),
        ToolCommand::Run { name, args, out, on } => {
            execute(config, &workshop, &name, &args, out.as_deref(), &on)
        }
        ToolCommand::ExportPython { name, out } => tool_python::write(&workshop, &name, &out),
        ToolCommand::Admin(command) => {
            let change = command.change();
            let done = tool_admin::run(config, &workshop, command)?;
            if let Some(change) = change {
                let outcome = if done == CommandStatus::Success { "done" } else { "refused" };
                setup::journal(config)?.journal().note(Entry::now("tool", PERSON, &change, outcome));
            }
            Ok(done)
        }
    }
}

fn check(
    workshop: &Workshop,
    book: &Journal,
    files: &[PathBuf],
    json: bool,
    args: Option<&str>,
    no_cache: bool,
    report: Option<&Path>,
) -> anyhow::Result<CommandStatus> {
    let tests = match args {
        None => Vec::new(),
        Some(args) => {
            vec![TestCase { name: "--args".into(), arguments: object(args)?, ..TestCase::default() }]
        }
    };
    let clock = MonotonicClock::start();
    let mut results = Vec::new();
    for file in files {
        let began = clock.now();
        let mut submission = Submission::read(file)?.from(origin());
        submission.declared.test_cases.extend(tests.iter().cloned());
        // The report uses the rehearsal's motion, which must be recorded.
        let (checked, cached, reviewed) = if no_cache || report.is_some() {
            let (checked, reviewed) = workshop.check(&submission)?;
            (checked, false, reviewed)
        } else {
            let (checked, cached) = workshop.check_cached(&submission)?;
            (checked, cached, None)
        };
        book.note(noted(&format!("check {}", file.display()), &checked));
        let seconds = (clock.now().since(began).as_secs_f64() * 1e4).round() / 1e4;
        if !json {
            print_check(file, &checked, seconds);
        }
        let written = match (report, &reviewed) {
            (Some(folder), Some(reviewed)) => tool_report::write(folder, reviewed, json)?,
            _ => Vec::new(),
        };
        let file = file.display().to_string();
        results.push(FileChecked { file, checked, is_cached: cached, seconds, motion: None, written });
    }
    let accepted = results.iter().filter(|result| result.checked.accepted).count();
    if json {
        print::json(&json!({ "results": results }))?;
    } else if results.len() > 1 {
        print::line(&format!("{accepted} of {} admitted", results.len()));
    }
    Ok(CommandStatus::when(accepted == results.len()))
}

fn add(config: &Config, workshop: &Workshop, file: &Path, json: bool) -> anyhow::Result<CommandStatus> {
    accept(config, workshop, file, &Submission::read(file)?.from(origin()), json)
}

fn list(workshop: &Workshop, json: bool) -> anyhow::Result<CommandStatus> {
    let ToolList { tools } = responses::list(workshop.registry())?;
    if json {
        print::json(&ToolList { tools })?;
    } else if tools.is_empty() {
        print::line("no tools yet; add one with `minismith tool add FILE`");
    } else {
        for ToolSummary { entry, .. } in tools {
            let kind = if entry.predefined { "predefined" } else { "generated" };
            let kind = if entry.active { kind } else { "deactivated" };
            let held = entry.quarantine.map(|quarantine| format!(" [in quarantine: {}]", quarantine.reason));
            let first = entry.description.lines().next().unwrap_or_default();
            let held = held.unwrap_or_default();
            print::line(&format!("{} v{} ({kind}){held}: {first}", entry.name, entry.version));
        }
    }
    Ok(CommandStatus::Success)
}

fn show(workshop: &Workshop, name: &str, version: Option<u32>, json: bool) -> anyhow::Result<CommandStatus> {
    as_data(json, responses::show(workshop.registry(), name, version), |shown| {
        let ToolDetails { manifest, code, modules, .. } = shown;
        let mut text = format!("{code}\n");
        for (stem, source) in modules {
            text.push_str(&format!("# {stem}.py\n{source}\n"));
        }
        text.push_str(&serde_json::to_string_pretty(manifest).unwrap_or_default());
        let usage = shown.usage.version;
        text.push_str(&format!(
            "\n{} runs, {} failed, {} clamped cycles, {:.1} s",
            usage.runs, usage.failures, usage.clamps, usage.seconds
        ));
        if let Some(approval) = &shown.approval {
            text.push_str(&format!("\napproved by {}", approval.by));
        }
        if let Some(deactivation) = &shown.deactivated {
            text.push_str(&format!("\ndeactivated by {}", deactivation.by));
        }
        if let Some(quarantine) = &shown.quarantine {
            text.push_str(&format!("\nin quarantine: {}", quarantine.reason));
        }
        (json!(shown), text)
    })
}

fn execute(
    config: &Config,
    workshop: &Workshop,
    name: &str,
    args: &str,
    out: Option<&Path>,
    on: &OnRobot,
) -> anyhow::Result<CommandStatus> {
    let arguments = object(args)?;
    let body = setup::body(config, on)?;
    let mut conversation = Conversation::new(&body, workshop).reading_from(Path::new(""));
    let (version, mut tool_run) = match conversation.run_tool(name, arguments) {
        Ok(ran) => ran,
        Err(error) if error.is_of_the_environment() => return Err(error.into()),
        Err(refusal) => {
            if on.json {
                print::json(&json!({ "name": name, "refusal": refusal.to_string() }))?;
            } else {
                print::line(&format!("{name} was not run: {refusal}"));
            }
            return Ok(CommandStatus::Failure);
        }
    };
    print::keep(out, name, &mut tool_run.outputs)?;
    let well = matches!(tool_run.outcome, Outcome::Returned { .. });
    if on.json {
        print::json(&RunResult { name: name.into(), version, tool_run })?;
    } else {
        match &tool_run.outcome {
            Outcome::Returned { value } => print::line(&format!("{name} v{version} returned {value}")),
            Outcome::Raised { kind, message, line } => {
                let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                print::line(&format!("{name} v{version} raised {kind}: {message}{at}"));
            }
            Outcome::Stopped { reason, .. } => {
                print::line(&format!("{name} v{version} was stopped: {reason}"))
            }
        }
        for note in &tool_run.notes {
            print::line(&format!("  note: {note}"));
        }
        print::outputs(&tool_run.outputs);
    }
    Ok(CommandStatus::when(well))
}

/// Prints the policy's rules.
pub fn rules(json: bool) -> anyhow::Result<CommandStatus> {
    if json {
        print::json(&responses::rules())?;
    } else {
        for rule in policy::rules() {
            print::line(&rule.to_string());
        }
    }
    Ok(CommandStatus::Success)
}

fn object(text: &str) -> anyhow::Result<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => bail!("--args must be a JSON object such as '{{\"times\": 2}}', not {other}"),
        Err(error) => bail!("--args is not JSON ({error}); write for example --args '{{\"times\": 2}}'"),
    }
}
