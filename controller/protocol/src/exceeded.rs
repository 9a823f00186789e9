//! Budgets that a guest detects itself, each with a named exception ([`LimitExceeded`]).
//!
//! A guest may raise such an exception without reason. It then ends as if the budget were exceeded.

/// An exceeded budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitExceeded {
    /// `memory_bytes`.
    Memory,
    /// `open_files`.
    OpenFiles,
    /// `processes`.
    Processes,
}

impl LimitExceeded {
    const ALL: [LimitExceeded; 3] =
        [LimitExceeded::Memory, LimitExceeded::OpenFiles, LimitExceeded::Processes];

    /// Returns the type name of its exception.
    #[must_use]
    pub const fn exception(self) -> &'static str {
        match self {
            LimitExceeded::Memory => "MemoryError",
            LimitExceeded::OpenFiles => "OpenFilesExceeded",
            LimitExceeded::Processes => "ProcessesExceeded",
        }
    }

    /// Returns the budget for an exception's type name.
    #[must_use]
    pub fn from_guest(exception: &str) -> Option<Self> {
        LimitExceeded::ALL.into_iter().find(|exceeded| exceeded.exception() == exception)
    }
}
