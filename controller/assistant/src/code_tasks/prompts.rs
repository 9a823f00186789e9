//! Builds the prompts for the author and the examiner of a script. The question, the files and the results
//! are data.

use serde_json::{Value, json};

use super::report::Report;
use minismith_language_model::{Form, Message, Part, Prompt, Role};

const WRITE: &str = "\
You write one Python script that answers a question about files. Answer with the whole script in one ```python block and \
nothing else. It has exactly this shape:

```python
import pandas as pd


def answer(inputs, outputs):
    table = inputs[\"NAME.csv\"].table()
    return float(table[\"COLUMN\"].mean())
```

Rules:
- `inputs` maps file names to open binary files. `inputs[name].table()` gives a pandas.DataFrame (csv, xlsx, parquet, json, \
xml), `.text()` a text, `.json()` a JSON document, `.lines()` lines; every library that takes an open file takes it: \
`pd.read_excel(inputs[name], sheet_name=...)`, `h5py.File(inputs[name])`, `pypdf.PdfReader(inputs[name])`, \
`Image.open(inputs[name])`.
- Nothing else can be read: no paths, no `open`, no network, no processes, no threads, no pickles, no eval or query.
- Write files by `outputs.save(\"NAME.png\", what)`: a matplotlib figure, a table (.csv, .json, .xlsx, .parquet), a picture, \
text or bytes.
- Return the answer from `answer`: a number, a text, or a list or dictionary of these. Never invent a value. Raise \
ValueError where the files do not hold what is asked for.
- Only numpy, pandas, scipy, matplotlib.pyplot, openpyxl, pypdf, h5py, PIL, yaml and the standard library's modules for \
computing.";

const VERIFY: &str = "\
You examine the answer that a script gave to a question about files. `answers` is true only if this code computes what the \
question asks for, with the right files, columns and units, and the answer is of the kind that was asked for. Else \
`problem` says in one sentence what the code must do differently. `assumptions` lists what was assumed where the question \
is open.";

/// The maximum length of a text that is shown, in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// Builds the prompt for the first script.
pub fn write(question: &str, files: &str, max_tokens: u32) -> Prompt {
    prompt(
        "code_task",
        WRITE,
        vec![data("the question", question), data("the files", files)],
        Form::Text,
        max_tokens,
    )
}

/// Builds the prompt for the next script.
pub fn repair(report: &Report, files: &str, problem: &str, max_tokens: u32) -> Prompt {
    let parts = vec![
        data("the question", &report.question),
        data("the files", files),
        data("the script so far", &report.code),
        data("what it printed", &report.output),
        data("what is wrong with it", problem),
        Part::Text { text: "Mend it. Answer with the whole script.".into() },
    ];
    prompt("code_task_mend", WRITE, parts, Form::Text, max_tokens)
}

/// Builds the prompt that asks whether the result answers the question.
pub fn verify(report: &Report, files: &str, max_tokens: u32) -> Prompt {
    let outputs: Vec<String> =
        report.outputs.iter().map(|it| format!("{} ({} bytes)", it.name, it.bytes)).collect();
    let parts = vec![
        data("the question", &report.question),
        data("the files", files),
        data("the script", &report.code),
        data("its answer", &report.answer.to_string()),
        data("what it printed", &report.output),
        data("the files that it wrote", &outputs.join("\n")),
        Part::Text { text: "Does it answer the question?".into() },
    ];
    let schema = json!({
        "type": "object",
        "properties": {
            "answers": {"type": "boolean"},
            "problem": {"type": "string"},
            "assumptions": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["answers", "problem", "assumptions"],
        "additionalProperties": false,
    });
    prompt("code_task_verify", VERIFY, parts, Form::Json(schema), max_tokens)
}

/// Describes the files as text.
pub fn files(files: &[minismith_protocol::InputFile]) -> String {
    if files.is_empty() {
        return "no files".into();
    }
    let reported = files.iter().map(|file| {
        let about: String =
            Value::Object(file.about.clone()).to_string().chars().take(MAX_TEXT_CHARS).collect();
        format!("{} ({} bytes): {about}", json!(file.name), file.bytes)
    });
    reported.collect::<Vec<_>>().join("\n")
}

fn prompt(
    purpose: &'static str,
    instructions: &str,
    parts: Vec<Part>,
    form: Form,
    max_tokens: u32,
) -> Prompt {
    let messages = vec![Message { role: Role::Person, parts }];
    Prompt { purpose, instructions: instructions.to_owned(), messages, form, max_tokens }
}

fn data(source: &str, text: &str) -> Part {
    Part::Data { source: source.into(), text: text.chars().take(MAX_TEXT_CHARS).collect() }
}
