//! Stores one conversation: its turns, plan, agents and data, and what a model gets of them.

use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Handle, Kind, MemoryError, Object, seconds};
use crate::agents::plan::Plan;
use crate::agents::roster::Spec;
use minismith_language_model::{Message, Part, Role};

/// The maximum amount of data in a session, in bytes.
pub(super) const MAX_BYTES: usize = 64 << 20;
/// The maximum number of lines of the summary.
const MAX_LINES: usize = 12;
/// The maximum length of a line of the summary, in characters.
const MAX_LINE_CHARS: usize = 120;
/// The maximum length of a turn's text that a model gets, in characters.
const MAX_TEXT_CHARS: usize = 1_200;

/// One stored turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The time, in seconds since 1970.
    pub at: u64,
    /// The person's request.
    pub said: String,
    /// The answer.
    pub answer: String,
    /// How it ended.
    pub ending: String,
    /// All steps and calls, with their results.
    pub log: Value,
}

impl Record {
    /// Returns the sources of text in the answer that this program did not write. In a turn with a tool and
    /// without recorded sources, they may be the tool's.
    #[must_use]
    pub fn read(&self) -> Vec<String> {
        match self.log.get("read").and_then(Value::as_array) {
            Some(read) => read.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None if self.log.pointer("/tool/performance").is_some_and(Value::is_object) => {
                vec!["a tool".into()]
            }
            None => Vec::new(),
        }
    }
}

/// What a model gets of earlier turns: older ones in a few lines, the last ones in full. It contains no logs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reminder {
    /// A summary of older turns; empty without any.
    pub summary: String,
    /// The last turns, oldest first.
    pub last: Vec<Exchange>,
}

/// One turn in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// The person's request.
    pub said: String,
    /// The answer.
    pub answer: String,
    /// The sources of text in the answer that this program did not write.
    pub read: Vec<String>,
}

impl Reminder {
    /// Returns the messages before the next request. Requests and answers are plain text, except where an
    /// answer contains outside text: that is data.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let mut messages = Vec::new();
        if !self.summary.is_empty() {
            messages.push(Message::model(format!("Before that, in short:\n{}", self.summary)));
        }
        for Exchange { said, answer, read } in &self.last {
            messages.push(Message::person(said.clone()));
            messages.push(match read.is_empty() {
                true => Message::model(answer.clone()),
                false => {
                    let source = "an earlier answer".to_owned();
                    Message { role: Role::Model, parts: vec![Part::Data { source, text: answer.clone() }] }
                }
            });
        }
        messages
    }
}

/// One conversation in the file.
pub struct Session<'a> {
    database: &'a Connection,
    id: String,
}

impl<'a> Session<'a> {
    pub(super) const fn of(database: &'a Connection, id: String) -> Self {
        Session { database, id }
    }

    /// Returns its name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Stores a turn.
    ///
    /// # Errors
    /// Fails when the file can't be written.
    pub fn remember(&self, record: &Record) -> Result<(), MemoryError> {
        self.database.execute(
            "INSERT INTO turns (session, place, at, said, answer, ending, log) VALUES (?1, (SELECT coalesce(max(place), \
             0) + 1 FROM turns WHERE session = ?1), ?2, ?3, ?4, ?5, ?6)",
            params![
                self.id,
                i64::try_from(record.at).unwrap_or(i64::MAX),
                record.said,
                record.answer,
                record.ending,
                record.log.to_string()
            ],
        )?;
        self.database.execute("UPDATE sessions SET used = ?2 WHERE id = ?1", params![self.id, seconds()])?;
        Ok(())
    }

    /// Returns all turns, oldest first.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn turns(&self) -> Result<Vec<Record>, MemoryError> {
        let mut rows = self
            .database
            .prepare("SELECT at, said, answer, ending, log FROM turns WHERE session = ?1 ORDER BY place")?;
        let rows = rows.query_map([&self.id], |row| {
            let record = Record {
                at: row.get::<_, i64>(0)?.unsigned_abs(),
                said: row.get(1)?,
                answer: row.get(2)?,
                ending: row.get(3)?,
                log: Value::Null,
            };
            Ok((record, row.get::<_, String>(4)?))
        })?;
        rows.map(|row| {
            let (record, log) = row?;
            Ok(Record { log: serde_json::from_str(&log)?, ..record })
        })
        .collect()
    }

    /// Returns the last turns in full, and the older ones in a line each; the oldest are left out.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn reminder(&self, last: usize) -> Result<Reminder, MemoryError> {
        let turns = self.turns()?;
        let (old, new) = turns.split_at(turns.len().saturating_sub(last));
        let lines: Vec<String> = old
            .iter()
            .skip(old.len().saturating_sub(MAX_LINES))
            .map(|turn| format!("- {} ({})", clip(&turn.said, MAX_LINE_CHARS), turn.ending))
            .collect();
        let last = new.iter().map(|turn| Exchange {
            said: clip(&turn.said, MAX_TEXT_CHARS),
            answer: clip(&turn.answer, MAX_TEXT_CHARS),
            read: turn.read(),
        });
        Ok(Reminder { summary: lines.join("\n"), last: last.collect() })
    }

    /// Stores the present plan, or deletes it with `None`.
    ///
    /// # Errors
    /// Fails when the file can't be written.
    pub fn keep_plan(&self, plan: Option<&Plan>) -> Result<(), MemoryError> {
        let plan = plan.map(serde_json::to_string).transpose()?;
        self.database.execute("UPDATE sessions SET plan = ?2 WHERE id = ?1", params![self.id, plan])?;
        Ok(())
    }

    /// Returns the latest plan.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn plan(&self) -> Result<Option<Plan>, MemoryError> {
        let plan: Option<String> =
            self.database
                .query_row("SELECT plan FROM sessions WHERE id = ?1", [&self.id], |row| row.get(0))?;
        Ok(plan.map(|plan| serde_json::from_str(&plan)).transpose()?)
    }

    /// Stores an agent that was created in this session.
    ///
    /// # Errors
    /// Fails when the file can't be written.
    pub fn keep_agent(&self, spec: &Spec) -> Result<(), MemoryError> {
        self.database.execute(
            "INSERT OR REPLACE INTO agents (session, name, spec) VALUES (?1, ?2, ?3)",
            params![self.id, spec.name, serde_json::to_string(spec)?],
        )?;
        Ok(())
    }

    /// Returns the agents that were created in this session.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn agents(&self) -> Result<Vec<Spec>, MemoryError> {
        let mut rows = self.database.prepare("SELECT spec FROM agents WHERE session = ?1 ORDER BY rowid")?;
        let rows = rows.query_map([&self.id], |row| row.get::<_, String>(0))?;
        rows.map(|spec| Ok(serde_json::from_str(&spec?)?)).collect()
    }

    /// Stores data under a new short name.
    ///
    /// # Errors
    /// Fails when the session has no room for it, or the file can't be written.
    pub fn keep(&self, object: &Object) -> Result<Handle, MemoryError> {
        let (stored, count): (i64, i64) = self.database.query_row(
            "SELECT coalesce(sum(length(bytes)), 0), count(*) FROM objects WHERE session = ?1",
            [&self.id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let most = MAX_BYTES.saturating_sub(usize::try_from(stored).unwrap_or(usize::MAX));
        if object.bytes.len() > most {
            return Err(MemoryError::TooLarge {
                about: object.about.clone(),
                bytes: object.bytes.len(),
                most: MAX_BYTES,
            });
        }
        let handle = Handle::numbered(object.kind, count + 1);
        self.database.execute(
            "INSERT INTO objects (session, handle, kind, about, bytes) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![self.id, handle.as_str(), object.kind.word(), object.about, object.bytes],
        )?;
        Ok(handle)
    }

    /// Returns the data of this name.
    ///
    /// # Errors
    /// Fails when no data has this name, or the file can't be read.
    pub fn recall(&self, handle: &str) -> Result<Object, MemoryError> {
        let found = self
            .database
            .query_row(
                "SELECT kind, about, bytes FROM objects WHERE session = ?1 AND handle = ?2",
                params![self.id, handle],
                |row| Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?)),
            )
            .optional()?;
        let no = || MemoryError::NoObject { handle: handle.chars().take(60).collect() };
        let (kind, about, bytes) = found.ok_or_else(no)?;
        let kind = Kind::of(&kind).ok_or_else(no)?;
        Ok(Object { kind, about, bytes })
    }

    /// Returns names, kinds, descriptions and sizes of the stored data.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn objects(&self) -> Result<Vec<(String, String, String, u64)>, MemoryError> {
        let mut rows = self.database.prepare(
            "SELECT handle, kind, about, length(bytes) FROM objects WHERE session = ?1 ORDER BY rowid",
        )?;
        let rows = rows.query_map([&self.id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get::<_, i64>(3)?.unsigned_abs()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn clip(text: &str, most: usize) -> String {
    let text = text.trim();
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most).chain("...".chars()).collect()
}
