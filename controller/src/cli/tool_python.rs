//! `tool export-python`: a tool as plain Python files that run with the official package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use minismith_control::recorded_move::NewFile;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::registry::RegistryError;
use minismith_toolchain::workshop::responses::{self, ToolDetails};

use super::{CommandStatus, print};

/// The module in whose language a tool may be written. It needs the official package only.
const MOTION: &str = include_str!("../../tool-host/src/python/motion.py");

/// Writes `NAME.py` to the folder, and `motion.py` beside it if the tool imports that. Existing files stay as they are.
pub fn write(workshop: &Workshop, name: &str, folder: &Path) -> anyhow::Result<CommandStatus> {
    let shown = match responses::show(workshop.registry(), name, None) {
        Ok(shown) => shown,
        Err(error @ RegistryError::Io { .. }) => return Err(error.into()),
        Err(refusal) => {
            print::line(&refusal.to_string());
            return Ok(CommandStatus::Failure);
        }
    };
    if let Some(why) = obstacle(&shown) {
        print::line(&format!("{name} needs Minismith: {why}"));
        return Ok(CommandStatus::Failure);
    }
    fs::create_dir_all(folder).with_context(|| {
        format!("can't make {}; choose a folder that is yours to write", folder.display())
    })?;
    let mut written = vec![file(folder, name, &shown.code)?];
    if imports(&shown.code, "motion") {
        written.push(file(folder, "motion", MOTION)?);
    }
    let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    print::line(&format!("wrote {}", written.join(" and ")));
    Ok(CommandStatus::Success)
}

/// Returns why a tool does not run with the official package.
fn obstacle(shown: &ToolDetails) -> Option<String> {
    if !shown.modules.is_empty() {
        return Some("it is a toolkit of several modules".into());
    }
    if !shown.manifest.tools.is_empty() {
        let tools: Vec<&str> = shown.manifest.tools.iter().map(String::as_str).collect();
        return Some(format!("it calls {}", tools.join(", ")));
    }
    imports(&shown.code, "minismith").then(|| "it imports the module minismith".into())
}

/// Returns whether a source imports a module. The policy permits imports only as statements of their own.
fn imports(source: &str, module: &str) -> bool {
    source.lines().any(|line| {
        let mut words = line.split_whitespace();
        matches!(words.next(), Some("from" | "import"))
            && words.next().is_some_and(|word| word.split('.').next() == Some(module))
    })
}

fn file(folder: &Path, name: &str, source: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(format!("{name}.py"));
    if fs::read(&path).is_ok_and(|known| known == source.as_bytes()) {
        return Ok(path);
    }
    NewFile::begin(&path, false)?.finish(source.as_bytes())?;
    Ok(path)
}
