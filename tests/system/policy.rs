//! The policy reads whole tools, and none makes it fail. The `score` tests its judgement.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot read its cases fails")]

use std::collections::BTreeSet;

use minismith_analysis::draft::Draft;
use minismith_analysis::finding::{Finding, Verdict};
use minismith_analysis::manifest::Capability;
use minismith_analysis::policy::{PolicyChecked, Refused, vet};
use minismith_tests::cases::{Case, cases};
use minismith_tests::workspace;

/// Returns the policy's result: the verified tool, or its findings.
fn judge(name: &str, bytes: &[u8]) -> Result<PolicyChecked, Vec<Finding>> {
    vet(Draft::read(name, bytes)?).map_err(|refused: Refused| refused.findings().to_vec())
}

#[test]
fn signature_becomes_a_strict_schema() {
    let source = include_bytes!("../cases/good/many_types.py");
    let vetted = judge("many_types", source).unwrap();
    let schema = vetted.entry().parameters_schema();
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["side", "points"]));
    assert_eq!(
        schema["properties"]["side"],
        serde_json::json!({"type": "string", "enum": ["left", "right"], "description": "Which side."})
    );
    assert_eq!(schema["properties"]["label"]["default"], "none");

    let source = include_bytes!("../cases/good/gathered_tasks.py");
    let vetted = judge("gathered_tasks", source).unwrap();
    let entry = vetted.entry();
    assert!(entry.is_async && entry.takes_robot);
    let seconds = serde_json::json!({"type": "number", "minimum": 0.1, "maximum": 5.0,
        "description": "How long, between 0.1 and 5.", "default": 0.2});
    assert_eq!(entry.parameters_schema()["properties"]["seconds"], seconds);
    assert_eq!(vetted.capabilities(), &BTreeSet::from([Capability::Motion]));
    let manifest = vetted.manifest(Default::default());
    assert_eq!(
        (manifest.returns.r#type.as_str(), manifest.description.as_str()),
        ("float", "Move the antennas while counting.")
    );
}

#[test]
fn capabilities_are_inferred_from_the_tree() {
    let source = include_bytes!("../cases/good/sounds_and_faces.py");
    let vetted = judge("sounds_and_faces", source).unwrap();
    assert_eq!(vetted.capabilities(), &BTreeSet::from([Capability::Tracking, Capability::Sound]));
    let source = include_bytes!("../cases/good/linear_algebra.py");
    let vetted = judge("linear_algebra", source).unwrap();
    assert!(vetted.capabilities().is_empty());
    assert_eq!(vetted.manifest(Default::default()).dependencies, ["numpy"]);
}

/// Pseudo-random numbers that are the same in every run (Knuth's MMIX constants).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn mutilated_tools_are_checked_without_a_crash() {
    const PIECES: &[&str] = &[
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "\"",
        "'",
        "\"\"\"",
        "f\"{",
        "\\",
        "\n",
        "\n    ",
        "\t",
        ":",
        ",",
        ".",
        "=",
        "*",
        "**",
        "@",
        "->",
        "lambda ",
        "not ",
        "await ",
        "yield ",
        "async ",
        "match x:\n case ",
        "del ",
        "global ",
        "0x",
        "1e999",
        "99999999999999999999",
        "\\N{DASH}",
        "\\ud800",
        "b'\\x",
        "é",
        "\u{1d428}",
        "\0",
        "\r",
        "None",
        "__class__",
        "#",
    ];
    let mut dice = Dice(20_261_121);
    let folders =
        ["tests/cases/good", "tests/cases/bad", "../shared/corpus/benign", "../shared/corpus/escapes"];
    let all: Vec<Case> =
        folders.iter().filter_map(|folder| cases(&workspace().join(folder))).flatten().collect();
    let mut refused = 0;
    for Case { name, bytes, .. } in &all {
        for _ in 0..6 {
            let mut mutilated = bytes.clone();
            for _ in 0..=dice.below(3) {
                let at = dice.below(mutilated.len());
                let end = (at + dice.below(30)).min(mutilated.len());
                match dice.below(4) {
                    0 => mutilated[at] = dice.below(256) as u8,
                    1 => drop(mutilated.drain(at..end)),
                    2 => {
                        let copied = mutilated[at..end].to_vec();
                        mutilated.splice(at..at, copied);
                    }
                    _ => {
                        let piece = PIECES[dice.below(PIECES.len())];
                        mutilated.splice(at..at, piece.bytes());
                    }
                }
            }
            if let Err(findings) = judge(name, &mutilated) {
                refused += 1;
                assert!(
                    findings.iter().any(|finding| finding.verdict == Verdict::Reject),
                    "{name}: {findings:?}"
                );
            }
        }
    }
    assert!(refused > all.len(), "mutilation changes nothing");
}

#[test]
fn deep_trees_are_rejected_without_a_walk() {
    let repeated: [(&str, &str, &str); 9] = [
        ("x = ", "not ", "1"),
        ("x = 1", "+1", ""),
        ("x = a", ".b", ""),
        ("x = f", "()", ""),
        ("x = ", "lambda:", "1"),
        ("x = ", "1 if 1 else ", "1"),
        ("x = 2", "**2", ""),
        ("x = ", "a < ", "1"),
        ("if x: pass\n", "elif x: pass\n", ""),
    ];
    for (before, piece, after) in repeated {
        let count = 60_000 / piece.len();
        let source = format!("{before}{}{after}\n", piece.repeat(count));
        let findings = judge("deep", source.as_bytes()).expect_err(piece);
        assert!(findings.iter().any(|finding| finding.verdict == Verdict::Reject), "{piece}");
    }
}
