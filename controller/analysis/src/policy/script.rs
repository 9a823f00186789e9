//! Checks the scripts of code tasks. It needs fewer rules than a tool and allows the modules of the code
//! profile.
//!
//! A script runs once, moves nothing and has no name by which others call it. So it needs no types, no
//! docstring and no limits on complexity. The same passes as for tools check its bytes and its grammar. Its
//! imports must be on a list. It must not use the interpreter's own names, text that becomes code, or
//! modules of another library. The security boundary is the sandbox, in which there is nothing to open.

use std::collections::BTreeMap;
use std::thread;

use minismith_protocol::SyntaxFacts;
use rustpython_parser::ast::{Constant, Expr, ExprAttribute, ExprCall, Ranged, Stmt};
use rustpython_parser::text_size::TextSize;

use super::names::{self, listed};
use super::rules::{name_access as rule, shape};
use super::tree::Notes;
use super::walk::{Role, Visit, function, parameters, walk_body, walk_expr, walk_stmt};
use super::{STACK_BYTES, grammar, parse, rule as source, syntax};
use crate::draft::Draft;
use crate::finding::{Finding, Verdict, most_severe};

/// The name of a script and of its one function.
pub const ENTRY: &str = "answer";

/// Modules that scripts may import, with everything below them.
const MODULES: &[&str] = &[
    "PIL",
    "abc",
    "array",
    "base64",
    "binascii",
    "bisect",
    "bz2",
    "calendar",
    "cmath",
    "collections",
    "colorsys",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "enum",
    "fractions",
    "functools",
    "gzip",
    "h5py",
    "hashlib",
    "heapq",
    "html",
    "io",
    "itertools",
    "json",
    "lzma",
    "math",
    "matplotlib",
    "numbers",
    "numpy",
    "openpyxl",
    "operator",
    "pandas",
    "pprint",
    "pypdf",
    "random",
    "re",
    "scipy",
    "statistics",
    "string",
    "struct",
    "tarfile",
    "textwrap",
    "time",
    "typing",
    "unicodedata",
    "xml.etree",
    "yaml",
    "zipfile",
    "zlib",
    "zoneinfo",
];

/// Excluded modules below those: memory access, compilers, and internals of the libraries.
const EXCLUDED_MODULES: &[&str] = &[
    "matplotlib.backends",
    "matplotlib.sphinxext",
    "matplotlib.testing",
    "numpy.ctypeslib",
    "numpy.distutils",
    "numpy.f2py",
    "numpy.testing",
    "pandas.core",
    "pandas.io",
    "pandas.testing",
    "scipy.weave",
];

/// Attributes that no script needs: those that read or run more than data, and modules visible through a
/// library.
const FORBIDDEN_ATTRIBUTES: &str = "builtins cffi ctypes ctypeslib eval f2py fromfile globals importlib memmap multiprocessing os pickle \
                       popen query read_clipboard read_gbq read_hdf read_pickle read_sql read_sql_query read_sql_table \
                       remove shutil socket subprocess sys system threading to_clipboard to_gbq to_hdf to_pickle to_sql \
                       tofile unlink unsafe_load full_load";

/// Suggests a replacement for an attribute.
fn replacement_for(name: &str) -> &'static str {
    match name {
        "eval" | "query" => "choose rows with a condition, such as `table[table[\"a\"] > 1]`",
        "read_pickle" | "to_pickle" | "pickle" => "pickles run code; use CSV, JSON or Parquet",
        "unsafe_load" | "full_load" => "use `yaml.safe_load`",
        _ => "take what you need from `inputs[name]`, and write files by `outputs.save(name, what)`",
    }
}

/// A script that was checked and found harmless.
#[derive(Clone, Debug)]
pub struct VettedScript {
    source: String,
    sha256: String,
    facts: BTreeMap<String, SyntaxFacts>,
}

impl VettedScript {
    /// Returns its text.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the SHA-256 of its bytes, in lower-case hexadecimal.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns the facts that CPython's own parser must find in the same bytes.
    #[must_use]
    pub const fn facts(&self) -> &BTreeMap<String, SyntaxFacts> {
        &self.facts
    }
}

/// Checks a script on a separate thread with a large stack, and never runs it.
///
/// # Errors
/// The findings, if at least one of them rejects the script.
pub fn vet_script(text: &str) -> Result<VettedScript, Vec<Finding>> {
    let draft = Draft::read(ENTRY, text.as_bytes())?;
    let read = thread::scope(|scope| {
        let reader = thread::Builder::new().name("policy".into()).stack_size(STACK_BYTES);
        match reader.spawn_scoped(scope, || read(&draft)).map(thread::ScopedJoinHandle::join) {
            Ok(Ok(read)) => read,
            _ => Err(vec![source::SYNTAX_ERROR.at(1, "the parser fails on this text")]),
        }
    });
    let facts = read?;
    let (source, sha256) = (draft.source().to_owned(), draft.sha256().to_owned());
    Ok(VettedScript { source, sha256, facts: BTreeMap::from([(ENTRY.to_owned(), facts)]) })
}

fn read(draft: &Draft) -> Result<SyntaxFacts, Vec<Finding>> {
    let text = draft.source();
    let module = parse(ENTRY, text)
        .map_err(|found| found.into_iter().map(|located| located.finding).collect::<Vec<_>>())?;
    let mut notes = Notes::of(text);
    syntax(&module.body, &mut notes);
    grammar::judge(text, &module.body, &mut notes);
    let mut pass = Pass { notes: &mut notes, neighbours: text.contains("scipy.spatial") };
    walk_body(&mut pass, &module.body);
    if !module.body.iter().any(is_entry) {
        let hint = "define `def answer(inputs, outputs):` and return the answer from it";
        notes.hinted(
            &shape::NO_ENTRY,
            TextSize::from(0),
            "there is no function answer(inputs, outputs)",
            hint,
        );
    }
    let mut findings = notes.into_findings();
    findings.retain(|finding| finding.verdict == Verdict::Reject);
    if most_severe(&findings) < Verdict::Reject { Ok(module.facts) } else { Err(findings) }
}

fn is_entry(stmt: &Stmt) -> bool {
    function(stmt).is_some_and(|function| {
        let named: Vec<&str> = parameters(function.args).map(|arg| arg.arg.as_str()).collect();
        function.name.as_str() == ENTRY && named == ["inputs", "outputs"]
    })
}

/// Returns whether a dotted name is one of these modules, or below one of them.
fn is_below(path: &str, modules: &[&str]) -> bool {
    modules
        .iter()
        .any(|module| path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

fn may_import(path: &str) -> bool {
    is_below(path, MODULES)
        && !is_below(path, EXCLUDED_MODULES)
        && !path.split('.').any(|part| part.starts_with('_'))
}

struct Pass<'n> {
    notes: &'n mut Notes,
    /// Whether `query` is that of a spatial tree.
    neighbours: bool,
}

impl Pass<'_> {
    fn module(&mut self, path: &str, at: TextSize) {
        if !may_import(path) {
            let hint = "use numpy, pandas, scipy, matplotlib.pyplot, openpyxl, pypdf, h5py, PIL, yaml, or the standard \
                        library's modules for computing; files are in `inputs`";
            self.notes.hinted(
                &rule::UNLISTED_IMPORT,
                at,
                format!("the module {path} is not on the list"),
                hint,
            );
        }
    }

    fn attribute(&mut self, name: &str, at: TextSize) {
        let what = format!("the attribute `{name}`");
        if name.starts_with("__") && name != "__name__" {
            self.notes.add(&rule::DUNDER_ATTRIBUTE, at, what);
        } else if name.starts_with('_') && name != "__name__" && !listed(&names::PUBLIC_UNDERSCORES, name) {
            self.notes.add(&rule::PRIVATE_ATTRIBUTE, at, what);
        } else if listed(&names::INTERPRETER_ATTRIBUTES, name) {
            self.notes.add(&rule::INTERPRETER_ATTRIBUTE, at, what);
        } else if FORBIDDEN_ATTRIBUTES.split_whitespace().any(|refused| refused == name)
            && !(name == "query" && self.neighbours)
        {
            self.notes.hinted(&rule::UNSAFE_ATTRIBUTE, at, what, replacement_for(name));
        }
    }

    fn call(&mut self, call: &ExprCall) {
        let pickles = call.keywords.iter().any(|keyword| {
            let no = matches!(&keyword.value, Expr::Constant(value) if value.value == Constant::Bool(false));
            keyword.arg.as_ref().is_some_and(|name| name.as_str() == "allow_pickle") && !no
        });
        if pickles {
            let hint = "leave `allow_pickle` out: pickles run code";
            self.notes.hinted(&rule::UNSAFE_ATTRIBUTE, call.start(), "pickles are allowed", hint);
        }
        let format = match &*call.func {
            Expr::Attribute(ExprAttribute { value, attr, .. }) => {
                matches!(attr.as_str(), "format" | "format_map")
                    && !super::tree::text(value).is_some_and(super::name_access::is_plain_format)
            }
            _ => false,
        };
        if format {
            self.notes.add(
                &rule::FORMAT_STRING,
                call.start(),
                "`.format` of something else than a plain literal",
            );
        }
    }
}

impl Visit for Pass<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Import(s) => s.names.iter().for_each(|alias| self.module(&alias.name, alias.start())),
            Stmt::ImportFrom(s) => {
                let module = s.module.as_ref().map(|module| module.as_str()).unwrap_or_default();
                if s.level.is_some_and(|level| level.to_u32() > 0) {
                    self.notes.add(&rule::RELATIVE_IMPORT, s.start(), "a script has no neighbours");
                    return;
                }
                self.module(module, s.start());
                for alias in &s.names {
                    if alias.name.as_str() == "*" {
                        self.notes.add(&rule::STAR_IMPORT, alias.start(), format!("everything of {module}"));
                    } else {
                        self.attribute(&alias.name, alias.start());
                        let below = format!("{module}.{}", alias.name);
                        if is_below(&below, EXCLUDED_MODULES) {
                            self.module(&below, alias.start());
                        }
                    }
                }
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Attribute(attribute) => self.attribute(&attribute.attr, attribute.start()),
            Expr::Call(call) => self.call(call),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn identifier(&mut self, name: &str, role: Role, at: TextSize) {
        if matches!(role, Role::Imported) {
            return;
        }
        let binds = !matches!(role, Role::Attribute | Role::Keyword);
        if !name.is_ascii() {
            self.notes.add(&source::NON_ASCII_IDENTIFIER, at, format!("the name `{name}`"));
        } else if name.starts_with("__") && name != "__name__" && !listed(&names::MAGIC_METHODS, name) {
            self.notes.add(&rule::DUNDER_NAME, at, format!("the name `{name}`"));
        } else if binds && listed(&names::FORBIDDEN_BUILTINS, name) {
            let hint = match name {
                "open" => "there are no files to open: `inputs[name]` is an open file already",
                _ => rule::FORBIDDEN_BUILTIN.advice,
            };
            self.notes.hinted(&rule::FORBIDDEN_BUILTIN, at, format!("`{name}` is used"), hint);
        } else if matches!(role, Role::Attribute) {
            // An attribute that a class pattern tests.
            self.attribute(name, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::vet_script;

    fn rules(body: &str) -> Vec<String> {
        let text = format!("{body}\n\n\ndef answer(inputs, outputs):\n    return 1\n");
        vet_script(&text).err().into_iter().flatten().map(|finding| finding.rule).collect()
    }

    #[test]
    fn modules_for_data_work_are_allowed() {
        let good = "import numpy as np\nimport pandas as pd\nimport matplotlib.pyplot as plt\nfrom scipy import stats\n\
                    import xml.etree.ElementTree as ET\nimport io\n\ndef f(inputs):\n    t = pd.read_csv(inputs['a.csv'])\n    \
                    a = np.load(inputs['b.npy'], allow_pickle=False).resize(3)\n    \
                    return t[t['a'] > 1].groupby('b').agg({'c': 'mean'}), f'{a:.2f}', stats.linregress(a, a)\n";
        assert_eq!(rules(good), Vec::<String>::new());
        assert_eq!(rules("from scipy.spatial import KDTree\nTREE = KDTree([[1, 2]]).query([1, 2])"), [""; 0]);
    }

    #[test]
    fn access_beyond_data_is_rejected() {
        for (body, rule) in [
            ("import os", "unlisted-import"),
            ("import subprocess", "unlisted-import"),
            ("import pickle", "unlisted-import"),
            ("import reachy_mini", "unlisted-import"),
            ("import pyarrow", "unlisted-import"),
            ("import pandas.io.common", "unlisted-import"),
            ("from pandas import io", "unlisted-import"),
            ("from . import x", "relative-import"),
            ("from numpy import *", "star-import"),
            ("X = ().__class__", "dunder-attribute"),
            ("import numpy as np\nX = np._core", "private-attribute"),
            ("X = open('/etc/passwd')", "forbidden-builtin"),
            ("X = eval('1')", "forbidden-builtin"),
            ("X = [getattr][0]", "forbidden-builtin"),
            ("X = __builtins__", "dunder-name"),
            ("import pandas as pd\nX = pd.read_pickle('x')", "unsafe-attribute"),
            ("import pandas as pd\nX = pd.eval('1')", "unsafe-attribute"),
            ("import pandas as pd\nX = pd.io.common.os", "unsafe-attribute"),
            ("from zipfile import os", "unsafe-attribute"),
            ("import numpy as np\nX = np.load('x', allow_pickle=True)", "unsafe-attribute"),
            ("X = '{0.real}'.format(1)", "format-string"),
            ("match 1:\n    case int(__class__=x): pass", "dunder-name"),
        ] {
            let found = rules(body);
            assert!(found.iter().any(|found| found == rule), "{body}: {found:?}");
        }
        assert_eq!(vet_script("print(1)\n").unwrap_err()[0].rule, "no-entry");
        assert_eq!(vet_script("def answer(inputs):\n    return 1\n").unwrap_err()[0].rule, "no-entry");
        assert_eq!(vet_script("def answer(").unwrap_err()[0].rule, "syntax-error");
    }
}
