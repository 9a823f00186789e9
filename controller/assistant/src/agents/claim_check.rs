//! Compares what a model claims was done with what was measured.
//!
//! An answer may report a motion that never occurred: by mistake, or because a text that the model read asks
//! for it. Everything here is pure.

use minismith_runtime::report::Step;

/// Words that report a motion, each with the words of steps that support it. An empty list means that any
/// motion supports it.
const MOTIONS: [(&[&str], &[&str]); 12] = [
    (&["moved", "moving", "performed", "executed", "carried"], &[]),
    (&["nodded", "nodding", "bowed"], &["nod"]),
    (&["shook", "shaken", "shaking"], &["shake"]),
    (&["turned", "rotated", "spun"], &["turn", "look"]),
    (&["tilted", "leaned", "leant"], &["tilt"]),
    (&["raised", "lowered", "lifted"], &["raise", "lower", "wake", "sleep"]),
    (&["wiggled", "waved", "flapped"], &["antenna"]),
    (&["danced", "dancing"], &["dance"]),
    (&["slept", "asleep", "sleeping"], &["sleep"]),
    (&["woke", "woken", "awake"], &["wake"]),
    (&["centered", "centred"], &["neutral", "center"]),
    (&["done", "finished", "completed"], &[]),
];

/// Words that report something stored.
const STORED_WORDS: [&str; 6] = ["created", "saved", "registered", "installed", "stored", "kept"];

/// The first words of the kinds of motion that do not come from a tool.
const OWN_WORDS: [&str; 14] = [
    "look", "tilt", "turn", "raise", "lower", "nod", "shake", "wiggle", "antennas", "dance", "center",
    "wake", "go to", "wait",
];

/// Returns the correction for an answer that claims more than what happened, or `None`. `made` says whether a
/// tool was stored.
#[must_use]
pub fn beside(answer: &str, steps: &[Step], made: bool) -> Option<String> {
    let words: Vec<String> = answer
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let says = |word: &&str| words.iter().any(|said| said == word);
    let moved: Vec<&str> = steps
        .iter()
        .filter(|step| step.refusal.is_none() && step.achieved.is_some())
        .map(|step| step.kind.as_str())
        .collect();
    // Only a tool's author knows what its motions amount to.
    let by_tool = moved.iter().any(|kind| !OWN_WORDS.iter().any(|own| kind.starts_with(own)));
    let bears_out = |kinds: &[&str]| {
        by_tool
            || (kinds.is_empty() && !moved.is_empty())
            || moved.iter().any(|done| kinds.iter().any(|kind| done.contains(kind)))
    };
    let claims = MOTIONS.iter().any(|(reported, kinds)| reported.iter().any(says) && !bears_out(kinds));
    if claims {
        return Some(match moved.is_empty() {
            true => "Measured: nothing was moved.".into(),
            false => format!("Measured: {}, and nothing else.", moved.join(", ")),
        });
    }
    let keeps = !made && moved.is_empty() && STORED_WORDS.iter().any(says);
    keeps.then(|| "No tool was kept.".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_runtime::report::PostureReport;

    fn done(kind: &str) -> Step {
        let posture = PostureReport::from(&firmware_bridge::posture::Posture::init());
        Step { kind: kind.into(), achieved: Some(posture), ..Step::default() }
    }

    #[test]
    fn unmeasured_claims_get_a_correction() {
        let nothing = Some("Measured: nothing was moved.".to_owned());
        for claimed in
            ["I nodded three times.", "I am asleep now.", "All of it is DONE.", "I have turned around"]
        {
            assert_eq!(beside(claimed, &[], false), nothing, "{claimed}");
        }
        let one = Some("Measured: nod once, and nothing else.".to_owned());
        assert_eq!(beside("I nodded and danced.", &[done("nod once")], false), one);
        for fair in ["I nodded.", "It is done.", "The note asks me to dance."] {
            assert_eq!(beside(fair, &[done("nod once")], false), None, "{fair}");
        }
        assert_eq!(beside("I swayed, nodded and turned.", &[done("goto")], false), None);
        assert_eq!(beside("It is a dim picture.", &[], false), None);
        assert_eq!(beside("I saved the tool.", &[], false).as_deref(), Some("No tool was kept."));
        assert_eq!(beside("I saved the tool.", &[], true), None);
    }
}
