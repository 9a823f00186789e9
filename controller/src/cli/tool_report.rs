//! The image, the page and the recording of a tool: `tool check --report` writes them, `tool show --page` prints the
//! page.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use minismith_runtime::bounded::read_at_most;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::attachments::{Attachment, PAGE_SUFFIX, Prepared};
use minismith_toolchain::workshop::registry::RegistryError;
use minismith_toolchain::workshop::review::Reviewed;

use super::{CommandStatus, print};

/// The maximum size of a printed page, bytes.
const MAX_PAGE_BYTES: u64 = 1 << 20;

/// Writes the three files of an unregistered tool, named after it, and returns their paths.
pub fn write(folder: &Path, reviewed: &Reviewed, quiet: bool) -> anyhow::Result<Vec<PathBuf>> {
    let name = &reviewed.manifest().name;
    let prepared = Prepared::of(reviewed);
    fs::create_dir_all(folder).with_context(|| {
        format!("can't make {}; choose a folder that is yours to write", folder.display())
    })?;
    let mut written = Vec::new();
    for Attachment { suffix, bytes } in prepared.files(0, name) {
        let file = folder.join(format!("{name}.{suffix}"));
        fs::write(&file, bytes).with_context(|| {
            format!("can't write {}; choose a folder that is yours to write", file.display())
        })?;
        if !quiet {
            print::line(&format!("  wrote {}", file.display()));
        }
        written.push(file);
    }
    if let Some(why) = prepared.no_recording().filter(|_| !quiet) {
        print::line(&format!("  {why}"));
    }
    Ok(written)
}

/// Prints the page that is stored with a version of a tool.
pub fn show(workshop: &Workshop, name: &str, version: Option<u32>) -> anyhow::Result<CommandStatus> {
    let registry = workshop.registry();
    let found = registry.load(name, version).and_then(|accepted| {
        let version = accepted.manifest().version;
        Ok((version, registry.attachments(name, version)?.remove(PAGE_SUFFIX)))
    });
    let (words, done) = match found {
        Err(error @ RegistryError::Io { .. }) => return Err(error.into()),
        Err(refusal) => (refusal.to_string(), CommandStatus::Failure),
        Ok((version, None)) => (
            format!("{name} v{version} has no page: it was added before there were any"),
            CommandStatus::Failure,
        ),
        Ok((_, Some(file))) => {
            let page = read_at_most(&file, MAX_PAGE_BYTES).with_context(|| {
                format!("can't read {}; put it back, or add the tool anew", file.display())
            })?;
            (String::from_utf8_lossy(&page).trim_end().to_owned(), CommandStatus::Success)
        }
    };
    print::line(&words);
    Ok(done)
}
