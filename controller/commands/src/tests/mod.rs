//! What short sentences move.

mod grammar;
mod listener;
mod order;
mod others;
mod pairs;
mod shapes;
mod tales;

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
