//! Answers about earlier turns. They are made from outcomes, never from the request.

use super::super::dialog_context::{DialogContext, PastTurn};
use minismith_runtime::report::{PostureReport, Step, TurnOutcome, round_for_display};

const NOTHING: &str = "Nothing has been asked of me yet in this conversation.";

/// Reports the outcome of the last turn.
#[must_use]
pub fn happened(before: &DialogContext) -> String {
    let Some(turn) = before.last() else { return NOTHING.to_owned() };
    let said = &turn.said;
    match (turn.ending, turn.steps.is_empty()) {
        (TurnOutcome::Done, false) => format!("You said \"{said}\". {}", steps(&turn.steps)),
        (TurnOutcome::Done, true) => format!("You said \"{said}\". I answered: {}", turn.answer),
        (TurnOutcome::NotUnderstood, _) => format!("You said \"{said}\", and I did nothing. {}", turn.answer),
        (_, false) => format!("You said \"{said}\". {}", steps(&turn.steps)),
        (_, true) => format!("You said \"{said}\". {}", turn.answer),
    }
}

/// States why the last turn was not done, or not completely.
#[must_use]
pub fn why_not(before: &DialogContext) -> String {
    let Some(turn) = before.last() else { return NOTHING.to_owned() };
    if let Some(reason) = refusal(&turn.steps) {
        return reason;
    }
    match turn.ending {
        TurnOutcome::Done if moved(&turn.steps) => format!("I did move. {}", steps(&turn.steps)),
        TurnOutcome::Done => format!("Nothing in \"{}\" asked me to move.", turn.said),
        _ => turn.answer.clone(),
    }
}

/// States whether the last turn was done.
#[must_use]
pub fn whether(before: &DialogContext) -> String {
    let Some(turn) = before.last() else { return NOTHING.to_owned() };
    match (turn.ending, refusal(&turn.steps)) {
        (TurnOutcome::Done, None) if turn.steps.is_empty() => format!("Yes. I answered: {}", turn.answer),
        (TurnOutcome::Done, None) => format!("Yes. {}", steps(&turn.steps)),
        (TurnOutcome::Done, Some(reason)) => format!("Not all of it. {reason}"),
        (_, Some(reason)) => format!("No. {reason}"),
        (_, None) => format!("No. {}", turn.answer),
    }
}

/// States what was done last; requests alone do not count.
#[must_use]
pub fn last(before: &DialogContext) -> String {
    match before.last_action().or(before.last()) {
        None => NOTHING.to_owned(),
        Some(turn @ PastTurn { steps: done, .. }) if !done.is_empty() => {
            format!("After \"{}\": {}", turn.said, steps(done))
        }
        Some(turn) => format!("After \"{}\" I answered: {}", turn.said, turn.answer),
    }
}

/// Describes each step and its deviation in one sentence; of many steps, the first ones and the last.
#[must_use]
pub fn steps(steps: &[Step]) -> String {
    let shown = if steps.len() > MAX_STEPS_DESCRIBED { MAX_STEPS_DESCRIBED - 1 } else { steps.len() };
    let mut sentences: Vec<String> = steps.iter().take(shown).map(step).collect();
    if let (Some(last), true) = (steps.last(), steps.len() > shown) {
        sentences.push(format!("{} steps more.", steps.len() - shown - 1));
        sentences.push(step(last));
    }
    sentences.join(" ")
}

/// Maximum number of steps that are described one by one.
const MAX_STEPS_DESCRIBED: usize = 6;

fn step(step: &Step) -> String {
    if let Some(why) = &step.refusal {
        return format!("I did not {}: {why}.", step.kind);
    }
    match (&step.requested, &step.achieved) {
        (Some(requested), Some(achieved)) => {
            let deviation = deviation(requested, achieved);
            let end = describe_posture(achieved);
            if deviation <= TOLERANCE_DEG {
                format!("I did \"{}\" and ended with {end}.", step.kind)
            } else {
                format!(
                    "I did \"{}\" and ended {} deg away from it, with {end}.",
                    step.kind,
                    round_for_display(deviation)
                )
            }
        }
        (_, Some(achieved)) => {
            format!("I did \"{}\" and came to rest with {}.", step.kind, describe_posture(achieved))
        }
        _ => format!("I did \"{}\".", step.kind),
    }
}

/// Maximum deviation at which a posture counts as the requested one, in degrees.
const TOLERANCE_DEG: f64 = 2.0;

/// Returns the greatest difference between the angles of two postures.
fn deviation(one: &PostureReport, other: &PostureReport) -> f64 {
    let angles = |view: &PostureReport| {
        [
            view.roll_deg,
            view.pitch_deg,
            view.yaw_deg,
            view.body_yaw_deg,
            view.antennas_deg[0],
            view.antennas_deg[1],
        ]
    };
    let wrapped = |degrees: f64| (degrees + 180.0).rem_euclid(360.0) - 180.0;
    angles(one).into_iter().zip(angles(other)).map(|(a, b)| wrapped(a - b).abs()).fold(0.0, f64::max)
}

/// Describes the posture of head and body in words.
fn describe_posture(view: &PostureReport) -> String {
    let sided = |degrees: f64, positive: &str, negative: &str| {
        let word = if degrees > 0.0 { positive } else { negative };
        (degrees.abs() >= MIN_DESCRIBED_DEG)
            .then(|| format!("{} deg {word}", (degrees.abs() * 10.0).round() / 10.0))
    };
    let head = [
        sided(view.yaw_deg, "left", "right"),
        sided(view.pitch_deg, "down", "up"),
        sided(view.roll_deg, "tilted right", "tilted left"),
    ];
    let head: Vec<String> = head.into_iter().flatten().collect();
    let head =
        if head.is_empty() { "my head straight".to_owned() } else { format!("my head {}", head.join(", ")) };
    match sided(view.body_yaw_deg, "left", "right") {
        Some(body) => format!("{head} and my body {body}"),
        None => head,
    }
}

/// Smallest angle that is described, in degrees.
const MIN_DESCRIBED_DEG: f64 = 1.0;

fn refusal(steps: &[Step]) -> Option<String> {
    let refused = steps.iter().find(|step| step.refusal.is_some())?;
    Some(step(refused))
}

fn moved(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.refusal.is_none() && step.requested.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::posture::Posture;

    fn before(ending: TurnOutcome, steps: Vec<Step>, answer: &str) -> DialogContext {
        let mut before = DialogContext::default();
        let (said, answer) = ("look left".to_owned(), answer.to_owned());
        before.remember(PastTurn { said, answer, plan: Vec::new(), steps, ending, from: None });
        before
    }

    fn view(yaw_deg: f64) -> PostureReport {
        PostureReport { yaw_deg, ..PostureReport::from(&Posture::init()) }
    }

    #[test]
    fn incomplete_motions_are_reported_and_not_called_done() {
        let step = Step {
            kind: "look left 20 deg".into(),
            requested: Some(view(20.0)),
            achieved: Some(view(12.5)),
            ..Step::default()
        };
        let sentences = happened(&before(TurnOutcome::Done, vec![step], ""));
        assert!(sentences.contains("7.5 deg away") && sentences.contains("12.5 deg left"), "{sentences}");
    }

    #[test]
    fn refusals_are_given_as_the_reason() {
        let refused = Step::refused("look left 20 deg", "the motors are off");
        let before = before(TurnOutcome::Refused, vec![refused], "answer");
        assert_eq!(why_not(&before), "I did not look left 20 deg: the motors are off.");
        assert!(whether(&before).starts_with("No. I did not look left"));
    }

    #[test]
    fn texts_that_were_not_understood_are_reported_as_not_done() {
        let before = before(TurnOutcome::NotUnderstood, Vec::new(), "I don't understand \"blorp\".");
        assert!(whether(&before).starts_with("No. I don't understand"));
        assert!(why_not(&before).contains("blorp"));
        assert_eq!(happened(&DialogContext::default()), NOTHING);
    }
}
