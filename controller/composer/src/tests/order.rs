//! What comes after what.

use super::{declined, says};

#[test]
fn photos_are_taken_in_order_and_counted() {
    says(
        "Create a tool: take a picture, turn 30 degrees to the left, take another picture, turn back and beep.",
        "photo(), head(left=30), photo(), head(left=0), sound(\"wake_up.wav\")",
    );
    says(
        "a tool that takes three photos, two seconds apart, without moving at all",
        "repeat(2, photo(), wait(2)), photo()",
    );
}

#[test]
fn otherwise_rules_the_case_without_the_event() {
    let nod_or_shake = "when(touch(), head(down=15), head(down=0), otherwise(head(left=20), head(right=20), \
                        head(left=0)), within=10)";
    says(
        "Make a tool that nods once if someone strokes its head within ten seconds and otherwise shakes its head once.",
        nod_or_shake,
    );
    says(
        "make a tool: if you see a cup, take a photo, or else beep",
        "when(thing(\"cup\"), photo(), otherwise(sound(\"wake_up.wav\")))",
    );
    says(
        "make a tool that nods when someone claps, otherwise stays still",
        "when(clap(), head(down=15), head(down=0))",
    );
    // It is the other case of the condition before it.
    says(
        "make a tool: when someone claps, nod. When you see a face, beep, otherwise tilt your head left",
        "when(clap(), head(down=15), head(down=0)), when(face(), sound(\"wake_up.wav\"), \
         otherwise(head(tilt_left=20), wait(0.5), head(tilt_right=0)))",
    );
    assert!(
        declined("whenever you see a face, wave. Otherwise breathe. make it a tool").contains("one event")
    );
}

#[test]
fn what_follows_a_return_comes_after_it() {
    for (request, expected) in [
        (
            "make a tool that lowers the head 10 mm and when it is back up it nods",
            "head(lower_mm=10), head(rise_mm=0), head(down=15), head(down=0)",
        ),
        (
            "make a tool that looks left. Once the head is back, beep",
            "head(left=30), head(left=0), sound(\"wake_up.wav\")",
        ),
        (
            "make a tool that spreads both antennas; when they have come back, nod",
            "antennas(both=50), antennas(both_inward=10), head(down=15), head(down=0)",
        ),
    ] {
        says(request, expected);
    }
}

#[test]
fn so_many_more_are_as_large_as_before() {
    let nods = "repeat(2, head(down=15), head(down=0)), wait(1), repeat(3, head(down=15), head(down=0))";
    for text in ["three more", "three more times", "nods 3 more times"] {
        says(&format!("make a tool that nods twice, waits, then {text}"), nods);
    }
    says("make a tool that pecks four times", "repeat(times, head(down=15), head(down=0))");
}
