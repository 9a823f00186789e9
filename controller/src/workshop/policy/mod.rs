//! The policy: it reads a draft and never runs it. Only it can make a [`Vetted`].
//!
//! Reading order: [`mod@rules`] (what is judged, as data), `imports` (the allow-lists), `walk` (how a tree is visited),
//! `facts` (what CPython's parser must find as well), `survey` (what names mean), then the judges: `reach`,
//! `definitions`, `conduct`, `robot_lint`, and [`signature`] (how the tool is called).
//!
//! It is a reviewer, not a wall: the wall is the guest's cage. What it does not recognise as harmless it refuses.

pub mod rules;
pub mod signature;

mod conduct;
mod definitions;
mod docstring;
mod facts;
mod imports;
mod names;
mod reach;
mod robot_lint;
mod schema;
mod survey;
mod tree;
mod walk;

use std::collections::BTreeSet;
use std::thread;

use minismith_wire::Facts;
use rustpython_parser::Parse;
use rustpython_parser::ast::{Expr, ModModule, Stmt};

use self::rules::source as rule;
use self::signature::Entry;
use self::survey::Survey;
use self::tree::Notes;
use self::walk::{Visit, walk_body, walk_stmt};
use super::draft::Draft;
use super::finding::{Finding, Verdict, heaviest};
use super::manifest::{Budget, Capability, Evidence, Provenance, Returns, Review, ToolManifest};

pub use self::imports::text as importable;
pub use self::rules::{RULES_VERSION, rules, rules_digest};

/// Deep trees are dropped by recursion; the draft's size bounds their depth.
const STACK_BYTES: usize = 32 << 20;

/// A draft that was read and found harmless: the proof that rehearsal asks for.
#[derive(Debug)]
pub struct Vetted {
    draft: Draft,
    reading: Reading,
    findings: Vec<Finding>,
}

/// A draft that was refused, and why.
#[derive(Debug)]
pub struct Refused {
    draft: Draft,
    findings: Vec<Finding>,
}

/// What was read out of a tree.
#[derive(Debug)]
struct Reading {
    facts: Facts,
    entry: Entry,
    description: String,
    returns: Returns,
    capabilities: BTreeSet<Capability>,
    dependencies: Vec<String>,
    lines: BTreeSet<u32>,
}

impl Vetted {
    /// The bytes that were read.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// What CPython's own parser must find in the same bytes.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.reading.facts
    }

    /// How the tool is called.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.reading.entry
    }

    /// What the tool needs of the stage.
    #[must_use]
    pub fn capabilities(&self) -> &BTreeSet<Capability> {
        &self.reading.capabilities
    }

    /// Advice and questions; nothing that refuses.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The lines on which a statement of a function begins: what a rehearsal should have run.
    #[must_use]
    pub fn statement_lines(&self) -> &BTreeSet<u32> {
        &self.reading.lines
    }

    /// What the source says of itself, as a manifest without evidence.
    #[must_use]
    pub fn manifest(&self, provenance: Provenance) -> ToolManifest {
        let Reading { entry, description, returns, capabilities, dependencies, .. } = &self.reading;
        ToolManifest {
            name: entry.name.clone(),
            version: 0,
            description: description.clone(),
            parameters: entry.parameters_schema(),
            returns: returns.clone(),
            examples: Vec::new(),
            test_cases: Vec::new(),
            functions: Vec::new(),
            dependencies: dependencies.clone(),
            tools: Vec::new(),
            capabilities: capabilities.clone(),
            budget: Budget::default(),
            provenance,
            code_sha256: self.draft.sha256().to_owned(),
            evidence: Evidence::default(),
            findings: self.findings.clone(),
            report: None,
            review: Review::default(),
            needs_approval: false,
        }
    }
}

impl Refused {
    /// The bytes that were read.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Everything that was found, at least one of it refusing.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The same, taken out.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// Reads a draft, on a thread of its own with a large stack.
///
/// # Errors
/// [`Refused`] when a rule refuses, when the text is not Python, or when the parser itself fails on it.
pub fn vet(draft: Draft) -> Result<Vetted, Refused> {
    let (reading, findings) = thread::scope(|scope| {
        let reader = thread::Builder::new().name("policy".into()).stack_size(STACK_BYTES);
        match reader.spawn_scoped(scope, || read(&draft)).map(thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => (None, vec![rule::SYNTAX_ERROR.at(1, "the parser fails on this text")]),
            Err(error) => (None, vec![rule::SYNTAX_ERROR.at(1, format!("no thread to read it on: {error}"))]),
        }
    });
    match reading {
        Some(reading) if heaviest(&findings) < Verdict::Refuse => Ok(Vetted { draft, reading, findings }),
        _ => Err(Refused { draft, findings }),
    }
}

/// The judges, one after another. The tree never leaves this thread.
fn read(draft: &Draft) -> (Option<Reading>, Vec<Finding>) {
    let source = draft.source();
    let mut notes = Notes::of(source);
    let body = match ModModule::parse(source, draft.name()) {
        Ok(module) => module.body,
        Err(error) => {
            notes.add(&rule::SYNTAX_ERROR, error.offset, error.error.to_string());
            return (None, notes.into_findings());
        }
    };
    let facts = match facts::facts(&body) {
        Ok(facts) => facts,
        Err(at) => {
            notes.add(&rule::TOO_NESTED, at, "a tree too deep to read");
            return (None, notes.into_findings());
        }
    };
    let survey = Survey::of(&body, &mut notes);
    syntax(&body, &mut notes);
    reach::judge(&body, &survey, &mut notes);
    definitions::judge(&body, &survey, &mut notes);
    conduct::judge(&body, &survey, &mut notes);
    robot_lint::judge(&body, &survey, &mut notes);
    let entry = signature::read(draft.name(), source, &body, &survey, &mut notes);
    let reading = entry.map(|(entry, description, returns)| Reading {
        capabilities: robot_lint::capabilities(&facts, &survey),
        dependencies: survey.packages.iter().cloned().collect(),
        lines: statement_lines(source, &body),
        facts,
        entry,
        description,
        returns,
    });
    (reading, notes.into_findings())
}

/// Where the statements of functions begin; docstrings and definitions are no steps of a call.
fn statement_lines(source: &str, body: &[Stmt]) -> BTreeSet<u32> {
    use rustpython_parser::ast::Ranged;
    struct Lines<'s> {
        starts: Vec<usize>,
        found: BTreeSet<u32>,
        source: &'s str,
    }
    impl Visit for Lines<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            let constant = matches!(stmt, Stmt::Expr(expr) if matches!(*expr.value, Expr::Constant(_)));
            let defines =
                matches!(stmt, Stmt::FunctionDef(_) | Stmt::AsyncFunctionDef(_) | Stmt::ClassDef(_));
            if !constant && !defines && !matches!(stmt, Stmt::Global(_) | Stmt::Nonlocal(_)) {
                let at = stmt.start().to_usize().min(self.source.len());
                let line = self.starts.partition_point(|start| *start <= at);
                self.found.insert(u32::try_from(line).unwrap_or(u32::MAX));
            }
            walk_stmt(self, stmt);
        }
    }
    let starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut lines = Lines { starts, found: BTreeSet::new(), source };
    for stmt in body {
        if let Stmt::FunctionDef(rustpython_parser::ast::StmtFunctionDef { body, .. })
        | Stmt::AsyncFunctionDef(rustpython_parser::ast::StmtAsyncFunctionDef { body, .. }) = stmt
        {
            walk_body(&mut lines, body);
        }
    }
    lines.found
}

/// Targets that the parser takes although Python does not: `f() = 1`.
fn syntax(body: &[Stmt], notes: &mut Notes) {
    struct Targets<'n>(&'n mut Notes);
    impl Targets<'_> {
        fn judge(&mut self, target: &Expr) {
            use rustpython_parser::ast::Ranged;
            match target {
                Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => {}
                Expr::Starred(starred) => self.judge(&starred.value),
                Expr::Tuple(tuple) => tuple.elts.iter().for_each(|one| self.judge(one)),
                Expr::List(list) => list.elts.iter().for_each(|one| self.judge(one)),
                _ => self.0.add(&rule::SYNTAX_ERROR, target.start(), "this cannot be assigned to"),
            }
        }
    }
    impl Visit for Targets<'_> {
        fn stmt(&mut self, stmt: &Stmt) {
            match stmt {
                Stmt::Assign(s) => s.targets.iter().for_each(|target| self.judge(target)),
                Stmt::Delete(s) => s.targets.iter().for_each(|target| self.judge(target)),
                Stmt::AugAssign(s) => self.judge(&s.target),
                Stmt::AnnAssign(s) => self.judge(&s.target),
                Stmt::For(s) => self.judge(&s.target),
                Stmt::AsyncFor(s) => self.judge(&s.target),
                _ => {}
            }
            walk_stmt(self, stmt);
        }
    }
    walk_body(&mut Targets(notes), body);
}
