//! Compares the reference pages with the program: its commands and flags, the keys of its configuration, and the tools that
//! come with it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use minismith_tests::{TestDir, predefined_tools as registered, workspace};
use serde_yaml::Value;

use super::page::Page;

/// Flags that most commands have. A section of their own names them.
const COMMON: [&str; 6] = ["--config", "--help", "--json", "--nlu", "--robot", "--version"];

/// Returns what `docs/cli.md` lacks or names needlessly.
pub(super) fn command_line(page: &Page) -> Vec<String> {
    let bench = TestDir::new();
    let mut wrong = Vec::new();
    let mut known = BTreeSet::new();
    let mut waiting = vec![Vec::<String>::new()];
    while let Some(command) = waiting.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let help = bench.run(&arguments).exits(0).out;
        for name in subcommands(&help) {
            let mut path = command.clone();
            path.push(name);
            waiting.push(path);
        }
        let name = command.join(" ");
        let flags = flags(&help);
        known.extend(flags.iter().cloned());
        if command.is_empty() || !subcommands(&help).is_empty() {
            continue;
        }
        let Some(heading) = page.headings.iter().find(|heading| heading.text == name) else {
            wrong.push(format!("{}: no section `{name}`", page.path));
            continue;
        };
        let section = page.section(heading);
        let named = named_flags(&section);
        for flag in flags.iter().filter(|flag| !COMMON.contains(&flag.as_str()) && !named.contains(*flag)) {
            wrong.push(format!("{}: `{name}` does not name `{flag}`", page.path));
        }
        for flag in named.iter().filter(|flag| !flags.contains(*flag)) {
            wrong.push(format!("{}: `{name}` has no flag `{flag}`", page.path));
        }
        // A flag that takes a value is named with it, one that takes none without.
        for (flag, value) in values(&help).into_iter().filter(|(flag, _)| named.contains(flag)) {
            if !section.contains(&format!("`{flag} {value}")) {
                wrong.push(format!("{}: `{name}` names `{flag}` without its value `{value}`", page.path));
            }
        }
    }
    for flag in COMMON.iter().filter(|flag| !named_flags(&page.text).contains(**flag)) {
        wrong.push(format!("{}: `{flag}` is not named", page.path));
    }
    wrong.extend(
        named_flags(&page.text)
            .iter()
            .filter(|flag| !known.contains(*flag))
            .map(|flag| format!("{}: no command has a flag `{flag}`", page.path)),
    );
    wrong
}

/// Returns the names under `Commands:`.
fn subcommands(help: &str) -> Vec<String> {
    let lines =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')));
    names
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Returns the flags under `Options:`.
fn flags(help: &str) -> BTreeSet<String> {
    options(help).filter_map(|line| line.split_whitespace().find_map(flag)).collect()
}

/// Returns the flags under `Options:` that take a value, each with the name of that.
fn values(help: &str) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let mut words = line.split_whitespace().skip_while(|word| flag(word).is_none());
        let flag = flag(words.next()?)?;
        let value = words.next().filter(|word| word.starts_with('<'))?;
        Some((flag, value.trim_matches(['<', '>', '.']).split(['>', '[']).next()?.to_owned()))
    };
    options(help).filter_map(pair).collect()
}

fn options(help: &str) -> impl Iterator<Item = &str> {
    let lines = help.lines().skip_while(|line| *line != "Options:").skip(1);
    lines.map(str::trim_start).filter(|line| line.starts_with('-') && !line.starts_with("- "))
}

/// Returns the flag that a word of help is, without its comma.
fn flag(word: &str) -> Option<String> {
    let word = word.trim_end_matches(',');
    let is_flag = word.len() > 2 && word.starts_with("--");
    is_flag.then(|| word.to_owned())
}

/// Returns the flags that a page names in code.
fn named_flags(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-'));
    words
        .filter(|word| word.len() > 2 && word.starts_with("--") && !word.starts_with("---"))
        .map(str::to_owned)
        .collect()
}

/// Returns what the tables of `docs/configuration.md` lack or name needlessly: `` | `key` | `default` | meaning | ``.
pub(super) fn configuration(page: &Page) -> Vec<String> {
    let text = fs::read_to_string(workspace().join("config.yaml")).unwrap();
    let mut defaults = BTreeMap::new();
    leaves("", &serde_yaml::from_str(&text).unwrap(), &mut defaults);
    let mut named = BTreeMap::new();
    for line in page.text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, key, default, meaning, ..] = cells.as_slice() {
            assert!(meaning.len() > 3, "{line}");
            named.insert(key.trim_matches('`').to_owned(), default.trim_matches('`').to_owned());
        }
    }
    let mut wrong = Vec::new();
    for (key, default) in &defaults {
        match named.get(key) {
            None => wrong.push(format!("{}: `{key}` is missing", page.path)),
            Some(shown) if shown != default => {
                wrong.push(format!(
                    "{}: `{key}` is `{default}` in config.yaml, the page says `{shown}`",
                    page.path
                ));
            }
            Some(_) => {}
        }
    }
    let unknown = named.keys().filter(|key| !defaults.contains_key(*key));
    wrong.extend(unknown.map(|key| format!("{}: config.yaml has no key `{key}`", page.path)));
    wrong
}

fn leaves(prefix: &str, value: &Value, found: &mut BTreeMap<String, String>) {
    let text = match value {
        Value::Mapping(entries) => {
            for (key, value) in entries {
                let key = key.as_str().unwrap();
                let path = if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") };
                leaves(&path, value, found);
            }
            return;
        }
        // Long lists stand in the file only.
        Value::Sequence(items) if items.iter().any(Value::is_mapping) => "see the file".to_owned(),
        Value::Sequence(items) => format!("[{}]", items.iter().map(scalar).collect::<Vec<_>>().join(", ")),
        other => scalar(other),
    };
    found.insert(prefix.to_owned(), text);
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        other => panic!("{other:?} is no scalar"),
    }
}

/// Returns what the table of `docs/predefined-tools.md` lacks or names needlessly:
/// `` | task | `tool` | what it does | `parameter`, `parameter` | ``.
pub(super) fn predefined_tools(page: &Page) -> Vec<String> {
    let mut shown = BTreeMap::new();
    for line in page.text.lines().filter(|line| line.starts_with("| ") && line.contains("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, task, name, purpose, parameters, ..] = cells.as_slice() {
            assert!(task.len() > 3, "{line}");
            let names =
                parameters.split(", ").filter(|name| *name != "none").map(|name| name.trim_matches('`'));
            let names: BTreeSet<String> = names.map(str::to_owned).collect();
            shown.insert(name.trim_matches('`').to_owned(), ((*purpose).to_owned(), names));
        }
    }
    let mut registry = BTreeMap::new();
    for tool in registered() {
        let properties = tool.parameters["properties"].as_object().into_iter().flatten();
        let purpose = tool.description.lines().next().unwrap_or_default().trim_end_matches('.').to_owned();
        registry.insert(tool.name, (purpose, properties.map(|(name, _)| name.clone()).collect()));
    }
    let names: BTreeSet<&String> = shown.keys().chain(registry.keys()).collect();
    let differs = names.into_iter().filter(|name| shown.get(*name) != registry.get(*name));
    differs
        .map(|name| {
            let (shown, registered) = (shown.get(name), registry.get(name));
            format!("{}: `{name}` is {registered:?}, the page says {shown:?}", page.path)
        })
        .collect()
}
