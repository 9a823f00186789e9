//! Tests that each rule rejects its bad example and accepts its good one.

use super::*;
use crate::draft::Draft;
use crate::policy::{rules_digest, vet};

/// Returns the file that an example describes: its stem and its bytes.
fn file(example: &str) -> (String, Vec<u8>) {
    let name =
        example.strip_prefix("# file: ").and_then(|rest| rest.split(".py").next()).unwrap_or("example");
    let source =
        if example.contains("def example") { example.to_owned() } else { tool_around(name, example) };
    (name.to_owned(), spelled_out(&source))
}

fn tool_around(name: &str, body: &str) -> String {
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("from ");
    let imports: Vec<&str> = body.lines().take_while(is_import).collect();
    let body: Vec<String> = body.lines().skip_while(is_import).map(|line| format!("    {line}\n")).collect();
    let function =
        if name == "example" || !name.chars().all(|c| c.is_alphanumeric()) { "example" } else { name };
    format!(
        "from reachy_mini import ReachyMini\n{}\n\n\ndef {function}(robot: ReachyMini, n: int = 1) -> int:\n    \
         \"\"\"Show one rule.\n\n    Args:\n        n: A number.\n    \"\"\"\n{}    return n\n",
        imports.join("\n"),
        body.concat()
    )
}

/// Replaces `<byte FF>`, `<U+202E>` and `<80 (>` by the characters.
fn spelled_out(source: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = source;
    while let Some((before, after)) = rest.split_once('<') {
        bytes.extend(before.as_bytes());
        match after.split_once('>').and_then(|(mark, behind)| Some((meaning(mark)?, behind))) {
            Some((meant, behind)) => {
                bytes.extend(meant);
                rest = behind;
            }
            None => {
                bytes.push(b'<');
                rest = after;
            }
        }
    }
    bytes.extend(rest.as_bytes());
    bytes
}

fn meaning(mark: &str) -> Option<Vec<u8>> {
    if let Some(hex) = mark.strip_prefix("byte ") {
        return Some(vec![u8::from_str_radix(hex, 16).ok()?]);
    }
    if let Some(hex) = mark.strip_prefix("U+") {
        return Some(char::from_u32(u32::from_str_radix(hex, 16).ok()?)?.to_string().into_bytes());
    }
    let (count, what) = mark.split_once(' ')?;
    Some(what.repeat(count.parse().ok()?).into_bytes())
}

fn findings(example: &str) -> Vec<Finding> {
    let (name, bytes) = file(example);
    match Draft::read(&name, &bytes).map(vet) {
        Err(findings) => findings,
        Ok(Err(refused)) => refused.findings().to_vec(),
        Ok(Ok(vetted)) => vetted.findings().to_vec(),
    }
}

#[test]
fn bad_examples_break_their_own_rule() {
    for rule in rules() {
        let found = findings(rule.bad);
        assert!(
            found.iter().any(|f| f.rule == rule.id && f.verdict == rule.verdict),
            "{}: {found:#?}\n{}",
            rule.id,
            String::from_utf8_lossy(&file(rule.bad).1)
        );
    }
}

#[test]
fn good_examples_pass_their_rule_and_are_accepted() {
    for rule in rules() {
        let found = findings(rule.good);
        assert!(
            !found.iter().any(|f| f.rule == rule.id || f.verdict > Verdict::Pass),
            "{}: {found:#?}\n{}",
            rule.id,
            String::from_utf8_lossy(&file(rule.good).1)
        );
    }
}

#[test]
fn ids_are_unique_and_the_digest_is_stable_within_a_build() {
    let mut ids: Vec<_> = rules().iter().map(|rule| rule.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules().len());
    assert_eq!(rules_digest().len(), 64);
}
