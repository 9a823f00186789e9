//! The sentences of `tests/cases/sentences/`, said to a simulated robot.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minismith_motion_checks::sentences::{Judgement, Sentence, Wanted, parse};
use minismith_motion_checks::trace::{EventKind, Sample, Trace, TraceEvent};
use minismith_score::MotionTrace;

use crate::trial::Listener;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/sentences")
}

/// Returns a trace in the form that the checks read.
fn judged_trace(trace: &MotionTrace) -> Trace {
    let sample = |values: &minismith_score::AxisValues| {
        let posture = values.to_posture();
        let at = posture.head.0.translation.vector * 1000.0;
        let angles = posture.head.angles();
        Sample {
            head_x_mm: at.x,
            head_y_mm: at.y,
            head_z_mm: at.z,
            head_roll_deg: angles.roll.degrees(),
            head_pitch_deg: angles.pitch.degrees(),
            head_yaw_deg: angles.yaw.degrees(),
            body_yaw_deg: posture.body_yaw.degrees(),
            right_antenna_deg: posture.antennas.right.degrees(),
            left_antenna_deg: posture.antennas.left.degrees(),
        }
    };
    let sounds = trace.sounds.iter().map(|at| TraceEvent { at_s: *at, kind: EventKind::Sound });
    Trace { period_s: trace.period, samples: trace.samples.iter().map(sample).collect(), events: sounds.collect() }
}

fn judge(case: &Sentence) -> (Judgement, String) {
    let mut listener = Listener::default();
    let mut last = None;
    for turn in &case.turns {
        last = Some(listener.hear(turn));
    }
    let heard = last.unwrap();
    let trace = judged_trace(&heard.trace);
    let judgement = case.judge(&trace, heard.is_stop);
    let failed = if case.wanted == Wanted::Moves { case.failed(&trace) } else { Vec::new() };
    let unclear = match &heard.reading {
        crate::Reading::NotUnderstood(ranges) => {
            let text = case.turns.last().unwrap();
            ranges.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>().join(" | ")
        }
        _ => String::new(),
    };
    let why = format!(
        "[{}] {:?} unclear: {unclear} refusal: {:?}\n      {:?}\n      failed: {}",
        heard.language, case.turns, heard.refusal, heard.reading, failed.join("; ")
    );
    (judgement, why)
}

/// Prints what became of the sentences of the files named in `SENTENCES`, `en_a,de`. Only sums of unseen ones.
#[test]
#[ignore = "prints a report"]
fn report() {
    let names = std::env::var("SENTENCES").unwrap_or_else(|_| "en_a".into());
    let wanted = std::env::var("CASE").unwrap_or_default();
    for name in names.split(',') {
        let text = std::fs::read_to_string(folder().join(format!("{name}.yaml"))).unwrap();
        let cases = parse(&text).unwrap();
        let mut sums: BTreeMap<(String, Judgement), u32> = BTreeMap::new();
        for case in cases.iter().filter(|case| case.id.contains(&wanted)) {
            let (judgement, why) = judge(case);
            *sums.entry((case.group.clone(), judgement)).or_default() += 1;
            *sums.entry(("all".into(), judgement)).or_default() += 1;
            if !name.ends_with("unseen") && judgement != Judgement::Right {
                println!("{} {judgement:?} {why}", case.id);
            }
        }
        println!("{name}: {sums:?}");
    }
}
