//! How often, how far, and what differs from round to round.

use super::{says, score, steps};

#[test]
fn a_count_of_all_includes_what_was_enumerated() {
    says(
        "make a tool: lean your head to the left, then to the right, left, right, eight leans altogether",
        "repeat(times, head(tilt_left=20), head(tilt_right=20)), wait(0.5), head(tilt_right=0)",
    );
    says(
        "make a tool: shove the head forward and bring it back, forward and back, six in all",
        "repeat(times, head(forward_mm=15), head(forward_mm=0))",
    );
    let turned = steps(&score(
        "make a tool: the head turns left, comes back to the middle, waits one second, turns left again. Four times in total.",
    ));
    assert_eq!(turned.matches("head(left=30)").count(), 2, "{turned}");
    assert!(turned.starts_with("repeat(3, "), "{turned}");
}

#[test]
fn each_round_may_differ_from_the_one_before() {
    for request in [
        "make a tool: look up and come back 3 times, every time higher than before",
        "make a tool that nods 3 times, each nod a little deeper",
        "make a tool that nods 3 times, bigger every time",
    ] {
        let steps = steps(&score(request));
        assert!(steps.contains("ramp("), "{request}: {steps}");
    }
}

#[test]
fn antennas_are_measured_from_where_they_rest() {
    says(
        "make a tool: the right antenna swings inward by 40 degrees and comes back",
        "repeat(times, antennas(right_inward=50), antennas(right_inward=10))",
    );
    says(
        "make a tool: both antennas fall outward until they're horizontal and stay there",
        "antennas(both=80)",
    );
}

#[test]
fn a_list_of_angles_has_no_counts() {
    let listed = steps(&score("make a tool: head twenty degrees left, twenty right, ten left, ten right"));
    assert!(listed.contains("head(left=10)") && listed.contains("head(right=10)"), "{listed}");
    says("make a tool: sweep your head 20 degrees to the left and stay there", "head(left=20, seconds=0.87)");
    let held = steps(&score(
        "make a tool: turn the head to the right, hold that offended pose for two seconds, then look ahead",
    ));
    assert!(held.contains("head(right=30), wait(2), head(left=0)"), "{held}");
}

#[test]
fn the_other_one_may_be_a_side() {
    says(
        "make a tool: your head leans towards the left shoulder and then towards the right one, while your antennas do not stir",
        "head(tilt_left=20), head(tilt_right=20), wait(0.5), head(tilt_right=0)",
    );
}
