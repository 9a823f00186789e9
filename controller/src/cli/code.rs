//! `code`.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use minismith_assistant::code_tasks::report::Report;
use minismith_assistant::code_tasks::{CodeTasks, Request, read_files, task};
use minismith_language_model::{Client, Model, Watch};
use minismith_runtime::config::Config;
use serde_json::Value;

use super::{CommandStatus, print};

/// The end of the help.
pub const EXAMPLES: &str = "Files: csv, xlsx, json, yaml, xml, txt, pdf, parquet, hdf5, npy, images, archives; 50 MB each.\n\
Examples:\n  minismith code \"what is the mean of column b?\" --file data.csv\n  \
minismith code \"plot torque against time\" --file joints.csv --out plots\n  \
minismith code \"how many pages?\" --file manual.pdf --json";

/// What is asked.
#[derive(Debug, Args)]
pub struct CodeArgs {
    /// Question in plain English.
    question: String,
    /// Input file. May be repeated.
    #[arg(long = "file", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder for output files. Existing files are never changed. Default: ./outputs/answer.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Answers a question.
///
/// # Errors
/// When the libraries are not installed, there is no sandbox, or a file cannot be read.
pub fn run(config: &Config, arguments: &CodeArgs) -> anyhow::Result<CommandStatus> {
    let tasks = CodeTasks::new(config);
    let files = read_files(&arguments.files)?;
    let request = Request { question: arguments.question.clone(), files };
    let mut client = Client::configured(config)?;
    let model = client.as_mut().map(|client| client as &mut dyn Model);
    let mut report = tasks.answer(request, model, &mut || Watch::On)?;
    for notice in client.iter_mut().flat_map(Model::notices) {
        eprintln!("minismith: {notice}");
    }
    print::keep(arguments.out.as_deref(), "answer", &mut report.outputs)
        .context("the answer is there, its files are not")?;
    if arguments.json {
        print::json(&report)?;
    } else {
        print_report(&report);
    }
    Ok(CommandStatus::when(report.success))
}

fn print_report(report: &Report) {
    match (&report.error, &report.answer) {
        (Some(error), _) => print::line(error),
        (None, Value::String(text)) => print::line(text),
        (None, answer) => print::line(&answer.to_string()),
    }
    for assumption in &report.assumptions {
        print::line(&format!("  assumed: {assumption}"));
    }
    print::outputs(&report.outputs);
    if !report.author.is_empty() {
        let by =
            if report.author == task::OFFLINE { "a simple reading of the question" } else { &report.author };
        let again = if report.reused { ", for a similar question before" } else { "" };
        print::line(&format!(
            "  computed in {} s by code of {by}{again}; --json shows it",
            report.execution_time_s
        ));
    }
}
