//! The tool that a document belongs to, and its findings.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use lsp_types::Uri;
use minismith_analysis::draft::Draft;
use minismith_analysis::finding::Located;
use minismith_analysis::policy;
use minismith_analysis::submission::{NoSubmission, Submission};

/// A tool, of which the text of one module is still open.
#[derive(Debug)]
pub(crate) struct Tool {
    pub submission: Submission,
    /// The module that the document is; none means the main one.
    pub module: Option<String>,
}

impl Tool {
    /// Returns the tool of a document. `open` are the texts of the other documents, which count instead of their files.
    ///
    /// # Errors
    /// The document is a module of a toolkit that cannot be read.
    pub(crate) fn of(uri: &Uri, open: &BTreeMap<PathBuf, &str>) -> Result<Tool, NoSubmission> {
        let Some(path) = path_of(uri) else {
            let name = uri.as_str().rsplit(['/', ':']).next().unwrap_or_default();
            let name = name.trim_end_matches(".py").to_lowercase().replace('-', "_");
            return Ok(Tool { submission: Submission::of(&name, b""), module: None });
        };
        let stem = stem(&path);
        let Some(folder) = toolkit_of(&path) else {
            return Ok(Tool { submission: Submission::of(&stem, b""), module: None });
        };
        let mut submission = Submission::read(&folder)?;
        let is_module = |other: &Path| {
            other.parent() == Some(&*folder) && other.extension().is_some_and(|end| end == "py")
        };
        for (other, text) in open.iter().filter(|(other, _)| is_module(other)) {
            put(&mut submission, &self::stem(other), text);
        }
        let module = (stem != submission.name).then_some(stem);
        Ok(Tool { submission, module })
    }

    /// Returns the findings in the document if it has this text.
    pub(crate) fn findings(&self, text: &str) -> Vec<Located> {
        let mut found = match Draft::of(&self.with_text(text)) {
            Ok(draft) => policy::locate(&draft),
            Err(findings) => findings.into_iter().map(Located::from).collect(),
        };
        found.retain(|located| located.finding.module == self.module);
        found
    }

    /// Returns the whole tool with this text of the document.
    pub(crate) fn with_text(&self, text: &str) -> Submission {
        let mut submission = self.submission.clone();
        let name = self.module.clone().unwrap_or_else(|| submission.name.clone());
        put(&mut submission, &name, text);
        submission
    }
}

fn put(submission: &mut Submission, module: &str, text: &str) {
    if module == submission.name {
        submission.main = text.into();
    } else if let Some(others) = &mut submission.others {
        others.insert(module.to_owned(), text.into());
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the folder of the toolkit that a file is a module of: it has a module of its own name, and others.
pub(crate) fn toolkit_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let main = folder.join(folder.file_name()?).with_extension("py");
    if !main.is_file() {
        return None;
    }
    let mut files = std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let has_others = files.any(|file| file != main && file.extension().is_some_and(|end| end == "py"));
    (has_others || path != main).then(|| folder.to_owned())
}

/// Returns the path of a `file:` URI on this computer.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let path = uri.as_str().strip_prefix("file://")?;
    let path = path.get(path.find('/')?..)?.split(['?', '#']).next()?;
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_become_paths() {
        let path = |text: &str| path_of(&text.parse().unwrap());
        assert_eq!(path("file:///a/caf%C3%A9%20b.py"), Some("/a/caf\u{e9} b.py".into()));
        assert_eq!(path("file://localhost/a.py"), Some("/a.py".into()));
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("file://nowhere"), None);
    }

    #[test]
    fn modules_of_a_toolkit_are_read_together() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("greetings");
        std::fs::create_dir(&folder).unwrap();
        let main = "from .poses import BOW\n\n\ndef greet(n: int = 1) -> int:\n    \"\"\"Greet.\n\n    Args:\n        n: A number.\n    \"\"\"\n    return n + BOW\n";
        std::fs::write(folder.join("greetings.py"), main).unwrap();
        std::fs::write(folder.join("poses.py"), "OTHER = 1\n").unwrap();
        let uri = |name: &str| format!("file://{}/{name}", folder.display()).parse::<Uri>().unwrap();
        let tool = Tool::of(&uri("greetings.py"), &BTreeMap::new()).unwrap();
        assert!(!tool.findings(main).is_empty(), "poses.py has no BOW");
        let open = BTreeMap::from([(folder.join("poses.py"), "BOW = 1\n")]);
        let tool = Tool::of(&uri("greetings.py"), &open).unwrap();
        assert_eq!(tool.findings(main), []);
        let tool = Tool::of(&uri("poses.py"), &open).unwrap();
        assert_eq!((tool.findings("BOW = 1\n"), tool.module.as_deref()), (Vec::new(), Some("poses")));
        assert_eq!(tool.findings("BOW = 1\nBOW = eval('1')\n")[0].finding.line, 2);
    }
}
