//! One entry of the journal and its line in the file: a JSON document whose last key is a checksum over everything
//! before it. Lines of earlier versions have other names and are read as well.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use firmware_bridge::clock::system_time;
use minismith_protocol::old_names::files::{self, JOURNAL_ACTORS, JOURNAL_KINDS, old_word};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use uuid::Uuid;

/// The maximum length of a line, bytes.
pub const MAX_LINE_BYTES: usize = 1 << 20;

/// One event or action. As a document it has the names of the HTTP API; in the file, those of the journal file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = JournalEntry)]
pub struct Entry {
    /// The time in UTC.
    pub at: String,
    /// The kind: `http_request`, `message` (over a WebSocket), `utterance`, `question`, `step`, `answer`, `tool`,
    /// `check`, `robot` (what the control loop did), `program` (start or end). Documents write `call`, `said`, `asked`
    /// and `body` for `http_request`, `utterance`, `question` and `robot`.
    #[serde(serialize_with = "old_kind")]
    #[schema(value_type = String)]
    pub kind: String,
    /// The actor: the name of a token, a user or an agent, or the origin of the request.
    #[serde(rename = "who")]
    #[serde(serialize_with = "old_actor")]
    #[schema(value_type = String)]
    pub actor: String,
    /// The role.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// The client's address.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub peer: String,
    /// The request or the event.
    #[serde(rename = "what")]
    pub action: String,
    /// The result: an HTTP status, or text.
    pub outcome: String,
    /// The duration, milliseconds.
    #[serde(rename = "took_ms")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// The robot time in seconds: cycles times period since the robot was opened.
    #[serde(rename = "stage_s")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robot_time_s: Option<f64>,
    /// The id that all entries of one request share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Further data; its shape depends on the kind.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    #[schema(value_type = Object)]
    pub detail: Value,
    /// The entries before this one that were dropped.
    #[serde(rename = "lost")]
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
    /// The id of the process that wrote it.
    #[serde(rename = "run")]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub process_id: String,
    /// Its number in this process, from 0.
    #[serde(default)]
    pub seq: u64,
}

/// An entry as stored in the file.
#[derive(Serialize, Deserialize)]
struct Line {
    at: String,
    kind: String,
    actor: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    role: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    peer: String,
    action: String,
    outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    robot_time_s: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    detail: Value,
    #[serde(default, skip_serializing_if = "is_zero")]
    dropped: u64,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    process_id: String,
    #[serde(default)]
    seq: u64,
}

impl From<Entry> for Line {
    fn from(entry: Entry) -> Self {
        let Entry { at, kind, actor, role, peer, action, outcome, duration_ms, robot_time_s, .. } = entry;
        let Entry { id, detail, dropped, process_id, seq, .. } = entry;
        Line {
            at,
            kind,
            actor,
            role,
            peer,
            action,
            outcome,
            duration_ms,
            robot_time_s,
            id,
            detail,
            dropped,
            process_id,
            seq,
        }
    }
}

impl From<Line> for Entry {
    fn from(line: Line) -> Self {
        let Line { at, kind, actor, role, peer, action, outcome, duration_ms, robot_time_s, .. } = line;
        let Line { id, detail, dropped, process_id, seq, .. } = line;
        Entry {
            at,
            kind,
            actor,
            role,
            peer,
            action,
            outcome,
            duration_ms,
            robot_time_s,
            id,
            detail,
            dropped,
            process_id,
            seq,
        }
    }
}

fn old_kind<S: Serializer>(kind: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(old_word(JOURNAL_KINDS, kind))
}

fn old_actor<S: Serializer>(actor: &str, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(old_word(JOURNAL_ACTORS, actor))
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The id of this process, and the number of its next entry.
fn next() -> (String, u64) {
    static RUN: OnceLock<String> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let run = RUN.get_or_init(|| Uuid::new_v4().simple().to_string().chars().take(12).collect());
    (run.clone(), NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Entry {
    /// Creates an entry with the current time.
    #[must_use]
    pub fn now(kind: &str, who: &str, what: &str, outcome: &str) -> Self {
        Entry {
            at: humantime::format_rfc3339_millis(system_time()).to_string(),
            kind: kind.into(),
            actor: who.into(),
            action: what.into(),
            outcome: outcome.into(),
            ..Entry::default()
        }
    }

    /// Sets the actor's role and address.
    #[must_use]
    pub fn by(self, role: &str, peer: &str) -> Self {
        Entry { role: role.into(), peer: peer.into(), ..self }
    }

    /// Adds further data.
    #[must_use]
    pub fn with(self, detail: Value) -> Self {
        Entry { detail, ..self }
    }

    /// Sets the id of the request, and the robot time.
    #[must_use]
    pub fn of(self, id: &str, robot_time_s: f64) -> Self {
        Entry { id: Some(id.into()), robot_time_s: Some(robot_time_s), ..self }
    }

    /// Sets the number in this process.
    pub(super) fn numbered(mut self) -> Self {
        (self.process_id, self.seq) = next();
        self
    }

    /// Returns its line, with the line end.
    ///
    /// # Errors
    /// When it cannot be serialized.
    pub fn line(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut line = serde_json::to_vec(&Line::from(self.clone()))?;
        // The closing brace comes after the checksum.
        line.pop();
        let sum = crc32fast::hash(&line);
        line.extend_from_slice(format!("{CRC}{sum:08x}\"}}\n").as_bytes());
        Ok(line)
    }

    /// Parses a line without its end; none when it was altered.
    #[must_use]
    pub fn of_line(line: &[u8]) -> Option<Self> {
        let whole = line.strip_suffix(b"\"}")?;
        let (rest, sum) = whole.split_at_checked(whole.len().checked_sub(8)?)?;
        let sum = u32::from_str_radix(str::from_utf8(sum).ok()?, 16).ok()?;
        let body = rest.strip_suffix(CRC.as_bytes())?;
        if crc32fast::hash(body) != sum {
            return None;
        }
        let mut text = body.to_vec();
        text.push(b'}');
        let line = serde_json::from_slice::<Line>(&text).or_else(|_| {
            let mut value = serde_json::from_slice(&text)?;
            files::journal_entry(&mut value);
            serde_json::from_value(value)
        });
        line.ok().map(Entry::from)
    }
}

/// Returns the part before the checksum.
const CRC: &str = ",\"crc\":\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_one_line_and_any_changed_byte_is_noticed() {
        let entry = Entry::now("utterance", "Ada", "nod \"twice\"\nthen rest", "done")
            .with(serde_json::json!({ "crc": "0", "angle": 0.1 }))
            .of("1-2", 3.25)
            .numbered();
        let line = entry.line().unwrap();
        let text = line.strip_suffix(b"\n").unwrap();
        assert!(!text.contains(&b'\n'));
        // A reader without checksums parses the line as JSON.
        assert_eq!(serde_json::from_slice::<Value>(text).unwrap()["robot_time_s"], 3.25);
        assert_eq!(Entry::of_line(text).unwrap(), entry);
        for path in 0..text.len() {
            let mut changed = text.to_vec();
            changed[path] ^= 1;
            assert_eq!(Entry::of_line(&changed), None, "byte {path}");
            assert_eq!(Entry::of_line(&text[..path]), None, "cut at {path}");
        }
    }

    #[test]
    fn an_old_line_is_read_and_its_own_bytes_are_checked() {
        let body = r#"{"at":"2026-11-24T07:46:05.191Z","kind":"body","who":"the pulse","what":"halt","outcome":"braking","stage_s":1.5,"lost":2,"run":"a","seq":7"#;
        let line = format!("{body}{CRC}{:08x}\"}}", crc32fast::hash(body.as_bytes()));
        let entry = Entry::of_line(line.as_bytes()).unwrap();
        assert_eq!((entry.kind.as_str(), entry.actor.as_str()), ("robot", "the control loop"));
        assert_eq!((entry.action.as_str(), entry.robot_time_s), ("halt", Some(1.5)));
        assert_eq!((entry.dropped, entry.process_id.as_str(), entry.seq), (2, "a", 7));
        assert_eq!(Entry::of_line(line.replace("braking", "breaking").as_bytes()), None);
        // Documents have the names that clients already use.
        let document = serde_json::to_value(&entry).unwrap();
        assert_eq!((&document["kind"], &document["who"]), (&"body".into(), &"the pulse".into()));
    }

    #[test]
    fn entries_of_a_run_are_numbered() {
        let [one, two] = [(); 2].map(|()| Entry::now("program", "", "", "").numbered());
        assert_eq!(one.process_id, two.process_id);
        assert!(two.seq > one.seq);
    }
}
