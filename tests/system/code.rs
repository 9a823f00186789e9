//! Code tasks: questions about files of every type, answered by scripts in the real sandbox with the real libraries.
//! They cover a model that is wrong at first, and hostile scripts and files.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use minismith_assistant::code_tasks::inputs::{BadInput, prepare};
use minismith_assistant::code_tasks::report::{Report, Verifier};
use minismith_assistant::code_tasks::sandbox::{self, Failure, LIMITS, RunResult};
use minismith_assistant::code_tasks::{CodeTasks, Request, read_files};
use minismith_language_model::{Completion, Model, ModelAnswer, ModelCallError, Prompt, Tokens, Watch};
use minismith_protocol::{InputFile, Limits};
use minismith_runtime::config::Config;
use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};

use super::cli::{listening, send};

/// Files of every type, written by the libraries themselves into the given folder.
const FIXTURES: &str = r#"
import io, json, sys, tarfile, zipfile, zlib
import h5py, numpy as np, pandas as pd, pypdf, openpyxl
from PIL import Image

folder = sys.argv[1] + "/"
table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [2.5, 3.5, None, 6.0], "Wind Speed": [9, 8, 7, 6], "name": list("xyxy")})
table.to_csv(folder + "data.csv", index=False)
table.to_csv(folder + "points.csv", index=False, sep=";", encoding="utf-16")
with pd.ExcelWriter(folder + "book.xlsx") as book:
    table.to_excel(book, sheet_name="first", index=False)
    table.head(2).to_excel(book, sheet_name="second", index=False)
table.to_parquet(folder + "table.parquet")
json.dump(table.dropna().to_dict("records"), open(folder + "rows.json", "w"))
open(folder + "settings.yaml", "w").write("robot: mock\nlimits: {speed: 6}\n")
open(folder + "tree.xml", "w").write("<plan><step n='1'/><step n='2'><note>x</note></step></plan>")
open(folder + "notes.txt", "w").write("one\ntwo\n")
with h5py.File(folder + "store.h5", "w") as store:
    store.create_dataset("run/joints", data=np.arange(18.0).reshape(2, 9), compression="gzip")
np.save(folder + "array.npy", np.arange(6.0).reshape(2, 3))
writer = pypdf.PdfWriter()
[writer.add_blank_page(200, 100) for _ in range(3)]
writer.write(folder + "paper.pdf")
for name in ("png", "jpg", "gif", "bmp", "tiff", "webp"):
    Image.new("RGB", (30, 20), "red").save(f"{folder}picture.{name}")
with zipfile.ZipFile(folder + "archive.zip", "w") as archive:
    archive.writestr("inside/one.txt", "x" * 1000)
with tarfile.open(folder + "archive.tar.gz", "w:gz") as archive:
    archive.add(folder + "notes.txt", "deep/notes.txt")

# What means harm.
with zipfile.ZipFile(folder + "bomb.xlsx", "w") as archive:
    archive.writestr("xl/worksheets/sheet1.xml", "x")
raw = bytearray(open(folder + "bomb.xlsx", "rb").read())
at = raw.index(b"PK\x01\x02")
raw[at + 24 : at + 28] = (4_000_000_000).to_bytes(4, "little")
open(folder + "bomb.xlsx", "wb").write(raw)

# Ten thousand million bytes, packed: one block that unfolds to a million zeros, over and over.
packer = zlib.compressobj(9, zlib.DEFLATED, -15)
block = packer.compress(b"\0" * 1_000_000) + packer.flush(zlib.Z_FULL_FLUSH)
body = block * 10_000 + zlib.compressobj(9, zlib.DEFLATED, -15).flush()
header = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
open(folder + "bomb.gz", "wb").write(header + body + b"\0" * 8)
open(folder + "bomb.tar.gz", "wb").write(header + body + b"\0" * 8)
for name in ("xlsx", "parquet", "h5", "pdf", "zip", "png", "gif", "npy"):
    whole = {"xlsx": "book.xlsx", "parquet": "table.parquet", "h5": "store.h5", "pdf": "paper.pdf", "zip": "archive.zip",
             "png": "picture.png", "gif": "picture.gif", "npy": "array.npy"}[name]
    content = open(folder + whole, "rb").read()
    open(f"{folder}half.{name}", "wb").write(content[: max(len(content) // 2, 12)])
    broken = bytearray(content)
    for place in range(16, len(broken), 7):
        broken[place] ^= 0x5A
    open(f"{folder}broken.{name}", "wb").write(broken)
open(folder + "laughs.xml", "w").write(
    '<!DOCTYPE x [<!ENTITY a "haha">' + "".join(f'<!ENTITY {n} "{("&" + p + ";") * 10}">' for p, n in zip("abcdefghi", "bcdefghij")) + "]><x>&j;</x>"
)
"#;

fn python() -> Option<PathBuf> {
    let python = workspace().join(".venv-code/bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: the libraries for code tasks are not installed; run `make code`");
    None
}

/// Returns a test folder that contains the fixtures.
#[allow(clippy::disallowed_methods)] // The fixtures are written by the real libraries.
fn bench() -> Option<TestDir> {
    let python = python()?;
    let bench = TestDir::new();
    let ran = std::process::Command::new(python).args(["-c", FIXTURES]).arg(bench.path("")).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    Some(bench)
}

/// Returns one warm host for the tests of this process.
fn tasks() -> &'static CodeTasks {
    static TASKS: OnceLock<CodeTasks> = OnceLock::new();
    TASKS.get_or_init(|| CodeTasks::new(&config()).within(Limits { cpu_seconds: 10, ..LIMITS }))
}

fn config() -> Config {
    let mut config = Config::built_in().unwrap();
    config.tool_host.python = workspace().join(".venv/bin/python");
    config.tools = tempfile::tempdir().unwrap().keep();
    config
}

fn given(bench: &TestDir, names: &[&str]) -> Vec<InputFile> {
    let paths: Vec<PathBuf> = names.iter().map(|name| bench.path(name)).collect();
    prepare(tasks().sandbox(), read_files(&paths).unwrap()).unwrap()
}

fn about(bench: &TestDir, name: &str) -> Value {
    Value::Object(given(bench, &[name]).remove(0).about)
}

fn ask(bench: &TestDir, question: &str, names: &[&str]) -> Report {
    let paths: Vec<PathBuf> = names.iter().map(|name| bench.path(name)).collect();
    let request = Request { question: question.into(), files: read_files(&paths).unwrap() };
    tasks().answer(request, None, &mut || Watch::On).unwrap()
}

/// Runs a script without a policy.
fn run(body: &str, files: &[InputFile], limits: Limits) -> RunResult {
    let source = format!("def answer(inputs, outputs):\n    {}\n", body.replace('\n', "\n    "));
    sandbox::run(tasks().sandbox(), &source, None, files, limits).unwrap()
}

/// One test, since to load the libraries takes seconds, and these share one warm host and one set of files.
#[test]
fn files_are_described_and_queried() {
    let Some(bench) = bench() else { return };
    contents_of_every_file_type_are_described(&bench);
    simple_questions_are_answered_without_a_model(&bench);
    every_table_format_is_queried(&bench);
}

/// One test for the same reason.
#[test]
fn hostile_files_and_scripts_are_stopped_and_libraries_work() {
    let Some(bench) = bench() else { return };
    hostile_files_are_reported_and_harmless(&bench);
    libraries_work_without_a_file_system(&bench);
    hostile_script_is_stopped();
}

fn contents_of_every_file_type_are_described(bench: &TestDir) {
    let csv = about(bench, "data.csv");
    assert_eq!((&csv["type"], &csv["rows"], &csv["delimiter"]), (&json!("csv"), &json!(4), &json!(",")));
    assert_eq!(csv["columns"][1], json!({"name": "b", "type": "float64", "samples": ["2.5", "3.5", "6.0"]}));
    let points = about(bench, "points.csv");
    assert_eq!(
        (&points["delimiter"], &points["columns"][2]["name"]),
        (&json!(";"), &json!("Wind Speed")),
        "{points}"
    );
    assert!(points["encoding"].as_str().unwrap().contains("16"), "{points}");
    let book = about(bench, "book.xlsx");
    assert_eq!(book["sheets"][1]["name"], "second", "{book}");
    assert_eq!((&book["sheets"][1]["rows"], &book["columns"][0]["name"]), (&json!(2), &json!("a")));
    let parquet = about(bench, "table.parquet");
    assert_eq!((&parquet["rows"], &parquet["schema"]["b"]), (&json!(4), &json!("double")), "{parquet}");
    let rows = about(bench, "rows.json");
    assert_eq!((&rows["entries"], &rows["columns"][0]["name"]), (&json!(3), &json!("a")), "{rows}");
    let settings = about(bench, "settings.yaml");
    assert_eq!(settings["keys"], json!(["robot", "limits"]), "{settings}");
    let tree = about(bench, "tree.xml");
    assert_eq!(
        (&tree["root"], &tree["elements"]["step"], &tree["depth"]),
        (&json!("plan"), &json!(2), &json!(3))
    );
    assert_eq!(about(bench, "notes.txt")["lines"], 2);
    let store = about(bench, "store.h5");
    assert_eq!(
        store["datasets"][1],
        json!({"path": "run/joints", "shape": [2, 9], "type": "float64"}),
        "{store}"
    );
    assert_eq!(about(bench, "array.npy")["greatest"], 5.0);
    assert_eq!(about(bench, "paper.pdf")["pages"], 3);
    for kind in ["png", "jpg", "gif", "bmp", "tiff", "webp"] {
        let image = about(bench, &format!("picture.{kind}"));
        assert_eq!((&image["width"], &image["height"]), (&json!(30), &json!(20)), "{image}");
    }
    let zip = about(bench, "archive.zip");
    assert_eq!(zip["files"], json!([{"name": "inside/one.txt", "bytes": 1000}]), "{zip}");
    assert_eq!(about(bench, "archive.tar.gz")["files"][0]["name"], "deep/notes.txt");
}

fn simple_questions_are_answered_without_a_model(bench: &TestDir) {
    let ran =
        bench.run(&["code", "what is the mean of column b in data.csv?", "--file", "data.csv", "--json"]);
    let report = ran.exits(0).json();
    assert_eq!(
        (&report["success"], &report["answer"], &report["reused"]),
        (&json!(true), &json!(4.0), &json!(false))
    );
    assert_eq!(
        (&report["iterations"], &report["modifications"], &report["error"]),
        (&json!(1), &json!([]), &Value::Null)
    );
    assert_eq!(report["output"], "3 of 4 values are numbers\n");
    for (name, wanted) in [("code", "def answer"), ("author", "offline")] {
        assert!(report[name].as_str().unwrap().contains(wanted), "{report}");
    }
    assert!(
        report["execution_time_s"].as_f64().is_some() && report["verification_history"][2]["by"] == "rules"
    );

    // The same question about a file with another name: the code is stored, and the new file is read.
    fs::write(bench.path("later.csv"), "a,b,Wind Speed,name\n1,10,2,x\n").unwrap();
    let again = ["code", "mean of b in later.csv", "--file", "later.csv", "--json"];
    let report = bench.run(&again).exits(0).json();
    assert_eq!((&report["answer"], &report["reused"]), (&json!(10.0), &json!(true)), "{report}");
    let report = bench
        .run(&["code", "What is the mean of b in data.csv?", "--file", "data.csv", "--json"])
        .exits(0)
        .json();
    assert_eq!((&report["answer"], &report["reused"]), (&json!(4.0), &json!(true)), "{report}");

    let plot = ["code", "plot wind speed against a", "--file", "data.csv", "--out", "plots"];
    let reported = bench.run(&plot).exits(0).out;
    assert!(reported.contains("plots/plot.png"), "{reported}");
    assert!(fs::read(bench.path("plots/plot.png")).unwrap().starts_with(b"\x89PNG"));
    let declined = bench.run(&["code", "why is it so?", "--file", "data.csv"]).exits(1).out;
    assert!(declined.contains("language model") && declined.contains("how many rows"), "{declined}");
    bench.run(&["code", "mean of b", "--file", "nowhere.csv"]).is_error(&["nowhere.csv"]);
    bench.run(&["code", "mean of b", "--file", "."]).is_error(&["not a regular file"]);
}

fn every_table_format_is_queried(bench: &TestDir) {
    for (question, file, answer) in [
        ("sum of a", "book.xlsx", json!(10.0)),
        ("median of a", "table.parquet", json!(2.5)),
        ("maximum of wind speed", "points.csv", json!(9.0)),
        ("count of b", "table.parquet", json!(3)),
        ("lowest value of b", "rows.json", json!(2.5)),
        ("how many rows does rows.json have?", "rows.json", json!(3)),
        ("what columns are in table.parquet?", "table.parquet", json!(["a", "b", "Wind Speed", "name"])),
        ("list the sheets", "book.xlsx", json!(["first", "second"])),
        ("how many pages?", "paper.pdf", json!(3)),
        ("what size is picture.webp?", "picture.webp", json!({"width": 30, "height": 20})),
    ] {
        let report = ask(bench, question, &[file]);
        assert!(report.success && report.answer == answer, "{question}: {report:?}");
    }
    let sheets = ask(bench, "mean of a in book.xlsx", &["book.xlsx"]);
    assert!(sheets.assumptions[0].contains("first sheet"), "{sheets:?}");
    let words = ask(bench, "mean of name in data.csv", &["data.csv"]);
    assert!(!words.success && words.error.unwrap().contains("no numbers"));
}

/// A model with scripted replies that stores its prompts.
struct Scripted {
    says: VecDeque<Completion>,
    asked: Vec<Prompt>,
}

impl Scripted {
    fn new(says: impl IntoIterator<Item = Completion>) -> Self {
        Scripted { says: says.into_iter().collect(), asked: vec![] }
    }
}

impl Model for Scripted {
    fn answer(
        &mut self,
        prompt: &Prompt,
        _: &mut dyn FnMut(&str) -> Watch,
    ) -> Result<ModelAnswer, ModelCallError> {
        self.asked.push(prompt.clone());
        let said = self.says.pop_front().ok_or(ModelCallError::GivenUp)?;
        Ok(ModelAnswer { completion: said, tokens: Tokens::default(), from: "scripted".into() })
    }
}

fn script(body: &str) -> Completion {
    let body = body.replace('\n', "\n    ");
    Completion::Text(format!(
        "```python\nimport numpy as np\n\n\ndef answer(inputs, outputs):\n    {body}\n```"
    ))
}

fn verdict(answers: bool, problem: &str) -> Completion {
    Completion::Json(json!({"answers": answers, "problem": problem, "assumptions": []}))
}

#[test]
fn model_corrects_a_wrong_column() {
    let Some(bench) = bench() else { return };
    let files = read_files(&[bench.path("data.csv")]).unwrap();
    let question = "How much stronger is the strongest wind than the weakest?";
    let tasks = CodeTasks::new(&config());
    let mut model = Scripted::new([
        script("import os\nreturn os.listdir('/')"),
        script("return inputs['data.csv'].table()['wind'].max()"),
        script("wind = inputs['data.csv'].table()['a']\nreturn wind.max() - wind.min()"),
        verdict(false, "it takes column a; the wind is in \"Wind Speed\""),
        script(
            "wind = inputs['data.csv'].table()['Wind Speed']\nprint(len(wind))\nreturn wind.max() - wind.min()",
        ),
        verdict(true, ""),
    ]);
    let request = || Request { question: question.into(), files: files.clone() };
    let report = tasks.answer(request(), Some(&mut model), &mut || Watch::On).unwrap();
    assert!(report.success && report.answer == 3 && report.output == "4\n", "{report:?}");
    assert_eq!((report.iterations, report.modifications.len(), report.author.as_str()), (4, 3, "scripted"));
    let failed: Vec<Verifier> =
        report.verification_history.iter().filter(|it| !it.passed).map(|it| it.by).collect();
    assert_eq!(failed, [Verifier::Policy, Verifier::Run, Verifier::Model]);
    assert!(report.modifications[1].contains("KeyError"), "{:?}", report.modifications);
    let reported: Vec<String> = model.asked.iter().map(|prompt| format!("{:?}", prompt.messages)).collect();
    assert!(
        reported[0].contains("Wind Speed")
            && reported[1].contains("unlisted-import")
            && reported[4].contains("it takes column a")
    );
    assert!(model.asked.iter().all(|prompt| !prompt.instructions.contains("Wind")), "files are data");

    // The next request finds the code. The model only reviews its result.
    let mut next = Scripted::new([verdict(true, "")]);
    let report = tasks.answer(request(), Some(&mut next), &mut || Watch::On).unwrap();
    assert!(report.reused && report.answer == 3 && report.iterations == 1, "{report:?}");
    assert_eq!(next.asked.len(), 1);
    // It also works without a model.
    assert_eq!(tasks.answer(request(), None, &mut || Watch::On).unwrap().answer, 3);
}

fn hostile_script_is_stopped() {
    let quick = Limits { cpu_seconds: 3, ..LIMITS };
    for (body, word) in [
        ("return open('/etc/passwd').read()", "open_files"),
        ("import io\nreturn io.FileIO('/etc/passwd').read()", "open_files"),
        ("import os\nreturn os.listdir('/')", "open_files"),
        ("import pandas as pd\nreturn pd.read_csv('/etc/passwd').shape", ""),
        ("import subprocess\nreturn subprocess.run(['id'])", "processes"),
        ("import os\nreturn os.fork()", "processes"),
        ("import os\nreturn os.system('id')", "processes"),
        ("import threading\nthreading.Thread(target=print).start()", "processes"),
        ("import socket\nreturn socket.create_connection(('127.0.0.1', 80))", "open_files"),
        (
            "import pickle, os\nclass X:\n    def __reduce__(self):\n        return os.system, ('id',)\n\
          return pickle.loads(pickle.dumps(X()))",
            "processes",
        ),
        ("import ctypes\nreturn ctypes.CDLL(None).open(b'/etc/passwd', 0)", ""),
        ("import numpy as np\nreturn int(np.ones(10**10).sum())", "memory"),
        ("x = []\nwhile True: x.append(bytearray(10**8))", "memory"),
        ("while True: pass", "processor"),
        ("import reachy_mini", "reachy_mini"),
        ("outputs.save('../x.txt', 'x')", "plain file name"),
        ("outputs.save('x.exe', 'x')", "no known type"),
        ("outputs.save('x.txt', b'x' * 60_000_000)", "more than 52428800 bytes"),
        ("for n in range(20): outputs.save(f'{n}.txt', 'x')", "16 files"),
        ("import sys\nsys.modules['os']._exit(0)", "died"),
        ("print('x' * 100_000)", "printed"),
    ] {
        // Allocating memory takes time on a machine that is short of it.
        let ran = run(body, &[], if word == "processor" { quick } else { LIMITS });
        let said = match &ran.value {
            // The result of a denied system call.
            Ok(value) if body.contains("ctypes") => {
                assert_eq!(value, &json!(-1), "{body}");
                continue;
            }
            Ok(value) => panic!("{body}: it returned {value}"),
            Err(failure) => failure.to_string(),
        };
        assert!(said.contains(word) && !said.contains("root:"), "{body}: {said}");
        assert!(ran.outputs.is_empty(), "{body}");
    }
    // The host continues.
    assert_eq!(run("return 1", &[], quick).value, Ok(json!(1)));
}

fn hostile_files_are_reported_and_harmless(bench: &TestDir) {
    let bomb = about(bench, "bomb.xlsx");
    assert!(bomb["unreadable"].as_str().unwrap().contains("unfolds to 4000000000 bytes"), "{bomb}");
    let tar = about(bench, "bomb.tar.gz");
    assert!(tar.get("unreadable").is_some() || tar["entries"] == 0, "{tar}");
    let laughs = about(bench, "laughs.xml");
    assert!(laughs.get("unreadable").is_some(), "{laughs}");
    for kind in ["xlsx", "parquet", "h5", "pdf", "zip", "png", "gif", "npy"] {
        for name in [format!("half.{kind}"), format!("broken.{kind}")] {
            let files = read_files(&[bench.path(&name)]).unwrap();
            match prepare(tasks().sandbox(), files) {
                // The file may be valid or not: its reader survives, and the output is bounded.
                Ok(given) => assert!(Value::Object(given[0].about.clone()).to_string().len() < 30_000),
                Err(BadInput::NotAsNamed(_)) => {}
                Err(other) => panic!("{name}: {other}"),
            }
        }
    }
    // Ten thousand million bytes that a script unpacks nevertheless.
    let bombs = given(bench, &["bomb.gz"]);
    let limits = Limits { cpu_seconds: 20, ..LIMITS };
    let ran = run("import gzip\nreturn len(gzip.decompress(inputs['bomb.gz'].bytes()))", &bombs, limits);
    assert!(
        matches!(&ran.value, Err(Failure::Stopped { limit: "memory_bytes" | "cpu_seconds", .. })),
        "{:?}",
        ran.value
    );
    let named = |name: &str, content: &[u8]| vec![(name.to_owned(), content.to_vec())];
    let refused = |files| prepare(tasks().sandbox(), files).unwrap_err().to_string();
    assert!(refused(named("a.png", b"GIF89a......")).contains("its content is gif"));
    assert!(refused(named("a.xyz", b"")).contains("known type"));
    assert!(refused(named("a.txt", &vec![b'x'; (50 << 20) + 1])).contains("52428800"));
    assert!(refused([named("a.txt", b"1"), named("a.txt", b"2")].concat()).contains("two files"));
    assert!(refused((0..21).flat_map(|n| named(&format!("{n}.txt"), b"")).collect()).contains("20 files"));
}

fn libraries_work_without_a_file_system(bench: &TestDir) {
    let files =
        given(bench, &["data.csv", "table.parquet", "store.h5", "paper.pdf", "picture.png", "book.xlsx"]);
    for (body, answer) in [
        (
            "import pandas as pd\nt = pd.read_csv(inputs['data.csv'])\nreturn t.groupby('name')['a'].mean().to_dict()",
            json!({"x": 2.0, "y": 3.0}),
        ),
        (
            "import pandas as pd\nreturn pd.read_parquet(inputs['table.parquet'], columns=['a'])['a'].sum()",
            json!(10),
        ),
        (
            "import h5py\nwith h5py.File(inputs['store.h5']) as s:\n    return s['run/joints'][1, 8]",
            json!(17.0),
        ),
        ("import pypdf\nreturn pypdf.PdfReader(inputs['paper.pdf']).pages[0].mediabox.width", json!(200.0)),
        (
            "from PIL import Image\nreturn Image.open(inputs['picture.png']).rotate(90, expand=True).size",
            json!([20, 30]),
        ),
        ("import openpyxl\nreturn openpyxl.load_workbook(inputs['book.xlsx'])['second'].max_row", json!(3)),
        (
            "from scipy import stats, optimize, signal, interpolate\nreturn round(stats.linregress([1, 2, 3], [2, 4, 6]).slope)",
            json!(2),
        ),
        (
            "import pandas as pd\nreturn str(pd.Timestamp('2026-07-01', tz='Asia/Tokyo').utcoffset())",
            json!("9:00:00"),
        ),
        ("import pandas as pd\nreturn pd.DataFrame({'a': [1], 'b': ['x']})", json!([{"a": 1, "b": "x"}])),
        ("return {'n': float('nan'), 1: {2}}", json!({"n": null, "1": [2]})),
        (
            "a, b = inputs['data.csv'], inputs['data.csv']\na.read()\nreturn len(b.read()) > 0 and list(inputs)[0]",
            json!("data.csv"),
        ),
        ("import codecs\nreturn 'é'.encode('cp850').hex()", json!("82")),
    ] {
        let ran = run(body, &files, LIMITS);
        assert_eq!(ran.value, Ok(answer), "{body}");
    }
    let saved = "import matplotlib.pyplot as plt, pandas as pd, numpy as np\nfrom PIL import Image
fig = plt.figure()
ax = fig.add_subplot()
ax.plot([1, 2], [3, 4], label='$\\\\alpha$')
ax.set_title('bold', fontweight='bold', fontstyle='italic', fontfamily='serif')
ax.legend()
for name in ('a.png', 'a.svg', 'a.jpg'):
    outputs.save(name, fig)
outputs.save('b.png', plt)
t = pd.DataFrame({'a': [1, 2]})
for name in ('t.csv', 't.xlsx', 't.json', 't.parquet'):
    outputs.save(name, t)
outputs.save('p.png', Image.new('RGB', (4, 4)))
outputs.save('n.npy', np.arange(3))
outputs.save('d.json', {'a': 1})
";
    let ran = run(saved, &[], LIMITS);
    assert_eq!((&ran.value, &ran.notes), (&Ok(Value::Null), &vec![]), "{:?}", ran.value);
    assert_eq!(ran.outputs.len(), 11);
    let unknown = run("return inputs['other.csv']", &files, LIMITS).value.unwrap_err().to_string();
    assert!(unknown.contains("other.csv") && unknown.contains("'data.csv'"), "{unknown}");
}

#[test]
fn missing_libraries_name_the_install_command() {
    let bench = TestDir::new();
    bench.write("a.csv", "a\n1\n");
    let mut command = bench.command(&["code", "mean of a", "--file", "a.csv"]);
    command.env("MINISMITH_CODE_PYTHON", bench.path("none"));
    minismith_tests::CommandOutput::from(command).is_error(&["MINISMITH_CODE_PYTHON", "not a file"]);
    let elsewhere = bench.path("elsewhere/bin/python");
    bench.write("elsewhere/bin/python", "");
    fs::write(bench.path("config.yaml"), format!("tool_host: {{python: {}}}\n", elsewhere.display()))
        .unwrap();
    bench.run(&["code", "mean of a", "--file", "a.csv"]).is_error(&["not installed", "make code"]);
}

/// Over HTTP, files arrive in the request and leave in the response.
#[test]
fn questions_are_answered_over_http() {
    if python().is_none() {
        return;
    }
    let bench = TestDir::new();
    let mut server = bench.start(&["serve", "--robot", "mock", "--port", "0", "--json"]);
    let address = listening(&server.line().unwrap());
    let ask = |body: &Value| send(&address, "POST /api/v1/code", &[], &body.to_string());
    let table = json!([{"name": "data.csv", "base64": "YSxiCjEsMgozLDQK"}]);
    let (status, report) = ask(&json!({"question": "what is the mean of column b?", "files": table}));
    assert_eq!((status, &report["success"], &report["answer"]), (200, &json!(true), &json!(3.0)), "{report}");
    let (status, report) = ask(&json!({"question": "plot column b against a", "files": table}));
    let drawing = report["outputs"][0]["base64"].as_str().unwrap_or_default();
    assert!(status == 200 && drawing.starts_with("iVBORw0KGgo"), "{report}");
    let (status, report) = ask(&json!({"question": "why is the sky blue?"}));
    assert_eq!((status, &report["success"]), (200, &json!(false)), "{report}");
    // No local file can be named, and an invalid question is reported.
    for (body, word) in [
        (json!({"question": "how many rows?", "files": ["/etc/passwd"]}), "base64"),
        (json!({"question": "how many rows?", "files": [{"name": "/etc/passwd", "base64": ""}]}), "passwd"),
        (json!({"question": "how many rows?", "files": [{"name": "data.csv", "base64": "~"}]}), "base64"),
        (json!({"question": " "}), "question"),
        (json!(3), "question"),
    ] {
        let (status, answer) = ask(&body);
        let detail = answer["detail"].as_str().unwrap_or_default();
        assert!(status == 400 && detail.contains(word), "{body}: {status} {answer}");
    }
    assert_eq!(send(&address, "POST /api/v1/code", &["Origin: https://robot.example"], "{}").0, 403);
}
