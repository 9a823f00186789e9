//! How the motors are and how regular the beats were, as curves.
//!
//! ```text
//! /health/temperature     of each motor, degrees Celsius
//! /health/voltage         volts
//! /health/current         milliamperes
//! /health/speed           degrees per second
//! /pulse/jitter           how late beats began, p50, p99 and worst, microseconds
//! /pulse/late             beats more than a period late, since the start
//! /pulse/dropped          messages that are missing in this recording, since its beginning
//! ```
//!
//! A motor that did not answer leaves a gap.

use minismith_wire::recording::{Health, Rhythm};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::SeriesLines;

use crate::motors;
use crate::sheet::Sheet;

type List = fn(&Health) -> &[Option<f64>];

const KINDS: [(&str, List); 4] = [
    ("/health/temperature", |health| &health.celsius),
    ("/health/voltage", |health| &health.volts),
    ("/health/current", |health| &health.milliamps),
    ("/health/speed", |health| &health.degrees_per_s),
];

/// Colours and names of the curves, once the first of them is there.
pub fn style_motors(sheet: &Sheet) -> RecordingStreamResult<()> {
    let names = motors::of_all(sheet);
    KINDS.into_iter().try_for_each(|(path, _)| sheet.fix(path, &names))
}

/// How the motors were on these beats.
pub fn motors(sheet: &Sheet, told: &[Health]) -> RecordingStreamResult<()> {
    for (path, list) in KINDS {
        let rows = told.iter().map(|health| {
            let values = list(health).iter().map(|value| value.unwrap_or(f64::NAN));
            (health.beat, values.collect())
        });
        sheet.curves(path, sheet.about.motors.len(), rows)?;
    }
    Ok(())
}

/// Names of the pulse's curves, once the first of them is there.
pub fn style_pulse(sheet: &Sheet) -> RecordingStreamResult<()> {
    let names = |names: &[&str]| SeriesLines::new().with_names(names.iter().copied());
    sheet.fix("/pulse/jitter", &names(&["half at most", "99 % at most", "the latest"]))?;
    sheet.fix("/pulse/late", &names(&["late beats"]))?;
    sheet.fix("/pulse/dropped", &names(&["missing messages"]))
}

/// How regular the beats were.
pub fn pulse(sheet: &Sheet, told: &[Rhythm]) -> RecordingStreamResult<()> {
    let jitter = |one: &Rhythm| vec![one.jitter_p50_us, one.jitter_p99_us, one.jitter_worst_us];
    sheet.curves("/pulse/jitter", 3, told.iter().map(|one| (one.beat, jitter(one))))?;
    sheet.curves("/pulse/late", 1, told.iter().map(|one| (one.beat, vec![one.late as f64])))?;
    sheet.curves("/pulse/dropped", 1, told.iter().map(|one| (one.beat, vec![one.dropped as f64])))
}
