//! Whole tools through the whole `tool check`: good ones are admitted, attacks are refused or contained.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use minismith_tests::{Bench, Ran, python_files, workspace};
use serde_json::Value;

fn corpus(part: &str) -> Option<Vec<PathBuf>> {
    python_files(&workspace().join("../shared/corpus").join(part))
}

fn check(bench: &Bench, files: &[PathBuf]) -> (Ran, Vec<Value>) {
    let files: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let ran = bench.run(&[&["tool", "check", "--json"], &*files].concat());
    let results = ran.json()["results"].as_array().unwrap().clone();
    assert_eq!(results.len(), files.len());
    (ran, results)
}

#[track_caller]
fn all_are_admitted(files: &[PathBuf]) {
    let (ran, results) = check(&Bench::new(), files);
    for result in &results {
        println!("{}: {} cases", result["name"], result["cases"].as_array().unwrap().len());
        let reached =
            (result["stage"].as_str(), result["admitted"].as_bool(), result["needs_approval"].as_bool());
        assert_eq!(reached, (Some("admitted"), Some(true), Some(false)), "{result:#}");
        assert!(result["report"]["line_coverage"].as_f64().unwrap() > 0.0, "{result:#}");
    }
    assert_eq!(ran.code, Some(0));
}

#[test]
fn the_projects_own_good_tools_are_admitted() {
    all_are_admitted(&python_files(&workspace().join("tests/cases/good")).unwrap());
}

#[test]
fn the_benign_tools_of_the_corpus_are_admitted() {
    if let Some(files) = corpus("benign") {
        all_are_admitted(&files);
    }
}

/// Every file below a folder whose name begins like what the attacks leave behind.
fn traces(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("PWNED") {
                found.push(entry.path());
            } else if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn the_escapes_of_the_corpus_are_refused_or_contained() {
    let Some(files) = corpus("escapes") else { return };
    let bench = Bench::new();
    let (ran, results) = check(&bench, &files);
    let mut score: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, result) in files.iter().zip(&results) {
        let stage = result["stage"].as_str().unwrap();
        score.entry(stage).or_default().push(file.file_stem().unwrap().to_str().unwrap());
        let source = String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned();
        let only_the_policy_sees_it = source.contains("check: static");
        assert!(!only_the_policy_sees_it || stage == "policy", "{result:#}");
        if result["admitted"] == true {
            contained(&source, result);
        }
    }
    for (stage, files) in &score {
        println!("{stage}: {} of {} ({})", files.len(), results.len(), files.join(", "));
    }
    assert_ne!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(traces(&bench.path("")), Vec::<PathBuf>::new());
    for folder in ["/", "/tmp", "/var/tmp"] {
        let left = ["PWNED", "PWNED.png"].map(|name| Path::new(folder).join(name).exists());
        assert_eq!(left, [false, false], "{folder}");
    }
}

/// What was admitted ran with its defaults; then its success must not have come about.
#[track_caller]
fn contained(source: &str, result: &Value) {
    let told = result.to_string();
    let check = source.lines().find_map(|line| line.split_once("; check: ")).unwrap().1;
    match check {
        // No trace on any disk, which is looked for after all have run.
        "file" | "fileglob" => {}
        "return" => {
            let secret = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
            assert!(secret.trim().is_empty() || !told.contains(secret.trim()), "{result:#}");
        }
        // It ended within its budget of stage time, or would not be admitted.
        "dos" => assert!(result["report"]["duration_s"].as_f64().unwrap() <= 120.0, "{result:#}"),
        other => panic!("{other} was not refused: {result:#}"),
    }
}
