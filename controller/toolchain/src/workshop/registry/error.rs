//! What can be wrong with the shelf or with a tool on it, said so that a person knows what to do.

use std::io::ErrorKind;
use std::path::PathBuf;

use minismith_analysis::finding::Finding;

/// Something is wrong with the shelf or with a tool on it.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// There is no such tool.
    #[error("there is no tool {name:?}{}", did_you_mean(.near))]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that are close.
        near: Vec<String>,
    },
    /// There is no such version.
    #[error("{name} has no version {version}; it has {}", numbers(.versions))]
    NoVersion {
        /// The tool.
        name: String,
        /// What was asked for.
        version: u32,
        /// What there is.
        versions: Vec<u32>,
    },
    /// There is nothing to go back to.
    #[error("{name} is at its first version, {version}; there is nothing to roll back to")]
    FirstVersion {
        /// The tool.
        name: String,
        /// Its version.
        version: u32,
    },
    /// A version is not before the one that is called.
    #[error("{name} calls version {current}, and {to} is not before it; name an earlier version with --to")]
    NotBefore {
        /// The tool.
        name: String,
        /// The version that is called.
        current: u32,
        /// What was asked for.
        to: u32,
    },
    /// There is nothing to compare with.
    #[error("{name} has only version {version}; a difference needs two")]
    OneVersion {
        /// The tool.
        name: String,
        /// Its only version.
        version: u32,
    },
    /// The name belongs to a tool that comes with the program.
    #[error("{name} comes with the program; give your tool another name")]
    Predefined {
        /// The name.
        name: String,
    },
    /// A person has taken it out of use.
    #[error("{name} is deactivated; `minismith tool activate {name}` takes it into use again")]
    Deactivated {
        /// The tool.
        name: String,
    },
    /// It has misbehaved.
    #[error(
        "{name} version {version} is in quarantine: {reason}; read it with `minismith tool show {name}`, then \
         `minismith tool approve {name}` rehearses it and lets it out, or add a better version"
    )]
    Quarantined {
        /// The tool.
        name: String,
        /// Its version.
        version: u32,
        /// What it did.
        reason: String,
    },
    /// The code is not what was admitted.
    #[error("{} has changed since it was admitted; put the original back, or `minismith tool add` it as a new version", .path.display())]
    Tampered {
        /// The file.
        path: PathBuf,
    },
    /// The code no longer passes the policy.
    #[error("{name} no longer passes the policy ({}); mend it and `minismith tool add` it again", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// The tool.
        name: String,
        /// Why.
        findings: Vec<Finding>,
    },
    /// A file on the shelf can't be understood.
    #[error("{} can't be understood ({reason}); remove that version's two files, or put back their originals", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The shelf can't be read or written.
    #[error("can't {doing} {}: {source}; {}", .path.display(), remedy(.source.kind()))]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
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
            "make room there and repeat it; what was on the shelf before is untouched"
        }
        _ => "check that the tools directory exists and is yours to write",
    }
}
