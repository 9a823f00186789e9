//! The corpus of the fuzzer: what once was interesting, or broke something, is read by the same functions in each test run.

use std::fs;
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use minismith_tests::{fuzz, workspace};

/// Counts panics of all threads: a server has some of its own, on which a panic would go unnoticed.
fn count_panics() -> Arc<AtomicUsize> {
    let count = Arc::<AtomicUsize>::default();
    let (counted, report) = (count.clone(), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        counted.fetch_add(1, Ordering::Relaxed);
        report(panic);
    }));
    count
}

#[test]
fn corpus_of_every_target_is_read_without_a_crash() {
    let panics = count_panics();
    for (target, run) in fuzz::TARGETS {
        let folder = workspace().join("tests/fuzz/corpus").join(target);
        let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 10, "{target}: {}", files.len());
        for file in files {
            println!("{}", file.display());
            run(&fs::read(file).unwrap());
            assert_eq!(panics.load(Ordering::Relaxed), 0);
        }
    }
}

/// `make fuzz` runs every target.
#[test]
fn every_target_has_a_program_and_is_run() {
    let manifest = fs::read_to_string(workspace().join("tests/fuzz/Cargo.toml")).unwrap();
    let makefile = fs::read_to_string(workspace().join("Makefile")).unwrap();
    let run = makefile.lines().find_map(|line| line.strip_prefix("FUZZ_TARGETS := ")).unwrap();
    assert_eq!(run.split(' ').collect::<Vec<_>>(), fuzz::TARGETS.map(|(name, _)| name));
    for (name, _) in fuzz::TARGETS {
        assert!(manifest.contains(&format!("path = \"targets/{name}.rs\"")), "{name}");
        let program = fs::read_to_string(workspace().join(format!("tests/fuzz/targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("::{name}(data)")), "{name}");
    }
}
