//! `bench`: measures Minismith and compares it with the official packages.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use minismith::bench::authoring::harness::{self, Judged};
use minismith::bench::understanding;
use minismith::bench::{self, Options};
use minismith_motion_checks::cases;
use minismith_runtime::config::Config;
use serde_json::json;

use super::{CommandStatus, print};

/// What to measure, and the output.
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Only these rows, such as `ik,fk` or `pulse_jitter_p99_idle`.
    #[arg(long, value_name = "NAME[,NAME...]")]
    only: Option<String>,
    /// Measure briefly. The results are not suitable for comparisons.
    #[arg(long)]
    quick: bool,
    /// Write the JSON document to this file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Have a tool made for each request of a file, and judge its measured motion by the file's checks, instead of
    /// measuring rows.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["only", "peers", "quick"])]
    authoring: Option<PathBuf>,
    /// Say each sentence of the files in a folder to a robot that plans what it understands, and judge what would move,
    /// instead of measuring rows.
    #[arg(long, value_name = "FOLDER", conflicts_with = "authoring")]
    understanding: Option<PathBuf>,
    /// With `--authoring`: only the requests that may be looked at while tuning, with answers and failed checks.
    #[arg(long, requires = "authoring")]
    seen: bool,
    /// Python environment with the official packages (`make peers`). Default: .cache/peers in this folder or one above.
    #[arg(long, value_name = "FOLDER")]
    peers: Option<PathBuf>,
}

/// Runs the measurements. Fails when one of ours could not be measured.
pub fn run(config: &Config, args: BenchArgs) -> anyhow::Result<CommandStatus> {
    let BenchArgs { json, only, quick, out, authoring, understanding, seen, peers } = args;
    if let Some(folder) = understanding {
        return judge_understanding(config, &folder, json, out.as_deref());
    }
    if let Some(file) = authoring {
        return judge_authoring(config, &file, seen, json, out.as_deref());
    }
    let rows = bench::run(config, &Options { only, quick, peers }, &|text| eprintln!("minismith: {text}"))?;
    let document = json!({ "results": rows });
    if let Some(out) = out {
        if let Some(folder) = out.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        std::fs::write(&out, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if json {
        print::json(&document)?;
    } else {
        print::line(&bench::row::table(&rows));
    }
    Ok(CommandStatus::when(rows.iter().all(|row| row.ours.is_some())))
}

/// Judges what is understood of the sentences of the files in a folder.
fn judge_understanding(
    config: &Config,
    folder: &Path,
    json: bool,
    out: Option<&Path>,
) -> anyhow::Result<CommandStatus> {
    let results = understanding::run(config, folder)?;
    for failure in results.files.iter().flat_map(|file| &file.failures) {
        eprintln!("{failure}");
    }
    let document = json!(results);
    if let Some(out) = out {
        std::fs::write(out, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if json {
        print::json(&document)?;
    } else {
        print::line(&understanding::table(&results));
    }
    Ok(CommandStatus::Success)
}

/// Judges the tools that are made for the requests of a file. Fails when a wrong one was stored as right.
fn judge_authoring(
    config: &Config,
    file: &Path,
    only_seen: bool,
    json: bool,
    out: Option<&Path>,
) -> anyhow::Result<CommandStatus> {
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut cases = cases::parse(&text).with_context(|| format!("{}", file.display()))?;
    cases.retain(|case| !(only_seen && case.unseen));
    let results = harness::run(config, &cases, &|result| {
        eprintln!("{:<18} {:?} in {:.1} s", result.id, result.judged, result.seconds);
        for failed in &result.failed {
            eprintln!("    {failed}");
        }
    })?;
    let document = json!({ "brain": format!("{:?}", config.nlu).to_lowercase(), "results": results });
    if let Some(out) = out {
        std::fs::write(out, format!("{document:#}\n"))
            .with_context(|| format!("cannot write {}", out.display()))?;
    }
    if json {
        print::json(&document)?;
    } else {
        print::line(&harness::table(&format!("{:?}", config.nlu).to_lowercase(), &results));
    }
    Ok(CommandStatus::when(results.iter().all(|result| result.judged != Judged::WrongAsRight)))
}
