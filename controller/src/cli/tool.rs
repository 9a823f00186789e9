//! `tool` and `rules`.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Subcommand;
use firmware_bridge::clock::{Clock, WallClock};
use minismith_analysis::manifest::TestCase;
use minismith_analysis::policy;
use minismith_analysis::submission::Submission;
use minismith_assistant::conversation::{Conversation, Ran};
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Entry, Journal};
use minismith_toolchain::performance::Outcome;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::told::{self, FileChecked, Listed, Listing, Shown};
use serde_json::{Map, Value, json};

use super::admission::{PERSON, admit, noted, origin, tell};
use super::print::as_data;
use super::shelf::{self, ShelfCommand};
use super::{Done, OnRobot, print, recorded, shop, tool_report};

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
    },
    /// Create a tool from a recorded move or a trace, check it and register it as a new version.
    #[command(
        name = "from-recording",
        after_help = "The tool goes to the first pose of the move and follows it. Its parameter `speed` is 0.25 to 1.\nExamples:\n  \
minismith record wave.json --mode gravity-compensation --robot /dev/ttyACM0\n  \
minismith tool from-recording wave.json --name wave_hello --description \"wave with the left antenna\"\n  \
minismith tool from-recording wave.json --name wave_hello --out wave_hello.py"
    )]
    FromRecording(recorded::FromRecordingArgs),
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
    #[command(flatten)]
    Shelf(ShelfCommand),
}

/// Runs one of the commands.
pub fn run(config: &Config, command: ToolCommand) -> anyhow::Result<Done> {
    let workshop = shop::workshop(config)?;
    match command {
        ToolCommand::Check { files, json, args, no_cache, report } => {
            let book = shop::journal(config)?;
            check(&workshop, &book.journal(), &files, json, args.as_deref(), no_cache, report.as_deref())
        }
        ToolCommand::Add { file, json } => add(config, &workshop, &file, json),
        ToolCommand::FromRecording(arguments) => recorded::run(config, &workshop, &arguments),
        ToolCommand::List { json } => list(&workshop, json),
        ToolCommand::Show { name, version, page: true, .. } => tool_report::show(&workshop, &name, version),
        ToolCommand::Show { name, version, json, .. } => show(&workshop, &name, version, json),
        ToolCommand::Run { name, args, out, on } => {
            perform(config, &workshop, &name, &args, out.as_deref(), &on)
        }
        ToolCommand::Shelf(command) => {
            let change = command.change();
            let done = shelf::run(config, &workshop, command)?;
            if let Some(change) = change {
                let outcome = if done == Done::Well { "done" } else { "refused" };
                shop::journal(config)?.journal().note(Entry::now("tool", PERSON, &change, outcome));
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
) -> anyhow::Result<Done> {
    let tests = match args {
        None => Vec::new(),
        Some(args) => {
            vec![TestCase { name: "--args".into(), arguments: object(args)?, ..TestCase::default() }]
        }
    };
    let clock = WallClock::start();
    let mut results = Vec::new();
    for file in files {
        let began = clock.now();
        let mut submission = Submission::read(file)?.from(origin());
        submission.declared.test_cases.extend(tests.iter().cloned());
        // The report uses the rehearsal's motion, which must be recorded.
        let (checked, cached, admissible) = if no_cache || report.is_some() {
            let (checked, admissible) = workshop.check(&submission)?;
            (checked, false, admissible)
        } else {
            let (checked, cached) = workshop.check_or_recall(&submission)?;
            (checked, cached, None)
        };
        book.note(noted(&format!("check {}", file.display()), &checked));
        let seconds = (clock.now().since(began).as_secs_f64() * 1e4).round() / 1e4;
        if !json {
            tell(file, &checked, seconds);
        }
        let written = match (report, &admissible) {
            (Some(folder), Some(admissible)) => tool_report::write(folder, admissible, json)?,
            _ => Vec::new(),
        };
        let file = file.display().to_string();
        results.push(FileChecked { file, checked, cached, seconds, motion: None, written });
    }
    let admitted = results.iter().filter(|result| result.checked.admitted).count();
    if json {
        print::json(&json!({ "results": results }))?;
    } else if results.len() > 1 {
        print::line(&format!("{admitted} of {} admitted", results.len()));
    }
    Ok(Done::when(admitted == results.len()))
}

fn add(config: &Config, workshop: &Workshop, file: &Path, json: bool) -> anyhow::Result<Done> {
    admit(config, workshop, file, &Submission::read(file)?.from(origin()), json)
}

fn list(workshop: &Workshop, json: bool) -> anyhow::Result<Done> {
    let Listing { tools } = told::list(workshop.registry())?;
    if json {
        print::json(&Listing { tools })?;
    } else if tools.is_empty() {
        print::line("no tools yet; add one with `minismith tool add FILE`");
    } else {
        for Listed { entry, .. } in tools {
            let kind = if entry.predefined { "predefined" } else { "generated" };
            let kind = if entry.active { kind } else { "deactivated" };
            let held = entry.quarantine.map(|quarantine| format!(" [in quarantine: {}]", quarantine.reason));
            let first = entry.description.lines().next().unwrap_or_default();
            let held = held.unwrap_or_default();
            print::line(&format!("{} v{} ({kind}){held}: {first}", entry.name, entry.version));
        }
    }
    Ok(Done::Well)
}

fn show(workshop: &Workshop, name: &str, version: Option<u32>, json: bool) -> anyhow::Result<Done> {
    as_data(json, told::show(workshop.registry(), name, version), |shown| {
        let Shown { manifest, code, modules, .. } = shown;
        let mut text = format!("{code}\n");
        for (stem, source) in modules {
            text.push_str(&format!("# {stem}.py\n{source}\n"));
        }
        text.push_str(&serde_json::to_string_pretty(manifest).unwrap_or_default());
        let usage = shown.usage.version;
        text.push_str(&format!(
            "\n{} runs, {} failed, {} trimmed beats, {:.1} s",
            usage.runs, usage.failures, usage.trims, usage.seconds
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

fn perform(
    config: &Config,
    workshop: &Workshop,
    name: &str,
    args: &str,
    out: Option<&Path>,
    on: &OnRobot,
) -> anyhow::Result<Done> {
    let arguments = object(args)?;
    let body = shop::body(config, on)?;
    let mut conversation = Conversation::new(&body, workshop).reading_from(Path::new(""));
    let (version, mut performance) = match conversation.run_tool(name, arguments) {
        Ok(ran) => ran,
        Err(error) if error.is_of_the_environment() => return Err(error.into()),
        Err(refusal) => {
            if on.json {
                print::json(&json!({ "name": name, "refusal": refusal.to_string() }))?;
            } else {
                print::line(&format!("{name} was not run: {refusal}"));
            }
            return Ok(Done::Badly);
        }
    };
    print::keep(out, name, &mut performance.outputs)?;
    let well = matches!(performance.outcome, Outcome::Returned { .. });
    if on.json {
        print::json(&Ran { name: name.into(), version, performance })?;
    } else {
        match &performance.outcome {
            Outcome::Returned { value } => print::line(&format!("{name} v{version} returned {value}")),
            Outcome::Raised { kind, message, line } => {
                let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
                print::line(&format!("{name} v{version} raised {kind}: {message}{at}"));
            }
            Outcome::Stopped { reason, .. } => {
                print::line(&format!("{name} v{version} was stopped: {reason}"))
            }
        }
        for note in &performance.notes {
            print::line(&format!("  note: {note}"));
        }
        print::outputs(&performance.outputs);
    }
    Ok(Done::when(well))
}

/// Prints the policy's rules.
pub fn rules(json: bool) -> anyhow::Result<Done> {
    if json {
        print::json(&told::rules())?;
    } else {
        for rule in policy::rules() {
            print::line(&rule.to_string());
        }
    }
    Ok(Done::Well)
}

fn object(text: &str) -> anyhow::Result<Map<String, Value>> {
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => bail!("--args must be a JSON object such as '{{\"times\": 2}}', not {other}"),
        Err(error) => bail!("--args is not JSON ({error}); write for example --args '{{\"times\": 2}}'"),
    }
}
