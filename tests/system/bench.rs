//! The benchmark's output: one document, its stable names, and its content without the official packages.

use minismith_tests::TestDir;
use serde_json::{Value, json};

#[test]
fn results_are_one_document_with_null_for_a_missing_baseline() {
    let bench = TestDir::new();
    // This folder has no official packages.
    let ran =
        bench.run(&["bench", "--json", "--quick", "--only", "ik", "--out", "results/bench.json"]).exits(0);
    assert!(ran.err.contains("make peers"), "{}", ran.err);
    let document = ran.json();
    let written: Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("results/bench.json")).unwrap()).unwrap();
    assert_eq!(document, written);
    let rows = document["results"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{document}");
    assert_eq!((&rows[0]["name"], &rows[0]["unit"]), (&json!("ik"), &json!("us")));
    assert!(rows[0]["ours"].as_f64().unwrap() > 0.0, "{document}");
    for key in ["peer", "ratio"] {
        assert!(rows[0].as_object().unwrap().contains_key(key) && rows[0][key].is_null(), "{document}");
    }
}

#[test]
fn minismith_is_measured_on_the_emulated_line() {
    let bench = TestDir::new();
    for (name, unit) in [("beat_cost", "ns"), ("bus_cycle", "ms"), ("fk", "us")] {
        let document = bench.run(&["bench", "--json", "--quick", "--only", name]).exits(0).json();
        let row = &document["results"][0];
        assert_eq!((&row["name"], &row["unit"]), (&json!(name), &json!(unit)));
        assert!(row["ours"].as_f64().unwrap() > 0.0, "{document}");
    }
}

#[test]
fn tools_and_agents_are_measured() {
    let bench = TestDir::new();
    for (name, unit, has_peer) in [
        ("policy", "ms", true),
        ("jobs_per_second", "1/s", true),
        ("tool_frame", "1/s", true),
        ("rehearsal_speed", "s/s", true),
        ("tool_check", "s", false),
        ("prompt_tokens", "tokens", true),
        ("sentence_p99", "ms", false),
        ("words_to_bus_p50", "ms", false),
    ] {
        let document = bench.run(&["bench", "--json", "--quick", "--only", name]).exits(0).json();
        let row = &document["results"][0];
        assert_eq!((&row["name"], &row["unit"]), (&json!(name), &json!(unit)));
        assert!(row["ours"].as_f64().unwrap() > 0.0, "{document}");
        assert_eq!((row["peer"].is_f64(), row["ratio"].is_f64()), (has_peer, has_peer), "{document}");
    }
}

#[test]
fn unknown_name_and_missing_packages_are_errors() {
    let bench = TestDir::new();
    let names = [
        &["ik", "fk", "bus_cycle", "bus_rate_hz", "policy", "guest_job", "jobs_per_second", "tool_frame"][..],
        &[
            "rehearsal_speed",
            "rehearsal_speed_stream",
            "tool_check",
            "prompt_tokens",
            "sentence_p50",
            "sentence_p99",
            "words_to_bus_p50",
            "words_to_bus_p99",
            "pulse_jitter_p99_idle",
            "pulse_jitter_p99_loaded",
            "pulse_jitter_p99_guests",
            "pulse_jitter_p99_guests_100hz",
        ],
    ]
    .concat();
    bench.run(&["bench", "--only", "speed"]).is_error(&[&["speed"][..], &names[..]].concat());
    bench.run(&["bench", "--peers", "nowhere"]).is_error(&["nowhere", "make peers"]);
}
