//! [`Unit`]: what is read from a unit file of systemd, as `systemd.syntax(7)` describes it.

/// The assignments of a unit file, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    /// Section, key and value.
    assignments: Vec<(String, String, String)>,
}

impl Unit {
    /// Reads a unit file. Lines that are no assignments are left out, as systemd does.
    pub fn parse(text: &str) -> Self {
        let mut assignments = Vec::new();
        let (mut section, mut pending) = (String::new(), String::new());
        for line in text.lines() {
            let line = line.trim();
            // A comment between continued lines is left out, and the value goes on below it.
            if line.starts_with(['#', ';']) || (line.is_empty() && pending.is_empty()) {
                continue;
            }
            if let Some(begun) = line.strip_suffix('\\') {
                pending.push_str(begun);
                pending.push(' ');
                continue;
            }
            let whole = std::mem::take(&mut pending) + line;
            if let Some(name) = whole.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                name.clone_into(&mut section);
            } else if let Some((key, value)) = whole.split_once('=') {
                assignments.push((section.clone(), key.trim().to_owned(), value.trim().to_owned()));
            }
        }
        Unit { assignments }
    }

    /// Returns the values of a key. An empty assignment discards those before it.
    pub fn values(&self, section: &str, key: &str) -> Vec<&str> {
        let mut values = Vec::new();
        for (_, _, value) in self.assignments.iter().filter(|(of, name, _)| of == section && name == key) {
            if value.is_empty() {
                values.clear();
            } else {
                values.push(value.as_str());
            }
        }
        values
    }

    /// Returns the program of the first command.
    pub fn program(&self) -> Option<&str> {
        let first = self.values("Service", "ExecStart").into_iter().next()?;
        let command = first.trim_start_matches(['-', '+', '@', ':', '!', '|']);
        let program = command.split_whitespace().next()?.trim_matches('"');
        program.starts_with('/').then_some(program)
    }
}

/// Returns whether a text is the name of a unit and nothing else, such as a path.
pub fn is_name(name: &str, suffix: &str) -> bool {
    let well = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '@' | '\\');
    let stem = name.strip_suffix(suffix).unwrap_or_default();
    !stem.is_empty() && !stem.starts_with('.') && name.len() <= 255 && name.chars().all(well)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continued_lines_comments_and_resets_are_read_as_systemd_does() {
        let unit = Unit::parse(
            "ExecStart=/before/any/section\n[Service]\n# ExecStart=/comment\nExecStart=/old\nExecStart=\n\
             ExecStart=-+/usr/bin/new serve \\\n; in between\n  --port 8000\n[Install]\nWantedBy=a.target b.target\n",
        );
        assert_eq!(unit.values("Service", "ExecStart"), ["-+/usr/bin/new serve  --port 8000"]);
        assert_eq!(unit.program(), Some("/usr/bin/new"));
        assert_eq!(unit.values("Install", "WantedBy"), ["a.target b.target"]);
        assert_eq!(Unit::parse("[Service]\nExecStart=relative\n").program(), None);
    }

    #[test]
    fn a_path_is_no_name() {
        assert!(is_name("reachy-mini-daemon.service", ".service") && is_name("a@b.service", ".service"));
        for bad in ["../x.service", "a/b.service", ".service", "..service", "x.target", "a\nb.service", ""] {
            assert!(!is_name(bad, ".service"), "{bad}");
        }
    }
}
