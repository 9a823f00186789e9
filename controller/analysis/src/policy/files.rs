//! Finds file parameters in a signature, and reads their types, names and sizes from the docstring.
//!
//! `table: CSV or JSON file of at most 5 MB.` accepts those two types. A description without a type accepts
//! all of them. `out: Writes report.md and a plot as SVG, at most 2 MB.` declares one file by name and
//! others by type.

use minismith_protocol::MAX_FILE_BYTES;
use rustpython_parser::ast::{Constant, Expr, Operator};
use serde_json::{Value, json};

use super::name_resolution::Survey;
use super::tree::text;
use crate::files::{Kind, Outputs};

/// Default size limit of an input file, in bytes.
const DEFAULT_SIZE: u64 = 1 << 20;

/// Returns whether an annotation names the type for output files.
pub(super) fn is_outputs(annotation: &Expr, survey: &Survey) -> bool {
    is(annotation, "OutputFiles", survey)
}

fn is(annotation: &Expr, name: &str, survey: &Survey) -> bool {
    survey.is(annotation, "minismith", name) || text(annotation).is_some_and(|quoted| quoted.trim() == name)
}

/// Returns the schema of an input file, required or optional; none if the annotation is another type.
pub(super) fn schema(
    annotation: &Expr,
    description: Option<&str>,
    survey: &Survey,
) -> Option<Result<Value, String>> {
    let is_input = |annotation: &Expr| is(annotation, "InputFile", survey);
    if is_input(annotation) {
        return Some(file(description));
    }
    let inner = match annotation {
        Expr::BinOp(union) if union.op == Operator::BitOr => match (&*union.left, &*union.right) {
            (file, none) | (none, file) if is_none(none) => file,
            _ => return None,
        },
        Expr::Subscript(subscript) if survey.is(&subscript.value, "typing", "Optional") => &*subscript.slice,
        _ => return None,
    };
    is_input(inner).then(|| Ok(json!({"anyOf": [file(description)?, {"type": "null"}]})))
}

fn is_none(expr: &Expr) -> bool {
    matches!(expr, Expr::Constant(constant) if constant.value == Constant::None)
}

fn file(description: Option<&str>) -> Result<Value, String> {
    let description = description.unwrap_or_default();
    let named = kinds(description);
    let kinds = Kind::INPUTS.into_iter().filter(|kind| named.is_empty() || named.contains(kind));
    let types: Vec<&str> = kinds.map(Kind::name).collect();
    if types.is_empty() {
        return Err("a file of a type that can only be written".into());
    }
    let most = length(description).unwrap_or(DEFAULT_SIZE);
    if most > MAX_FILE_BYTES as u64 {
        return Err(format!(
            "a file of up to {most} bytes; at most {} MB can be given",
            MAX_FILE_BYTES >> 20
        ));
    }
    Ok(json!({"type": "string", "format": "file", "types": types, "maxBytes": most}))
}

/// Returns the outputs that a description declares, clamped to the permitted size and number.
pub(super) fn outputs(description: Option<&str>) -> Outputs {
    let description = description.unwrap_or_default();
    let edge = |c: char| !c.is_alphanumeric() && c != '_';
    let words = description.split_whitespace().map(|word| word.trim_matches(edge));
    let names: Vec<String> = words
        .filter(|word| word.split_once('.').is_some_and(|(stem, _)| !stem.is_empty()))
        .filter(|word| Kind::from_name(word).is_some())
        .map(ToOwned::to_owned)
        .collect();
    let rest: Vec<&str> = description
        .split_whitespace()
        .filter(|word| !names.iter().any(|name| name == word.trim_matches(edge)))
        .collect();
    let types: Vec<String> = kinds(&rest.join(" ")).into_iter().map(|kind| kind.name().to_owned()).collect();
    let usual = Outputs::default();
    let types = if names.is_empty() && types.is_empty() { usual.types } else { types };
    let max_bytes = length(description).map_or(usual.max_bytes, |most| most.min(usual.max_bytes));
    Outputs { names, types, max_bytes, ..usual }
}

/// Returns the file types that a description names.
fn kinds(description: &str) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for word in description.split(|c: char| !c.is_alphanumeric()) {
        // Some words for types are also English words, or mean other things.
        if let Some(kind) = Kind::from_word(word)
            && !kinds.contains(&kind)
        {
            kinds.push(kind);
        }
    }
    if description.to_lowercase().contains("text file") && !kinds.contains(&Kind::Txt) {
        kinds.push(Kind::Txt);
    }
    kinds
}

/// Reads a size such as `at most 5 MB`, `at most 200 KB` or `at most 1000 bytes`.
fn length(description: &str) -> Option<u64> {
    let lower = description.to_lowercase();
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_matches([',', ';', ')', '('])).collect();
    words.windows(4).find_map(|window| {
        let ["at", "most", number, unit] = window else { return None };
        let unit = match unit.trim_end_matches('.') {
            "bytes" => 1,
            "kb" | "kib" => 1 << 10,
            "mb" | "mib" => 1 << 20,
            "gb" | "gib" => 1 << 30,
            _ => return None,
        };
        let bytes = number.parse::<f64>().ok()? * f64::from(unit);
        (bytes >= 1.0).then_some(bytes as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_lengths_are_read_from_words() {
        let says = |description: &str| file(Some(description)).unwrap();
        let table = says("CSV or JSON file of at most 5 MB with one row for each measurement.");
        assert_eq!((&table["types"], &table["maxBytes"]), (&json!(["csv", "json"]), &json!(5 << 20)));
        let any = says("What to read.");
        assert_eq!(any["types"].as_array().unwrap().len(), Kind::INPUTS.len());
        assert_eq!(any["maxBytes"], 1 << 20);
        assert_eq!(says("A text file (at most 200 kB).")["types"], json!(["txt"]));
        assert_eq!(says("A JPEG picture, at most 0.5 MB.")["maxBytes"], 512 << 10);
        assert!(file(Some("CSV of at most 51 MB.")).unwrap_err().contains("50 MB"));
        assert!(file(Some("CSV of at most 1e300 GB.")).is_err());
        assert!(file(Some("An SVG drawing.")).is_err());
    }

    #[test]
    fn outputs_are_read_from_words() {
        let out = outputs(Some("Writes report.md, `plot.svg` and tables as CSV, at most 2 MB together."));
        assert_eq!(out.names, ["report.md", "plot.svg"]);
        assert_eq!((out.types, out.max_bytes, out.max_files), (vec!["csv".to_owned()], 2 << 20, 16));
        assert_eq!(outputs(Some("Where to write, e.g. anything.")), Outputs::default());
        assert_eq!(outputs(Some("at most 900 MB")).max_bytes, Outputs::DEFAULT_MAX_BYTES);
    }
}
