//! Gives data short names: a frame, a trajectory, a report or a file is mentioned as `report-3`, and never
//! pasted into a conversation.

use std::fmt;

use serde::Serialize;

/// The kind of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An image, JPEG.
    Frame,
    /// Motor positions over time, CSV.
    Trajectory,
    /// The measurements of a rehearsal or a run, JSON.
    Report,
    /// A file that code has written.
    File,
}

impl Kind {
    const ALL: [Kind; 4] = [Kind::Frame, Kind::Trajectory, Kind::Report, Kind::File];

    pub(super) const fn word(self) -> &'static str {
        match self {
            Kind::Frame => "frame",
            Kind::Trajectory => "trajectory",
            Kind::Report => "report",
            Kind::File => "file",
        }
    }

    pub(super) fn of(word: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// The name of stored data within its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handle(String);

impl Handle {
    pub(super) fn numbered(kind: Kind, number: i64) -> Handle {
        Handle(format!("{}-{number}", kind.word()))
    }

    /// Returns whether this word has the shape of a handle.
    #[must_use]
    pub fn is_one(word: &str) -> bool {
        word.split_once('-').is_some_and(|(kind, number)| {
            Kind::of(kind).is_some()
                && !number.is_empty()
                && number.len() <= 9
                && number.chars().all(|c| c.is_ascii_digit())
        })
    }

    /// Returns the handle as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Data to store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its kind.
    pub kind: Kind,
    /// A short description.
    pub about: String,
    /// Its content.
    pub bytes: Vec<u8>,
}
