//! Tests that tools in the language of `motion` are judged as the module itself judges them, before they run.

use super::super::{imports, vet};
use super::*;
use crate::draft::Draft;
use crate::finding::{Finding, Verdict};

/// Returns the capabilities of a tool, or the rules and lines that reject it.
fn judge(imports: &str, body: &str) -> Result<Vec<Capability>, Vec<(String, u32)>> {
    let source = format!(
        "from motion import {imports}\nfrom reachy_mini import ReachyMini\n\n\n\
         def tool(robot: ReachyMini, n: int = 1) -> str:\n    \"\"\"Do it.\n\n    Args:\n        n: A number, between 1 and \
         5.\n    \"\"\"\n    print(n)\n{body}\n"
    );
    let draft = Draft::read("tool", source.as_bytes()).unwrap();
    match vet(draft) {
        Ok(checked) => {
            assert!(
                checked.findings().iter().all(|it| it.verdict == Verdict::Pass),
                "{:?}",
                checked.findings()
            );
            Ok(checked.capabilities().iter().copied().collect())
        }
        Err(refused) => {
            let severe = |it: &&Finding| it.verdict == Verdict::Reject;
            Err(refused.findings().iter().filter(severe).map(|it| (it.rule.to_string(), it.line)).collect())
        }
    }
}

#[test]
fn functions_are_those_that_may_be_imported() {
    assert!(FUNCTIONS.iter().all(|function| imports::allows("motion", function.name)));
    let text = imports::text();
    let line = text.lines().find_map(|line| line.strip_prefix("motion: ")).unwrap();
    let types = ["Event", "Ramp", "Step"];
    assert_eq!(line.split_whitespace().count(), FUNCTIONS.len() + types.len());
}

#[test]
fn ranges_are_those_of_the_module() {
    let source = include_str!("../../../../tool-host/src/python/motion.py");
    for function in FUNCTIONS.iter().filter(|function| function.eases) {
        for word in function.words.iter().filter(|word| word.axes.len() == 1) {
            let [axis] = word.axes else { continue };
            let row = |sign: &str| format!("\"{}\": (\"{axis}\", {sign}1, {})", word.name, word.range.1);
            assert!(
                source.contains(&row("")) || source.contains(&row("-")),
                "{} {}",
                function.name,
                word.name
            );
        }
    }
}

#[test]
fn capabilities_follow_from_the_functions() {
    let of = |imports, body| judge(imports, body).unwrap();
    assert_eq!(of("head, perform", "    return perform(robot, head(left=20))"), [Motion]);
    assert_eq!(of("perform, sound, wait", "    return perform(robot, wait(1), sound('a.wav'))"), [Sound]);
    let seeing = "    return perform(robot, when(face(), antennas(both=30)), until(thing('cup'), neutral()))";
    assert_eq!(
        of("antennas, face, neutral, perform, thing, until, when", seeing),
        [Motion, Camera, Tracking]
    );
    assert_eq!(
        of("perform, play", "    return perform(robot, play('wave_hello'))"),
        [Motion, Capability::Exec]
    );
    assert_eq!(of("perform, play", "    return perform(robot, play('wake_up'))"), [Motion]);
}

#[test]
fn whole_module_counts_by_its_attributes() {
    let source = "import motion as m\nfrom reachy_mini import ReachyMini\n\n\ndef tool(robot: ReachyMini) -> str:\n    \
                  \"\"\"Do it.\"\"\"\n    return m.perform(robot, m.head(left=20), m.sound('a.wav'))\n";
    let checked = vet(Draft::read("tool", source.as_bytes()).unwrap()).unwrap();
    assert_eq!(checked.capabilities(), &BTreeSet::from([Motion, Sound]));
    let source = source.replace("left=20", "left=99");
    let refused = vet(Draft::read("tool", source.as_bytes()).unwrap()).unwrap_err();
    assert!(refused.findings().iter().any(|it| it.rule == "out-of-range" && it.line == 7));
}

#[test]
fn what_the_module_refuses_is_found_with_its_line() {
    let names = "antennas, as_long_as, body, face, head, neutral, perform, ramp, repeat, sequence, together, until, wait";
    for (rule, line, body) in [
        ("out-of-range", 12, "    return perform(robot, head(left=61))"),
        ("out-of-range", 12, "    return perform(robot, head(up=-5))"),
        ("out-of-range", 13, "    return perform(robot,\n        repeat(3, head(down=ramp(10, 50))))"),
        ("out-of-range", 12, "    return perform(robot, wait(61))"),
        ("out-of-range", 12, "    return perform(robot, repeat(51, neutral()))"),
        ("out-of-range", 12, "    return perform(robot, until(face(), neutral(), at_most=1e9))"),
        ("out-of-range", 12, "    return perform(robot, neutral(), speed=0)"),
        ("out-of-range", 12, "    return perform(robot, body(left=30, easing='bouncy'))"),
        ("invalid-step", 12, "    return perform(robot, head(left=1, right=1))"),
        ("invalid-step", 12, "    return perform(robot, antennas(both=1, right=1))"),
        (
            "invalid-step",
            13,
            "    return perform(robot, together(head(left=9),\n        repeat(2, head(right=9))))",
        ),
        (
            "invalid-step",
            12,
            "    return perform(robot, together(neutral(), sequence(wait(1), body(left=9))))",
        ),
        ("invalid-step", 12, "    return perform(robot, 3)"),
        ("invalid-step", 12, "    return perform(robot, [neutral()])"),
        ("invalid-step", 12, "    return perform(robot, neutral)"),
        ("invalid-step", 12, "    return perform(robot, face())"),
        ("invalid-step", 12, "    return perform(robot)"),
        ("invalid-step", 12, "    return perform(neutral(), neutral())"),
        ("invalid-step", 12, "    return perform(robot, as_long_as(neutral(), neutral()))"),
        ("unknown-argument", 12, "    return perform(robot, head(roll=5))"),
        ("unknown-argument", 12, "    return perform(robot, head(20))"),
        ("unknown-argument", 12, "    return perform(robot, neutral(), pace=2)"),
    ] {
        let found = judge(names, body).expect_err(body);
        assert!(found.contains(&(rule.to_owned(), line)), "{body}: {found:?}");
    }
}

#[test]
fn ordinary_scores_pass() {
    let names =
        "antennas, body, clap, head, neutral, perform, ramp, repeat, sequence, together, wait, whenever";
    for body in [
        "    return perform(robot, whenever(clap(), repeat(n, head(down=15), head()), seconds=110))",
        "    steps = [antennas(both=10 * i) for i in range(n)]\n    return perform(robot, *steps, wait(60))",
        "    return perform(robot, together(head(left=20), body(right=20), antennas(left=50, right_inward=10)))",
        "    return perform(robot, repeat(50, sequence(head(rise_mm=ramp(1, 20), seconds=0.1), wait(ramp(1, 0.1)))))",
        "    return perform(robot, together(head(left=None, right=20), antennas(both=5 * n)), neutral(), speed=1 / n)",
    ] {
        judge(names, body).expect(body);
    }
}
