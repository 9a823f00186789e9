//! Budgets that a guest detects itself, each with a named exception ([`Exceeded`]).
//!
//! A guest may raise such an exception without reason. It then ends as if the budget were exceeded.

/// An exceeded budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// `memory_bytes`.
    Memory,
    /// `open_files`.
    OpenFiles,
    /// `processes`.
    Processes,
}

impl Exceeded {
    const ALL: [Exceeded; 3] = [Exceeded::Memory, Exceeded::OpenFiles, Exceeded::Processes];

    /// Returns the type name of its exception.
    #[must_use]
    pub const fn exception(self) -> &'static str {
        match self {
            Exceeded::Memory => "MemoryError",
            Exceeded::OpenFiles => "OpenFilesExceeded",
            Exceeded::Processes => "ProcessesExceeded",
        }
    }

    /// Returns the budget for an exception's type name.
    #[must_use]
    pub fn told_by(exception: &str) -> Option<Self> {
        Exceeded::ALL.into_iter().find(|exceeded| exceeded.exception() == exception)
    }
}
