//! Stores conversations: sessions with their turns, plans, agents and data, in one SQLite file.
//!
//! Reading order:
//!
//! * [`Memory`] (the file, and operations on whole sessions)
//! * [`session`] (one conversation: what is stored, and what a model gets of it)
//! * [`handle`] (short names for data)
//!
//! All of it may contain a person's words. Only its owner can read the file, sessions expire after
//! `memory.retention_days`, and each can be exported and deleted as a whole.

pub mod handle;
pub mod session;

use std::fs;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::clock::unix_seconds;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

pub use handle::{Handle, Kind, Object};
use minismith_runtime::config::Config;
pub use session::{Exchange, Record, Reminder, Session};

/// How long one process waits while another one writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// The version of the tables.
const FORM: i64 = 1;
const SECONDS_PER_DAY: u64 = 86_400;

const TABLES: &str = "
CREATE TABLE sessions (id TEXT PRIMARY KEY, began INTEGER NOT NULL, used INTEGER NOT NULL, plan TEXT) STRICT;
CREATE TABLE turns (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, place INTEGER NOT NULL, at INTEGER NOT NULL,
    said TEXT NOT NULL, answer TEXT NOT NULL, ending TEXT NOT NULL, log TEXT NOT NULL,
    PRIMARY KEY (session, place)) STRICT;
CREATE TABLE agents (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, name TEXT NOT NULL, spec TEXT NOT NULL,
    PRIMARY KEY (session, name)) STRICT;
CREATE TABLE objects (
    session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE, handle TEXT NOT NULL, kind TEXT NOT NULL,
    about TEXT NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (session, handle)) STRICT;
";

/// The file of sessions.
pub struct Memory {
    database: Connection,
}

/// An error of storing or reading sessions.
#[derive(Debug, thiserror::Error)]
pub enum MemoryError {
    /// The file can't be opened.
    #[error("cannot open the file of sessions {}: {reason}; set another path with `memory: {{file: FILE}}` in config.yaml", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// No such session exists.
    #[error("there is no session {id:?}; `minismith session list` lists them")]
    NoSession {
        /// The requested id.
        id: String,
    },
    /// The name is not a valid name for a session.
    #[error("{id:?} is not a valid name for a session; use 1 to 40 letters, digits, `-` and `_`")]
    InvalidName {
        /// The requested name.
        id: String,
    },
    /// No such data exists.
    #[error("there is no data {handle:?} in this session")]
    NoObject {
        /// The requested handle.
        handle: String,
    },
    /// The data is too large to store.
    #[error(
        "{about} has {bytes} bytes, and a session stores at most {most} in all; delete old sessions or store less"
    )]
    TooLarge {
        /// What the data is.
        about: String,
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// The database failed.
    #[error("cannot use the file of sessions: {0}; move it away to start a new one")]
    Database(#[from] rusqlite::Error),
    /// The content is not what was written.
    #[error("the file of sessions is damaged: {0}; move it away to start a new one")]
    Damaged(#[from] serde_json::Error),
}

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SessionEntry)]
pub struct Entry {
    /// Its name.
    pub id: String,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// When it was last used, in seconds since 1970.
    pub used: u64,
    /// The number of its turns.
    pub turns: u64,
    /// The first request.
    pub first: String,
}

/// Maximum number of stored sessions.
const MAX_SESSIONS: i64 = 1_000;

impl Memory {
    /// Opens the file of the configuration and deletes the sessions that are too old for it.
    ///
    /// # Errors
    /// Fails when the file can't be opened, as [`Self::open`].
    pub fn of(config: &Config) -> Result<Memory, MemoryError> {
        let memory = Memory::open(&config.memory.file)?;
        memory.forget_after(config.memory.retention_days)?;
        Ok(memory)
    }

    /// Opens the file, and creates it if it is missing.
    ///
    /// # Errors
    /// Fails when the file can be neither read nor created, or is not a file of sessions.
    pub fn open(path: &Path) -> Result<Memory, MemoryError> {
        let no = |reason: String| MemoryError::File { path: path.to_owned(), reason };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .map_err(|error| no(error.to_string()))?;
        }
        // The file is created before SQLite would do so, with permissions that no other user can read.
        let made = fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        made.map_err(|error| no(error.to_string()))?;
        let database = Connection::open(path).map_err(|error| no(error.to_string()))?;
        Self::prepare(database).map_err(|error| no(error.to_string()))
    }

    /// Opens a memory that lasts as long as the value: for a single sentence, and where nothing may be
    /// stored.
    ///
    /// # Errors
    /// Fails when the system has no memory for it.
    pub fn passing() -> Result<Memory, MemoryError> {
        Ok(Self::prepare(Connection::open_in_memory()?)?)
    }

    fn prepare(mut database: Connection) -> rusqlite::Result<Memory> {
        database.busy_timeout(LOCK_TIMEOUT)?;
        database.pragma_update(None, "journal_mode", "wal")?;
        database.pragma_update(None, "foreign_keys", true)?;
        // Deleted data is overwritten at once.
        database.pragma_update(None, "secure_delete", true)?;
        let transaction = database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let form: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        match form {
            FORM => {}
            0 => {
                transaction.execute_batch(TABLES)?;
                transaction.pragma_update(None, "user_version", FORM)?;
            }
            // A file of another program or of a later version stays as it is.
            _ => return Err(rusqlite::Error::InvalidQuery),
        }
        transaction.commit()?;
        Ok(Memory { database })
    }

    /// Returns the session of this name, and creates it if it is missing; without a name, a new one.
    ///
    /// # Errors
    /// Fails when the name is not valid, or the file can't be written.
    pub fn session(&self, id: Option<&str>) -> Result<Session<'_>, MemoryError> {
        let now = seconds();
        let id = match id {
            Some(id) => {
                if !is_name(id) {
                    return Err(MemoryError::InvalidName { id: id.chars().take(60).collect() });
                }
                id.to_owned()
            }
            None => self.database.query_row(
                "SELECT strftime('%Y%m%d-%H%M%S-', 'now') || lower(hex(randomblob(3)))",
                [],
                |row| row.get(0),
            )?,
        };
        self.database.execute(
            "INSERT INTO sessions (id, began, used) VALUES (?1, ?2, ?2) ON CONFLICT (id) DO UPDATE SET used = ?2",
            params![id, now],
        )?;
        // A client names sessions as it likes. The ones that were not used for the longest time make room.
        self.database.execute(
            "DELETE FROM sessions WHERE (SELECT count(*) FROM sessions) > ?1 AND id IN (SELECT id FROM sessions \
             WHERE id <> ?2 ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET ?1 - 1)",
            params![MAX_SESSIONS, id],
        )?;
        Ok(Session::of(&self.database, id))
    }

    /// Returns all sessions, the last used first.
    ///
    /// # Errors
    /// Fails when the file can't be read.
    pub fn list(&self) -> Result<Vec<Entry>, MemoryError> {
        let mut rows = self.database.prepare(
            "SELECT id, began, used, (SELECT count(*) FROM turns WHERE session = id), coalesce((SELECT said FROM turns \
             WHERE session = id ORDER BY place LIMIT 1), '') FROM sessions ORDER BY used DESC, id",
        )?;
        let entries = rows.query_map([], |row| {
            let seconds = |position| Ok::<u64, rusqlite::Error>(row.get::<_, i64>(position)?.unsigned_abs());
            Ok(Entry {
                id: row.get(0)?,
                began: seconds(1)?,
                used: seconds(2)?,
                turns: seconds(3)?,
                first: row.get(4)?,
            })
        })?;
        Ok(entries.collect::<Result<_, _>>()?)
    }

    /// Returns everything known of a session as one document; data objects by their size and kind.
    ///
    /// # Errors
    /// Fails when no session has this name, or the file can't be read.
    pub fn export(&self, id: &str) -> Result<Value, MemoryError> {
        let session = self.existing(id)?;
        let agents = session.agents()?;
        let objects: Vec<Value> = session
            .objects()?
            .into_iter()
            .map(|(handle, kind, about, bytes)| json!({"handle": handle, "kind": kind, "about": about, "bytes": bytes}))
            .collect();
        Ok(json!({
            "session": id,
            "turns": session.turns()?,
            "plan": session.plan()?,
            "agents": agents,
            "objects": objects,
        }))
    }

    /// Deletes a session.
    ///
    /// # Errors
    /// Fails when no session has this name, or the file can't be written.
    pub fn delete(&self, id: &str) -> Result<(), MemoryError> {
        self.existing(id)?;
        self.database.execute("DELETE FROM sessions WHERE id = ?1", [id])?;
        Ok(())
    }

    /// Deletes the sessions that were not used for this many days, and returns how many. Zero days keep
    /// everything.
    ///
    /// # Errors
    /// Fails when the file can't be written.
    pub fn forget_after(&self, days: u32) -> Result<usize, MemoryError> {
        if days == 0 {
            return Ok(0);
        }
        let oldest = unix_seconds().saturating_sub(u64::from(days) * SECONDS_PER_DAY);
        let oldest = i64::try_from(oldest).unwrap_or(i64::MAX);
        Ok(self.database.execute("DELETE FROM sessions WHERE used < ?1", [oldest])?)
    }

    fn existing(&self, id: &str) -> Result<Session<'_>, MemoryError> {
        let found: Option<String> = self
            .database
            .query_row("SELECT id FROM sessions WHERE id = ?1", [id], |row| row.get(0))
            .optional()?;
        let no = || MemoryError::NoSession { id: id.chars().take(60).collect() };
        Ok(Session::of(&self.database, found.ok_or_else(no)?))
    }
}

/// Returns whether this is a valid name for a session.
#[must_use]
pub fn is_name(id: &str) -> bool {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=40).contains(&id.len()) && id.chars().all(is_fine)
}

fn seconds() -> i64 {
    i64::try_from(unix_seconds()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
