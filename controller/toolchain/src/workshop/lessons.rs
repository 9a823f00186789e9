//! What commissions were refused for, and what mended it: kept for the authors of later ones.
//!
//! The lines are what models wrote, and the requests what persons said: they are shown as data, and decide nothing. They
//! lie in the database beside the shelf, the most recent ones only, and may be lost without harm.

use rusqlite::{Connection, TransactionBehavior};

use super::registry::{Registry, database};
use minismith_analysis::finding::{Finding, Verdict};

/// The most that are kept.
pub const MOST_LESSONS: usize = 200;

/// The longest text of each, in characters.
const LONGEST_TEXT: usize = 200;

/// The most that are learned of one try.
const MOST_OF_A_TRY: usize = 4;

/// The most lines that are shown of what worked.
const MOST_LINES: usize = 3;

const TABLE: &str = "
CREATE TABLE IF NOT EXISTS lessons (
    id INTEGER PRIMARY KEY, request TEXT NOT NULL, rule TEXT NOT NULL, line TEXT NOT NULL, reason TEXT NOT NULL,
    hint TEXT NOT NULL, worked TEXT NOT NULL)";

/// One refusal, and how it was mended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lesson {
    /// What was asked for.
    pub request: String,
    /// The rule that was broken.
    pub rule: String,
    /// The text of the line; empty where the rule is about no line.
    pub line: String,
    /// What was wrong.
    pub reason: String,
    /// What to do instead.
    pub hint: String,
    /// The lines that were not refused any more; empty when nothing worked.
    pub worked: String,
}

/// What is learned of one try that was refused; `next` is the code that came after it, with what that was refused for.
#[must_use]
pub fn learned(
    request: &str,
    source: &str,
    refused: &[Finding],
    next: Option<(&str, &[Finding])>,
) -> Vec<Lesson> {
    let refusing = refused.iter().filter(|finding| finding.verdict == Verdict::Refuse);
    let lesson = |finding: &Finding| {
        let place = usize::try_from(finding.line).unwrap_or(usize::MAX).saturating_sub(1);
        let line = source.lines().nth(place).filter(|_| finding.module.is_none() && finding.rule != "review");
        let mended = next.filter(|(_, findings)| findings.iter().all(|other| other.rule != finding.rule));
        Lesson {
            request: clip(request),
            rule: clip(&finding.rule),
            line: clip(line.unwrap_or_default()),
            reason: clip(&finding.reason),
            hint: clip(&finding.hint),
            worked: mended.map(|(code, _)| new_lines(source, code)).unwrap_or_default(),
        }
    };
    refusing.take(MOST_OF_A_TRY).map(lesson).collect()
}

/// What stands in the later code and not in the earlier.
fn new_lines(before: &str, after: &str) -> String {
    let is_new = |line: &&str| !line.is_empty() && before.lines().all(|old| old.trim() != *line);
    let new: Vec<&str> = after.lines().map(str::trim).filter(is_new).take(MOST_LINES).collect();
    if new.is_empty() { "without that line".into() } else { clip(&new.join("\n")) }
}

fn clip(text: &str) -> String {
    text.trim().chars().take(LONGEST_TEXT).collect()
}

impl Registry {
    /// Keeps what was learned, and forgets the oldest beyond [`MOST_LESSONS`]. What can't be kept is logged.
    pub fn keep_lessons(&self, lessons: &[Lesson]) {
        if lessons.is_empty() {
            return;
        }
        let kept = database::open(self.root()).and_then(|mut connection| keep(&mut connection, lessons));
        if let Err(error) = kept {
            tracing::warn!(%error, "what this tool was refused for is not kept");
        }
    }

    /// What was learned, the latest first; nothing, which is logged, where it can't be read.
    #[must_use]
    pub fn lessons(&self) -> Vec<Lesson> {
        let read = database::open(self.root()).and_then(|connection| all(&connection));
        read.unwrap_or_else(|error| {
            tracing::warn!(%error, "what earlier tools were refused for can't be read");
            Vec::new()
        })
    }
}

fn keep(connection: &mut Connection, lessons: &[Lesson]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch(TABLE)?;
    for Lesson { request, rule, line, reason, hint, worked } in lessons {
        // The same again is one lesson, and what worked is not forgotten over what did not.
        let known = "DELETE FROM lessons WHERE rule = ?1 AND line = ?2 AND (worked = '' OR ?3 <> '')";
        transaction.execute(known, (rule, line, worked))?;
        let new =
            "INSERT INTO lessons (request, rule, line, reason, hint, worked) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        transaction.execute(new, (request, rule, line, reason, hint, worked))?;
    }
    let most = i64::try_from(MOST_LESSONS).unwrap_or(i64::MAX);
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
        Finding { rule: rule.into(), module: None, line, verdict: Verdict::Refuse, reason, hint }
    }

    #[test]
    fn a_lesson_has_the_line_and_what_came_instead_of_it() {
        let (bad, good) = ("import os\nx = os.getcwd()\n", "import math\nx = 1\n");
        let refused = [finding("import", 1), finding("loop", 2)];
        let lessons = learned("sway", bad, &refused, Some((good, &[finding("loop", 2)])));
        assert_eq!((&*lessons[0].line, &*lessons[0].worked), ("import os", "import math\nx = 1"));
        assert_eq!((&*lessons[1].line, &*lessons[1].worked), ("x = os.getcwd()", ""), "it was not mended");
        assert_eq!(learned("sway", bad, &refused, None)[0].worked, "");
        assert_eq!(learned("sway", bad, &refused[..1], Some(("x = 1", &[])))[0].worked, "x = 1");
        assert_eq!(learned("sway", bad, &refused[..1], Some(("", &[])))[0].worked, "without that line");
        assert!(learned("r", &"x".repeat(9_000), &[finding("long", 1)], None)[0].line.len() <= LONGEST_TEXT);
        assert!(learned("r", "x", &vec![finding("a", 1); 9], None).len() <= MOST_OF_A_TRY);
    }

    #[test]
    fn the_latest_are_kept_and_the_same_again_is_one() {
        let mut connection = database::in_memory().unwrap();
        let lesson = |line: &str, worked: &str| Lesson {
            rule: "import".into(),
            line: line.into(),
            worked: worked.into(),
            ..Lesson::default()
        };
        for number in 0..MOST_LESSONS + 30 {
            keep(&mut connection, &[lesson(&number.to_string(), "")]).unwrap();
        }
        let kept = all(&connection).unwrap();
        assert_eq!((kept.len(), &*kept[0].line), (MOST_LESSONS, "229"));
        keep(&mut connection, &[lesson("229", "import math")]).unwrap();
        let kept = all(&connection).unwrap();
        assert_eq!((kept.len(), &*kept[0].worked), (MOST_LESSONS, "import math"));
    }
}
