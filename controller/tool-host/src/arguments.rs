//! Command-line arguments: the interpreter, the profile of the guests, and the maximum sandbox level ([`Arguments`]).

use std::ffi::OsString;
use std::path::PathBuf;

use minismith_protocol::zygote::{Level, Profile};

/// Arguments from the supervisor.
#[derive(Debug, PartialEq)]
pub struct Arguments {
    /// The interpreter whose packages tools use: `--python PATH`.
    pub python: PathBuf,
    /// Maximum sandbox level: `--at-most LEVEL`. Tests use it to get a weaker one than the machine allows.
    pub at_most: Level,
    /// Profile of the guests: `--profile PROFILE`.
    pub profile: Profile,
}

impl Arguments {
    /// Parses the arguments after the program's name.
    pub fn read(arguments: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let (mut python, mut at_most, mut profile) = (None, Level::Namespaces, Profile::Motion);
        let mut arguments = arguments;
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{} needs a value", name.display()))?;
            match (name.to_str(), value.to_str()) {
                (Some("--python"), _) => python = Some(PathBuf::from(value)),
                (Some("--at-most"), Some("namespaces")) => at_most = Level::Namespaces,
                (Some("--at-most"), Some("landlock")) => at_most = Level::Landlock,
                (Some("--at-most"), Some("no_open")) => at_most = Level::NoOpen,
                (Some("--profile"), Some("motion")) => profile = Profile::Motion,
                (Some("--profile"), Some("science")) => profile = Profile::Science,
                (Some("--profile"), Some("code")) => profile = Profile::Code,
                _ => return Err(format!("unknown argument: {} {}", name.display(), value.display())),
            }
        }
        Ok(Arguments { python: python.ok_or("--python is missing")?, at_most, profile })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Arguments, String> {
        Arguments::read(words.iter().map(OsString::from))
    }

    #[test]
    fn read_accepts_only_known_arguments() {
        let read_one = read(&["--python", "/venv/bin/python", "--at-most", "landlock"]).unwrap();
        assert_eq!(
            read_one,
            Arguments {
                python: "/venv/bin/python".into(),
                at_most: Level::Landlock,
                profile: Profile::Motion,
            }
        );
        assert_eq!(read(&["--profile", "code", "--python", "p"]).unwrap().profile, Profile::Code);
        assert!(read(&["--profile", "both", "--python", "p"]).is_err());
        assert_eq!(read(&["--python", "p"]).unwrap().at_most, Level::Namespaces);
        assert!(read(&[]).unwrap_err().contains("--python"));
        assert!(read(&["--python"]).unwrap_err().contains("needs a value"));
        assert!(read(&["--at-most", "none", "--python", "p"]).is_err());
        assert!(read(&["--help", "x"]).is_err());
    }
}
