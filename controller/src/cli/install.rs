//! `minismith setup`: installs the Python environment for tools, and the models, pinned by hashes.
//!
//! `scripts/install.py` does it, for this command and for `make models`. It is built into the program with the lists of
//! packages, and runs with a Python of this computer.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use minismith_runtime::config::Config;
use minismith_runtime::subprocess;
use minismith_toolchain::guest::locate_program;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{CommandStatus, print};

const INSTALL: &str = include_str!("../../../scripts/install.py");
const RECIPES: &str = include_str!("../../../scripts/recast.py");
const MODELS: &str = include_str!("../../../requirements/models.txt");
const TOOLS: &str = include_str!("../../../requirements/tools.txt");
const NODE: &str = include_str!("../../../requirements/node.txt");

/// What the help shows last.
pub const EXAMPLES: &str = "\
It may be repeated: what is there and whole stays, and what an interrupted download has fetched is kept.\n\
Exit codes: 0 all is installed, 1 something is missing, 2 it cannot begin.\n\
Examples:\n  minismith setup\n  minismith setup --check\n  minismith setup --python\n  \
minismith setup --models --json\n  minismith setup --from ./packages\n  \
minismith setup --from http://192.168.1.5:8080/packages/";

/// What to install.
#[derive(Debug, Args)]
pub struct Setup {
    /// Install only the Python environment for tools (numpy; 70 MB).
    #[arg(long)]
    python: bool,
    /// Install only the models for vision, speech and tool search (115 MB).
    #[arg(long)]
    models: bool,
    /// Report what is missing and install nothing.
    #[arg(long)]
    check: bool,
    /// Take the packages from this folder or web page alone, instead of the package indexes.
    #[arg(long, value_name = "PLACE")]
    from: Option<String>,
    /// Python to make the environment with. Default: one in PATH of the version that minismith-tool-host needs.
    #[arg(long, value_name = "FILE")]
    base_python: Option<PathBuf>,
    /// Install these packages for tools instead, a pip requirements file with hashes.
    #[arg(long, value_name = "FILE")]
    requirements: Option<PathBuf>,
    /// Install the models of this table instead. It has the form of requirements/models.txt in the source tree.
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// The scripts and lists, as files.
struct Kit {
    folder: TempDir,
}

impl Kit {
    fn unpack() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder; set TMPDIR to one")?;
        for (name, text) in [
            ("install.py", INSTALL),
            ("recast.py", RECIPES),
            ("models.txt", MODELS),
            ("tools.txt", TOOLS),
            ("node.txt", NODE),
        ] {
            fs::write(folder.path().join(name), text).context("cannot write a temporary file")?;
        }
        Ok(Kit { folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Installs what is missing.
pub fn run(config: &Config, arguments: &Setup) -> anyhow::Result<CommandStatus> {
    let kit = Kit::unpack()?;
    let both = arguments.python == arguments.models;
    let from = arguments.from.as_deref().map(place).transpose()?;
    let own = |file: &Option<PathBuf>, name: &str| match file {
        None => Ok(kit.path(name)),
        Some(file) => file.canonicalize().with_context(|| format!("cannot read {}", file.display())),
    };
    // All arguments first: nothing is fetched for a command that is wrong.
    let (requirements, table) =
        (own(&arguments.requirements, "tools.txt")?, own(&arguments.table, "models.txt")?);
    let named = arguments.base_python.as_deref().map(|named| checked(named, None)).transpose()?;
    let configured = &config.tool_host.python;
    let mut items = Vec::new();
    let mut found = None;
    if both || arguments.python {
        let environment = environment(configured)?;
        if !is_environment(environment, &requirements) && !arguments.check {
            let wanted = tool_host_python()?;
            found = Some(match &named {
                Some(named) => checked(named, Some(&wanted))?,
                None => base_python(Some(&wanted))?,
            });
        }
        items.extend(install(
            &kit,
            "environment",
            environment,
            &requirements,
            found.as_deref(),
            from.as_deref(),
        )?);
    }
    if both || arguments.models {
        let python = match (arguments.check, configured.is_file()) {
            (true, _) => None,
            // The environment has pip, which a system's Python may lack.
            (false, true) => Some(configured.clone()),
            (false, false) => Some(found.or(named).map_or_else(|| base_python(None), Ok)?),
        };
        items.extend(install(&kit, "models", &config.models, &table, python.as_deref(), from.as_deref())?);
    }
    report(&items, arguments)
}

fn report(items: &[Value], arguments: &Setup) -> anyhow::Result<CommandStatus> {
    let missing = items.iter().filter(|item| item["status"] == "failed" || item["status"] == "missing");
    let missing: Vec<&Value> = missing.collect();
    let complete = missing.is_empty();
    if arguments.json {
        print::json(&json!({ "complete": complete, "items": items }))?;
        return Ok(CommandStatus::when(complete));
    }
    for item in items {
        let word = |key: &str| item[key].as_str().unwrap_or_default().to_owned();
        print::line(&format!("{:<10} {} ({})", word("status"), word("name"), word("path")));
        if let Some(reason) = item["reason"].as_str() {
            print::line(&format!("           {reason}"));
        }
    }
    print::line(&match (complete, arguments.check) {
        (true, _) => "All is installed.".to_owned(),
        (false, true) => format!("{} missing; `minismith setup` installs what is missing.", missing.len()),
        (false, false) => {
            format!("{} not installed; repeat the command when the cause is gone.", missing.len())
        }
    });
    Ok(CommandStatus::when(complete))
}

/// Returns the folder of the virtual environment that `python` belongs to.
fn environment(python: &Path) -> anyhow::Result<&Path> {
    match python.parent() {
        Some(bin) if bin.ends_with("bin") && python.ends_with("python") => Ok(bin.parent().unwrap_or(bin)),
        _ => bail!(
            "{} is not the `bin/python` of a virtual environment, so nothing can be installed for it; unset MINISMITH_PYTHON \
             and tool_host.python, or install numpy there yourself",
            python.display()
        ),
    }
}

fn is_environment(folder: &Path, requirements: &Path) -> bool {
    let read = |path: &Path| fs::read(path).ok();
    folder.join("bin/python").is_file() && read(&folder.join("installed.txt")) == read(requirements)
}

/// Returns a folder as a path that stays valid elsewhere, or an address.
fn place(named: &str) -> anyhow::Result<String> {
    if let Some((scheme, _)) = named.split_once("://") {
        if ["http", "https", "file"].contains(&scheme) {
            return Ok(named.to_owned());
        }
        bail!(
            "--from {named}: `{scheme}` is not a kind of address that is understood; allowed: http, https, file, or a folder"
        );
    }
    let folder = Path::new(named);
    if !folder.is_dir() {
        bail!(
            "--from {named}: there is no such folder; name one that holds the packages, or an address such as http://HOST/"
        );
    }
    Ok(folder.canonicalize()?.display().to_string())
}

/// Runs the script, or only looks without a Python.
fn install(
    kit: &Kit,
    kind: &str,
    folder: &Path,
    pinned: &Path,
    python: Option<&Path>,
    from: Option<&str>,
) -> anyhow::Result<Vec<Value>> {
    let Some(python) = python else { return Ok(look(kind, folder, pinned)) };
    let mut arguments: Vec<OsString> = vec!["-I".into(), kit.path("install.py").into(), kind.into()];
    arguments.extend([folder.into(), pinned.into()]);
    arguments.extend(["--recipes".into(), kit.path("recast.py").into()]);
    arguments.extend(["--node-package".into(), kit.path("node.txt").into()]);
    if let Some(from) = from {
        arguments.extend(["--from".into(), from.into()]);
    }
    let mut items = Vec::new();
    let ended = subprocess::run(python, &arguments, false, &mut |line| {
        items.extend(serde_json::from_str::<Value>(line).ok());
    })
    .with_context(|| format!("cannot start {}", python.display()))?;
    let is_explained = items.iter().any(|item| item["status"] == "failed");
    if !ended.success() && !is_explained {
        bail!(
            "the installation in {} has ended early ({ended}); what was said above tells why",
            folder.display()
        );
    }
    Ok(items)
}

/// Reports what is missing, by the files alone: whole files are not told from damaged ones.
fn look(kind: &str, folder: &Path, pinned: &Path) -> Vec<Value> {
    let status = |there: bool| if there { "present" } else { "missing" };
    if kind == "environment" {
        let text = fs::read_to_string(pinned).unwrap_or_default();
        let begins = |line: &&str| line.starts_with(|first: char| first.is_ascii_alphanumeric());
        let names: Vec<&str> =
            text.lines().filter(begins).filter_map(|line| line.split_whitespace().next()).collect();
        let (name, python) = (names.join(", "), folder.join("bin/python"));
        let status = status(is_environment(folder, pinned));
        return vec![json!({ "kind": "python", "name": name, "path": python, "status": status })];
    }
    let table = fs::read_to_string(pinned).unwrap_or_default();
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    let machine = env::consts::ARCH;
    let names: BTreeSet<&str> = lines
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            let (place, for_machine) = (words.next()?, words.next()?);
            (for_machine == "any" || for_machine == machine).then_some(place)
        })
        .collect();
    let item = |name: &str| {
        let path = folder.join(name);
        json!({ "kind": "model", "name": name, "path": path, "status": status(path.is_file()) })
    };
    names.into_iter().map(item).collect()
}

/// Returns the Python that was named on the command line, if it can be used.
fn checked(named: &Path, wanted: Option<&str>) -> anyhow::Result<PathBuf> {
    let Some(version) = version_of(named) else {
        bail!("--base-python {}: it is no Python 3.11 or newer with the module venv", named.display());
    };
    match wanted.filter(|wanted| *wanted != version) {
        Some(wanted) => bail!(
            "--base-python {}: it is Python {version}, and minismith-tool-host needs Python {wanted}",
            named.display()
        ),
        None => Ok(named.to_owned()),
    }
}

/// Finds a Python to install with. That for tools must be of the version that the tool host was built with.
fn base_python(wanted: Option<&str>) -> anyhow::Result<PathBuf> {
    const NAMES: [&str; 5] = ["python3", "python3.14", "python3.13", "python3.12", "python3.11"];
    let name = wanted.map(|wanted| format!("python{wanted}"));
    let fits = |path: &PathBuf| {
        version_of(path).is_some_and(|version| wanted.is_none_or(|wanted| wanted == version))
    };
    let found = name.as_deref().into_iter().chain(NAMES).flat_map(subprocess::find_all).find(fits);
    found.with_context(|| match wanted {
        Some(wanted) => format!(
            "Python {wanted} with the module venv is missing in PATH, and minismith-tool-host was built for it; install it \
             (on Debian: python{wanted} and python{wanted}-venv), or name it with --base-python"
        ),
        None => "Python 3.11 or newer with the module venv is missing in PATH; install it (on Debian: python3 and \
                 python3-venv), or name it with --base-python"
            .to_owned(),
    })
}

/// Returns the version of Python that the tool host was built with, such as `3.11`.
fn tool_host_python() -> anyhow::Result<String> {
    let program = locate_program()?;
    let mut version = None;
    let ended = subprocess::run(&program, &["--version".into()], false, &mut |line| {
        version = line.rsplit_once("Python ").map(|(_, version)| version.trim().to_owned());
    })
    .with_context(|| format!("cannot start {}", program.display()))?;
    version.filter(|_| ended.success()).with_context(|| {
        format!(
            "{} does not start; it needs the shared library of the Python that it was built with, which the message above \
             names",
            program.display()
        )
    })
}

/// Returns the version of a Python that can make virtual environments.
fn version_of(python: &Path) -> Option<String> {
    const QUESTION: &str =
        "import sys, venv, ensurepip; sys.version_info >= (3, 11) and print('%d.%d' % sys.version_info[:2])";
    let mut version = None;
    let arguments = ["-I".into(), "-c".into(), QUESTION.into()];
    let ended =
        subprocess::run(python, &arguments, true, &mut |line| version = Some(line.to_owned())).ok()?;
    version.filter(|_| ended.success())
}
