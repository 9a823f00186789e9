//! Errors of the registry and its tools, with instructions for the user.

use std::io::ErrorKind;
use std::path::PathBuf;

use minismith_analysis::finding::Finding;

/// An error of the registry or of a tool in it.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The tool does not exist.
    #[error("there is no tool {name:?}{}", did_you_mean(.near))]
    Unknown {
        /// Requested name.
        name: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// The version does not exist.
    #[error("{name} has no version {version}; it has {}", numbers(.versions))]
    NoVersion {
        /// Name of the tool.
        name: String,
        /// Requested version.
        version: u32,
        /// Existing versions.
        versions: Vec<u32>,
    },
    /// There is no earlier version.
    #[error("{name} is at its first version, {version}; there is nothing to roll back to")]
    FirstVersion {
        /// Name of the tool.
        name: String,
        /// Its version.
        version: u32,
    },
    /// The requested version is not before the current one.
    #[error(
        "the current version of {name} is {current}, and {to} is not before it; name an earlier version with --to"
    )]
    NotBefore {
        /// Name of the tool.
        name: String,
        /// Current version.
        current: u32,
        /// Requested version.
        to: u32,
    },
    /// There is no other version to compare with.
    #[error("{name} has only version {version}; a difference needs two")]
    OneVersion {
        /// Name of the tool.
        name: String,
        /// Its only version.
        version: u32,
    },
    /// The name belongs to a predefined tool.
    #[error("{name} comes with the program; give your tool another name")]
    Predefined {
        /// The name.
        name: String,
    },
    /// Another tool has a name that looks the same.
    #[error(
        "{name} looks like {known}, which is another tool; give your tool a name that nobody can confuse with it"
    )]
    LooksLike {
        /// The name.
        name: String,
        /// The other tool.
        known: String,
    },
    /// A person has deactivated the tool.
    #[error("{name} is deactivated; `minismith tool activate {name}` activates it again")]
    Deactivated {
        /// Name of the tool.
        name: String,
    },
    /// The version is in quarantine.
    #[error(
        "{name} version {version} is in quarantine: {reason}; read it with `minismith tool show {name}`, then \
         `minismith tool approve {name}` rehearses it and lets it out, or add a better version"
    )]
    Quarantined {
        /// Name of the tool.
        name: String,
        /// Its version.
        version: u32,
        /// The reason for the quarantine.
        reason: String,
    },
    /// The code is not the accepted code.
    #[error("{} has changed since it was accepted; restore the original, or `minismith tool add` it as a new version", .path.display())]
    Tampered {
        /// Path of the file.
        path: PathBuf,
    },
    /// A manifest is that of another tool or version.
    #[error("{} belongs to {name} version {version}; restore the original, or remove the copy", .path.display())]
    Misplaced {
        /// Path of the file.
        path: PathBuf,
        /// The tool that it names.
        name: String,
        /// The version that it names.
        version: u32,
    },
    /// A file of a predefined tool is not the one that was built into the program.
    #[error("{} is not the file that came with the program; delete the folder `.built-in`, and the program writes it again", .path.display())]
    Poisoned {
        /// Path of the file.
        path: PathBuf,
    },
    /// The code no longer passes the policy.
    #[error("{name} no longer passes the policy ({}); fix it and `minismith tool add` it again", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// Name of the tool.
        name: String,
        /// The findings.
        findings: Vec<Finding>,
    },
    /// A file of the registry cannot be parsed.
    #[error("{} cannot be read ({reason}); remove that version's two files, or restore the originals", .path.display())]
    Damaged {
        /// Path of the file.
        path: PathBuf,
        /// The parse error.
        reason: String,
    },
    /// The registry cannot be read or written.
    #[error("cannot {doing} {}: {source}; {}", .path.display(), remedy(.source.kind()))]
    Io {
        /// The failed operation, as a verb.
        doing: &'static str,
        /// Path of the file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() {
        "; see `minismith tool list`".into()
    } else {
        format!("; did you mean {}?", names.join(" or "))
    }
}

fn numbers(versions: &[u32]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

const fn remedy(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            "free some space there and try again; the registry is unchanged"
        }
        _ => {
            "check that the tools directory exists and is writable; `minismith paths` says why it is there, and \
             tools.directory in config.yaml names another"
        }
    }
}
