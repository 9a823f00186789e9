//! Reads the documentation of a tool: its first sentence, and what each parameter does.

use std::collections::BTreeMap;

use crate::score::Parameter;
use crate::write::range_text;

/// What a documentation says.
pub(super) struct Documentation {
    /// The text before the sections, on one line.
    pub(super) summary: String,
    /// What the section `Args:` says of each name.
    meanings: BTreeMap<String, String>,
}

impl Documentation {
    pub(super) fn read(text: &str) -> Self {
        let mut summary: Vec<&str> = Vec::new();
        let mut meanings: BTreeMap<String, String> = BTreeMap::new();
        let mut section = None;
        let mut current: Option<(String, usize)> = None;
        for line in text.lines() {
            let words = line.trim();
            let indentation = line.len() - line.trim_start().len();
            match (words, section) {
                ("", _) => {}
                ("Args:" | "Returns:", _) => section = Some(words),
                (_, None) => summary.push(words),
                (_, Some("Args:")) => match (&current, words.split_once(':')) {
                    // A longer meaning continues on lines that are indented more.
                    (Some((name, first)), _) if indentation > *first => {
                        if let Some(meaning) = meanings.get_mut(name) {
                            meaning.push(' ');
                            meaning.push_str(words);
                        }
                    }
                    (_, Some((name, meaning))) => {
                        meanings.insert(name.trim().to_owned(), meaning.trim().to_owned());
                        current = Some((name.trim().to_owned(), indentation));
                    }
                    (_, None) => {
                        meanings.insert(words.to_owned(), String::new());
                    }
                },
                (_, Some(_)) => {}
            }
        }
        Documentation { summary: summary.join(" "), meanings }
    }

    /// Returns what a parameter does, without its range; none if the documentation doesn't tell, or tells another
    /// range.
    pub(super) fn meaning(&self, parameter: &Parameter) -> Option<String> {
        let text = self.meanings.get(&parameter.name)?;
        let text = text.strip_suffix('.').unwrap_or(text);
        let text = text
            .strip_suffix(&range_text(parameter))
            .map_or(text, |text| text.trim_end().trim_end_matches(','));
        (!text.is_empty() && !text.contains(", between ")).then(|| text.to_owned())
    }

    /// Returns the first name that is no parameter.
    pub(super) fn first_unknown(&self, parameters: &[Parameter]) -> Option<&str> {
        let names = self.meanings.keys().map(String::as_str);
        names.into_iter().find(|name| !parameters.iter().any(|parameter| parameter.name == *name))
    }
}
