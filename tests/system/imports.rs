//! The imports between the files of each crate, read from the sources: they have one direction.
//!
//! An import is a `use` or a path in the code that begins with `crate`, `self`, `super` or a submodule. A module may
//! use the definitions of its own parents: a folder is one unit, and its parent module is its interface. Tests are
//! ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use minismith_tests::workspace;

use crate::repository_rules::{MEMBERS, sources};

/// The path of a module from the root of its crate; empty for the root itself.
type Module = Vec<String>;

/// Returns the modules of one crate, each with its text.
fn modules(member: &str) -> BTreeMap<Module, String> {
    let prefix = format!("{member}/src/");
    let of_crate = sources().into_iter().filter_map(|(file, text)| {
        let path = file.strip_prefix(&prefix)?.strip_suffix(".rs")?.to_owned();
        let mut names: Module = path.split('/').map(str::to_owned).collect();
        if names.iter().any(|name| name == "tests") {
            return None;
        }
        match names.last().map(String::as_str) {
            Some("mod") => _ = names.pop(),
            Some("lib" | "main") if names.len() == 1 => names.clear(),
            _ => {}
        }
        Some((names, text))
    });
    of_crate.collect()
}

/// Returns the code of a file before its tests, without comments.
fn code(text: &str) -> String {
    let before_tests = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    before_tests
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Returns the paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn branches(prefix: &[String], tree: &str, found: &mut Vec<Module>) {
    let (mut depth, mut start) = (0_usize, 0);
    let mut items = Vec::new();
    for (at, character) in tree.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(&tree[start..]);
    for item in items {
        let (path, inner) = match (item.find('{'), item.rfind('}')) {
            (Some(open), Some(close)) => (&item[..open], Some(&item[open + 1..close])),
            _ => (item, None),
        };
        let path = path.split(" as ").next().unwrap_or_default();
        let names = path.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let whole: Vec<String> = prefix.iter().cloned().chain(names).collect();
        match inner {
            Some(inner) => branches(&whole, inner, found),
            None if !whole.is_empty() => found.push(whole),
            None => {}
        }
    }
}

/// Returns all paths that a file names.
fn paths(code: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let mut rest = String::new();
    let mut statement = String::new();
    for line in code.lines() {
        let clamped = line.trim_start();
        let without_visibility = clamped.strip_prefix("pub").map_or(clamped, |public| {
            public
                .trim_start()
                .strip_prefix('(')
                .and_then(|inner| inner.split_once(')'))
                .map_or(public, |(_, rest)| rest)
        });
        if !statement.is_empty() || without_visibility.trim_start().starts_with("use ") {
            statement.push_str(without_visibility);
            if let Some((tree, _)) = statement.split_once(';') {
                let tree = tree.trim_start().trim_start_matches("use ").to_owned();
                branches(&[], &tree, &mut found);
                statement.clear();
            }
        } else {
            rest.push_str(line);
            rest.push('\n');
        }
    }
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    for word in rest.split(|character: char| !is_word(character) && character != ':') {
        let names: Module = word.split("::").map(str::to_owned).collect();
        if names.len() > 1 && ["crate", "self", "super"].contains(&names[0].as_str()) {
            found.push(names);
        }
    }
    found
}

/// Returns the module of this crate that a path in another module refers to, if any.
fn target(from: &Module, path: &Module, known: &BTreeMap<Module, String>) -> Option<Module> {
    let mut names = path.as_slice();
    let mut at = match names.first().map(String::as_str)? {
        "crate" => {
            names = &names[1..];
            Module::new()
        }
        "self" => {
            names = &names[1..];
            from.clone()
        }
        "super" => {
            let mut at = from.clone();
            while names.first().is_some_and(|name| name == "super") {
                at.pop();
                names = &names[1..];
            }
            at
        }
        first => {
            let mut child = from.clone();
            child.push(first.to_owned());
            known.contains_key(&child).then(|| from.clone())?
        }
    };
    for name in names {
        at.push(name.clone());
        if !known.contains_key(&at) {
            at.pop();
            break;
        }
    }
    (known.contains_key(&at) && !from.starts_with(&at)).then_some(at)
}

/// Returns the imports of each module of a crate.
fn arrows(known: &BTreeMap<Module, String>) -> BTreeMap<Module, BTreeSet<Module>> {
    let of = |(from, text): (&Module, &String)| {
        let to = paths(&code(text)).iter().filter_map(|path| target(from, path, known)).collect();
        (from.clone(), to)
    };
    known.iter().map(of).collect()
}

/// Returns a path from a module back to itself; none where there is no cycle.
fn circle(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    /// Searches below one module. `done` has no cycle below it.
    fn below(
        module: &Module,
        arrows: &BTreeMap<Module, BTreeSet<Module>>,
        way: &mut Vec<Module>,
        done: &mut BTreeSet<Module>,
    ) -> Option<Vec<Module>> {
        if let Some(start) = way.iter().position(|passed| passed == module) {
            return Some(way[start..].to_vec());
        }
        if done.contains(module) {
            return None;
        }
        way.push(module.clone());
        let found = arrows.get(module).into_iter().flatten().find_map(|next| below(next, arrows, way, done));
        way.pop();
        done.insert(module.clone());
        found
    }
    let mut done = BTreeSet::new();
    arrows.keys().find_map(|module| below(module, arrows, &mut Vec::new(), &mut done))
}

#[test]
fn files_import_in_one_direction() {
    for member in MEMBERS.iter().filter(|member| **member != "tests") {
        let known = modules(member);
        assert!(!known.is_empty(), "{member}: no sources were read");
        let arrows = arrows(&known);
        if let Some(circle) = circle(&arrows) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            panic!("{member}: these files import each other in a circle: {}", names.join(" -> "));
        }
    }
}

#[test]
fn import_graph_reads_arrows_and_finds_cycles() {
    let module = |name: &str| name.split("::").map(str::to_owned).collect::<Module>();
    let file = |name: &str, text: &str| (module(name), text.to_owned());
    let known: BTreeMap<Module, String> = [
        (Module::new(), "pub mod a;\npub mod b;\nuse a::One;".to_owned()),
        file("a", "mod inner;\npub(super) use inner::{\n    Two,\n};\nuse crate::b::Three;"),
        file("a::inner", "use super::One;\nfn f() { super::super::b::g() }"),
        file("b", "// use crate::a::One;\n#[cfg(test)]\nmod tests {\n    use crate::a::One;\n}"),
    ]
    .into();
    let found = arrows(&known);
    assert_eq!(found[&Module::new()], [module("a")].into());
    assert_eq!(found[&module("a")], [module("a::inner"), module("b")].into());
    assert_eq!(found[&module("a::inner")], [module("b")].into());
    assert_eq!((found[&module("b")].len(), circle(&found)), (0, None));

    let mut known = known;
    known.insert(module("b"), "fn g() -> crate::a::inner::Four { todo() }".into());
    let found = circle(&arrows(&known)).expect("a circle");
    assert!(found.contains(&module("b")) && found.contains(&module("a::inner")), "{found:?}");
}

#[test]
fn crate_map_in_the_architecture_matches_the_build() {
    let text = fs::read_to_string(workspace().join("ARCHITECTURE.md")).unwrap();
    let map =
        text.split("```crates\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block `crates`");
    for member in MEMBERS {
        let manifest = fs::read_to_string(Path::new(&workspace()).join(member).join("Cargo.toml")).unwrap();
        let (name, dependencies) = crate::repository_rules::dependencies(&manifest);
        let ours: BTreeSet<&str> = dependencies
            .iter()
            .map(String::as_str)
            .filter(|one| one.starts_with("minismith") || ["firmware-bridge", "mock-robot"].contains(one))
            .collect();
        let line = map.lines().find(|line| line.split_whitespace().next() == Some(name.as_str()));
        let line = line.unwrap_or_else(|| panic!("the map of crates has no line for {name}"));
        let drawn: BTreeSet<&str> =
            line.split_once("->").map(|(_, to)| to).unwrap_or_default().split_whitespace().collect();
        let drawn: BTreeSet<String> = drawn
            .into_iter()
            .map(|short| match short {
                "firmware-bridge" | "mock-robot" => short.to_owned(),
                short => format!("minismith-{short}"),
            })
            .collect();
        assert_eq!(drawn, ours.into_iter().map(str::to_owned).collect(), "{name}: map and Cargo.toml differ");
    }
}
