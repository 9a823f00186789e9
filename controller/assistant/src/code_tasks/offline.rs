//! Answers a few kinds of questions without a model. Each is matched word by word, and has code that answers
//! it.
//!
//! `mean|sum|min|max|median|count|std of column X in F`, `how many rows`, `what columns`, `plot column Y
//! against X`, and the sheets, pages and size of a file.

use minismith_protocol::InputFile;
use serde_json::{Value, json};

use super::inputs::columns;
use super::task::{OFFLINE, Written};

/// The questions that need no model, for people.
pub const KNOWN: &str = "\"mean of column X in FILE\" (or sum, minimum, maximum, median, count, standard deviation), \"how \
                         many rows\", \"what columns\", \"plot column Y against X\", \"list the sheets\", \"how many \
                         pages\", \"what size\"";

/// The reason why there is no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    /// The question is none of these.
    #[error("I can't answer this without a language model; without one I know {KNOWN}")]
    NotKnown,
    /// The question is one of these, but not about these files.
    #[error("{0}")]
    NotHere(String),
}

/// Words at the beginning that ask for nothing by themselves.
const FILLERS: [&str; 16] = [
    "please",
    "can you",
    "could you",
    "what is",
    "what's",
    "what are",
    "tell me",
    "show me",
    "give me",
    "find",
    "compute",
    "calculate",
    "me",
    "the",
    "a",
    "an",
];

/// The measures of a column: their words, and their code.
const MEASURES: [(&[&str], &str); 7] = [
    (&["mean", "average", "avg", "mean value", "average value"], "mean"),
    (&["sum", "total"], "sum"),
    (
        &["min", "minimum", "lowest", "smallest", "least", "lowest value", "smallest value", "minimum value"],
        "min",
    ),
    (
        &[
            "max",
            "maximum",
            "highest",
            "largest",
            "greatest",
            "highest value",
            "largest value",
            "maximum value",
        ],
        "max",
    ),
    (&["median", "median value"], "median"),
    (&["count", "number of values"], "count"),
    (&["std", "standard deviation", "stddev"], "std"),
];

/// Interprets a question about these files.
///
/// # Errors
/// [`Declined`], as text for a person.
pub fn read(question: &str, files: &[InputFile]) -> Result<Written, Declined> {
    let text =
        question.trim().trim_end_matches(['?', '.', '!']).split_whitespace().collect::<Vec<_>>().join(" ");
    let (named, text) = take_file(&text, files);
    let text = without_fillers(&text);
    let lower = text.to_ascii_lowercase();
    let reader = Reader { files, named };
    if let Some(rest) = lower.strip_prefix("plot ").and_then(|rest| tail(&text, rest)) {
        return reader.plot(rest);
    }
    match lower.as_str() {
        "how many rows"
        | "how many rows are there"
        | "how many rows does it have"
        | "number of rows"
        | "row count"
        | "count rows"
        | "count of rows" => reader.rows(),
        "columns"
        | "what columns"
        | "which columns"
        | "what columns are there"
        | "which columns are there"
        | "list columns"
        | "list the columns"
        | "column names"
        | "names of columns"
        | "names of the columns"
        | "what columns does it have"
        | "which columns does it have" => reader.columns(),
        "sheets"
        | "list sheets"
        | "list the sheets"
        | "what sheets"
        | "which sheets"
        | "what sheets are there"
        | "which sheets are there"
        | "names of the sheets"
        | "sheet names" => reader.by_kind(
            &["xlsx"],
            "import openpyxl",
            "    return openpyxl.load_workbook(file, read_only=True).sheetnames",
            "sheets",
        ),
        "how many pages"
        | "how many pages are there"
        | "how many pages does it have"
        | "number of pages"
        | "page count"
        | "pages"
        | "list the pages" => {
            reader.by_kind(&["pdf"], "import pypdf", "    return len(pypdf.PdfReader(file).pages)", "pages")
        }
        "size" | "what size" | "dimensions" | "how large is it" | "how big is it" | "what size is it"
        | "list the size" => reader.by_kind(
            &["png", "jpg", "gif", "bmp", "tiff", "webp"],
            "from PIL import Image",
            "    width, height = Image.open(file).size\n    return {\"width\": width, \"height\": height}",
            "dimensions",
        ),
        _ => measured(&text, &lower, &reader),
    }
}

/// Interprets a question about one column.
fn measured(text: &str, lower: &str, reader: &Reader<'_>) -> Result<Written, Declined> {
    for (words, measure) in MEASURES {
        for word in words {
            let of = [format!("{word} of "), format!("{word} in ")];
            let rest = of.iter().find_map(|of| lower.strip_prefix(of.as_str()));
            if let Some(rest) = rest.and_then(|rest| tail(text, rest)) {
                return reader.measure(measure, rest);
            }
        }
    }
    Err(Declined::NotKnown)
}

/// Returns the same end of a text with its original case.
fn tail<'a>(text: &'a str, lower: &str) -> Option<&'a str> {
    text.get(text.len().checked_sub(lower.len())?..)
}

/// Removes the file's name from a question, with the words that lead to it.
fn take_file<'f>(text: &str, files: &'f [InputFile]) -> (Option<&'f InputFile>, String) {
    let lower = text.to_ascii_lowercase();
    let mut named: Vec<&InputFile> = files.iter().collect();
    named.sort_by_key(|file| std::cmp::Reverse(file.name.len()));
    for file in named {
        let name = file.name.to_ascii_lowercase();
        for word in [format!("\"{name}\""), format!("'{name}'"), format!("`{name}`"), name] {
            let Some(at) = lower.find(&word) else { continue };
            let (before, after) =
                (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
            let before = without_last(before, &["the file", "file"]);
            let (was, before) =
                (before, without_last(before, &["are in", "in", "of", "from", "for", "does", "is"]));
            let does = was.to_ascii_lowercase().trim_end().ends_with("does")
                || was.to_ascii_lowercase().ends_with("is ");
            let after = if does && after.trim().eq_ignore_ascii_case("have") { "" } else { after };
            return (Some(file), format!("{} {}", before.trim(), after.trim()).trim().to_owned());
        }
    }
    let short = without_last(
        text,
        &["in this file", "in the file", "of this file", "of the file", "in it", "in the table"],
    );
    (None, short.trim().to_owned())
}

/// Returns a text without one of these endings.
fn without_last<'a>(text: &'a str, words: &[&str]) -> &'a str {
    let text = text.trim_end();
    let lower = text.to_ascii_lowercase();
    let end = words.iter().find_map(|word| {
        let rest = lower.strip_suffix(word)?;
        (rest.is_empty() || rest.ends_with(' ')).then_some(rest.len())
    });
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

fn without_fillers(text: &str) -> String {
    let mut text = text.trim();
    loop {
        let lower = text.to_ascii_lowercase();
        let filler =
            FILLERS.iter().find(|word| lower.strip_prefix(*word).is_some_and(|rest| rest.starts_with(' ')));
        match filler.and_then(|word| text.get(word.len()..)) {
            Some(rest) => text = rest.trim_start(),
            None => return text.to_owned(),
        }
    }
}

struct Reader<'f> {
    files: &'f [InputFile],
    named: Option<&'f InputFile>,
}

impl<'f> Reader<'f> {
    /// Returns the file that is meant: the named one, or the only one that fits.
    fn file(&self, what: &str, fits: impl Fn(&InputFile) -> bool) -> Result<&'f InputFile, Declined> {
        let not_here = |why: String| Err(Declined::NotHere(why));
        match self.named {
            Some(file) if fits(file) => return Ok(file),
            Some(file) => return not_here(format!("{} has no {what}", file.name)),
            None => {}
        }
        let fitting: Vec<&InputFile> = self.files.iter().filter(|file| fits(file)).collect();
        match fitting.as_slice() {
            [file] => Ok(file),
            [] if self.files.is_empty() => not_here("no file is given; name one with --file FILE".into()),
            [] => not_here(format!("none of the files has {what}")),
            several => {
                let names: Vec<&str> = several.iter().map(|file| file.name.as_str()).collect();
                not_here(format!("several files have {what} ({}); say in which one", names.join(", ")))
            }
        }
    }

    /// Returns a column by its name, with the file that has it.
    fn column(&self, asked: &str) -> Result<(&'f InputFile, String), Declined> {
        let asked = without_fillers(asked);
        let lower = asked.to_ascii_lowercase();
        let asked = lower.strip_prefix("column ").and_then(|rest| tail(&asked, rest)).unwrap_or(&asked);
        let asked = asked.strip_suffix(" column").unwrap_or(asked).trim().trim_matches(['"', '\'', '`']);
        let all: Vec<String> = self.files.iter().flat_map(|file| columns(&file.about)).collect();
        let known = |file: &InputFile, name: &str| columns(&file.about).iter().any(|column| column == name);
        let alike: Vec<&String> = all.iter().filter(|name| name.eq_ignore_ascii_case(asked)).collect();
        let name = match (all.iter().find(|name| *name == asked), alike.as_slice()) {
            (Some(name), _) => name.clone(),
            (None, [first, rest @ ..]) if rest.iter().all(|name| name == first) => (*first).clone(),
            _ => {
                let reported = if all.is_empty() { "no columns".into() } else { all.join(", ") };
                return Err(Declined::NotHere(format!("there is no column {asked:?}; there is {reported}")));
            }
        };
        let file = self.file(&format!("column {name:?}"), |file| known(file, &name))?;
        Ok((file, name))
    }

    fn table(file: &InputFile) -> (String, Vec<String>) {
        let name = json!(file.name);
        let sheets = file.about.get("sheets").and_then(Value::as_array);
        let first =
            sheets.filter(|sheets| sheets.len() > 1).and_then(|sheets| sheets.first()?.get("name")?.as_str());
        let assumed = first.map(|sheet| format!("the first sheet, {sheet:?}, is meant"));
        (format!("    table = inputs[{name}].table()\n"), assumed.into_iter().collect())
    }

    fn measure(&self, measure: &str, asked: &str) -> Result<Written, Declined> {
        let (file, column) = self.column(asked)?;
        let (table, assumptions) = Self::table(file);
        let column = json!(column);
        let code = if measure == "count" {
            format!("def answer(inputs, outputs):\n{table}    return int(table[{column}].notna().sum())\n")
        } else {
            format!(
                "import pandas as pd\n\n\ndef answer(inputs, outputs):\n{table}    values = table[{column}]\n    \
                 numbers = pd.to_numeric(values, errors=\"coerce\").dropna()\n    if numbers.empty:\n        \
                 raise ValueError(\"this column holds no numbers\")\n    \
                 print(f\"{{len(numbers)}} of {{len(values)}} values are numbers\")\n    return float(numbers.{measure}())\n"
            )
        };
        Ok(written(code, assumptions))
    }

    fn rows(&self) -> Result<Written, Declined> {
        let file = self.file("rows", |file| !columns(&file.about).is_empty())?;
        let (table, assumptions) = Self::table(file);
        Ok(written(format!("def answer(inputs, outputs):\n{table}    return len(table)\n"), assumptions))
    }

    fn columns(&self) -> Result<Written, Declined> {
        let file = self.file("columns", |file| !columns(&file.about).is_empty())?;
        let (table, assumptions) = Self::table(file);
        let code = format!(
            "def answer(inputs, outputs):\n{table}    return [str(name) for name in table.columns]\n"
        );
        Ok(written(code, assumptions))
    }

    fn plot(&self, asked: &str) -> Result<Written, Declined> {
        let lower = asked.to_ascii_lowercase();
        let between = [" against ", " over ", " versus ", " vs ", " vs. "];
        let split = between.iter().find_map(|word| Some((lower.find(word)?, word.len())));
        let (y, x) = match split {
            Some((at, length)) => (asked.get(..at).unwrap_or_default(), asked.get(at + length..)),
            None => (asked, None),
        };
        let (file, y) = self.column(y)?;
        let (table, assumptions) = Self::table(file);
        let label = json!(y);
        let (x, title) = match x {
            Some(x) => {
                let (other, x) = Reader { files: self.files, named: Some(file) }.column(x)?;
                if other.name != file.name {
                    return Err(Declined::NotHere(format!("{} has no column {x:?}", file.name)));
                }
                (Some(json!(x)), format!("{y} against {x}"))
            }
            None => (None, y.clone()),
        };
        let (axis, values) = match &x {
            Some(x) => (x.to_string(), format!("table[{x}], table[{label}]")),
            None => ("\"row\"".to_owned(), format!("table[{label}]")),
        };
        let reported = json!(format!("plot.png shows {title}"));
        let code = format!(
            "import matplotlib.pyplot as plt\n\n\ndef answer(inputs, outputs):\n{table}    \
             figure, axes = plt.subplots(figsize=(8, 4.5))\n    axes.plot({values})\n    axes.set_xlabel({axis})\n    \
             axes.set_ylabel({label})\n    figure.tight_layout()\n    outputs.save(\"plot.png\", figure)\n    return {reported}\n"
        );
        Ok(written(code, assumptions))
    }

    fn by_kind(&self, kinds: &[&str], import: &str, body: &str, what: &str) -> Result<Written, Declined> {
        let kind = |file: &InputFile| {
            file.about.get("type").and_then(Value::as_str).is_some_and(|kind| kinds.contains(&kind))
        };
        let file = self.file(what, kind)?;
        let name = json!(file.name);
        let code = format!("{import}\n\n\ndef answer(inputs, outputs):\n    file = inputs[{name}]\n{body}\n");
        Ok(written(code, Vec::new()))
    }
}

fn written(code: String, assumptions: Vec<String>) -> Written {
    Written { code, author: OFFLINE.into(), assumptions, reused: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, kind: &str, columns: &[&str]) -> InputFile {
        let columns: Vec<Value> = columns.iter().map(|name| json!({"name": name, "type": "int64"})).collect();
        let mut about = serde_json::Map::from_iter([("type".to_owned(), json!(kind))]);
        if !columns.is_empty() {
            about.insert("columns".into(), json!(columns));
        }
        InputFile { parameter: "inputs".into(), name: name.into(), bytes: 1, about, content: vec![1].into() }
    }

    #[test]
    fn known_questions_are_matched_word_by_word() {
        let files = [
            file("data.csv", "csv", &["a", "b", "Wind Speed"]),
            file("book.xlsx", "xlsx", &["c"]),
            file("r.pdf", "pdf", &[]),
        ];
        for (question, part) in [
            ("What is the mean of column b in data.csv?", "table[\"b\"]"),
            ("mean of b", "numbers.mean()"),
            ("Compute the average of the wind speed column in this file.", "table[\"Wind Speed\"]"),
            ("total of c in book.xlsx", "inputs[\"book.xlsx\"]"),
            ("standard deviation of column \"a\"", "numbers.std()"),
            ("count of a", "notna"),
            ("how many rows are there in data.csv?", "len(table)"),
            ("How many rows does data.csv have?", "len(table)"),
            ("what columns are in book.xlsx", "table.columns"),
            ("Plot column b against a from data.csv", "axes.plot(table[\"a\"], table[\"b\"])"),
            ("plot wind speed over a", "axes.plot(table[\"a\"], table[\"Wind Speed\"])"),
            ("plot c", "axes.plot(table[\"c\"])"),
            ("list the sheets in book.xlsx", "sheetnames"),
            ("how many pages does r.pdf have?", "pages"),
        ] {
            let written = read(question, &files).unwrap_or_else(|no| panic!("{question}: {no}"));
            assert!(written.code.contains(part), "{question}: {}", written.code);
            assert!(minismith_analysis::policy::vet_script(&written.code).is_ok(), "{}", written.code);
        }
    }

    #[test]
    fn other_questions_are_declined() {
        let files = [file("data.csv", "csv", &["a", "A", "b"]), file("other.csv", "csv", &["b"])];
        for (question, word) in [
            ("why is the sky blue?", "language model"),
            ("mean of b divided by a", "no column"),
            ("mean of z", "a, A, b"),
            ("mean of b", "several files"),
            ("how many rows", "several files"),
            ("plot z against a", "no column"),
            ("list the sheets", "none of the files"),
            ("mean of a in other.csv", "other.csv has no"),
            ("", "language model"),
            ("delete all rows", "language model"),
        ] {
            let declined = read(question, &files).unwrap_err().to_string();
            assert!(declined.contains(word), "{question}: {declined}");
        }
        assert!(read("mean of A", &files).is_ok_and(|written| written.code.contains("table[\"A\"]")));
        assert!(read("mean of a", &[]).unwrap_err().to_string().contains("no column"));
        assert!(read("how many rows", &[]).unwrap_err().to_string().contains("--file"));
    }
}
