//! The result of a measurement: our number, the baseline, and their ratio.

use std::fmt::Write;

use serde::Serialize;

use super::Failed;

/// Whether a smaller or a larger number is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Better {
    /// Smaller is better, as for a time.
    Lower,
    /// Larger is better, as for a rate.
    Higher,
}

/// One result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name, a contract with the readers of results.
    pub name: String,
    /// Our number; none when it could not be measured.
    pub ours: Option<f64>,
    /// The baseline's number; none without a peer, or when it is not installed.
    pub peer: Option<f64>,
    /// The name of the baseline.
    pub peer_name: Option<String>,
    /// The unit of both.
    pub unit: &'static str,
    /// The ratio in our favour: above one, ours is better.
    pub ratio: Option<f64>,
    /// What a reader needs to judge the numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Row {
    /// Creates a row without a peer. Its note explains a missing number.
    pub(super) fn alone(name: &str, unit: &'static str, ours: Result<f64, Failed>) -> Row {
        let (ours, note) = match ours {
            Ok(ours) => (Some(ours), None),
            Err(failed) => (None, Some(failed.to_string())),
        };
        Row { name: name.to_owned(), ours, peer: None, peer_name: None, unit, ratio: None, note }
    }

    /// Adds a peer to the row.
    pub(super) fn against(mut self, peer_name: &str, peer: Option<f64>, better: Better) -> Row {
        self.peer_name = Some(peer_name.to_owned());
        self.peer = peer;
        self.ratio = self.ours.zip(peer).and_then(|(ours, peer)| ratio(ours, peer, better));
        self
    }

    /// Adds a note to the row.
    pub(super) fn noting(mut self, note: &str) -> Row {
        if !note.is_empty() {
            let before = self.note.take().map(|before| before + "; ").unwrap_or_default();
            self.note = Some(before + note);
        }
        self
    }
}

/// Returns the ratio in our favour; none when a number is zero.
fn ratio(ours: f64, peer: f64, better: Better) -> Option<f64> {
    let ratio = match better {
        Better::Lower => peer / ours,
        Better::Higher => ours / peer,
    };
    ratio.is_finite().then_some(ratio)
}

/// Returns all rows as a table.
#[must_use]
pub fn table(rows: &[Row]) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), short);
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut text =
        format!("{:width$}  {:>10}  {:>10}  {:5}  {:>7}  {}\n", "", "ours", "peer", "unit", "ratio", "peer");
    for row in rows {
        let Row { name, ours, peer, unit, ratio, .. } = row;
        let (ours, peer, ratio) = (number(*ours), number(*peer), number(*ratio));
        let who = row.peer_name.as_deref().unwrap_or("-");
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{name:width$}  {ours:>10}  {peer:>10}  {unit:5}  {ratio:>7}  {who}");
    }
    let mut notes: Vec<(&str, Vec<&str>)> = Vec::new();
    for (note, name) in rows.iter().filter_map(|row| Some((row.note.as_deref()?, row.name.as_str()))) {
        match notes.iter_mut().find(|(known, _)| *known == note) {
            Some((_, names)) => names.push(name),
            None => notes.push((note, vec![name])),
        }
    }
    for (note, names) in notes {
        let _ = writeln!(text, "{}: {note}", names.join(", "));
    }
    text.trim_end().to_owned()
}

/// Formats a number with at least three significant digits.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 4,
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn above_one_is_better_than_the_peer() {
        let row = |ours, peer, better| Row::alone("x", "us", Ok(ours)).against("them", peer, better).ratio;
        assert_eq!(row(2.0, Some(6.0), Better::Lower), Some(3.0));
        assert_eq!(row(400.0, Some(50.0), Better::Higher), Some(8.0));
        assert_eq!(row(2.0, None, Better::Lower), None);
        assert_eq!(row(0.0, Some(1.0), Better::Lower), None);
        let failed = Row::alone("x", "us", Err(Failed("no line".into())));
        assert_eq!((failed.ours, failed.note.as_deref()), (None, Some("no line")));
    }

    #[test]
    fn missing_numbers_are_null_and_the_table_holds_every_row_and_note() {
        let rows = [
            Row::alone("ik", "us", Ok(1.5)).against("them", Some(4.5), Better::Lower).noting("a").noting("b"),
            Row::alone("beat_cost", "ns", Ok(1234.0)),
        ];
        let written = serde_json::to_value(&rows).unwrap();
        assert_eq!(written[0]["ratio"], 3.0);
        assert_eq!(written[0]["note"], "a; b");
        assert!(written[1]["peer"].is_null() && written[1]["ratio"].is_null());
        let table = table(&rows);
        for word in ["ik", "1.50", "4.50", "3.00", "them", "beat_cost", "1234", "a; b"] {
            assert!(table.contains(word), "{word} is missing:\n{table}");
        }
    }
}
