//! [`ConfigError`]: what is wrong with a configuration, with file, line, key and allowed values.

use super::choice::{nearest, quoted};

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{file}: cannot be read ({reason}); check the path given with --config")]
    Unreadable {
        /// The file, as named.
        file: String,
        /// The error of the operating system.
        reason: String,
    },
    /// The file is too large for a configuration.
    #[error("{file}: is over {limit} bytes; a configuration is a short YAML file, is this the right one?")]
    TooLong {
        /// The file, as named.
        file: String,
        /// The largest size, bytes.
        limit: usize,
    },
    /// The file is not text.
    #[error("{file}:{line}: is not UTF-8 text; save it as UTF-8, or give another file")]
    NotText {
        /// The file, as named.
        file: String,
        /// The first line that is not UTF-8.
        line: usize,
    },
    /// The file contains no keys.
    #[error(
        "{file}: is empty; remove it to use the built-in values, or give at least one key, such as `robot: mock`"
    )]
    Empty {
        /// The file, as named.
        file: String,
    },
    /// The file is not YAML, or uses an unsupported YAML feature.
    #[error("{file}:{line}: {reason}; each line is `key: value`, indented by spaces under its section")]
    NotYaml {
        /// The file, as named.
        file: String,
        /// The line where the parser stopped.
        line: usize,
        /// The error of the parser.
        reason: String,
    },
    /// A key or its value is wrong.
    #[error("{file}:{line}: {key}: {problem}")]
    Key {
        /// The file, as named.
        file: String,
        /// The line of the key or value.
        line: usize,
        /// The path of the key, such as `limits.head.max_pitch_deg`.
        key: String,
        /// What is wrong, the allowed values, and a suggestion.
        problem: String,
    },
    /// Values contradict each other, although each one is allowed.
    #[error("{file}: {problem}")]
    Whole {
        /// The file, as named.
        file: String,
        /// What is wrong, why, and what to change.
        problem: String,
    },
}

/// Converts an error of the YAML parser to one that names the key.
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

/// Splits `limits.stewart: ...` into the path of the key and the complaint. All known keys consist of these letters;
/// an entry of a list has its index after them.
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

/// Returns the field that the complaint names, if any, and the problem in our words; `None` if the complaint is about
/// YAML syntax and not about a key.
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
