//! Which texts ask for a tool: those of `tests/cases/tool_requests.yaml`.

use std::path::Path;

use minismith_composer::{is_tool_request, plain_request};
use serde::Deserialize;

/// Texts that ask for a tool, and texts that do not.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    asks: Vec<String>,
    asks_unseen: Vec<String>,
    asks_not: Vec<String>,
    asks_not_unseen: Vec<String>,
}

#[test]
fn requests_for_tools_are_told_from_other_texts() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/tool_requests.yaml");
    let cases: Cases = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let share = |texts: &[String]| {
        let asks = |text: &&String| plain_request(text).is_some() || is_tool_request(text);
        100.0 * texts.iter().filter(asks).count() as f64 / texts.len() as f64
    };
    let (asks, unseen) = (share(&cases.asks), share(&cases.asks_unseen));
    let (not, not_unseen) = (share(&cases.asks_not), share(&cases.asks_not_unseen));
    println!("taken as a request: {asks:.0} % of those that are, {not:.0} % of the others");
    println!("unseen: {unseen:.0} % of those that are, {not_unseen:.0} % of the others");
    assert!(asks >= 88.0 && not <= 2.0, "{asks} {not}");
    assert!(unseen >= 37.0 && not_unseen <= 4.0, "{unseen} {not_unseen}");
}
