//! State of the motors and timing of the control loop, as curves.
//!
//! ```text
//! /health/temperature     of each motor, degrees Celsius
//! /health/voltage         volts
//! /health/current         milliamperes
//! /health/speed           degrees per second
//! /pulse/jitter           wake-up latency of cycles, p50, p99 and max, microseconds
//! /pulse/late             cycles more than a period late, since the start
//! /pulse/dropped          messages missing in this recording, since its beginning
//! ```
//!
//! A motor that did not respond leaves a gap.

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

/// Sets colours and names of the motor curves, once there are any.
pub fn style_motors(sheet: &Sheet) -> RecordingStreamResult<()> {
    let names = motors::of_all(sheet);
    KINDS.into_iter().try_for_each(|(path, _)| sheet.fix(path, &names))
}

/// Draws the state of the motors.
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

/// Sets names of the timing curves, once there are any.
pub fn style_pulse(sheet: &Sheet) -> RecordingStreamResult<()> {
    let names = |names: &[&str]| SeriesLines::new().with_names(names.iter().copied());
    sheet.fix("/pulse/jitter", &names(&["p50", "p99", "max"]))?;
    sheet.fix("/pulse/late", &names(&["overruns"]))?;
    sheet.fix("/pulse/dropped", &names(&["missing messages"]))
}

/// Draws the timing of the control loop.
pub fn pulse(sheet: &Sheet, told: &[Rhythm]) -> RecordingStreamResult<()> {
    let jitter = |one: &Rhythm| vec![one.jitter_p50_us, one.jitter_p99_us, one.jitter_worst_us];
    sheet.curves("/pulse/jitter", 3, told.iter().map(|one| (one.beat, jitter(one))))?;
    sheet.curves("/pulse/late", 1, told.iter().map(|one| (one.beat, vec![one.late as f64])))?;
    sheet.curves("/pulse/dropped", 1, told.iter().map(|one| (one.beat, vec![one.dropped as f64])))
}
