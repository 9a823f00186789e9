//! The sentences of `tests/cases/sentences/`, said to a simulated robot.

mod grammar;

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
    Trace {
        period_s: trace.period,
        samples: trace.samples.iter().map(sample).collect(),
        events: sounds.collect(),
    }
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
        heard.language,
        case.turns,
        heard.refusal,
        heard.reading,
        failed.join("; ")
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

/// Returns a meaning in few words.
fn short(meaning: &crate::Meaning) -> String {
    use crate::meaning::{Aim, Amount};
    let aim = |aim: &Aim| {
        let amount = match aim.amount {
            Amount::Usual(factor) => format!("*{factor}"),
            Amount::Exactly(amount) => format!("={amount:.1}"),
            Amount::Further(amount) => format!("+{amount}"),
            Amount::Most => "max".into(),
        };
        format!("{:?} {:?}{amount}", aim.axis, crate::build::direction(aim.axis, aim.sign))
    };
    let aims = |aims: &[Aim]| aims.iter().map(aim).collect::<Vec<_>>().join(" & ");
    let all = |inner: &[crate::Meaning], joint: &str| inner.iter().map(short).collect::<Vec<_>>().join(joint);
    match meaning {
        crate::Meaning::Go { aims: own, seconds, pace } => format!("[{} {seconds:?} x{pace}]", aims(own)),
        crate::Meaning::Gesture(gesture) => format!(
            "{}x({}) out_and_back={} pause={} period={:?} total={:?} trend={:?} stroke={}",
            gesture.count,
            gesture.strokes.iter().map(|one| aims(one)).collect::<Vec<_>>().join(" / "),
            gesture.is_out_and_back,
            gesture.pause,
            gesture.period,
            gesture.total,
            gesture.trend,
            gesture.stroke
        ),
        crate::Meaning::Neutral { axes, .. } => format!("neutral({})", axes.len()),
        crate::Meaning::Sequence(inner) => format!("{{{}}}", all(inner, " ; ")),
        crate::Meaning::Together(inner) => format!("<{}>", all(inner, " || ")),
        crate::Meaning::Repeat(count, inner) => format!("{count} times {}", short(inner)),
        other => format!("{other:?}"),
    }
}

/// Prints what becomes of the lines of the file `SAY`; a line of several turns has ` | ` between them.
#[test]
#[ignore = "prints what is said"]
fn say() {
    let text = std::fs::read_to_string(std::env::var("SAY").unwrap()).unwrap();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut listener = Listener::default();
        println!("- {line}");
        for turn in line.split(" | ") {
            let heard = listener.hear(turn);
            let what = match &heard.reading {
                _ if heard.is_stop => "STOP".into(),
                crate::Reading::Motion { meaning, heard, .. } => format!("{} {heard:?}", short(meaning)),
                crate::Reading::Conditional { event, then, otherwise } => {
                    format!(
                        "if {event:?}: {:?} else {:?}",
                        then.as_ref().map(short),
                        otherwise.as_ref().map(short)
                    )
                }
                crate::Reading::NotUnderstood(ranges) => {
                    format!("?? {:?}", ranges.iter().map(|range| &turn[range.clone()]).collect::<Vec<_>>())
                }
                other => format!("{other:?}"),
            };
            println!(
                "    [{}] {what} {}",
                heard.language,
                heard.refusal.map(|why| format!("REFUSED {why}")).unwrap_or_default()
            );
        }
    }
}
