//! What is wrong with a configuration, said so that a person can mend it: file, line, key, what is allowed.

use super::choice::{nearest, quoted};

/// Why there is no configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{file}: cannot be read ({reason}); check the path given with --config")]
    Unreadable {
        /// The file, as named.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// The file is larger than any configuration is.
    #[error("{file}: is over {limit} bytes; a configuration is a short YAML file, is this the right one?")]
    TooLong {
        /// The file, as named.
        file: String,
        /// The most that is read.
        limit: usize,
    },
    /// The file is not text.
    #[error("{file}:{line}: is not UTF-8 text; save it as UTF-8, or give another file")]
    NotText {
        /// The file, as named.
        file: String,
        /// The first line that is not text.
        line: usize,
    },
    /// The file holds no keys at all.
    #[error(
        "{file}: is empty; remove it to use the built-in values, or give at least one key, such as `robot: mock`"
    )]
    Empty {
        /// The file, as named.
        file: String,
    },
    /// The file is not YAML, or uses what a configuration does not need.
    #[error("{file}:{line}: {reason}; each line is `key: value`, indented by spaces under its section")]
    NotYaml {
        /// The file, as named.
        file: String,
        /// Where the parser stopped.
        line: usize,
        /// What the parser said.
        reason: String,
    },
    /// A key or its value is wrong.
    #[error("{file}:{line}: {key}: {problem}")]
    Key {
        /// The file, as named.
        file: String,
        /// The line of the key or value.
        line: usize,
        /// The key with its sections, such as `limits.head.pitch_deg`.
        key: String,
        /// What is wrong, what is allowed, and what was probably meant.
        problem: String,
    },
    /// The file as a whole is wrong: each value is allowed, but not together with another.
    #[error("{file}: {problem}")]
    Whole {
        /// The file, as named.
        file: String,
        /// What, why, and what to change.
        problem: String,
    },
}

/// Turns the YAML reader's error into one that names the key.
pub(super) fn explain(file: &str, error: &serde_yaml::Error) -> ConfigError {
    let file = file.to_owned();
    let text = error.to_string();
    let Some(location) = error.location() else {
        return ConfigError::Whole { file, problem: text };
    };
    let line = location.line();
    let at = format!(" at line {} column {}", line, location.column());
    let text = text.strip_suffix(&at).unwrap_or(&text);
    let (path, complaint) = split_path(text);
    match problem(complaint) {
        Some((field, problem)) => {
            let key = match (path, field) {
                (None, None) => "the file".to_owned(),
                (Some(path), None) => path.to_owned(),
                (None, Some(field)) => quoted(field),
                (Some(path), Some(field)) => format!("{path}.{}", quoted(field)),
            };
            ConfigError::Key { file, line, key, problem }
        }
        None => ConfigError::NotYaml { file, line, reason: text.to_owned() },
    }
}

/// Separates `limits.stewart: ...` into the path of the key and the complaint. All known keys are of these letters; a
/// value in a list has its number behind them.
fn split_path(text: &str) -> (Option<&str>, &str) {
    match text.split_once(": ") {
        Some((path, complaint))
            if path.chars().all(|c| {
                c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '.' | '[' | ']')
            }) =>
        {
            (Some(path), complaint)
        }
        _ => (None, text),
    }
}

/// What the complaint means: the field it names, if it names one, and the problem in our words. None where the
/// complaint is about the YAML and not about a key.
fn problem(complaint: &str) -> Option<(Option<&str>, String)> {
    if let Some(rest) = complaint.strip_prefix("unknown field `") {
        // "unknown field `a`, expected one of `b`, `c`", where `a` may hold anything.
        let (field, expected) = rest.rsplit_once("`, expected ").unwrap_or((rest, ""));
        let allowed: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
        let meant = nearest(field, allowed.iter().copied());
        let meant = meant.map(|meant| format!("; did you mean `{meant}`?")).unwrap_or_default();
        return Some((Some(field), format!("unknown key; allowed here: {}{meant}", allowed.join(", "))));
    }
    if let Some(rest) = complaint.strip_prefix("duplicate field `") {
        return Some((rest.strip_suffix('`'), "is given twice in this section; keep one".to_owned()));
    }
    if let Some(rest) = complaint.strip_prefix("invalid type: ") {
        let (found, expected) = rest.rsplit_once(", expected ").unwrap_or((rest, "something else"));
        return Some((None, format!("there is {} here; allowed: {expected}", quoted(found))));
    }
    complaint.contains(" is not allowed; allowed: ").then(|| (None, complaint.to_owned()))
}
