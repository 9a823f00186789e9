//! `bench`: measures Minismith and compares it with the official packages.

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use minismith::bench::{self, Options};
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
    /// Python environment with the official packages (`make peers`). Default: .cache/peers in this folder or one above.
    #[arg(long, value_name = "FOLDER")]
    peers: Option<PathBuf>,
}

/// Runs the measurements. Fails when one of ours could not be measured.
pub fn run(config: &Config, args: BenchArgs) -> anyhow::Result<CommandStatus> {
    let BenchArgs { json, only, quick, out, peers } = args;
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
