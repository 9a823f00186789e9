//! Builds pages from local work: the tools in the registry, and why earlier commissions were rejected.
//!
//! Models wrote most of it, so it is data like any other page, and short.

use crate::agents::authoring::Page;
use minismith_toolchain::workshop::lessons::Lesson;
use minismith_toolchain::workshop::registry::{Entry, Registry};
use minismith_toolchain::workshop::similar_tools::shared;

/// A page matches the request when it shares at least this many words with it.
const MIN_SHARED_WORDS: usize = 2;

/// The maximum number of pages of each kind.
const MAX_TOOLS: usize = 1;
const MAX_FAILURES: usize = 2;

/// The maximum length of an excerpt of a tool's code, in characters.
const MAX_CODE_CHARS: usize = 500;

/// Returns the pages that share words with this request, for each kind those that share the most.
#[must_use]
pub fn pages(registry: &Registry, request: &str) -> Vec<Page> {
    let tools = registry.list().unwrap_or_default().into_iter();
    let tools = tools.filter(|entry| entry.is_callable() && entry.is_description_shown());
    let tools = nearest(tools, MAX_TOOLS, |tool| {
        shared(request, &format!("{} {}", tool.name.replace('_', " "), tool.description))
    });
    let failures = nearest(registry.lessons().into_iter(), MAX_FAILURES, |lesson| {
        shared(request, &format!("{} {}", lesson.request, lesson.line))
    });
    let tools = tools.iter().map(|entry| tool(registry, entry));
    failures.iter().map(failure).chain(tools).collect()
}

fn nearest<T>(all: impl Iterator<Item = T>, most: usize, shared: impl Fn(&T) -> usize) -> Vec<T> {
    let mut near: Vec<(usize, T)> = all.map(|one| (shared(&one), one)).collect();
    near.retain(|(shared, _)| *shared >= MIN_SHARED_WORDS);
    // Of equals the first one counts, which is the latest failure.
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    near.into_iter().take(most).map(|(_, one)| one).collect()
}

fn tool(registry: &Registry, entry: &Entry) -> Page {
    let source = registry.texts(&entry.name, entry.version).map(|(main, _)| main).unwrap_or_default();
    let start = source.find(&format!("def {}(", entry.name)).unwrap_or_default();
    let code = source.get(start..).unwrap_or_default();
    // Signature and body are enough; the docstring repeats the purpose.
    let code = match code.split_once("\"\"\"") {
        Some((head, rest)) => {
            let body = rest.split_once("\"\"\"").map(|(_, body)| body).unwrap_or_default();
            format!("{}{body}", head.trim_end())
        }
        None => code.to_owned(),
    };
    let code: String = without_range_checks(&code).chars().take(MAX_CODE_CHARS).collect();
    let purpose = entry.description.lines().next().unwrap_or_default();
    Page { title: format!("the tool {}", entry.name), text: format!("{purpose}\n{}", code.trim_end()) }
}

/// Leaves out the checks of parameters, which a model need not be shown: the motion comes after them.
fn without_range_checks(code: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for line in code.lines() {
        let checks = kept.last().is_some_and(|last| last.starts_with("    if not "));
        if checks && line.starts_with("        raise ValueError(") {
            kept.pop();
        } else {
            kept.push(line);
        }
    }
    kept.join("\n")
}

fn failure(lesson: &Lesson) -> Page {
    let Lesson { request, rule, line, reason, hint, worked } = lesson;
    let mut text = format!("For the request {request:?} code was refused: {reason} [{rule}]; {hint}");
    if !line.is_empty() {
        text.push_str(&format!("\nThe line was: {line}"));
    }
    if !worked.is_empty() {
        text.push_str(&format!("\nWhat worked: {worked}"));
    }
    Page { title: format!("a past failure: {rule}"), text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn range_checks_are_left_out() {
        let code = "def sway(times: int = 2) -> str:\n    if not 1 <= times <= 5:\n        raise ValueError(\"times\")\n    \
                    if not times:\n        return \"\"\n    return \"swayed\"";
        let kept =
            "def sway(times: int = 2) -> str:\n    if not times:\n        return \"\"\n    return \"swayed\"";
        assert_eq!(without_range_checks(code), kept);
    }
}
