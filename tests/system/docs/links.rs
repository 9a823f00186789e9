//! Finds relative links and anchors that lead nowhere.

use minismith_tests::workspace;

use super::page::Page;

/// Returns the links of these pages whose file or anchor does not exist.
pub(super) fn dead(pages: &[Page]) -> Vec<String> {
    let mut dead = Vec::new();
    for page in pages {
        for link in page.links.iter().filter(|link| !link.to.contains("://")) {
            let (file, anchor) = link.to.split_once('#').unwrap_or((&link.to, ""));
            let mut report =
                |why: &str| dead.push(format!("{}:{}: {}: {why}", page.path, link.line, link.to));
            let path = if file.is_empty() { page.path.clone() } else { resolved(&page.path, file) };
            let known = pages.iter().find(|page| page.path == path);
            if known.is_none() && !workspace().join(&path).exists() {
                report("no such file");
            } else if !anchor.is_empty() {
                let leads = |page: &Page| page.headings.iter().any(|heading| heading.anchor == anchor);
                if !known.map_or_else(|| leads(&Page::read(&path)), leads) {
                    report("no such heading");
                }
            }
        }
    }
    dead
}

/// Returns the source files that these pages name in code, and that do not exist.
pub(super) fn missing_sources(pages: &[Page]) -> Vec<String> {
    let is_source = |code: &str| {
        let folder = ["controller/", "firmware-bridge/", "mock-robot/", "tests/", ".ci/"];
        folder.iter().any(|folder| code.starts_with(folder))
            && !code.contains(|sign: char| sign.is_whitespace() || sign == '*')
            && !code.contains("node_modules")
    };
    let codes = pages.iter().flat_map(|page| page.codes.iter().map(move |code| (page, code)));
    let missing = codes.filter(|(_, code)| is_source(&code.text) && !workspace().join(&code.text).exists());
    missing.map(|(page, code)| format!("{}:{}: there is no {}", page.path, code.line, code.text)).collect()
}

/// Returns a link's path from the workspace's folder.
fn resolved(page: &str, link: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[test]
fn dead_links_are_found() {
    let page = |text: &str| Page::parse("docs/page.md", text.to_owned());
    let gone = page("# Here\n\n`tests/system/gone.rs` and `tests/system/main.rs`\n");
    assert_eq!(missing_sources(&[gone]), ["docs/page.md:3: there is no tests/system/gone.rs"]);
    let alive = "# Here\n\n[a](#here) [b](../Makefile) [c](https://example.org/x) [d](../README.md)\n";
    assert_eq!(dead(&[page(alive)]), Vec::<String>::new());
    let broken = dead(&[page("# Here\n\n[a](#there) [b](Makefile)\n")]);
    assert_eq!(broken, ["docs/page.md:3: #there: no such heading", "docs/page.md:3: Makefile: no such file"]);
}
