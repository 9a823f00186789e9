//! Budgets of which a guest itself learns first: the exception that it raises has a name that tells.
//!
//! A guest may raise such a name without reason; it then ends as if it had one.

/// A budget that is used up.
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

    /// The type name of the exception that tells of it.
    #[must_use]
    pub const fn exception(self) -> &'static str {
        match self {
            Exceeded::Memory => "MemoryError",
            Exceeded::OpenFiles => "OpenFilesExceeded",
            Exceeded::Processes => "ProcessesExceeded",
        }
    }

    /// The budget that an exception of this type name tells of.
    #[must_use]
    pub fn told_by(exception: &str) -> Option<Self> {
        Exceeded::ALL.into_iter().find(|exceeded| exceeded.exception() == exception)
    }
}
