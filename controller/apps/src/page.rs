//! The page that an app serves, such as one with its settings.

use std::fs;
use std::path::Path;

/// The largest file that is read, bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The lowest port: the ones below are for the system's own services.
const LEAST_PORT: u16 = 1024;

/// Where an app serves its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppPage {
    /// The address in its source, `http://0.0.0.0:8042` for example.
    pub url: String,
    /// The port.
    pub port: u16,
}

impl AppPage {
    /// Reads it from the source of the app, which is not run, as the official daemon does (official
    /// `apps/sources/local_common_venv.py`, `_get_custom_app_url_from_file`).
    fn in_source(source: &str) -> Option<Self> {
        let url = source.split("custom_app_url").skip(1).find_map(assigned)?;
        let authority = url.strip_prefix("http://")?.split('/').next()?;
        let port = authority.rsplit_once(':').map_or(Some(80), |(_, port)| port.parse().ok())?;
        (port >= LEAST_PORT).then(|| AppPage { url: url.to_owned(), port })
    }

    /// Reads it from the module of an app, in the folder of its own package.
    pub(crate) fn of_module(package: &Path, module: &str) -> Option<Self> {
        let file = package.join(module.replace('.', "/")).with_extension("py");
        let about = fs::metadata(&file).ok()?;
        let is_readable = about.is_file() && about.len() <= MAX_BYTES;
        Self::in_source(&is_readable.then(|| fs::read_to_string(&file).ok())??)
    }
}

/// Returns the text that is assigned to the name that comes before, if it is one: `: str | None = "..."`, `= '...'`.
fn assigned(rest: &str) -> Option<&str> {
    let (annotation, value) = rest.split_once('=')?;
    let annotation = annotation.trim();
    let value = value.trim_start();
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let is_assignment = annotation.is_empty() || (annotation.starts_with(':') && !annotation.contains('\n'));
    is_assignment.then(|| value.get(1..)?.split(quote).next())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_read_from_the_source_and_only_at_ports_of_programs() {
        for (source, port) in [
            ("class A:\n    custom_app_url: str | None = \"http://0.0.0.0:8042\"\n", Some(8042)),
            ("custom_app_url = 'http://localhost:9000/settings'", Some(9000)),
            ("custom_app_url: str=\"http://127.0.0.1:1024\"", Some(1024)),
            ("print(custom_app_url)\ncustom_app_url = 'http://0.0.0.0:8042'", Some(8042)),
            ("custom_app_url: str | None = None\nname = 'http://0.0.0.0:8042'", None),
            ("custom_app_url = None", None),
            ("custom_app_url = 'http://0.0.0.0'", None),
            ("custom_app_url = 'http://0.0.0.0:22'", None),
            ("custom_app_url = 'http://0.0.0.0:99999'", None),
            ("custom_app_url = 'https://example.org:8042'", None),
            ("custom_app_url = 'é", None),
            ("", None),
        ] {
            assert_eq!(AppPage::in_source(source).map(|page| page.port), port, "{source}");
        }
    }

    #[test]
    fn page_is_that_of_the_installed_module() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("my_app");
        fs::create_dir(&package).unwrap();
        assert_eq!(AppPage::of_module(folder.path(), "my_app.main"), None);
        fs::write(package.join("main.py"), "custom_app_url = 'http://0.0.0.0:8042'").unwrap();
        let page = AppPage { url: "http://0.0.0.0:8042".into(), port: 8042 };
        assert_eq!(AppPage::of_module(folder.path(), "my_app.main"), Some(page));
    }
}
