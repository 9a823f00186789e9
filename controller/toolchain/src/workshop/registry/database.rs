//! The database beside the shelf: statistics of use, and the index of the search.
//!
//! Nothing in it decides anything: what it says of tools is derived from their files and compared with them at each
//! use. When it can't be read it is made anew, which costs the statistics; when it can't be written, nothing is kept.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

use super::shelf;

/// The file, in the tools directory.
const FILE: &str = ".shelf.sqlite";

/// The form of the tables; another one is made anew.
const FORM: i64 = 1;

/// How long one process waits for another's writing.
const PATIENCE: Duration = Duration::from_secs(5);

const TABLES: &str = "
CREATE TABLE usage (
    tool TEXT NOT NULL, version INTEGER NOT NULL, runs INTEGER NOT NULL, failures INTEGER NOT NULL,
    trims INTEGER NOT NULL, seconds REAL NOT NULL, last_run INTEGER NOT NULL, PRIMARY KEY (tool, version));
CREATE TABLE indexed (
    id INTEGER PRIMARY KEY, tool TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, model TEXT, meaning BLOB);
CREATE VIRTUAL TABLE words USING fts5(name, description, parameters, code, document, tokenize='porter unicode61');
";

/// Opens the database, and makes it anew where it is missing or damaged.
///
/// # Errors
/// When it can be neither read nor made.
pub(in crate::workshop) fn open(root: &Path) -> rusqlite::Result<Connection> {
    let path = root.join(FILE);
    match prepare(&path) {
        Err(error) if is_damage(&error) => {
            let Ok(_lock) = shelf::lock(root) else { return Err(error) };
            // Somebody else may have mended it meanwhile.
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

/// A database that lasts as long as the value, for where none can be written.
///
/// # Errors
/// When there is no memory for it.
pub(in crate::workshop) fn in_memory() -> rusqlite::Result<Connection> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(TABLES)?;
    Ok(connection)
}

fn prepare(path: &Path) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(PATIENCE)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    let form = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0))
    };
    if form(&connection)? == FORM {
        // Damage to a table is found here and not in the middle of a search.
        connection.query_row(
            "SELECT (SELECT count(*) FROM usage), (SELECT count(*) FROM indexed)",
            [],
            |_| Ok(()),
        )?;
        return Ok(connection);
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if form(&transaction)? != FORM {
        transaction.execute_batch(
            "DROP TABLE IF EXISTS usage; DROP TABLE IF EXISTS indexed; DROP TABLE IF EXISTS words;",
        )?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", FORM)?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// Whether the file is no database, or not a whole one.
pub(in crate::workshop) fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => true,
        // A table is missing or has other columns.
        Some(ErrorCode::Unknown) => true,
        _ => false,
    }
}
