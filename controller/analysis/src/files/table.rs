//! Tables: the delimiter, the columns and the rows of a CSV file.

use serde_json::{Map, Value, json};

use super::excerpt::{MAX_NAMES, short};

/// Possible delimiters, the most likely first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Returns the properties of a table.
///
/// Counts rows as Python's `csv` does: empty lines are not rows, and line ends inside quotes do not end
/// one.
pub(super) fn about(text: &str) -> Result<Map<String, Value>, String> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let most = |delimiter: &u8| (first.bytes().filter(|byte| byte == delimiter).count(), 255 - delimiter);
    // The first of several that occur equally often.
    let mut delimiter = b',';
    for other in DELIMITERS {
        if most(&other).0 > most(&delimiter).0 {
            delimiter = other;
        }
    }
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .has_headers(false)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut columns: Vec<String> = Vec::new();
    let (mut rows, mut uneven, mut record) = (0_u64, 0_u64, csv::StringRecord::new());
    let mut width = None;
    while reader.read_record(&mut record).map_err(|error| error.to_string())? {
        match width {
            None => {
                width = Some(record.len());
                columns = record.iter().take(MAX_NAMES).map(short).collect();
            }
            Some(width) => {
                rows += 1;
                uneven += u64::from(record.len() != width);
            }
        }
    }
    let mut about = Map::new();
    about.insert("delimiter".into(), json!(char::from(delimiter).to_string()));
    about.insert("columns".into(), json!(columns));
    about.insert("column_count".into(), json!(width.unwrap_or(0)));
    about.insert("rows".into(), json!(rows));
    about.insert("uneven_rows".into(), json!(uneven));
    Ok(about)
}
