//! Reasons why earlier tools were refused, and the fixes: stored for the authors of later tools.
//!
//! The lines come from models and the requests from people. They are presented as data and decide nothing. The most
//! recent ones are in the registry's database, and their loss does no harm.

use rusqlite::{Connection, TransactionBehavior};

use super::registry::{Registry, database};
use minismith_analysis::finding::{Finding, Verdict};

/// Maximum number of stored lessons.
pub const MAX_LESSONS: usize = 200;

/// Maximum length of each text, characters.
const MAX_TEXT_LENGTH: usize = 200;

/// Maximum number of lessons from one attempt.
const MAX_PER_ATTEMPT: usize = 4;

/// Maximum number of displayed lines of a fix.
const MAX_LINES: usize = 3;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS lessons (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, rule TEXT NOT NULL, line TEXT NOT NULL, reason TEXT NOT NULL,
    hint TEXT NOT NULL, worked TEXT NOT NULL)";

/// A refusal and its fix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// The request.
    pub request: String,
    /// The broken rule.
    pub rule: String,
    /// Text of the line. Empty if the rule is not about a line.
    pub line: String,
    /// The reason.
    pub reason: String,
    /// The hint.
    pub hint: String,
    /// The lines that fixed it. Empty if nothing did.
    pub worked: String,
}

/// Returns the lessons of one refused attempt. `next` is the following code, with the findings that refused it.
#[must_use]
pub fn learned(
    request: &str,
    source: &str,
    refused: &[Finding],
    next: Option<(&str, &[Finding])>,
) -> Vec<Lesson> {
    let refusing = refused.iter().filter(|finding| finding.verdict == Verdict::Reject);
    let lesson = |finding: &Finding| {
        let position = usize::try_from(finding.line).unwrap_or(usize::MAX).saturating_sub(1);
        let line =
            source.lines().nth(position).filter(|_| finding.module.is_none() && finding.rule != "review");
        let repaired = next.filter(|(_, findings)| findings.iter().all(|other| other.rule != finding.rule));
        Lesson {
            request: clip(request),
            rule: clip(&finding.rule),
            line: clip(line.unwrap_or_default()),
            reason: clip(&finding.reason),
            hint: clip(&finding.hint),
            worked: repaired.map(|(code, _)| new_lines(source, code)).unwrap_or_default(),
        }
    };
    refusing.take(MAX_PER_ATTEMPT).map(lesson).collect()
}

/// Returns the lines that are only in the later code.
fn new_lines(before: &str, after: &str) -> String {
    let is_new = |line: &&str| !line.is_empty() && before.lines().all(|old| old.trim() != *line);
    let new: Vec<&str> = after.lines().map(str::trim).filter(is_new).take(MAX_LINES).collect();
    if new.is_empty() { "without that line".into() } else { clip(&new.join("\n")) }
}

fn clip(text: &str) -> String {
    text.trim().chars().take(MAX_TEXT_LENGTH).collect()
}

impl Registry {
    /// Stores lessons, and removes the oldest beyond [`MAX_LESSONS`]. A failure is logged.
    pub fn store_lessons(&self, lessons: &[Lesson]) {
        if lessons.is_empty() {
            return;
        }
        let stored = database::open(self.root()).and_then(|mut connection| keep(&mut connection, lessons));
        if let Err(error) = stored {
            tracing::warn!(%error, "the reasons why this tool was refused are not stored");
        }
    }

    /// Returns the lessons, the latest first. A failure is logged and gives an empty list.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        let read = database::open(self.root()).and_then(|connection| all(&connection));
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "the reasons why earlier tools were refused cannot be read");
            Vec::new()
        })
    }
}

fn keep(connection: &mut Connection, lessons: &[Lesson]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLE)?;
    for Lesson { request, rule, line, reason, hint, worked } in lessons {
        // A repeated lesson is stored once, and a failed attempt does not replace a known fix.
        let known = "DELETE FROM lessons WHERE rule = ?1 AND line = ?2 AND (worked = '' OR ?3 <> '')";
        transaction.execute(known, (rule, line, worked))?;
        let new =
            "INSERT INTO lessons (request, rule, line, reason, hint, worked) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        transaction.execute(new, (request, rule, line, reason, hint, worked))?;
    }
    let most = i64::try_from(MAX_LESSONS).unwrap_or(i64::MAX);
    let old = "DELETE FROM lessons WHERE id NOT IN (SELECT id FROM lessons ORDER BY id DESC LIMIT ?1)";
    transaction.execute(old, [most])?;
    transaction.commit()
}

fn all(connection: &Connection) -> rusqlite::Result<Vec<Lesson>> {
    connection.execute_batch(TABLE)?;
    let columns = "SELECT request, rule, line, reason, hint, worked FROM lessons ORDER BY id DESC";
    let lesson = |row: &rusqlite::Row<'_>| {
        Ok(Lesson {
            request: row.get(0)?,
            rule: row.get(1)?,
            line: row.get(2)?,
            reason: row.get(3)?,
            hint: row.get(4)?,
            worked: row.get(5)?,
        })
    };
    connection.prepare(columns)?.query_map([], lesson)?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, line: u32) -> Finding {
        let (reason, hint) = ("it is not allowed".into(), "leave it out".into());
        Finding { rule: rule.into(), module: None, line, verdict: Verdict::Reject, reason, hint }
    }

    #[test]
    fn learned_pairs_the_line_with_its_fix() {
        let (bad, good) = ("import os\nx = os.getcwd()\n", "import math\nx = 1\n");
        let refused = [finding("import", 1), finding("loop", 2)];
        let lessons = learned("sway", bad, &refused, Some((good, &[finding("loop", 2)])));
        assert_eq!((&*lessons[0].line, &*lessons[0].worked), ("import os", "import math\nx = 1"));
        assert_eq!((&*lessons[1].line, &*lessons[1].worked), ("x = os.getcwd()", ""), "it was not fixed");
        assert_eq!(learned("sway", bad, &refused, None)[0].worked, "");
        assert_eq!(learned("sway", bad, &refused[..1], Some(("x = 1", &[])))[0].worked, "x = 1");
        assert_eq!(learned("sway", bad, &refused[..1], Some(("", &[])))[0].worked, "without that line");
        assert!(
            learned("r", &"x".repeat(9_000), &[finding("long", 1)], None)[0].line.len() <= MAX_TEXT_LENGTH
        );
        assert!(learned("r", "x", &vec![finding("a", 1); 9], None).len() <= MAX_PER_ATTEMPT);
    }

    #[test]
    fn keep_stores_the_latest_lessons_without_duplicates() {
        let mut connection = database::in_memory().unwrap();
        let lesson = |line: &str, worked: &str| Lesson {
            rule: "import".into(),
            line: line.into(),
            worked: worked.into(),
            ..Lesson::default()
        };
        for number in 0..MAX_LESSONS + 30 {
            keep(&mut connection, &[lesson(&number.to_string(), "")]).unwrap();
        }
        let stored = all(&connection).unwrap();
        assert_eq!((stored.len(), &*stored[0].line), (MAX_LESSONS, "229"));
        keep(&mut connection, &[lesson("229", "import math")]).unwrap();
        let stored = all(&connection).unwrap();
        assert_eq!((stored.len(), &*stored[0].worked), (MAX_LESSONS, "import math"));
    }
}
