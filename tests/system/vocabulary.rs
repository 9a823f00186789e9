//! Discarded words stay out of the sources: `tests/cases/discarded_words.yaml` lists each with the word to use instead.
//!
//! The test reads names and comments. It leaves out text in quotation marks and in backticks, because old spellings of
//! files, fields and flags are still read (`controller/protocol/src/old_names`), and the files that only hold old spellings.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use minismith_tests::workspace;
use serde::Deserialize;

use crate::repository_rules::files;

/// A word that the sources no longer use.
#[derive(Deserialize)]
struct Discarded {
    word: String,
    instead: String,
    /// Folders in which the word has another sense.
    #[serde(default)]
    except: Vec<String>,
}

#[derive(Deserialize)]
struct Cases {
    words: Vec<Discarded>,
}

/// Files that hold old spellings by design, and one that uses a term of signal processing.
const EXCEPT: [&str; 6] = [
    "/old_names",
    "/fixtures/",
    "/old_spelling",
    "voice/src/hibari/dsp.rs",
    "dashboard/src/protocol/compat.ts",
    "dashboard/tests/compat.test.ts",
];

/// Blanks what stands in quotation marks and in backticks; keeps the lines.
fn without_quotes(text: &str, is_typescript: bool) -> String {
    let mut kept = String::new();
    let mut quote: Option<char> = None;
    let mut characters = text.chars().peekable();
    let mut in_comment = false;
    while let Some(character) = characters.next() {
        match (quote, character) {
            (_, '\n') => {
                // A quotation mark in a comment is an apostrophe or stands alone; none reaches over a line's end there.
                if in_comment || quote == Some('\'') || (quote == Some('`') && !is_typescript) {
                    quote = None;
                }
                in_comment = false;
                kept.push('\n');
            }
            (Some(open), '\\') if open != '`' => _ = characters.next(),
            (Some(open), close) if open == close => quote = None,
            (Some(_), _) => {}
            (None, '/') if characters.peek() == Some(&'/') => {
                in_comment = true;
                kept.push(' ');
            }
            // A raw string.
            (None, 'r')
                if !in_comment && characters.peek() == Some(&'#') && kept.ends_with([' ', '(', ',', '&']) =>
            {
                let mut tail = String::new();
                for next in characters.by_ref() {
                    tail.push(next);
                    if next == '\n' {
                        kept.push('\n');
                    }
                    if tail.len() > 2 && tail.ends_with("\"#") {
                        break;
                    }
                }
            }
            (None, '"') => quote = Some('"'),
            (None, '`') => quote = Some('`'),
            (None, '\'') if is_typescript && !in_comment => quote = Some('\''),
            (None, '\'') if !is_typescript && characters.peek() == Some(&'"') => _ = characters.next(),
            (None, other) => kept.push(other),
        }
    }
    kept
}

/// The words in a name: `StopEpoch` and `stop_epoch` are `stop` and `epoch`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for character in name.chars() {
        if character == '_' || (character.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if character != '_' {
            words.last_mut().unwrap().extend(character.to_lowercase());
        }
        before = character;
    }
    words
}

/// The usual forms of a word: `cage`, `cages`, `caged`, `caging`.
fn forms(word: &str) -> Vec<String> {
    let base = word.strip_suffix('e').unwrap_or(word);
    let doubled = format!("{word}{}", word.chars().last().unwrap_or_default());
    let with = |stem: &str, ends: &[&str]| ends.iter().map(|end| format!("{stem}{end}")).collect::<Vec<_>>();
    [
        with(word, &["", "s", "es", "d", "ed", "ing"]),
        with(base, &["ed", "es", "ing"]),
        with(&doubled, &["ed", "ing"]),
    ]
    .concat()
}

/// Each form of each discarded word, with the word to use instead.
fn index(words: &[Discarded]) -> BTreeMap<String, &str> {
    let of = |word: &Discarded| forms(&word.word);
    words.iter().flat_map(|word| of(word).into_iter().map(|form| (form, word.instead.as_str()))).collect()
}

/// Where a discarded word stands in a text: the line and the word to use instead.
fn discarded<'a>(
    text: &str,
    is_typescript: bool,
    words: &BTreeMap<String, &'a str>,
) -> Vec<(usize, String, &'a str)> {
    let mut found = Vec::new();
    for (number, line) in without_quotes(text, is_typescript).lines().enumerate() {
        // A path names a file, a route or an entity of a recording.
        let texts = line.split_whitespace().filter(|word| !word.contains('/') || word.contains(['(', '{']));
        let names =
            texts.flat_map(|word| word.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
        for name in names {
            // The methods of strings.
            if ["trim", "trimmed", "trimStart", "trimEnd"].contains(&name) || name.starts_with("trim_") {
                continue;
            }
            for part in words_of(name) {
                if let Some(instead) = words.get(&part) {
                    found.push((number + 1, name.to_owned(), *instead));
                }
            }
        }
    }
    found
}

fn cases() -> Vec<Discarded> {
    let text = fs::read_to_string(workspace().join("tests/cases/discarded_words.yaml")).unwrap();
    serde_yaml::from_str::<Cases>(&text).unwrap().words
}

#[test]
fn sources_use_the_terms_of_the_field() {
    let cases = cases();
    assert!(cases.len() > 20, "only {} words are listed", cases.len());
    let words = index(&cases);
    let is_source = |path: &PathBuf| {
        let name = path.to_string_lossy();
        [".rs", ".ts", ".tsx"].iter().any(|end| name.ends_with(end))
            && !EXCEPT.iter().any(|part| name.contains(part))
    };
    let sources: Vec<PathBuf> = files(&workspace()).into_iter().filter(is_source).collect();
    assert!(sources.len() > 400, "only {} sources were found", sources.len());
    let mut complaints = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        let is_typescript = path.extension().is_some_and(|end| end != "rs");
        let path = path.strip_prefix(workspace()).unwrap().display().to_string();
        let has_other_sense = |instead: &str| {
            let of = |case: &&Discarded| case.instead == instead;
            cases.iter().filter(of).any(|case| case.except.iter().any(|folder| path.starts_with(folder)))
        };
        for (line, name, instead) in discarded(&text, is_typescript, &words) {
            if has_other_sense(instead) {
                continue;
            }
            complaints.push(format!("{path}:{line}: `{name}`; use {instead}"));
        }
    }
    assert!(complaints.is_empty(), "{} discarded words:\n{}", complaints.len(), complaints.join("\n"));
}

#[test]
fn finds_words_in_names_and_comments_and_not_in_quotes() {
    let cases = cases();
    let words = index(&cases);
    let found =
        |text: &str| discarded(text, false, &words).iter().map(|(line, ..)| *line).collect::<Vec<_>>();
    assert_eq!(
        found("let late_beats = 1;\nstruct PulseThread;\n// It proves nothing.\nfn caged() {}"),
        [1, 2, 3, 4]
    );
    assert_eq!(
        found("let s = \"a beat\";\n// The field `beats` is old, \"pulse\" is not.\nx.trim().trim_end();"),
        [0_usize; 0]
    );
    assert_eq!(
        found("let quote = '\"'; let heartbeat = 1; // don't\nlet deskew = 2; let admiral = 3;"),
        [0_usize; 0]
    );
}
