//! Old spellings in files: traces, the journal, the manifests and declarations of tools.
//!
//! Readers convert a document of an old format before they look at it; nothing is ever written in an old format. The
//! tables are pairs of the old name and the new one. A function walks the document, because the same old name may
//! mean different things in different places.

use serde_json::{Map, Value};

/// Pairs of an old name and the name that replaced it.
pub type Names = [(&'static str, &'static str)];

/// The format of traces that [`trace_line`] converts; later formats have the new names.
pub const OLD_TRACE_FORMAT: u64 = 2;

/// The tag of a trace's line.
pub const TRACE_TAG: (&str, &str) = ("says", "type");

/// The values of a trace's tag, which name the kind of a line.
pub const TRACE_KINDS: &Names = &[
    ("begin", "header"),
    ("end", "footer"),
    ("beat", "cycle"),
    ("pulse", "control_loop"),
    ("picture", "image"),
];

/// The fields of a trace's lines, by the old kind of the line.
pub const TRACE_FIELDS: &[(&str, &Names)] = &[
    ("begin", &[("about", "description"), ("at", "start_time"), ("live", "is_live")]),
    ("beat", &[("beat", "cycle"), ("wish_deg", "setpoint_deg"), ("trims", "clamps")]),
    ("text", &[("beat", "cycle"), ("voice", "source"), ("words", "text")]),
    (
        "motors",
        &[
            ("beat", "cycle"),
            ("celsius", "temperature_c"),
            ("volts", "voltage_v"),
            ("milliamps", "current_ma"),
            ("degrees_per_s", "velocity_dps"),
        ],
    ),
    ("pulse", &[("beat", "cycle"), ("jitter_worst_us", "jitter_max_us"), ("late", "overruns")]),
    ("picture", &[("beat", "cycle"), ("seen", "detections")]),
    ("span", &[("beat", "cycle"), ("ended", "outcome")]),
    ("end", &[("beats", "cycles")]),
];

/// The fields of the objects and lists inside a trace's line, by the new name of the field that holds them.
pub const TRACE_PARTS: &[(&str, &Names)] = &[
    ("motors", &[("low_deg", "min_deg"), ("high_deg", "max_deg")]),
    (
        "legs",
        &[
            ("ahead", "zero_direction"),
            ("aside", "quarter_direction"),
            ("arm_m", "crank_m"),
            ("ball_m", "ball_joint_m"),
        ],
    ),
    ("clamps", &[("by_deg", "amount_deg")]),
    ("goal_head", HEAD),
    ("present_head", HEAD),
    ("detections", &[("bounds", "bbox_xyxy")]),
];

const HEAD: &Names = &[("at_m", "position_m"), ("turned", "orientation_xyzw"), ("angles_deg", "rpy_deg")];

/// The sources of a trace's texts.
pub const TRACE_SOURCES: &Names = &[("body", "robot")];

/// The fields of an entry of the journal.
pub const JOURNAL_FIELDS: &Names = &[
    ("who", "actor"),
    ("what", "action"),
    ("took_ms", "duration_ms"),
    ("stage_s", "robot_time_s"),
    ("lost", "dropped"),
    ("run", "process_id"),
];

/// The kinds of the journal's entries.
pub const JOURNAL_KINDS: &Names =
    &[("said", "utterance"), ("asked", "question"), ("call", "http_request"), ("body", "robot")];

/// Those who act in the journal besides people, tokens and agents.
pub const JOURNAL_ACTORS: &Names =
    &[("the pulse", "the control loop"), ("the chronicle", "the run recorder")];

/// The verdicts of findings.
pub const VERDICTS: &Names = &[("admit", "pass"), ("ask", "needs_approval"), ("refuse", "reject")];

/// The fields of a manifest.
pub const MANIFEST_FIELDS: &Names = &[("proved", "verified_range")];

/// The fields of a manifest's budget.
pub const BUDGET_FIELDS: &Names = &[("stage_seconds", "robot_time_s")];

/// The fields of a range in which a tool is verified.
pub const RANGE_FIELDS: &Names = &[("least", "min"), ("most", "max")];

/// The fields of the motion that a test case expects, in manifests and in `tool.yaml`.
pub const MOTION_FIELDS: &Names = &[
    ("moves", "moving_joints"),
    ("still", "still_joints"),
    ("ends_at_deg", "final_position_deg"),
    ("seconds", "duration_s"),
];

/// The fields of a physical report.
pub const REPORT_FIELDS: &Names = &[
    ("beats", "cycles"),
    ("greatest_move_deg", "max_displacement_deg"),
    ("trimmed_beats", "clamped_cycles"),
    ("worst_trim_deg", "max_clamp_deg"),
    ("trims", "clamps"),
    ("words", "spoken_words"),
    ("narrowed", "unverified_ranges"),
];

/// The fields of the objects and lists inside a physical report, by the new name of the field that holds them.
pub const REPORT_PARTS: &[(&str, &Names)] = &[
    ("head_margins", &[("steadiness", "singularity_margin")]),
    ("clamps", &[("worst_at_s", "max_at_s"), ("worst_deg", "max_deg"), ("beats", "cycles")]),
    ("unverified_ranges", &[("why", "reason")]),
];

/// The fields of one joint in a physical report.
pub const JOINT_REPORT_FIELDS: &Names =
    &[("least_margin_deg", "min_limit_margin_deg"), ("worst_lag_deg", "max_tracking_error_deg")];

/// Which spelling comes out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// The new one instead of the old one.
    New,
    /// The old one beside the new one.
    Both,
}

/// The new spelling of a word; a word without one stays.
#[must_use]
pub fn new_word<'a>(names: &Names, word: &'a str) -> &'a str {
    names.iter().find(|(old, _)| *old == word).map_or(word, |(_, new)| *new)
}

/// The old spelling of a word; a word without one stays.
#[must_use]
pub fn old_word<'a>(names: &Names, word: &'a str) -> &'a str {
    names.iter().find(|(_, new)| *new == word).map_or(word, |(old, _)| *old)
}

/// Converts a line of a trace of format 2 to format 3. Returns whether it was one.
pub fn trace_line(line: &mut Value) -> bool {
    let (old_tag, new_tag) = TRACE_TAG;
    let Some(fields) = line.as_object_mut() else { return false };
    let Some(Value::String(kind)) = fields.remove(old_tag) else { return false };
    if let Some((_, names)) = TRACE_FIELDS.iter().find(|(name, _)| *name == kind) {
        rename(fields, names, Spelling::New);
    }
    fields.insert(new_tag.to_owned(), new_word(TRACE_KINDS, &kind).into());
    for (part, names) in TRACE_PARTS {
        rename_each(fields.get_mut(*part), names, Spelling::New);
    }
    reword(fields.get_mut("source"), TRACE_SOURCES);
    if fields.get("format").and_then(Value::as_u64) == Some(OLD_TRACE_FORMAT) {
        fields.insert("format".to_owned(), (OLD_TRACE_FORMAT + 1).into());
    }
    true
}

/// Converts an entry of the journal.
pub fn journal_entry(entry: &mut Value) {
    if let Some(fields) = entry.as_object_mut() {
        rename(fields, JOURNAL_FIELDS, Spelling::New);
        reword(fields.get_mut("kind"), JOURNAL_KINDS);
        reword(fields.get_mut("actor"), JOURNAL_ACTORS);
    }
}

/// Converts the manifest of a tool's version (`vN.json`).
pub fn manifest(manifest: &mut Value) {
    walk_manifest(manifest, Spelling::New);
}

/// Adds the old names beside the new ones, for documents whose readers know the old ones.
pub fn add_to_manifest(manifest: &mut Value) {
    walk_manifest(manifest, Spelling::Both);
}

/// Converts the motion that a test case expects, in manifests and in `tool.yaml`.
pub fn expected_motion(motion: &mut Value) {
    rename_each(Some(motion), MOTION_FIELDS, Spelling::New);
}

/// Writes the verdicts of findings in their new words.
pub fn new_verdicts(findings: &mut Value) {
    each(Some(findings), |finding| reword(finding.get_mut("verdict"), VERDICTS));
}

/// Adds the old names beside the new ones, for documents whose readers know the old ones.
pub fn add_to_report(report: &mut Value) {
    walk_report(report, Spelling::Both);
}

fn walk_manifest(manifest: &mut Value, spelling: Spelling) {
    let Some(fields) = manifest.as_object_mut() else { return };
    rename(fields, MANIFEST_FIELDS, Spelling::New);
    for (_, range) in fields.get_mut("verified_range").and_then(Value::as_object_mut).into_iter().flatten() {
        rename_each(Some(range), RANGE_FIELDS, spelling);
    }
    rename_each(fields.get_mut("budget"), BUDGET_FIELDS, spelling);
    if let Some(found) = fields.get_mut("findings") {
        match spelling {
            Spelling::New => new_verdicts(found),
            Spelling::Both => old_verdicts(found),
        }
    }
    if let Some(report) = fields.get_mut("report") {
        walk_report(report, spelling);
    }
    each(fields.get_mut("test_cases"), |case| rename_each(case.get_mut("motion"), MOTION_FIELDS, spelling));
    // Last: the old name beside the new one holds the same ranges.
    rename(fields, MANIFEST_FIELDS, spelling);
}

fn walk_report(report: &mut Value, spelling: Spelling) {
    let Some(fields) = report.as_object_mut() else { return };
    // The parts first: an old name beside a new one holds the same part.
    if spelling == Spelling::New {
        rename(fields, REPORT_FIELDS, spelling);
    }
    for (part, names) in REPORT_PARTS {
        rename_each(fields.get_mut(*part), names, spelling);
    }
    for (_, joint) in fields.get_mut("joints").and_then(Value::as_object_mut).into_iter().flatten() {
        rename_each(Some(joint), JOINT_REPORT_FIELDS, spelling);
    }
    if spelling == Spelling::Both {
        rename(fields, REPORT_FIELDS, spelling);
    }
}

/// Writes the verdicts of findings in their old words.
pub fn old_verdicts(findings: &mut Value) {
    each(Some(findings), |finding| {
        if let Some(Value::String(verdict)) = finding.get_mut("verdict") {
            *verdict = old_word(VERDICTS, verdict).to_owned();
        }
    });
}

/// Renames the fields of one object. A field that is there under its new name stays as it is.
fn rename(fields: &mut Map<String, Value>, names: &Names, spelling: Spelling) {
    for (old, new) in names {
        match spelling {
            Spelling::New if !fields.contains_key(*new) => {
                if let Some(value) = fields.remove(*old) {
                    fields.insert((*new).to_owned(), value);
                }
            }
            Spelling::New => {}
            Spelling::Both => {
                if let Some(value) = fields.get(*new).cloned() {
                    fields.insert((*old).to_owned(), value);
                }
            }
        }
    }
}

/// Renames the fields of an object, or of each object in a list.
fn rename_each(part: Option<&mut Value>, names: &Names, spelling: Spelling) {
    match part {
        Some(Value::Object(fields)) => rename(fields, names, spelling),
        list => each(list, |part| rename_each(Some(part), names, spelling)),
    }
}

fn each(list: Option<&mut Value>, mut act: impl FnMut(&mut Value)) {
    list.and_then(Value::as_array_mut).into_iter().flatten().for_each(&mut act);
}

fn reword(word: Option<&mut Value>, names: &Names) {
    if let Some(Value::String(word)) = word {
        *word = new_word(names, word).to_owned();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn converts_a_trace_of_format_2() {
        let mut line = json!({
            "says": "beat", "beat": 3, "wish_deg": [1.0], "goal_deg": [1.0], "present_deg": [1.0],
            "trims": [{"motor": 0, "by_deg": 2.5}],
            "goal_head": {"at_m": [0.0], "turned": [1.0], "angles_deg": [0.0]},
        });
        assert!(trace_line(&mut line));
        let expected = json!({
            "type": "cycle", "cycle": 3, "setpoint_deg": [1.0], "goal_deg": [1.0], "present_deg": [1.0],
            "clamps": [{"motor": 0, "amount_deg": 2.5}],
            "goal_head": {"position_m": [0.0], "orientation_xyzw": [1.0], "rpy_deg": [0.0]},
        });
        assert_eq!(line, expected);
        assert!(!trace_line(&mut line), "a new line stays as it is");
        let mut text = json!({"says": "text", "voice": "body", "words": "halt"});
        assert!(trace_line(&mut text));
        assert_eq!(text, json!({"type": "text", "source": "robot", "text": "halt"}));
        let mut head = json!({"says": "begin", "format": 2, "live": true});
        assert!(trace_line(&mut head));
        assert_eq!(head, json!({"type": "header", "format": 3, "is_live": true}));
    }

    #[test]
    fn converts_a_manifest_and_adds_the_old_names_to_it() {
        let old = json!({
            "proved": {"yaw": {"most": 20.0}}, "budget": {"stage_seconds": 1.0},
            "findings": [{"rule": "trimmed", "verdict": "admit"}],
            "test_cases": [{"name": "up", "motion": {"moves": ["stewart_1"], "seconds": [1, 2]}}],
            "report": {
                "beats": 1, "words": 2, "narrowed": [{"call": "n=1", "why": "raises"}],
                "trims": [{"worst_deg": 1.0, "beats": 2}], "head_margins": {"steadiness": 0.5},
                "joints": {"stewart_1": {"worst_lag_deg": 1.0, "margins": null}},
            },
        });
        let new = json!({
            "verified_range": {"yaw": {"max": 20.0}}, "budget": {"robot_time_s": 1.0},
            "findings": [{"rule": "trimmed", "verdict": "pass"}],
            "test_cases": [{"name": "up", "motion": {"moving_joints": ["stewart_1"], "duration_s": [1, 2]}}],
            "report": {
                "cycles": 1, "spoken_words": 2, "unverified_ranges": [{"call": "n=1", "reason": "raises"}],
                "clamps": [{"max_deg": 1.0, "cycles": 2}], "head_margins": {"singularity_margin": 0.5},
                "joints": {"stewart_1": {"max_tracking_error_deg": 1.0, "margins": null}},
            },
        });
        let mut converted = old.clone();
        manifest(&mut converted);
        assert_eq!(converted, new);
        // What readers of the old names find in a document with both is what they found before.
        add_to_manifest(&mut converted);
        assert_eq!(converted["proved"]["yaw"]["most"], 20.0);
        assert_eq!(converted["findings"], old["findings"]);
        for pointer in
            ["/report/narrowed/0/why", "/report/trims/0/worst_deg", "/report/joints/stewart_1/worst_lag_deg"]
        {
            assert_eq!(converted.pointer(pointer), old.pointer(pointer), "{pointer}");
        }
    }

    #[test]
    fn converts_an_entry_of_the_journal() {
        let mut entry =
            json!({"at": "now", "kind": "call", "who": "desk", "what": "POST /", "detail": {"what": 1}});
        journal_entry(&mut entry);
        let expected = json!({"at": "now", "kind": "http_request", "actor": "desk", "action": "POST /", "detail": {"what": 1}});
        assert_eq!(entry, expected);
        assert_eq!((new_word(JOURNAL_KINDS, "tool"), old_word(JOURNAL_KINDS, "robot")), ("tool", "body"));
    }
}
