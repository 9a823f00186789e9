//! The policy against whole tools: the project's own cases, and a corpus of tools and attacks where there is one.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot read its cases fails")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use minismith::workshop::draft::Draft;
use minismith::workshop::finding::{Finding, Verdict};
use minismith::workshop::manifest::Capability;
use minismith::workshop::policy::{Refused, Vetted, rules, vet};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the package lies in the workspace").to_owned()
}

/// The tools of a folder: stem and bytes.
fn tools(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.sort();
    let read = |path: PathBuf| {
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap())
    };
    paths.into_iter().map(read).collect()
}

/// A folder of the corpus beside the workspace; says so where there is none.
fn corpus(folder: &str) -> Vec<(String, Vec<u8>)> {
    let path = workspace().join("../shared/corpus").join(folder);
    if path.is_dir() {
        return tools(&path);
    }
    println!("skipped: there is no {}", path.display());
    Vec::new()
}

/// What the policy says: the proof, or its findings.
fn judge(name: &str, bytes: &[u8]) -> Result<Vetted, Vec<Finding>> {
    vet(Draft::read(name, bytes)?).map_err(|refused: Refused| refused.findings().to_vec())
}

/// Checks one tool against what its first line says: `# rule: id` refuses, `# asks: id` asks, anything else is clean.
#[track_caller]
fn check(name: &str, bytes: &[u8]) {
    let first =
        String::from_utf8_lossy(bytes.split(|byte| *byte == b'\n').next().unwrap_or_default()).into_owned();
    let judged = judge(name, bytes);
    let findings = match &judged {
        Ok(vetted) => vetted.findings().to_vec(),
        Err(findings) => findings.clone(),
    };
    let shown = findings.iter().map(|finding| format!("\n  {finding}")).collect::<String>();
    if let Some(rule) = first.strip_prefix("# rule: ") {
        assert!(judged.is_err(), "{name} is admitted, {rule} should refuse it:{shown}");
        let refuses = |finding: &Finding| finding.rule == rule && finding.verdict == Verdict::Refuse;
        assert!(findings.iter().any(refuses), "{name} is not refused by {rule}:{shown}");
    } else if let Some(rule) = first.strip_prefix("# asks: ") {
        assert!(judged.is_ok(), "{name} is refused, {rule} should only ask:{shown}");
        let asks = |finding: &Finding| finding.rule == rule && finding.verdict == Verdict::Ask;
        assert!(findings.iter().any(asks), "{rule} does not ask about {name}:{shown}");
    } else {
        assert!(
            findings.iter().all(|finding| finding.verdict == Verdict::Admit),
            "{name} is not clean:{shown}"
        );
        assert!(judged.is_ok(), "{name} is refused:{shown}");
    }
}

#[test]
fn good_cases_are_clean() {
    for (name, bytes) in tools(&workspace().join("tests/cases/good")) {
        check(&name, &bytes);
    }
}

#[test]
fn bad_cases_are_stopped_by_the_rule_that_they_name() {
    let cases = tools(&workspace().join("tests/cases/bad"));
    for (name, bytes) in &cases {
        assert!(bytes.starts_with(b"# rule: ") || bytes.starts_with(b"# asks: "), "{name} names no rule");
        check(name, bytes);
    }
    let named: BTreeSet<String> = cases
        .iter()
        .filter_map(|(_, bytes)| {
            Some(String::from_utf8_lossy(bytes).lines().next()?.split_once(": ")?.1.to_owned())
        })
        .collect();
    let known: BTreeSet<String> = rules().iter().map(|rule| rule.id.to_owned()).collect();
    assert_eq!(named.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn the_corpus_of_benign_tools_is_clean() {
    for (name, bytes) in corpus("benign") {
        check(&name, &bytes);
    }
}

#[test]
fn the_corpus_of_attacks_is_refused_where_reading_suffices() {
    let attacks = corpus("escapes");
    let mut missed = Vec::new();
    let mut refused = 0;
    for (name, bytes) in &attacks {
        let source = String::from_utf8_lossy(bytes);
        // What only exhausts time or memory may look innocent: rehearsal measures it.
        let only_dynamic = source.contains("check: dos");
        match judge(name, bytes) {
            Err(findings) => {
                refused += 1;
                let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule.as_str()).collect();
                println!("{name}: {rules:?}");
            }
            Ok(vetted) => {
                let asks: Vec<&str> = vetted.findings().iter().map(|finding| finding.rule.as_str()).collect();
                println!("{name}: admitted to rehearsal {asks:?}");
                if !only_dynamic {
                    missed.push(name);
                }
            }
        }
    }
    println!("{refused} of {} attacks are refused by reading", attacks.len());
    assert_eq!(missed, Vec::<&String>::new());
}

#[test]
fn a_signature_becomes_a_strict_schema() {
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

/// Numbers that look random and are the same in every run (Knuth's MMIX constants).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

#[test]
fn mutilated_tools_are_judged_and_never_crash() {
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
    let cases = workspace().join("tests/cases");
    let mut all = tools(&cases.join("good"));
    all.extend(tools(&cases.join("bad")));
    all.extend(corpus("benign"));
    all.extend(corpus("escapes"));
    let mut refused = 0;
    for (name, bytes) in &all {
        for _ in 0..12 {
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
                    findings.iter().any(|finding| finding.verdict == Verdict::Refuse),
                    "{name}: {findings:?}"
                );
            }
        }
    }
    assert!(refused > all.len(), "mutilation changes nothing");
}

#[test]
fn deep_trees_are_refused_and_not_walked() {
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
        assert!(findings.iter().any(|finding| finding.verdict == Verdict::Refuse), "{piece}");
    }
}
