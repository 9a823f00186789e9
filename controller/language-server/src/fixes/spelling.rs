//! Names: misspelt, reserved or unused ones.

use super::edit::{last_quoted, uses, word_behind};
use super::{Broken, Fix};
use crate::context::word_at;

/// Follows a hint such as "did you mean `goto_target`?".
pub(super) fn suggested(broken: &Broken<'_>) -> Option<Fix> {
    let hint = &broken.finding.hint;
    let meant = hint.strip_prefix("did you mean `")?.split('`').next()?;
    // The reason names what was written last.
    let range = word_behind(broken.source, broken.at, last_quoted(&broken.finding.reason)?)?;
    Some(Fix::new(format!("Write `{meant}`"), range, meant))
}

/// Writes `type(x)` for `x.__class__`.
pub(super) fn class_of(broken: &Broken<'_>) -> Option<Fix> {
    let rest = broken.source.get(broken.at..)?;
    let receiver = rest.split(".__class__").next().filter(|receiver| receiver.len() < rest.len())?;
    let is_name = receiver.chars().all(|c| c == '.' || crate::context::is_word(c));
    let range = broken.at..broken.at + receiver.len() + ".__class__".len();
    is_name.then(|| Fix::new("Write `type(...)`", range, format!("type({receiver})")))
}

/// Appends an underscore to a name that hides a builtin.
pub(super) fn renamed(broken: &Broken<'_>) -> Option<Fix> {
    let name = last_quoted(&broken.finding.reason)?;
    let uses = uses(broken.source, name);
    let is_called = uses.iter().any(|range| {
        broken.source.get(range.end..).is_some_and(|behind| behind.trim_start().starts_with('('))
    });
    if uses.is_empty() || is_called || matches!(name, "self" | "cls") {
        return None;
    }
    let edits = uses.into_iter().map(|range| (range.end..range.end, "_".to_owned())).collect();
    Some(Fix { title: format!("Rename it to `{name}_`"), edits })
}

/// Marks a parameter as unused.
pub(super) fn marked_unused(broken: &Broken<'_>) -> Option<Fix> {
    let range = word_at(broken.source, broken.at);
    let name = broken.source.get(range.clone())?;
    Some(Fix::new(format!("Mark it as unused: `_{name}`"), range.start..range.start, "_"))
}

/// Adds the brackets of a call, as the reason demands.
pub(super) fn called(broken: &Broken<'_>) -> Option<Fix> {
    let name = broken.finding.reason.strip_suffix("()` with brackets")?.rsplit('`').next()?;
    let range = word_behind(broken.source, broken.at, name)?;
    Some(Fix::new(format!("Write `{name}()`"), range.end..range.end, "()"))
}
