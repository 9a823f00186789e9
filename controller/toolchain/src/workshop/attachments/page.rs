//! The page of a tool in Markdown: its purpose, its calls, its evidence, and its risks.
//!
//! All untrusted text goes through [`super::markdown_escape`].

use serde_json::Value;

use super::evidence;
pub use super::markdown::{Files, Subject};
use super::markdown::{Page, called, ended};
use super::markdown_escape::{block, code, prose};
use crate::workshop::rehearsal::CaseResult;
use minismith_analysis::manifest::{Expectation, Returns, TestCase, ToolManifest};
use minismith_control::recorder::NoRecording;

/// Writes the page.
#[must_use]
pub fn write(subject: &Subject<'_>) -> String {
    let Subject { manifest, cases, .. } = subject;
    let mut page = Page::default();
    let version = match manifest.version {
        0 => "not registered".into(),
        version => format!("version {version}"),
    };
    page.paragraph(format_args!("# {}, {version}", prose(&manifest.name)));
    page.paragraph(prose(&manifest.description));
    files(&mut page, subject.files);
    page.heading("How to call it");
    if manifest.functions.is_empty() {
        calls(&mut page, &manifest.name, &manifest.parameters, &manifest.returns);
    }
    for function in &manifest.functions {
        page.paragraph(format_args!("### {}", prose(&function.name)));
        page.paragraph(prose(&function.description));
        calls(
            &mut page,
            &format!("{}.{}", manifest.name, function.name),
            &function.parameters,
            &function.returns,
        );
    }
    page.heading("Examples");
    if manifest.examples.is_empty() {
        page.paragraph("None.");
    }
    for example in &manifest.examples {
        let came = cases.iter().find(|case| case.arguments == example.arguments);
        let came = came.map_or_else(|| "not rehearsed".into(), |case| ended(&case.outcome));
        page.line(format_args!(
            "* {} {came}",
            called(&manifest.name, example.function.as_deref(), &example.arguments)
        ));
    }
    page.blank();
    page.heading("Test cases");
    test_cases(&mut page, &manifest.test_cases, cases);
    page.heading("Evidence");
    evidence::write(&mut page, subject);
    page.heading("Risks and approval");
    risks(&mut page, manifest);
    page.heading("Where it comes from");
    origin(&mut page, manifest);
    page.finish()
}

fn files(page: &mut Page, files: Option<Files<'_>>) {
    let Some(Files { stem, no_recording }) = files else { return };
    page.paragraph(format_args!("![How it moves in its default call]({stem}.svg)"));
    match no_recording {
        None => page.paragraph(format_args!(
            "Recording of the default call: [{stem}.rrd]({stem}.rrd), to be opened with `rerun {stem}.rrd`."
        )),
        // This text is our own Markdown already.
        Some(why @ NoRecording::NotBuilt) => page.paragraph(format_args!("There is {why}.")),
        Some(why) => page.paragraph(format_args!("There is {}.", prose(&why.to_string()))),
    }
}

/// Writes the parameters and the result of one function.
fn calls(page: &mut Page, name: &str, parameters: &Value, returns: &Returns) {
    let properties = parameters.get("properties").and_then(Value::as_object);
    let required: Vec<&str> = parameters
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    page.paragraph(format_args!("By name: {}", code(&format!("minismith tool run {name} --args '{{…}}'"))));
    match properties.filter(|properties| !properties.is_empty()) {
        None => page.paragraph("It takes no arguments."),
        Some(properties) => {
            page.table(&["parameter", "type", "range", "default", "meaning"]);
            for (name, schema) in properties {
                let default = match schema.get("default") {
                    Some(default) => code(&default.to_string()),
                    None if required.contains(&name.as_str()) => "must be given".into(),
                    None => String::new(),
                };
                let meaning = schema.get("description").and_then(Value::as_str).unwrap_or_default();
                page.row(&[code(name), kind(schema), range(schema), default, prose(meaning)]);
            }
            page.blank();
        }
    }
    let kind = if returns.r#type.is_empty() { "nothing".into() } else { code(&returns.r#type) };
    page.paragraph(format_args!("Returns {kind}. {}", prose(&returns.description)).to_string().trim_end());
}

fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(kind)) => code(kind),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).map(code).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".into(),
    }
}

fn range(schema: &Value) -> String {
    let number = |key: &str| schema.get(key).map(Value::to_string);
    if let Some(Value::Array(values)) = schema.get("enum") {
        return values.iter().map(|value| code(&value.to_string())).collect::<Vec<_>>().join(", ");
    }
    let low = number("minimum").or_else(|| number("exclusiveMinimum").map(|low| format!("more than {low}")));
    let high =
        number("maximum").or_else(|| number("exclusiveMaximum").map(|high| format!("less than {high}")));
    let range = match (low, high) {
        (Some(low), Some(high)) => format!("{low} to {high}"),
        (Some(low), None) => format!("from {low}"),
        (None, Some(high)) => format!("up to {high}"),
        (None, None) => String::new(),
    };
    prose(&range)
}

fn test_cases(page: &mut Page, tests: &[TestCase], cases: &[CaseResult]) {
    if tests.is_empty() {
        return page.paragraph("None of its own.");
    }
    page.table(&["case", "call", "expected", "what came"]);
    for test in tests {
        let name = format!("own: {}", test.name);
        let came = cases.iter().find(|case| case.name == name && case.arguments == test.arguments);
        let came = came.map_or_else(|| "not rehearsed".into(), |case| ended(&case.outcome));
        let motion = if test.motion.is_some() { ", and moves as declared" } else { "" };
        let expected = match &test.expect {
            Expectation::Returns { value, tolerance } if *tolerance > 0.0 => {
                format!("{} within {tolerance}", code(&value.to_string()))
            }
            Expectation::Returns { value, .. } => code(&value.to_string()),
            Expectation::ReturnsText => "a text".into(),
            Expectation::Raises { exception } => format!("raises {}", code(exception)),
            Expectation::Anything => "ends within its budget".into(),
        };
        let call = called("", test.function.as_deref(), &test.arguments);
        page.row(&[prose(&test.name), call, format!("{expected}{motion}"), came]);
    }
    page.blank();
}

fn risks(page: &mut Page, manifest: &ToolManifest) {
    for risk in &manifest.review.risks {
        page.line(format_args!("* {}", prose(risk)));
    }
    if manifest.review.risks.is_empty() {
        page.line("* The review names no risk.");
    }
    let may: Vec<String> = manifest.capabilities.iter().map(minismith_runtime::report::serde_name).collect();
    let may = if may.is_empty() { "nothing beyond computing".into() } else { may.join(", ") };
    page.line(format_args!("* It may use: {may}."));
    page.line(if manifest.needs_approval {
        "* A person must approve it before it moves real motors: `minismith tool approve`."
    } else {
        "* Until a person approves it, it moves at the reduced speed that it was rehearsed at."
    });
    page.line(format_args!(
        "* One call may take {} s of robot time, {} s of processor and {} MB of memory.",
        manifest.budget.robot_time_s,
        manifest.budget.limits.cpu_seconds,
        manifest.budget.limits.memory_bytes >> 20
    ));
    page.blank();
}

fn origin(page: &mut Page, manifest: &ToolManifest) {
    let provenance = &manifest.provenance;
    page.line(format_args!("* Author: {}", prose(&provenance.author)));
    page.line(format_args!("* Reviewed by: {}", prose(&manifest.review.by)));
    page.line(format_args!("* Code, SHA-256: {}", code(&manifest.code_sha256)));
    for (what, names) in [("Packages", &manifest.dependencies), ("Other tools", &manifest.tools)] {
        if !names.is_empty() {
            page.line(format_args!("* {what}: {}", prose(&names.join(", "))));
        }
    }
    page.blank();
    if !provenance.request.is_empty() {
        page.paragraph("What was asked for:");
        page.line(block(&provenance.request));
    }
    if !provenance.plan.is_empty() {
        page.paragraph("The plan:");
        for (position, step) in provenance.plan.iter().enumerate() {
            page.line(format_args!("{}. {}", position + 1, prose(step)));
        }
        page.blank();
    }
}
