//! Measures that take minutes: how many requests become the tool that was asked for, and a server with all its clients.

use minismith_tests::{TestDir, program, workspace};
use serde_json::Value;

/// Of 60 requests each, those that must be right at least; nobody looks at the unseen ones while tuning.
const LEAST_SEEN: usize = 52;
const LEAST_UNSEEN: usize = 31;
/// The most tools that are claimed to be right and do something else.
const MOST_WRONG: usize = 2;

#[test]
fn requests_become_the_tools_that_were_asked_for() {
    let bench = TestDir::new();
    let cases = workspace().join("tests/cases/authoring.yaml");
    let measured = bench.run(&["bench", "--authoring", cases.to_str().unwrap(), "--json"]).json();
    let count = |holds: &dyn Fn(&Value) -> bool| {
        measured["results"].as_array().unwrap().iter().filter(|result| holds(result)).count()
    };
    let right = |unseen: bool| count(&|result| result["unseen"] == unseen && result["judged"] == "right");
    let wrong = count(&|result| result["judged"] == "wrong" && result["claim"] == "right");
    println!("{} seen and {} unseen of 60 each are right, {wrong} wrong as right", right(false), right(true));
    assert!(right(false) >= LEAST_SEEN && right(true) >= LEAST_UNSEEN && wrong <= MOST_WRONG);
}

#[test]
// The clients are Python programs in a process of their own.
#[allow(clippy::disallowed_methods)]
fn server_answers_all_its_clients_at_once() {
    let python = workspace().join(".cache/official/bin/python");
    if !python.is_file() {
        println!("skipped: the official SDK is not installed (make official)");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let result = folder.path().join("soak.json");
    let output = std::process::Command::new(python)
        .arg(workspace().join("tests/support/soak.py"))
        .arg(program("minismith"))
        .arg("0.012")
        .arg(&result)
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stderr);
    let result: Value =
        serde_json::from_str(&std::fs::read_to_string(&result).unwrap_or_else(|_| panic!("{reported}")))
            .unwrap();
    // How late the control loop was tells nothing here: other tests run beside it.
    let clients = result["clients"].as_object().unwrap();
    assert!(clients.len() >= 14, "{clients:?}");
    for (what, counts) in clients {
        assert!(counts[0].as_u64().unwrap() > 0 && counts[1] == 0, "{what}: {counts} {}", result["errors"]);
    }
    assert_eq!(result["exit_code"], 0);
    let disturbances = &result["disturbances"];
    assert!(disturbances["faults of the bus"].as_u64().unwrap() >= 2, "{disturbances}");
    if result["left_out"].as_array().unwrap().is_empty() {
        assert!(disturbances["jumps of the clock"].as_u64().unwrap() >= 2, "{disturbances}");
        assert!(result["full_disk_reports"].as_u64().unwrap() >= 1, "{disturbances}");
    }
    assert!(result["journal_entries"].as_u64().unwrap() > 20, "{}", result["journal_entries"]);
}

/// About half of what each row reached in a build without optimisation, less where processes are started. Both sides of
/// a ratio run in turns on the same computer.
const LEAST_RATIOS: [(&str, f64); 5] =
    [("ik", 8.0), ("fk", 90.0), ("guest_job", 12.0), ("jobs_per_second", 12.0), ("prompt_tokens", 1.05)];

#[test]
fn ratios_to_the_official_packages_are_not_lost() {
    let packages = workspace().join(".cache/peers");
    if !packages.join("bin/python").is_file() {
        println!("skipped: the official packages are not installed (make peers)");
        return;
    }
    let names = LEAST_RATIOS.map(|(name, _)| name).join(",");
    let packages = packages.display().to_string();
    let bench = TestDir::new();
    let document =
        bench.run(&["bench", "--json", "--quick", "--only", &names, "--peers", &packages]).exits(0).json();
    let rows = document["results"].as_array().unwrap();
    for (name, least) in LEAST_RATIOS {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        assert!(row["ratio"].as_f64().is_some_and(|ratio| ratio >= least), "{row}, at least {least}");
    }
}
