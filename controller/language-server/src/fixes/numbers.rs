//! Numbers beyond a range or in another unit.

use super::edit::{argument, call};
use super::{Broken, Fix};
use crate::context::{surroundings, word_at};
use crate::imports::importing_module;

/// Conversions to radians and to degrees.
const TO_RADIANS: [&str; 4] = ["math.radians", "radians", "np.radians", "np.deg2rad"];
const TO_DEGREES: [&str; 4] = ["math.degrees", "degrees", "np.degrees", "np.rad2deg"];

/// Writes the nearest number within the range, or the opposite word for a negative one.
pub(super) fn within_range(broken: &Broken<'_>) -> Option<Fix> {
    let Broken { source, finding, .. } = broken;
    let range = argument(source, broken.at)?;
    let written: f64 = source.get(range.clone())?.replace(' ', "").parse().ok()?;
    if finding.hint.starts_with("directions are words") {
        return opposite(broken, range);
    }
    // "pitch of 75.0 degrees, the range is -40 to 40" or "left is 90 degrees, `head` takes 0 to 60".
    let (before, behind) =
        finding.reason.split_once("the range is ").or_else(|| finding.reason.split_once("` takes "))?;
    let (low, high) = behind.split_once(" to ")?;
    let (low, high): (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
    let measured = before.split_whitespace().find_map(|word| word.parse::<f64>().ok())?;
    // The code may be in another unit than the reason.
    let scale = if written == 0.0 || (measured - written).abs() < 0.06 { 1.0 } else { written / measured };
    let limit = if measured > high { high } else { low } * scale;
    let limit = if scale == 1.0 { limit } else { (limit * 100.0).trunc() / 100.0 };
    Some(Fix::new(format!("Write the limit, {limit}"), range, format!("{limit}")))
}

/// Turns `left=-20` into `right=20`.
fn opposite(broken: &Broken<'_>, range: std::ops::Range<usize>) -> Option<Fix> {
    let source = broken.source;
    let before = source.get(..range.start)?.trim_end().strip_suffix('=')?.trim_end();
    let word = word_at(source, before.len());
    let (function, _) = surroundings(source, word.start).call(source)?;
    let function = function.rsplit('.').next()?;
    let opposite = broken.catalog.opposite(function, source.get(word.clone())?)?;
    let number = source.get(range.clone())?.strip_prefix('-')?.trim_start().to_owned();
    let title = format!("Write `{opposite}={number}`");
    Some(Fix { title, edits: vec![(word, opposite.to_owned()), (range, number)] })
}

/// Converts to the unit that is expected, or removes a conversion from it.
pub(super) fn converted(broken: &Broken<'_>) -> Option<Fix> {
    let Broken { source, finding, .. } = broken;
    let reason = finding.reason.as_str();
    let range = argument(source, broken.at)?;
    let expression = source.get(range.clone())?;
    let unwrapped = |names: &[&str]| {
        let (inside, whole) = call(source, broken.at, names)?;
        let new = source.get(inside)?.to_owned();
        Some(Fix::new(format!("Write `{new}`"), whole, new))
    };
    let wrapped = |function: &str| {
        let new = format!("math.{function}({expression})");
        Fix::new(format!("Write `{new}`"), range.clone(), new.clone()).with(importing_module(source, "math"))
    };
    let scaled = |by: &str| {
        let is_simple = expression.chars().all(|c| crate::context::is_word(c) || c == '.');
        let expression = if is_simple { expression.to_owned() } else { format!("({expression})") };
        let new = format!("{expression} {by}");
        Some(Fix::new(format!("Write `{new}`"), range.clone(), new.clone()))
    };
    let says = |words: &[&str]| words.iter().any(|words| reason.contains(words));
    if says(&["is converted to radians"]) {
        unwrapped(&TO_RADIANS)
    } else if says(&["is converted to degrees"]) {
        unwrapped(&TO_DEGREES)
    } else if says(&["is given in radians", "meant to be in radians"]) {
        unwrapped(&TO_RADIANS).or_else(|| Some(wrapped("degrees")))
    } else if says(&["is given in degrees", "the default makes"]) {
        unwrapped(&TO_DEGREES).or_else(|| Some(wrapped("radians")))
    } else if says(&["is given in milli", "meant to be in millimetres"]) {
        scaled("/ 1000")
    } else if says(&["is given in metres", "meant to be in metres"]) {
        scaled("* 1000")
    } else {
        None
    }
}

/// Takes the number for milliseconds.
pub(super) fn seconds(broken: &Broken<'_>) -> Option<Fix> {
    let source = broken.source;
    // The finding is at the number, or at the call of `sleep`.
    let start = match source.get(broken.at..)?.split_once("sleep(") {
        Some((before, _)) if before.chars().all(|c| crate::context::is_word(c) || c == '.') => {
            broken.at + before.len() + "sleep(".len()
        }
        _ => broken.at,
    };
    let range = argument(source, start)?;
    let milliseconds: f64 = source.get(range.clone())?.parse().ok()?;
    let seconds = milliseconds / 1000.0;
    Some(Fix::new(format!("Take it for milliseconds: {seconds} s"), range, format!("{seconds}")))
}
