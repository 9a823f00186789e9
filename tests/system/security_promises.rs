//! Each promise of `SECURITY.md` names tests that exist.

use std::fs;

use minismith_tests::workspace;

/// Returns the file of a test, and its name: `auth::name` is a test of this program, `path/to/file.rs::name` any other one.
fn place(test: &str) -> (String, &str) {
    let (module, name) = test.rsplit_once("::").unwrap_or_else(|| panic!("{test} names no file"));
    if module.ends_with(".rs") {
        return (module.to_owned(), name);
    }
    (format!("tests/system/{}.rs", module.replace("::", "/")), name)
}

/// Returns whether a source defines a test of this name, within `proptest!` or not.
fn defines(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let definition = format!("fn {name}(");
    lines.iter().enumerate().any(|(at, line)| {
        line.starts_with(&definition)
            && lines[..at].iter().rev().take_while(|line| !line.is_empty() && **line != "}").any(|line| *line == "#[test]")
    })
}

#[test]
fn each_promise_names_tests_that_exist() {
    let page = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let (_, promises) = page.split_once("| promise | tests that hold it |").unwrap();
    let rows: Vec<&str> = promises.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    let mut tests = 0;
    for row in &rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [promise, held] = cells[..] else { panic!("two columns are expected: {row}") };
        let named: Vec<&str> = held.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "no test holds this: {promise}");
        for test in named {
            let (file, name) = place(test);
            let source = fs::read_to_string(workspace().join(&file));
            let source = source.unwrap_or_else(|error| panic!("{test}: {file}: {error}"));
            assert!(defines(&source, name), "there is no test {test}, which is to hold: {promise}");
            tests += 1;
        }
    }
    assert!(rows.len() > 20 && tests > rows.len(), "{} promises, {tests} tests", rows.len());
}

#[test]
fn only_real_tests_count() {
    let source = "#[test]\nfn good() {\n}\n\nfn helper() {\n}\n\n#[test]\n#[ignore]\nfn later() {}\n";
    assert!(defines(source, "good") && defines(source, "later"));
    assert!(!defines(source, "helper") && !defines(source, "goo"));
}
