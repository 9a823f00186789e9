//! Statements: loops, coroutines, handlers, and code that must not run.

use super::edit::{block, call, indentation, line};
use super::{Broken, Fix};
use crate::imports::importing_module;

/// Rounds of a loop that had no bound.
const ROUNDS: u32 = 100;

/// Writes the brackets that Python 3.11 wants around several exceptions.
pub(super) fn older_syntax(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let statement = broken.source.get(range.clone())?;
    let types = statement.trim_start().strip_prefix("except ")?.split(':').next()?;
    let is_list = types.contains(',') && !types.contains(['(', '*']) && !types.contains(" as ");
    let start = range.start + statement.find(types)?;
    is_list.then(|| {
        Fix::new("Put brackets around the types", start..start + types.len(), format!("({})", types.trim()))
    })
}

/// Removes `if __name__ == "__main__":` with its block.
pub(super) fn block_removed(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let statement = broken.source.get(range.clone())?;
    let is_main = statement.starts_with("if __name__ ");
    let body = block(broken.source, range.end, 0);
    is_main.then(|| Fix::new("Remove this block, which a tool never runs", range.start..body.end, ""))
}

/// Removes what never runs, up to the end of its block.
pub(super) fn rest_removed(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let depth = indentation(broken.source.get(range.clone())?).len();
    let rest = block(broken.source, range.start, depth.checked_sub(1)?);
    Some(Fix::new("Remove what never runs", rest, ""))
}

/// Gives an endless loop a number of rounds.
pub(super) fn bounded(broken: &Broken<'_>) -> Option<Fix> {
    let rest = broken.source.get(broken.at..)?;
    let head = ["while True:", "while 1:"].into_iter().find(|head| rest.starts_with(head))?;
    let new = format!("for _ in range({ROUNDS}):");
    Some(Fix::new(format!("Bound the loop: `{new}`"), broken.at..broken.at + head.len(), new))
}

/// Awaits `asyncio.sleep` in a coroutine.
pub(super) fn sleeps_in_coroutine(broken: &Broken<'_>) -> Option<Fix> {
    let callee = broken.source.get(broken.at..)?.split('(').next()?;
    let fix = Fix::new(
        "Write `await asyncio.sleep(...)`",
        broken.at..broken.at + callee.len(),
        "await asyncio.sleep",
    );
    Some(fix.with(importing_module(broken.source, "asyncio")))
}

/// Awaits a coroutine instead of running it in a second loop.
pub(super) fn awaited_run(broken: &Broken<'_>) -> Option<Fix> {
    let (inside, whole) = call(broken.source, broken.at, &["asyncio.run"])?;
    let coroutine = broken.source.get(inside)?;
    Some(Fix::new(format!("Write `await {coroutine}`"), whole, format!("await {coroutine}")))
}

/// Awaits a coroutine.
pub(super) fn awaited(broken: &Broken<'_>) -> Option<Fix> {
    Some(Fix::new("Write `await`", broken.at..broken.at, "await "))
}

/// Raises an exception again that was caught and ignored.
pub(super) fn raised(broken: &Broken<'_>) -> Option<Fix> {
    let range = line(broken.source, broken.at);
    let depth = indentation(broken.source.get(range.clone())?).len();
    let body = block(broken.source, range.end, depth);
    let text = broken.source.get(body.clone())?;
    let start = body.start + text.len() - text.trim_start().len();
    (text.trim() == "pass").then(|| Fix::new("Raise it again", start..start + "pass".len(), "raise"))
}

/// Compares fractions with a tolerance.
pub(super) fn close(broken: &Broken<'_>) -> Option<Fix> {
    let rest = broken.source.get(broken.at..)?;
    let code = rest.split('\n').next()?;
    let (left, behind) = code.split_once(" == ")?;
    let is_number = |c: char| crate::context::is_word(c) || c == '.';
    let length = behind.find(|c| !is_number(c)).unwrap_or(behind.len());
    let right = behind.get(..length)?;
    if !left.chars().all(is_number) || right.is_empty() {
        return None;
    }
    let range = broken.at..broken.at + left.len() + " == ".len() + length;
    let new = format!("math.isclose({left}, {right}, abs_tol=1e-6)");
    let fix = Fix::new("Compare with a tolerance", range, new);
    Some(fix.with(importing_module(broken.source, "math")))
}
