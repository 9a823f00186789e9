//! Imports that a tool may not have.

use std::collections::BTreeSet;

use super::edit::{line, names, uses};
use super::{Broken, Fix};
use crate::catalog::Target;
use crate::context::Names;

/// Imports the name from the module that has it, or removes an import that nothing uses.
pub(super) fn other(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let statement = broken.source.get(range.clone())?;
    let bound = Names::of(statement);
    let by_name = statement.trim_start().strip_prefix("from ").and_then(|rest| rest.split_once(" import "));
    if let Some((path, listed)) = by_name
        && let Some(module) = module_of(broken, path.trim(), listed)
    {
        let start = range.start + statement.find(path)?;
        return Some(Fix::new(format!("Import it from `{module}`"), start..start + path.len(), module));
    }
    let names = bound.bound();
    let is_used = names.iter().any(|name| {
        uses(broken.source, name).iter().any(|used| used.start < range.start || used.start >= range.end)
    });
    (!names.is_empty() && !is_used && !statement.contains(['(', '\\', ';']))
        .then(|| Fix::new("Remove this import, which nothing uses", range, ""))
}

/// Returns the only permitted module that has all the names of an import.
fn module_of(broken: &Broken<'_>, path: &str, listed: &str) -> Option<&'static str> {
    let items = listed.split('#').next()?.split(',');
    let wanted: Vec<&str> = items.map(|item| item.split_whitespace().next().unwrap_or_default()).collect();
    let has_all = |names: &[&str]| wanted.iter().all(|name| names.contains(name));
    let mut modules =
        broken.catalog.surface.modules.iter().filter(|(known, names)| *known != path && has_all(names));
    let root = path.split('.').next()?;
    let near = modules.clone().find(|(known, _)| known.split('.').next() == Some(root));
    match (near, modules.next(), modules.next()) {
        (Some((module, _)), ..) | (None, Some((module, _)), None) => Some(module),
        _ => None,
    }
}

/// Names what a star import brings.
pub(super) fn named(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let statement = broken.source.get(range.clone())?;
    let (path, _) = statement.trim_start().strip_prefix("from ")?.split_once(" import *")?;
    let permitted = broken.catalog.members(&Target::Module(path.trim().to_owned()));
    let used: BTreeSet<String> = names(broken.source).into_iter().map(|(_, name)| name).collect();
    let listed: Vec<&str> = permitted.into_iter().filter(|name| used.contains(*name)).collect();
    if listed.is_empty() {
        return Some(Fix::new("Remove this import, which nothing uses", range, ""));
    }
    let star = range.start + statement.find('*')?;
    let listed = listed.join(", ");
    Some(Fix::new(format!("Import {listed}"), star..star + 1, listed))
}
