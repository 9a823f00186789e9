//! Quick fixes: changes without which a finding would not be. Each is tried before it is offered, and offered only if the policy
//! then no longer reports the finding and reports nothing worse.
//!
//! Reading order: here, `edit` (helpers), then the fixes: `characters`, `spelling`, `imports`, `numbers`, `statements` and
//! `signatures`.

mod characters;
mod edit;
mod imports;
mod numbers;
mod signatures;
mod spelling;
mod statements;

use std::ops::Range;

use minismith_analysis::finding::{Finding, Located, Verdict};

use crate::catalog::Catalog;
use crate::tool::Tool;

/// A change that removes a finding.
#[derive(Debug)]
pub(crate) struct Fix {
    /// What it does, for people.
    pub title: String,
    /// What is replaced by what, in offsets of the text before the change; nothing overlaps.
    pub edits: Vec<(Range<usize>, String)>,
}

impl Fix {
    fn new(title: impl Into<String>, range: Range<usize>, text: impl Into<String>) -> Self {
        Fix { title: title.into(), edits: vec![(range, text.into())] }
    }

    /// Adds an edit, if there is one.
    fn with(mut self, edit: Option<(Range<usize>, String)>) -> Self {
        self.edits.extend(edit);
        self
    }

    /// Returns the text after the change.
    fn applied(&self, source: &str) -> Option<String> {
        let mut edits = self.edits.clone();
        edits.sort_by_key(|(range, _)| range.start);
        let (mut text, mut end) = (String::new(), 0);
        for (range, new) in edits {
            text.push_str(source.get(end..range.start)?);
            text.push_str(&new);
            end = range.end;
        }
        text.push_str(source.get(end..)?);
        Some(text)
    }
}

/// A finding in its source.
struct Broken<'a> {
    catalog: &'a Catalog,
    source: &'a str,
    finding: &'a Finding,
    /// Where the code begins.
    at: usize,
}

/// Returns the fixes of one of the findings in a source. `at` is where its code begins.
pub(crate) fn offered(
    catalog: &Catalog,
    tool: &Tool,
    source: &str,
    found: &[Located],
    located: &Located,
    at: usize,
) -> Vec<Fix> {
    let broken = Broken { catalog, source, finding: &located.finding, at };
    let mut fixes = candidates(&broken);
    fixes.retain(|fix| {
        let Some(text) = fix.applied(source) else { return false };
        is_better(found, &tool.findings(&text), &located.finding)
    });
    fixes
}

/// Returns the fixes that may help, not tried yet.
fn candidates(broken: &Broken<'_>) -> Vec<Fix> {
    let mut fixes: Vec<Fix> = spelling::suggested(broken).into_iter().collect();
    fixes.extend(match broken.finding.rule.as_str() {
        "byte-order-mark" | "control-character" | "bidirectional-control" => characters::removed(broken),
        "encoding-cookie" => characters::line_removed(broken),
        "newer-syntax" => statements::older_syntax(broken),
        "unlisted-import" => imports::other(broken),
        "star-import" => imports::named(broken),
        "dunder-attribute" => spelling::class_of(broken),
        "builtin-rebound" => spelling::renamed(broken),
        "unused-parameter" => spelling::marked_unused(broken),
        "invalid-step" => spelling::called(broken),
        "out-of-range" => numbers::within_range(broken),
        "wrong-unit" | "doubtful-unit" => numbers::converted(broken),
        "long-sleep" => numbers::seconds(broken),
        "module-level-code" => statements::block_removed(broken),
        "unreachable-code" => statements::rest_removed(broken),
        "busy-loop" | "endless-loop" => statements::bounded(broken),
        "blocking-sleep" => statements::sleeps_in_coroutine(broken),
        "blocking-call" => statements::awaited_run(broken),
        "forgotten-await" => statements::awaited(broken),
        "swallowed-exception" => statements::raised(broken),
        "exact-comparison" => statements::close(broken),
        "mutable-default" => signatures::tuple_default(broken),
        "missing-docstring" => signatures::documented(broken),
        "undocumented-parameter" => signatures::parameter_documented(broken),
        "missing-type-hint" => signatures::annotated(broken),
        "unsupported-type" => signatures::list_type(broken),
        _ => None,
    });
    fixes
}

/// Returns whether a finding is gone, and nothing worse has come in its place.
fn is_better(before: &[Located], after: &[Located], gone: &Finding) -> bool {
    let count = |found: &[Located]| {
        found.iter().filter(|it| it.finding.rule == gone.rule && it.finding.reason == gone.reason).count()
    };
    let heavy =
        |found: &[Located], least: Verdict| found.iter().filter(|it| it.finding.verdict >= least).count();
    let is_lighter = match gone.verdict {
        Verdict::Pass => heavy(after, Verdict::NeedsApproval) <= heavy(before, Verdict::NeedsApproval),
        verdict => heavy(after, verdict) < heavy(before, verdict),
    };
    // The findings of a text that cannot be read hide all others.
    let is_unread = |found: &[Located]| {
        let unread = ["syntax-error", "newer-syntax", "too-nested"];
        found.iter().any(|it| it.offset.is_none() || unread.contains(&it.finding.rule.as_str()))
    };
    let is_lighter = is_unread(before) || is_lighter && !is_unread(after);
    count(after) < count(before) && is_lighter
}
