//! Where an import goes.

use std::ops::Range;

/// Returns the edit that imports a name from a module: into a line that imports from it already, or as a line of its own.
pub(crate) fn importing(source: &str, path: &str, name: &str) -> (Range<usize>, String) {
    let start = format!("from {path} import ");
    for (at, line) in lines(source) {
        let code = line.trim_end();
        if code.starts_with(&start) && !code.contains(['(', '#', '\\', '*']) {
            let end = at + code.len();
            return (end..end, format!(", {name}"));
        }
    }
    new_line(source, &format!("{start}{name}"))
}

/// Returns the edit that imports a module; none if that is done already.
pub(crate) fn importing_module(source: &str, path: &str) -> Option<(Range<usize>, String)> {
    let line = format!("import {path}");
    let is_there = lines(source).any(|(_, known)| known.trim_end() == line);
    (!is_there).then(|| new_line(source, &line))
}

/// Returns the line break that a source uses.
pub(crate) fn line_break(source: &str) -> &'static str {
    if source.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Inserts a line in front of the first import, or else behind the documentation of the file.
fn new_line(source: &str, line: &str) -> (Range<usize>, String) {
    let is_import = |line: &str| {
        line.starts_with("import ") || line.starts_with("from ") && !line.starts_with("from __future__ ")
    };
    let first = lines(source).find(|(_, line)| is_import(line)).map(|(at, _)| at);
    let at = first.unwrap_or_else(|| behind_documentation(source));
    (at..at, format!("{line}{}", line_break(source)))
}

fn behind_documentation(source: &str) -> usize {
    let mut at = 0;
    let mut quote = None;
    for (start, line) in lines(source) {
        let code = line.trim();
        let opens = ["\"\"\"", "'''"].into_iter().find(|quote| code.starts_with(*quote));
        match quote {
            Some(open) if code.ends_with(open) => quote = None,
            Some(_) => {}
            None if code.is_empty() || code.starts_with('#') || code.starts_with("from __future__ ") => {}
            None => match opens {
                Some(open) if code.len() >= 6 && code.ends_with(open) => {}
                Some(open) => quote = Some(open),
                None => break,
            },
        }
        at = start + line.len();
    }
    at
}

fn lines(source: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    source.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(source: &str, (range, new): (Range<usize>, String)) -> String {
        let mut text = source.to_owned();
        text.replace_range(range, &new);
        text
    }

    #[test]
    fn imports_go_where_people_put_them() {
        let source = "from motion import head\n\nx = 1\n";
        assert_eq!(
            applied(source, importing(source, "motion", "wait")),
            "from motion import head, wait\n\nx = 1\n"
        );
        let source = "\"\"\"A tool.\n\nMore.\n\"\"\"\nfrom __future__ import annotations\nx = 1\n";
        assert_eq!(
            applied(source, importing(source, "motion", "wait")),
            "\"\"\"A tool.\n\nMore.\n\"\"\"\nfrom __future__ import annotations\nfrom motion import wait\nx = 1\n"
        );
        let source = "import time\r\n";
        assert_eq!(
            applied(source, importing_module(source, "math").unwrap()),
            "import math\r\nimport time\r\n"
        );
        assert_eq!(importing_module(source, "time"), None);
    }
}
