//! Tool search by text, and by meaning where the model is installed.

use std::path::Path;

use minismith_analysis::submission::Submission;
use minismith_runtime::config::Config;
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::registry::Registry;
use serde_json::Value;

/// Names and descriptions of tools, and requests that name none of them.
const TOOLS: [(&str, &str); 12] = [
    ("nod_yes", "Nod the head up and down."),
    ("shake_no", "Turn the head left and right."),
    ("wave_antennas", "Wave both antennas."),
    ("look_left", "Turn the head to the left and hold it there."),
    ("bow_deeply", "Bow forward with the whole head."),
    ("dance_waltz", "Sway to three-four time."),
    ("fall_asleep", "Lower the head and rest."),
    ("count_faces", "Tell how many people are in the picture."),
    ("play_drum", "Beat a rhythm with the antennas."),
    ("measure_noise", "Tell how loud the room is."),
    ("tell_time", "Say what time it is."),
    ("draw_circle", "Move the nose along a circle."),
];

const INDIRECT: [(&str, &str); 12] = [
    ("agree with what I said", "nod_yes"),
    ("disagree politely", "shake_no"),
    ("say hello to the visitor", "wave_antennas"),
    ("is anybody here with us", "count_faces"),
    ("good night, go to bed", "fall_asleep"),
    ("what hour do we have", "tell_time"),
    ("make some music for me", "play_drum"),
    ("show respect like in japan", "bow_deeply"),
    ("celebrate with ballroom moves", "dance_waltz"),
    ("trace something round in the air", "draw_circle"),
    ("are we being too noisy", "measure_noise"),
    ("glance at the neighbour on your port side", "look_left"),
];

/// Returns a test folder with these tools, and with the models of that folder.
fn bench(models: &str) -> TestDir {
    let bench = TestDir::configured(&format!("models: {{directory: {models}}}\n"));
    let workshop = Workshop::open(&Config::load(Some(&bench.path("config.yaml"))).unwrap()).unwrap();
    for (name, description) in TOOLS {
        let source = format!(
            "def {name}(times: int = 1) -> int:\n    \"\"\"{description}\n\n    Args:\n        times: How often, between 1 and \
             2.\n\n    Returns:\n        How often.\n    \"\"\"\n    return times\n"
        );
        let (_, reviewed) = workshop.check(&Submission::of(name, source.as_bytes())).unwrap();
        workshop.accept(&reviewed.unwrap()).unwrap();
    }
    bench
}

#[track_caller]
fn search(bench: &TestDir, text: &str) -> Value {
    bench.run(&["tool", "search", text, "--limit", "3", "--json"]).exits(0).json()
}

fn names(found: &Value) -> Vec<&str> {
    found["results"].as_array().unwrap().iter().map(|hit| hit["name"].as_str().unwrap()).collect()
}

#[test]
fn text_search_finds_tools_despite_punctuation() {
    let bench = bench("nowhere");
    let found = search(&bench, "antennas");
    assert_eq!((&found["semantic"], &found["query"]), (&Value::Bool(false), &Value::from("antennas")));
    assert!(found["why_not"].as_str().unwrap().contains("make models"), "{found}");
    // The tool with the word in its name comes first.
    assert_eq!(names(&found), ["wave_antennas", "play_drum"]);
    assert_eq!(found["results"][0]["by_words"], 1);
    assert_eq!(found["results"][0]["by_meaning"], Value::Null);
    for text in ["\"nod", "nod AND (", "name:nod*", "--nod", "nod'; DROP TABLE words"] {
        assert_eq!(names(&search(&bench, &format!(" {text}")))[0], "nod_yes", "{text}");
    }
    assert!(names(&search(&bench, "")).is_empty());
    assert!(names(&search(&bench, "zeppelin")).is_empty());
    bench.run(&["tool", "search", "nod", "--limit", "0"]).is_error(&["--limit"]);

    // The index follows the registry, including changes by hand. A document next to a version counts.
    std::fs::remove_dir_all(bench.path("tools/generated/play_drum")).unwrap();
    bench.write("tools/generated/look_left/v1.md", "Good for pointing at antennas.");
    assert_eq!(names(&search(&bench, "antennas")), ["wave_antennas", "look_left"]);
    let _out = bench.run(&["tool", "deactivate", "look_left"]).exits(0);
    let found = search(&bench, "antennas");
    assert_eq!(
        (&found["results"][0]["callable"], &found["results"][1]["callable"]),
        (&true.into(), &false.into())
    );
}

#[test]
fn semantic_search_finds_tools_that_text_search_misses() {
    let models = workspace().join(".cache/models");
    if !models.join("all-MiniLM-L6-v2/model.onnx").is_file() {
        return println!("skipped: there is no model; `make models` installs it");
    }
    let with = bench(models.to_str().unwrap());
    let registry = Registry::open(&with.path("tools")).unwrap();
    let (mut best, mut near, mut by_words) = (0, 0, 0);
    for (request, wanted) in INDIRECT {
        let search = |models: &Path| {
            let found = registry.search(request, 3, models).unwrap();
            let names: Vec<String> = found.results.iter().map(|hit| hit.name.clone()).collect();
            (found.is_semantic_available, names, found.unavailable_reason)
        };
        let (semantic, found, why_not) = search(&models);
        assert!(semantic, "{why_not:?}");
        println!("{request:?}: {found:?}");
        best += usize::from(found.first().is_some_and(|name| name == wanted));
        near += usize::from(found.iter().any(|name| name == wanted));
        let (semantic, found, _) = search(Path::new("nowhere"));
        assert!(!semantic);
        by_words += usize::from(found.iter().any(|name| name == wanted));
    }
    println!("of {}: {best} first, {near} among three; by words alone {by_words}", INDIRECT.len());
    assert!(near > by_words + 3, "{near} by meaning, {by_words} by words");
    // The exact name still finds a tool immediately.
    assert_eq!(names(&search(&with, "draw circle"))[0], "draw_circle");

    // A broken model is reported, and the search by text works without it.
    let broken = TestDir::configured("models: {directory: models}\n");
    broken.write("models/all-MiniLM-L6-v2/model.onnx", "no model");
    std::fs::copy(
        models.join("all-MiniLM-L6-v2/tokenizer.json"),
        broken.path("models/all-MiniLM-L6-v2/tokenizer.json"),
    )
    .unwrap();
    broken.write("models/libonnxruntime.so", "no library");
    let ran = broken.run(&["tool", "search", "nod", "--json"]).exits(0);
    assert_eq!(ran.json()["semantic"], false);
    assert!(ran.err.contains("does not work") && ran.err.contains("make models"), "{}", ran.err);
    std::fs::copy(models.join("libonnxruntime.so"), broken.path("models/libonnxruntime.so")).unwrap();
    let ran = broken.run(&["tool", "search", "nod", "--json"]).exits(0);
    assert!(!ran.err.contains("panicked") && ran.json()["semantic"] == false, "{}", ran.err);
}
