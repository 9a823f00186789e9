//! State of the motors and timing of the control loop, as curves.
//!
//! ```text
//! /health/temperature     of each motor, degrees Celsius
//! /health/voltage         volts
//! /health/current         milliamperes
//! /health/speed           degrees per second
//! /control_loop/jitter    wake-up latency of cycles, p50, p99 and max, microseconds
//! /control_loop/late      cycles more than a period late, since the start
//! /control_loop/dropped   messages missing in this recording, since its beginning
//! ```
//!
//! A motor that did not respond leaves a gap.

use minismith_protocol::trace_format::{Health, LoopTiming};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::SeriesLines;

use crate::motors;
use crate::stream::RerunStream;

type List = fn(&Health) -> &[Option<f64>];

const KINDS: [(&str, List); 4] = [
    ("/health/temperature", |health| &health.temperature_c),
    ("/health/voltage", |health| &health.voltage_v),
    ("/health/current", |health| &health.current_ma),
    ("/health/speed", |health| &health.velocity_dps),
];

/// Sets colours and names of the motor curves, once there are any.
pub fn style_motors(sheet: &RerunStream) -> RecordingStreamResult<()> {
    let names = motors::of_all(sheet);
    KINDS.into_iter().try_for_each(|(path, _)| sheet.fix(path, &names))
}

/// Draws the state of the motors.
pub fn motors(sheet: &RerunStream, reported: &[Health]) -> RecordingStreamResult<()> {
    for (path, list) in KINDS {
        let rows = reported.iter().map(|health| {
            let values = list(health).iter().map(|value| value.unwrap_or(f64::NAN));
            (health.cycle, values.collect())
        });
        sheet.curves(path, sheet.about.motors.len(), rows)?;
    }
    Ok(())
}

/// Sets names of the timing curves, once there are any.
pub fn style_control_loop(sheet: &RerunStream) -> RecordingStreamResult<()> {
    let names = |names: &[&str]| SeriesLines::new().with_names(names.iter().copied());
    sheet.fix("/control_loop/jitter", &names(&["p50", "p99", "max"]))?;
    sheet.fix("/control_loop/late", &names(&["overruns"]))?;
    sheet.fix("/control_loop/dropped", &names(&["missing messages"]))
}

/// Draws the timing of the control loop.
pub fn control_loop(sheet: &RerunStream, reported: &[LoopTiming]) -> RecordingStreamResult<()> {
    let jitter = |one: &LoopTiming| vec![one.jitter_p50_us, one.jitter_p99_us, one.jitter_max_us];
    sheet.curves("/control_loop/jitter", 3, reported.iter().map(|one| (one.cycle, jitter(one))))?;
    sheet.curves(
        "/control_loop/late",
        1,
        reported.iter().map(|one| (one.cycle, vec![one.overruns as f64])),
    )?;
    sheet.curves("/control_loop/dropped", 1, reported.iter().map(|one| (one.cycle, vec![one.dropped as f64])))
}
