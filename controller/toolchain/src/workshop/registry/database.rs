//! The database of the registry: usage statistics and the search index.
//!
//! No decision depends on it. Its data about tools is derived from their files and compared with them at each use. An
//! unreadable database is rebuilt, which loses the statistics. If it cannot be written, nothing is recorded.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::storage;

/// Name of the file in the tools directory.
const FILE: &str = ".shelf.sqlite";

/// Version of the schema. A database with another version is rebuilt.
const SCHEMA_VERSION: i64 = 1;

/// Maximum time to wait for a write by another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

const TABLES: &str = "
CREATE TABLE usage (
    tool TEXT NOT NULL, version INTEGER NOT NULL, runs INTEGER NOT NULL, failures INTEGER NOT NULL,
    trims INTEGER NOT NULL, seconds REAL NOT NULL, last_run INTEGER NOT NULL, PRIMARY KEY (tool, version));
CREATE TABLE indexed (
    id INTEGER PRIMARY KEY, tool TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, model TEXT, meaning BLOB);
CREATE VIRTUAL TABLE words USING fts5(name, description, parameters, code, document, tokenize='porter unicode61');
";

/// Opens the database, and rebuilds it if it is missing or damaged.
///
/// # Errors
/// Returns an error if it can be neither read nor created.
pub(in crate::workshop) fn open(root: &Path) -> rusqlite::Result<Connection> {
    let path = root.join(FILE);
    match prepare(&path) {
        Err(error) if is_damage(&error) => {
            let Ok(_lock) = storage::lock(root) else { return Err(error) };
            // Another process may have repaired it in the meantime.
            prepare(&path).or_else(|error| {
                if !is_damage(&error) {
                    return Err(error);
                }
                tracing::warn!(path = %path.display(), %error, "made anew: its statistics of use are lost");
                for end in ["", "-wal", "-shm"] {
                    let _may_be_missing = fs::remove_file(root.join(format!("{FILE}{end}")));
                }
                prepare(&path)
            })
        }
        opened => opened,
    }
}

/// Returns a temporary database, for use if no file can be written.
///
/// # Errors
/// Returns an error if memory is insufficient.
pub(in crate::workshop) fn in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

fn prepare(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let form = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    if form(&connection)? == SCHEMA_VERSION {
        // This detects damage to a table here and not during a search.
        connection.query_row(
            "SELECT (SELECT count(*) FROM usage), (SELECT count(*) FROM indexed)",
            [],
            |_| Ok(()),
        )?;
        return Ok(connection);
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if form(&transaction)? != SCHEMA_VERSION {
        transaction.execute_batch(
            "DROP TABLE IF EXISTS usage; DROP TABLE IF EXISTS indexed; DROP TABLE IF EXISTS words;",
        )?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// Returns whether the error means that the file is not a complete database.
pub(in crate::workshop) fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => true,
        // A table is missing or has other columns.
        Some(ErrorCode::Unknown) => true,
        _ => false,
    }
}
