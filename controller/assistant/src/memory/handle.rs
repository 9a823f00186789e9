//! Data by a short name: a frame, a trajectory, a report or a file is talked about as `report-3`, and never pasted into
//! a conversation.

use std::fmt;

use serde::Serialize;

/// What kind of data it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A picture, JPEG.
    Frame,
    /// Motor positions over time, CSV.
    Trajectory,
    /// What a rehearsal or a performance measured, JSON.
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

/// The name of kept data within its session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handle(String);

impl Handle {
    pub(super) fn numbered(kind: Kind, number: i64) -> Handle {
        Handle(format!("{}-{number}", kind.word()))
    }

    /// Whether this word has the shape of one.
    #[must_use]
    pub fn is_one(word: &str) -> bool {
        word.split_once('-').is_some_and(|(kind, number)| {
            Kind::of(kind).is_some()
                && !number.is_empty()
                && number.len() <= 9
                && number.chars().all(|c| c.is_ascii_digit())
        })
    }

    /// As it is said.
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

/// Data to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What kind it is.
    pub kind: Kind,
    /// What it is, in a few words.
    pub about: String,
    /// It.
    pub bytes: Vec<u8>,
}
