//! Each promise of `SECURITY.md` names tests that exist.

use std::fs;

use minismith_tests::workspace;

/// Returns the file and the name of each test in a cell: `auth::name` is a test of this program, and another one stands before
/// its file in brackets.
fn places(cell: &str) -> Vec<(String, &str)> {
    let mut spans = cell.split('`').skip(1).step_by(2).peekable();
    let mut found = Vec::new();
    while let Some(test) = spans.next() {
        if let Some(file) = spans.next_if(|next| next.ends_with(".rs")) {
            found.push((file.to_owned(), test));
        } else {
            let (module, name) = test.rsplit_once("::").unwrap_or_else(|| panic!("{test} has no file"));
            found.push((format!("tests/system/{}.rs", module.replace("::", "/")), name));
        }
    }
    found
}

/// Returns whether a source defines a test of this name, within `proptest!` or not.
fn defines(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let definition = format!("fn {name}(");
    lines.iter().enumerate().any(|(at, line)| {
        line.starts_with(&definition)
            && lines[..at]
                .iter()
                .rev()
                .take_while(|line| !line.is_empty() && **line != "}")
                .any(|line| *line == "#[test]")
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
        let named = places(held);
        assert!(!named.is_empty(), "no test holds this: {promise}");
        for (file, test) in named {
            let source = fs::read_to_string(workspace().join(&file));
            let source = source.unwrap_or_else(|error| panic!("{test}: {file}: {error}"));
            assert!(defines(&source, test), "there is no test {test} in {file}, which is to hold: {promise}");
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
