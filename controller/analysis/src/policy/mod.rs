//! Reads a draft without running it. Only this module can make a [`PolicyChecked`].
//!
//! Reading order:
//!
//! * [`mod@rules`]: the rules, as data;
//! * `imports`: the allow-lists;
//! * `walk`: the visitor of syntax trees;
//! * `facts` and `shape`: facts that CPython's parser must find as well;
//! * `survey` and `values`: the meaning of names;
//! * `grammar`, `name_access`, `restricted_positions`, `definitions`, `resource_use`, `flow`, `robot_lint` and `motion_lint`: the checks;
//! * [`signature`]: how a caller calls the tool;
//! * [`surface`]: what a tool may use, for editors.
//!
//! [`vet_script`] checks the scripts of code tasks with fewer rules.
//!
//! The policy is a review and not a security boundary: the boundary is the guest's sandbox. The policy
//! rejects everything that it does not recognise as harmless.

pub mod rules;
pub mod signature;
pub mod surface;

mod callees;
mod definitions;
mod docstring;
mod facts;
mod files;
mod flow;
mod grammar;
mod imports;
mod motion_lint;
mod name_access;
mod name_resolution;
mod names;
mod reserved_names;
mod resource_use;
mod restricted_positions;
mod robot_lint;
mod schema;
mod science_imports;
mod script;
mod shape;
mod tree;
mod values;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::thread;

use minismith_protocol::SyntaxFacts;
use minismith_protocol::zygote::Profile;
use minismith_score::expects::Expects;
use rustpython_parser::Parse;
use rustpython_parser::ast::{Expr, ModModule, Stmt};

use self::name_resolution::{Neighbours, Survey};
use self::rules::source as rule;
use self::signature::{Entry, Read};
use self::surface::Surface;
use self::tree::Notes;
use self::walk::{Visit, walk_body, walk_stmt};
use super::digest::hex_sha256;
use super::draft::Draft;
use super::files::input::file_parameters;
use super::finding::{Finding, Located, Verdict, most_severe};
use super::manifest::{Budget, Capability, Evidence, Function, Provenance, Review, ToolManifest};

pub use self::facts::facts_of;
pub use self::imports::text as importable;
pub use self::reserved_names::{is_reserved, skeleton};
pub use self::rules::{RULES_VERSION, Rule, rules};
pub use self::script::{VettedScript, vet_script};

/// Stack size of the parser thread, in bytes. Recursion drops deep trees; the size of the draft bounds
/// their depth.
const STACK_BYTES: usize = 32 << 20;

/// Returns the SHA-256 of every rule and of the lists that the rules use, in lower-case hexadecimal.
/// Evidence names the rules under which it was made.
#[must_use]
pub fn rules_digest() -> &'static str {
    static DIGEST: LazyLock<String> = LazyLock::new(|| {
        let mut text = format!("{RULES_VERSION}\n");
        for rule in rules() {
            text += &format!("{rule:?}\n");
        }
        text += &imports::text();
        text += &names::text();
        text += &restricted_positions::text();
        hex_sha256(text.as_bytes())
    });
    &DIGEST
}

/// Returns everything that a tool may use.
#[must_use]
pub fn permitted() -> Surface {
    let [robot, media, head_pose] = robot_lint::surface();
    Surface {
        robot,
        media,
        head_pose,
        motion: motion_lint::surface(),
        modules: imports::modules().map(|(path, names)| (path, names.collect())).collect(),
        methods: robot_lint::METHODS,
        easings: motion_lint::EASINGS,
    }
}

/// A draft that the policy found harmless; rehearsal takes only this type.
#[derive(Debug)]
pub struct PolicyChecked {
    draft: Draft,
    reading: Reading,
    findings: Vec<Finding>,
}

/// A draft that the policy rejected, with the reasons.
#[derive(Debug)]
pub struct Refused {
    draft: Box<Draft>,
    findings: Vec<Finding>,
}

/// The results of reading a tree.
#[derive(Debug)]
struct Reading {
    facts: BTreeMap<String, SyntaxFacts>,
    entries: OneOrMore<Read>,
    capabilities: BTreeSet<Capability>,
    dependencies: Vec<String>,
    tools: BTreeSet<String>,
    lines: BTreeMap<String, BTreeSet<u32>>,
}

/// A list with at least one item.
#[derive(Debug)]
struct OneOrMore<T> {
    first: T,
    rest: Vec<T>,
}

impl<T> OneOrMore<T> {
    fn of(all: Vec<T>) -> Option<Self> {
        let mut all = all.into_iter();
        Some(OneOrMore { first: all.next()?, rest: all.collect() })
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(&self.rest)
    }
}

impl PolicyChecked {
    /// Returns the draft that was checked.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Returns, for each module, the facts that CPython's own parser must find in the same bytes.
    #[must_use]
    pub fn facts(&self) -> &BTreeMap<String, SyntaxFacts> {
        &self.reading.facts
    }

    /// Returns the entry point; in a toolkit, that of its first function.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.reading.entries.first.entry
    }

    /// Returns every entry point: one for a tool, one for each public function of a toolkit.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.reading.entries.iter().map(|read| &read.entry)
    }

    /// Returns the entry point of this function of a toolkit; without a name, the same as
    /// [`PolicyChecked::entry`].
    #[must_use]
    pub fn entry_of(&self, function: Option<&str>) -> Option<&Entry> {
        match function {
            None => Some(self.entry()),
            Some(name) => self.entries().find(|entry| entry.name == name),
        }
    }

    /// Returns the name by which a caller calls the tool: a toolkit's folder, or a tool's function.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.draft.others() {
            Some(_) => self.draft.name(),
            None => &self.entry().name,
        }
    }

    /// Returns the capabilities that the tool needs from its execution context.
    #[must_use]
    pub fn capabilities(&self) -> &BTreeSet<Capability> {
        &self.reading.capabilities
    }

    /// Returns the profile of the guests that it needs.
    #[must_use]
    pub fn profile(&self) -> Profile {
        let needs_science = self.reading.dependencies.iter().any(|package| imports::is_science(package));
        if needs_science { Profile::Science } else { Profile::Motion }
    }

    /// Returns the names of the other tools that it calls.
    #[must_use]
    pub fn tools(&self) -> &BTreeSet<String> {
        &self.reading.tools
    }

    /// Returns the findings that advise or ask for approval; none of them rejects.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns, for each module, the lines on which a statement of a function begins. A rehearsal should
    /// run all of them.
    #[must_use]
    pub fn statement_lines(&self) -> &BTreeMap<String, BTreeSet<u32>> {
        &self.reading.lines
    }

    /// Returns a manifest without evidence, made from the source alone.
    #[must_use]
    pub fn manifest(&self, provenance: Provenance) -> ToolManifest {
        let Reading { entries, capabilities, dependencies, tools, .. } = &self.reading;
        let Read { entry, description, returns } = &entries.first;
        let function = |read: &Read| Function {
            name: read.entry.name.clone(),
            description: read.description.clone(),
            parameters: read.entry.parameters_schema(),
            returns: read.returns.clone(),
        };
        let functions = self.draft.others().map(|_| entries.iter().map(function).collect());
        ToolManifest {
            name: self.name().to_owned(),
            version: 0,
            description: description.clone(),
            parameters: entry.parameters_schema(),
            returns: returns.clone(),
            examples: Vec::new(),
            test_cases: Vec::new(),
            expects: Expects::default(),
            functions: functions.unwrap_or_default(),
            outputs: entry.outputs.as_ref().map(|(_, declared)| declared.clone()),
            dependencies: dependencies.clone(),
            tools: tools.iter().cloned().collect(),
            capabilities: capabilities.clone(),
            verified_range: BTreeMap::new(),
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
    /// Returns the draft that was checked.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Returns every finding; at least one of them rejects the draft.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Takes the findings out.
    #[must_use]
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// Checks a draft on a separate thread with a large stack.
///
/// # Errors
/// [`Refused`] when a rule rejects the draft, when the text is not Python, or when the parser itself fails
/// on it.
pub fn vet(draft: Draft) -> Result<PolicyChecked, Refused> {
    let (reading, located) = read_apart(&draft);
    let findings: Vec<Finding> = located.into_iter().map(|located| located.finding).collect();
    match reading {
        Some(reading) if most_severe(&findings) < Verdict::Reject => {
            Ok(PolicyChecked { draft, reading, findings })
        }
        _ => Err(Refused { draft: Box::new(draft), findings }),
    }
}

/// Returns the findings of [`vet`] with their places, for editors.
#[must_use]
pub fn locate(draft: &Draft) -> Vec<Located> {
    read_apart(draft).1
}

/// Reads a draft on a separate thread with a large stack.
fn read_apart(draft: &Draft) -> (Option<Reading>, Vec<Located>) {
    let span = tracing::Span::current();
    let failed = |what: String| (None, vec![rule::SYNTAX_ERROR.at(1, what).into()]);
    thread::scope(|scope| {
        let reader = thread::Builder::new().name("policy".into()).stack_size(STACK_BYTES);
        match reader.spawn_scoped(scope, || span.in_scope(|| read(draft))).map(thread::ScopedJoinHandle::join)
        {
            Ok(Ok(result)) => result,
            Ok(Err(_)) => failed("the parser failed on this text".into()),
            Err(error) => failed(format!("cannot start a thread to read it: {error}")),
        }
    })
}

/// A parsed module of a draft.
struct Module<'d> {
    name: &'d str,
    source: &'d str,
    body: Vec<Stmt>,
    facts: SyntaxFacts,
}

/// Runs every check on each module. The trees never leave this thread.
fn read(draft: &Draft) -> (Option<Reading>, Vec<Located>) {
    let (mut modules, mut findings) = (Vec::new(), Vec::new());
    for (name, source) in draft.modules() {
        match parse(name, source) {
            Ok(module) => modules.push(module),
            Err(found) => findings.extend(in_module(draft, name, found)),
        }
    }
    if !findings.is_empty() {
        return (None, findings);
    }
    let others = modules.iter().skip(1);
    let neighbours: Neighbours =
        others.map(|module| (module.name.to_owned(), name_resolution::definitions(&module.body))).collect();
    let (mut entries, mut surveys) = (None, Vec::new());
    for Module { name, source, body, .. } in &modules {
        let mut notes = Notes::of(source);
        let survey = Survey::of(body, &neighbours, &mut notes);
        judge(source, body, &survey, &mut notes);
        if *name == draft.name() {
            let is_toolkit = draft.others().is_some();
            entries = OneOrMore::of(signature::read(name, source, body, is_toolkit, &survey, &mut notes));
        }
        surveys.push(survey);
        findings.extend(in_module(draft, name, notes.into_located()));
    }
    // A module that uses the robot may have received it from another module of the toolkit.
    let holds_robot = surveys.iter().any(|survey| !survey.robots.is_empty());
    let capabilities = modules.iter().filter(|_| holds_robot);
    let mut capabilities: BTreeSet<_> =
        capabilities.flat_map(|module| robot_lint::capabilities(&module.facts)).collect();
    let tools: BTreeSet<String> = modules
        .iter()
        .zip(&surveys)
        .flat_map(|(module, survey)| callees::names(&module.body, survey))
        .collect();
    if !tools.is_empty() {
        capabilities.insert(Capability::Exec);
    }
    for read in entries.iter().flat_map(OneOrMore::iter) {
        capabilities.extend(needs_files(&read.entry));
    }
    let packages: BTreeSet<&String> = surveys.iter().flat_map(|survey| &survey.packages).collect();
    let reading = entries.map(|entries| Reading {
        capabilities,
        dependencies: packages.into_iter().cloned().collect(),
        tools,
        lines: modules.iter().map(|it| (it.name.to_owned(), statement_lines(it.source, &it.body))).collect(),
        entries,
        facts: modules.into_iter().map(|module| (module.name.to_owned(), module.facts)).collect(),
    });
    (reading, findings)
}

fn parse<'d>(name: &'d str, source: &'d str) -> Result<Module<'d>, Vec<Located>> {
    let mut notes = Notes::of(source);
    let body = match ModModule::parse(source, name) {
        Ok(module) => module.body,
        Err(error) => {
            grammar::complain(source, error.offset, &error.error.to_string(), &mut notes);
            return Err(notes.into_located());
        }
    };
    match facts::facts(source, &body) {
        Ok(facts) => Ok(Module { name, source, body, facts }),
        Err(at) => {
            notes.add(&rule::TOO_NESTED, at, "a tree too deep to read");
            Err(notes.into_located())
        }
    }
}

fn judge(source: &str, body: &[Stmt], survey: &Survey, notes: &mut Notes) {
    syntax(body, notes);
    name_access::judge(body, survey, notes);
    restricted_positions::judge(body, survey, notes);
    definitions::judge(body, survey, notes);
    resource_use::judge(body, survey, notes);
    robot_lint::judge(body, survey, notes);
    motion_lint::judge(body, survey, notes);
    callees::judge(body, survey, notes);
    flow::judge(body, survey, notes);
    grammar::judge(source, body, notes);
}

/// Adds the module's name to findings outside the main module.
fn in_module(draft: &Draft, module: &str, mut found: Vec<Located>) -> Vec<Located> {
    if module != draft.name() {
        for Located { finding, .. } in &mut found {
            finding.module = Some(module.to_owned());
        }
    }
    found
}

/// Collects the lines on which statements of functions begin. Docstrings and definitions are not steps of a
/// call.
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
        /// An expression contains no statements.
        fn expr(&mut self, _: &Expr) {}
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

/// Reports assignment targets that this parser accepts and Python rejects, such as `f() = 1`.
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
        /// An expression contains no statements.
        fn expr(&mut self, _: &Expr) {}
    }
    walk_body(&mut Targets(notes), body);
}

/// Returns the capability of a tool that reads or writes files.
fn needs_files(entry: &Entry) -> Option<Capability> {
    let reads = file_parameters(&entry.parameters_schema()).next().is_some();
    (reads || entry.outputs.is_some()).then_some(Capability::Files)
}
